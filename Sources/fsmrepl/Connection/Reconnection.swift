/// When the next attempt to reach the daemon is made: soon at first, then ever less often.
struct Reconnection {
  /// In nanoseconds of the host's clock; `nil` when none is due.
  private(set) var next: UInt64?
  private(set) var isUnderWay = false
  private var delay = Reconnection.shortest
  private var lastReason: String?

  private static let shortest: UInt64 = 50_000_000
  private static let longest: UInt64 = 2_000_000_000

  /// Notes that there is no connection, and sets the time of the next attempt.
  mutating func failed(at now: UInt64) {
    isUnderWay = true
    next = now + delay
    delay = min(delay * 2, Self.longest)
  }

  /// Whether this reason for failing is another than the last time.
  mutating func isNews(_ reason: String) -> Bool {
    defer { lastReason = reason }
    return reason != lastReason
  }

  /// Notes that there is a connection, which has to prove itself by a greeting.
  mutating func waitForGreeting() {
    next = nil
  }
}
