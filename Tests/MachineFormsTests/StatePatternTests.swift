import MachineForms
import StateMachines
import TestSupport
import Testing

/// The example of the documentation: a door whose states are objects.
struct Door: StatePatternMachine {
  enum State: MachineState { case closed, open }
  enum Event: MachineEvent { case push, pull }

  var state = State.closed

  var current: any HandlingState<Self> {
    switch state {
    case .closed: Closed()
    case .open: Open()
    }
  }

  struct Closed: HandlingState {
    func handle(_ event: Event, _ step: Step<Door>) -> Reaction<State> {
      switch event {
      case .push: .move(to: .open)
      case .pull: step.refuse("the door is closed already")
      }
    }
  }

  struct Open: HandlingState {
    func handle(_ event: Event, _ step: Step<Door>) -> Reaction<State> {
      switch event {
      case .push: step.refuse("the door is open already")
      case .pull: .move(to: .closed)
      }
    }
  }
}

struct StatePatternTests {
  @Test("each state's object answers for itself")
  func pairs() {
    let kind = Kind(
      Door.self, "door", "a door", states: { $0 == .closed ? "shut" : "not shut" },
      events: [.event(.push, "somebody pushes"), .event(.pull, "somebody pulls")])
    let parameters = kind.makeParameterPool()
    var record = StepRecord(generator: Generator(seed: 0))
    // Safety: room for one door, which is made before it is used and destroyed before the room is given back.
    let door = UnsafeMutableRawPointer.allocate(
      byteCount: kind.layout.valueSize, alignment: kind.layout.valueAlignment)
    defer { door.deallocate() }
    _ = kind.machine.initialize(door, initial: nil, parameters.base, &record)
    defer { kind.machine.destroy(door) }
    var outcomes: [String] = []
    for event in [0, 0, 1, 1] {
      record.begin(at: .beginning)
      let place = kind.plainEvents + event * kind.layout.eventStride
      let result = kind.machine.step(door, event: place, parameters.base, &record)
      outcomes.append("\(result.verdict) \(kind.states[Int(result.to)].word) \(record.reason ?? "")")
    }
    expectEqual(
      outcomes,
      [
        "moved open ", "refused open the door is open already", "moved closed ",
        "refused closed the door is closed already",
      ])
  }
}
