import StateMachines

/// The elements of a lane in a picture, gathered piece by piece.
struct LanePicture: Sendable {
  private(set) var lines: [String] = ["<g>"]
  private let scale: TimeScale
  private let rows: LaneRows
  private let lane: Int
  private var y: Int
  private var walk: LaneWalk
  private var pen: LanePicturePen
  /// Undone stretches drawn.
  private var undone = 0

  init(of lane: Int, _ wave: Waveform, _ scale: TimeScale, _ top: Int) {
    self.lane = lane
    self.scale = scale
    rows = LaneRows(of: wave.lanes[lane])
    y = top
    walk = LaneWalk(of: wave.lanes[lane], in: wave)
    pen = LanePicturePen(wave, scale, regions: rows.regions.count, top, "")
  }

  /// - Returns: Whether all is drawn.
  mutating func advance(_ wave: Waveform) -> Bool {
    guard walk.advance(by: WaveReplyPiece.inputs, through: wave.lanes[lane], of: wave, &pen) else { return false }
    lines += pen.finish()
    y += SVGWave.tickHeight
    if walk.branch == 0 {
      drawRest(of: wave.lanes[lane], wave)
    } else {
      label(LaneRows.label(of: rows.undone[rows.undone.startIndex + undone], wave), y, isName: false)
      y += SVGWave.rowHeight
      lines.append("</g>")
      undone += 1
    }
    guard undone < rows.undone.count else {
      lines.append("</g>")
      return true
    }
    lines.append("<g class=\"pale\">")
    walk = LaneWalk(of: rows.undone[rows.undone.startIndex + undone], in: wave.lanes[lane])
    pen = LanePicturePen(wave, scale, regions: 1, y, " stroke-dasharray=\"5 3\"")
    return false
  }

  /// What is below the inputs: the labels of states, timers and readings.
  private mutating func drawRest(of lane: Waveform.Lane, _ wave: Waveform) {
    for (place, region) in rows.regions.enumerated() {
      label(place == 0 ? lane.name : region, y, isName: place == 0)
      y += SVGWave.rowHeight
    }
    // Below the name, if there is room.
    if rows.regions.count == 1, rows.timers.isEmpty, rows.curves.isEmpty {
      let kind = TextWave.Signs.unicode.fitted(lane.kind, 28) ?? ""
      lines.append("<text class=\"quiet\" x=\"16\" y=\"\(y + 8)\" font-size=\"12\">\(SVGWave.markup(kind))</text>")
    }
    for timer in rows.timers {
      let name = wave.words[timer.word]
      label(name, y - 4, isName: false)
      draw(timer.bars, name)
      y += SVGWave.barHeight
    }
    for curve in rows.curves {
      draw(curve, wave)
      y += SVGWave.curveHeight
    }
  }

  private func x(_ moment: Int64) -> Double { Double(SVGWave.left) + scale.position(moment) }

  private mutating func label(_ text: String, _ y: Int, isName: Bool) {
    let shown = SVGWave.fitting(text, Double(SVGWave.left - 26)) ?? ""
    let (name, x) = isName ? ("name", 16) : ("quiet", 28)
    lines.append(
      SVGWave.element(
        "<text class=\"\(name)\" x=\"\(x)\" y=\"\(y + 18)\">\(SVGWave.markup(shown))</text>", title: text))
  }

  private mutating func draw(_ bars: [Waveform.Bar], _ name: String) {
    var drawn = -1.0
    for bar in bars {
      let left = x(bar.from)
      let right = max(
        left + 1, bar.end == .running ? Double(SVGWave.width - SVGWave.right) : x(bar.to))
      // Bars that end within a pixel of the last one are not seen.
      if right - drawn < SVGWave.finest { continue }
      drawn = right
      let at = SVGWave.n(right)
      let finish =
        switch bar.end {
        case .expired: "<path class=\"expired\" d=\"M\(at) \(y + 1)l5 5l-5 5l-5 -5z\"/>"
        case .disarmed:
          "<path class=\"line\" stroke-width=\"2\" d=\"M\(SVGWave.n(right - 4)) \(y + 2)l8 8m0 -8l-8 8\"/>"
        case .running: "<path class=\"expired\" d=\"M\(at) \(y + 1)l7 5l-7 5z\"/>"
        }
      let (x, width) = (SVGWave.n(left), SVGWave.n(right - left))
      lines.append(
        SVGWave.element(
          "<rect class=\"bar\" x=\"\(x)\" y=\"\(y + 3)\" width=\"\(width)\" height=\"6\"/>\(finish)",
          title: "\(name): \(WaveTime.seconds(bar.from)) s to \(WaveTime.seconds(bar.to)) s, \(bar.end.word)"))
    }
  }

