internal import LineProtocol
internal import Scripts
internal import UnixHost

/// What becomes of answers.
extension Prompting {
  /// More than this is not kept for a file or a command, in bytes.
  private static let mostDelivered = 256 << 20
  /// Fewer inputs are not worth a look at the journal of what one of them has caused.
  private static let mostCaused = 100

  /// Shows a line, or does with it what its request was for.
  func show(_ received: Conversation.Received, raw: RawLine) {
    if let number = received.asked?.job, jobs[number] != nil { return take(received, raw: raw, for: number) }
    showAnswer(received, raw)
    askForMore(about: received)
    lookAgain(after: received)
    explain(received)
  }

  private func take(_ received: Conversation.Received, raw: RawLine, for number: Int) {
    let line = received.line
    if line.lineClass == .data {
      // In place: a copy of the job would copy its lines for each new one.
      switch jobs[number]?.purpose {
      case .strictness, .caused, .judge, .look: jobs[number]?.rows.append(line)
      case .send: keep(received, raw, for: number)
      case .show, .time, .check: showAnswer(received, raw)
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
      if !isHint { showAnswer(received, raw) }
      askForMore(about: received)
      lookAgain(after: received)
      if !isGood, !received.isPassedOver { endPlay(of: job.line, line.code, word: job.line.word(wrongFor: line)) }
    case .time(let rest):
      if !isGood || line["fired"] != "0" { showAnswer(received, raw) }
      if isGood { return take(TypedLine(text: rest)) }
      sayLine("\(style(.attention, "not sent")): '\(rest)'")
    case .check(let outcome):
      showAnswer(received, raw)
      askForMore(about: received)
      lookAgain(after: received)
      compare(received, outcome, job.line)
    case .judge(let check):
      guard isGood else {
        sayLine(Wording(style: style).failure(line))
        if received.isPassedOver { return }
        return endPlay(of: job.line, line.code, word: 1)
      }
      guard let miss = check.miss(in: job.rows) else { return say(fit(job.line.expectation)) }
      reportMiss(miss.expected, miss.got, job.line, word: miss.word)
    case .send(let destination):
      guard isGood else { return showAnswer(received, raw) }
      deliver(job, received, raw, to: destination)
    case .strictness:
      beginsStrictly = isGood && job.rows.contains { $0.words.contains { $0.contains("strict") } }
      take(job.line)
    case .caused(let time):
      reportCaused(job.rows, at: time)
      // Later inputs are reported from these on.
      if let last = job.rows.last?.words.first.flatMap({ UInt64($0) }) { client.note(sequence: last) }
    case .look(let machine):
      let state = job.rows.first { $0.words.first == "state" && $0.words.count > 1 }?.words[1]
      if let state, presenter.shown?.machine != machine || presenter.shown?.state != state {
        say(presenter.frame(of: machine, in: state))
      }
    }
  }

  // MARK: Outcomes

  /// Says whether an answer is the outcome that was wanted.
  func compare(_ received: Conversation.Received, _ outcome: ScriptOutcome, _ line: TypedLine) {
    if received.isPassedOver { return }
    let (fits, found) = outcome.judge(received.line.written)
    if fits { return say(fit(outcome.text)) }
    reportMiss(outcome.text, found, line, word: line.step.map { $0.play.script.arrow(of: $0.step) + 1 } ?? 0)
  }

  private func fit(_ text: String) -> ScreenText {
    "  \(style(.good, "\(style.usesUnicode ? "✓" : "ok") \(text)"))\n"
  }

  private func reportMiss(_ expected: String, _ got: String, _ line: TypedLine, word: Int) {
    let text: ScreenText =
      "\(style(.bad, "not as expected")): \(style(.state, expected)) wanted, \(style(.state, got)) found"
    sayLine(text)
    endPlay(of: line, FailureCode.expected.word, word: word)
  }

  // MARK: What an input has caused

  /// In front of a room, looks at the machine that was shown last, after a request that may have moved it.
  private func lookAgain(after received: Conversation.Received) {
    guard style.isPresenting, case .people = presenter.format, let (machine, _) = presenter.shown,
      received.asked?.asker == .user, received.line.lineClass != .data, !client.conversation.isCollecting
    else { return }
    switch received.asked?.verb {
    case .advance, .step, .cast, .undo, .redo, .goto, .end:
      ask("show \(machine)", TypedLine(text: ""), .look(machine), by: .program)
    case _: return
    }
  }

  /// Asks for the inputs that wires have made of the outputs of a request, and for those that a step back has taken
  /// back, unless a batch would be torn by it.
  private func askForMore(about received: Conversation.Received) {
    guard case .people = presenter.format, let asked = received.asked, asked.asker == .user, !asked.isInBatch,
      received.line.lineClass != .data, !client.conversation.isCollecting
    else { return }
    let last = received.line["seq"].flatMap { UInt64($0) }
    switch asked.verb {
    case .send, .fire:
      guard let last, received.line["outputs"]?.isEmpty == false else { return }
      askForCaused(since: last + 1, at: received.line["t"])
    case .cast, .step, .advance, .await:
      guard let last, let before = received.sequence, last > before else { return }
      askForCaused(since: before + 1)
    case .end: if let start = batchStart.take() { askForCaused(since: start + 1) }
    case .goto where received.line.lineClass == .success && asked.words.contains { $0.hasPrefix("seq=") }:
      // Its answer has the last input that stays; the next one names the step back that has undone it.
      guard let last else { return }
      _ = client.begin(
        Inquiry(asking: [TakenBack.Range.request(of: String(last + 1))]) { [unowned self] answers in
          guard let step = answers[0].rows.first?["undone"] else { return .end([]) }
          return .ask([TakenBack.Range.request(of: step)]) { [unowned self] in reportTakenBack(by: .goto, $0) }
        })
    case .undo, .goto:
      // A `goto` to the present time takes no number, and has that of an earlier step back at most.
      guard let last, received.line.lineClass == .success else { return }
      let step = StepBack(world: client.conversation.place.world, sequence: last)
      guard step != lastStepBack else { return }
      lastStepBack = step
      askForTakenBack(by: asked.verb ?? .undo, last)
    case _: return
    }
  }

  /// Says what an `undo` or a `goto` has taken back, of which its answer has only the time.
  private func askForTakenBack(by verb: Verb, _ sequence: UInt64) {
    _ = client.begin(
      Inquiry(asking: [TakenBack.Range.request(of: String(sequence))]) { [unowned self] in
        reportTakenBack(by: verb, $0)
      })
  }

  private func reportTakenBack(by verb: Verb, _ answers: [Inquiry.Answer]) -> Inquiry.Outcome {
    guard let range = TakenBack.Range(answers[0].rows) else { return .end([]) }
    return .ask([range.request]) { [unowned self] answers in
      if let report = TakenBack(range, answers[0].rows).report(of: verb) { sayLine("  \(report)") }
      return .end([])
    }
  }

  private func askForCaused(since sequence: UInt64, at time: String? = nil) {
    ask(
      "journal since=\(sequence) limit=\(Self.mostCaused)", TypedLine(text: ""), .caused(at: time), by: .program)
  }

  private func reportCaused(_ rows: [ServerLine], at time: String?) {
    let caused = CausedInputs(rows, at: time)
    let unreported = caused.inputs.filter { !presenter.hasReported($0.sequence) }
    guard !unreported.isEmpty else { return }
    let text = caused.text(of: unreported, style: style)
    say("  \(text.wrapped(width: Descriptor.standardOutput.columns.map { $0 - 2 }))\n")
  }

  // MARK: First words

  /// The first thing that people type is the name of an event or a machine: says how to send it.
  private func explain(_ received: Conversation.Received) {
    guard case .people = presenter.format, let asked = received.asked, asked.asker == .user, !asked.isInBatch,
      !client.conversation.isCollecting, received.line.lineClass != .data
    else { return }
    let isFailure = received.line.lineClass == .failure
    if asked.verb == .define, !isFailure { explainDefinition(received.line, from: asked.file) }
    if isFailure, let verb = asked.verb, verb.entry.parsedForms.contains(where: \.isOpen),
      let sign = asked.words.first(where: { $0 == ">" || $0 == "|" })
    {
      sayLine("  the words after '\(verb.name)' belong to the machine, and so does '\(sign)'")
    }
    let isMisused = [FailureCode.usage.word, FailureCode.badArgument.word].contains(received.line.code)
    if isFailure, isMisused, let verb = asked.verb, let meant = MeantWords.comparison(in: [verb.name] + asked.words) {
      sayLine("  \(meant)")
    }
    let words: [String]
    switch asked.verb {
    case nil where isFailure: words = RequestText.split(asked.text).filter { !$0.hasPrefix("@") }.map(String.init)
    case .send where isFailure && asked.words.count == 1: words = asked.words
    case .help where isFailure && asked.words.count == 1:
      return explainHelp(about: asked.words[0], isNearVerb: received.line["did-you-mean"] != nil)
    case .cancel where isFailure || jobs.isEmpty: words = [Verb.cancel.name] + asked.words
    case _: return
    }
    explain(words, isRequest: asked.verb != nil)
  }

  /// Says what a word is that `help` does not know: a kind, which `describe` explains, or a machine or an event.
  ///
  /// - Parameter isNearVerb: Whether it may be a mistyped verb, rather than a mistyped kind.
  private func explainHelp(about word: String, isNearVerb: Bool) {
    let questions = ["list \(Word.written(word)) limit=1", "describe \(Word.written(word))"]
    _ = client.begin(
      Inquiry(asking: questions) { [unowned self] answers in
        let near = isNearVerb ? nil : answers[1].failure.flatMap { ServerLine($0) }?["did-you-mean"]
        if answers[0].rows.isEmpty, let kind = answers[1].failure == nil ? word : near {
          sayLine("  \(style(.name, kind)) is a kind: 'describe \(kind)' explains it")
        } else {
          explain([word], isRequest: false)
        }
        return .end([])
      })
  }

  /// Says which of some words are names of machines and events, and how to use them.
  private func explain(_ words: [String], isRequest: Bool) {
    _ = client.begin(
      Inquiry(asking: ["list limit=\(FirstWords.mostMachines)"]) { [unowned self] answers in
        let machines = answers[0].rows
        let kinds = FirstWords.kinds(of: machines)
        guard !kinds.isEmpty else { return .end([]) }
        return .ask(kinds.map { "describe \($0)" }) { [unowned self] answers in
          let descriptions = Dictionary(uniqueKeysWithValues: zip(kinds, answers.map(\.rows)))
          let found = FirstWords(words, machines, descriptions)
          if let hint = found.hint(isRequest: isRequest, style) { sayLine("  \(hint)") }
          return .end([])
        }
      })
  }

  /// After a document was loaded: says which machines have it, and how following its file ends.
  ///
  /// - Parameter line: `+ defined KIND version=N`.
  private func explainDefinition(_ line: ServerLine, from file: String?) {
    guard line.words.count == 2, let version = line["version"] else { return }
    let kind = line.words[1]
    let followed = client.followed.last { $0.path == file && ($0.kind ?? kind) == kind }
    if let followed, !followed.isSavedAgain {
      let command = "load \(Word.written(followed.path))\(followed.kind.map { " as \($0)" } ?? "")"
      sayLine("  loaded again whenever it is saved; '\(command)' once more ends that")
    }
    guard version != "1" else { return }
    switch followed?.following {
    case .anew where followed?.isSavedAgain == true: makeAnew(kind)
    case .anew: sayLine("  machines that are there keep their version up to the next time, and are then made again")
    case .forNewMachines: sayLine("  machines that are there keep their version; 'follow anew' makes them again")
    case nil: sayLine("  machines that are there keep their version")
    }
  }

  /// Drops the machines of a kind and makes them again, with their parameters and their wires.
  private func makeAnew(_ kind: String) {
    _ = client.begin(
      Inquiry(asking: ["list kind=\(kind)", "wires"]) { [unowned self] answers in
        let names = answers[0].rows.compactMap(\.words.first)
        let wires = answers[1].rows.map(\.words).filter {
          $0.count == 4 && (names.contains($0[0]) || names.contains($0[2]))
        }
        return .ask(names.map { "describe \($0)" }) { [unowned self] pages in
          for name in names { client.ask("drop \(name)") }
          for (name, page) in zip(names, pages) {
            let parameters = page.rows.compactMap { row in
              row.words.count > 1 && row.words[0] == "parameter"
                ? row["made"].map { " \(row.words[1])=\(Word.quoted($0))" } : nil
            }
            client.ask("new \(kind) \(name)\(parameters.joined())")
          }
          for wire in wires { client.ask("wire \(wire.map(Word.written).joined(separator: " "))") }
          return .end([])
        }
      })
  }

  // MARK: Questions

  func ask(_ text: ScreenText, _ answer: @escaping (Bool) -> Void) {
    sayLine(text)
    question = Question(answer: answer)
  }

  // MARK: Answers that go elsewhere

  private func keep(_ received: Conversation.Received, _ raw: RawLine, for number: Int) {
    let text = received.dataText(raw)
    jobs[number]?.size += text.utf8.count + 1
    if jobs[number]?.size ?? 0 <= Self.mostDelivered { jobs[number]?.texts.append(text) }
  }

  private func deliver(
    _ job: Job, _ received: Conversation.Received, _ raw: RawLine, to destination: PromptLine.Destination
  ) {
    guard job.size <= Self.mostDelivered else {
      return refuse("the answer has more than \(Self.mostDelivered >> 20) MiB, and was not delivered", job.line)
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
        sayLine("\(style(.quiet, "wrote \(path), \(texts.count == 1 ? "1 line" : "\(texts.count) lines")\(beside)"))")
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
