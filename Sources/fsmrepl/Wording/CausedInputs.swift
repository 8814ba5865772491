internal import LineProtocol

/// The inputs that a request has caused through wires, from the journal.
struct CausedInputs: Equatable {
  struct Input: Equatable {
    let sequence: String
    /// The machine with the transition, or with what it did instead.
    let machine: String
    let what: [String]
    /// Why it was refused.
    var note: String?
  }

  private(set) var inputs: [Input] = []

  /// How many are shown; the others are counted.
  private static let maxShown = 4
  private static let outcomes: Set = ["moved", "stayed", "ignored", "refused"]

  /// - Parameters:
  ///   - rows: The lines of the journal after an input, or of all inputs that a request has brought.
  ///   - time: The time of the input; wires deliver at the same time, directly after it. `nil` for all inputs of a
  ///     request.
  init(_ rows: [ServerLine], at time: String? = nil) {
    for row in rows where row.words.count > 4 && Self.outcomes.contains(row.words[3]) {
      if row["wire"] != nil, row.words[1] == time ?? row.words[1] {
        inputs.append(
          Input(sequence: row.words[0], machine: row.words[2], what: Array(row.words[3...]), note: row.note))
      } else if time != nil {
        return
      }
    }
  }

  /// `+2 more: lamp off → on, call.phone refused #7: no call is going on`.
  func text(of inputs: [Input], style: Style) -> ScreenText {
    let shown = inputs.prefix(Self.maxShown).map { input -> ScreenText in
      let name = style(.name, input.machine)
      switch input.what[0] {
      case "moved" where input.what.count > 2:
        return "\(name) \(style(.state, input.what[1])) \(style.arrow) \(style(.newState, input.what[2]))"
      case "refused":
        return "\(name) refused \(style(.quiet, "#\(input.sequence)"))\(input.note.map { ": \($0)" } ?? "")"
      case _: return "\(name) \(input.what[0])"
      }
    }
    let rest = inputs.count > Self.maxShown ? ", \(style.ellipsis)" : ""
    return "\(style(.quiet, "+\(inputs.count) more:")) \(shown.joined(separator: ", "))\(rest)"
  }
}
