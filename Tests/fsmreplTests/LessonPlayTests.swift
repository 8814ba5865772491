import LineProtocol
import TestSupport
import Testing

@testable import Scripts
@testable import fsmrepl

@Suite("A lesson as a value")
struct LessonPlayTests {
  private static let text = """
    lesson Keys
    level 1
    say One.
    say Two.

    say Three.
    # remark
    new shiftKey key
    begin
    send key tap
    end
    ask state What now?
    at 10ms send key tap => capsLock
    pause
    try key off
    goal Off.
    hint Tap.
    hint Once.
    repeat 1
    send key tap
    end
    end
    say Done.
    """

  private func script(_ text: String = Self.text) throws -> Script {
    try ScriptParser.parse("l.fsm", Array(text.utf8)) { .failed("no \($0)") }
  }

  /// The items in short.
  private func items(_ lesson: Lesson) -> [String] {
    lesson.items.map { item in
      switch item {
      case .text(let lines): lines.joined(separator: "|")
      case .play(let steps): "play \(steps.lowerBound)..<\(steps.upperBound)"
      case .ask(let question): "ask \(question.steps.lowerBound)..<\(question.steps.upperBound)"
      case .picture(let picture): picture.request(width: 80)
      case .pause: "pause"
      case .attempt(let attempt):
        "try \(attempt.solution.lowerBound)..<\(attempt.checks.upperBound)"
      }
    }
  }

  @Test("its items are texts, lines and blocks, questions, free play")
  func items() throws {
    let script = try script()
    let lesson = Lesson(script)
    expectEqual(
      items(lesson),
      [
        "One.|Two.||Three.", "play 0..<1", "play 1..<4", "ask 4..<6", "pause", "try 6..<10",
        "Done.",
      ])
    expectEqual((0...7).map { lesson.firstStep(of: $0) }, [0, 0, 1, 4, 6, 6, 10, 10])
    expectEqual(lesson.questions, 1)
    expectEqual(lesson.minutes, 2)
    expectEqual(script.lines(of: 1..<4), ["begin", "send key tap", "end"])
    expectEqual(script.lines(of: 4..<6), ["at 10ms send key tap"])
    expectEqual(script.lines(of: 6..<9), ["repeat 1", "send key tap", "end"])
  }

  @Test("a script for a room has its remarks, too, but not those of a document")
  func remarks() throws {
    let script = try script(
      """
      # One.
      #
      # Two.
      new shiftKey key
      # Three.
      let n = tap
      repeat 2
        # Within.
        send key $n
      end
      define lamp format=mermaid
      # no remark
      stateDiagram-v2
        [*] --> off
      enddefine  # lamp
      # Four.
      send key $n   => on
      """)
    let lesson = Lesson(script, showsRemarks: true)
    expectEqual(
      items(lesson),
      [
        "One.||Two.", "play 0..<1", "Three.||Within.", "play 1..<4", "play 4..<5", "Four.",
        "play 5..<6",
      ])
    expectEqual(script.lines(of: 5..<6), ["send key tap"])
    expectEqual(
      script.lines(of: 4..<5),
      [
        "define lamp format=mermaid", "# no remark", "stateDiagram-v2", "  [*] --> off", "enddefine  # lamp",
      ])
    let long = try self.script("define l format=mermaid\n\(String(repeating: "%%\n", count: 50))enddefine\n")
    expect(long.lines(of: 0..<1).count == 42 && long.lines(of: 0..<1).last == "…")
  }

  @Test("answers are counted, what is no answer is not, and the end is the end")
  func score() throws {
    var play = LessonPlay(Lesson(try script()))
    guard
      case .ask(let question)? = play.lesson.items.first(where: {
        if case .ask = $0 { true } else { false }
      })
    else {
      Issue.record("no question")
      return
    }
    var truth = LessonTruth()
    truth.machine = "key"
    truth.after = "capsLock"
    truth.word = .isNone("a shiftKey has no state 'x'.")
    let unclear = play.judge("x", to: question, truth)
    expectEqual(unclear, .unclear("a shiftKey has no state 'x'."))
    expectEqual(play.score, .init(right: 0, asked: 0))
    truth.word = .fits
    let right = play.judge("capsLock", to: question, truth)
    expectEqual(right, .right(""))
    truth.word = .differs
    guard case .wrong = play.judge("on", to: question, truth) else {
      Issue.record("right")
      return
    }
    expectEqual(play.score.text, "1 of 2 right")
    expect(!play.hasBack)
    play.back()
    expectEqual(play.place, 0)
    for _ in 0..<10 { play.next() }
    expect(play.item == nil && play.place == 7)
    play.back()
    expectEqual(play.place, 6)
    // A place that is none begins at the beginning, without a score.
    let other = LessonPlay(play.lesson, from: 99, score: .init(right: 3, asked: 4))
    expect(other.place == 0 && other.score == .init())
    expectEqual(LessonPlay(play.lesson, from: 3, score: .init(right: 3, asked: 4)).score.right, 3)
  }

