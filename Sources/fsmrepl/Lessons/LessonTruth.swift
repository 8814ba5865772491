internal import LineProtocol
internal import Scripts

/// The result of playing a question's line in a copy of the world: the right answer, and the reason for it.
struct LessonTruth: Equatable {
  /// What became of the learner's word in the copy.
  enum Word: Equatable {
    /// The machine is in the state that was named; or the event has the outcome that was wanted.
    case fits
    case differs
    /// It fits, but says less than was asked, for this reason.
    case isVague(String)
    /// It is no state or no event, for this reason.
    case isNone(String)
  }

  var wording = Wording(style: .bare)
  /// The machine that the question is about; empty if it is about time.
  var machine = ""
  /// Its state before and after the line.
  var before = ""
  var after = ""
  var word = Word.differs
  /// The last line of the answer to the line's own request; of a question about an event, of the learner's.
  var reply: ServerLine?
  /// World time before and after the line, in nanoseconds.
  var start: Int64 = 0
  var end: Int64 = 0
  /// What happened, in the lines of the journal.
  var journal: [ServerLine] = []
  /// The condition under which it happened, as the kind names it.
  var condition: String?
  /// The timers that run afterwards, as `agenda` lists them: the next one first.
  var agenda: [ServerLine] = []
  /// The event that the lesson itself sends, with its arguments.
  var event = ""

  /// An answer as it was typed, without what people add: quotes around it, and of an event the words of the request.
  static func answer(typed line: String, to question: Script.Question) -> String {
    var words = line.split { $0 == " " || $0 == "\t" }
    if case .event(let machine) = question.subject {
      let index = words.first == "send" ? 1 : 0
      if words.count > index + 1, words[index] == machine { words.removeFirst(index + 1) }
    }
    let answer = words.joined(separator: " ")
    let isQuoted = answer.count > 1 && answer.first == answer.last && "\"'`".contains(answer.first ?? " ")
    return isQuoted ? String(answer.dropFirst().dropLast()) : answer
  }

  func judge(_ answer: String, to question: Script.Question) -> LessonPlay.Judgement {
    // An empty line asks for the answer.
    switch question.subject {
    case .state: answer.isEmpty ? .wrong(why) : judgementOfState
    case .event: answer.isEmpty ? .wrong("The event is \(event).") : judgeEvent(answer)
    case .time: answer.isEmpty ? .wrong(exactTime) : judgeTime(answer)
    }
  }

  // MARK: States

  var judgementOfState: LessonPlay.Judgement {
    switch word {
    case .fits: .right(before == after ? why : "")
    case .isVague(let reason), .isNone(let reason): .unclear(reason)
    case .differs: .wrong(why)
    }
  }

  /// Classifies an answer that names a state; nil if it names none.
  ///
  /// - Parameters:
  ///   - question: Its text.
  ///   - wanted: The state as the lesson's own line has it.
  ///   - hasVerdict: Whether the sentence with it also says what becomes of the event.
  ///   - isIn: Whether the machine is in a state; nil if it has no state of that name, and then its states are returned, too.
  func word<Stop>(
    naming answer: String, to question: String, wanted: StateText?, hasVerdict: Bool = false,
    isIn: (String) throws(Stop) -> (isIn: Bool?, states: [String])
  ) throws(Stop) -> Word? {
    let (found, states) = try isIn(answer)
    if found == true {
      if let doubt = doubt(about: answer, wanted: wanted) { return .isVague(doubt) }
      return !hasVerdict && point(of: question) != nil ? .isVague(Self.missingPoint(in: answer)) : .fits
    }
    if found == false { return .differs }
    if let meant = LessonAnswer(answer, states: states, machine: machine), meant.state != answer {
      let verdict = meant.verdict.map { word(for: $0) } ?? .fits
      guard verdict == .fits, let state = meant.state else { return verdict }
      return try word(naming: state, to: question, wanted: wanted, hasVerdict: meant.verdict != nil, isIn: isIn)
    }
    // Data that stand after the state without parentheses.
    guard wanted?.hasData == true else { return nil }
    return LessonAnswer.state(meantBy: String(answer.prefix { $0 != " " }), of: states).map {
      .isVague(Self.missingData(of: $0))
    }
  }

