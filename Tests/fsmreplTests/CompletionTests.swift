import Foundation
import LineProtocol
import TestSupport
import Testing
import UnixHost

@testable import fsmrepl

/// What the daemon would say, by request; anything else is a failure.
private struct FakeDaemon {
  static let help = [
    ". mode text|json : how the daemon's lines to this connection are written",
    ". help [VERB] : the verbs, or one with an example",
    ". new KIND NAME [param=value…] : makes a machine",
    ". list [PATTERN] [kind=KIND] [state=STATE] [limit=N] : machines, by name",
    ". send NAME EVENT [argument…] : one event to one machine",
    ". cast PATTERN EVENT [argument…] : one event to all that match",
    ". wire FROM OUTPUT TO EVENT : an output becomes an event",
    ". watch PATTERN [what=moves|all] [since=SEQ] : notices",
    ". clock : shows", ". clock real : sets", ". clock virtual : sets",
    ". advance DURATION : moves", ". advance until TIME : moves",
    ". fire NAME TIMER : lets a timer expire",
    ". await NAME STATE [within=DURATION] : waits",
    ". expect NAME STATE : fails unless",
    ". world : the present one", ". world new W [clock=virtual] [seed=0] : makes", ". world drop W : removes",
    ". world fork W : copies", ". diff W1 W2 : compares", ". undo [N] : takes back", ". goto TIME : goes back",
    ". use W : goes to another",
    ". quiet on|off : withholds",
    ". graph KIND|NAME [format=table|dot] [show=plain|all|parts] : its diagram",
  ]
  static let answers: [String: [String]] = [
    "kinds": [
      ". shiftKey states=3 events=2 timers=1 : the Shift key", ". fridge states=5 events=4 timers=2 : a fridge",
    ],
    "list * limit=100": [". f1 fridge off", ". key shiftKey off"],
    "list k* limit=100": [". key shiftKey off"],
    "list key limit=100": [". key shiftKey off"],
    "list key limit=1": [". key shiftKey off"],
    "list m* limit=100": (0..<100).map { ". m\(1000 + $0) shiftKey off" },
    "list f* limit=100": [". f1 fridge off"],
    "list f1 limit=100": [". f1 fridge off"],
    "list f1 limit=1": [". f1 fridge off"],
    "list d1 limit=1": [". d1 door shut"],
    "describe door": [
      ". event enter data=\"any data\" : line 3", ". event userOpens data=\"any data\" : \"User opens\", line 4",
      ". parameter strict type=flag allowed=on,off",
      ". parameter isAdmin type=flag default=on allowed=on,off,true,false",
    ],
    "list d1 limit=100": [". d1 door shut"],
    "describe d1": [". parameter isAdmin type=flag default=on allowed=on,off,true,false"],
    "can key": [". tap"],
    "can f1": [". open", ". set NUMBER"],
    "describe shiftKey": [
      ". state off : nothing runs", ". state on : shift is on", ". state list(n) : data",
      ". event character c=\"one character\" : a character was typed", ". event tap : the key was tapped",
      ". timer doubleTap after=350ms : the window", ". timer other : another",
      ". output highlight : the key lights up",
      ". parameter doubleTap type=duration default=350ms allowed=1ms..10s : the window",
      ". parameter style type=choice default=plain allowed=plain,fancy : the look",
    ],
    "describe fridge": [
      ". event open : the door", ". event set to=number : a temperature", ". state off : no power",
      ". state cooling.minOn region=cold", ". state cooling.free region=cold", ". state resting region=cold : waits",
      ". state open region=door", ". state shut region=door",
    ],
    "show key": [". state on", ". reading level 3 m", ". timer doubleTap due=0.350 left=0.150"],
    "agenda limit=20": [". 0.350 key doubleTap left=0.150", ". 0.350 f1 a left=0.150", ". 9.000 f1 b left=8.800"],
    "journal what=moves limit=20": [
      ". 1 0.000 key created shiftKey off", ". 2 0.100 key moved off on event=tap undone=3",
      ". 3 0.100 - undone from=2 to=2", ". 4 0.200 key moved off on event=tap", ". 5 0.200 f1 created fridge off",
    ],
    "worlds": [". main clock=real t=0.000 seq=0", ". lesson clock=virtual t=0.200 seq=3"],
  ]