  @Test("back leads to the question, the free play or the page before, and what was answered stays counted")
  func back() throws {
    var play = LessonPlay(Lesson(try script()))
    for _ in 0..<7 { play.next() }
    func places() -> [Int] {
      (0..<4).map { _ in
        play.backToStop()
        return play.place
      }
    }
    // Free play at 5, which begins after the pause at 4; the question at 3.
    expectEqual(places(), [5, 3, 0, 0])
    expectEqual(play.reached, 7)
    for _ in 0..<3 { play.next() }
    guard case .ask(let question)? = play.item else {
      Issue.record("no question")
      return
    }
    var truth = LessonTruth()
    truth.word = .fits
    _ = play.judge("capsLock", to: question, truth)
    expectEqual(play.score.asked, 0)
    var progress = LessonProgress()
    progress.note(play, of: "l")
    expectEqual(progress.entry(of: "l")?.item, 7)
  }

  @Test("who left out a part gets no better score, and is done all the same")
  func leftOut() throws {
    let lesson = Lesson(try script())
    func played(from place: Int, _ score: LessonPlay.Score?) -> LessonPlay {
      var play = LessonPlay(lesson, from: place, score: score)
      while play.item != nil { play.next() }
      return play
    }
    var progress = LessonProgress()
    progress.note(played(from: 3, nil), of: "l")
    expectEqual(progress.entry(of: "l")?.best, .init(right: 0, asked: 0))
    progress.note(played(from: 3, .init(right: 1, asked: 4)), of: "m")
    progress.note(played(from: 6, nil), of: "m")
    expectEqual(progress.entry(of: "m")?.best, .init(right: 1, asked: 4))
    // Nor after a pause.
    progress.note(played(from: 6, .init()), of: "n")
    expectEqual(progress.entry(of: "n")?.best, .init())
    expect(!LessonPlay(lesson, from: 6, score: .init()).isWhole)
  }

  @Test("counts below a table go, what its signs mean stays")
  func counts() {
    let table = [".   state  a", ".   -----  -", ".   on     ⟲", ". "]
    let legend = [". ⟲ handled within the state; > present state"]
    let counts = [". 6 pairs with the classes of data:", ". 4 move", ". 2 stay"]
    expectEqual(LessonScreen.withoutCounts(table + counts + legend), table + legend)
    expectEqual(LessonScreen.withoutCounts(table + counts), Array(table.dropLast()))
    expectEqual(LessonScreen.withoutCounts([". a"]), [". a"])
  }

  @Test("the point of a question is an outcome that it offers")
  func points() {
    func point(_ text: String, _ reply: String, after: String = "off") -> String? {
      var truth = LessonTruth()
      (truth.before, truth.after) = ("off", after)
      truth.reply = ServerLine(reply)
      return truth.point(of: text)
    }
    let all = "Which state, or is the event ignored, or refused?"
    expectEqual(point(all, "- REFUSED : no"), "refused")
    expectEqual(point(all, "+ ignored off"), "ignored")
    // It is not offered, or the state is another.
    expectNil(point(all, "+ stayed off"))
    expectNil(point("Which state?", "+ ignored off"))
    expectNil(point(all, "+ moved off on", after: "on"))
  }

  // MARK: Judging

  private func question(_ subject: Script.Question.Subject) -> Script.Question {
    Script.Question(subject: subject, text: "Q?", steps: 0..<1)
  }

  private func judge(
    _ answer: String, _ subject: Script.Question.Subject, _ change: (inout LessonTruth) -> Void
  ) -> LessonPlay.Judgement {
    var truth = LessonTruth()
    truth.machine = "key"
    truth.before = "off"
    truth.after = "off"
    truth.event = "tap"
    change(&truth)
    return truth.judge(answer, to: question(subject))
  }

