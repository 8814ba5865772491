/// How many columns of a terminal a text takes, where no terminal can be asked.
///
/// The daemon draws for terminals that it does not know, and its answers do not depend on its locale.
package enum TextColumns {
  /// The columns of a visible text (``VisibleText``).
  ///
  /// - Complexity: O(*n*) in the bytes of the text.
  package static func width(of text: some StringProtocol) -> Int {
    let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    return isASCII ? text.utf8.count : text.reduce(0) { $0 + width(of: $1) }
  }

  /// 1, 2 for characters of East Asian scripts and pictures, 0 for what has no room of its own.
  package static func width(of character: Character) -> Int {
    character.unicodeScalars.reduce(0) { max($0, width(of: $1)) }
  }

  private static func width(of scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    return isWide(scalar.value) || scalar.properties.isEmojiPresentation ? 2 : 1
  }

  /// The blocks of the Unicode Standard's annex 11 whose characters are wide or full width, without unassigned ones
  /// between them being looked at.
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1_7000...0x1_8DFF, 0x1_B000...0x1_B2FF,
      0x1_F200...0x1_F2FF, 0x2_0000...0x3_FFFD:
      true
    default: false
    }
  }
}
