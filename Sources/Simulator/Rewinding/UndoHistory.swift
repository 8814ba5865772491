import StateMachines

/// What a world keeps so that it can go back in time: its rewinds, and checkpoints.
///
/// The journal has all inputs, including undone ones. The others, with the seed, are enough to rebuild a world; a
/// checkpoint makes it faster.
struct UndoHistory {
  let seed: UInt64
  var rewinds = RewindList()
  /// Copies of the world, oldest first.
  private(set) var checkpoints: ContiguousArray<Checkpoint> = []
  /// The input from which on the next checkpoint is due.
  private(set) var nextCheckpoint: UInt64
  /// Compositions without members left, with the input that removed the last one, in order.
  var compositions: [(end: UInt64, record: WorldCore.CompositionRecord)] = []

  /// Kinds from documents that the journal speaks of or that machines have, by the input that defined them, whether
  /// they are in effect or not.
  private(set) var defined: [UInt64: DefinedKind] = [:]
  /// The approximate memory of the documents and their kinds.
  private(set) var definedBytes = 0
  /// With so many of them it is time to look for those that nobody needs any more.
  private var maxDefined = UndoHistory.fewDefined
  private static let fewDefined = 16

  private let maxBytes: Int
  /// The least number of inputs between two checkpoints.
  private let distance: UInt64
  /// Inputs that the journal keeps.
  private let maxInputs: UInt64

  /// Whether there may be many kinds from documents that nobody needs.
  var hasManyDefined: Bool { defined.count >= maxDefined }

  mutating func add(_ kind: DefinedKind) {
    definedBytes += kind.bytes
    defined[kind.sequence] = kind
  }

  /// Forgets kinds from documents but for those given.
  mutating func keepDefined(where isNeeded: (UInt64) -> Bool) {
    defined = defined.filter { isNeeded($0.key) }
    definedBytes = defined.values.reduce(0) { $0 + $1.bytes }
    maxDefined = max(UndoHistory.fewDefined, defined.count * 2)
  }

  /// Takes over the kinds from documents that another world knows, beside its own.
  mutating func takeDefined(of other: UndoHistory) {
    if defined.isEmpty {
      (defined, definedBytes) = (other.defined, other.definedBytes)
    } else {
      for kind in other.defined.values where defined[kind.sequence] == nil { add(kind) }
    }
    maxDefined = max(maxDefined, other.maxDefined)
  }

  init(seed: UInt64, _ limits: WorldLimits) {
    self.seed = seed
    maxBytes = limits.checkpointBytes
    maxInputs = UInt64(max(1, limits.journal))
    distance = UInt64(max(1, min(limits.checkpointDistance, limits.journal / 4)))
    nextCheckpoint = distance
  }

  /// Records that the inputs from `sequence` on are undone by another.
  ///
  /// - Parameters:
  ///   - isRedo: Whether they are undos, which are taken back.
  ///   - checkpoint: A copy of the resulting world, if one was made.
  ///   - machines: How many machines it has.
  mutating func undo(
    from sequence: UInt64, by undoer: UInt64, isRedo: Bool, _ checkpoint: Checkpoint?, machines: Int, firstKept: UInt64
  ) {
    rewinds.append(from: sequence, by: undoer, isRedo: isRedo)
    while let last = checkpoints.last, last.sequence >= sequence { checkpoints.removeLast() }
    if let checkpoint { keep(checkpoint, firstKept: firstKept) }
    nextCheckpoint = max(undoer + 1, (checkpoints.last?.sequence ?? 0) + wait(machines: machines))
    forget(before: firstKept)
  }

  /// Drops records that are useless once the journal has dropped all inputs before `first`.
  mutating func forget(before first: UInt64) {
    rewinds.forget(before: first)
    if let oldest = compositions.first, oldest.end < first { compositions.removeAll { $0.end < first } }
  }

  // MARK: Checkpoints

  /// Makes a checkpoint due at once.
  mutating func waitNoLonger() {
    nextCheckpoint = 0
  }

  /// Turns off checkpoints.
  mutating func keepNothing() {
    nextCheckpoint = .max
  }

  /// The checkpoint to rebuild from, up to just before an input; nil if there is none.
  func checkpoint(before sequence: UInt64, firstKept: UInt64) -> Checkpoint? {
    guard let found = checkpoints.last(where: { $0.sequence < sequence }), found.sequence + 1 >= firstKept else {
      return nil
    }
    return found
  }

  /// The oldest checkpoint that the journal can continue.
  func oldestCheckpoint(firstKept: UInt64) -> Checkpoint? { checkpoints.first { $0.sequence + 1 >= firstKept } }

  /// How many inputs apart checkpoints of this many machines are: far enough that their cost is small, and close enough
  /// that one exists as long as the journal continues it.
  func wait(machines: Int) -> UInt64 { max(distance, min(2 * UInt64(machines), maxInputs / 2)) }

