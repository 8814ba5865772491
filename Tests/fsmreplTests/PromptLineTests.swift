import LineProtocol
import Scripts
import Testing

@testable import fsmrepl

struct PromptLineTests {
  @Test(
    "words of the prompt",
    arguments: [
      ("", PromptLine.nothing), ("  # remark", .nothing), (">", .nothing),
      ("send key tap", .request("send key tap")), ("> send key tap", .request("send key tap")),
      ("exit", .leave), ("\\q", .leave), ("quit", .request("quit")), ("clear", .clear), ("version", .version),
      ("?", .request("help ")), ("? send", .request("help  send")), ("?send", .request("help send")),
      ("help times", .topic(.topic(.times))), ("help keys", .topic(.topic(.keys))),
      ("? patterns", .topic(.topic(.patterns))), ("help run", .request("help run")), ("? |", .topic(.sign("|"))),
      ("help nonsense", .request("help nonsense")),
      ("help send", .request("help send")), ("run a.fsm", .run("a.fsm")), (#"run "a b.fsm""#, .run("a b.fsm")),
      ("! ls -l | wc", .shell("ls -l | wc")), ("!ls", .shell("ls")),
      ("at 5s", .request("advance until 5s")), ("after 250ms", .request("advance 250ms")),
      ("at 5s  send key tap => off", .timed("advance until 5s", then: "send key tap => off")),
      ("expect key on", .request("expect key on")),
    ])
  func words(text: String, expected: PromptLine) {
    #expect(PromptLine(text) == expected)
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
    #expect(PromptLine(text) == expected)
  }

  @Test(
    "signs that are words of a request stay words",
    arguments: [
      "send key character |", "send key character >", "send box put a > b", "send box put | cat", "cast * put > x",
      "new box b text=a > b", #"list "|" "#, "expect key |", "expect key >", "can key |", "await key >", "list state=|",
      #"wire a "|" b ">""#, "wire a | b >", "list |", "list >", "unknown | cat", "journal >x",
    ])
  func words(text: String) {
    #expect(PromptLine(text) == .request(text))
  }

  @Test("a file that 'run' plays has times and outcomes, and starts nothing")
  func lines() {
    #expect(PromptLine("list | cat", isTyped: false) == .request("list | cat"))
    #expect(PromptLine("! ls", isTyped: false) == .request("! ls"))
    #expect(PromptLine("> list", isTyped: false) == .request("> list"))
    #expect(PromptLine("at 1s list", isTyped: false) == .timed("advance until 1s", then: "list"))
    guard case .wrong = PromptLine("run x", isTyped: false) else {
      Issue.record("a file plays another")
      return
    }
  }

  @Test("outcomes")
  func outcomes() throws {
    #expect(PromptLine("send key tap => ok") == .checked("send key tap", ScriptOutcome(.success)))
    #expect(PromptLine("undo x => refused BAD-ARGUMENT") == .checked("undo x", ScriptOutcome(.refused(.badArgument))))
    let on = try #require(StateText("on"))
    #expect(
      PromptLine("send key tap => moved on t=2s")
        == .checked("send key tap", ScriptOutcome(.moved(from: nil, to: on), fields: [.init(key: "t", value: "2s")])))
    #expect(PromptLine(#"send key character "=>""#) == .request(#"send key character "=>""#))
  }

