public import StateMachines

/// The states and inputs of a graph as a table for people: the outcome of each input in each state.
///
/// A cell is one of these:
/// - `→ X`: a move; `→ self`: a move to the same state
/// - `⟲`: handled within the state
/// - `ignore`, or `illegal` for a refusal
/// - `final`: nothing can happen in this state
/// - `–`: the timer does not run
/// - `·`: the pair never occurred
///
/// Where the data of an event matter, samples precede their outcome.
///
/// States are rows and inputs columns. A table that would be too wide is transposed; if that is too wide as well, each
/// state gets a list.
public struct GraphTable: Sendable {
  private let graph: StateGraph
  private let mark: GraphMark?
  /// By state and column: events by name, then timers.
  private let cells: [[[Line]]]

  /// One line of a cell: an outcome, and the samples that lead to it if others do not.
  private struct Line: Equatable {
    var samples = ""
    let text: String
    var isNothing: Bool { text == "–" || text == "·" }
    var whole: String { samples.isEmpty ? text : "\(samples): \(text)" }
  }

  /// Width in characters above which a table is transposed, and then replaced by lists.
  private static let widest = 160
  /// Characters per line of a list.
  private static let listWidth = 100

  /// - Parameter mark: The machine whose row is marked with `>`, and its possible inputs with `*`.
  public init(_ graph: StateGraph, mark: GraphMark? = nil) {
    self.graph = graph
    self.mark = mark
    cells = graph.states.indices.map { state in
      graph.kind.events.indices.map { GraphTable.cell(graph, state, event: $0) }
        + graph.kind.timers.indices.map { GraphTable.cell(graph, state, timer: $0) }
    }
  }

  /// The table, without a line feed at the end.
  public var text: String { (body + [""] + summary).joined(separator: "\n") }

  private var body: [String] {
    // If the heads alone are too wide, the cells need not be laid out.
    let columnHeads = columns.reduce(0) { $0 + $1[0].utf8.count + 2 }
    let stateHeads = graph.states.reduce(0) { $0 + $1.word.utf8.count + 2 }
    if min(columnHeads, stateHeads) > GraphTable.widest { return lists }
    let table = grid(
      corner: "state", columns: columns, rows: graph.states.indices.map(row), isMarked: { $0 == mark?.state },
      cells: cells)
    if GraphTable.width(of: table) <= GraphTable.widest { return table }
    let turned = grid(
      corner: "event", columns: graph.states.indices.map { [($0 == mark?.state ? "> " : "") + row($0)] },
      rows: columns.map { $0.joined(separator: " ") }, isMarked: { _ in false },
      cells: columns.indices.map { column in graph.states.indices.map { cells[$0][column] } })
    if GraphTable.width(of: turned) <= GraphTable.widest { return turned }
    return lists
  }

  // MARK: Cells

  private static func cell(_ graph: StateGraph, _ state: Int, event: Int) -> [Line] {
    if graph.isFinal(state) { return [Line(text: "final")] }
    if graph.reach(of: state) == .unreached { return [Line(text: "·")] }
    var groups: [(text: [String], samples: [String])] = []
    for input in graph.inputs(ofEvent: event) {
      let text = texts(graph, state, input)
      let sample = StateGraph.sample(graph.arguments(of: input))
      if let same = groups.firstIndex(where: { $0.text == text }) {
        groups[same].samples.append(sample)
      } else {
        groups.append((text, [sample]))
      }
    }
    if groups.count == 1 { return groups[0].text.isEmpty ? [Line(text: "·")] : groups[0].text.map { Line(text: $0) } }
    let count = graph.inputs(ofEvent: event).count
    return groups.flatMap { group in
      group.text.map { Line(samples: StateGraph.listed(group.samples, of: count), text: $0) }
    }
  }

  private static func cell(_ graph: StateGraph, _ state: Int, timer: Int) -> [Line] {
    if graph.reach(of: state) == .unreached { return [Line(text: "·")] }
    let text = texts(graph, state, graph.input(ofTimer: timer))
    return text.isEmpty ? [Line(text: "–")] : text.map { Line(text: $0) }
  }

  private static func texts(_ graph: StateGraph, _ state: Int, _ input: Int) -> [String] {
    var texts: [String] = []
    for outcome in graph.outcomes(in: state, of: input) {
      let text = text(of: outcome, from: state, graph)
      if !texts.contains(text) { texts.append(text) }
    }
    return texts
  }

  private static func text(of outcome: GraphOutcome, from state: Int, _ graph: StateGraph) -> String {
    switch outcome.verdict {
    case .moved: outcome.to == state ? "→ self" : "→ \(graph.states[outcome.to].word)"
    case .stayed: "⟲"
    case .ignored: "ignore"
    case .refused: "illegal"
    }
  }

  // MARK: Heads

  private func row(_ state: Int) -> String { graph.states[state].word }

  /// The names of events and timers, marked if possible now, and the durations of timers.
  private var columns: [[String]] {
    graph.kind.events.indices.map { [graph.kind.events[$0].name + (isPossible($0) ? " *" : "")] }
      + graph.kind.timers.indices.map { timer in
        let place = graph.kind.events.count + timer
        let after = graph.timers[timer].duration.map { "after \($0.label)" }
        return [graph.kind.timers[timer].name + (isPossible(place) ? " *" : ""), after ?? "timer"]
      }
  }

