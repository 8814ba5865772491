public import MachineForms
public import StateMachines

/// A list of employees on a screen. Each state is an object that handles every signal and chooses its successor.
///
/// | state | didLoadView | reload | received | error |
/// | --- | --- | --- | --- | --- |
/// | initial | showLoading, request, → loading | impossible | impossible | impossible |
/// | loading | impossible | impossible | hideLoading, show, → data | hideLoading, showError, → error |
/// | data | impossible | impossible | impossible | impossible |
/// | error | impossible | showLoading, request, → loading | impossible | impossible |
///
/// An impossible transition is refused; the reason is the line that the original logs. `data` is a sink: a list that is
/// shown is never loaded again. A state object calls the view, then the service, and then it is replaced.
///
/// That order has a trap. If a service answered before the request returned, the answer would reach the old state,
/// which calls every answer impossible, and the screen would load for ever. Here even `latency=0` avoids the trap: the
/// answer is a timer, so it comes at the same moment in a step of its own, when `loading` is the current state.
///
/// The simulated service answers with the timers `received` and `error`. With `service=manual` only the events of the
/// same names answer. An event sent by hand always replaces the answer that is on its way.
public struct Employees: StatePatternMachine {
  public enum State: StateWithData {
    case initial(Initial)
    case loading(Loading)
    case data(Shown)
    case error(Failed)

    public enum Name: NamedCases { case initial, loading, data, error }
  }

  public enum Event: MachineEvent {
    case didLoadView
    case reload
    case received(Int)
    case error(String)
  }

  public enum Output: OutputWithData {
    case showLoading, hideLoading
    case show(items: Int)
    case showError(String)
    case request

    public enum Name: NamedCases { case showLoading, hideLoading, show, showError, request }
  }

  public struct Parameters: ServedParameters {
    var service = SimulatedService()
    public init() {}
  }

  public var state = State.initial(Initial())
  public init() {}

  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    switch name {
    case .initial: .initial(Initial())
    case .loading: .loading(Loading(request: 1, step))
    case .data: .data(Shown(requests: 0, items: step.parameters.service.items))
    case .error: .error(Failed(requests: 0, error: Failed.unreachable))
    }
  }

  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    switch state {
    case .loading(let loading):
      switch loading.answer {
      case .list: .after(parameters.service.latency, .received(parameters.service.items))
      case .failure: .after(parameters.service.latency, .error(Failed.unreachable))
      case nil: .none
      }
    case .initial, .data, .error: .none
    }
  }

  public var current: any HandlingState<Self> {
    switch state {
    case .initial(let object): object
    case .loading(let object): object
    case .data(let object): object
    case .error(let object): object
    }
  }
}

// MARK: The state objects

extension Employees {
  /// The view is not loaded, and nothing was requested.
  public struct Initial: HandlingState, Hashable, Sendable, Codable {
    public func handle(_ event: Event, _ screen: Step<Employees>) -> Reaction<State> {
      switch event {
      case .didLoadView: .move(to: .loading(Loading(request: 1, screen)))
      case .reload, .received, .error: Employees.impossible(event, in: "initial", screen)
      }
    }
  }

  /// The indicator is shown, and the service is asked. With `service=auto`, `answer` is running.
  public struct Loading: HandlingState, Hashable, Sendable, Codable, PartlyIncidental {
    /// The running number of the request.
    let request: Int
    /// The answer that the simulated service is going to give; `nil` if only an event answers.
    let answer: Answer?

    enum Answer: Hashable, Codable { case list, failure }

    /// Shows the indicator and asks the service.
    fileprivate init(request: Int, _ screen: Step<Employees>) {
      self.request = request
      screen.emit(.showLoading, .request)
      let service = screen.parameters.service
      answer = service.isAutomatic ? service.fails(request: request, screen) ? .failure : .list : nil
    }

    public struct Essence: Encodable {
      let request: Int
      let answer: Answer?
    }

    public func essence(for parameters: any ParameterSet) -> Essence {
      Essence(request: RequestCount.essence(of: request, for: parameters), answer: answer)
    }

