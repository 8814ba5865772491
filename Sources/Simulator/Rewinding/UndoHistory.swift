import StateMachines

/// What a world keeps so that it can go back in time: what was undone, and copies of itself.
///
/// The journal has all inputs, also those that were undone. What happened is what of it was not; from that, and the seed,
/// a world can be built up again, and from a copy all the sooner.
struct UndoHistory {
  /// Inputs that were undone together, and the input that undid them, which comes right behind.
  struct Undone {
    let from: UInt64
    let by: UInt64
  }

  let seed: UInt64
  /// In order; none touches another, since who goes back further takes in what was undone there.
  var undone: ContiguousArray<Undone> = []
  /// Copies of the world, oldest first.
  private(set) var checkpoints: ContiguousArray<Checkpoint> = []
  /// The input from which on another copy is due.
  private(set) var nextCheckpoint: UInt64
  /// Compositions of which no member is left, with the input that took the last one, in order.
  var compositions: [(end: UInt64, record: WorldCore.CompositionRecord)] = []

  private let mostBytes: Int
  /// Inputs between two copies, at least.
  private let distance: UInt64
  /// Inputs that the journal keeps.
  private let mostInputs: UInt64

  init(seed: UInt64, _ limits: WorldLimits) {
    self.seed = seed
    mostBytes = limits.checkpointBytes
    mostInputs = UInt64(max(1, limits.journal))
    distance = UInt64(max(1, min(limits.checkpointDistance, limits.journal / 4)))
    nextCheckpoint = distance
  }

  /// Those that an input was undone with, or that it has undone; nil if it is one that has happened.
  func span(of sequence: UInt64) -> Undone? {
    guard let last = undone.last, sequence <= last.by else { return nil }
    var low = 0
    var high = undone.count
    while low < high {
      let middle = (low + high) / 2
      if undone[middle].by < sequence { low = middle + 1 } else { high = middle }
    }
    return undone[low].from <= sequence ? undone[low] : nil
  }

  /// Notes that the inputs from one on are undone by another.
  ///
  /// - Parameters:
  ///   - checkpoint: A copy of the world as it is then, if one was made.
  ///   - machines: How many there are then.
  mutating func undo(
    from sequence: UInt64, by undoer: UInt64, _ checkpoint: Checkpoint?, machines: Int, firstKept: UInt64
  ) {
    UndoHistory.undo(from: sequence, by: undoer, in: &undone)
    while let last = checkpoints.last, last.sequence >= sequence { checkpoints.removeLast() }
    if let checkpoint { keep(checkpoint, firstKept: firstKept) }
    nextCheckpoint = max(undoer + 1, (checkpoints.last?.sequence ?? 0) + wait(machines: machines))
    forget(before: firstKept)
  }

  /// Takes an undoing in, which takes in those of what it undoes.
  static func undo(from sequence: UInt64, by undoer: UInt64, in undone: inout ContiguousArray<Undone>) {
    while let last = undone.last, last.from >= sequence { undone.removeLast() }
    undone.append(Undone(from: sequence, by: undoer))
  }

  /// Takes in what was undone behind all that is known.
  mutating func adopt(_ later: UndoneSpans) {
    for span in later.spans { UndoHistory.undo(from: span.from, by: span.by, in: &undone) }
  }

  /// Gives up what is of no use when the journal has forgotten all inputs before one.
  mutating func forget(before first: UInt64) {
    if let oldest = undone.first, oldest.by < first { undone.removeAll { $0.by < first } }
    if let oldest = compositions.first, oldest.end < first { compositions.removeAll { $0.end < first } }
  }

  // MARK: Checkpoints

  /// Lets a copy be due at once.
  mutating func waitNoLonger() {
    nextCheckpoint = 0
  }

  /// Lets no copies be made.
  mutating func keepNothing() {
    nextCheckpoint = .max
  }

  /// The copy from which the world is to be built up to just before an input; nil if there is none.
  func checkpoint(before sequence: UInt64, firstKept: UInt64) -> Checkpoint? {
    guard let found = checkpoints.last(where: { $0.sequence < sequence }), found.sequence + 1 >= firstKept else {
      return nil
    }
    return found
  }

  /// The oldest copy from which the journal still goes on.
  func oldestCheckpoint(firstKept: UInt64) -> Checkpoint? { checkpoints.first { $0.sequence + 1 >= firstKept } }

  /// How many inputs apart copies of so many machines are: what they cost is to be little beside those, and one is to be
  /// there as long as the journal goes on from it.
  func wait(machines: Int) -> UInt64 { max(distance, min(2 * UInt64(machines), mostInputs / 2)) }

  /// Lets the next copy be due that far behind an input; also when the journal begins to forget.
  mutating func wait(after sequence: UInt64, machines: Int) {
    nextCheckpoint = sequence + wait(machines: machines)
    if sequence <= mostInputs { nextCheckpoint = min(nextCheckpoint, mostInputs + 1) }
  }

