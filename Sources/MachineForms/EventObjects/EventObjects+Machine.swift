public import StateMachines

extension EventObjects {
  /// A machine of states and events: which definition, which state, whether active. A value: a copy goes its own way.
  ///
  /// A machine begins inactive, in no state. Until it is activated its definition can be added to; from then on it
  /// stands.
  ///
  /// A simulated machine need not keep one of these. Its state is an enum without data, and the rule is
  /// ``Definition/reaction(in:to:userInfo:_:)``, which puts the machine around it for a step and allocates nothing.
  public struct Machine {
    @usableFromInline var structure: Definition
    /// The current state's place; before activation that of the state to come.
    @usableFromInline var place: Int
    @usableFromInline var phase: Phase

    @usableFromInline
    enum Phase: Sendable {
      case inactive
      /// The initial state's ``State/willEnter`` runs, and there is no current state yet.
      case activating
      case active
    }

    /// The states and events.
    @inlinable
    public var definition: Definition { structure }

    /// Whether the machine was activated.
    @inlinable
    public var isActive: Bool { phase != .inactive }

    /// An inactive machine.
    public init(_ definition: Definition) {
      structure = definition
      place = definition.initialPlace
      phase = .inactive
    }

    /// An inactive machine whose activation enters a state of its own choice.
    ///
    /// - Precondition: As for ``init(_:in:)``.
    @inlinable
    public init<Name: NamedCases>(_ definition: Definition, initial: Name) {
      self.init(definition, at: initial.index, isActive: false)
    }

    /// A machine that is active and in a state already; no block runs.
    ///
    /// - Precondition: The definition ``Definition/matches(states:events:)`` the vocabulary.
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

    /// The current state; `nil` before the initial one is entered.
    public var current: State? { phase == .active ? definition.states[place] : nil }

    /// The current state in the words of a vocabulary; `nil` before the initial one is entered.
    ///
    /// - Precondition: As for ``init(_:in:)``.
    @inlinable
    public func current<Name: NamedCases>(as name: Name.Type) -> Name? { phase == .active ? Name(at: place) : nil }

    /// Whether the machine is in a state; before the initial one is entered it is in none.
    ///
    /// - Throws: ``UnknownName`` when there is no such state.
    public func isIn(_ state: String) throws(UnknownName) -> Bool {
      guard let asked = definition.statePlace(state) else { throw .state(state) }
      return phase == .active && asked == place
    }

    /// The same states and events, blocks included, before activation.
    public var inactiveCopy: Machine { Machine(definition) }

    // MARK: Before activation

    /// Adds a state. Machines that share the definition keep theirs.
    ///
    /// - Throws: ``DefinitionFailure``; `immutable` when the machine is active. Nothing is added then.
    /// - Complexity: That of making the definition anew.
    public mutating func add(_ state: State) throws(DefinitionFailure) {
      try redefine(states: definition.states + [state], events: definition.events, initial: place)
    }

    /// Adds an event. Machines that share the definition keep theirs.
    ///
    /// - Throws: As for a state.
    /// - Complexity: As for a state.
    public mutating func add(_ event: Event) throws(DefinitionFailure) {
      try redefine(states: definition.states, events: definition.events + [event], initial: place)
    }

    /// Chooses the state that activation enters.
    ///
    /// - Throws: `unregisteredState`, or `immutable` when the machine is active.
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

    /// Enters the initial state: its ``State/willEnter``, the change, its ``State/didEnter``, all without transition.
    ///
    /// - Throws: ``AlreadyActive``; a machine is activated once.
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

    /// Whether an event may fire now by its sources. Its ``Event/shouldFire`` is not asked, so firing it may still
    /// be declined. An inactive machine answers for the state that it will be activated in.
    ///
    /// - Throws: ``UnknownName`` when there is no such event.
    public func canFire(_ event: String) throws(UnknownName) -> Bool {
      guard let event = definition.eventPlace(event) else { throw .event(event) }
      return definition.permits(event, in: place)
    }

    /// Whether an event of a vocabulary may fire now by its sources; see ``canFire(_:)``.
    ///
    /// - Precondition: The definition ``Definition/matches(states:events:)`` the vocabulary.
    @inlinable
    public func canFire<Name: NamedCases>(_ event: Name) -> Bool {
      definition.permits(event.index, in: place)
    }

    /// What firing an event of a vocabulary would say if its sources do not allow it now; `nil` if they do.
    ///
    /// - Precondition: As for ``canFire(_:)``.
    public func refusal<Name: NamedCases>(of event: Name) -> FireRefusal? {
      definition.permits(event.index, in: place) ? nil : definition.refusal(of: event.index, in: place)
    }

    /// Fires an event; an inactive machine is activated first.
    ///
    /// In this order: the event's sources are looked at, its ``Event/shouldFire`` asked, and then run its
    /// ``Event/willFire``, the old state's ``State/willExit``, the new state's ``State/willEnter``, the change itself,
    /// ``Definition/didChange``, the old state's ``State/didExit``, the new state's ``State/didEnter``, and the event's
    /// ``Event/didFire``. An event that leads to the state that it comes from runs all of it.
    ///
    /// An event that one of the blocks fires runs at once, and the outer one goes on behind it as if nothing had
    /// happened. So what is fired before the change is undone by the change, and what is fired behind it holds. (A
    /// ``State/willExit`` that fires is still in its state and runs again, so it is to fire on a condition.)
    ///
    /// - Throws: ``FireFailure``; nothing has changed then, but for the activation.
    /// - Complexity: O(events) to find the name, and the blocks.
    public mutating func fire(
      _ event: String, userInfo: UserInfo, on subject: inout Subject
    ) throws(FireFailure) {
      guard let event = definition.eventPlace(event) else { throw .unknownEvent(event) }
      try fire(at: event, userInfo, on: &subject)
    }

    /// Fires an event of a vocabulary; see ``fire(_:userInfo:on:)``.
    ///
    /// - Precondition: The definition ``Definition/matches(states:events:)`` the vocabulary.
    /// - Complexity: O(1), and the blocks.
    @inlinable
    public mutating func fire<Name: NamedCases>(
      _ event: Name, userInfo: UserInfo, on subject: inout Subject
    ) throws(FireFailure) {
      try fire(at: event.index, userInfo, on: &subject)
    }

    @inlinable
    mutating func fire(at event: Int, _ userInfo: UserInfo, on subject: inout Subject) throws(FireFailure) {
      if !isActive { enterInitial(&subject) }
      // What a block fires must not change what the outer event is about.
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
  /// Fires an event with nothing to hand over; see ``fire(_:userInfo:on:)``.
  public mutating func fire(_ event: String, on subject: inout Subject) throws(FireFailure) {
    try fire(event, userInfo: nil, on: &subject)
  }
}

extension EventObjects.Machine: Sendable {}
