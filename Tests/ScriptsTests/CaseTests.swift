@testable import Scripts
import LineProtocol
import TestSupport
import Testing

/// Cases, values from outside, words of a `repeat`, and `expect?`.
struct CaseTests {
  private let reader = ScriptReader(path: "s.fsm")

  private func requests(_ script: Script) -> [String] { script.steps.map { script.request(of: $0) } }

  private func read(_ text: String, _ values: [String: String]) -> (script: Script, mistakes: ScriptMistakes?) {
    ScriptParser.read("s.fsm", Array(text.utf8), values: values) { _ in .failed("no file") }
  }

  @Test("each case has the set-up before it and its own lines, and names of its own")
  func parts() throws {
    let script = try reader.parse(
      """
      let a = 1
      new k $a
      case "first one"
      let b = 2
      new k $b
      case second
      let b = 3
      new k $b
      list
      case empty
      """)
    let parts = script.parts
    expectEqual(parts.map(\.title), ["first one", "second", "empty"])
    expect(parts.allSatisfy { $0.setUp == 0..<1 } && parts.map(\.body) == [1..<2, 2..<4, 4..<4])
    expectEqual(requests(script), ["new k 1", "new k 2", "new k 3", "list"])
    let whole = try reader.parse("list\nlist").parts
    expect(whole.count == 1 && whole[0].title == nil && whole[0].setUp.isEmpty && whole[0].body == 0..<2)
  }

  @Test(
    "where a case cannot stand",
    arguments: [
      ("case", "5: 'case' is used as 'case TITLE', with quotes around a title with blanks"),
      ("case a b", "8: 'case' is used as 'case TITLE', with quotes around a title with blanks"),
      ("case \"\"", "6: a title has one character at least"),
      ("at 1s case a", "7: 'case' has no time; times are those of its lines"),
    ])
  func wrongCases(line: String, message: String) {
    expectEqual(reader.failure(line), "s.fsm:1:\(message)")
  }

  @Test("a title is given once; blocks, included files, lessons and sessions have no cases; the seed comes first")
  func wrongPlaces() {
    expectEqual(reader.failure("case a\ncase a"), "s.fsm:2:6: there is a case 'a' already")
    expectEqual(
      reader.failure("repeat 2\ncase a\nend"),
      "s.fsm:2:1: a case cannot stand in a block; the one of line 1 has no 'end' yet")
    expectEqual(
      reader.failure("include i.fsm", files: ["i.fsm": "case a"]),
      "i.fsm:1:1: 'case' belongs in the script itself, not in an included file")
    expect(reader.failure("lesson L\nlevel 1\ncase a"), hasSuffix: "a lesson is told in one world, so it has no cases")
    expect(reader.failure("case a\nseed 3"), contains: "'seed' must come first")
    expect(reader.failure("case a\nlet x = 1\ncase b\nsend k $x"), contains: "'$x' has no value")
    let (_, mistakes) = ScriptParser.read("s.fsm", Array("case a\ncase b".utf8), isInSession: true) { _ in .failed("") }
    expectEqual(
      mistakes?.lines,
      [
        "s.fsm:1:1: a case begins in a fresh world, and 'run' plays in the world in use; 'fsmrepl run FILE' plays cases"
      ])
  }

  @Test("after a wrong first line the lines of a case are still its own", arguments: ["case a", "case", "case b c"])
  func mistakenCase(line: String) {
    expectEqual(
      reader.failures("case a\nlet x = 1\nat 5s list\n\(line)\nlet x = 2\nat 1s send k $x\n").map { $0.prefix(8) },
      ["s.fsm:4:"])
  }

  @Test("the lines of a set-up count once for each case")
  func limit() {
    let text = "repeat 1000000\nlist\nend\n" + (1...12).map { "case c\($0)\n" }.joined()
    expect(reader.failure(text + "list"), contains: "more than \(ScriptLimits.lines) lines")
  }

