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
    let trimmed = text.utf8.drop { $0 <= 0x20 }
    let bytes = trimmed.reversed().drop { $0 <= 0x20 }.reversed()
    if bytes.isEmpty { return 0 }
    var unsigned = bytes[...]
    let isNegative = unsigned.first == UInt8(ascii: "-")
    if isNegative || unsigned.first == UInt8(ascii: "+") { unsigned.removeFirst() }
    let magnitude: Double
    if unsigned.elementsEqual("Infinity".utf8) {
      magnitude = .infinity
    } else {
      let digits = "0123456789.eE+-".utf8
      guard unsigned.allSatisfy({ digits.contains($0) }), let value = Double(literal: unsigned) else { return .nan }
      magnitude = value
    }
    return isNegative ? -magnitude : magnitude
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
