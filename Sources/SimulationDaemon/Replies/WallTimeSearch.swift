import Simulator

/// Finds the first input at which the host's clock showed a time or a later one, forwards in stretches: clocks can be
/// set back, so the times are in no order.
final class WallTimeSearch {
  /// In nanoseconds since 1970.
  private let wall: Int64
  /// The first input not searched yet.
  private var next: UInt64
  /// The last input of the stored segment that is being searched; nil between two.
  private var segmentEnd: UInt64?

  /// Inputs searched in one go, and stored segments that are passed over in one.
  private static let stretch: UInt64 = 10_000
  private static let segments = 64

  init(for wall: Int64, in live: borrowing LiveWorld) {
    self.wall = wall
    next = live.firstSequence
  }

  /// Searches the next stretch.
  ///
  /// - Returns: The input once it is known; one more than the last input if there is none.
  /// - Throws: What the store throws.
  /// - Complexity: O(inputs of a stretch).
  func goOn(_ live: borrowing LiveWorld) throws(PersistenceFailure) -> UInt64? {
    // Inputs that left memory meanwhile are in the store, if there is one.
    next = max(next, live.firstSequence)
    if next < live.world.firstSequence, let stored = live.stored { return try goOn(live, stored) }
    let end = next + WallTimeSearch.stretch
    var reader = live.world.journalReader(from: next)
    while next < end, let entry = live.world.read(&reader) {
      if isReached(entry, live.world) { return entry.sequence }
      next = entry.sequence + 1
    }
    return next > live.world.lastSequence ? next : nil
  }

  private func goOn(_ live: borrowing LiveWorld, _ stored: StoredJournal) throws(PersistenceFailure) -> UInt64? {
    let last = live.world.firstSequence - 1
    guard let segmentEnd else {
      let found = try stored.segment(from: next, thatMayReach: wall, most: WallTimeSearch.segments)
      next = max(next, min(found.next, last + 1))
      segmentEnd = found.end
      return nil
    }
    var found: UInt64?
    var looked: UInt64 = 0
    next = try stored.read(next...max(next, min(segmentEnd, last)), in: live.world) { world, entry in
      looked += 1
      if isReached(entry, world) { found = entry.sequence }
      return found == nil && looked < WallTimeSearch.stretch
    }
    if next > min(segmentEnd, last) { self.segmentEnd = nil }
    return found
  }

  private func isReached(_ entry: JournalEntry, _ world: borrowing WorldCore) -> Bool {
    world.wallTime(of: entry).map { $0 >= wall } ?? false
  }
}
