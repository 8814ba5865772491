/// Decodes UTF-8 byte by byte, from a text that may be cut anywhere.
struct ScalarDecoder: Hashable, Sendable, Codable {
  /// The bits so far of an incomplete character.
  private var bits: UInt32 = 0
  /// The least character of this many bytes. A smaller one is an overlong encoding.
  private var least: UInt32 = 0
  /// The number of bytes missing from the character.
  private(set) var missing: UInt8 = 0

  enum Taken {
    /// The character is not complete.
    case more
    case scalar(UInt32)
    /// The bytes up to this one are not a character.
    case broken
    /// The bytes before this one are not a character. This byte must be taken again.
    case brokenBefore
  }

  mutating func take(_ byte: UInt8) -> Taken {
    if missing > 0 {
      guard byte & 0xC0 == 0x80 else {
        missing = 0
        return .brokenBefore
      }
      bits = bits << 6 | UInt32(byte & 0x3F)
      missing -= 1
      if missing > 0 { return .more }
      let isCharacter = bits >= least && Unicode.Scalar(bits) != nil
      return isCharacter ? .scalar(bits) : .broken
    }
    if byte < 0x80 { return .scalar(UInt32(byte)) }
    if (0xC2...0xDF).contains(byte) {
      (bits, least, missing) = (UInt32(byte & 0x1F), 0x80, 1)
    } else if (0xE0...0xEF).contains(byte) {
      (bits, least, missing) = (UInt32(byte & 0x0F), 0x800, 2)
    } else if (0xF0...0xF4).contains(byte) {
      (bits, least, missing) = (UInt32(byte & 0x07), 0x1_0000, 3)
    } else {
      return .broken
    }
    return .more
  }
}
