import MachineForms
import StateMachines
import TestSupport
import Testing

/// A → {B}, B → {A, C}, C → {}; everything that is called is noted.
private struct Log: StateSubject {
  var lines: [String] = []
  /// What A enters as soon as it is entered itself.
  var next: StateType<Log>?

  typealias Conditions = Int
}

private typealias LogMachine = StateObjectMachine<Log>

/// Notes its callbacks under its own name and that of the state that the machine is in meanwhile.
private protocol Noting: StateObject where Subject == Log {}

extension Noting {
  private func note(_ text: String, _ machine: inout LogMachine) {
    let current = machine.currentState.map { "\(type(of: $0))" } ?? "none"
    machine.subject.lines.append("\(type(of: self)).\(text) in \(current)")
  }

  func didEnter(from previous: (any StateObject<Log>)?, in machine: inout LogMachine) {
    note("didEnter(\(previous.map { "\(type(of: $0))" } ?? "nil"))", &machine)
  }
  func willExit(to next: any StateObject<Log>, in machine: inout LogMachine) {
    note("willExit(\(type(of: next)))", &machine)
  }
  func update(deltaTime: Nanoseconds, in machine: inout LogMachine) {
    note("update(\(deltaTime.nanoseconds))", &machine)
  }
}

private final class A: Noting {
  func isValidNextState(_ next: StateType<Log>, in machine: LogMachine) -> Bool { next == B.self }
}

private final class B: Noting {
  func isValidNextState(_ next: StateType<Log>, in machine: LogMachine) -> Bool { next == A.self || next == C.self }
  /// 0: nobody; 1: one that is allowed; 2: one that is not; otherwise one that is not listed.
  func nextState(using conditions: Int, in machine: LogMachine) -> StateType<Log>? {
    [nil, C.self, B.self, Stranger.self][conditions]
  }
}

private final class C: Noting {
  func isValidNextState(_ next: StateType<Log>, in machine: LogMachine) -> Bool { false }
}

private final class Stranger: Noting {}

/// Allows everything, itself too, as it says nothing about it.
private final class Free: Noting {}

/// Goes on at once to what the subject says.
private final class Hasty: StateObject {
  func didEnter(from previous: (any StateObject<Log>)?, in machine: inout LogMachine) {
    machine.subject.lines.append("Hasty begins")
    if let next = machine.subject.next { machine.subject.lines.append("nested \(machine.enter(next))") }
    machine.subject.lines.append("Hasty ends")
  }
}

/// Bears a constant, so that one object can be told from another.
private final class Labelled: Noting {
  let label: String
  init(_ label: String) { self.label = label }
}

struct StateObjectMachineTests {
  @Test("entries, refusals, updates and callbacks, in order")
  func trace() {
    var entered: Bool
    var machine = LogMachine(StateObjects(A(), B(), C()), subject: Log())
    machine.update(deltaTime: .milliseconds(16))
    expect(machine.subject.lines.isEmpty)
    expectNil(machine.currentState)
    entered = machine.enter(A.self)
    expect(entered)
    entered = machine.enter(C.self)
    expect(!entered)
    entered = machine.enter(B.self)
    expect(entered)
    machine.update(deltaTime: .milliseconds(16))
    entered = machine.enter(C.self)
    expect(entered)
    entered = machine.enter(A.self)
    expect(!entered)
    entered = machine.enter(Stranger.self)
    expect(!entered)
    expectEqual(
      machine.subject.lines,
      [
        "A.didEnter(nil) in A",
        "A.willExit(B) in A", "B.didEnter(A) in B",
        "B.update(16000000) in B",
        "B.willExit(C) in B", "C.didEnter(B) in C",
      ])
    expectEqual(machine.place, 2)
  }

  @Test("the current state is asked about the next one, not the next one about the current")
  func direction() {
    var machine = LogMachine(StateObjects(A(), Free()), subject: Log())
    machine.enter(Free.self)
    expect(machine.canEnterState(A.self))
    machine.enter(A.self)
    expect(!machine.canEnterState(Free.self), "Free would not mind, but A decides")
  }

  @Test("what can be entered: anything listed at first, then what the current state allows")
  func canEnter() {
    var machine = LogMachine(StateObjects(A(), B(), C()), subject: Log())
    expect(machine.canEnterState(A.self) && machine.canEnterState(C.self))
    expect(!machine.canEnterState(Stranger.self))
    machine.enter(A.self)
    expect(machine.canEnterState(B.self))
    expect(!machine.canEnterState(A.self) && !machine.canEnterState(C.self))
    expectEqual(machine.subject.lines, ["A.didEnter(nil) in A"])
  }

