internal import Glibc
internal import LineProtocol
internal import Scripts
internal import UnixHost

/// The interactive prompt: the loop over the terminal, the connection and signals.
@MainActor
final class Prompting {
  let client: Client
  private let completionClient: CompletionClient
  let screen: PromptScreen
  let practice: Practice
  let remarks: AnswerRemarks
  private let signals: SignalQueue

  /// Typed lines that wait for their turn.
  var queue: ArraySlice<TypedLine> = []
  /// What is done with the answers to some requests, by the number that the request carries.
  var jobs: [Int: Job] = [:]
  var lastJob = 0
  /// The job whose answer later lines wait for.
  var blocking: Int?
  /// Takes the answer of the person at the prompt, which is the next line, to a question: whether it is yes.
  var question: ((Bool) -> Void)?
  /// The batch that is being typed.
  var batch: Batch?
  /// The script that is being played.
  var playing: PromptScript?
  /// Whether the end of input has come within a document or a batch, and nothing else since.
  private var hasWarned = false
  /// Whether it was said that lines of answers are passed over.
  var hasPassedOver = false

  /// When followed files were last looked at, in host time.
  private var lastLook: UInt64 = 0
  private var reconnection = Reconnection()
  /// While a restoration is running, typed lines are not sent.
  private var restoration: Restoration?
  var ending: ExitCode?
  /// Whether the daemon that was connected to last is another than before.
  private var isDaemonNew = false
  /// Why the daemon closes, if it said so.
  private var farewell: String?
  /// A lesson's free play, which takes part beside the daemon. With it, Ctrl-C ends the prompt.
  private let freePlay: FreePlay?
  /// Called before a signal ends the process.
  private let beforeEnding: () -> Void
  /// Whether the daemon has accepted `quit`: only its goodbye is still expected.
  private var isLeaving = false

  /// How long an entered line delays the next prompt while its answer is pending, in nanoseconds.
  private static let answerPatience: UInt64 = 100_000_000
  /// Between two looks at followed files, in nanoseconds.
  private static let look: UInt64 = 300_000_000

