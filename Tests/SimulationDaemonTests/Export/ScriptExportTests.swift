import TestSupport
@testable import Scripts
import Foundation
import LineProtocol
import Simulator
import StateMachines
import Testing

@testable import SimulationDaemon

@Suite("A stored world as a script")
struct ScriptExportTests {
  private static var setup: KeptDaemon.Setup { KeptDaemon.Setup("wireChain=30", "wireDeliveries=100", "chain=200") }

  /// Requests of all kinds, some in batches, rewinds included.
  ///
  /// - Parameter withLoops: Whether endless chains of timers occur.
  private func play(
    seed: UInt64, requests: Int, withLoops: Bool, _ guest: Guest, wait: (inout Dice) -> Void
  ) {
    var random = RandomRequests(seed: seed, HostedService.catalogue)
    var dice = Dice(seed: ~seed)
    for number in 0..<requests {
      if number > 15, !dice.once(in: 3) { wait(&dice) }
      switch dice.number(below: 24) {
      case 0: _ = guest.say("undo \(dice.number(below: 4) + 1)")
      case 1 where dice.once(in: 3): _ = guest.say("undo \(dice.number(below: 30) + 1)")
      case 2:
        let now = guest.client.hosted.live.world.now.nanoseconds
        let back = dice.once(in: 4) ? 1 : Int64(dice.next() >> 1) % (now + 1) / Int64(dice.one(of: [1, 10, 100]))
        _ = guest.say("goto \(now - back)ns")
      case 3 where withLoops && dice.once(in: 3):
        // At once, or when it has become cold enough.
        let start = dice.one(of: ["2", "2.1"])
        _ = guest.say(dice.one(of: ["new fridge loop min=2 max=2 recheckDelay=0s start=\(start)", "drop loop"]))
      case 3:
        _ = guest.say((["begin"] + (0..<3).map { _ in random.input() } + ["end"]).joined(separator: "\n"))
      case _: _ = guest.say(random.input())
      }
    }
  }

  /// The facts about a world: its journal, its machines, its timers, and the view of each machine.
  private func facts(_ guest: Guest) -> [String] {
    let names = guest.say("list").compactMap { line in
      line.hasPrefix(". ") ? line.split(separator: " ")[1] : nil
    }
    return guest.play("journal since=1 limit=1000000", "list", "wires", "agenda")
      + names.flatMap { guest.say("show \($0)") }
      // Earlier draws determine what a machine draws next.
      + guest.say("advance 0s")
  }

  /// Plays a script's requests one after the other, and returns those with an unexpected outcome.
  private func play(_ script: String, _ guest: Guest) throws -> [String] {
    let parsed = try ScriptParser.parse("s.fsm", Array(script.utf8)) { _ in .failed("there is no other file") }
    var surprises: [String] = []
    for step in parsed.steps {
      guard case .request(_, let outcome) = step.action else { continue }
      let request = parsed.request(of: step)
      // A livelock is told behind the answer.
      let answer = guest.say(request).last { !$0.hasPrefix("! ") } ?? ""
      let wanted: Bool
      if outcome < 0 {
        wanted = answer.hasPrefix("+ ")
      } else if case .refused(let code?) = parsed.outcomes[Int(outcome)].result {
        wanted = answer.hasPrefix("- \(code.word) ")
      } else {
        wanted = answer.hasPrefix("+ ")
      }
      if !wanted { surprises.append("\(request): \(answer)") }
    }
    return surprises
  }

  private func expectSame(_ daemon: KeptDaemon, _ guest: Guest, seed: UInt64) throws {
    let scripts = [try daemon.script(of: "w"), try script(guest)]
    let wanted = facts(guest)
    for script in scripts {
      let other = HostedService(limits: Self.setup.limits).connect()
      _ = other.say("world new w seed=\(seed)")
      _ = other.say("use w")
      let surprises = try play(script, other)
      expectEqual(surprises, [], "seed \(seed)")
      let found = facts(other)
      expect(wanted.count > 20 && wanted.count == found.count, "seed \(seed)")
      for (wanted, found) in zip(wanted, found) where wanted != found {
        Issue.record("seed \(seed): \(found) is not \(wanted)")
        return
      }
      expectEqual(other.violations(), [], "seed \(seed)")
    }
  }

  /// What the request `script` answers.
  private func script(_ guest: Guest) throws -> String {
    let answer = guest.say("script")
    expectEqual(answer.last, "+ \(answer.count - 1)")
    return answer.dropLast().map { $0.dropFirst(2) + "\n" }.joined()
  }

