/// Simple case folding: one character to one character, so that folding keeps the length of a text.
enum CaseFolding {
  /// The common form of characters that differ only in case: `A` and `a`; `Σ`, `σ` and `ς`; the Kelvin sign and `k`.
  /// `ß` is not folded to `ss`, which would be two characters.
  static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    if scalar.isASCII {
      return ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar
    }
    let properties = scalar.properties
    // The upper case of the dotless i is the capital I, but the two are different letters.
    guard scalar != "ı", properties.changesWhenCaseMapped || properties.changesWhenCaseFolded else { return scalar }
    let upper = single(properties.uppercaseMapping) ?? scalar
    return single(upper.properties.lowercaseMapping) ?? upper
  }

  private static func single(_ mapping: String) -> Unicode.Scalar? {
    let scalars = mapping.unicodeScalars
    return scalars.count == 1 ? scalars.first : nil
  }
}

extension Unicode.Scalar {
  /// Whether the character is part of words: a letter, a digit, an accent that follows its letter, or the low line.
  var isWordCharacter: Bool {
    if isASCII {
      return ("a"..."z").contains(self) || ("A"..."Z").contains(self) || ("0"..."9").contains(self) || self == "_"
    }
    let properties = properties
    return properties.isAlphabetic || properties.numericType != nil
      || properties.canonicalCombiningClass != .notReordered
  }
}