  /// Why a state that fits does not answer a question; nil if it does.
  ///
  /// - Parameter wanted: The state as the lesson's own line has it. If it has data, they are asked for, and if it is
  ///   within another, the one around it is not enough.
  func doubt(about answer: String, wanted: StateText?) -> String? {
    if wanted?.hasData == true, StateText(answer)?.hasData == false { return Self.missingData(of: answer) }
    if wanted?.word.split(separator: "+").contains(where: { $0.hasPrefix("\(answer).") }) == true {
      return "\(answer) holds several states: name the one within it."
    }
    func regions(_ state: String) -> Int { Self.name(of: state).count { $0 == "+" } }
    guard regions(answer) < regions(after) || Self.name(of: before) != Self.name(of: after) else { return nil }
    guard StateText(answer)?.matches(before) == true else { return nil }
    return regions(after) > 0
      ? "\(answer) is true already: write all regions, with '+' between them."
      : "\(answer) is true already: name the part of the state that changes."
  }

  /// The name of a state as the daemon prints it, without its data.
  static func name(of state: String) -> String { String(state.prefix { $0 != "(" }) }

  /// The outcome of the line of a question that offers it as an answer. The state alone, which is the same as before,
  /// then says too little.
  func point(of question: String) -> String? {
    guard let reply, before == after else { return nil }
    let verdict = isRefused ? LessonAnswer.Verdict.refused.rawValue : reply.words.first ?? ""
    return Self.verdicts.contains(verdict) && question.lowercased().includes(verdict) ? verdict : nil
  }

  /// What is asked after an answer that misses the point.
  private static func missingPoint(in state: String) -> String {
    "The state is \(state), as before. But what becomes of the event: is it \(list(verdicts, "or"))?"
  }

  private static func missingData(of state: String) -> String {
    "The question asks for the data of the state as well. Write them in parentheses: \(state)(…)."
  }

  /// What a verdict is worth as an answer.
  func word(for verdict: LessonAnswer.Verdict) -> Word {
    switch verdict {
    case .refused: isRefused ? .fits : .differs
    case .ignored, .stayed: reply?.words.first == verdict.rawValue ? .fits : .differs
    case .nothing where isRefused || reply?.words.first == LessonAnswer.Verdict.stayed.rawValue:
      .isVague("Say which it is: \(Self.list(Self.verdicts, "or")).")
    case .nothing: isIgnored || reply == nil && journal.allSatisfy({ sentence($0) == nil }) ? .fits : .differs
    }
  }

  /// What may become of a request besides a move; as answers to a question about a state they are right, too.
  static let verdicts = ["ignored", "refused", "stayed"]

  /// Why an answer is none.
  ///
  /// - Parameters:
  ///   - failure: What the daemon says to it.
  ///   - noun: What the machine has not, if that is the reason: a state, an event.
  ///   - others: Answers that are none of the words that the daemon allows.
  func reason(_ failure: ServerLine, _ noun: String?, _ answer: String, orElse others: [String] = []) -> String {
    let note = noun.map { "\(machine) has no \($0) '\(answer)'" } ?? failure.note ?? failure.code
    if let meant = failure["did-you-mean"] { return "\(note). Did you mean \(meant)?" }
    let allowed = failure["allowed"]?.replaced(",", by: ", ") ?? ""
    let choices = allowed.isEmpty || allowed.count > 200 ? "" : " \(noun == nil ? "Allowed" : "It has"): \(allowed)."
    return "\(note).\(choices)\(others.isEmpty ? "" : " Other answers are \(Self.list(others, "and")).")"
  }

