/// When the next commit begins, on a store that takes its time.
///
/// When a commit ends, its clients are answered, and many ask again at once; others have been waiting for the next one. The
/// next one waits a little for the former: otherwise each commit has one half of the clients, and takes as long.
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
