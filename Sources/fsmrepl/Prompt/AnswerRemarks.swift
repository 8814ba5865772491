internal import LineProtocol
internal import Scripts
internal import UnixHost

/// What the prompt adds to an answer: what an input has caused, what a step back has taken back, and how to say what
/// was meant. It asks the daemon for that.
@MainActor
final class AnswerRemarks {
  private let client: Client
  private let screen: PromptScreen
  private var style: Style { screen.style }
  /// The number of the last input before the batch that is being typed.
  var batchStart: UInt64?
  /// The last `undo`, `redo` or `goto` of which it was said what it has done, in its world.
  private var lastStepBack: (world: String, sequence: String)?

  /// Fewer inputs are not worth a look at the journal of what one of them has caused.
  private static let maxCaused = 100

  init(client: Client, screen: PromptScreen) {
    self.client = client
    self.screen = screen
  }

  /// Whether a line ends an answer of which more can be said: for people, and not while a batch would be torn by it.
  private func ends(_ received: Conversation.Received) -> Conversation.Asked? {
    guard screen.isForPeople, let asked = received.asked, asked.asker == .user, received.line.lineClass != .data,
      !client.conversation.isCollecting
    else { return nil }
    return asked
  }

  /// Asks, and takes the answers.
  private func ask(_ requests: [String], _ then: @escaping ([Inquiry.Answer]) -> Inquiry.Outcome) {
    _ = client.begin(Inquiry(asking: requests, then))
  }

  // MARK: What an answer leaves out

  /// Says what else a request has done.
  func follow(_ received: Conversation.Received) {
    guard let asked = ends(received) else { return }
    if !asked.isInBatch { askForMore(asked, received) }
    lookAgain(after: asked.verb)
  }

  /// In front of a room, looks at the machine that was shown last, after a request that may have moved it.
  private func lookAgain(after verb: Verb?) {
    guard style.isPresenting, let verb, let (machine, _) = screen.presenter.shown,
      [.advance, .step, .cast, .undo, .redo, .goto, .end].contains(verb)
    else { return }
    ask(["show \(machine)"]) { [unowned self] answers in
      let state = ShownMachine(answers[0].rows).state
      let shown = screen.presenter.shown
      if !state.isEmpty, shown?.machine != machine || shown?.state != state {
        screen.say(screen.presenter.frame(of: machine, in: state))
      }
      return .end([])
    }
  }

  /// Asks for the inputs that wires have made of the outputs of a request, and for those that a step back has taken
  /// back.
  private func askForMore(_ asked: Conversation.Asked, _ received: Conversation.Received) {
    let last = received.line["seq"].flatMap { UInt64($0) }
    switch asked.verb {
    case .send, .fire:
      guard let last, received.line["outputs"]?.isEmpty == false else { return }
      askForCaused(since: last + 1, at: received.line["t"])
    case .cast, .step, .advance, .await:
      guard let last, let before = received.sequence, last > before else { return }
      askForCaused(since: before + 1)
    case .end: if let start = batchStart.take() { askForCaused(since: start + 1) }
    case .undo, .redo, .goto:
      guard let verb = asked.verb, let last, received.line.lineClass == .success else { return }
      guard asked.words.contains(where: { $0.hasPrefix("seq=") }) else { return reportStepBack("\(last)", by: verb) }
      // Its answer has the last input that stays; the next one names the step back that has undone it.
      ask([TakenBack.Range.request(of: "\(last + 1)")]) { [unowned self] answers in
        if let step = answers[0].rows.first?["undone"] { reportStepBack(step, by: verb) }
        return .end([])
      }
    case _: return
    }
  }

  /// Says what a step has taken back or brought back, of which its answer has only the time. A `goto` to the present has
  /// no number of its own, but that of an earlier step back.
  private func reportStepBack(_ sequence: String, by verb: Verb) {
    let world = client.conversation.place.world
    if let last = lastStepBack, last == (world, sequence) { return }
    lastStepBack = (world, sequence)
    ask([TakenBack.Range.request(of: sequence)]) { [unowned self] answers in
      guard let range = TakenBack.Range(answers[0].rows) else { return .end([]) }
      return .ask([range.request]) { [unowned self] answers in
        if let report = TakenBack(range, answers[0].rows).report(of: verb) { screen.sayLine("  \(report)") }
        return .end([])
      }
    }
  }

  /// - Parameter time: That of an input whose consequences are asked for; `nil` for all that a request has brought.
  private func askForCaused(since sequence: UInt64, at time: String? = nil) {
    ask(["journal since=\(sequence) limit=\(Self.maxCaused)"]) { [unowned self] answers in
      let rows = answers[0].rows
      let caused = CausedInputs(rows, at: time)
      let unreported = caused.inputs.filter { !screen.presenter.hasReported($0.sequence) }
      if !unreported.isEmpty {
        let text = caused.text(of: unreported, style: style)
        screen.say("  \(text.wrapped(width: screen.columns.map { $0 - 2 }))\n")
      }
      // Later inputs are reported from these on.
      if let last = rows.last?.words.first.flatMap({ UInt64($0) }) { client.note(sequence: last) }
      return .end([])
    }
  }

  // MARK: First words

