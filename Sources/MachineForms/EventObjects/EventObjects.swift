import StateMachines

/// States and events as objects with blocks: the form of TransitionKit.
///
/// A state is a name with blocks that run when it is entered and left. An event is a name with source states, a
/// destination and blocks that run around it. A ``Definition`` combines them; it is checked once, immutable and shared.
/// A ``Machine`` is a small value with the definition, the current state, and whether it is active.
///
/// ```swift
/// typealias Objects = EventObjects<[String], String?>
///
/// let inbox = try Objects.Definition(
///   states: [
///     .init("unread"),
///     .init("read", didEnter: { _, log, transition in log.append("read by \(transition?.userInfo ?? "nobody")") }),
///     .init("deleted"),
///   ],
///   events: [
///     .init("view", from: ["unread"], to: "read"),
///     .init("delete", from: ["read", "unread"], to: "deleted"),
///     .init("markUnread", from: ["read", "deleted"], to: "unread"),
///   ])
/// var message = Objects.Machine(inbox)
/// var log: [String] = []
/// try message.fire("view", userInfo: "ada", on: &log)
/// message.current?.name  // "read"
/// ```
///
/// `Subject` is the data that the machine acts on. Every block receives it as an argument, so it needs no outer
/// references: here a log, in a simulated machine the `Step`. `UserInfo` is the data that the caller of `fire` passes
/// to the blocks.
///
/// Deliberate differences from TransitionKit:
/// - Blocks take the machine and the subject as `inout` arguments. There is no weak reference to a machine and no lock,
///   since Swift enforces exclusive access to a value. A nested event runs immediately, inside the outer one, as under
///   a recursive lock.
/// - Two events with the same name are rejected, as two states are. In TransitionKit, a lookup found either of them.
/// - A copy keeps its blocks, and its events for any state. In TransitionKit, copied events lost their blocks, and "any
///   state" became "no state".
/// - An event that fires in any state has edges in ``Definition/edges``, from which diagrams are drawn. In
///   TransitionKit it had none.
/// - Typed errors replace exceptions.
///
/// This type is a namespace and has no values.
public enum EventObjects<Subject, UserInfo: Sendable> {
  /// Runs when a state is entered or left. The transition is `nil` when the machine is activated.
  public typealias StateBlock = @Sendable (inout Machine, inout Subject, Transition?) -> Void
  /// Runs when an event fires.
  public typealias EventBlock = @Sendable (inout Machine, inout Subject, Transition) -> Void
  /// Decides whether an event may fire. It is called before anything else and must have no side effects.
  public typealias Condition = @Sendable (Subject, Transition) -> Bool

  /// A state: a name and four blocks.
  public struct State: Sendable {
    /// A non-empty name, unique among the states of a machine.
    public let name: String
    /// Runs before the machine enters this state.
    public var willEnter: StateBlock?
    /// Runs after the machine has entered this state.
    public var didEnter: StateBlock?
    /// Runs before the machine leaves this state.
    public var willExit: StateBlock?
    /// Runs after the machine has left this state, or entered it again.
    public var didExit: StateBlock?

    public init(
      _ name: String, willEnter: StateBlock? = nil, didEnter: StateBlock? = nil, willExit: StateBlock? = nil,
      didExit: StateBlock? = nil
    ) {
      self.name = name
      self.willEnter = willEnter
      self.didEnter = didEnter
      self.willExit = willExit
      self.didExit = didExit
    }
  }

  /// An event: a name, its source states, its destination and three blocks.
  public struct Event: Sendable {
    /// A non-empty name, unique among the events of a machine.
    public let name: String
    /// The names of the states in which the event may fire; `nil` for any.
    public let sources: [String]?
    /// The name of the destination state.
    public let destination: String
    /// Called if the event's sources contain the current state; `false` declines.
    public var shouldFire: Condition?
    /// Runs before the transition.
    public var willFire: EventBlock?
    /// Runs after the transition.
    public var didFire: EventBlock?

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - name: A non-empty name, unique among the events of a machine.
    ///   - sources: The states in which the event may fire; `nil` for any.
    ///   - destination: The state after the event.
    ///   - shouldFire: Called in one of the sources; `false` declines. `nil` always fires.
    ///   - willFire: Runs before the transition.
    ///   - didFire: Runs after the transition.
    public init(
      _ name: String, from sources: [String]? = nil, to destination: String, shouldFire: Condition? = nil,
      willFire: EventBlock? = nil, didFire: EventBlock? = nil
    ) {
      self.name = name
      self.sources = sources
      self.destination = destination
      self.shouldFire = shouldFire
      self.willFire = willFire
      self.didFire = didFire
    }
  }

  /// The transition that blocks receive: the event, its source, its destination and the caller's user info.
  public struct Transition: Sendable {
    @usableFromInline let definition: Definition
    @usableFromInline let eventPlace: Int
    @usableFromInline let sourcePlace: Int
    /// The value passed to `Machine.fire(_:userInfo:on:)`.
    public let userInfo: UserInfo

    @inlinable
    init(definition: Definition, eventPlace: Int, sourcePlace: Int, userInfo: UserInfo) {
      self.definition = definition
      self.eventPlace = eventPlace
      self.sourcePlace = sourcePlace
      self.userInfo = userInfo
    }

    @inlinable
    public var event: Event { definition.events[eventPlace] }

    /// The state in which the event was fired.
    @inlinable
    public var source: State { definition.states[sourcePlace] }

    /// The state that the event leads to.
    @inlinable
    public var destination: State { definition.states[definition.destinations[eventPlace]] }
  }
}
