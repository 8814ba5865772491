internal import LineProtocol
import StateMachines

/// A drawing as a table for people: what each input does in each state.
///
/// A cell is one of these:
/// - `→ X`: a move; `→ self`: a move to the same state
/// - `⟲`: handled within the state
/// - `ignored`, `refused`
/// - `LIMIT`: refused, since the step goes over a limit
/// - `final`: nothing can happen in this state
/// - `–`: the timer does not run
/// - `·`: the pair never occurred
///
/// Samples of data and conditions precede their outcome. Regions have tables of their own.
///
/// States are rows and inputs columns. A table that would be too wide is transposed; if that is too wide as well, each
/// state gets a list.
public struct GraphTable: Sendable {
  private let drawing: Drawing
  private let detail: Drawing.Detail
  /// Columns per line.
  private let width: Int

  /// Width in columns of a table whose reader is not known.
  public static let widest = 160
  /// Columns per line of a list for such a reader.
  private static let listWidth = 100

  /// - Parameters:
  ///   - drawing: With everything that is ignored or refused.
  ///   - detail: How much of it is shown: all has outputs, plain has no conditions.
  public init(_ drawing: Drawing, show detail: Drawing.Detail = .usual, width: Int = widest) {
    self.drawing = drawing
    self.detail = detail
    self.width = width
  }

  /// The table, without a line feed at the end.
  public var text: String {
    let members = drawing.isComposition ? drawing.top.nodes : []
    let wires = drawing.arrows.filter(\.isWire)
    let parts =
      members.isEmpty
      ? sections(of: drawing.top, titled: "")
      : members.map { member in
        [drawing.nodes[member].title]
          + drawing.nodes[member].regions.flatMap { sections(of: $0, titled: "") }.joined(separator: [""])
      } + [["wires"] + (wires.isEmpty ? ["  none"] : wires.map(line))]
    let why = drawing.whyPartial.flatMap { TextLines.wrapped("Partial: \($0)", to: min(width, Self.listWidth)) }
    let sorts = drawing.legend.flatMap {
      TextLines.wrapped("\($0.name): \($0.inputs.joined(separator: ", "))", to: min(width, Self.listWidth))
        .enumerated().map { $0 == 0 ? $1 : "  \($1)" }
    }
    let end = drawing.summary.flatMap { TextLines.wrapped($0, to: width) } + why + sorts + legend(parts.joined())
    return (Array(parts.joined(separator: [""])) + [""] + end).joined(separator: "\n")
  }

  private func line(_ wire: Drawing.Arrow) -> String {
    "  \(drawing.nodes[wire.from].name)  \(wire.label.text)  \(drawing.nodes[wire.to].name)"
  }

  /// What the signs mean that stand in the table.
  private func legend(_ lines: some Collection<String>) -> [String] {
    let signs = [
      ("⟲", "⟲ handled within the state"), ("ignored", "ignored: nothing happens"),
      ("refused", "refused: not possible"), ("LIMIT", "LIMIT: takes too much, and is refused"),
      ("–", "– does not run"), ("·", "· never came about"), ("*", "* possible now"), ("> ", "> present state"),
    ]
    let used = signs.filter { sign, _ in
      // States and events may have such names.
      if sign == "LIMIT", !drawing.arrows.contains(where: \.isOverLimit) { return false }
      if let effect = Self.effects[sign], !drawing.arrows.contains(where: { $0.effect == effect }) { return false }
      return lines.contains { sign == "> " ? $0.hasPrefix(sign) : $0.includes(sign) }
    }
    return used.isEmpty ? [] : TextLines.wrapped(used.map(\.1).joined(separator: "; "), to: min(width, Self.listWidth))
  }

  private static let effects: [String: Verdict] = ["ignored": .ignored, "refused": .refused]

  // MARK: Sections

  /// One table for the states outside regions, and one for each region.
  private func sections(of region: Drawing.Region, titled title: String) -> [[String]] {
    let rows = leaves(of: region)
    let composites = region.nodes.filter { drawing.nodes[$0].regions.count > 1 }
    let own =
      rows.isEmpty && composites.allSatisfy { arrows(from: $0).isEmpty }
      ? [] : [(title.isEmpty ? [] : [title]) + table(rows + composites.filter { !arrows(from: $0).isEmpty })]
    return own
      + composites.flatMap { composite in
        drawing.nodes[composite].regions.flatMap {
          sections(of: $0, titled: "\(drawing.nodes[composite].title), \($0.name)")
        }
      }
  }

