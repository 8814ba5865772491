import Foundation
import LineProtocol
import Simulations
import Simulator
import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

/// `wave` over the protocol.
struct WaveTests {
  private func json(_ guest: Guest, _ request: String) -> String {
    guest.say("\(request) format=json").dropLast().map { String($0.dropFirst(2)) }.joined()
  }

  @Test("a curve that jumps goes on with the value that it has, and not with a mean")
  func jump() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("new job print", "send print start", "advance 2s")
    expect(guest.say("wave print width=60").first { $0.contains("progress") }, hasSuffix: "▇█████▁▁▁▁▁▁▁▁")
  }

  @Test("a double tap: states tile the stretch, the timer ends with the second tap")
  func shiftKey() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("new shiftKey key", "send key tap", "advance 349ms", "send key tap", "advance 1s")
    expectEqual(
      json(guest, "wave"),
      """
      {"from":0.000,"to":1.349,"lanes":[{"name":"key","kind":"shiftKey","states":[\
      {"from":0.000,"to":0.000,"state":"off"},{"from":0.000,"to":0.349,"state":"on"},\
      {"from":0.349,"to":1.349,"state":"capsLock"}],"events":[\
      {"t":0.000,"seq":1,"event":"new","outcome":"created"},{"t":0.000,"seq":2,"event":"tap","outcome":"moved"},\
      {"t":0.349,"seq":3,"event":"tap","outcome":"moved"}],"timers":[\
      {"from":0.000,"to":0.349,"timer":"doubleTap","end":"disarmed"}],"readings":[]}],"wires":[],"world":[]}
      """)
    expect(json(guest, "wave last=1s"), contains: #""states":[{"from":0.349,"to":0.349,"state":"on"}"#)
    expect(json(guest, "wave from=100ms to=200ms"), contains: #""states":[{"from":0.100,"to":0.200,"state":"on"}]"#)
    expect(
      json(guest, "wave from=100ms to=200ms"),
      contains: #"{"from":0.100,"to":0.200,"timer":"doubleTap","end":"running"}"#)
    expect(json(guest, "wave nobody*"), contains: #""lanes":[],"wires":[]"#)
  }

  /// The members of the waveform.
  private func wave(_ guest: Guest, _ request: String) throws -> Wave {
    try JSONDecoder().decode(Wave.self, from: Data(json(guest, request).utf8))
  }

  private struct Wave: Decodable, Equatable {
    let from: Double
    let to: Double
    let lanes: [Lane]
    let world: [Event]

    struct Lane: Decodable, Equatable {
      let name: String
      let states: [State]
      let events: [Event]
      let timers: [Timer]
      let readings: [Reading]
    }

    struct State: Decodable, Equatable {
      let from: Double
      let to: Double
      let state: String
      let undone: UInt64?
    }

    struct Event: Decodable, Equatable {
      let seq: UInt64
      let t: Double
      let outcome: String
      let undone: UInt64?
    }

    struct Timer: Decodable, Equatable {
      let timer: String
      let end: String
      let undone: UInt64?
    }

    struct Reading: Decodable, Equatable {
      let name: String
      let points: [[Double]]
    }

    var events: [Event] { lanes.flatMap(\.events) + world }

    /// Without what was undone.
    var inEffect: Wave {
      let lanes = lanes.map { lane in
        Lane(
          name: lane.name, states: lane.states.filter { $0.undone == nil },
          events: lane.events.filter { $0.undone == nil }, timers: lane.timers.filter { $0.undone == nil },
          readings: lane.readings)
      }
      return Wave(from: from, to: to, lanes: lanes, world: world.filter { $0.undone == nil })
    }

    /// Each state in effect begins where the one before ends, and the last is that of the end; `nil` if it is so.
    var gap: String? {
      for lane in lanes {
        let states = lane.states.filter { $0.undone == nil }
        for (one, next) in zip(states, states.dropFirst()) where one.to != next.from {
          return "\(lane.name) is in nothing from \(one.to) to \(next.from)"
        }
        let moves = lane.events.filter { $0.undone == nil && ["moved", "created"].contains($0.outcome) }.count
        let beganBefore = states.first?.from == from && lane.events.first?.outcome != "created"
        let began = states.count - (beganBefore ? 1 : 0)
        if moves != began { return "\(lane.name) has \(moves) moves and \(began) states that began" }
      }
      return nil
    }
  }

  @Test("each input of the journal is in it once: undone, refused and delivered ones, drops, a cast")
  func eachInput() throws {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play(
      "new phoneCall c", "new shiftKey a", "new shiftKey b", "cast ? tap", "advance 1s", "send a tap", "undo",
      "send b tap",
      "send c.phone nothing", "drop a", "new power a", "advance 1d", "undo 3", "send b tap", "advance 2s")
    let wave = try wave(guest, "wave from=0")
    var numbers: Set<UInt64> = []
    for line in guest.say("journal limit=100000").dropLast() {
      let words = line.split(separator: " ")
      let (sequence, moment) = (UInt64(words[1]) ?? 0, Double(words[2]) ?? 0)
      // Inputs beyond the present, which were undone, are not within the stretch; one of several lines is one input.
      if moment <= wave.to { numbers.insert(sequence) }
    }
    expectEqual(wave.events.map(\.seq).sorted(), numbers.sorted())
    expect(numbers.count > 10 && wave.events.contains { $0.undone != nil } && wave.gap == nil)
  }

  // MARK: What clients may choose

  @Test("whatever clients write, each line of the reply is a line of data until the last")
  func lines() {
    let chart = """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><datamodel><data id="text" expr="''"/></datamodel>
      <state id="a"><transition event="*"><assign location="text" expr="_event.data"/></transition></state></scxml>
      """
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.say("define echo format=scxml bytes=\(chart.utf8.count)\n\(chart)")
    _ = guest.play(
      "new echo e", "new auth a", "new fridge f", "new till t", #"send a login "x\n+ 9" "y\n- 9""#,
      #"send e "x\n+ 9" "\"a\nb\"""#, #"send e go "\"日本語\\n+ 1\"""#, #"send t open "1\n+ 2""#, "advance 1h")
    for format in ["text", "ascii", "svg", "vcd", "json"] {
      for width in [40, 60, 80] {
        let mark = #""a\nb \#(String(repeating: "very long ", count: 60))日本語""#
        for tag in ["", "@t "] {
          let reply = guest.say("\(tag)wave from=0 width=\(width) format=\(format) mark=\(mark)")
          let start = tag.isEmpty ? ". " : ". @t "
          expect(reply.dropLast().allSatisfy { $0.hasPrefix(start) }, "\(format)")
          expectEqual(reply.last, "+ \(tag)\(reply.count - 1)", "\(format)")
          guard format == "text" || format == "ascii" else { continue }
          expect(reply.dropLast().allSatisfy { TextColumns.width(of: $0.dropFirst(start.count)) <= width })
          expectEqual(reply.joined(separator: " ").components(separatedBy: "very").count, 61)
        }
      }
    }
  }

  // MARK: While the world goes on

  /// Writes the waveform of everything piece by piece.
  ///
  /// - Parameter between: Called after each piece, with how many there were.
  private func wave(_ guest: Guest, between: (Int) -> Void) throws -> Wave {
    let pattern = NamePattern(Array("*".utf8))
    let reply = WaveReply(
      WaveReply.Form(
        from: .beginning, to: guest.client.hosted.live.world.now, pattern: pattern, format: .json, width: 80, mark: nil),
      of: guest.client.hosted.live)
    var buffer = ByteBuffer()
    var pieces = 0
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    var printer = JournalPrinter()
    while case .more = reply.write(&guest.client.hosted.live, &printer, tag: none, to: &buffer) {
      pieces += 1
      between(pieces)
    }
    let lines = String(decoding: buffer.bytes, as: UTF8.self).split(separator: "\n").map { $0.dropFirst(2) }
    return try JSONDecoder().decode(Wave.self, from: Data(lines.joined().utf8))
  }

  private func clicks(_ count: Int) -> String {
    Array(repeating: "send p buttonClick", count: count).joined(separator: "\n")
  }

  @Test("inputs that arrive while it reads are in it, with the states that they lead to")
  func streaming() throws {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("quiet on", "new power p", clicks(30_000))
    let wave = try wave(guest) { if $0 < 3 { _ = guest.say(self.clicks(5)) } }
    expect(wave.gap == nil && wave.lanes[0].events.count == 30_001 + 5)
    expectEqual(wave.lanes[0].states.last?.state, "on")
  }

  @Test("a text has the whole label of what is undone, and numbers of one input alone")
  func undoneTexts() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("new power p", "send p buttonClick", "undo", "send p buttonClick", "send p buttonClick", "undo 2")
    let text = guest.say("wave p").joined(separator: "\n")
    for words in ["undone by 3 ", "undone by 6 ", "undone 2 ", "undone 4-5 "] {
      expect(text.contains(words), "\(text)")
    }
  }

  @Test("what is undone while it reads is undone in it")
  func undoneMeanwhile() throws {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("quiet on", "new power p", clicks(30_000))
    let drawn = try wave(guest) { if $0 < 4 { _ = guest.play("undo 10", self.clicks(1)) } }
    expect(drawn.gap == nil && drawn.lanes[0].events.contains { $0.undone != nil })
    try expectEqual(drawn, wave(guest, "wave from=0"))
    // It does not begin again for ever.
    try expectNil(wave(guest) { if $0 < 40 { _ = guest.play("undo 10", self.clicks(1)) } }.gap)
  }

  @Test("what the journal drops while it reads is not in it, and the rest is whole")
  func droppedMeanwhile() throws {
    var limits = Limits()
    expectNil(limits.set("journal=30000"))
    let guest = HostedService(limits: limits).connect(toWorld: "w")
    _ = guest.play("quiet on", "new power p", clicks(40_000))
    let wave = try wave(guest) { if $0 < 12 { _ = guest.say(self.clicks(6_000)) } }
    let numbers = wave.lanes[0].events.map(\.seq)
    expect(wave.gap == nil && numbers.count >= 30_000 && numbers.first ?? 0 > 10_000)
    expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 + 1 == $1 })
  }

  // MARK: Durable worlds, forks, restarts

  @Test("a fork has the waveform of its world, and then one of its own")
  func fork() throws {
    let host = HostedService()
    let guest = host.connect(toWorld: "w")
    _ = guest.play("new shiftKey k", "send k tap", "advance 1s", "send k tap", "undo", "world fork f")
    let other = host.connect(toWorld: "f")
    let before = try wave(guest, "wave from=0")
    try expectEqual(wave(other, "wave from=0"), before)
    _ = other.play("send k tap", "advance 1s")
    try expectEqual(wave(guest, "wave from=0"), before)
    try expectEqual(wave(other, "wave from=0").lanes[0].events.count, before.lanes[0].events.count + 1)
  }

  @Test("a durable world beyond memory, and after a restart, has the same waveform as a world in memory")
  func durable() throws {
    var requests = ["clock virtual", "quiet on", "new shiftKey k", "new power p"]
    for _ in 0..<12 {
      requests += ["send k tap", "advance 100ms", "send k tap", "advance 1s", "send k tap", "send p buttonClick"]
      requests += ["advance 10s", "send k tap", "undo 2", "advance 200ms", "send p buttonClick"]
    }
    requests += ["advance 20s", "send k tap", "quiet off"]
    let kept = HostedService().connect(toWorld: "w")
    let daemon = try KeptDaemon(KeptDaemon.Setup("journal=20", "checkpointInputs=30"))
    let guest = daemon.connect()
    for request in requests {
      _ = kept.say(request)
      _ = guest.say(request)
    }
    expect(guest.client.hosted.live.world.firstSequence > 50)
    let starts = ["0", "1.3s", "1.5s", "5s", "11.3s", "20s"]
    let wanted = try starts.map { try wave(kept, "wave from=\($0)") }
    expect(wanted.allSatisfy { $0.gap == nil && !$0.lanes[0].events.isEmpty })
    func compare(_ other: Guest, _ which: String) throws {
      for (start, wanted) in zip(starts, wanted) {
        let found = try wave(other, "wave from=\(start)")
        expectEqual(found.inEffect, wanted.inEffect, "from \(start), \(which)")
        if start == "0" { expectEqual(found, wanted, "\(which)") }
      }
    }
    // Each daemon takes the world from the one before.
    try compare(guest, "in the daemon that made it")
    try compare(try daemon.afterKill().connect(), "after a kill")
    try compare(try daemon.restarted().connect(), "after a restart")
  }

  @Test("undone inputs that were stored before the first one in effect are in it")
  func undoneBeforeTheStretch() throws {
    let daemon = try KeptDaemon(KeptDaemon.Setup("journal=5", "checkpointInputs=30"))
    let guest = daemon.connect()
    _ = guest.ask("clock virtual", "new power p", "advance 10s", "send p buttonClick", "send p buttonClick", "goto 1s")
    _ = guest.ask("advance 1s", "goto 1s", "advance 11s")
    for _ in 0..<20 { _ = guest.ask("send p buttonClick", "advance 1s") }
    expect(guest.client.hosted.live.world.firstSequence > 6)
    let wave = try wave(guest, "wave from=5s")
    expectNil(wave.gap)
    expectEqual(wave.lanes[0].events.filter { $0.undone != nil }.map(\.seq), [2, 3])
  }

  // MARK: Sizes

  @Test("nothing, a year with three inputs, an instant with 1,000, 500 machines, more machines than are drawn")
  func sizes() throws {
    let worlds: [(requests: [String], inputs: Int, lanes: Int)] = [
      ([], 0, 0),
      (
        ["new power p", "advance 100d", "send p buttonClick", "advance 165d", "send p buttonClick", "advance 100d"], 3,
        1
      ),
      (["new power p", clicks(1_000)], 1_001, 1),
      (["new power p", "advance 1h", clicks(1_000), "advance 1h"], 1_001, 1),
      ((0..<500).map { "new power p\($0)" } + ["advance 1s", "cast * buttonClick"], 1_000, 500),
      ((0..<1_100).map { "new power p\($0)" } + ["advance 1s", "cast * buttonClick"], 2_000, 1_000),
    ]
    let host = HostedService()
    for (number, world) in worlds.enumerated() {
      let guest = host.connect(toWorld: "w\(number)")
      for request in ["quiet on"] + world.requests + ["quiet off"] { _ = guest.say(request) }
      let wave = try wave(guest, "wave from=0")
      expect(wave.gap == nil && wave.lanes.count == world.lanes && wave.events.count == world.inputs, "\(number)")
      for format in ["text", "ascii", "svg", "vcd"] {
        let reply = guest.say("wave from=0 width=60 format=\(format)")
        expect(
          reply.last == "+ \(reply.count - 1)" && reply.allSatisfy { $0.utf8.count < 2_000 }, "\(number) \(format)")
        if world.lanes == 1_000, format != "vcd" { expect(reply.contains { $0.contains("100 more machines") }) }
      }
    }
  }

  @Test("numbers among the data of a document are curves; texts are not")
  func documents() throws {
    let document = """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><datamodel>
      <data id="count" expr="0"/><data id="name" expr="'x'"/></datamodel>
      <state id="a"><transition event="up"><assign location="count" expr="count + 1.5"/></transition></state></scxml>
      """
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.say("define meter format=scxml bytes=\(document.utf8.count)\n\(document)")
    _ = guest.play("new meter c", "advance 1s", "send c up", "advance 1s")
    let lane = try wave(guest, "wave from=0").lanes[0]
    expectEqual(lane.readings.map(\.name), ["count"])
    expect(lane.readings[0].points.first == [0, 0] && lane.readings[0].points.last == [2, 1.5])
  }

  @Test("a fridge's temperature is a curve")
  func reading() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("new fridge f start=4", "advance 1h")
    let wave = json(guest, "wave from=0")
    expect(wave, contains: #""readings":[{"name":"temperature","unit":"°C","points":[[0.000,4.0],"#)
    expect(wave.components(separatedBy: "],[").count > 100)
  }

  @Test("a program that reads a waveform gets all of it, and who looks at one the last minute")
  func stretches() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("new power p", "advance 1s", "send p buttonClick", "advance 2h")
    expectEqual(guest.say("wave format=vcd"), guest.say("wave format=vcd from=0s"))
    expect(guest.say("wave format=vcd last=60s") != guest.say("wave format=vcd"))
    expectEqual(guest.say("wave"), guest.say("wave last=60s"))
  }

  @Test("what does not fit is refused, and in every format there is an answer")
  func formats() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("new doorFridge f", "send f doorOpened", "advance 1h", "new phoneCall c")
    for format in ["text", "ascii", "svg", "vcd", "json"] {
      expect(guest.say("wave from=0 format=\(format)").last, hasPrefix: "+ ")
      expect(guest.say("wave nobody from=0 format=\(format)").last, hasPrefix: "+ ")
    }
    for request in ["wave width=1", "wave width=100000", "wave from=2s to=1s", "wave from=2h", "wave from=1s last=1s"] {
      expect(guest.say(request).last, hasPrefix: "- BAD-ARGUMENT", "\(request)")
    }
  }
}
