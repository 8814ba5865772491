import LineProtocol
import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("Batches that are checked line by line, and batches that are discarded")
struct BatchCheckTests {
  let host = HostedService()

  @Test("discard ends a batch, and nothing of it is run")
  func discard() {
    let guest = host.connect(toWorld: "w")
    expectEqual(
      guest.say("begin\nnew power p\n# not a line\n\n@x nonsense\n@d discard\nlist"),
      [
        "+", "+ @d discarded 2", "+ 0",
      ])
    expectEqual(guest.say("begin\n discard "), ["+", "+ discarded 0"])
    expectEqual(guest.say("@d discard"), ["- @d USAGE : there is no 'begin' for this 'discard'"])
    expectEqual(
      guest.say("begin\nnew power p\ndiscard now\nlist"),
      [
        "+", "- USAGE : discard is used as 'discard'; nothing of the batch was run", "+ 0",
      ])
  }

  @Test("a batch over the limit can be discarded, and says how many lines came")
  func discardOverLimit() {
    var limits = Limits()
    limits.batch = 3
    let guest = HostedService(limits: limits).connect(toWorld: "w")
    let lines = (1...5).map { "new power p\($0)" }.joined(separator: "\n")
    expectEqual(
      guest.say("begin\n\(lines)\ndiscard\nbegin strict\n\(lines)\nnonsense\ndiscard").filter { $0 != "+" },
      [
        "+ discarded 5", "+ discarded 6",
      ])
    expectEqual(
      guest.say("begin strict\n\(lines)\nend").last,
      "- LIMIT name=batch value=3 : this batch went over the limit; nothing of it was run")
  }

  @Test("a batch without a mistake runs as one without checks")
  func rightLines() {
    let lines = """
      new shiftKey k
      @t send k tap
      send k character c=A
      new phoneCall call
      send call.tracker phoneTapped number=112
      drop call
      new power call
      send call buttonClick
      wire k text l character
      drop k
      list state=on
      cast * buttonClick
      """
    func answers(_ begin: String) -> [String] {
      let guest = HostedService().connect(toWorld: "w")
      return guest.say("new power p\nnew shiftKey l\n\(begin)\n\(lines)\nend")
    }
    expectEqual(answers("begin strict"), answers("begin"))
    expectEqual(answers("begin strict").last, "+ batch=12")
  }

  @Test("a mistake is answered at its line, with the words that running it would have, and end refuses")
  func mistake() {
    let guest = host.connect(toWorld: "w")
    _ = guest.say("new shiftKey key")
    expectEqual(guest.say("begin strict"), ["+"])
    expectEqual(guest.say("@1 send key tap"), [])
    expectEqual(
      guest.say("@2 send kye tap"),
      [
        "- @2 UNKNOWN-MACHINE machine=kye did-you-mean=key : there is no machine 'kye' in world w"
      ])
    expectEqual(guest.say("@3 send key tap"), [])
    expectEqual(guest.say("# a remark\n@4 list limit=x").count, 1)
    expectEqual(guest.say("@e end"), ["- @e BATCH index=2 : line 2 is a mistake; nothing of the batch was run"])
    expectEqual(guest.say("journal"), [". 1 0.000 key created shiftKey off", "+ 1"])
  }

  @Test(
    "what is a mistake",
    arguments: [
      "nonsense": "UNKNOWN-VERB", "list \"": "SYNTAX", "send key": "USAGE", "list a b": "USAGE",
      "advance 1s": "USAGE", "begin": "USAGE", "undo": "USAGE", "list limt=3": "BAD-ARGUMENT",
      "list limit=x": "BAD-ARGUMENT", "list kind=nosuch": "UNKNOWN-KIND", "watch * what=most": "BAD-ARGUMENT",
      "graph key show=much": "BAD-ARGUMENT", "graph nosuch": "UNKNOWN-MACHINE", "describe nosuch": "UNKNOWN-KIND",
      "help nosuch": "UNKNOWN-VERB", "new nosuch a": "UNKNOWN-KIND", "new power 1a": "BAD-ARGUMENT",
      "new power key": "NAME-TAKEN", "new power p colour=red": "BAD-ARGUMENT", "new phoneCall call": "NAME-TAKEN",
      "drop nosuch": "UNKNOWN-MACHINE", "show nosuch": "UNKNOWN-MACHINE", "send key hold": "UNKNOWN-EVENT",
      "send key character": "BAD-ARGUMENT", "send key character a b": "BAD-ARGUMENT", "can key hold": "UNKNOWN-EVENT",
      "cast * openSesame": "UNKNOWN-EVENT", "fire key nosuch": "UNKNOWN-TIMER", "expect key blue": "BAD-ARGUMENT",
      "wire key nosuch lamp buttonClick": "BAD-ARGUMENT", "wire key text lamp nosuch": "UNKNOWN-EVENT",
      "wire key text nosuch buttonClick": "UNKNOWN-MACHINE",
    ])
  func mistakes(_ line: String, _ code: String) {
    let guest = host.connect(toWorld: "w")
    _ = guest.say("new shiftKey key\nnew power lamp\nnew phoneCall call")
    let answers = guest.say("begin strict\n@x \(line)\n@e end")
    expect(answers.first == "+" && answers.count == 3)
    expect(answers[1], hasPrefix: "- @x \(code)", "\(answers)")
    expectEqual(answers.last, "- @e BATCH index=1 : line 1 is a mistake; nothing of the batch was run")
  }

