/// Reads the tokens of JSON by RFC 8259. What values they make is up to the reader.
package struct JSONScanner {
  package struct Mistake: Error {
    package init() {}
  }

  private let bytes: [UInt8]
  package private(set) var place: Int
  /// The replacement for an unpaired surrogate; nil makes it a mistake.
  private let half: Unicode.Scalar?
  /// The bytes that a text may have, as it is written.
  private let longest: Int
  package private(set) var hasLongText = false
  /// Called between stretches of bytes.
  private let pause: (() -> Void)?
  private var nextPause = stretch

  /// The bytes that are read between two pauses.
  private static let stretch = 1 << 16

  package init(
    _ bytes: [UInt8], from place: Int = 0, half: Unicode.Scalar? = nil, longestText: Int = .max,
    pause: (() -> Void)? = nil
  ) {
    self.bytes = bytes
    self.place = place
    self.half = half
    longest = longestText
    self.pause = pause
  }

  /// The byte at the place; nil at the end.
  package var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  package mutating func skipBlanks() {
    while let next, next == 0x20 || next == 0x09 || next == 0x0A || next == 0x0D { place += 1 }
  }

  /// Reads a character if it is the next one after blanks.
  package mutating func takes(_ character: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard next == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  package mutating func expect(_ character: Unicode.Scalar) throws(Mistake) {
    guard takes(character) else { throw Mistake() }
  }

  /// - Throws: If more than blanks follows.
  package mutating func end() throws(Mistake) {
    skipBlanks()
    guard next == nil else { throw Mistake() }
  }

  /// Reads a word, which has no quotes, such as `true`.
  package mutating func expect(word: StaticString) throws(Mistake) {
    guard bytes[place...].starts(with: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)) else {
      throw Mistake()
    }
    place += word.utf8CodeUnitCount
  }

  /// A number as it is written.
  package mutating func number() throws(Mistake) -> String {
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
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  private mutating func digits() throws(Mistake) {
    let start = place
    while let next, next.isDigit { place += 1 }
    guard place > start else { throw Mistake() }
  }

  /// A text, whose quote is the next character after blanks.
  package mutating func string() throws(Mistake) -> String {
    skipBlanks()
    let begin = place
    try expect("\"")
    var text: [UInt8] = []
    while true {
      let start = place
      let end = min(bytes.count, start + Self.stretch)
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
      case _ where place - start == Self.stretch: continue
      case _: throw Mistake()
      }
    }
  }

  /// Lets other work have its turn. The result does not depend on it.
  package mutating func giveWay() {
    guard place >= nextPause else { return }
    nextPause = place + Self.stretch
    pause?()
  }

  /// The character after a backslash.
  private mutating func escaped() throws(Mistake) -> Unicode.Scalar {
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
      let unit = try fourDigits()
      if let scalar = Unicode.Scalar(unit) { return scalar }
      // A character above U+FFFF is written as two escapes.
      let before = place
      if unit < 0xDC00, bytes[place...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) {
        place += 2
        let low = try fourDigits()
        if low & 0xFC00 == 0xDC00, let pair = Unicode.Scalar(0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF) {
          return pair
        }
      }
      guard let half else { throw Mistake() }
      place = before
      return half
    case _: throw Mistake()
    }
  }

  private mutating func fourDigits() throws(Mistake) -> UInt32 {
    let digits = bytes[place...].prefix(4)
    guard digits.count == 4, digits.allSatisfy({ $0.isDigit || (0x61...0x66).contains($0 | 0x20) }) else {
      throw Mistake()
    }
    place += 4
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0
  }
}
