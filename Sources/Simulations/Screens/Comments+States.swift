import MachineForms
import StateMachines

/// The state objects of ``Comments``, and the screen that they work on.
extension Comments {
  struct Screen: StateSubject {
    typealias Conditions = Comments.Conditions

    /// What the screen was before the step, and how many requests it has made.
    var state: State
    /// What the present step is about.
    let conditions: Conditions
    /// How the service is going to answer the request of this step, if it does so by itself.
    var answer: Answer?
    let step: Step<Comments>

    init(state: State, conditions: Conditions, step: Step<Comments>) {
      self.state = state
      self.conditions = conditions
      self.step = step
    }

    /// Asks for the comments; a simulated service decides now how it will answer.
    mutating func request() {
      step.emit(.request)
      let service = step.parameters.service
      guard service.isAutomatic else { return }
      let answer: Answer = service.fails(request: state.requests + 1, step) ? .failed : .received
      state.requests = min(state.requests + 1, service.failures)
      self.answer = answer
      step.arm(answer, after: service.latency)
    }

    /// Stops the service's answer where it has not come yet.
    func cancelRequest() {
      if case .waitingData(let answer?) = state.shown { step.disarm(answer) }
    }
  }

  typealias ScreenMachine = StateObjectMachine<Screen>

  /// In the order of the names of the states behind `none`.
  static let states = StateObjects<Screen>(WaitingState(), DataState(), NoDataState(), ErrorState())

  final class WaitingState: ShownState {
    func isValidNextState(_ next: StateType<Screen>, in machine: ScreenMachine) -> Bool { next != WaitingState.self }

    func didEnter(from previous: (any StateObject<Screen>)?, in machine: inout ScreenMachine) {
      machine.subject.step.emit(.showLoading)
      machine.subject.request()
    }

    func willExit(to next: any StateObject<Screen>, in machine: inout ScreenMachine) {
      machine.subject.cancelRequest()
      machine.subject.step.emit(.hideLoading)
    }
  }

  final class DataState: ShownState {
    func didEnter(from previous: (any StateObject<Screen>)?, in machine: inout ScreenMachine) {
      machine.subject.step.emit(.showTable(machine.subject.conditions.items))
    }

    func willExit(to next: any StateObject<Screen>, in machine: inout ScreenMachine) {
      machine.subject.step.emit(.hideTable)
    }
  }

  final class NoDataState: ShownState {
    func didEnter(from previous: (any StateObject<Screen>)?, in machine: inout ScreenMachine) {
      machine.subject.step.emit(.showPlaceholder)
    }

    func willExit(to next: any StateObject<Screen>, in machine: inout ScreenMachine) {
      machine.subject.step.emit(.hidePlaceholder)
    }
  }

  final class ErrorState: ShownState {
    func didEnter(from previous: (any StateObject<Screen>)?, in machine: inout ScreenMachine) {
      machine.subject.step.emit(.showError(machine.subject.conditions.error ?? Comments.failure))
    }

    func willExit(to next: any StateObject<Screen>, in machine: inout ScreenMachine) {
      machine.subject.step.emit(.hideError)
    }
  }
}

/// What the states of the screen have in common: the answer to a description, and who may follow the end of a load.
protocol ShownState: StateObject where Subject == Comments.Screen {}

extension ShownState {
  func isValidNextState(_ next: StateType<Comments.Screen>, in machine: Comments.ScreenMachine) -> Bool {
    next == Comments.WaitingState.self && !machine.subject.step.parameters.strict
  }

  func nextState(using conditions: Comments.Conditions, in machine: Comments.ScreenMachine) -> StateType<
    Comments.Screen
  >? {
    conditions.fittingState
  }
}

extension Comments.Conditions {
  /// The state that shows what the conditions describe.
  var fittingState: StateType<Comments.Screen> {
    if isWaiting { return Comments.WaitingState.self }
    if error != nil { return Comments.ErrorState.self }
    return items > 0 ? Comments.DataState.self : Comments.NoDataState.self
  }
}
