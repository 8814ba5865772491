import StateMachines

/// States and events as objects with blocks: the form of TransitionKit.
///
/// A state is a name with blocks that run when it is entered and left. An event is a name, the states that it may fire
/// in, the state that it leads to, and blocks that run around it. They are put together in a ``Definition``, which is
/// checked once, never changes, and is shared. A ``Machine`` is a small value beside it: the definition, the current
/// state, and whether it is active.
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
/// `Subject` is what the machine acts upon. It is lent to every block for the length of the call, so a block can do
/// its work without anything that outlives it: a log here, the ``Step`` of a simulated machine there. `UserInfo` is
/// what the one who fires hands to the blocks.
///
/// What a user of TransitionKit finds changed, all of it on purpose:
/// - A block takes the machine and the subject as `inout` arguments. There is no weak reference to a machine, and no
///   lock around firing: a value has one owner at a time, and the compiler sees to it. An event that a block fires
///   runs at once, in the middle of the outer one, as it does under a recursive lock.
/// - Two events of one name are rejected, as two states are. There a name found either of them.
/// - A copy keeps its blocks, and an event that fires in any state does so in the copy too. There the copied events
///   lost their blocks, and any state became none.
/// - An event that fires in any state has its edges in ``Definition/edges``, where a diagram comes from. There it
///   had none.
/// - What was an exception is a typed error.
///
/// This type is only a place for names; there are no values of it.
public enum EventObjects<Subject, UserInfo: Sendable> {
  /// Runs when a state is entered or left. There is no transition when the machine is activated.
  public typealias StateBlock = @Sendable (inout Machine, inout Subject, Transition?) -> Void
  /// Runs when an event fires.
  public typealias EventBlock = @Sendable (inout Machine, inout Subject, Transition) -> Void
  /// Says whether an event may fire. It is asked before anything else happens, and does nothing itself.
  public typealias Condition = @Sendable (Subject, Transition) -> Bool

  /// A state: a name and four blocks.
  public struct State: Sendable {
    /// Not empty, and unique among the states of a machine.
    public let name: String
    /// Runs before the machine is in this state.
    public var willEnter: StateBlock?
    /// Runs when the machine is in this state.
    public var didEnter: StateBlock?
    /// Runs while the machine is still in this state.
    public var willExit: StateBlock?
    /// Runs when the machine is in another state, or in this one anew.
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

  /// An event: a name, the states that it may fire in, the state that it leads to, and three blocks.
  public struct Event: Sendable {
    /// Not empty, and unique among the events of a machine.
    public let name: String
    /// The names of the states that the event may fire in; `nil` for any.
    public let sources: [String]?
    /// The name of the state that the event leads to.
    public let destination: String
    /// Asked when the event may fire by its sources; an answer of `false` declines.
    public var shouldFire: Condition?
    /// Runs before anything has happened.
    public var willFire: EventBlock?
    /// Runs when everything has happened.
    public var didFire: EventBlock?

    /// - Parameter sources: The states that the event may fire in; `nil` for any.
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

  /// A firing as its blocks see it: the event, where it leads from and to, and what the one who fires hands over.
  public struct Transition: Sendable {
    @usableFromInline let definition: Definition
    @usableFromInline let eventPlace: Int
    @usableFromInline let sourcePlace: Int
    /// What was handed to ``Machine/fire(_:userInfo:on:)``.
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