  static let refusals = [
    "graph key show=": "- BAD-ARGUMENT argument=show got= allowed=usual,plain,all : show is one of"
  ]

  static func replies(_ requests: [String]) -> [[ServerLine]?] {
    requests.map { request in
      let lines = answers[request].map { $0 + ["+"] } ?? [refusals[request] ?? "- UNKNOWN-VERB"]
      return lines.compactMap { ServerLine($0) }
    }
  }

  static func complete(_ text: String) -> Completion {
    let grammar = Grammar(help: help.compactMap { ServerLine($0) })
    return Completer(replies: replies).complete(text, grammar: grammar)
  }
}

struct CompletionTests {
  @Test(
    "every context offers what fits there",
    arguments: [
      ("ad", ["advance"]), ("c", ["cast", "clock"]), ("@7 ad", ["advance"]), ("help ex", ["expect"]),
      ("new ", ["shiftKey", "fridge"]), ("new f", ["fridge"]),
      ("new shiftKey a ", ["doubleTap=", "style="]), ("new shiftKey a style=plain ", ["doubleTap="]),
      ("new shiftKey a style=", ["style=plain", "style=fancy"]), ("new shiftKey a style=f", ["style=fancy"]),
      ("send ", ["f1", "key"]), ("send k", ["key"]),
      ("send key ", ["tap", "character"]), ("send key c", ["character"]), ("@1 send key c", ["character"]),
      ("cast f* ", ["open", "set"]),
      ("wire key ", ["highlight"]), ("wire key highlight ", ["f1", "key"]),
      ("wire key highlight f1 ", ["open", "set"]),
      ("watch key ", ["what=", "since="]), ("watch key what=", ["what=moves", "what=all"]),
      ("watch key what=all ", ["since="]),
      ("fire key ", ["doubleTap", "other"]), ("expect key ", ["off", "on", "list"]), ("await key o", ["off", "on"]),
      ("await key on ", ["within="]),
      ("expect f1 ", ["off", "cooling", "cooling.minOn", "cooling.free", "resting", "open", "shut"]),
      ("expect f1 cooling.f", ["cooling.free"]), ("expect f1 shut+r", ["shut+resting"]),
      ("expect f1 open+o", ["open+off"]),
      ("use ", ["main", "lesson"]), ("world ", ["new", "drop", "fork"]), ("world drop ", ["main", "lesson"]),
      ("world new w ", ["clock=", "seed="]), ("world new w clock=", ["clock=virtual"]),
      ("clock ", ["real", "virtual"]), ("quiet ", ["on", "off"]), ("mode ", ["text", "json"]),
      ("list kind=", ["kind=shiftKey", "kind=fridge"]),
      ("graph ", ["shiftKey", "fridge", "f1", "key"]), ("graph key format=d", ["format=dot"]),
      ("graph key show=", ["show=plain", "show=all"]), ("graph fridge show=p", ["show=plain", "show=parts"]),
      ("send d1 enter ", ["isAdmin="]),
      ("send d1 enter isAdmin=o", ["isAdmin=on", "isAdmin=off"]), ("send key character c=", []),
      ("advance u", ["until"]), ("advance until ", ["0.350", "9.000"]), ("goto ", ["0.200", "0.000"]),
      ("goto 0.0", ["0.000"]), ("diff ", ["main", "lesson"]), ("diff main l", ["lesson"]), ("nosuch ", []),
      ("# se", []), ("clock real ", []),
    ] as [(String, [String])])
  func contexts(text: String, expected: [String]) {
    expectEqual(FakeDaemon.complete(text).candidates.map(\.text), expected, "'\(text)'")
  }

