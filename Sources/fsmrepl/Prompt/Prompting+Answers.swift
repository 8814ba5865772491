internal import LineProtocol
internal import Scripts
internal import UnixHost

/// What becomes of answers.
extension Prompting {
  /// More than this is not kept for a file or a command, in bytes.
  private static let maxDelivered = 256 << 20

  /// Shows a line, or does with it what its request was for.
  func show(_ received: Conversation.Received, raw: RawLine) {
    if let number = received.asked?.job, jobs[number] != nil { return take(received, raw: raw, for: number) }
    screen.show(received, raw)
    remarks.follow(received)
    remarks.explain(received, isIdle: jobs.isEmpty)
  }

  private func take(_ received: Conversation.Received, raw: RawLine, for number: Int) {
    let line = received.line
    if line.lineClass == .data {
      // In place: a copy of the job would copy its lines for each new one.
      switch jobs[number]?.purpose {
      case .judge: jobs[number]?.rows.append(line)
      case .send: keep(received, raw, for: number)
      case .show, .time, .check: screen.show(received, raw)
      case nil: break
      }
      return
    }
    guard let job = jobs.removeValue(forKey: number) else { return }
    let isGood = line.lineClass == .success
    switch job.purpose {
    case .show:
      // Whoever has written a script knows how a batch ends.
      let isHint = isGood && job.line.step != nil && received.asked?.verb == .begin
      if !isHint { screen.show(received, raw) }
      remarks.follow(received)
      if !isGood, !received.isPassedOver { endPlay(of: job.line, line.code, word: job.line.word(wrongFor: line)) }
    case .time(let rest):
      if !isGood || line["fired"] != "0" { screen.show(received, raw) }
      if isGood { return take(TypedLine(text: rest)) }
      screen.sayLine("\(style(.attention, "not sent")): '\(rest)'")
    case .check(let outcome):
      screen.show(received, raw)
      remarks.follow(received)
      compare(received, outcome, job.line)
    case .judge(let check):
      guard isGood else {
        screen.sayLine(Wording(style: style).failure(line))
        if received.isPassedOver { return }
        return endPlay(of: job.line, line.code, word: 1)
      }
      guard let miss = check.miss(in: job.rows) else {
        let place = client.conversation.place
        return screen.say(fit(job.line.expectation, at: place.isRunning ? nil : place.time))
      }
      reportMiss(miss.expected, miss.got, job.line, word: miss.word)
    case .send(let destination):
      guard isGood else { return screen.show(received, raw) }
      deliver(job, received, raw, to: destination)
    }
  }

  // MARK: Outcomes

  /// Says whether an answer is the outcome that was wanted.
  func compare(_ received: Conversation.Received, _ outcome: ScriptOutcome, _ line: TypedLine) {
    if received.isPassedOver { return }
    if outcome.matches(received.line) { return screen.say(fit(outcome.text)) }
    reportMiss(
      outcome.text, outcome.found(received.line), line,
      word: line.step.map { $0.play.script.arrow(of: $0.step) + 1 } ?? 0)
  }

  /// - Parameter time: Of the world, if it stands still and nothing else has said it.
  private func fit(_ text: String, at time: String? = nil) -> ScreenText {
    let when = time.map { style(.quiet, "  \(Wording(style: style).moment($0))") } ?? ""
    return "  \(style(.good, "\(style.usesUnicode ? "✓" : "ok") \(text)"))\(when)\n"
  }

  private func reportMiss(_ expected: String, _ got: String, _ line: TypedLine, word: Int) {
    let text: ScreenText =
      "\(style(.bad, "not as expected")): \(style(.state, expected)) wanted, \(style(.state, got)) found"
    screen.sayLine(text)
    endPlay(of: line, FailureCode.expected.word, word: word)
  }

  // MARK: Questions

  func ask(_ text: ScreenText, _ answer: @escaping (Bool) -> Void) {
    screen.sayLine(text)
    question = answer
  }

  // MARK: Answers that go elsewhere

  private func keep(_ received: Conversation.Received, _ raw: RawLine, for number: Int) {
    let text = received.dataText(raw)
    jobs[number]?.size += text.utf8.count + 1
    if jobs[number]?.size ?? 0 <= Self.maxDelivered { jobs[number]?.texts.append(text) }
  }

  private func deliver(
    _ job: Job, _ received: Conversation.Received, _ raw: RawLine, to destination: PromptLine.Destination
  ) {
    guard job.size <= Self.maxDelivered else {
      return refuse("the answer has more than \(Self.maxDelivered >> 20) MiB, and was not delivered", job.line)
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
        var beside = ""
        if received.asked?.verb == .wave, let settings = ViewerSettings.path(beside: path) {
          let lines = ViewerSettings(of: texts, in: String(path.split(separator: "/").last ?? "")).lines
          try RegularFile.write(lines.map { "\($0)\n" }.joined(), to: settings, replaces: true)
          beside = ", and \(settings) for GTKWave"
        }
        screen.sayLine(
          "\(style(.quiet, "wrote \(path), \(texts.count == 1 ? "1 line" : "\(texts.count) lines")\(beside)"))")
        if received.line["omitted"] != nil { screen.sayLine(Wording(style: style).omission(received.line)) }
      } catch {
        refuse("\(path): \(error.text)", job.line)
      }
    case .command(let command):
      // What it prints goes to the terminal, so nothing that a terminal obeys goes to it.
      screen.start(command, feeding: Array(texts.map { "\(VisibleText.escaped($0))\n" }.joined().utf8))?.finish()
    }
  }

  /// Whether an answer is awaited that goes elsewhere: the line is not done before.
  var isDelivering: Bool {
    jobs.contains { number, job in
      if case .send = job.purpose { client.conversation.isPending(job: number) } else { false }
    }
  }
}