  @Test(
    "a wrong state is told with the reason: the condition, the timer, the refusal, or that nothing happens"
  )
  func reasons() {
    let state = Script.Question.Subject.state(machine: "key")
    let moved = judge("on", state) {
      $0.reply = ServerLine("+ moved on capsLock t=0.010 seq=3")
      $0.journal = [
        ". 3 0.010 key moved on capsLock event=tap", ". 3 0.010 key disarmed doubleTap due=0.350",
      ].compactMap { ServerLine($0) }
      $0.condition = "window open"
    }
    expectEqual(moved, .wrong("'tap', window open: key goes from on to capsLock."))
    let timer = judge("off", state) {
      $0.after = "waiting"
      $0.journal = [
        ServerLine(". 4 0.350 key stayed on timer=doubleTap"),
        ServerLine(". 5 1.000 lamp moved a b event=x"),
      ].compactMap(\.self)
    }
    expectEqual(timer, .wrong("At 0.350 s the timer doubleTap fires, and key stays in on and handles it."))
    let wire = judge("on", state) {
      $0.journal = [ServerLine(". 4 0.000 key moved off on wire=lock.shows")].compactMap(\.self)
    }
    expectEqual(wire, .wrong("A wire delivers lock.shows, and key goes from off to on."))
    let ignored = judge("on", state) {
      $0.reply = ServerLine("+ ignored off t=0.000 seq=3")
      $0.journal = [ServerLine(". 3 0.000 key ignored off event=tap")].compactMap(\.self)
    }
    expectEqual(ignored, .wrong("'tap': key stays in off and ignores it."))
    let outputs = judge("on", state) {
      $0.event = "character a"
      $0.reply = ServerLine("+ stayed capsLock t=0.000 seq=3 outputs=text,beep")
      $0.journal = [
        ". 2 0.000 key moved off on event=tap", ". 3 0.000 key stayed capsLock event=character",
        ". 3 0.000 key output text A", ". 3 0.000 key output beep", ". 3 0.000 lamp output light",
      ].compactMap { ServerLine($0) }
    }
    expectEqual(
      outputs,
      .wrong(
        "'tap': key goes from off to on. 'character a': key stays in capsLock and puts out text and beep."))
    let refused = judge("on", state) {
      $0.reply = ServerLine("- REFUSED machine=key state=off : there is no call")
    }
    expectEqual(refused, .wrong("key refuses 'tap': there is no call. It stays in off."))
    let running = judge("on", state) {
      $0.agenda = [ServerLine(". 0.350 key doubleTap left=0.050")].compactMap(\.self)
    }
    expectEqual(running, .wrong("Nothing happens to key yet: doubleTap is due at 0.350 s. It stays in off."))
    expectEqual(
      judge("on", state) { _ in }, .wrong("Nothing happens to key: none of its timers runs. It stays in off."))
    // A room reads times as people say them.
    let room = Wording(style: Style(usesColour: false, usesUnicode: true, isPresenting: true))
    let (fired, due) = (". 4 343.116647296 key moved on off timer=x", ". 343.116647296 key doubleTap left=0.050")
    expectEqual(
      judge("on", state) {
        $0.wording = room
        $0.journal = [ServerLine(fired)].compactMap(\.self)
      }, .wrong("At 00:05:43.116 the timer x fires, and key goes from on to off."))
    expectEqual(
      judge("on", state) {
        $0.wording = room
        $0.agenda = [ServerLine(due)].compactMap(\.self)
      }, .wrong("Nothing happens to key yet: doubleTap is due at 00:05:43.116. It stays in off."))
    expectEqual(
      judge("", state) { $0.word = .isNone("no") },
      .wrong("Nothing happens to key: none of its timers runs. It stays in off."))
  }

