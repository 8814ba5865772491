import MachineForms
import StateMachines

/// A pedestrian crossing, and what its signs have said so far.
struct Crossing: StateSubject {
  var signs: [String] = []
}

final class Red: StateObject {
  func isValidNextState(_ next: StateType<Crossing>, in machine: StateObjectMachine<Crossing>) -> Bool {
    next == Green.self
  }
  func didEnter(from previous: (any StateObject<Crossing>)?, in machine: inout StateObjectMachine<Crossing>) {
    machine.subject.signs.append("stop")
  }
}

final class Green: StateObject {
  func didEnter(from previous: (any StateObject<Crossing>)?, in machine: inout StateObjectMachine<Crossing>) {
    machine.subject.signs.append("go")
  }
}

/// Walks through a day of a crossing.
///
/// - Returns: Which entries were allowed, and what the signs said.
func switchCrossing() -> (allowed: [Bool], signs: [String]) {
  var machine = StateObjectMachine(StateObjects(Red(), Green()), subject: Crossing())
  let allowed = [
    machine.enter(Red.self),  // true: the first state may be any
    machine.enter(Red.self),  // false: Red allows only Green
    machine.enter(Green.self),  // true
  ]
  return (allowed, machine.subject.signs)  // ["stop", "go"]
}

/// The light of a staircase, with an object for each of its states.
struct Staircase: Machine {
  enum State: MachineState { case dark, lit }
  enum Event: MachineEvent { case pressed, burnedOut }
  enum Output: MachineOutput { case lightOn, lightOff }

  struct Stairs: StateSubject { let step: Step<Staircase> }

  final class Dark: StateObject { typealias Subject = Stairs }

  final class Lit: StateObject {
    func didEnter(from previous: (any StateObject<Stairs>)?, in machine: inout StateObjectMachine<Stairs>) {
      machine.subject.step.emit(.lightOn)
    }
    func willExit(to next: any StateObject<Stairs>, in machine: inout StateObjectMachine<Stairs>) {
      machine.subject.step.emit(.lightOff)
    }
  }

  static let states = StateObjects<Stairs>(Dark(), Lit())

  var state = State.dark

  func timers(in state: State, _ parameters: NoParameters) -> StateTimers<Self> {
    switch state {
    case .dark: .none
    case .lit: .after(.seconds(60), .burnedOut)
    }
  }

  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    var machine = StateObjectMachine(Self.states, at: state.index, subject: Stairs(step: step))
    switch event {
    case .pressed:
      switch state {
      case .dark: machine.enter(Lit.self)
      case .lit: machine.enter(Dark.self)
      }
    case .burnedOut: machine.enter(Dark.self)
    }
    return .move(to: State(at: machine.place ?? state.index))
  }
}

/// Presses the button of a new light twice, and once more until it goes out by itself.
func pressStaircase() -> [String] {
  let light = ChartRunner(Staircase.self, timers: [.burnedOut])
  return [light.send(.pressed), light.send(.pressed), light.send(.pressed), light.expire(.burnedOut)]
}
