import LineProtocol

/// Reads JSON by RFC 8259, as `JSON.parse` does.
struct JSONReader {
  var scanner: JSONScanner
  private var depth = 0

  /// Whether the value at the place would be nested too deeply.
  var isTooDeep: Bool {
    depth >= DataValue.deepest && (scanner.next == UInt8(ascii: "{") || scanner.next == UInt8(ascii: "["))
  }

  /// Half of a pair of escapes becomes the replacement character. Other work has its turn by ``Budget/pause``.
  init(_ bytes: [UInt8], from place: Int = 0, longestText: Int = .max) {
    scanner = JSONScanner(
      bytes, from: place, half: "\u{FFFD}", longestText: longestText,
      pause: Budget.pause.get().map { pause in { pause() } })
  }

  /// - Throws: If there is anything else than one value, or a value nested more deeply than ``DataValue/deepest``.
  mutating func document() throws -> DataValue {
    let value = try value()
    try scanner.end()
    return value
  }

  mutating func value() throws -> DataValue {
    scanner.skipBlanks()
    scanner.giveWay()
    switch scanner.next {
    case UInt8(ascii: "{"): return try nested { (reader) in try .object(reader.object()) }
    case UInt8(ascii: "["): return try nested { (reader) in try .array(reader.array()) }
    case UInt8(ascii: "\""): return .string(try scanner.string())
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case _:
      guard let number = Double(try scanner.number()) else { throw JSONScanner.Mistake() }
      return .number(number)
    }
  }

  /// Reads an object or a list, after its bracket.
  mutating func nested<Value>(_ read: (inout JSONReader) throws -> Value) throws -> Value {
    guard depth < DataValue.deepest else { throw JSONScanner.Mistake() }
    depth += 1
    _ = scanner.takes("{") || scanner.takes("[")
    let value = try read(&self)
    depth -= 1
    return value
  }

  private mutating func word(_ word: StaticString, _ value: DataValue) throws -> DataValue {
    try scanner.expect(word: word)
    return value
  }

  private mutating func array() throws -> DataArray {
    var array = DataArray()
    if scanner.takes("]") { return array }
    repeat { try array.append(try value()) } while scanner.takes(",")
    try scanner.expect("]")
    return array
  }

  /// A key that comes again has its last value, at its first place.
  private mutating func object() throws -> DataObject {
    var object = DataObject()
    if scanner.takes("}") { return object }
    repeat {
      let key = try scanner.string()
      try scanner.expect(":")
      try object.set(try value(), for: key)
    } while scanner.takes(",")
    try scanner.expect("}")
    return object
  }
}
