import StateMachines

/// The waveform for a terminal: an axis, some rows for each machine, and the inputs with their exact times.
package struct TextWave: WaveWriter, Sendable {
  private let wave: Waveform
  private let scale: TimeScale
  private let signs: Signs
  private let width: Int
  private let gutter: Int
  private let columns: Int
  private var lines: [String]
  private var lane = 0
  private var isListed = false

  /// The inputs listed with their times.
  private static let mostListed = 24

  /// The characters that it is drawn with.
  package struct Signs: Sendable {
    let moved, stayed, ignored, refused, many, change, line, fold, axis, corner, begin, bar, expired, disarmed, running,
      pale, mark, arrow: Character
    let levels: [Character]
    let ellipsis: String

    package static let unicode = Signs(
      moved: "▼", stayed: "▽", ignored: "○", refused: "✗", many: "▓", change: "│", line: "─", fold: "┄", axis: "─",
      corner: "┬", begin: "┝", bar: "━", expired: "◆", disarmed: "╳", running: "▶", pale: "┈", mark: "!", arrow: "→",
      levels: Array("▁▂▃▄▅▆▇█"), ellipsis: "…")
    package static let ascii = Signs(
      moved: "v", stayed: "-", ignored: "o", refused: "x", many: "#", change: "|", line: "-", fold: "~", axis: "-",
      corner: "+", begin: "[", bar: "=", expired: "*", disarmed: "x", running: ">", pale: ".", mark: "!", arrow: ">",
      levels: Array("_.-=+*%#"), ellipsis: "..")
  }

  /// - Parameter width: In columns, at least 40.
  package init(_ wave: Waveform, width: Int, _ signs: Signs) {
    self.wave = wave
    self.signs = signs
    self.width = width
    let names = wave.lanes.reduce(into: 4) { widest, lane in
      widest = max(widest, lane.name.count, 2 + (lane.regions.dropFirst().map(\.count).max() ?? 0))
      for bar in lane.bars.prefix(100) { widest = max(widest, 2 + wave.words[bar.timer].count) }
      for curve in lane.curves { widest = max(widest, 2 + curve.name.count) }
    }
    gutter = min(max(8, names), width / 4) + 1
    columns = width - gutter - 1
    scale = TimeScale(
      of: wave,
      TimeScale.Measures(
        width: Double(columns), fold: columns >= 90 ? 11 : 9, least: 7, slot: 1...Double(min(9, columns / 8))))
    lines = []
    lines = axis()
  }

  /// The next line, without spaces at its end; `nil` at the end.
  package mutating func next() -> [UInt8]? {
    while lines.isEmpty {
      if lane < wave.lanes.count {
        lines = rows(of: wave.lanes[lane])
        lane += 1
      } else if !isListed {
        lines = listing()
        isListed = true
      } else {
        return nil
      }
    }
    let line = lines.removeFirst()
    return Array(line.utf8.reversed().drop { $0 == 0x20 }.reversed())
  }

  // MARK: Parts

  private func column(_ moment: Int64, _ sequence: UInt64) -> Int {
    min(columns - 1, Int(scale.position(moment, sequence) + 1e-6))
  }

  private func end(_ moment: Int64, _ sequence: UInt64) -> Int {
    sequence == .max && moment == wave.to.nanoseconds ? columns : column(moment, sequence)
  }

  private func row(_ label: String, _ cells: [Character]) -> String {
    let room = gutter - 1
    let name =
      label.count > room ? label.prefix(room - signs.ellipsis.count) + signs.ellipsis : Substring(label)
    return name + String(repeating: " ", count: gutter - name.count) + String(cells)
  }

  private var blank: [Character] { Array(repeating: " ", count: columns) }

  /// Writes a text into cells that are free; the rest of it is cut.
  @discardableResult
  private func write(_ text: String, _ cells: inout [Character], at place: Int, upTo end: Int) -> Bool {
    let room = end - place
    guard room > 0 else { return false }
    var text = Substring(text)
    if text.count > room {
      guard room > 2 else { return false }
      text = text.prefix(room - signs.ellipsis.count) + signs.ellipsis
    }
    for (offset, character) in text.enumerated() {
      cells[place + offset] = character.isNewline || character == "\t" ? " " : character
    }
    return true
  }

  /// Two rows: times, and where they are.
  private func axis() -> [String] {
    var labels = blank
    var line = [Character](repeating: signs.axis, count: columns)
    var taken = [Bool](repeating: false, count: columns + 1)
    func place(_ text: String, at column: Int, isRight: Bool = false) {
      let start = isRight ? max(0, column - text.count) : column
      let end = start + text.count
      guard end <= columns, !taken[max(0, start - 1)..<min(columns, end + 1)].contains(true) else { return }
      for (offset, character) in text.enumerated() {
        labels[start + offset] = character
        taken[start + offset] = true
      }
      line[min(columns - 1, column)] = signs.corner
    }
    place(wave.from.text, at: 0)
    place(wave.to.text, at: columns, isRight: true)
    for mark in wave.marks {
      line[column(mark.moment.nanoseconds, 0)] = signs.mark
    }
    for piece in scale.pieces where piece.part != .even {
      let column = Int(piece.position + 1e-6)
      switch piece.part {
      case .fold:
        let text = WaveTime.short(piece.to - piece.from)
        let end = min(columns, Int(piece.position + piece.width + 1e-6))
        guard end > column else { continue }
        for cell in column..<end { line[cell] = signs.fold }
        write(text, &line, at: column + max(0, (end - column - text.count) / 2), upTo: end)
      case .instant:
        place(WaveTime.seconds(piece.from), at: column)
      case .even: break
      }
    }
    for moment in scale.moments.prefix(columns) { place(WaveTime.seconds(moment), at: column(moment, 0)) }
    return [row("t [s]", labels), row("", line)]
  }

  private func rows(of lane: Waveform.Lane) -> [String] {
    let parts = LaneRows(of: lane, wave)
    let ticks = self.ticks(of: lane, branch: 0)
    var lines = ticks.contains { $0 != " " } ? [row("", ticks)] : []
    for part in parts.rows {
      lines.append(row(part.label.map { "  \($0)" } ?? lane.name, states(part, parts.words, signs.line)))
    }
    for timer in parts.timers { lines.append(row("  \(timer.name)", bars(timer.bars))) }
    for curve in lane.curves where !curve.points.isEmpty { lines += draw(curve) }
    if parts.undoneLeftOut > 0 { lines.append("  (\(parts.undoneLeftOut) older undone stretches are not drawn)") }
    for part in parts.undone {
      lines.append(row("", self.ticks(of: lane, branch: part.branch)))
      lines.append(row("  \(part.label ?? "")", states(part, parts.words, signs.pale)))
    }
    return lines
  }

  private func sign(_ tick: Waveform.Tick) -> Character {
    switch tick.outcome {
    case .moved, .created, .dropped, .wired, .unwired, .undone, .restarted, .defined, .undefined:
      tick.source == .expiry || tick.source == .fired ? signs.expired : signs.moved
    case .stayed: tick.source == .expiry || tick.source == .fired ? signs.expired : signs.stayed
    case .ignored: signs.ignored
    case .refused: signs.refused
    }
  }

  private func ticks(of lane: Waveform.Lane, branch: UInt32) -> [Character] {
    var cells = blank
    var marked: [(column: Int, word: UInt32, outcome: Character)] = []
    for tick in lane.ticks where tick.branch == branch {
      let column = column(tick.moment, tick.sequence)
      if let last = marked.last, last.column == column {
        if last.outcome != signs.many { marked[marked.count - 1].outcome = signs.many }
      } else {
        marked.append((column, tick.word, sign(tick)))
      }
    }
    for (place, mark) in marked.enumerated() {
      cells[mark.column] = mark.outcome
      guard mark.outcome != signs.many else { continue }
      let end = place + 1 < marked.count ? marked[place + 1].column - 1 : columns
      write(wave.words[mark.word], &cells, at: mark.column + 1, upTo: end)
    }
    return cells
  }

  private func states(_ part: LaneRows.Row, _ words: [String], _ line: Character) -> [Character] {
    var cells = blank
    var last = -1
    for segment in part.segments {
      let start = column(segment.from, segment.start)
      let end = max(start + 1, end(segment.to, segment.end))
      for cell in start..<min(columns, end) { cells[cell] = line }
      if start == last {
        cells[start] = signs.many
      } else {
        cells[start] = signs.change
        last = start
      }
      if end - start > 1 {
        write(words[Int(segment.word)], &cells, at: start + 1, upTo: min(columns, end) - 1)
      }
    }
    return cells
  }

  private func bars(_ bars: [Waveform.Bar]) -> [Character] {
    var cells = blank
    for bar in bars {
      let start = column(bar.from, bar.start)
      let stop = max(start, bar.end == .running ? columns - 1 : column(bar.to, bar.finish))
      for cell in start..<max(start + 1, stop) { cells[cell] = signs.bar }
      if bar.start != 0 { cells[start] = signs.begin }
      switch bar.end {
      case .expired: cells[stop] = signs.expired
      case .disarmed: cells[stop] = signs.disarmed
      case .running: cells[stop] = signs.running
      }
    }
    return cells
  }

  private func draw(_ curve: Waveform.Curve) -> [String] {
    let values = curve.points.map(\.value)
    guard let least = values.min(), let most = values.max() else { return [] }
    var sums = [(sum: Double, count: Int)](repeating: (0, 0), count: columns)
    for point in curve.points {
      let column = column(point.moment, 0)
      sums[column].sum += point.value
      sums[column].count += 1
    }
    var cells = blank
    var level: Character = " "
    for column in 0..<columns {
      if sums[column].count > 0 {
        let share = most > least ? (sums[column].sum / Double(sums[column].count) - least) / (most - least) : 0.5
        level = signs.levels[min(signs.levels.count - 1, Int(share * Double(signs.levels.count)))]
      }
      cells[column] = level
    }
    let range =
      "  \(signs.levels[0]) \(TextWave.number(least)) \(signs.levels[7]) \(TextWave.number(most)) \(curve.unit)"
    return [row("  \(curve.name)", cells), String(repeating: " ", count: gutter) + range]
  }

  /// A number with at most two decimals.
  static func number(_ value: Double) -> String {
    guard value.magnitude < 1e12 else { return "\(value)" }
    let hundredths = Int64(value * 100 + (value < 0 ? -0.5 : 0.5))
    let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
    let sign = hundredths < 0 ? "-" : ""
    if rest == 0 { return "\(sign)\(whole)" }
    return rest % 10 == 0 ? "\(sign)\(whole).\(rest / 10)" : "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }

  // MARK: The inputs with their times

  private func listing() -> [String] {
    var lines = legend.isEmpty ? [] : [legend]
    for mark in wave.marks { lines.append("\(signs.mark) \(mark.moment.text)  \(mark.text)") }
    var rows: [(sequence: UInt64, cells: [String])] = []
    let first = wave.lanes.flatMap { lane in lane.ticks.prefix(TextWave.mostListed).map(\.sequence) }
    let bound =
      (first + wave.worldInputs.prefix(TextWave.mostListed).map(\.sequence)).sorted()
      .prefix(TextWave.mostListed).last ?? 0
    for lane in wave.lanes {
      for tick in lane.ticks.prefix(TextWave.mostListed) where tick.sequence <= bound {
        rows.append((tick.sequence, cells(tick, lane.name, move(tick, lane))))
      }
    }
    for tick in wave.worldInputs.prefix(TextWave.mostListed) where tick.sequence <= bound {
      rows.append((tick.sequence, cells(tick, "-", "")))
    }
    rows.sort { $0.sequence < $1.sequence }
    if rows.isEmpty {
      lines.append("no input")
    } else {
      rows.insert((0, ["t", "seq", "machine", "input", "outcome"]), at: 0)
      let widths = (0..<4).map { column in rows.map { $0.cells[column].count }.max() ?? 0 }
      for row in rows {
        var line = ""
        for (column, cell) in row.cells.enumerated() {
          let pad = String(repeating: " ", count: column < 4 ? widths[column] - cell.count : 0)
          line += column < 2 ? pad + cell + "  " : cell + pad + "  "
        }
        let text = line.reversed().drop { $0 == " " }.reversed()
        lines.append(text.count > width - 1 ? String(text.prefix(width - 2)) + signs.ellipsis.prefix(1) : String(text))
      }
    }
    let more = wave.inputCount - max(0, rows.count - 1)
    if more > 0 {
      let last = rows.last?.sequence ?? 0
      lines.append("\(more) more inputs: journal since=\(last + 1)")
    }
    if wave.omittedMachines > 0 {
      lines.append(
        "\(wave.omittedMachines) more machines with \(wave.omittedInputs) inputs are not drawn; give a pattern")
    }
    return lines
  }

  private func cells(_ tick: Waveform.Tick, _ name: String, _ move: String) -> [String] {
    let undone = tick.branch == 0 ? "" : ", undone by \(wave.branches[Int(tick.branch) - 1].undoer)"
    return [
      WaveTime.seconds(tick.moment), "\(tick.sequence)", name, "\(sign(tick)) \(wave.words[tick.word])",
      (move.isEmpty ? "\(tick.outcome.word)" : move) + undone,
    ]
  }

  /// `off → on`, found in the lane's segments.
  private func move(_ tick: Waveform.Tick, _ lane: Waveform.Lane) -> String {
    guard tick.outcome == .moved else { return "" }
    let to = lane.segments.first { $0.start == tick.sequence }
    let from = lane.segments.first { $0.end == tick.sequence }
    guard let to else { return "" }
    guard let from else { return "\(signs.arrow) \(wave.words[to.state])" }
    return "\(wave.words[from.state]) \(signs.arrow) \(wave.words[to.state])"
  }

  private var legend: String {
    var used: [String] = []
    let ticks = wave.lanes.lazy.flatMap(\.ticks)
    let isLong = wave.inputCount > 10_000
    func has(_ test: (Waveform.Tick) -> Bool) -> Bool { isLong || ticks.contains(where: test) }
    if has({ sign($0) == signs.moved }) { used.append("\(signs.moved) moved") }
    if has({ sign($0) == signs.stayed }) { used.append("\(signs.stayed) stayed") }
    if has({ sign($0) == signs.expired }) { used.append("\(signs.expired) expired") }
    if has({ $0.outcome == .ignored }) { used.append("\(signs.ignored) ignored") }
    if has({ $0.outcome == .refused }) { used.append("\(signs.refused) refused") }
    if wave.lanes.contains(where: { $0.bars.contains { $0.end == .disarmed } }) {
      used.append("\(signs.disarmed) disarmed")
    }
    if scale.pieces.contains(where: { $0.part == .fold }) { used.append("\(signs.fold) time left out") }
    if scale.moments.count > columns / 2 || isLong { used.append("\(signs.many) several") }
    return used.joined(separator: "  ")
  }
}
