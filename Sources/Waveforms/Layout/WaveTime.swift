import LineProtocol

/// Text of times in drawings.
enum WaveTime {
  /// Seconds with at least three decimals, as replies print a time.
  static func seconds(_ nanoseconds: Int64) -> String { TimeText.seconds(nanoseconds) }

  /// A length of time for people: `349 ms`, `34.5 s`, `26:47`, `3:20:00`.
  static func people(_ nanoseconds: Int64) -> String {
    let second: Int64 = 1_000_000_000
    if nanoseconds >= 60 * second { return clock((nanoseconds + second / 2) / second) }
    let unit = nanoseconds >= second ? ("s", second) : nanoseconds >= 1_000_000 ? ("ms", 1_000_000) : ("us", 1_000)
    let tenths = (nanoseconds * 10 + unit.1 / 2) / unit.1
    return tenths % 10 == 0 ? "\(tenths / 10) \(unit.0)" : "\(tenths / 10).\(tenths % 10) \(unit.0)"
  }

  /// `26:47`, `3:20:00`, `2d 3:20:00`.
  private static func clock(_ seconds: Int64) -> String {
    let minutes = "\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    switch seconds {
    case ..<3_600: return "\(seconds / 60):\(two(seconds % 60))"
    case ..<86_400: return "\(seconds / 3_600):\(minutes)"
    default: return "\(seconds / 86_400)d \(seconds / 3_600 % 24):\(minutes)"
    }
  }

  /// A moment as `6:00`, `1d 6:00`, or with its seconds.
  static func hours(_ nanoseconds: Int64, hasSeconds: Bool = false) -> String {
    let seconds = nanoseconds / 1_000_000_000
    let day = seconds >= 86_400 ? "\(seconds / 86_400)d " : ""
    let text = "\(day)\(seconds / 3_600 % 24):\(two(seconds / 60 % 60))"
    return hasSeconds ? "\(text):\(two(seconds % 60))" : text
  }

  private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// A length of time in at most two units, rounded down: `3h20m`, `41s`, `349ms`.
  static func short(_ nanoseconds: Int64) -> String {
    let units: [(name: String, size: Int64)] = [
      ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000),
      ("ms", 1_000_000), ("us", 1_000), ("ns", 1),
    ]
    for (place, unit) in units.enumerated() where nanoseconds >= unit.size {
      let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: unit.size)
      guard place + 1 < units.count, place < 3, rest >= units[place + 1].size else { return "\(whole)\(unit.name)" }
      return "\(whole)\(unit.name)\(rest / units[place + 1].size)\(units[place + 1].name)"
    }
    return "0s"
  }
}
