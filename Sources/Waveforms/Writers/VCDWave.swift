package import LineProtocol
import StateMachines

/// The waveform as a value change dump, which waveform viewers read.
///
/// A scope for each part of a machine's name; in it the state and the last input as strings, a bit for each timer, and
/// a real for each reading. Undone inputs are left out, since a dump has one course of time.
package struct VCDWave: WaveWriter, Sendable {
  private let wave: Waveform
  private var words = WordBytes()
  private var section = Section.words
  /// By lane: its first variable. They follow in the order state, input, timers, readings.
  private var variables: [UInt32] = []
  /// What is next of each variable that has changes, the earliest first.
  private var queue = SourceQueue()
  private var time: Int64 = .min

  private enum Section {
    case words, header(Int), values(Int), changes, over
  }

  package init(_ wave: Waveform) {
    self.wave = wave
    variables.reserveCapacity(wave.lanes.count)
    var next: UInt32 = 0
    for lane in wave.lanes {
      variables.append(next)
      next += 2 + UInt32(lane.timers.count) + UInt32(lane.curves.count)
    }
  }

  package mutating func write(to buffer: inout ByteBuffer) -> Bool {
    let most = buffer.count + WaveReplyPiece.bytes
    while buffer.count < most {
      switch section {
      case .words:
        if words.add(wave.words, { $1.append(text: VCDWave.plain($0)) }) { section = .header(0) }
        return true
      case .header(let lane):
        if lane == 0 {
          buffer.line("$comment states, inputs, timers and readings of machines $end")
          buffer.line("$timescale 1 ns $end")
        }
        if lane < wave.lanes.count {
          writeHeader(of: lane, &buffer)
          section = .header(lane + 1)
        } else {
          buffer.line("$enddefinitions $end")
          section = .values(0)
        }
      case .values(let lane):
        if lane < wave.lanes.count {
          writeValues(of: lane, &buffer)
          section = .values(lane + 1)
        } else {
          section = .changes
        }
      case .changes:
        guard let source = queue.first else {
          if time < wave.to.nanoseconds { write(time: wave.to.nanoseconds, &buffer) }
          section = .over
          return false
        }
        writeChanges(of: source, &buffer, most)
      case .over: return false
      }
    }
    return true
  }

  // MARK: The header

  private func writeHeader(of lane: Int, _ buffer: inout ByteBuffer) {
    var variable = variables[lane]
    let scopes = wave.lanes[lane].name.split(separator: ".", omittingEmptySubsequences: true)
    for scope in scopes { buffer.line("$scope module \(VCDWave.plain(String(scope))) $end") }
    func declare(_ type: String, _ name: String) {
      buffer.line("$var \(type) \(VCDWave.code(variable)) \(VCDWave.plain(name)) $end")
      variable += 1
    }
    declare("string 1", "state")
    declare("string 1", "input")
    for timer in wave.lanes[lane].timers {
      // Its number stays free if all of it was undone.
      if timer.bars.isEmpty { variable += 1 } else { declare("wire 1", wave.words[timer.word]) }
    }
    for curve in wave.lanes[lane].curves { declare("real 64", curve.name) }
    for _ in scopes { buffer.line("$upscope $end") }
  }

  // MARK: The values at the beginning

  private mutating func writeValues(of lane: Int, _ buffer: inout ByteBuffer) {
    if lane == 0 { write(time: wave.from.nanoseconds, &buffer) }
    let variable = variables[lane]
    let drawn = wave.lanes[lane]
    write(word: drawn.start, variable, &buffer)
    write(word: Waveform.noState, variable + 1, &buffer)
    enqueue(SourceQueue.Source(lane: Int32(lane), part: .inputs, index: 0, variable: variable))
    for (place, timer) in drawn.timers.enumerated() where !timer.bars.isEmpty {
      let variable = variable + 2 + UInt32(place)
      let runs = timer.bars[0].start == 0
      write(bit: runs, variable, &buffer)
      enqueue(
        SourceQueue.Source(
          lane: Int32(lane), part: .timer(Int32(place)), index: runs ? 1 : 0, variable: variable))
    }
    for (place, curve) in drawn.curves.enumerated() where !curve.points.isEmpty {
      let variable = variable + 2 + UInt32(drawn.timers.count + place)
      write(real: curve.points[0].value, variable, &buffer)
      enqueue(SourceQueue.Source(lane: Int32(lane), part: .curve(Int32(place)), index: 1, variable: variable))
    }
  }

  private mutating func enqueue(_ source: SourceQueue.Source) {
    var source = source
    if find(&source) { queue.add(source) }
  }

  // MARK: Changes

  /// Finds the moment of a source's next change, and passes over what is undone.
  ///
  /// - Returns: False if it has no other.
  private func find(_ source: inout SourceQueue.Source) -> Bool {
    switch source.part {
    case .inputs:
      let ticks = wave.lanes[Int(source.lane)].ticks
      while source.index < ticks.count, ticks[source.index].branch != 0 { source.index += 1 }
      guard source.index < ticks.count else { return false }
      (source.moment, source.sequence) = (ticks[source.index].moment, ticks[source.index].sequence)
    case .timer(let timer):
      // Two changes for each bar.
      let bars = wave.lanes[Int(source.lane)].timers[Int(timer)].bars
      guard source.index / 2 < bars.count else { return false }
      let bar = bars[source.index / 2]
      if source.index & 1 == 0 {
        (source.moment, source.sequence) = (bar.from, bar.start)
      } else {
        if bar.end == .running { return false }
        (source.moment, source.sequence) = (bar.to, bar.finish)
      }
    case .curve(let curve):
      let points = wave.lanes[Int(source.lane)].curves[Int(curve)].points
      guard source.index < points.count else { return false }
      (source.moment, source.sequence) = (points[source.index].moment, 0)
    }
    return true
  }

  /// Writes the changes of the first source up to those of another.
  private mutating func writeChanges(of source: SourceQueue.Source, _ buffer: inout ByteBuffer, _ most: Int) {
    var source = source
    repeat {
      if source.moment > time { write(time: source.moment, &buffer) }
      switch source.part {
      case .inputs:
        let tick = wave.lanes[Int(source.lane)].ticks[source.index]
        switch tick.outcome {
        case .moved, .created, .dropped: write(word: tick.state, source.variable, &buffer)
        case .stayed, .ignored, .refused, .wired, .unwired, .undone, .redone, .restarted, .defined, .undefined: break
        }
        write(word: tick.word, source.variable + 1, &buffer)
      case .timer: write(bit: source.index & 1 == 0, source.variable, &buffer)
      case .curve(let curve):
        let value = wave.lanes[Int(source.lane)].curves[Int(curve)].points[source.index].value
        write(real: value, source.variable, &buffer)
      }
      source.index += 1
      guard find(&source) else { return queue.removeFirst() }
    } while buffer.count < most && queue.isBeforeOthers(source)
    queue.replaceFirst(with: source)
  }

  private mutating func write(time moment: Int64, _ buffer: inout ByteBuffer) {
    time = moment
    buffer.append(byte: UInt8(ascii: "#"))
    buffer.append(decimal: UInt64(max(0, moment)))
    buffer.endLine()
  }

  /// A word as the value of a variable; `-` for ``Waveform/noState``.
  private func write(word: UInt32, _ variable: UInt32, _ buffer: inout ByteBuffer) {
    buffer.append(byte: UInt8(ascii: "s"))
    if word == Waveform.noState { buffer.append(byte: UInt8(ascii: "-")) } else { words.append(word, to: &buffer) }
    buffer.append(byte: 0x20)
    VCDWave.append(variable, to: &buffer)
    buffer.endLine()
  }

  private func write(bit: Bool, _ variable: UInt32, _ buffer: inout ByteBuffer) {
    buffer.append(byte: UInt8(ascii: bit ? "1" : "0"))
    VCDWave.append(variable, to: &buffer)
    buffer.endLine()
  }

  private func write(real value: Double, _ variable: UInt32, _ buffer: inout ByteBuffer) {
    buffer.append(text: "r\(value) ")
    VCDWave.append(variable, to: &buffer)
    buffer.endLine()
  }

  /// The short name of a variable: printable ASCII in base 94.
  private static func append(_ variable: UInt32, to buffer: inout ByteBuffer) {
    var number = variable
    repeat {
      buffer.append(byte: UInt8(33 + number % 94))
      number /= 94
    } while number > 0
  }

  private static func code(_ variable: UInt32) -> String {
    var buffer = ByteBuffer(capacity: 64)
    append(variable, to: &buffer)
    return String(decoding: buffer.bytes, as: UTF8.self)
  }

  /// A name or value without white space and control characters, which would end it.
  private static func plain(_ text: String) -> String {
    let plain = VisibleText.escaped(text)
    guard !plain.isEmpty else { return "_" }
    return plain.contains(where: \.isWhitespace)
      ? String(plain.map { $0.isWhitespace ? "_" : $0 }) : plain
  }
}

