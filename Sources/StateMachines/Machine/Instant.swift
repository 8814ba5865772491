/// A point in world time: whole nanoseconds since the world began.
///
/// It is not a wall-clock time and cannot be converted to one: a world can be stopped, sped up, rewound and replayed.
/// Sums saturate at `latest`, which no world reaches, so a timer armed for `latest` never expires.
public struct Instant: Hashable, Comparable, Sendable {
  /// Nanoseconds since the world began; never negative.
  public let nanoseconds: Int64

  @inlinable
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The moment at which a world begins.
  public static var beginning: Instant { Instant(nanoseconds: 0) }

  /// The largest moment. No world reaches it.
  public static var latest: Instant { Instant(nanoseconds: .max) }

  /// The end of world time, some 273 years after the beginning. Twice the longest interval still fits in.
  public static var end: Instant { Instant(nanoseconds: 100_000 * 86_400 * 1_000_000_000) }

  @inlinable
  public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

  /// The moment `interval` later, or `latest` if that lies beyond it.
  @inlinable
  public static func + (moment: Instant, interval: Nanoseconds) -> Instant {
    let (sum, overflow) = moment.nanoseconds.addingReportingOverflow(interval.nanoseconds)
    return Instant(nanoseconds: overflow ? .max : sum)
  }

  /// The time from `earlier` to `later`; negative if `later` is before `earlier`.
  @inlinable
  public static func - (later: Instant, earlier: Instant) -> Nanoseconds {
    Nanoseconds(nanoseconds: later.nanoseconds - earlier.nanoseconds)
  }
}

/// A length of world time in whole nanoseconds.
///
/// It is smaller than the standard library's `Duration`, which counts attoseconds in 128 bits. Arming a timer is on the
/// hot path of every simulation, and no machine needs fractions of a nanosecond.
public struct Nanoseconds: Hashable, Comparable, Sendable {
  public let nanoseconds: Int64

  @inlinable
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Creates the same length in whole nanoseconds; fractions of a nanosecond are dropped.
  ///
  /// - Precondition: `duration` is not negative, and shorter than 292 years.
  @inlinable
  public init(_ duration: Duration) {
    let attoseconds = duration.attoseconds
    precondition(attoseconds >= 0, "a duration of world time is not negative")
    let high = UInt64(truncatingIfNeeded: attoseconds >> 64)
    let low = UInt64(truncatingIfNeeded: attoseconds)
    // A single processor division replaces a call that divides 128 bits by 128.
    precondition(high < 500_000_000, "a duration of world time is shorter than 292 years")
    let nanosecond: UInt64 = 1_000_000_000
    self.init(
      nanoseconds: Int64(
        bitPattern: high == 0 ? low / nanosecond : nanosecond.dividingFullWidth((high, low)).quotient))
  }

  public static var zero: Nanoseconds { Nanoseconds(nanoseconds: 0) }

  /// The longest interval that a request may name: 36,500 days.
  public static var longest: Nanoseconds { .days(36_500) }

  @inlinable
  public static func milliseconds(_ count: Int64) -> Nanoseconds { Nanoseconds(nanoseconds: count * 1_000_000) }

  @inlinable
  public static func seconds(_ count: Int64) -> Nanoseconds { Nanoseconds(nanoseconds: count * 1_000_000_000) }

  public static func minutes(_ count: Int64) -> Nanoseconds { .seconds(count * 60) }

  public static func days(_ count: Int64) -> Nanoseconds { .seconds(count * 86_400) }

  /// Creates the interval nearest to a number of seconds, rounded half away from zero to whole nanoseconds.
  ///
  /// - Returns: `nil` if `seconds` is not finite, or if its magnitude exceeds `longest`.
  public init?(seconds: Double) {
    guard seconds.magnitude <= Nanoseconds.longest.seconds else { return nil }
    self.init(nanoseconds: Int64(nearest: seconds * 1e9))
  }

  /// The interval in seconds, to the precision of a `Double`.
  public var seconds: Double { Double(nanoseconds) / 1e9 }

  @inlinable
  public static func < (left: Nanoseconds, right: Nanoseconds) -> Bool { left.nanoseconds < right.nanoseconds }

  @inlinable
  public static func + (left: Nanoseconds, right: Nanoseconds) -> Nanoseconds {
    Nanoseconds(nanoseconds: left.nanoseconds + right.nanoseconds)
  }

  @inlinable
  public static func - (left: Nanoseconds, right: Nanoseconds) -> Nanoseconds {
    Nanoseconds(nanoseconds: left.nanoseconds - right.nanoseconds)
  }
}

extension Instant {
  /// The moment `duration` later, or `latest` if the sum exceeds it.
  @inlinable
  public static func + (moment: Instant, duration: Duration) -> Instant { moment + Nanoseconds(duration) }
}

extension Duration {
  /// The same length of time.
  @inlinable
  public init(_ interval: Nanoseconds) {
    self = .nanoseconds(interval.nanoseconds)
  }
}

// Encoded as the bare number of nanoseconds.
extension Instant: Codable {
  public init(from decoder: any Decoder) throws {
    nanoseconds = try decoder.singleValueContainer().decode(Int64.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(nanoseconds)
  }
}

extension Nanoseconds: Codable {
  public init(from decoder: any Decoder) throws {
    nanoseconds = try decoder.singleValueContainer().decode(Int64.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(nanoseconds)
  }
}

extension Int64 {
  /// Creates the integer nearest to `value`, rounding halves away from zero.
  ///
  /// It replaces `rounded()`, which calls the C mathematics library; nothing here links that.
  ///
  /// - Precondition: `value` is in the range of `Int64`.
  @inlinable
  package init(nearest value: Double) {
    let whole = Int64(value)
    // Exact: a `Double` of 2⁵² or more has no fraction, and below that this difference is not rounded.
    let fraction = value - Double(whole)
    self = fraction >= 0.5 ? whole + 1 : fraction <= -0.5 ? whole - 1 : whole
  }
}
