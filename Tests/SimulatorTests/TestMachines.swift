import StateMachines

/// Ticks once a period, for ever, from the moment it is made.
struct Metronome: LegacyMachine {
  enum State: MachineState { case ticking }
  enum Event: Sendable { case reset }
  enum TimerName: NamedCases { case period }
  enum Output: MachineOutput { case tick }
  struct Parameters: ParameterSet { var period = Interval.seconds(1) }

  var state = State.ticking

  init(initial: State?, _ step: Step<Self>) { step.arm(.period, after: step.parameters.period) }

  mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    if case .expired = input { step.emit(.tick) }
    step.arm(.period, after: step.parameters.period)
    return .move(to: .ticking)
  }

  func asksFor(_ timer: TimerName) -> Bool { true }

  static let kind = Kind(
    Metronome.self, "metronome", "ticks once a period", states: [.ticking: "it runs"],
    events: [.event(.reset, "a period begins now")],
    timers: [.period: .after("period", "between two ticks")], outputs: [.tick: .output(about: "a period is over")],
    parameters: [.parameter("period", \.period, .interval(.zero ... .longest), "between two ticks")])
}

/// Once pushed, arms a timer without delay again and again: for ever, or so many times.
struct Spinner: LegacyMachine {
  enum State: StateWithData {
    case resting, spinning(left: Int)
    enum Name: NamedCases { case resting, spinning }
    var name: Name { if case .resting = self { .resting } else { .spinning } }
  }
  enum Event: Sendable { case push(Int), stop }
  enum TimerName: NamedCases { case turn }

  var state = State.resting

  init(initial: State.Name?, _ step: Step<Self>) {}

  mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (_, .event(.push(let turns))): return turn(turns, step)
    case (_, .event(.stop)):
      step.disarm(.turn)
      return .move(to: .resting)
    case (.spinning(let left), .expired(.turn)): return turn(left - 1, step)
    case (.resting, .expired(.turn)): return .ignore
    }
  }

  private func turn(_ left: Int, _ step: Step<Self>) -> Reaction<State> {
    guard left > 0 else {
      step.disarm(.turn)
      return .move(to: .resting)
    }
    step.arm(.turn, after: .zero)
    return .move(to: .spinning(left: left))
  }

  func asksFor(_ timer: TimerName) -> Bool { state != .resting }

  static let kind = Kind(
    Spinner.self, "spinner", "turns without taking time", states: [.resting: "still", .spinning: "turning"],
    events: [
      .event(Event.push, .integer("turns", 0...1_000_000_000), about: "it is set going"), .event(.stop, "it is held"),
    ],
    timers: [.turn: .computed("a turn takes no time")])
}

/// Passes on what it gets, up to `limit` copies at once, as a text and a number.
struct Relay: LegacyMachine {
  enum State: StateWithData {
    case idle, last(String)
    enum Name: NamedCases { case idle, last }
    var name: Name { if case .idle = self { .idle } else { .last } }
    var data: String? { if case .last(let text) = self { text } else { nil } }
    static var carriesData: Bool { true }
  }
  enum Event: Sendable {
    case pulse, say(String), tell(String, Int?), never
  }
  enum TimerName: NamedCases { case echo }
  enum Output: OutputWithData {
    case pulsed, said(String), told(String, Int)
    enum Name: NamedCases { case pulsed, said, told }
    var name: Name {
      switch self {
      case .pulsed: .pulsed
      case .said: .said
      case .told: .told
      }
    }
    var data: [Value] {
      switch self {
      case .pulsed: []
      case .said(let text): [.text(text)]
      case .told(let text, let number): [.text(text), .integer(number)]
      }
    }
  }
  struct Parameters: ParameterSet {
    var copies = 1
    var echo = Interval.seconds(1)
  }

  var state = State.idle

  init(initial: State.Name?, _ step: Step<Self>) {
    if initial == .last { state = .last("born") }
  }

  mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch input {
    case .event(.pulse):
      for _ in 0..<step.parameters.copies { step.emit(.pulsed) }
      return .stay
    case .event(.say(let text)):
      step.emit(.said(text))
      step.arm(.echo, after: step.parameters.echo)
      return .move(to: .last(text))
    case .event(.tell(let text, let number)):
      step.emit(.told(text, number ?? -1))
      return .move(to: .last(text))
    case .event(.never):
      // Asked for and then thought better of: a refusal changes nothing.
      step.emit(.pulsed)
      step.arm(.echo, after: .zero)
      return step.refuse("a relay never does this")
    case .expired(.echo):
      step.emit(.pulsed)
      return .move(to: .idle)
    }
  }

  func asksFor(_ timer: TimerName) -> Bool { true }

  static let kind = Kind(
    Relay.self, "relay", "passes on what it gets", states: [.idle: "nothing yet", .last: "what it passed on last"],
    events: [
      .event(.pulse, "passed on as it is"), .event(Event.say, .text("text"), about: "passed on, echoed later"),
      .event(Event.tell, .text("text"), .optional(.integer("number", 0...99)), about: "passed on with a number"),
      .event(.never, "always refused"),
    ],
    timers: [.echo: .after("echo", "until the echo")],
    outputs: [
      .pulsed: .output(about: "a pulse"), .said: .output(("text", .text(bytes: 1...1024)), about: "a text"),
      .told: .output(("text", .text(bytes: 1...1024)), ("number", .integer(-1...99)), about: "a text and a number"),
    ],
    parameters: [
      .parameter("copies", \.copies, .integer(0...200), "pulses for a pulse"),
      .parameter("echo", \.echo, .interval(.zero ... .longest), "until the echo"),
    ])
}

/// Has three timers that are armed and disarmed at will.
struct Alarm: LegacyMachine {
  enum State: MachineState { case set }
  enum Event: Sendable {
    case arm(Which, nanoseconds: Int), disarm(Which), both, burst
  }
  enum Which: String, Choice, CaseIterable { case a, b, c }
  enum TimerName: NamedCases { case a, b, c }

  var state = State.set

  init(initial: State?, _ step: Step<Self>) {}

  mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch input {
    case .event(.arm(let which, let delay)): step.arm(which.timer, after: Interval(nanoseconds: Int64(delay)))
    case .event(.disarm(let which)): step.disarm(which.timer)
    case .event(.both):
      step.arm(.b, after: .seconds(1))
      step.arm(.a, after: .seconds(1))
    case .event(.burst): for timer in TimerName.allCases { step.arm(timer, after: .zero) }
    case .expired: return .move(to: .set)
    }
    return .stay
  }

  func asksFor(_ timer: TimerName) -> Bool { true }

  static let kind = Kind(
    Alarm.self, "alarm", "timers at will", states: [.set: "always"],
    events: [
      .event(Event.arm, .choice("which"), .integer("nanoseconds", 0...Int.max), about: "a timer runs"),
      .event(Event.disarm, .choice("which"), about: "a timer stops"), .event(.both, "b, then a, due together"),
      .event(.burst, "all, without delay"),
    ],
    timers: [.a: .computed("at will"), .b: .computed("at will"), .c: .computed("at will")])
}

extension Alarm.Which {
  fileprivate var timer: Alarm.TimerName {
    switch self {
    case .a: .a
    case .b: .b
    case .c: .c
    }
  }
}

/// Says what it draws from the world's generator.
struct Gambler: LegacyMachine {
  enum State: MachineState { case playing }
  enum Event: Sendable { case roll }
  enum Output: OutputWithData {
    case rolled(Int)
    enum Name: NamedCases { case rolled }
    var name: Name { .rolled }
    var data: [Value] {
      switch self {
      case .rolled(let number): [.integer(number)]
      }
    }
  }

  var state = State.playing

  init(initial: State?, _ step: Step<Self>) {}

  mutating func react(to input: Input<Event, NoNames>, _ step: Step<Self>) -> Reaction<State> {
    step.emit(.rolled(step.draw(in: 1...6)))
    return .stay
  }

  static let kind = Kind(
    Gambler.self, "gambler", "throws a die", states: [.playing: "always"], events: [.event(.roll, "a throw")],
    outputs: [.rolled: .output(("pips", .integer(1...6)), about: "what came")])
}
