@testable import Scripts
import LineProtocol
import TestSupport
import Testing

/// Counters, ranges and remarks after a line.
struct ScriptCountingTests {
  private let reader = ScriptReader(path: "s.fsm")

  /// What a script sends, in order, with outcomes, as a player would: each repeat is followed.
  private func played(_ text: String, files: [String: String] = [:]) throws -> [String] {
    let script = try reader.parse(text, files: files)
    var played: [String] = []
    var loops: [(left: Int32, outer: Int32)] = []
    var (next, turn) = (0, Int32(0))
    while next < script.steps.count {
      let step = script.steps[next]
      next += 1
      switch step.action {
      case .repeats(0, let past): next = Int(past)
      case .repeats(let count, _):
        loops.append((count, turn))
        turn *= count
      case .again(let first):
        loops[loops.count - 1].left -= 1
        if loops[loops.count - 1].left > 0 {
          turn += 1
          next = Int(first)
        } else {
          turn = loops.removeLast().outer
        }
      case .request:
        let outcome = script.outcome(of: step, turn: turn).map { " => \($0.text)" } ?? ""
        played.append(script.request(of: step, turn: turn) + outcome)
      case .check(let place): played.append("\(script.check(place, turn: turn))")
      }
    }
    return played
  }

  private static func numbers(_ range: some Sequence<Int>, _ text: (Int) -> String) -> [String] { range.map(text) }

  // MARK: Counters

