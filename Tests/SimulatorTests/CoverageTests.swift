@testable import MachineGraphs
import Simulations
import StateMachines
@testable import Surveys
import TestSupport
import Testing

@testable import Simulator

@Suite("Coverage is counted from the journal")
struct CoverageTests {
  private func coverage(
    _ world: borrowing WorldCore, _ pattern: String = "*", by inputs: Int = 100
  ) throws -> [Coverage] {
    var survey = CoverageSurvey(of: world, NamePattern(pattern.utf8)) { _ in true }
    while !survey.advance(through: world, by: inputs) {}
    return try survey.tallies.filter { $0.machines > 0 }.map { tally in
      var scope = CoverageScope(of: tally.kind)
      for parameters in tally.parameterSets {
        scope.add(
          try StateGraph(
            of: tally.kind, with: parameters.enumerated().map { (parameter: $0.offset, value: $0.element) }))
      }
      return Coverage(tally, of: scope)
    }
  }

  private func figure(_ covered: Int, _ all: Int) -> Coverage.Figure { Coverage.Figure(covered: covered, all: all) }

  @Test("what nobody has done is all that is untried, in order")
  func untouched() throws {
    var world = WorldCore()
    try world.make(ShiftKey.kind, "key")
    let all = try self.coverage(world)
    let coverage = try #require(all.first)
    expectEqual(coverage.states, figure(1, 3))
    expectEqual(coverage.transitions, figure(0, 5))
    expectEqual(coverage.pairs, figure(0, 6))
    expectEqual(coverage.timers, figure(0, 1))
    expectEqual(coverage.disarmed, figure(0, 1))
    expectEqual(coverage.guards, figure(0, 1))
    expectEqual(coverage.switches, figure(0, 7))
    expect(coverage.combinations == nil && coverage.regions.isEmpty)
    expect(coverage.unreachable == 0 && coverage.impossible == 0 && coverage.isComplete)
    expectEqual(coverage.untried.prefix(2), [.state(1), .state(2)])
    expectEqual(coverage.untried.count, 2 + 5 + 6 + 2 + 1 + 7)
  }

  @Test("in pieces of any size it is the same, and machines do not mix up what follows on what")
  func pieces() throws {
    var world = WorldCore()
    try world.make(ShiftKey.kind, "a")
    try world.make(ShiftKey.kind, "b")
    // Together these taps would lock and unlock; each machine on its own only turns on.
    world.send("a", "tap")
    world.send("b", "tap")
    let wholeAll = try coverage(world, by: .max)
    let whole = try #require(wholeAll.first)
    expectEqual(whole.machines, 2)
    expect(whole.transitions == figure(1, 5) && whole.switches == figure(0, 7))
    for inputs in 1...5 {
      let piecesAll = try coverage(world, by: inputs)
      let pieces = try #require(piecesAll.first)
      expect(pieces.untried == whole.untried && pieces.pairs == whole.pairs)
    }
    world.send("a", "character", .text("x"))
    let further = try coverage(world).first
    expectEqual(further?.switches, figure(1, 7))
  }

  @Test("a dropped machine counts, by its own name and kind")
  func dropped() throws {
    var world = WorldCore()
    try world.make(ShiftKey.kind, "key")
    world.send("key", "tap")
    world.drop("key")
    try world.make(Power.kind, "key")
    let all = try coverage(world, "key")
    expectEqual(all.map(\.kind.name), ["shiftKey", "power"])
    expectEqual(all.first?.transitions, figure(1, 5))
    expectEqual(all.first?.machines, 1)
    let none = try coverage(world, "kex")
    expect(none.isEmpty)
  }

  @Test("a journal that has forgotten its beginning tells of what it has, and of the states that machines are in")
  func forgetting() throws {
    var limits = WorldLimits()
    limits.journal = 3
    var world = WorldCore(limits: limits)
    try world.make(ShiftKey.kind, "key")
    try world.make(ShiftKey.kind, "slow", [(0, .interval(.seconds(7)))])
    for _ in 0..<6 { world.send("key", "tap") }
    var survey = CoverageSurvey(of: world, .all) { _ in true }
    expectEqual(survey.since, 6)
    let isThrough1 = survey.advance(through: world, by: 100)
    expect(isThrough1)
    let tally = survey.tallies[0]
    expectEqual(tally.machines, 2)
    expectEqual(tally.outcomes.count, 3)
    // The parameters of living machines are known anyway.
    expectEqual(Set(tally.parameterSets.map(\.[0])), [.interval(.milliseconds(350)), .interval(.seconds(7))])
  }

