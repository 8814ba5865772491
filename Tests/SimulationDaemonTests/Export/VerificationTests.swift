import Foundation
import JournalStore
import Simulator
import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("Verifying a store")
struct VerificationTests {
  private func verify(_ world: String, of daemon: KeptDaemon) throws -> [Verification.Stretch] {
    var stretches: [Verification.Stretch] = []
    try Verification(daemon.history(of: world)).run { stretches.append($0) }
    return stretches
  }

  @Test(
    "finds every stretch good, with ways back across checkpoints and after restarts",
    arguments: Thorough.rounds(0..<12 as Range<UInt64>)
  )
  func good(seed: UInt64) throws {
    var daemon = try KeptDaemon(KeptDaemon.Setup("checkpointInputs=30"))
    var guest = daemon.begin("w", "seed=\(seed)")
    for part in 0..<4 {
      guest.play(seed: seed * 4 + UInt64(part), requests: 60)
      if part % 2 == 1 {
        daemon = try daemon.afterKill()
        guest = daemon.connect("w")
      }
    }
    let stretches = try verify("w", of: daemon)
    expect(!stretches.contains { !$0.isGood }, "seed \(seed): \(stretches)")
    expect(stretches.count > 1, "seed \(seed)")
    expectEqual(stretches.first?.inputs?.lowerBound, 1)
    expectEqual(stretches.last?.inputs?.upperBound, guest.client.hosted.live.world.lastSequence)
    for (before, after) in zip(stretches, stretches.dropFirst()) {
      expectEqual((before.inputs?.upperBound ?? 0) + 1, after.inputs?.lowerBound)
    }
    // The last line's hash is that of the current world.
    guard case .good(let hash)? = stretches.last?.finding else { return }
    let present = try daemon.history(of: "w").present().presentHash
    expectEqual(present, hash)
  }

  private func define(_ name: String, _ states: Int, _ guest: Guest) {
    let diagram = (1...states).map { "  s\($0) --> s\($0 + 1) : go\n" }.joined()
    let text = "stateDiagram-v2\n  [*] --> s1\n\(diagram)"
    let answer = guest.say("define \(name) format=mermaid bytes=\(text.utf8.count)\n\(text)")
    expect(answer.last, hasPrefix: "+ defined ", "\(answer)")
  }

  @Test("a kind without machines may have been defined again")
  func definedAgain() throws {
    let daemon = try KeptDaemon(KeptDaemon.Setup("checkpointInputs=2"))
    let guest = daemon.begin("w")
    define("k", 1, guest)
    _ = guest.play("new k a", "drop a")
    define("k", 2, guest)
    _ = guest.play("new shiftKey b", "send b tap", "send b tap")
    let stretches = try verify("w", of: daemon)
    expect(stretches.count > 1 && !stretches.contains { !$0.isGood }, "\(stretches)")
  }

  @Test(
    "kinds from documents come, go and change, with restarts between",
    arguments: Thorough.rounds(0..<12 as Range<UInt64>))
  func documents(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    var daemon = try KeptDaemon(KeptDaemon.Setup("checkpointInputs=3"))
    var guest = daemon.begin("w")
    for number in 0..<60 {
      let kind = dice.one(of: ["k", "l"])
      switch dice.number(below: 6) {
      case 0: define(kind, dice.number(1...4), guest)
      case 1: _ = guest.say("undefine \(kind)")
      case 2: _ = guest.say("new \(kind) m\(number)")
      case 3: _ = guest.say("cast * go")
      case 4:
        let all = guest.say("list").filter { $0.hasPrefix(". ") }
        for line in all where dice.once(in: 2) { _ = guest.say("drop \(line.split(separator: " ")[1])") }
      case _: _ = guest.say(dice.one(of: ["new shiftKey s\(number)", "undo", "redo", "advance 1s"]))
      }
      if dice.once(in: 20) {
        daemon = try daemon.afterKill()
        guest = daemon.connect("w")
      }
    }
    let stretches = try verify("w", of: daemon)
    expect(!stretches.contains { !$0.isGood }, "seed \(seed): \(stretches)")
  }

  @Test("says what there is of a world without inputs, and of one whose beginning is not kept")
  func short() throws {
    let daemon = try KeptDaemon(KeptDaemon.Setup("checkpointInputs=30", "storeBytes=65536"))
    try expectEqual(verify("main", of: daemon).map(\.description), ["main good, without inputs"])
    let guest = daemon.begin("w")
    _ = guest.say("new shiftKey key")
    for _ in 0..<400 {
      _ = guest.say((["begin"] + Array(repeating: "send key tap", count: 30) + ["end"]).joined(separator: "\n"))
    }
    daemon.host.settle()
    let history = try daemon.history(of: "w")
    expect(history.world.first > 1)
    let stretches = try verify("w", of: daemon)
    expect(
      !stretches.contains { !$0.isGood } && stretches.first?.inputs?.lowerBound == history.world.first, "\(stretches)")
    #expect(throws: HistoryFailure.forgotten(world: "w", first: history.world.first)) { try daemon.script(of: "w") }
  }

  @Test("finds a flipped byte in whatever row, and changes nothing")
  func damage() throws {
    let daemon = try KeptDaemon(KeptDaemon.Setup("checkpointInputs=30"))
    let guest = daemon.begin("w")
    guest.play(seed: 3, requests: 200)
    daemon.service.release()
    daemon.store.close()
    for change in [
      "UPDATE segments SET bytes = zeroblob(length(bytes)) WHERE id = (SELECT id FROM segments ORDER BY id LIMIT 1 OFFSET 40)",
      "UPDATE checkpoints SET bytes = zeroblob(length(bytes)) WHERE id = (SELECT id FROM checkpoints ORDER BY id LIMIT 1)",
      "UPDATE checkpoints SET hash = hash + 1 WHERE id = (SELECT max(id) FROM checkpoints)",
      "UPDATE names SET name = 'other' WHERE number = 0",
      "DELETE FROM segments WHERE id = (SELECT id FROM segments ORDER BY id LIMIT 1 OFFSET 40)",
    ] {
      let copy = try daemon.afterKill()
      copy.store.close()
      try ExportedDatabase.change(copy.folder.files.database, change)
      let names = ["journal.sqlite", "journal.heads"]
      let before = names.map { copy.folder.contents[$0] }
      var stretches: [Verification.Stretch] = []
      do {
        stretches = try verify("w", of: copy)
      } catch is StoreFailure {
        continue  // Found before the first stretch.
      }
      expect(stretches.contains { !$0.isGood }, "\(change)")
      expectEqual(names.map { copy.folder.contents[$0] }, before, "\(change)")
    }
  }
}
