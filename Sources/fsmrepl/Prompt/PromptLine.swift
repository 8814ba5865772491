internal import LineProtocol
internal import Scripts

/// A line as typed at the prompt, before it becomes requests.
///
/// What is here is for people at a prompt. In scripts, pipes and `-e` a line is a request as it stands.
enum PromptLine: Equatable {
  /// Where an answer goes instead of the screen.
  enum Destination: Equatable {
    /// A command of the shell, which reads it.
    case command(String)
    /// A file, which is overwritten.
    case file(String)
  }

  case nothing
  /// A line of an answer, which was copied with its request.
  case answer
  case request(String)
  /// A request whose answer goes elsewhere.
  case sent(String, to: Destination)
  /// `REQUEST => OUTCOME`
  case checked(String, ScriptOutcome)
  /// An `expect` of timers, a reading or coverage.
  case expectation(Script.Check)
  /// `at TIME LINE` and `after DURATION LINE`: a request that lets time pass, and the line that follows it.
  case timed(String, then: String)
  case leave
  case clear
  case version
  case topic(PromptHelp.Subject)
  /// Plays a script.
  case run(String)
  /// Questions about a machine.
  case quiz(String)
  /// The transitions of a machine that are untried.
  case cover(String)
  case shell(String)
  /// A mistake, in words.
  case wrong(String)

  /// - Parameter typed: Without what ``unmarked(_:)`` drops.
  init(_ typed: String) {
    var text = String(typed.drop { $0 == " " || $0 == "\t" })
    if text.hasPrefix("!") {
      self = Self.command(text)
      return
    }
    if text.hasPrefix("?") { text = "help \(text.dropFirst())" }
    let words = RequestText.split(text)
    guard let first = words.first, !first.hasPrefix("#") else {
      self = .nothing
      return
    }
    let word = String(first)
    if Self.answerMarks.contains(word) {
      self = .answer
      return
    }
    if Verb.named(word) == nil, let line = Self.local(word, text, words) {
      self = line
      return
    }
    if word == Verb.help.name, words.count == 2, Verb.named(String(words[1])) == nil,
      let subject = PromptHelp.Subject(String(words[1]))
    {
      self = .topic(subject)
      return
    }
    if word == Verb.expect.name, let line = Self.expectation(text) {
      self = line
      return
    }
    if let arrow = words.firstIndex(of: "=>") {
      self = Self.checked(text, words, arrow)
      return
    }
    self = Self.sent(text, words) ?? .request(text)
  }

  private static let answerMarks: Set = ["+", "-", ".", "*"]

  /// Whether a line is a row of a table that an answer has, which stands behind blanks, or behind a `>` if it is about
  /// the present state: its cells are apart, and its first is no verb.
  static func isRow(_ typed: String) -> Bool {
    guard typed.hasPrefix("  ") || typed.hasPrefix("> ") else { return false }
    // No request stands so far from the margin; a heading's second line does.
    if typed.hasPrefix(String(repeating: " ", count: 16)) { return true }
    let text = typed.drop { $0 == " " || $0 == ">" }
    guard let word = text.split(separator: " ").first.map(String.init), text.includes("  ") || text.contains("→") else {
      return false
    }
    return Verb.named(word) == nil && !LocalVerb.words.contains(word) && !["@", "#", "!"].contains(word.first)
  }

  // MARK: Words of the prompt

  private static func local(_ word: String, _ text: String, _ words: [Substring]) -> PromptLine? {
    if let time = ScriptTime(word) { return timed(time, text, words) }
    switch word {
    case LocalVerb.exit.name, "\\q": return alone(words, .leave)
    case LocalVerb.clear.name: return alone(words, .clear)
    case LocalVerb.version.name: return alone(words, .version)
    case LocalVerb.run.name:
      guard let files = RequestText.plain(words.dropFirst()), files.count == 1 else {
        return .wrong(LocalVerb.run.misfit)
      }
      return .run(LocalVerb.path(files[0]))
    case LocalVerb.quiz.name, LocalVerb.cover.name:
      let isQuiz = word == LocalVerb.quiz.name
      // A pattern is no name: practice is about one machine.
      guard let names = RequestText.plain(words.dropFirst()), names.count == 1,
        !names[0].contains(where: { "*?".contains($0) })
      else { return .wrong((isQuiz ? LocalVerb.quiz : .cover).misfit) }
      return isQuiz ? .quiz(names[0]) : .cover(names[0])
    case _ where LocalVerb.runWords.contains(word): return .wrong("'\(word)' \(onlyInRuns)")
    case _ where LocalVerb.scriptWords.contains(word):
      return .wrong("'\(word)' is for scripts: 'run FILE' plays a file with it here, 'fsmrepl run FILE' in a new world")
    case _:
      return MeantWords.advice(word, words.dropFirst().map(String.init)).map {
        .wrong("there is no verb '\(word)': \($0)")
      }
    }
  }