  @Test("a state that is not listed is not entered, not even first")
  func stranger() {
    var entered: Bool
    var machine = LogMachine(StateObjects(A()), subject: Log())
    entered = machine.enter(Stranger.self)
    expect(!entered)
    expectNil(machine.currentState)
    expect(machine.subject.lines.isEmpty)
  }

  @Test("the current state is entered again only if it allows itself; then it is left and entered")
  func again() {
    var entered: Bool
    var machine = LogMachine(StateObjects(A(), Free()), subject: Log())
    machine.enter(Free.self)
    entered = machine.enter(Free.self)
    expect(entered)
    expectEqual(
      machine.subject.lines,
      [
        "Free.didEnter(nil) in Free", "Free.willExit(Free) in Free", "Free.didEnter(Free) in Free",
      ])
    machine.enter(A.self)
    entered = machine.enter(A.self)
    expect(!entered)
  }

  @Test("of two objects of one class the last one counts")
  func duplicates() {
    let states = StateObjects<Log>(Labelled("first"), A(), Labelled("last"))
    let machine = LogMachine(states, subject: Log())
    expectEqual(states.count, 2)
    expectEqual(machine.state(for: Labelled.self)?.label, "last")
    expectEqual(states.place(of: Labelled.self), 0)
    expectNil(machine.state(for: Stranger.self))
  }

  @Test("a state that enters another one in didEnter is left at once, and both entries succeed")
  func nested() {
    var entered: Bool
    var machine = LogMachine(StateObjects(Hasty(), A(), B()), subject: Log(next: A.self))
    entered = machine.enter(Hasty.self)
    expect(entered)
    expect(machine.currentState is A)
    expectEqual(machine.subject.lines, ["Hasty begins", "A.didEnter(Hasty) in A", "nested true", "Hasty ends"])
  }

  @Test("a nested entry that is refused changes nothing")
  func nestedRefusal() {
    var entered: Bool
    var machine = LogMachine(StateObjects(Hasty(), A()), subject: Log(next: Stranger.self))
    entered = machine.enter(Hasty.self)
    expect(entered)
    expect(machine.currentState is Hasty)
    expectEqual(machine.subject.lines, ["Hasty begins", "nested false", "Hasty ends"])
  }

  @Test("the current state chooses by the conditions, and the choice is subject to its own permission")
  func choice() {
    var entered: Bool
    var machine = LogMachine(StateObjects(A(), B(), C()), subject: Log())
    entered = machine.enter(using: 1)
    expect(!entered, "there is nobody to ask")
    machine.enter(A.self)
    entered = machine.enter(using: 1)
    expect(!entered, "A chooses nobody")
    machine.enter(B.self)
    machine.subject.lines = []
    for conditions in [0, 2, 3] {
      entered = machine.enter(using: conditions)
      expect(!entered, "\(conditions)")
    }
    expect(machine.subject.lines.isEmpty)
    entered = machine.enter(using: 1)
    expect(entered)
    expectEqual(machine.subject.lines, ["B.willExit(C) in B", "C.didEnter(B) in C"])
  }

  @Test("a copy goes its own way")
  func values() {
    var machine = LogMachine(StateObjects(A(), B(), C()), subject: Log())
    machine.enter(A.self)
    var copy = machine
    copy.enter(B.self)
    expect(machine.currentState is A)
    expect(copy.currentState is B)
    expectEqual(machine.subject.lines.count, 1)
    expectEqual(copy.subject.lines.count, 3)
  }

  @Test("a machine made at a place is in that state, without callbacks")
  func place() {
    var entered: Bool
    var machine = LogMachine(StateObjects(A(), B(), C()), at: 1, subject: Log())
    expect(machine.currentState is B)
    expect(machine.subject.lines.isEmpty)
    entered = machine.enter(C.self)
    expect(entered)
  }

  @Test("the crossing of the documentation")
  func example() {
    let day = switchCrossing()
    expectEqual(day.allowed, [true, false, true])
    expectEqual(day.signs, ["stop", "go"])
  }

  @Test("around the plain state of a machine: the objects arm and disarm through the step")
  func staircase() {
    expectEqual(pressStaircase(), ["lit emitted armed for 61", "dark disarmed emitted"])
  }
}
