import LineProtocol

/// The words of a waveform as a format writes them, in one piece of memory, made piece by piece.
struct WordBytes: Sendable {
  private var bytes: [UInt8] = []
  /// Where each ends.
  private var ends: [Int] = [0]

  /// Adds the next words.
  ///
  /// - Returns: Whether all are there.
  mutating func add(_ words: Waveform.WordList, _ write: (String, inout ByteBuffer) -> Void) -> Bool {
    let first = ends.count - 1
    guard first < words.words.count else { return true }
    var buffer = ByteBuffer()
    for word in words.words[first..<min(words.words.count, first + WaveReplyPiece.inputs)] {
      write(word, &buffer)
      ends.append(bytes.count + buffer.count)
    }
    bytes.append(contentsOf: buffer.bytes)
    return ends.count > words.words.count
  }

  @inline(__always)
  func append(_ word: UInt32, to buffer: inout ByteBuffer) {
    let range = ends[Int(word)]..<ends[Int(word) + 1]
    bytes.withUnsafeBytes { buffer.append(UnsafeRawBufferPointer(rebasing: $0[range])) }
  }
}

extension ByteBuffer {
  /// A text as a JSON string.
  mutating func append(json text: String) {
    var text = text
    text.withUTF8 { append(jsonText: UnsafeRawBufferPointer($0)) }
  }
}
