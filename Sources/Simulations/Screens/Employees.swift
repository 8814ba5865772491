public import MachineForms
public import StateMachines

/// A list of employees on a screen, with an object for each state that handles every signal and chooses its successor.
///
/// | state | didLoadView | reload | received | error |
/// | --- | --- | --- | --- | --- |
/// | initial | showLoading, request, → loading | impossible | impossible | impossible |
/// | loading | impossible | impossible | hideLoading, show, → data | hideLoading, showError, → error |
/// | data | impossible | impossible | impossible | impossible |
/// | error | impossible | showLoading, request, → loading | impossible | impossible |
///
/// An impossible transition is refused, and the reason of the refusal is the line that the original logs. `data` is a
/// sink: a list that is shown is never loaded again. A state object speaks to the view, then to the service, and then
/// is replaced.
///
/// That order has a trap. A service that answered before the request returns would find the old state, which calls
/// every answer impossible, and the screen would load for ever. Here even `latency=0` does not spring it: the answer
/// is a timer, so it comes at the same moment but in a step of its own, when `loading` has taken over.
///
/// The answers of the simulated service are the timers `received` and `error`; with `service=manual` the events of the
/// same names answer, and they do in any case: an answer by hand replaces the one that is on its way.
public struct Employees: StatePatternMachine {
  public enum State: StateWithData {
    case initial(Initial)
    case loading(Loading)
    case data(Shown)
    case error(Failed)

    public enum Name: NamedCases { case initial, loading, data, error }

    public var name: Name {
      switch self {
      case .initial: .initial
      case .loading: .loading
      case .data: .data
      case .error: .error
      }
    }
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

    public var name: Name {
      switch self {
      case .showLoading: .showLoading
      case .hideLoading: .hideLoading
      case .show: .show
      case .showError: .showError
      case .request: .request
      }
    }

    public var data: [Value] {
      switch self {
      case .showLoading, .hideLoading, .request: []
      case .show(let items): [.integer(items)]
      case .showError(let error): [.text(error)]
      }
    }
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

/// What every state object of the screen answers to: a function per signal, and no signal has a ready-made answer.
protocol EmployeesState: HandlingState where Context == Employees {
  func didLoadView(_ screen: Step<Employees>) -> Reaction<Employees.State>
  func reload(_ screen: Step<Employees>) -> Reaction<Employees.State>
  func received(_ items: Int, _ screen: Step<Employees>) -> Reaction<Employees.State>
  func failed(_ error: String, _ screen: Step<Employees>) -> Reaction<Employees.State>
}

extension EmployeesState {
  public func handle(_ event: Employees.Event, _ screen: Step<Employees>) -> Reaction<Employees.State> {
    switch event {
    case .didLoadView: didLoadView(screen)
    case .reload: reload(screen)
    case .received(let items): received(items, screen)
    case .error(let error): failed(error, screen)
    }
  }
}

extension Employees {
  /// The view is not loaded, and nothing was asked for.
  public struct Initial: EmployeesState, Hashable, Sendable, Codable {
    func didLoadView(_ screen: Step<Employees>) -> Reaction<State> { .move(to: .loading(Loading(request: 1, screen))) }

    func reload(_ screen: Step<Employees>) -> Reaction<State> {
      screen.refuse("impossible transition: reload in initial")
    }

    func received(_ items: Int, _ screen: Step<Employees>) -> Reaction<State> {
      screen.refuse("impossible transition: received in initial")
    }

    func failed(_ error: String, _ screen: Step<Employees>) -> Reaction<State> {
      screen.refuse("impossible transition: error in initial")
    }
  }

  /// The indicator is shown, and the service is asked. With `service=auto`, `answer` is running.
  public struct Loading: EmployeesState, Hashable, Sendable, Codable {
    /// The running number of the request.
    let request: Int
    /// What the simulated service is going to answer; `nil` if nobody but an event does.
    let answer: Answer?

    enum Answer: Hashable, Codable { case list, failure }

    /// Shows the indicator and asks the service.
    fileprivate init(request: Int, _ screen: Step<Employees>) {
      self.request = request
      screen.emit(.showLoading)
      screen.emit(.request)
      let service = screen.parameters.service
      answer = service.isAutomatic ? service.fails(request: request, screen) ? .failure : .list : nil
    }

