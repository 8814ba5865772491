/// A daemon's lease as a value: how long it is good, when it is renewed, and what that shows of the other daemons.
///
/// All times are nanoseconds of a clock that also counts while the machine sleeps.
struct HostLease {
  /// How long a lease is good, here and in the database.
  static let span: UInt64 = 5_000_000_000
  /// How long after a failure the next attempt follows.
  static let pause: UInt64 = 200_000_000
  /// How long after the end of another daemon's lease it is looked for.
  static let lateness: UInt64 = 20_000_000

  /// It is counted from before the renewal was sent, so it is not later than the end in the database.
  private var end: UInt64?
  private(set) var nextRenewal: UInt64 = 0
  /// Daemons whose leases were good at the last renewal.
  private var known: Set<Epoch> = []
  private var given: Int64 = 0
  /// Whether worlds may need a daemon, which ``takeNews()`` has not reported yet.
  private var isUnsettled = true
  /// The earliest time to report it. While a database is away all leases end: the first daemon that comes back waits for
  /// the others.
  private var judgesFrom: UInt64 = 0
  private var hasNews = false
  private var term = 0

  /// The term in which it is good; nil if it is not.
  func term(at now: UInt64) -> Int? { end.map { now < $0 } ?? false ? term : nil }

  /// Notes a renewal.
  ///
  /// - Parameters:
  ///   - sent: When it was sent, at the latest.
  ///   - others: How long the leases of the other daemons are still good.
  ///   - given: How many worlds others have given to this daemon so far.
  mutating func didRenew(sent: UInt64, now: UInt64, others: [Epoch: UInt64], given: Int64) {
    // Even one that was sent in time may have come to the database when it was over.
    if term(at: now) == nil {
      if end != nil { judgesFrom = now + Self.span / 3 }
      // What was given up may still be this daemon's.
      (term, isUnsettled) = (term + 1, true)
    }
    end = sent + Self.span
    if !known.isSubset(of: others.keys) || given != self.given { isUnsettled = true }
    (known, self.given) = (Set(others.keys), given)
    nextRenewal = now + min(Self.span / 3, (others.values.min() ?? Self.span) + Self.lateness)
    if isUnsettled, now >= judgesFrom {
      (isUnsettled, hasNews) = (false, true)
    } else if isUnsettled {
      nextRenewal = min(nextRenewal, judgesFrom)
    }
  }

  /// Notes that a renewal failed, or that it is not known whether it happened.
  mutating func didFail(now: UInt64) { nextRenewal = now + Self.pause }

  /// Whether worlds may need a daemon; asking takes the note away.
  mutating func takeNews() -> Bool {
    defer { hasNews = false }
    return hasNews
  }
}