  @Test("a verdict is an answer, and the state is one as well; that nothing happens can be true of each of them")
  func verdicts() {
    let replies = ["- REFUSED : no", "+ ignored off t=0.000 seq=3", "+ stayed off", "+ moved off on", nil]
    func words(_ verdict: LessonAnswer.Verdict) -> [LessonTruth.Word] {
      replies.map { reply in
        var truth = LessonTruth()
        truth.reply = reply.flatMap { ServerLine($0) }
        return truth.word(for: verdict)
      }
    }
    expectEqual(words(.refused), [.fits, .differs, .differs, .differs, .differs])
    expectEqual(words(.ignored), [.differs, .fits, .differs, .differs, .differs])
    expectEqual(words(.stayed), [.differs, .differs, .fits, .differs, .differs])
    let vague = LessonTruth.Word.isVague("Say which it is: ignored, refused or stayed.")
    expectEqual(words(.nothing), [vague, .fits, vague, .differs, .fits])
    var truth = LessonTruth()
    truth.machine = "key"
    truth.journal = [ServerLine(". 4 0.350 key moved on off timer=doubleTap")].compactMap(\.self)
    expectEqual(truth.word(for: .nothing), .differs)
    expectEqual(
      judge("off", .state(machine: "key")) {
        $0.reply = ServerLine("- REFUSED : no")
        $0.word = .fits
      }, .right("key refuses 'tap': no. It stays in off."))
  }

  @Test("what an answer means: case, a mark after it and the states around it do not count, if it is clear which one")
  func spelling() {
    let states = ["off", "on.cooling.minOn", "on.cooling.free", "on.defrost", "alert", "found", "Idle", "idle"]
    for (answer, state) in [
      ("OFF", "off"), ("off.", "off"), ("Off ?!", "off"), ("FREE", "on.cooling.free"), ("On.Cooling", "on.cooling"),
      ("Off+Alert", "off+alert"), ("off + defrost", "off+on.defrost"), ("Found(Forest).", "found(Forest)"),
      ("found(a(b))", "found(a(b))"), ("found(x", "found(x"), ("idle", nil), ("cool", nil), ("", nil), ("+", nil),
      ("off+none", nil), (".", nil),
    ] as [(String, String?)] {
      expectEqual(LessonAnswer(answer, states: states)?.state, state, "\(answer)")
    }
    let events = ["tap", "startLoading", "A", "a"]
    for (answer, event) in [
      ("Tap.", "tap"), ("STARTLOADING", "startLoading"), ("a", nil), ("ta", nil), ("TAP twice", "tap twice"),
      ("the tap", "tap"), ("It is start loading!", "startLoading"), ("not tap", nil), ("the tap startLoading", nil),
    ] as [(String, String?)] {
      expectEqual(LessonAnswer.event(typed: answer, of: events), event, "\(answer)")
    }
  }

  @Test("a sentence is an answer if it is clear: it names one state, one verdict, or both; no word may turn it round")
  func sentences() {
    let states = ["cooling", "waiting", "capsLock", "noData", "callInProgress", "found", "none", "on", "a"]
    func meant(_ text: String) -> String? {
      LessonAnswer(text, states: states, machine: "call.kitchen").map {
        [$0.state, $0.verdict?.rawValue].compactMap(\.self).joined(separator: " ")
      }
    }
    for (text, meaning) in [
      ("still cooling", "cooling"), ("It will be waiting.", "waiting"), ("it’s waiting, then", "waiting"),
      ("the kitchen stays cooling", "cooling"), ("kitchen goes back to Cooling!", "cooling"), ("caps lock", "capsLock"),
      ("no data", "noData"), ("it is call in progress", "callInProgress"), ("It is found(Big Beach)", nil),
      ("It is found(Beach)", "found(Beach)"), ("ignored", "ignored"), ("It is ignored", "ignored"), ("stays", "stayed"),
      ("It is refused, and stays cooling", "cooling refused"), ("refuse", "refused"), ("Illegal.", "refused"),
      ("ignores", "ignored"), ("nothing happens", "nothing"), ("Nothing!", "nothing"), ("nothing changes", "nothing"),
      ("no change", "nothing"), ("it stays the same", "nothing"), ("none", "none"), ("in a", "a"), ("turns on", "on"),
      // Two states or two verdicts, or a word that may turn it round.
      ("cooling or waiting", nil), ("cooling waiting", nil), ("from cooling to waiting", nil), ("not cooling", nil),
      ("no longer cooling", nil), ("never waiting", nil), ("ignored or refused", nil), ("ignored refused", nil),
      ("cooling, not waiting", nil), ("it is", nil), ("", nil), ("I do not know", nil), ("no", nil),
    ] as [(String, String?)] {
      expectEqual(meant(text), meaning, "\(text)")
    }
  }

