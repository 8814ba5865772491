// Arms and disarms timers by their events.
extension Step where M: Machine {
  /// Arms the timer with this event; it expires after `duration`. A running timer is replaced.
  ///
  /// Timers that states declare (``Machine/timers(in:_:)``) are armed automatically. The runtime leaves a timer that is
  /// armed here alone for this input. From the next input on, declarations apply to it again.
  ///
  /// A timer with zero delay expires at the same moment, after the step and the deliveries over its wires.
  ///
  /// An armed timer does not keep its event. An event with data therefore arrives with the data of the kind's list. For
  /// data that vary, declare the timer in ``Machine/timers(in:_:)``, or keep them in the state.
  ///
  /// - Precondition: `duration` is not negative, and the kind has a timer with `event`, with equal data.
  @inlinable
  public func arm(_ event: M.Event, after duration: Duration) {
    arm(event, after: Nanoseconds(duration))
  }

  @inlinable
  @_disfavoredOverload
  public func arm(_ event: M.Event, after interval: Nanoseconds) {
    precondition(interval >= .zero, "a timer cannot expire before it is armed")
    override(place(arming: event), due: record.pointee.now + interval)
  }

  /// Disarms a timer. A timer that does not run is left alone.
  ///
  /// - Precondition: As for ``isRunning(_:)``.
  @inlinable
  public func disarm(_ event: M.Event) {
    override(place(of: event), due: nil)
  }

  /// Whether a timer runs. A timer that just expired does not.
  ///
  /// - Precondition: The kind has a timer with `event`; data matter only if several timers have its case.
  @inlinable
  public func isRunning(_ event: M.Event) -> Bool {
    record.pointee.timers.running & (1 &<< UInt64(place(of: event))) != 0
  }

  /// Arms one of several timers with the same event and different keys, such as request numbers.
  ///
  /// On expiry, ``key`` has this value. Arming replaces a running timer with the same key.
  ///
  /// - Precondition: As for `arm(_:after:)`; `key` is between 1 and `UInt32.max`; the kind declares the timer as
  ///   keyed.
  public func arm(_ event: M.Event, key: Int, after duration: Duration) {
    precondition(key > 0 && key <= UInt32.max, "the key of a timer is between 1 and \(UInt32.max)")
    record.pointee.isWritten = true
    record.pointee.effects.append(
      .arm(timer: UInt8(place(arming: event)), key: UInt32(key), due: record.pointee.now + Nanoseconds(duration)))
  }

  /// Disarms the timer with this key. A timer that does not run is left alone.
  ///
  /// - Precondition: As for ``arm(_:key:after:)``.
  public func disarm(_ event: M.Event, key: Int) {
    precondition(key > 0 && key <= UInt32.max, "the key of a timer is between 1 and \(UInt32.max)")
    record.pointee.isWritten = true
    record.pointee.effects.append(.disarm(timer: UInt8(place(of: event)), key: UInt32(key)))
  }

  /// Arms or disarms a timer on behalf of the rule.
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

  /// The index of a state's name.
  @inlinable
  @inline(__always)
  func place(of state: M.State) -> Int {
    // Safety: the kind made the table for this state type.
    if M.State.self != M.State.Name.self, let places = record.pointee.timers.states,
      let number = EnumCase.number(of: state)
    {
      return Int(places[number])
    }
    return state.name.index
  }

  /// The index of the timer with this event, in the kind's list.
  @inlinable
  @inline(__always)
  func place(of event: M.Event) -> Int {
    guard let number = EnumCase.number(of: event), let place = place(ofCase: number) else { return placeOfEqual(event) }
    return place
  }

  /// The index of the timer with this event, which a rule arms.
  @inlinable
  @inline(__always)
  func place(arming event: M.Event) -> Int {
    let place = place(of: event)
    if record.pointee.timers.withData & (1 &<< UInt64(place)) != 0 { checkData(of: event, at: place) }
    return place
  }

  @usableFromInline
  @inline(never)
  func checkData(of event: M.Event, at place: Int) {
    let listed = listedEvents[place]
    if listed == event { return }
    preconditionFailure(
      "\(M.self) arms a timer with \(event), but it would bring \(listed), as the kind lists it: arm \(listed) and keep "
        + "the data in the state, or declare the timer in timers(in:)")
  }

