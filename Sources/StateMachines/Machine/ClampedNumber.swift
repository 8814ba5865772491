extension FixedWidthInteger {
  /// The whole part of a number, or the bound of the type that is nearest to it; 0 for NaN.
  ///
  /// The standard library's conversion ends the program at a number that does not fit. Numbers of documents, and what
  /// is computed from readings, can be any.
  package init(clamping number: Double) {
    self = Self(exactly: number.rounded(.towardZero)) ?? (number > 0 ? .max : number < 0 ? .min : 0)
  }
}