  /// Whether a copy of so many bytes is one that can be kept.
  ///
  /// - Parameter isNeeded: Whether it is worth much memory, and not only one among several.
  func hasRoom(for bytes: Int, isNeeded: Bool) -> Bool { bytes <= (isNeeded ? mostBytes : mostBytes / 8) }

  /// Whether nothing could be undone before long if no copy was made: the journal has forgotten the beginning, and half
  /// of what it has kept since the newest copy.
  func needsCheckpoint(firstKept: UInt64, last: UInt64) -> Bool {
    // Of a world out of an archive the journal has nothing yet, and begins behind the last input.
    firstKept > 1 && (checkpoints.last?.sequence ?? 0) < firstKept + (last + 1 - firstKept) / 2
  }

  /// Keeps a copy, and of the older ones the fewer the longer ago they were.
  ///
  /// To go back to any moment then takes no more inputs than about as many as were since, and at most `distance` for what
  /// has just been.
  mutating func keep(_ checkpoint: Checkpoint, firstKept: UInt64) {
    checkpoints.append(checkpoint)
    checkpoints.removeAll { $0.sequence + 1 < firstKept }
    var tolerance: UInt64 = 1
    thinOut(tolerance)
    while checkpoints.count > 1, checkpoints.reduce(0, { $0 + $1.bytes }) > mostBytes {
      // Of two nothing can be thinned out.
      if tolerance > UndoHistory.mostTolerance {
        checkpoints.removeFirst()
      } else {
        tolerance *= 2
        thinOut(tolerance)
      }
    }
  }

  /// Gives up the newest copies as long as the way from what is before them is hardly longer: of a world that has grown
  /// too large to be copied, they are not worth their memory.
  mutating func giveUpWhatLiesFarBack(firstKept: UInt64, last: UInt64) {
    while let newest = checkpoints.last?.sequence {
      let before = checkpoints.count > 1 ? checkpoints[checkpoints.count - 2].sequence : 0
      guard before + 1 >= firstKept, (last - before) * 8 <= (last - newest) * 9 else { return }
      checkpoints.removeLast()
    }
  }

  /// Gives up all copies but the newest.
  mutating func giveUpOlderCheckpoints() {
    if checkpoints.count > 1 { checkpoints.removeFirst(checkpoints.count - 1) }
  }

  /// What is still there after so much patience goes by age.
  private static let mostTolerance: UInt64 = 1 << 16

  private mutating func thinOut(_ tolerance: UInt64) {
    guard let newest = checkpoints.last?.sequence else { return }
    var place = checkpoints.count - 2
    while place >= 0 {
      let younger = checkpoints[place + 1].sequence
      let older = place > 0 ? checkpoints[place - 1].sequence : 0
      // Without it the way from the older one is no longer than what lies behind the younger one.
      if younger - older <= tolerance * (newest - younger) { checkpoints.remove(at: place) }
      place -= 1
    }
  }
}

/// A copy of a world right after an input, without its journal, its watchers and what else only the present needs.
final class Checkpoint {
  let sequence: UInt64
  let world: WorldCore
  /// About how much memory it takes.
  let bytes: Int

  /// - Parameter sequence: The number that the last input has, or the one that undid all that came behind it.
  /// - Precondition: Time has not gone on since the last input.
  init(of world: borrowing WorldCore, as sequence: UInt64) {
    self.sequence = sequence
    bytes = world.bytesOfACopy
    self.world = WorldCore(
      copying: world,
      Journal(inputs: 1, bytes: 1, after: sequence, at: world.now.nanoseconds))
  }
}

extension WorldCore {
  /// Whether another copy is to be kept. Time must not have gone on since the last input.
  @inline(__always)
  var checkpointIsDue: Bool { journal.last >= past.nextCheckpoint && isAtItsLastInput }

  /// Whether a copy is due that would take a while.
  package var wantsCheckpoint: Bool { checkpointIsDue }

  /// Keeps a copy of the world if it is time for one, for the owner to call when a request is done.
  @inline(__always)
  package mutating func keepCheckpointIfDue() {
    if checkpointIsDue { keepCheckpoint() }
  }

  @inline(never)
  mutating func keepCheckpoint() {
    past.wait(after: journal.last, machines: registry.count)
    let isNeeded = past.needsCheckpoint(firstKept: journal.first, last: journal.last)
    guard past.hasRoom(for: bytesOfACopy, isNeeded: isNeeded) else {
      past.giveUpWhatLiesFarBack(firstKept: journal.first, last: journal.last)
      return
    }
    past.keep(Checkpoint(of: self, as: journal.last), firstKept: journal.first)
  }

  /// About how many bytes a copy of this world takes. Tables that neither changes are shared, which is not counted on.
  package var bytesOfACopy: Int {
    population.bytes + registry.bytes + agenda.count * MemoryLayout<Agenda.Entry>.stride + wires.bytes
      + keyedTimers.bytes + population.ownedBytes
  }

  /// The copies that are kept, and about how many bytes they take.
  package var checkpoints: (count: Int, bytes: Int) {
    (past.checkpoints.count, past.checkpoints.reduce(0) { $0 + $1.bytes })
  }
}