  @Test(
    "comes out the same when it is played, ways back included",
    arguments: Thorough.rounds(0..<25 as Range<UInt64>, atLeast: 2))
  func virtual(seed: UInt64) throws {
    let daemon = try KeptDaemon(Self.setup)
    let guest = daemon.begin("w", "seed=\(seed)")
    play(seed: seed, requests: 150, withLoops: seed % 2 == 0, guest) { dice in
      let scale: Int64 = dice.one(of: [1, 1_000, 50_000_000, 200_000_000, 1_000_000_000])
      _ = guest.say(dice.once(in: 8) ? "step" : "advance \(Int64(dice.number(below: 300)) * scale)ns")
    }
    try expectSame(daemon, guest, seed: seed)
  }

  @Test(
    "comes out the same on a virtual clock when it happened on a real one",
    arguments: Thorough.rounds(100..<110 as Range<UInt64>))
  func real(seed: UInt64) throws {
    let daemon = try KeptDaemon(Self.setup)
    let guest = daemon.begin("w", "seed=\(seed) clock=real")
    play(seed: seed, requests: 80, withLoops: false, guest) { dice in
      _ = guest.say("resume")
      daemon.pass(Double(dice.number(below: 1_000)) / Double(dice.one(of: [1, 10, 1_000])))
    }
    _ = guest.say("clock virtual")
    try expectSame(daemon, guest, seed: seed)
  }

  @Test("comes out the same late in a world, up to its very end")
  func late() throws {
    let daemon = try KeptDaemon(Self.setup)
    let guest = daemon.begin("w")
    let answers = guest.ask(
      "new shiftKey k", "advance until 36500d", "advance 1ns", "send k tap", "advance until 70000d", "send k tap",
      "advance until 99999d", "send k tap", "goto 70000d", "advance until 100000d", "send k tap")
    expect(answers.allSatisfy { $0.hasPrefix("+") }, "\(answers)")
    let script = try daemon.script(of: "w")
    for line in ["at 70000d  send k tap", "goto 70000d", "at 100000d  send k tap"] {
      expect(script, contains: "\n\(line)\n", "\(script)")
    }
    try expectSame(daemon, guest, seed: 0)
  }

  // MARK: The text

  /// The lines exported for a session, without the first and last ones.
  private func lines(_ requests: String..., options: String = "", limit: String = "checkpointInputs=1000000") throws
    -> [String]
  {
    let daemon = try KeptDaemon(KeptDaemon.Setup(limit))
    let guest = daemon.begin("w", options)
    for request in requests { _ = guest.say(request) }
    let lines = try daemon.script(of: "w").split(separator: "\n").map(String.init)
    expect(lines[0].hasPrefix("# World w as of ") && lines.last?.hasPrefix("world => ok t=") == true)
    let live = try script(guest).split(separator: "\n").map(String.init)
    // A timer that was due when the world was stored has expired in memory.
    let stored = lines.dropFirst().filter { $0 != "# One more timer has expired here, which was due." }
    expectEqual(Array(live.dropFirst()), stored, "the request 'script' writes the same")
    return Array(lines.dropFirst(2).dropLast())
  }

  @Test("is the requests with their times, then what all machines are and which timers run")
  func text() throws {
    let lines = try lines(
      "new shiftKey key doubleTap=1ms gestureMode=on", "advance 1.5s", "send key tap", "new till t",
      "send t open note=\"$ \\\"\"", "list", "advance 250us", "send key nonsense",
      "new fridge f initial=waiting start=5.25",
      "fire f maxTemperatureReached", "send f minTemperatureReached", "wire f compressorOn key tap",
      "wire f compressorOn key tap", "drop f", options: "seed=5")
    expectEqual(
      lines,
      [
        "seed 5", "new shiftKey key doubleTap=1ms gestureMode=on", "at 1.5s  send key tap",
        "new till t", "send t open \"$$ \\\"\"", "at 1.50025s  new fridge f initial=waiting start=5.25",
        "fire f maxTemperatureReached", "send f minTemperatureReached", "wire f compressorOn key tap", "drop f",
        "expect key on", "expect key timers doubleTap", "expect t open(0)", "expect t timers idle",
      ])
  }

  @Test("what means something to scripts is quoted, and comes back as it is")
  func marks() throws {
    let notes = ["{1..3}", "#a", "\\\\#a", "=>", "a #b", "{$n..2}", "${n}", "{a}"]
    let daemon = try KeptDaemon(Self.setup)
    let guest = daemon.begin("w")
    for (number, note) in notes.enumerated() {
      let answers = guest.ask("new till t\(number)", "send t\(number) open \"\(note)\"")
      expect(answers.allSatisfy { $0.hasPrefix("+") }, "\(answers)")
    }
    let script = try daemon.script(of: "w")
    let sent = script.split(separator: "\n").filter { $0.hasPrefix("send") }.map { $0.dropFirst("send t0 open ".count) }
    expectEqual(
      sent,
      [
        "\"{1..3}\"", "\"#a\"", "\"\\\\#a\"", "\"=>\"", "\"a #b\"", "\"{$$n..2}\"", "$${n}", "{a}",
      ])
    try expectSame(daemon, guest, seed: 0)
  }

