import StateMachines

/// The time of a round on the host.
struct HostTime {
  /// In nanoseconds of ``HostClock``, which is never set.
  var monotonic: UInt64
  /// In nanoseconds since 1970; nil if worlds are to keep none.
  var wall: Int64?
}

/// How a world's time passes: with the host's clock at some speed, or only by requests.
///
/// Host times are nanoseconds of a monotonic clock. They are converted to moments only here.
struct WorldClock {
  enum Mode: String {
    case real, virtual
  }

  private(set) var mode: Mode
  private(set) var isPaused = false
  private(set) var speed = Speed.normal
  /// A host time and the world's moment at that time.
  private var anchor: (host: UInt64, moment: Instant)

  init(_ mode: Mode, host: UInt64, moment: Instant = .beginning) {
    self.mode = mode
    anchor = (host, moment)
  }

  /// Whether time passes by itself.
  var isRunning: Bool { mode == .real && !isPaused }

  mutating func set(_ mode: Mode, host: UInt64, moment: Instant) {
    self.mode = mode
    isPaused = false
    anchor = (host, moment)
  }

  mutating func set(_ speed: Speed, host: UInt64, moment: Instant) {
    self.speed = speed
    anchor = (host, moment)
  }

  mutating func pause() {
    isPaused = true
  }

  mutating func resume(host: UInt64, moment: Instant) {
    isPaused = false
    anchor = (host, moment)
  }

  /// Adds the time that passed while the daemon was not running.
  ///
  /// - Parameter milliseconds: Host time; not negative.
  mutating func makeUp(for milliseconds: Int64) {
    guard isRunning else { return }
    let (high, low) = (UInt64(milliseconds) &* 1_000_000).multipliedFullWidth(by: speed.billionths)
    guard high < Speed.unit else { return anchor.moment = .end }
    let passed = Speed.unit.dividingFullWidth((high, low)).quotient
    let most = UInt64((Instant.end - anchor.moment).nanoseconds)
    anchor.moment = anchor.moment + Nanoseconds(nanoseconds: Int64(min(passed, most)))
  }

  /// The moment at a host time; at most the end of world time.
  ///
  /// - Precondition: The clock is running.
  func moment(atHost host: UInt64) -> Instant {
    let elapsed = host > anchor.host ? host - anchor.host : 0
    let (high, low) = elapsed.multipliedFullWidth(by: speed.billionths)
    guard high < Speed.unit else { return .end }
    let passed = Speed.unit.dividingFullWidth((high, low)).quotient
    guard passed < UInt64(Instant.end.nanoseconds) else { return .end }
    return min(anchor.moment + Nanoseconds(nanoseconds: Int64(passed)), .end)
  }

  /// The earliest host time at which a moment is reached; nil if it is too far away to represent.
  ///
  /// - Precondition: The clock is running.
  func host(at moment: Instant) -> UInt64? {
    guard moment > anchor.moment else { return anchor.host }
    let distance = UInt64((moment - anchor.moment).nanoseconds)
    let (high, low) = distance.multipliedFullWidth(by: Speed.unit)
    guard high < speed.billionths else { return nil }
    let (quotient, remainder) = speed.billionths.dividingFullWidth((high, low))
    let (wait, isTooLong) = quotient.addingReportingOverflow(remainder > 0 ? 1 : 0)
    let (sum, overflow) = anchor.host.addingReportingOverflow(wait)
    return isTooLong || overflow ? nil : sum
  }
}

/// The ratio of a world's clock to the host's clock, exact to a billionth.
struct Speed: Equatable {
  static let unit: UInt64 = 1_000_000_000
  static let normal = Speed(billionths: unit)
  /// The allowed range, for messages.
  static let allowed = "0.001 to 1000000, with at most nine decimals"

  let billionths: UInt64

  private init(billionths: UInt64) {
    self.billionths = billionths
  }

  init?(_ text: String) {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count == 2 ? parts[1] : "0"
    let digits = Array(parts[0].utf8) + Array(fraction.utf8)
    guard !parts[0].isEmpty, !fraction.isEmpty, fraction.utf8.count <= 9, parts[0].utf8.count <= 7,
      digits.allSatisfy({ (0x30...0x39).contains($0) }), let whole = UInt64(parts[0]),
      let decimals = UInt64(fraction + String(repeating: "0", count: 9 - fraction.utf8.count))
    else { return nil }
    let billionths = whole * Speed.unit + decimals
    guard (Speed.unit / 1_000...Speed.unit * 1_000_000).contains(billionths) else { return nil }
    self.init(billionths: billionths)
  }

  /// The factor in decimals, without trailing zeros.
  var text: String {
    let (whole, rest) = billionths.quotientAndRemainder(dividingBy: Speed.unit)
    guard rest > 0 else { return "\(whole)" }
    var decimals = "\(Speed.unit + rest)".dropFirst()
    while decimals.last == "0" { decimals = decimals.dropLast() }
    return "\(whole).\(decimals)"
  }
}
