internal import LineProtocol
internal import Scripts
internal import UnixHost

/// What becomes of answers.
extension Prompting {
  /// More than this is not kept for a file or a command, in bytes.
  private static let mostDelivered = 256 << 20
  /// Fewer inputs are not worth a look at the journal of what one of them has caused.
  private static let mostCaused = 100
  /// With fewer timers than this, an `advance` is not asked about.
  private static let fewTimers = 1_000

  /// Shows a line, or does with it what its request was for.
  func show(_ received: Conversation.Received, raw: RawLine) {
    if let number = received.asked?.job, jobs[number] != nil { return take(received, raw: raw, for: number) }
    showAnswer(received, raw)
    askForCaused(by: received)
  }

  private func take(_ received: Conversation.Received, raw: RawLine, for number: Int) {
    let line = received.line
    if line.lineClass == .data {
      // Whoever held the job here would have its lines copied for each new one.
      switch jobs[number]?.purpose {
      case .strictness, .caused, .limits: jobs[number]?.rows.append(line)
      case .send: keep(received, raw, for: number)
      case .show, .time, .check, .firstHour, .sample, .rest: showAnswer(received, raw)
      case nil: break
      }
      return
    }
    guard let job = jobs.removeValue(forKey: number) else { return }
    let isGood = line.lineClass == .success
    switch job.purpose {
    case .show:
      showAnswer(received, raw)
      askForCaused(by: received)
      if !isGood { endFile(of: job.line, line.code) }
    case .time(let rest):
      if !isGood || line["fired"] != "0" { showAnswer(received, raw) }
      if isGood {
        queue.insert(TypedLine(text: rest, origin: job.line.origin), at: queue.startIndex)
      } else {
        say("\(style(.attention, "not sent")): '\(rest)'\n")
        endFile(of: job.line, line.code)
      }
    case .check(let outcome):
      showAnswer(received, raw)
      askForCaused(by: received)
      check(received, outcome, job.line)
    case .send(let destination):
      guard isGood else { return showAnswer(received, raw) }
      deliver(job, received, raw, to: destination)
    case .firstHour(let text, let end):
      // Later if somebody else has moved the time since; earlier if it gave up because no timer runs.
      guard line.code == FailureCode.timeout.word, let time = line["t"].flatMap({ TimeText.time($0) }), time >= end
      else { return showAnswer(received, raw) }
      goOn(text, job.line, received, raw)
    case .strictness:
      beginsStrictly = isGood && job.rows.contains { $0.words.contains { $0.contains("strict") } }
      queue.insert(job.line, at: queue.startIndex)
    case .caused(let time): tellCaused(job.rows, at: time)
    case .sample(let advance):
      guard isGood, let fired = line["fired"].flatMap({ Int($0) }) else { return showAnswer(received, raw) }
      if advance.forecast(fired) < Self.fewTimers { return ask(advance.rest, job.line, .rest(fired: fired)) }
      ask(Verb.limits.name, job.line, .limits(advance, received, raw: raw), by: .program)
    case .limits(let advance, let first, let raw): consider(advance, first, raw, job)
    case .rest(let fired): showAnswer(Self.adding(fired, to: received, raw))
    }
  }

  // MARK: Outcomes

  private func check(_ received: Conversation.Received, _ outcome: ScriptOutcome, _ line: TypedLine) {
    let (fits, found) = outcome.judge(received.line.written)
    if fits {
      say("  \(style(.good, "\(style.usesUnicode ? "✓" : "ok") \(outcome.text)"))\n")
    } else {
      let text: ScreenText =
        "\(style(.bad, "not as expected")): \(style(.state, outcome.text)) wanted, \(style(.state, found)) found"
      say("\(text.wrapped(width: Descriptor.standardOutput.columns))\n")
      endFile(of: line, FailureCode.expected.word)
    }
  }

  // MARK: What an input has caused

  /// Asks for the inputs that wires have made of the outputs of a request, unless a batch would be torn by it.
  private func askForCaused(by received: Conversation.Received) {
    guard case .people = presenter.format, let asked = received.asked, asked.asker == .user, !asked.isInBatch,
      asked.verb == .send || asked.verb == .fire, received.line.lineClass == .success,
      received.line["outputs"]?.isEmpty == false, let sequence = received.line["seq"].flatMap({ UInt64($0) }),
      let time = received.line["t"], !client.conversation.isCollecting
    else { return }
    ask(
      "journal since=\(sequence + 1) limit=\(Self.mostCaused)", TypedLine(text: ""), .caused(at: time), by: .program)
  }

  private func tellCaused(_ rows: [ServerLine], at time: String) {
    let caused = CausedInputs(rows, at: time)
    let untold = caused.inputs.filter { !presenter.hasTold($0.sequence) }
    guard !untold.isEmpty else { return }
    let text = caused.text(of: untold, style: style)
    say("  \(text.wrapped(width: Descriptor.standardOutput.columns.map { $0 - 2 }))\n")
  }

  // MARK: Long waits