  private static func list(_ words: [String], _ joint: String) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return "\(words.dropLast().joined(separator: ", ")) \(joint) \(last)"
  }

  private var isRefused: Bool { reply?.lineClass == .failure }

  private var isIgnored: Bool { reply?.words.first == LessonAnswer.Verdict.ignored.rawValue }

  /// Why the machine is in its state after the line.
  private var why: String {
    if let reply, isRefused {
      let reason = reply.note.map { ": \($0)" } ?? ""
      return "\(machine) refuses '\(event)'\(reason). It stays in \(after)."
    }
    var sentences = journal.compactMap(sentence)
    if sentences.count > Self.maxSentences {
      sentences = ["…"] + sentences.suffix(Self.maxSentences)
    }
    guard sentences.isEmpty else { return sentences.joined(separator: " ") }
    guard let next = agenda.first, next.words.count > 2 else {
      return "Nothing happens to \(machine): none of its timers runs. It stays in \(after)."
    }
    return
      "Nothing happens to \(machine) yet: \(next.words[2]) is due at \(moment(next.words[0])). It stays in \(after)."
  }

  private static let maxSentences = 3

  /// A sentence about a line of the journal that says what became of an input; nil for others.
  private func sentence(_ line: ServerLine) -> String? {
    let words = line.words
    guard words.count > 4, words[2] == machine else { return nil }
    // The event of the question's own line is known with its data.
    let isOwn = words[0] == reply?["seq"]
    let beginning =
      if let timer = line["timer"] {
        "At \(moment(words[1])) the timer \(timer) fires, and \(machine)"
      } else if let wire = line["wire"] {
        "A wire delivers \(wire), and \(machine)"
      } else {
        "'\(isOwn ? event : line["event"] ?? "")'\(isOwn ? condition.map { ", \($0)" } ?? "" : ""): \(machine)"
      }
    switch (words[3], words.count) {
    case ("moved", 6...) where words[4] == words[5]: return "\(beginning) enters \(words[5]) anew."
    case ("moved", 6...): return "\(beginning) goes from \(words[4]) to \(words[5])."
    case ("stayed", _):
      let outputs = outputs(of: words[0])
      return "\(beginning) stays in \(words[4]) and \(outputs.isEmpty ? "handles it" : "puts out \(outputs)")."
    case ("ignored", _):
      return "\(beginning) stays in \(words[4]) and ignores it\(isOwn ? reply?.note.map { ": \($0)" } ?? "" : "")."
    case ("refused", _): return "\(beginning) stays in \(words[4]) and refuses it."
    default: return nil
    }
  }

  /// The names of what the machine put out upon an input: `a, b and c`.
  private func outputs(of sequence: String) -> String {
    let names = journal.map(\.words).filter { words in
      words.count > 4 && words[0] == sequence && words[2] == machine && words[3] == "output"
    }
    return Self.list(names.map { $0[4] }, "and")
  }

  // MARK: Events

  private func judgeEvent(_ answer: String) -> LessonPlay.Judgement {
    switch word {
    case .fits: return .right(answer == event ? "" : "The lesson goes on with \(event).")
    case .isVague(let reason), .isNone(let reason): return .unclear(reason)
    case .differs: return .wrong("\(whatCame) The event is \(event).")
    }
  }

  /// What the learner's event did.
  private var whatCame: String {
    guard let reply else { return "" }
    if reply.lineClass == .failure { return "\(machine) refuses that\(reply.note.map { ": \($0)" } ?? "")." }
    switch (reply.words.first, reply.words.count) {
    case ("moved", 3...): return "That brings \(machine) from \(reply.words[1]) to \(reply.words[2])."
    case ("stayed", 2...): return "That is handled within \(reply.words[1])."
    case ("ignored", 2...): return "That means nothing in \(reply.words[1]), so \(machine) ignores it."
    default: return ""
    }
  }

  // MARK: Times

  private func judgeTime(_ answer: String) -> LessonPlay.Judgement {
    guard let time = TimeText.time(ofPeople: LessonAnswer.time(answer)) else {
      return .unclear("A time is written like 350ms, 0.35 (seconds) or 5m43s.")
    }
    let passes = max(0, end - start)
    // One per cent of what passes, and a millisecond at least.
    let isRight = (time - end).magnitude <= UInt64(max(passes / 100, 1_000_000))
    return isRight ? .right(exactTime) : .wrong(exactTime)
  }

  private var exactTime: String { "Exactly \(moment(TimeText.seconds(end)))\(reasonForTime)" }

  private func moment(_ seconds: String) -> String { wording.moment(seconds, unit: " s") }

  /// The timer that fired last.
  private var reasonForTime: String {
    guard let line = journal.last(where: { $0.words.count > 3 && $0["timer"] != nil }), let timer = line["timer"] else {
      return "."
    }
    return ": then \(timer) of \(line.words[2]) fires."
  }

  /// The right answer, as somebody who knows it would type it.
  func answer(to question: Script.Question) -> String {
    switch question.subject {
    case .state: point(of: question.text) ?? after
    case .event: event
    case .time: wording.time(TimeText.seconds(end))
    }
  }
}
