/// Delays a commit on a slow store, so that clients that were just answered can join it.
///
/// Without the delay, clients split into two groups that take turns, and each commit serves one of them.
struct CommitGathering {
  /// The longest wait, in nanoseconds.
  private static let longest: UInt64 = 2_000_000
  /// The share of the last commit's time that the next one waits at most.
  private static let share: UInt64 = 4

  /// How many clients the next commit may have: those that the last one answered, and those that waited meanwhile.
  private var clients = 0
  private var end: UInt64 = 0

  /// Notes the end of a commit, in host time.
  mutating func didCommit(_ clients: Int, took: UInt64, now: UInt64) {
    self.clients = clients
    end = now + min(took / Self.share, Self.longest)
  }

  /// Until when a commit for some clients waits for others; nil if it begins now.
  func wait(with clients: Int, now: UInt64) -> UInt64? { clients < self.clients && now < end ? end : nil }
}
