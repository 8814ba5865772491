public import StateMachines

extension EventObjects {
  /// A machine of states and events: its definition, its current state, and whether it is active. It is a value with
  /// independent copies.
  ///
  /// A machine starts inactive, in no state. Its definition can be extended until it is activated.
  ///
  /// A simulated machine need not store one. Its state is an enum without data, and its rule is
  /// ``Definition/reaction(in:to:userInfo:_:)``, which makes a machine for each step and allocates nothing.
  public struct Machine {
    @usableFromInline var structure: Definition
    /// The index of the current state; before activation, of the initial state.
    @usableFromInline var place: Int
    @usableFromInline var phase: Phase

    @usableFromInline
    enum Phase: Sendable {
      case inactive
      /// The initial state's ``State/willEnter`` runs; there is no current state yet.
      case activating
      case active
    }

    /// The states and events.
    @inlinable
    public var definition: Definition { structure }

    /// Whether the machine was activated.
    @inlinable
    public var isActive: Bool { phase != .inactive }

    /// Creates an inactive machine.
    public init(_ definition: Definition) {
      structure = definition
      place = definition.initialPlace
      phase = .inactive
    }

    /// Creates an inactive machine with its own initial state.
    ///
    /// - Precondition: As for ``init(_:in:)``.
    @inlinable
    public init<Name: NamedCases>(_ definition: Definition, initial: Name) {
      self.init(definition, at: initial.index, isActive: false)
    }

    /// Creates an active machine in a state, without running any block.
    ///
    /// - Precondition: The definition ``Definition/matches(states:events:)`` the type of `state`.
    @inlinable
    public init<Name: NamedCases>(_ definition: Definition, in state: Name) {
      self.init(definition, at: state.index, isActive: true)
    }

    @inlinable
    init(_ definition: Definition, at place: Int, isActive: Bool) {
      structure = definition
      self.place = place
      phase = isActive ? .active : .inactive
    }

    /// The current state; `nil` until the initial one is entered.
    public var current: State? { phase == .active ? definition.states[place] : nil }

    /// The current state as an enum value; `nil` until the initial one is entered.
    ///
    /// - Precondition: As for ``init(_:in:)``.
    @inlinable
    public func current<Name: NamedCases>(as name: Name.Type) -> Name? { phase == .active ? Name(at: place) : nil }

    /// Whether the machine is in a state; always `false` until the initial one is entered.
    ///
    /// - Throws: ``UnknownName`` if there is no such state.
    public func isIn(_ state: String) throws(UnknownName) -> Bool {
      guard let asked = definition.statePlace(state) else { throw .state(state) }
      return phase == .active && asked == place
    }

    // MARK: Before activation

    /// Adds a state. Other machines with the same definition are unaffected.
    ///
    /// - Throws: ``DefinitionFailure``; `immutable` if the machine is active. Nothing is added then.
    /// - Complexity: As for ``Definition/init(states:events:initial:didChange:)``.
    public mutating func add(_ state: State) throws(DefinitionFailure) {
      try redefine(states: definition.states + [state], events: definition.events, initial: place)
    }

    /// Adds an event. Other machines with the same definition are unaffected.
    ///
    /// - Throws: As for a state.
    /// - Complexity: As for a state.
    public mutating func add(_ event: Event) throws(DefinitionFailure) {
      try redefine(states: definition.states, events: definition.events + [event], initial: place)
    }

    /// Sets the state that activation enters.
    ///
    /// - Throws: `unregisteredState`, or `immutable` if the machine is active.
    public mutating func setInitial(_ state: String) throws(DefinitionFailure) {
      if isActive { throw .immutable }
      guard let chosen = definition.statePlace(state) else { throw .unregisteredState(state, event: nil) }
      place = chosen
    }

    private mutating func redefine(states: [State], events: [Event], initial: Int) throws(DefinitionFailure) {
      if isActive { throw .immutable }
      structure = try Definition(
        states: states, events: events, initial: states[initial].name, didChange: definition.didChange)
    }

    // MARK: Activation and firing

    /// Enters the initial state: runs its ``State/willEnter``, sets the state, runs its ``State/didEnter``. The blocks
    /// receive no transition.
    ///
    /// - Throws: ``AlreadyActive`` if the machine was activated before.
    @inlinable
    public mutating func activate(on subject: inout Subject) throws(AlreadyActive) {
      if isActive { throw AlreadyActive() }
      enterInitial(&subject)
    }

