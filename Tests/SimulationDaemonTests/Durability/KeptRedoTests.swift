import JournalStore
import Simulator
import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("Redo in durable worlds")
struct KeptRedoTests {
  @Test("what was undone before the daemon was killed can be redone after it, and so on")
  func killed() throws {
    var daemon = try KeptDaemon()
    _ = daemon.connect().ask(
      "clock virtual", "new phoneCall call", "send call.tracker phoneTapped number=112", "new shiftKey key",
      "send key tap",
      "undo",
      "send key tap", "advance 100ms", "undo 2")
    for request in ["redo", "undo", "redo", "undo 3", "undo", "redo 2", "expect key on"] {
      let guest = daemon.connect()
      expect(guest.ask(request)[0], hasPrefix: "+", "\(request)")
      let wanted = guest.ask("list", "agenda", "wires", "world", "journal since=1")
      let hash = try guest.client.hosted.live.world.presentHash
      daemon = try daemon.afterKill()
      let again = daemon.connect()
      expectEqual(again.ask("list", "agenda", "wires", "world", "journal since=1"), wanted, "\(request)")
      try expectEqual(again.client.hosted.live.world.presentHash, hash, "\(request)")
      expectEqual(daemon.log, [])
    }
    expect(daemon.connect().ask("undo 3", "redo", "drop call").last, hasPrefix: "+ dropped call")
  }

  @Test(
    "checkpoints of the store before, between and after undos do not matter",
    arguments: Thorough.rounds(0..<8 as Range<UInt64>))
  func checkpoints(seed: UInt64) throws {
    var daemon = try KeptDaemon(KeptDaemon.Setup("checkpointInputs=5"))
    _ = daemon.connect().ask("clock virtual", "new shiftKey key")
    var dice = Dice(seed: seed)
    func next(_ below: Int) -> Int { dice.number(below: below) }
    for _ in 0..<40 {
      let guest = daemon.connect()
      for _ in 0..<next(6) { _ = guest.ask("send key tap", "advance \(next(400))ms") }
      if next(2) == 0 { _ = guest.ask("undo \(1 + next(4))") }
      if next(3) == 0 { _ = guest.ask("undo \(1 + next(9))") }
      let wanted = guest.ask("world", "agenda", "list")
      daemon = next(2) == 0 ? try daemon.afterKill() : try daemon.restarted()
      let again = daemon.connect()
      expectEqual(again.ask("world", "agenda", "list"), wanted)
      let redone = again.ask(next(2) == 0 ? "redo" : "redo 2")
      expect(redone[0].hasPrefix("+") || redone[0].contains("BAD-ARGUMENT") || redone[0].contains("LIMIT"))
      expectEqual(again.client.hosted.live.world.checkInvariants(), [])
    }
    expectEqual(daemon.log, [])
  }

  @Test("after two hundred redos the store has one row for them, and worlds made of it are the same")
  func pairs() throws {
    let daemon = try KeptDaemon()
    let guest = daemon.connect()
    _ = guest.ask(
      "clock virtual", "new power p", "send p buttonClick", "send p buttonClick", "undo", "send p buttonClick")
    for _ in 0..<200 { expect(guest.ask("undo", "redo").allSatisfy { $0.hasPrefix("+") }) }
    let head = guest.client.hosted.head
    try expectEqual(daemon.store.undone(in: "main", 1...head), [3...4, 6...head])
    _ = guest.ask("world fork f", "use f")
    expect(guest.ask("undo", "redo", "undo 2", "redo").allSatisfy { $0.hasPrefix("+") })
    let forked = guest.journal()
    _ = guest.ask("use main")
    expect(guest.ask("undo", "redo", "undo 2", "redo").allSatisfy { $0.hasPrefix("+") })
    expectEqual(guest.journal(), forked)
    let again = try daemon.afterKill().connect()
    expectEqual(again.journal(), forked)
    expect(again.ask("redo")[0], hasPrefix: "- BAD-ARGUMENT")
    expect(again.ask("undo 2")[0], hasPrefix: "+")
  }
}
