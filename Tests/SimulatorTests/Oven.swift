import StateMachines

/// Bakes several trays at once: `done` is keyed by the tray, `lamp` is a timer like any other.
struct Oven: LegacyMachine {
  enum State: MachineState { case usual, spinning }
  enum Event: Sendable {
    case bake(Int, nanoseconds: Int), takeOut(Int), fill(Int), light(nanoseconds: Int), spin(Int), jam
  }
  enum TimerName: NamedCases { case lamp, done }
  enum Output: OutputWithData {
    case baked(Int)
    enum Name: NamedCases { case baked }
    var name: Name { .baked }
    var data: [Value] {
      switch self {
      case .baked(let tray): [.integer(tray)]
      }
    }
  }

  var state = State.usual

  init(initial: State?, _ step: Step<Self>) {
    if let initial { state = initial }
    step.arm(.done, key: 7, after: .seconds(7))
  }

  mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (_, .event(.bake(let tray, let delay))):
      step.arm(.done, key: tray, after: Interval(nanoseconds: Int64(delay)))
      return .stay
    case (_, .event(.takeOut(let tray))):
      step.disarm(.done, key: tray)
      return .stay
    case (_, .event(.fill(let trays))):
      for tray in 0..<trays { step.arm(.done, key: tray + 1, after: .seconds(1)) }
      return .stay
    case (_, .event(.light(let delay))):
      step.arm(.lamp, after: Interval(nanoseconds: Int64(delay)))
      return .stay
    case (_, .event(.spin(let tray))):
      step.arm(.done, key: tray, after: .zero)
      return .move(to: .spinning)
    case (_, .event(.jam)):
      // Asked for and then thought better of: a refusal changes nothing.
      step.arm(.done, key: 1, after: .zero)
      step.disarm(.done, key: 7)
      return step.refuse("it is jammed")
    case (.usual, .expired(.done)):
      step.emit(.baked(step.key))
      return .stay
    case (.spinning, .expired(.done)):
      step.arm(.done, key: step.key % 3 + 1, after: .zero)
      return .stay
    case (_, .expired(.lamp)):
      step.emit(.baked(step.key))
      return .move(to: .usual)
    }
  }

  func asksFor(_ timer: TimerName) -> Bool { true }

  static let kind = Kind(
    Oven.self, "oven", "bakes several trays at once", states: [.usual: "it bakes", .spinning: "it spins"],
    events: [
      .event(
        Event.bake, .integer("tray", 1...Int(UInt32.max), like: [1, 2, 3]), .integer("nanoseconds", 0...Int.max),
        about: "a tray is put in"),
      .event(Event.takeOut, .integer("tray", 1...Int(UInt32.max), like: [1, 2, 3]), about: "a tray is taken out"),
      .event(Event.fill, .integer("trays", 0...200), about: "so many trays for a second"),
      .event(Event.light, .integer("nanoseconds", 0...Int.max), about: "the lamp burns"),
      .event(Event.spin, .integer("tray", 1...1_000), about: "a tray without end"), .event(.jam, "always refused"),
    ],
    timers: [.lamp: .computed("the lamp burns"), .done: TimerForm.computed("a tray bakes").keyed("tray")],
    outputs: [.baked: .output(("tray", .integer(0...Int(UInt32.max))), about: "a tray is done; 0 for the lamp")])
}