  @Test("data that are missing are asked for with their form, and so is the state within the one that was named")
  func missingData() {
    var truth = LessonTruth()
    truth.before = "none"
    truth.after = "found(forest)"
    expect(truth.doubt(about: "found", wanted: StateText("found(forest)")), hasSuffix: "parentheses: found(…).")
    expectNil(truth.doubt(about: "found", wanted: StateText("found")))
    (truth.before, truth.after) = ("off", "on.idle.resting")
    for (answer, wanted, isEnough) in [
      ("on", "on.idle.resting", false), ("on.idle", "on.idle.resting", false), ("on", "on", true),
      ("on.idle.resting", "on.idle.resting", true), ("on.idle.resting", "on", true), ("on", "off+on.idle", false),
      ("o", "on.idle", true),
    ] {
      expectEqual((truth.doubt(about: answer, wanted: StateText(wanted)) == nil), isEnough, "\(answer)")
    }
  }

  @Test("any event with the outcome is right; another is told with what it does")
  func events() {
    let event = Script.Question.Subject.event(machine: "key")
    expectEqual(judge("tap", event) { $0.word = .fits }, .right(""))
    expectEqual(judge("press", event) { $0.word = .fits }, .right("The lesson goes on with tap."))
    expectEqual(judge("x", event) { $0.word = .isNone("unknown.") }, .unclear("unknown."))
    for (reply, text) in [
      ("+ moved off on", "That brings key from off to on. The event is tap."),
      ("+ stayed off", "That is handled within off. The event is tap."),
      ("+ ignored off", "That means nothing in off, so key ignores it. The event is tap."),
      ("- REFUSED : no", "key refuses that: no. The event is tap."),
    ] {
      expectEqual(judge("x", event) { $0.reply = ServerLine(reply) }, .wrong(text))
    }
    expectEqual(judge("", event) { _ in }, .wrong("The event is tap."))
    for (typed, answer) in [
      ("send key tap", "tap"), ("key  character a", "character a"), ("'tap'", "tap"), ("send key", "send key"),
      ("key", "key"), ("send tap", "send tap"),
    ] {
      expectEqual(LessonTruth.answer(typed: typed, to: question(event)), answer)
    }
  }

  @Test("a time may differ by one per cent of what passes, or by a millisecond")
  func times() {
    func isRight(_ answer: String, from start: Int64, to end: Int64) -> Bool? {
      switch judge(answer, .time, { ($0.start, $0.end) = (start, end) }) {
      case .right: true
      case .wrong: false
      case .unclear: nil
      }
    }
    let second: Int64 = 1_000_000_000
    expectEqual(isRight("350ms", from: 0, to: 350_000_000), true)
    expectEqual(isRight("0.353", from: 0, to: 350_000_000), true)
    expectEqual(isRight("0.354", from: 0, to: 350_000_000), false)
    expectEqual(isRight("10.001", from: 10 * second, to: 10 * second), true)
    expectEqual(isRight("10.0011", from: 10 * second, to: 10 * second), false)
    expectEqual(isRight("5m43s", from: 0, to: 343_116_647_296), true)
    expectNil(isRight("soon", from: 0, to: 1))
    expectEqual(isRight("", from: 0, to: 1), false)
    let exact = judge("1", .time) {
      $0.end = 350_000_000
      $0.journal = [ServerLine(". 3 0.350 key stayed on timer=doubleTap")].compactMap(\.self)
    }
    expectEqual(exact, .wrong("Exactly 0.350 s: then doubleTap of key fires."))
    let room = judge("00:05:43", .time) {
      $0.wording = Wording(style: Style(usesColour: false, usesUnicode: true, isPresenting: true))
      $0.end = 343_116_647_296
      expectEqual($0.answer(to: question(.time)), "00:05:43.116")
    }
    expectEqual(room, .right("Exactly 00:05:43.116."))
    for sentence in ["at 350 milliseconds", "It is 0.35 seconds.", "about 350ms", "exactly 0.35 s"] {
      expectEqual(isRight(sentence, from: 0, to: 350_000_000), true, "\(sentence)")
    }
    expectEqual(isRight("5 minutes and 43 seconds", from: 0, to: 343_116_647_296), true)
    expectNil(isRight("after 350 ms", from: 0, to: 350_000_000))
  }

  // MARK: Free play

