/// Schedules attempts to reach the daemon, with exponential backoff.
struct Reconnection {
  /// In nanoseconds of the host clock; `nil` when no attempt is due.
  private(set) var next: UInt64?
  private(set) var isUnderWay = false
  private var delay = Reconnection.shortest
  private var lastReason: String?

  private static let shortest: UInt64 = 50_000_000
  private static let longest: UInt64 = 2_000_000_000

  /// Records that there is no connection, and schedules the next attempt.
  mutating func failed(at now: UInt64) {
    isUnderWay = true
    next = now + delay
    delay = min(delay * 2, Self.longest)
  }

  /// Whether this reason for failing differs from the last one.
  mutating func isNews(_ reason: String) -> Bool {
    defer { lastReason = reason }
    return reason != lastReason
  }

  /// Records a connection whose greeting has not arrived yet.
  mutating func waitForGreeting() {
    next = nil
  }
}