  @Test(
    "mistakes say what works instead",
    arguments: [
      ("repeat 3", "'fsmrepl run FILE'"), ("let x = 3", "'fsmrepl run FILE'"), ("include x.fsm", "'fsmrepl run FILE'"),
      ("never key on", "'fsmrepl run FILE'"), ("seed 3", "'fsmrepl run FILE'"),
      ("expect key timers none", "'expect NAME STATE' alone"), ("expect output key text", "'expect NAME STATE' alone"),
      ("expect k timers a b", "'expect NAME STATE' alone"),
      ("at", "a time must follow"), ("at soon list", "'soon' is no time"), ("after 1x", "'1x' is no duration"),
      ("at 1s after 2s list", "one time"), ("=> on", "a request must stand before"),
      ("send key tap =>", "an outcome must follow"), ("send key tap => moved a b c", "one word too many"),
      ("!", "runs a command"), ("! bye reason=quit", "a line of the daemon"), ("run", "'run FILE'"),
      ("run a b", "'run FILE'"), ("exit now", "stands alone"), ("list > a b", "one file"),
    ])
  func mistakes(text: String, part: String) {
    guard case .wrong(let said) = PromptLine(text) else {
      Issue.record("\(text) is \(PromptLine(text))")
      return
    }
    #expect(said.contains(part), "\(said)")
  }

  @Test("of a pasted transcript the requests are taken, and the answers left out")
  func pastes() {
    let transcript = "> new shiftKey key\n+ created key off t=0.000 seq=1\n! bye reason=quit\n> send key tap\n"
    #expect(PromptLine.lines(of: transcript, isInDocument: false) == ["> new shiftKey key", "> send key tap"])
    #expect(PromptLine.lines(of: "one\n\ntwo", isInDocument: false) == ["one", "two"])
    #expect(PromptLine.lines(of: "<a\n\n> b", isInDocument: true) == ["<a", "", "> b"])
  }

  @Test(
    "the ending of a file's name tells the format of a diagram",
    arguments: [
      ("graph key", "k.svg", "graph key format=svg"), ("graph key", "k.mmd", "graph key format=mermaid"),
      ("graph key format=dot", "k.svg", "graph key format=dot"), ("wave", "a.b/c.vcd", "wave format=vcd"),
      ("graph key", "key", "graph key"), ("list", "k.svg", "list"), ("graph key", "a/k.txt", "graph key"),
    ])
  func formats(request: String, path: String, expected: String) {
    #expect(RequestText(request).forFile(path) == expected)
    #expect(RequestText("wave").forFile("k.png") == nil)
    #expect(RequestText("wave").fileEndings == ".json, .svg, .vcd, .txt")
  }

  @Test("an 'advance' of an hour and more is sent in two parts")
  func longAdvances() throws {
    var place = Place(clock: "virtual", time: "100.000")
    func long(_ text: String) -> LongAdvance? { LongAdvance(RequestText(text), in: place) }
    let day = try #require(long("advance 1d"))
    #expect(day.first == "advance 1350000000000ns" && day.rest == "advance 85050000000000ns")
    #expect(day.forecast(2) == 128 && day.forecast(.max) == .max)
    #expect(long("advance until 2h")?.span == 7_100_000_000_000)
    for short in ["advance 59m", "advance until 1h", "advance x", "@x advance 1d", "advance", "step", "advance until"] {
      #expect(long(short) == nil, "\(short)")
    }
    place.clock = "real"
    #expect(long("advance 1d") == nil)
    place.isPaused = true
    #expect(long("advance 1d") != nil)
  }

  @Test("what wires have caused is what the journal has directly behind an input, at the same moment")
  func caused() throws {
    let rows = try [
      ". 3 1.000 light moved off on wire=key.text", ". 3 1.000 light output lit",
      ". 4 1.000 tracker ignored none wire=a.b",
      ". 5 1.000 tracker stayed none event=tap", ". 6 1.000 light moved on off wire=key.text",
    ].map { try #require(ServerLine($0)) }
    let caused = CausedInputs(rows, at: "1.000")
    #expect(caused.inputs.map(\.sequence) == ["3", "4"])
    #expect(caused.text(of: caused.inputs, style: .bare).text == "+2 more: light off → on, tracker ignored")
    #expect(CausedInputs(rows, at: "0.500").inputs.isEmpty)
    let many = (1...9).map { CausedInputs.Input(sequence: "\($0)", machine: "m\($0)", what: ["stayed", "a"]) }
    #expect(caused.text(of: many, style: .bare).text == "+9 more: m1 stayed, m2 stayed, m3 stayed, m4 stayed, …")
  }
}
