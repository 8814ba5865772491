internal import LineProtocol
internal import Scripts
internal import UnixHost

/// Plays a script in a world that is dropped afterwards, to find the words that the daemon does not know.
///
/// It goes on after each mistake, and passes over what only follows from one. Whether expectations hold is not judged
/// here, only whether the machines have what is expected of them. A line that expects a failure is no mistake.
struct DryRun {
  private let script: Script
  private let part: Script.Part
  private let dialogue: Dialogue
  /// Whether the world is a fork of one that was there before, in which other machines may have been.
  private let isInSession: Bool
  /// Whether nothing is played afterwards, so that what a request has instead of its outcome is reported here.
  private let isAlone: Bool
  private var cursor: ScriptCursor
  /// How many steps were tried; all that are left, unless the script leaves the world, or is longer than the limits.
  private(set) var count = 0
  /// The same with the steps that begin and end repeats, which may have nothing in them.
  private var taken = 0
  /// Whether a limit has ended it before its last step.
  private(set) var isCut = false
  /// The host time at which it ends at the latest.
  private var end = UInt64.max
  /// The last step that was answered.
  private var answered = 0
  /// What the daemon says of documents.
  private var findings: [String] = []
  private var mistakes: [(step: Int, failure: RunFailure)] = []

  /// What was sent and is not answered yet.
  private var questions: [Question] = []
  /// The machines that lines have made, and the machines and kinds that mistaken lines should have made.
  private var made: Set<String> = []
  private var missed: Set<String> = []
  /// Names in the place of patterns, and of pictures, which have to be those of machines at some time.
  private var names: [(name: String, verb: Verb, step: Int, failure: (ServerLine) -> RunFailure)] = []
  /// How often machines or kinds were made or dropped since answers were read last.
  private var changes = 0
  /// The questions about machines and kinds, each with the number of changes before it, and the answers to them.
  private var asked: Set<String> = []
  private var answers: [String: Dialogue.Answer] = [:]
  private var mistaken: Set<Int> = []
  private var probes: [Int: Int] = [:]
  /// Whether a machine was dropped, or the world has gone back.
  private var hasDropped = false
  /// Whether the world may not be as it will be when the script is played, by its time or by what can be undone.
  private var isDoubtful = false
  /// Whether it has gone back since, so that nobody knows which machines there are.
  private var hasStrayed = false

  /// How many steps are tried at most, and how often a step is looked at whose words change.
  private static let maxSteps = 100_000
  private static let maxProbes = 100
  /// How long an answer may take, less at the prompt, where somebody waits; and all of them together, in nanoseconds.
  private var patience: UInt64 { isInSession ? TimeTrial.longest : 1_000_000_000 }
  static let maxDuration: UInt64 = 10_000_000_000
  /// How many requests are sent before their answers are read.
  private static let window = 256

  private struct Question {
    enum Subject {
      case request
      /// `show NAME` for a check: whether there is such a machine.
      case machine(word: Int)
      /// `describe NAME`: whether it has these.
      case words([(sort: Sort, name: String, word: Int)])
      /// `expect NAME STATE`
      case state(String, word: Int, isFirst: Bool)
      /// The same for a `never`.
      case never
    }

    let place: Int
    let turn: Int32
    let subject: Subject
    /// Its key in ``asked``; nil for a line of the script.
    var key: String?
    /// Whether it was sent; it is not where the same was asked before.
    var isSent = true
  }

  /// What `describe` lists, by the first words of its rows.
  private enum Sort: String { case timer, output, reading }

  /// - Parameters:
  ///   - part: What of it is tried; nil for all.
  ///   - cursor: Where it begins.
  ///   - isAlone: Whether nothing is played afterwards.
  ///   - dialogue: In the world in which the script is tried.
  init(
    _ script: Script, _ part: Script.Part? = nil, from cursor: ScriptCursor = ScriptCursor(), isInSession: Bool,
    isAlone: Bool = false, _ dialogue: Dialogue
  ) {
    self.script = script
    self.part = part ?? script.whole
    self.cursor = cursor
    self.isInSession = isInSession
    self.isAlone = isAlone
    self.dialogue = dialogue
  }

