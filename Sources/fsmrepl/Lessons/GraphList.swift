internal import LineProtocol

/// A diagram as a list of states with the arrows that leave them, from the lines of `graph NAME format=stateDiagram`.
struct GraphList: Equatable {
  struct State: Equatable {
    let name: String
    var isCurrent = false
    var arrows: [Arrow] = []
  }

  struct Arrow: Equatable {
    /// Event or timer, condition and outputs: `tap [window open] / text`.
    let label: String
    let target: String
    /// Whether it would be taken now.
    let isPossible: Bool
  }

  private(set) var states: [State] = []

  /// - Parameter rows: Lines of the answer, as received.
  init(_ rows: [String]) {
    var names: [String: String] = [:]
    // The states that hold no others stand in the list even if nothing leaves them.
    var leaves: [String] = []
    var current: Set<String> = []
    var arrows: [(from: String, to: String, label: String)] = []
    for row in rows {
      // `state "the name" as id`, and `{` if others are in it.
      var words = row.dropFirst(2).split(separator: " ")
      let holdsOthers = words.last == "{"
      if holdsOthers { words.removeLast() }
      if words.first == "state", words.count > 3, words[words.count - 2] == "as" {
        let id = String(words[words.count - 1])
        names[id] = row.split(separator: "\"").dropFirst().first.map { Self.decoded(String($0)) }
        if !holdsOthers { leaves.append(id) }
      } else if words.first == "class", words.count == 3, words[2] == "current" {
        current.insert(String(words[1]))
      } else if words.count > 2, words[1] == "-->", words[0] != "[*]" {
        let label = row.cut(at: " : ").map { String($0.after) } ?? ""
        arrows.append((String(words[0]), String(words[2]), label))
      }
    }
    var places: [String: Int] = [:]
    for id in leaves + arrows.map(\.from) + current.sorted() where places[id] == nil {
      places[id] = states.count
      states.append(State(name: names[id] ?? id, isCurrent: current.contains(id)))
    }
    for (from, to, label) in arrows {
      guard let index = places[from] else { continue }
      for part in Self.parts(of: label) {
        let text = Self.decoded(part.replaced("▶ ", by: ""))
        states[index].arrows.append(Arrow(label: text, target: names[to] ?? to, isPossible: part.hasPrefix("▶ ")))
      }
    }
  }

  /// The labels of one arrow, each on one line.
  private static func parts(of label: String) -> [String] {
    let hasBullets = label.hasPrefix("• ")
    var parts: [String] = []
    for piece in label.replaced("<br/>", by: "\n").split(separator: "\n") {
      let text = String(piece.hasPrefix("• ") ? piece.dropFirst(2) : piece)
      let goesOn = hasBullets ? !piece.hasPrefix("• ") : piece.hasPrefix("/ ") || parts.last?.hasSuffix(",") == true
      if goesOn, let last = parts.last {
        parts[parts.count - 1] = "\(last) \(text)"
      } else {
        parts.append(text)
      }
    }
    return parts
  }

  /// A text of a diagram with the characters that Mermaid's entities stand for: `#lt;`, `#43;`.
  static func decoded(_ text: String) -> String {
    let parts = text.split(separator: "#", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(into: String(parts[0])) { decoded, part in
      let (name, rest) = part.cut(at: ";") ?? ("", part)
      let entity = entities[name] ?? UInt32(name).flatMap(Unicode.Scalar.init)
      decoded += entity.map { "\(Character($0))\(rest)" } ?? "#\(part)"
    }
  }

  private static let entities: [Substring: Unicode.Scalar] = ["quot": "\"", "lt": "<", "gt": ">", "amp": "&"]

  func shown(width: Int?, style: Style) -> ScreenText {
    var table = Table()
    for state in states {
      let mark = state.isCurrent ? (style.usesUnicode ? "●" : "*") : " "
      var beginning = [Table.Cell(mark, .state), Table.Cell(state.name, state.isCurrent ? .state : .name)]
      if state.arrows.isEmpty { table.add(beginning) }
      for arrow in state.arrows {
        let isNext = arrow.isPossible && state.isCurrent
        let text = "\(arrow.label) \(style.arrow) \(arrow.target)"
        table.add(beginning + [Table.Cell(text, isNext ? .good : nil, isText: true)])
        beginning = [Table.Cell(" "), Table.Cell(" ")]
      }
    }
    return table.take(indent: "  ", width: width, style: style)
  }
}