  @Test("a hint comes when asked for, and by itself after three requests in vain")
  @MainActor
  func hints() throws {
    let script = try script()
    guard
      case .attempt(let attempt)? = script.narration.map(\.content).first(where: {
        if case .attempt = $0 { true } else { false }
      })
    else {
      Issue.record("no free play")
      return
    }
    let play = FreePlay(attempt, of: script, style: .bare, columns: { nil })
    func said(_ line: String) -> String? { play.take(line) ? play.takeText().text : nil }
    func answered(_ remark: String? = nil) -> String {
      play.answered(isReached: false, remark: remark)
      return play.takeText().text
    }
    expectNil(said("send key tap"))
    expectNil(said("reached"))
    expectEqual(said(" goal "), "Off.\n")
    expectEqual(answered(), "")
    expectEqual(answered("Half."), "Half.\n")
    expectEqual(answered(), "Hint: Tap.\n")
    expectEqual(said("hint"), "Hint: Once.\n")
    expectEqual(said("hint"), "`skip` plays the solution.\n")
    for _ in 0..<3 { expectEqual(answered(), "") }
    expect(!play.isOver)
    for word in ["skip", "back", "again"] {
      expectEqual(said(word), "")
      expectEqual(play.end?.rawValue, word)
    }
    play.answered(isReached: true, remark: nil)
    expectEqual(play.end, .reached)
  }

  @Test("a condition is understood in both forms of answers, and says how near it is")
  func conditions() throws {
    func check(
      _ condition: String, _ rows: [String], isJSON: Bool, style: Style = .bare
    ) throws -> (holds: Bool, remark: String?) {
      let script = try script("new job j\ntry \(condition)\ngoal G\nsend j start\nend\n")
      guard
        case .attempt(let attempt)? = script.narration.map(\.content).first(where: {
          if case .attempt = $0 { true } else { false }
        })
      else { throw SkipError() }
      let texts = rows.map { isJSON ? JSONWriter.object(of: ". \($0)") : $0 }
      return AttemptCondition(attempt, of: script, style: style).check([Inquiry.Answer(texts: texts)])
    }
    let shown = ["state loading", "timer load due=2.000", "reading progress 3"]
    for isJSON in [false, true] {
      try expect(check("j timers load", shown, isJSON: isJSON).holds)
      try expect(!check("j timers none", shown, isJSON: isJSON).holds)
      try expect(check("j reading progress 3", shown, isJSON: isJSON).holds)
      let near = try check("j reading progress 4", shown, isJSON: isJSON)
      expect(!near.holds && near.remark == "Now: `progress 3`.")
      let none = try check("j reading view x", shown, isJSON: isJSON)
      expect(!none.holds && none.remark == "`view` has no value now.")
      let room = Style(usesColour: false, usesUnicode: true, isPresenting: true)
      let time = try check("j reading age 4", ["reading age 343.500123 s"], isJSON: isJSON, style: room)
      expectEqual(time.remark, "Now: `age 00:05:43.5`.")
      let covered = ["kind job machines=1 transitions=9/9"]
      try expect(check("coverage j 100%", covered, isJSON: isJSON).holds)
    }
  }

  private struct SkipError: Error {}

  // MARK: The screen

  @Test("of many events some are shown, and the answer always; so is a failure after many answers")
  func screen() throws {
    let script = try script("new shiftKey key\nsend key tap\n")
    var screen = LessonScreen(style: .bare)
    screen.begin(80)
    for number in 3..<20 { screen.take(notice: "* \(number) 0.000 lamp\(number) moved off on event=x") }
    let shown = screen.show(script, script.steps[1], [], "+ moved off on t=0.000 seq=2", isLast: true).text
    expect(shown.contains("lamp14") && !shown.contains("lamp15") && shown.hasPrefix("off → on  0.000s #2\n"))
    expectEqual(screen.end().text, "and 5 more\n")
    screen.begin(80)
    for _ in 0..<14 { _ = screen.show(script, script.steps[1], [], "+ moved off on t=0.000 seq=2", isLast: true) }
    let failed = screen.show(script, script.steps[1], [], "- REFUSED t=0.000 seq=3 : no", isLast: true).text
    expect(failed, hasPrefix: "refused: no")
    expectEqual(screen.end().text, "and 2 more\n")
  }

