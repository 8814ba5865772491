public import StateMachines

extension EventObjects {
  /// The states and events of a machine, checked and put together once, and shared by all machines of them.
  ///
  /// States and events keep the order in which they are given; their places in it count from zero.
  public final class Definition: Sendable {
    /// At least one.
    public let states: [State]
    public let events: [Event]
    /// Runs when the current state has changed, after it is stored and before the old state's ``State/didExit``: what
    /// other programs observe.
    public let didChange: EventBlock?
    @usableFromInline let initialPlace: Int
    /// By event: the place of the state that it leads to.
    @usableFromInline let destinations: [Int]
    /// By event and state: whether the event may fire there.
    @usableFromInline let isPermitted: [Bool]
    /// By event and state: what is to be said where it may not; made beforehand, so that a refusal allocates nothing.
    private let refusals: [FireRefusal]

    /// Puts states and events together.
    ///
    /// - Parameters:
    ///   - states: At least one, each of another name.
    ///   - events: Each of another name; their states are among `states`.
    ///   - initial: The name of the state that a machine is activated in; `nil` for the first.
    ///   - didChange: Runs when a machine's current state has changed.
    /// - Throws: The first thing that is wrong, states first, each list from its beginning.
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

    /// The state that a machine is activated in.
    public var initial: State { states[initialPlace] }

    /// The state of a name; `nil` if there is none.
    public func state(named name: String) -> State? { statePlace(name).map { states[$0] } }

    /// The event of a name; `nil` if there is none.
    public func event(named name: String) -> Event? { eventPlace(name).map { events[$0] } }

    /// Every way from state to state, event by event. An event that fires in any state has an edge from each.
    public var edges: [Edge] {
      events.flatMap { event in
        (event.sources ?? states.map(\.name)).map {
          Edge(event: event.name, source: $0, destination: event.destination)
        }
      }
    }

    /// Whether states and events stand here under the words of two vocabularies, in their order: what
    /// ``Machine/init(_:in:)`` and ``Machine/fire(_:userInfo:on:)`` go by.
    public func matches<S: NamedCases, E: NamedCases>(states: S.Type, events: E.Type) -> Bool {
      self.states.map(\.name) == S.words && self.events.map(\.name) == E.words
    }

    func statePlace(_ name: String) -> Int? { states.firstIndex { $0.name == name } }

    func eventPlace(_ name: String) -> Int? { events.firstIndex { $0.name == name } }

    /// Whether an event may fire in a state by its sources.
    @inlinable
    func permits(_ event: Int, in state: Int) -> Bool { isPermitted[event &* states.count &+ state] }

    /// What is to be said when an event may not fire in a state.
    @usableFromInline
    @inline(never)
    func refusal(of event: Int, in state: Int) -> FireRefusal { refusals[event * states.count + state] }

    /// What is to be said when an event has declined.
    @usableFromInline
    @inline(never)
    func declined(_ event: Int, in state: Int) -> FireRefusal {
      FireRefusal(declinedBy: events[event].name, in: states[state].name, permittedSources: events[event].sources)
    }
  }

  /// One way from state to state.
  public struct Edge: Hashable, Sendable {
    public let event: String
    public let source: String
    public let destination: String
  }
}

extension EventObjects.Definition {
  /// Starts a simulated machine: the state is entered, with its blocks.
  ///
  /// - Precondition: The definition ``matches(states:events:)`` the machine's states.
  /// - Returns: The state, for ``Machine/start(in:_:)``.
  public func start<M: Machine>(in state: M.State, _ step: Step<M>) -> M.State
  where Subject == Step<M>, M.State: NamedCases {
    var step = step
    var machine = EventObjects.Machine(self, initial: state)
    machine.enterInitial(&step)
    return machine.current(as: M.State.self) ?? state
  }

  /// The rule of a simulated machine: fires an event, with all blocks around it, or refuses it with the reason.
  ///
  /// - Precondition: The definition ``matches(states:events:)`` the machine's states and the events that are fired.
  /// - Parameter event: What is fired, a name of a vocabulary.
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

/// Why states and events make no machine.
public enum DefinitionFailure: Error, Hashable, Sendable {
  case noStates
  case stateWithoutName
  case eventWithoutName
  case duplicateState(String)
  case duplicateEvent(String)
  /// An event with an empty list of sources, which could never fire. For any state leave the list out.
  case eventWithoutSources(String)
  /// A state that an event refers to, or (`event` is `nil`) the initial one, is not among the states.
  case unregisteredState(String, event: String?)
  /// The machine is active, and from then on its states and events stand.
  case immutable
}

/// An event that may not fire in a state.
public struct FireRefusal: Hashable, Sendable {
  public let event: String
  /// The current state.
  public let state: String
  /// The states that the event may fire in; `nil` for any.
  public let permittedSources: [String]?
  /// A line for people: the error's number, the event, the current state and, if that is the trouble, those permitted.
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
  /// The event's ``EventObjects/Event/shouldFire`` said no.
  case declined(FireRefusal)
  /// The machine has no event of this name.
  case unknownEvent(String)

  /// 1000 for an invalid transition and 1001 for one that was declined, the numbers of TransitionKit's errors; `nil`
  /// for an unknown event, which is an exception there.
  public var code: Int? {
    switch self {
    case .invalidTransition: 1000
    case .declined: 1001
    case .unknownEvent: nil
    }
  }

  /// A line for people.
  public var reason: String {
    switch self {
    case .invalidTransition(let refusal), .declined(let refusal): refusal.reason
    case .unknownEvent(let name): "there is no event \(name)"
    }
  }
}

/// A name that a machine was asked about and does not have.
public enum UnknownName: Error, Hashable, Sendable {
  case state(String)
  case event(String)
}

/// A machine was activated that is active already.
public struct AlreadyActive: Error, Hashable, Sendable {
  @usableFromInline
  init() {}
}
