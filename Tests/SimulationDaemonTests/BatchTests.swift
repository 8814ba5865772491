import LineProtocol
import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("Batches")
struct BatchTests {
  let host = HostedService()

  @Test("lines between begin and end run at one moment, each with its reply, and the tags come back")
  func replies() {
    let guest = host.connect(toWorld: "w")
    expectEqual(guest.say("@b begin"), ["+ @b"])
    expectEqual(guest.say("@1 new power p"), [])
    expectEqual(guest.say("# a comment\n\n@2 send p buttonClick\nlist"), [])
    expectEqual(
      guest.say("@e end"),
      [
        "+ @1 created p off t=0.000 seq=1", "+ @2 moved off on t=0.000 seq=2", ". p power on", "+ 1",
        "+ @e batch=3",
      ])
    expectEqual(guest.say("begin\nend"), ["+", "+ batch=0"])
  }

  @Test("the first failure stops: what was done stays, later lines are not run")
  func failure() {
    let guest = host.connect(toWorld: "w")
    let lines = guest.say("begin\nnew power p\n@x send q buttonClick\n@y send p buttonClick\nnonsense \"\n@e end")
    expectEqual(
      lines,
      [
        "+", "+ created p off t=0.000 seq=1",
        "- @x UNKNOWN-MACHINE machine=q did-you-mean=p : there is no machine 'q' in world w",
        "- @y BATCH index=3 : not run", "- BATCH index=4 : not run",
        "- @e BATCH index=2 : line 2 failed; what was done before it stays",
      ])
    expectEqual(guest.say("list"), [". p power off", "+ 1"])
  }

  @Test("a refusal, a line that breaks the rules, and one that is too long are failures of a batch")
  func failures() {
    let guest = host.connect(toWorld: "w")
    _ = guest.say("new till t")
    expectEqual(
      guest.say("begin\nsend t add 5\nend").last, "- BATCH index=1 : line 1 failed; what was done before it stays")
    expectEqual(
      guest.say("begin\nsync \"\nlist\nend").map { String($0.prefix(16)) },
      [
        "+", "- SYNTAX : a quo", "- BATCH index=2 ", "- BATCH index=1 ",
      ])
    expectEqual(
      guest.say("begin\n\(String(repeating: "x", count: 70_000))\nlist\nend"),
      [
        "+", "- TOO-LONG limit=65536 : a line has at most 65536 bytes; this one was dropped",
        "- BATCH index=2 : not run", "- BATCH index=1 : line 1 failed; what was done before it stays",
      ])
  }

  @Test(
    "verbs of time, worlds and connections may not stand inside",
    arguments: [
      "clock", "clock real", "speed 2", "pause", "resume", "advance 1s", "step", "await p on", "cancel", "world",
      "world new x", "use main", "worlds", "begin", "quiet on", "mode text", "sync", "quit", "shutdown",
    ])
  func outsideOnly(_ request: String) {
    let guest = host.connect(toWorld: "w")
    _ = guest.say("new power p")
    let lines = guest.say("begin\n@x \(request)\n@e end")
    let verb = request.split(separator: " ")[0]
    expectEqual(
      lines,
      [
        "+", "- @x USAGE : '\(verb)' cannot stand between 'begin' and 'end'",
        "- @e BATCH index=1 : line 1 failed; what was done before it stays",
      ])
    expectEqual(guest.say("list"), [". p power off", "+ 1"])
  }

  @Test(
    "all others may",
    arguments: [
      "help", "kinds", "describe power", "new power q", "drop p", "list", "count", "show p", "can p",
      "send p buttonClick", "cast * buttonClick", "wires", "watch p", "journal", "agenda", "fire k doubleTap",
      "expect p off", "limits", "stats",
    ])
  func inside(_ request: String) {
    let guest = host.connect(toWorld: "w")
    _ = guest.play("new power p", "new shiftKey k initial=on")
    let lines = guest.say("begin\n\(request)\nend")
    expectEqual(lines.last, "+ batch=1")
  }

