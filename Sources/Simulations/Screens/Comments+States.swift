import MachineForms
import StateMachines

/// The state objects of ``Comments``, and the screen that they work on.
extension Comments {
  struct Screen: StateSubject {
    typealias Conditions = Comments.Conditions

    /// The screen's state, and the number of requests that it has made.
    var state: State
    /// The input of the present step.
    let conditions: Conditions
    let step: Step<Comments>

    /// Asks for the comments; a simulated service decides now how it will answer.
    mutating func request() {
      step.emit(.request)
      let service = step.parameters.service
      if service.isAutomatic {
        let fails = service.fails(request: state.requests + 1, step)
        state.shown = .waitingData(fails ? .failure : .comments)
        state.requests = min(state.requests + 1, service.failures)
      } else {
        state.shown = .waitingData(nil)
      }
    }

    mutating func show(_ shown: State.Shown, _ output: Output) {
      state.shown = shown
      step.emit(output)
    }
  }

  typealias ScreenMachine = StateObjectMachine<Screen>

  /// In the order of the states' names after `none`.
  static let states = StateObjects<Screen>(WaitingState(), DataState(), NoDataState(), ErrorState())

  final class WaitingState: StateObject {
    func isValidNextState(_ next: StateType<Screen>, in machine: ScreenMachine) -> Bool { next != WaitingState.self }

    /// The conditions describe a result: an error, some comments, or no comments.
    func nextState(using conditions: Conditions, in machine: ScreenMachine) -> StateType<Screen>? {
      if conditions.error != nil { return ErrorState.self }
      return conditions.items > 0 ? DataState.self : NoDataState.self
    }

    func didEnter(from previous: (any StateObject<Screen>)?, in machine: inout ScreenMachine) {
      machine.subject.step.emit(.showLoading)
      machine.subject.request()
    }

    func willExit(to next: any StateObject<Screen>, in machine: inout ScreenMachine) {
      machine.subject.step.emit(.hideLoading)
    }
  }

  final class DataState: LoadedState {
    func nextState(using conditions: Conditions, in machine: ScreenMachine) -> StateType<Screen>? {
      conditions.isWaiting ? WaitingState.self : nil
    }

    func didEnter(from previous: (any StateObject<Screen>)?, in machine: inout ScreenMachine) {
      let items = machine.subject.conditions.items
      machine.subject.show(.data(items), .showTable(items))
    }

    func willExit(to next: any StateObject<Screen>, in machine: inout ScreenMachine) {
      machine.subject.step.emit(.hideTable)
    }
  }

  final class NoDataState: LoadedState {
    func nextState(using conditions: Conditions, in machine: ScreenMachine) -> StateType<Screen>? {
      conditions.isWaiting ? WaitingState.self : nil
    }

    func didEnter(from previous: (any StateObject<Screen>)?, in machine: inout ScreenMachine) {
      machine.subject.show(.noData, .showPlaceholder)
    }

    func willExit(to next: any StateObject<Screen>, in machine: inout ScreenMachine) {
      machine.subject.step.emit(.hidePlaceholder)
    }
  }

  final class ErrorState: LoadedState {
    func nextState(using conditions: Conditions, in machine: ScreenMachine) -> StateType<Screen>? {
      conditions.isWaiting ? WaitingState.self : nil
    }

    func didEnter(from previous: (any StateObject<Screen>)?, in machine: inout ScreenMachine) {
      let error = machine.subject.conditions.error ?? Comments.failure
      machine.subject.show(.error(error), .showError(error))
    }

    func willExit(to next: any StateObject<Screen>, in machine: inout ScreenMachine) {
      machine.subject.step.emit(.hideError)
    }
  }
}

/// A state at the end of a load: only another load may follow, and with `strict` nothing.
protocol LoadedState: StateObject where Subject == Comments.Screen {}

extension LoadedState {
  func isValidNextState(_ next: StateType<Comments.Screen>, in machine: Comments.ScreenMachine) -> Bool {
    let step = machine.subject.step
    return next == Comments.WaitingState.self && !step.when("strict", step.parameters.strict)
  }
}
