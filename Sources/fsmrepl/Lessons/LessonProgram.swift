internal import Glibc
internal import LineProtocol
internal import Scripts
internal import UnixHost

/// Plays a script for people: as a lesson that somebody takes, as one that answers itself, or line by line for a room.
final class LessonProgram {
  enum Manner {
    /// Waits for answers and keys.
    case learner
    /// Answers everything itself.
    case automatic
    /// Waits for a key behind each line, and can go back.
    case room
  }

  /// What comes of an item.
  private enum Outcome {
    case done
    /// The world is to be as it was before the item before.
    case back
    case leave
    case signal(Int32)
    case failed(RunFailure)
    case noConnection
  }

  private let script: Script
  private let manner: Manner
  private let style: Style
  private let client: Client
  private let link: RunLink
  private let signals: SignalQueue
  private let terminal: LessonTerminal
  private let output = Descriptor.standardOutput
  private let world: String

  private(set) var play: LessonPlay
  private var player: RunPlayer
  private var screen: LessonScreen
  /// Whether steps are played without showing them.
  private var isSilent = false
  private var hasWorld = false
  /// How many rows were written since the learner last did something.
  private var shown = 0
  private var hasToldRules = false
  /// Whether it was said why answers are not judged.
  private var hasToldReason = false

  /// How long to wait for answers after Ctrl-C, in nanoseconds.
  private static let parting: UInt64 = 2_000_000_000
  /// The widest text: longer lines are hard to read.
  private static let widest = 88

  /// - Parameters:
  ///   - play: Where it begins.
  ///   - signals: Reads ``Prompting/signals``.
  init(
    _ script: Script, _ play: LessonPlay, manner: Manner, style: Style, client: Client, connection: Connection,
    signals: SignalQueue
  ) {
    self.script = script
    self.play = play
    self.manner = manner
    self.style = style
    self.client = client
    self.signals = signals
    link = RunLink(connection: connection, signals: signals)
    terminal = LessonTerminal(style: style, signals: signals)
    // On a shared daemon several may take lessons.
    world = client.endpoint.own == nil ? "lesson-\(getpid())" : "lesson"
    screen = LessonScreen(style: style)
    player = RunPlayer(link: link, script: script, speed: nil, onlooker: .init())
    signal(SIGPIPE, SIG_IGN)
  }

  private var columns: Int? { output.columns.map { min($0, Self.widest) } }

  /// Plays to the end, or until the learner leaves.
  ///
  /// - Parameter isReady: Called when the world is there.
  func run(isReady: (String) -> Void = { _ in }) -> ExitCode {
    do throws(RunLink.Stop) {
      if let failure = try rebuild(upTo: play.place) { return tell(failure) }
      isReady(world)
      while let item = play.item {
        switch try performAndWait(item) {
        case .done: play.next()
        case .back:
          play.back()
          write("\(style(.attention, "back"))\n\n")
          if let failure = try rebuild(upTo: play.place) { return tell(failure) }
        case .leave:
          leave()
          return .good
        case .signal(let number): end(by: number)
        case .failed(let failure): return tell(failure)
        case .noConnection: throw .lost
        }
      }
      leave()
      return .good
    } catch {
      switch error {
      case .lost:
        Descriptor.standardError.tell("fsmrepl: the connection to the daemon was lost")
        return .noConnection
      case .signal(SIGINT):
        leave()
        return .good
      case .signal(let number): end(by: number)
      }
    }
  }

  /// Called before the process ends by a signal.
  var onEnd: @MainActor () -> Void = {}

  private func end(by number: Int32) -> Never {
    onEnd()
    leave()
    client.endProcess(by: number)
  }

  private func tell(_ failure: RunFailure) -> ExitCode {
    write("\(style(.bad, "This does not come out as it should")): \(failure.place)\n")
    write("\(ScreenText("  \(failure.line)").wrapped(width: columns))\n")
    write("\(ScreenText("  expected \(failure.expected), got \(failure.got)").wrapped(width: columns, indent: 4))\n")
    leave()
    return failure.status
  }

  // MARK: The world