  @Test("an end is an end with a tab behind it, too")
  func endWithTab() {
    let guest = host.connect(toWorld: "w")
    expectEqual(guest.say("begin\nnew power p\n\tend\t"), ["+", "+ created p off t=0.000 seq=1", "+ batch=1"])
  }

  @Test("an end with words behind it runs nothing")
  func endWithWords() {
    let guest = host.connect(toWorld: "w")
    expectEqual(
      guest.say("begin\nnew power p\n@e end now"),
      [
        "+", "- @e USAGE : end is used as 'end'; nothing of the batch was run",
      ])
    expectEqual(guest.say("list"), ["+ 0"])
    expectEqual(guest.say("end"), ["- USAGE : there is no 'begin' for this 'end'"])
  }

  @Test("as many lines as the limit says run, one more and nothing is run")
  func lineLimit() {
    var limits = Limits()
    limits.batch = 5
    let host = HostedService(limits: limits)
    let guest = host.connect(toWorld: "w")
    let five = (1...5).map { "new power p\($0)" }.joined(separator: "\n")
    expectEqual(guest.say("begin\n\(five)\nend").last, "+ batch=5")
    expectEqual(
      guest.say("@b begin\n\(five)\nnew power p6\n@e end"),
      [
        "+ @b", "- @e LIMIT name=batch value=5 : this batch went over the limit; nothing of it was run",
      ])
    expectEqual(guest.say("count"), [". power off 5", "+ 1"])
  }

  @Test("as many bytes as the limit says are kept, one more and nothing is run")
  func byteLimit() {
    var limits = Limits()
    limits.batchBytes = 64
    let host = HostedService(limits: limits)
    let guest = host.connect(toWorld: "w")
    let line = "@\(String(repeating: "t", count: 20)) new power p"
    expectEqual(line.utf8.count, 33)
    let rest = "list" + String(repeating: " ", count: 27)
    expectEqual(guest.say("begin\n\(line)\n\(rest)\nend").last, "+ batch=2")
    expect(guest.say("begin\n\(line)\n\(rest) \nend").last, hasPrefix: "- LIMIT name=batchBytes value=64 :")
  }

  @Test("closing before the end has done nothing")
  func closing() {
    let (guest, other) = (host.connect(toWorld: "w"), host.connect(toWorld: "w"))
    _ = guest.say("begin\nnew power p")
    expectEqual(guest.finish(), ["! bye"])
    expectEqual(other.say("list"), ["+ 0"])
  }

  @Test("a long reply inside a batch is written whole")
  func longReply() {
    let guest = host.connect(toWorld: "w")
    _ = guest.say((0..<9_000).map { "new power power.\($0)" }.joined(separator: "\n"))
    let lines = guest.say("begin\njournal limit=1000000\nlist\nend")
    expectEqual(lines.count, 1 + 9_001 + 9_001 + 1)
    expectEqual(lines.last, "+ batch=2")
  }

  @Test("replies that are too long for one batch end it")
  func tooLongReply() {
    var limits = Limits()
    limits.replyQueue = 100_000
    let host = HostedService(limits: limits)
    let guest = host.connect(toWorld: "w")
    _ = guest.say("quiet on")
    _ = guest.say((0..<9_000).map { "new power power.\($0)" }.joined(separator: "\n"))
    let lines = guest.say("begin\nlist\n@j journal limit=1000000\nend")
    expectEqual(lines.suffix(1), ["- BATCH index=1 : line 1 failed; what was done before it stays"])
    expect(lines.contains { $0.hasPrefix("- LIMIT name=replyQueue value=100000 :") })
  }

  @Test("descriptions in a batch count like any other reply")
  func tooManyDescriptions() {
    var limits = Limits()
    limits.replyQueue = 100_000
    let guest = HostedService(limits: limits).connect(toWorld: "w")
    let lines = guest.say("begin\n" + Array(repeating: "describe smartFridge\n", count: 100).joined() + "end")
    expect(lines.reduce(0) { $0 + $1.utf8.count + 1 } < 120_000)
    expect(lines.contains { $0.hasPrefix("- LIMIT name=replyQueue value=100000 :") })
    expect(lines.last, hasPrefix: "- BATCH index=")
    expectEqual(guest.say("sync"), ["+"])
  }

