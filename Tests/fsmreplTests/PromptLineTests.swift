import LineProtocol
import Scripts
import TestSupport
import Testing

@testable import fsmrepl

struct PromptLineTests {
  @Test(
    "words of the prompt",
    arguments: [
      ("", PromptLine.nothing), ("  # remark", .nothing), ("quiz key", .quiz("key")),
      ("  cover app.view ", .cover("app.view")),
      ("send key tap", .request("send key tap")), ("+ created key off", .answer), ("+", .answer), (". key on", .answer),
      ("exit", .leave), ("\\q", .leave), ("quit", .request("quit")), ("clear", .clear), ("version", .version),
      ("?", .request("help ")), ("? send", .request("help  send")), ("?send", .request("help send")),
      ("help times", .topic(.topic(.times))), ("help time", .topic(.topic(.times))), ("help key", .request("help key")),
      ("help keys", .topic(.topic(.keys))),
      ("? patterns", .topic(.topic(.patterns))), ("help run", .request("help run")), ("? |", .topic(.sign("|"))),
      ("help nonsense", .request("help nonsense")),
      ("help send", .request("help send")), ("run a.fsm", .run("a.fsm")), (#"run "a b.fsm""#, .run("a b.fsm")),
      ("! ls -l | wc", .shell("ls -l | wc")), ("!ls", .shell("ls")),
      ("at 5s", .request("advance until 5s")), ("after 250ms", .request("advance 250ms")),
      ("at 5s  send key tap => off", .timed("advance until 5s", then: "send key tap => off")),
      ("expect key on", .request("expect key on")),
    ])
  func words(text: String, expected: PromptLine) {
    expectEqual(PromptLine(text), expected)
  }

  @Test(
    "what goes elsewhere",
    arguments: [
      ("list | sort -r", PromptLine.sent("list", to: .command("sort -r"))),
      (#"journal key | grep "a b" | wc"#, .sent("journal key", to: .command(#"grep "a b" | wc"#))),
      ("graph key format=svg > k.svg", .sent("graph key format=svg", to: .file("k.svg"))),
      (#"list > "a b""#, .sent("list", to: .file("a b"))), ("kinds | cat", .sent("kinds", to: .command("cat"))),
      ("@x list | cat", .sent("@x list", to: .command("cat"))),
    ])
  func destinations(text: String, expected: PromptLine) {
    expectEqual(PromptLine(text), expected)
  }

  @Test(
    "signs that are words of a request stay words",
    arguments: [
      "send key character |", "send key character >", "send box put a > b", "send box put | cat", "cast * put > x",
      "new box b text=a > b", #"list "|" "#, "expect key |", "expect key >", "can key |", "await key >", "list state=|",
      #"wire a "|" b ">""#, "wire a | b >", "unknown | cat",
    ])
  func words(text: String) {
    expectEqual(PromptLine(text), .request(text))
  }

  @Test(
    "a prompt that was copied with its request is dropped",
    arguments: [
      ("> send key tap", "send key tap"), ("  > list", "list"), (">", ""), ("main virtual 0.000> list", "list"),
      ("main real 12.3s> list > x", "list > x"), ("main real×10 0.0s>", ""), ("w paused 1d 00:05:43.5> list", "list"),
      ("main virtual 0.000 batch> list", "list"), ("list > x", nil), ("list virtual > x", nil), (">x", nil),
      ("main virtual 0.000>x", nil), ("send box put virtual 0>", nil), ("list", nil),
    ])
  func prompts(typed: String, line: String?) {
    expectEqual(PromptLine.unmarked(typed), line)
  }

  @Test("an expectation of timers or a reading is a check; what needs all notices says where it works")
  func expectations() {
    expectEqual(PromptLine("expect key timers none"), .expectation(.timers(machine: "key", names: [])))
    expectEqual(
      PromptLine("expect f reading temperature 4 ±1"),
      .expectation(.reading(machine: "f", name: "temperature", .number(4, tolerance: 1))))
  }

  @Test("outcomes")
  func outcomes() throws {
    expectEqual(PromptLine("send key tap => ok"), .checked("send key tap", ScriptOutcome(.success)))
    expectEqual(PromptLine("send key tap => ok # done"), .checked("send key tap", ScriptOutcome(.success)))
    expectEqual(PromptLine("undo x => refused BAD-ARGUMENT"), .checked("undo x", ScriptOutcome(.refused(.badArgument))))
    let on = try #require(StateText("on"))
    expectEqual(
      PromptLine("send key tap => moved on t=2s"),
      .checked("send key tap", ScriptOutcome(.moved(from: nil, to: on), fields: [.init(key: "t", value: "2s")])))
    expectEqual(PromptLine(#"send key character "=>""#), .request(#"send key character "=>""#))
  }

  @Test(
    "help of a word of scripts names what plays it", arguments: [("repeat", true), ("case", false), ("never", false)])
  func helpOfScripts(word: String, isPlayedHere: Bool) throws {
    let text = PromptHelp.text(try #require(PromptHelp.Subject(word)), width: nil, style: .bare).text
    expect(text, contains: "'fsmrepl run FILE'")
    expectEqual(text.contains("'run FILE' plays here"), isPlayedHere, "\(text)")
  }

  @Test(
    "mistakes say what works instead",
    arguments: [
      ("repeat 3", "'fsmrepl run FILE'"), ("let x = 3", "'fsmrepl run FILE'"), ("include x.fsm", "'fsmrepl run FILE'"),
      ("never key on", "'fsmrepl run FILE'"), ("seed 3", "'run FILE'"),
      ("expect output key text", "'fsmrepl run FILE'"), ("expect k timers a b", "'b' is one word too many"),
      ("after 1h nonsense", "there is no verb 'nonsense'"), ("after 1h lsit", "did you mean 'list'?"),
      ("after 1h => on", "a request must stand before"), ("after 1h send key", "send is used as 'send NAME EVENT"),
      ("at 5s repeat 3", "no time has passed"), ("quiz", "'quiz NAME'"), ("quiz a b", "one machine"),
      ("cover lamp-*", "'cover NAME'"), ("cover ?", "'cover NAME'"), ("quiz kind=key", "'quiz NAME'"),
      ("quiz key => on", "'quiz NAME'"),
      ("at", "a time must follow"), ("at soon list", "'soon' is no time"), ("after 1x", "'1x' is no duration"),
      ("at 5 ms", "a time is one word: '5ms'"), ("after 5 seconds list", "a time is one word: '5s'"),
      ("after 1,5s", "did you mean '1.5s'?"), ("at 1s after 2s list", "one time"),
      ("=> on", "a request must stand before"),
      ("send key tap =>", "an outcome must follow"), ("send key tap => moved a b c", "one word too many"),
      ("!", "runs a command"), ("! bye reason=quit", "a line of the daemon"), ("run", "'run FILE'"),
      ("run a b", "'run FILE'"), ("exit now", "stands alone"), ("list > a b", "one file"), ("journal >x", "'> x'"),
      ("list |cat", "'| cat'"),
      ("list >", "the name of a file must follow"), ("list |", "a command of the shell must follow"),
      ("wait 5", "'advance 5' lets time pass"), ("sleep 1m30s", "'advance 90s' lets"), ("wait", "'advance 5s' lets"),
      ("assert key = on", "'expect key on' fails unless"), ("assert", "'expect NAME STATE'"),
      ("after 1s sleep 5s", "'advance 5s' lets"), ("delete key", "'drop NAME' removes a machine"),
      ("trigger key tap", "'send NAME EVENT'"), ("lesson", "'fsmrepl lesson'"),
      ("lamp.mmd", "'load lamp.mmd' makes"), ("a/README.md", "'load a/README.md' makes"),
      ("x.fsm", "'run x.fsm' plays"),
      ("man send", "'help' lists the verbs"),
      ("at 1m30s list", "did you mean '90s'?"), ("after 1h30m", "did you mean '90m'?"),
      ("graph key >> k.svg", "no answer is added"), ("list > 'q.txt'", "double"),
    ])
  func mistakes(text: String, part: String) {
    guard case .wrong(let said) = PromptLine(text) else {
      Issue.record("\(text) is \(PromptLine(text))")
      return
    }
    expect(said.contains(part), "\(said)")
  }

  @Test("advice is about words that are no verbs of ours")
  func foreignWords() {
    for word in Verb.allCases.map(\.name) + LocalVerb.all.map(\.name) + LocalVerb.runWords + LocalVerb.scriptWords {
      expectNil(MeantWords.advice(word, []), "\(word)")
    }
  }

  @Test("of a pasted transcript the requests are taken, and the answers left out")
  func pastes() {
    let transcript = "> new shiftKey key\n+ created key off t=0.000 seq=1\n! bye reason=quit\n> send key tap\n"
    expectEqual(PromptLine.lines(of: transcript, isInDocument: false), ["> new shiftKey key", "> send key tap"])
    expectEqual(PromptLine.lines(of: "one\n\ntwo", isInDocument: false), ["one", "two"])
    expectEqual(PromptLine.lines(of: "<a\n\n> b", isInDocument: true), ["<a", "", "> b"])
  }

  @Test(
    "the ending of a file's name tells the format of a diagram",
    arguments: [
      ("graph key", "k.svg", "graph key format=svg"), ("graph key", "k.mmd", "graph key format=stateDiagram"),
      ("graph key format=dot", "k.svg", "graph key format=dot"), ("wave", "a.b/c.vcd", "wave format=vcd"),
      ("graph key", "key", "graph key"), ("list", "k.svg", "list"), ("graph key", "a/k.txt", "graph key"),
    ])
  func formats(request: String, path: String, expected: String) {
    expectEqual(RequestText(request).forFile(path), expected)
    expectNil(RequestText("wave").forFile("k.png"))
    expectEqual(RequestText("wave").fileEndings, ".json, .svg, .vcd, .txt")
  }

  @Test("requests that may let much time pass are known, whatever else they have")
  func longTimes() {
    var place = PresentWorld(clock: "virtual", time: "100.000")
    func extent(_ text: String) -> TimeRequest.Extent? { TimeRequest(RequestText(text), in: place)?.extent }
    let (minute, hour) = (60_000_000_000 as Int64, 3_600_000_000_000 as Int64)
    expect(extent("advance 1h") == .span(hour) && extent("@x advance 1m") == .span(minute))
    expect(extent("advance until 3700s") == .span(hour) && extent("step 3000000") == .steps(3_000_000))
    expectEqual(extent("await key on"), .state("on", of: "key", within: nil))
    expectEqual(extent("await within=2h key on"), .state("on", of: "key", within: 2 * hour))
    expect(extent("await key on within=10s") != nil && extent("advance 10s") != nil)
    for short in [
      "advance 9s", "advance until 109s", "advance x", "step", "step 10", "await key on within=5s", "list",
    ] {
      expectNil(extent(short), "\(short)")
    }
    place.clock = "real"
    expectNil(extent("advance 1h"))
    place.isPaused = true
    expect(extent("advance 1h") == .span(hour) && extent("await key on") == nil)
  }

  @Test("what is asked before time passes")
  func questions() throws {
    let place = PresentWorld(clock: "virtual", time: "0.000")
    func question(_ text: String, _ answer: String?, hours: Int64, inputs: Int, most: Int? = nil) throws -> String? {
      let request = try #require(TimeRequest(RequestText(text), in: place))
      let trial = TimeTrial(
        answer: answer.flatMap { ServerLine($0) }, passed: hours * 3_600_000_000_000, inputs: inputs, most: most)
      return trial.question(about: request, style: .bare)?.text
    }
    try expectNil(question("advance 1d", "+ advanced", hours: 24, inputs: 1_000_000, most: 1_000_000))
    try expectEqual(
      question("advance 1d", "+ advanced", hours: 24, inputs: 1_000_001, most: 1_000_000),
      "this brings some 1000001 inputs, and the journal keeps 1000000: it cannot be undone; go on?")
    // Cut short: as it has begun.
    try expect(question("advance 1d", nil, hours: 1, inputs: 50_000, most: 1_000_000), contains: "1200000")
    try expectNil(question("advance 1d", nil, hours: 1, inputs: 5_000, most: 1_000_000))
    try expect(question("step 3000000", nil, hours: 1, inputs: 5_000, most: 1_000_000) != nil)
    try expectNil(question("await key on", "+ reached on", hours: 1, inputs: 4))
    try expectEqual(
      question("await key on", "+ reached on", hours: 2, inputs: 1), "key reaches on after 02:00:00 and 1 input; go on?"
    )
    try expectEqual(
      question("await key on", "- TIMEOUT", hours: 24, inputs: 9),
      "key does not reach on within 1d 00:00:00 and 9 inputs; go on all the same?")
    try expect(question("await key on", nil, hours: 24, inputs: 9), hasSuffix: "go on up to a day?")
    try expectNil(question("await key on within=2d", "- TIMEOUT", hours: 48, inputs: 9))
    // In a very busy world the trial of a bounded one is cut short, too.
    try expectEqual(
      question("await key on within=2d", nil, hours: 1, inputs: 50_000, most: 1_000_000),
      "this may bring some 2400000 inputs, and the journal keeps 1000000: it cannot be undone; go on?")
    try expectNil(question("await key on within=2d", nil, hours: 1, inputs: 5_000, most: 1_000_000))
    try expectEqual(
      question("await key on within=2d", "+ reached on", hours: 1, inputs: 1_000_001, most: 1_000_000),
      "this brings some 1000001 inputs, and the journal keeps 1000000: it cannot be undone; go on?")
  }

  @Test("what wires have caused is what the journal has directly after an input, at the same moment")
  func caused() throws {
    let rows = try [
      ". 3 1.000 light moved off on wire=key.text", ". 3 1.000 light output lit",
      ". 4 1.000 tracker ignored none wire=a.b",
      ". 5 1.000 tracker stayed none event=tap", ". 6 1.000 light moved on off wire=key.text",
    ].map { try #require(ServerLine($0)) }
    let caused = CausedInputs(rows, at: "1.000")
    expectEqual(CausedInputs(rows).inputs.map(\.sequence), ["3", "4", "6"])
    let refused = CausedInputs([try #require(ServerLine(". 7 1.000 call.phone refused idle wire=a.b : no call"))])
    expectEqual(refused.text(of: refused.inputs, style: .bare).text, "+1 more: call.phone refused #7: no call")
    expectEqual(caused.inputs.map(\.sequence), ["3", "4"])
    expectEqual(caused.text(of: caused.inputs, style: .bare).text, "+2 more: light off → on, tracker ignored")
    expect(CausedInputs(rows, at: "0.500").inputs.isEmpty)
    let many = (1...9).map { CausedInputs.Input(sequence: "\($0)", machine: "m\($0)", what: ["stayed", "a"]) }
    expectEqual(caused.text(of: many, style: .bare).text, "+9 more: m1 stayed, m2 stayed, m3 stayed, m4 stayed, …")
  }
}
