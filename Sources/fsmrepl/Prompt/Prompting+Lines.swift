internal import LineProtocol
internal import Scripts
internal import UnixHost

/// What becomes of typed lines.
extension Prompting {
  /// Whether a line has to wait for an answer, a person or a program.
  private var isBlocked: Bool {
    question != nil || screen.foreground != nil || !client.inquiries.isEmpty
      || blocking.map { client.conversation.isPending(job: $0) } ?? false
  }

  /// Whether a line depends on what the lines before it have done.
  private func needsAnswers(_ line: TypedLine) -> Bool {
    guard client.openDocument == nil, practice.quiz == nil else { return false }
    switch PromptLine(PromptLine.unmarked(line.text) ?? line.text) {
    case .nothing, .leave: return false
    case .request(let text):
      if client.isAnsweredHere(text) {
        // What begins a document is sent with its end.
        if case .begin = DocumentCommand(text) { return false }
        return true
      }
      return isTried(text)
    case .answer, .sent, .checked, .expectation, .timed, .clear, .version, .topic, .run, .quiz, .cover, .shell, .wrong:
      return true
    }
  }

  /// Whether a request is tried in a fork before it is sent, so that a person can be asked.
  private func isTried(_ text: String) -> Bool {
    switch RequestText(text).verb.flatMap(Verb.named) {
    case .advance, .step, .await, .undo, .goto: !client.conversation.isCollecting
    case _: false
    }
  }

  /// Whether it is said of the answer that is awaited what it has taken or brought back, which stands before the next
  /// answer.
  private var hasMoreToSay: Bool {
    screen.isForPeople && client.conversation.lastVerb.map { [.undo, .redo, .goto].contains($0) } ?? false
  }

  /// Takes lines as long as none of them has to be waited for.
  func pump() {
    while ending == nil, !isBlocked {
      // With 'quiet on' its answer may never have come.
      if let done = blocking.take() { jobs[done] = nil }
      if let step = playing?.take() {
        play(step)
      } else {
        reportRest(of: playing.take())
        guard let line = queue.first, !((needsAnswers(line) || hasMoreToSay) && client.awaitsAnswers()) else { return }
        queue.removeFirst()
        take(line)
      }
    }
  }

  /// Takes lines that were typed or pasted.
  func enter(_ text: String) {
    let waits = isBlocked || !queue.isEmpty
    for line in PromptLine.lines(of: text, isInDocument: client.openDocument != nil) {
      // It would wait for what it is to end.
      if client.openDocument == nil, waits, RequestText(line).verb == Verb.cancel.name {
        dropQueue()
        client.ask(line)
      } else {
        queue.append(TypedLine(text: line))
      }
    }
    pump()
  }

  /// Forgets lines that wait for their turn, and the rest of a script, which is reported after its present line.
  func dropQueue() {
    let count = queue.count { !RequestText($0.text).isBlank }
    queue = []
    if let playing {
      playing.ending = playing.ending ?? .interrupted
    } else if count > 0 {
      screen.sayLine("\(style(.attention, count == 1 ? "1 line was not sent" : "\(count) lines were not sent"))")
    }
  }

  /// Forgets all that waited for answers of a connection that is lost.
  func dropWork() {
    dropQueue()
    jobs = [:]
    blocking = nil
    question = nil
    screen.forgetAnswers()
  }

  func take(_ line: TypedLine) {
    if client.openDocument != nil {
      // In transcripts the lines of a document have a mark.
      return send(line.text.hasPrefix("> | ") ? String(line.text.dropFirst(4)) : line.text, line)
    }
    let typed = PromptLine.unmarked(line.text) ?? line.text
    if takesPart(typed) { return }
    if PromptLine.isRow(line.text) { return passOver() }
    let isInBatch = client.conversation.isCollecting
    switch PromptLine(typed) {
    case .nothing: break
    case .answer: passOver()
    case .request(let text): request(text, line)
    case .sent(let text, let destination): deliver(text, line, to: destination)
    case .checked(let text, let outcome): if !isMistaken(typed, line) { check(text, outcome, line) }
    case .expectation(let check): if !isMistaken(typed, line) { judge(check, line) }
    case .timed where isInBatch: refuse("no time passes between 'begin' and 'end'", line)
    case .timed(let text, let rest):
      if !isMistaken(typed, line, "; no time has passed") { request(text, line, .time(then: rest)) }
    case .leave where isInBatch: refuse("a batch is open: 'discard' drops it, then 'exit' leaves", line)
    case .leave: send(Verb.quit.name, line)
    case .clear: screen.terminal.clear()
    case .version:
      screen.sayLine("fsmrepl \(Release.version), fsmd \(client.daemonVersion) on \(client.endpoint.socketPath)")
    case .topic(let subject): screen.say(PromptHelp.text(subject, width: screen.columns, style: style))
    case .run where isInBatch: refuse("a script cannot run between 'begin' and 'end'", line)
    case .run(let path): run(path, line)
    case .quiz where isInBatch: refuse("'quiz' cannot stand between 'begin' and 'end'", line)
    case .cover where isInBatch: refuse("'cover' cannot stand between 'begin' and 'end'", line)
    case .quiz(let name): practice.beginQuiz(name)
    case .cover(let name): practice.beginCover(name)
    case .shell(let command): screen.start(command, feeding: nil)
    case .wrong(let text): refuse(text, line)
    }
  }

