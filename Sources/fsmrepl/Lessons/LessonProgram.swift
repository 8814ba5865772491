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

  /// What ends an item before its end.
  enum Ending: Error {
    /// The world is to be as it was before the item before.
    case back
    case leave
    case failed(RunFailure)
    case stopped(Dialogue.Stop)
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
    do throws(Ending) {
      if client.endpoint.own == nil { try dropWorldsLeftBehind() }
      try rebuild(upTo: play.place)
      write(introduction(world))
      remind()
      while let item = play.item {
        do throws(Ending) {
          try perform(item)
          if case .room = mode, item != .pause { try key("Enter: on") }
          play.next()
        } catch .back {
          if case .learner = mode { play.backToStop() } else { play.back() }
          write("\(style(.attention, "back"))\n\n")
          try rebuild(upTo: play.place)
          remind()
        }
      }
      leave()
      return .good
    } catch {
      switch error {
      case .failed(let failure): return report(failure)
      case .stopped(.lost):
        Descriptor.standardError.report("fsmrepl: the connection to the daemon was lost")
        return .noConnection
      case .stopped(.signal(let number)) where number != SIGINT: end(by: number)
      case .back, .leave, .stopped:
        leave()
        return .good
      }
    }
  }

  /// Says again what a learner has read last.
  private func remind() {
    if case .learner = mode, let reminder = play.reminder { write(text(reminder)) }
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

  /// Asks the daemon, or plays steps.
  func stoppable<R>(_ body: () throws(Dialogue.Stop) -> R) throws(Ending) -> R {
    do throws(Dialogue.Stop) { return try body() } catch { throw .stopped(error) }
  }

  private func ask(_ request: String) throws(Ending) -> Dialogue.Answer {
    try stoppable { () throws(Dialogue.Stop) in try player.ask(request) }
  }

  private func playScript(upTo step: Int) throws(Ending) {
    try stoppable { () throws(Dialogue.Stop) in try player.play(upTo: step) }
  }

  /// Ends the item if a line of the script has failed.
  private func demandSuccess() throws(Ending) {
    if let failure = player.result.failure { throw .failed(failure) }
  }

  /// Makes the world anew and plays the script up to an item, unseen. It comes out the same each time.
  private func rebuild(upTo place: Int) throws(Ending) {
    var stage = ScriptPlayer.Stage()
    stage.answer = { [unowned self] step, rows, last, isExpected in answered(step, rows, last, isExpected) }
    stage.notice = { [unowned self] line in if !isSilent { screen.take(notice: line) } }
    player = ScriptPlayer(link: link, script: script, stage: stage)
    if let world = worlds.last { _ = try ask("world drop \(world)") }
    let made = try stoppable { () throws(Dialogue.Stop) in try worlds.enter(on: link, seed: script.seed ?? 0) }
    if case .failure(let refusal) = made { throw .failed(refusal.failure(of: script.name)) }
    isSilent = true
    defer { isSilent = false }
    try stoppable { () throws(Dialogue.Stop) in try player.begin() }
    try playScript(upTo: play.lesson.firstStep(of: place))
    try demandSuccess()
  }

  /// Drops worlds of lessons whose players were killed. If the daemon does not say which these are, they stay.
  private func dropWorldsLeftBehind() throws(Ending) {
    let left = LessonWorlds.leftBehind(try ask(Verb.worlds.name).lines, clients: try ask(Verb.who.name).lines) {
      kill($0, 0) == 0 || errno == EPERM
    }
    for world in left { _ = try ask("world drop \(world)") }
  }

  /// Cancels what is under way and drops the world, with a time limit. A daemon of our own ends with us.
  private func leave() {
    guard client.endpoint.own == nil, let world = worlds.last else { return }
    // The copy is there if a signal came while an answer was tried.
    player.leave(world, and: LessonTrial.copy(of: world), complain: Program.complain)
  }

  // MARK: Items

  private func perform(_ item: Lesson.Item) throws(Ending) {
    switch item {
    case .text(let lines):
      try project(lines.joined(separator: "\n"))
      try writePage(text(lines))
    case .play(let steps): try play(steps)
    case .picture(let picture): try show(picture)
    case .pause: if case .learner = mode { try key("Enter: on") }
    case .ask(let question): try ask(question)
    case .attempt(let attempt): try begin(attempt)
    }
  }

  /// Waits for a key; there is a way back, but not from the first item.
  func key(_ text: String) throws(Ending) {
    shown = 0
    let back = play.hasBack ? "   b: back" : ""
    let part = mode == .learner ? "   part \(play.place + 1) of \(play.lesson.items.count)" : ""
    switch terminal.key("\(text)\(back)   q: leave\(part)", hasBack: play.hasBack) {
    case .next: break
    case .back: throw .back
    case .leave: throw .leave
    case .signal(let number): throw .stopped(.signal(number))
    }
  }

  /// Plays steps and shows them as at the prompt.
  func play(_ steps: Range<Int>) throws(Ending) {
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
    try playScript(upTo: steps.upperBound)
    try writePage("\(answers)\(screen.end())\n")
    try demandSuccess()
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

  private func show(_ picture: Script.Picture) throws(Ending) {
    if case .graph(let name) = picture {
      let list = GraphList(try ask("graph \(name) format=stateDiagram").rows)
      if !list.states.isEmpty { return try writePage("\(list.shown(width: columns, style: style))\n") }
    }
    let request = picture.request(width: columns ?? 80)
    let isWave = request.hasPrefix(Verb.wave.name)
    let answer = try ask(isWave && !style.usesUnicode ? "\(request) format=ascii" : request)
    if case .automatic = mode, answer.last.lineClass == .failure {
      throw .failed(failure(at: script.name, request, expected: "a picture", got: answer.raw))
    }
    var rows = answer.rows
    if case .table = picture, script.heading?.level == 1 { rows = LessonScreen.withoutCounts(rows) }
    try writePage("\(screen.show(request, rows, answer.raw, columns))\n")
  }

  /// A failure that only a lesson which plays itself reports.
  func failure(at place: String, _ line: String, expected: String, got: String) -> RunFailure {
    RunFailure(status: .failed, place: place, line: line, expected: expected, got: got)
  }

  /// Has pages of the world show a text beside the diagram; with a question, without what is possible.
  func project(_ text: String, predicts: Bool = false) throws(Ending) {
    guard mode != .automatic else { return }
    _ = try ask("point say=\(Word.written(text)) predict=\(predicts ? "yes" : "no")")
  }

  private func text(_ lines: [String]) -> ScreenText {
    "\(MarkdownText(lines).shown(width: textColumns, style: style))\n"
  }

  /// Writes a text on a screen with room for it. One that is taller than the screen waits for a key in between.
  private func writePage(_ text: ScreenText) throws(Ending) {
    try turnPage(for: text)
    var rest = text
    while mode != .automatic, let room, shown + rest.rows(width: columns) > room {
      write(rest.removeFirst(rows: room - shown, width: columns, takesOne: shown == 0))
      try key("Enter: on")
    }
    write(rest)
  }

  // MARK: Free play

  private func begin(_ attempt: Script.Attempt) throws(Ending) {
    let goal = MarkdownText(["**Your turn:** \(attempt.goal)"]).shown(width: textColumns, style: style)
    // With the words about free play and the prompt.
    try turnPage(for: goal, and: 3)
    write(goal)
    try project("**Your turn:** \(attempt.goal)")
    switch mode {
    case .automatic: try solve(attempt)
    case .room:
      try key("Enter: the solution")
      try solve(attempt)
    case .learner:
      let words: ScreenText =
        "Requests as at the prompt; 'hint' helps, 'again' starts afresh, 'skip' plays the solution, 'back' goes back, 'q' leaves."
      write("\(style(.quiet, words.wrapped(width: textColumns, indent: 0)))\n")
      shown = 0
      switch try playFreely(attempt) {
      case .back: throw .back
      case .again:
        try rebuild(upTo: play.place)
        try begin(attempt)
      case .reached:
        write("\(said(style(.good, style.usesUnicode ? "✓ Done." : "Done."), ""))\n")
        try rebuild(upTo: play.place + 1)
      case .skip:
        // The solution is for the world as it was.
        try rebuild(upTo: play.place)
        try solve(attempt)
      }
    }
  }

  private func solve(_ attempt: Script.Attempt) throws(Ending) {
    var place = attempt.solution.lowerBound
    while place < attempt.solution.upperBound {
      let group = script.group(at: place)
      try play(group)
      place = group.upperBound
    }
    isSilent = true
    defer { isSilent = false }
    try playScript(upTo: attempt.checks.upperBound)
    try demandSuccess()
  }

  /// The prompt in the lesson's world, with a connection of its own: nothing done there changes the lesson's own
  /// connection.
  private func playFreely(_ attempt: Script.Attempt) throws(Ending) -> FreePlay.Ending {
    let own = Client(endpoint: client.endpoint)
    defer { _ = own.close() }
    switch Program.connect(own, listeningTo: signals, isQuiet: true) {
    case .greeted: break
    case .failed: throw .stopped(.lost)
    case .stopped(let number): throw .stopped(.signal(number))
    }
    // What timers and wires bring is seen, as in the lesson itself.
    for request in ["use \(world)", "watch * what=all"] { own.ask(request, by: .program) }
    switch own.wait(
      listeningTo: signals, until: HostClock.now() + Self.patience, isDone: { !own.conversation.isWaiting })
    {
    case .done: break
    case .late, .ended: throw .stopped(.lost)
    case .signal(let number): throw .stopped(.signal(number))
    }
    let free = FreePlay(attempt, of: script, style: style, columns: { [self] in textColumns })
    let prompting = Prompting(
      client: own, format: .people(style), style: style, signals: signals, freePlay: free,
      beforeEnding: { [self] in
        onEnd()
        leave()
      })
    let code = prompting.run()
    guard let ending = free.end else { throw code == .noConnection ? .stopped(.lost) : .leave }
    return ending
  }

  /// The rows of the screen, but for the one in which a key is waited for.
  private var room: Int? { output.rows.map { max(2, $0 - 1) } }

  /// Waits for a key if a text, and some rows after it, do not fit on the screen, but would fit on an empty one.
  func turnPage(for text: ScreenText, and more: Int = 0) throws(Ending) {
    let rows = text.rows(width: columns) + more
    guard case .learner = mode, let room, rows <= room, shown + rows > room else { return }
    try key("Enter: on")
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
