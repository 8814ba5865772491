public import StateMachines

extension EventObjects {
  /// The checked, immutable states and events of a machine, shared by all its machines.
  ///
  /// States and events keep the given order; their indices start at zero.
  public final class Definition: Sendable {
    /// The states, at least one.
    public let states: [State]
    public let events: [Event]
    /// Runs when the current state has changed, after it is stored and before the old state's ``State/didExit``. Use it
    /// to notify observers.
    public let didChange: EventBlock?
    @usableFromInline let initialPlace: Int
    /// For each event: the index of its destination.
    @usableFromInline let destinations: [Int]
    /// For each event and state: whether the event may fire there.
    @usableFromInline let isPermitted: [Bool]
    /// For each event and state: the refusal, made in advance so that refusing allocates nothing.
    private let refusals: [FireRefusal]

    /// Checks states and events and combines them.
    ///
    /// - Parameters:
    ///   - states: At least one, with distinct names.
    ///   - events: Events with distinct names, whose states are among `states`.
    ///   - initial: The name of the state that activation enters; `nil` for the first.
    ///   - didChange: Runs when a machine's current state has changed.
    /// - Throws: The first error found; states are checked before events, each list from its beginning.
    /// - Complexity: O(states × events).
    public init(
      states: [State], events: [Event] = [], initial: String? = nil, didChange: EventBlock? = nil
    ) throws(DefinitionFailure) {
      var places: [String: Int] = [:]
      for (place, state) in states.enumerated() {
        if state.name.isEmpty { throw .stateWithoutName }
        if places.updateValue(place, forKey: state.name) != nil { throw .duplicateState(state.name) }
      }
      var names: Set<String> = []
      var destinations: [Int] = []
      var isPermitted: [Bool] = []
      var refusals: [FireRefusal] = []
      for event in events {
        if event.name.isEmpty { throw .eventWithoutName }
        if !names.insert(event.name).inserted { throw .duplicateEvent(event.name) }
        if event.sources?.isEmpty == true { throw .eventWithoutSources(event.name) }
        for source in event.sources ?? [] where places[source] == nil {
          throw .unregisteredState(source, event: event.name)
        }
        guard let destination = places[event.destination] else {
          throw .unregisteredState(event.destination, event: event.name)
        }
        destinations.append(destination)
        for state in states {
          isPermitted.append(event.sources?.contains(state.name) ?? true)
          refusals.append(FireRefusal(event: event.name, state: state.name, permittedSources: event.sources))
        }
      }
      if states.isEmpty { throw .noStates }
      guard let initialPlace = initial.map({ places[$0] }) ?? 0 else {
        throw .unregisteredState(initial ?? "", event: nil)
      }
      self.states = states
      self.events = events
      self.didChange = didChange
      self.initialPlace = initialPlace
      self.destinations = destinations
      self.isPermitted = isPermitted
      self.refusals = refusals
    }

    /// The state that activation enters.
    public var initial: State { states[initialPlace] }

    /// The state with a name; `nil` if there is none.
    public func state(named name: String) -> State? { statePlace(name).map { states[$0] } }

    /// The event with a name; `nil` if there is none.
    public func event(named name: String) -> Event? { eventPlace(name).map { events[$0] } }

    /// All edges from state to state, ordered by event. An event that fires in any state has an edge from each.
    public var edges: [Edge] {
      events.flatMap { event in
        (event.sources ?? states.map(\.name)).map {
          Edge(event: event.name, source: $0, destination: event.destination)
        }
      }
    }

    /// Whether the states and events have the words of two enums, in the same order. ``Machine/init(_:in:)`` and
    /// `Machine.fire(_:userInfo:on:)` require it.
    public func matches<S: NamedCases, E: NamedCases>(states: S.Type, events: E.Type) -> Bool {
      self.states.map(\.name) == S.words && self.events.map(\.name) == E.words
    }

    func statePlace(_ name: String) -> Int? { states.firstIndex { $0.name == name } }

    func eventPlace(_ name: String) -> Int? { events.firstIndex { $0.name == name } }

    /// Whether an event's sources contain a state.
    @inlinable
    func permits(_ event: Int, in state: Int) -> Bool { isPermitted[event &* states.count &+ state] }

    /// The refusal of an event whose sources do not contain a state.
    @usableFromInline
    @inline(never)
    func refusal(of event: Int, in state: Int) -> FireRefusal { refusals[event * states.count + state] }