    @inlinable
    mutating func enterInitial(_ subject: inout Subject) {
      let definition = definition
      let initial = place
      phase = .activating
      definition.states[initial].willEnter?(&self, &subject, nil)
      place = initial
      phase = .active
      definition.states[initial].didEnter?(&self, &subject, nil)
    }

    /// Whether an event's sources contain the current state. ``Event/shouldFire`` is not called, so the event may still
    /// decline. An inactive machine uses its initial state.
    ///
    /// - Throws: ``UnknownName`` if there is no such event.
    public func canFire(_ event: String) throws(UnknownName) -> Bool {
      guard let event = definition.eventPlace(event) else { throw .event(event) }
      return definition.permits(event, in: place)
    }

    /// Whether an event's sources contain the current state; see `canFire(_:)`.
    ///
    /// - Precondition: The definition ``Definition/matches(states:events:)`` the type of `event`.
    @inlinable
    public func canFire<Name: NamedCases>(_ event: Name) -> Bool {
      definition.permits(event.index, in: place)
    }

    /// The refusal if an event's sources do not contain the current state; otherwise `nil`.
    ///
    /// - Precondition: As for `canFire(_:)`.
    public func refusal<Name: NamedCases>(of event: Name) -> FireRefusal? {
      definition.permits(event.index, in: place) ? nil : definition.refusal(of: event.index, in: place)
    }

    /// Fires an event. An inactive machine is activated first.
    ///
    /// The order is: check the event's sources, call its ``Event/shouldFire``, then run its ``Event/willFire``, the old
    /// state's ``State/willExit`` and the new state's ``State/willEnter``, change the state, run
    /// ``Definition/didChange``, the old state's ``State/didExit``, the new state's ``State/didEnter``, and the event's
    /// ``Event/didFire``. A transition to the same state runs all of them.
    ///
    /// A block may fire another event, which runs immediately and completely; then the outer event continues. The outer
    /// event's change of state overwrites a change that a nested event made before it. (A ``State/willExit`` that fires
    /// is still in its state and runs again, so it must fire conditionally.)
    ///
    /// - Throws: ``FireFailure``; nothing has changed then except for the activation.
    /// - Complexity: O(events) to find the name, plus the blocks.
    public mutating func fire(
      _ event: String, userInfo: UserInfo, on subject: inout Subject
    ) throws(FireFailure) {
      guard let event = definition.eventPlace(event) else { throw .unknownEvent(event) }
      try fire(at: event, userInfo, on: &subject)
    }

    /// Fires an event of an enum; see `fire(_:userInfo:on:)`.
    ///
    /// - Precondition: The definition ``Definition/matches(states:events:)`` the type of `event`.
    /// - Complexity: O(1), plus the blocks.
    @inlinable
    public mutating func fire<Name: NamedCases>(
      _ event: Name, userInfo: UserInfo, on subject: inout Subject
    ) throws(FireFailure) {
      try fire(at: event.index, userInfo, on: &subject)
    }

    @inlinable
    mutating func fire(at event: Int, _ userInfo: UserInfo, on subject: inout Subject) throws(FireFailure) {
      if !isActive { enterInitial(&subject) }
      // Captured first, since a block may change the machine.
      let definition = definition
      let source = place
      if !definition.permits(event, in: source) {
        throw .invalidTransition(definition.refusal(of: event, in: source))
      }
      let transition = Transition(definition: definition, eventPlace: event, sourcePlace: source, userInfo: userInfo)
      if let shouldFire = definition.events[event].shouldFire, !shouldFire(subject, transition) {
        throw .declined(definition.declined(event, in: source))
      }
      let destination = definition.destinations[event]
      definition.events[event].willFire?(&self, &subject, transition)
      definition.states[source].willExit?(&self, &subject, transition)
      definition.states[destination].willEnter?(&self, &subject, transition)
      place = destination
      phase = .active
      definition.didChange?(&self, &subject, transition)
      definition.states[source].didExit?(&self, &subject, transition)
      definition.states[destination].didEnter?(&self, &subject, transition)
      definition.events[event].didFire?(&self, &subject, transition)
    }
  }
}

extension EventObjects.Machine where UserInfo: ExpressibleByNilLiteral {
  /// Fires an event without user info; see `fire(_:userInfo:on:)`.
  public mutating func fire(_ event: String, on subject: inout Subject) throws(FireFailure) {
    try fire(event, userInfo: nil, on: &subject)
  }
}

extension EventObjects.Machine: Sendable {}