  @Test("what is forgotten while it is read is passed over, and later inputs do not count")
  func overtaken() throws {
    var limits = WorldLimits()
    limits.journal = 10
    var world = WorldCore(limits: limits)
    try world.make(ShiftKey.kind, "key")
    for _ in 0..<9 { world.send("key", "character", .text("x")) }
    var survey = CoverageSurvey(of: world, .all) { _ in true }
    let isThrough2 = survey.advance(through: world, by: 2)
    expect(!isThrough2)
    for _ in 0..<5 { world.send("key", "tap") }
    let isThrough3 = survey.advance(through: world, by: 100)
    expect(isThrough3)
    expectEqual(survey.since, 6)
    expectEqual(survey.tallies[0].outcomes.count, 1)
    var late = CoverageSurvey(of: world, .all) { _ in true }
    for _ in 0..<50 { world.send("key", "tap") }
    let isThrough4 = late.advance(through: world, by: 100)
    expect(isThrough4)
    expect(late.tallies[0].outcomes.isEmpty && late.tallies[0].machines == 1)
  }

  @Test("a timer that was to be fired and did not run has done nothing; one that was fired has expired")
  func firing() throws {
    var world = WorldCore()
    try world.make(ShiftKey.kind, "key")
    world.fire(world.known("key"), timer: 0)
    let before = try coverage(world).first
    expectEqual(before?.timers, figure(0, 1))
    world.send("key", "tap")
    world.fire(world.known("key"), timer: 0)
    let all = try self.coverage(world)
    let coverage = try #require(all.first)
    expect(coverage.timers == figure(1, 1) && coverage.disarmed == figure(0, 1))
  }

  @Test("disarmed timers are found among all other details")
  func details() throws {
    var journal = Journal(inputs: 10, bytes: 1 << 20)
    var details = DetailWriter()
    details.tag(.arguments)
    details.values([.text("xyz"), .number(1)])
    details.tag(.disarmed, 3)
    details.number(500)
    details.tag(.armedKey, 1)
    details.number(7)
    details.number(300)
    details.tag(.disarmedKey, 2)
    details.number(7)
    details.number(9)
    _ = journal.append(
      .event, MachineID(1), index: 0, StepResult(verdict: .moved, from: 0, to: 1), at: .beginning, details)
    var reader = journal.reader(from: 1)
    let read = journal.read(&reader)
    let entry = try #require(read)
    var effects = JournalInput.Effects(of: entry)
    var timers: [String] = []
    while let effect = effects.nextTimer() { timers.append("\(effect)") }
    expectEqual(
      timers.map { $0.split(separator: ",").first }, ["disarmed(timer: 3", "armed(timer: 1", "disarmed(timer: 2"])
  }

  @Test("what is done besides does not count: more sets of parameters than are looked at, wires")
  func parameters() throws {
    var world = WorldCore()
    for number in 0..<6 {
      try world.make(ShiftKey.kind, "k\(number)", [(0, .interval(.seconds(Int64(number))))])
    }
    try world.wire(world.wire(from: "k0.text", to: "k1.character"))
    var survey = CoverageSurvey(of: world, .all) { _ in true }
    let isThrough5 = survey.advance(through: world, by: 100)
    expect(isThrough5)
    expectEqual(survey.tallies[0].parameterSets.count, CoverageTally.mostParameterSets)
    expectEqual(survey.tallies[0].machines, 6)
    expect(survey.tallies[0].outcomes.isEmpty)
  }

  @Test("what parameters make possible counts as soon as one machine has them")
  func gestures() throws {
    var world = WorldCore()
    try world.make(ShiftKey.kind, "plain")
    let plainAll = try coverage(world)
    let plain = try #require(plainAll.first)
    try world.make(ShiftKey.kind, "gestures", [(1, .flag(true))])
    let bothAll = try coverage(world)
    let both = try #require(bothAll.first)
    expect(both.transitions.all > plain.transitions.all)
  }

  @Test("with regions, their states and the combinations of them")
  func regions() throws {
    var world = WorldCore()
    try world.make(SmartFridge.kind, "fridge")
    let all = try self.coverage(world)
    let coverage = try #require(all.first)
    let combinations = try #require(coverage.combinations)
    expectEqual(coverage.regions.count, SmartFridge.kind.regions?.names.count)
    expect(coverage.regions.allSatisfy { $0.states.covered == 1 && $0.states.all > 1 })
    expect(combinations.covered == 1 && combinations.all <= SmartFridge.kind.states.count)
    expectEqual(coverage.states.all + coverage.unreachable, SmartFridge.kind.states.count)
    expectEqual(coverage.pairs.all + coverage.impossible, SmartFridge.kind.states.count * SmartFridge.kind.events.count)
  }
}
