import TestSupport
@testable import Simulator
import Simulations
import StateMachines
import Testing

@Suite("Machines come and go")
struct MachineLifeTests {
  @Test("a new machine answers with its state, and a name is taken once")
  func creation() throws {
    var world = WorldCore()
    let key = try world.make(ShiftKey.kind, "key")
    expectEqual(world.answer.sequence, 1)
    expectEqual(world.state("key"), "off")
    #expect(throws: WorldCore.CreationFailure.nameTaken) { try world.make(Power.kind, "key") }
    expectEqual(world.lastSequence, 1)
    expectEqual(world.machineCount, 1)
    world.drop("key")
    expectEqual(world.answer.sequence, 2)
    expectEqual(world.isAlive(key), false)
    expectNil(world.machine("key"))
    try world.make(Power.kind, "key")
    expectEqual(world.state("key"), "off")
    expectEqual(
      world.journalText().map { $0.split(separator: " ")[3...4].joined(separator: " ") },
      [
        "created shiftKey", "dropped shiftKey", "created power",
      ])
    expectEqual(world.checkInvariants(), [])
  }

  @Test("an initial state, and parameters that are shared where they are equal")
  func parameters() throws {
    var world = WorldCore()
    let doubleTap = try #require(ShiftKey.kind.parameters.firstIndex { $0.name == "doubleTap" })
    let slow = [(parameter: doubleTap, value: Value.interval(.seconds(2)))]
    for name in ["a", "b", "c"] { try world.make(ShiftKey.kind, name, slow) }
    try world.make(ShiftKey.kind, "d")
    let on = try #require(ShiftKey.kind.initialState(named: "on"))
    try world.make(ShiftKey.kind, "e", initial: on, slow)
    world.drop("a")
    world.drop("b")
    for name in ["c", "d"] { world.send(name, "tap") }
    world.advance(to: 1)
    for name in ["c", "d", "e"] { world.send(name, "tap") }
    expectEqual(["c", "d", "e"].map { world.state($0) }, ["capsLock", "off", "capsLock"])
    expectEqual(world.checkInvariants(), [])
  }

