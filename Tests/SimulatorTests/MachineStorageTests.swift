import TestSupport
@testable import Simulator
import Simulations
import StateMachines
import Testing

@Suite("Values stand together, in cells that are used again")
struct MachineStorageTests {
  /// Counts its living values, through a reference that each holds.
  private struct Holder: Machine {
    final class Token: Sendable, Codable {}
    enum State: MachineState { case holding }
    enum Event: MachineEvent { case renew }
    struct Parameters: ParameterSet { var number = 0 }

    var state = State.holding
    var token = Token()

    mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
      token = Token()
      return .stay
    }

    static let kind = Kind(
      Holder.self, "holder", "holds a reference", states: { _ in "always" },
      events: [.event(.renew, "another reference")],
      readings: [.reading("number", .integer(0...1_000), "its parameter") { $2.number }],
      parameters: [.parameter("number", \.number, .integer(0...1_000), "whatever")])
  }

  private func token(of machine: MachineID, in world: borrowing WorldCore) -> Holder.Token {
    world.population.value(at: world.registry.location(of: machine)).assumingMemoryBound(to: Holder.self).pointee.token
  }

  @Test("a value ends when its machine is dropped, and with the world")
  func ends() throws {
    weak var first: Holder.Token?
    weak var second: Holder.Token?
    do {
      var world = WorldCore()
      let a = try world.make(Holder.kind, "a")
      let b = try world.make(Holder.kind, "b")
      first = token(of: a, in: world)
      second = token(of: b, in: world)
      expect(first != nil && second != nil)
      world.send("a", "renew")
      expectNil(first)
      first = token(of: a, in: world)
      world.drop("a")
      expect(first == nil && second != nil)
    }
    expectNil(second)
  }

  @Test("cells of dropped machines are given to new ones of their kind, and blocks grow from small to large")
  func cells() throws {
    var world = WorldCore()
    for number in 0..<300 { try world.make(Holder.kind, "h\(number)") }
    let places = Set(world.machines(matching: .all).map { world.registry.location(of: $0).raw })
    expectEqual(places.count, 300)
    // Sixteen cells, then 256, then 4,096.
    expectEqual(Set(places.map { Location(raw: $0).block }), [0, 1, 2])
    for number in 0..<300 where number % 2 == 0 { world.drop("h\(number)") }
    for number in 0..<150 {
      let machine = try world.make(Holder.kind, "n\(number)")
      expect(places.contains(world.registry.location(of: machine).raw))
    }
    let other = try world.make(Power.kind, "p")
    expectEqual(world.registry.location(of: other).block, 3)
    expectEqual(world.checkInvariants(), [])
  }

  @Test(
    "each machine reads the parameters that it was made with, however many sets there are",
    arguments: Thorough.rounds(0..<5))
  func parameters(seed: Int) throws {
    var dice = Dice(seed: seed)
    var world = WorldCore()
    var numbers: [String: Int] = [:]
    for step in 0..<600 {
      if numbers.count > 20, dice.once(in: 2) {
        guard let name = numbers.keys.sorted().randomElement(using: &dice) else { continue }
        numbers[name] = nil
        world.drop(name)
      } else {
        let number = dice.number(0...60)
        numbers["h\(step)"] = number
        try world.make(Holder.kind, "h\(step)", dice.once(in: 5) && number == 0 ? [] : [(0, .integer(number))])
      }
      for machine in world.machines(matching: .all) {
        let expected = numbers[world.name(of: machine)].map { Value.integer($0) }
        expectEqual(world.readings(of: machine), [expected], "seed \(seed), step \(step)")
      }
    }
  }

  @Test("a pool keeps one of equal sets, and gives a place up with the last that has it")
  func pool() throws {
    let pool = Holder.kind.makeParameterPool()
    func intern(_ number: Int) throws -> UInt32 { try pool.intern([(0, .integer(number))]) }
    try expectEqual(pool.intern([]), 0)
    try expectEqual(intern(0), 0, "the defaults, written out")
    let five = try intern(5)
    try expectEqual(intern(5), five)
    let six = try intern(6)
    expect(six != five)
    pool.release(five)
    try expect(intern(7) != five, "one still has it")
    pool.release(five)
    try expectEqual(intern(8), five)
    for number in 10..<100 { _ = try intern(number) }
    let sets = pool.base.assumingMemoryBound(to: Holder.Parameters.self)
    expect(sets[Int(five)].number == 8 && sets[Int(six)].number == 6 && sets[0].number == 0)
  }

  @Test("values of every alignment and size stand where they should")
  func layouts() throws {
    var world = WorldCore()
    for number in 0..<40 {
      try world.make(Wide.kind, "w\(number)")
      try world.make(Alarm.kind, "a\(number)")
      try world.make(ShiftKey.kind, "k\(number)")
    }
    for machine in world.machines(matching: .all) {
      let value = world.population.value(at: world.registry.location(of: machine))
      let alignment = world.kind(of: machine).layout.valueAlignment
      expectEqual(Int(bitPattern: value) % alignment, 0, "\(world.name(of: machine))")
    }
    for number in 0..<40 { world.send("w\(number)", "add") }
    for number in 0..<40 {
      let machine = world.machine("w\(number)")
      expectEqual(world.readings(of: try #require(machine)), [.number(4)])
    }
  }

  /// A value aligned to sixteen bytes.
  private struct Wide: Machine {
    enum State: MachineState { case only }
    enum Event: MachineEvent { case add, unused }
    var state = State.only
    var sums = SIMD4<Float>(repeating: 0)
    mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
      sums += 1
      return .stay
    }
    static let kind = Kind(
      Wide.self, "wide", "counts four times", states: { _ in "always" }, events: [.event(.add, "one more each")],
      timers: [.timer(.unused, "never")],
      readings: [.reading("sum", .number(0...100, unit: ""), "of all") { machine, _, _ in Double(machine.sums.sum()) }])
  }
}
