import StateMachines

/// Ticks once per period, forever, from its creation.
struct Metronome: Machine {
  enum State: MachineState { case ticking }
  enum Event: MachineEvent { case reset, periodEnded }
  enum Output: MachineOutput { case tick }
  struct Parameters: ParameterSet { var period = Duration.seconds(1) }

  var state = State.ticking

  func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    .after(parameters.period, .periodEnded)
  }

  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .reset: break
    case .periodEnded: step.emit(.tick)
    }
    return .move(to: .ticking)
  }

  static let kind = Kind(
    Metronome.self, "metronome", "ticks once a period", states: { _ in "it runs" },
    events: [.event(.reset, "a period begins now")],
    timers: [.timer(.periodEnded, named: "period", after: "period", "between two ticks")],
    outputs: { _ in .output(about: "a period is over") },
    parameters: [.parameter("period", \.period, .interval(.zero ... .longest), "between two ticks")])
}

/// Once pushed, arms a timer without delay again and again: forever, or a number of times.
struct Spinner: Machine {
  enum State: StateWithData {
    case resting, spinning(left: Int)
    enum Name: NamedCases { case resting, spinning }
  }
  enum Event: MachineEvent { case push(Int), stop, turn }

  var state = State.resting

  mutating func start(in name: State.Name, _ step: Step<Self>) -> State { .resting }

  func timers(in state: State, _ parameters: NoParameters) -> StateTimers<Self> {
    switch state {
    case .resting: .none
    case .spinning: .after(.zero, .turn)
    }
  }

  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .push(let turns): turn(turns)
    case .stop: .move(to: .resting)
    case .turn:
      switch state {
      case .resting: .ignore
      case .spinning(let left): turn(left - 1)
      }
    }
  }

  private func turn(_ left: Int) -> Reaction<State> { .move(to: left > 0 ? .spinning(left: left) : .resting) }

  static let kind = Kind(
    Spinner.self, "spinner", "turns without taking time", states: { $0 == .resting ? "still" : "turning" },
    events: [
      .event(Event.push, .integer("turns", 0...1_000_000_000), about: "it is set going"), .event(.stop, "it is held"),
    ],
    timers: [.timer(.turn, "a turn takes no time")])
}

/// Forwards what it gets, in up to `limit` copies at once, as a text and a number.
struct Relay: Machine {
  enum State: StateWithData {
    case idle, last(String)
    enum Name: NamedCases { case idle, last }
    var data: String? { if case .last(let text) = self { text } else { nil } }
    static var carriesData: Bool { true }
  }
  enum Event: MachineEvent {
    case pulse, say(String), tell(String, Int?), never, echo
  }
  enum Output: OutputWithData {
    case pulsed, said(String), told(String, Int)
    enum Name: NamedCases { case pulsed, said, told }
  }
  struct Parameters: ParameterSet {
    var copies = 1
    var echo = Duration.seconds(1)
  }

  var state = State.idle

  mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    switch name {
    case .idle: .idle
    case .last: .last("born")
    }
  }

  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .pulse:
      for _ in 0..<step.parameters.copies { step.emit(.pulsed) }
      return .stay
    case .say(let text):
      step.emit(.said(text))
      step.arm(.echo, after: step.parameters.echo)
      return .move(to: .last(text))
    case .tell(let text, let number):
      step.emit(.told(text, number ?? -1))
      return .move(to: .last(text))
    case .never:
      // Requested and then withdrawn: a refusal changes nothing.
      step.emit(.pulsed)
      step.arm(.echo, after: .zero)
      return step.refuse("a relay never does this")
    case .echo:
      step.emit(.pulsed)
      return .move(to: .idle)
    }
  }

  static let kind = Kind(
    Relay.self, "relay", "passes on what it gets",
    states: { $0 == .idle ? "nothing yet" : "what it passed on last" },
    events: [
      .event(.pulse, "passed on as it is"), .event(Event.say, .text("text"), about: "passed on, echoed later"),
      .event(Event.tell, .text("text"), .optional(.integer("number", 0...99)), about: "passed on with a number"),
      .event(.never, "always refused"),
    ],
    timers: [.timer(.echo, after: "echo", "until the echo")],
    outputs: {
      switch $0 {
      case .pulsed: .output(about: "a pulse")
      case .said: .output(("text", .text(bytes: 1...1024)), about: "a text")
      case .told: .output(("text", .text(bytes: 1...1024)), ("number", .integer(-1...99)), about: "a text and a number")
      }
    },
    parameters: [
      .parameter("copies", \.copies, .integer(0...200), "pulses for a pulse"),
      .parameter("echo", \.echo, .interval(.zero ... .longest), "until the echo"),
    ])
}

/// Has three timers that are armed and disarmed on request.
struct Alarm: Machine {
  enum State: MachineState { case set }
  enum Event: MachineEvent {
    case arm(Which, nanoseconds: Int), disarm(Which), both, burst
    case a, b, c
  }
  enum Which: String, Choice, CaseIterable { case a, b, c }

  var state = State.set

  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .arm(let which, let delay): step.arm(which.timer, after: .nanoseconds(delay))
    case .disarm(let which): step.disarm(which.timer)
    case .both:
      step.arm(.b, after: .seconds(1))
      step.arm(.a, after: .seconds(1))
    case .burst: for which in Which.allCases { step.arm(which.timer, after: .zero) }
    case .a, .b, .c: return .move(to: .set)
    }
    return .stay
  }

  static let kind = Kind(
    Alarm.self, "alarm", "timers at will", states: { _ in "always" },
    events: [
      .event(Event.arm, .choice("which"), .integer("nanoseconds", 0...Int.max), about: "a timer runs"),
      .event(Event.disarm, .choice("which"), about: "a timer stops"), .event(.both, "b, then a, due together"),
      .event(.burst, "all, without delay"),
    ],
    timers: [.timer(.a, "at will"), .timer(.b, "at will"), .timer(.c, "at will")])
}

extension Alarm.Which {
  fileprivate var timer: Alarm.Event {
    switch self {
    case .a: .a
    case .b: .b
    case .c: .c
    }
  }
}

/// Emits what it draws from the world's generator.
struct Gambler: Machine {
  enum State: MachineState { case playing }
  enum Event: MachineEvent { case roll }
  enum Output: OutputWithData {
    case rolled(Int)
    enum Name: NamedCases { case rolled }
  }

  var state = State.playing

  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    step.emit(.rolled(step.draw(in: 1...6)))
    return .stay
  }

  static let kind = Kind(
    Gambler.self, "gambler", "throws a die", states: { _ in "always" }, events: [.event(.roll, "a throw")],
    outputs: { _ in .output(("pips", .integer(1...6)), about: "what came") })
}