  @Test("a repeat with words is read once for each; its names end with each")
  func words() throws {
    let script = try reader.parse(
      """
      repeat d in 0ms "a b" 1s
        let e = x$d
        repeat n in 1 2
          send $n "$e"
        end
      end
      let d = free
      send k $d
      """)
    expectEqual(
      requests(script),
      [
        "send 1 x0ms", "send 2 x0ms", #"send 1 "xa b""#, #"send 2 "xa b""#, "send 1 x1s", "send 2 x1s", "send k free",
      ])
    expectEqual(script.sources[0].count, 8)
    expectEqual(script.playedLine(of: script.steps[2], turn: 0), #"send 1 "xa b""#)
    expect(reader.failure("repeat d in\nend"), contains: "a word is missing")
    expect(reader.failures("repeat d in 1s x\nat $d\nend").first, hasPrefix: "s.fsm:2:4: 'x' is ")
  }

  @Test("endless repeats of words are a mistake, soon")
  func tooManyWords() {
    let depth = 30
    // Empty lines are soon read.
    let empty = Thorough.isFull ? "" : String(repeating: "\n", count: 2_000)
    let text =
      (0..<depth).map { "repeat n\($0) in a b\n" }.joined() + empty + String(repeating: "end\n", count: depth)
    expect(reader.failure(text), contains: "the words of 'repeat' make more than")
  }

  @Test("a value from outside wins over 'let', and its use is known")
  func values() {
    let text = "let a = 1\nlet b = 2\nsend k $a $b"
    let (script, mistakes) = read(text, ["a": "9 9"])
    expect(mistakes == nil && requests(script) == [#"send k "9 9" 2"#] && script.namesUsed == ["a"])
    expectEqual(script.playedLine(of: script.steps[0], turn: 0), #"send k "9 9" 2"#)
    expect(read("list", ["a": "1"]).script.namesUsed.isEmpty)
    // An empty value leaves a word where it stood.
    expectEqual(requests(read("send $m tap x=$m y$m", ["m": ""]).script), [#"send "" tap x="" y"#])
    expectEqual(read("send k {1..$a}", ["a": "3"]).script.namesUsed, ["a"])
    expectEqual(
      read("repeat 2 as a\nend", ["a": "3"]).mistakes?.lines,
      [
        "s.fsm:1:13: 'a' is '3' since --let; take another name"
      ])
  }

  @Test("an include gives values to a file; names of that file end with it")
  func includes() throws {
    let files = ["i.fsm": "let d = 1\nlet e = x$d\nsend k $e", "plain.fsm": "let y = 7"]
    let script = try reader.parse(
      "include i.fsm d=2\ninclude i.fsm d=\"3 4\"\ninclude i.fsm\ninclude plain.fsm\nsend k $y $e", files: files)
    expectEqual(requests(script), ["send k x2", #"send k "x3 4""#, "send k x1", "send k 7 x1"])
    expectEqual(script.inclusions(of: script.steps[1]), [#"s.fsm:2: include i.fsm d="3 4""#])
    expect(script.inclusions(of: script.steps[3]).isEmpty)
    expectEqual(reader.failure("include i.fsm f=2", files: files), "s.fsm:1:15: the file does not use '$f'")
    expectEqual(reader.failure("include i.fsm d=1 d=2", files: files), "s.fsm:1:19: 'd' is given twice")
    expect(reader.failure("include i.fsm d", files: files), contains: "'include' is used as")
    expectEqual(
      reader.failure("include a.fsm d=1", files: ["a.fsm": "include a.fsm d=2$d"]),
      "a.fsm:1:9: files include each other: a.fsm includes a.fsm")
  }

  @Test("'expect?' is sent and read as 'expect', and is soft; with its time as played")
  func soft() throws {
    let script = try reader.parse(
      "let t = 2s\nexpect? k on\nafter $t expect? k timers none\nrepeat 2 as i\nafter 1s expect? k$i s$i\nend\nexpect? m{1..2} off"
    )
    let soft = script.steps.filter { $0.isSoft && !script.request(of: $0).isEmpty }
    expectEqual(soft.map { script.request(of: $0) }, ["expect k on", "show k", "expect k1 s1", "expect m1 off"])
    expectEqual(script.playedLine(of: soft[1], turn: 0), "after 2s expect? k timers none")
    expectEqual(script.playedLine(of: soft[2], turn: 1), "after 1s expect k2 s2")
    expectEqual(reader.failure("@a expect? k on"), "s.fsm:1:1: a tag stands before requests only")
    expect(reader.failure("expect?"), contains: "a word is missing")
  }

  @Test("coverage is expected of a pattern, with a share")
  func coverage() throws {
    try expectEqual(reader.parse("expect coverage k* >= 90%").checks, [.coverage(pattern: "k*", percent: 90)])
    expectEqual(requests(try reader.parse("expect coverage on")), ["expect coverage on"])
    for (line, message) in [
      ("k > 90%", "19: '>' is not '>='; the form is 'expect coverage NAME >= N%'"),
      ("k >= 101%", "22: '101%' is no share; it is 0% to 100%"), ("k >= 9", "22: '9' is no share; it is 0% to 100%"),
    ] {
      expectEqual(reader.failure("expect coverage \(line)"), "s.fsm:1:\(message)")
    }
  }
}
