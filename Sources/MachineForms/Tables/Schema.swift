public import StateMachines

/// An immutable description of a machine: an initial state and a function from state and event to the next state.
///
/// Any number of machines can share a schema. For a pair of state and event, the function returns `nil` to ignore the
/// event, or the next state with an optional block. The block receives the machine's subject:
///
/// ```swift
/// static let schema = Schema<Level, Press, Display>(initial: .low) { level, press in
///   switch level {
///   case .low:
///     switch press {
///     case .up: .to(.high) { $0.brighten() }
///     case .down: nil
///     }
///   case .high:
///     switch press {
///     case .up: nil
///     case .down: .to(.low)
///     }
///   }
/// }
/// ```
///
/// Nested switches without a catch-all keep the function complete. Its machines accept only events of the schema's
/// type.
///
/// It follows the library SwiftyStateMachine. A ``SchemaMachine`` runs a schema for an object. A `Machine` can use a
/// schema as its rule, with its `Step` as the subject; then worlds can run it:
/// ```swift
/// mutating func react(to press: Press, _ step: Step<Self>) -> Reaction<Level> {
///   Self.schema.reaction(in: state, to: press, step)
/// }
/// ```
public struct Schema<State: Sendable, Event, Subject>: Sendable {
  /// The result of an event.
  public struct Transition {
    public let state: State
    /// Runs after the state has changed to `state`.
    public let block: ((Subject) -> Void)?

    @inlinable
    public init(_ state: State, _ block: ((Subject) -> Void)? = nil) {
      self.state = state
      self.block = block
    }

    /// The same as `init`, in a shorter form.
    @inlinable
    public static func to(_ state: State, _ block: ((Subject) -> Void)? = nil) -> Transition {
      Transition(state, block)
    }
  }

  /// The state in which machines start.
  public let initial: State

  @usableFromInline let rule: @Sendable (State, Event) -> Transition?

  /// Creates a schema.
  ///
  /// - Parameters:
  ///   - initial: The state in which machines start.
  ///   - rule: Returns `nil` to ignore the event. Returning the same state is a transition to itself.
  public init(initial: State, _ rule: @escaping @Sendable (_ state: State, _ event: Event) -> Transition?) {
    self.initial = initial
    self.rule = rule
  }

  /// The transition for `event` in `state`; `nil` if the event is ignored.
  @inlinable
  public func transition(from state: State, on event: Event) -> Transition? { rule(state, event) }

  /// The rule of a `Machine`: runs the transition's block and returns a move, or ignores the event if there is no
  /// transition.
  @inlinable
  public func reaction(in state: State, to event: Event, _ subject: Subject) -> Reaction<State> {
    guard let transition = transition(from: state, on: event) else { return .ignore }
    transition.block?(subject)
    return .move(to: transition.state)
  }
}

extension Schema where State: NamedCases, Event: NamedCases {
  /// One edge of a schema's diagram.
  public struct Edge: Hashable, Sendable {
    public let from: State
    public let event: Event
    public let to: State
  }

  /// All states in order, with the words that label them.
  public var states: [State] { State.words.indices.map { State(at: $0) } }

  /// All events in order, with the words that label them.
  public var events: [Event] { Event.words.indices.map { Event(at: $0) } }

  /// Every transition, including those from a state to itself, ordered by state and then by event.
  ///
  /// Together with ``states``, ``events`` and ``initial`` they describe a diagram completely. The rule is evaluated for
  /// every pair; no block runs.
  ///
  /// - Complexity: O(states × events).
  public var edges: [Edge] {
    states.flatMap { state in
      events.compactMap { event in
        transition(from: state, on: event).map { Edge(from: state, event: event, to: $0.state) }
      }
    }
  }
}

/// A machine that runs a ``Schema`` for a subject.
///
/// ```swift
/// let machine = SchemaMachine(Lamp.schema, subject: display)
/// machine.didTransition = { old, event, new in print(old, event, new) }
/// machine.handle(.up)
/// ```
///
/// A subject that is an object is held weakly. After it is deallocated, no transition happens.
///
/// Older releases of SwiftyStateMachine had a mutable structure here, observed through `didSet`. This class follows the
/// last release: an object that alone can set its state.
public final class SchemaMachine<State: Sendable, Event, Subject> {
  public let schema: Schema<State, Event, Subject>

  /// The current state.
  public private(set) var state: State

  /// Called after each transition and its block.
  public var didTransition: ((_ old: State, _ event: Event, _ new: State) -> Void)?

  private let subject: () -> Subject?

  /// Creates a machine with a value as its subject. Blocks receive a copy of the value.
  ///
  /// - Parameters:
  ///   - schema: The rule.
  ///   - state: The state to start in; `nil` for the schema's initial state.
  ///   - subject: The value that blocks receive.
  public init(_ schema: Schema<State, Event, Subject>, in state: State? = nil, subject: Subject) {
    self.schema = schema
    self.state = state ?? schema.initial
    self.subject = { subject }
  }

  /// Creates a machine with an object as its subject, held weakly.
  public init(_ schema: Schema<State, Event, Subject>, in state: State? = nil, subject: Subject)
  where Subject: AnyObject {
    self.schema = schema
    self.state = state ?? schema.initial
    self.subject = { [weak subject] in subject }
  }

  /// Performs the transition for an event: changes the state, runs the block, and calls ``didTransition``.
  ///
  /// Nothing happens if the schema has no transition, or if the subject is deallocated. A block may call this method
  /// again. The nested transition happens immediately, from the new state, and `didTransition` is called for it before
  /// it is called for the outer one. Only the stack limits the nesting.
  public func handle(_ event: Event) {
    guard let subject = subject(), let transition = schema.transition(from: state, on: event) else { return }
    let old = state
    state = transition.state
    transition.block?(subject)
    didTransition?(old, event, transition.state)
  }
}
