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

  /// The line without a tag that was added to its request.
  func without(tag: String) -> RawLine {
    // In an object the tag is the second member, and quotes within a text are escaped by backslashes.
    let isObject = bytes.first == UInt8(ascii: "{")
    let mark = Array((isObject ? ",\"tag\":\"\(tag)\"" : " @\(tag)").utf8)
    guard let place = isObject ? bytes.find(mark) : 1..<(1 + mark.count),
      bytes.dropFirst(place.lowerBound).starts(with: mark)
    else { return self }
    return RawLine(bytes: Array(bytes[..<place.lowerBound] + bytes[place.upperBound...]))
  }
}