  /// The signals that the loop reads.
  static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGCONT, SIGTSTP, SIGCHLD]

  /// - Parameters:
  ///   - signals: Reads ``signals``.
  ///   - beforeEnding: Called before a signal ends the process.
  init(
    client: Client, format: Presenter.Format, style: Style, signals: SignalQueue,
    freePlay: FreePlay? = nil, beforeEnding: @escaping () -> Void = {}
  ) {
    self.freePlay = freePlay
    self.beforeEnding = beforeEnding
    self.client = client
    screen = PromptScreen(client: client, format: format, style: style)
    practice = Practice(client: client, screen: screen)
    remarks = AnswerRemarks(client: client, screen: screen)
    completionClient = CompletionClient(endpoint: client.endpoint)
    self.signals = signals
    signal(SIGPIPE, SIG_IGN)
  }

  var style: Style { screen.style }

  /// Runs until the user leaves.
  ///
  /// - Parameter lines: What is done first, as if it was typed.
  func run(_ lines: [String] = []) -> ExitCode {
    let terminal = screen.terminal
    screen.prompt = { [unowned self] in
      (ending == nil ? prompt : terminal.prompt, remembersLine: question == nil && practice.quiz == nil)
    }
    terminal.onLine = { [unowned self] line in
      if let line {
        entered(line)
      } else if question != nil {
        entered("n")
      } else if !practice.end(), !warnsOfLeaving() {
        ending = .good
      }
      return ending == nil
    }
    terminal.complete = { [unowned self] text in complete(text) }
    terminal.hint = { [unowned self] text in
      question == nil && practice.quiz == nil && client.openDocument == nil ? completionClient.hint(after: text) : ""
    }
    terminal.start(prompt: prompt)
    client.isAtPrompt = true
    for line in lines { enter(line) }
    while ending == nil { wait(for: screen.foreground == nil ? [Descriptor.standardInput] : [], until: nextDeadline) }
    leaveForeground()
    screen.flush()
    terminal.stop()
    completionClient.close()
    return ending ?? .good
  }

  private func complete(_ text: String) -> Completion {
    if question != nil { return Completion() }
    if let quiz = practice.quiz { return quiz.completion(of: text) }
    if client.openDocument != nil { return Completion.ofDocument(text) }
    return client.isReady ? completionClient.complete(text, world: client.conversation.place.world) : Completion()
  }

  /// At the end of input within a document or a batch, says what ends it. It leaves when it comes again.
  private func warnsOfLeaving() -> Bool {
    guard !hasWarned, let ways = waysOut else { return false }
    hasWarned = true
    screen.sayLine("\(style(.attention, "not left yet")): \(ways), and Ctrl-D again leaves")
    screen.flush()
    return true
  }

  /// What ends the document or the batch whose lines are being typed; nil if there is none.
  private var waysOut: ScreenText? {
    if client.openDocument != nil { return documentWaysOut }
    guard client.conversation.isCollecting else { return nil }
    return "\(style(.name, "end")) runs the batch, \(style(.name, "discard")) drops it"
  }

  var documentWaysOut: ScreenText { "\(style(.name, DocumentSource.end)) ends the document, Ctrl-C drops it" }

  // MARK: The loop

  private var nextDeadline: UInt64? {
    let look = client.followed.isEmpty ? nil : lastLook + Self.look
    return [screen.deadline, look, reconnection.next].compactMap(\.self).min()
  }

  /// One round: waits for input, the daemon, a signal or the deadline.
  func wait(for input: [Descriptor], until deadline: UInt64?) {
    var wishes = input.map { Readiness.Wish(descriptor: $0) } + [.init(descriptor: signals.descriptor)]
    if let program = screen.foreground, let input = program.input, program.wantsToWrite {
      wishes.append(.init(descriptor: input, reads: false, writes: true))
    }
    // What the daemon has waits there while a pager has enough.
    let readiness = Readiness(
      wishes, and: client.connection, reads: screen.foreground?.isFull != true, until: deadline)
    while let number = signals.next() { take(signal: number) }
    if let program = screen.foreground, let input = program.input, readiness.canWrite(input) { program.flush() }
    if screen.takeBack() {
      pump()
      screen.flush()
      askForTime()
    }
    if readiness.hasLines, client.connection != nil, screen.foreground?.isFull != true { receive() }
    pump()
    for descriptor in input where readiness.canRead(descriptor) && ending == nil { screen.terminal.readable() }
    let now = HostClock.now()
    if let next = reconnection.next, now >= next { reconnect() }
    if !client.followed.isEmpty, now >= lastLook + Self.look { lookAtFollowed(now) }
    screen.flushIfDue(now)
  }

  /// Loads followed files again that were saved.
  private func lookAtFollowed(_ now: UInt64) {
    lastLook = now
    for (path, answer) in client.loadSavedDocuments() {
      guard let answer else {
        screen.sayLine("\(style(.attention, "\(path) is gone")): it is loaded when it is there again")
        continue
      }
      screen.sayLine("\(style(.quiet, "\(path) was saved"))")
      for line in client.localAnswer(answer, to: "load \(path)") {
        screen.say(screen.presenter.show(line.received, raw: line.raw))
      }
    }
  }

  private func take(signal number: Int32) {
    switch number {
    // The program that has the terminal gets it, too, and it alone is meant.
    case SIGINT where screen.foreground != nil: break
    case SIGCHLD: break  // Whoever waits for the end of a program looks now.
    case SIGINT: interrupt()
    case SIGWINCH: screen.terminal.resize()
    case SIGCONT:
      screen.terminal.resume()
      askForTime()
    case SIGTSTP: screen.terminal.suspend()
    default:
      screen.terminal.stop()
      beforeEnding()
      client.endProcess(by: number)
    }
  }

  private func interrupt() {
    dropQueue()
    if let question {
      self.question = nil
      question(false)
    }
    if client.dropDocument() {
      screen.terminal.interrupt()
      return screen.sayLine("\(style(.attention, "the document is dropped")): nothing was defined")
    }
    guard client.conversation.isInterruptible else {
      if freePlay != nil {
        ending = .interrupted
        return
      }
      screen.terminal.interrupt()
      practice.end()
      return askForTime()
    }
    if client.conversation.isCancelling {
      // A second Ctrl-C while the first has not taken effect.
      ending = .interrupted
    } else {
      screen.mute(client.conversation.unansweredTags)
      client.ask("cancel", by: .program)
    }
  }

  // MARK: The prompt

  private var condition: PromptCondition {
    let conversation = client.conversation
    if !isListened { return .disconnected }
    if let document = client.openDocument { return .document(document.kind) }
    if conversation.isCollecting { return .collecting }
    return conversation.isWaiting ? .waiting : .ready
  }

  private var prompt: String {
    let quizzing = practice.quiz?.prompt
    let asking = question.map { _ in Prompt(parts: [.init(.attention, "[y/N]")]) }
    return (asking ?? quizzing ?? client.conversation.place.prompt(condition, style: style)).forReadline(style)
  }

  // MARK: Input

  /// Whether requests can be sent now.
  var isListened: Bool { client.isReady && restoration == nil }

  private func entered(_ text: String) {
    hasWarned = false
    if let question {
      self.question = nil
      let answer = text.lowercased().filter { $0 != " " }
      question(answer == "y" || answer == "yes")
      // Anything else is no answer, but the next line.
      if !["y", "yes", "n", "no", ""].contains(answer) { queue.append(TypedLine(text: text)) }
    } else {
      enter(text)
    }
    pump()
    askForTime()
    // Most answers arrive within a millisecond; the next prompt then stands below them with the new time.
    let deadline = HostClock.now() + Self.answerPatience
    while ending == nil {
      if screen.foreground != nil || isDelivering {
        wait(for: [], until: nextDeadline)
      } else if isAnswerComing, HostClock.now() < deadline {
        wait(for: [], until: deadline)
      } else {
        break
      }
    }
    // Readline would write its prompt over what a pager shows.
    leaveForeground()
    screen.flush()
  }

  /// Waits for the end of the program that has the terminal.
  private func leaveForeground() {
    while screen.foreground != nil { wait(for: [], until: nil) }
  }

  /// Asks for the time of a running world, so that the next prompt does not show an old one.
  func askForTime() {
    let conversation = client.conversation
    guard isListened, ending == nil, screen.foreground == nil, conversation.place.isRunning, !conversation.isCollecting
    else {
      return
    }
    client.ask("clock", by: .program)
  }

  private var isAnswerComing: Bool {
    guard client.isReady, ending == nil, question == nil else { return false }
    let conversation = client.conversation
    // Lines of a batch have no answers before its end, but its beginning has one.
    return isLeaving || conversation.isWaiting && (!conversation.isCollecting || conversation.isBeginning)
  }

  // MARK: Lines from the daemon

  private func receive() {
    let reading = client.receive { arrival in
      switch arrival {
      case .greeting(let line): greeted(line)
      case .turnedAway(let reason):
        guard reconnection.isNews(reason) else { break }
        screen.sayLine("\(style(.attention, "the daemon refuses the connection")): \(reason)")
      case .unreadable(let raw): screen.say(screen.presenter.showWhole(raw))
      case .note(let text): screen.sayLine("\(style(.attention, "record")): \(text)")
      case .line(let received, let raw): take(received, raw: raw)
      }
    }
    attend()
    if reading == .ended { lost() }
  }

  /// Whether a line is not for the daemon, but for practice or free play.
  func takesPart(_ line: String) -> Bool {
    if practice.take(line) { return true }
    guard freePlay?.take(line) == true else { return false }
    attend()
    return true
  }

  /// Says what free play has to say, and ends when it wants to.
  private func attend() {
    guard let freePlay else { return }
    screen.say(freePlay.takeText())
    if freePlay.isOver { ending = ending ?? .good }
  }

  private func take(_ received: Conversation.Received, raw: RawLine) {
    if received.line.lineClass == .notice, freePlay?.shows(received.line) == false { return }
    let line = received.line
    if let asked = received.asked, let file = asked.file, line.lineClass != .data,
      !asked.words.contains(where: { $0.hasPrefix("resource=") })
    {
      client.settle(file, isLoaded: line.lineClass == .success)
    }
    show(received, raw: raw)
    practice.measure(after: received)
    switch (line.lineClass, received.asked?.asker) {
    case (.flow, _) where line.code == "bye": farewell = line["reason"]
    case (.flow, _) where line.code == "world": client.ask("world", by: .program)
    case (.success, .restoring): restore()
    case (.failure, .restoring):
      notRestored(received)
      restore(hasFailed: true)
    case (.success, .user) where received.asked?.verb == .quit: isLeaving = true
    // What the answer says of another world leaves out whether its clock is paused.
    case (.success, .user) where received.asked?.verb == .use: askForTime()
    case (.success, .program) where received.asked?.verb == .world: askForTime()
    default: break
    }
    // After a request that `quiet` leaves without an answer a `sync` of ours has one.
    let isAnswer = received.asked?.asker == .user || received.asked?.verb == .sync
    if isAnswer, line.lineClass == .success || line.lineClass == .failure, !isLeaving {
      freePlay?.follow(client)
    }
  }

  private func notRestored(_ received: Conversation.Received) {
    guard let asked = received.asked else { return }
    let reason = received.line.note ?? received.line.code
    if asked.verb == .use, let world = asked.words.first {
      client.forget(world: world)
      screen.sayLine("\(style(.attention, "the world \(world) is gone")): \(reason)")
    } else {
      screen.sayLine("\(style(.attention, "not restored")): '\(asked.text)': \(reason)")
    }
  }

  private func lost() {
    let unanswered = client.close()
    if let ended = client.endRecording(), farewell != "quit" {
      screen.sayLine("\(style(.attention, "record")): the recording in \(ended.path) ends here")
    }
    restoration = nil
    practice.forgetAnswers()
    completionClient.close()
    dropWork()
    for asked in unanswered where asked.verb != .quit && asked.verb != .shutdown {
      screen.sayLine("\(style(.attention, "not answered")): '\(asked.text)'")
    }
    let isOwn = client.endpoint.own != nil
    switch farewell {
    case "quit": ending = .good
    case "shutdown" where isOwn: ending = .good
    // What it follows is gone with the connection.
    case _ where freePlay != nil: ending = .noConnection
    default:
      if !reconnection.isUnderWay {
        screen.sayLine("\(style(.bad, "the connection to the daemon was lost")); trying again until it is back")
      }
      reconnection.failed(at: HostClock.now())
    }
    farewell = nil
  }

  private func reconnect() {
    let before = client.endpoint.own
    do throws(Endpoint.Failure) {
      defer { isDaemonNew = isDaemonNew || client.endpoint.own != nil && client.endpoint.own !== before }
      try client.open { note in screen.sayLine("\(style(.attention, note))") }
      reconnection.waitForGreeting()
    } catch {
      reconnection.failed(at: HostClock.now())
    }
  }

  private func greeted(_ greeting: ServerLine) {
    screen.presenter.forgetReported()
    restoration = client.conversation.restoration(from: greeting["world"] ?? "main")
    reconnection = Reconnection()
    client.begin(with: greeting)
    let loss: ScreenText = isDaemonNew ? ", to a new daemon: the worlds of the old one are gone" : ""
    isDaemonNew = false
    screen.sayLine("\(style(.good, "connected again"))\(loss)")
    restore()
  }

  /// Continues the restoration, if there is one.
  private func restore(hasFailed: Bool = false) {
    guard let request = restoration?.next(hasFailed: hasFailed) else {
      restoration = nil
      return
    }
    client.ask(request, by: .restoring)
  }
}
