import StateMachines

/// Bakes several trays at once: `done` is keyed by the tray, `lamp` is an ordinary timer.
struct Oven: Machine {
  enum State: MachineState { case usual, spinning }
  enum Event: MachineEvent {
    case bake(Int, nanoseconds: Int), takeOut(Int), fill(Int), light(nanoseconds: Int), spin(Int), jam
    case lamp, done
  }
  enum Output: OutputWithData {
    case baked(Int)
    enum Name: NamedCases { case baked }
  }

  var state = State.usual

  mutating func start(in name: State, _ step: Step<Self>) -> State {
    step.arm(.done, key: 7, after: .seconds(7))
    return name
  }

  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .bake(let tray, let delay):
      step.arm(.done, key: tray, after: .nanoseconds(delay))
      return .stay
    case .takeOut(let tray):
      step.disarm(.done, key: tray)
      return .stay
    case .fill(let trays):
      for tray in 0..<trays { step.arm(.done, key: tray + 1, after: .seconds(1)) }
      return .stay
    case .light(let delay):
      step.arm(.lamp, after: .nanoseconds(delay))
      return .stay
    case .spin(let tray):
      step.arm(.done, key: tray, after: .zero)
      return .move(to: .spinning)
    case .jam:
      // Requested and then withdrawn: a refusal changes nothing.
      step.arm(.done, key: 1, after: .zero)
      step.disarm(.done, key: 7)
      return step.refuse("it is jammed")
    case .done:
      switch state {
      case .usual: step.emit(.baked(step.key))
      case .spinning: step.arm(.done, key: step.key % 3 + 1, after: .zero)
      }
      return .stay
    case .lamp:
      step.emit(.baked(step.key))
      return .move(to: .usual)
    }
  }

  static let kind = Kind(
    Oven.self, "oven", "bakes several trays at once", states: { $0 == .usual ? "it bakes" : "it spins" },
    events: [
      .event(
        Event.bake, .integer("tray", 1...Int(UInt32.max), like: [1, 2, 3]), .integer("nanoseconds", 0...Int.max),
        about: "a tray is put in"),
      .event(Event.takeOut, .integer("tray", 1...Int(UInt32.max), like: [1, 2, 3]), about: "a tray is taken out"),
      .event(Event.fill, .integer("trays", 0...200), about: "so many trays for a second"),
      .event(Event.light, .integer("nanoseconds", 0...Int.max), about: "the lamp burns"),
      .event(Event.spin, .integer("tray", 1...1_000), about: "a tray without end"), .event(.jam, "always refused"),
    ],
    timers: [.timer(.lamp, "the lamp burns"), .timer(.done, keyed: "tray", "a tray bakes")],
    outputs: { _ in .output(("tray", .integer(0...Int(UInt32.max))), about: "a tray is done; 0 for the lamp") })
}