  /// A failure has all mistakes, the first with the others in it.
  var result: RunResult { Self.result(of: script, [self]) }

  /// What came of the dry runs of the parts of a script. A mistake of the set-up is reported once, as one of the first
  /// part.
  static func result(of script: Script, _ runs: [DryRun]) -> RunResult {
    var result = RunResult(name: script.name, ending: .passed)
    var mistakes: [(step: Int, failure: RunFailure)] = []
    var known: Set<Int> = []
    for run in runs {
      result.findings += run.findings.filter { !result.findings.contains($0) }
      if run.isCut {
        let place = script.place(of: script.steps[run.answered])
        result.findings.append("\(place): the words are checked up to this line; it takes too long to try the others")
      }
      mistakes += run.mistakes.filter { !known.contains($0.step) }
      known.formUnion(run.mistakes.map(\.step))
    }
    mistakes.sort { $0.step < $1.step }
    let failures = mistakes.prefix(ScriptLimits.mistakes).map { step, failure in
      var failure = failure
      failure.title = (runs.lazy.map(\.part).first { $0.body.contains(step) } ?? runs.first?.part)?.title
      return failure
    }
    guard var first = failures.first else { return result }
    first.others = Array(failures.dropFirst())
    first.more = mistakes.count - failures.count
    result.ending = .failed(first)
    return result
  }

  // MARK: Steps

  /// Plays up to the end, or as far as the limits allow.
  mutating func play() throws(Dialogue.Stop) {
    let outer = dialogue.deadline
    defer { dialogue.deadline = outer }
    end = min(outer ?? .max, HostClock.now() + Self.maxDuration)
    do throws(Dialogue.Stop) {
      try playSteps()
      dialogue.deadline = end
      try judgeNames()
    } catch {
      let isLate = error == .lost && HostClock.now() >= dialogue.deadline ?? .max
      guard error != .lost || isLate else { throw error }
      // What is under way ends, so that the next request is answered.
      isCut = true
      dialogue.deadline = HostClock.now() + Self.maxDuration
      dialogue.send("@\(Self.tag) cancel\n@\(Self.tag)done sync\n")
      while try dialogue.answer().last.tag != "\(Self.tag)done" {}
      if !isLate { throw error }
    }
  }

  /// The next answer, if it does not take too long.
  private func answer() throws(Dialogue.Stop) -> Dialogue.Answer {
    dialogue.deadline = min(end, HostClock.now() + patience)
    return try dialogue.answer()
  }

  private mutating func playSteps() throws(Dialogue.Stop) {
    while let place = cursor.place(in: part) {
      let step = script.steps[place]
      taken += 1
      guard taken <= Self.maxSteps else {
        isCut = true
        break
      }
      switch step.action {
      case .repeats, .again:
        cursor.pass(step.action)
        continue
      case .request(.begin, _):
        try playBatch()
        continue
      case .request(let verb?, _):
        let text = isInSession || Self.isOfWorlds(verb) ? script.request(of: step, turn: cursor.turn) : ""
        if leaves(verb, text) { return try settle() }
        if !isBeyond(verb, text) {
          note(verb)
          script.withRequest(of: step, turn: cursor.turn) { dialogue.send($0) }
          questions.append(Question(place: place, turn: cursor.turn, subject: .request))
        }
        probe(place, cursor.turn)
        if Self.takesLong(verb) || questions.count >= Self.window { try settle() }
      case .request(nil, _): break
      case .check(let check):
        // Time does not pass here up to an output.
        if case .output(_, _, _?) = script.checks[Int(check)] { isDoubtful = true }
        probe(place, cursor.turn)
      }
      count += 1
      cursor.next += 1
    }
    try settle()
  }

