import LineProtocol
import StateMachines

/// The rows of inputs and states of a lane, filled piece by piece.
struct LaneText: Sendable {
  let rows: LaneRows
  private(set) var ticks: TextCells
  private(set) var states: [TextCells] = []
  /// Of the undone stretches that have rows.
  private(set) var undone: [(ticks: TextCells, states: TextCells)] = []
  /// Whether states in effect are summed up, and whether several inputs came at one time.
  private(set) var hasRuns = false
  private(set) var hasSimultaneous = false
  /// What is to be said below the states.
  private(set) var notes: [String] = []
  private let lane: Int
  private var walk: LaneWalk
  private var pen: LaneTextPen

  init(of lane: Int, _ wave: Waveform, _ scale: TimeScale, _ signs: TextWave.Signs, _ columns: Int) {
    self.lane = lane
    rows = LaneRows(of: wave.lanes[lane])
    ticks = TextCells(columns)
    walk = LaneWalk(of: wave.lanes[lane], in: wave)
    pen = LaneTextPen(wave, scale, signs, columns, regions: rows.regions.count, signs.line)
  }

  /// - Returns: Whether all is drawn.
  mutating func advance(_ wave: Waveform) -> Bool {
    guard walk.advance(by: WaveReplyPiece.inputs, through: wave.lanes[lane], of: wave, &pen) else { return false }
    let (ticks, states) = pen.finish()
    hasSimultaneous = hasSimultaneous || pen.hasSimultaneous
    if walk.branch == 0 {
      (self.ticks, self.states) = (ticks, states)
      hasRuns = pen.hasRuns
      notes = pen.notes
    } else {
      undone.append((ticks, states[0]))
    }
    guard undone.count < rows.undone.count else { return true }
    walk = LaneWalk(of: rows.undone[rows.undone.startIndex + undone.count], in: wave.lanes[lane])
    pen = pen.pale
    return false
  }
}

/// Draws inputs and states into rows.
private struct LaneTextPen: LanePen, Sendable {
  private let wave: Waveform
  private let scale: TimeScale
  private let signs: TextWave.Signs
  private let columns: Int
  private let line: Character
  /// The inputs that have a sign of their own, or the first of several in a column.
  private var marked: [Mark] = []
  private var words: RegionWords
  private var courses: [RegionCourse]
  private var states: [TextCells]
  /// By region: the column in which the last state begins, and whether it is one of several.
  private var last: [(column: Int, isMany: Bool)]
  /// By region: what repeats.
  private var repeated: [RepeatedStates]
  /// The columns of states that are summed up.
  private var runs: [Range<Int>] = []
  /// Those whose whole text has no room in the row.
  private(set) var notes: [String] = []
  private static let mostNotes = 3
  private(set) var hasSimultaneous = false

  private struct Mark: Sendable {
    let column: Int
    let moment: Int64
    /// How many inputs at this moment.
    var count = 1
    var words: [UInt32]
    var sign: Character
    /// Whether it leads from one state to the next, as do the inputs of states that are summed up.
    var isOfCourse: Bool
  }

  init(
    _ wave: Waveform, _ scale: TimeScale, _ signs: TextWave.Signs, _ columns: Int, regions: Int, _ line: Character
  ) {
    self.wave = wave
    self.scale = scale
    self.signs = signs
    self.columns = columns
    self.line = line
    words = RegionWords(regions: regions)
    courses = Array(repeating: RegionCourse(), count: regions)
    states = Array(repeating: TextCells(columns), count: regions)
    last = Array(repeating: (-1, false), count: regions)
    repeated = Array(repeating: RepeatedStates(), count: regions)
  }

  var hasRuns: Bool { !runs.isEmpty }

  /// An empty one for undone inputs.
  var pale: LaneTextPen { LaneTextPen(wave, scale, signs, columns, regions: 1, signs.pale) }

  private func column(_ moment: Int64) -> Int {
    min(columns - 1, Int(clamping: scale.position(moment) + 1e-6))
  }

