import StateMachines

/// How a world's time goes: with the host's clock, faster or slower than it, or only when somebody says so.
///
/// Host times are nanoseconds of a clock that never goes back; they never meet moments but here.
struct WorldClock {
  enum Mode: String {
    case real, virtual
  }

  private(set) var mode: Mode
  private(set) var isPaused = false
  private(set) var speed = Speed.normal
  /// A host time, and the moment of the world at it.
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

  /// Lets time have gone on while nobody was there.
  ///
  /// - Parameter milliseconds: Of the host's time; not negative.
  mutating func makeUp(for milliseconds: Int64) {
    guard isRunning else { return }
    let (high, low) = (UInt64(milliseconds) &* 1_000_000).multipliedFullWidth(by: speed.billionths)
    guard high < Speed.unit else { return anchor.moment = .end }
    let passed = Speed.unit.dividingFullWidth((high, low)).quotient
    let most = UInt64((Instant.end - anchor.moment).nanoseconds)
    anchor.moment = anchor.moment + Nanoseconds(nanoseconds: Int64(min(passed, most)))
  }

  /// The moment at a host time; the end of world time if it lies beyond.
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

  /// The earliest host time at which the moment has come; nil if that is too far away to wait for.
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

/// How many times faster than the host's clock a world's clock runs, exact to a billionth.
struct Speed: Equatable {
  static let unit: UInt64 = 1_000_000_000
  static let normal = Speed(billionths: unit)
  /// What is allowed, in words.
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