  private mutating func draw(_ curve: Waveform.Curve, _ wave: Waveform) {
    var (least, most) = (Double.infinity, -Double.infinity)
    for point in curve.points { (least, most) = (min(least, point.value), max(most, point.value)) }
    let room = Double(SVGWave.curveHeight - 16)
    let foot = Double(y) + room + 6
    let last = wave.to.nanoseconds
    var path = CurvePath()
    for point in curve.points {
      let share = most > least ? (point.value - least) / (most - least) : 0.5
      let at = x(point.moment)
      path.add(at, point.moment == last ? Double(SVGWave.width - SVGWave.right) : at, foot - share * room)
    }
    let width = SVGWave.width - SVGWave.left - SVGWave.right
    let tall = SVGWave.curveHeight - 12
    lines.append("<rect class=\"frame\" x=\"\(SVGWave.left)\" y=\"\(y + 4)\" width=\"\(width)\" height=\"\(tall)\"/>")
    label(curve.name, y + 8, isName: false)
    let range = "\(TextWave.number(least)) to \(TextWave.number(most)) \(curve.unit)"
    lines.append("<text class=\"quiet\" x=\"28\" y=\"\(y + 44)\" font-size=\"12\">\(SVGWave.markup(range))</text>")
    lines += path.element()
    var marked = -20.0
    for point in curve.points {
      let at = x(point.moment)
      guard at - marked >= 6 else { continue }
      marked = at
      lines.append(
        SVGWave.element(
          "<rect x=\"\(SVGWave.n(at - 3))\" y=\"\(y + 4)\" width=\"6\" height=\"\(tall)\" fill-opacity=\"0\"/>",
          title: "\(curve.name) \(TextWave.number(point.value)) \(curve.unit) at \(WaveTime.seconds(point.moment)) s"))
    }
  }
}

/// The line of a curve, of which at most four points stand within half a pixel: the first, the extremes and the last.
private struct CurvePath {
  private var lines: [String] = []
  private var line = "<path class=\"curve\" d=\""
  private var begin = "M"
  private var slot: (x: Double, first: Double, least: Double, most: Double, last: Double)?

  private static let slotWidth = 0.5
  /// How long a line of the file may get.
  private static let lineLength = 1_000

  /// Adds a point, with a level line from `start` to `end` behind it.
  mutating func add(_ start: Double, _ end: Double, _ y: Double) {
    if let open = slot {
      if end - open.x < CurvePath.slotWidth {
        slot = (open.x, open.first, min(open.least, y), max(open.most, y), y)
        return
      }
      put(open.x, open.first, open.least, open.most, open.last)
    }
    slot = (start, y, y, y, y)
    if end > start {
      put(start, y, y, y, y)
      slot = (end, y, y, y, y)
    }
  }

  private mutating func put(_ x: Double, _ first: Double, _ least: Double, _ most: Double, _ last: Double) {
    var at = Double.nan
    for y in [first, least, most, last] where y != at {
      line += "\(begin)\(SVGWave.n(x)) \(SVGWave.n(y))"
      begin = "L"
      at = y
    }
    if line.utf8.count > CurvePath.lineLength {
      lines.append(line)
      line = ""
    }
  }

  mutating func element() -> [String] {
    if let open = slot { put(open.x, open.first, open.least, open.most, open.last) }
    slot = nil
    return lines + [line + "\"/>"]
  }
}

