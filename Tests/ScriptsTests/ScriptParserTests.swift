@testable import Scripts
import LineProtocol
import TestSupport
import Testing

struct ScriptParserTests {
  private let reader = ScriptReader(path: "s.fsm")

  /// Each step as a line: what is sent, and what is to come of it.
  private func steps(_ script: Script) -> [String] {
    script.steps.map { step in
      let request = script.request(of: step).split(separator: "\n").joined(separator: "|")
      switch step.action {
      case .request(_, let outcome):
        return outcome < 0 ? request : "\(request) => \(script.outcomes[Int(outcome)].text)"
      case .check(let place): return "\(script.checks[Int(place)]) \(request)"
      case .repeats(let count, let past): return "repeat \(count) past \(past)"
      case .again(let first): return "again \(first)"
      }
    }
  }

  // MARK: What is read

  @Test("times become requests of their own, before any line and alone")
  func times() throws {
    let script = try reader.parse("at 1.5s\nafter 10ms send k tap => on\n\tat 2s  expect k on\n")
    expectEqual(
      steps(script),
      [
        "advance until 1.5s", "advance 10ms", "send k tap => on", "advance until 2s", "expect k on",
      ])
    expectEqual(script.steps.map(\.line), [1, 2, 2, 3, 3])
    expectEqual(script.place(of: script.steps[2]), "s.fsm:2")
    expectEqual(script.line(of: script.steps[2]), "after 10ms send k tap => on")
    expectEqual(script.line(of: script.steps[4]), "at 2s  expect k on")
  }