  @Test("a batch that changes something runs to its end, however much its client has still to read")
  func unread() {
    var limits = Limits()
    limits.replyQueue = 4_096
    for earlier in stride(from: 90, through: 115, by: 1) {
      let host = HostedService(limits: limits)
      let guest = host.connect(toWorld: "w")
      _ = guest.say("new power p")
      let sends = Array(repeating: "send p buttonClick\n", count: earlier).joined()
      let batch = "begin\n" + Array(repeating: "send p buttonClick\n", count: 200).joined() + "end"
      guest.isReading = false
      host.round { guest.arrive(sends + batch + "\n") }
      for _ in 0..<10 { host.round() }
      guest.isReading = true
      expect(guest.say("sync"), contains: "+ batch=200", "after \(earlier) sends")
    }
  }

  @Test("counters in a batch on a worker are those of the daemon")
  func counters() {
    let guest = host.connect()
    let lines = guest.say("begin\ndescribe power\nstats\nend\nstats")
    func values(_ name: String) -> [Substring] {
      lines.filter { $0.hasPrefix(". \(name) ") }.map { $0.split(separator: " ")[2] }
    }
    expect(values("clients") == ["1", "1"] && values("worlds") == ["1", "1"] && values("connections") == ["1", "1"])
    expectEqual(values("requests").compactMap { Int($0) }.count, 2)
  }

  @Test("what a batch causes is told before the reply of its line")
  func notices() {
    let guest = host.connect(toWorld: "w")
    _ = guest.play("new power p", "watch p")
    expectEqual(
      guest.say("begin\nsend p buttonClick\nsend p buttonClick\nend"),
      [
        "+", "* 2 0.000 p moved off on event=buttonClick", "+ moved off on t=0.000 seq=2",
        "* 3 0.000 p moved on off event=buttonClick", "+ moved on off t=0.000 seq=3", "+ batch=2",
      ])
  }

  @Test(
    "quiet withholds the + of the verbs whose rows say so, and of no other",
    arguments: Verb.allCases)
  func quietVerbs(verb: Verb) {
    let requests: [Verb: String] = [
      .define: "define t format=scxml bytes=\(DefinedKindsTests.toggle.utf8.count)\n\(DefinedKindsTests.toggle)",
      .undefine: "undefine toggle", .new: "new power q", .drop: "drop p", .send: "send p buttonClick",
      .cast: "cast * tap",
      .fire: "fire key doubleTap",
      .wire: "wire f compressorOn p buttonClick", .unwire: "unwire f compressorOff p buttonClick",
      .show: "show p", .can: "can p", .describe: "describe power", .graph: "graph power", .watch: "watch *",
      .unwatch: "watch *\nunwatch *", .point: "point p on",
      .expect: "expect p off", .advance: "advance 1s", .goto: "goto 0s", .undo: "undo",
      .redo: "undo\nredo",
      .await: "await p off", .speed: "clock real\nspeed 2", .world: "world", .use: "use main", .diff: "diff w w",
      .client: "client plant", .quiet: "quiet on",
      .mode: "mode text", .end: "begin\nend", .discard: "begin\ndiscard", .pause: "clock real\npause",
      .resume: "clock real\npause\nresume",
    ]
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play(
      "new fridge f", "new power p", "new shiftKey key", "wire f compressorOff p buttonClick", "send key tap")
    _ = guest.say(
      "define toggle format=scxml bytes=\(DefinedKindsTests.toggle.utf8.count)\n\(DefinedKindsTests.toggle)")
    _ = guest.say("quiet on")
    let lines = guest.say(requests[verb] ?? verb.name)
    expect(!lines.contains { $0.hasPrefix("-") }, "\(lines)")
    expectEqual(lines.isEmpty, verb.entry.isPlainInput, "\(lines)")
  }

  @Test("quiet withholds in a batch what it withholds outside")
  func quiet() {
    let guest = host.connect(toWorld: "w")
    expectEqual(
      guest.say("quiet on\nbegin\nnew power p\nsend p buttonClick\nexpect p on\nend"),
      [
        "+", "+", "+ on t=0.000", "+ batch=3",
      ])
  }
}
