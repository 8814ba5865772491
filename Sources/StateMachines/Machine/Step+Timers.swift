// Timers of a machine, each known by the event that it brings.
extension Step where M: Machine {
  /// Lets a timer run that brings an event; it expires after `duration`. One that already runs is replaced.
  ///
  /// The timers that states declare (``Machine/timers(in:_:)``) need no arming. What is armed here is left alone by the
  /// runtime for this input; from the next one on the declarations hold again for the timers that they name.
  ///
  /// A timer without delay expires at this same moment, after the step and the deliveries of its wires.
  ///
  /// - Precondition: `duration` is not negative, and `event` is one that a timer of the kind brings.
  @inlinable
  public func arm(_ event: M.Event, after duration: Duration) {
    arm(event, after: Nanoseconds(duration))
  }

  @inlinable
  @_disfavoredOverload
  public func arm(_ event: M.Event, after interval: Nanoseconds) {
    precondition(interval >= .zero, "a timer cannot expire before it is armed")
    override(place(of: event), due: record.pointee.now + interval)
  }

  /// Stops a timer. One that does not run is left alone.
  @inlinable
  public func disarm(_ event: M.Event) {
    override(place(of: event), due: nil)
  }

  /// Whether a timer runs; one that has just expired does not.
  @inlinable
  public func isRunning(_ event: M.Event) -> Bool {
    record.pointee.timers.running & (1 &<< UInt64(place(of: event))) != 0
  }

  /// Lets one of several timers of a name run, told apart by their keys: the running number of a request, say.
  ///
  /// When it expires, ``key`` is the one given here. Arming a key that already runs replaces that one.
  ///
  /// - Precondition: As for ``arm(_:after:)``; `key` is between 1 and `UInt32.max`; the kind says that the timer is keyed.
  public func arm(_ event: M.Event, key: Int, after duration: Duration) {
    precondition(key > 0, "a key counts from 1")
    record.pointee.isWritten = true
    record.pointee.effects.append(
      .arm(timer: UInt8(place(of: event)), key: UInt32(key), due: record.pointee.now + Nanoseconds(duration)))
  }

  /// Stops one of several timers of a name. One that does not run is left alone.
  ///
  /// - Precondition: As for ``arm(_:key:after:)``.
  public func disarm(_ event: M.Event, key: Int) {
    precondition(key > 0, "a key counts from 1")
    record.pointee.isWritten = true
    record.pointee.effects.append(.disarm(timer: UInt8(place(of: event)), key: UInt32(key)))
  }

  /// Arms or disarms as the rule says.
  @inlinable
  func override(_ place: Int, due: Instant?) {
    let bit: UInt64 = 1 &<< UInt64(place)
    record.pointee.isWritten = true
    record.pointee.overridden |= bit
    if let due {
      record.pointee.timers.running |= bit
      record.pointee.effects.append(.arm(timer: UInt8(truncatingIfNeeded: place), key: 0, due: due))
    } else {
      record.pointee.timers.running &= ~bit
      record.pointee.effects.append(.disarm(timer: UInt8(truncatingIfNeeded: place), key: 0))
    }
  }

  /// The place of a state's name.
  @inlinable
  @inline(__always)
  func place(of state: M.State) -> Int {
    // Safety: the kind has made the table for this type of states.
    if M.State.self != M.State.Name.self, let places = record.pointee.timers.states,
      let number = EnumCase.number(of: state)
    {
      return Int(places[number])
    }
    return state.name.index
  }

  @inlinable
  @inline(__always)
  var hasTimers: Bool { record.pointee.timers.count > 0 }

  /// The place of the timer that brings an event, in the kind's list.
  @inlinable
  @inline(__always)
  func place(of event: M.Event) -> Int {
    guard let number = EnumCase.number(of: event), let place = place(ofCase: number) else { return placeOfEqual(event) }
    return place
  }

  /// The place of a timer that a state declares.
  @inlinable
  @inline(__always)
  func place(of timer: StateTimer<M>) -> Int {
    if let place = place(ofCase: Int(timer.number)) { return place }
    if let data = timer.data { return placeOfEqual(data.event) }
    noTimer("the case \(timer.number) of \(M.Event.self)")
  }

  /// The place of the only timer that brings a case; `nil` if there is none, or there are several.
  @inlinable
  @inline(__always)
  func place(ofCase number: Int) -> Int? {
    let timers = record.pointee.timers
    // Safety: the table has a byte for each case of the type, which an event's number is one of.
    guard timers.events != nil, number >= 0 else { return nil }
    let place = timers.places[number]
    return place < StepTimers.severalPlaces ? Int(place) : nil
  }

