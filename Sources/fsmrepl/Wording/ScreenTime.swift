internal import LineProtocol

/// Times on a screen. The lines of the protocol, which pipes and files get, have them to the nanosecond.
enum ScreenTime {
  /// A time or a duration, from one in seconds as replies print it: from a minute on as people say it, below that in seconds,
  /// cut to milliseconds so that no time is shown that has not come yet. A text that is no time stays as it is.
  static func text(_ seconds: String) -> String {
    guard seconds.contains("."), let time = TimeText.time(seconds) else { return seconds }
    return time >= 60_000_000_000 ? TimeText.people(seconds) ?? seconds : cut(seconds, to: 3)
  }

  /// A number in decimals with at most so many of them.
  static func cut(_ number: String, to decimals: Int) -> String {
    guard let point = number.firstIndex(of: ".") else { return number }
    return String(number[...point] + number[number.index(after: point)...].prefix(decimals))
  }

  /// The same with the unit of a number of seconds: `43.500s`, `00:05:43.5`.
  static func text(_ seconds: String, unit: String) -> String {
    let text = text(seconds)
    return text.contains(":") ? text : text + unit
  }
}
