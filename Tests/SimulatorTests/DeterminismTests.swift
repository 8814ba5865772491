import Simulations
@testable import Simulator
import StateMachines
import TestSupport
import Testing

@Suite("The inputs determine all that follows")
struct DeterminismTests {
  /// The simulated kinds, and those of the tests, which are wired more wildly.
  static let entries =
    Catalogue.simulations.entries + [
      .machine(Relay.kind), .machine(Spinner.kind), .machine(Alarm.kind), .machine(Oven.kind), .machine(Dial.kind),
      .machine(Board.kind),
    ]
  static let inputs = 100

  private func journal(_ script: Script, _ cut: Script.Cut, seed: Int) -> [String] {
    var world = WorldCore(seed: UInt64(seed), limits: Script.limits())
    script.play(into: &world, cut)
    expectEqual(world.checkInvariants(), [], "seed \(seed), \(cut)")
    return world.journalText()
  }

  /// Reports the first line that differs, instead of two whole journals.
  private func expectSame(_ left: [String], _ right: [String], _ what: String) {
    guard left != right else { return }
    let place =
      zip(left, right).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(left.count, right.count)
    let found = place < right.count ? right[place] : "the end"
    Issue.record("\(what): expected \(place < left.count ? left[place] : "the end"), got \(found)")
  }

  @Test("however time is cut, the journal is the same", arguments: Thorough.rounds(0..<40))
  func cuts(seed: Int) {
    let script = Script(seed: seed, of: Self.entries, inputs: Self.inputs)
    let whole = journal(script, .whole, seed: seed)
    expect(whole.count > Self.inputs / 3, "seed \(seed)")
    for other in 1...3 {
      expectSame(whole, journal(script, .pieces(seed: other), seed: seed), "seed \(seed), pieces \(other)")
    }
    expectSame(whole, journal(script, .steps, seed: seed), "seed \(seed), steps")
  }

  @Test("each simulated kind by itself", arguments: Catalogue.simulations.entries.map(\.name), Thorough.rounds(0..<3))
  func cutsOfOneKind(name: String, seed: Int) throws {
    let entry = try #require(Catalogue.simulations[name])
    let script = Script(seed: seed, of: [entry], inputs: Thorough.rounds(Self.inputs, atLeast: 40))
    let whole = journal(script, .whole, seed: seed)
    expectSame(whole, journal(script, .pieces(seed: 1), seed: seed), "\(name), seed \(seed), pieces")
    expectSame(whole, journal(script, .steps, seed: seed), "\(name), seed \(seed), steps")
  }

  @Test("what the journal tells, played into a fresh world, gives the same journal", arguments: Thorough.rounds(0..<40))
  func replay(seed: Int) {
    let script = Script(seed: seed, of: Self.entries, inputs: Self.inputs)
    var world = WorldCore(seed: UInt64(seed), limits: Script.limits())
    script.play(into: &world, .pieces(seed: seed))
    let journal = world.journal()
    var second = WorldCore(seed: UInt64(seed), limits: Script.limits())
    second.replay(journal)
    Script.advance(&second, to: world.now, .whole)
    expectSame(journal.map(\.text), second.journalText(), "seed \(seed)")
    expectEqual(second.now, world.now, "seed \(seed)")
    expectEqual(second.checkInvariants(), [], "seed \(seed)")
    let states = world.machines(matching: .all).map { "\(world.name(of: $0)) \(world.state(of: $0))" }
    expectEqual(states, second.machines(matching: .all).map { "\(second.name(of: $0)) \(second.state(of: $0))" })
  }

  @Test("new stamps in between change nothing", arguments: Thorough.rounds(0..<8))
  func restamping(seed: Int) {
    let script = Script(seed: seed, of: Self.entries, inputs: Self.inputs)
    let usual = journal(script, .whole, seed: seed)
    for armings in [1, 30] as [UInt64] {
      var world = WorldCore(seed: UInt64(seed), limits: Script.limits())
      world.armings = Agenda.lastStamp - armings
      world.instantStamp = world.armings
      script.play(into: &world, .pieces(seed: seed))
      expectSame(usual, world.journalText(), "seed \(seed), \(armings) armings before the last")
      expectEqual(world.checkInvariants(), [], "seed \(seed)")
    }
  }

  @Test("worlds do not know of each other", arguments: Thorough.rounds(0..<10))
  func isolation(seed: Int) {
    let scripts = [seed, seed + 1_000].map { Script(seed: $0, of: Self.entries, inputs: 60) }
    let alone = scripts.map { journal($0, .whole, seed: seed) }
    var first = WorldCore(seed: UInt64(seed), limits: Script.limits())
    var second = WorldCore(seed: UInt64(seed), limits: Script.limits())
    // In turns, input by input.
    for place in 0..<60 {
      for (script, isFirst) in [(scripts[0], true), (scripts[1], false)] {
        var piece = script
        piece.inputs = [script.inputs[place]]
        piece.end = script.inputs[place].moment
        if isFirst { piece.play(into: &first, .whole) } else { piece.play(into: &second, .whole) }
      }
    }
    Script.advance(&first, to: scripts[0].end, .whole)
    Script.advance(&second, to: scripts[1].end, .whole)
    expectSame(alone[0], first.journalText(), "seed \(seed), the first")
    expectSame(alone[1], second.journalText(), "seed \(seed), the second")
  }

  @Test("what a world draws follows from its seed")
  func draws() throws {
    func throwsOfDice(_ seed: UInt64) throws -> [String] {
      var world = WorldCore(seed: seed)
      try world.make(Gambler.kind, "g")
      for _ in 0..<20 { world.send("g", "roll") }
      return world.journalText()
    }
    try expectEqual(throwsOfDice(1), throwsOfDice(1))
    try expect(throwsOfDice(1) != throwsOfDice(2))
  }
}
