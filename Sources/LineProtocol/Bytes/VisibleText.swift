/// Escapes text from elsewhere so that a terminal shows all of it and executes none of it.
///
/// A line feed becomes `\n`, a carriage return `\r`, an escape character `\e`; every other control character, invisible
/// character or character that changes text direction becomes `\u{202E}` with its number; a byte that is not UTF-8
/// becomes `\xFF`. All others stay, tab and backslash included, so escaping twice changes nothing.
package enum VisibleText {
  /// The text with escapes for characters that a terminal would execute or hide.
  ///
  /// - Complexity: O(*n*) in the bytes of the text.
  package static func escaped(_ text: String) -> String {
    if isVisible(text) { return text }
    var escaped = ""
    for scalar in text.unicodeScalars { append(scalar, to: &escaped) }
    return escaped
  }

  /// The same for bytes that may not be UTF-8.
  package static func escaped(_ bytes: [UInt8]) -> String {
    if bytes.withUnsafeBytes(isPlain) { return String(decoding: bytes, as: UTF8.self) }
    return repaired(bytes) { append($0, to: &$1) }
  }

  /// The bytes as text; only bytes that are not UTF-8 are escaped.
  package static func repaired(_ bytes: [UInt8]) -> String {
    String(validating: bytes, as: UTF8.self) ?? repaired(bytes) { $1.unicodeScalars.append($0) }
  }

  /// Whether a terminal shows the whole text as it is.
  package static func isVisible(_ text: String) -> Bool {
    var text = text
    // Safety: the bytes are read within the call only.
    return text.withUTF8 { isPlain(UnsafeRawBufferPointer($0)) }
      || text.unicodeScalars.allSatisfy { !isHidden($0) }
  }

  /// Whether a terminal would execute this character, or show nothing for it.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x7F { return scalar.value < 0x20 && scalar != "\t" }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  /// Printable ASCII and tab, which most text consists of.
  private static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.allSatisfy { TextRules.isPlain($0) || $0 == 0x09 }
  }

  private static func append(_ scalar: Unicode.Scalar, to text: inout String) {
    guard isHidden(scalar) else { return text.unicodeScalars.append(scalar) }
    switch scalar {
    case "\n": text += "\\n"
    case "\r": text += "\\r"
    case "\u{1B}": text += "\\e"
    default: text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    }
  }

  private static func repaired(
    _ bytes: [UInt8], _ append: (Unicode.Scalar, inout String) -> Void
  ) -> String {
    var text = ""
    var parser = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    var rest = bytes[...]
    while true {
      switch parser.parseScalar(from: &iterator) {
      case .valid(let encoded):
        append(Unicode.UTF8.decode(encoded), &text)
        rest = rest.dropFirst(encoded.count)
      case .error(let length):
        for byte in rest.prefix(length) {
          text += "\\x\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16, uppercase: true))"
        }
        rest = rest.dropFirst(length)
      case .emptyInput: return text
      }
    }
  }
}
