internal import LineProtocol

/// A line as received, without its end.
struct RawLine: Equatable, ExpressibleByStringLiteral {
  let bytes: [UInt8]
  /// The line as text, with escapes for bytes that are not UTF-8.
  let text: String

  init(bytes: [UInt8]) {
    self.bytes = bytes
    text = VisibleText.repaired(bytes)
  }

  init(_ text: String) {
    bytes = Array(text.utf8)
    self.text = text
  }

  init(stringLiteral text: String) {
    self.init(text)
  }
}
