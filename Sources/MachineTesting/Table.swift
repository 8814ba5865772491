public import StateMachines
public import Testing

/// A transition table, checked cell by cell against the running machine.
///
/// | state | tap | character(a) | doubleTap expires |
/// | --- | --- | --- | --- |
/// | off | → on | stayed > text a | – |
/// | on | → capsLock | → off > text A | stayed |
///
/// Columns are inputs: an event with its arguments, or a timer that expires. Rows are states of a fresh machine, or
/// several states with commas between. A cell is `→ STATE`, `stayed`, `ignored`, `refused`, or `–` for a timer that does
/// not run, followed by ` > OUTPUT` for each output. A state has its data in parentheses. What follows `;` is a note.
///
/// A state, an event or a timer of the kind that is missing in the table is a mistake too.
public struct Table {
  package let kind: Kind
  private let parameters: [String: Value]
  /// The rows that need more than a state: the label, and a machine in that row.
  private let rows: [String: @Sendable () -> Bench]
  private let columns: [String]
  private let lines: [(label: String, cells: [String], location: SourceLocation)]

  /// A table in the test: the first line names the inputs, and each other line begins with a state.
  ///
  /// - Parameters:
  ///   - kind: The kind of the machine.
  ///   - parameters: Parameters of each machine, by their names.
  ///   - rows: Rows that need more than a state: the label, and what makes a bench with a machine in that row.
  ///   - text: The table, without lines between its rows.
  public init(
    _ kind: Kind, with parameters: [String: Value] = [:], rows: [String: @Sendable () -> Bench] = [:], _ text: String,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) {
    let grid = Rows(of: text, fileID: fileID, filePath: filePath, line: line, column: column).rows
    self.init(kind, parameters, rows, grid)
  }

  /// The table of a machine's documentation comment, so that it is written once: the first table of the file whose first
  /// column is headed `state`. A wrong cell is an issue at its line there.
  ///
  /// - Parameters:
  ///   - kind: The kind of the machine.
  ///   - path: The source file of the machine, beginning at the folder of the test.
  ///   - parameters: Parameters of each machine, by their names.
  ///   - rows: Rows that need more than a state: the label, and what makes a bench with a machine in that row.
  public init(
    _ kind: Kind, in path: String, with parameters: [String: Value] = [:],
    rows: [String: @Sendable () -> Bench] = [:], filePath: String = #filePath,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let folder = filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    let found = Rows(ofDocumentationIn: "\(folder)/\(path)")
    if found == nil {
      Issue.record(
        "no table whose first column is 'state' is in the comments of \(path)", sourceLocation: sourceLocation)
    }
    self.init(kind, parameters, rows, found?.rows ?? [])
  }

  /// A large table, given by its cells that are neither `ignored` nor `–`, one per line: state, input, cell.
  package init(
    _ kind: Kind, with parameters: [String: Value] = [:], rows: [String: @Sendable () -> Bench] = [:],
    listing text: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    let entries = Rows(of: text, fileID: fileID, filePath: filePath, line: line, column: column).rows
    let plain = kind.events.filter(\.arguments.isEmpty).map(\.name)
    let columns = (plain + kind.timers.map { "\($0.name) expires" } + entries.map { $0.cells[1] }).uniqued
    let labels = (kind.initialStates + rows.keys.sorted() + entries.map { $0.cells[0] }).uniqued
    let here = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    self.kind = kind
    self.parameters = parameters
    self.rows = rows
    self.columns = columns
    lines = labels.map { label in
      let own = entries.filter { $0.cells[0] == label }
      let cells = columns.map { column in own.first { $0.cells[1] == column }?.cells[2] ?? "nothing" }
      return (label, cells, own.first?.location ?? here)
    }
  }

  private init(
    _ kind: Kind, _ parameters: [String: Value], _ rows: [String: @Sendable () -> Bench], _ grid: [Rows.Row]
  ) {
    self.kind = kind
    self.parameters = parameters
    self.rows = rows
    columns = grid.first.map { Array($0.cells.dropFirst()) } ?? []
    lines = grid.dropFirst().flatMap { row in
      let label = row.cells[0]
      let labels = rows[label] == nil ? label.split(separator: ",").map(Rows.trimmed) : [label]
      return labels.map { ($0, Array(row.cells.dropFirst()), row.location) }
    }
  }

