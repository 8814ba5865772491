/// The first byte of every line that the daemon sends.
public enum LineClass: UInt8, CaseIterable, Sendable {
  case success = 0x2B  // +
  case failure = 0x2D  // -
  case data = 0x2E  // .
  case notice = 0x2A  // *
  case flow = 0x21  // !
}

/// Writing lines: the class, then words with one space before each, quoted if necessary.
extension ByteBuffer {
  /// Begins a line of a reply; every line of a reply repeats the tag.
  @inlinable
  @inline(__always)
  public mutating func begin(_ lineClass: LineClass, tag: UnsafeRawBufferPointer) {
    append(byte: lineClass.rawValue)
    if tag.count > 0 {
      append(literal: " @")
      append(tag)
    }
  }

  /// Begins a line that answers no request.
  @inlinable
  @inline(__always)
  public mutating func begin(_ lineClass: LineClass) {
    append(byte: lineClass.rawValue)
  }

  @inlinable
  @inline(__always)
  public mutating func endLine() {
    append(byte: 0x0A)
  }

  /// A word that needs no quotes: a number, a name, a code.
  @inlinable
  @inline(__always)
  public mutating func word(bare bytes: UnsafeRawBufferPointer) {
    append(byte: 0x20)
    append(bytes)
  }

  @inlinable
  @inline(__always)
  public mutating func word(literal: StaticString) {
    append(byte: 0x20)
    append(literal: literal)
  }

  package mutating func word(_ number: UInt64) {
    append(byte: 0x20)
    append(decimal: number)
  }

  /// A plain word, quoted if necessary.
  package mutating func word(_ text: String) {
    append(byte: 0x20)
    append(quoting: text, asValue: false)
  }

  /// `key=value`, with the value quoted if necessary.
  package mutating func key(_ key: StaticString, _ value: String) {
    append(byte: 0x20)
    append(literal: key)
    append(byte: 0x3D)
    append(quoting: value, asValue: true)
  }

  /// `key=value` with a key known only at run time that needs no quotes.
  package mutating func word(key: String, _ value: String) {
    append(byte: 0x20)
    append(text: key)
    append(byte: 0x3D)
    append(quoting: value, asValue: true)
  }

  @inlinable
  @inline(__always)
  public mutating func key(_ key: StaticString, _ value: UInt64) {
    append(byte: 0x20)
    append(literal: key)
    append(byte: 0x3D)
    append(decimal: value)
  }

  @inlinable
  @inline(__always)
  public mutating func key(_ key: StaticString, bare value: UnsafeRawBufferPointer) {
    append(byte: 0x20)
    append(literal: key)
    append(byte: 0x3D)
    append(value)
  }

  /// A time or a number in decimals, as a word.
  package mutating func word(seconds nanoseconds: Int64) {
    append(byte: 0x20)
    append(seconds: nanoseconds)
  }

  /// `key=TIME` in seconds.
  package mutating func key(_ key: StaticString, seconds nanoseconds: Int64) {
    append(byte: 0x20)
    append(literal: key)
    append(byte: 0x3D)
    append(seconds: nanoseconds)
  }

  /// Text for people, up to the end of the line. Line feeds become spaces.
  package mutating func note(_ text: String) {
    append(literal: " : ")
    let start = count
    append(text: text)
    replaceControls(from: start)
  }

  private mutating func replaceControls(from start: Int) {
    guard bytes[start...].contains(where: { $0 < 0x20 }) else { return }
    let text = bytes[start...].map { $0 < 0x20 ? 0x20 : $0 }
    truncate(to: start)
    text.withUnsafeBytes { append($0) }
  }

  private mutating func append(quoting text: String, asValue: Bool) {
    guard Word.needsQuotes(text, asValue: asValue) else {
      append(text: text)
      return
    }
    append(text: Word.quoted(text))
  }

  /// World time or a duration in seconds, with at least three decimals and no trailing zeros after the third.
  package mutating func append(seconds nanoseconds: Int64) {
    if nanoseconds < 0 { append(byte: 0x2D) }
    let magnitude = nanoseconds.magnitude
    let (whole, fraction) = magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    append(decimal: whole)
    append(byte: 0x2E)
    var rest = fraction
    var digits = 9
    while digits > 3, rest % 10 == 0 {
      rest /= 10
      digits -= 1
    }
    var bound: UInt64 = 1
    for _ in 1..<digits { bound *= 10 }
    while bound > 1, rest < bound {
      append(byte: 0x30)
      bound /= 10
    }
    append(decimal: rest)
  }
}

/// A word in its written form.
package enum Word {
  /// Whether a word must be quoted to be read back unchanged.
  package static func needsQuotes(_ text: String, asValue: Bool) -> Bool {
    if text.isEmpty || text == ":" { return true }
    var hasEquals = false
    for byte in text.utf8 {
      if byte <= 0x22, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x22 { return true }
      if byte == 0x3D { hasEquals = true }
    }
    return hasEquals && !asValue && looksLikeKey(text)
  }

  /// The word in quotes, with escapes.
  package static func quoted(_ text: String) -> String {
    var quoted = "\""
    for character in text.unicodeScalars {
      switch character {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      default: quoted.unicodeScalars.append(character)
      }
    }
    return quoted + "\""
  }

  /// The word in its written form: in quotes if necessary.
  package static func written(_ text: String) -> String {
    needsQuotes(text, asValue: false) ? quoted(text) : text
  }

  /// Whether an unquoted word would be read as `key=value`.
  private static func looksLikeKey(_ text: String) -> Bool {
    guard let first = text.utf8.first, TextRules.isLetter(first) else { return false }
    return text.utf8.prefix { $0 != 0x3D }.allSatisfy(TextRules.isNameByte)
  }
}
