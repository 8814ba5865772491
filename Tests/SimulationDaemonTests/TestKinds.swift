import StateMachines

/// A till whose state prints data, with arguments of many types and refusals that say why.
struct Till: LegacyMachine {
  enum State: StateWithData {
    case closed
    /// `idle` is running.
    case open(sum: Int)

    enum Name: NamedCases { case closed, open }
    var name: Name {
      switch self {
      case .closed: .closed
      case .open: .open
      }
    }
    var data: String? {
      switch self {
      case .closed: nil
      case .open(let sum): "\(sum)"
      }
    }
    static var carriesData: Bool { true }
  }

  enum Event: Sendable {
    case open(String?)
    case add(Int)
    case weigh(Bool, Scale)
    case close
  }

  enum Scale: String, Choice { case kitchen, floor }

  enum TimerName: NamedCases { case idle }

  enum Output: OutputWithData {
    case total(Int, String)
    case weight(Double)

    enum Name: NamedCases { case total, weight }
    var name: Name {
      switch self {
      case .total: .total
      case .weight: .weight
      }
    }
    var data: [Value] {
      switch self {
      case .total(let sum, let note): [.integer(sum), .text(note)]
      case .weight(let weight): [.number(weight)]
      }
    }
  }

  struct Parameters: ParameterSet {
    var idle = Interval.seconds(60)
    init() {}
  }

  var state: State
  private var note = "-"

  init(initial: State.Name?, _ step: Step<Self>) {
    switch initial ?? .closed {
    case .closed: state = .closed
    case .open:
      state = .open(sum: 0)
      step.arm(.idle, after: step.parameters.idle)
    }
  }

  mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.closed, .event(.open(let text))):
      note = text ?? "-"
      step.arm(.idle, after: step.parameters.idle)
      return .move(to: .open(sum: 0))
    case (.closed, .event(.add)): return step.refuse("the till is closed")
    case (.open(let sum), .event(.add(let amount))):
      guard sum + amount <= 100 else { return step.refuse("the till is full") }
      step.arm(.idle, after: step.parameters.idle)
      return .move(to: .open(sum: sum + amount))
    case (.open, .event(.weigh(let isGross, let scale))):
      step.emit(.weight(scale == .kitchen ? 0.25 : isGross ? 7.5 : 7))
      return .stay
    case (.open(let sum), .event(.close)):
      step.disarm(.idle)
      step.emit(.total(sum, note))
      return .move(to: .closed)
    case (.open(let sum), .expired(.idle)):
      step.emit(.total(sum, note))
      return .move(to: .closed)
    case (.open, .event(.open)), (.closed, .event(.weigh)), (.closed, .event(.close)), (.closed, .expired(.idle)):
      return .ignore
    }
  }

  func asksFor(_ timer: TimerName) -> Bool { state.name == .open }

  static let kind = Kind(
    Till.self, "till", "a till, for tests",
    states: [.closed: "nothing is sold", .open: "the sum so far"],
    events: [
      .event(Event.open, .optional(.text("note", bytes: 1...20)), about: "opens it"),
      .event(Event.add, .integer("amount", 1...99), about: "adds an amount"),
      .event(Event.weigh, .flag("gross"), .choice("scale"), about: "weighs something"),
      .event(.close, "closes it"),
    ],
    timers: [.idle: .after("idle", "closes it when nothing is sold")],
    outputs: [
      .total: .output(("sum", .integer(0...100)), ("note", .text(bytes: 1...20)), about: "what was sold"),
      .weight: .output(("weight", .number(0...10, unit: "kg")), about: "what was weighed"),
    ],
    parameters: [.parameter("idle", \.idle, .interval(.zero ... .seconds(3600)), "how long it waits for a sale")])
}

/// A ticker that says every tick; with `every=0` a chain of timers without time and without end.
struct Ticker: LegacyMachine {
  enum State: MachineState { case idle, running }
  enum Event: Sendable { case start, stop }
  enum TimerName: NamedCases { case tick }
  enum Output: MachineOutput { case ticked }

  struct Parameters: ParameterSet {
    var every = Interval.seconds(1)
    init() {}
  }

  var state: State

  init(initial: State?, _ step: Step<Self>) {
    state = initial ?? .idle
    if state == .running { step.arm(.tick, after: step.parameters.every) }
  }

  mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.idle, .event(.start)):
      step.arm(.tick, after: step.parameters.every)
      return .move(to: .running)
    case (.running, .event(.stop)):
      step.disarm(.tick)
      return .move(to: .idle)
    case (.running, .expired(.tick)):
      step.emit(.ticked)
      step.arm(.tick, after: step.parameters.every)
      return .stay
    case (.idle, .event(.stop)), (.running, .event(.start)): return step.refuse("it is \(state) already")
    case (.idle, .expired(.tick)): return .ignore
    }
  }

  func asksFor(_ timer: TimerName) -> Bool { state == .running }

  static let kind = Kind(
    Ticker.self, "ticker", "a ticker, for tests",
    states: [.idle: "no timer runs", .running: "tick is running"],
    events: [.event(.start, "starts it"), .event(.stop, "stops it")],
    timers: [.tick: .after("every", "the time between two ticks")],
    outputs: [.ticked: .output(about: "a tick")],
    parameters: [.parameter("every", \.every, .interval(.zero ... .seconds(3600)), "the time between two ticks")])
}