  /// Makes the world anew and plays the script up to an item, unseen. It comes out the same each time.
  ///
  /// - Returns: What failed, if anything did.
  private func rebuild(upTo place: Int) throws(RunLink.Stop) -> RunFailure? {
    var onlooker = RunPlayer.Onlooker()
    onlooker.answer = { [unowned self] step, rows, last, isExpected in answered(step, rows, last, isExpected) }
    onlooker.notice = { [unowned self] line in if !isSilent { screen.take(notice: line) } }
    player = RunPlayer(link: link, script: script, speed: nil, onlooker: onlooker)
    if hasWorld { _ = try player.ask("world drop \(world)") }
    hasWorld = true
    let made = try player.ask("world new \(world) clock=virtual seed=\(script.seed ?? 0)").last
    guard made.lineClass == .success, try player.ask("use \(world)").last.lineClass == .success else {
      return RunWorlds.Refusal(line: made).failure(of: script.name)
    }
    isSilent = true
    defer { isSilent = false }
    try player.begin()
    try player.play(upTo: play.lesson.firstStep(of: place))
    return player.result.failure
  }

  /// Cancels what is under way and drops the world, with a time limit. A daemon of our own ends with us.
  private func leave() {
    guard client.endpoint.own == nil, hasWorld else { return }
    player.patience = HostClock.now() + Self.parting
    do throws(RunLink.Stop) {
      try player.drain()
      // The copy is there if a signal came while an answer was tried.
      for name in [LessonTrial.copy(of: world), world] { _ = try player.ask("world drop \(name)") }
    } catch {
      Descriptor.standardError.tell("fsmrepl: the world \(world) may be left behind")
    }
  }

  // MARK: Items

  private func performAndWait(_ item: Lesson.Item) throws(RunLink.Stop) -> Outcome {
    let outcome = try perform(item)
    guard case .room = manner, case .done = outcome else { return outcome }
    if case .pause = item { return .done }
    return key("Enter: on")
  }

  private func perform(_ item: Lesson.Item) throws(RunLink.Stop) -> Outcome {
    switch item {
    case .text(let lines):
      return writePage("\(MarkdownText(lines).shown(width: columns, style: style))\n")
    case .play(let steps):
      // The line, its answer, and a notice or two.
      let outcome = turnPage(for: 4)
      guard case .done = outcome else { return outcome }
      return try play(steps)
    case .picture(let picture): return try show(picture)
    case .pause:
      guard case .learner = manner else { return .done }
      return key("Enter: on")
    case .ask(let question): return try ask(question)
    case .attempt(let attempt): return try begin(attempt)
    }
  }

  /// Waits for a key; in a room there is a way back, but not from the first item.
  private func key(_ text: String) -> Outcome {
    shown = 0
    guard case .room = manner else { return outcome(of: terminal.key(text, hasBack: false)) }
    let others = play.hasBack ? "   b: back   q: leave" : "   q: leave"
    return outcome(of: terminal.key(text + others, hasBack: play.hasBack))
  }

  private func outcome(of key: LessonTerminal.Key) -> Outcome {
    switch key {
    case .next: .done
    case .back: .back
    case .leave: .leave
    case .signal(let number): .signal(number)
    }
  }

  /// Plays steps and shows them as at the prompt.
  private func play(_ steps: Range<Int>) throws(RunLink.Stop) -> Outcome {
    for line in isPointing(steps) ? [] : script.lines(of: steps) {
      write("\(style(.name, "> \(line)").wrapped(width: columns))\n")
    }
    screen.begin(columns)
    try player.play(upTo: steps.upperBound)
    write("\(screen.end())\n")
    return player.result.failure.map { .failed($0) } ?? .done
  }

  /// Whether the steps only point at a state, which is shown without the request.
  private func isPointing(_ steps: Range<Int>) -> Bool {
    guard steps.count == 1, case .request(.point, _) = script.steps[steps.lowerBound].action else { return false }
    return true
  }

  private func answered(_ step: Script.Step, _ rows: [String], _ last: String?, _ isExpected: Bool) {
    guard !isSilent else { return }
    var isLast = true
    if case .request(.advance, _) = step.action, script.steps.indices.contains(player.next) {
      let next = script.steps[player.next]
      isLast = next.source != step.source || next.line != step.line
    }
    write(screen.show(script, step, rows, last, isExpected: isExpected, isLast: isLast))
  }