  /// Where what needs all notices of a world works.
  static let onlyInRuns = "is for 'fsmrepl run FILE', which watches a world from its beginning"

  /// - Returns: `nil` for a request of the protocol.
  private static func expectation(_ text: String) -> PromptLine? {
    do throws(WrongWord) {
      guard let check = try Script.Check.parse(text) else { return nil }
      guard !check.needsNotices else { return .wrong("'expect output' \(onlyInRuns)") }
      return .expectation(check)
    } catch {
      return .wrong(error.message)
    }
  }

  private static func alone(_ words: [Substring], _ line: PromptLine) -> PromptLine {
    words.count == 1 ? line : .wrong("'\(words[0])' stands alone")
  }

  private static func command(_ text: String) -> PromptLine {
    // A line of an answer that was copied with its request is no command.
    if text.hasPrefix("! "), let line = ServerLine(text), flows.contains(line.code), line.words.count == 1 {
      return .wrong("this is a line of the daemon, and no command")
    }
    let command = text.dropFirst().drop { $0 == " " || $0 == "\t" }
    return command.isEmpty ? .wrong("'! CMD' runs a command of the shell") : .shell(String(command))
  }

  private static let flows: Set = ["bye", "gap", "limit", "livelock", "world"]

  private static func timed(_ time: ScriptTime, _ text: String, _ words: [Substring]) -> PromptLine {
    let found = words.dropFirst().first.map(String.init)
    if let mistake = time.mistake(in: found, before: words.dropFirst(2).first.map(String.init)) {
      return .wrong(mistake)
    }
    let request = "\(time.request)\(found ?? "")"
    guard words.count > 2 else { return .request(request) }
    guard words[2] != "at", words[2] != "after" else { return .wrong("a line has one time") }
    let rest = String(text[words[2].startIndex...])
    if let mistake = mistake(in: rest) { return .wrong("\(mistake); no time has passed") }
    return .timed(request, then: rest)
  }

  /// What is wrong with a line by itself, which is to be known before time passes for it.
  private static func mistake(in text: String) -> String? {
    let request: RequestText
    switch PromptLine(text) {
    case .wrong(let mistake): return mistake
    case .request(let text), .checked(let text, _), .sent(let text, _): request = RequestText(text)
    case .nothing, .answer: return "a line must follow the time"
    case .expectation, .timed, .leave, .clear, .version, .topic, .run, .quiz, .cover, .shell: return nil
    }
    guard let word = request.verb, !LocalVerb.all.contains(where: { $0.name == word }) else { return nil }
    guard let verb = Verb.named(word) else {
      let meant = Nearest.match(word, among: Verb.allCases.map(\.name)).map { "; did you mean '\($0)'?" } ?? ""
      return "there is no verb '\(word)'\(meant)"
    }
    guard !fits(request.words.map { $0[...] }[...], verb) else { return nil }
    return "\(verb.name) is used as \(verb.entry.usages.map { "'\($0)'" }.joined(separator: " or "))"
  }

  // MARK: Outcomes and destinations

  private static func checked(_ text: String, _ words: [Substring], _ arrow: Int) -> PromptLine {
    guard arrow > 0 else { return .wrong("a request must stand before '=>'") }
    // As in a script, a remark may follow.
    let outcome = words[(arrow + 1)...].prefix { !$0.hasPrefix("#") }
    guard let line = ServerLine((["."] + outcome).joined(separator: " ")) else {
      return .wrong("the outcome after '=>' breaks the rules of words and quotes")
    }
    do throws(WrongWord) {
      let outcome = try ScriptOutcome(words: line.words, fields: line.fields)
      return .checked(before(words[arrow], in: text), outcome)
    } catch {
      return .wrong(error.message)
    }
  }

