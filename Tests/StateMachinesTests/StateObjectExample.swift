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
