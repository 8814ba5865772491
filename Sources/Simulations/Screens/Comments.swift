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
/// current state answers it with the class of the state that fits, and the machine enters that if the current state
/// allows it. A result that comes late, when the screen waits no longer, is refused in just this way: `enter` gives `false`, nothing is called.
///
/// `reload`, and the way back to waitingData that goes with it, are added here; `strict` leaves the three transitions
/// of the publication, so that each load is the last one. There the machine has no state before the screen appears; here that is `none`.
///
/// With `service=auto` a simulated service answers each request after `latency`, by the timer `received` or `failed`. A signal
/// from outside that comes first is the answer, and the timer stops.
public struct Comments: LegacyMachine {
  public struct State: StateWithData {
    /// What is on the screen.
    var shown: Shown
    /// How many requests there were, as far as it makes a difference: not counted beyond the last one that has to fail.
    var requests = 0

    enum Shown: Hashable, Sendable, Codable {
      /// The screen has not appeared.
      case none
      /// The indicator is on. The timer of the service's answer is running, if it answers by itself.
      case waitingData(Answer?)
      /// The table is on, with so many comments, at least one.
      case data(Int)
      /// The placeholder is on.
      case noData
      /// The error is on.
      case error(String)
    }

    public enum Name: NamedCases { case none, waitingData, data, noData, error }

    public var name: Name {
      switch shown {
      case .none: .none
      case .waitingData: .waitingData
      case .data: .data
      case .noData: .noData
      case .error: .error
      }
    }

    public var data: String? {
      switch shown {
      case .none, .waitingData, .noData: nil
      case .data(let items): "\(items)"
      case .error(let error): error
      }
    }

    public static var carriesData: Bool { true }
  }

  /// All that the next state depends on.
  struct Conditions {
    var isWaiting = false
    var error: String?
    var items = 0
  }

  public enum Event: Sendable {
    case viewAppeared, received(Int), failed(String), reload
  }

  /// How the simulated service is going to answer.
  public enum Answer: NamedCases, Codable { case received, failed }

  public enum Output: OutputWithData {
    case showLoading, hideLoading, showTable(Int), hideTable, showPlaceholder, hidePlaceholder, showError(String)
    case hideError, request

    public enum Name: NamedCases {
      case showLoading, hideLoading, showTable, hideTable, showPlaceholder, hidePlaceholder, showError, hideError
      case request
    }

    public var name: Name {
      switch self {
      case .showLoading: .showLoading
      case .hideLoading: .hideLoading
      case .showTable: .showTable
      case .hideTable: .hideTable
      case .showPlaceholder: .showPlaceholder
      case .hidePlaceholder: .hidePlaceholder
      case .showError: .showError
      case .hideError: .hideError
      case .request: .request
      }
    }

    public var data: [Value] {
      switch self {
      case .showTable(let items): [.integer(items)]
      case .showError(let error): [.text(error)]
      case .showLoading, .hideLoading, .hideTable, .showPlaceholder, .hidePlaceholder, .hideError, .request: []
      }
    }
  }

  public struct Parameters: ServedParameters {
    var strict = false
    var service = SimulatedService()
    public init() {}
  }

  /// What the simulated service says when it fails.
  static let failure = "failedToLoadData"

  public var state: State

  public init(initial: State.Name?, _ step: Step<Self>) {
    state = State(shown: .none)
    var conditions = Conditions()
    switch initial ?? .none {
    case .none: return
    case .waitingData: conditions.isWaiting = true
    case .data: conditions.items = max(1, step.parameters.service.items)
    case .noData: break
    case .error: conditions.error = Self.failure
    }
    var machine = machine(with: conditions, step)
    machine.enter(conditions.fittingState)
    state = next(of: machine)
  }

  public mutating func react(to input: Input<Event, Answer>, _ step: Step<Self>) -> Reaction<State> {
    switch input {
    case .event(.viewAppeared):
      switch state.shown {
      case .none:
        var machine = machine(with: Conditions(isWaiting: true), step)
        machine.enter(WaitingState.self)
        return .move(to: next(of: machine))
      case .waitingData, .data, .noData, .error: return .ignore
      }
    case .event(.reload):
      if case .waitingData = state.shown { return .ignore }
      return enter(using: Conditions(isWaiting: true), step)
    case .event(.received(let items)):
      return enter(using: Conditions(items: items), step)
    case .event(.failed(let error)):
      return enter(using: Conditions(error: error), step)
    case .expired(.received):
      return enter(using: Conditions(items: step.parameters.service.items), answeredBy: .received, step)
    case .expired(.failed):
      return enter(using: Conditions(error: Self.failure), answeredBy: .failed, step)
    }
  }

  public func asksFor(_ timer: Answer) -> Bool { state.shown == .waitingData(timer) }

  /// - Parameter timer: The timer by which the simulated service has answered; it no longer runs.
  private func enter(
    using conditions: Conditions, answeredBy timer: Answer? = nil, _ step: Step<Self>
  ) -> Reaction<State> {
    var machine = machine(with: conditions, step)
    if timer != nil { machine.subject.state.shown = .waitingData(nil) }
    guard machine.enter(using: conditions) else { return step.refuse(refusal(of: conditions, step)) }
    return .move(to: next(of: machine))
  }

  private func refusal(of conditions: Conditions, _ step: Step<Self>) -> String {
    if state.name == .none { return "no state can be asked before the screen has appeared" }
    let next = Self.states.place(of: conditions.fittingState).map { State.Name(at: $0 + 1).word } ?? "nothing"
    let allowed = step.parameters.strict ? "is final" : "may be followed by waitingData only"
    return "the conditions ask for \(next), but \(state.name.word) \(allowed)"
  }

  private func machine(with conditions: Conditions, _ step: Step<Self>) -> ScreenMachine {
    let place = state.name == .none ? nil : state.name.index - 1
    let screen = Screen(state: state, conditions: conditions, step: step)
    return StateObjectMachine(Self.states, at: place, subject: screen)
  }

  /// The plain state for the object that a machine is in now.
  private func next(of machine: ScreenMachine) -> State {
    var next = machine.subject.state
    let conditions = machine.subject.conditions
    switch machine.place.map({ State.Name(at: $0 + 1) }) ?? .none {
    case .none: next.shown = .none
    case .waitingData: next.shown = .waitingData(machine.subject.answer)
    case .data: next.shown = .data(conditions.items)
    case .noData: next.shown = .noData
    case .error: next.shown = .error(conditions.error ?? Self.failure)
    }
    return next
  }
}
