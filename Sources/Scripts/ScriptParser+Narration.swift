import LineProtocol

/// Lines for people: narration, questions, pictures, free play. Their text is raw: it has no names, quotes or remarks.
/// Lines without a text can have a remark.
extension ScriptParser {
  /// What the parser knows of narration so far.
  struct Narrator {
    /// Whether a line that is not blank and no remark has come.
    fileprivate var hasLines = false
    /// A question that waits for its line, as an index of the narration.
    fileprivate var question: (place: Int, start: ScriptFailure)?
    /// The lesson's first line, until its level has come.
    fileprivate var heading: ScriptFailure?
    /// The block of free play that is being read, as an index of the narration.
    fileprivate var attempt: (place: Int, start: ScriptFailure)?
    /// A block of free play whose `end` has just come.
    fileprivate var closed: (place: Int, start: ScriptFailure)?
    /// Whether a line in that block was wrong, so that what it lacks only follows from that; and in the one being read.
    fileprivate var closedWithMistakes = false
    private var hasMistakes = false
    /// Whether a line was wrong that was to make a machine.
    fileprivate var hasLostMachine = false

    /// Takes notice of a wrong line, which is reported already.
    ///
    /// - Parameter word: The word that is meant by its first.
    mutating func pass(over word: String) {
      question = nil
      if attempt != nil { hasMistakes = true }
      if word == Keyword.level.rawValue { heading = nil }
      if word == Verb.new.name { hasLostMachine = true }
    }

    /// The `end` of the block is in the current line.
    mutating func endAttempt() {
      closed = attempt.take()
      closedWithMistakes = hasMistakes
      hasMistakes = false
    }
  }

  /// The words with which such lines begin; `show`, `point` and `pause` are also verbs.
  enum Keyword: String, CaseIterable {
    case lesson, level, say, ask, show, point, pause, goal, hint
    case attempt = "try"
  }

  // MARK: Lines

  /// Takes the current line if it is narration.
  ///
  /// - Returns: False for every other line.
  mutating func takeNarration() throws(ScriptFailure) -> Bool {
    defer { narrator.hasLines = true }
    guard let keyword = Self.keyword(raw) else { return false }
    switch keyword {
    case .lesson: try takeLesson()
    case .level: try takeLevel()
    case .say: try add(.say(said), "say")
    case .ask: try takeAsk()
    case .show: return try takeShow()
    case .point: return try takePoint()
    case .pause:
      // With an outcome it is the request.
      guard plainParts.count == 1 else { return false }
      try add(.pause, "pause")
    case .attempt: try takeAttempt()
    case .goal, .hint: try takeGoal(keyword)
    }
    return true
  }

  /// Checks what a line that is not narration means to the narration before it.
  mutating func finishLine() throws(ScriptFailure) {
    if let closed = narrator.closed.take() { try close(closed.place, closed.start) }
    guard let question = narrator.question, script.steps.count > script.narration[question.place].step else { return }
    narrator.question = nil
    try bind(question.place, question.start)
  }

  /// What is missing at the end of a file.
  mutating func missingNarration() -> ScriptFailure? {
    if let question = narrator.question.take() { return question.start }
    return isIncluded ? nil : narrator.heading.take()
  }

  /// The word with which a line begins.
  ///
  /// It is called for every line, so it looks at few bytes.
  private static func keyword(_ line: UnsafeRawBufferPointer) -> Keyword? {
    guard let start = line.firstIndex(where: { !isBlank($0) }) else { return nil }
    var end = start
    var packed: UInt64 = 0
    while end < line.count, end - start <= 6, !isBlank(line[end]) {
      packed = packed << 8 | UInt64(line[end])
      end += 1
    }
    return keywords.first { $0.packed == packed }?.keyword
  }