  @Test("an expectation has its mark only if it holds; what happens while it waits is told before it")
  func marks() throws {
    let script = try script("new shiftKey key\nexpect key timers none\nexpect output key text within 1s\n")
    var screen = LessonScreen(style: .bare)
    func mark(_ step: Int, _ last: String?, _ isExpected: Bool) -> String {
      screen.show(script, script.steps[step], [], last, isExpected: isExpected, isLast: true).text
    }
    screen.begin(80)
    expect(mark(1, "+ 1", true) == "✓\n" && mark(1, "+ 1", false) == "")
    screen.take(notice: "* 3 0.000 key moved off on timer=x")
    expect(mark(2, nil, true), hasSuffix: "off → on  (timer x)\n✓\n")
    expectEqual(mark(2, nil, false), "")
  }

  // MARK: Keys

  @Test("keys for the next line, for the one before, and for leaving; others mean nothing")
  func keys() {
    let keys: [(String, LessonTerminal.Key?)] = [
      ("\n", .next), (" ", .next), ("\u{1B}[C", .next), ("\u{1B}OC", .next), ("\n\nb", .next), ("b", .back),
      ("\u{1B}[D", .back), ("\u{7F}", .back), ("q", .leave), ("\u{04}", .leave), ("x", nil), ("\u{1B}", nil),
      ("\u{1B}[1;5C", nil), ("é", nil), ("xq", .leave),
      ("\u{1B}[C\u{1B}[C", .next), ("\u{1B}[D\u{1B}[C", .back), ("\u{1B}OP\u{1B}OB", .next), ("\u{1B}\u{1B}[A", .back),
      ("\u{1B}[5~x", .back), ("\u{1B}b", nil), ("\u{1B}[", nil),
    ]
    expectNil(LessonTerminal.key(Array("b".utf8)[...], hasBack: false))
    expectEqual(LessonTerminal.key(Array("b ".utf8)[...], hasBack: false), .next)
    for (typed, key) in keys { expectEqual(LessonTerminal.key(Array(typed.utf8)[...]), key, "\(typed)") }
  }

  // MARK: Pictures

  @Test("a diagram in text has the arrows of each state, with conditions and outputs")
  func graph() {
    let list = GraphList([
      ".     [*] --> off", ".     state \"off\" as off", ".     off : character / text",
      ".     state \"on it\" as on {", ".     off --> on : tap", ".     on --> capsLock : ▶ tap [window open]",
      ".     on --> off : tap [not window open]<br/>▶ character<br/>/ text,<br/>more",
      ".     capsLock --> off : • ▶ tap<br/>/ a<br/>• burnt after 3s", ".     class on current",
    ])
    expectEqual(
      list.shown(width: 80, style: .bare).text.split(separator: "\n").map(String.init),
      [
        "     off       tap → on it",
        "  ●  on it     tap [window open] → capsLock",
        "               tap [not window open] → off",
        "               character / text, more → off",
        "     capsLock  tap / a → off",
        "               burnt after 3s → off",
      ])
    expect(GraphList([]).states.isEmpty)
    expectEqual(GraphList([".     class end current"]).states.map(\.name), ["end"])
  }

  // MARK: Progress

  @Test("progress is read as it was written; odd lines are left out")
  func progress() throws {
    let lesson = Lesson(try script())
    var progress = LessonProgress(
      "# remark\nold.fsm 2/9 1/2\nbad\nworse.fsm 9/2 0/0\nx y z w\n-1.fsm -1/2 0/0\n")
    expectEqual(progress.entries.keys.sorted(), ["old.fsm"])
    // No lesson has such scores.
    let odd = "a 5/51 \(Int.max)/\(Int.max)\nb 2/3 0/4\nc 3/2 0/0\nd 1/\(Int.max) 0/0\n"
    expect(LessonProgress(odd).entries.isEmpty)
    var play = LessonPlay(lesson, from: 3, score: .init(right: 1, asked: 1))
    progress.note(play, of: "01-keys of mine.fsm")
    expectEqual(LessonProgress(progress.text), progress)
    expectEqual(progress.entry(of: "01-keys of mine.fsm")?.place(of: 7), 3)
    expectNil(progress.entry(of: "01-keys_of mine.fsm"))
    expectNil(progress.entry(of: "01-keys%20of mine.fsm"))
    // Another text of the lesson begins anew.
    expectNil(progress.entry(of: "01-keys of mine.fsm")?.place(of: 8))
    while play.item != nil { play.next() }
    progress.note(play, of: "k.fsm")
    expectEqual(progress.entry(of: "k.fsm")?.best, .init(right: 1, asked: 1))
    expectNil(progress.entry(of: "k.fsm")?.place(of: 7))
    // Done stays done, and has a place again.
    progress.note(LessonPlay(lesson, from: 2), of: "k.fsm")
    expectEqual(LessonProgress(progress.text), progress)
    expectEqual(progress.entry(of: "k.fsm")?.place(of: 7), 2)
    expectNil(progress.entry(of: "01-keys of mine.fsm")?.best)
  }