  /// The place of the timer that brings this very event, of several that bring the same case.
  @usableFromInline
  @inline(never)
  func placeOfEqual(_ event: M.Event) -> Int {
    let timers = record.pointee.timers
    // Safety: the kind's list has `count` events of this type (``StepTimers/events``).
    let events = UnsafeBufferPointer(start: timers.events?.assumingMemoryBound(to: M.Event.self), count: timers.count)
    if let place = events.firstIndex(of: event) { return place }
    noTimer("\(event)")
  }

  @usableFromInline
  @inline(never)
  func noTimer(_ event: String) -> Never {
    preconditionFailure("no timer of \(M.self) brings \(event): its kind lists the timers")
  }

  // MARK: Timers follow the state

  /// Arms a timer that a state declares.
  @inlinable
  func begin(_ timer: StateTimer<M>) {
    begin(timer, at: place(of: timer))
  }

  @inlinable
  @inline(__always)
  func begin(_ timer: StateTimer<M>, at place: Int) {
    if record.pointee.overridden & (1 &<< UInt64(place)) != 0 { return }
    record.pointee.isWritten = true
    record.pointee.effects.append(
      .arm(timer: UInt8(truncatingIfNeeded: place), key: 0, due: timer.due(from: record.pointee.now)))
  }

  /// Lets the timers follow what the machine declares: see ``Machine/timers(in:_:)``.
  ///
  /// What was declared before is asked only if something hangs on it: for a timer that runs and is not declared, and for one
  /// that is declared and does not run.
  @inlinable
  @inline(__always)
  func armDeclared(_ machine: M, _ before: M, isMove: Bool, expired: UInt64) {
    var rest = record.pointee.timers.running & ~record.pointee.overridden
    let running = record.pointee.timers.running
    var earlier: UInt64?
    machine.timers(in: machine.state, parameters).forEach { timer in
      let place = place(of: timer)
      let bit: UInt64 = 1 &<< UInt64(place)
      rest &= ~bit
      if running & bit != 0 {
        if isMove, !timer.isContinuing { begin(timer, at: place) }
      } else if isMove && !timer.isContinuing || timer.isPeriodic && expired & bit != 0 {
        begin(timer, at: place)
      } else {
        let declared = earlier ?? declared(by: before)
        earlier = declared
        if declared & bit == 0 { begin(timer, at: place) }
      }
    }
    if rest != 0 { end(rest & (earlier ?? declared(by: before))) }
  }

  /// What an expiry changes that is ignored or refused: a periodic timer goes on.
  @inlinable
  func goOn(_ machine: M, expired: UInt64) {
    machine.timers(in: machine.state, parameters).forEach { timer in
      let place = place(of: timer)
      if timer.isPeriodic, expired & (1 &<< UInt64(place)) != 0 { begin(timer, at: place) }
    }
  }

  /// The event that a timer brings now, with the data that the machine declares for it; `nil` if it declares none.
  @usableFromInline
  @inline(never)
  func event(of place: Int, declaredBy machine: M) -> M.Event? {
    var event: M.Event?
    machine.timers(in: machine.state, parameters).forEach { if self.place(of: $0) == place { event = $0.data?.event } }
    return event
  }

  /// A bit for each timer that a machine declares.
  @inlinable
  @inline(never)
  func declared(by machine: M) -> UInt64 {
    var bits: UInt64 = 0
    machine.timers(in: machine.state, parameters).forEach { bits |= 1 &<< UInt64(place(of: $0)) }
    return bits
  }

  /// Disarms timers, before all that the step has asked for.
  @inlinable
  @inline(never)
  func end(_ timers: UInt64) {
    let middle = effectCount
    var rest = timers
    while rest != 0 {
      record.pointee.isWritten = true
      record.pointee.effects.append(.disarm(timer: UInt8(truncatingIfNeeded: rest.trailingZeroBitCount), key: 0))
      rest &= rest &- 1
    }
    putEffects(from: middle, before: 0)
  }
}

extension StateTimers {
  /// Arms these timers as effects of a step: for forms in which states are entered and left within a step.
  ///
  /// - Precondition: None is periodic.
  @inlinable
  package func begin(_ step: Step<M>) {
    forEach {
      precondition(!$0.isPeriodic, "a node of a chart declares no periodic timer: its reaction arms it anew")
      step.override(step.place(of: $0), due: $0.due(from: step.now))
    }
  }

  /// Disarms these timers.
  @inlinable
  package func end(_ step: Step<M>) {
    forEach { step.override(step.place(of: $0), due: nil) }
  }
}

extension Step where M: Machine {
  /// Stops all timers without a key that run.
  @inlinable
  package func disarmAll() {
    var rest = record.pointee.timers.running
    while rest != 0 {
      override(rest.trailingZeroBitCount, due: nil)
      rest &= rest &- 1
    }
  }
}
