package import StateMachines

// Safety: a cell begins with its machine's timers, as many as its kind's slot says (see `MachineStorage`).
extension WorldCore {
  /// The progress of a request that moves time.
  package enum Progress: Equatable, Sendable {
    /// It has reached its target.
    case reached
    /// The budget is used up; there is more to do.
    case more
    /// A chain of firings or deliveries without passing time did not end; see ``WorldCore/takeLivelock()``.
    case livelocked
  }

  /// When the next timer is due; nil if none is before the end of time.
  package mutating func nextDue() -> Instant? {
    buryTheDead()
    guard let first = agenda.first, first.due <= Instant.end.nanoseconds else { return nil }
    return Instant(nanoseconds: first.due)
  }

  /// Moves time to `target` and fires each timer that is due on the way at its own moment.
  ///
  /// The journal does not depend on how the way is divided into calls.
  ///
  /// - Parameters:
  ///   - target: Not before now. Time stops at its end.
  ///   - budget: The most timers to fire before returning, fewer if their steps are long; lowered by those fired.
  package mutating func advance(to target: Instant, budget: inout Int) -> Progress {
    if isStalled { endBrokenStall() }
    let target = min(target, .end)
    let steps = record.chartSteps
    while budget > 0, record.chartSteps &- steps < Self.chartStepsAtOnce {
      switch fireNext(until: target) {
      case .fired:
        budget -= 1
      case .firedIntoLoop:
        budget -= 1
        return .livelocked
      case .stuck:
        return .livelocked
      case .nothingDue:
        // After this, the state of the last input cannot be kept any more.
        if checkpointIsDue { keepCheckpoint() }
        move(to: target)
        return .reached
      }
    }
    if checkpointIsDue { keepCheckpoint() }
    return .more
  }

  /// After so many steps of documents' machines, which take some tenths of a millisecond, no further timer is fired.
  private static var chartStepsAtOnce: Int { 10_000 }

  /// Fires the next timer, whenever it is due, and moves time to it.
  ///
  /// - Returns: False if no timer runs, or a chain of timers without passing time did not end. A fired timer may still
  ///   have exceeded a limit of the wires; see ``takeLivelock()``.
  package mutating func fireNext() -> Bool {
    if isStalled { endBrokenStall() }
    return fireNext(until: .end).hasFired
  }

  /// Whether ``fireDue(while:)`` may take long: there are machines of documents, and a timer is due.
  package var mayFireLong: Bool {
    population.hasDocuments && !isStalled && agenda.first.map { $0.due <= now.nanoseconds } ?? false
  }

  /// Fires the timers that are due now. Every request except `step` begins with this.
  ///
  /// - Parameters:
  ///   - most: After so many steps of documents' machines the others stay due.
  ///   - goesOn: Asked before each; if it says no, the others stay due.
  @inline(__always)
  package mutating func fireDue(chartSteps most: Int = .max, while goesOn: () -> Bool = { true }) {
    if let first = agenda.first, first.due <= now.nanoseconds { fireWhatIsDue(chartSteps: most, while: goesOn) }
  }

  @inline(never)
  private mutating func fireWhatIsDue(chartSteps most: Int, while goesOn: () -> Bool) {
    if isStalled { endBrokenStall() }
    // Checked again: the same timer may still be next.
    if isStalled { return }
    let before = record.chartSteps
    while record.chartSteps &- before < most, goesOn(), fireNext(until: now).hasFired {}
  }

  /// Ends a stall whose timer no longer runs: that chain is broken, and another may begin.
  ///
  /// Only inputs in the journal can break a chain, never a request that moves time, so a replay stalls at the same
  /// place.
  private mutating func endBrokenStall() {
    buryTheDead()
    if agenda.first?.stamp == stallStamp { return }
    stallStamp = 0
    chain = 0
  }

  /// Lets a stopped chain continue up to the limit again; `resume` calls this, since a person has then seen the stop. A
  /// chain never continues by itself, so a replay, which has no `resume`, stops where this world did.
  package mutating func goOn() {
    guard isStalled else { return }
    stallStamp = 0
    chain = 0
  }