  @Test("a counter is a word, or a part of one, of a value, of quotes, of an outcome, and is gone after its end")
  func counters() throws {
    let lines = try played(
      #"""
      repeat 12 as i
        at ${i}s  send s$i tap n=$i "a $i" $$i => moved off on$i t=${i}s
      end
      let i = late
      list $i
      """#)
    expectEqual(
      lines,
      (1...12).flatMap {
        ["advance until \($0)s", "send s\($0) tap n=\($0) \"a \($0)\" \"$i\" => moved off on\($0) t=\($0)s"]
      } + ["list late"])
    expectEqual(
      reader.failure("repeat 2 as i\nend\nlist $i"),
      "s.fsm:3:6: '$i' has no value; 'let i = VALUE' gives it one, and a dollar is written '$$'")
  }

  @Test("repeats within repeats count each for themselves, with others and ranges between them")
  func nested() throws {
    let lines = try played(
      """
      repeat 3 as i
        repeat 2
          repeat 2 as j
            list a$i-b$j-c{1..2}
          end
          count $i
        end
      end
      """)
    var wanted: [String] = []
    for i in 1...3 {
      for _ in 1...2 {
        for j in 1...2 { for c in 1...2 { wanted.append("list a\(i)-b\(j)-c\(c)") } }
        wanted.append("count \(i)")
      }
    }
    expectEqual(lines, wanted)
  }

  @Test("checks and outcomes have the number of their time round")
  func checks() throws {
    let lines = try played(
      """
      repeat 2 as i
        expect k$i timers t($i),u
        expect k$i reading x $i ±0.$i
        expect output k$i o$i within ${i}s
        never k$i on.s$i
      end
      """)
    let wanted = try (1...2).flatMap { i -> [Script.Check] in
      [
        .timers(machine: "k\(i)", names: ["t(\(i))", "u"]),
        .reading(machine: "k\(i)", name: "x", .number(Double(i), tolerance: Double(i) / 10)),
        .output(machine: "k\(i)", name: "o\(i)", within: Int64(i) * 1_000_000_000),
        .never(machine: "k\(i)", try #require(StateText("on.s\(i)"))),
      ]
    }
    expectEqual(lines, wanted.map { "\($0)" })
    let script = try reader.parse("repeat 3 as i\nexpect output a$i.b$i o\nexpect output c o\nend")
    expectEqual(script.namesWithOutputs(in: script.whole), ["a*.b***", "c**"])
  }

  @Test("a tag stays one with a counter, a name or a range in it")
  func tags() throws {
    try expectEqual(
      played("let n = x-1\nrepeat 2 as i\n@t$i send key tap\nend\n@$n list\nat 1s @a{1..2} list\nsend k $n \"@$n\""),
      [
        "@t1 send key tap", "@t2 send key tap", "@x-1 list", "advance until 1s", "@a1 list", "@a2 list",
        "send k x-1 \"@x-1\"",
      ])
    expect(reader.failure("let n = \"a b\"\n@$n list"), hasPrefix: "s.fsm:2:1: '@a b' is no verb")
  }

  @Test("an included file knows the counters around it, and no time round costs memory")
  func memory() throws {
    try expectEqual(played("repeat 2 as i\ninclude a.fsm\nend", files: ["a.fsm": "list $i"]), ["list 1", "list 2"])
    let script = try reader.parse("repeat 1000000 as i\nrepeat 2 as j\nlist $i$j\nend\nend\nlist x{1..1000000}")
    expectEqual(script.steps.count, 8)
    expectEqual(script.request(of: script.steps[2], turn: 1_999_999), "list 10000002")
    expectEqual(script.request(of: script.steps[2]), "list 11")
    expectEqual(script.request(of: script.steps[6], turn: 999_999), "list x1000000")
  }

  // MARK: Ranges

  @Test(
    "a range is a line for each number, several are their product as in a shell",
    arguments: [
      ("new shiftKey s{1..30}", numbers(1...30) { "new shiftKey s\($0)" }),
      ("list {3..1}", ["list 3", "list 2", "list 1"]), ("list a{7..7}b", ["list a7b"]),
      ("list s{08..11}", ["list s08", "list s09", "list s10", "list s11"]),
      ("list {1..2}{1..2}", ["list 11", "list 12", "list 21", "list 22"]),
      ("send s{1..2} tap c={0..1}", numbers(0...3) { "send s\($0 / 2 + 1) tap c=\($0 % 2)" }),
      ("let n = 3\nlist s{1..$n}", numbers(1...3) { "list s\($0)" }),
      ("let n = 3\nlist s{${n}..5}$n", numbers(3...5) { "list s\($0)3" }),
      ("at 1s list s{1..2} => ok", ["advance until 1s", "list s1 => ok", "list s2 => ok"]),
      ("@t list s{1..2}", ["@t list s1", "@t list s2"]),
      ("begin\nlist s{1..2}\nend", ["begin", "list s1", "list s2", "end"]),
      ("undo {1..2}", ["undo 1", "undo 2"]), ("list é{1..2}*", ["list \"é1*\"", "list \"é2*\""]),
      (
        "expect s{1..2} timers none",
        numbers(1...2) { "\(Script.Check.timers(machine: "s\($0)", names: []))" }
      ),
    ])
  func ranges(text: String, lines: [String]) throws {
    try expectEqual(played(text), lines)
  }

  @Test(
    "a brace that is no range is a plain character, and so is one in quotes or from a value",
    arguments: [
      "list {", "list }", "list {}", "list {a..b}", "list {1..}", "list {..2}", "list {1.2}", "list {1,2}",
      "list {1...3}", "list {-1..3}", "list {1..3", "list 1..3}", "list \"s{1..3}\"", "send k e x=\"{1..3}\"",
      "send k e x={}", "send k e x={\"a\":1}".replacing("\"", with: "'"),
    ])
  func plainBraces(text: String) throws {
    try expectEqual(played(text), [text])
    try expectEqual(played("let v = \"s{1..3}\"\nlist $v"), ["list \"s{1..3}\""])
  }

  // MARK: Remarks

  @Test(
    "what follows a blank and a # is a remark",
    arguments: [
      ("list # remark", ["list"]), ("list\t#remark \"it's $x {1..", ["list"]), ("list a#b", ["list a#b"]),
      ("list \"#\" # \"", ["list \"#\""]), ("list \\#a", ["list \"#a\""]), ("list a \\#", ["list a \"#\""]),
      ("send k e x=#a #b", ["send k e x=#a"]), ("at 1s # later", ["advance until 1s"]),
      ("list => ok # so", ["list => ok"]), ("let x = a # b\nlist $x", ["list a"]),
      ("repeat 2 # twice\nlist\nend # of it", ["list", "list"]), ("list \"a\\\"\" # b", ["list \"a\\\"\""]),
      ("let x = \"# y\"\nlist $x a", ["list \"# y\" a"]), ("list \"\\\\#\"", ["list \"\\\\#\""]),
    ])
  func remarks(text: String, lines: [String]) throws {
    // `list` takes one word; what is of interest here is which words there are.
    let known = text.contains("list a \\#") || text.contains("$x a") ? " => refused USAGE" : ""
    let text = text.split(separator: "\n").map { $0.hasPrefix("list") ? $0 + known : $0 }.joined(separator: "\n")
    try expectEqual(played(text), lines.map { $0.hasPrefix("list") ? $0 + known : $0 })
  }

  @Test("the lines of a document have no remarks and no ranges")
  func documents() throws {
    let script = try reader.parse("define l format=scxml # why\n <a b=\"#x\"/> # {1..3} $y\nenddefine\n")
    let request = script.withRequest(of: script.steps[0]) { String(decoding: $0, as: UTF8.self) }
    expectEqual(request, "define l format=scxml bytes=25\n <a b=\"#x\"/> # {1..3} $y\n")
  }

  // MARK: Mistakes

  @Test(
    "every mistake has its place",
    arguments: [
      ("repeat 3 as", "1:12: 'repeat' is used as 'repeat N', 'repeat N as NAME' or 'repeat NAME in WORD…'"),
      ("repeat 3 as 9x", "1:13: '9x' is no name; it is a letter, then letters, digits and '_'"),
      (
        "repeat 3 as i j",
        "1:15: 'j' is one word too many; 'repeat' is used as 'repeat N', 'repeat N as NAME' or 'repeat NAME in WORD…'"
      ),
      ("let i = 1\nrepeat 3 as i\nend", "2:13: 'i' is '1' since s.fsm:1; take another name"),
      ("repeat 2 as i\nrepeat 3 as i\nend\nend", "2:13: 'i' counts since s.fsm:1; take another name"),
      ("repeat 2 as i\nlet i = 3\nend", "2:5: 'i' counts since s.fsm:1"),
      ("repeat 2 as i\nlet x = a$i\nend", "2:9: '$i' counts, so it cannot stand here"),
      ("repeat 2 as i\nrepeat $i\nend\nend", "2:8: '$i' counts, so it cannot stand here"),
      ("repeat 2 as i\ninclude f$i.fsm\nend", "2:9: '$i' counts, so it cannot stand here"),
      ("repeat 2 as i\nload f$i.mmd\nend", "2:6: '$i' counts, so it cannot stand here"),
      ("repeat 2 as i\ndefine k$i format=scxml\nenddefine\nend", "2:8: '$i' counts, so it cannot stand here"),
      ("repeat 2 as i\nlist s{1..$i}\nend", "2:7: '$i' counts, and the ends of a range do not"),
      ("repeat 101000 as i\nat ${i}d\nend", "2:4: '101000d' is no time; it is \(ScriptParserTests.timeForm)"),
      ("repeat 2 as count\nlist $cuont\nend", "2:6: '$cuont' has no value; did you mean '$count'?"),
      ("at {1..3}s list", "1:4: a range can stand only in a request or an expectation; in quotes it is a plain word"),
      (
        "list => s{1..3}",
        "1:9: a range can stand only in a request or an expectation; in quotes it is a plain word"
      ),
      (
        "let x = s{1..3}",
        "1:9: a range can stand only in a request or an expectation; in quotes it is a plain word"
      ),
      ("list é{1..9999999999999999999}", "1:7: a number in a range has at most 18 digits"),
      ("list {1..1000001}", "1:6: a range has at most 1000000 numbers"),
      ("list \(String(repeating: "{1..1}", count: 9))", "1:54: a line has at most 8 ranges"),
      ("list s{1..${", "1:11: '$' must be followed by a name from 'let'; write '$$' for a dollar sign"),
    ])
  func mistakes(text: String, message: String) {
    expectEqual(reader.failure(text), "s.fsm:\(message)")
  }

  @Test(
    "a script bomb is refused at once",
    arguments: [
      ("list {1..1000000}{1..1000000}", "1:1"), ("repeat 1000000\nlist x{1..11}\nend", "2:1"),
      ("repeat 1000000 as i\nrepeat 1000000 as j\nlist $i$j\nend\nend", "3:1"),
      ("begin\nlist {1..1000000}{1..1000000}\nend", "2:1"),
      ("repeat 1000000\nlist {1..10}\nend\nlist", "2:1"),
    ])
  func bombs(text: String, place: String) {
    expectEqual(
      reader.failures(text), ["s.fsm:\(place): with all its repetitions this script has more than 10000000 lines"])
  }

  @Test("the limit of lines counts each number of a range once, and repeats of nothing are left out")
  func limits() throws {
    expectEqual(reader.failure("repeat 1000000\nlist {1..9}\nend\n"), "parsed")
    expectEqual(reader.failure("list \(String(repeating: "{1..1}", count: 8))"), "parsed")
    try expectEqual(reader.parse("repeat 1000000\nrepeat 1000000\nlet x = 1\nend\nend\nlist").steps.count, 1)
  }

  // MARK: All mistakes

  @Test("all mistakes are told, in files that are included too, and none that only follows from another")
  func allMistakes() {
    let text = """
      sned k
      let x = a b
      send $x tap
      repeat x as i
        send s$i tap
        lits
      end
      repeat $x
      end
      include nope.fsm
      send $fromThere tap
      include a.fsm
      include a.fsm
      define lamp format=scxml bytes=3
      sned
      enddefine
      list "k
      begin x
        expect k
      end
      end
      repeat 2
      """
    expectEqual(
      reader.failures(text, files: ["a.fsm": "list\n\ncount a b\nrepeat 3"]),
      [
        "s.fsm:1:1: 'sned' is no verb; did you mean 'send'?",
        "s.fsm:2:11: 'let' is used as 'let NAME = VALUE', with quotes around a value of several words",
        "s.fsm:4:8: 'x' is no number of times; it is 0 to 1000000",
        "s.fsm:6:3: 'lits' is no verb; did you mean 'list'?",
        "s.fsm:10:9: cannot read 'nope.fsm': No such file or directory",
        "a.fsm:3:9: 'b' is one word too many; count is used as 'count [PATTERN] [kind=KIND]'",
        "a.fsm:4:1: this 'repeat' has no 'end'",
        "s.fsm:14:26: the bytes are counted here; the document stands on the lines up to 'enddefine'",
        "s.fsm:17:6: a quote is not closed",
        "s.fsm:18:7: 'x' is not strict; begin is used as 'begin [strict]'",
        "s.fsm:19:11: a word is missing; expect is used as 'expect NAME STATE'",
        "s.fsm:21:1: there is no 'repeat', 'begin' or 'try' before this 'end'",
        "s.fsm:22:1: this 'repeat' has no 'end'",
      ])
  }

  @Test(
    "a mistyped word that begins a block begins one, and so does a batch in a batch",
    arguments: [
      ("repaet 3\nlist\nend", ["1:1: 'repaet' is no verb; did you mean 'repeat'?"]),
      (
        "at 1s bgin\nlist\nend\nlits",
        [
          "1:7: 'bgin' is no verb; did you mean 'begin'?", "4:1: 'lits' is no verb; did you mean 'list'?",
        ]
      ),
      ("begin\nbegin\nlist\nend\nend", ["2:1: a batch cannot stand in a batch"]),
      ("tyr k on\ngoal g\nhint h\nlist\nend", ["1:1: 'tyr' is no verb; did you mean 'try'?"]),
      ("defien l format=scxml\n<scxml>\nenddefine\nlist", ["1:1: 'defien' is no verb; did you mean 'define'?"]),
      ("repaet", ["1:1: 'repaet' is no verb; did you mean 'repeat'?"]),
    ] as [(String, [String])])
  func mistypedBlocks(text: String, mistakes: [String]) {
    expectEqual(reader.failures(text), mistakes.map { "s.fsm:\($0)" })
  }

  @Test("of very many mistakes the first are told, and their number")
  func manyMistakes() {
    func lines(_ count: Int) -> [String] { reader.failures(String(repeating: "lits\n", count: count)) }
    expectEqual(lines(50).count, 50)
    expect(lines(51).count == 51 && lines(51).last == "s.fsm: 1 more mistake")
    expectEqual(lines(999).last, "s.fsm: 949 more mistakes")
    expectEqual(lines(1_000).count, 51)
    expectEqual(lines(100_000).last, "s.fsm: at least 950 more mistakes; the rest was not read")
  }

  // MARK: Columns

  @Test("a word of a step has its column in the line, after a time and in a line with names too")
  func columns() throws {
    let script = try reader.parse(
      "let k = key\n  at 1.5s   send $k  tap  =>  moved off on t=1 # é\nsend é tap => on\nexpect k timers a # b\n")
    let steps = script.steps
    expectEqual(script.column(of: steps[0], word: 0), 6)
    expectEqual((0...2).map { script.column(of: steps[1], word: $0) }, [13, 18, 22])
    expectEqual(script.arrow(of: steps[1]), 3)
    expectEqual((3...7).map { script.column(of: steps[1], word: $0) }, [27, 31, 37, 41, 44])
    expectEqual(script.column(of: steps[1], word: 8), 13)
    expectEqual((0...4).map { script.column(of: steps[2], word: $0) }, [1, 6, 8, 12, 15])
    expectEqual(script.column(of: steps[3], word: 3), 17)
  }

  @Test("the end of a line and the mark of the encoding have no column and are not shown")
  func lineEnds() throws {
    let script = try reader.parse("\u{FEFF}send k e \"a b\"\r\nsend k f \"c d\"\r\n")
    expectEqual(script.steps.map { script.column(of: $0, word: 3) }, [10, 10])
    expectEqual(script.steps.map { script.line(of: $0) }, ["send k e \"a b\"", "send k f \"c d\""])
  }
}
