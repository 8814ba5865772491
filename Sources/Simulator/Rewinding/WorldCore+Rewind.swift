import StateMachines

extension WorldCore {
  // MARK: Requests

  /// Whether inputs belong to a request that was begun.
  package var isWithinRequest: Bool { journal.requestStart != .max }

  /// Begins a request that may bring several inputs from outside, which are undone together.
  package mutating func beginRequest() {
    journal.requestStart = journal.last + 1
  }

  package mutating func endRequest() {
    journal.requestStart = .max
  }

  // MARK: Going back

  /// The input that undid another, of several the last; nil if it was not undone.
  package func undoer(of sequence: UInt64) -> UInt64? {
    guard let undone = past.span(of: sequence), undone.by != sequence else { return nil }
    return undone.by
  }

  /// Whether an input is no part of what has happened: it was undone, or has undone others.
  func hasUndone(_ sequence: UInt64) -> Bool { past.span(of: sequence) != nil }

  /// Puts the world back to where a way back has led, as an input of its own. Watchers stay, and so do the journal and all
  /// numbers.
  ///
  /// - Precondition: It has arrived, and was begun for this world as it is.
  /// - Returns: The first input that was undone and the last; nil if none was, and only time went back.
  /// - Complexity: O(machines), and of what is thrown away.
  @discardableResult
  package mutating func rewind(_ rewinding: Rewinding) -> ClosedRange<UInt64>? {
    precondition(rewinding.hasArrived && rewinding.end == journal.last, "a world goes back from where it stands")
    let from = rewinding.firstUndone
    let undoer = journal.last + 1
    let (gone, back) = rewinding.withWorld { exchange(with: &$0) }
    livelock = nil
    reviveCompositions(undoneFrom: from)
    let dropped = retired[nextRetired...].filter { !registry.isAlive($0.machine) }
    retired = ContiguousArray(dropped) + gone.map { (undoer, $0) }
    nextRetired = 0
    for machine in back { watchers.enter(machine) }
    details.tag(.undone)
    details.number(undoer - from)
    _ = journal.append(worldwide: details, at: now)
    details.clear()
    past.undo(
      from: from, by: undoer, rewinding.checkpoint, machines: registry.count, firstKept: journal.first)
    unflushed?.undone.append(from...undoer)
    return from < undoer ? from...(undoer - 1) : nil
  }

  /// Takes over what machines are and what is to come, and gives away what they were.
  mutating func exchange(with other: inout WorldCore) -> (gone: [MachineID], back: [MachineID]) {
    var registry = registry.copy()
    let changes = registry.align(with: other.registry, population)
    swap(&registry, &self.registry)
    // The other world destroys the values that it gets, and so must know where they stand.
    swap(&registry, &other.registry)
    swap(&population, &other.population)
    swap(&agenda, &other.agenda)
    swap(&keyedTimers, &other.keyedTimers)
    swap(&wires, &other.wires)
    record.generator = other.record.generator
    now = other.now
    // Stamps are not given twice; what was armed before has lower ones all the same.
    armings = max(armings, other.armings)
    instantStamp = other.instantStamp
    chain = other.chain
    stallStamp = other.stallStamp
    return changes
  }

  /// Lets those compositions be that have members left.
  private mutating func reviveCompositions(undoneFrom sequence: UInt64) {
    if compositions.isEmpty, past.compositions.isEmpty { return }
    // Of those that ended before, the numbers may be others' by now.
    let candidates = compositions.map(\.value) + past.compositions.filter { $0.end >= sequence }.map(\.record)
    past.compositions.removeAll { $0.end >= sequence }
    compositions = [:]
    keep(candidates.filter { $0.sequence < sequence })
  }

  /// Keeps composed names: known are those that have members left, the others are part of the past.
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
