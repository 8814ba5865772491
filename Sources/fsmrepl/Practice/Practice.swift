internal import Glibc
internal import LineProtocol
internal import UnixHost

/// `quiz` and `cover` at the prompt.
@MainActor
final class Practice {
  private let client: Client
  private let screen: PromptScreen
  private var style: Style { screen.style }
  /// The quiz that takes the lines typed now.
  private(set) var quiz: Quiz?
  /// The machine whose transitions are being tried.
  private var cover: Cover?
  /// Whether the coverage has been asked for.
  private var isMeasuring = false

  /// How long a quiz may take to find out the outcomes, in nanoseconds.
  private static let makingPatience: UInt64 = 5_000_000_000

  init(client: Client, screen: PromptScreen) {
    self.client = client
    self.screen = screen
  }

  /// Takes a typed line that is about practice: an answer, or its end.
  ///
  /// - Returns: False for any other line.
  func take(_ text: String) -> Bool {
    let word = text.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
    if quiz != nil {
      answerQuiz(word)
      return true
    }
    return word == "q" && end()
  }

  /// Ends a quiz or a cover.
  ///
  /// - Returns: False if there is none.
  @discardableResult
  func end() -> Bool {
    if endQuiz() { return true }
    guard let ended = cover.take() else { return false }
    screen.say("\(style(.quiet, "no more is shown of what is untried of \(ended.machine)"))\n")
    return true
  }

  /// Forgets the questions whose answers were lost with a connection.
  func forgetAnswers() { isMeasuring = false }

  // MARK: Quiz

  func beginQuiz(_ name: String) {
    let world = client.conversation.place.world
    var fork = ""
    do throws(Trial.Failure) {
      let quiz = try Trial.run(in: world, of: client.endpoint, patience: Self.makingPatience) {
        side throws(Trial.Failure) in
        fork = side.world
        return try QuizMaker(machine: name) { side.ask($0) }.find()
      }
      guard !quiz.questions.isEmpty else {
        return screen.say("nothing can be asked about \(style(.name, name)): it takes no events\n")
      }
      self.quiz = quiz
      let words = LessonTruth.verdicts.map { style(.name, $0) }.joined(separator: ", ")
      screen.sayLine("What happens? Answer with a state, or \(words); \(style(.name, "q")) ends the quiz.")
      showQuestion()
    } catch {
      switch error {
      case .silence: screen.say("\(style(.bad, "error")): the daemon takes too long, so there is no quiz\n")
      case .refused(let line):
        let note = line.note?.replaced("world \(fork)", by: "world \(world)")
        screen.sayLine(Wording(style: style).failure(line.noting(note)))
      }
    }
  }

  private func answerQuiz(_ word: String) {
    guard !word.isEmpty, let truth = quiz?.question?.truth else { return }
    if word == "q" {
      endQuiz()
      return
    }
    switch quiz?.judge(word) {
    case nil: break
    case .unclear(let why): return screen.sayLine(ScreenText(why))
    case .right: screen.sayLine("\(style(.good, "right")): \(story(of: truth))")
    case .wrong: screen.sayLine("\(style(.bad, "no")): \(story(of: truth))")
    }
    if quiz?.question == nil { endQuiz() } else { showQuestion() }
  }

  /// Ends a quiz with the score.
  ///
  /// - Returns: False if there is none.
  @discardableResult
  private func endQuiz() -> Bool {
    guard let ended = quiz.take() else { return false }
    client.ask("point say=\"\"", by: .program)
    screen.say("\(style(.name, ended.score.text))\n")
    return true
  }

  private func showQuestion() {
    guard let truth = quiz?.question?.truth else { return }
    let name = truth.machine
    if let scene = quiz?.question?.scene {
      let cause: ScreenText = scene.cause.map { " after \(style(.name, $0))" } ?? ""
      let timers = scene.timers.map { style(.name, $0) }.joined(separator: ", ")
      let running: ScreenText = scene.timers.isEmpty ? "" : "; no time has passed, and \(timers) runs"
      screen.sayLine("\(style(.name, name)) is in \(style(.state, truth.before))\(cause)\(running).")
    }
    screen.sayLine("  send \(name) \(truth.event)")
    // Pages of the world hide what is possible meanwhile.
    let asked = "What happens? `send \(name) \(truth.event)`"
    client.ask("point say=\(Word.written(asked)) predict=yes", by: .program)
  }

  /// What an input did, and why.
  private func story(of truth: LessonTruth) -> ScreenText {
    guard let reply = truth.reply else { return "" }
    var wording = Wording(style: style)
    // Time and number are those of an input that was taken back.
    wording.reportsWhen = false
    guard reply.lineClass == .success else { return wording.failure(reply) }
    let story = wording.success(reply, answering: .send)
    return reply.words.last == truth.after
      ? story : "\(story), and its consequences lead to \(style(.state, truth.after))"
  }

  // MARK: Cover

  func beginCover(_ name: String) {
    _ = client.begin(
      Inquiry(asking: ["show \(name)"]) { [unowned self] answers in
        if let failure = answers[0].failure.flatMap({ ServerLine($0) }) {
          screen.sayLine(Wording(style: style).failure(failure))
        } else {
          screen.say("\(style(.name, "q")) ends it\n")
          cover = Cover(machine: name)
          measure()
        }
        return .end([])
      })
  }

  /// Looks at the coverage again after an answer to the user.
  func measure(after received: Conversation.Received) {
    guard cover != nil, let asked = received.asked, asked.asker == .user else { return }
    guard received.line.lineClass == .success || received.line.lineClass == .failure else { return }
    if let cover, cover.isMeant(by: asked), Cover.isInput(received.line) { self.cover?.countInput() }
    measure()
  }

  private func measure() {
    // One look at a time; it is about all that has happened before.
    guard let name = cover?.machine, !isMeasuring, !client.conversation.isCollecting else { return }
    isMeasuring = true
    _ = client.begin(
      Inquiry("cover \(name)", origin: "", asking: ["coverage \(name)"]) { [unowned self] answers in
        isMeasuring = false
        take(coverage: answers[0])
        return .end([])
      })
  }

  private func take(coverage answer: Inquiry.Answer) {
    guard var measured = cover else { return }
    if let failure = answer.failure.flatMap({ ServerLine($0) }) {
      cover = nil
      return screen.sayLine(Wording(style: style).failure(failure))
    }
    guard measured.take(answer.rows) else {
      cover = nil
      return screen.say("there is nothing to cover: the world has no machine \(style(.name, measured.machine))\n")
    }
    screen.sayLine(measured.meter(style))
    cover = measured.isComplete ? nil : measured
  }
}
