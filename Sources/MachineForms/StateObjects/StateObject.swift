public import StateMachines

/// A state as an object: it says which states may follow, and what happens when it is entered and left.
///
/// The protocol follows GameplayKit's `GKState`. A state is a `final class`; a machine refers to a state by its class,
/// never by an instance:
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
/// Differences from the original:
///
/// - A state object has no data of its own. All machines made from one list share it, so its class must be `Sendable`,
///   and the compiler rejects a stored `var`. Data belong in the ``Subject``, which each method finds in its machine
///   argument. Hence a machine is a value with independent copies; a `GKStateMachine` and its states cannot be copied.
/// - The original has a weak reference from a state to its machine. Here the machine is an argument.
/// - A state can choose its successor; see ``nextState(using:in:)``.
///
/// ``isValidNextState(_:in:)`` is called on the *current* state with the *next* one as argument. It is often explained
/// the other way round, as if the next state judged the current one.
public protocol StateObject<Subject>: AnyObject, Sendable {
  /// The data that states work on: a user interface, a game character, or the step of a `Machine`.
  associatedtype Subject: StateSubject

  /// Whether `next` may follow this state. By default every state may, including this one.
  func isValidNextState(_ next: StateType<Subject>, in machine: StateObjectMachine<Subject>) -> Bool

  /// Called after the machine has entered this state, which is now current. `previous` is `nil` on the machine's first
  /// entry.
  func didEnter(from previous: (any StateObject<Subject>)?, in machine: inout StateObjectMachine<Subject>)

  /// Called before the machine leaves this state, which is still current.
  func willExit(to next: any StateObject<Subject>, in machine: inout StateObjectMachine<Subject>)

  /// Called when time passes in this state.
  func update(deltaTime: Nanoseconds, in machine: inout StateObjectMachine<Subject>)

  /// The state that the machine should enter under these conditions; `nil` to enter none.
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

/// The class of a state: what a machine takes to enter it.
public typealias StateType<Subject: StateSubject> = any StateObject<Subject>.Type

/// The data that state objects work on, and the conditions by which they choose their successors.
public protocol StateSubject {
  /// One value that describes everything a choice of the next state depends on; `Never` if no state chooses.
  associatedtype Conditions = Never
}

/// The states of machines, one object per class. The list is immutable and can be shared by any number of machines.
public struct StateObjects<Subject: StateSubject>: Sendable {
  @usableFromInline let objects: ContiguousArray<any StateObject<Subject>>

  /// - Parameter objects: The states. If a class occurs twice, the last object replaces the first one at its index.
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

  /// The number of states.
  public var count: Int { objects.count }

  /// The index of a state's class; `nil` if the list contains no object of exactly this class.
  ///
  /// - Complexity: O(*n*) in the number of states.
  @inlinable
  public func place(of type: StateType<Subject>) -> Int? {
    let sought = ObjectIdentifier(type)
    for place in objects.indices where ObjectIdentifier(Swift.type(of: objects[place])) == sought { return place }
    return nil
  }

  @inlinable
  subscript(place: Int) -> any StateObject<Subject> { objects[place] }
}
