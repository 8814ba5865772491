import StateMachines
import Testing

@testable import Waveforms

/// A waveform made of a few inputs, and what the writers make of it.
struct WaveWriterTests {
  private static func moment(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  private static func lines(of writer: some WaveWriter) -> [String] {
    var writer = writer
    var lines: [String] = []
    while let line = writer.next() { lines.append(String(decoding: line, as: UTF8.self)) }
    return lines
  }

  /// A key that is tapped twice.
  private func key(secondTap: Int64) -> Waveform {
    var builder = WaveformBuilder(from: Self.moment(0), to: Self.moment(1_000))
    let lane = builder.lane(named: "key", kind: "shiftKey", regions: []) ?? 0
    let (off, on, locked) = (builder.word("off"), builder.word("on"), builder.word("capsLock"))
    let (new, tap, timer) = (builder.word("new"), builder.word("tap"), builder.word("doubleTap"))
    builder.note(lane: lane, at: Self.moment(0), 1, .client, .created, word: new, from: nil, to: off)
    builder.note(
      lane: lane, at: Self.moment(100), 2, .client, .moved, word: tap, from: off, to: on, changes: [.armed(timer)])
    if secondTap < 450 {
      builder.note(
        lane: lane, at: Self.moment(secondTap), 3, .client, .moved, word: tap, from: on, to: locked,
        changes: [.disarmed(timer)])
    } else {
      builder.note(
        lane: lane, at: Self.moment(450), 3, .expiry, .stayed, word: timer, from: on, to: on, timer: timer)
      builder.note(lane: lane, at: Self.moment(secondTap), 4, .client, .moved, word: tap, from: on, to: off)
    }
    return builder.finish()
  }

  @Test("a second tap at 349 ms: text, with the exact times below")
  func text() {
    let lines = Self.lines(of: TextWave(key(secondTap: 449), width: 60, .unicode))
    #expect(
      lines.contains { $0.hasPrefix("key") && $0.contains("│off") && $0.contains("│on") && $0.contains("│capsL") })
    #expect(lines.contains { $0.contains("doubleTap") && $0.contains("┝") && $0.hasSuffix("╳") || $0.contains("╳") })
    #expect(lines.contains { $0.contains("0.449") && $0.hasSuffix("on → capsLock") })
    #expect(lines.allSatisfy { $0.count <= 60 })
    let late = Self.lines(of: TextWave(key(secondTap: 451), width: 60, .unicode))
    #expect(late.contains { $0.contains("0.451") && $0.hasSuffix("on → off") } && late.contains { $0.contains("◆") })
  }

  @Test("plain ASCII where the terminal has no more; any width", arguments: [40, 60, 80, 120, 1_000])
  func widths(width: Int) {
    let lines = Self.lines(of: TextWave(key(secondTap: 451), width: width, .ascii))
    #expect(lines.allSatisfy { $0.count <= width && $0.allSatisfy(\.isASCII) })
  }