    public func handle(_ event: Event, _ screen: Step<Employees>) -> Reaction<State> {
      switch event {
      case .received(let items):
        screen.emit(
          .hideLoading, .show(items: items), then: .move(to: .data(Shown(requests: request, items: items))))
      case .error(let error):
        screen.emit(.hideLoading, .showError(error), then: .move(to: .error(Failed(requests: request, error: error))))
      case .didLoadView, .reload: Employees.impossible(event, in: "loading", screen)
      }
    }
  }

  /// The list is shown, and never reloaded.
  public struct Shown: HandlingState, Hashable, Sendable, Codable, PartlyIncidental {
    let requests: Int
    let items: Int

    /// Nothing follows.
    public func essence(for parameters: any ParameterSet) -> Bool { true }

    public func handle(_ event: Event, _ screen: Step<Employees>) -> Reaction<State> {
      switch event {
      case .didLoadView, .reload, .received, .error: Employees.impossible(event, in: "data", screen)
      }
    }
  }

  /// The error is shown, until a reload.
  public struct Failed: HandlingState, Hashable, Sendable, Codable, PartlyIncidental {
    /// The simulated service's error text.
    static let unreachable = "unreachable"

    let requests: Int
    let error: String

    public func essence(for parameters: any ParameterSet) -> Int {
      RequestCount.essence(of: requests, for: parameters)
    }

    public func handle(_ event: Event, _ screen: Step<Employees>) -> Reaction<State> {
      switch event {
      case .reload: .move(to: .loading(Loading(request: requests + 1, screen)))
      case .didLoadView, .received, .error: Employees.impossible(event, in: "error", screen)
      }
    }
  }

  private static func impossible(_ event: Event, in state: String, _ screen: Step<Employees>) -> Reaction<State> {
    screen.refuse("impossible transition: \(caseName(of: event)) in \(state)")
  }
}

// MARK: The catalogue entry

extension Employees.State {
  fileprivate var requests: Int {
    switch self {
    case .initial: 0
    case .loading(let loading): loading.request
    case .data(let shown): shown.requests
    case .error(let failed): failed.requests
    }
  }

  fileprivate var items: Int? { if case .data(let shown) = self { shown.items } else { nil } }

  fileprivate var error: String? { if case .error(let failed) = self { failed.error } else { nil } }
}

extension ValueType {
  fileprivate static let items = ValueType.integer(0...1_000_000)
  fileprivate static let error = ValueType.text(bytes: 1...64)
}

extension Employees {
  public static let kind = Kind(
    Employees.self, "employees", "a list of employees; each state is an object that chooses the next state",
    form: .statePattern,
    origin: "the State pattern in a talk on state machines in iOS apps, with its table and order of calls",
    source: "talk",
    reason: "a state object calls the service before it is replaced, so an answer within that call would reach the old "
      + "state, which calls every answer impossible, and the screen would load for ever; an answer here is a timer, and "
      + "comes in a step of its own",
    example: [
      "new employees staff failures=1", "send staff didLoadView", "send staff reload", "advance 3s",
      "expect staff error", "send staff reload", "advance 3s", "expect staff data", "send staff reload",
    ],
    states: {
      switch $0 {
      case .initial: "the view is not loaded"
      case .loading: "the list was requested, and the indicator is shown"
      case .data: "the list is shown"
      case .error: "an error is shown until a reload"
      }
    },
    events: [
      .event(.didLoadView, "the view is loaded"),
      .event(.reload, "requests the list again after an error"),
      .event(Event.received, .count("items"), about: "the service has sent the list"),
      .event(Event.error, .text("error", bytes: 1...64, like: ["x"]), about: "the request has failed"),
    ],
    timers: [
      .timer(.received(0), after: "latency", "the service sends the list"),
      .timer(.error(""), after: "latency", "the request fails"),
    ],
    outputs: {
      switch $0 {
      case .showLoading: "the view shows the indicator"
      case .hideLoading: "the view hides the indicator"
      case .show: .output(("items", .items), about: "the view shows the list")
      case .showError: .output(("error", .error), about: "the view shows the error")
      case .request: "requests the list from the service"
      }
    },
    readings: [
      .reading("items", .items, \.state.items, "the number of employees that are shown"),
      .reading("error", .error, \.state.error, "the error that is shown"),
      .reading("requests", .count, \.state.requests, "the number of requests"),
    ],
    parameters: Parameters.serviceForms + [Parameters.itemsForm("how many employees the service knows")])
}
