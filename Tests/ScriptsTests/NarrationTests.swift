@testable import Scripts
import LineProtocol
import TestSupport
import Testing

@Suite("Lines of a script for people")
struct NarrationTests {
  private let reader = ScriptReader(path: "l.fsm")

  /// A lesson with everything in it.
  private static let lesson = """
    # A remark may stand first.
    lesson A key with a # and "quotes"
    level 2

    say A **key** costs $5.
    say
    say - one
    let window = 350ms
    new shiftKey key
    ask state What is it after `tap`?
    at 10ms  send key tap  => moved off on
    ask event How does it lock?
    send key tap => capsLock
    point on
    point key off
    show graph key
    show wave
    show wave k*
    show state key
    show table key
    send key tap
    send key tap
    ask time When does the window close?
    step
    pause
    try key capsLock
      goal Lock it.
      hint Tap twice.
      hint Quickly.
      send key tap
      after 1s send key tap
      repeat 2
        send key tap
      end
    end
    try coverage key 60%
      goal Try more.
      send key character a
    end
    """

  private func contents(_ text: String) throws -> [Script.Narration.Content] {
    try reader.parse(text).narration.map(\.content)
  }

  @Test("narration is kept with its place; everything else is played as it stands")
  func lesson() throws {
    let script = try reader.parse(Self.lesson)
    expectEqual(script.heading, Script.Heading(title: #"A key with a # and "quotes""#, level: 2))
    let requests = script.steps.map { script.request(of: $0) }
    expectEqual(
      requests,
      [
        "new shiftKey key", "advance until 10ms", "send key tap", "send key tap", "point key on", "point key off",
        "send key tap", "send key tap", "step", "send key tap", "advance 1s", "send key tap", "", "send key tap", "",
        "expect key capsLock", "send key character a", "coverage key",
      ])
    expectEqual(
      script.narration.map(\.content),
      [
        .remark("A remark may stand first."), .say("A **key** costs $5."), .say(""), .say("- one"),
        .ask(.init(subject: .state(machine: "key"), text: "What is it after `tap`?", steps: 1..<3)),
        .ask(.init(subject: .event(machine: "key"), text: "How does it lock?", steps: 3..<4)),
        .picture(.graph("key")), .picture(.wave(nil)), .picture(.wave("k*")), .picture(.state("key")),
        .picture(.table("key")), .ask(.init(subject: .time, text: "When does the window close?", steps: 8..<9)),
        .pause,
        .attempt(
          .init(
            condition: "key capsLock", goal: "Lock it.", hints: ["Tap twice.", "Quickly."], solution: 9..<15,
            checks: 15..<16)),
        .attempt(
          .init(condition: "coverage key 60%", goal: "Try more.", hints: [], solution: 16..<17, checks: 17..<18)),
      ])
    expectEqual(script.narration.map(\.step), [0, 0, 0, 0, 1, 3, 6, 6, 6, 6, 6, 8, 9, 9, 16])
    expectEqual(script.narration.map(\.line).prefix(5), [1, 5, 6, 7, 10])
    // What fails in a condition is about its `try`.
    expectEqual(script.place(of: script.steps[15]), "l.fsm:26")
    expectEqual(script.checks, [.coverage(pattern: "key", percent: 60)])
  }

  @Test("a condition is what follows 'expect'")
  func conditions() throws {
    func checks(_ condition: String) throws -> [Script.Check] {
      try reader.parse("try \(condition)\ngoal g\nsend k tap\nend").checks
    }
    try expectEqual(checks("k timers none"), [.timers(machine: "k", names: [])])
    try expectEqual(
      checks("k reading temperature 5 ±0.1"), [.reading(machine: "k", name: "temperature", .number(5, tolerance: 0.1))])
    try expectEqual(checks("coverage k 100%"), [.coverage(pattern: "k", percent: 100)])
    try expectEqual(checks("k on"), [])
  }

  @Test("requests that begin like narration are requests")
  func requests() throws {
    let script = try reader.parse(
      "show wave\nshow state => state\npause => refused CLOCK\nshow graph x => refused USAGE\npoint k on => ok")
    expect(script.narration.isEmpty)
    expectEqual(script.steps.count, 5)
    // A machine may have the name of a picture, but not in a lesson.
    try expectEqual(contents("lesson L\nlevel 1\nshow wave"), [.picture(.wave(nil))])
  }

  @Test("a remark can follow what has no text")
  func remarks() throws {
    let script = try reader.parse(
      """
      lesson L # is part of the title
      level 1 # easy
      new shiftKey key
      show graph key # look
      show wave # all
      show state key
      pause # wait
      point on # here
      try coverage key 60% # most
        goal Try # it.
        send key tap
      end
      try key on # still
        goal Nothing to do.
        list
      end
      """)
    expectEqual(script.heading, Script.Heading(title: "L # is part of the title", level: 1))
    expectEqual(
      script.narration.prefix(4).map(\.content),
      [
        .picture(.graph("key")), .picture(.wave(nil)), .picture(.state("key")), .pause,
      ])
    expectEqual(
      script.steps.map { script.request(of: $0) },
      [
        "new shiftKey key", "point key on", "send key tap", "coverage key", "list", "expect key on",
      ])
    expectEqual(reader.failure("lesson L\nlevel # 1"), "l.fsm:2:7: a level must follow: 1, 2 or 3")
  }

  @Test("a file that is included may say something")
  func included() throws {
    let files = ["a.fsm": "say hello\nnew shiftKey key"]
    let script = try reader.parse("include a.fsm\npoint on", files: files)
    expectEqual(script.narration.map(\.content), [.say("hello")])
    expect(reader.failure("include a.fsm", files: ["a.fsm": "lesson L"]), hasPrefix: "a.fsm:1:1: 'lesson' is the first")
    expect(
      reader.failure("include a.fsm", files: ["a.fsm": "ask state Q?"]), hasPrefix: "a.fsm:1:1: the next line must be")
  }

  @Test(
    "mistakes are told where they stand",
    arguments: [
      // The heading.
      ("list\nlesson L\nlevel 1", "2:1: 'lesson' is the first line of a script, before everything but remarks"),
      ("seed 3\nlesson L", "2:1: 'lesson' is the first line of a script, before everything but remarks"),
      ("lesson", "1:7: a title must follow 'lesson'"),
      ("  lesson L\nsay x", "1:3: a lesson has a level; 'level 1', 'level 2' or 'level 3' must follow"),
      ("lesson L\nlevel 4", "2:7: '4' is no level; it is 1, 2 or 3"),
      ("lesson L\nlevel", "2:6: a level must follow: 1, 2 or 3"),
      ("lesson L\nlevel 1 2", "2:9: '2' is one word too many; the form is 'level 1'"),
      ("level 1", "1:1: 'level' stands once, in the line after 'lesson'"),
      ("lesson L\nlevel 1\nlevel 2", "3:1: 'level' stands once, in the line after 'lesson'"),
      ("lesson L\nsay x\nlevel 1", "3:1: 'level' stands once, in the line after 'lesson'"),
      // Questions.
      ("ask", "1:4: 'ask' is used as 'ask state QUESTION', 'ask event QUESTION' or 'ask time QUESTION'"),
      ("ask stat What?", "1:5: 'stat' cannot be asked; did you mean 'ask state'?"),
      (
        "ask What happens?",
        "1:5: 'What' cannot be asked; 'ask' is used as 'ask state QUESTION', 'ask event QUESTION' or 'ask time QUESTION'"
      ),
      ("ask state", "1:10: a question must follow 'ask state'"),
      (
        "ask state Q?", "1:1: the next line must be what this asks about: a line that sends something or lets time pass"
      ),
      ("ask time Q?\nsend k tap", "1:1: the next line must be what this asks about: 'await' or 'step'"),
      ("ask time Q?\nsay x\nstep", "1:1: the next line must be what this asks about: 'await' or 'step'"),
      ("ask event Q?\nsend k tap", "1:1: the next line must be what this asks about: 'send NAME EVENT => OUTCOME'"),
      ("ask event Q?\nstep => 1", "1:1: the next line must be what this asks about: 'send NAME EVENT => OUTCOME'"),
      (
        "ask state Q?\nlist",
        "1:1: the next line must be what this asks about: a line that sends something or lets time pass"
      ),
      (
        "ask state Q?\nrepeat 2\nsend k tap\nend",
        "1:1: the next line must be what this asks about: a line that sends something or lets time pass"
      ),
      (
        "new power a\nnew power b\nask state Q?\nafter 1s",
        "4:1: this names no machine, and the script has a and b; let a line like 'after 1s expect NAME STATE' follow the question"
      ),
      (
        "ask state Q?\nstep",
        "2:1: this names no machine, and the script has none; let a line like 'after 1s expect NAME STATE' follow the question"
      ),
      // Pictures.
      ("lesson L\nlevel 1\nshow graph", "3:11: the name of a machine must follow 'show graph'"),
      ("show graph key now", "1:16: 'now' is one word too many"),
      (
        "show graph 7", "1:12: '7' is no name of a machine; it is a letter, then letters, digits, '_', '-' and '.'"
      ),
      (
        "point on", "1:7: this does not say of which machine; the script has none, and the form is 'point NAME STATE'"
      ),
      (
        "new power a\nnew power b\npoint on",
        "3:7: this does not say of which machine; the script has a and b, and the form is 'point NAME STATE'"
      ),
      ("point", "1:6: 'point' is used as 'point [NAME] STATE'"),
      // Free play.
      (
        "try\ngoal g\nlist\nend",
        "1:4: a condition must follow 'try': one that can follow 'expect', or 'coverage NAME 100%'"
      ),
      ("list\ntry k on\ngoal g\nend", "2:1: this 'try' has no solution"),
      ("try k on\nlist\nend", "1:1: this 'try' has no 'goal'"),
      ("try k on\ngoal g\nlist", "1:1: this 'try' has no 'end'"),
      ("try k on\ngoal g\ngoal h", "3:1: a 'try' has one goal"),
      ("try k on\ngoal g\nlist\nhint h", "4:1: 'hint' stands before the solution"),
      ("try k on\nlist\ngoal g", "3:1: 'goal' stands before the solution"),
      ("try k on\ngoal\nlist", "2:5: a text must follow 'goal'"),
      ("goal g", "1:1: 'goal' stands in a 'try', before its solution"),
      ("hint h", "1:1: 'hint' stands in a 'try', before its solution"),
      ("try k on\nsay x", "2:1: a 'try' holds 'goal', 'hint' and the lines of a solution, but no 'say'"),
      ("try k on\ntry k off", "2:1: a 'try' holds 'goal', 'hint' and the lines of a solution, but no 'try'"),
      ("try k\ngoal g\nlist\nend", "1:6: a word is missing; expect is used as 'expect NAME STATE'"),
      (
        "  try 7 timers none\ngoal g\nlist\nend",
        "1:7: '7' is no name of a machine; it is a letter, then letters, digits, '_', '-' and '.'"
      ),
      (
        "try output k on\ngoal g\nlist\nend",
        "1:5: a condition is a state, timers, a reading or a coverage: 'key on', 'key timers none', 'f reading R V'"
      ),
      (
        "try k on => on\ngoal g\nlist\nend",
        "1:5: a condition is a state, timers, a reading or a coverage: 'key on', 'key timers none', 'f reading R V'"
      ),
      ("try coverage k\ngoal g\nlist\nend", "1:1: the form is 'try coverage NAME 100%'"),
      ("try coverage k 0%\ngoal g\nlist\nend", "1:1: '0%' is not 1% to 100%; the form is 'try coverage NAME 100%'"),
      // Blocks.
      ("repeat 2\nsay x\nend", "2:1: 'say' cannot stand in a 'repeat'"),
      ("begin\npause\nend", "2:1: 'pause' cannot stand between 'begin' and 'end'"),
      ("try k on\ngoal g\nlist\nend 2", "4:5: the 'end' of a 'repeat' or a 'try' stands alone"),
    ] as [(String, String)])
  func mistakes(script: String, mistake: String) {
    expectEqual(reader.failure(script), "l.fsm:\(mistake)")
  }

  @Test("each mistake is told once, and what only follows from it is not")
  func consequences() {
    func places(_ text: String) -> [String] {
      reader.failures(text).map { $0.split(separator: ":").dropFirst().prefix(2).joined(separator: ":") }
    }
    expectEqual(places("try\n  goal g\n  hint h\n  list\nend\nask what\nlist\nsay ok\nlevel 1"), ["1:4", "6:5", "9:1"])
    expectEqual(places("lesson\nlevel 1\nask state\nlist\ntry k on\n  goal g\nend"), ["1:7", "3:10", "5:1"])
    expectEqual(places("lesson X\nlevle 1\nlist"), ["2:1"])
    expectEqual(places("try key on\ngaol X\nsend key tap\nend"), ["2:1"])
    expectEqual(places("try key on\ngoal X\nsnd key tap\nend"), ["3:1"])
    expectEqual(places("nwe shiftKey key\npoint on"), ["1:1"])
    expectEqual(places("try a on\ngoal x\ntry b on\ngoal y\nlist\nend\nlist\nend\nlist\nend"), ["3:1", "10:1"])
  }

  @Test("a name has its value in pictures and in a coverage, too; a counter has none there")
  func namesInNarration() throws {
    let script = try reader.parse(
      "let m = key\nnew shiftKey $m\nshow graph $m\ntry coverage $m 10%\n goal g\n send $m tap\nend")
    expectEqual(script.narration.first?.content, .picture(.graph("key")))
    expectEqual(script.checks, [.coverage(pattern: "key", percent: 10)])
    expectEqual(
      reader.failure("show graph $m"),
      "l.fsm:1:12: '$m' has no value; 'let m = VALUE' gives it one, and a dollar is written '$$'")
  }

  @Test("a remark is kept where it is said: before a file that is included, a question, and free play")
  func keptRemarks() throws {
    let text = "# a\ninclude i.fsm\nask state Q?\n# b\nsend k tap\ntry k on\n # c\n goal g\n send k tap\nend\n# d"
    let script = try reader.parse(text, files: ["i.fsm": "# no\nnew shiftKey k"])
    let told = script.narration.map { told -> String in
      if case .remark(let text) = told.content { return "\(text)\(told.step)" }
      return "-"
    }
    expectEqual(told, ["a0", "b1", "-", "c2", "-", "d4"])
  }
}
