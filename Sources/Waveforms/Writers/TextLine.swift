import StateMachines

/// A line of output, as bytes: much quicker to fill than a `String`.
struct TextLine {
  private(set) var bytes: [UInt8] = []

  init() {
    bytes.reserveCapacity(128)
  }

  mutating func put(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func put(_ more: [UInt8]) { bytes.append(contentsOf: more) }

  mutating func put(decimal number: UInt64) {
    var digits: (UInt64, Int) = (number, 0)
    let start = bytes.count
    repeat {
      bytes.append(UInt8(truncatingIfNeeded: 0x30 + digits.0 % 10))
      digits.0 /= 10
      digits.1 += 1
    } while digits.0 > 0
    bytes[start...].reverse()
  }

  /// Seconds with at least three decimals.
  mutating func put(seconds nanoseconds: Int64) {
    let (whole, rest) = UInt64(max(0, nanoseconds)).quotientAndRemainder(dividingBy: 1_000_000_000)
    put(decimal: whole)
    bytes.append(UInt8(ascii: "."))
    var left = rest
    var unit: UInt64 = 100_000_000
    var digits = 0
    while digits < 3 || left > 0 {
      bytes.append(UInt8(truncatingIfNeeded: 0x30 + left / unit))
      left %= unit
      unit /= 10
      digits += 1
    }
  }
}

extension Instant {
  /// Seconds with at least three decimals, as replies print a time.
  var text: String {
    var line = TextLine()
    line.put(seconds: nanoseconds)
    return String(decoding: line.bytes, as: UTF8.self)
  }
}

/// Text of times in drawings.
enum WaveTime {
  /// Seconds with at least three decimals.
  static func seconds(_ nanoseconds: Int64) -> String { Instant(nanoseconds: nanoseconds).text }

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