  /// The keywords with their bytes as a number, since a comparison of strings takes longer.
  private static let keywords = Keyword.allCases.map { keyword in
    (packed: keyword.rawValue.utf8.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }, keyword: keyword)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// The words of the line as they stand, with their offsets.
  private var parts: [(start: Int, text: String)] {
    raw.indices.split { Self.isBlank(raw[$0]) }.map { range in
      (range.startIndex, String(decoding: raw[range.startIndex..<range.endIndex], as: UTF8.self))
    }
  }

  /// The words up to a remark, of a line without a text.
  private var plainParts: [(start: Int, text: String)] { Array(parts.prefix { !$0.text.hasPrefix("#") }) }

  /// What stands after the first so many words, without the blanks around it.
  private func text(after words: Int) -> String {
    let parts = parts
    guard parts.count > words, let end = raw.lastIndex(where: { !Self.isBlank($0) }) else { return "" }
    return String(decoding: raw[parts[words].start...end], as: UTF8.self)
  }

  private var text: String { text(after: 1) }

  /// What stands after `say` and a blank: further blanks indent code.
  private var said: String {
    guard let word = parts.first, let end = raw.lastIndex(where: { !Self.isBlank($0) }) else { return "" }
    let start = word.start + Keyword.say.rawValue.utf8.count + 1
    return start <= end ? String(decoding: raw[start...end], as: UTF8.self) : ""
  }

  /// An error at a word of the line as it stands; after the last one if there is none at this index.
  private func mistake(_ part: Int, _ message: String) -> ScriptFailure {
    let parts = parts
    guard parts.indices.contains(part) else {
      return failure(at: raw.lastIndex { !Self.isBlank($0) }.map { $0 + 1 } ?? 0, message)
    }
    return failure(at: parts[part].start, message)
  }

  /// Adds narration in front of the next step.
  private mutating func add(_ content: Script.Narration.Content, _ word: String) throws(ScriptFailure) {
    if let question = narrator.question.take() { throw question.start }
    if narrator.attempt != nil {
      throw mistake(0, "a 'try' holds 'goal', 'hint' and the lines of a solution, but no '\(word)'")
    }
    if isInBatch { throw mistake(0, "'\(word)' cannot stand between 'begin' and 'end'") }
    if isInRepeat { throw mistake(0, "'\(word)' cannot stand in a 'repeat'") }
    script.narration.append(
      Script.Narration(source: Int32(source), line: Int32(line), step: script.steps.count, content: content))
  }

  /// Keeps a remark for those who show the script. It is said before what it stands in: a question or free play.
  mutating func takeRemark() {
    guard !isIncluded else { return }
    let line = String(decoding: raw, as: UTF8.self)
    let text: Substring = line.drop { $0 == " " || $0 == "\t" }.drop { $0 == "#" }.drop { $0 == " " }
    let place = narrator.question?.place ?? narrator.attempt?.place ?? script.narration.count
    let step = place < script.narration.count ? script.narration[place].step : script.steps.count
    script.narration.insert(
      Script.Narration(
        source: Int32(source), line: Int32(self.line), step: step, content: .remark(String(text))),
      at: place)
    narrator.question?.place += 1
    narrator.attempt?.place += 1
  }

  // MARK: The heading

  private mutating func takeLesson() throws(ScriptFailure) {
    guard !narrator.hasLines, !isIncluded else {
      throw mistake(0, "'lesson' is the first line of a script, before everything but remarks")
    }
    script.heading = Script.Heading(title: text, level: 1)
    narrator.heading = mistake(0, "a lesson has a level; 'level 1', 'level 2' or 'level 3' must follow")
    guard !text.isEmpty else { throw mistake(1, "a title must follow 'lesson'") }
  }

