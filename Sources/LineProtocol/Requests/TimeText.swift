/// Durations and times as requests write them: `250ms`, `1.5s`, `10m`, `6h`, `2d`, `40us`, `7ns`; a bare number is
/// seconds. No sign, no exponent, one unit.
///
/// A time counts from the beginning of the world. It is written like a duration, but has a larger limit, since several
/// durations add up to it.
package enum TimeText {
  /// The form of a duration, for messages.
  package static let durationForm = "a number with one of ns us ms s m h d, up to 36500d"
  /// The form of a time, for messages.
  package static let timeForm = "a number with one of ns us ms s m h d, up to 100000d"

  /// The longest duration: 36,500 days.
  package static let longest: Int64 = 36_500 * 86_400 * 1_000_000_000
  /// The latest time, at which every world ends: 100,000 days.
  package static let latest: Int64 = 100_000 * 86_400 * 1_000_000_000

  private static let units: [(name: StaticString, nanoseconds: Int64)] = [
    ("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000),
    ("h", 3_600_000_000_000), ("d", 86_400_000_000_000),
  ]

  /// The duration in nanoseconds; nil if the text is not a duration, is longer than ``longest``, or is not a whole
  /// number of nanoseconds.
  package static func duration(_ text: UnsafeRawBufferPointer) -> Int64? { parse(text, most: longest) }

  package static func duration(_ text: String) -> Int64? { parse(text, most: longest) }

  /// The time in nanoseconds; nil if the text is not a time, is later than ``latest``, or is not a whole number of
  /// nanoseconds.
  package static func time(_ text: UnsafeRawBufferPointer) -> Int64? { parse(text, most: latest) }

  package static func time(_ text: String) -> Int64? { parse(text, most: latest) }

  private static func parse(_ text: UnsafeRawBufferPointer, most: Int64) -> Int64? {
    let digitsOrPoint = text.prefix { ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2E }
    let unit: Int64
    let suffix = text[digitsOrPoint.endIndex...]
    if suffix.isEmpty {
      unit = 1_000_000_000
    } else {
      guard let found = units.first(where: { $0.name.withUTF8Buffer { suffix.elementsEqual($0) } }) else { return nil }
      unit = found.nanoseconds
    }
    let parts = digitsOrPoint.split(separator: 0x2E, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = parts.first, !whole.isEmpty, parts.count == 1 || !parts[1].isEmpty else {
      return nil
    }
    guard let wholeNumber = number(whole), let total = product(wholeNumber, unit) else { return nil }
    guard parts.count == 2 else { return total <= most ? total : nil }
    var fraction = parts[1]
    while fraction.last == 0x30 { fraction = fraction.dropLast() }
    if fraction.isEmpty { return total <= most ? total : nil }
    // A day, 2^16·3^3·5^11 ns, can be halved sixteen times; with more decimals it is not a whole number of nanoseconds.
    guard fraction.count <= 16, let numerator = number(fraction) else { return nil }
    var scale: Int64 = 1
    for _ in 0..<fraction.count { scale *= 10 }
    let (high, low) = numerator.multipliedFullWidth(by: unit)
    let (quotient, remainder) = scale.dividingFullWidth((high, low))
    guard remainder == 0, total <= most - quotient else { return nil }
    return total + quotient
  }

  private static func parse(_ text: String, most: Int64) -> Int64? {
    var text = text
    return text.withUTF8 { parse(UnsafeRawBufferPointer($0), most: most) }
  }

  private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> Int64? {
    var number: Int64 = 0
    for digit in digits {
      let (tens, overflow) = number.multipliedReportingOverflow(by: 10)
      let (sum, carried) = tens.addingReportingOverflow(Int64(digit) - 0x30)
      if overflow || carried { return nil }
      number = sum
    }
    return number
  }

  private static func product(_ number: Int64, _ unit: Int64) -> Int64? {
    let (product, overflow) = number.multipliedReportingOverflow(by: unit)
    return overflow ? nil : product
  }

  /// A time or duration in seconds, as replies print it: at least three decimals.
  package static func seconds(_ nanoseconds: Int64) -> String {
    var buffer = ByteBuffer(capacity: 64)
    buffer.append(seconds: nanoseconds)
    return String(decoding: buffer.bytes, as: UTF8.self)
  }

  /// The duration in the largest unit in which it is a whole number, from minutes up; otherwise in decimals: `1500ms`
  /// as `1.5s`.
  package static func written(_ nanoseconds: Int64) -> String {
    if nanoseconds == 0 { return "0s" }
    let magnitude = nanoseconds.magnitude
    let sign = nanoseconds < 0 ? "-" : ""
    for (name, unit) in units.reversed() where magnitude % UInt64(unit) == 0 && unit >= 60_000_000_000 {
      return "\(sign)\(magnitude / UInt64(unit))\(name)"
    }
    for (name, unit) in units.reversed() where unit <= 1_000_000_000 && magnitude >= UInt64(unit) {
      let (whole, rest) = magnitude.quotientAndRemainder(dividingBy: UInt64(unit))
      guard rest > 0 else { return "\(sign)\(whole)\(name)" }
      var digits = "\(UInt64(unit) + rest)".dropFirst()
      while digits.last == "0" { digits = digits.dropLast() }
      return "\(sign)\(whole).\(digits)\(name)"
    }
    return "\(sign)\(magnitude)ns"
  }
}

extension TimeText {
  /// The text of a time in seconds, cached for following lines with the same time.
  package struct Cache: ~Copyable {
    private var nanoseconds: Int64 = 0
    private var text = ByteBuffer(capacity: 64)

    package init() {
      text.append(seconds: nanoseconds)
    }

    package mutating func append(_ nanoseconds: Int64, to buffer: inout ByteBuffer) {
      buffer.append(bytes(of: nanoseconds))
    }

    /// The text, with sixteen readable bytes after it; valid until the next call.
    package mutating func bytes(of nanoseconds: Int64) -> UnsafeRawBufferPointer {
      if nanoseconds != self.nanoseconds {
        self.nanoseconds = nanoseconds
        text.removeAll()
        text.append(seconds: nanoseconds)
      }
      return text.bytes
    }
  }
}
