import JournalStore
import TestSupport
import Testing

@testable import SimulationDaemon

/// A store with limits: removals are reported, and the rest is enough for a world.
@Suite("Retention of durable worlds")
struct RetentionTests {
  private func daemon(_ limits: String...) throws -> (KeptDaemon, Guest) {
    var setup = KeptDaemon.Setup("storeBytes=4096", "checkpointInputs=50")
    for limit in limits { expectNil(setup.limits.set(limit)) }
    let daemon = try KeptDaemon(setup)
    let guest = daemon.connect()
    _ = guest.ask("clock virtual", "new power p", "new stepper s")
    return (daemon, guest)
  }

  private func send(_ count: Int, _ guest: Guest) {
    for _ in 0..<count { _ = guest.say("send p buttonClick\nsend s increment\nsend s decrement") }
  }

  @Test("the oldest inputs go; the journal says from where on it has them, and limits and stats show it")
  func forgotten() throws {
    let (daemon, guest) = try daemon("journal=20")
    send(200, guest)
    for daemon in [daemon, try daemon.afterKill()] {
      let guest = daemon.connect()
      _ = guest.say("sync")  // A round, and those that remove the rest of the excess.
      let first = guest.client.hosted.live.firstSequence
      let held = try daemon.store.holdings(of: "main")
      expect(first == held.first && first > 300)
      expect(held.bytes < 4096 + 100 * 50)
      expect(guest.ask("journal since=1")[0], hasPrefix: "- LIMIT name=storeBytes value=4096 from=\(first) : ")
      expect(guest.ask("watch * since=\(first - 1)")[0], hasPrefix: "- LIMIT name=storeBytes ")
      expect(guest.journal("since=\(first)").first, hasPrefix: "\(first) ")
      expect(guest.say("limits"), contains: ". storeBytes 4096 bytes-per-world")
      expect(guest.say("stats").contains { $0.hasPrefix(". storeBytes \(held.bytes) bytes") })
    }
  }

  @Test("nobody goes back further than the store could bring back, and what can be undone is brought back undone")
  func undo() throws {
    let (daemon, guest) = try daemon()
    send(200, guest)
    let held = try daemon.store.holdings(of: "main")
    let head = guest.client.hosted.head
    let refused = guest.ask("undo \(head - held.first + 1)")[0]
    expect(refused, hasPrefix: "- LIMIT name=storeBytes value=4096 from=", "\(refused)")
    expectEqual(guest.client.hosted.head, head)
    expect(guest.ask("goto 0")[0], hasPrefix: "+")  // There is no time before it.
    // Just after the oldest checkpoint, so that undo may go back beyond the latest one.
    let oldest = try #require(held.checkpoints.first { $0.sequence + 1 >= held.first }?.sequence)
    expect(guest.ask("undo \(head - oldest)")[0], hasPrefix: "+")
    expect(guest.ask("undo 1")[0], hasPrefix: "- LIMIT name=storeBytes ")
    let world = guest.view()
    var previous = daemon
    for _ in 0..<3 {
      let again = try previous.afterKill()
      expectEqual(again.connect().view(), world)
      previous = again
    }
    // It continues, with checkpoints and removals in any order.
    for _ in 0..<15 {
      send(7, guest)
      _ = guest.ask("undo 5")
      try expectEqual(daemon.afterKill().connect().view(), guest.view())
    }
    try expect(daemon.store.holdings(of: "main").first > held.first)
  }

  @Test("after a restart that much can be undone that memory holds")
  func undoAfterRestart() throws {
    let (daemon, guest) = try daemon("journal=100", "storeBytes=1000000")
    send(200, guest)
    let again = try daemon.afterKill().connect()
    expect(again.ask("undo 90")[0], hasPrefix: "+")
    _ = guest.ask("undo 90")
    expectEqual(again.view(), guest.view())
  }
}
