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

extension Staircase {
  static let kind = Kind(
    Staircase.self, "staircase", "the light of a staircase, which goes out by itself",
    states: {
      switch $0 {
      case .dark: "no light"
      case .lit: "light, and burn is running"
      }
    },
    events: [.event(.pressed, "somebody presses the button")],
    timers: [.timer(.burnedOut, named: "burn", "how long it stays lit")],
    outputs: {
      switch $0 {
      case .lightOn: .output(about: "the light goes on")
      case .lightOff: .output(about: "the light goes out")
      }
    })
}

/// Presses the button of a new light twice.
///
/// - Returns: The states after it, and the effects of each step in a few words.
func pressStaircase() -> [String] {
  let kind = Staircase.kind
  var record = StepRecord(generator: Generator(seed: 0))
  let parameters = kind.makeParameterPool()
  // Safety: room for one light, which is made before it is used and destroyed before the room is given back.
  let light = UnsafeMutableRawPointer.allocate(
    byteCount: kind.layout.valueSize, alignment: kind.layout.valueAlignment)
  defer { light.deallocate() }
  record.timers = kind.stepTimers(running: 0)
  record.begin(at: .beginning)
  _ = kind.machine.initialize(light, initial: nil, parameters.base, &record)
  defer { kind.machine.destroy(light) }
  return [Int64(1), 2].map { second in
    record.begin(at: .beginning + .seconds(second))
    record.timers = kind.stepTimers(running: second == 2 ? 1 : 0)
    let result = kind.machine.step(light, event: kind.plainEvents, parameters.base, &record)
    let effects = record.effects.map { effect in
      switch effect {
      case .arm(timer: _, key: _, let due): "armed for \(due.nanoseconds / 1_000_000_000)"
      case .disarm: "disarmed"
      case .emit, .send: "emitted"
      }
    }
    return ([kind.states[Int(result.to)].word] + effects).joined(separator: " ")
  }  // ["lit emitted armed for 61", "dark disarmed emitted"]
}
