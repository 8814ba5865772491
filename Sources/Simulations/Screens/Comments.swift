import MachineForms
public import StateMachines

/// A screen that shows comments in a table, with a state object for each of its states.
///
/// | state \ signal | viewAppeared | received(items), some | received(items), none | failed(error) | reload |
/// | --- | --- | --- | --- | --- | --- |
/// | none | → waitingData, request | refused | refused | refused | refused |
/// | waitingData | ignored | → data(items) | → noData | → error(error) | ignored |
/// | data, noData, error | ignored | refused | refused | refused | → waitingData, request; with `strict` refused |
///
/// Each state shows something when it is entered and hides it when it is left: the loading indicator, the table, a placeholder, or the
/// error. Having no comments is a normal state, not an error.
///
/// The machine does not choose the next state. The signal becomes a description of the conditions (``Conditions``), the
/// current state answers it with the class of the state that is to follow, and the machine enters that if the current state
/// allows it. A result that comes late, when the screen waits no longer, is refused in just this way: the state names no
/// other, `enter` gives `false`, nothing is called.
///
/// `reload`, and the way back to waitingData that goes with it, are added here; `strict` leaves the three transitions
/// of the publication, so that each load is the last one. There the machine has no state before the screen appears; here that is `none`.
///
/// With `service=auto` a simulated service answers each request after `latency`, by the timer `received` or `failed`. A signal
/// from outside that comes first is the answer, and the timer stops.
public struct Comments: Machine {
  public struct State: StateWithData {
    /// What is on the screen.
    var shown = Shown.none
    /// How many requests there were, as far as it makes a difference: not counted beyond the last one that has to fail.
    var requests = 0

    public enum Shown: StateWithData {
      /// The screen has not appeared.
      case none
      /// The indicator is on. The service's answer is under way, if it answers by itself.
      case waitingData(Answer?)
      /// The table is on, with so many comments, at least one.
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

  /// All that the next state depends on.
  struct Conditions {
    var isWaiting = false
    var error: String?
    var items = 0
  }

  public enum Event: MachineEvent { case viewAppeared, received(Int), failed(String), reload }

  /// How the simulated service is going to answer.
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

  /// What the simulated service says when it fails.
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

  /// Asks the current state which one is to follow, and enters that.
  private func enter(using conditions: Conditions, _ step: Step<Self>) -> Reaction<State> {
    var machine = machine(with: conditions, step)
    if machine.enter(using: conditions) { return .move(to: machine.subject.state) }
    if machine.place == nil { return step.refuse("no state can be asked before the screen has appeared") }
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
