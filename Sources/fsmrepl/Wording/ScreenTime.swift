internal import LineProtocol

/// Times on a screen. The lines of the protocol, which pipes and files get, have them to the nanosecond.
enum ScreenTime {
  /// A time or a duration, from one in seconds as replies print it: from a minute on as people say it, below that in seconds,
  /// cut to milliseconds so that no time is shown that has not come yet. A text that is no time stays as it is.
  static func text(_ seconds: String) -> String {
    guard let time = TimeText.time(seconds), let point = seconds.firstIndex(of: ".") else { return seconds }
    if time >= 60_000_000_000 { return TimeText.people(seconds) ?? seconds }
    return String(seconds[..<(seconds.index(point, offsetBy: 4, limitedBy: seconds.endIndex) ?? seconds.endIndex)])
  }

  /// The same with the unit of a number of seconds: `43.500s`, `00:05:43.5`.
  static func text(_ seconds: String, unit: String) -> String {
    let text = text(seconds)
    return text.contains(":") ? text : text + unit
  }
}
