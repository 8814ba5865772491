internal import Glibc
internal import LineProtocol
internal import Scripts
internal import UnixHost

/// Plays a script for people: as a lesson that somebody takes, as one that answers itself, or line by line for a room.
@MainActor
final class LessonProgram {
  enum Mode {
    /// Waits for answers and keys, and can go back to the question before.
    case learner
    /// Answers everything itself.
    case automatic
    /// Waits for a key after each line, and can go back.
    case room
  }

  /// How an item ended.
  enum Outcome {
    case done
    /// The world is to be as it was before the item before.
    case back
    case leave
    case signal(Int32)
    case failed(RunFailure)
    case noConnection
  }

  let script: Script
  let mode: Mode
  let style: Style
  private let client: Client
  private let link: Dialogue
  private let signals: SignalQueue
  let terminal: LessonTerminal
  private let output = Descriptor.standardOutput
  private var worlds: RunWorlds

  var play: LessonPlay
  private(set) var player: ScriptPlayer
  private var screen: LessonScreen
  /// Whether steps are played without showing them.
  private var isSilent = false
  /// How many rows were written since the learner last did something.
  var shown = 0
  /// The answers to the line that is being played.
  private var answers = ScreenText()
  private var hasFailedToWrite = false
  var hasExplainedRules = false
  /// Whether it was said why answers are not judged.
  var hasExplainedReason = false

  /// How long the daemon may take to let free play into the world, in nanoseconds.
  private static let patience: UInt64 = 10_000_000_000
  /// The widest text: longer lines are hard to read.
  private static let widest = 88

  /// - Parameters:
  ///   - play: Where it begins.
  ///   - signals: Reads ``Prompting/signals``.
  init(
    _ script: Script, _ play: LessonPlay, mode: Mode, style: Style, client: Client, connection: Connection,
    signals: SignalQueue
  ) {
    self.script = script
    self.play = play
    self.mode = mode
    self.style = style
    self.client = client
    self.signals = signals
    link = Dialogue(connection: connection, signals: signals)
    terminal = LessonTerminal(style: style, signals: signals)
    // On a shared daemon several may take lessons.
    worlds = RunWorlds(named: client.endpoint.own == nil ? LessonWorlds.name(of: getpid()) : "lesson")
    screen = LessonScreen(style: style)
    player = ScriptPlayer(link: link, script: script)
    signal(SIGPIPE, SIG_IGN)
  }

  var world: String { worlds.last ?? "" }
  private var columns: Int? { output.columns }
  var textColumns: Int? { columns.map { min($0, Self.widest) } }

  /// Plays to the end, or until the learner leaves.
  ///
  /// - Parameter introduction: What is said when the world is there, of which it gets the name.
  /// - Returns: ``ExitCode/usage`` if a text could not be written.
  func run(introduction: (String) -> ScreenText) -> ExitCode {
    let code = playAll(introduction)
    guard code == .good, hasFailedToWrite else { return code }
    Program.complain("the lesson cannot be written to standard output")
    return .usage
  }