  /// Asks whether an `await` is to go on after its first hour.
  private func goOn(_ text: String, _ line: TypedLine, _ received: Conversation.Received, _ raw: RawLine) {
    let state = received.line["state"] ?? "another state"
    let machine = RequestText(text).words.first ?? "it"
    let said: ScreenText =
      "after an hour of world time \(style(.name, machine)) is still in \(style(.state, state)); wait for up to 23 hours more?"
    ask(said) { [unowned self] isYes in
      if isYes { ask("\(text) within=23h", line, nil) } else { showAnswer(received, raw) }
    }
  }

  /// Goes on with a long `advance`; asks first if it cannot be undone.
  private func consider(_ advance: LongAdvance, _ first: Conversation.Received, _ raw: RawLine, _ job: Job) {
    let fired = first.line["fired"].flatMap { Int($0) } ?? 0
    let forecast = advance.forecast(fired)
    let most = job.rows.first { $0.words.first == "journal" }.flatMap { $0.words.count > 1 ? Int($0.words[1]) : nil }
    guard let most, forecast > most else { return ask(advance.rest, job.line, .rest(fired: fired)) }
    let said: ScreenText =
      "this fires some \(forecast) timers, and the journal keeps \(most) inputs: it cannot be undone. Up to \(first.line["t"] ?? "now") s \(fired) have fired; go on?"
    ask(said) { [unowned self] isYes in
      if isYes { ask(advance.rest, job.line, .rest(fired: fired)) } else { showAnswer(first, raw) }
    }
  }

  private func ask(_ text: ScreenText, _ answer: @escaping (Bool) -> Void) {
    say("\(text.wrapped(width: Descriptor.standardOutput.columns))\n")
    question = Question(answer: answer)
  }

  /// An answer to the second part of an `advance`, with the timers of the first.
  private static func adding(
    _ fired: Int, to received: Conversation.Received, _ raw: RawLine
  ) -> (Conversation.Received, RawLine) {
    guard fired > 0, let rest = received.line["fired"].flatMap({ Int($0) }) else { return (received, raw) }
    let sum = rest + fired
    let text = raw.text.replacing("fired=\(rest) ", with: "fired=\(sum) ", maxReplacements: 1)
      .replacing("\"fired\":\(rest)", with: "\"fired\":\(sum)", maxReplacements: 1)
    guard let line = text.hasPrefix("{") ? ServerLine(json: text) : ServerLine(text) else { return (received, raw) }
    return (Conversation.Received(line: line, asked: received.asked), RawLine(text))
  }

  private func showAnswer(_ answer: (Conversation.Received, RawLine)) { showAnswer(answer.0, answer.1) }

  // MARK: Answers that go elsewhere

  private func keep(_ received: Conversation.Received, _ raw: RawLine, for number: Int) {
    guard let asked = received.asked else { return }
    let isObject = raw.text.hasPrefix("{")
    let isWhole = asked.verb.map(Verb.wholeLines.contains) ?? false
    let text =
      isObject
      ? (isWhole ? received.line.note ?? "" : received.withoutOurTag(raw).text)
      : String(ServerLine.wholeText(of: raw.text, tag: asked.tag))
    jobs[number]?.size += text.utf8.count + 1
    if jobs[number]?.size ?? 0 <= Self.mostDelivered { jobs[number]?.texts.append(text) }
  }

  private func deliver(
    _ job: Job, _ received: Conversation.Received, _ raw: RawLine, to destination: PromptLine.Destination
  ) {
    guard job.size <= Self.mostDelivered else {
      return refuse("the answer has more than \(Self.mostDelivered >> 20) MiB, and went nowhere", job.line)
    }
    // An answer of one line has no lines of data.
    let isRows = received.asked?.verb?.listsRows == true
    let texts =
      isRows || !job.texts.isEmpty
      ? job.texts : [String(ServerLine.wholeText(of: raw.text, tag: received.asked?.tag))]
    switch destination {
    case .file(let path):
      do throws(RegularFile.Problem) {
        try RegularFile.write(texts.map { "\($0)\n" }.joined(), to: path, replaces: true)
        say("\(style(.quiet, "wrote \(path), \(texts.count == 1 ? "1 line" : "\(texts.count) lines")"))\n")
      } catch {
        refuse("\(path): \(error.text)", job.line)
      }
    case .command(let command):
      // What it prints goes to the terminal, so nothing that a terminal obeys goes to it.
      start(command, feeding: Array(texts.map { "\(VisibleText.escaped($0))\n" }.joined().utf8))?.finish()
    }
  }

  /// Whether an answer is awaited that goes elsewhere: the line is not done before.
  var isDelivering: Bool {
    jobs.contains { number, job in
      if case .send = job.purpose { client.conversation.isPending(job: number) } else { false }
    }
  }
}

extension ServerLine {
  /// The line without its tag, in the form of text.
  var written: String {
    var parts = words.map(Word.written)
    parts += fields.map {
      "\($0.key)=\(Word.needsQuotes($0.value, asValue: true) ? Word.quoted($0.value) : $0.value)"
    }
    let mark = Character(Unicode.Scalar(lineClass.rawValue))
    return ([String(mark)] + parts).joined(separator: " ") + (note.map { " : \($0)" } ?? "")
  }
}
