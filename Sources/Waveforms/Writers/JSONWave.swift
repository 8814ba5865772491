import StateMachines

/// The waveform as one JSON object over several lines, for programs. Times are numbers of seconds.
package struct JSONWave: WaveWriter, Sendable {
  private let wave: Waveform
  private let words: [[UInt8]]
  private var section = Section.head
  private var lane = 0
  private var item = 0

  private enum Section {
    case head, laneHead, states, events, timers, readings, laneEnd, wires, world, end, over
  }

  package init(_ wave: Waveform) {
    self.wave = wave
    words = wave.words.words.map(JSONWave.quoted)
  }

  static func quoted(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = [UInt8(ascii: "\"")]
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    return bytes + [UInt8(ascii: "\"")]
  }

  /// The next line; `nil` at the end.
  package mutating func next() -> [UInt8]? {
    var line = TextLine()
    while line.bytes.isEmpty {
      guard write(&line) else { return nil }
    }
    return line.bytes
  }

  private mutating func write(_ line: inout TextLine) -> Bool {
    switch section {
    case .head:
      line.put("{\"from\":")
      line.put(seconds: wave.from.nanoseconds)
      line.put(",\"to\":")
      line.put(seconds: wave.to.nanoseconds)
      line.put(",\"lanes\":[")
      section = wave.lanes.isEmpty ? .wires : .laneHead
      if wave.lanes.isEmpty { line.put("],\"wires\":[") }
    case .laneHead:
      line.put("{\"name\":")
      line.put(JSONWave.quoted(wave.lanes[lane].name))
      line.put(",\"kind\":")
      line.put(JSONWave.quoted(wave.lanes[lane].kind))
      line.put(",\"states\":[")
      (section, item) = (.states, 0)
    case .states:
      let segments = wave.lanes[lane].segments
      guard item < segments.count else {
        line.put("],\"events\":[")
        (section, item) = (.events, 0)
        return true
      }
      let segment = segments[item]
      line.put("{\"from\":")
      line.put(seconds: segment.from)
      line.put(",\"to\":")
      line.put(seconds: segment.to)
      line.put(",\"state\":")
      line.put(words[Int(segment.state)])
      finishItem(segment.branch, segments.count, &line)
    case .events:
      let ticks = wave.lanes[lane].ticks
      guard item < ticks.count else {
        line.put("],\"timers\":[")
        (section, item) = (.timers, 0)
        return true
      }
      write(ticks[item], &line)
      finishItem(ticks[item].branch, ticks.count, &line)
    case .timers:
      let bars = wave.lanes[lane].bars
      guard item < bars.count else {
        line.put("],\"readings\":[")
        (section, item) = (.readings, 0)
        return true
      }
      let bar = bars[item]
      line.put("{\"from\":")
      line.put(seconds: bar.from)
      line.put(",\"to\":")
      line.put(seconds: bar.to)
      line.put(",\"timer\":")
      line.put(words[Int(bar.timer)])
      line.put(",\"end\":\"")
      line.put(bar.end.word)
      line.put("\"")
      finishItem(bar.branch, bars.count, &line)
    case .readings:
      let curves = wave.lanes[lane].curves
      guard item < curves.count else {
        section = .laneEnd
        return true
      }
      line.put("{\"name\":")
      line.put(JSONWave.quoted(curves[item].name))
      line.put(",\"unit\":")
      line.put(JSONWave.quoted(curves[item].unit))
      line.put(",\"points\":[")
      for (place, point) in curves[item].points.enumerated() {
        line.put(place == 0 ? "[" : ",[")
        line.put(seconds: point.moment)
        line.put(",\(point.value)]")
      }
      line.put("]")
      finishItem(0, curves.count, &line)
    case .laneEnd:
      lane += 1
      section = lane < wave.lanes.count ? .laneHead : .wires
      line.put(lane < wave.lanes.count ? "]}," : "]}],\"wires\":[")
      item = 0
    case .wires:
      guard item < wave.deliveries.count else {
        line.put("],\"world\":[")
        (section, item) = (.world, 0)
        return true
      }
      let delivery = wave.deliveries[item]
      line.put("{\"t\":")
      line.put(seconds: delivery.moment)
      line.put(",\"seq\":")
      line.put(decimal: delivery.sequence)
      line.put(",\"from\":")
      line.put(JSONWave.quoted(delivery.source))
      line.put(",\"output\":")
      line.put(words[Int(delivery.output)])
      line.put(",\"to\":")
      line.put(JSONWave.quoted(wave.lanes[delivery.to].name))
      line.put(",\"event\":")
      line.put(words[Int(delivery.event)])
      finishItem(delivery.branch, wave.deliveries.count, &line)
    case .world:
      guard item < wave.worldInputs.count else {
        section = .end
        return true
      }
      write(wave.worldInputs[item], &line)
      finishItem(wave.worldInputs[item].branch, wave.worldInputs.count, &line)
    case .end:
      line.put("]")
      if !wave.marks.isEmpty {
        line.put(",\"marks\":[")
        for (place, mark) in wave.marks.enumerated() {
          line.put(place == 0 ? "{\"t\":" : ",{\"t\":")
          line.put(seconds: mark.moment.nanoseconds)
          line.put(",\"text\":")
          line.put(JSONWave.quoted(mark.text))
          line.put("}")
        }
        line.put("]")
      }
      if wave.omittedMachines > 0 {
        line.put(",\"omitted\":{\"machines\":")
        line.put(decimal: UInt64(wave.omittedMachines))
        line.put(",\"inputs\":")
        line.put(decimal: UInt64(wave.omittedInputs))
        line.put("}")
      }
      line.put("}")
      section = .over
    case .over:
      return false
    }
    return true
  }

  private func write(_ tick: Waveform.Tick, _ line: inout TextLine) {
    line.put("{\"t\":")
    line.put(seconds: tick.moment)
    line.put(",\"seq\":")
    line.put(decimal: tick.sequence)
    line.put(",\"event\":")
    line.put(words[Int(tick.word)])
    switch tick.source {
    case .client, .world: break
    case .wire: line.put(",\"by\":\"wire\"")
    case .expiry: line.put(",\"by\":\"timer\"")
    case .fired: line.put(",\"by\":\"fire\"")
    }
    line.put(",\"outcome\":\"")
    line.put(tick.outcome.word)
    line.put("\"")
  }

  private mutating func finishItem(_ branch: UInt32, _ count: Int, _ line: inout TextLine) {
    if branch != 0 {
      line.put(",\"undone\":")
      line.put(decimal: wave.branches[Int(branch) - 1].undoer)
    }
    item += 1
    line.put(item < count ? "}," : "}")
  }
}