  @Test("has the documents that define kinds")
  func documents() throws {
    let document = DefinedKindsTests.toggle
    let lines = try lines(
      "define toggle format=scxml bytes=\(document.utf8.count)\n\(document)", "new toggle t", "advance 1s",
      "send t press", "drop t", "undefine toggle")
    let written = ["define toggle format=scxml"] + document.split(separator: "\n").map(String.init) + ["enddefine"]
    expectEqual(lines, written + ["new toggle t", "at 1s  send t press", "drop t", "undefine toggle"])
  }

  @Test("does not give a composed kind what it presets")
  func presets() throws {
    try expectEqual(lines("new proxy p keepAlive=5s").prefix(1), ["new proxy p http.keepAlive=5s http-2.keepAlive=5s"])
  }

  @Test("makes composed kinds by their names, with what each member was given")
  func composed() throws {
    let lines = try lines("begin\nnew phoneCall a\nnew phoneCall b\nend", "drop a", "drop b.phone", "undo")
    expectEqual(
      lines,
      [
        "new phoneCall a", "new phoneCall b", "drop a.tracker", "drop a.phone", "drop b.phone", "undo",
        "expect b.phone foreground+noAlert+idle", "expect b.phone timers none", "expect b.tracker none",
        "expect b.tracker timers none",
      ])
  }

  @Test("tells an undo from a goto, and lets time pass before either as it had")
  func back() throws {
    let lines = try lines(
      "new shiftKey key", "cast * tap", "advance 1s", "undo", "advance 10s", "goto 7s", "send key tap", "goto 0s")
    expectEqual(
      lines,
      [
        "new shiftKey key", "send key tap", "at 1s  undo", "at 10s  goto 7s", "send key tap",
        "goto 0s", "expect key off", "expect key timers none",
      ])
  }

  @Test("says which limits were others, and where a chain without end has stopped time")
  func limits() throws {
    let lines = try lines(
      "new fridge loop min=2 max=2 recheckDelay=0s start=2.1", "advance 1d", "drop loop", "advance 1s",
      limit: "chain=20")
    expectEqual(
      lines[0...1],
      [
        "# Its world had other limits than usual. Where that matters, play it on a daemon with the same:",
        "# fsmd --limit chain=20",
      ])
    expectEqual(lines[2], "new fridge loop min=2 max=2 recheckDelay=0s start=2.1")
    expect(lines[3].hasPrefix("advance until ") && lines[3].hasSuffix(" => refused LIMIT"))
    expectEqual(lines[4], "drop loop")
    expectEqual(lines.count, 6)
  }

  @Test("lets timers expire that were due when the world was stored")
  func due() throws {
    let lines = try lines("new shiftKey a", "new shiftKey b", "cast * tap", "step 1")
    expectEqual(lines[4...5], ["at 350ms", "# One more timer has expired here, which was due."])
  }

  @Test("does not expect the timers of a machine with which 'expect' means something else")
  func namedOutput() throws {
    try expectEqual(lines("new shiftKey output"), ["new shiftKey output", "expect output off"])
  }

  @Test("of a world without inputs is its time")
  func empty() throws {
    try expectEqual(lines("advance 90m"), ["at 90m"])
  }

  @Test("says so where a script cannot do what was done")
  func unsayable() throws {
    let daemon = try KeptDaemon(KeptDaemon.Setup("chain=20"))
    let guest = daemon.begin("w", "clock=real")
    _ = guest.play("new fridge loop min=2 max=2 recheckDelay=0s start=2", "resume", "drop loop")
    let failure = #expect(throws: HistoryFailure.self) { try daemon.script(of: "w") }
    guard case .unsayable("w", 42, _) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  @Test("of a world in memory needs its journal from the beginning, and says where there is more")
  func forgotten() throws {
    let host = HostedService(limits: KeptDaemon.Setup("journal=10").limits)
    let guest = host.connect(toWorld: "w")
    _ = guest.say("new shiftKey key")
    for _ in 0..<40 { _ = guest.say("send key tap") }
    let answer = guest.say("script")
    expect(answer.count == 1 && answer[0].hasPrefix("- LIMIT name=journal value=10 from="), "\(answer)")
    let daemon = try KeptDaemon(KeptDaemon.Setup("journal=10"))
    let durable = daemon.begin("w")
    _ = durable.say("new shiftKey key")
    for _ in 0..<40 { _ = durable.say("send key tap") }
    expect(durable.say("script").last, contains: "'fsmd export w'")
  }

  @Test("of a world that is not there says which are")
  func unknown() throws {
    let daemon = try KeptDaemon()
    _ = daemon.begin("lesson")
    #expect(
      throws: HistoryFailure.unknownWorld("leson", near: "lesson", known: ["lesson", "main"])
    ) { try daemon.script(of: "leson") }
  }
}
