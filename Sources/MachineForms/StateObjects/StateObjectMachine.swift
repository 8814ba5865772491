public import StateMachines

/// A machine whose states are objects, entered by class. It behaves like GameplayKit's `GKStateMachine`.
///
/// ```swift
/// var machine = StateObjectMachine(StateObjects(Red(), Green()), subject: Crossing())
/// machine.enter(Red.self)     // true: the first state may be any
/// machine.enter(Red.self)     // false: Red allows only Green
/// machine.enter(Green.self)   // true
/// ```
///
/// It is a value of a few words and the subject, so it can be copied, and each step can make one from a plain state
/// without allocation. A `Machine` whose own state is an `enum` uses it in this way:
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
/// With the `Step` in the subject, states emit outputs in `didEnter` and `willExit`.
///
/// `didEnter` may enter another state: the nested entry completes before the outer ``enter(_:)`` returns, which still
/// returns `true`. Only the stack limits the nesting. When `willExit` enters a state, the nested entry happens first,
/// and then the outer one continues to the state that it had found, as in the original.
public struct StateObjectMachine<Subject: StateSubject> {
  /// The states of this machine.
  public let states: StateObjects<Subject>

  /// The data that the states work on.
  public var subject: Subject

  @usableFromInline var current: Int?

  /// Creates a machine without calling any state.
  ///
  /// - Parameters:
  ///   - states: The states of the machine.
  ///   - place: The index of the current state; `nil` for a machine that has entered none.
  ///   - subject: The data that the states work on.
  /// - Precondition: `place` is less than the number of states.
  @inlinable
  public init(_ states: StateObjects<Subject>, at place: Int? = nil, subject: Subject) {
    precondition(place.map { $0 >= 0 && $0 < states.count } ?? true, "no state has this place")
    self.states = states
    current = place
    self.subject = subject
  }

  /// The index of the current state in the list, for a machine that stores a plain value. `nil` before the first entry.
  @inlinable
  public var place: Int? { current }

  /// The current state; `nil` before the first entry.
  @inlinable
  public var currentState: (any StateObject<Subject>)? { place.map { states[$0] } }

  /// The state object of a class; `nil` if the list has none.
  public func state<State: StateObject<Subject>>(for type: State.Type) -> State? {
    states.place(of: type).flatMap { states[$0] as? State }
  }

  /// Whether ``enter(_:)`` would succeed: the state is listed, and the current state, if any, allows it.
  @inlinable
  public func canEnterState(_ type: StateType<Subject>) -> Bool {
    guard states.place(of: type) != nil else { return false }
    return place.map { states[$0].isValidNextState(type, in: self) } ?? true
  }

  /// Leaves the current state and enters another one, or the same one again.
  ///
  /// The order is: the current state's `willExit`, the change, the next state's `didEnter`. The first entry has no
  /// `willExit`.
  ///
  /// - Returns: Whether the state was entered. It is not if the class is not listed or the current state does not allow
  ///   it; then only `isValidNextState` is called.
  /// - Complexity: O(*n*) in the number of states.
  @inlinable
  @discardableResult
  public mutating func enter(_ type: StateType<Subject>) -> Bool {
    guard let place = current else { return enterFirst(type) }
    return leave(states[place], for: type)
  }

  /// Enters the state that the current state chooses under these conditions, if it is allowed.
  ///
  /// Only the states interpret the conditions. The original has no such method.
  ///
  /// - Returns: Whether a state was entered: `false` if there is no current state, if it chooses none, or if
  ///   ``enter(_:)`` would refuse.
  @inlinable
  @discardableResult
  public mutating func enter(using conditions: Subject.Conditions) -> Bool {
    guard let place = current else { return false }
    let state = states[place]
    guard let next = state.nextState(using: conditions, in: self) else { return false }
    return leave(state, for: next)
  }

  /// Calls the current state's `update`. Nothing happens before the first entry.
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
