internal import Glibc

/// The date and time of day of the host, which can be set: for log lines, for how long the daemon was not running, and
/// beside the inputs of a world.
package enum WallClock {
  /// Now in nanoseconds since 1970.
  package static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// Now in milliseconds since 1970.
  package static func milliseconds() -> Int64 { now() / 1_000_000 }

  /// Now in UTC, to the millisecond: `2031-05-04T03:02:01.000Z`.
  package static func stamp() -> String {
    let now = now()
    return stamp(seconds: Int(now / 1_000_000_000), nanoseconds: Int(now % 1_000_000_000))
  }

  static func stamp(seconds: Int, nanoseconds: Int) -> String {
    var seconds = seconds
    var parts = tm()
    gmtime_r(&seconds, &parts)
    return date(parts) + fraction(nanoseconds) + "Z"
  }

  /// A time in the host's time zone, to the millisecond, with its distance from UTC: `2031-05-04T05:02:01.000+02:00`.
  ///
  /// - Parameter time: In nanoseconds since 1970.
  package static func text(of time: Int64) -> String {
    var (seconds, nanoseconds) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
    if nanoseconds < 0 { (seconds, nanoseconds) = (seconds - 1, nanoseconds + 1_000_000_000) }
    var whole = Int(seconds)
    var parts = tm()
    localtime_r(&whole, &parts)
    let minutes = parts.tm_gmtoff / 60
    let zone = "\(minutes < 0 ? "-" : "+")\(twoDigits(abs(minutes) / 60)):\(twoDigits(abs(minutes) % 60))"
    return date(parts) + fraction(Int(nanoseconds)) + zone
  }

  /// The forms that ``time(_:now:)`` reads, for messages.
  package static let form = "HH:MM[:SS[.MMM]], or YYYY-MM-DDTHH:MM[:SS[.MMM]][Z|+HH:MM|-HH:MM]"

  /// Reads a time: with a date in the host's time zone, or at a distance from UTC; without one, the last such time until
  /// now.
  ///
  /// - Parameter now: In nanoseconds since 1970.
  /// - Returns: In nanoseconds since 1970; nil if it is no time.
  package static func time(_ text: String, now: Int64) -> Int64? {
    let halves = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2 else {
      guard let clock = clock(Substring(text)) else { return nil }
      var seconds = Int(now / 1_000_000_000)
      var parts = tm()
      localtime_r(&seconds, &parts)
      let (year, month, day) = (parts.tm_year, parts.tm_mon, parts.tm_mday)
      let today = nanoseconds((year, month, day), clock, utcOffset: nil)
      return today <= now ? today : nanoseconds((year, month, day - 1), clock, utcOffset: nil)
    }
    var rest = halves[1]
    var offset: Int?
    if rest.last == "Z" {
      rest.removeLast()
      offset = 0
    } else if let sign = rest.lastIndex(where: { $0 == "+" || $0 == "-" }) {
      let zone = rest[rest.index(after: sign)...].split(separator: ":", omittingEmptySubsequences: false)
      guard zone.count == 2, let hours = digits(zone[0], 2, 0...23), let minutes = digits(zone[1], 2, 0...59) else {
        return nil
      }
      offset = (hours * 60 + minutes) * (rest[sign] == "-" ? -60 : 60)
      rest = rest[..<sign]
    }
    let date = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard date.count == 3, let year = digits(date[0], 4, 1970...2261), let month = digits(date[1], 2, 1...12),
      let day = digits(date[2], 2, 1...daysOfMonth(month, of: year)), let clock = clock(rest)
    else { return nil }
    return nanoseconds((Int32(year - 1900), Int32(month - 1), Int32(day)), clock, utcOffset: offset)
  }

  private typealias Clock = (hours: Int, minutes: Int, seconds: Int, nanoseconds: Int)

  private static func clock(_ text: Substring) -> Clock? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), let hours = digits(parts[0], 1...2, 0...23),
      let minutes = digits(parts[1], 2, 0...59)
    else { return nil }
    guard parts.count == 3 else { return (hours, minutes, 0, 0) }
    let halves = parts[2].split(separator: ".", omittingEmptySubsequences: false)
    guard halves.count <= 2, let seconds = digits(halves[0], 2, 0...59) else { return nil }
    guard halves.count == 2 else { return (hours, minutes, seconds, 0) }
    guard let fraction = digits(halves[1], 1...9, 0...999_999_999) else { return nil }
    let scale = (halves[1].count..<9).reduce(1) { scale, _ in scale * 10 }
    return (hours, minutes, seconds, fraction * scale)
  }

  private static func digits(_ text: Substring, _ count: Int, _ range: ClosedRange<Int>) -> Int? {
    digits(text, count...count, range)
  }

  private static func digits(_ text: Substring, _ counts: ClosedRange<Int>, _ range: ClosedRange<Int>) -> Int? {
    guard counts.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int(text), range.contains(number)
    else { return nil }
    return number
  }

  private static func daysOfMonth(_ month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// - Parameters:
  ///   - day: Years since 1900, months since January, and the day, which may be 0 for the last of the month before.
  ///   - utcOffset: In seconds; nil for the host's time zone.
  private static func nanoseconds(
    _ day: (years: Int32, months: Int32, day: Int32), _ clock: Clock, utcOffset: Int?
  ) -> Int64 {
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = day
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (Int32(clock.hours), Int32(clock.minutes), Int32(clock.seconds))
    // Whether it is summer time follows from the date.
    parts.tm_isdst = -1
    let seconds = if let utcOffset { timegm(&parts) - utcOffset } else { mktime(&parts) }
    return Int64(seconds) * 1_000_000_000 + Int64(clock.nanoseconds)
  }

  private static func date(_ parts: tm) -> String {
    var parts = parts
    var text = [CChar](repeating: 0, count: 32)
    let length = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%S", &parts)
    return String(decoding: text.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private static func fraction(_ nanoseconds: Int) -> String {
    ".\(String(1_000 + nanoseconds / 1_000_000).dropFirst())"
  }

  private static func twoDigits(_ number: Int) -> Substring { String(100 + number).dropFirst() }
}