  @Test("parameters that contradict each other make nothing")
  func conflict() throws {
    var world = WorldCore()
    let min = try #require(Fridge.kind.parameters.firstIndex { $0.name == "min" })
    let max = try #require(Fridge.kind.parameters.firstIndex { $0.name == "max" })
    #expect(throws: WorldCore.CreationFailure.self) {
      try world.make(Fridge.kind, "f", [(min, .number(8)), (max, .number(2))])
    }
    expectEqual(world.lastSequence, 0)
    expectEqual(world.machineCount, 0)
    try world.make(Fridge.kind, "f")
    expectEqual(world.checkInvariants(), [])
  }

  @Test("machines at the limit and one past it")
  func limit() throws {
    var limits = WorldLimits()
    limits.machines = 5
    var world = WorldCore(limits: limits)
    for number in 0..<5 { try world.make(Power.kind, "p\(number)") }
    #expect(throws: WorldCore.CreationFailure.full) { try world.make(Power.kind, "p5") }
    #expect(throws: WorldCore.CreationFailure.nameTaken) { try world.make(Power.kind, "p4") }
    world.drop("p0")
    try world.make(Power.kind, "p5")
    expectEqual(world.machineCount, 5)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("a number is never given that its places in journal and agenda cannot hold")
  func numbers() throws {
    var limits = WorldLimits()
    limits.numbers = 3
    var world = WorldCore(limits: limits)
    for name in ["a", "b", "c"] { try world.make(Power.kind, name) }
    world.drop("a")
    #expect(throws: WorldCore.CreationFailure.full) { try world.make(Power.kind, "d") }
  }

  // MARK: Dropped machines

  @Test("dropping ends timers and wires")
  func dropping() throws {
    var world = WorldCore()
    for name in ["a", "b", "c"] { try world.make(Relay.kind, name) }
    try world.wire(world.wire(from: "a.pulsed", to: "b.pulse"))
    try world.wire(world.wire(from: "b.pulsed", to: "c.pulse"))
    try world.wire(world.wire(from: "c.pulsed", to: "b.pulse"))
    try world.wire(world.wire(from: "b.pulsed", to: "b.pulse"))
    try world.wire(world.wire(from: "a.pulsed", to: "c.pulse"))
    world.send("b", "say", .text("x"))
    expectEqual(world.runningTimerCount, 1)
    world.drop("b")
    expectEqual(world.runningTimerCount, 0)
    expectEqual(world.wireCount, 1)
    world.send("a", "pulse")
    expectEqual(world.journal().suffix(2).map(\.machine), ["a", "c"])
    world.advance(to: 5)
    expectEqual(world.firings, 0)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("what the journal tells of dropped machines keeps their names and kinds")
  func namesOfTheDropped() throws {
    var world = WorldCore()
    try world.make(ShiftKey.kind, "first")
    try world.make(Relay.kind, "second")
    try world.make(Relay.kind, "third")
    try world.wire(world.wire(from: "second.pulsed", to: "third.pulse"))
    world.send("second", "pulse")
    world.drop("second")
    try world.make(Power.kind, "second")
    world.send("first", "tap")
    for name in ["first", "second", "third"] { world.drop(name) }
    expectEqual(
      world.journal().map { "\($0.machine) \($0.kind.name)" },
      [
        "first shiftKey", "second relay", "third relay", "second relay", "second relay", "third relay", "second relay",
        "second power", "first shiftKey", "first shiftKey", "second power", "third relay",
      ])
    expect(world.journalText()[3], hasSuffix: "target third.pulse")
    expect(world.journalText()[5], contains: "; source second.pulsed;")
    expectEqual(world.checkInvariants(), [])
  }

  @Test("a number is used again when the journal has forgotten the machine, and not before")
  func recycling() throws {
    var limits = WorldLimits()
    limits.journal = 10
    var world = WorldCore(limits: limits)
    let first = try world.make(Power.kind, "old")
    try world.make(Power.kind, "other")
    world.drop("old")  // Input 3; forgotten with the 13th.
    for _ in 0..<9 { world.send("other", "buttonClick") }
    expectEqual(world.firstSequence, 3)
    let second = try world.make(ShiftKey.kind, "next")  // The 13th itself.
    expect(second != first)
    expectEqual(world.firstSequence, 4)
    let third = try world.make(ShiftKey.kind, "new")
    expectEqual(third, first)
    expectEqual(world.name(of: first), "new")
    expectEqual(world.checkInvariants(), [])
  }

  @Test("whatever comes and goes, the journal's names are right", arguments: Thorough.rounds(0..<10))
  func churn(seed: Int) throws {
    var dice = Dice(seed: seed)
    var limits = WorldLimits()
    limits.journal = 100
    var world = WorldCore(limits: limits)
    var told: [UInt64: String] = [:]
    var alive: [String] = []
    for step in 0..<2_000 {
      if alive.count < 3 || (alive.count < 40 && dice.once(in: 2)) {
        let name = "m\(step)"
        try world.make(dice.one(of: [Power.kind, ShiftKey.kind, Relay.kind]), name)
        alive.append(name)
        told[world.lastSequence] = name
      } else if dice.once(in: 2) {
        let name = alive.remove(at: dice.number(0...alive.count - 1))
        world.drop(name)
        told[world.lastSequence] = name
      } else {
        let name = dice.one(of: alive)
        let machine = world.machine(name)
        world.send(try #require(machine), plain: 0)
        told[world.lastSequence] = name
      }
      guard step % 100 == 0 else { continue }
      for line in world.journal() { expectEqual(told[line.sequence], line.machine, "seed \(seed), step \(step)") }
      expectEqual(world.machines(matching: .all).map { world.name(of: $0) }, alive.sorted())
      expectEqual(world.checkInvariants(), [], "seed \(seed), step \(step)")
    }
  }
}