    /// The refusal of an event that declined.
    @usableFromInline
    @inline(never)
    func declined(_ event: Int, in state: Int) -> FireRefusal {
      FireRefusal(declinedBy: events[event].name, in: states[state].name, permittedSources: events[event].sources)
    }
  }

  /// An edge from state to state.
  public struct Edge: Hashable, Sendable {
    public let event: String
    public let source: String
    public let destination: String
  }
}

extension EventObjects.Definition {
  /// Starts a simulated machine: enters the state and runs its blocks.
  ///
  /// - Precondition: The definition ``matches(states:events:)`` the machine's states.
  /// - Returns: The state, for `Machine.start(in:_:)`.
  public func start<M: Machine>(in state: M.State, _ step: Step<M>) -> M.State
  where Subject == Step<M>, M.State: NamedCases {
    var step = step
    var machine = EventObjects.Machine(self, initial: state)
    machine.enterInitial(&step)
    return machine.current(as: M.State.self) ?? state
  }

  /// The rule of a simulated machine: fires an event with all its blocks, or refuses it with a reason.
  ///
  /// - Precondition: The definition ``matches(states:events:)`` the machine's states and the type of `event`.
  @inlinable
  public func reaction<M: Machine, Name: NamedCases>(
    in state: M.State, to event: Name, userInfo: UserInfo, _ step: Step<M>
  ) -> Reaction<M.State> where Subject == Step<M>, M.State: NamedCases {
    var step = step
    var machine = EventObjects.Machine(self, in: state)
    do {
      try machine.fire(event, userInfo: userInfo, on: &step)
    } catch {
      return step.refuse(error.reason)
    }
    return .move(to: machine.current(as: M.State.self) ?? state)
  }
}

/// Why states and events do not form a valid definition.
public enum DefinitionFailure: Error, Hashable, Sendable {
  case noStates
  case stateWithoutName
  case eventWithoutName
  case duplicateState(String)
  case duplicateEvent(String)
  /// An event with an empty list of sources, which could never fire. Omit the list to allow any state.
  case eventWithoutSources(String)
  /// A state of an event, or the initial state (`event` is `nil`), is not among the states.
  case unregisteredState(String, event: String?)
  /// The machine is active, so its states and events can no longer change.
  case immutable
}

/// Describes an event that may not fire in a state.
public struct FireRefusal: Hashable, Sendable {
  public let event: String
  /// The current state.
  public let state: String
  /// The states in which the event may fire; `nil` for any.
  public let permittedSources: [String]?
  /// A message: the error number, the event, the current state and, for an invalid transition, the permitted states.
  public let reason: String

  init(event: String, state: String, permittedSources: [String]?) {
    self.event = event
    self.state = state
    self.permittedSources = permittedSources
    let permitted = (permittedSources ?? []).joined(separator: ", ")
    reason = "error 1000: \(event) cannot be fired from the current state \(state), only from \(permitted)"
  }

  init(declinedBy event: String, in state: String, permittedSources: [String]?) {
    self.event = event
    self.state = state
    self.permittedSources = permittedSources
    reason = "error 1001: \(event) declined to fire in the current state \(state)"
  }
}

/// Why an event did not fire. Nothing has changed then.
public enum FireFailure: Error, Hashable, Sendable {
  /// The current state is not among the event's sources.
  case invalidTransition(FireRefusal)
  /// The event's ``EventObjects/Event/shouldFire`` returned `false`.
  case declined(FireRefusal)
  /// The machine has no event with this name.
  case unknownEvent(String)

  /// 1000 for an invalid transition and 1001 for a declined event, as in TransitionKit; `nil` for an unknown event, for
  /// which TransitionKit raises an exception.
  public var code: Int? {
    switch self {
    case .invalidTransition: 1000
    case .declined: 1001
    case .unknownEvent: nil
    }
  }

  /// The message.
  public var reason: String {
    switch self {
    case .invalidTransition(let refusal), .declined(let refusal): refusal.reason
    case .unknownEvent(let name): "there is no event \(name)"
    }
  }
}

/// A name that the machine does not have.
public enum UnknownName: Error, Hashable, Sendable {
  case state(String)
  case event(String)
}

/// An active machine was activated again.
public struct AlreadyActive: Error, Hashable, Sendable {
  @usableFromInline
  init() {}
}
