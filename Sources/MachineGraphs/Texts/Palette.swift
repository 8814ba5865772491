/// The colours of diagrams, each with one meaning, which it also has on the live page and in waveforms. Nothing is told by a
/// colour alone, and red is refused only.
enum Palette {
  /// The state in which a machine is, and its border.
  static let present = "#ffc233"
  static let presentLine = "#6b4a00"
  /// What can happen now: a heavy line in the colour of text.
  static let possible = "#20262d"
  /// A wire between machines.
  static let wire = "#1565c0"
  /// States and the borders of groups.
  static let state = "#f4f6f8"
  static let border = "#708090"
}