  /// Says once that lines of answers are no requests.
  private func passOver() {
    guard !hasPassedOver else { return }
    hasPassedOver = true
    let said = "lines of answers are passed over: they begin with + - . or *, or are rows of a table"
    screen.sayLine("\(style(.quiet, said))")
  }

  /// - Parameter hints: What helps, a line each.
  func refuse(_ text: String, _ line: TypedLine, hints: [String] = []) {
    noteMistake(in: line)
    let said: ScreenText = "\(style(.bad, "error")): \(text)"
    screen.sayLine(said)
    for hint in hints { screen.sayLine("  \(hint)") }
    endPlay(of: line)
  }

  /// The daemon knows the mistakes that came to it, and not those that are reported here.
  private func noteMistake(in line: TypedLine) {
    if client.conversation.isCollecting, case .strict = batch?.kind { batch?.kind = .mistaken(line.text) }
  }

  // MARK: Requests

  /// - Parameter purpose: `nil` only shows the answer.
  private func request(_ text: String, _ line: TypedLine, _ purpose: Job.Purpose? = nil) {
    let request = RequestText(text)
    let isCollecting = client.conversation.isCollecting
    switch request.verb.flatMap(Verb.named) {
    case .begin where !isCollecting: begin(text, line, purpose)
    case .end:
      if case .mistaken(let mistake) = batch.take()?.kind, isCollecting {
        screen.sayLine("\(style(.bad, "nothing was run")): '\(mistake)' is a mistake")
        return send(Verb.discard.name, line)
      }
      send(text, line, purpose)
    case .discard:
      batch = nil
      send(text, line, purpose)
    case _ where isTried(text): consider(text, line, purpose)
    case _: send(text, line, purpose)
    }
  }

  /// Begins a batch: one that is typed is strict.
  private func begin(_ text: String, _ line: TypedLine, _ purpose: Job.Purpose?) {
    var text = text
    let request = RequestText(text)
    if line.step == nil, request.tag == nil, request.words.isEmpty { text = "begin strict" }
    batch = Batch(kind: RequestText(text).words == ["strict"] ? .strict : .lenient)
    remarks.batchStart = client.conversation.place.sequence
    send(text, line, purpose)
  }

  /// Sends a request that lets time pass or takes inputs back, after a question if it may be more than is wanted.
  private func consider(_ text: String, _ line: TypedLine, _ purpose: Job.Purpose?) {
    if let verb = RequestText(text).verb.flatMap(Verb.named), verb == .undo || verb == .goto {
      return considerRewind(text, verb, line, purpose)
    }
    let isLookedAt =
      isListened
      && client.looksAhead(of: text) { [unowned self] remark in
        if let remark { screen.sayLine("\(style(.attention, "note")): \(remark)") }
        send(text, line, purpose)
      }
    if isLookedAt { return }
    let place = client.conversation.place
    guard isListened, let request = TimeRequest(RequestText(text), in: place),
      let said = TimeTrial.question(about: request, in: place.world, of: client.endpoint, style: style)
    else { return send(text, line, purpose) }
    ask(said, before: text, line, purpose)
  }

  /// Sends an `undo` or a `goto` that a person typed, after a question if it takes back much.
  private func considerRewind(_ text: String, _ verb: Verb, _ line: TypedLine, _ purpose: Job.Purpose?) {
    let request = ([verb.name] + RequestText(text).words).joined(separator: " ")
    guard isListened, line.step == nil,
      let said = RewindTrial.question(
        about: request, verb, in: client.conversation.place.world, of: client.endpoint)
    else { return send(text, line, purpose) }
    ask(said, before: text, line, purpose)
  }

