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
    var bytes = withoutBlanks(text)
    while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
    if bytes.isEmpty { return 0 }
    for (prefix, radix) in [("0x", 16), ("0X", 16), ("0b", 2), ("0B", 2), ("0o", 8), ("0O", 8)]
    where bytes.starts(with: prefix.utf8) {
      let (number, length) = integer(bytes.dropFirst(2), radix: radix)
      return length + 2 == bytes.count ? number : .nan
    }
    let (number, length) = decimal(bytes)
    return length == bytes.count ? number : .nan
  }

  private static func withoutBlanks(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8).drop { $0 <= 0x20 } }

  /// `parseFloat`: the number that a text begins with.
  static func leadingNumber(of text: String) -> Double { decimal(withoutBlanks(text)).number }

  /// `parseInt`: the whole number that a text begins with.
  ///
  /// - Parameter radix: 0 for 10, or for 16 where the text says so.
  static func leadingInteger(of text: String, radix: Int) -> Double {
    var rest = withoutBlanks(text)
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    let isHexadecimal = rest.starts(with: "0x".utf8) || rest.starts(with: "0X".utf8)
    if isHexadecimal, radix == 0 || radix == 16 { rest.removeFirst(2) }
    let radix = radix == 0 ? isHexadecimal ? 16 : 10 : radix
    guard (2...36).contains(radix) else { return .nan }
    let number = integer(rest, radix: radix).number
    return isNegative ? -number : number
  }

  /// The whole number that bytes begin with; NaN if there are no digits.
  private static func integer(_ bytes: ArraySlice<UInt8>, radix: Int) -> (number: Double, length: Int) {
    let digits = bytes.prefix { digit($0).map { $0 < radix } ?? false }
    if digits.isEmpty { return (.nan, 0) }
    if radix == 10 { return (Double(literal: digits) ?? .nan, digits.count) }
    return (digits.reduce(0) { $0 * Double(radix) + Double(digit($1) ?? 0) }, digits.count)
  }

  private static func digit(_ byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte) - 0x30
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte) - 0x61 + 10
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(byte) - 0x41 + 10
    case _: nil
    }
  }

  /// The decimal number that bytes begin with; NaN if there is none.
  private static func decimal(_ bytes: ArraySlice<UInt8>) -> (number: Double, length: Int) {
    func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    var rest = bytes
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    let start = rest.startIndex
    if rest.starts(with: "Infinity".utf8) {
      return (isNegative ? -.infinity : .infinity, start - bytes.startIndex + 8)
    }
    rest = rest.drop(while: isDigit)
    var count = rest.startIndex - start
    if rest.first == UInt8(ascii: ".") {
      let fraction = rest.dropFirst().prefix(while: isDigit)
      count += fraction.count
      if count > 0 { rest = rest.dropFirst(fraction.count + 1) }
    }
    guard count > 0 else { return (.nan, 0) }
    if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
      var exponent = rest.dropFirst()
      if exponent.first == UInt8(ascii: "-") || exponent.first == UInt8(ascii: "+") { exponent.removeFirst() }
      let digits = exponent.prefix(while: isDigit)
      if !digits.isEmpty { rest = exponent.dropFirst(digits.count) }
    }
    let number = Double(literal: bytes[start..<rest.startIndex]) ?? .nan
    return (isNegative ? -number : number, rest.startIndex - bytes.startIndex)
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
    if number.magnitude < 1e15, number == number.rounded(.towardZero) { return String(Int64(number)) }
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
    var whole = UInt128(number.magnitude.rounded(.down))
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
    return numbers(left.asNumber, right.asNumber)
  }

  /// The lower 32 bits of the number's whole part, as the bitwise operators take them.
  var asInt32: Int32 {
    let number = asNumber
    guard number.isFinite else { return 0 }
    let whole = number.rounded(.towardZero).truncatingRemainder(dividingBy: 4_294_967_296)
    return Int32(truncatingIfNeeded: Int64(whole))
  }

  /// The whole part as a place in a list, limited to what fits.
  func asPlace(default other: Int) -> Int {
    if case .undefined = self { return other }
    let number = asNumber
    if number.isNaN { return 0 }
    return Int(max(-1e15, min(1e15, number.rounded(.towardZero))))
  }
}