  private mutating func takeLevel() throws(ScriptFailure) {
    guard narrator.heading != nil, script.steps.isEmpty,
      script.narration.allSatisfy({ if case .remark = $0.content { true } else { false } })
    else {
      throw mistake(0, "'level' stands once, in the line after 'lesson'")
    }
    narrator.heading = nil
    let words = plainParts.map(\.text)
    guard words.count > 1 else { throw mistake(1, "a level must follow: 1, 2 or 3") }
    guard let level = Int(words[1]), (1...3).contains(level) else {
      throw mistake(1, "'\(words[1])' is no level; it is 1, 2 or 3")
    }
    guard words.count == 2 else { throw mistake(2, "'\(words[2])' is one word too many; the form is 'level \(level)'") }
    script.heading?.level = level
  }

  // MARK: Questions

  private mutating func takeAsk() throws(ScriptFailure) {
    let form = "'ask' is used as 'ask state QUESTION', 'ask event QUESTION' or 'ask time QUESTION'"
    let parts = parts
    guard parts.count > 1 else { throw mistake(1, form) }
    let subject: Script.Question.Subject
    let wanted: String
    switch parts[1].text {
    case "state": (subject, wanted) = (.state(machine: ""), "a line that sends something or lets time pass")
    case "event": (subject, wanted) = (.event(machine: ""), "'send NAME EVENT => OUTCOME'")
    case "time": (subject, wanted) = (.time, "'await' or 'step'")
    case let found:
      let hint = Nearest.match(found, among: ["state", "event", "time"]).map { "; did you mean 'ask \($0)'?" } ?? ""
      throw mistake(1, "'\(found)' cannot be asked\(hint.isEmpty ? "; \(form)" : hint)")
    }
    let question = text(after: 2)
    guard !question.isEmpty else { throw mistake(2, "a question must follow 'ask \(parts[1].text)'") }
    let here = script.steps.count
    try add(.ask(Script.Question(subject: subject, text: question, steps: here..<here)), "ask")
    narrator.question = (
      script.narration.count - 1, mistake(0, "the next line must be what this asks about: \(wanted)")
    )
  }

  /// Gives a question its line, which has just been read.
  private mutating func bind(_ place: Int, _ start: ScriptFailure) throws(ScriptFailure) {
    guard case .ask(var question) = script.narration[place].content else { return }
    let steps = question.steps.lowerBound..<script.steps.count
    question.steps = steps
    var verbs: [Verb] = []
    for step in script.steps[steps] {
      guard case .request(let verb?, _) = step.action else { throw start }
      verbs.append(verb)
    }
    guard let last = script.steps.last, let verb = verbs.last, case .request(_, let outcome) = last.action,
      verbs.dropLast().allSatisfy({ $0 == .advance })
    else { throw start }
    switch question.subject {
    case .state:
      guard Self.foretold.contains(verb) else { throw start }
      question.subject = .state(machine: try machine(of: verb, last))
    case .event:
      guard verb == .send, outcome >= 0 else { throw start }
      question.subject = .event(machine: try machine(of: verb, last))
    case .time:
      guard verb == .await || verb == .step else { throw start }
    }
    script.narration[place].content = .ask(question)
  }

  /// The verbs whose effect on a machine's state can be asked about.
  private static let foretold: Set<Verb> = [.send, .cast, .fire, .advance, .step, .await, .expect, .undo, .redo, .goto]

  /// The machine whose state a line changes: the one that it names, else the only one.
  private func machine(of verb: Verb, _ step: Script.Step) throws(ScriptFailure) -> String {
    switch verb {
    case .send, .fire, .await, .expect:
      let words = ServerLine("+ \(script.request(of: step))")?.words ?? []
      return words.count > 1 ? words[1] : ""
    default:
      return try onlyMachine {
        failure(
          at: 0,
          "this names no machine, and the script has \($0.isEmpty ? "none" : $0.joined(separator: " and ")); let a line like"
            + " 'after 1s expect NAME STATE' follow the question")
      }
    }
  }