  /// Lets a running timer expire now, as an input of its own. If the timer does not run, the input is refused.
  ///
  /// - Parameter key: Which of several with this name; 0 for a timer without a key.
  /// - Precondition: `machine` is alive; `timer` is an index in its kind's list.
  package mutating func fire(_ machine: MachineID, timer: Int, key: UInt32 = 0) {
    let location = registry.location(of: machine)
    let (cell, kind) = population.cell(at: location)
    let slot = population.slots[kind]
    noteInput()
    record.begin(at: now)
    beginAnswer()
    let due = stop(machine, timer, key, location)
    if let due { details.tag(.due, number: UInt64(due - now.nanoseconds)) }
    if key != 0 { details.tag(.key, number: UInt64(key)) }
    let result: StepResult
    if due != nil {
      agenda.living -= 1
      firings += 1
      noteTimers(slot, cell)
      record.key = key
      result = slot.machine.expire(
        cell + slot.valueOffset, timer: UInt8(timer), slot.parameters(of: cell), &record)
      record.key = 0
    } else {
      result = refuse(slot, cell)
      record.reason = "this timer is not running"
    }
    finish(result, .fired, machine, index: UInt16(timer), cell, isAnswer: true)
    if agenda.hasTooManyDead { sweepAgenda() }
    complete()
  }

  /// Stops a running timer and returns when it was due; nil if it does not run.
  private mutating func stop(_ machine: MachineID, _ timer: Int, _ key: UInt32, _ location: Location) -> Int64? {
    if key != 0 { return keyedTimers.remove(KeyedTimers.Name(timer: UInt8(timer), key: key), of: machine)?.due }
    let running = population.timers(at: location)
    guard running[timer].stamp != 0 else { return nil }
    running[timer].stamp = 0
    return running[timer].due
  }

  // MARK: The agenda

  /// The result of looking for a timer to fire.
  private enum Firing {
    case fired
    /// It fired, and its consequences exceeded a limit.
    case firedIntoLoop
    /// One is due, but would exceed the limit of a chain without passing time.
    case stuck
    case nothingDue

    var hasFired: Bool { self == .fired || self == .firedIntoLoop }
  }

  /// Fires the first timer that is due at or before `limit`, with all consequences.
  @inline(__always)
  private mutating func fireNext(until limit: Instant) -> Firing {
    while let entry = agenda.first {
      guard entry.due <= limit.nanoseconds else { return .nothingDue }
      let machine = entry.machine
      let location = registry.location(of: machine)
      if location.isSomewhere, let (cell, slot, timer) = runningTimer(entry, location) {
        if goesTooFar(entry, timer: UInt8(truncatingIfNeeded: timer), key: 0) { return .stuck }
        fetchWhatIsComing()
        agenda.takeFirst()
        agenda.living &-= 1
        // Safety: a cell begins with its kind's timers, and this one was found there.
        cell.assumingMemoryBound(to: RunningTimer.self)[timer].stamp = 0
        move(to: Instant(nanoseconds: entry.due))
        firings &+= 1
        noteInput(Self.expiry)
        record.begin(at: now)
        noteTimers(slot, cell)
        let result = slot.machine.expire(
          cell + slot.valueOffset, timer: UInt8(truncatingIfNeeded: timer), slot.parameters(of: cell), &record)
        finish(result, .expiry, machine, index: UInt16(truncatingIfNeeded: timer), cell, isAnswer: false)
      } else if let name = keyedTimers.name(armedAs: entry.stamp) {
        if goesTooFar(entry, timer: name.timer, key: name.key) { return .stuck }
        expire(entry, name, location)
      } else {
        agenda.pop()
        continue
      }
      agenda.closeHole()
      if agenda.hasTooManyDead { sweepAgenda() }
      let isWithinLimits = nextDelivery == deliveries.count || deliver()
      if hasRefusedTimer {
        hasRefusedTimer = false
        return .firedIntoLoop
      }
      return isWithinLimits ? .fired : .firedIntoLoop
    }
    return .nothingDue
  }

  /// Prefetches the cell of a machine whose timer will be due in about ten firings.
  ///
  /// With a million machines, waiting for the cell is most of the cost of a firing. So the cell is prefetched when its
  /// timer comes near the top of the agenda, and its location a little earlier.
  @inline(__always)
  private func fetchWhatIsComing() {
    registry.fetchLocation(of: agenda.approaching.machine)
    fetchCell(of: agenda.coming.machine)
  }

  /// Prefetches the cell of a machine; ignores a number without a machine.
  @inline(__always)
  func fetchCell(of machine: MachineID) {
    guard machine.index < registry.capacity else { return }
    let location = registry.location(of: machine)
    if location.isSomewhere { population.fetchCell(at: location) }
  }

