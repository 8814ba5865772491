internal import LineProtocol
internal import Scripts

/// What came of a question's line in a copy of the world. So the engine knows the answer, and why it is right.
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
  /// The timers that run afterwards, as `agenda` tells: the next one first.
  var agenda: [ServerLine] = []
  /// The event that the lesson itself sends, with its arguments.
  var event = ""

  /// An answer as it was typed, without what people add: quotes around it, and of an event the words of the request.
  static func answer(typed line: String, to question: Script.Question) -> String {
    var words = line.split { $0 == " " || $0 == "\t" }
    if case .event(let machine) = question.subject, words.count > 2, words[0] == "send", words[1] == machine {
      words.removeFirst(2)
    }
    let answer = words.joined(separator: " ")
    let isQuoted = answer.count > 1 && answer.first == answer.last && "\"'`".contains(answer.first ?? " ")
    return isQuoted ? String(answer.dropFirst().dropLast()) : answer
  }

  func judge(_ answer: String, to question: Script.Question) -> LessonPlay.Judgement {
    // An empty line asks for the answer.
    switch question.subject {
    case .state: answer.isEmpty ? .wrong(why) : judgeState(answer)
    case .event: answer.isEmpty ? .wrong("The event is \(event).") : judgeEvent(answer)
    case .time: answer.isEmpty ? .wrong(exactTime) : judgeTime(answer)
    }
  }

  // MARK: States

  private func judgeState(_ answer: String) -> LessonPlay.Judgement {
    if word == .fits { return .right(isWithoutMove ? why : "") }
    if case .isVague(let reason) = word { return .unclear(reason) }
    let answer = answer.lowercased()
    let isVerdict = Self.verdicts.contains(answer)
    if isVerdict, answer == (isRefused ? "refused" : reply?.words.first) { return .right(why) }
    if case .isNone(let reason) = word, !isVerdict { return .unclear(reason) }
    return .wrong(why)
  }

  /// Why a state that fits does not answer a question; nil if it does.
  ///
  /// - Parameter wanted: The state as the lesson's own line has it: if it has data, they are asked for.
  func doubt(about answer: String, wanted: StateText?) -> String? {
    if wanted?.hasData == true, StateText(answer)?.hasData == false {
      return "Its data are asked for as well: write them behind the state, in parentheses."
    }
    func regions(_ state: String) -> Int { StateName(state).text.count { $0 == "+" } }
    guard regions(answer) < regions(after) || StateName(before) != StateName(after) else { return nil }
    guard StateText(answer)?.matches(before) == true else { return nil }
    return regions(after) > 0
      ? "\(answer) is true already: write all regions, with '+' between them."
      : "\(answer) is true already: name the part of the state that changes."
  }

  /// What may become of a request besides a move; as answers to a question about a state they are right, too.
  static let verdicts = ["ignored", "refused", "stayed"]

  private var isRefused: Bool { reply?.lineClass == .failure }

  private var isWithoutMove: Bool { isRefused || reply?.words.first == "ignored" }

  /// Why the machine is in its state after the line.
  private var why: String {
    if let reply, isRefused {
      let reason = reply.note.map { ": \($0)" } ?? ""
      return "\(machine) refuses it\(reason). It stays in \(after)."
    }
    var sentences = journal.compactMap(sentence)
    if sentences.count > Self.mostSentences {
      sentences = ["…"] + sentences.suffix(Self.mostSentences)
    }
    guard sentences.isEmpty else { return sentences.joined(separator: " ") }
    guard let next = agenda.first, next.words.count > 2 else {
      return "Nothing happens to \(machine): none of its timers runs. It stays in \(after)."
    }
    return "Nothing happens to \(machine) yet: \(next.words[2]) is due at \(next.words[0]) s. It stays in \(after)."
  }

  private static let mostSentences = 3

  /// A sentence about a line of the journal that says what became of an input; nil for others.
  private func sentence(_ line: ServerLine) -> String? {
    let words = line.words
    guard words.count > 4, words[2] == machine else { return nil }
    let beginning =
      if let timer = line["timer"] {
        "At \(words[1]) s the timer \(timer) fires, and \(machine)"
      } else if let wire = line["wire"] {
        "Through a wire comes \(wire), and \(machine)"
      } else {
        "With \(line["event"] ?? "that")\(condition.map { " (\($0))" } ?? "") \(machine)"
      }
    switch (words[3], words.count) {
    case ("moved", 6...) where words[4] == words[5]: return "\(beginning) enters \(words[5]) anew."
    case ("moved", 6...): return "\(beginning) goes from \(words[4]) to \(words[5])."
    case ("stayed", _): return "\(beginning) stays in \(words[4]), where that is handled."
    case ("ignored", _):
      return "\(beginning) stays in \(words[4]) and ignores it\(reply?.note.map { ": \($0)" } ?? "")."
    case ("refused", _): return "\(beginning) stays in \(words[4]) and refuses it."
    default: return nil
    }
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
    guard let time = LessonTime.nanoseconds(answer) else {
      return .unclear("A time is written like 350ms, 0.35 (seconds) or 5m43s.")
    }
    let passes = max(0, end - start)
    // One per cent of what passes, and a millisecond at least.
    let isRight = (time - end).magnitude <= UInt64(max(passes / 100, 1_000_000))
    return isRight ? .right(exactTime) : .wrong(exactTime)
  }

  private var exactTime: String { "Exactly \(TimeText.seconds(end)) s\(reasonForTime)" }

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
    case .state: after
    case .event: event
    case .time: TimeText.seconds(end)
    }
  }
}

/// A moment of world time as people write it: one number with a unit (`350ms`), several (`5m43s`), or seconds.
enum LessonTime {
  /// - Returns: Nil for what is no time.
  static func nanoseconds(_ text: String) -> Int64? {
    if text.contains(":") { return onAClock(text) }
    let text = text.filter { $0 != " " }
    if let one = TimeText.time(text) { return one }
    var total: Int64 = 0
    var number = ""
    var unit = ""
    func isDigit(_ character: Character) -> Bool { character.isASCII && (character.isNumber || character == ".") }
    for character in text + "0" {
      if isDigit(character), !unit.isEmpty {
        guard let part = TimeText.time(number + unit), total <= TimeText.latest - part else { return nil }
        total += part
        (number, unit) = ("", "")
      }
      if isDigit(character) { number.append(character) } else { unit.append(character) }
    }
    return number == "0" && unit.isEmpty && !text.isEmpty ? total : nil
  }

  /// A time as `--present` shows it: `05:43.116`, `00:05:43`, `1d 00:05:43.5`.
  private static func onAClock(_ text: String) -> Int64? {
    let words = text.split(separator: " ")
    guard let last = words.last, words.count <= 2 else { return nil }
    let numbers = last.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(numbers.count), let seconds = numbers.last else { return nil }
    let units = ["h", "m"].suffix(numbers.count - 1)
    let parts = zip(numbers, units).map { "\($0)\($1)" } + ["\(seconds)s"]
    var total: Int64 = 0
    for part in words.dropLast().map(String.init) + parts {
      guard let time = TimeText.time(part), total <= TimeText.latest - time else { return nil }
      total += time
    }
    return total
  }
}