  @Test("a lesson stays done with its best score when it is played again, in part or worse, and when it gets parts")
  func best() throws {
    let lesson = Lesson(try script())
    var progress = LessonProgress("k.fsm 9/9 3/4 done\nl.fsm 2/9 0/1 done 2/2\n")
    expectEqual(progress.entry(of: "k.fsm")?.best, .init(right: 3, asked: 4))
    expectEqual(progress.entry(of: "l.fsm")?.best, .init(right: 2, asked: 2))
    func end(_ right: Int, of asked: Int) {
      var play = LessonPlay(lesson, from: 6, score: .init(right: right, asked: asked))
      play.next()
      progress.note(play, of: "k.fsm")
    }
    progress.note(LessonPlay(lesson, from: 3, score: .init(right: 0, asked: 1)), of: "k.fsm")
    expectEqual(progress.entry(of: "k.fsm")?.best?.fraction, "3/4")
    for (right, asked, best) in [(0, 0, "3/4"), (1, 2, "3/4"), (4, 5, "4/5"), (3, 3, "3/3")] {
      end(right, of: asked)
      expectEqual(progress.entry(of: "k.fsm")?.best?.fraction, best)
    }
  }

  @Test("who goes on in the middle is told the last text again")
  func reminder() throws {
    let lesson = Lesson(try script())
    expectEqual(
      (0...7).map { LessonPlay(lesson, from: $0).reminder?.first },
      [
        nil, "One.", "One.", "One.", "One.", "One.", nil, nil,
      ])
  }

  @Test("a lesson is chosen by its number, or by a part of its name or title")
  func choice() throws {
    func lesson(_ name: String, _ title: String) throws -> Script {
      try ScriptParser.parse(name, Array("lesson \(title)\nlevel 1\n".utf8)) { .failed("no \($0)") }
    }
    let folder = LessonFolder([
      try lesson("L/01-states.fsm", "States and events"), try lesson("L/02-time.fsm", "Time"),
      try lesson("L/07-timers.fsm", "Late states"), try script("list"),
    ])
    func choose(_ wish: String) -> [Int] {
      switch folder.choose(wish) {
      case .one(let entry): [entry.number]
      case .several(let entries): [0] + entries.map(\.number)
      case .broken: []
      }
    }
    let others = LessonFolder([try lesson("L/01-a.fsm", "A")], broken: ["L/02-time.fsm", "L/notes.fsm"])
    for (wish, path) in [("2", "L/02-time.fsm"), ("Time", "L/02-time.fsm"), ("note", "L/notes.fsm")] {
      guard case .broken(let found) = others.choose(wish), found == path else {
        Issue.record("\(wish)")
        continue
      }
    }
    guard case .one = others.choose("a"), case .several(let none) = others.choose("zoo"), none.isEmpty else {
      Issue.record("a broken file hides others")
      return
    }
    expectEqual(folder.entries.map(\.name), ["states", "time", "timers"])
    expectEqual(choose("2"), [2])
    expectEqual(choose("7"), [7])
    expectEqual(choose("3"), [0])
    expectEqual(choose("TIME"), [2])
    expectEqual(choose("timers"), [7])
    expectEqual(choose("stat"), [0, 1, 7])
    expectEqual(choose("late"), [7])
    expectEqual(choose("none"), [0])
    expectEqual(folder.next(after: folder.entries[0])?.number, 2)
    expectNil(folder.next(after: folder.entries[2]))
    // Files of two folders may have the same name.
    let folders = LessonFolder([try lesson("L/a/01-x.fsm", "A"), try lesson("L/b/01-x.fsm", "B")])
    expectEqual(folders.next(after: folders.entries[0])?.heading.title, "B")
    expectNil(folders.next(after: folders.entries[1]))
  }
}