  mutating func add(_ tick: Waveform.Tick) {
    let column = column(tick.moment)
    guard let last = marked.last, last.column >= column else {
      marked.append(
        Mark(
          column: column, moment: tick.moment, words: [tick.word],
          sign: signs.sign(tick.outcome, isOfTimer: tick.isOfTimer),
          isOfCourse: tick.outcome == .moved || tick.isOfTimer))
      return
    }
    let place = marked.count - 1
    guard last.moment == tick.moment, last.count > 0, last.count <= signs.counts.count else {
      marked[place].sign = signs.many
      marked[place].count = 0
      return
    }
    hasSimultaneous = true
    marked[place].count += 1
    marked[place].sign = signs.counts[last.count - 1]
    if last.words.last != tick.word { marked[place].words.append(tick.word) }
    if tick.outcome != .moved, !tick.isOfTimer { marked[place].isOfCourse = false }
  }

  mutating func add(_ segment: Waveform.Segment) {
    guard courses.count > 1 else { return add(segment, to: 0) }
    for (region, word) in words.parts(of: segment.state, wave).prefix(courses.count).enumerated() {
      if let complete = courses[region].add(segment, word) { add(complete, to: region) }
    }
  }

  /// The columns of a state from which on it is drawn by itself: a line, and a part of its name.
  private static let columnsOfState = 4

  private mutating func add(_ segment: Waveform.Segment, to row: Int) {
    // Between two inputs of one moment.
    if segment.from == segment.to, segment.end != .max { return }
    let scale = scale
    draw(
      repeated[row].add(segment) { from, to, count in
        scale.position(to) - scale.position(from) < Double(LaneTextPen.columnsOfState * count)
      }, row)
  }

  private mutating func draw(_ items: [RepeatedStates.Item], _ row: Int) {
    for item in items {
      switch item {
      case .single(let segment): draw(segment, row)
      case .run(let run): draw(run, row)
      }
    }
  }

  private func name(_ state: UInt32) -> String { courses.count > 1 ? words[state] : wave.words[state] }

  private func isToTheEnd(_ segment: Waveform.Segment) -> Bool {
    segment.end == .max && segment.to == wave.to.nanoseconds
  }

  private mutating func draw(_ run: RepeatedStates.Run, _ row: Int) {
    let start = column(run.whole.from)
    let end = isToTheEnd(run.whole) ? columns : min(columns, max(start + 1, column(run.whole.to)))
    last[row] = (start, false)
    runs.append(start..<end)
    states[row][start] = signs.change
    for cell in (start + 1)..<max(start + 1, end) { states[row][cell] = line }
    let texts = [true, false].map { run.text(name, times: signs.times, hasLengths: $0) }
    let fitting = texts.first { TextColumns.width(of: $0) < end - start }
    let text = fitting ?? "\(run.count) \(signs.times)"
    if fitting != texts[0], notes.count < LaneTextPen.mostNotes, !notes.contains(texts[0]) { notes.append(texts[0]) }
    states[row].write(text, at: start + 1, upTo: end, signs)
  }

  private mutating func draw(_ segment: Waveform.Segment, _ row: Int) {
    let start = column(segment.from)
    let end = isToTheEnd(segment) ? columns : min(columns, max(start + 1, column(segment.to)))
    let isMany = start == last[row].column
    // Nearly all of very many.
    if isMany, last[row].isMany, end == start + 1 { return }
    last[row] = (start, isMany)
    states[row][start] = isMany ? signs.many : signs.change
    guard end > start + 1 else { return }
    for cell in (start + 1)..<end { states[row][cell] = line }
    let name = name(segment.state)
    let fits = TextColumns.width(of: name) < end - start
    states[row].write(name, at: start + 1, upTo: fits ? end : end - 1, signs)
  }

  /// The rows.
  mutating func finish() -> (ticks: TextCells, states: [TextCells]) {
    for region in courses.indices {
      if let open = courses[region].finish() { add(open, to: region) }
      draw(repeated[region].finish(), region)
    }
    // The inputs of states that are summed up are, too.
    let shown = marked.filter { mark in
      !(mark.isOfCourse || mark.count == 0) || !runs.contains { $0.contains(mark.column) }
    }
    var ticks = TextCells(columns)
    for (place, mark) in shown.enumerated() {
      ticks[mark.column] = mark.sign
      guard mark.count > 0 else { continue }
      let end = place + 1 < shown.count ? shown[place + 1].column - 1 : columns
      let text = mark.words.map { wave.words[$0] }.joined(separator: ", ")
      ticks.write(text, at: mark.column + 1, upTo: end, signs)
    }
    return (ticks, states)
  }
}
