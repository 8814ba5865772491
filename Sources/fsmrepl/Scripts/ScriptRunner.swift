internal import Glibc
internal import LineProtocol
internal import UnixHost

/// Runs requests from files, pipes and `-e` one after the other; stops at the first failure unless `keepsGoing`.
final class ScriptRunner {
  private let client: Client
  private var source: LineSource
  private var presenter: Presenter
  private let format: Presenter.Format
  private let keepsGoing: Bool
  private let echoes: Bool
  private let output: Descriptor
  private var unwritten = ScreenText()
  private let errors: Descriptor
  private let signals: SignalQueue
  /// The exit code of the first failure.
  private var status = ExitCode.good
  private var stage = Stage.running
  /// A line that this program answers itself, held until all before it are answered.
  private var waitingForItsTurn: LineSource.Line?
  /// Whether the daemon may close for the last request, so that no line follows before its answer.
  private var mayPart = false
  /// Whether the hint about lines for scripts or for the prompt was given.
  private var hasGivenHint = false

  private enum Stage {
    case running
    /// Nothing more is sent; answers are still expected.
    case finishing
    /// The daemon has accepted `quit` or `shutdown`; its goodbye is still expected.
    case leaving(Verb)
    case ended(ExitCode)
  }

  /// With `--keep-going`, how many requests may wait for their answers.
  private static let maxWaiting = 1_000
  /// How many bytes may wait to be sent before the next line is read.
  private static let maxUnsent = 256 << 10
  /// How many bytes of answers are written together at most.
  private static let maxUnwritten = 64 << 10

  /// - Parameters:
  ///   - echoes: Whether each line is shown before its answer. If so, each request waits for the previous answer.
  ///   - signals: Reads ``Dialogue/signals``; Ctrl-Z keeps its usual effect.
  ///   - output: Where answers go.
  ///   - errors: Where failed lines are reported.
  init(
    client: Client, source: LineSource, format: Presenter.Format, keepsGoing: Bool, echoes: Bool = false,
    signals: SignalQueue,
    output: Descriptor = .standardOutput, errors: Descriptor = .standardError
  ) {
    self.client = client
    self.source = source
    self.output = output
    self.errors = errors
    self.format = format
    self.keepsGoing = keepsGoing
    self.echoes = echoes
    presenter = Presenter(format: format, columns: { output.columns })
    self.signals = signals
    signal(SIGPIPE, SIG_IGN)
  }

  /// Runs to the end.
  func run() -> ExitCode {
    while true {
      let needsInput = sendReadyLines()
      flush()
      if case .ended(let status) = stage { return status }
      wait(readingInput: needsInput)
    }
  }

  /// - Returns: Whether the source has to be read before anything more can be sent.
  private func sendReadyLines() -> Bool {
    while case .running = stage, maySend {
      if let line = waitingForItsTurn {
        guard !client.awaitsAnswers() else { return false }
        waitingForItsTurn = nil
        send(line)
        continue
      }
      switch source.next() {
      case .line(let line) where isAnsweredHere(line) || mayWait(line): waitingForItsTurn = line
      case .line(let line): send(line)
      case .failed(let failure): stop(reading: failure)
      case .needsInput: return true
      case .end: stage = .finishing
      }
    }
    if case .finishing = stage { finish() }
    return false
  }

  /// Whether requests are sent before earlier ones are answered.
  private var pipelines: Bool { keepsGoing && !echoes }

  private var maySend: Bool {
    let conversation = client.conversation
    guard client.isReady, (client.connection?.backlog ?? 0) < Self.maxUnsent else { return false }
    // What an inquiry asks is asked of the world before the next line.
    guard client.inquiries.isEmpty, !(mayPart && conversation.isWaiting) else { return false }
    if pipelines { return conversation.waitingCount < Self.maxWaiting || conversation.isCollecting }
    return !conversation.isWaiting || conversation.isCollecting && !conversation.isBeginning
  }

  private func isAnsweredHere(_ line: LineSource.Line) -> Bool {
    line.text.map { client.isAnsweredHere($0) } ?? true
  }

