import LineProtocol

/// What is expected, read from words: outcomes, `expect` and `never`.
extension ScriptWords {
  private static let longestName = 255

  /// The outcome after an arrow.
  func outcome(after arrow: Int) throws(WrongWord) -> ScriptOutcome {
    var plain: [String] = []
    var fields: [ServerLine.Field] = []
    for index in (arrow + 1)..<max(arrow + 1, words.count) {
      let word = words[index]
      if !word.isPlain {
        fields.append(ServerLine.Field(key: key(word), value: text(word)))
      } else if fields.isEmpty {
        plain.append(text(word))
      } else {
        throw WrongWord(word: index, message: "'\(text(word))' comes after key=value; the outcome comes first")
      }
    }
    do throws(WrongWord) {
      return try ScriptOutcome(words: plain, fields: fields)
    } catch {
      throw WrongWord(word: arrow + 1 + error.word, message: error.message)
    }
  }

  /// The check of an `expect`; nil if it is a request of the protocol.
  func check(_ first: Int) throws(WrongWord) -> Script.Check? {
    if isWord(first, "never") { return try never(first) }
    let end = (try? arrow(from: first)) ?? words.count
    let count = end - first
    let isOutput = isWord(first + 1, "output")
    // `expect coverage STATE` is about a machine of that name.
    let isCoverage = count > 3 && isWord(first + 1, "coverage")
    if count == 3, !isOutput, isWord(first + 2, "no-errors") { return .noErrors(machine: try machine(first + 1)) }
    guard count > 3, isOutput || isCoverage || words[first + 2].isPlain else { return nil }
    let sort = text(words[first + 2])
    if end < words.count, isOutput || isCoverage || sort == "timers" || sort == "reading" {
      throw WrongWord(
        word: end, message: "'=>' cannot follow an expectation of timers, a reading, an output or coverage")
    }
    if isCoverage { return try coverageCheck(first, count) }
    if isOutput { return try outputCheck(first, count) }
    if sort == "timers" {
      try exactly(4, first, "expect NAME timers T,…|none")
      let names = timers(first + 3)
      guard !names.contains("") else {
        throw WrongWord(
          word: first + 3,
          message: "'\(text(words[first + 3]))' is no list of timers; it is T,… without blanks, or none")
      }
      return .timers(machine: try machine(first + 1), names: names)
    }
    if sort == "reading" { return try readingCheck(first, count) }
    if let near = Nearest.match(sort, among: ["timers", "reading"]) {
      throw WrongWord(word: first + 2, message: "'\(sort)' cannot be expected; did you mean '\(near)'?")
    }
    return nil
  }

  func never(_ first: Int) throws(WrongWord) -> Script.Check {
    try exactly(3, first, "never NAME STATE")
    let machine = try machine(first + 1)
    let text = text(words[first + 2])
    guard words[first + 2].isPlain, let state = StateText(text) else {
      throw WrongWord(word: first + 2, message: "'\(text)' can be no state")
    }
    return .never(machine: machine, state)
  }

  private func outputCheck(_ first: Int, _ count: Int) throws(WrongWord) -> Script.Check {
    let form = "expect output NAME OUTPUT [within DURATION]"
    var within: Int64?
    if count > 4 {
      guard isWord(first + 4, "within") else {
        throw WrongWord(
          word: first + 4, message: "'\(text(words[first + 4]))' is not 'within'; the form is '\(form)'")
      }
      within = try duration(first + 5)
      try exactly(6, first, form)
    }
    return .output(machine: try machine(first + 2), name: text(words[first + 3]), within: within)
  }

  /// `expect coverage PATTERN >= N%`, of transitions.
  private func coverageCheck(_ first: Int, _ count: Int) throws(WrongWord) -> Script.Check {
    let form = "expect coverage NAME >= N%"
    guard isWord(first + 3, ">=") else {
      throw WrongWord(word: first + 3, message: "'\(text(words[first + 3]))' is not '>='; the form is '\(form)'")
    }
    try exactly(5, first, form)
    let text = text(words[first + 4])
    guard let percent = TransitionCoverage.percent(text) else {
      throw WrongWord(word: first + 4, message: "'\(text)' is no share; it is 0% to 100%")
    }
    return .coverage(pattern: self.text(words[first + 2]), percent: percent)
  }