  /// Schedules the next checkpoint after an input; also when the journal begins to drop inputs.
  mutating func wait(after sequence: UInt64, machines: Int) {
    nextCheckpoint = sequence + wait(machines: machines)
    if sequence <= maxInputs { nextCheckpoint = min(nextCheckpoint, maxInputs + 1) }
  }

  /// Whether a checkpoint of this size can be kept.
  ///
  /// - Parameter isNeeded: Whether it may use all of the memory, not only the share of one among several.
  func hasRoom(for bytes: Int, isNeeded: Bool) -> Bool { bytes <= (isNeeded ? maxBytes : maxBytes / 8) }

  /// Whether undo would soon be impossible without a new checkpoint: the journal has dropped the beginning, and half of
  /// its inputs are after the newest checkpoint.
  func needsCheckpoint(firstKept: UInt64, last: UInt64) -> Bool {
    // The journal of a world from an archive is empty, and begins after the last input.
    firstKept > 1 && (checkpoints.last?.sequence ?? 0) < firstKept + (last + 1 - firstKept) / 2
  }

  /// Adds a checkpoint, and thins out older ones the more the older they are.
  ///
  /// Going back to any moment then replays at most about as many inputs as have happened since, and at most `distance`
  /// for recent moments.
  mutating func keep(_ checkpoint: Checkpoint, firstKept: UInt64) {
    checkpoints.append(checkpoint)
    checkpoints.removeAll { $0.sequence + 1 < firstKept }
    var tolerance: UInt64 = 1
    thinOut(tolerance)
    while checkpoints.count > 1, checkpoints.reduce(0, { $0 + $1.bytes }) > maxBytes {
      // Two checkpoints cannot be thinned out.
      if tolerance > UndoHistory.maxTolerance {
        checkpoints.removeFirst()
      } else {
        tolerance *= 2
        thinOut(tolerance)
      }
    }
  }

  /// Drops the newest checkpoints while starting from the one before is hardly longer: once a world is too large to
  /// copy, they are not worth their memory.
  mutating func giveUpWhatLiesFarBack(firstKept: UInt64, last: UInt64) {
    while let newest = checkpoints.last?.sequence {
      let before = checkpoints.count > 1 ? checkpoints[checkpoints.count - 2].sequence : 0
      guard before + 1 >= firstKept, (last - before) * 8 <= (last - newest) * 9 else { return }
      checkpoints.removeLast()
    }
  }

  /// Drops all checkpoints except the newest.
  mutating func giveUpOlderCheckpoints() {
    if checkpoints.count > 1 { checkpoints.removeFirst(checkpoints.count - 1) }
  }

  /// Beyond this tolerance checkpoints are dropped by age.
  private static let maxTolerance: UInt64 = 1 << 16

  private mutating func thinOut(_ tolerance: UInt64) {
    guard let newest = checkpoints.last?.sequence else { return }
    var place = checkpoints.count - 2
    while place >= 0 {
      let younger = checkpoints[place + 1].sequence
      let older = place > 0 ? checkpoints[place - 1].sequence : 0
      // Starting from the older one then replays no more than the distance from the younger one.
      if younger - older <= tolerance * (newest - younger) { checkpoints.remove(at: place) }
      place -= 1
    }
  }
}

/// A copy of a world right after an input, without its journal and its watchers.
final class Checkpoint {
  let sequence: UInt64
  let world: WorldCore
  /// The approximate memory, in bytes.
  let bytes: Int

  /// - Parameter sequence: The number of the last input, or of the one that undid all later ones.
  /// - Precondition: No time has passed since the last input.
  init(of world: borrowing WorldCore, as sequence: UInt64) {
    self.sequence = sequence
    bytes = world.bytesOfACopy
    self.world = WorldCore(
      copying: world,
      Journal(inputs: 1, bytes: 1, after: sequence, at: world.now.nanoseconds))
  }
}

extension WorldCore {
  /// Whether a checkpoint is due. Requires that no time has passed since the last input.
  @inline(__always)
  var checkpointIsDue: Bool { journal.last >= past.nextCheckpoint && isAtItsLastInput }

  /// Whether a checkpoint is due, which may take a while.
  package var wantsCheckpoint: Bool { checkpointIsDue }

  /// Makes a checkpoint if one is due; the owner calls this after each request.
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

  /// The approximate memory of a copy of this world, in bytes. Storage shared by both is counted in full, but for the
  /// small lists of wires.
  package var bytesOfACopy: Int {
    population.bytes + registry.bytes + agenda.count * MemoryLayout<Agenda.Entry>.stride + wires.bytesOfACopy
      + keyedTimers.bytes + population.ownedBytes
  }

  /// The number of checkpoints, and their approximate memory in bytes.
  package var checkpoints: (count: Int, bytes: Int) {
    (past.checkpoints.count, past.checkpoints.reduce(0) { $0 + $1.bytes })
  }
}