  @Test(
    "after an arrow come outcomes, and words of the prompt complete what belongs to them",
    arguments: [
      ("send key tap => ", ["ok", "moved", "stayed", "ignored", "refused", "off", "on", "list"]),
      ("at 5s send key tap => m", ["moved"]), ("send key tap => moved o", ["off", "on", "outputs="]),
      ("send key tap => moved off on ", ["t=", "seq=", "outputs="]),
      ("send key tap => refused UNKNOWN-V", ["UNKNOWN-VERB"]),
      ("send key tap => on outputs=", ["outputs=highlight"]), ("send key tap => on outputs=x t", ["t="]),
      ("new shiftKey a => o", ["ok", "off", "on"]), ("expect key ti", ["timers"]),
      ("expect key timers ", ["none", "doubleTap", "other"]), ("expect key timers doubleTap,", ["doubleTap,other"]),
      ("expect key reading ", ["level"]), ("expect key reading level ", ["3", "none"]),
      ("load a.mmd ", ["as", "strict", "follow"]), ("load a.mmd as ", []), ("load a.mmd as b ", ["strict", "follow"]),
      ("load a.mmd strict f", ["follow"]), ("load as follow ", ["anew"]), ("load a.mmd follow anew ", []),
    ] as [(String, [String])])
  func promptWords(text: String, expected: [String]) {
    let grammar = Grammar.atPrompt(help: FakeDaemon.help.compactMap { ServerLine($0) })
    expectEqual(
      Completer(replies: FakeDaemon.replies).complete(text, grammar: grammar).candidates.map(\.text), expected,
      "'\(text)'")
  }

  @Test("a page of which one diagram is loaded offers them by their numbers, with their headings")
  func diagrams() throws {
    let folder = try TemporaryFolder()
    let page = "\(folder.path)/p.md"
    let diagram = "```mermaid\nstateDiagram-v2\n[*] --> a\n```\n"
    try RegularFile.replace(page, with: Array("# Door\n\(diagram)# Lamp\n\(diagram)".utf8))
    let grammar = Grammar.atPrompt(help: FakeDaemon.help.compactMap { ServerLine($0) })
    func complete(_ text: String) -> [Completion.Candidate] {
      Completer(replies: FakeDaemon.replies).complete(text, grammar: grammar).candidates
    }
    expectEqual(
      complete("load \(page)#"), [.init(text: "\(page)#1", detail: "Door"), .init(text: "\(page)#2", detail: "Lamp")])
    expectEqual(complete("load \(page)#2").map(\.text), ["\(page)#2"])
  }

  @Test(
    "after > comes a file; after | and ! a command, and files after that",
    arguments: [
      ("list > ", "", "", false), ("list > a", "a", "", false), ("graph key > k", "k", "", false),
      ("list | ", "", "", true), ("list | so", "so", "", true), ("list | sort ", "", "", false),
      ("list | sort | h", "h", "", true), ("!", "", "!", true), ("!l", "l", "!", true), ("! ls", "ls", "", true),
      ("!ls ", "", "", false), ("! ls a", "a", "", false), ("at 5s list | so", "so", "", true),
      ("main virtual 0.000> list > a", "a", "", false),
    ])
  func destinations(text: String, prefix: String, stem: String, isProgram: Bool) {
    let context = CompletionContext(text, grammar: .builtIn)
    expectEqual(context.wants, [isProgram ? .program : .placeholder("FILE", bound: [])], "'\(text)'")
    expect(context.prefix == prefix && context.stem == stem)
  }

  @Test(
    "a sign that is data of an event completes no file", arguments: ["send key > ", "cast * put | ", "expect key > "])
  func signs(text: String) {
    let wants = CompletionContext(text, grammar: .builtIn).wants
    expect(!wants.contains(.program) && !wants.contains(.placeholder("FILE", bound: [])))
  }

  @Test("programs are completed from the path, and with a slash files")
  func programs() {
    expect(ProgramNames.completion(of: "en").candidates.contains { $0.text == "env" })
    expect(ProgramNames.completion(of: "/usr/bin/en").candidates.contains { $0.text == "/usr/bin/env" })
    expect(ProgramNames.completion(of: "nosuchprogram").candidates.isEmpty)
  }

  @Test(
    "values that can be counted are offered",
    arguments: [
      ("on,off,true,false", ["on", "off", "true", "false"]), ("a,b, or nil", ["a", "b", "nil"]),
      ("one character", []), ("1ms..10s", []), ("text of 0 to 5 bytes, or nil", []), ("", []),
    ] as [(String, [String])])
  func choices(allowed: String, expected: [String]) {
    expectEqual(CatalogueRow.choices(in: allowed), expected)
  }