    func didLoadView(_ screen: Step<Employees>) -> Reaction<State> {
      screen.refuse("impossible transition: didLoadView in loading")
    }

    func reload(_ screen: Step<Employees>) -> Reaction<State> {
      screen.refuse("impossible transition: reload in loading")
    }

    func received(_ items: Int, _ screen: Step<Employees>) -> Reaction<State> {
      screen.emit(.hideLoading)
      screen.emit(.show(items: items))
      return .move(to: .data(Shown(requests: request, items: items)))
    }

    func failed(_ error: String, _ screen: Step<Employees>) -> Reaction<State> {
      screen.emit(.hideLoading)
      screen.emit(.showError(error))
      return .move(to: .error(Failed(requests: request, error: error)))
    }
  }

  /// The list is shown, for ever.
  public struct Shown: EmployeesState, Hashable, Sendable, Codable {
    let requests: Int
    let items: Int

    func didLoadView(_ screen: Step<Employees>) -> Reaction<State> {
      screen.refuse("impossible transition: didLoadView in data")
    }

    func reload(_ screen: Step<Employees>) -> Reaction<State> {
      screen.refuse("impossible transition: reload in data")
    }

    func received(_ items: Int, _ screen: Step<Employees>) -> Reaction<State> {
      screen.refuse("impossible transition: received in data")
    }

    func failed(_ error: String, _ screen: Step<Employees>) -> Reaction<State> {
      screen.refuse("impossible transition: error in data")
    }
  }

  /// The error is shown, until somebody reloads.
  public struct Failed: EmployeesState, Hashable, Sendable, Codable {
    /// What the simulated service says when it fails.
    static let unreachable = "unreachable"

    let requests: Int
    let error: String

    func didLoadView(_ screen: Step<Employees>) -> Reaction<State> {
      screen.refuse("impossible transition: didLoadView in error")
    }

    func reload(_ screen: Step<Employees>) -> Reaction<State> {
      .move(to: .loading(Loading(request: requests + 1, screen)))
    }

    func received(_ items: Int, _ screen: Step<Employees>) -> Reaction<State> {
      screen.refuse("impossible transition: received in error")
    }

    func failed(_ error: String, _ screen: Step<Employees>) -> Reaction<State> {
      screen.refuse("impossible transition: error in error")
    }
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
    Employees.self, "employees", "a list of employees, where each state is an object that chooses its successor",
    form: .statePattern,
    origin: """
      the presenter with which a Spanish talk on state machines in iOS applications explains the State pattern; its \
      table and the order of its calls are followed exactly
      """,
    example: [
      "new employees staff failures=1", "send staff didLoadView", "send staff reload", "advance 3s",
      "expect staff error", "send staff reload", "advance 3s", "expect staff data", "send staff reload",
    ],
    states: {
      switch $0 {
      case .initial: "the view is not loaded"
      case .loading: "the service is asked, and the indicator is shown"
      case .data: "the list is shown, for ever"
      case .error: "an error is shown, until somebody reloads"
      }
    },
    events: [
      .event(.didLoadView, "the view is there"),
      .event(.reload, "somebody wants the list anew"),
      .event(Event.received, .count("items"), about: "the service: here is the list"),
      .event(Event.error, .text("error", bytes: 1...64), about: "the service: it has failed"),
    ],
    timers: [
      .timer(.received(0), after: "latency", "the service answers with a list of items"),
      .timer(.error(""), after: "latency", "the service answers that it has failed"),
    ],
    outputs: {
      switch $0 {
      case .showLoading: .output(about: "the view: the indicator turns")
      case .hideLoading: .output(about: "the view: the indicator is gone")
      case .show: .output(("items", .items), about: "the view: the list")
      case .showError: .output(("error", .error), about: "the view: the error")
      case .request: .output(about: "the service is asked for the list")
      }
    },
    readings: [
      .reading("items", .items, "how many employees are shown") { machine, _, _ in machine.state.items },
      .reading("error", .error, "what is shown instead of the list") { machine, _, _ in machine.state.error },
      .reading("requests", .integer(0...Int.max), "how often the service was asked") {
        machine, _, _ in machine.state.requests
      },
    ],
    parameters: Parameters.serviceForms + [Parameters.itemsForm("how many employees the service knows")])
}