  /// Whether a request may have to be cancelled, so that no others may wait after it.
  private static func takesLong(_ verb: Verb) -> Bool {
    [.advance, .step, .await, .graph, .coverage, .wave, .cast].contains(verb)
  }

  private static func isOfWorlds(_ verb: Verb) -> Bool {
    [.use, .world, .diff, .clock, .watch, .unwatch].contains(verb)
  }

  /// Whether the steps after a request are played in another world.
  private func leaves(_ verb: Verb, _ text: String) -> Bool {
    verb == .use || verb == .world && isInSession && RequestText(text).words.first == "drop"
  }

  /// Whether a request is about more than the machines of this world. Its form is known to be right.
  private func isBeyond(_ verb: Verb, _ text: String) -> Bool {
    verb == .watch || verb == .unwatch || Self.isOfWorlds(verb) && isInSession && !RequestText(text).words.isEmpty
  }

  /// Plays a batch. A strict one reports all its mistakes, and none of its lines is run then.
  private mutating func playBatch() throws(Dialogue.Stop) {
    try settle()
    var lines: [(place: Int, turn: Int32)] = []
    dialogue.send("begin strict\n")
    var hasEnded = false
    // A script with mistakes can lack the end of its batch.
    while !hasEnded, let place = cursor.place(in: part) {
      let step = script.steps[place]
      taken += 1
      guard taken <= Self.maxSteps else { break }
      switch step.action {
      case .repeats, .again:
        cursor.pass(step.action)
        continue
      case .request(.begin, _): break
      case .request(.end, _): hasEnded = true
      case .request:
        let request = RequestText(script.request(of: step, turn: cursor.turn))
        if let verb = request.verb.flatMap(Verb.named) { note(verb) }
        let text = request.tag == nil ? request.text : ([request.verb ?? ""] + request.words).joined(separator: " ")
        dialogue.send("@\(Self.tag)\(lines.count) \(text)\n")
        lines.append((place, cursor.turn))
      case .check: lines.append((place, cursor.turn))
      }
      count += 1
      cursor.next += 1
    }
    dialogue.send("@\(Self.tag)end end\n")
    var last = try answer().last
    while last.tag != "\(Self.tag)end" {
      let found = try answer()
      last = found.last
      guard let number = last.tag.flatMap({ Int($0.dropFirst(Self.tag.count)) }), lines.indices.contains(number) else {
        continue
      }
      judge(found, Question(place: lines[number].place, turn: lines[number].turn, subject: .request))
    }
    if last.lineClass == .failure {
      isDoubtful = true
      for line in lines { miss(script.request(of: script.steps[line.place], turn: line.turn)) }
    }
    for line in lines { probe(line.place, line.turn) }
  }

  private static let tag = ".dry-"

  // MARK: Questions

  /// The verbs with a word that can be a pattern.
  private static let takingPatterns = Set(
    Verb.allCases.filter { verb in
      verb.entry.parsedForms.contains { form in
        form.places.contains { $0.placeholders.contains("PATTERN") }
      }
    })

