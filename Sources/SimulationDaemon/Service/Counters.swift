import JournalStore
import LineProtocol
import Simulator
import StateMachines

/// What the daemon has done since it began, for `stats`.
final class Counters {
  let begunAt: UInt64
  var requests: UInt64 = 0
  var connections: UInt64 = 0
  var clients = 0
  var worlds = 0
  /// How often notices had to be dropped for somebody.
  var gaps: UInt64 = 0

  init(host: UInt64) {
    begunAt = host
  }
}

extension Counters {
  /// Adds what was counted elsewhere.
  func add(_ other: Counters) {
    requests &+= other.requests
    gaps &+= other.gaps
  }
}

extension Engine {
  func stats(_ words: borrowing Words, _ session: inout Session, _ realm: inout Realm) {
    var lines = 0
    func line(_ name: StaticString, _ value: UInt64, _ unit: StaticString) {
      session.outbox.buffer.begin(.data, tag: words.tag)
      session.outbox.buffer.word(literal: name)
      session.outbox.buffer.word(value)
      session.outbox.buffer.word(literal: unit)
      session.outbox.buffer.endLine()
      lines += 1
    }
    func time(_ name: StaticString, _ nanoseconds: UInt64) {
      session.outbox.buffer.begin(.data, tag: words.tag)
      session.outbox.buffer.word(literal: name)
      session.outbox.buffer.word(seconds: Int64(clamping: nanoseconds))
      session.outbox.buffer.word(literal: "s")
      session.outbox.buffer.endLine()
      lines += 1
    }
    time("uptime", realm.host - min(realm.host, counters.begunAt))
    line("clients", UInt64(counters.clients), "connections")
    line("connections", counters.connections, "since-start")
    line("requests", counters.requests, "since-start")
    line("gaps", counters.gaps, "since-start")
    line("worlds", UInt64(counters.worlds), "worlds")
    line("machines", UInt64(realm.world.machineCount), "in-this-world")
    line("wires", UInt64(realm.world.wireCount), "in-this-world")
    line("timers", UInt64(realm.world.runningTimerCount), "running")
    line("firings", realm.world.firings, "since-start")
    line("inputs", realm.world.lastSequence, "since-start")
    line("journalFrom", realm.world.firstSequence, "seq")
    line("journalBytes", UInt64(realm.world.journalBytes), "bytes")
    let checkpoints = realm.world.checkpoints
    line("checkpoints", UInt64(checkpoints.count), "kept")
    line("checkpointBytes", UInt64(checkpoints.bytes), "bytes")
    line("seed", realm.seed, "of-this-world")
    time("lateness", realm.worstLateness)
    memoryLines(&realm) { name, bytes in
      session.outbox.buffer.begin(.data, tag: words.tag)
      session.outbox.buffer.word(name)
      session.outbox.buffer.word(UInt64(max(0, bytes)))
      session.outbox.buffer.word(literal: "bytes")
      session.outbox.buffer.endLine()
      lines += 1
    }
    if let holdings = realm.stored?.holdings {
      line("storeFrom", holdings.first, "seq")
      line("storeBytes", UInt64(holdings.bytes), "bytes")
      line("storeRemoved", UInt64(holdings.removedBytes), "bytes")
      line("storeCheckpoints", UInt64(holdings.checkpoints.count), "copies")
    }
    endLines(lines, words, &session)
  }
}
