import Foundation
import LineProtocol
import StateMachines
import TestSupport
import Testing

@testable import Waveforms

/// A waveform made of a few inputs, and what the writers make of it.
struct WaveWriterTests {
  private static func moment(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  private static func lines(of writer: some WaveWriter) -> [String] {
    var writer = writer
    var buffer = ByteBuffer()
    while writer.write(to: &buffer) {}
    let text = String(decoding: buffer.bytes, as: UTF8.self)
    expect(text.hasSuffix("\n"))
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  private func builder(_ from: Int64, _ to: Int64) -> WaveformBuilder {
    WaveformBuilder(from: Self.moment(from), to: Self.moment(to), mostLanes: 1_000)
  }

  /// A key that is tapped twice.
  private func key(secondTap: Int64) -> Waveform {
    var builder = builder(0, 1_000)
    let lane = builder.lane(named: "key", kind: "shiftKey", regions: []) ?? 0
    let (off, on, locked) = (builder.word("off"), builder.word("on"), builder.word("capsLock"))
    let (new, tap, timer) = (builder.word("new"), builder.word("tap"), builder.word("doubleTap"))
    builder.note(lane: lane, at: Self.moment(0), 1, .client, .created, word: new, from: Waveform.noState, to: off)
    builder.note(lane: lane, at: Self.moment(100), 2, .client, .moved, word: tap, from: off, to: on)
    builder.armed(timer)
    if secondTap < 450 {
      builder.note(lane: lane, at: Self.moment(secondTap), 3, .client, .moved, word: tap, from: on, to: locked)
      builder.disarmed(timer)
    } else {
      builder.note(lane: lane, at: Self.moment(450), 3, .expiry, .stayed, word: timer, from: on, to: on)
      builder.expired(timer)
      builder.note(lane: lane, at: Self.moment(secondTap), 4, .client, .moved, word: tap, from: on, to: off)
    }
    return builder.finish()
  }

  @Test("text, JSON and pictures")
  func formats() {
    // A second tap at 349 ms: text, with the exact times below.
    let lines = Self.lines(of: TextWave(key(secondTap: 449), width: 60, .unicode))
    expect(lines.contains { $0.hasPrefix("key") && $0.contains("│off") && $0.contains("│on") && $0.contains("│capsL") })
    expect(lines.contains { $0.contains("doubleTap") && $0.contains("┝") && $0.hasSuffix("╳") || $0.contains("╳") })
    expect(lines.contains { $0.contains("0.449") && $0.hasSuffix("on → capsLock") })
    expect(lines.allSatisfy { $0.count <= 60 })
    let late = Self.lines(of: TextWave(key(secondTap: 451), width: 60, .unicode))
    expect(late.contains { $0.contains("0.451") && $0.hasSuffix("on → off") } && late.contains { $0.contains("◆") })
    // A sign that ASCII lacks has there the sign that it has everywhere else, and others are escapes.
    do {
      var builder = builder(0, 1_000)
      let lane = builder.lane(named: "f", kind: "fridge", regions: []) ?? 0
      builder.note(
        lane: lane, at: Self.moment(0), 1, .client, .created, word: builder.word("new"), from: Waveform.noState,
        to: builder.word("früh"))
      for (moment, value) in [(0, 2), (900, 6.5)] as [(Int64, Double)] {
        builder.notePoint(lane: lane, "temperature", unit: "°C", at: Self.moment(moment), value)
      }
      let wave = builder.finish()
      expect(Self.lines(of: TextWave(wave, width: 60, .unicode)).contains { $0.hasSuffix("▁ 2 █ 6.5 °C") })
      let lines = Self.lines(of: TextWave(wave, width: 60, .ascii))
      expect(
        lines.contains { $0.hasSuffix("_ 2 # 6.5 oC") } && lines.contains { $0.contains("fr\\u{FC}h") }, "\(lines)")
    }
    // JSON has each input once, states that tile the time, and how each timer ended.
    expectEqual(
      Self.lines(of: JSONWave(key(secondTap: 449))).joined(),
      """
      {"from":0.000,"to":1.000,"lanes":[{"name":"key","kind":"shiftKey","states":[\
      {"from":0.000,"to":0.100,"state":"off"},{"from":0.100,"to":0.449,"state":"on"},\
      {"from":0.449,"to":1.000,"state":"capsLock"}],"events":[\
      {"t":0.000,"seq":1,"event":"new","outcome":"created"},{"t":0.100,"seq":2,"event":"tap","outcome":"moved"},\
      {"t":0.449,"seq":3,"event":"tap","outcome":"moved"}],"timers":[\
      {"from":0.100,"to":0.449,"timer":"doubleTap","end":"disarmed"}],"readings":[]}],"wires":[],"world":[]}
      """)
    // A picture has no markup of a client's, no script, and the exact times.
    do {
      var builder = builder(0, 10)
      let evil = "<script>alert(1)</script>&\"'\u{1}"
      let lane = builder.lane(named: "a", kind: evil, regions: []) ?? 0
      builder.note(
        lane: lane, at: Self.moment(5), 1, .client, .moved, word: builder.word(evil), from: builder.word(evil),
        to: builder.word("b"))
      builder.armed(builder.word(evil))
      let picture = Self.lines(of: SVGWave(builder.finish())).joined(separator: "\n")
      expect(!picture.contains("<script") && !picture.contains("\u{1}") && picture.contains("&lt;script&gt;"))
      expect(picture, contains: "t=0.005 s, seq 1")
      expect(picture.hasPrefix("<svg") && picture.hasSuffix("</svg>"))
    }
    // Undone inputs stand in a branch of their own, and leave what is in effect alone.
    do {
      var builder = builder(0, 100)
      let lane = builder.lane(named: "a", kind: "k", regions: []) ?? 0
      let (off, on, tap) = (builder.word("off"), builder.word("on"), builder.word("tap"))
      builder.note(lane: lane, at: Self.moment(0), 1, .client, .created, word: tap, from: Waveform.noState, to: off)
      builder.note(lane: lane, at: Self.moment(50), 2, .client, .moved, word: tap, from: off, to: on, undoer: 3)
      builder.noteWorld(at: Self.moment(50), 3, .undone, "undone")
      builder.note(lane: lane, at: Self.moment(60), 4, .client, .moved, word: tap, from: off, to: on)
      let wave = builder.finish()
      let effective = wave.segments(of: wave.lanes[0]).filter { $0.branch == 0 }
      expectEqual(effective.map { [$0.from, $0.to] }, [[0, 60_000_000], [60_000_000, 100_000_000]])
      expect(wave.lanes[0].ticks.map(\.branch) == [0, 1, 0] && wave.branches.map(\.undoer) == [3])
      expect(Self.lines(of: JSONWave(wave)).joined(), contains: #""seq":2,"event":"tap","outcome":"moved","undone":3}"#)
    }
  }

  @Test("plain ASCII where the terminal has no more; any width", arguments: [40, 60, 80, 120, 1_000])
  func widths(width: Int) {
    let lines = Self.lines(of: TextWave(key(secondTap: 451), width: width, .ascii))
    expect(lines.allSatisfy { $0.count <= width && $0.allSatisfy(\.isASCII) })
  }

  @Test("a value change dump, read again, has the states at every moment")
  func dump() {
    var values: [String: [(Int64, String)]] = [:]
    var names: [String: String] = [:]
    var time: Int64 = -1
    for line in Self.lines(of: VCDWave(key(secondTap: 451))) {
      let words = line.split(separator: " ").map(String.init)
      if line.hasPrefix("$var") { names[words[3]] = words[4] }
      if line.hasPrefix("$") { continue }
      if line.hasPrefix("#") {
        let next = Int64(line.dropFirst()) ?? -1
        expect(next > time)
        time = next
      } else if words.count == 2 {
        values[names[words[1]] ?? "?", default: []].append((time, String(words[0].dropFirst())))
      } else {
        values[names[String(line.dropFirst())] ?? "?", default: []].append((time, String(line.prefix(1))))
      }
    }
    func text(_ name: String) -> [String] { (values[name] ?? []).map { "\($0.0 / 1_000_000):\($0.1)" } }
    expectEqual(text("state"), ["0:-", "0:off", "100:on", "451:off"])
    expectEqual(text("doubleTap"), ["0:0", "100:1", "450:0"])
    expectEqual(text("input"), ["0:-", "0:new", "100:tap", "450:doubleTap", "451:tap"])
    expectEqual(time, 1_000_000_000)
  }

  @Test("a machine without input before the stretch was in the state that its first input says; timers likewise")
  func before() {
    var builder = builder(1_000, 2_000)
    let lane = builder.lane(named: "a", kind: "k", regions: []) ?? 0
    let (off, on, timer) = (builder.word("off"), builder.word("on"), builder.word("timer"))
    builder.note(lane: lane, at: Self.moment(1_500), 9, .expiry, .moved, word: timer, from: on, to: off)
    builder.expired(timer)
    let silent = builder.lane(named: "b", kind: "k", regions: []) ?? 0
    builder.note(
      lane: silent, at: Self.moment(2_500), 10, .client, .moved, word: builder.word("x"), from: on, to: off)
    builder.disarmed(timer)
    let wave = builder.finish()
    expectEqual(
      wave.segments(of: wave.lanes[0]).map { [$0.from, $0.to] },
      [
        [1_000_000_000, 1_500_000_000], [1_500_000_000, 2_000_000_000],
      ])
    let bars = wave.lanes.map { $0.timers.flatMap(\.bars) }
    expect(bars[0].map(\.from) == [1_000_000_000] && bars[0].map(\.end) == [.expired])
    expect(wave.lanes[1].ticks.isEmpty && wave.segments(of: wave.lanes[1]).map(\.state) == [on])
    expect(bars[1].map(\.end) == [.running] && bars[1].map(\.to) == [2_000_000_000])
  }

  // MARK: What clients may choose

  /// Words with everything that could break a line, hide something or be wider than it looks.
  private static let wild = [
    "a\nb", "x\r\n+ 9", "\u{1B}[2Jgone", "tab\there", "\u{202E}txet", "zero\u{200B}width", "\u{85}\u{2028}", "日本語の状態",
    "🇩🇪👩‍👩‍👧‍👦🎉", "é̂̂̂", "\u{7F}\u{0}", " ", "\"quoted\" and \\", "<b>&amp;</b>", String(repeating: "long ", count: 40),
  ]

  /// Lanes, states, events, timers, readings and a mark of such words.
  private func wildWave() -> Waveform {
    var builder = builder(0, 1_000)
    for (number, word) in Self.wild.enumerated() {
      guard
        let lane = builder.lane(named: "\(word).\(number)", kind: word, regions: number % 3 == 0 ? ["r", word] : [])
      else { continue }
      let (state, other) = (builder.word("\(word)+\(word)"), builder.word("\(word)(\(word))+b"))
      let (event, timer) = (builder.word(word), builder.word("timer \(word)"))
      for step in 0..<Int64(1 + number % 4) {
        let sequence = UInt64(number) * 10 + UInt64(step) + 1
        builder.note(
          lane: lane, at: Self.moment(100 * step + Int64(number)), sequence, .client,
          step % 2 == 0 ? .moved : .refused, word: event, from: state, to: other)
        builder.armed(timer)
      }
      builder.notePoint(lane: lane, "reading \(word)", unit: word, at: Self.moment(0), 1)
      builder.notePoint(lane: lane, "reading \(word)", unit: word, at: Self.moment(900), Double(number))
    }
    var wave = builder.finish()
    for word in Self.wild { wave.marks.append(Waveform.Mark(at: Self.moment(999), "mark \(word)")) }
    return wave
  }

  @Test(
    "whatever words hold, text has no line that is too wide, nothing hidden, and all of a mark",
    arguments: [40, 60, 80])
  func wildText(width: Int) {
    for signs in [TextWave.Signs.unicode, .ascii] {
      let lines = Self.lines(of: TextWave(wildWave(), width: width, signs))
      for line in lines {
        expect(VisibleText.isVisible(line) && !line.contains("\t"), "\(line.debugDescription)")
        expect(TextColumns.width(of: line) <= width, "\(line)")
        expect(!signs.isASCII || line.allSatisfy(\.isASCII), "\(line)")
      }
      expect(lines.joined(separator: " ").components(separatedBy: "long").count > 40)
    }
  }

  @Test("whatever words hold, a picture is markup of ours, a dump has one word per value, JSON reads back")
  func wildFiles() throws {
    let picture = Self.lines(of: SVGWave(wildWave())).joined(separator: "\n")
    expect(!picture.contains("<b>") && !picture.contains("\u{1B}") && !picture.contains("\u{202E}"))
    expect(picture.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0.value != 0x7F })
    let ours: Set = ["svg", "title", "style", "rect", "path", "text", "g", "circle"]
    expect(picture.matches(of: #/</?([^\s>/]*)/#).allSatisfy { ours.contains(String($0.output.1)) })
    expect(picture.matches(of: #/&(?!(amp|lt|gt|quot|#9|#10);)/#).isEmpty)
    for line in Self.lines(of: VCDWave(wildWave())) where !line.hasPrefix("$") {
      expect(line.split(separator: " ", omittingEmptySubsequences: false).count <= 2 && VisibleText.isVisible(line))
    }
    let lines = Self.lines(of: JSONWave(wildWave()))
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(lines.joined(separator: "\n").utf8)) as? [String: Any])
    let lanes = try #require(object["lanes"] as? [[String: Any]])
    expectEqual(Set(lanes.compactMap { $0["kind"] as? String }), Set(Self.wild))
    expectEqual(
      (object["marks"] as? [[String: Any]])?.compactMap { $0["text"] as? String }, Self.wild.map { "mark \($0)" })
  }

  // MARK: Very many

  @Test("very many inputs: each format in bounded lines; text and pictures are short, the others have each input once")
  func many() {
    // More moments than a scale keeps exactly.
    let count = Thorough.isFull ? 200_000 : 60_000
    var builder = builder(0, Int64(count) + 800_000)
    let lane = builder.lane(named: "a", kind: "k", regions: []) ?? 0
    let (off, on, tap) = (builder.word("off"), builder.word("on"), builder.word("tap"))
    for number in 0..<count {
      builder.note(
        lane: lane, at: Self.moment(Int64(number)), UInt64(number + 1), .client, .moved, word: tap,
        from: number % 2 == 0 ? off : on, to: number % 2 == 0 ? on : off)
      builder.notePoint(
        lane: lane, "level", unit: "m", at: Self.moment(Int64(number)), Double(number % 7))
    }
    let wave = builder.finish()
    let text = Self.lines(of: TextWave(wave, width: 80, .unicode))
    expect(text.count < 50 && text.contains { $0.hasSuffix("\(count - 6) more inputs: journal since=7") })
    // Silence of 800 s is folded, though the inputs cannot be told apart; what repeats is summed up.
    expect(text[1].contains("┄13m20s┄") && text.contains { $0.contains("\(count / 2) × on 1 ms, off 1 ms") })
    let picture = Self.lines(of: SVGWave(wave))
    expect(picture.count < 10_000 && picture.allSatisfy { $0.utf8.count < 2_000 })
    let json = Self.lines(of: JSONWave(wave))
    expect(json.count { $0.contains("\"seq\":") } == count && json.allSatisfy { $0.utf8.count < 200 })
    expectEqual(Self.lines(of: VCDWave(wave)).count { $0.hasPrefix("stap") }, count)
    expect(wave.bytes > count * 32 && wave.bytes < count * 120)
  }

  @Test("a day of a fridge at 80 columns: round times, and its turns summed up, but not what comes between them")
  func repeats() {
    let minute: Int64 = 60_000
    var builder = builder(0, 24 * 60 * minute)
    let lane = builder.lane(named: "f", kind: "fridge", regions: []) ?? 0
    let (cooling, waiting, off, input) = (
      builder.word("cooling"), builder.word("waiting"), builder.word("off"), builder.word("turn")
    )
    var (moment, state, sequence) = (Int64(0), cooling, UInt64(0))
    func move(_ next: UInt32, after length: Int64) {
      moment += length
      sequence += 1
      builder.note(
        lane: lane, at: Self.moment(moment), sequence, .expiry, .moved, word: input, from: state, to: next)
      state = next
    }
    for _ in 0..<12 {
      move(waiting, after: 10 * minute + 56_000)
      move(cooling, after: 26 * minute + 47_000)
    }
    move(off, after: minute)
    move(cooling, after: 240 * minute)
    for _ in 0..<10 {
      move(waiting, after: 10 * minute + 56_000)
      move(cooling, after: 26 * minute + 47_000)
    }
    let lines = Self.lines(of: TextWave(builder.finish(), width: 80, .unicode))
    expect(lines[0].hasPrefix("t [h:mm]") && lines[0].contains(" 6:00 ") && lines[0].hasSuffix("1d 0:00"))
    let row = lines.first { $0.hasPrefix("f ") }
    expect(row?.contains("│off") == true && row?.contains("│12 × cooling, waiting") == true, "\(lines)")
    expect(lines, contains: "  (12 × cooling 10:56, waiting 26:47)", "\(lines)")
  }

  @Test("what a drawing leaves out is told: timers, undone stretches, deliveries, machines")
  func leftOut() {
    var builder = WaveformBuilder(from: Self.moment(0), to: Self.moment(100_000), mostLanes: 3)
    let word = builder.word("w")
    let lanes = ["a", "b", "c", "d"].map { builder.lane(named: $0, kind: "k", regions: []) }
    expectEqual(lanes.map { $0 != nil }, [true, true, true, false])
    builder.noteOmittedMachine()
    for number in 0..<10_000 as Range<Int64> {
      let sequence = UInt64(number + 1)
      let target = Int(number % 3)
      builder.note(
        lane: target, at: Self.moment(number * 10), sequence, .wire, .stayed, word: word, from: word, to: word)
      builder.noteDelivery(
        at: Self.moment(number * 10), sequence, from: (target + 1 + Int(number / 3 % 2)) % 3, named: word, word,
        to: target, word, isUndone: false)
    }
    for number in 0..<6 as Range<UInt64> {
      builder.note(
        lane: 0, at: Self.moment(99_999), 20_000 + 2 * number, .client, .moved, word: word, from: word, to: word,
        undoer: 20_001 + 2 * number)
      builder.noteWorld(at: Self.moment(99_999), 20_001 + 2 * number, .undone, "undone")
    }
    let wave = builder.finish()
    let text = Self.lines(of: TextWave(wave, width: 100, .unicode))
    expect(text, contains: "  (2 older undone stretches are not drawn; format=json has all)")
    expect(text.contains { $0.hasPrefix("1 more machines with 0 inputs are not drawn") })
    let picture = Self.lines(of: SVGWave(wave)).joined()
    expect(picture.contains("2 older undone stretches are not drawn") && picture.contains("1 more machines"))
    expect(picture, contains: " deliveries are not drawn; format=json has all")
    var timers = self.builder(0, 10)
    let lane = timers.lane(named: "a", kind: "k", regions: []) ?? 0
    let state = timers.word("s")
    timers.note(lane: lane, at: Self.moment(1), 1, .client, .stayed, word: state, from: state, to: state)
    for number in 0..<20 { timers.armed(timers.word("timer\(number)")) }
    let drawn = timers.finish()
    expect(Self.lines(of: TextWave(drawn, width: 100, .unicode)).contains { $0.hasPrefix("  (8 more timers") })
    expect(Self.lines(of: SVGWave(drawn)).contains { $0.contains("8 timers are not drawn") })
  }
}

extension Waveform {
  /// The states of a lane in order: those in effect, then those of undone stretches.
  fileprivate func segments(of lane: Lane) -> [Segment] {
    struct Collector: LanePen {
      var segments: [Segment] = []
      mutating func add(_ tick: Tick) {}
      mutating func add(_ segment: Segment) { segments.append(segment) }
    }
    var collector = Collector()
    for walk in [LaneWalk(of: lane, in: self)] + lane.undone.map({ LaneWalk(of: $0, in: lane) }) {
      var walk = walk
      while !walk.advance(by: .max >> 1, through: lane, of: self, &collector) {}
    }
    return collector.segments
  }
}
