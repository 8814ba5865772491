import JournalStore
import LineProtocol
import Simulator
import StateMachines

/// The daemon's activity since its start, for `stats`.
final class Counters {
  let begunAt: UInt64
  var requests: UInt64 = 0
  var connections: UInt64 = 0
  var clients = 0
  var worlds = 0
  /// How often notices for a client were dropped.
  var gaps: UInt64 = 0

  /// What a worker's counters began with.
  private var base: (requests: UInt64, gaps: UInt64) = (0, 0)

  init(host: UInt64) {
    begunAt = host
  }

  /// Those of a worker, which go on from here by themselves.
  init(onWorker other: Counters) {
    begunAt = other.begunAt
    (requests, connections, clients) = (other.requests, other.connections, other.clients)
    (worlds, gaps) = (other.worlds, other.gaps)
    base = (requests, gaps)
  }

  /// Adds what a worker has counted.
  func add(_ other: Counters) {
    requests &+= other.requests &- other.base.requests
    gaps &+= other.gaps &- other.base.gaps
  }
}

extension RequestContext {
  func stats() {
    if live.stored?.answersAtOnce == false, deferToWorker() { return }
    // In a batch on the event loop the store is not asked.
    let holdings = live.stored.flatMap { $0.answersAtOnce || live.slice.isOnWorker ? $0.holdings : nil }
    func count(_ name: StaticString, _ value: UInt64, _ unit: StaticString) {
      line { line in
        line.word(literal: name)
        line.word(value)
        line.word(literal: unit)
      }
    }
    func time(_ name: StaticString, _ nanoseconds: UInt64) {
      line { line in
        line.word(literal: name)
        line.word(seconds: Int64(clamping: nanoseconds))
        line.word(literal: "s")
      }
    }
    time("uptime", live.host - min(live.host, environment.counters.begunAt))
    count("clients", UInt64(environment.counters.clients), "connections")
    count("connections", environment.counters.connections, "since-start")
    count("requests", environment.counters.requests, "since-start")
    count("gaps", environment.counters.gaps, "since-start")
    count("worlds", UInt64(environment.counters.worlds), "worlds")
    count("machines", UInt64(live.world.machineCount), "in-this-world")
    count("wires", UInt64(live.world.wireCount), "in-this-world")
    count("timers", UInt64(live.world.runningTimerCount), "running")
    count("firings", live.world.firings, "since-start")
    count("inputs", live.world.lastSequence, "since-start")
    count("journalFrom", live.world.firstSequence, "seq")
    count("journalBytes", UInt64(live.world.journalBytes), "bytes")
    let checkpoints = live.world.checkpoints
    count("checkpoints", UInt64(checkpoints.count), "kept")
    count("checkpointBytes", UInt64(checkpoints.bytes), "bytes")
    count("seed", live.seed, "of-this-world")
    time("lateness", live.worstLateness)
    if let quota = live.share.quota {
      count("userMachines", UInt64(max(0, quota.countedMachines)), "of-the-owner")
      count("userMemory", UInt64(max(0, quota.countedBytes)), "bytes-of-the-owner")
    }
    memoryLines { name, bytes in
      line { line in
        line.word(name)
        line.word(UInt64(max(0, bytes)))
        line.word(literal: "bytes")
      }
    }
    if let stored = live.stored, !stored.answersAtOnce {
      line { line in
        line.word(literal: "store")
        line.word(stored.place)
        line.word(literal: "of-this-world")
      }
    }
    if let holdings {
      count("storeFrom", holdings.first, "seq")
      count("storeBytes", UInt64(holdings.bytes), "bytes")
      count("storeRemoved", UInt64(holdings.removedBytes), "bytes")
      count("storeCheckpoints", UInt64(holdings.checkpoints.count), "copies")
    }
    succeedWithLines()
  }
}