  private func show(_ picture: Script.Picture) throws(RunLink.Stop) -> Outcome {
    if case .graph(let name) = picture {
      let list = GraphList(try player.ask("graph \(name) format=stateDiagram").rows)
      if !list.states.isEmpty { return writePage("\(list.shown(width: columns, style: style))\n") }
    }
    let request = picture.request(width: columns ?? 80)
    let isWave = request.hasPrefix(Verb.wave.name)
    let answer = try player.ask(isWave && !style.usesUnicode ? "\(request) format=ascii" : request)
    return writePage("\(screen.show(request, answer.rows, answer.raw, columns))\n")
  }

  /// Writes a text on a screen with room for it.
  private func writePage(_ text: ScreenText) -> Outcome {
    let outcome = turnPage(for: text.rows)
    if case .done = outcome { write(text) }
    return outcome
  }

  // MARK: Questions

  private func ask(_ question: Script.Question) throws(RunLink.Stop) -> Outcome {
    let text = MarkdownText(["**?** \(question.text)"]).shown(width: columns, style: style)
    let outcome = turnPage(for: text.rows + 1)
    guard case .done = outcome else { return outcome }
    write(text)
    let trial = LessonTrial(player: player, script: script, world: world)
    switch manner {
    case .room:
      write("\n")
      let outcome = key("Enter: the answer")
      guard case .done = outcome else { return outcome }
    case .automatic:
      let finding = try trial.run(question, answer: "")
      guard case .truth(let truth) = finding else {
        write(tellOnce(finding))
        break
      }
      let answer = truth.answer(to: question)
      write("\(Self.form(of: question))> \(answer)\n")
      write(judge(answer, question, try trial.run(question, answer: answer)).text)
    case .learner:
      if !hasToldRules { tellRules() }
      hasToldRules = true
      var wasEmpty = false
      while true {
        switch terminal.line("\(Self.form(of: question))> ") {
        case .leave: return .leave
        case .signal(let number): return .signal(number)
        case .line(let line):
          shown = 0
          let answer = LessonTruth.answer(typed: line, to: question)
          // An Enter too many must not use up a question.
          let isFirstEmpty = answer.isEmpty && !wasEmpty
          wasEmpty = answer.isEmpty
          if isFirstEmpty {
            tellRules()
            continue
          }
          let (isOver, text) = judge(answer, question, try trial.run(question, answer: answer))
          // A state or an event may have the name of one of these.
          if !isOver, ["help", "?", "hint", "q", "quit", "exit"].contains(answer) {
            tellRules()
            continue
          }
          write(text)
          guard isOver else { continue }
        }
        break
      }
    }
    return try play(question.steps)
  }

  private func tellRules() {
    let words: ScreenText =
      "Type your answer. An empty line, twice, shows it and counts as a wrong one; Ctrl-C leaves, and your place is kept."
    write("\(style(.quiet, words.wrapped(width: columns, indent: 0)))\n")
  }

  private static func form(of question: Script.Question) -> String {
    switch question.subject {
    case .state: "state"
    case .event: "event"
    case .time: "time"
    }
  }

  /// - Returns: Whether the question is over, and what is said.
  private func judge(
    _ answer: String, _ question: Script.Question, _ finding: LessonTrial.Finding
  ) -> (isOver: Bool, text: ScreenText) {
    guard case .truth(let truth) = finding else { return (true, tellOnce(finding)) }
    return switch play.judge(answer, to: question, truth) {
    case .right(let text):
      (true, said(style(.good, style.usesUnicode ? "✓ Right." : "Right."), text))
    case .wrong(let text): (true, said(style(.bad, answer.isEmpty ? "The answer:" : "No."), text))
    case .unclear(let text): (false, said("", text))
    }
  }

