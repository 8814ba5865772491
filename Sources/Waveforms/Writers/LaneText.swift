import StateMachines

/// The rows of inputs and states of a lane, filled piece by piece.
struct LaneText: Sendable {
  let rows: LaneRows
  private(set) var ticks: TextCells
  private(set) var states: [TextCells] = []
  /// Of the undone stretches that have rows.
  private(set) var undone: [(ticks: TextCells, states: TextCells)] = []
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
    if walk.branch == 0 {
      (self.ticks, self.states) = (ticks, states)
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
  private var marked: [(column: Int, word: UInt32, sign: Character)] = []
  private var words: RegionWords
  private var courses: [RegionCourse]
  private var states: [TextCells]
  /// By region: the column in which the last state begins, and whether it is one of several.
  private var last: [(column: Int, isMany: Bool)]

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
  }

  /// An empty one for undone inputs.
  var pale: LaneTextPen { LaneTextPen(wave, scale, signs, columns, regions: 1, signs.pale) }

  private func column(_ moment: Int64, _ sequence: UInt64) -> Int {
    min(columns - 1, Int(clamping: scale.position(moment, sequence) + 1e-6))
  }

  mutating func add(_ tick: Waveform.Tick) {
    let column = column(tick.moment, tick.sequence)
    if let last = marked.last, last.column >= column {
      marked[marked.count - 1].sign = signs.many
    } else {
      marked.append((column, tick.word, signs.sign(tick.outcome, isOfTimer: tick.isOfTimer)))
    }
  }

  mutating func add(_ segment: Waveform.Segment) {
    guard courses.count > 1 else { return draw(segment, 0) }
    for (region, word) in words.parts(of: segment.state, wave).prefix(courses.count).enumerated() {
      if let complete = courses[region].add(segment, word) { draw(complete, region) }
    }
  }

  private mutating func draw(_ segment: Waveform.Segment, _ row: Int) {
    let start = column(segment.from, segment.start)
    let isToTheEnd = segment.end == .max && segment.to == wave.to.nanoseconds
    let end = isToTheEnd ? columns : min(columns, max(start + 1, column(segment.to, segment.end)))
    let isMany = start == last[row].column
    // Nearly all of very many.
    if isMany, last[row].isMany, end == start + 1 { return }
    last[row] = (start, isMany)
    states[row][start] = isMany ? signs.many : signs.change
    guard end > start + 1 else { return }
    for cell in (start + 1)..<end { states[row][cell] = line }
    let text = courses.count > 1 ? words[segment.state] : wave.words[segment.state]
    states[row].write(text, at: start + 1, upTo: end - 1, signs)
  }

  /// The rows.
  mutating func finish() -> (ticks: TextCells, states: [TextCells]) {
    for region in courses.indices { if let open = courses[region].finish() { draw(open, region) } }
    var ticks = TextCells(columns)
    for (place, mark) in marked.enumerated() {
      ticks[mark.column] = mark.sign
      guard mark.sign != signs.many else { continue }
      let end = place + 1 < marked.count ? marked[place + 1].column - 1 : columns
      ticks.write(wave.words[mark.word], at: mark.column + 1, upTo: end, signs)
    }
    return (ticks, states)
  }
}
