import LineProtocol

/// A word of an expression's text.
enum Token: Equatable {
  case number(Double)
  case string(String)
  case name(String)
  case symbol(String)
  case end
}

/// Splits a text into tokens.
struct Lexer {
  private let text: [UInt8]
  private(set) var offset = 0
  /// Whether there may be arrow functions.
  let hasArrows: Bool

  init(_ text: String) {
    self.text = Array(text.utf8)
    hasArrows = zip(self.text, self.text.dropFirst()).contains { $0 == UInt8(ascii: "=") && $1 == UInt8(ascii: ">") }
  }

  private static let symbols = [
    ">>>=", "===", "!==", ">>>", "**=", "<<=", ">>=", "=>", "&&", "||", "??", "==", "!=", "<=", ">=", "++", "--", "+=",
    "-=",
    "*=",
    "/=", "%=", "&=", "|=", "^=", "**", "<<", ">>", "{", "}", "(", ")", "[", "]", ".", ";", ",", "<", ">", "+", "-",
    "*",
    "/", "%", "&", "|", "^", "!", "~", "?", ":", "=",
  ].map { ($0, Array($0.utf8)) }

  /// The next token and where it starts.
  mutating func next() throws(SyntaxError) -> (token: Token, offset: Int) {
    try skipBlanks()
    let start = offset
    guard offset < text.count else { return (.end, start) }
    let byte = text[offset]
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return (.number(try number()), start)
    case UInt8(ascii: "."):
      if offset + 1 < text.count, Self.isDigit(text[offset + 1]) { return (.number(try number()), start) }
    case UInt8(ascii: "'"), UInt8(ascii: "\""): return (.string(try string(until: byte)), start)
    case let byte where Self.startsName(byte):
      while offset < text.count, Self.startsName(text[offset]) || Self.isDigit(text[offset]) { offset += 1 }
      return (.name(String(decoding: text[start..<offset], as: UTF8.self)), start)
    case _: break
    }
    for (symbol, bytes) in Self.symbols where bytes[0] == byte && text[offset...].starts(with: bytes) {
      offset += bytes.count
      return (.symbol(symbol), start)
    }
    throw SyntaxError("\(Unicode.Scalar(byte).escaped(asASCII: true)) has no meaning here", at: start)
  }

  /// Whether a line ends between two places.
  func hasLineEnd(_ range: Range<Int>) -> Bool { text[range].contains { $0 == 0x0A || $0 == 0x0D } }

  /// The text from one place to another.
  func text(_ range: Range<Int>) -> String { String(decoding: text[range], as: UTF8.self) }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  private static func startsName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
    case _: false
    }
  }

  private mutating func skipBlanks() throws(SyntaxError) {
    while offset < text.count {
      switch text[offset] {
      case 0x20, 0x09...0x0D: offset += 1
      case UInt8(ascii: "/") where text[offset...].starts(with: "//".utf8):
        while offset < text.count, text[offset] != 0x0A { offset += 1 }
      case UInt8(ascii: "/") where text[offset...].starts(with: "/*".utf8):
        let start = offset
        offset += 2
        while !text[offset...].starts(with: "*/".utf8) {
          guard offset < text.count else { throw SyntaxError("the comment has no end", at: start) }
          offset += 1
        }
        offset += 2
      case _: return
      }
    }
  }

  private mutating func number() throws(SyntaxError) -> Double {
    let start = offset
    if text[offset...].starts(with: "0x".utf8) || text[offset...].starts(with: "0X".utf8) {
      offset += 2
      var value = 0.0
      while offset < text.count, let digit = Character(Unicode.Scalar(text[offset])).hexDigitValue {
        value = value * 16 + Double(digit)
        offset += 1
      }
      return value
    }
    func digits() { while offset < text.count, Self.isDigit(text[offset]) { offset += 1 } }
    digits()
    if offset < text.count, text[offset] == UInt8(ascii: ".") {
      offset += 1
      digits()
    }
    if offset < text.count, text[offset] | 0x20 == UInt8(ascii: "e") {
      let mark = offset
      offset += 1
      if offset < text.count, text[offset] == UInt8(ascii: "+") || text[offset] == UInt8(ascii: "-") { offset += 1 }
      let first = offset
      digits()
      if offset == first { offset = mark }
    }
    if offset < text.count, Self.startsName(text[offset]) {
      throw SyntaxError("a number ends before a letter", at: offset)
    }
    guard let value = Double(literal: text[start..<offset]) else { throw SyntaxError("this is no number", at: start) }
    return value
  }

  private mutating func string(until quote: UInt8) throws(SyntaxError) -> String {
    let start = offset
    offset += 1
    var bytes: [UInt8] = []
    while offset < text.count, text[offset] != quote {
      guard text[offset] != 0x0A else { break }
      if text[offset] != UInt8(ascii: "\\") {
        bytes.append(text[offset])
        offset += 1
        continue
      }
      offset += 1
      guard offset < text.count else { break }
      let escape = text[offset]
      offset += 1
      switch escape {
      case UInt8(ascii: "n"): bytes.append(0x0A)
      case UInt8(ascii: "t"): bytes.append(0x09)
      case UInt8(ascii: "r"): bytes.append(0x0D)
      case UInt8(ascii: "b"): bytes.append(0x08)
      case UInt8(ascii: "f"): bytes.append(0x0C)
      case UInt8(ascii: "v"): bytes.append(0x0B)
      case UInt8(ascii: "0"): bytes.append(0)
      case 0x0A: break
      case UInt8(ascii: "x"): bytes.append(contentsOf: Array(String(try scalar(digits: 2)).utf8))
      case UInt8(ascii: "u"): bytes.append(contentsOf: Array(String(try scalar(digits: 4)).utf8))
      case _: bytes.append(escape)
      }
    }
    guard offset < text.count, text[offset] == quote else { throw SyntaxError("the string has no end", at: start) }
    offset += 1
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func unit(digits: Int) throws(SyntaxError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<digits {
      guard offset < text.count, let digit = Character(Unicode.Scalar(text[offset])).hexDigitValue else {
        throw SyntaxError("expected \(digits) hexadecimal digits", at: offset)
      }
      value = value << 4 | UInt32(digit)
      offset += 1
    }
    return value
  }

  private mutating func scalar(digits: Int) throws(SyntaxError) -> Character {
    var value = try unit(digits: digits)
    if value & 0xFC00 == 0xD800, text[offset...].starts(with: "\\u".utf8) {
      offset += 2
      let low = try unit(digits: 4)
      value = 0x10000 + (value - 0xD800) << 10 + (low & 0x3FF)
    }
    return Character(Unicode.Scalar(value) ?? "\u{FFFD}")
  }
}

extension Double {
  /// The number that decimal digits stand for.
  init?(literal digits: some Sequence<UInt8>) {
    var text = String(decoding: Array(digits), as: UTF8.self)
    if text.hasPrefix(".") { text = "0" + text }
    if text.hasSuffix(".") { text += "0" }
    text = text.replaced(".e", by: ".0e")
    self.init(text)
  }
}