  @Test("what is sent is what stands there, quotes, tags and keys included")
  func requests() throws {
    let script = try reader.parse(
      #"""
      @7 send f open "http://u?a b" => ok
      new fridge  f start=4 ambient="20"
      send p type "say \"=>\""
      """#)
    expectEqual(
      steps(script),
      [
        #"@7 send f open "http://u?a b" => ok"#, #"new fridge  f start=4 ambient="20""#, #"send p type "say \"=>\"""#,
      ])
  }

  @Test(
    "line ends, blanks, a byte order mark and a missing last line end make no difference",
    arguments: ["a\nb\n", "a\r\nb\r\n", "\u{FEFF}a\n\n# remark é\n\t b", "  a  \n#\n\tb\t\r\n\r\n"])
  func lineEnds(pattern: String) throws {
    let text = pattern.replacing("a", with: "send k tap\t=> on").replacing("b", with: "list é*")
      .replacing("rem" + "send k tap\t=> on" + "rk", with: "remark")
    expectEqual(steps(try reader.parse(text)), ["send k tap => on", "list é*"])
  }

  @Test("names stand for words, within words, values and quotes; a value never becomes two words")
  func names() throws {
    let script = try reader.parse(
      #"""
      let k = shift_Key
      let text = "two words =>"
      let t = 1.5s
      new $k a$k start=$t label="$text!"
      at $t send a$k $text $$5 "=>" => $k t=$t
      let k = shift_Key
      """#)
    expectEqual(
      steps(script),
      [
        #"new shift_Key ashift_Key start=1.5s label="two words =>!""#, "advance until 1.5s",
        #"send ashift_Key "two words =>" "$5" "=>" => shift_Key t=1.5s"#,
      ])
  }

  @Test("an 'end' ends the innermost block")
  func blocks() throws {
    let script = try reader.parse(
      "repeat 2\nbegin\nrepeat 3\nsend k tap => on\nend\nend => ok\nend\nlist")
    expectEqual(
      steps(script),
      [
        "repeat 2 past 7", "begin", "repeat 3 past 5", "send k tap => on", "again 3", "end => ok", "again 1", "list",
      ])
  }

  @Test("expectations that are no requests")
  func checks() throws {
    let script = try reader.parse(
      """
      expect k timers a,b(1,2)
      expect k timers none
      expect k reading x 4 ±0.5
      expect k reading x 4.5 +-1
      expect k reading x 250ms
      expect k reading x text
      expect k reading x none
      expect output k o
      expect output k o within 2m
      never k on.half
      expect output on
      expect k timers => refused EXPECTED
      """)
    let state = try #require(StateText("on.half"))
    expectEqual(
      script.checks,
      [
        .timers(machine: "k", names: ["a", "b(1,2)"]), .timers(machine: "k", names: []),
        .reading(machine: "k", name: "x", .number(4, tolerance: 0.5)),
        .reading(machine: "k", name: "x", .number(4.5, tolerance: 1)),
        .reading(machine: "k", name: "x", .seconds(0.25, tolerance: 0)),
        .reading(machine: "k", name: "x", .text("text")), .reading(machine: "k", name: "x", .none),
        .output(machine: "k", name: "o", within: nil), .output(machine: "k", name: "o", within: 120_000_000_000),
        .never(machine: "k", state),
      ])
    expectEqual(steps(script).suffix(2), ["expect output on", "expect k timers => refused EXPECTED"])
    expectEqual(script.request(of: script.steps[9]), "watch k** what=all\nexpect k on.half")
  }

  @Test("files include files beside them; names go on, and places are those of the file")
  func include() throws {
    let script = try reader.parse(
      "include sub/a.fsm\nlist $n\ninclude \"sub/../b c.fsm\"",
      files: ["sub/a.fsm": "let n = x\ninclude ../b.fsm\ncount", "b.fsm": "show $n", "b c.fsm": "wires"])
    expectEqual(steps(script), ["show x", "count", "list x", "wires"])
    expectEqual(script.steps.map { script.place(of: $0) }, ["b.fsm:1", "sub/a.fsm:3", "s.fsm:2", "b c.fsm:1"])
  }

  @Test("a failure of the right sort excuses what is wrong on purpose")
  func excuses() throws {
    let script = try reader.parse(
      """
      sned k => refused UNKNOWN-VERB
      send k => refused USAGE
      list a b c => USAGE
      undo x => refused BAD-ARGUMENT
      clock foo => refused BAD-ARGUMENT
      list limit=x limt=2 => BAD-ARGUMENT
      begin
      advance 1s => refused USAGE
      end
      """
    )
    expectEqual(steps(script).first, "sned k => refused UNKNOWN-VERB")
    expect(steps(script), contains: "advance 1s => refused USAGE")
  }

  @Test("a seed is the script's own, and stands before all that is done")
  func seed() throws {
    try expectEqual(reader.parse("# why\nlet n = 18446744073709551615\nseed $n\nlist\n").seed, .max)
    try expectNil(reader.parse("list\n").seed)
    expectEqual(
      reader.failure("include a.fsm", files: ["a.fsm": "seed 1"]),
      "a.fsm:1:1: 'seed' belongs in the script itself, not in an included file")
  }

  // MARK: Mistakes

  static let form = "a number with one of ns us ms s m h d, up to 36500d"
  static let timeForm = "a number with one of ns us ms s m h d, up to 100000d"

  @Test("a time goes up to the end of world time, a duration to the longest one")
  func longestTimes() throws {
    let at = steps(try reader.parse("at 100000d list"))
    expect(at, contains: "advance until 100000d")
    let after = steps(try reader.parse("after 36500d list"))
    expect(after, contains: "advance 36500d")
  }

  /// A list of its own: the compiler reads one that stands in an attribute twice.
  static let mistaken: [(text: String, message: String)] = [
    ("sned k tap", "1:1: 'sned' is no verb; did you mean 'send'?"),
    ("\n  at 1s  repaet 3", "2:10: 'repaet' is no verb; did you mean 'repeat'?"),
    (
      "wait 2s",
      "1:1: 'wait' is no verb: 'advance 2s' lets time pass where the clock stands still, 'await NAME STATE' waits for a state"
    ),
    ("assert k on", "1:1: 'assert' is no verb: 'expect k on' fails unless a machine is in the state"),
    ("expect k == on", "1:10: '==' is not needed: 'expect k on'"),
    ("list a -> b", "1:8: '=>' compares an answer: 'list a => b'"),
    (
      "await k on within=1m30s",
      "1:12: '1m30s' is not a number with one of ns us ms s m h d, up to 36500d; did you mean '90s'?"
    ),
    ("key=value", "1:1: a line begins with a verb, not with key=value"),
    ("send k", "1:7: a word is missing; send is used as 'send NAME EVENT [argument…]'"),
    ("send k => on", "1:1: a word is missing; send is used as 'send NAME EVENT [argument…]'"),
    (
      "list a b",
      "1:8: 'b' is one word too many; list is used as 'list [PATTERN] [kind=KIND] [state=STATE] [limit=N]'"
    ),
    ("> send k tap", "1:1: this is a line of a transcript; 'fsmrepl check' repeats those"),
    ("at", "1:3: a time must follow 'at': \(timeForm)"),
    ("after", "1:6: a duration must follow 'after': \(form)"),
    ("at soon list", "1:4: 'soon' is no time; it is \(timeForm)"),
    ("at 100001d list", "1:4: '100001d' is no time; it is \(timeForm)"),
    ("after 36501d", "1:7: '36501d' is no duration; it is \(form)"),
    ("after -1s", "1:7: '-1s' is no duration; it is \(form)"),
    ("after 0.5ns", "1:7: '0.5ns' is no duration; it is \(form), and whole nanoseconds"),
    ("at 1s after 2s list", "1:7: a line has one time; the second belongs on a line of its own"),
    ("begin\nat 1s list\nend", "2:1: no time passes between 'begin' and 'end'"),
    ("begin\nexpect output k o within 1s\nend", "2:1: no time passes between 'begin' and 'end'"),
    ("begin\nadvance 1s\nend", "2:1: 'advance' cannot stand between 'begin' and 'end'"),
    ("begin\nnever k on\nend", "2:1: 'never' cannot stand between 'begin' and 'end'"),
    ("begin\ninclude a.fsm\nend", "2:1: 'include' cannot stand between 'begin' and 'end'"),
    ("begin\nbegin", "2:1: a batch cannot stand in a batch"),
    ("list\n begin\nlist", "2:2: this 'begin' has no 'end'"),
    ("repeat 2\nbegin\nend", "1:1: this 'repeat' has no 'end'"),
    ("end", "1:1: there is no 'repeat', 'begin' or 'try' before this 'end'"),
    ("repeat", "1:7: 'repeat' is used as 'repeat N', 'repeat N as NAME' or 'repeat NAME in WORD…'"),
    ("repeat x", "1:8: 'x' is no number of times; it is 0 to 1000000"),
    ("repeat 1000001", "1:8: '1000001' is no number of times; it is 0 to 1000000"),
    (
      "repeat 2 3",
      "1:10: '3' is not 'as'; 'repeat' is used as 'repeat N', 'repeat N as NAME' or 'repeat NAME in WORD…'"
    ),
    ("repeat 2\nlist\nend 2", "3:5: the 'end' of a 'repeat' or a 'try' stands alone"),
    ("begin\nlist\nend 2", "3:5: '2' is one word too many; end is used as 'end'"),
    ("list =>", "1:8: an outcome must follow '=>': \(ScriptOutcome.form)"),
    ("list =>on", "1:6: a blank must follow '=>'"),
    ("=> on", "1:1: a request must stand before '=>'"),
    ("send k tap => mvoed on", "1:15: 'mvoed' is no outcome; did you mean 'moved'?"),
    ("send k tap => on off", "1:15: 'on' is no outcome; there is \(ScriptOutcome.form)"),
    ("send k tap => moved a b c", "1:25: 'c' is one word too many; the form is 'moved [[FROM] TO]'"),
    ("send k tap => moved ouputs=", "1:21: no reply has a key 'ouputs'; did you mean 'outputs='?"),
    ("send k tap => moved on t=1 xyzzy=\"\"", "1:28: no reply has a key 'xyzzy'"),
    ("send k tap => stayed a+", "1:22: 'a+' can be no state"),
    ("send k tap => refused REFUSE", "1:23: 'REFUSE' is no code of a failure; did you mean REFUSED?"),
    ("send k tap => on t=1 off", "1:22: 'off' comes after key=value; the outcome comes first"),
    ("expect k", "1:9: a word is missing; expect is used as 'expect NAME STATE'"),
    ("expect k timers a b", "1:19: 'b' is one word too many; the form is 'expect NAME timers T,…|none'"),
    ("expect k timers a,,b", "1:17: 'a,,b' is no list of timers; it is T,… without blanks, or none"),
    ("expect k reading x", "1:19: a value is missing; the form is 'expect NAME reading K VALUE [±TOLERANCE]'"),
    ("expect k reading x abc ±1", "1:20: 'abc' is no number, so there can be no tolerance"),
    ("expect k reading x 4 0.1", "1:22: '0.1' is no tolerance; it is ±NUMBER or +-NUMBER"),
    (
      "expect output k o later",
      "1:19: 'later' is not 'within'; the form is 'expect output NAME OUTPUT [within DURATION]'"
    ),
    ("expect output k o within", "1:25: a duration must follow 'within': \(form)"),
    ("expect output k o within x", "1:26: 'x' is no duration; it is \(form)"),
    ("never k", "1:8: a word is missing; the form is 'never NAME STATE'"),
    ("never k* on", "1:7: 'k*' is no name of a machine; it is a letter, then letters, digits, '_', '-' and '.'"),
    ("never k +on", "1:9: '+on' can be no state"),
    ("let x", "1:6: 'let' is used as 'let NAME = VALUE', with quotes around a value of several words"),
    ("let x = a b", "1:11: 'let' is used as 'let NAME = VALUE', with quotes around a value of several words"),
    ("let 9x = a", "1:5: '9x' is no name; it is a letter, then letters, digits and '_'"),
    ("let x = 1\nlet x = 2", "2:5: 'x' is '1' since s.fsm:1; a name keeps its value"),
    ("let window = 1s\nat $windw list", "2:4: '$windw' has no value; did you mean '$window'?"),
    ("list \"é$x\"", "1:8: '$x' has no value; 'let x = VALUE' gives it one, and a dollar is written '$$'"),
    ("list 5$", "1:7: '$' must be followed by a name from 'let'; write '$$' for a dollar sign"),
    (
      "include",
      "1:8: 'include' is used as 'include FILE' or 'include FILE NAME=VALUE…', with quotes around what has blanks"
    ),
    ("include x/none.fsm", "1:9: cannot read 'x/none.fsm': No such file or directory"),
    (
      "advance 3 hours",
      "1:9: a duration is one word: '3h'"
    ),
    (
      "advance soon",
      "1:9: 'soon' is not \(form) or until; advance is used as 'advance DURATION' or 'advance until TIME'"
    ),
    ("at 1s undo x", "1:12: 'x' is not a whole number; undo is used as 'undo [N]'"),
    ("undo 1 2", "1:8: '2' is one word too many; undo is used as 'undo [N]'"),
    ("goto", "1:5: a word is missing; goto is used as 'goto TIME' or 'goto seq=N'"),
    (
      "goto then",
      "1:6: 'then' is not a number with one of ns us ms s m h d, up to 100000d; goto is used as 'goto TIME' or 'goto seq=N'"
    ),
    (
      "clock virtual now",
      "1:15: 'now' is one word too many; clock is used as 'clock' or 'clock real' or 'clock virtual'"
    ),
    ("list limit=x", "1:6: 'x' is not a whole number"),
    ("list limt=3", "1:6: list has no key 'limt'; there are kind, state, limit"),
    ("list limit=3 limit=4", "1:14: 'limit' is given twice"),
    ("show k limit=3", "1:8: show has no key 'limit'; it has none"),
    ("watch * what=some", "1:9: 'some' is not moves or all"),
    ("await k on within=long", "1:12: 'long' is not \(form)"),
    ("seed", "1:5: 'seed' is used as 'seed N'"),
    ("seed -1", "1:6: '-1' is no seed; it is a whole number from 0 to 18446744073709551615"),
    ("seed 1 2", "1:8: '2' is one word too many; the form is 'seed N'"),
    ("seed 1\nseed 1", "2:1: a script has one seed"),
    ("list\nseed 1", "2:1: 'seed' must come first, because the world is made with it"),
    ("at 1s seed 1", "1:7: 'seed' must come first, because the world is made with it"),
    ("quit", "1:1: a script ends with its last line, without 'quit'"),
    ("use main", "1:1: a script has a world of its own and stays there, so 'use' is not for scripts"),
    (
      "world new w",
      "1:1: a script has a world of its own and stays there; only 'world' alone is for scripts"
    ),
    (
      "diff a b",
      "1:1: a script has a world of its own and no second one to compare it with; 'undo' and 'goto' go back to try another way"
    ),
    ("begin\nundo\nend", "2:1: 'undo' cannot stand between 'begin' and 'end'"),
    ("quiet on", "1:1: the answer to each line is read here, so 'quiet' is not for scripts"),
    ("cancel", "1:1: lines run one after the other, so there is nothing to cancel in a script"),
    ("clock real", "1:1: a script has a virtual clock; 'fsmrepl run --real' plays it at real pace"),
    ("@! list", "1:1: a tag is '@' and 1 to 32 letters, digits, '_', '-' or '.'"),
    ("@1", "1:3: a verb must follow the tag"),
    ("@.end list", "1:1: tags that begin with '.' are those of the player; begin with another character"),
    ("// remark", "1:1: a remark begins with '#'"),
    ("+ moved off on", "1:1: this is a line of a transcript; 'fsmrepl check' repeats those"),
    (
      "unwatch key**",
      "1:1: patterns with '**' at their end are watched by the player itself, for what the script expects"
    ),
    (
      "watch key** what=moves",
      "1:1: patterns with '**' at their end are watched by the player itself, for what the script expects"
    ),
    ("list \"abc", "1:6: a quote is not closed"),
    ("list a\"b\"", "1:6: a quote may only begin a word or a value"),
    ("list é\u{7}", "1:7: a control character is not allowed; of these only tab is"),
  ]

  @Test("every mistake is told with its place, what was found and what is allowed", arguments: mistaken)
  func mistakes(text: String, message: String) {
    expectEqual(reader.failure(text), "s.fsm:\(message)")
  }

  @Test(
    "what looks like another language or the prompt is told as such",
    arguments: [
      ("@1 let x = 3", "1:1: a tag stands before requests only"),
      (
        "expect k timers none => ok",
        "1:22: '=>' cannot follow an expectation of timers, a reading, an output or coverage"
      ),
      (
        "expect output k o => ok", "1:19: '=>' cannot follow an expectation of timers, a reading, an output or coverage"
      ),
      ("expect k timer t", "1:10: 'timer' cannot be expected; did you mean 'timers'?"),
      ("expect k Reading t 3", "1:10: 'Reading' cannot be expected; did you mean 'reading'?"),
      ("exit", "1:1: 'exit' is for the prompt, not for scripts"), ("?", "1:1: '?' is for the prompt, not for scripts"),
      ("at 3 seconds list", "1:4: a time is one word: '3s'"), ("after 2 min", "1:7: a time is one word: '2m'"),
      ("list | wc", "1:6: '|' is for the prompt; a script sends no answer to a command or a file"),
      ("list > f", "1:6: '>' is for the prompt; a script sends no answer to a command or a file"),
      ("send k e => UNKOWN-EVENT", "1:13: 'UNKOWN-EVENT' is no code of a failure; did you mean UNKNOWN-EVENT?"),
      ("show grph k", "1:6: 'grph' cannot be shown; did you mean 'show graph'?"),
      ("list => ok x=", "1:12: no reply has a key 'x'"),
      ("world => ok sqe=0", "1:13: no reply has a key 'sqe'; did you mean 'seq='?"),
      ("send k e => moved fired=1", "1:19: a success of 'send' has no key 'fired'; it has t, seq, outputs"),
      ("advance 1s => ok members=", "1:18: a success of 'advance' has no key 'members'; it has fired, t, seq"),
    ])
  func strangers(text: String, message: String) {
    expectEqual(reader.failure(text), "s.fsm:\(message)")
  }

  @Test(
    "the words of narration are known, too",
    arguments: [
      ("sya hello", "1:1: 'sya' is no verb; did you mean 'say'?"),
      ("leson L", "1:1: 'leson' is no verb; did you mean 'lesson'?"),
      ("after 1s say x", "1:10: 'say' is narration, which has no time and no tag; give it a line of its own"),
      ("@a hint x", "1:4: 'hint' is narration, which has no time and no tag; give it a line of its own"),
    ])
  func narration(text: String, message: String) {
    expectEqual(reader.failure(text), "s.fsm:\(message)")
  }

  @Test("an unknown verb that is near to none names them all")
  func unknownVerb() {
    let message = reader.failure("xylophone k")
    expect(
      message,
      hasPrefix: "s.fsm:1:1: 'xylophone' is no verb; there are activities advance after agenda ask at await begin")
  }

  @Test("files that include each other many times end at a limit")
  func inclusions() {
    let twice = "include a.fsm\n"
    let files = [
      "a.fsm": String(repeating: "include b.fsm\n", count: 200),
      "b.fsm": String(repeating: "include c.fsm\n", count: 200),
      "c.fsm": "list\n",
    ]
    let told = reader.failures(String(repeating: twice, count: 1_000), files: files)
    expectEqual(told.count, 1)
    expect(told.first, hasSuffix: ": a script includes at most 10000 files, each counted as often as it is included")
  }

  @Test("bytes that are no UTF-8 are told with their place")
  func notText() {
    #expect {
      _ = try ScriptParser.parse("s.fsm", Array("list\nlist é".utf8) + [0xFF]) { _ in .failed("") }
    } throws: {
      "\($0)" == "s.fsm:2:7: this is not valid UTF-8"
    }
  }

  @Test("files that include each other in a circle, or too deep, are told")
  func circles() {
    expectEqual(
      reader.failure("list\ninclude a.fsm", files: ["a.fsm": "\n include ./s.fsm", "s.fsm": ""]),
      "a.fsm:2:10: files include each other: s.fsm includes a.fsm includes s.fsm")
    let chain = Dictionary(
      uniqueKeysWithValues: (1...16).map { ("f\($0).fsm", $0 == 16 ? "list" : "include f\($0 + 1).fsm") })
    expectEqual(reader.failure("include f2.fsm", files: chain), "parsed")
    expectEqual(
      reader.failure("include f1.fsm", files: chain), "f15.fsm:1:9: files may include each other at most 16 deep")
  }

  @Test("a mistake in an included file, and a block that it leaves open, have its name")
  func mistakeInside() {
    expectEqual(
      reader.failure("include a.fsm", files: ["a.fsm": "lits"]), "a.fsm:1:1: 'lits' is no verb; did you mean 'list'?")
    expectEqual(
      reader.failure("include a.fsm\nend", files: ["a.fsm": "repeat 2"]), "a.fsm:1:1: this 'repeat' has no 'end'")
    expectEqual(
      reader.failure("repeat 2\ninclude a.fsm", files: ["a.fsm": "end"]),
      "a.fsm:1:1: there is no 'repeat', 'begin' or 'try' before this 'end'")
  }

  @Test(
    "what is no script is not even looked at, so that nothing of it gets into a message",
    arguments: ["/etc/shadow", "a", "a.fsm.bak", "../secret.txt", ".fsm/key", "a.fsm/.."])
  func noScript(name: String) {
    var wasRead = false
    #expect {
      _ = try ScriptParser.parse("s.fsm", Array("include \(name)".utf8)) { _ in
        wasRead = true
        return .bytes(Array("root:secret".utf8))
      }
    } throws: {
      "\($0)".hasPrefix("s.fsm:1:9: '\(name)' ")
        && "\($0)".hasSuffix("is not a script: a script's name ends with '.fsm'")
    }
    expect(!wasRead)
  }

  @Test("each limit holds, and one past it is told")
  func limits() {
    let longest = "list " + String(repeating: "a", count: ScriptLimits.line - 5)
    expectEqual(reader.failure(longest), "parsed")
    expectEqual(reader.failure(longest + "a"), "s.fsm:1:1: this line has 65537 bytes; at most 65536 are allowed")
    func nested(_ depth: Int) -> String {
      String(repeating: "repeat 1\n", count: depth) + String(repeating: "end\n", count: depth)
    }
    expectEqual(reader.failure(nested(ScriptLimits.blocks)), "parsed")
    expectEqual(reader.failure(nested(ScriptLimits.blocks + 1)), "s.fsm:33:1: blocks may be nested at most 32 deep")
    // Nine times a million, and the lines that say so.
    let many = "repeat 1000000\nlist\nlist\nlist\nlist\nlist\nlist\nlist\nlist\nlist\n"
    expectEqual(reader.failure(many + "end"), "parsed")
    expectEqual(
      reader.failure(many + "list\nend"),
      "s.fsm:11:1: with all its repetitions this script has more than 10000000 lines")
    expectEqual(reader.failure("repeat \(ScriptLimits.times)\nend"), "parsed")
    expectEqual(
      reader.failure("repeat \(ScriptLimits.times + 1)\nend"),
      "s.fsm:1:8: '1000001' is no number of times; it is 0 to 1000000")
    expect(
      reader.failure("repeat 1000000\nrepeat 1000000\nrepeat 1000000\nend\nend\nend"), hasPrefix: "s.fsm:3:1: with all")
  }
}
