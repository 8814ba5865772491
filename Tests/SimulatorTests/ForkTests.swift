import Simulations
@testable import Simulator
import StateMachines
import TestSupport
import Testing

@Suite("A fork is the same world, and then another")
struct ForkTests {
  @Test("what happens in one never shows in the other", arguments: DeterminismTests.entries.map(\.name), 0..<1)
  func independence(name: String, seed: Int) throws {
    let entry = try #require(DeterminismTests.entries.first { $0.name == name })
    let half = Thorough.rounds(30, atLeast: 10)
    let script = Script(seed: seed, of: [entry], inputs: 2 * half)
    func play(_ range: Range<Int>, into world: inout WorldCore) {
      for (moment, action) in script.inputs[range] {
        Script.advance(&world, to: moment, .whole)
        world.fireDue()
        script.play(action, into: &world)
      }
    }
    var world = WorldCore(seed: UInt64(seed), limits: Script.limits())
    play(0..<half, into: &world)
    let portrait = world.portrait()
    let journal = world.journalText()
    var fork = world.fork()
    expectNil(RewindTests.difference(portrait, fork.portrait()))
    expectNil(RewindTests.difference(journal, fork.journalText()))
    expectEqual(fork.checkInvariants(), [])
    play(half..<2 * half, into: &fork)
    expectEqual(fork.checkInvariants(), [])
    expectNil(RewindTests.difference(portrait, world.portrait()))
    expectNil(RewindTests.difference(journal, world.journalText()))
    // The parent must come to the same result.
    play(half..<2 * half, into: &world)
    expectNil(RewindTests.difference(fork.portrait(), world.portrait()))
    expectNil(RewindTests.difference(fork.journalText(), world.journalText()))
    expectEqual(world.checkInvariants(), [])
  }

  @Test("a fork can go back past where it began, and outlives its parent")
  func undoInFork() throws {
    func make() throws -> WorldCore {
      var world = WorldCore()
      try world.make(Relay.kind, "a")
      world.send("a", "say", .text("long enough to be kept on the heap"))
      world.advance(to: 0.5)
      var fork = world.fork()
      fork.send("a", "say", .text("another text that is just as long as that"))
      world.drop("a")
      expectEqual(fork.state("a"), "last(another text that is just as long as that)")
      return fork
    }
    var fork = try make()
    try expectEqual(fork.undo(), 3...3)
    expectEqual(fork.state("a"), "last(long enough to be kept on the heap)")
    try expectEqual(fork.undo(), 2...4)
    expectEqual(fork.state("a"), "idle")
    expectEqual(fork.checkInvariants(), [])
  }

  @Test("parameters are counted in each by itself")
  func parameters() throws {
    var world = WorldCore()
    try world.make(Relay.kind, "a", [(0, .integer(7))])
    var fork = world.fork()
    world.drop("a")
    try world.make(Relay.kind, "b", [(0, .integer(9))])
    expectEqual(fork.parameterValues(of: fork.known("a")).first, .integer(7))
    fork.drop("a")
    try fork.make(Relay.kind, "c", [(0, .integer(11))])
    expectEqual(world.parameterValues(of: world.known("b")).first, .integer(9))
  }

  @Test("blocks of the journal that are full are shared, the open one is not")
  func journals() throws {
    var world = WorldCore()
    try world.make(Relay.kind, "a")
    for number in 0..<20_000 { world.send("a", "say", .text("\(number)")) }
    var fork = world.fork()
    for number in 0..<5_000 {
      world.send("a", "say", .text("left \(number)"))
      fork.send("a", "say", .text("right \(number)"))
    }
    let (left, right) = (world.journalText(), fork.journalText())
    expect(left.count == 25_001 && right.count == 25_001)
    expectEqual(left[..<20_001], right[..<20_001])
    expect(left.last, contains: "left 4999")
    expect(right.last, contains: "right 4999")
  }

  @Test("values are destroyed as often as they are made")
  func lifetimes() throws {
    Canary.living = 0
    do {
      var world = WorldCore()
      for number in 0..<100 { try world.make(Canary.kind, "c\(number)") }
      expectEqual(Canary.living, 100)
      var fork = world.fork()
      for number in 0..<50 { fork.drop("c\(number)") }
      fork.send("c70", "sing")
      try world.undo(30)
      expectEqual(world.machineCount, 70)
      try fork.undo(20)
      expectEqual(fork.machineCount, 69)
      _ = try? fork.undo(1_000)
    }
    expectEqual(Canary.living, 0)
  }
}

/// Counts when its value is made and destroyed.
private struct Canary: Machine {
  nonisolated(unsafe) static var living = 0  // Safety: only one test uses it.

  final class Bird: Sendable, Codable {
    init() { Canary.living += 1 }
    deinit { Canary.living -= 1 }
  }

  enum State: MachineState { case silent, singing }
  enum Event: MachineEvent { case sing }

  var state = State.silent
  private var bird = Bird()

  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    bird = Bird()
    return .move(to: .singing)
  }

  static let kind = Kind(
    Canary.self, "canary", "sings", states: { $0 == .silent ? "it does not" : "it does" },
    events: [.event(.sing, "it does")])
}
