import StateMachines

/// ECMAScript's conversions between types, and its comparisons.
extension DataValue {
  var isTruthy: Bool {
    switch self {
    case .undefined, .null: false
    case .boolean(let flag): flag
    case .number(let number): !(number == 0 || number.isNaN)
    case .string(let string): !string.isEmpty
    case .array, .object, .function: true
    }
  }

  var asNumber: Double {
    switch self {
    case .undefined, .object, .function: .nan
    case .null: 0
    case .boolean(let flag): flag ? 1 : 0
    case .number(let number): number
    case .string(let string): Self.number(of: string)
    case .array: Self.number(of: text)
    }
  }

  private static func number(of text: String) -> Double {
    let bytes = trimmed(text)
    if bytes.isEmpty { return 0 }
    if bytes.count > 2, bytes[0] == UInt8(ascii: "0") {
      let radix = [UInt8(ascii: "x"): 16, UInt8(ascii: "o"): 8, UInt8(ascii: "b"): 2][bytes[1] | 0x20]
      if let radix {
        let digits = bytes.dropFirst(2)
        return digits.allSatisfy { digit($0, below: radix) != nil } ? whole(digits, radix: radix) : .nan
      }
    }
    let (number, length) = leading(bytes)
    return length == bytes.count ? number : .nan
  }

  /// A text without white space at its ends.
  private static func trimmed(_ text: String) -> [UInt8] {
    func isBlank(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.value {
      case 0x09...0x0D, 0x20, 0xA0, 0x2028, 0x2029, 0xFEFF: true
      case ..<0x80: false
      case _: scalar.properties.generalCategory == .spaceSeparator
      }
    }
    let rest = text.unicodeScalars.drop(while: isBlank)
    guard let last = rest.lastIndex(where: { !isBlank($0) }) else { return [] }
    return Array(text.utf8[rest.startIndex..<text.unicodeScalars.index(after: last)])
  }

  /// The decimal number that a text begins with, and the bytes that it takes; NaN and 0 if there is none.
  private static func leading(_ bytes: [UInt8]) -> (Double, Int) {
    var place = 0
    func at(_ characters: String) -> Bool { place < bytes.count && characters.utf8.contains(bytes[place]) }
    func digits() -> Int {
      let start = place
      while place < bytes.count, (0x30...0x39).contains(bytes[place]) { place += 1 }
      return place - start
    }
    let isNegative = at("-")
    if at("+-") { place += 1 }
    let start = place
    if bytes[place...].starts(with: "Infinity".utf8) { return (isNegative ? -.infinity : .infinity, place + 8) }
    var count = digits()
    if at(".") {
      place += 1
      count += digits()
    }
    if count == 0 { return (.nan, 0) }
    var end = place
    if at("eE") {
      place += 1
      if at("+-") { place += 1 }
      if digits() > 0 { end = place }
    }
    guard let number = Double(literal: bytes[start..<end]) else { return (.nan, 0) }
    return (isNegative ? -number : number, end)
  }

  private static func digit(_ byte: UInt8, below radix: Int) -> Int? {
    let value: Int
    switch byte {
    case 0x30...0x39: value = Int(byte) - 0x30
    case 0x41...0x5A: value = Int(byte) - 0x41 + 10
    case 0x61...0x7A: value = Int(byte) - 0x61 + 10
    case _: return nil
    }
    return value < radix ? value : nil
  }

  private static func whole(_ digits: some Sequence<UInt8>, radix: Int) -> Double {
    digits.reduce(0) { $0 * Double(radix) + Double(digit($1, below: radix) ?? 0) }
  }

  /// As `parseFloat(text)` gives it.
  static func leadingNumber(of text: String) -> Double { leading(trimmed(text)).0 }

  /// As `parseInt(text, radix)` gives it; a radix of 0 stands for 10, or for 16 before `0x`.
  static func leadingInteger(of text: String, radix: Int) -> Double {
    var bytes = trimmed(text)[...]
    let isNegative = bytes.first == UInt8(ascii: "-")
    if isNegative || bytes.first == UInt8(ascii: "+") { bytes.removeFirst() }
    var radix = radix
    if radix == 0 || radix == 16, bytes.count > 1, bytes.starts(with: "0x".utf8) || bytes.starts(with: "0X".utf8) {
      bytes.removeFirst(2)
      radix = 16
    }
    if radix == 0 { radix = 10 }
    guard (2...36).contains(radix) else { return .nan }
    let digits = bytes.prefix { digit($0, below: radix) != nil }
    if digits.isEmpty { return .nan }
    let number = radix == 10 ? Double(literal: digits) ?? .nan : whole(digits, radix: radix)
    return isNegative ? -number : number
  }

  /// As `String(value)` gives it.
  var text: String {
    switch self {
    case .undefined: "undefined"
    case .null: "null"
    case .boolean(let flag): flag ? "true" : "false"
    case .number(let number): Self.text(of: number)
    case .string(let string): string
    case .array(let array): array.elements.map { $0.isNothing ? "" : $0.text }.joined(separator: ",")
    case .object: "[object Object]"
    case .function: "function"
    }
  }

  /// Whether the value is `undefined` or `null`.
  var isNothing: Bool {
    switch self {
    case .undefined, .null: true
    case .boolean, .number, .string, .array, .object, .function: false
    }
  }

