import StateMachines
import Testing

/// A transition table, checked cell by cell against the running machine.
///
/// Columns are inputs: `tap`, `character(a)`, or `doubleTap expires` for a timer. Rows are the states of a fresh
/// machine. A cell is `→ STATE`, `⟲`, `ignore`, `refuse`, or `–` for a timer that does not run, followed by ` > OUTPUT`
/// for each output.
struct Table {
  let kind: Kind
  let parameters: [String: Value]
  /// The rows that need more than a state: the label, and a machine in that row.
  let rows: [String: @Sendable () -> Bench]
  private let columns: [String]
  private let lines: [(label: String, cells: [String])]

  /// A table as the machines' descriptions print it: the first line names the inputs, and each other line begins with a
  /// state.
  init(
    _ kind: Kind, with parameters: [String: Value] = [:], rows: [String: @Sendable () -> Bench] = [:], _ text: String
  ) {
    let grid = Table.cells(of: text)
    self.kind = kind
    self.parameters = parameters
    self.rows = rows
    columns = Array(grid[0].dropFirst())
    lines = grid.dropFirst().map { ($0[0], Array($0.dropFirst())) }
  }

  /// A large table, given by its cells that are neither `ignore` nor `–`, one per line: state, input, cell.
  ///
  /// - Parameter rows: Rows in addition to the kind's initial states.
  init(
    _ kind: Kind, with parameters: [String: Value] = [:], rows: [String: @Sendable () -> Bench] = [:],
    listing text: String
  ) {
    let entries = Table.cells(of: text)
    let plain = kind.events.filter(\.arguments.isEmpty).map(\.name)
    let columns = (plain + kind.timers.map { "\($0.name) expires" } + entries.map { $0[1] }).uniqued
    let labels = (kind.initialStates + rows.keys.sorted() + entries.map { $0[0] }).uniqued
    self.kind = kind
    self.parameters = parameters
    self.rows = rows
    self.columns = columns
    lines = labels.map { label in
      (label, columns.map { column in entries.first { $0[0] == label && $0[1] == column }?[2] ?? "nothing" })
    }
  }

  private static func cells(of text: String) -> [[String]] {
    text.split(separator: "\n").map { line in
      line.split(separator: "|", omittingEmptySubsequences: false).map { String($0).trimmed }
    }
  }

  /// Checks every cell, and that no state, event or timer of the kind is missing.
  func check(sourceLocation: SourceLocation = #_sourceLocation) {
    for mismatch in mismatches() { Issue.record("\(mismatch)", sourceLocation: sourceLocation) }
  }

  /// The cells that differ, by row and column.
  func mismatches() -> [String] {
    var found: [String] = []
    for (label, cells) in lines {
      if cells.count != columns.count { found.append("\(kind.name): \(label) has \(cells.count) cells") }
      for (column, cell) in zip(columns, cells) {
        let tried = attempt(column, in: label)
        let isNothing = cell == "nothing" && (tried == "ignore" || tried == "–")
        if tried != cell && !isNothing { found.append("\(kind.name): \(label), \(column): \(tried), not \(cell)") }
      }
    }
    let inputs = Set(columns.map { String($0.prefix { $0 != "(" && $0 != " " }) })
    for input in Set(kind.events.map(\.name) + kind.timers.map(\.name)).symmetricDifference(inputs).sorted() {
      found.append("\(kind.name): \(input) is in the table only, or in the kind only")
    }
    let states = Set(lines.map { bench(for: $0.label).word() })
    let words = Set(kind.initialStates.map { Bench(kind, initial: $0, parameters).word() })
    for state in words.subtracting(states).sorted() {
      found.append("\(kind.name): \(state) is missing")
    }
    return found
  }

  private func bench(for label: String) -> Bench {
    rows[label]?() ?? Bench(kind, initial: label, parameters)
  }

  private func attempt(_ column: String, in label: String) -> String {
    let bench = bench(for: label)
    let outcome: String
    if column.hasSuffix(" expires") {
      let timer = String(column.dropLast(" expires".count))
      guard bench.timers()[timer] != nil else { return "–" }
      outcome = bench.fire(timer)
    } else {
      let name = String(column.prefix { $0 != "(" })
      outcome = bench.send(name, arguments(of: name, in: column))
    }
    let words = outcome.split(separator: " ")
    let outputs = outcome.split(separator: " > ").dropFirst().map { " > \($0)" }.joined()
    switch words[0] {
    case "moved": return "→ \(words[2])\(outputs)".trimmed
    case "stayed": return "⟲\(outputs)".trimmed
    case "ignored": return "ignore"
    default: return "refuse"
    }
  }

  private func arguments(of name: String, in column: String) -> [Value] {
    let texts = column.dropFirst(name.count).dropFirst().dropLast().split(separator: ",").map { String($0) }
    let entries = kind.events.first { $0.name == name }?.arguments ?? []
    precondition(texts.count == entries.count, "\(column) has not the arguments of \(name)")
    return zip(texts, entries).map { text, entry in Table.value(text, as: entry.type) }
  }

  private static func value(_ text: String, as type: ValueType) -> Value {
    switch type {
    case .flag: .flag(text == "true")
    case .integer: .integer(Int(text) ?? 0)
    case .number: .number(Double(text) ?? 0)
    case .optional(let wrapped): text == "nil" ? .none : value(text, as: wrapped)
    case .interval: Double(text).flatMap(Nanoseconds.init(seconds:)).map(Value.interval) ?? .none
    case .text, .character, .choice, .moment, .json: .text(text)
    }
  }
}

extension [String] {
  fileprivate var uniqued: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
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