  /// Asks whether machines have what a step expects of them, once for each way in which it is played.
  private mutating func probe(_ place: Int, _ turn: Int32) {
    let step = script.steps[place]
    if case .request(let verb?, ..<0) = step.action, !Self.takingPatterns.contains(verb) { return }
    let known = probes[place, default: 0]
    guard known < (step.isCounted ? Self.maxProbes : 1), !mistaken.contains(place) else { return }
    probes[place] = known + 1
    func ask(_ request: String, _ subject: Question.Subject) {
      let key = "\(changes) \(request)"
      let isNew = asked.insert(key).inserted
      if isNew { dialogue.send("\(request)\n") }
      questions.append(Question(place: place, turn: turn, subject: subject, key: key, isSent: isNew))
    }
    func ask(_ machine: String, word: Int, _ words: [(sort: Sort, name: String, word: Int)]) {
      ask("show \(machine)", .machine(word: word))
      ask("describe \(machine)", .words(words))
    }
    switch step.action {
    case .repeats, .again, .request(nil, _): break
    case .check(let number):
      switch script.check(number, turn: turn) {
      case .timers(let machine, let names): ask(machine, word: 1, names.map { (.timer, $0, 3) })
      case .reading(let machine, let name, _): ask(machine, word: 1, [(.reading, name, 3)])
      case .output where isInSession, .never where isInSession: break
      case .output(let machine, let name, _): ask(machine, word: 2, [(.output, name, 3)])
      case .never(let machine, let state): ask("expect \(machine) \(Word.written(state.word))", .never)
      case .noErrors(let machine): ask("show \(machine)", .machine(word: 1))
      case .coverage(let pattern, _): note(pattern, .coverage, place, turn, word: 2)
      }
    case .request(let verb?, _):
      let outcome = script.outcome(of: step, turn: turn)
      if case .refused? = outcome?.result { return }
      let words = RequestText(script.request(of: step, turn: turn)).words.filter { !CompletionContext.isKeyed($0) }
      let form = verb.entry.parsedForms.first { $0.misfit(of: words) == nil }
      for (number, word) in words.enumerated() where form?.place(number)?.placeholders.contains("PATTERN") == true {
        note(word, verb, place, turn, word: number + 1)
      }
      guard let outcome, let machine = words.dropFirst(verb == .new ? 1 : 0).first,
        [.send, .fire, .await, .expect, .new].contains(verb)
      else { return }
      let arrow = script.arrow(of: step) + 1
      for word in 0..<outcome.wordCount {
        guard let state = outcome.state(at: word) else { continue }
        ask("expect \(machine) \(Word.written(state))", .state(state, word: arrow + word, isFirst: word == 0))
      }
      guard let field = outcome.fields.firstIndex(where: { $0.key == "outputs" }) else { return }
      let outputs = outcome.fields[field].value.split(separator: ",")
      guard !outputs.isEmpty else { return }
      let word = arrow + outcome.wordCount + field
      ask("describe \(machine)", .words(outputs.map { (.output, String($0), word) }))
    }
  }

  /// Counts a request after which a question may have another answer.
  private mutating func note(_ verb: Verb) {
    if verb == .new || verb == .drop || verb == .define || verb.goesBack { changes += 1 }
  }

  /// Notes a name where a pattern can stand, to be looked at in the end.
  private mutating func note(_ name: String, _ verb: Verb, _ place: Int, _ turn: Int32, word: Int) {
    guard !isInSession, !name.contains(where: { "*?".contains($0) }) else { return }
    let (script, step) = (script, script.steps[place])
    names.append(
      (
        name, verb, place,
        { RunFailure(script, step, turn: turn, word: word, expected: "a machine", got: $0.note ?? "", $0) }
      ))
  }

  /// Reads the answers to all that was sent.
  private mutating func settle() throws(Dialogue.Stop) {
    let all = questions
    questions = []
    for question in all {
      guard question.isSent else {
        if let found = question.key.flatMap({ answers[$0] }) { judge(found, question) }
        continue
      }
      let found = try answer()
      if let key = question.key { answers[key] = found }
      judge(found, question)
      answered = question.place
    }
    // No question waits for an answer from before these.
    if changes > 0 { (changes, asked, answers) = (0, [], [:]) }
  }

  // MARK: Answers

  private mutating func judge(_ answer: Dialogue.Answer, _ question: Question) {
    let last = answer.last
    switch question.subject {
    case .request: judgeRequest(answer.rows, last, question)
    case .machine(let word) where last.lineClass == .failure:
      report(question, word: word, expected: "a machine", last)
    case .never where last.lineClass == .failure && last.code != FailureCode.expected.word:
      let word = last.code == FailureCode.unknownMachine.word ? 1 : 2
      report(question, word: word, expected: "a machine and a state of its kind", last, isRequest: true)
    case .state(let state, let word, let isFirst) where last["argument"] == "state":
      var last = last
      if isFirst, last["did-you-mean"] == nil, let meant = Nearest.match(state, among: ScriptOutcome.words) {
        last = last.meaning(meant)
      }
      report(question, word: word, expected: "a known state", last)
    // The page may be that of a kind of this name.
    case .words(let words):
      let page = answer.lines
      if page.first?["machine"] != nil { judge(words, page, question) }
    case .machine, .never, .state: break
    }
  }