  /// Asks before a request is sent.
  private func ask(_ question: ScreenText, before text: String, _ line: TypedLine, _ purpose: Job.Purpose?) {
    ask(question) { [unowned self] isYes in
      if isYes { return send(text, line, purpose) }
      screen.sayLine("\(style(.attention, "not sent")): '\(line.text)'")
      endPlay(of: line, "not sent")
    }
  }

  private func check(_ text: String, _ outcome: ScriptOutcome, _ line: TypedLine) {
    guard !client.conversation.isQuiet else {
      return refuse("with 'quiet on' there may be no answer to compare; 'quiet off' brings answers back", line)
    }
    request(text, line, .check(outcome))
  }

  private func judge(_ check: Script.Check, _ line: TypedLine) {
    guard isListened else { return send(line.text, line) }
    ask(String(check.request.dropLast()), line, .judge(check), by: .program)
  }

  /// Sends a request, or answers it here.
  private func send(_ text: String, _ line: TypedLine, _ purpose: Job.Purpose? = nil) {
    guard isListened else {
      if RequestText(text).verb == Verb.quit.name {
        ending = .good
      } else if !RequestText(text).isBlank || client.openDocument != nil {
        screen.sayLine("\(style(.bad, "not connected")): '\(text)' was not sent")
      }
      return
    }
    let isInDocument = client.openDocument != nil
    if let answer = client.answerLocally(text, origin: line.origin) {
      if !isInDocument, client.openDocument != nil {
        screen.sayLine("the lines of the document follow: \(documentWaysOut)")
      }
      for (received, raw) in answer {
        screen.say(screen.presenter.show(received, raw: raw))
        if received.line.lineClass == .failure { noteMistake(in: line) }
        if received.line.lineClass != .data, case .check(let outcome) = purpose { compare(received, outcome, line) }
      }
      client.askForSign()
      return
    }
    ask(RequestText(text).fitting(screen.columns, style), line, purpose)
  }

  /// - Parameters:
  ///   - document: The bytes after a `define` line.
  ///   - purpose: `nil` only shows the answer.
  func ask(
    _ text: String, document: [UInt8]? = nil, _ line: TypedLine, _ purpose: Job.Purpose?,
    by asker: Conversation.Asker = .user
  ) {
    let purpose = purpose ?? (line.step == nil ? nil : .show)
    let isTypedInBatch = client.conversation.isCollecting && line.step == nil
    lastJob += 1
    let isSent = client.ask(
      text, document: document, by: asker, origin: line.origin, job: purpose.map { _ in lastJob })
    guard isSent else { return }
    if isTypedInBatch, client.conversation.isCollecting {
      batch?.lines.append(PromptLine.unmarked(line.text) ?? line.text)
    }
    if let purpose {
      jobs[lastJob] = Job(line: line, purpose: purpose)
      if !client.conversation.isCollecting { blocking = lastJob }
    }
    client.askForSign()
  }

  private func deliver(_ text: String, _ line: TypedLine, to destination: PromptLine.Destination) {
    guard isListened else { return send(text, line) }
    guard !client.conversation.isCollecting else {
      return refuse("between 'begin' and 'end' no answer goes elsewhere", line)
    }
    switch destination {
    case .command: request(text, line, .send(to: destination))
    case .file(let path):
      if let problem = RegularFile.problem(at: path) { return refuse("\(path): \(problem)", line) }
      guard let fitted = RequestText(text).forFile(path) else {
        return refuse(
          "no format has this file ending; the endings are \(RequestText(text).fileEndings); or write 'format=F'", line)
      }
      if isTried(fitted) {
        consider(fitted, line, .send(to: destination))
      } else {
        ask(fitted, line, .send(to: destination))
      }
    }
  }

  // MARK: Scripts