  @Test("in quotes an event is completed as its diagram's author has written it")
  func labels() {
    for (typed, expected) in [("\"User o", ["\"User opens\""]), ("\"en", ["\"enter\""]), ("us", ["userOpens"])] {
      expectEqual(FakeDaemon.complete("send d1 \(typed)").candidates.map(\.text), expected)
    }
  }

  @Test("events that are possible now come first, and the others are marked")
  func possibleFirst() {
    let found = FakeDaemon.complete("send key ")
    expectEqual(found.candidates.map(\.isPossible), [true, false])
    expectEqual(found.candidates[1].detail, "c one character — a character was typed")
    expectEqual(FakeDaemon.complete("fire key ").candidates.map(\.isPossible), [true, false])
  }

  @Test(
    "where nothing can be listed, a hint says what is wanted",
    arguments: [
      ("new shiftKey ", "NAME: a name for the new machine"), ("world new ", "W: a name for the new world"),
      ("world fork ", "W: a name for the new world"), ("undo ", "N: a number"),
      ("send key character ", "c: one character — a character was typed"),
      ("send key character a ", "character takes no more arguments"), ("send key tap ", "tap takes no argument"),
      ("new shiftKey a doubleTap=", "doubleTap: type duration, default 350ms, allowed 1ms..10s — the window"),
      ("list limit=", "N: a number"), ("clock real ", "clock real"),
    ])
  func hints(text: String, hint: String) {
    let found = FakeDaemon.complete(text)
    expectEqual(found.hint, hint)
    expect(found.candidates.isEmpty)
    expect(!found.isSettled)
  }

  @Test("nothing is put in unasked where something unlisted is as likely")
  func notForced() {
    let advance = FakeDaemon.complete("advance ")
    expectEqual(advance.candidates.map(\.text), ["until"])
    expectNil(advance.insertion)
    expect(advance.hint, hasPrefix: "DURATION")
    expect(FakeDaemon.complete("advance u").isSettled)
  }

  @Test("the first of many names do not decide what all have in common")
  func cut() {
    let found = FakeDaemon.complete("send m")
    expectEqual(found.candidates.count, 100)
    expect(found.isCut)
    expectNil(found.insertion)
  }

  @Test("what all have in common is put in")
  func common() {
    let found = Completion(candidates: [.init(text: "doorOpened"), .init(text: "doorClosed")])
    expectEqual(found.insertion, "door")
    expect(!found.isSettled)
    expect(FakeDaemon.complete("send k").isSettled)
  }

  @Test("a daemon that does not answer leaves the line alone")
  func silence() {
    let grammar = Grammar(help: FakeDaemon.help.compactMap { ServerLine($0) })
    let found = Completer(replies: { $0.map { _ in nil } }).complete("send key ", grammar: grammar)
    expect(found.candidates.isEmpty)
  }

  @Test(
    "one without any grammar, or of words nobody knows, does no harm", arguments: ["", "x", "send ", "[", "=", "a="])
  func strange(text: String) {
    let empty = Grammar(help: [])
    expect(Completer(replies: FakeDaemon.replies).complete(text, grammar: empty).candidates.isEmpty)
    _ = FakeDaemon.complete(text)
  }

  @Test("the list has the details of few, and columns for many")
  func list() {
    let few = FakeDaemon.complete("send key ")
    let style = Style(usesColour: false, usesUnicode: true)
    expectEqual(
      CandidateList(completion: few, width: 40, style: style).text.text,
      "  tap        the key was tapped\n  character  (not now) c one character…\n")
    let many = Completion(candidates: (0..<40).map { .init(text: "name\($0)") })
    let lines = CandidateList(completion: many, width: 40, style: style).text.text.split(separator: "\n")
    expectEqual(lines.count, 10)
    expectEqual(lines[0], "  name0   name10  name20  name30")
    expect(lines.allSatisfy { $0.count <= 40 })
  }
}
