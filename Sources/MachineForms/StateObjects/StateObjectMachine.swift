public import StateMachines

/// A machine whose states are objects, entered by class; it behaves as GameplayKit's `GKStateMachine` does.
///
/// ```swift
/// var machine = StateObjectMachine(StateObjects(Red(), Green()), subject: Crossing())
/// machine.enter(Red.self)     // true: the first state may be any
/// machine.enter(Red.self)     // false: Red allows only Green
/// machine.enter(Green.self)   // true
/// ```
///
/// It is a value of a few words and the subject, so it can be copied, and made anew around a plain state for every
/// step without allocation. That is how a ``Machine`` uses it, whose own state is an `enum`:
///
/// ```swift
/// struct Staircase: Machine {
///   enum State: MachineState { case dark, lit }
///   enum Event: MachineEvent { case pressed, burnedOut }
///   enum Output: MachineOutput { case lightOn, lightOff }
///
///   struct Stairs: StateSubject { let step: Step<Staircase> }
///
///   final class Dark: StateObject { typealias Subject = Stairs }
///
///   final class Lit: StateObject {
///     func didEnter(from previous: (any StateObject<Stairs>)?, in machine: inout StateObjectMachine<Stairs>) {
///       machine.subject.step.emit(.lightOn)
///     }
///     func willExit(to next: any StateObject<Stairs>, in machine: inout StateObjectMachine<Stairs>) {
///       machine.subject.step.emit(.lightOff)
///     }
///   }
///
///   static let states = StateObjects<Stairs>(Dark(), Lit())
///
///   var state = State.dark
///
///   func timers(in state: State, _ parameters: NoParameters) -> StateTimers<Self> {
///     switch state {
///     case .dark: .none
///     case .lit: .after(.seconds(60), .burnedOut)
///     }
///   }
///
///   mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
///     var machine = StateObjectMachine(Self.states, at: state.index, subject: Stairs(step: step))
///     switch event {
///     case .pressed:
///       switch state {
///       case .dark: machine.enter(Lit.self)
///       case .lit: machine.enter(Dark.self)
///       }
///     case .burnedOut: machine.enter(Dark.self)
///     }
///     return .move(to: State(at: machine.place ?? state.index))
///   }
/// }
/// ```
///
/// With the ``Step`` in the subject, states emit outputs in `didEnter` and `willExit`.
///
/// A machine enters another state from within `didEnter` at once: the nested entry is complete before the outer
/// ``enter(_:)`` returns, which still returns `true`. A chain of such entries has no limit but the stack. Whoever enters a
/// state from within `willExit` gets what the original gives, too: the nested entry happens, then the outer one goes on
/// with the state that it had found.
public struct StateObjectMachine<Subject: StateSubject> {
  /// The states that this machine can be in.
  public let states: StateObjects<Subject>

  /// What the states work on.
  public var subject: Subject

  @usableFromInline var current: Int?

  /// - Parameter place: The state that the machine is in already; nothing is called. `nil` for a machine that is in none.
  /// - Precondition: `place` is less than the number of states.
  @inlinable
  public init(_ states: StateObjects<Subject>, at place: Int? = nil, subject: Subject) {
    precondition(place.map { $0 >= 0 && $0 < states.count } ?? true, "no state has this place")
    self.states = states
    current = place
    self.subject = subject
  }

  /// The place of the current state in the list: what to keep where a machine must be a plain value. `nil` before the
  /// first entry.
  @inlinable
  public var place: Int? { current }

  /// The state that the machine is in; `nil` before the first entry.
  @inlinable
  public var currentState: (any StateObject<Subject>)? { place.map { states[$0] } }

  /// The object of a class; `nil` if none is listed.
  public func state<State: StateObject<Subject>>(for type: State.Type) -> State? {
    states.place(of: type).flatMap { states[$0] as? State }
  }

  /// Whether ``enter(_:)`` would enter this state: it is listed, and the current state allows it or there is none.
  @inlinable
  public func canEnterState(_ type: StateType<Subject>) -> Bool {
    guard states.place(of: type) != nil else { return false }
    return place.map { states[$0].isValidNextState(type, in: self) } ?? true
  }

  /// Leaves the current state and enters another one, or the same one anew.
  ///
  /// In this order: the current state's `willExit`, the change, the next state's `didEnter`. The first entry has no `willExit`.
  ///
  /// - Returns: Whether it happened. If not, because the class is not listed or the current state does not allow
  ///   it, nothing was called but `isValidNextState`.
  /// - Complexity: O(*n*) in the number of states.
  @inlinable
  @discardableResult
  public mutating func enter(_ type: StateType<Subject>) -> Bool {
    guard let place = current else { return enterFirst(type) }
    return leave(states[place], for: type)
  }

  /// Asks the current state which state to enter under these conditions, and enters that one if it is allowed.
  ///
  /// The machine does not know what the conditions mean; only states do. The original has nothing like it.
  ///
  /// - Returns: Whether a state was entered: `false` where there is no current state to ask, where it names none, and
  ///   where ``enter(_:)`` refuses.
  @inlinable
  @discardableResult
  public mutating func enter(using conditions: Subject.Conditions) -> Bool {
    guard let place = current else { return false }
    let state = states[place]
    guard let next = state.nextState(using: conditions, in: self) else { return false }
    return leave(state, for: next)
  }

  /// Tells the current state that time has passed. Nothing happens before the first entry.
  @inlinable
  public mutating func update(deltaTime: Nanoseconds) {
    if let place = current { states[place].update(deltaTime: deltaTime, in: &self) }
  }

  @inlinable
  mutating func enterFirst(_ type: StateType<Subject>) -> Bool {
    guard let next = states.place(of: type) else { return false }
    current = next
    states[next].didEnter(from: nil, in: &self)
    return true
  }

  @inlinable
  @inline(__always)
  mutating func leave(_ previous: consuming any StateObject<Subject>, for type: StateType<Subject>) -> Bool {
    guard let next = states.place(of: type), previous.isValidNextState(type, in: self) else { return false }
    let state = states[next]
    previous.willExit(to: state, in: &self)
    current = next
    state.didEnter(from: previous, in: &self)
    return true
  }
}

extension StateObjectMachine: Sendable where Subject: Sendable {}