  private func readingCheck(_ first: Int, _ count: Int) throws(WrongWord) -> Script.Check {
    let form = "expect NAME reading K VALUE [±TOLERANCE]"
    guard count > 4 else { throw WrongWord(word: first + 4, message: "a value is missing; the form is '\(form)'") }
    if count > 5 { try exactly(6, first, form) }
    let text = text(words[first + 4])
    let name = self.text(words[first + 3])
    let machine = try machine(first + 1)
    let number = Double(text).flatMap { $0.isFinite ? $0 : nil }
    let seconds = number == nil ? TimeText.time(text).map { Double($0) / 1e9 } : nil
    func wanted(_ tolerance: Double) -> Script.Reading? {
      number.map { .number($0, tolerance: tolerance) } ?? seconds.map { .seconds($0, tolerance: tolerance) }
    }
    guard count > 5 else {
      let isQuoted = words[first + 4].isQuoted
      let wanted = wanted(0) ?? (text == "none" && !isQuoted ? .none : .text(text))
      return .reading(machine: machine, name: name, isQuoted ? .quoted(text, or: wanted) : wanted)
    }
    let written = self.text(words[first + 5])
    let digits = written.hasPrefix("±") ? written.dropFirst() : written.hasPrefix("+-") ? written.dropFirst(2) : ""
    guard let tolerance = Double(digits), tolerance >= 0, tolerance.isFinite else {
      throw WrongWord(word: first + 5, message: "'\(written)' is no tolerance; it is ±NUMBER or +-NUMBER")
    }
    guard let wanted = wanted(tolerance) else {
      throw WrongWord(word: first + 4, message: "'\(text)' is no number, so there can be no tolerance")
    }
    return .reading(machine: machine, name: name, wanted)
  }

  private func machine(_ index: Int) throws(WrongWord) -> String {
    let text = text(words[index])
    if words[index].isPlain, Self.isMachine(text) { return text }
    throw WrongWord(word: index, message: Self.noMachine(text))
  }

  /// Whether a text can name a machine.
  static func isMachine(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { TextRules.isName(UnsafeRawBufferPointer($0), longest: longestName) }
  }

  static func noMachine(_ text: String) -> String {
    "'\(text)' is no name of a machine; it is a letter, then letters, digits, '_', '-' and '.'"
  }

  /// The duration at an index.
  private func duration(_ index: Int) throws(WrongWord) -> Int64 {
    guard words.indices.contains(index) else {
      throw WrongWord(word: index, message: "a duration must follow 'within': \(TimeText.durationForm)")
    }
    guard words[index].isPlain, let duration = TimeText.duration(bytes(words[index])) else {
      throw WrongWord(
        word: index,
        message: "'\(text(words[index]))' is no duration; it is \(TimeText.durationForm)"
          + TimeText.remark(on: text(words[index])))
    }
    return duration
  }

  /// Checks the number of words from an index to the end of the line.
  func exactly(_ count: Int, _ first: Int, _ form: String) throws(WrongWord) {
    guard words.count != first + count else { return }
    guard words.count > first + count else {
      throw WrongWord(word: words.count, message: "a word is missing; the form is '\(form)'")
    }
    throw WrongWord(
      word: first + count, message: "'\(text(words[first + count]))' is one word too many; the form is '\(form)'")
  }

  /// The timers that a word lists.
  func timers(_ word: Int) -> [String] {
    let text = text(words[word])
    return text == "none" ? [] : Self.split(text)
  }

  /// Splits at commas outside parentheses.
  private static func split(_ text: String) -> [String] {
    var depth = 0
    return text.split(omittingEmptySubsequences: false) { character in
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      return character == "," && depth == 0
    }.map(String.init)
  }
}

extension Script.Check {
  /// The check of a line that begins with `expect`; nil if the line is a request of the protocol.
  package static func parse(_ line: String) throws(WrongWord) -> Script.Check? {
    try ScriptWords(Array(line.utf8)).check(0)
  }

  /// Whether notices from the beginning of the script tell it, and no single answer.
  package var needsNotices: Bool {
    switch self {
    case .timers, .reading, .noErrors, .coverage: false
    case .output, .never: true
    }
  }
}
