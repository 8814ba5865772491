import LineProtocol

/// Text of times in drawings.
enum WaveTime {
  /// Seconds with at least three decimals, as replies print a time.
  static func seconds(_ nanoseconds: Int64) -> String { TimeText.seconds(nanoseconds) }

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