  /// The first thing that people type is the name of an event or a machine: says how to send it.
  ///
  /// - Parameter isIdle: Whether no other request is under way.
  func explain(_ received: Conversation.Received, isIdle: Bool) {
    guard let asked = ends(received), !asked.isInBatch else { return }
    let isFailure = received.line.lineClass == .failure
    if asked.verb == .define { explainDefinition(received.line, asked) }
    explainAbsence(received.line, asked)
    if isFailure, let verb = asked.verb, verb.entry.parsedForms.contains(where: \.isOpen),
      let sign = asked.words.first(where: { $0 == ">" || $0 == "|" })
    {
      screen.sayLine("  the words after '\(verb.name)' belong to the machine, and so does '\(sign)'")
    }
    let isMisused = [FailureCode.usage.word, FailureCode.badArgument.word].contains(received.line.code)
    if isFailure, isMisused, let verb = asked.verb, let meant = MeantWords.comparison(in: [verb.name] + asked.words) {
      screen.sayLine("  \(meant)")
    }
    let words: [String]
    switch asked.verb {
    case nil where isFailure: words = RequestText.split(asked.text).filter { !$0.hasPrefix("@") }.map(String.init)
    case .send where isFailure && asked.words.count == 1: words = asked.words
    case .help where isFailure && asked.words.count == 1:
      return explainHelp(about: asked.words[0], isNearVerb: received.line["did-you-mean"] != nil)
    case .cancel where isFailure || isIdle: words = [Verb.cancel.name] + asked.words
    case _: return
    }
    explain(words, isRequest: asked.verb != nil)
  }

  /// Says what a word is that `help` does not know: a kind, which `describe` explains, or a machine or an event.
  ///
  /// - Parameter isNearVerb: Whether it may be a mistyped verb, rather than a mistyped kind.
  private func explainHelp(about word: String, isNearVerb: Bool) {
    let questions = ["list \(Word.written(word)) limit=1", "describe \(Word.written(word))"]
    ask(questions) { [unowned self] answers in
      let near = isNearVerb ? nil : answers[1].failure.flatMap { ServerLine($0) }?["did-you-mean"]
      if answers[0].rows.isEmpty, let kind = answers[1].failure == nil ? word : near {
        screen.sayLine("  \(style(.name, kind)) is a kind: 'describe \(kind)' explains it")
      } else {
        explain([word], isRequest: false)
      }
      return .end([])
    }
  }

  /// Says which of some words are names of machines and events, and how to use them.
  private func explain(_ words: [String], isRequest: Bool) {
    ask(["list limit=\(FirstWords.maxMachines)"]) { [unowned self] answers in
      let machines = answers[0].rows
      let kinds = FirstWords.kinds(of: machines)
      guard !kinds.isEmpty else { return .end([]) }
      return .ask(kinds.map { "describe \($0)" }) { [unowned self] answers in
        let descriptions = Dictionary(uniqueKeysWithValues: zip(kinds, answers.map(\.rows)))
        let found = FirstWords(words, machines, descriptions)
        if let hint = found.hint(isRequest: isRequest, style) { screen.sayLine("  \(hint)") }
        return .end([])
      }
    }
  }

  /// After a document was loaded or refused: says which machines have it, and how following its file ends.
  ///
  /// - Parameter line: `+ defined KIND version=N`, or a failure.
  private func explainDefinition(_ line: ServerLine, _ asked: Conversation.Asked) {
    guard let kind = asked.words.first, line.lineClass == .failure || line["version"] != nil else { return }
    let followed = client.followed.last { $0.path == asked.file && ($0.kind ?? kind) == kind }
    if let followed, !followed.isSavedAgain {
      let command = "load \(Word.written(followed.path))\(followed.kind.map { " as \($0)" } ?? "")"
      screen.sayLine("  loaded again whenever it is saved; '\(command)' once more ends that")
    }
    guard let version = line["version"], version != "1" else { return }
    switch followed?.following {
    case .anew where followed?.isSavedAgain == true: makeAnew(kind)
    case .anew:
      screen.sayLine("  machines that are there keep their version up to the next time, and are then made again")
    case .forNewMachines: screen.sayLine("  machines that are there keep their version; 'follow anew' makes them again")
    case nil: screen.sayLine("  machines that are there keep their version")
    }
  }

  /// After an answer about a name that no machine has or had: says so. Patterns fit what there is.
  private func explainAbsence(_ line: ServerLine, _ asked: Conversation.Asked) {
    guard line.lineClass == .success, let verb = asked.verb,
      let name = RequestText.plain(asked.words.filter { !CompletionContext.isKeyed($0) })?.first, !name.isEmpty,
      !name.contains(where: { "*?".contains($0) })
    else { return }
    switch verb {
    case .watch, .wave, .journal: break
    case .coverage, .list, .agenda, .count: if line.words.first != "0" { return }
    case _: return
    }
    let past = "journal \(Word.written(name)) limit=\(Self.maxCaused)"
    ask(["show \(Word.written(name))", past]) { [unowned self] answers in
      // Inputs of the whole world are of no machine.
      guard answers[1].rows.allSatisfy({ $0.words.count > 2 && $0.words[2] == "-" }),
        let failure = answers[0].failure.flatMap({ ServerLine($0) })
      else { return .end([]) }
      let note = failure.note ?? ""
      let later = verb == .watch ? "; one that is made later is watched" : ""
      let near = failure["did-you-mean"].flatMap { note.includes($0) ? nil : $0 }
      let meant: ScreenText = near.map { "; did you mean \(style(.name, $0))?" } ?? ""
      screen.sayLine("  \(note)\(later)\(meant)")
      return .end([])
    }
  }

  /// Drops the machines of a kind and makes them again, with their parameters and their wires.
  private func makeAnew(_ kind: String) {
    ask(["list kind=\(kind)", "wires"]) { [unowned self] answers in
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
    }
  }
}
