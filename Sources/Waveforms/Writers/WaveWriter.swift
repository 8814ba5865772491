package import LineProtocol

/// Writes a waveform as the lines of a reply, piece by piece, so that a long one need not be in memory twice and others
/// are served between two pieces.
package protocol WaveWriter: Sendable {
  /// Lines written so far.
  var written: Int { get }

  /// Writes the next lines: about ``WaveReplyPiece/bytes``, or none while it still looks at inputs.
  ///
  /// - Parameter tag: The request's tag, which each line repeats.
  /// - Returns: Whether there is more.
  mutating func write(to buffer: inout ByteBuffer, tag: UnsafeRawBufferPointer) -> Bool
}

/// How much a writer does at a time.
enum WaveReplyPiece {
  static let bytes = 64 << 10
  /// Inputs, words or changes looked at: less than a millisecond.
  static let inputs = 16_384
}

extension ByteBuffer {
  /// Begins a line of data; what follows is a line of the drawing.
  @inline(__always)
  mutating func beginLine(tag: UnsafeRawBufferPointer) {
    begin(.data, tag: tag)
    append(byte: 0x20)
  }

  /// A whole line of the drawing.
  mutating func line(_ text: String, tag: UnsafeRawBufferPointer) {
    beginLine(tag: tag)
    append(text: text)
    endLine()
  }
}

/// Lines that were drawn and wait to be written.
struct DrawnLines: Sendable {
  private var lines: [String] = []
  private var next = 0

  var isEmpty: Bool { next == lines.count }

  mutating func add(_ line: String) { lines.append(line) }

  mutating func add(_ more: [String]) { lines += more }

  /// Writes a piece of them.
  ///
  /// - Returns: How many were written.
  mutating func write(to buffer: inout ByteBuffer, tag: UnsafeRawBufferPointer) -> Int {
    let first = next
    let most = buffer.count + WaveReplyPiece.bytes
    while next < lines.count, buffer.count < most {
      buffer.line(lines[next], tag: tag)
      next += 1
    }
    defer { if isEmpty { (lines, next) = ([], 0) } }
    return next - first
  }
}
