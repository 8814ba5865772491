public import StateMachines

/// What a machine does, without the machine: an initial state and a function from state and event to the next state.
///
/// A schema is immutable, so any number of machines share one. For a pair that means nothing the function gives `nil`; for
/// another one the next state, and if there is something to do a block, which gets the machine's subject:
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
/// Nested switches without a catch-all keep it complete. Only events of this schema's type can be handed to its machines.
///
/// It follows SwiftyStateMachine. A ``SchemaMachine`` runs it for an object; a ``Machine`` uses it as its rule, with
/// its ``Step`` for the subject, and then worlds can run it:
///
/// ```swift
/// mutating func react(to press: Press, _ step: Step<Self>) -> Reaction<Level> {
///   Self.schema.reaction(in: state, to: press, step)
/// }
/// ```
public struct Schema<State: Sendable, Event, Subject>: Sendable {
  /// What follows on an event.
  public struct Transition {
    public let state: State
    /// What to do once the machine is in `state`.
    public let block: ((Subject) -> Void)?

    @inlinable
    public init(_ state: State, _ block: ((Subject) -> Void)? = nil) {
      self.state = state
      self.block = block
    }

    /// The same as `init`, short to write where the compiler knows the type.
    @inlinable
    public static func to(_ state: State, _ block: ((Subject) -> Void)? = nil) -> Transition {
      Transition(state, block)
    }
  }

  /// The state that machines begin in.
  public let initial: State

  @usableFromInline let rule: @Sendable (State, Event) -> Transition?

  /// - Parameter rule: `nil` where the event means nothing. The same state again is a real transition.
  public init(initial: State, _ rule: @escaping @Sendable (_ state: State, _ event: Event) -> Transition?) {
    self.initial = initial
    self.rule = rule
  }

  /// What follows on `event` in `state`; `nil` if it is ignored.
  @inlinable
  public func transition(from state: State, on event: Event) -> Transition? { rule(state, event) }

  /// The rule of a ``Machine``: the transition's block runs, and the reaction is a move; where there is none, the event
  /// is ignored.
  @inlinable
  public func reaction(in state: State, to event: Event, _ subject: Subject) -> Reaction<State> {
    guard let transition = transition(from: state, on: event) else { return .ignore }
    transition.block?(subject)
    return .move(to: transition.state)
  }
}

extension Schema where State: NamedCases, Event: NamedCases {
  /// One arrow of a schema's diagram.
  public struct Edge: Hashable, Sendable {
    public let from: State
    public let event: Event
    public let to: State
  }

  /// All states in order, with the words that label them.
  public var states: [State] { State.words.indices.map { State(at: $0) } }

  /// All events in order, with the words that label them.
  public var events: [Event] { Event.words.indices.map { Event(at: $0) } }

  /// Every transition, those from a state to itself included: state by state, and for each state event by event.
  ///
  /// With ``states``, ``events`` and ``initial`` it is all that a diagram needs. It is worked out by asking for each pair; no
  /// block runs.
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
/// An object as subject is held weakly. Once it is gone no transition happens any more, since there is nothing left that
/// has this state.
///
/// Older releases of the library had a mutable structure here, watched through `didSet`; this follows the last one,
/// an object with a state that only it can set.
public final class SchemaMachine<State: Sendable, Event, Subject> {
  public let schema: Schema<State, Event, Subject>

  /// The present state.
  public private(set) var state: State

  /// Called after each transition and its block.
  public var didTransition: ((_ old: State, _ event: Event, _ new: State) -> Void)?

  private let subject: () -> Subject?

  /// A machine that belongs to a value. Blocks get a copy of it.
  ///
  /// - Parameter state: Where it goes on; it begins in the schema's initial state unless one is given.
  public init(_ schema: Schema<State, Event, Subject>, in state: State? = nil, subject: Subject) {
    self.schema = schema
    self.state = state ?? schema.initial
    self.subject = { subject }
  }

  /// A machine that belongs to an object, which it does not keep alive.
  public init(_ schema: Schema<State, Event, Subject>, in state: State? = nil, subject: Subject)
  where Subject: AnyObject {
    self.schema = schema
    self.state = state ?? schema.initial
    self.subject = { [weak subject] in subject }
  }

  /// Goes where the schema says: the state changes, then the block runs, then ``didTransition`` is called.
  ///
  /// Nothing happens where the schema has no transition, or when the subject is gone. A block may call this again: the
  /// nested transition happens at once, from the new state, and `didTransition` hears of it before it hears of the outer
  /// one. A chain of them has no limit but the stack.
  public func handle(_ event: Event) {
    guard let subject = subject(), let transition = schema.transition(from: state, on: event) else { return }
    let old = state
    state = transition.state
    transition.block?(subject)
    didTransition?(old, event, transition.state)
  }
}
