internal import LineProtocol

/// The inputs that a request has caused through wires, from the journal behind it.
struct CausedInputs: Equatable {
  struct Input: Equatable {
    let sequence: String
    /// The machine with the transition, or with what it did instead.
    let machine: String
    let what: [String]
  }

  private(set) var inputs: [Input] = []

  /// How many are shown; the others are counted.
  private static let mostShown = 4
  private static let outcomes: Set = ["moved", "stayed", "ignored", "refused"]

  /// - Parameters:
  ///   - rows: The lines of the journal behind the input.
  ///   - time: When the input was: all that wires deliver is at the same moment, and directly behind it.
  init(_ rows: [ServerLine], at time: String) {
    for row in rows where row.words.count > 4 && Self.outcomes.contains(row.words[3]) {
      guard row.words[1] == time, row["wire"] != nil else { return }
      inputs.append(Input(sequence: row.words[0], machine: row.words[2], what: Array(row.words[3...])))
    }
  }

  /// `+2 more: lamp off → on, tracker ignored`.
  func text(of inputs: [Input], style: Style) -> ScreenText {
    let shown = inputs.prefix(Self.mostShown).map { input -> ScreenText in
      let name = style(.name, input.machine)
      guard input.what[0] == "moved", input.what.count > 2 else { return "\(name) \(input.what[0])" }
      return "\(name) \(style(.state, input.what[1])) \(style.arrow) \(style(.state, input.what[2]))"
    }
    let rest = inputs.count > Self.mostShown ? ", \(style.ellipsis)" : ""
    return "\(style(.quiet, "+\(inputs.count) more:")) \(shown.joined(separator: ", "))\(rest)"
  }
}
