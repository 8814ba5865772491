package import StateMachines

extension WorldCore {
  // MARK: Requests

  /// Whether a request has begun and not ended.
  package var isWithinRequest: Bool { journal.requestStart != .max }

  /// Begins a request that may have several outside inputs, which are undone together.
  package mutating func beginRequest() {
    journal.requestStart = journal.last + 1
  }

  package mutating func endRequest() {
    journal.requestStart = .max
  }

  // MARK: Going back

  /// The input that undid another, the last one if several did; nil if it is not undone.
  package func undoer(of sequence: UInt64) -> UInt64? {
    guard let undone = past.rewinds.span(of: sequence), undone.by != sequence else { return nil }
    return undone.by
  }

  /// The inputs that were undone together with this one, and the one that undid them; nil if it is in effect.
  package func undoneTogether(with sequence: UInt64) -> ClosedRange<UInt64>? {
    past.rewinds.span(of: sequence).map { $0.from...$0.by }
  }

  /// What is undone from an input on: older ranges, each up to the input that undid it, and recent ones, which may not be
  /// stored yet.
  package func undone(from sequence: UInt64, after older: [ClosedRange<UInt64>]) -> RewindList {
    let recent = past.rewinds.ranges(from: sequence)
    return RewindList(older.prefix { $0.upperBound < recent.first?.lowerBound ?? .max } + recent)
  }

  /// The last input that undid others; 0 if none did.
  package var lastUndoer: UInt64 { past.rewinds.last }

  /// The last input that has undone others, if it was no redo; nil if none did.
  package var lastUndo: UInt64? {
    guard let rewind = past.rewinds.rewind(lastUndoer), !rewind.isRedo else { return nil }
    return rewind.undone.by
  }

  /// Whether an input is not in effect: it was undone, or has undone others.
  package func hasUndone(_ sequence: UInt64) -> Bool { past.rewinds.span(of: sequence) != nil }

  /// The last of an input and the deliveries that followed from it, and their moment.
  ///
  /// - Returns: `nil` if the journal does not have the input.
  /// - Complexity: O(deliveries), and a part of a block.
  package func step(of sequence: UInt64) -> (last: UInt64, moment: Instant)? {
    guard sequence >= firstSequence, sequence <= lastSequence else { return nil }
    var reader = journalReader(from: sequence)
    guard let input = read(&reader) else { return nil }
    var last = input.sequence
    while reader.next <= lastSequence, let entry = read(&reader), entry.input == .delivery { last = entry.sequence }
    return (last, input.moment)
  }

  /// Replaces the world's state by that of a rewind, as an input of its own. Watchers, the journal and all numbers
  /// stay.
  ///
  /// - Precondition: The rewind has arrived, and was made for this world in its current state.
  /// - Returns: The first and the last undone input, or of a redo the first and last that are in effect again; nil if
  ///   none was, and only time went back.
  /// - Complexity: O(machines), plus what is destroyed.
  @discardableResult
  package mutating func rewind(_ rewinding: Rewinding) -> ClosedRange<UInt64>? {
    precondition(rewinding.hasArrived && rewinding.end == journal.last, "a world goes back from where it stands")
    let from = rewinding.firstUndone
    let undoer = journal.last + 1
    let left = now
    let (gone, back) = rewinding.withWorld { exchange(with: &$0) }
    livelock = nil
    reviveCompositions(undoneFrom: from, by: undoer)
    let dropped = retired[nextRetired...].filter { !registry.isAlive($0.machine) }
    retired = ContiguousArray(dropped) + gone.map { (undoer, $0) }
    nextRetired = 0
    for machine in back { watchers.enter(machine) }
    details.tag(.undone, number: undoer - from)
    let redo = rewinding.redo
    if let redo {
      details.tag(.redone, number: from - redo.first)
      details.number(redo.undos)
    } else if left.nanoseconds > journal.lastMoment, left > now {
      details.tag(.due, number: UInt64((left - now).nanoseconds))
    }
    _ = journal.append(worldwide: details, at: now)
    details.clear()
    past.undo(
      from: from, by: undoer, isRedo: redo != nil, rewinding.checkpoint, machines: registry.count,
      firstKept: journal.first)
    // What was undone among the inputs that come back counts again.
    unflushed?.undone += past.rewinds.ranges(from: redo?.first ?? from).map { ($0, undoer) }
    if let redo { return redo.first < from ? redo.first...(from - 1) : nil }
    return from < undoer ? from...(undoer - 1) : nil
  }

  /// Exchanges machines, pending timers and definitions with another world.
  mutating func exchange(with other: inout WorldCore) -> (gone: [MachineID], back: [MachineID]) {
    var registry = registry.copy()
    let changes = registry.align(with: other.registry, population)
    swap(&registry, &self.registry)
    // The other world destroys the values that it receives, so it needs their locations.
    swap(&registry, &other.registry)
    swap(&population, &other.population)
    swap(&agenda, &other.agenda)
    swap(&keyedTimers, &other.keyedTimers)
    swap(&wires, &other.wires)
    swap(&definitions, &other.definitions)
    // This world may have forgotten a kind that had neither machines nor effect, and now has both again.
    past.takeDefined(of: other.past)
    record.generator = other.record.generator
    now = other.now
    // Stamps are never reused, so earlier armings still have lower ones.
    armings = max(armings, other.armings)
    instantStamp = other.instantStamp
    chain = other.chain
    stallStamp = other.stallStamp
    return changes
  }

  /// Restores the compositions that have members left.
  private mutating func reviveCompositions(undoneFrom sequence: UInt64, by undoer: UInt64) {
    if compositions.isEmpty, past.compositions.isEmpty { return }
    // For compositions that ended earlier, the numbers of members may have been reused.
    let candidates = compositions.map(\.value) + past.compositions.filter { $0.end >= sequence }.map(\.record)
    past.compositions.removeAll { $0.end >= sequence }
    compositions = [:]
    keep(candidates.filter { $0.sequence < sequence })
    // A redo may need the others.
    past.compositions += candidates.filter { $0.sequence >= sequence }.map { (undoer, $0) }
  }

  /// Keeps composed names: those with members left are current, the others belong to the undo history.
  mutating func keep(_ records: [CompositionRecord]) {
    for var record in records {
      record.members = record.all.filter { machine in
        registry.isAlive(machine) && registry.withName(of: machine) { $0.starts(with: Array("\(record.name).".utf8)) }
      }
      if record.members.isEmpty {
        past.compositions.append((journal.last, record))
      } else {
        compositions[record.name] = record
      }
    }
  }
}