  /// The shortest decimal that reads as this number, in ECMAScript's notation.
  static func text(of number: Double) -> String {
    if number.isNaN { return "NaN" }
    if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
    if number == 0 { return "0" }
    if number.magnitude < 1e15, number == number.rounded(.towardZero) { return String(Int64(clamping: number)) }
    let sign = number < 0 ? "-" : ""
    // Digits and exponent of Swift's shortest form, written as ECMAScript does.
    let parts = number.magnitude.description.split(separator: "e")
    let mantissa = parts[0].split(separator: ".")
    var digits = String(mantissa[0]) + (mantissa.count > 1 ? String(mantissa[1]) : "")
    var point = mantissa[0].utf8.count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    while digits.hasPrefix("0") {
      digits.removeFirst()
      point -= 1
    }
    while digits.hasSuffix("0") { digits.removeLast() }
    let count = digits.utf8.count
    if point > 21 || point < -5 {
      let exponent = point - 1
      let rest = String(digits.dropFirst())
      return sign + digits.prefix(1) + (rest.isEmpty ? "" : "." + rest) + "e" + (exponent < 0 ? "-" : "+")
        + String(exponent.magnitude)
    }
    if point >= count { return sign + digits + String(repeating: "0", count: point - count) }
    if point <= 0 { return sign + "0." + String(repeating: "0", count: -point) + digits }
    return sign + digits.prefix(point) + "." + digits.dropFirst(point)
  }

  /// `toFixed`: the number with so many decimals. Halves are rounded away from zero; there is no other rounding, since
  /// the digits are those of the exact value.
  static func text(of number: Double, decimals: Int) -> String {
    guard number.magnitude < 1e21 else { return text(of: number) }
    var whole = UInt128(clamping: number.magnitude)
    // The bits of the fraction, 32 in a word, the highest first. A fraction has at most 1,074.
    var words = [UInt64](repeating: 0, count: 34)
    var fraction = number.magnitude - number.magnitude.rounded(.down)
    var bit = 0
    while fraction > 0 {
      fraction *= 2
      if fraction >= 1 {
        words[bit / 32] |= 1 << UInt64(31 - bit % 32)
        fraction -= 1
      }
      bit += 1
    }
    var digits: [UInt8] = []
    for _ in 0..<decimals {
      var carry: UInt64 = 0
      for place in words.indices.reversed() {
        let product = words[place] * 10 + carry
        words[place] = product & 0xFFFF_FFFF
        carry = product >> 32
      }
      digits.append(UInt8(carry))
    }
    if words[0] >= 1 << 31 {
      var place = decimals
      while place > 0, digits[place - 1] == 9 {
        place -= 1
        digits[place] = 0
      }
      if place > 0 { digits[place - 1] += 1 } else { whole += 1 }
    }
    return (number < 0 ? "-" : "") + "\(whole)" + (digits.isEmpty ? "" : "." + digits.map(String.init).joined())
  }

  /// Whether it is the number NaN.
  var isNaN: Bool { if case .number(let number) = self { number.isNaN } else { false } }

  var typeName: String {
    switch self {
    case .undefined: "undefined"
    case .null, .array, .object: "object"
    case .boolean: "boolean"
    case .number: "number"
    case .string: "string"
    case .function: "function"
    }
  }

  /// `===`. Arrays and objects are the same when their contents are.
  static func same(_ left: DataValue, _ right: DataValue) -> Bool {
    if case .number(let left) = left, case .number(let right) = right { return left == right }
    return left == right
  }

  /// `==`.
  static func equal(_ left: DataValue, _ right: DataValue) -> Bool {
    switch (left, right) {
    case (.undefined, .null), (.null, .undefined): true
    case (.number, .string), (.string, .number), (.boolean, .number), (.number, .boolean), (.boolean, .string),
      (.string, .boolean), (.boolean, .boolean), (.array, .number), (.number, .array), (.array, .boolean),
      (.boolean, .array):
      left.asNumber == right.asNumber
    case (.array, .string), (.string, .array), (.object, .string), (.string, .object): left.text == right.text
    case _: same(left, right)
    }
  }

  /// `<` and its kin; `nil` if one of them is no number.
  static func compare(_ left: DataValue, _ right: DataValue, _ numbers: (Double, Double) -> Bool) -> Bool {
    if case .string(let left) = left, case .string(let right) = right {
      if left.utf8.elementsEqual(right.utf8) { return numbers(0, 0) }
      return left.utf16.lexicographicallyPrecedes(right.utf16) ? numbers(0, 1) : numbers(1, 0)
    }
    switch (left, right) {
    case (.array, .string), (.array, .array), (.array, .object), (.object, .string), (.object, .array),
      (.object, .object), (.string, .array), (.string, .object):
      return compare(.string(left.text), .string(right.text), numbers)
    case _: return numbers(left.asNumber, right.asNumber)
    }
  }

  /// The lower 32 bits of the number's whole part, as the bitwise operators take them.
  var asInt32: Int32 {
    let number = asNumber
    guard number.isFinite else { return 0 }
    let whole = number.rounded(.towardZero).truncatingRemainder(dividingBy: 4_294_967_296)
    return Int32(truncatingIfNeeded: Int64(clamping: whole))
  }

  /// The whole part as a place in a list, limited to what fits.
  func asPlace(default other: Int) -> Int {
    if case .undefined = self { return other }
    let number = asNumber
    if number.isNaN { return 0 }
    return Int(clamping: max(-1e15, min(1e15, number)))
  }
}
