internal import LineProtocol
internal import Scripts
internal import UnixHost

/// What becomes of typed lines.
extension Prompting {
  /// Whether a line has to wait for an answer, a person or a program.
  private var isBlocked: Bool {
    question != nil || foreground != nil || blocking.map { client.conversation.isPending(job: $0) } ?? false
  }

  /// Whether a `begin` waits to be sent, behind which no other request may stand.
  var isAskingForStrictness: Bool {
    if case .strictness = blocking.flatMap({ jobs[$0] })?.purpose { true } else { false }
  }

  /// Takes lines as long as none of them has to be waited for.
  func pump() {
    while ending == nil, !isBlocked {
      // With 'quiet on' its answer may never have come.
      if let done = blocking.take() { jobs[done] = nil }
      guard let line = queue.popFirst() else { return }
      take(line)
    }
  }

  /// Takes lines that were typed or pasted.
  func enter(_ text: String) {
    for line in PromptLine.lines(of: text, isInDocument: client.openDocument != nil) {
      // It would wait for what it is to end.
      if client.openDocument == nil, isBlocked, RequestText(line).verb == Verb.cancel.name {
        dropQueue()
        client.ask(line)
      } else {
        queue.append(TypedLine(text: line))
      }
    }
    pump()
  }

  /// Forgets lines that wait for their turn.
  func dropQueue() {
    let count = queue.count
    queue = []
    if count > 0 { say("\(style(.attention, count == 1 ? "1 line was not sent" : "\(count) lines were not sent"))\n") }
  }

  /// Forgets all that waited for answers of a connection that is lost.
  func dropWork() {
    dropQueue()
    jobs = [:]
    blocking = nil
    question = nil
    endPage()
  }

  private func take(_ line: TypedLine) {
    if client.openDocument != nil {
      // In transcripts the lines of a document have a mark.
      let text = line.isTyped && line.text.hasPrefix("> | ") ? String(line.text.dropFirst(4)) : line.text
      return send(text, line)
    }
    if line.isTyped, takesPart(line.text) { return }
    switch PromptLine(line.text, isTyped: line.isTyped) {
    case .nothing: break
    case .request(let text): request(text, line)
    case .sent(let text, let destination): deliver(text, line, to: destination)
    case .checked(let text, let outcome):
      guard !client.conversation.isQuiet else {
        return refuse("with 'quiet on' there may be no answer to compare; 'quiet off' brings answers back", line)
      }
      send(text, line, .check(outcome))
    case .timed(let text, let rest):
      guard !client.conversation.isCollecting else {
        return refuse("no time passes between 'begin' and 'end'", line)
      }
      send(text, line, .time(then: rest))
    case .leave: send(Verb.quit.name, line)
    case .clear: terminal.clear()
    case .version:
      say("fsmrepl \(Release.version), fsmd \(client.daemonVersion) on \(client.endpoint.socketPath)\n")
    case .topic(let subject): say(PromptHelp.text(subject, width: Descriptor.standardOutput.columns, style: style))
    case .run(let path): run(path, line)
    case .shell(let command): start(command, feeding: nil)
    case .wrong(let text): refuse(text, line)
    }
  }

  func refuse(_ text: String, _ line: TypedLine) {
    noteMistake(in: line)
    let said: ScreenText = "\(style(.bad, "error")): \(text)"
    say("\(said.wrapped(width: Descriptor.standardOutput.columns))\n")
    endFile(of: line, "")
  }

  /// The daemon knows the mistakes that came to it, and not those that are told here.
  private func noteMistake(in line: TypedLine) {
    if line.isTyped, client.conversation.isCollecting, isBatchStrict { hasMistakeInBatch = true }
  }

  // MARK: Requests

  private func request(_ text: String, _ line: TypedLine) {
    let request = RequestText(text)
    let place = client.conversation.place
    let isAlone = isListened && line.isTyped && request.tag == nil && !client.conversation.isCollecting
    let verb = request.verb.flatMap(Verb.named)
    if client.conversation.isCollecting, hasMistakeInBatch, verb == .end {
      hasMistakeInBatch = false
      say("\(style(.bad, "nothing was run")): a line of the batch is a mistake\n")
      return send(Verb.discard.name, line)
    }
    if verb == .discard || !client.conversation.isCollecting { hasMistakeInBatch = false }
    switch verb {
    case .begin where !client.conversation.isCollecting:
      var text = text
      if isAlone, request.words.isEmpty {
        guard let beginsStrictly else { return ask("help begin", line, .strictness, by: .program) }
        if beginsStrictly { text = "begin strict" }
      }
      isBatchStrict = RequestText(text).words == ["strict"]
      send(text, line)
    case .await where isAlone && place.clock == "virtual" && request.words.count == 2:
      guard let now = TimeText.time(place.time) else { return send(text, line) }
      ask("\(text) within=1h", line, .firstHour(of: text, until: now + Self.hour))
    case .advance where isAlone && client.recording == nil:
      guard let advance = LongAdvance(request, in: place) else { return send(text, line) }
      ask(advance.first, line, .sample(advance))
    case _: send(text, line)
    }
  }