  /// Expires a keyed timer that is due.
  @inline(never)
  private mutating func expire(_ entry: Agenda.Entry, _ name: KeyedTimers.Name, _ location: Location) {
    agenda.takeFirst()
    agenda.living &-= 1
    _ = keyedTimers.remove(name, of: entry.machine)
    move(to: Instant(nanoseconds: entry.due))
    firings &+= 1
    let (cell, kind) = population.cell(at: location)
    let slot = population.slots[kind]
    noteInput(Self.expiry)
    record.begin(at: now)
    noteTimers(slot, cell)
    details.tag(.key, number: UInt64(name.key))
    record.key = name.key
    let result = slot.machine.expire(cell + slot.valueOffset, timer: name.timer, slot.parameters(of: cell), &record)
    record.key = 0
    finish(result, .expiry, entry.machine, index: UInt16(name.timer), cell, isAnswer: false)
  }

  /// Counts the links of a chain without passing time; true if this timer would exceed the limit, and then the world is
  /// stalled.
  @inline(__always)
  private mutating func goesTooFar(_ entry: Agenda.Entry, timer: UInt8, key: UInt32) -> Bool {
    guard entry.due == now.nanoseconds, entry.stamp > instantStamp else { return false }
    if chain >= limits.chain {
      livelock = Livelock(chain: .timers(timer: timer, key: key), machine: entry.machine, moment: now)
      stallStamp = entry.stamp
      return true
    }
    chain += 1
    return false
  }

  /// The timer in its cell for an entry of the agenda; nil if it was disarmed or armed anew since, or has a key.
  @inline(__always)
  private func runningTimer(
    _ entry: Agenda.Entry, _ location: Location
  ) -> (cell: UnsafeMutableRawPointer, slot: MachineStorage.Slot, timer: Int)? {
    let (cell, kind) = population.cell(at: location)
    let slot = population.slots[kind]
    let timers = cell.assumingMemoryBound(to: RunningTimer.self)
    for timer in 0..<slot.timers where timers[timer].stamp == entry.stamp { return (cell, slot, timer) }
    return nil
  }

  @inline(__always)
  mutating func arm(_ machine: MachineID, _ timer: UnsafeMutablePointer<RunningTimer>, _ due: Instant) {
    if armings == Agenda.lastStamp { restamp() }
    armings &+= 1
    if timer.pointee.stamp == 0 { agenda.living &+= 1 }
    timer.pointee = RunningTimer(due: due.nanoseconds, stamp: armings)
    agenda.push(Agenda.Entry(due: due.nanoseconds, stamp: armings, machine: machine))
  }

  func isRunning(_ entry: Agenda.Entry) -> Bool {
    let location = registry.location(of: entry.machine)
    return location.isSomewhere
      && (runningTimer(entry, location) != nil || keyedTimers.name(armedAs: entry.stamp) != nil)
  }

  private mutating func buryTheDead() {
    while let first = agenda.first, !isRunning(first) { agenda.pop() }
  }

  @inline(never)
  mutating func sweepAgenda() {
    agenda.closeHole()
    var living = Agenda()
    swap(&living, &agenda)
    living.sweep(fetching: { fetchCell(of: $0.machine) }, { isRunning($0) })
    swap(&living, &agenda)
  }

  /// Gives the running timers new stamps from 1 on, in the order of the old ones. Needed once in 2^40 armings.
  mutating func restamp() {
    sweepAgenda()
    var stamps: [UInt64] = []
    agenda.forEach { stamps.append($0.stamp) }
    stamps.sort()
    let renewed = Dictionary(uniqueKeysWithValues: zip(stamps, 1...UInt64(stamps.count + 1)))
    agenda.forEach { entry in
      guard let (cell, _, timer) = runningTimer(entry, registry.location(of: entry.machine)) else { return }
      cell.assumingMemoryBound(to: RunningTimer.self)[timer].stamp = renewed[entry.stamp] ?? 0
    }
    keyedTimers.restamp(renewed)
    agenda.rewrite { Agenda.Entry(due: $0.due, stamp: renewed[$0.stamp] ?? 0, machine: $0.machine) }
    armings = UInt64(stamps.count)
    stallStamp = renewed[stallStamp] ?? 0
    instantStamp = stamps.firstIndex { $0 > instantStamp }.map { UInt64($0) } ?? armings
  }
}