  private func isPossible(_ column: Int) -> Bool {
    let events = graph.kind.events.count
    return mark.map { column < events ? $0.events.contains(column) : $0.timers.contains(column - events) } ?? false
  }

  // MARK: Layout

  private func grid(
    corner: String, columns: [[String]], rows: [String], isMarked: (Int) -> Bool, cells: [[[Line]]]
  ) -> [String] {
    let head = [[corner]] + columns
    let body = rows.indices.map { [[rows[$0]]] + cells[$0].map { $0.map(\.whole) } }
    let widths = head.indices.map { column in
      ([head] + body).flatMap { $0[column] }.map(\.count).max() ?? 0
    }
    func lines(_ row: [[String]], _ margin: String) -> [String] {
      (0..<(row.map(\.count).max() ?? 0)).map { number in
        let parts = row.indices.map { column in
          let text = number < row[column].count ? row[column][number] : ""
          return text + String(repeating: " ", count: widths[column] - text.count)
        }
        return GraphTable.trimmed((number == 0 ? margin : "  ") + parts.joined(separator: "  "))
      }
    }
    let rule = "  " + widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")
    return lines(head, "  ") + [rule] + body.enumerated().flatMap { lines($1, isMarked($0) ? "> " : "  ") }
  }

  /// For each state, the outcomes and their inputs.
  private var lists: [String] {
    graph.states.indices.filter { graph.reach(of: $0) != .unreached }.flatMap { state in
      let isMarked = state == mark?.state
      var groups: [(text: String, inputs: [String])] = []
      for (column, lines) in cells[state].enumerated() {
        for line in lines where !line.isNothing {
          let text = line.text
          // A timer that brings an event is listed only if its outcome differs from the event's.
          if let event = event(like: column), cells[state][event].contains(line) { continue }
          let input =
            name(of: column) + (line.samples.isEmpty ? "" : "(\(line.samples))")
            + (isMarked && isPossible(column) ? "*" : "")
          if let same = groups.firstIndex(where: { $0.text == text }) {
            groups[same].inputs.append(input)
          } else {
            groups.append((text, [input]))
          }
        }
      }
      groups = groups.filter { $0.text.hasPrefix("→") } + groups.filter { !$0.text.hasPrefix("→") }
      let width = min(40, groups.map(\.text.count).max() ?? 0)
      return [(isMarked ? "> " : "  ") + graph.states[state].word]
        + groups.flatMap { group in
          let head = "    " + group.text + String(repeating: " ", count: max(0, width - group.text.count)) + "  "
          return GraphTable.wrapped(group.inputs, after: head)
        }
    }
  }

  private func name(of column: Int) -> String {
    let events = graph.kind.events.count
    if column < events { return graph.kind.events[column].name }
    return graph.label(of: graph.input(ofTimer: column - events)) + (event(like: column) == nil ? "" : " (timer)")
  }

  /// The column of the event with the name of a timer.
  private func event(like column: Int) -> Int? {
    let events = graph.kind.events.count
    guard column >= events else { return nil }
    return graph.kind.events.firstIndex { $0.name == graph.kind.timers[column - events].name }
  }

  private static func wrapped(_ words: [String], after head: String) -> [String] {
    var lines: [String] = []
    var line = head
    for (place, word) in words.enumerated() {
      let text = word + (place < words.count - 1 ? "," : "")
      if line.count + text.count + 1 > listWidth, line.count > head.count {
        lines.append(trimmed(line))
        line = String(repeating: " ", count: head.count)
      }
      line += line.count == head.count ? text : " \(text)"
    }
    return lines + [trimmed(line)]
  }

  private static func trimmed(_ line: String) -> String {
    var line = line
    while line.last == " " { line.removeLast() }
    return line
  }

  private static func width(of lines: [String]) -> Int { lines.map(\.count).max() ?? 0 }

  // MARK: Summary

  private var summary: [String] {
    let totals = graph.totals
    func counted(_ number: Int, _ one: String, _ many: String) -> String { "\(number) \(number == 1 ? one : many)" }
    let found = totals.found < totals.states ? " (\(totals.found) found)" : ""
    var lines = [
      "\(counted(totals.states, "state", "states"))\(found), \(counted(totals.events, "event", "events")): "
        + "\(counted(totals.pairs, "pair", "pairs")), \(counted(totals.transitions, "transition", "transitions"))"
    ]
    let outcomes = [
      (totals.moved, "move"), (totals.stayed, "stay"), (totals.ignored, "ignored"), (totals.refused, "refused"),
      (totals.untried, "never came about"),
    ]
    lines.append(
      "\(counted(totals.classPairs, "pair", "pairs")) with the classes of data: "
        + outcomes.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", "))
    if !graph.isComplete {
      lines.append("Not all was tried: at most \(Exploration.machinesPerState) machines of each state were looked at.")
    }
    return lines
  }
}

extension Composition {
  /// The members and the wires between them as a table.
  public var table: String {
    let width = members.map(\.name.count).max() ?? 0
    func padded(_ text: String) -> String { text + String(repeating: " ", count: max(0, width - text.count)) }
    let nodes = members.map { "  \(padded($0.name))  \($0.kind.name)" }
    let edges = wires.map { wire in
      "  \(padded(members[wire.from].name))  \(label(of: wire))  \(members[wire.to].name)"
    }
    return (["members"] + nodes + ["", "wires"] + (edges.isEmpty ? ["  none"] : edges)).joined(separator: "\n")
  }
}