  /// The events of the kind's timers, in order.
  private var listedEvents: UnsafeBufferPointer<M.Event> {
    // Safety: the kind's list has `count` events of this type (``StepTimers/events``).
    let timers = record.pointee.timers
    return UnsafeBufferPointer(start: timers.events?.assumingMemoryBound(to: M.Event.self), count: timers.count)
  }

  /// The index of a timer that a state declares.
  @inlinable
  @inline(__always)
  func place(of timer: StateTimer<M>) -> Int {
    if let place = place(ofCase: Int(timer.number)) { return place }
    if let data = timer.data { return placeOfEqual(data.event) }
    noTimer(ofCase: Int(timer.number))
  }

  /// The index of the only timer with this case of event; `nil` if none or several have it.
  @inlinable
  @inline(__always)
  func place(ofCase number: Int) -> Int? {
    let timers = record.pointee.timers
    // Safety: the table has a byte for each case of the type, and `number` is the number of a case.
    guard timers.events != nil, number >= 0 else { return nil }
    let place = timers.places[number]
    return place < StepTimers.severalPlaces ? Int(place) : nil
  }

  /// The index of the timer with this event, when several timers have the same case.
  @usableFromInline
  @inline(never)
  func placeOfEqual(_ event: M.Event) -> Int {
    if let place = listedEvents.firstIndex(of: event) { return place }
    noTimer("\(event)")
  }

  @usableFromInline
  @inline(never)
  func noTimer(ofCase number: Int) -> Never {
    noTimer(EnumCase.name(ofCase: number, of: M.Event.self) ?? "an event")
  }

  private func noTimer(_ event: String) -> Never {
    let listed = listedEvents.map { "\($0)" }.joined(separator: ", ")
    preconditionFailure(
      "no timer of \(M.self) brings \(event): its kind lists " + (listed.isEmpty ? "no timers" : "timers for \(listed)")
        + "; add .timer(.\(event), …) to the timers of \(M.self).kind")
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

  /// Arms and disarms timers to match the machine's declarations: see ``Machine/timers(in:_:)``.
  ///
  /// The earlier declarations are computed only if needed: for a running timer that is not declared, and for a declared
  /// timer that does not run.
  @inlinable
  @inline(__always)
  func armDeclared(_ machine: M, _ before: M, isMove: Bool, expired: UInt64) {
    guard !record.pointee.timers.isEmpty else {
      // A machine whose kind lists no timers must declare none. The search traps if it does, with a message; a release
      // build saves the time.
      assert(declared(by: machine) == 0)
      return
    }
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

  /// Arms an expired periodic timer again after its expiry was ignored or refused.
  @inlinable
  func goOn(_ machine: M, expired: UInt64) {
    machine.timers(in: machine.state, parameters).forEach { timer in
      let place = place(of: timer)
      if timer.isPeriodic, expired & (1 &<< UInt64(place)) != 0 { begin(timer, at: place) }
    }
  }

  /// The timer's event with the data that the machine declares now; `nil` if the machine does not declare the timer.
  @usableFromInline
  @inline(never)
  func event(of place: Int, declaredBy machine: M) -> M.Event? {
    var event: M.Event?
    machine.timers(in: machine.state, parameters).forEach { if self.place(of: $0) == place { event = $0.data?.event } }
    return event
  }

  /// Bit set of the timers that a machine declares.
  @inlinable
  @inline(never)
  func declared(by machine: M) -> UInt64 {
    var bits: UInt64 = 0
    machine.timers(in: machine.state, parameters).forEach { bits |= 1 &<< UInt64(place(of: $0)) }
    return bits
  }

  /// Disarms timers, before the step's other effects.
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
  /// Arms these timers as effects of a step, for forms that enter and leave several states within a step.
  ///
  /// - Precondition: No timer is periodic.
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
  /// Disarms all running timers without a key.
  @inlinable
  package func disarmAll() {
    var rest = record.pointee.timers.running
    while rest != 0 {
      override(rest.trailingZeroBitCount, due: nil)
      rest &= rest &- 1
    }
  }
}