/// Draws inputs and states; what is too narrow to be seen is drawn together.
private struct LanePicturePen: LanePen, Sendable {
  private let wave: Waveform
  private let scale: TimeScale
  private let top: Int
  /// More attributes of states.
  private let attributes: String
  private var ticks: TickGroup?
  /// Where there is room for the next text of an input.
  private var free = 0.0
  private var words: RegionWords
  private var courses: [RegionCourse]
  /// By region.
  private var groups: [StateGroup?]
  private var lines: [String] = []

  /// Inputs that stand within a few pixels.
  private struct TickGroup: Sendable {
    let first: Waveform.Tick
    var last: Waveform.Tick
    let left: Double
    /// Its inputs, as far as their names are shown.
    var inputs: [Waveform.Tick]
    var count: Int
  }

  /// States that are together too narrow, or a single one.
  private struct StateGroup: Sendable {
    let first: Waveform.Segment
    var to: Int64
    let left: Double
    var right: Double
    var count: Int
  }

  private static let tickWidth = 3.0
  /// With more inputs at one moment, only their number is shown.
  private static let mostNamed = 9

  init(_ wave: Waveform, _ scale: TimeScale, regions: Int, _ top: Int, _ attributes: String) {
    self.wave = wave
    self.scale = scale
    self.top = top
    self.attributes = attributes
    words = RegionWords(regions: regions)
    courses = Array(repeating: RegionCourse(), count: regions)
    groups = Array(repeating: nil, count: regions)
  }

  private func x(_ moment: Int64) -> Double { Double(SVGWave.left) + scale.position(moment) }

  // MARK: Inputs

  mutating func add(_ tick: Waveform.Tick) {
    let at = x(tick.moment)
    if let group = ticks {
      if at - group.left < LanePicturePen.tickWidth {
        ticks?.count += 1
        ticks?.last = tick
        if group.count < LanePicturePen.mostNamed { ticks?.inputs.append(tick) }
        return
      }
      draw(group, upTo: at)
    }
    ticks = TickGroup(first: tick, last: tick, left: at, inputs: [tick], count: 1)
  }

  private mutating func draw(_ group: TickGroup, upTo right: Double) {
    let (left, tick) = (group.left, group.first)
    let isOneMoment = group.last.moment == tick.moment
    guard group.count == 1 || isOneMoment && group.count <= LanePicturePen.mostNamed else {
      let (from, to) = (WaveTime.seconds(tick.moment), WaveTime.seconds(group.last.moment))
      lines.append(
        SVGWave.element(
          "<rect class=\"many\" x=\"\(SVGWave.n(left))\" y=\"\(top + 12)\" width=\"3\" height=\"10\"/>",
          title: "\(group.count) inputs " + (isOneMoment ? "at \(from) s" : "from \(from) s to \(to) s")))
      return
    }
    lines.append(
      SVGWave.element(sign(group.last, left), title: group.inputs.map(title).joined(separator: "; then ")))
    // A text needs room on both sides of its sign.
    let numbers = "①②③④⑤⑥⑦⑧⑨"
    let text = zip(numbers, group.inputs).map { number, input in
      group.count > 1 ? "\(number)\(wave.words[input.word])" : wave.words[input.word]
    }
    guard left + 7 > free, let shown = SVGWave.fitting(text.joined(separator: " "), right - left - 9) else { return }
    lines.append(
      "<text x=\"\(SVGWave.n(left + 7))\" y=\"\(top + 20)\" font-size=\"12.5\">\(SVGWave.markup(shown))</text>")
    free = left + 7 + Double(shown.count) * SVGWave.character
  }

  private func title(_ tick: Waveform.Tick) -> String {
    let by =
      switch tick.source {
      case .expiry: "timer expired, "
      case .fired: "timer fired, "
      case .wire: "by wire, "
      case .client, .world: ""
      }
    let undone = tick.branch == 0 ? "" : ", undone by \(wave.branches[Int(tick.branch) - 1].undoer)"
    return "t=\(WaveTime.seconds(tick.moment)) s, seq \(tick.sequence): \(wave.words[tick.word]), "
      + "\(by)\(tick.outcome.word)\(wave.failure(of: tick))\(undone)"
  }

