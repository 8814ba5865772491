public import StateMachines

/// One state as an object: it says which states may follow, and what happens when it is entered and left.
///
/// Who knows GameplayKit's `GKState` knows this protocol. A state is a `final class`; the machine is told a state by its
/// class, never by an instance:
///
/// ```swift
/// final class Red: StateObject {
///   func isValidNextState(_ next: StateType<Crossing>, in machine: StateObjectMachine<Crossing>) -> Bool {
///     next == Green.self
///   }
///   func didEnter(from previous: (any StateObject<Crossing>)?, in machine: inout StateObjectMachine<Crossing>) {
///     machine.subject.signs.append("stop")
///   }
/// }
/// ```
///
/// What differs from the original:
///
/// - A state object has no data of its own. It is shared by all machines that were made from one list, so its class must be
///   `Sendable`, and the compiler then rejects a stored `var`. Data live in the ``Subject``, which each method finds in
///   the machine that it is handed. Hence a machine is a value, and a copy of it goes its own way; a `GKStateMachine`
///   and its states cannot be copied.
/// - The original has a weak reference from a state to its machine. Here the machine is an argument.
/// - A state can be asked for its successor; see ``nextState(using:in:)``.
///
/// ``isValidNextState(_:in:)`` asks the *current* state about the *next* one. It is often explained the other way
/// round, as if the state about to be entered judged the one before it. The method belongs to the state that is left.
public protocol StateObject<Subject>: AnyObject, Sendable {
  /// What the states work on: a screen, a game character, the step of a ``Machine``.
  associatedtype Subject: StateSubject

  /// Whether `next` may follow this state. Every state may, unless the class says otherwise; itself too.
  func isValidNextState(_ next: StateType<Subject>, in machine: StateObjectMachine<Subject>) -> Bool

  /// The machine has entered this state, and it is the current one.
  ///
  /// - Parameter previous: The state before it; `nil` on the machine's first entry.
  func didEnter(from previous: (any StateObject<Subject>)?, in machine: inout StateObjectMachine<Subject>)

  /// The machine is about to leave this state, which is still the current one.
  func willExit(to next: any StateObject<Subject>, in machine: inout StateObjectMachine<Subject>)

  /// Time has passed in this state.
  func update(deltaTime: Nanoseconds, in machine: inout StateObjectMachine<Subject>)

  /// The state that the machine should enter under these conditions; `nil` for none.
  ///
  /// The machine enters it only if ``isValidNextState(_:in:)`` allows it.
  func nextState(using conditions: Subject.Conditions, in machine: StateObjectMachine<Subject>) -> StateType<Subject>?
}

extension StateObject {
  @inlinable
  public func isValidNextState(_ next: StateType<Subject>, in machine: StateObjectMachine<Subject>) -> Bool { true }

  @inlinable
  public func didEnter(from previous: (any StateObject<Subject>)?, in machine: inout StateObjectMachine<Subject>) {}

  @inlinable
  public func willExit(to next: any StateObject<Subject>, in machine: inout StateObjectMachine<Subject>) {}

  @inlinable
  public func update(deltaTime: Nanoseconds, in machine: inout StateObjectMachine<Subject>) {}

  @inlinable
  public func nextState(
    using conditions: Subject.Conditions, in machine: StateObjectMachine<Subject>
  ) -> StateType<Subject>? { nil }
}

/// The class of a state: how a machine is told which one to enter.
public typealias StateType<Subject: StateSubject> = any StateObject<Subject>.Type

/// What state objects work on, and by what they choose their successors.
public protocol StateSubject {
  /// All that the choice of a next state depends on, described by one value. `Never` if no state chooses.
  associatedtype Conditions = Never
}

/// The states that machines can be in, one object per class: immutable, made once, shared by any number of machines.
public struct StateObjects<Subject: StateSubject>: Sendable {
  @usableFromInline let objects: ContiguousArray<any StateObject<Subject>>

  /// - Parameter objects: Of two objects of one class the last one counts; it has the place of the first.
  /// - Complexity: O(*n*²) in the number of objects.
  public init(_ objects: any StateObject<Subject>...) {
    var kept: ContiguousArray<any StateObject<Subject>> = []
    for object in objects {
      if let place = kept.firstIndex(where: { type(of: $0) == type(of: object) }) {
        kept[place] = object
      } else {
        kept.append(object)
      }
    }
    self.objects = kept
  }

  /// How many states there are.
  public var count: Int { objects.count }

  /// The place of a state's class; `nil` if no object of exactly this class is listed.
  ///
  /// - Complexity: O(*n*) in the number of states, of which there are few.
  @inlinable
  public func place(of type: StateType<Subject>) -> Int? {
    let sought = ObjectIdentifier(type)
    for place in objects.indices where ObjectIdentifier(Swift.type(of: objects[place])) == sought { return place }
    return nil
  }

  @inlinable
  subscript(place: Int) -> any StateObject<Subject> { objects[place] }
}