  /// The only machine that the script has made so far.
  ///
  /// - Parameter mistake: Takes the names of those that it has made, two at most.
  private func onlyMachine(_ mistake: ([String]) -> ScriptFailure) throws(ScriptFailure) -> String {
    var names: [String] = []
    for step in script.steps where names.count < 2 {
      guard case .request(.new, _) = step.action, let words = ServerLine("+ \(script.request(of: step))")?.words,
        words.count > 2, !names.contains(words[2])
      else { continue }
      names.append(words[2])
    }
    if names.isEmpty, narrator.hasLostMachine { throw failure(at: 0, Self.isConsequence) }
    guard names.count == 1 else { throw mistake(names) }
    return names[0]
  }

  // MARK: Pictures

  /// - Returns: False for the request `show NAME`.
  private mutating func takeShow() throws(ScriptFailure) -> Bool {
    let parts = plainParts
    guard parts.count > 1, !parts.contains(where: { $0.text == "=>" }) else { return false }
    let picture: Script.Picture
    let name = parts.count > 2 ? try value(of: parts[2].text, part: 2) : nil
    switch (parts[1].text, name) {
    case ("graph", let name?): picture = .graph(name)
    case ("state", let name?): picture = .state(name)
    case ("table", let name?): picture = .table(name)
    case ("wave", _?): picture = .wave(name)
    // In other scripts a machine may have this name.
    case ("wave", nil) where script.heading != nil: picture = .wave(nil)
    case (let what, nil) where script.heading != nil && ["graph", "state", "table"].contains(what):
      throw mistake(2, "the name of a machine must follow 'show \(what)'")
    case _: return false
    }
    guard parts.count < 4 else { throw mistake(3, "'\(parts[3].text)' is one word too many") }
    if let name, parts[1].text != "wave", !ScriptWords.isMachine(name) { throw mistake(2, ScriptWords.noMachine(name)) }
    try add(.picture(picture), "show")
    return true
  }

  /// `point STATE`, for the only machine.
  ///
  /// - Returns: False for the requests `point NAME STATE` and `point say=TEXT`.
  private mutating func takePoint() throws(ScriptFailure) -> Bool {
    let parts = plainParts
    guard parts.count < 3, parts.dropFirst().first?.text.hasPrefix("say=") != true else { return false }
    guard parts.count == 2 else { throw mistake(1, "'point' is used as 'point [NAME] STATE'") }
    guard let state = StateText(parts[1].text) else { throw mistake(1, "'\(parts[1].text)' can be no state") }
    let name = try onlyMachine {
      mistake(
        1,
        "this does not say of which machine; the script has \($0.isEmpty ? "none" : $0.joined(separator: " and ")), and"
          + " the form is 'point NAME STATE'")
    }
    try takePart("point \(name) \(Word.written(state.word))")
    return true
  }

  /// A word with the values of its names.
  private func value(of text: String, part: Int) throws(ScriptFailure) -> String {
    guard text.contains("$") else { return text }
    var words = ScriptWords()
    let problem = Array(text.utf8).withUnsafeBytes { bytes -> ScriptWords.Problem? in
      do throws(ScriptWords.Problem) {
        try words.read(bytes, names: names)
        return nil
      } catch {
        return error
      }
    }
    if let problem { throw mistake(part, problem.message ?? Self.isConsequence) }
    guard words.holes.isEmpty, let word = words.words.first else {
      throw mistake(part, "'\(text)' counts, so it cannot stand here")
    }
    return words.text(word)
  }

  // MARK: Free play

  private mutating func takeAttempt() throws(ScriptFailure) {
    guard !text.isEmpty else {
      throw mistake(1, "a condition must follow 'try': one that can follow 'expect', or 'coverage NAME 100%'")
    }
    let here = script.steps.count
    let condition = text
    try add(.attempt(Script.Attempt(condition: condition, solution: here..<here, checks: here..<here)), "try")
    narrator.attempt = (script.narration.count - 1, mistake(0, "this 'try' has no solution"))
    try openAttempt(mistake(0, "this 'try' has no 'end'"))
  }