  /// The states of a region, without those of regions within.
  private func leaves(of region: Drawing.Region) -> [Int] {
    region.nodes.flatMap { node -> [Int] in
      switch drawing.nodes[node].regions.count {
      case 0: [node]
      case 1: leaves(of: drawing.nodes[node].regions[0])
      default: []
      }
    }
  }

  private func arrows(from node: Int) -> [Drawing.Arrow] { drawing.arrows.filter { $0.from == node && !$0.isWire } }

  private func table(_ rows: [Int]) -> [String] {
    let own = Set(rows)
    let arrows = drawing.arrows.filter { own.contains($0.from) && !$0.isWire }
    let used = Set(arrows.map(\.label.trigger.withoutTime))
    var triggers = drawing.triggers.filter { used.contains($0.withoutTime) }
    if drawing.isComposition {
      var listed = Set(triggers.map(\.withoutTime))
      for arrow in arrows where listed.insert(arrow.label.trigger.withoutTime).inserted {
        triggers.append(arrow.label.trigger)
      }
    }
    let heads = triggers.map(head)
    // If the heads alone are too wide, the cells need not be laid out.
    let columnHeads = heads.reduce(0) { $0 + TextColumns.width(of: $1[0]) + 2 }
    let rowHeads = rows.reduce(0) { $0 + TextColumns.width(of: name($1)) + 2 }
    // Where the heads are too wide, there can be millions of cells.
    let mayFit = columnHeads <= width || rowHeads <= width
    let fromRow = mayFit ? Dictionary(grouping: arrows, by: \.from) : [:]
    let cells = mayFit ? rows.map { row in self.cells(row, triggers, fromRow[row] ?? []) } : []
    if columnHeads <= width {
      let table = grid(
        corner: "state", columns: heads, rows: rows.map(name), isMarked: { drawing.nodes[rows[$0]].isCurrent },
        cells: cells)
      if fits(table) { return table }
    }
    if rowHeads <= width {
      let turned = grid(
        corner: "event", columns: rows.map { [(drawing.nodes[$0].isCurrent ? "> " : "") + name($0)] },
        rows: heads.map { $0.joined(separator: " ") }, isMarked: { _ in false },
        cells: triggers.indices.map { column in rows.indices.map { cells[$0][column] } })
      if fits(turned) { return turned }
    }
    let listed = Dictionary(grouping: drawing.mergedArrows.filter { !$0.isWire }, by: \.from)
    return rows.filter { !drawing.nodes[$0].isUnreachable }.flatMap { list($0, listed[$0] ?? []) }
  }

  private func fits(_ lines: [String]) -> Bool { lines.allSatisfy { TextColumns.width(of: $0) <= width } }

  private func name(_ node: Int) -> String {
    guard drawing.isComposition, let member = drawing.path(to: node).first, member != node else {
      return drawing.nodes[node].name
    }
    // A member's states are named without it.
    return String(drawing.nodes[node].name.dropFirst(drawing.nodes[member].name.count + 1))
  }

  // MARK: Cells

  private func cells(_ row: Int, _ triggers: [Drawing.Trigger], _ arrows: [Drawing.Arrow]) -> [[String]] {
    triggers.map { drawing.goesOn() ? cell(row, $0, arrows) : [] }
  }

  /// - Parameter arrows: Those that begin in the row's state.
  private func cell(_ row: Int, _ trigger: Drawing.Trigger, _ arrows: [Drawing.Arrow]) -> [String] {
    let node = drawing.nodes[row]
    if node.isUnreachable { return ["·"] }
    let own = arrows.filter { $0.label.trigger.withoutTime == trigger.withoutTime }
    guard own.isEmpty else {
      var lines: [String] = []
      for line in own.map(text) where !lines.contains(line) { lines.append(line) }
      return lines
    }
    if case .timer = trigger { return ["–"] }
    return ["·"]
  }

  private func text(of arrow: Drawing.Arrow) -> String {
    let label = shown(arrow.label)
    let condition = [label.samples, label.condition.isEmpty ? "" : "[\(label.condition)]"]
      .filter { !$0.isEmpty }.joined(separator: " ")
    let outputs = label.outputs.isEmpty ? "" : " / " + label.outputList
    return (condition.isEmpty ? "" : "\(condition): ") + reaction(arrow) + outputs + (arrow.isPossible ? " *" : "")
  }

