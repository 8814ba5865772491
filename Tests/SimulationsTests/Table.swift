import StateMachines
import Testing

/// A transition table as the machines' descriptions print it, checked cell by cell against the machine that runs.
///
/// The first line names the inputs: `tap`, `character(a)`, or `doubleTap expires` for a timer. Each other line begins
/// with a state that a fresh machine is put into. A cell is `→ STATE`, `⟲`, `ignore`, `refuse`, or `–` for a timer that
/// does not run there, with ` > OUTPUT` behind it for each output.
struct Table {
  let kind: Kind
  let parameters: [String: Value]
  /// How to get to a row that is more than a state: its label, and a machine that is there.
  let rows: [String: @Sendable () -> Bench]
  /// Compares only this region of a state's word, and no outputs; `·` says that only other regions did something.
  let region: Int?
  private let columns: [String]
  private let lines: [(label: String, cells: [String])]

  init(
    _ kind: Kind, with parameters: [String: Value] = [:], rows: [String: @Sendable () -> Bench] = [:],
    region: Int? = nil, _ text: String
  ) {
    let grid = text.split(separator: "\n").map { line in
      line.split(separator: "|", omittingEmptySubsequences: false).map { String($0).trimmed }
    }
    self.kind = kind
    self.parameters = parameters
    self.rows = rows
    self.region = region
    columns = Array(grid[0].dropFirst())
    lines = grid.dropFirst().map { ($0[0], Array($0.dropFirst())) }
  }

  /// Tries every cell, and that no state, event or timer of the kind is missing.
  func check(sourceLocation: SourceLocation = #_sourceLocation) {
    for mismatch in mismatches() { Issue.record("\(mismatch)", sourceLocation: sourceLocation) }
  }

  /// What `check` complains about, by row and column.
  func mismatches() -> [String] {
    var found: [String] = []
    for (label, cells) in lines {
      if cells.count != columns.count { found.append("\(kind.name): \(label) has \(cells.count) cells") }
      for (column, cell) in zip(columns, cells) {
        let tried = attempt(column, in: label)
        if tried != cell { found.append("\(kind.name): \(label), \(column): \(tried), not \(cell)") }
      }
    }
    let inputs = Set(columns.map { String($0.prefix { $0 != "(" && $0 != " " }) })
    for input in Set(kind.events.map(\.name) + kind.timers.map(\.name)).symmetricDifference(inputs).sorted() {
      found.append("\(kind.name): \(input) is in the table only, or in the kind only")
    }
    let states = Set(lines.flatMap { part(of: bench(for: $0.label).state()) })
    let words = Set(kind.initialStates.filter { region == nil || $0 != "off" }.flatMap(part))
    for state in words.symmetricDifference(states).sorted() {
      found.append("\(kind.name): \(state) is in the table only, or in the kind only")
    }
    return found
  }

  private func part(of word: String) -> [String] {
    guard let region, word.contains("+") else { return [word] }
    return [String(word.split(separator: "+")[region])]
  }

  private func bench(for label: String) -> Bench {
    rows[label]?() ?? Bench(kind, initial: label, parameters)
  }

  private func attempt(_ column: String, in label: String) -> String {
    let bench = bench(for: label)
    let before = bench.state()
    let line: String
    if column.hasSuffix(" expires") {
      let timer = String(column.dropLast(" expires".count))
      guard bench.timers()[timer] != nil else { return "–" }
      bench.fire(timer)
      line = bench.lines[bench.lines.count - 1]
    } else {
      let name = String(column.prefix { $0 != "(" })
      line = "0 m " + bench.send(name, arguments(of: name, in: column))
    }
    let parts = line.split(separator: " ", maxSplits: 3)
    let outputs = line.split(separator: " > ").dropFirst().map { " > \($0)" }.joined()
    switch parts[2] {
    case "moved":
      let after = String(parts[3].split(separator: " ")[1])
      if region == nil { return "→ \(after)\(outputs)" }
      let (from, to) = (part(of: before)[0], part(of: after)[0])
      return from == to ? "·" : "→ \(to)"
    case "stayed": return region == nil ? "⟲\(outputs)" : "⟲"
    case "ignored": return "ignore"
    default: return "refuse"
    }
  }

  private func arguments(of name: String, in column: String) -> [Value] {
    let texts = column.dropFirst(name.count).dropFirst().dropLast().split(separator: ",").map { String($0) }
    let entries = kind.events.first { $0.name == name }?.arguments ?? []
    precondition(texts.count == entries.count, "\(column) has not the arguments of \(name)")
    return zip(texts, entries).map { text, entry in entry.type == .flag ? .flag(text == "true") : .text(text) }
  }
}

extension String {
  fileprivate var trimmed: String {
    var rest = self[...]
    while rest.first == " " { rest.removeFirst() }
    while rest.last == " " { rest.removeLast() }
    return String(rest)
  }
}
