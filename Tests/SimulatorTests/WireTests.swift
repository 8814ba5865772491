import TestSupport
@testable import Simulator
import Simulations
import StateMachines
import Testing

@Suite("Wires carry outputs as events, at the same moment, first in, first out")
struct WireTests {
  private func relays(_ names: String..., limits: WorldLimits = WorldLimits()) throws -> WorldCore {
    var world = WorldCore(limits: limits)
    for name in names { try world.make(Relay.kind, name) }
    return world
  }

  /// Which machine got which event, from an input on.
  private func deliveries(in world: borrowing WorldCore, from sequence: UInt64) -> [String] {
    world.journal(from: sequence).map { "\($0.machine) \($0.input) \($0.kind.events[$0.index].name) \($0.verdict)" }
  }

  @Test("a breadth before a depth: what a step said first arrives first")
  func firstInFirstOut() throws {
    var world = try relays("a", "b", "c", "d", "e")
    for (from, to) in [("a", "b"), ("a", "c"), ("b", "d"), ("c", "e"), ("d", "e")] {
      try world.wire(world.wire(from: "\(from).pulsed", to: "\(to).pulse"))
    }
    let first = world.lastSequence + 1
    world.send("a", "pulse")
    expectEqual(
      deliveries(in: world, from: first),
      [
        "a event pulse stayed", "b delivery pulse stayed", "c delivery pulse stayed", "d delivery pulse stayed",
        "e delivery pulse stayed", "e delivery pulse stayed",
      ])
    expectEqual(world.answer.sequence, first)
    expectEqual(world.answerDetails.outputs, [0])
    expect(world.journal(from: first).allSatisfy { $0.moment == .beginning })
    expectEqual(world.checkInvariants(), [])
  }

  @Test("the wires of one output in the order in which they were made")
  func orderOfWires() throws {
    var world = try relays("z", "b", "a")
    try world.wire(world.wire(from: "z.pulsed", to: "b.pulse"))
    try world.wire(world.wire(from: "z.pulsed", to: "a.never"))
    try world.wire(world.wire(from: "z.pulsed", to: "a.pulse"))
    let first = world.lastSequence + 1
    world.send("z", "pulse")
    expectEqual(
      deliveries(in: world, from: first).dropFirst(),
      [
        "b delivery pulse stayed", "a delivery never refused", "a delivery pulse stayed",
      ])
  }

  @Test("data become the arguments in order, and what may be left out is")
  func data() throws {
    var world = try relays("a", "b", "c")
    try world.wire(world.wire(from: "a.said", to: "b.tell"))
    try world.wire(world.wire(from: "b.told", to: "c.say"))
    try world.wire(world.wire(from: "a.told", to: "c.tell"))
    world.send("a", "say", .text("hello \"you\""))
    expectEqual(world.state("b"), "last(hello \"you\")")
    expectEqual(world.state("c"), "idle", "two data do not fit one argument")
    world.send("a", "tell", .text("x"), .integer(7))
    expectEqual(world.state("c"), "last(x)")
    world.send("a", "tell", .text("y"), .none)
    expectEqual(world.state("c"), "last(x)", "-1 is out of the range of the argument")
    expectEqual(world.checkInvariants(), [])
  }

  @Test("what does not fit is journaled as refused, with the state as it is")
  func unfitting() throws {
    var world = try relays("a", "c")
    try world.make(Power.kind, "p")
    try world.wire(world.wire(from: "a.said", to: "p.set"))
    try world.wire(world.wire(from: "a.pulsed", to: "p.set"))
    try world.wire(world.wire(from: "a.pulsed", to: "c.say"))
    world.send("c", "tell", .text("kept"), .none)
    let first = world.lastSequence + 1
    world.send("a", "say", .text("x"))
    world.send("a", "pulse")
    expectEqual(
      deliveries(in: world, from: first),
      [
        "a event say moved", "p delivery set refused", "a event pulse stayed", "p delivery set refused",
        "c delivery say refused",
      ])
    expect(world.journalText().last, hasSuffix: "delivery say refused last last; source a.pulsed; after kept")
    expectEqual(world.checkInvariants(), [])
  }