  private func shown(_ label: Drawing.Label) -> Drawing.Label {
    var label = label
    if detail != .all { label.outputs = [] }
    if detail == .plain { label.condition = "" }
    return label
  }

  private func reaction(_ arrow: Drawing.Arrow) -> String {
    switch arrow.effect {
    case .moved: arrow.to == arrow.from ? "→ self" : "→ \(name(arrow.to))"
    case .stayed: "⟲"
    case .ignored: "ignored"
    case .refused where arrow.isOverLimit: "LIMIT"
    case .refused: drawing.nodes[arrow.from].isFinal ? "final" : "refused"
    }
  }

  /// The name of an event or timer, and how long a timer runs.
  private func head(_ trigger: Drawing.Trigger) -> [String] {
    switch trigger {
    case .event(let name), .eventOrTimer(let name, _), .wire(_, let name): [name]
    case .timer(let name, let after): [name, after.map { "after \($0.label)" } ?? "timer"]
    }
  }

  // MARK: Layout

  private func grid(
    corner: String, columns: [[String]], rows: [String], isMarked: (Int) -> Bool, cells: [[[String]]]
  ) -> [String] {
    let head = [[corner]] + columns
    let body = rows.indices.map { [[rows[$0]]] + cells[$0] }
    let widths = head.indices.map { column in
      ([head] + body).flatMap { $0[column] }.map(TextColumns.width(of:)).max() ?? 0
    }
    func lines(_ row: [[String]], _ margin: String) -> [String] {
      (0..<(row.map(\.count).max() ?? 0)).map { number in
        let parts = row.indices.map { column in
          let text = number < row[column].count ? row[column][number] : ""
          return text + String(repeating: " ", count: widths[column] - TextColumns.width(of: text))
        }
        return Self.trimmed((number == 0 ? margin : "  ") + parts.joined(separator: "  "))
      }
    }
    let rule = "  " + widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")
    return lines(head, "  ") + [rule] + body.enumerated().flatMap { lines($1, isMarked($0) ? "> " : "  ") }
  }

  /// The outcomes of a state and their inputs; moves first.
  ///
  /// - Parameter arrows: The merged ones that begin in the state.
  private func list(_ row: Int, _ arrows: [Drawing.Arrow]) -> [String] {
    guard drawing.goesOn() else { return [] }
    var groups: [(text: String, isMove: Bool, inputs: [String])] = []
    var places: [String: Int] = [:]
    for arrow in arrows {
      let (text, input) = (reaction(arrow), shown(arrow.label).text + (arrow.isPossible ? " *" : ""))
      if let same = places[text] {
        groups[same].inputs.append(input)
      } else {
        places[text] = groups.count
        groups.append((text, arrow.effect == .moved, [input]))
      }
    }
    groups = groups.filter(\.isMove) + groups.filter { !$0.isMove }
    let indent = min(40, width / 3, groups.map { TextColumns.width(of: $0.text) }.max() ?? 0)
    return [(drawing.nodes[row].isCurrent ? "> " : "  ") + name(row)]
      + groups.flatMap { group in
        let padding = String(repeating: " ", count: max(0, indent - TextColumns.width(of: group.text)))
        let head = "    \(group.text)\(padding)  "
        return wrapped(group.inputs, after: head)
      }
  }

  private func wrapped(_ words: [String], after head: String) -> [String] {
    var lines: [String] = []
    let margin = TextColumns.width(of: head)
    let longest = min(width, Self.listWidth)
    var (line, used) = (head, margin)
    let texts = words.enumerated().flatMap { place, word in
      TextLines.wrapped(word + (place < words.count - 1 ? "," : ""), to: longest - margin)
    }
    for text in texts {
      let size = TextColumns.width(of: text)
      if used + size + 1 > longest, used > margin {
        lines.append(Self.trimmed(line))
        (line, used) = (String(repeating: " ", count: margin), margin)
      }
      line += used == margin ? text : " \(text)"
      used += size + (used == margin ? 0 : 1)
    }
    return lines + [Self.trimmed(line)]
  }

  private static func trimmed(_ line: String) -> String {
    var line = line
    while line.last == " " { line.removeLast() }
    return line
  }
}

extension Drawing.Trigger {
  /// Equal for the same event, and for timers of one name.
  fileprivate var withoutTime: Drawing.Trigger {
    if case .timer(let name, _) = self { return .timer(name, after: nil) }
    return self
  }
}