  @Test("JSON has each input once, states that tile the time, and how each timer ended")
  func json() {
    #expect(
      Self.lines(of: JSONWave(key(secondTap: 449))).joined() == """
        {"from":0.000,"to":1.000,"lanes":[{"name":"key","kind":"shiftKey","states":[\
        {"from":0.000,"to":0.100,"state":"off"},{"from":0.100,"to":0.449,"state":"on"},\
        {"from":0.449,"to":1.000,"state":"capsLock"}],"events":[\
        {"t":0.000,"seq":1,"event":"new","outcome":"created"},{"t":0.100,"seq":2,"event":"tap","outcome":"moved"},\
        {"t":0.449,"seq":3,"event":"tap","outcome":"moved"}],"timers":[\
        {"from":0.100,"to":0.449,"timer":"doubleTap","end":"disarmed"}],"readings":[]}],"wires":[],"world":[]}
        """)
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
        #expect(next > time)
        time = next
      } else if words.count == 2 {
        values[names[words[1]] ?? "?", default: []].append((time, String(words[0].dropFirst())))
      } else {
        values[names[String(line.dropFirst())] ?? "?", default: []].append((time, String(line.prefix(1))))
      }
    }
    func text(_ name: String) -> [String] { (values[name] ?? []).map { "\($0.0 / 1_000_000):\($0.1)" } }
    #expect(text("state") == ["0:-", "0:off", "100:on", "451:off"])
    #expect(text("doubleTap") == ["0:0", "100:1", "450:0"])
    #expect(text("input") == ["0:-", "0:new", "100:tap", "450:doubleTap", "451:tap"])
    #expect(time == 1_000_000_000)
  }

  @Test("a picture has no markup of a client's, no script, and the exact times")
  func markup() {
    var builder = WaveformBuilder(from: Self.moment(0), to: Self.moment(10))
    let evil = "<script>alert(1)</script>&\"'\u{1}"
    let lane = builder.lane(named: "a", kind: evil, regions: []) ?? 0
    builder.note(
      lane: lane, at: Self.moment(5), 1, .client, .moved, word: builder.word(evil), from: builder.word(evil),
      to: builder.word("b"), changes: [.armed(builder.word(evil))])
    let picture = Self.lines(of: SVGWave(builder.finish())).joined(separator: "\n")
    #expect(!picture.contains("<script") && !picture.contains("\u{1}") && picture.contains("&lt;script&gt;"))
    #expect(picture.contains("t=0.005 s, seq 1"))
    #expect(picture.hasPrefix("<svg") && picture.hasSuffix("</svg>"))
  }

  @Test("a machine without input before the stretch was in the state that its first input says; timers likewise")
  func before() {
    var builder = WaveformBuilder(from: Self.moment(1_000), to: Self.moment(2_000))
    let lane = builder.lane(named: "a", kind: "k", regions: []) ?? 0
    let (off, on, timer) = (builder.word("off"), builder.word("on"), builder.word("timer"))
    builder.note(
      lane: lane, at: Self.moment(1_500), 9, .expiry, .moved, word: timer, from: on, to: off, timer: timer)
    let silent = builder.lane(named: "b", kind: "k", regions: []) ?? 0
    builder.note(
      lane: silent, at: Self.moment(2_500), 10, .client, .moved, word: builder.word("x"), from: on, to: off,
      changes: [.disarmed(timer)])
    let wave = builder.finish()
    #expect(
      wave.lanes[0].segments.map { [$0.from, $0.to] } == [
        [1_000_000_000, 1_500_000_000], [1_500_000_000, 2_000_000_000],
      ])
    #expect(wave.lanes[0].bars.map(\.from) == [1_000_000_000] && wave.lanes[0].bars.map(\.end) == [.expired])
    #expect(wave.lanes[1].ticks.isEmpty && wave.lanes[1].segments.map(\.state) == [on])
    #expect(wave.lanes[1].bars.map(\.end) == [.running] && wave.lanes[1].bars.map(\.to) == [2_000_000_000])
  }

  @Test("undone inputs stand in a branch of their own, and leave what is in effect alone")
  func undone() {
    var builder = WaveformBuilder(from: Self.moment(0), to: Self.moment(100))
    let lane = builder.lane(named: "a", kind: "k", regions: []) ?? 0
    let (off, on, tap) = (builder.word("off"), builder.word("on"), builder.word("tap"))
    builder.note(lane: lane, at: Self.moment(0), 1, .client, .created, word: tap, from: nil, to: off)
    builder.note(lane: lane, at: Self.moment(50), 2, .client, .moved, word: tap, from: off, to: on, undoer: 3)
    builder.noteWorld(at: Self.moment(50), 3, .undone, "undone")
    builder.note(lane: lane, at: Self.moment(60), 4, .client, .moved, word: tap, from: off, to: on)
    let wave = builder.finish()
    let effective = wave.lanes[0].segments.filter { $0.branch == 0 }
    #expect(effective.map { [$0.from, $0.to] } == [[0, 60_000_000], [60_000_000, 100_000_000]])
    #expect(wave.lanes[0].ticks.map(\.branch) == [0, 1, 0] && wave.branches.map(\.undoer) == [3])
    #expect(Self.lines(of: JSONWave(wave)).joined().contains(#""seq":2,"event":"tap","outcome":"moved","undone":3}"#))
  }
}
