import StateMachines
import TestSupport
import Testing

@testable import Simulator

/// Changes all that it can, and then refuses or not.
struct Hesitant: Machine {
  enum State: StateWithData {
    case ready([Int])

    enum Name: NamedCases { case ready }
    var data: String? {
      switch self {
      case .ready(let numbers): "\(numbers.count)"
      }
    }
    static var carriesData: Bool { true }
  }

  enum Event: MachineEvent { case work, hesitate, deadline, other }
  enum Output: MachineOutput { case worked }

  var state = State.ready([1, 2, 3])
  var count = 0
  var log: [String] = []
  var last: String?

  mutating func start(in name: State.Name, _ step: Step<Self>) -> State { state }

  func timers(in state: State, _ parameters: NoParameters) -> StateTimers<Self> { .after(.seconds(10), .deadline) }

  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    count += 1
    log.append("entry \(count) that is too long to stand in line")
    last = log.last
    _ = step.draw(in: 1...1_000)
    step.emit(.worked)
    step.arm(.other, after: .seconds(1))
    switch event {
    case .work:
      return .stay
    case .hesitate, .deadline, .other:
      step.disarm(.deadline)
      // This breaks the rules for a machine, which returns its state; it must have no effect.
      state = .ready([])
      return step.refuse("second thoughts")
    }
  }

  static let kind = Kind(
    Hesitant.self, "hesitant", "refuses when it is too late",
    states: { _ in "always" },
    events: [.event(.work, "works"), .event(.hesitate, "works, and refuses")],
    timers: [
      .timer(.deadline, "refuses when it expires"), .timer(.other, "refuses when it expires"),
    ],
    outputs: { _ in .output(about: "it has worked") })
}

@Suite("A refused step changes nothing")
struct RefusalTests {
  /// Everything that a step may change in a machine, and in the world on its behalf.
  private func portrait(_ world: borrowing WorldCore, _ machine: MachineID) throws -> [String] {
    let encoder = ValueEncoder()
    let (cell, kind) = world.population.cell(at: world.registry.location(of: machine))
    let slot = world.population.slots[kind]
    try slot.machine.write(cell + slot.valueOffset, to: encoder)
    return [
      "\(encoder.bytes)", "\(world.record.generator.continuation)",
      "\(world.runningTimers(of: machine).map { "\($0.timer) \($0.due)" })",
    ]
  }

  @Test("data beside the state, the state, draws and effects are as they were: by event, wire, expiry and by hand")
  func nothing() throws {
    var world = WorldCore(seed: 5)
    let first = try world.make(Hesitant.kind, "first")
    let second = try world.make(Hesitant.kind, "second")
    try world.wire(world.wire(from: "first.worked", to: "second.hesitate"))
    let (firstBefore, secondBefore) = (try portrait(world, first), try portrait(world, second))

    world.send("first", "hesitate")
    expect(world.answer.verdict == .refused && world.answerDetails.reason == "second thoughts")
    try expectEqual(portrait(world, first), firstBefore)
    expectEqual(world.journal().count, 4, "a refused output goes through no wire")

    // The step of `first` stands; `second` refuses what `first` sent on.
    world.send("first", "work")
    let generator = world.record.generator
    expect(world.journal().last?.verdict == .refused && world.journal().last?.input == .delivery)
    try expect(portrait(world, first).first != firstBefore.first)
    try expectEqual(portrait(world, second).first, secondBefore.first)
    var expected = Generator(seed: 5)
    _ = expected.draw(in: 1...1_000)
    expectEqual(generator, expected)

    world.fire(second, timer: 0)
    expectEqual(world.answer.verdict, .refused)
    try expectEqual(portrait(world, second).first, secondBefore.first)
    world.advance(to: 60)
    let expiries = world.journal().filter { $0.input == .expiry }
    expect(expiries.map(\.machine) == ["first", "first"] && expiries.allSatisfy { $0.verdict == .refused })
    expect(expiries.allSatisfy { $0.effects.allSatisfy { if case .armed = $0 { false } else { true } } })
    try expectEqual(portrait(world, second).first, secondBefore.first)
    expectEqual(world.record.generator, generator)
    expectEqual(world.checkInvariants(), [])
  }
}
