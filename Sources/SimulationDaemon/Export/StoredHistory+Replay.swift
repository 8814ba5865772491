import JournalStore
import Simulator
import StateMachines

/// Replays a stored journal.
extension StoredHistory {
  /// The stored world, replayed from the latest usable checkpoint.
  func present() throws -> WorldCore {
    let latest = try asking { () throws(StoreFailure) in try store.checkpoint(of: name, atOrBefore: world.head) }
    return try played(from: latest, to: world.head, at: moment, WorldLimits())
  }

  /// The world after an input, replayed from a checkpoint, or from an earlier one if an undo reaches back beyond it.
  ///
  /// - Parameters:
  ///   - checkpoint: Nil for the beginning.
  ///   - end: The last input of a segment.
  func played(
    from checkpoint: StoredCheckpoint?, to end: UInt64, at moment: Instant, _ limits: WorldLimits
  ) throws -> WorldCore {
    let (checkpoint, undone) = try base(checkpoint, end)
    let start = checkpoint?.mark.sequence ?? 0
    let origin =
      if let checkpoint { try archived(checkpoint) } else { WorldCore(seed: settings.seed, limits: limits) }
    if start == end { return origin }
    var recovery = Recovery(of: origin, undone: undone, words, catalogue)
    try readSegments(from: start + 1, to: end) { try recovery.append($0.bytes, $0.first...$0.last) }
    return recovery.finish(at: moment, limits)
  }

  /// The world of a checkpoint.
  func archived(_ checkpoint: StoredCheckpoint) throws -> WorldCore {
    do throws(ArchiveFailure) {
      return try WorldCore(archive: checkpoint.bytes, kinds: { catalogue[$0] })
    } catch {
      throw HistoryFailure.unreadable(
        world: name, reason: "its checkpoint at input \(checkpoint.mark.sequence): \(error.text)")
    }
  }

  /// The latest checkpoint, this one or an earlier one, that no undo up to `end` reaches into, with the later undone
  /// spans.
  private func base(
    _ checkpoint: StoredCheckpoint?, _ end: UInt64
  ) throws -> (StoredCheckpoint?, UndoneSpans) {
    var checkpoint = checkpoint
    while true {
      let start = checkpoint?.mark.sequence ?? 0
      guard start + 1 >= world.first else { throw HistoryFailure.forgotten(world: name, first: world.first) }
      var undone = UndoneSpans()
      if start < end {
        try readSegments(from: start + 1, to: end) { undone.look(through: $0.bytes, $0.first...$0.last) }
      }
      guard let first = undone.first, first <= start else { return (checkpoint, undone) }
      checkpoint = try asking { () throws(StoreFailure) in try store.checkpoint(of: name, atOrBefore: first - 1) }
    }
  }

  /// Passes on the segments from the one with input `sequence` to the one that ends with `end`.
  private func readSegments(from sequence: UInt64, to end: UInt64, _ body: (Segment) throws -> Void) throws {
    var isAtEnd = false
    try readSegments(from: sequence) { segment in
      guard segment.last <= end else {
        throw HistoryFailure.unreadable(world: name, reason: "no segment of its journal ends with input \(end)")
      }
      try body(segment)
      isAtEnd = segment.last == end
      return !isAtEnd
    }
    guard isAtEnd else {
      throw HistoryFailure.unreadable(world: name, reason: "its journal ends before input \(end)")
    }
  }

  func asking<R>(_ body: () throws(StoreFailure) -> R) throws -> R {
    do throws(StoreFailure) {
      return try body()
    } catch {
      throw HistoryFailure.store(error)
    }
  }
}
