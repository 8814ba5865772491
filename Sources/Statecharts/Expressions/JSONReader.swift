/// Reads JSON by RFC 8259, as `JSON.parse` does.
struct JSONReader {
  private let bytes: [UInt8]
  private(set) var place: Int
  private var depth = 0
  /// The bytes that a text may have, as it is written.
  private let longest: Int
  private(set) var hasLongText = false
  private var nextPause = stretch

  /// The bytes that are read between two pauses.
  private static let stretch = 1 << 16

  /// Whether the value at the place would be nested too deeply.
  var isTooDeep: Bool { depth >= DataValue.deepest && (next == UInt8(ascii: "{") || next == UInt8(ascii: "[")) }

  struct Mistake: Error {}

  init(_ bytes: [UInt8], from place: Int = 0, longestText: Int = .max) {
    self.bytes = bytes
    self.place = place
    longest = longestText
  }

  /// - Throws: If there is anything else than one value, or a value nested more deeply than ``DataValue/deepest``.
  mutating func document() throws -> DataValue {
    let value = try value()
    skipBlanks()
    guard place == bytes.count else { throw Mistake() }
    return value
  }

  var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  mutating func skipBlanks() {
    while let next, next == 0x20 || next == 0x09 || next == 0x0A || next == 0x0D { place += 1 }
  }

  /// Reads a character if it is the next one after blanks.
  mutating func takes(_ character: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard next == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  mutating func expect(_ character: Unicode.Scalar) throws {
    guard takes(character) else { throw Mistake() }
  }

  mutating func value() throws -> DataValue {
    skipBlanks()
    giveWay()
    switch next {
    case UInt8(ascii: "{"): return try nested { (reader) in try .object(reader.object()) }
    case UInt8(ascii: "["): return try nested { (reader) in try .array(reader.array()) }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case _: return .number(try number())
    }
  }

  mutating func nested<Value>(_ read: (inout JSONReader) throws -> Value) throws -> Value {
    guard depth < DataValue.deepest else { throw Mistake() }
    depth += 1
    place += 1
    let value = try read(&self)
    depth -= 1
    return value
  }

  private mutating func word(_ word: String, _ value: DataValue) throws -> DataValue {
    guard bytes[place...].starts(with: word.utf8) else { throw Mistake() }
    place += word.utf8.count
    return value
  }

  private mutating func array() throws -> DataArray {
    var array = DataArray()
    if takes("]") { return array }
    repeat { try array.append(try value()) } while takes(",")
    try expect("]")
    return array
  }

  /// A key that comes again has its last value, at its first place.
  private mutating func object() throws -> DataObject {
    var object = DataObject()
    if takes("}") { return object }
    repeat {
      skipBlanks()
      let key = try string()
      try expect(":")
      try object.set(try value(), for: key)
    } while takes(",")
    try expect("}")
    return object
  }

  private mutating func number() throws -> Double {
    let start = place
    if next == UInt8(ascii: "-") { place += 1 }
    // A number begins with 0 only if it has no other digit in front of the point.
    if next == UInt8(ascii: "0") { place += 1 } else { try digits() }
    if next == UInt8(ascii: ".") {
      place += 1
      try digits()
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      place += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { place += 1 }
      try digits()
    }
    guard let number = Double(String(decoding: bytes[start..<place], as: UTF8.self)) else { throw Mistake() }
    return number
  }

  private mutating func digits() throws {
    let start = place
    while let next, (0x30...0x39).contains(next) { place += 1 }
    guard place > start else { throw Mistake() }
  }

  mutating func string() throws -> String {
    guard next == UInt8(ascii: "\"") else { throw Mistake() }
    let begin = place
    place += 1
    var text: [UInt8] = []
    while true {
      let start = place
      let end = min(bytes.count, start + JSONReader.stretch)
      while place < end, bytes[place] >= 0x20, bytes[place] != UInt8(ascii: "\""), bytes[place] != UInt8(ascii: "\\") {
        place += 1
      }
      guard place - begin - 1 <= longest else {
        (hasLongText, place) = (true, begin)
        throw Mistake()
      }
      giveWay()
      text += bytes[start..<place]
      switch next {
      case UInt8(ascii: "\""):
        place += 1
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        place += 1
        text += String(try escaped()).utf8
      case _ where place - start == JSONReader.stretch: continue
      case _: throw Mistake()
      }
    }
  }

  /// Lets other work have its turn; see ``Budget/pause``. The result does not depend on it.
  private mutating func giveWay() {
    guard place >= nextPause else { return }
    nextPause = place + JSONReader.stretch
    Budget.pause.get()?()
  }

  private mutating func escaped() throws -> Unicode.Scalar {
    guard let kind = next else { throw Mistake() }
    place += 1
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(kind)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      let unit = try hexadecimal()
      guard unit & 0xFC00 == 0xD800, bytes[place...].starts(with: "\\u".utf8) else {
        return Unicode.Scalar(unit) ?? "\u{FFFD}"
      }
      let before = place
      place += 2
      let second = try hexadecimal()
      if second & 0xFC00 == 0xDC00, let pair = Unicode.Scalar(0x10000 + (unit & 0x3FF) << 10 + second & 0x3FF) {
        return pair
      }
      place = before
      return "\u{FFFD}"
    case _: throw Mistake()
    }
  }

  /// The number that four digits stand for. Half of a pair is no character, and becomes the replacement character.
  private mutating func hexadecimal() throws -> UInt32 {
    guard place + 4 <= bytes.count else { throw Mistake() }
    var unit: UInt32 = 0
    for byte in bytes[place..<place + 4] {
      guard
        let digit = Unicode.Scalar(byte).properties.isASCIIHexDigit
          ? Character(Unicode.Scalar(byte)).hexDigitValue : nil
      else { throw Mistake() }
      unit = unit << 4 | UInt32(digit)
    }
    place += 4
    return unit
  }
}