  /// Checks every cell, and that no state, event or timer of the kind is missing. What differs is an issue at its row.
  public func check(sourceLocation: SourceLocation = #_sourceLocation) {
    for mismatch in found() {
      Issue.record(Comment(rawValue: mismatch.text), sourceLocation: mismatch.location ?? sourceLocation)
    }
  }

  /// The cells that differ, by row and column.
  package func mismatches() -> [String] { found().map(\.text) }

  private func found() -> [(text: String, location: SourceLocation?)] {
    var found: [(text: String, location: SourceLocation?)] = []
    func note(_ text: String, _ location: SourceLocation? = nil) { found.append(("\(kind.name): \(text)", location)) }
    var states: Set<String> = []
    for (label, cells, location) in lines {
      if cells.count != columns.count { note("\(label) has \(cells.count) cells, not \(columns.count)", location) }
      let bench = bench(for: label)
      // What is wrong with a machine that could not be made is reported already.
      if let bench, bench.names.isEmpty { continue }
      guard let state = bench?.word(bench?.names.first ?? "") else {
        note("\(label) is no initial state, but these are: \(kind.initialStates.joined(separator: ", "))", location)
        continue
      }
      states.insert(state)
      for (column, cell) in zip(columns, cells) {
        guard let tried = attempt(column, in: label).map(Rows.plain) else {
          note("\(column) is no input, but these are: \(inputs.joined(separator: ", "))", location)
          continue
        }
        let expected = Table.canonical(cell)
        let isNothing = expected == "nothing" && (tried == "ignored" || tried == "–")
        if tried != expected && !isNothing { note("\(label), \(column): \(tried), not \(expected)", location) }
      }
    }
    let named = Set(columns.map { String($0.prefix { $0 != "(" && $0 != " " }) })
    for input in Set(inputs).subtracting(named).sorted() { note("\(input) has no column") }
    let words = Set(
      kind.initialStates.compactMap { state in bench(for: state).flatMap { $0.names.first.map($0.word) } })
    for state in words.subtracting(states).sorted() { note("\(state) has no row") }
    return found
  }

  private var inputs: [String] { (kind.events.map(\.name) + kind.timers.map(\.name)).uniqued }

  /// A cell without its note, in the words of the journal.
  private static func canonical(_ cell: String) -> String {
    let parts = cell.prefix { $0 != ";" }.split(separator: " ")
    let first: Substring? =
      switch parts.first {
      case "⟲": "stayed"
      case "ignore": "ignored"
      case "refuse": "refused"
      default: parts.first
      }
    return ([first].compactMap { $0 } + parts.dropFirst()).joined(separator: " ")
  }

  /// Nil if the row is none of the machine's states.
  private func bench(for label: String) -> Bench? {
    if let make = rows[label] { return make() }
    return kind.initialStates.contains(label) ? Bench(kind, initial: label, parameters) : nil
  }

  /// Nil if the column is no input.
  private func attempt(_ column: String, in label: String) -> String? {
    guard let bench = bench(for: label), let machineName = bench.names.first else { return nil }
    let name = String(column.prefix { $0 != "(" && $0 != " " })
    if column.hasSuffix(" expires") {
      let timer = String(column.dropLast(" expires".count))
      guard kind.timers.contains(where: { $0.name == name }) else { return nil }
      guard bench.timers(of: machineName)[timer] != nil else { return "–" }
      return bench.happenings { bench.fire(timer, of: machineName) }.first?.cell
    }
    guard let machine = bench.find(machineName), let place = kind.events.firstIndex(where: { $0.name == name }),
      let arguments = arguments(of: kind.events[place], in: column)
    else { return nil }
    return bench.happenings { bench.send(place, arguments, to: machine) }.first?.cell
  }

  private func arguments(of event: EventEntry, in column: String) -> [Value]? {
    let texts = column.dropFirst(event.name.count).dropFirst().dropLast().split(separator: ",").map(String.init)
    guard texts.count == event.arguments.count else { return nil }
    let values = zip(texts, event.arguments).compactMap { text, entry in Value(text, as: entry.type) }
    return values.count == texts.count ? values : nil
  }
}

extension [String] {
  fileprivate var uniqued: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