  private func playAll(_ introduction: (String) -> ScreenText) -> ExitCode {
    do throws(Dialogue.Stop) {
      if client.endpoint.own == nil { try dropWorldsLeftBehind() }
      if let failure = try rebuild(upTo: play.place) { return report(failure) }
      write(introduction(world))
      if case .learner = mode, let reminder = play.reminder { write(text(reminder)) }
      while let item = play.item {
        switch try performAndWait(item) {
        case .done: play.next()
        case .back:
          if case .learner = mode { play.backToStop() } else { play.back() }
          write("\(style(.attention, "back"))\n\n")
          if let failure = try rebuild(upTo: play.place) { return report(failure) }
          if case .learner = mode, let reminder = play.reminder { write(text(reminder)) }
        case .leave:
          leave()
          return .good
        case .signal(let number): end(by: number)
        case .failed(let failure): return report(failure)
        case .noConnection: throw .lost
        }
      }
      leave()
      return .good
    } catch {
      switch error {
      case .lost:
        Descriptor.standardError.report("fsmrepl: the connection to the daemon was lost")
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

  private func report(_ failure: RunFailure) -> ExitCode {
    // There is no world for the first line.
    guard !failure.line.isEmpty else {
      Program.complain("the lesson gets no world: \(failure.got)")
      leave()
      return failure.status
    }
    write("\(style(.bad, "This line fails")): \(failure.place)\n")
    write("\(ScreenText("  \(failure.line)").wrapped(width: columns))\n")
    write("\(ScreenText("  expected \(failure.expected), got \(failure.got)").wrapped(width: columns, indent: 4))\n")
    leave()
    return failure.status
  }

  // MARK: The world

  /// Makes the world anew and plays the script up to an item, unseen. It comes out the same each time.
  ///
  /// - Returns: What failed, if anything did.
  private func rebuild(upTo place: Int) throws(Dialogue.Stop) -> RunFailure? {
    var stage = ScriptPlayer.Stage()
    stage.answer = { [unowned self] step, rows, last, isExpected in answered(step, rows, last, isExpected) }
    stage.notice = { [unowned self] line in if !isSilent { screen.take(notice: line) } }
    player = ScriptPlayer(link: link, script: script, stage: stage)
    if let world = worlds.last { _ = try player.ask("world drop \(world)") }
    if case .failure(let refusal) = try worlds.enter(on: link, seed: script.seed ?? 0) {
      return refusal.failure(of: script.name)
    }
    isSilent = true
    defer { isSilent = false }
    try player.begin()
    try player.play(upTo: play.lesson.firstStep(of: place))
    return player.result.failure
  }

  /// Drops worlds of lessons whose players were killed. If the daemon does not say which these are, they stay.
  private func dropWorldsLeftBehind() throws(Dialogue.Stop) {
    func rows(_ verb: Verb) throws(Dialogue.Stop) -> [ServerLine] {
      try player.ask(verb.name).lines
    }
    let left = LessonWorlds.leftBehind(try rows(.worlds), clients: try rows(.who)) {
      kill($0, 0) == 0 || errno == EPERM
    }
    for world in left { _ = try player.ask("world drop \(world)") }
  }

  /// Cancels what is under way and drops the world, with a time limit. A daemon of our own ends with us.
  private func leave() {
    guard client.endpoint.own == nil, let world = worlds.last else { return }
    // The copy is there if a signal came while an answer was tried.
    player.leave(world, and: LessonTrial.copy(of: world), complain: Program.complain)
  }

  // MARK: Items

  private func performAndWait(_ item: Lesson.Item) throws(Dialogue.Stop) -> Outcome {
    let outcome = try perform(item)
    guard case .room = mode, case .done = outcome else { return outcome }
    if case .pause = item { return .done }
    return key("Enter: on")
  }

  private func perform(_ item: Lesson.Item) throws(Dialogue.Stop) -> Outcome {
    switch item {
    case .text(let lines):
      try project(lines.joined(separator: "\n"))
      return writePage(text(lines))
    case .play(let steps): return try play(steps)
    case .picture(let picture): return try show(picture)
    case .pause:
      guard case .learner = mode else { return .done }
      return key("Enter: on")
    case .ask(let question): return try ask(question)
    case .attempt(let attempt): return try begin(attempt)
    }
  }

  /// Waits for a key; there is a way back, but not from the first item.
  func key(_ text: String) -> Outcome {
    shown = 0
    let back = play.hasBack ? "   b: back" : ""
    let part = mode == .learner ? "   part \(play.place + 1) of \(play.lesson.items.count)" : ""
    return outcome(of: terminal.key("\(text)\(back)   q: leave\(part)", hasBack: play.hasBack))
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
  func play(_ steps: Range<Int>) throws(Dialogue.Stop) -> Outcome {
    let lines = (isPointing(steps) ? [] : script.lines(of: steps)).map { line -> ScreenText in
      "\(style(.name, "> \(line)").wrapped(width: columns))\n"
    }
    // Whether the line fits below what was shown is known with its answers. A room sees it while it is played.
    answers = lines.joined()
    if case .room = mode {
      write(answers)
      answers = ScreenText()
    }
    screen.begin(columns)
    try player.play(upTo: steps.upperBound)
    let outcome = writePage("\(answers)\(screen.end())\n")
    guard case .done = outcome else { return outcome }
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
    answers += screen.show(script, step, rows, last, isExpected: isExpected, isLast: isLast)
  }

  private func show(_ picture: Script.Picture) throws(Dialogue.Stop) -> Outcome {
    if case .graph(let name) = picture {
      let list = GraphList(try player.ask("graph \(name) format=stateDiagram").rows)
      if !list.states.isEmpty { return writePage("\(list.shown(width: columns, style: style))\n") }
    }
    let request = picture.request(width: columns ?? 80)
    let isWave = request.hasPrefix(Verb.wave.name)
    let answer = try player.ask(isWave && !style.usesUnicode ? "\(request) format=ascii" : request)
    if case .automatic = mode, answer.last.lineClass == .failure {
      return .failed(failure(at: script.name, request, expected: "a picture", got: answer.raw))
    }
    var rows = answer.rows
    if case .table = picture, script.heading?.level == 1 { rows = LessonScreen.withoutCounts(rows) }
    return writePage("\(screen.show(request, rows, answer.raw, columns))\n")
  }

  /// A failure that only a lesson which plays itself reports.
  func failure(at place: String, _ line: String, expected: String, got: String) -> RunFailure {
    RunFailure(status: .failed, place: place, line: line, expected: expected, got: got)
  }

  /// Has pages of the world show a text beside the diagram; with a question, without what is possible.
  func project(_ text: String, predicts: Bool = false) throws(Dialogue.Stop) {
    guard mode != .automatic else { return }
    _ = try player.ask("point say=\(Word.written(text)) predict=\(predicts ? "yes" : "no")")
  }

  private func text(_ lines: [String]) -> ScreenText {
    "\(MarkdownText(lines).shown(width: textColumns, style: style))\n"
  }

  /// Writes a text on a screen with room for it. One that is taller than the screen waits for a key in between.
  private func writePage(_ text: ScreenText) -> Outcome {
    let outcome = turnPage(for: text)
    guard case .done = outcome else { return outcome }
    var rest = text
    while mode != .automatic, let room, shown + rest.rows(width: columns) > room {
      write(rest.removeFirst(rows: room - shown, width: columns, takesOne: shown == 0))
      let outcome = key("Enter: on")
      guard case .done = outcome else { return outcome }
    }
    write(rest)
    return .done
  }

  // MARK: Free play

  private func begin(_ attempt: Script.Attempt) throws(Dialogue.Stop) -> Outcome {
    let goal = MarkdownText(["**Your turn:** \(attempt.goal)"]).shown(width: textColumns, style: style)
    // With the words about free play and the prompt.
    let outcome = turnPage(for: goal, and: 3)
    guard case .done = outcome else { return outcome }
    write(goal)
    try project("**Your turn:** \(attempt.goal)")
    switch mode {
    case .automatic: return try solve(attempt)
    case .room:
      let outcome = key("Enter: the solution")
      guard case .done = outcome else { return outcome }
      return try solve(attempt)
    case .learner:
      let words: ScreenText =
        "Requests as at the prompt; 'hint' helps, 'again' starts afresh, 'skip' plays the solution, 'back' goes back, Ctrl-C leaves."
      write("\(style(.quiet, words.wrapped(width: textColumns, indent: 0)))\n")
      shown = 0
      let (ending, outcome) = playFreely(attempt)
      switch ending {
      case nil: return outcome
      case .back: return .back
      case .again:
        if let failure = try rebuild(upTo: play.place) { return .failed(failure) }
        return try begin(attempt)
      case .reached:
        write("\(said(style(.good, style.usesUnicode ? "✓ Done." : "Done."), ""))\n")
        return try rebuild(upTo: play.place + 1).map { .failed($0) } ?? .done
      case .skip:
        // The solution is for the world as it was.
        if let failure = try rebuild(upTo: play.place) { return .failed(failure) }
        return try solve(attempt)
      }
    }
  }

  private func solve(_ attempt: Script.Attempt) throws(Dialogue.Stop) -> Outcome {
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

  /// The prompt in the lesson's world, with a connection of its own: nothing done there changes the lesson's own
  /// connection.
  private func playFreely(_ attempt: Script.Attempt) -> (FreePlay.Ending?, Outcome) {
    let own = Client(endpoint: client.endpoint)
    defer { _ = own.close() }
    switch Program.connect(own, listeningTo: signals, isQuiet: true) {
    case .greeted: break
    case .failed: return (nil, .noConnection)
    case .stopped(let number): return (nil, number == SIGINT ? .leave : .signal(number))
    }
    // What timers and wires bring is seen, as in the lesson itself.
    for request in ["use \(world)", "watch * what=all"] { own.ask(request, by: .program) }
    let deadline = HostClock.now() + Self.patience
    while own.isReady, own.conversation.isWaiting, let descriptor = own.connection?.descriptor {
      let readiness = Readiness(
        [.init(descriptor: descriptor), .init(descriptor: signals.descriptor)], until: deadline)
      while let number = signals.next() {
        if number == SIGINT { return (nil, .leave) }
        if Dialogue.signals.contains(number) { return (nil, .signal(number)) }
      }
      if readiness.canRead(descriptor) ? own.receive({ _ in }) == .ended : HostClock.now() >= deadline {
        return (nil, .noConnection)
      }
    }
    let free = FreePlay(attempt, of: script, style: style, columns: { [self] in textColumns })
    let prompting = Prompting(
      client: own, format: .people(style), style: style, signals: signals, freePlay: free,
      beforeEnding: { [self] in
        onEnd()
        leave()
      })
    let code = prompting.run()
    return (free.end, code == .noConnection ? .noConnection : .leave)
  }

  /// The rows of the screen, but for the one in which a key is waited for.
  private var room: Int? { output.rows.map { max(2, $0 - 1) } }

  /// Waits for a key if a text, and some rows after it, do not fit on the screen, but would fit on an empty one.
  ///
  /// - Returns: What comes of the key; `done` if none was needed.
  func turnPage(for text: ScreenText, and more: Int = 0) -> Outcome {
    let rows = text.rows(width: columns) + more
    guard case .learner = mode, let room, rows <= room, shown + rows > room else { return .done }
    return key("Enter: on")
  }

  func said(_ verdict: ScreenText, _ text: String) -> ScreenText {
    let line: ScreenText = verdict.isEmpty || text.isEmpty ? "\(verdict)\(text)" : "\(verdict) \(text)"
    return "\(line.wrapped(width: textColumns, indent: 0))\n"
  }

  func write(_ text: ScreenText) {
    guard !text.isEmpty else { return }
    shown += text.rows(width: columns)
    if !output.write(text.inEncoding(of: style)) { hasFailedToWrite = true }
  }
}
