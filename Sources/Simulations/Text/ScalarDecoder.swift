/// Characters out of bytes of UTF-8 that come one by one, cut anywhere.
struct ScalarDecoder: Hashable, Sendable, Codable {
  /// The bits so far of the character that is not complete yet.
  private var bits: UInt32 = 0
  /// The least character that takes this many bytes: anything below was written longer than it need be.
  private var least: UInt32 = 0
  /// How many bytes of it are still to come.
  private(set) var missing: UInt8 = 0

  enum Taken {
    /// The character goes on.
    case more
    case scalar(UInt32)
    /// The bytes so far, this one included, are no character.
    case broken
    /// The bytes so far are no character, and this one is not part of them: it is to be taken again.
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
