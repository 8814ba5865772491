import LineProtocol
import TestSupport
import Testing

@testable import fsmrepl

struct QuizTests {
  private func line(_ text: String) throws -> ServerLine { try #require(ServerLine(text)) }

  private func question(
    _ input: String, _ state: String, _ reply: String, after: String? = nil
  ) throws -> Quiz.Question {
    let reply = try line(reply)
    let there = reply.code == "moved" ? reply.words[2] : state
    return Quiz.Question(
      truth: LessonTruth(machine: "key", before: state, after: after ?? there, reply: reply, event: input),
      scene: Quiz.Scene(cause: nil, timers: []))
  }

  private func quiz(_ questions: Quiz.Question..., states: [String] = ["off", "on", "capsLock"]) -> Quiz {
    Quiz(machine: "key", states: states, questions: questions)
  }

  private func isRight(_ answer: String, _ question: Quiz.Question, states: [String]) -> Bool {
    var quiz = quiz(question, states: states)
    if case .right = quiz.judge(answer) { return true }
    return false
  }

  @Test("questions follow one another, and right answers are counted")
  func score() throws {
    let first = try question("tap", "off", "+ moved off on t=0.000 seq=2")
    let second = try question("character a", "off", "+ stayed off t=0.000 seq=2")
    var quiz = quiz(first, second)
    expectEqual(quiz.question, first)
    expect(isRight("on", first, states: quiz.states))
    _ = quiz.judge("on")
    expectEqual(quiz.question, second)
    guard case .wrong = quiz.judge("on") else {
      Issue.record("taken for right")
      return
    }
    expectNil(quiz.question)
    let last = quiz.judge("on")
    expectNil(last)
    expectEqual(quiz.score, LessonPlay.Score(right: 1, asked: 2))
  }

  @Test("each outcome has its words")
  func outcomes() throws {
    let states = ["off", "on", "list"]
    let moved = try question("a", "off", "+ moved off list(5) t=0.000 seq=2")
    for answer in ["list", "list(5)"] { expect(isRight(answer, moved, states: states)) }
    for answer in ["list(4)", "off", "ignored", "refused", "stayed"] {
      expect(!isRight(answer, moved, states: states))
    }
    let stayed = try question("a", "off", "+ stayed off t=0.000 seq=2")
    expect(isRight("stayed", stayed, states: states))
    // It is in this state already, whatever the event does.
    for answer in ["off", "on", "ignored", "refused"] { expect(!isRight(answer, stayed, states: states)) }
    let ignored = try question("a", "off", "+ ignored off t=0.000 seq=2")
    expect(isRight("ignored", ignored, states: states))
    // It is in this state, but an event that does nothing is something to know.
    for answer in ["off", "stayed", "refused"] { expect(!isRight(answer, ignored, states: states)) }
    let refused = try question("a", "off", "- REFUSED machine=m state=off event=a seq=2 : no")
    expect(isRight("refused", refused, states: states))
    for answer in ["off", "ignored"] { expect(!isRight(answer, refused, states: states)) }
  }

  @Test("a sentence is understood as in a lesson, and so is another case")
  func sentences() throws {
    let states = ["off", "on", "capsLock"]
    let moved = try question("tap", "on", "+ moved on capsLock t=0.000 seq=2")
    for answer in ["capslock", "Caps Lock.", "it goes to capsLock", "the key is in caps lock"] {
      expect(isRight(answer, moved, states: states), "\(answer)")
    }
    for answer in ["Ignored", "it stays on", "it is refused"] { expect(!isRight(answer, moved, states: states)) }
    let refused = try question("a", "off", "- REFUSED machine=m state=off event=a seq=2 : no")
    for answer in ["Refused.", "the key refuses it", "illegal"] { expect(isRight(answer, refused, states: states)) }
  }

  @Test("a state may have the name of an outcome")
  func names() throws {
    let question = try question("a", "open", "+ moved open refused t=0.000 seq=2")
    expect(isRight("refused", question, states: ["open", "refused"]))
    expect(!isRight("ignored", question, states: ["open", "refused"]))
  }

  @Test("what is no state is told, and is no answer")
  func unknown() throws {
    var quiz = quiz(try question("tap", "off", "+ moved off on t=0.000 seq=2"))
    for (answer, hint) in [
      ("capslok", "did you mean capsLock?"), ("+", "it has: off, on, capsLock"), ("on+moon", "it has: "),
      ("not on", "it has: "),
    ] {
      guard case .unclear(let why) = quiz.judge(answer) else {
        Issue.record("taken for an answer: \(answer)")
        continue
      }
      expect(why, hasPrefix: "key has no state '\(answer)'; \(hint)")
    }
    expect(quiz.score.asked == 0 && quiz.question != nil)
  }

  @Test("of several regions, the one that changes must be named")
  func regions() throws {
    let states = ["off", "on", "capsLock", "letters", "digits", "off", "on"]
    let tap = try question("tap", "off+letters+off", "+ moved off+letters+off on+letters+off t=0.000 seq=2")
    for answer in ["on", "on+letters", "on+letters+off"] { expect(isRight(answer, tap, states: states), "\(answer)") }
    expect(!isRight("capsLock", tap, states: states))
    var quiz = quiz(tap, states: states)
    for answer in ["off", "letters"] {
      let judgement = quiz.judge(answer)
      expectEqual(judgement, .unclear("\(answer) is true already: write all regions, with '+' between them."))
    }
    expectEqual(quiz.score.asked, 0)
  }

  @Test("a state around both is not enough, and other data of the same state are")
  func around() throws {
    let states = ["cooling.minOn", "cooling.free", "list"]
    let question = try question("a", "cooling.minOn", "+ moved cooling.minOn cooling.free t=0.000 seq=2")
    var quiz = quiz(question, states: states)
    let around = quiz.judge("cooling")
    expectEqual(around, .unclear("cooling is true already: name the part of the state that changes."))
    expect(isRight("cooling.free", question, states: states))
    let reloaded = try self.question("a", "list(5)", "+ moved list(5) list(6) t=0.000 seq=2")
    expect(isRight("list", reloaded, states: states))
    expect(!isRight("list(5)", reloaded, states: states))
  }

  @Test("what wires bring about counts")
  func wires() throws {
    let question = try question("login A ok", "loginPrompt", "+ stayed loginPrompt t=0.000 seq=2", after: "spinner")
    expect(isRight("spinner", question, states: ["loginPrompt", "spinner"]))
    expect(!isRight("loginPrompt", question, states: ["loginPrompt", "spinner"]))
  }

  // MARK: The scout

  /// A key without time, in a world `w`; what is asked for goes into `log`.
  private final class FakeWorld {
    var log: [String] = []
    private var past = ["off"]
    private let broken: String?

    init(without broken: String? = nil) { self.broken = broken }

    func ask(_ request: String) -> [ServerLine]? {
      log.append(request)
      if request == broken { return nil }
      let lines: [String]
      switch (request, past[past.count - 1]) {
      case ("show key", let state): lines = [". state \(state)", "+ 1"]
      case ("list key limit=1", _): lines = [". key shiftKey off", "+ 1"]
      case ("describe shiftKey", _):
        lines = [
          ". kind shiftKey version=1", ". state off initial=yes", ". state on", ". event tap : the key",
          ". event character c=\"one character\" : a letter", "+ 5",
        ]
      case ("send key tap", let state):
        past.append(state == "off" ? "on" : "off")
        lines = ["+ moved \(state) \(past[past.count - 1]) t=0.000 seq=2"]
      case ("send key character a", "off"): lines = ["- BAD-ARGUMENT argument=c : no"]
      case ("send key character a", let state):
        past.append(state)
        lines = ["+ ignored \(state) t=0.000 seq=2"]
      case ("undo", _):
        past.removeLast()
        lines = ["+ t=0.000 seq=3"]
      default: lines = ["+"]
      }
      return lines.compactMap { ServerLine($0) }
    }
  }

  @Test("every input is tried in each state")
  func scout() throws {
    let fake = FakeWorld()
    var quiz = try QuizMaker(machine: "key", ask: fake.ask).find()
    expectEqual(quiz.states, ["off", "on"])
    // Off has one question, as the other input is no input there; on has two. Then there is no new state.
    expectEqual(quiz.questions.map(\.truth.event), ["tap", "tap", "character a"])
    expectEqual(quiz.questions.map(\.truth.before), ["off", "on", "on"])
    expect(quiz.question?.scene != nil && quiz.question?.scene?.cause == nil)
    _ = quiz.judge("on")
    expectEqual(quiz.question?.scene?.cause, "tap")
    expectNil(quiz.questions[2].scene)
    expectEqual(fake.log.prefix(4), ["clock virtual", "show key", "list key limit=1", "describe shiftKey"])
    let silent = FakeWorld(without: "send key tap")
    #expect(throws: Trial.Failure.silence) { try QuizMaker(machine: "key", ask: silent.ask).find() }
  }

  @Test(
    "arguments are made up by what is said of them",
    arguments: [
      ("tap", ["tap"]),
      ("character c=\"one character\"", ["character a"]),
      ("set to=on,off,true,false", ["set on", "set off"]),
      ("layout layout=letters,digits,symbols", ["layout letters", "layout digits", "layout symbols"]),
      ("loadingFinished items=0..1000000", ["loadingFinished 0", "loadingFinished 3"]),
      ("one n=1..1", ["one 1"]),
      ("frame dt=0s..36500d", ["frame 0s"]),
      ("processed result=\"text of 1 to 1024 bytes, or nil\"", ["processed"]),
      ("request name=\"text of 1 to 256 bytes\" idempotent=\"on,off,true,false, or nil\"", ["request x"]),
      ("press data=\"any data\"", ["press"]),
      ("* event=\"text of 1 to 65536 bytes\" data=\"any data\"", []),
      ("set flag=waiting,error to=on,off,true,false", ["set waiting on", "set error off"]),
    ] as [(String, [String])])
  func arguments(event: String, inputs: [String]) throws {
    expectEqual(QuizMaker.inputs(of: [try line(". event \(event) : text")]), inputs)
  }

  // MARK: Requests and the meter

  @Test("words of the prompt are known, and are for somebody who types")
  func commands() throws {
    for verb in LocalVerb.all {
      let answer = try #require(LocalVerb.help("help \(verb.name)", isAtPrompt: true))
      expect(answer.starts(with: verb.rows) && answer.last == "+ \(answer.count - 1)")
      expect(answer.allSatisfy { ServerLine($0) != nil })
      expectEqual((LocalVerb.help("help \(verb.name)", isAtPrompt: false) == nil), verb.isForPeople)
    }
    expect(LocalVerb.misplaced("quiz key", isAtPrompt: false)?.first, hasPrefix: "- USAGE ")
    expectNil(LocalVerb.misplaced("quiz key", isAtPrompt: true))
  }

  @Test("the meter counts what is sent to its machine, alone or with others, and to no other")
  func counts() {
    func isCounted(_ request: String) -> Bool {
      Cover(machine: "lamp-1").isMeant(by: Conversation.Asked(request))
    }
    for request in ["send lamp-1 tap", "fire lamp-1 burn", "cast lamp-* tap", "cast ** tap", "cast lamp-? tap"] {
      expect(isCounted(request), "\(request)")
    }
    for request in ["send lamp-2 tap", "cast key* tap", "show lamp-1", "send lamp-11 tap", "drop lamp-1"] {
      expect(!isCounted(request), "\(request)")
    }
  }

  @Test("the meter has what is taken, and what is missing")
  func meter() throws {
    var cover = Cover(machine: "key")
    let rows = try [
      ". kind shiftKey machines=1 states=2/3 transitions=1/5 pairs=1/6", ". untried shiftKey state capsLock",
      ". untried shiftKey transition on capsLock event=tap", ". untried shiftKey transition on off timer=burn",
      ". untried shiftKey transition capsLock off event=tap", ". untried shiftKey transition on off event=character",
    ].map(line)
    let isTaken = cover.take(rows)
    expect(isTaken)
    expectEqual(
      cover.meter(.bare).text,
      """
      ████░░░░░░░░░░░░░░░░ 1 of 5 transitions, 20 %
        on → capsLock by tap
        on → off by burn
        capsLock → off by tap
        and 1 more
      """)
    expect(!cover.isComplete)
    cover.countInput()
    let isWhole = cover.take([try line(". kind shiftKey machines=1 transitions=5/5")])
    expect(isWhole && cover.isComplete)
    expect(cover.meter(.bare).text, hasSuffix: "\ndone: every transition of key has been taken, with 1 event")
    let isOther = cover.take([try line(". region k s states=1/2")])
    expect(!isOther)
  }
}