  /// Whether the world is looked at before a line is sent, so that all before it has to be answered.
  private func mayWait(_ line: LineSource.Line) -> Bool {
    client.openDocument == nil && !client.conversation.isCollecting
      && line.text.map { RequestText($0).verb == Verb.await.name } ?? false
  }

  /// Sends a request, or takes a line of a document.
  private func send(_ line: LineSource.Line) {
    guard client.openDocument == nil, let text = line.text, !isAnsweredHere(line) else { return answerLocally(line) }
    if echoes { write(presenter.showWhole(RawLine((text.isEmpty || text.hasPrefix("#") ? "" : "> ") + text))) }
    let isLookedAt = client.looksAhead(of: text, origin: line.origin) { [unowned self] remark in
      if let remark { complain("\(line.origin): \(remark)") }
      ask(text, line.origin)
    }
    if !isLookedAt { ask(text, line.origin) }
  }

  private func ask(_ text: String, _ origin: String) {
    guard client.ask(text, origin: origin) else { return }
    let verb = client.conversation.lastVerb
    mayPart = (verb == .quit || verb == .shutdown) && !client.conversation.isCollecting
    // The next line waits for this one's answer, so ask for one.
    if !pipelines { client.askForSign() }
  }

  /// Takes a line that is not for the daemon alone, in its turn.
  private func answerLocally(_ line: LineSource.Line) {
    guard let text = line.text else {
      let failure = "- SYNTAX : the line is not UTF-8"
      write(presenter.showWhole(RawLine(client.form == .json ? JSONWriter.object(of: failure) : failure)))
      return fail("SYNTAX", origin: line.origin, text: "")
    }
    if echoes { write(presenter.showWhole(RawLine((client.openDocument == nil ? "> " : "> | ") + text))) }
    for (received, raw) in client.answerLocally(text, origin: line.origin) ?? [] {
      write(presenter.show(received, raw: raw))
      if received.line.lineClass == .failure { fail(received.line.code, origin: line.origin, text: text) }
    }
    if !pipelines { client.askForSign() }
  }

  /// A source cannot be read to its end.
  private func stop(reading failure: LineSource.FileFailure) {
    complain("\(failure)")
    if status == .good { status = .usage }
    if !keepsGoing { stage = .finishing }
  }

  private func finish() {
    let conversation = client.conversation
    if conversation.isCollecting {
      // Its lines get no answer then; what was asked before it still does.
      client.ask(Verb.discard.name, by: .program)
    } else if status == .good, client.openDocument != nil {
      complain("the document has no 'enddefine', so it was not sent")
      stage = .ended(.failed)
    } else if !client.awaitsAnswers() {
      stage = .ended(status)
    }
  }

  private func wait(readingInput: Bool) {
    let input = readingInput ? source.descriptor : nil
    let readiness = Readiness(
      [signals.descriptor, input].compactMap { $0.map { .init(descriptor: $0) } }, and: client.connection, until: nil)
    if let number = signals.next() { return end(by: number) }
    if readiness.hasLines { receive() }
    if let input, readiness.canRead(input) { source.fill() }
  }

  private func receive() {
    let reading = client.receive { arrival in
      switch arrival {
      case .greeting, .turnedAway: break  // Both were handled before the script began.
      case .unreadable(let raw): write(presenter.showWhole(raw))
      case .note(let text): complain("\(text)")
      case .line(let received, let raw): take(received, raw: raw)
      }
    }
    guard reading == .ended else { return }
    let unanswered = client.close()
    switch stage {
    case .ended: break
    case .leaving(let verb) where unanswered.isEmpty: stage = .ended(left(by: verb))
    case .running, .finishing, .leaving:
      complain("the connection to the daemon was lost")
      stage = .ended(.noConnection)
    }
  }

  /// Reports that lines are left which nobody got, as far as they have been read.
  ///
  /// - Returns: The exit code: after `quit` these lines are not wanted, after `shutdown` they have no daemon.
  private func left(by verb: Verb) -> ExitCode {
    guard let line = nextUnsent(), let text = line.text else { return status }
    complain("\(line.origin): not sent, because '\(verb.name)' came before: \(text)")
    return verb == .shutdown && status == .good ? .noConnection : status
  }

