/// The bytes allowed in a line: UTF-8 without control characters other than tab.
package enum TextRules {
  /// Printable ASCII, including the space.
  @inline(__always)
  package static func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F }

  package static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.allSatisfy(isPlain) }

  /// For eight bytes at once: the top bit set in each that is not printable ASCII.
  ///
  /// Only the lowest set bit is exact; above it a borrow may set bits for bytes that are printable.
  @inline(__always)
  static func oddBytes(_ word: UInt64) -> UInt64 {
    let belowSpace = word &- 0x2020_2020_2020_2020
    let deleted = word ^ 0x7F7F_7F7F_7F7F_7F7F
    let isDeleted = (deleted &- 0x0101_0101_0101_0101) & ~deleted
    return (belowSpace | isDeleted | word) & 0x8080_8080_8080_8080
  }

  /// Why a line is not allowed, in words for people; nil if it is.
  package static func problem(in bytes: UnsafeRawBufferPointer) -> String? {
    for byte in bytes where (byte < 0x20 && byte != 0x09) || byte == 0x7F {
      return "a control character (byte \(byte)) is not allowed; of these only tab is"
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { return "this is not valid UTF-8" }
    // The control characters above ASCII, U+0080 to U+009F.
    if text.unicodeScalars.contains(where: { (0x80...0x9F).contains($0.value) }) {
      return "a control character is not allowed; of these only tab is"
    }
    return nil
  }

  /// Whether `bytes` may name a machine or a world: 1 to `longest` letters, digits, `_`, `-`, `.`, a letter first.
  package static func isName(_ bytes: UnsafeRawBufferPointer, longest: Int) -> Bool {
    guard let first = bytes.first, isLetter(first), bytes.count <= longest else { return false }
    return areNameBytes(bytes)
  }

  /// Whether all bytes are letters, digits, `_`, `-` or `.`.
  package static func areNameBytes(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.allSatisfy(isNameByte) }

  /// Whether `bytes` may be a tag, without its `@`.
  package static func isTag(_ bytes: UnsafeRawBufferPointer) -> Bool {
    (1...32).contains(bytes.count) && areNameBytes(bytes)
  }

  @inline(__always)
  static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A }

  @inline(__always)
  package static func isNameByte(_ byte: UInt8) -> Bool {
    isLetter(byte) || (byte >= 0x30 && byte <= 0x39) || byte == 0x5F || byte == 0x2D || byte == 0x2E
  }
}