  /// - Parameter page: What `describe` says of the machine.
  private mutating func judge(
    _ words: [(sort: Sort, name: String, word: Int)], _ page: [ServerLine], _ question: Question
  ) {
    guard let kind = page.first?.words.last else { return }
    for (sort, name, word) in words {
      let known = CatalogueRow.all(sort.rawValue, in: page).map(\.name)
      // A name may have a key: `alert(3)`.
      let bare = String(name.prefix { $0 != "(" })
      guard !known.contains("*"), !known.contains(name), !known.contains(bare) else { continue }
      let answer = ServerLine(
        lineClass: .failure, tag: nil, words: [FailureCode.unknownTimer.word],
        fields: [.init(key: sort.rawValue, value: name), .init(key: "allowed", value: known.joined(separator: ","))],
        note: "\(withArticle(kind)) has no \(sort.rawValue) '\(name)'")
      let meant = Nearest.match(bare, among: sort == .timer ? known + ["none"] : known)
      return report(
        question, word: word, expected: "a known \(sort.rawValue)", meant.map { answer.meaning($0) } ?? answer)
    }
  }

  private mutating func judgeRequest(_ rows: [String], _ last: ServerLine, _ question: Question) {
    let step = script.steps[question.place]
    guard case .request(let verb?, _) = step.action else { return }
    let outcome = script.outcome(of: step, turn: question.turn)
    let isExpected =
      if case .refused(let code)? = outcome?.result { !isAlone || (code ?? .refused).word == last.code } else { false }
    let isSuccess = last.lineClass == .success
    if verb.goesBack {
      hasDropped = true
      hasStrayed = hasStrayed || !isSuccess && !isExpected || isDoubtful
    }
    if verb == .drop { hasDropped = true }
    if verb == .define, isSuccess || !isExpected {
      findings += rows.map { script.finding($0, atStep: question.place) }
    }
    guard !isSuccess else {
      if verb == .new, let name = RequestText(script.request(of: step, turn: question.turn)).words.dropFirst().first {
        made.insert(name)
        missed.remove(name)
      }
      return
    }
    guard !isExpected else { return }
    if isMistake(last, of: verb, hasOutcome: outcome != nil) {
      report(
        question, word: script.word(of: step, turn: question.turn, wrongFor: last), expected: outcome?.text ?? "ok",
        last, isRequest: true)
    }
    // A machine that was made before is there.
    if last.code != FailureCode.nameTaken.word { miss(script.request(of: step, turn: question.turn)) }
  }

  /// Whether a failure is about the words of a line, and not about the states in which machines are.
  private func isMistake(_ last: ServerLine, of verb: Verb, hasOutcome: Bool) -> Bool {
    let isUncertain = (machines: script.mayMakeOthers.machines || hasStrayed, kinds: script.mayMakeOthers.kinds)
    switch FailureCode(rawValue: last.code) {
    case .unknownKind where verb == .describe, .unknownMachine where verb == .graph:
      return !isUncertain.machines && !isUncertain.kinds
    case .unknownMachine: return !isUncertain.machines
    case .unknownKind: return !isUncertain.kinds
    case .unknownVerb, .unknownEvent, .usage, .badDefinition, .syntax, .tooLong: return true
    // Which timers and wires there are depends on what came before.
    case .unknownTimer: return !isDoubtful || last["did-you-mean"] != nil
    case .badArgument where last["argument"] == "wire": return !isDoubtful
    // What was meant to be dropped before may still be there.
    case .nameTaken: return !isUncertain.machines && !isDoubtful
    // Whoever plays the script gets a report that the outcome is another.
    case .badArgument where verb == .send: return !hasOutcome || isAlone
    case .badArgument where verb == .advance || verb.goesBack: return !isDoubtful
    case .badArgument: return true
    case _: return false
    }
  }