/// Sources of changes, each in order, the one with the earliest next change first: a heap.
private struct SourceQueue: Sendable {
  enum Part: Sendable {
    case inputs
    case timer(Int32)
    case curve(Int32)
  }

  struct Source: Sendable {
    let lane: Int32
    let part: Part
    /// The next change.
    var index: Int
    let variable: UInt32
    var moment: Int64 = 0
    var sequence: UInt64 = 0

    func isBefore(_ other: Source) -> Bool {
      (moment, sequence, variable) < (other.moment, other.sequence, other.variable)
    }
  }

  private var heap: [Source] = []

  var first: Source? { heap.first }

  /// Whether a change in place of the first source's would be the next.
  func isBeforeOthers(_ source: Source) -> Bool {
    (heap.count < 2 || source.isBefore(heap[1])) && (heap.count < 3 || source.isBefore(heap[2]))
  }

  mutating func add(_ source: Source) {
    heap.append(source)
    var place = heap.count - 1
    while place > 0, heap[place].isBefore(heap[(place - 1) / 2]) {
      heap.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  mutating func removeFirst() {
    let last = heap.removeLast()
    if !heap.isEmpty { replaceFirst(with: last) }
  }

  mutating func replaceFirst(with source: Source) {
    var place = 0
    while true {
      var child = 2 * place + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
      guard heap[child].isBefore(source) else { break }
      heap[place] = heap[child]
      place = child
    }
    heap[place] = source
  }
}
