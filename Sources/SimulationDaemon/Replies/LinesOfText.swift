import LineProtocol

/// A text that goes out piece by piece, each of its lines as a line of a reply.
struct LinesOfText {
  private var text: [UInt8]
  private var next = 0
  private(set) var written = 0

  init(_ text: String) { self.init(Array(text.utf8)) }

  /// - Parameter text: Lines end with a line feed, a carriage return or both. The last one may have no end.
  init(_ text: [UInt8]) {
    self.text = text
  }

  /// Goes on with another text after this one, all of which is written.
  mutating func goOn(with text: [UInt8]) { (self.text, next) = (text, 0) }

  var isWritten: Bool { next == text.count }

  /// About how many bytes it takes.
  var bytes: Int { text.count }

  /// Writes the next piece.
  ///
  /// - Returns: Whether there is more.
  mutating func write(tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) -> Bool {
    let most = buffer.count + ReplyPiece.size
    while next < text.count, buffer.count < most {
      let end = text[next...].firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } ?? text.count
      buffer.begin(.data, tag: tag)
      buffer.append(literal: " ")
      text[next..<end].withUnsafeBytes { buffer.append($0) }
      buffer.endLine()
      written += 1
      let isPair = end + 1 < text.count && text[end] == UInt8(ascii: "\r") && text[end + 1] == UInt8(ascii: "\n")
      next = min(end + (isPair ? 2 : 1), text.count)
    }
    return !isWritten
  }
}
