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
  case request(String)
  /// A request whose answer goes elsewhere.
  case sent(String, to: Destination)
  /// `REQUEST => OUTCOME`
  case checked(String, ScriptOutcome)
  /// `at TIME LINE` and `after DURATION LINE`: a request that lets time pass, and the line that follows it.
  case timed(String, then: String)
  case leave
  case clear
  case version
  case topic(PromptHelp.Subject)
  /// Plays the requests in a file.
  case run(String)
  case shell(String)
  /// A mistake, in words.
  case wrong(String)

  /// - Parameter isTyped: Whether a person typed it. A line of a file that `run` plays has times and outcomes, but it
  ///   starts no programs and writes no files.
  init(_ typed: String, isTyped: Bool = true) {
    var text = String(typed.drop { $0 == " " || $0 == "\t" })
    if isTyped {
      if text == ">" || text.hasPrefix("> ") { text = String(text.dropFirst(2).drop { $0 == " " }) }
      if text.hasPrefix("!") {
        self = Self.command(text)
        return
      }
      if text.hasPrefix("?") { text = "help \(text.dropFirst())" }
    }
    let words = RequestText.split(text)
    guard let first = words.first, !first.hasPrefix("#") else {
      self = .nothing
      return
    }
    let word = String(first)
    if Verb.named(word) == nil, let line = Self.local(word, text, words, isTyped: isTyped) {
      self = line
      return
    }
    if word == Verb.help.name, words.count == 2, Verb.named(String(words[1])) == nil,
      let subject = PromptHelp.Subject(String(words[1]))
    {
      self = .topic(subject)
      return
    }
    if word == Verb.expect.name, Script.isOwnExpectation(text) {
      self = .wrong(
        "of expectations 'expect NAME STATE' alone works here; 'show NAME' has timers and readings, and \(Self.elsewhere)"
      )
      return
    }
    if let arrow = words.firstIndex(of: "=>") {
      self = Self.checked(text, words, arrow)
      return
    }
    self = (isTyped ? Self.sent(text, words) : nil) ?? .request(text)
  }

  private static let elsewhere = "'fsmrepl run FILE' plays scripts, which have the others"

  // MARK: Words of the prompt

  private static func local(_ word: String, _ text: String, _ words: [Substring], isTyped: Bool) -> PromptLine? {
    if let time = ScriptTime(word) { return timed(time, text, words) }
    switch word {
    case LocalVerb.exit.name, "\\q": return alone(words, .leave)
    case LocalVerb.clear.name: return alone(words, .clear)
    case LocalVerb.version.name: return alone(words, .version)
    case LocalVerb.run.name:
      guard isTyped else { return .wrong("'run' cannot stand in a file that 'run' plays") }
      guard let files = RequestText.plain(words.dropFirst()), files.count == 1 else {
        return .wrong(LocalVerb.run.misfit)
      }
      return .run(LocalVerb.path(files[0]))
    case "repeat", "let", "include", "never", "seed":
      return .wrong("'\(word)' is for scripts: 'fsmrepl run FILE' plays a file with it, in a world of its own")
    case _: return nil
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
    if let mistake = time.mistake(in: found) { return .wrong(mistake) }
    let request = "\(time.request)\(found ?? "")"
    guard words.count > 2 else { return .request(request) }
    guard words[2] != "at", words[2] != "after" else { return .wrong("a line has one time") }
    return .timed(request, then: String(text[words[2].startIndex...]))
  }

  // MARK: Outcomes and destinations

  private static func checked(_ text: String, _ words: [Substring], _ arrow: Int) -> PromptLine {
    guard arrow > 0 else { return .wrong("a request must stand before '=>'") }
    guard let line = ServerLine((["."] + words[(arrow + 1)...]).joined(separator: " ")) else {
      return .wrong("what stands behind '=>' breaks the rules of words and quotes")
    }
    do throws(ScriptOutcome.Failure) {
      let outcome = try ScriptOutcome(words: line.words, fields: line.fields)
      return .checked(before(words[arrow], in: text), outcome)
    } catch {
      switch error {
      case .wrong(let text, _): return .wrong(text)
      }
    }
  }

  /// `REQUEST | CMD` and `REQUEST > FILE`; `nil` for any other line.
  ///
  /// `|` and `>` can be words of a request, such as the data of an event. They are taken so where the line fits its
  /// verb's forms with them, and always behind a verb whose words are a machine's own.
  private static func sent(_ text: String, _ words: [Substring]) -> PromptLine? {
    let start = words[0].hasPrefix("@") ? 1 : 0
    guard words.count > start + 2, let verb = Verb.named(String(words[start])),
      !verb.entry.parsedForms.contains(where: \.isOpen), !fits(words[(start + 1)...], verb),
      let place = words.indices.first(where: { $0 > start && (words[$0] == "|" || words[$0] == ">") }),
      place + 1 < words.count, fits(words[(start + 1)..<place], verb)
    else { return nil }
    let request = before(words[place], in: text)
    if words[place] == "|" { return .sent(request, to: .command(String(text[words[place + 1].startIndex...]))) }
    guard let files = RequestText.plain(words[(place + 1)...]), files.count == 1 else {
      return .wrong("a name of one file follows '>', with double quotes around a name with blanks or '='")
    }
    return .sent(request, to: .file(LocalVerb.path(files[0])))
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
    guard lines.count > 1, !isInDocument, lines.contains(where: { $0.hasPrefix("> ") }) else { return lines }
    return lines.filter { $0.hasPrefix("> ") }
  }
}