  @Test(
    "what only running can tell is no mistake",
    arguments: [
      "fire key doubleTap", "expect key on", "send key tap", "unwire key text lamp buttonClick", "graph key",
      "graph shiftKey show=usual present=yes", "describe key", "describe shiftKey", "list *x state=on", "help send",
      "journal since=99", "unwatch x", "new power p", "cast x tap", "wave from=1d",
    ])
  func noMistake(_ line: String) {
    let guest = host.connect(toWorld: "w")
    _ = guest.say("new shiftKey key\nnew power lamp")
    expectEqual(guest.say("begin strict\n\(line)\ndiscard"), ["+", "+ discarded 1"])
  }

  @Test("earlier lines count: what they make is there, what they drop is not")
  func earlierLines() {
    let guest = host.connect(toWorld: "w")
    _ = guest.say("new power lamp")
    expectEqual(
      guest.say(
        "begin strict\nnew shiftKey k\nsend k hold\nnew power k\ndrop lamp\nsend lamp buttonClick\nnew job lamp\ndiscard"
      )
      .map { String($0.prefix(40)) },
      [
        "+", "- UNKNOWN-EVENT machine=k event=hold all", "- NAME-TAKEN machine=k : there is a mach",
        "- UNKNOWN-MACHINE machine=lamp : an earl", "+ discarded 6",
      ])
    expectEqual(
      guest.say("begin strict\nnew phoneCall c\nsend c.phone goHome\ndrop c\nsend c.phone goHome\ndrop c\ndiscard")
        .count, 4)
  }

  @Test("a line that is too long is answered at once")
  func tooLong() {
    let guest = host.connect(toWorld: "w")
    expectEqual(
      guest.say("begin strict\n\(String(repeating: "x", count: 70_000))\nlist\nend"),
      [
        "+", "- TOO-LONG limit=65536 : a line has at most 65536 bytes; this one was dropped",
        "- BATCH index=1 : line 1 is a mistake; nothing of the batch was run",
      ])
  }

  @Test("a connection that may only look is told so at the line")
  func readOnly() {
    _ = host.connect(toWorld: "w")
    let guest = host.connect(SessionTerms(mayChange: false))
    _ = guest.say("use w")
    let answers = guest.say("begin strict\nlist\n@x new power p\n@e end")
    expect(answers[1].hasPrefix("- @x READ-ONLY verb=new") && answers.last?.hasPrefix("- @e BATCH index=2") == true)
  }

  @Test("a long batch of mistakes keeps nobody waiting and is answered up to its limit")
  func flood() {
    var limits = Limits()
    limits.batch = 1_000
    let host = HostedService(limits: limits)
    let (hostile, other) = (host.connect(toWorld: "w"), host.connect(toWorld: "w"))
    _ = other.say((1...20).map { "new power p\($0)" }.joined(separator: "\n"))
    hostile.isReading = false
    let line = "send nosuch buttonClick\n"
    host.round { hostile.arrive("begin strict\n" + String(repeating: line, count: 50_000)) }
    expect(other.say("send p1 buttonClick").last, hasPrefix: "+ moved off on")
    expectEqual(hostile.client.session.batch?.lines.isEmpty, true)
    hostile.isReading = true
    hostile.collect()
    expectEqual(hostile.lines().count, 1_001)
    expectEqual(hostile.say("discard"), ["+ discarded 50000"])
  }
}