  private func sign(_ tick: Waveform.Tick, _ x: Double) -> String {
    let y = top
    switch tick.outcome {
    case .refused: return "<path class=\"refused\" d=\"M\(SVGWave.n(x - 4)) \(y + 12)l8 8m0 -8l-8 8\"/>"
    case .ignored: return "<circle class=\"ignored\" cx=\"\(SVGWave.n(x))\" cy=\"\(y + 16)\" r=\"4\"/>"
    case .stayed where !tick.isOfTimer:
      return "<path class=\"stayed\" d=\"M\(SVGWave.n(x - 5)) \(y + 12)h10l-5 10z\"/>"
    case .moved, .stayed, .created, .dropped, .wired, .unwired, .undone, .redone, .restarted, .defined, .undefined:
      return tick.isOfTimer
        ? "<path class=\"expired\" d=\"M\(SVGWave.n(x)) \(y + 10)l5 6l-5 6l-5 -6z\"/>"
        : "<path class=\"moved\" d=\"M\(SVGWave.n(x - 5)) \(y + 12)h10l-5 10z\"/>"
    }
  }

  // MARK: States

  mutating func add(_ segment: Waveform.Segment) {
    guard courses.count > 1 else { return add(segment, to: 0) }
    for (region, word) in words.parts(of: segment.state, wave).prefix(courses.count).enumerated() {
      if let complete = courses[region].add(segment, word) { add(complete, to: region) }
    }
  }

  private mutating func add(_ segment: Waveform.Segment, to region: Int) {
    // Between two inputs of one moment.
    if segment.from == segment.to, segment.end != .max { return }
    let right = isToTheEnd(segment) ? Double(SVGWave.width - SVGWave.right) : x(segment.to)
    if let group = groups[region] {
      if right - group.left < SVGWave.finest {
        groups[region]?.count += 1
        groups[region]?.right = right
        groups[region]?.to = segment.to
        return
      }
      draw(group, region)
    }
    groups[region] = StateGroup(
      first: segment, to: segment.to, left: x(segment.from), right: right, count: 1)
  }

  private func isToTheEnd(_ segment: Waveform.Segment) -> Bool {
    segment.end == .max && segment.to == wave.to.nanoseconds
  }

  private mutating func draw(_ group: StateGroup, _ region: Int) {
    let y = top + SVGWave.tickHeight + region * SVGWave.rowHeight
    let width = max(1, group.right - group.left)
    let height = SVGWave.rowHeight - 2
    let place = "x=\"\(SVGWave.n(group.left))\" y=\"\(y)\" width=\"\(SVGWave.n(width))\" height=\"\(height)\""
    let (from, to) = (WaveTime.seconds(group.first.from), WaveTime.seconds(group.to))
    if group.count > 1 {
      lines.append(
        SVGWave.element("<rect class=\"many\" \(place)/>", title: "\(group.count) states from \(from) s to \(to) s"))
      return
    }
    let text = courses.count > 1 ? words[group.first.state] : wave.words[group.first.state]
    let isPresent = isToTheEnd(group.first) && group.first.branch == 0
    let label =
      SVGWave.fitting(text, width - 10).map {
        "<text x=\"\(SVGWave.n(group.left + 6))\" y=\"\(y + 17)\">\(SVGWave.markup($0))</text>"
      } ?? ""
    lines.append(
      SVGWave.element(
        "<rect class=\"state \(isPresent ? "present" : "s\(fill(text))")\" \(place)\(attributes)/>\(label)",
        title: "\(text): \(from) s to \(to) s (\(WaveTime.short(group.to - group.first.from)))"))
  }

  /// The fill of a state: the same for the same word in the whole picture.
  private func fill(_ text: String) -> Int {
    Int(text.utf8.reduce(UInt32(7)) { ($0 &* 31) &+ UInt32($1) } % 6)
  }

  /// Draws what is still open, and hands out the elements.
  mutating func finish() -> [String] {
    if let group = ticks { draw(group, upTo: Double(SVGWave.width - SVGWave.right)) }
    for region in courses.indices {
      if let open = courses[region].finish() { add(open, to: region) }
      if let group = groups[region] { draw(group, region) }
    }
    return lines
  }
}
