extension TimeText {
  /// A time or duration as people say it, from one in seconds as replies print it: `43.5s`, `00:05:43.5`,
  /// `1d 00:05:43.5`.
  ///
  /// Cut to milliseconds, so that no time is shown that has not come yet; less than one is in microseconds or
  /// nanoseconds. Learners type this form, too; ``LessonTime`` reads it.
  ///
  /// - Returns: `nil` for a text that is no time.
  package static func people(_ seconds: String) -> String? {
    guard let nanoseconds = time(seconds) else { return nil }
    let (milliseconds, below) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    if milliseconds == 0 { return written(below) }
    let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
    var fraction = rest == 0 ? "" : ".\(padded(rest, to: 3))"
    while fraction.last == "0" { fraction.removeLast() }
    if whole < 60 { return "\(whole)\(fraction)s" }
    let (days, ofDay) = whole.quotientAndRemainder(dividingBy: 86_400)
    let parts = [ofDay / 3_600, ofDay / 60 % 60, ofDay % 60].map { padded($0, to: 2) }
    return "\(days > 0 ? "\(days)d " : "")\(parts.joined(separator: ":"))\(fraction)"
  }

  private static func padded(_ number: Int64, to length: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(0, length - digits.count)) + digits
  }
}