  /// Says why answers are not judged: the first time only, since the reason lasts.
  private func tellOnce(_ finding: LessonTrial.Finding) -> ScreenText {
    guard case .unknown(let reason) = finding, !hasToldReason else { return "" }
    hasToldReason = true
    return said(style(.attention, "Your answers cannot be judged:"), "the daemon makes no copy of the world: \(reason)")
  }

  private func said(_ verdict: ScreenText, _ text: String) -> ScreenText {
    let line: ScreenText = verdict.isEmpty || text.isEmpty ? "\(verdict)\(text)" : "\(verdict) \(text)"
    return "\(line.wrapped(width: columns, indent: 0))\n"
  }

  // MARK: Free play

  private func begin(_ attempt: Script.Attempt) throws(RunLink.Stop) -> Outcome {
    write(MarkdownText(["**Your turn:** \(attempt.goal)"]).shown(width: columns, style: style))
    switch manner {
    case .automatic: return try solve(attempt)
    case .room:
      let outcome = key("Enter: the solution")
      guard case .done = outcome else { return outcome }
      return try solve(attempt)
    case .learner:
      let words: ScreenText =
        "Requests as at the prompt; 'hint' helps, 'again' starts afresh, 'skip' plays the solution, Ctrl-C leaves."
      write("\(style(.quiet, words.wrapped(width: columns, indent: 0)))\n")
      shown = 0
      let (ending, outcome) = playFreely(attempt)
      switch ending {
      case nil: return outcome
      case .again:
        if let failure = try rebuild(upTo: play.place) { return .failed(failure) }
        return try begin(attempt)
      case .reached:
        write("\(said(style(.good, style.usesUnicode ? "✓ Done." : "Done."), ""))\n")
        return try rebuild(upTo: play.place + 1).map { .failed($0) } ?? .done
      case .skipped:
        // The solution is for the world as it was.
        if let failure = try rebuild(upTo: play.place) { return .failed(failure) }
        return try solve(attempt)
      }
    }
  }

  private func solve(_ attempt: Script.Attempt) throws(RunLink.Stop) -> Outcome {
    var place = attempt.solution.lowerBound
    while place < attempt.solution.upperBound {
      let group = script.group(at: place)
      let outcome = try play(group)
      guard case .done = outcome else { return outcome }
      place = group.upperBound
    }
    isSilent = true
    defer { isSilent = false }
    try player.play(upTo: attempt.checks.upperBound)
    return player.result.failure.map { .failed($0) } ?? .done
  }

  /// The prompt in the lesson's world, with a connection of its own: whatever is done there, the lesson's is as it was.
  private func playFreely(_ attempt: Script.Attempt) -> (FreePlay.Ending?, Outcome) {
    let own = Client(endpoint: client.endpoint)
    defer { _ = own.close() }
    switch Program.connect(own, listeningTo: signals, isQuiet: true) {
    case .greeted: break
    case .failed: return (nil, .noConnection)
    case .stopped(let number): return (nil, number == SIGINT ? .leave : .signal(number))
    }
    // What timers and wires bring is seen, as in the lesson itself.
    for request in ["use \(world)", "watch *"] { own.ask(request, by: .program) }
    while own.isReady, own.conversation.isWaiting, let descriptor = own.connection?.descriptor {
      _ = Readiness([.init(descriptor: descriptor)])
      if own.receive({ _ in }) == .ended { return (nil, .noConnection) }
    }
    let free = FreePlay(attempt, of: script, style: style, columns: { [self] in columns })
    let prompting = Prompting(
      client: own, format: .people(style), style: style, signals: signals, companion: free,
      beforeEnding: { [self] in
        onEnd()
        leave()
      })
    let code = prompting.run()
    return (free.end, code == .noConnection ? .noConnection : .leave)
  }

  /// Waits for a key if so many more rows do not fit on the screen, so that nothing runs away unread.
  ///
  /// - Returns: What comes of the key; `done` if none was needed.
  private func turnPage(for rows: Int) -> Outcome {
    guard case .learner = manner, shown > 0, let height = output.rows, shown + rows > height - 1 else { return .done }
    return key("Enter: on")
  }

  private func write(_ text: ScreenText) {
    guard !text.isEmpty else { return }
    shown += text.rows
    output.write(text.inEncoding(of: style))
  }
}
