package import LineProtocol
import StateMachines

/// The waveform as one JSON object over several lines, for programs. Times are numbers of seconds.
///
/// Each input, state and point has a line of its own, so that no line is long.
package struct JSONWave: WaveWriter, Sendable {
  private let wave: Waveform
  private var words = WordBytes()
  private var section = Section.words
  private var lane = 0
  private var item = 0
  private var point = 0
  private var walk: LaneWalk?
  private var nextUndone = 0
  /// States that a walk has found.
  private var states = Segments()
  /// Whether a list whose length is not known has an item.
  private var hasItems = false

  private enum Section {
    case words, head, laneHead, states, events, timers(Int, isUndone: Bool), readings, points, wires, world
    case marks, end, over
  }

  private struct Segments: LanePen, Sendable {
    var found: [Waveform.Segment] = []
    mutating func add(_ tick: Waveform.Tick) {}
    mutating func add(_ segment: Waveform.Segment) { found.append(segment) }
  }

  package init(_ wave: Waveform) {
    self.wave = wave
  }

  package mutating func write(to buffer: inout ByteBuffer) -> Bool {
    let most = buffer.count + WaveReplyPiece.bytes
    while buffer.count < most {
      switch section {
      case .words:
        if words.add(wave.words, { $1.append(json: $0) }) { section = .head }
        return true
      case .states:
        guard writeStates(&buffer) else { return true }
      case .events: writeEvents(&buffer, most)
      case .points: writePoints(&buffer, most)
      case .timers(let timer, let isUndone): writeBars(of: timer, isUndone, &buffer, most)
      case .wires: writeWires(&buffer, most)
      case .over: return false
      case .head, .laneHead, .readings, .world, .marks, .end:
        writeLine(&buffer)
        buffer.endLine()
      }
    }
    return true
  }

  private mutating func begin(_ next: Section) { (section, item) = (next, 0) }

  /// Writes a line that is no item of a long list.
  private mutating func writeLine(_ line: inout ByteBuffer) {
    switch section {
    case .head:
      line.append(literal: "{\"from\":")
      line.append(seconds: wave.from.nanoseconds)
      line.append(literal: ",\"to\":")
      line.append(seconds: wave.to.nanoseconds)
      line.append(literal: ",\"lanes\":[")
      begin(.laneHead)
      if wave.lanes.isEmpty {
        line.append(literal: "],\"wires\":[")
        begin(.wires)
      }
    case .laneHead:
      line.append(literal: "{\"name\":")
      line.append(json: wave.lanes[lane].name)
      line.append(literal: ",\"kind\":")
      line.append(json: wave.lanes[lane].kind)
      line.append(literal: ",\"states\":[")
      walk = LaneWalk(of: wave.lanes[lane], in: wave)
      nextUndone = 0
      hasItems = false
      begin(.states)
    case .readings:
      let curves = wave.lanes[lane].curves
      guard item < curves.count else {
        line.append(literal: "]}")
        lane += 1
        line.append(literal: lane < wave.lanes.count ? "," : "],\"wires\":[")
        begin(lane < wave.lanes.count ? .laneHead : .wires)
        return
      }
      line.append(literal: item > 0 ? ",{\"name\":" : "{\"name\":")
      line.append(json: curves[item].name)
      line.append(literal: ",\"unit\":")
      line.append(json: curves[item].unit)
      line.append(literal: ",\"points\":[")
      section = .points
      point = 0
    case .world:
      guard item < wave.worldInputs.count else {
        line.append(literal: "]")
        begin(wave.marks.isEmpty ? .end : .marks)
        if !wave.marks.isEmpty { line.append(literal: ",\"marks\":[") }
        return
      }
      write(wave.worldInputs[item], &line)
      finishItem(wave.worldInputs[item].branch, isLast: item + 1 == wave.worldInputs.count, &line)
      item += 1
    case .marks:
      line.append(literal: "{\"t\":")
      line.append(seconds: wave.marks[item].moment.nanoseconds)
      line.append(literal: ",\"text\":")
      line.append(json: wave.marks[item].text)
      item += 1
      line.append(literal: item < wave.marks.count ? "}," : "}]")
      if item == wave.marks.count { begin(.end) }
    case .end:
      if wave.omittedMachines > 0 {
        line.append(literal: ",\"omitted\":{\"machines\":")
        line.append(decimal: UInt64(wave.omittedMachines))
        line.append(literal: ",\"inputs\":")
        line.append(decimal: UInt64(wave.omittedInputs))
        line.append(literal: "}")
      }
      line.append(literal: "}")
      section = .over
    case .words, .states, .events, .timers, .points, .wires, .over: break
    }
  }

  /// - Returns: Whether something was written, or the list is over.
  private mutating func writeStates(_ buffer: inout ByteBuffer) -> Bool {
    guard var walk else {
      buffer.line("],\"events\":[")
      begin(.events)
      return true
    }
    let isDone = walk.advance(
      by: WaveReplyPiece.inputs / 16, through: wave.lanes[lane], of: wave, &states)
    self.walk = walk
    if isDone {
      let undone = wave.lanes[lane].undone
      self.walk = nextUndone < undone.count ? LaneWalk(of: undone[nextUndone], in: wave.lanes[lane]) : nil
      nextUndone += 1
    }
    for segment in states.found {
      buffer.append(literal: hasItems ? ",{\"from\":" : "{\"from\":")
      hasItems = true
      buffer.append(seconds: segment.from)
      buffer.append(literal: ",\"to\":")
      buffer.append(seconds: segment.to)
      buffer.append(literal: ",\"state\":")
      words.append(segment.state, to: &buffer)
      finishItem(segment.branch, isLast: true, &buffer)
      buffer.endLine()
    }
    defer { states.found.removeAll(keepingCapacity: true) }
    return !states.found.isEmpty || isDone
  }

  private mutating func writeEvents(_ buffer: inout ByteBuffer, _ most: Int) {
    let ticks = wave.lanes[lane].ticks
    while item < ticks.count, buffer.count < most {
      let tick = ticks[item]
      item += 1
      write(tick, &buffer)
      finishItem(tick.branch, isLast: item == ticks.count, &buffer)
      buffer.endLine()
    }
    guard item == ticks.count else { return }
    buffer.line("],\"timers\":[")
    hasItems = false
    begin(.timers(0, isUndone: false))
  }

  private mutating func writeBars(of timer: Int, _ isUndone: Bool, _ buffer: inout ByteBuffer, _ most: Int) {
    guard timer < wave.lanes[lane].timers.count else {
      buffer.line("],\"readings\":[")
      return begin(.readings)
    }
    let word = wave.lanes[lane].timers[timer].word
    let bars = isUndone ? wave.lanes[lane].timers[timer].undone : wave.lanes[lane].timers[timer].bars
    while item < bars.count, buffer.count < most {
      let bar = bars[item]
      item += 1
      buffer.append(literal: hasItems ? ",{\"from\":" : "{\"from\":")
      hasItems = true
      buffer.append(seconds: bar.from)
      buffer.append(literal: ",\"to\":")
      buffer.append(seconds: bar.to)
      buffer.append(literal: ",\"timer\":")
      words.append(word, to: &buffer)
      buffer.append(literal: ",\"end\":\"")
      buffer.append(literal: bar.end.word)
      buffer.append(literal: "\"")
      finishItem(bar.branch, isLast: true, &buffer)
      buffer.endLine()
    }
    if item == bars.count { begin(.timers(isUndone ? timer + 1 : timer, isUndone: !isUndone)) }
  }

  private mutating func writePoints(_ buffer: inout ByteBuffer, _ most: Int) {
    let points = wave.lanes[lane].curves[item].points
    while point < points.count, buffer.count < most {
      buffer.append(literal: "[")
      buffer.append(seconds: points[point].moment)
      buffer.append(literal: ",")
      buffer.append(text: "\(points[point].value)")
      point += 1
      buffer.append(literal: point < points.count ? "]," : "]]}")
      buffer.endLine()
    }
    guard point == points.count else { return }
    item += 1
    section = .readings
  }

  private mutating func writeWires(_ buffer: inout ByteBuffer, _ most: Int) {
    while item < wave.deliveries.count, buffer.count < most {
      let delivery = wave.deliveries[item]
      item += 1
      buffer.append(literal: "{\"t\":")
      buffer.append(seconds: delivery.moment)
      buffer.append(literal: ",\"seq\":")
      buffer.append(decimal: delivery.sequence)
      buffer.append(literal: ",\"from\":")
      words.append(delivery.source, to: &buffer)
      buffer.append(literal: ",\"output\":")
      words.append(delivery.output, to: &buffer)
      buffer.append(literal: ",\"to\":")
      buffer.append(json: wave.lanes[delivery.to].name)
      buffer.append(literal: ",\"event\":")
      words.append(delivery.event, to: &buffer)
      finishItem(delivery.branch, isLast: item == wave.deliveries.count, &buffer)
      buffer.endLine()
    }
    guard item == wave.deliveries.count else { return }
    buffer.line("],\"world\":[")
    begin(.world)
  }

  private func write(_ tick: Waveform.Tick, _ line: inout ByteBuffer) {
    line.append(literal: "{\"t\":")
    line.append(seconds: tick.moment)
    line.append(literal: ",\"seq\":")
    line.append(decimal: tick.sequence)
    line.append(literal: ",\"event\":")
    words.append(tick.word, to: &line)
    switch tick.source {
    case .client, .world: break
    case .wire: line.append(literal: ",\"by\":\"wire\"")
    case .expiry: line.append(literal: ",\"by\":\"timer\"")
    case .fired: line.append(literal: ",\"by\":\"fire\"")
    }
    line.append(literal: ",\"outcome\":\"")
    line.append(literal: tick.outcome.word)
    line.append(literal: "\"")
    if let failure = tick.failure {
      line.append(literal: ",\"error\":")
      words.append(failure, to: &line)
    }
  }

  private func finishItem(_ branch: UInt32, isLast: Bool, _ line: inout ByteBuffer) {
    if branch != 0 {
      line.append(literal: ",\"undone\":")
      line.append(decimal: wave.branches[Int(branch) - 1].undoer)
    }
    line.append(literal: isLast ? "}" : "},")
  }
}