  /// The first request that was not sent, if it can be read without waiting.
  private func nextUnsent() -> LineSource.Line? {
    if let line = waitingForItsTurn { return line }
    // Blank lines may never end.
    var mayRead = true
    while true {
      switch source.next() {
      case .line(let line) where line.text.map({ RequestText($0).isBlank }) ?? false: continue
      case .line(let line): return line
      case .needsInput:
        guard mayRead, let input = source.descriptor,
          Readiness([.init(descriptor: input)], until: 0).canRead(input)
        else { return nil }
        mayRead = false
        source.fill()
      case .failed, .end: return nil
      }
    }
  }

  private func take(_ received: Conversation.Received, raw: RawLine) {
    write(presenter.show(received, raw: raw))
    let line = received.line
    if line.lineClass == .success, let verb = received.asked?.verb, verb == .quit || verb == .shutdown {
      stage = .leaving(verb)
    }
    if line.lineClass == .success, received.asked?.verb == .discard, received.asked?.asker == .program, status == .good
    {
      complain("the batch has no 'end', so none of it was run")
      status = .failed
    }
    guard line.lineClass == .failure else { return }
    if received.asked?.verb == .mode, received.asked?.asker == .program {
      complain("this daemon does not write JSON: \(raw.text)")
      stage = .ended(.failed)
    }
    guard received.asked?.asker != .program, received.asked?.asker != .recorder else { return }
    let text = received.asked?.file.map { "\(LocalVerb.load.name) \(Word.written($0))" } ?? received.asked?.text ?? ""
    fail(line.code, origin: received.asked?.origin ?? "", text: text)
  }

  private func fail(_ code: String, origin: String, text: String) {
    if status == .good {
      // A document of the command line that cannot be read, or does not parse, is a mistake of that.
      let isOfCommandLine =
        source.documents.contains(origin)
        && [.badArgument, .badDefinition].contains(FailureCode(rawValue: code))
      status = isOfCommandLine ? .usage : ExitCode.of(failure: code)
    }
    complain(about: code, origin: origin, text: text)
    if !hasGivenHint, let hint = Self.hint(about: text) {
      hasGivenHint = true
      complain(hint)
    }
    if !keepsGoing, case .running = stage { stage = .finishing }
  }

  /// What a line that failed means at the prompt or in a script; nil if it means nothing else there.
  private static func hint(about text: String) -> ScreenText? {
    switch PromptLine(text) {
    case _ where RequestText(text).words.contains("=>"):
      "outcomes after '=>' are for scripts, which \(LocalVerb.played)"
    case .expectation: "such an 'expect' is for scripts, which \(LocalVerb.played)"
    case .sent: "'>' and '|' after a request are for the prompt, where somebody types"
    case .shell: "'!' is for the prompt, where somebody types"
    case _: nil
    }
  }

  private var isForPeople: Bool {
    if case .people = format { true } else { false }
  }

  /// Reports the line that failed, unless it is the only one and its failure is on the same screen.
  private func complain(about code: String, origin: String, text: String) {
    guard !origin.isEmpty, !isForPeople || origin != LineSource.onlyExpression else { return }
    complain("\(origin): \(code): \(text)")
  }

  private func end(by number: Int32) {
    guard number != SIGINT else {
      unwritten = ScreenText()
      stage = .ended(.interrupted)
      return
    }
    client.endProcess(by: number)
  }

  private func write(_ text: ScreenText) {
    unwritten += text
    if unwritten.bytes.count > Self.maxUnwritten { flush() }
  }

  /// Writes all received answers at once.
  private func flush() {
    guard !unwritten.isEmpty else { return }
    let isWritten = output.write(unwritten)
    let error = SystemError.last
    unwritten = ScreenText()
    guard !isWritten else { return }
    client.endProcess(withoutOutput: error)
  }

  private func complain(_ text: ScreenText) {
    flush()
    errors.report("fsmrepl: \(text)")
  }
}
