import StateMachines

/// A till whose state prints data, with arguments of many types and refusals with reasons.
struct Till: Machine {
  enum State: StateWithData {
    case closed
    /// `idle` is running.
    case open(sum: Int)

    enum Name: NamedCases { case closed, open }
    var data: String? {
      switch self {
      case .closed: nil
      case .open(let sum): "\(sum)"
      }
    }
    static var carriesData: Bool { true }
  }

  enum Event: MachineEvent {
    case open(String?)
    case add(Int)
    case weigh(Bool, Scale)
    case close
    case waitedEnough
  }

  enum Scale: String, Choice { case kitchen, floor }

  enum Output: OutputWithData {
    case total(Int, String)
    case weight(Double)

    enum Name: NamedCases { case total, weight }
  }

  struct Parameters: ParameterSet {
    var idle = Duration.seconds(60)
    init() {}
  }

  var state = State.closed
  private var note = "-"

  mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    switch name {
    case .closed: .closed
    case .open: .open(sum: 0)
    }
  }

  func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    switch state {
    case .closed: .none
    case .open: .after(parameters.idle, .waitedEnough)
    }
  }

  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .open(let text):
      switch state {
      case .closed:
        note = text ?? "-"
        return .move(to: .open(sum: 0))
      case .open: return .ignore
      }
    case .add(let amount):
      switch state {
      case .closed: return step.refuse("the till is closed")
      case .open(let sum):
        return sum + amount <= 100 ? .move(to: .open(sum: sum + amount)) : step.refuse("the till is full")
      }
    case .weigh(let isGross, let scale):
      switch state {
      case .closed: return .ignore
      case .open:
        step.emit(.weight(scale == .kitchen ? 0.25 : isGross ? 7.5 : 7))
        return .stay
      }
    case .close, .waitedEnough:
      switch state {
      case .closed: return .ignore
      case .open(let sum):
        step.emit(.total(sum, note))
        return .move(to: .closed)
      }
    }
  }

  static let kind = Kind(
    Till.self, "till", "a till, for tests",
    states: { $0 == .closed ? "nothing is sold" : "the sum so far" },
    events: [
      .event(Event.open, .optional(.text("note", bytes: 1...20)), about: "opens it"),
      .event(Event.add, .integer("amount", 1...99), about: "adds an amount"),
      .event(Event.weigh, .flag("gross"), .choice("scale"), about: "weighs something"),
      .event(.close, "closes it"),
    ],
    timers: [.timer(.waitedEnough, named: "idle", after: "idle", "closes it when nothing is sold")],
    outputs: {
      switch $0 {
      case .total: .output(("sum", .integer(0...100)), ("note", .text(bytes: 1...20)), about: "what was sold")
      case .weight: .output(("weight", .number(0...10, unit: "kg")), about: "what was weighed")
      }
    },
    parameters: [.parameter("idle", \.idle, .interval(.zero ... .seconds(3600)), "how long it waits for a sale")])
}

/// A ticker that reports every tick; with `every=0` an endless chain of timers without passing time.
struct Ticker: Machine {
  enum State: MachineState { case idle, running }
  enum Event: MachineEvent { case start, stop, tick }
  enum Output: MachineOutput { case ticked }

  struct Parameters: ParameterSet {
    var every = Duration.seconds(1)
    init() {}
  }

  var state = State.idle

  func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    switch state {
    case .idle: .none
    case .running: .every(parameters.every, .tick)
    }
  }

  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .start:
      switch state {
      case .idle: return .move(to: .running)
      case .running: return step.refuse("it is running already")
      }
    case .stop:
      switch state {
      case .idle: return step.refuse("it is idle already")
      case .running: return .move(to: .idle)
      }
    case .tick:
      step.emit(.ticked)
      return .stay
    }
  }

  static func kind(named name: String, version: Int = 1, _ about: String) -> Kind {
    Kind(
      Ticker.self, name, version: version, about,
      states: { $0 == .idle ? "no timer runs" : "tick is running" },
      events: [.event(.start, "starts it"), .event(.stop, "stops it")],
      timers: [.timer(.tick, after: "every", "the time between two ticks")],
      outputs: { _ in .output(about: "a tick") },
      parameters: [.parameter("every", \.every, .interval(.zero ... .seconds(3600)), "the time between two ticks")])
  }

  static let kind: Kind = kind(named: "ticker", "a ticker, for tests")
}