  /// `REQUEST | CMD` and `REQUEST > FILE`; `nil` for any other line.
  ///
  /// `|` and `>` can be words of a request, such as the data of an event. They are taken so where the line fits its
  /// verb's forms with them, and always after a verb whose words are a machine's own.
  private static func sent(_ text: String, _ words: [Substring]) -> PromptLine? {
    let start = words[0].hasPrefix("@") ? 1 : 0
    guard words.count > start + 1, let verb = Verb.named(String(words[start])) else { return nil }
    if let mistake = misplaced(words, verb, from: start + 1) { return .wrong(mistake) }
    guard words.count > start + 2, !verb.entry.parsedForms.contains(where: \.isOpen),
      !fits(words[(start + 1)...], verb),
      let index = words.indices.first(where: { $0 > start && (words[$0] == "|" || words[$0] == ">") }),
      index + 1 < words.count, fits(words[(start + 1)..<index], verb)
    else { return nil }
    let request = before(words[index], in: text)
    if words[index] == "|" { return .sent(request, to: .command(String(text[words[index + 1].startIndex...]))) }
    guard let files = RequestText.plain(words[(index + 1)...]), files.count == 1 else {
      return .wrong("a name of one file follows '>', with double quotes around a name with blanks or '='")
    }
    return .sent(request, to: .file(LocalVerb.path(files[0])))
  }

  /// What is wrong with a sign for a destination that would be taken for a pattern, which can have no such sign.
  private static func misplaced(_ words: [Substring], _ verb: Verb, from start: Int) -> String? {
    guard verb.listsRows, verb != .can,
      let index = words.indices.first(where: { $0 >= start && (words[$0].hasPrefix(">") || words[$0].hasPrefix("|")) })
    else { return nil }
    let (sign, rest) = (words[index].prefix(1), words[index].dropFirst())
    let what = sign == ">" ? "the name of a file" : "a command of the shell"
    if words[index] == ">>" { return "no answer is added to a file: '>' overwrites it" }
    guard rest.isEmpty else { return "a blank must follow '\(sign)': '\(sign) \(rest)'" }
    if index + 1 == words.count { return "\(what) must follow '\(sign)'" }
    return sign == ">" && words[index + 1].hasPrefix("'") ? "quotes around a name of a file are double: \"" : nil
  }

  private static func fits(_ words: ArraySlice<Substring>, _ verb: Verb) -> Bool {
    let plain = words.map(String.init).filter { !CompletionContext.isKeyed($0) }
    return UsageForm.misfit(of: plain, in: verb.entry.parsedForms) == nil
  }

  private static func before(_ word: Substring, in text: String) -> String {
    var request = text[..<word.startIndex]
    while let last = request.last, last == " " || last == "\t" { request.removeLast() }
    return String(request)
  }
}

extension PromptLine {
  /// The lines of a text that was typed or pasted.
  ///
  /// Of pasted lines of which some begin with `> `, as requests in documentation do, the others are answers and are left
  /// out.
  ///
  /// - Parameter isInDocument: Whether the text begins within a document, whose blank lines count.
  static func lines(of text: String, isInDocument: Bool) -> [String] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: !isInDocument).map(String.init)
    guard lines.count > 1, !isInDocument, lines.contains(where: { unmarked($0) != nil }) else { return lines }
    return lines.filter { unmarked($0) != nil }
  }

  /// What is being typed, without a prompt and a time before it.
  ///
  /// - Parameter lacksWord: Whether the next word has not begun; it counts as `x`.
  static func unfinished(_ typed: String, lacksWord: Bool) -> PromptLine {
    let text = unmarked(typed) ?? typed
    var line = PromptLine(lacksWord ? "\(text)x" : text)
    while case .timed(_, let rest) = line { line = PromptLine(rest) }
    return line
  }

  /// A line without the prompt that was copied with it: `> ` of documentation, or `main virtual 0.000> `.
  ///
  /// - Returns: `nil` for a line without a prompt.
  static func unmarked(_ typed: String) -> String? {
    let text = typed.drop { $0 == " " || $0 == "\t" }
    guard let end = text.firstIndex(of: ">") else { return nil }
    let tail = text[text.index(after: end)...]
    guard tail.isEmpty || tail.first == " " else { return nil }
    let words = text[..<end].split(separator: " ")
    // A world, how its clock goes, and its time, which ends at the mark.
    let isPrompt =
      words.count > 2 && PresentWorld.isPace(words[1]) && text[..<end].last != " "
      && (words[2].first?.isNumber == true || words[2].first == "-")
    guard words.isEmpty || isPrompt else { return nil }
    return String(tail.drop { $0 == " " })
  }
}
