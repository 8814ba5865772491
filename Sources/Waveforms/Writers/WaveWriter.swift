package import LineProtocol

/// Writes a waveform as lines of text, piece by piece, so that a long one need not be in memory twice and others are
/// served between two pieces.
package protocol WaveWriter: Sendable {
  /// Writes the next lines: about ``WaveReplyPiece/bytes`` or what is drawn together, or none while it still looks at
  /// inputs.
  ///
  /// - Returns: Whether there is more.
  mutating func write(to text: inout ByteBuffer) -> Bool
}

/// How much a writer does at a time.
enum WaveReplyPiece {
  static let bytes = 64 << 10
  /// Inputs, words or changes looked at: less than a millisecond.
  static let inputs = 16_384
}

extension ByteBuffer {
  /// A whole line.
  mutating func line(_ text: String) {
    append(text: text)
    endLine()
  }

  mutating func lines(_ lines: [String]) {
    for line in lines { self.line(line) }
  }
}