  @Test("a refusal asks for nothing, whatever the rule did before it")
  func refusal() throws {
    var world = try relays("a", "b")
    try world.wire(world.wire(from: "a.pulsed", to: "b.pulse"))
    world.send("a", "never")
    expectEqual(world.answer.verdict, .refused)
    expectEqual(world.answerDetails.outputs, [])
    expectEqual(world.answerDetails.reason, "a relay never does this")
    expectEqual(world.journalText().last, "4 0.000000000 a event never refused idle idle")
    expectEqual(world.runningTimerCount, 0)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("timers without delay fire after the step and its wires")
  func timersAfterWires() throws {
    var world = WorldCore()
    try world.make(Relay.kind, "a", [(1, .interval(.zero))])
    try world.make(Relay.kind, "b")
    try world.make(Relay.kind, "c", [(1, .interval(.zero))])
    try world.wire(world.wire(from: "a.said", to: "b.say"))
    try world.wire(world.wire(from: "b.said", to: "c.say"))
    try world.wire(world.wire(from: "a.pulsed", to: "b.pulse"))
    let first = world.lastSequence + 1
    world.send("a", "say", .text("x"))
    expectEqual(
      world.journal(from: first).map { "\($0.machine) \($0.input)" },
      [
        "a event", "b delivery", "c delivery", "a expiry", "b delivery", "c expiry",
      ])
    expectEqual(world.state("a"), "idle")
    expectEqual(world.answer.sequence, first)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("a wire is there once, and is taken away once")
  func once() throws {
    var world = try relays("a", "b")
    let wire = world.wire(from: "a.pulsed", to: "b.pulse")
    try world.wire(wire)
    #expect(throws: WorldCore.WireFailure.exists) { try world.wire(wire) }
    expectEqual(world.answer.sequence, 3)
    try world.unwire(wire)
    #expect(throws: WorldCore.WireFailure.missing) { try world.unwire(wire) }
    expectEqual(world.lastSequence, 4)
    expectEqual(
      world.journalText().suffix(2).map { $0.split(separator: " ").dropFirst(2).joined(separator: " ") },
      [
        "a wired pulsed stayed idle idle; target b.pulse", "a unwired pulsed stayed idle idle; target b.pulse",
      ])
    world.send("a", "pulse")
    expectEqual(world.lastSequence, 5)
  }

  @Test("wires at the limit and one past it")
  func limit() throws {
    var limits = WorldLimits()
    limits.wires = 3
    var world = try relays("a", "b", "c", "d", "e", limits: limits)
    for to in ["b", "c", "d"] { try world.wire(world.wire(from: "a.pulsed", to: "\(to).pulse")) }
    let fourth = world.wire(from: "a.pulsed", to: "e.pulse")
    #expect(throws: WorldCore.WireFailure.full) { try world.wire(fourth) }
    #expect(throws: WorldCore.WireFailure.exists) { try world.wire(world.wire(from: "a.pulsed", to: "b.pulse")) }
    world.drop("c")
    try world.wire(fourth)
    expectEqual(world.wireCount, 3)
  }

  @Test("all wires, by the name they come from, then as they were made")
  func all() throws {
    var world = try relays("b", "a", "c")
    let ends = [("b.pulsed", "c.say"), ("a.told", "b.tell"), ("b.pulsed", "a.pulse"), ("a.said", "a.say")]
    for (from, to) in ends { try world.wire(world.wire(from: from, to: to)) }
    let wires = world.allWires().map {
      "\(world.name(of: $0.from)).\($0.output) \(world.name(of: $0.to)).\($0.event)"
    }
    expectEqual(wires, ["a.2 b.2", "a.1 a.1", "b.0 c.1", "b.0 a.0"])
  }

  @Test("wires come and go as in a plain list", arguments: Thorough.rounds(0..<20))
  func model(seed: Int) {
    var dice = Dice(seed: seed)
    var wires = Wires()
    var model: [Wire] = []
    for _ in 0..<500 {
      let wire = Wire(
        from: MachineID(UInt32(dice.number(0...5))), output: dice.number(0...1),
        to: MachineID(UInt32(dice.number(0...5))), event: dice.number(0...1))
      switch dice.number(0...9) {
      case 0...5 where !model.contains(wire):
        wires.add(wire)
        model.append(wire)
      case 6...8:
        wires.remove(wire)
        model.removeAll { $0 == wire }
      case 9 where dice.once(in: 3):
        wires.removeAll(of: wire.from)
        model.removeAll { $0.from == wire.from || $0.to == wire.from }
      default: break
      }
      expect(wires.count == model.count && wires.isEmpty == model.isEmpty, "seed \(seed)")
      expectEqual(Set(wires.origins), Set(model.map(\.from)), "seed \(seed)")
      for number in 0...5 as ClosedRange<UInt32> {
        let source = MachineID(number)
        expectEqual(wires.from(source), model.filter { $0.from == source }, "seed \(seed)")
      }
      expectEqual(wires.contains(wire), model.contains(wire), "seed \(seed)")
    }
  }
}