  /// Notes what a line has not made.
  private mutating func miss(_ request: String) {
    let request = RequestText(request)
    switch request.verb.flatMap(Verb.named) {
    case .new: if let name = request.words.dropFirst().first { missed.insert(name) }
    case .define: if let name = request.words.first { missed.insert(name) }
    case _: break
    }
  }

  /// Reports a mistake, unless it follows from another one.
  private mutating func report(
    _ question: Question, word: Int, expected: String, _ answer: ServerLine, isRequest: Bool = false
  ) {
    let step = script.steps[question.place]
    let line = script.played(step, turn: question.turn) ?? script.request(of: step)
    let words = RequestText(line).words
    let isConsequence = words.contains { word in missed.contains { word == $0 || word.hasPrefix("\($0).") } }
    if !isRequest, answer.code == FailureCode.unknownMachine.word, script.mayMakeOthers.machines || hasStrayed {
      return
    }
    guard !isConsequence, mistakes.count < ScriptLimits.countedMistakes, mistaken.insert(question.place).inserted else {
      return
    }
    let note = answer.note ?? ""
    var failure = RunFailure(
      script, step, turn: question.turn, word: word, expected: expected,
      got: isRequest ? "refused \(answer.code) : \(note)" : note, answer)
    if isInSession, let remedy = Wording.remedy(answer) { failure.hints.append(remedy) }
    mistakes.append((question.place, failure))
    isDoubtful = true
  }

  /// Looks at names in the place of patterns, and at pictures: a machine had to have the name at some time.
  private mutating func judgeNames() throws(Dialogue.Stop) {
    for narration in script.narration {
      guard case .picture(let picture) = narration.content, part.title == nil || part.contains(narration.step) else {
        continue
      }
      let (script, step) = (script, narration.step)
      let failure = { (answer: ServerLine) in
        RunFailure(
          status: .failed, place: script.place(of: narration, word: 2), line: script.line(of: narration),
          expected: "a machine",
          got: answer.note ?? "", hints: Wording(style: .bare).hints(answer).map(\.text))
      }
      switch picture {
      case .graph(let name), .table(let name): names.append((name, .describe, step, failure))
      case .state(let name), .wave(let name?):
        if !isInSession, !name.contains(where: { "*?".contains($0) }) { names.append((name, .show, step, failure)) }
      case .wave(nil): break
      }
    }
    guard !script.mayMakeOthers.machines, !hasStrayed, !isCut else { return }
    var present = made
    for (name, verb, place, failure) in names where !present.contains(name) && !mistaken.contains(place) {
      let base = String(name.prefix { $0 != "." })
      guard !missed.contains(base), !missed.contains(name), !(hasDropped && made.contains(base)) else { continue }
      let shown = try dialogue.answer(to: "show \(name)").last
      let described = try dialogue.answer(to: "describe \(name)").last
      guard shown.lineClass == .failure, verb != .describe || described.lineClass == .failure else {
        present.insert(name)
        continue
      }
      mistaken.insert(place)
      let isKind = described.lineClass == .success && [.list, .count, .coverage].contains(verb)
      let answer = verb == .describe ? described : shown
      mistakes.append((place, failure(isKind ? answer.noting("'\(name)' is a kind; write kind=\(name)") : answer)))
    }
  }
}

extension ServerLine {
  fileprivate func meaning(_ word: String) -> ServerLine {
    ServerLine(
      lineClass: lineClass, tag: tag, words: words, fields: fields + [.init(key: "did-you-mean", value: word)],
      note: note)
  }

  /// The line with another text for people.
  func noting(_ note: String?) -> ServerLine {
    ServerLine(lineClass: lineClass, tag: tag, words: words, fields: fields, note: note)
  }
}
