internal import LineProtocol

/// A line as it came, without its end.
struct RawLine: Equatable, ExpressibleByStringLiteral {
  let bytes: [UInt8]
  /// The same as text, with escapes for what is no UTF-8.
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
