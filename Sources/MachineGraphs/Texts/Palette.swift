/// The colours of diagrams. Each has one meaning, the same as on the live page and in waveforms; red means refused. A
/// colour never carries its meaning alone: a word, a weight or a shape says it too.
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
