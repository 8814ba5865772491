import StateMachines

/// The waveform as a value change dump, which waveform viewers read.
///
/// A scope for each part of a machine's name; in it the state and the last input as strings, a bit for each timer, and
/// a real for each reading. Undone inputs are left out, since a dump has one course of time.
package struct VCDWave: WaveWriter, Sendable {
  private let wave: Waveform
  private var header: [String]
  private var changes: [Change]
  /// By variable.
  private let codes: [[UInt8]]
  private let words: [[UInt8]]
  private var place = 0
  private var headerLine = 0
  private var time: Int64 = .min
  private var isOver = false

  private struct Change: Sendable {
    let moment: Int64
    let sequence: UInt64
    let variable: UInt32
    let value: Value
  }

  private enum Value: Sendable {
    case word(UInt32)
    case absent
    case bit(Bool)
    case real(Double)
  }

  package init(_ wave: Waveform) {
    self.wave = wave
    var header = ["$comment states, inputs, timers and readings of machines $end", "$timescale 1 ns $end"]
    var changes: [Change] = []
    var variables: UInt32 = 0
    func variable(_ type: String, _ name: String) -> UInt32 {
      header.append("$var \(type) \(VCDWave.code(variables)) \(VCDWave.plain(name)) $end")
      variables += 1
      return variables - 1
    }
    for lane in wave.lanes {
      let scopes = lane.name.split(separator: ".", omittingEmptySubsequences: true)
      for scope in scopes { header.append("$scope module \(VCDWave.plain(String(scope))) $end") }
      let state = variable("string 1", "state")
      let begins = lane.segments.first { $0.branch == 0 }?.start == 0
      if !begins { changes.append(Change(moment: wave.from.nanoseconds, sequence: 0, variable: state, value: .absent)) }
      var last: Waveform.Segment?
      for segment in lane.segments where segment.branch == 0 {
        if let last, last.end != segment.start {
          changes.append(Change(moment: last.to, sequence: last.end, variable: state, value: .absent))
        }
        changes.append(
          Change(moment: segment.from, sequence: segment.start, variable: state, value: .word(segment.state)))
        last = segment
      }
      if let last, last.end != .max {
        changes.append(Change(moment: last.to, sequence: last.end, variable: state, value: .absent))
      }
      let input = variable("string 1", "input")
      changes.append(Change(moment: wave.from.nanoseconds, sequence: 0, variable: input, value: .absent))
      for tick in lane.ticks where tick.branch == 0 {
        changes.append(
          Change(moment: tick.moment, sequence: tick.sequence, variable: input, value: .word(tick.word)))
      }
      var timers: [UInt32: UInt32] = [:]
      for bar in lane.bars where bar.branch == 0 {
        let timer: UInt32
        if let known = timers[bar.timer] {
          timer = known
        } else {
          timer = variable("wire 1", wave.words[bar.timer])
          timers[bar.timer] = timer
          if bar.start != 0 {
            changes.append(Change(moment: wave.from.nanoseconds, sequence: 0, variable: timer, value: .bit(false)))
          }
        }
        changes.append(Change(moment: bar.from, sequence: bar.start, variable: timer, value: .bit(true)))
        if bar.end != .running {
          changes.append(Change(moment: bar.to, sequence: bar.finish, variable: timer, value: .bit(false)))
        }
      }
      for curve in lane.curves {
        let reading = variable("real 64", curve.name)
        for (number, point) in curve.points.enumerated() {
          changes.append(
            Change(
              moment: number == 0 ? wave.from.nanoseconds : point.moment, sequence: 0, variable: reading,
              value: .real(point.value)))
        }
      }
      for _ in scopes { header.append("$upscope $end") }
    }
    header.append("$enddefinitions $end")
    // Sorting is stable, so that of one input the end of a timer precedes its beginning.
    changes.sort { ($0.moment, $0.sequence) < ($1.moment, $1.sequence) }
    self.header = header
    self.changes = changes
    codes = (0..<variables).map { Array(VCDWave.code($0).utf8) }
    words = wave.words.words.map { Array(VCDWave.plain($0).utf8) }
  }

  /// The next line; `nil` at the end.
  package mutating func next() -> [UInt8]? {
    if headerLine < header.count {
      headerLine += 1
      return Array(header[headerLine - 1].utf8)
    }
    var line = TextLine()
    guard place < changes.count else {
      if isOver { return nil }
      isOver = true
      guard time < wave.to.nanoseconds else { return nil }
      line.put("#")
      line.put(decimal: UInt64(wave.to.nanoseconds))
      return line.bytes
    }
    let change = changes[place]
    if change.moment != time {
      time = change.moment
      line.put("#")
      line.put(decimal: UInt64(time))
      return line.bytes
    }
    place += 1
    switch change.value {
    case .word(let word):
      line.put("s")
      line.put(words[Int(word)])
      line.put(" ")
    case .absent: line.put("s- ")
    case .bit(let bit): line.put(bit ? "1" : "0")
    case .real(let value): line.put("r\(value) ")
    }
    line.put(codes[Int(change.variable)])
    return line.bytes
  }

  /// The short name of a variable: printable ASCII in base 94.
  private static func code(_ number: UInt32) -> String {
    var number = number
    var code = ""
    repeat {
      code.unicodeScalars.append(Unicode.Scalar(UInt8(33 + number % 94)))
      number /= 94
    } while number > 0
    return code
  }

  /// A name or value without white space and control characters, which would end it.
  private static func plain(_ text: String) -> String {
    let plain = String(
      String.UnicodeScalarView(text.unicodeScalars.map { $0.value <= 0x20 || $0.value == 0x7F ? "_" : $0 }))
    return plain.isEmpty ? "_" : plain
  }
}
