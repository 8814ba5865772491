import MachineForms
public import StateMachines

/// A screen that shows comments in a table, with a state object for each of its states.
///
/// | state | viewAppeared | received(2) | received(0) | failed(timeout) | reload | received expires | failed expires |
/// | --- | --- | --- | --- | --- | --- | --- | --- |
/// | none | → waitingData > showLoading > request | refused | refused | refused | refused | – | – |
/// | waitingData | ignored | → data(2) > hideLoading > showTable 2 | → noData > hideLoading > showPlaceholder | → error(timeout) > hideLoading > showError timeout | ignored | → data(5) > hideLoading > showTable 5 | – |
/// | data | ignored | refused | refused | refused | → waitingData > hideTable > showLoading > request | – | – |
/// | noData | ignored | refused | refused | refused | → waitingData > hidePlaceholder > showLoading > request | – | – |
/// | error | ignored | refused | refused | refused | → waitingData > hideError > showLoading > request | – | – |
///
/// Each state shows something on entry and hides it on exit: the loading indicator, the table, a placeholder, or the
/// error. A list without comments is a normal state, not an error.
///
/// The machine does not choose the next state. It turns the signal into a description of the conditions
/// (`Conditions`), and the current state answers with the class of the next state. The machine enters that state if
/// the current one allows it. A result that comes when none is awaited is refused by the same path: the current state
/// names no next state, `enter` returns `false`, and no method of a state is called.
///
/// With `service=auto` a simulated service answers each request after `latency`, by the timer `received` or `failed`. A
/// signal from outside that comes earlier is the answer, and the timer stops.
///
/// Chosen here: `reload`, and with it the way back to waitingData. With `strict` only the three transitions of the
/// publication remain, so each load is final. In the publication the machine has no state before the screen appears;
/// here that state is `none`.
public struct Comments: Machine {
  public struct State: StateWithData {
    /// The content of the screen.
    var shown = Shown.none
    /// The number of requests, counted only up to the last one that has to fail.
    var requests = 0

    public enum Shown: StateWithData {
      /// The screen has not appeared.
      case none
      /// The indicator is on. A simulated service's answer, if any, is under way.
      case waitingData(Answer?)
      /// The table is on, with this many comments, at least one.
      case data(Int)
      /// The placeholder is on.
      case noData
      /// The error is on.
      case error(String)

      public enum Name: NamedCases { case none, waitingData, data, noData, error }

      public var data: String? {
        switch self {
        case .none, .waitingData, .noData: nil
        case .data(let items): "\(items)"
        case .error(let error): error
        }
      }
    }

    public var name: Shown.Name { shown.name }
    public var data: String? { shown.data }
    public static var carriesData: Bool { true }
  }

  /// The facts that the next state depends on.
  struct Conditions {
    var isWaiting = false
    var error: String?
    var items = 0
  }

  public enum Event: MachineEvent { case viewAppeared, received(Int), failed(String), reload }

  /// The answer that the simulated service is going to give.
  public enum Answer: Hashable, Sendable, Codable { case comments, failure }

  public enum Output: OutputWithData {
    case showLoading, hideLoading, showTable(Int), hideTable, showPlaceholder, hidePlaceholder, showError(String)
    case hideError, request

    public enum Name: NamedCases {
      case showLoading, hideLoading, showTable, hideTable, showPlaceholder, hidePlaceholder, showError, hideError
      case request
    }
  }

  public struct Parameters: ServedParameters {
    var strict = false
    var service = SimulatedService()
    public init() {}
  }

  /// The simulated service's error text.
  static let failure = "failedToLoadData"

  public var state = State()
  public init() {}

  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    switch name {
    case .none: state
    case .waitingData: appear(step)
    case .data: enter(DataState.self, Conditions(items: max(1, step.parameters.service.items)), step)
    case .noData: enter(NoDataState.self, Conditions(), step)
    case .error: enter(ErrorState.self, Conditions(error: Self.failure), step)
    }
  }

  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    switch state.shown {
    case .waitingData(.comments?): .after(parameters.service.latency, .received(parameters.service.items))
    case .waitingData(.failure?): .after(parameters.service.latency, .failed(Self.failure))
    case .waitingData(nil), .none, .data, .noData, .error: .none
    }
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .viewAppeared:
      switch state.name {
      case .none: .move(to: appear(step))
      case .waitingData, .data, .noData, .error: .ignore
      }
    case .reload:
      switch state.name {
      case .waitingData: .ignore
      case .none, .data, .noData, .error: enter(using: Conditions(isWaiting: true), step)
      }
    case .received(let items): enter(using: Conditions(items: items), step)
    case .failed(let error): enter(using: Conditions(error: error), step)
    }
  }

  /// Asks the current state for the next one, and enters it.
  private func enter(using conditions: Conditions, _ step: Step<Self>) -> Reaction<State> {
    var machine = machine(with: conditions, step)
    if machine.enter(using: conditions) { return .move(to: machine.subject.state) }
    if machine.place == nil { return step.refuse("the screen has not appeared yet") }
    let allowed = step.parameters.strict ? "is final" : "may be followed by waitingData only"
    return step.refuse("\(state.name.word) \(allowed)")
  }

  private func appear(_ step: Step<Self>) -> State { enter(WaitingState.self, Conditions(isWaiting: true), step) }

  /// Enters a first state.
  private func enter(_ type: StateType<Screen>, _ conditions: Conditions, _ step: Step<Self>) -> State {
    var machine = machine(with: conditions, step)
    machine.enter(type)
    return machine.subject.state
  }

  private func machine(with conditions: Conditions, _ step: Step<Self>) -> ScreenMachine {
    let place = state.name == .none ? nil : state.name.index - 1
    return StateObjectMachine(
      Self.states, at: place, subject: Screen(state: state, conditions: conditions, step: step))
  }
}
