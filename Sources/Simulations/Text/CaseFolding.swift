/// Simple case folding: a character to one character, so that a text is as long folded as it was.
enum CaseFolding {
  /// The form that characters which differ only in case have in common: `A` and `a`, `Σ`, `σ` and `ς`, the Kelvin sign
  /// and `k`. `ß` is not `ss`, since that would be two.
  static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    if scalar.isASCII {
      return ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar
    }
    let properties = scalar.properties
    // The dotless i has the capital I in upper case, but nobody takes the two for one letter.
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
  /// Whether it is part of words: letters, digits, accents that follow their letter, and the low line.
  var isWordCharacter: Bool {
    if isASCII {
      return ("a"..."z").contains(self) || ("A"..."Z").contains(self) || ("0"..."9").contains(self) || self == "_"
    }
    let properties = properties
    return properties.isAlphabetic || properties.numericType != nil
      || properties.canonicalCombiningClass != .notReordered
  }
}