  /// `goal TEXT`, or `hint TEXT`.
  private mutating func takeGoal(_ word: Keyword) throws(ScriptFailure) {
    // The `try` was a mistake, so its lines are not worth another.
    if case .mistakenAttempt? = blocks.last?.block { return }
    guard let place = narrator.attempt?.place, case .attempt(var attempt) = script.narration[place].content,
      isInAttempt
    else { throw mistake(0, "'\(word.rawValue)' stands in a 'try', before its solution") }
    guard !text.isEmpty else { throw mistake(1, "a text must follow '\(word.rawValue)'") }
    guard word == .hint || attempt.goal.isEmpty else { throw mistake(0, "a 'try' has one goal") }
    guard script.steps.count == attempt.solution.lowerBound else {
      throw mistake(0, "'\(word.rawValue)' stands before the solution")
    }
    if word == .goal { attempt.goal = text } else { attempt.hints.append(text) }
    script.narration[place].content = .attempt(attempt)
  }

  /// Ends a block of free play: its condition is checked after its solution.
  private mutating func close(_ place: Int, _ start: ScriptFailure) throws(ScriptFailure) {
    guard case .attempt(var attempt) = script.narration[place].content else { return }
    let solution = attempt.solution.lowerBound..<script.steps.count
    guard !solution.isEmpty || narrator.closedWithMistakes else { throw start }
    guard !attempt.goal.isEmpty || narrator.closedWithMistakes else { throw start.saying("this 'try' has no 'goal'") }
    attempt.solution = solution
    // What fails is about the line of the `try`.
    let end = line
    line = start.line
    defer { line = end }
    let words = attempt.condition.split { $0 == " " || $0 == "\t" }.prefix { !$0.hasPrefix("#") }
    if words.first == "coverage" {
      var written: [String] = []
      for word in words {
        do throws(ScriptFailure) {
          written.append(try value(of: String(word), part: 0))
        } catch {
          throw error.message == Self.isConsequence ? error : start.saying(error.message)
        }
      }
      try addCoverage(written, start)
    } else {
      try addExpectation(attempt.condition, start)
    }
    attempt.checks = solution.upperBound..<script.steps.count
    script.narration[place].content = .attempt(attempt)
  }

  /// `coverage NAME N%`.
  private mutating func addCoverage(_ words: [String], _ start: ScriptFailure) throws(ScriptFailure) {
    let form = "the form is 'try coverage NAME 100%'"
    guard words.count == 3 else { throw start.saying(form) }
    guard let percent = TransitionCoverage.percent(words[2]), percent > 0 else {
      throw start.saying("'\(words[2])' is not 1% to 100%; \(form)")
    }
    try append(.coverage(pattern: words[1], percent: percent), from: 0)
  }

  private mutating func addExpectation(_ condition: String, _ start: ScriptFailure) throws(ScriptFailure) {
    do throws(ScriptFailure) {
      try takePart("expect \(condition)")
    } catch {
      // The condition stands after the `try`, which is shorter by three than `expect`.
      throw start.saying(error.message, columnsOn: error.column - 4)
    }
    guard let step = script.steps.last else { return }
    switch step.action {
    case .request(.expect, outcome: -1): return
    case .check(let place):
      switch script.checks[Int(place)] {
      case .timers, .reading, .noErrors, .coverage: return
      case .output, .never: break
      }
    case .request, .repeats, .again: break
    }
    throw start.saying(
      "a condition is a state, timers, a reading or a coverage: 'key on', 'key timers none', 'f reading R V'",
      columnsOn: 4)
  }
}

extension ScriptFailure {
  /// Another mistake at the same place, or some columns after it.
  fileprivate func saying(_ message: String, columnsOn: Int = 0) -> ScriptFailure {
    ScriptFailure(file: file, line: line, column: column + columnsOn, message: message)
  }
}