  /// Plays a script in the present world, if all of it can be read and played here.
  private func run(_ path: String, _ line: TypedLine) {
    if let problem = RegularFile.problem(at: path) { return refuse("\(path): \(problem)", line) }
    switch RunFiles.load(path) {
    case .failed(let why): refuse("\(path): \(why)", line)
    case .bytes(let bytes):
      let reading = RunFiles.script(path, bytes, isInSession: true)
      let readable = reading.item ?? reading.rest
      let trial = readable.flatMap { tryOut($0) }
      let unplayable = readable.map { script in
        script.steps.filter { script.needsNotices($0) }.map {
          "\(script.place(of: $0)):\(script.column(of: $0, word: 0)): this \(PromptLine.onlyInRuns)"
        }
      }
      let mistakes = reading.mistakes + (unplayable ?? []) + (trial?.result.mistakes ?? [])
      guard mistakes.isEmpty, let script = reading.item else {
        for mistake in readable?.inOrder(mistakes) ?? mistakes { screen.sayLine(ScreenText(mistake)) }
        return refuse("\(path) has mistakes; nothing was run", line)
      }
      if client.conversation.place.isRunning, let step = script.stepThatNeedsStillClock {
        return refuse(
          "\(script.place(of: step)) lets time pass, and this world's clock is running; 'pause' or 'clock virtual' makes it"
            + " stand still. Nothing was run", line)
      }
      if script.seed != nil {
        let said = "'seed' is passed over: this world keeps its own, as 'world new W seed=N' gives it"
        screen.sayLine("\(style(.quiet, said))")
      }
      playing = PromptScript(script, tried: trial?.count ?? .max)
    }
  }

  private func play(_ step: PromptScript.Step) {
    let line = TypedLine(text: step.text, step: step)
    if isMistaken(step) { return }
    switch step.step.action {
    case .request(.define, _):
      let (announcement, document) = step.play.script.definition(of: step.step)
      guard isListened else { return send(announcement, line) }
      ask(announcement, document: document, line, step.outcome.map { .check($0) })
    case .request:
      if let outcome = step.outcome { check(line.text, outcome, line) } else { request(line.text, line) }
    case .check(let check): judge(step.play.script.check(check, turn: step.turn), line)
    case .repeats, .again: break
    }
  }

  /// After a failure, ends the script that the line is from. A batch in it goes on to its end.
  ///
  /// - Parameters:
  ///   - why: In a word or two; empty if it is on the screen already.
  ///   - word: The index of the word that is wrong, in the line.
  func endPlay(of line: TypedLine, _ why: String = "", word: Int = 0) {
    guard let step = line.step else { return }
    guard !step.step.isSoft else {
      return screen.sayLine("\(style(.attention, step.place(ofWord: word)))\(why.isEmpty ? "" : ": \(why)")")
    }
    switch step.play.ending {
    case .failed: return
    case .failedInBatch where !step.isInBatch: return
    case .failedInBatch, .interrupted, nil: break
    }
    step.play.ending = step.isInBatch ? .failedInBatch : .failed
    let reason = why.isEmpty ? "" : ": \(why)"
    let rest = step.isInBatch || !step.play.hasMore ? "" : "; the lines after it were not run"
    let said: ScreenText = "\(style(.attention, step.place(ofWord: word)))\(reason)\(rest)"
    screen.sayLine(said)
  }

  /// Says what was not run of a script that has ended, unless that is said already.
  private func reportRest(of play: PromptScript?) {
    guard let play, play.hasMore else { return }
    switch play.ending {
    case .interrupted: screen.sayLine("\(style(.attention, "the rest of the file was not run"))")
    case .failedInBatch where client.conversation.isCollecting:
      // A line was refused here, so that the batch has no end.
      client.ask(Verb.discard.name, by: .program)
      screen.sayLine("\(style(.attention, "nothing of the batch was run, nor the lines after it"))")
    case .failedInBatch: screen.sayLine("\(style(.attention, "the lines after the batch were not run"))")
    case .failed, nil: break
    }
  }
}

extension RequestText {
  /// The request of a diagram in the format that belongs to the ending of a file's name, if it names none.
  ///
  /// - Returns: `nil` if the name has an ending of none of them.
  func forFile(_ path: String) -> String? {
    guard !words.contains(where: { $0.hasPrefix("format=") }), let name = path.split(separator: "/").last,
      let dot = name.lastIndex(of: "."), !formats.isEmpty
    else { return text }
    let ending = String(name[name.index(after: dot)...])
    return ending == "txt" ? text : formats[ending].map { "\(text) format=\($0)" }
  }

  /// The endings of files with the answer, and the formats that they stand for, besides a text for the screen.
  private var formats: [String: String] {
    switch verb.flatMap(Verb.named) {
    case .graph:
      [
        "svg": "svg", "dot": "dot", "gv": "dot", "puml": "plantuml", "json": "json", "fsm": "tests",
        // What 'load' takes.
        "mmd": "stateDiagram", "mermaid": "stateDiagram", "scxml": "scxml", "xml": "scxml",
      ]
    case .wave: ["svg": "svg", "vcd": "vcd", "json": "json"]
    case _: [:]
    }
  }

  var fileEndings: String { (formats.keys.sorted() + ["txt"]).map { ".\($0)" }.joined(separator: ", ") }
}