  private static let hour: Int64 = 3_600_000_000_000

  /// Sends a request, or answers it here.
  private func send(_ text: String, _ line: TypedLine, _ purpose: Job.Purpose? = nil) {
    guard isListened else {
      if RequestText(text).verb == Verb.quit.name {
        ending = .good
      } else if !RequestText(text).isBlank || client.openDocument != nil {
        say("\(style(.bad, "not connected")): '\(text)' was not sent\n")
      }
      return
    }
    if let answer = client.answerLocally(text, origin: line.origin) {
      for (received, raw) in answer {
        say(presenter.show(received, raw: raw, in: client.conversation.place))
        if received.line.lineClass == .failure {
          noteMistake(in: line)
          endFile(of: line, received.line.code)
        }
      }
      return
    }
    ask(RequestText(text).fitting(Descriptor.standardOutput.columns, style), line, purpose)
  }

  /// - Parameter purpose: `nil` only shows the answer.
  func ask(_ text: String, _ line: TypedLine, _ purpose: Job.Purpose?, by asker: Conversation.Asker = .user) {
    let purpose = purpose ?? (line.isTyped ? nil : .show)
    guard let purpose else {
      client.ask(text)
      return client.askForSign()
    }
    lastJob += 1
    guard client.ask(text, by: asker, origin: line.origin, job: lastJob) else { return }
    jobs[lastJob] = Job(line: line, purpose: purpose)
    if purpose.blocks, !client.conversation.isCollecting { blocking = lastJob }
    client.askForSign()
  }

  private func deliver(_ text: String, _ line: TypedLine, to destination: PromptLine.Destination) {
    guard isListened else { return send(text, line) }
    guard !client.conversation.isCollecting else {
      return refuse("between 'begin' and 'end' no answer goes elsewhere", line)
    }
    switch destination {
    case .command:
      ask(RequestText(text).fitting(Descriptor.standardOutput.columns, style), line, .send(to: destination))
    case .file(let path):
      if let problem = RegularFile.problem(at: path) { return refuse("\(path): \(problem)", line) }
      guard let request = RequestText(text).forFile(path) else {
        return refuse(
          "nothing is known of files with this ending: there are \(RequestText(text).fileEndings), or say 'format='",
          line)
      }
      ask(request, line, .send(to: destination))
    }
  }

  // MARK: Files of requests

  private func run(_ path: String, _ line: TypedLine) {
    if let problem = RegularFile.problem(at: path) { return refuse("\(path): \(problem)", line) }
    switch RunFiles.load(path) {
    case .failed(let why): refuse("\(path): \(why)", line)
    case .bytes(let bytes) where bytes.count > ScriptLimits.file:
      refuse("\(path): at most \(ScriptLimits.file) bytes are read", line)
    case .bytes(let bytes):
      guard let text = String(validating: bytes, as: UTF8.self) else {
        return refuse("\(path): this is not UTF-8", line)
      }
      let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
      queue = lines.enumerated().map { TypedLine(text: String($1), origin: "\(path):\($0 + 1)") } + queue
    }
  }

  /// After a failure, forgets the lines behind it in the same file.
  func endFile(of line: TypedLine, _ code: String) {
    guard !line.isTyped else { return }
    queue.removeAll { !$0.isTyped }
    let why = code.isEmpty ? "" : ": \(code)"
    let said: ScreenText = "\(style(.attention, line.origin))\(why); what is behind it was not run"
    say("\(said.wrapped(width: Descriptor.standardOutput.columns))\n")
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
        "svg": "svg", "dot": "dot", "gv": "dot", "mmd": "mermaid", "puml": "plantuml", "json": "json",
        "scxml": "scxml", "fsm": "tests",
      ]
    case .wave: ["svg": "svg", "vcd": "vcd", "json": "json"]
    case _: [:]
    }
  }

  var fileEndings: String { (formats.keys.sorted() + ["txt"]).map { ".\($0)" }.joined(separator: ", ") }
}
