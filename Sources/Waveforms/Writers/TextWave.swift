package import LineProtocol
import StateMachines

/// The waveform for a terminal: an axis, some rows for each machine, and the inputs with their exact times.
package struct TextWave: WaveWriter, Sendable {
  private let wave: Waveform
  private let scale: TimeScale
  private let signs: Signs
  private let width: Int
  private let gutter: Int
  private let columns: Int
  private var section = Section.axis
  /// Whether a lane has several inputs at one time, and whether one has states that are summed up.
  private var hasSimultaneous = false
  private var hasRuns = false

  /// The inputs listed with their times; fewer where the states of a machine repeat.
  private static let mostListed = 24
  private static let mostListedOfRuns = 6

  private enum Section {
    case axis
    case lane(Int)
    case drawing(LaneText, lane: Int)
    case listing, over
  }

  /// The characters that it is drawn with.
  package struct Signs: Sendable {
    let moved, stayed, ignored, refused, many, change, line, fold, axis, corner, begin, bar, expired, disarmed, running,
      pale, mark, arrow: Character
    /// For two to nine inputs at one moment.
    let counts: [Character]
    let levels: [Character]
    let ellipsis: String
    let times: String
    let isASCII: Bool

    package static let unicode = Signs(
      moved: "▼", stayed: "▽", ignored: "○", refused: "✗", many: "▓", change: "│", line: "─", fold: "┄", axis: "─",
      corner: "┬", begin: "┝", bar: "━", expired: "◆", disarmed: "╳", running: "▶", pale: "┈", mark: "!", arrow: "→",
      counts: Array("②③④⑤⑥⑦⑧⑨"), levels: Array("▁▂▃▄▅▆▇█"), ellipsis: "…", times: "×", isASCII: false)
    package static let ascii = Signs(
      moved: "v", stayed: "-", ignored: "o", refused: "x", many: "#", change: "|", line: "-", fold: "~", axis: "-",
      corner: "+", begin: "[", bar: "=", expired: "*", disarmed: "x", running: ">", pale: ".", mark: "!", arrow: ">",
      counts: Array("23456789"), levels: Array("_.-=+*%#"), ellipsis: "..", times: "x", isASCII: true)

    func sign(_ outcome: Waveform.Outcome, isOfTimer: Bool) -> Character {
      switch outcome {
      case .moved, .created, .dropped, .wired, .unwired, .undone, .redone, .restarted, .defined, .undefined:
        isOfTimer ? expired : moved
      case .stayed: isOfTimer ? expired : stayed
      case .ignored: ignored
      case .refused: refused
      }
    }
  }

  /// - Parameter width: In columns, at least 40.
  package init(_ wave: Waveform, width: Int, _ signs: Signs) {
    self.wave = wave
    self.signs = signs
    self.width = width
    let names = wave.lanes.reduce(into: 4) { widest, lane in
      let rows = LaneRows(of: lane)
      let labels =
        rows.regions.dropFirst() + rows.timers.lazy.map { wave.words[$0.word] } + rows.curves.lazy.map(\.name)
        + rows.undone.lazy.map { LaneRows.label(of: $0, wave) }
      let widths = labels.lazy.map { 2 + TextColumns.width(of: $0) }
      widest = max(widest, TextColumns.width(of: lane.name), widths.max() ?? 0)
    }
    gutter = min(max(8, names), width / 4) + 1
    columns = width - gutter - 1
    scale = TimeScale(
      of: wave,
      TimeScale.Measures(
        width: Double(columns), fold: columns >= 90 ? 11 : 9, least: 7, tail: Double(min(12, columns / 6))))
  }

  package mutating func write(to text: inout ByteBuffer) -> Bool {
    switch section {
    case .axis:
      text.lines(axis())
      section = .lane(0)
    case .lane(let lane):
      section =
        lane < wave.lanes.count ? .drawing(LaneText(of: lane, wave, scale, signs, columns), lane: lane) : .listing
    case .drawing(var drawing, let lane):
      section = .over
      let isDone = drawing.advance(wave)
      section = isDone ? .lane(lane + 1) : .drawing(drawing, lane: lane)
      if isDone {
        hasSimultaneous = hasSimultaneous || drawing.hasSimultaneous
        hasRuns = hasRuns || drawing.hasRuns
        text.lines(rows(of: lane, drawing))
      }
    case .listing:
      text.lines(listing())
      section = .over
    case .over: return false
    }
    return true
  }

  // MARK: Parts

  private func column(_ moment: Int64) -> Int {
    min(columns - 1, Int(clamping: scale.position(moment) + 1e-6))
  }

  private func row(_ label: String, _ cells: TextCells) -> String {
    let name = signs.fitted(label, gutter - 1) ?? ""
    let text = cells.text
    if text.isEmpty { return name }
    return name + String(repeating: " ", count: gutter - TextColumns.width(of: name)) + text
  }

  /// Whether there are too many moments to write at each.
  private var hasRoundTicks: Bool { scale.moments.count > columns / 8 }

  /// Two rows: times, and where they are. These are the moments of inputs or, if they are too many, round ones.
  private func axis() -> [String] {
    var labels = TextCells(columns)
    var line = TextCells(columns, filledWith: signs.axis)
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
    let ticks = TimeTicks(scale, distance: 9, areRound: hasRoundTicks)
    place(ticks.text(wave.from.nanoseconds), at: 0)
    let hasTail = scale.pieces.last?.part == .tail
    let end = wave.to.nanoseconds
    place(ticks.text(end), at: hasTail ? column(end) : columns, isRight: !hasTail)
    for mark in wave.marks {
      line[column(mark.moment.nanoseconds)] = signs.mark
    }
    for piece in scale.pieces where piece.part == .fold {
      let column = Int(clamping: piece.position + 1e-6)
      let end = min(columns, Int(clamping: piece.position + piece.width + 1e-6))
      guard end > column else { continue }
      let text = WaveTime.short(piece.to - piece.from)
      for cell in column..<end { line[cell] = signs.fold }
      line.write(text, at: column + max(0, (end - column - text.count) / 2), upTo: end, signs)
    }
    for moment in ticks.moments { place(ticks.text(moment), at: column(moment)) }
    return [row(ticks.unit.isEmpty ? "t" : "t [\(ticks.unit)]", labels), row("", line)]
  }

  private func rows(of place: Int, _ drawing: LaneText) -> [String] {
    let lane = wave.lanes[place]
    let parts = drawing.rows
    var lines = drawing.ticks.isBlank ? [] : [row("", drawing.ticks)]
    for (region, cells) in zip(parts.regions.indices, drawing.states) {
      lines.append(row(region == 0 ? lane.name : "  \(parts.regions[region])", cells))
    }
    for note in drawing.notes { lines += signs.wrapped("  (\(note))", width - 1, indent: 3) }
    for timer in parts.timers {
      let isCrowded = drawing.hasRuns && timer.bars.count > columns / 8
      lines.append(row("  \(wave.words[timer.word])", isCrowded ? sum(of: timer.bars) : bars(timer.bars)))
    }
    if parts.timersLeftOut > 0 { lines += note("\(parts.timersLeftOut) more timers are not drawn") }
    for curve in parts.curves { lines += draw(curve, isCrowded: drawing.hasRuns) }
    if parts.undoneLeftOut > 0 { lines += note("\(parts.undoneLeftOut) older undone stretches are not drawn") }
    for (undone, drawn) in zip(parts.undone, drawing.undone) {
      lines.append(row("", drawn.ticks))
      lines.append(row("  \(LaneRows.label(of: undone, wave))", drawn.states))
    }
    return lines
  }

  /// A remark below a machine.
  private func note(_ text: String) -> [String] { signs.wrapped("  (\(text); format=json has all)", width - 1) }

  private func bars(_ bars: [Waveform.Bar]) -> TextCells {
    var cells = TextCells(columns)
    for bar in bars {
      let start = column(bar.from)
      let stop = max(start, bar.end == .running ? columns - 1 : column(bar.to))
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

  /// `76 × 10:56`: how often a timer ran, and how long it usually did.
  private func sum(of bars: [Waveform.Bar]) -> TextCells {
    let lengths = bars.filter { $0.start != 0 && $0.end != .running }.map { $0.to - $0.from }.sorted()
    var cells = TextCells(columns)
    let usual = lengths.isEmpty ? "" : " \(WaveTime.people(lengths[lengths.count / 2]))"
    cells.write("\(bars.count) \(signs.times)\(usual)", at: 1, upTo: columns, signs)
    return cells
  }

  /// - Parameter isCrowded: Whether it goes up and down too often to be seen; then it is only said between what.
  private func draw(_ curve: Waveform.Curve, isCrowded: Bool) -> [String] {
    var (least, most) = (Double.infinity, -Double.infinity)
    // The last one of each column, which holds until the next: a mean over a jump is a value that never was.
    var values = [Double?](repeating: nil, count: columns)
    for point in curve.points {
      (least, most) = (min(least, point.value), max(most, point.value))
      values[column(point.moment)] = point.value
    }
    var cells = TextCells(columns)
    if isCrowded {
      cells.write(
        "\(TextWave.number(least)) to \(TextWave.number(most)) \(curve.unit)", at: 1, upTo: columns, signs)
      return [row("  \(curve.name)", cells)]
    }
    var level: Character = " "
    for column in 0..<columns {
      if let value = values[column] {
        let share = most > least ? (value - least) / (most - least) : 0.5
        level = signs.levels[max(0, min(signs.levels.count - 1, Int(clamping: share * Double(signs.levels.count))))]
      }
      cells[column] = level
    }
    let range =
      "\(signs.levels[0]) \(TextWave.number(least)) \(signs.levels[7]) \(TextWave.number(most)) \(curve.unit)"
    var ranges = TextCells(columns)
    ranges.write(range, at: min(2, columns - 1), upTo: columns, signs)
    return [row("  \(curve.name)", cells), row("", ranges)]
  }

  /// A number with at most two decimals.
  static func number(_ value: Double) -> String {
    guard value.magnitude < 1e12 else { return "\(value)" }
    let hundredths = Int64(clamping: value * 100 + (value < 0 ? -0.5 : 0.5))
    let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
    let sign = hundredths < 0 ? "-" : ""
    if rest == 0 { return "\(sign)\(whole)" }
    return rest % 10 == 0 ? "\(sign)\(whole).\(rest / 10)" : "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }

  // MARK: The inputs with their times

  private func listing() -> [String] {
    var lines = legend.isEmpty ? [] : signs.wrapped(legend, width - 1)
    for mark in wave.marks {
      lines += signs.wrapped("\(signs.mark) \(WaveTime.seconds(mark.moment.nanoseconds))  \(mark.text)", width - 1)
    }
    var rows = wave.lanes.flatMap(listed)
    rows += wave.worldInputs.prefix(TextWave.mostListed).map { ($0.sequence, cells($0, "-", "")) }
    rows.sort { $0.sequence < $1.sequence }
    let most = hasRuns ? TextWave.mostListedOfRuns : TextWave.mostListed
    rows.removeLast(max(0, rows.count - most))
    if rows.isEmpty {
      lines.append("no input")
    } else {
      let table = [["t", "seq", "machine", "input", "outcome"]] + rows.map { $0.cells.map(signs.visible) }
      let widths = (0..<4).map { column in table.map { TextColumns.width(of: $0[column]) }.max() ?? 0 }
      for row in table {
        var line = ""
        for (column, cell) in row.enumerated() {
          let pad = String(
            repeating: " ", count: column < 4 ? widths[column] - TextColumns.width(of: cell) : 0)
          line += column < 2 ? pad + cell + "  " : column < 4 ? cell + pad + "  " : cell
        }
        // What does not fit stands below: the outcome is never cut.
        lines += signs.wrapped(line, width - 1, indent: 4)
      }
    }
    let more = wave.inputCount - rows.count
    if more > 0 {
      lines += signs.wrapped("\(more) more inputs: journal since=\((rows.last?.sequence ?? 0) + 1)", width - 1)
    }
    if wave.omittedMachines > 0 {
      lines += signs.wrapped(
        "\(wave.omittedMachines) more machines with \(wave.omittedInputs) inputs are not drawn; give a pattern",
        width - 1)
    }
    return lines
  }

  /// The first inputs of a lane.
  private func listed(_ lane: Waveform.Lane) -> [(sequence: UInt64, cells: [String])] {
    var state = lane.start
    var undone = Waveform.noState
    var rows: [(sequence: UInt64, cells: [String])] = []
    for (place, tick) in lane.ticks.prefix(TextWave.mostListed).enumerated() {
      if let stretch = lane.undone.first(where: { $0.first == place }) { undone = stretch.start }
      let before = tick.branch == 0 ? state : undone
      let isOfState = tick.outcome == .moved || tick.outcome == .created || tick.outcome == .dropped
      if isOfState, tick.branch == 0 { state = tick.state } else if isOfState { undone = tick.state }
      var move = ""
      if tick.outcome == .moved {
        let source = before == Waveform.noState ? "" : "\(wave.words[before]) "
        move = "\(source)\(signs.arrow) \(wave.words[tick.state])"
      }
      rows.append((tick.sequence, cells(tick, lane.name, move)))
    }
    return rows
  }

  private func cells(_ tick: Waveform.Tick, _ name: String, _ move: String) -> [String] {
    let undone = tick.branch == 0 ? "" : ", undone by \(wave.branches[Int(tick.branch) - 1].undoer)"
    let sign = signs.sign(tick.outcome, isOfTimer: tick.isOfTimer)
    return [
      WaveTime.seconds(tick.moment), "\(tick.sequence)", name, "\(sign) \(wave.words[tick.word])",
      (move.isEmpty ? "\(tick.outcome.word)" : move) + wave.failure(of: tick) + undone,
    ]
  }

  private var legend: String {
    var used: [String] = []
    let all: [Waveform.Outcome] = [
      .moved, .stayed, .ignored, .refused, .created, .dropped, .wired, .unwired,
    ]
    func add(_ sign: Character, _ word: String) {
      let isUsed = all.contains { outcome in
        [false, true].contains {
          wave.legend.has(outcome, isOfTimer: $0) && signs.sign(outcome, isOfTimer: $0) == sign
        }
      }
      if isUsed { used.append("\(sign) \(word)") }
    }
    add(signs.moved, "moved")
    add(signs.stayed, "stayed")
    add(signs.expired, "expired")
    add(signs.ignored, "ignored")
    add(signs.refused, "refused")
    if wave.legend.hasDisarmed { used.append("\(signs.disarmed) disarmed") }
    if scale.pieces.contains(where: { $0.part == .fold }) { used.append("\(signs.fold) time left out") }
    if hasSimultaneous { used.append("\(signs.counts[0]) that many at one time") }
    if scale.moments.count > columns / 2 { used.append("\(signs.many) several") }
    return used.joined(separator: "  ")
  }
}
