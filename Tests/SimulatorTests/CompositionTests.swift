import Simulator
import Simulations
import StateMachines
import TestSupport
import Testing

@Suite("A composed kind makes its members and their wires")
struct CompositionTests {
  static let pair = Composition(
    "pair", "two relays, one after the other", members: ["near": Relay.kind, "far": Relay.kind],
    wires: ["near.said": "far.say", "near.pulsed": "far.pulse"])

  private func none(_ composition: Composition) -> [[(parameter: Int, value: Value)]] {
    composition.members.map { _ in [] }
  }

  @Test("members in order, then wires, each an input of its own")
  func creation() throws {
    var world = WorldCore()
    try world.create(Self.pair, named: "p", parameters: [[(0, .integer(2))], []])
    expectEqual(
      world.journal().map { "\($0.machine) \($0.input)" },
      [
        "p.near created", "p.far created", "p.near wired", "p.near wired",
      ])
    expectEqual(world.members(of: "p")?.map { world.name(of: $0) }, ["p.near", "p.far"])
    expectNil(world.machine("p"))
    world.send("p.near", "say", .text("x"))
    expectEqual(world.state("p.far"), "last(x)")
    world.send("p.near", "pulse")
    expectEqual(world.journal().suffix(2).map(\.input), [.delivery, .delivery])
    expectEqual(world.checkInvariants(), [])
  }

  @Test("a wire that is listed twice is one")
  func wireTwice() throws {
    var world = WorldCore()
    let twice = Composition(
      "twice", "", members: [("near", Relay.kind), ("far", Relay.kind)],
      wires: [("near.said", "far.say"), ("near.pulsed", "far.pulse"), ("near.said", "far.say")])
    expectEqual(twice.wires, Self.pair.wires)
    try world.create(twice, named: "p", parameters: none(twice))
    expectEqual(world.wireCount, 2)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("its name is taken for machines and compositions, until all members are dropped")
  func names() throws {
    var world = WorldCore()
    try world.create(Self.pair, named: "p", parameters: none(Self.pair))
    #expect(throws: WorldCore.CreationFailure.nameTaken) { try world.make(Power.kind, "p") }
    #expect(throws: WorldCore.CreationFailure.nameTaken) { try world.make(Power.kind, "p.near") }
    #expect(throws: WorldCore.CreationFailure.nameTaken) {
      try world.create(Self.pair, named: "p", parameters: none(Self.pair))
    }
    world.drop("p.near")
    expectEqual(world.members(of: "p")?.count, 1)
    #expect(throws: WorldCore.CreationFailure.nameTaken) { try world.make(Power.kind, "p") }
    world.drop("p.far")
    expectNil(world.members(of: "p"))
    expectEqual(world.wireCount, 0)
    try world.make(Power.kind, "p")
    expectEqual(world.checkInvariants(), [])
  }

  @Test("when a name is taken, nothing is made", arguments: ["p", "p.near", "p.far"])
  func takenByMachine(name: String) throws {
    var world = WorldCore()
    try world.make(Power.kind, name)
    #expect(throws: WorldCore.CreationFailure.nameTaken) {
      try world.create(Self.pair, named: "p", parameters: none(Self.pair))
    }
    expectEqual(world.machineCount, 1)
    expectEqual(world.lastSequence, 1)
  }

  @Test("when a member's name is that of a composition, nothing is made", arguments: ["p.near", "p.far"])
  func takenByComposition(name: String) throws {
    var world = WorldCore()
    try world.create(Self.pair, named: name, parameters: none(Self.pair))
    #expect(throws: WorldCore.CreationFailure.nameTaken) {
      try world.create(Self.pair, named: "p", parameters: none(Self.pair))
    }
    expectEqual(world.machineCount, 2)
    expectEqual(world.lastSequence, 4)
    expectNil(world.members(of: "p"))
  }

  @Test("when there is no room or parameters contradict each other, nothing is made")
  func noRoom() throws {
    var limits = WorldLimits()
    limits.machines = 3
    limits.wires = 3
    var world = WorldCore(limits: limits)
    try world.make(Power.kind, "a")
    try world.make(Power.kind, "b")
    #expect(throws: WorldCore.CreationFailure.full) {
      try world.create(Self.pair, named: "p", parameters: none(Self.pair))
    }
    world.drop("a")
    world.drop("b")
    try world.create(Self.pair, named: "p", parameters: none(Self.pair))
    world.drop("p.far")
    try world.make(Relay.kind, "far")
    for event in ["say", "pulse"] { try world.wire(world.wire(from: "p.near.said", to: "far.\(event)")) }
    world.drop("p.near")
    expectEqual(world.wireCount, 0)

    let fridges = Composition("two", "fridges", members: ["a": Fridge.kind, "b": Fridge.kind], wires: [:])
    let min = try #require(Fridge.kind.parameters.firstIndex { $0.name == "min" })
    let before = world.lastSequence
    #expect(throws: WorldCore.CreationFailure.self) {
      try world.create(fridges, named: "q", parameters: [[], [(min, .number(30))]])
    }
    expectEqual(world.lastSequence, before)
    try world.create(fridges, named: "q", parameters: [[], []])
    expectEqual(world.checkInvariants(), [])
  }

  @Test("wires at the limit leave no room for those of a composition")
  func noRoomForWires() throws {
    var limits = WorldLimits()
    limits.wires = 2
    var world = WorldCore(limits: limits)
    try world.make(Relay.kind, "a")
    try world.wire(world.wire(from: "a.said", to: "a.say"))
    #expect(throws: WorldCore.CreationFailure.full) {
      try world.create(Self.pair, named: "p", parameters: none(Self.pair))
    }
    expectEqual(world.machineCount, 1)
    try world.unwire(world.wire(from: "a.said", to: "a.say"))
    try world.create(Self.pair, named: "p", parameters: none(Self.pair))
    expectEqual(world.wireCount, 2)
  }

  @Test("a variant of a composition is in the journal and in an archive by its options, and is read as that variant")
  func variants() throws {
    let proxy = Composition.proxy.with(["clients": 3])
    expect(proxy.key == "proxy clients=3" && Composition.proxy.key == "proxy")
    expectEqual(Composition.proxy.with(["clients": 2]).key, "proxy")
    var world = WorldCore()
    try world.create(proxy, named: "p", parameters: none(proxy))
    expectEqual(world.composedCreations[1]?.kind, "proxy clients=3")
    let read = try WorldCore(
      archive: world.archive(), kinds: { Catalogue.simulations.entry(stored: $0) })
    expectEqual(read.composition(of: "p")?.members.count, 13)
    expectEqual(read.members(of: "p")?.count, 13)
    for key in ["proxy clients=17", "proxy clients=x", "proxy lines=3", "fridge clients=3", "nothing clients=3"] {
      if Catalogue.simulations.entry(stored: key) != nil { Issue.record("\(key) is read") }
    }
  }
}
