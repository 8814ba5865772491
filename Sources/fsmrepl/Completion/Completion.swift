internal import LineProtocol
internal import Scripts

/// What can be inserted at the cursor.
struct Completion: Equatable {
  struct Candidate: Equatable {
    /// The text to insert, quotes included.
    let text: String
    /// A description for the list.
    var detail = ""
    /// Why it would do nothing now, although it is allowed here: `not now`, `not running`.
    var lack = ""

    var isPossible: Bool { lack.isEmpty }
  }

  var candidates: [Candidate] = []
  /// Whether there are more candidates than listed, so that their common prefix means nothing.
  var isCut = false
  /// What else is expected here that cannot be listed.
  var hint = ""
  /// The typed part of the word; of `key=value` the value, with the key in `stem`.
  var typed = ""
  var stem = ""

  /// The text that all candidates begin with.
  var common: String {
    guard var common = candidates.first?.text else { return "" }
    for candidate in candidates.dropFirst() {
      common = String(zip(common, candidate.text).prefix { $0 == $1 }.map(\.0))
    }
    return common
  }

  /// Whether exactly one continuation exists.
  var isSettled: Bool {
    candidates.count == 1 && insertion != nil
  }

  /// The text inserted without a choice; `nil` when there is more to choose from than is listed.
  var insertion: String? {
    if candidates.isEmpty || isCut { return nil }
    return hint.isEmpty || !typed.isEmpty ? common : nil
  }

  /// The completions within a document: its end.
  static func ofDocument(_ text: String) -> Completion {
    let typed = String(text.drop { $0 == " " || $0 == "\t" })
    guard DocumentSource.end.hasPrefix(typed) else { return Completion() }
    return Completion(
      candidates: [Candidate(text: DocumentSource.end)], hint: typed.isEmpty ? "a line of the document" : "",
      typed: typed)
  }
}

/// Finds completions by asking the daemon.
struct Completer {
  /// Sends requests and returns the lines of each reply; `nil` for a timeout.
  let replies: ([String]) -> [[ServerLine]?]
  /// How many names are requested at once.
  static let most = 100

  /// The completions for the end of `text`.
  ///
  /// - Parameter grammar: From ``Grammar/init(help:)``.
  func complete(_ text: String, grammar: Grammar) -> Completion {
    let context = CompletionContext(text, grammar: grammar)
    var found = Completion(typed: context.prefix, stem: context.stem)
    var hints: [String] = []
    for want in context.wants {
      let offer =
        want == .placeholder("FILE", bound: [])
        ? files(context) : self.offer(for: want, prefix: context.prefix, grammar: grammar)
      found.candidates += offer.candidates
      found.isCut = found.isCut || offer.isCut
      if !offer.hint.isEmpty { hints.append(VisibleText.escaped(offer.hint)) }
    }
    var seen: Set<String> = []
    // Control characters must not get into the line: readline would print them unescaped.
    found.candidates = found.candidates.filter {
      $0.text.hasPrefix(context.prefix) && VisibleText.isVisible($0.text) && seen.insert($0.text).inserted
    }.map { Completion.Candidate(text: context.stem + $0.text, detail: $0.detail, lack: $0.lack) }
    if hints.isEmpty, found.candidates.isEmpty { hints = context.usages.map(VisibleText.escaped) }
    found.hint = hints.joined(separator: "\n")
    return found
  }

  /// Files that the verb can read, or all; after `#` the diagrams of a page.
  private func files(_ context: CompletionContext) -> Completion {
    let verb = context.usages.first?.split(separator: " ").first
    if verb == "load", let mark = context.prefix.lastIndex(of: "#") {
      let page = String(context.prefix[..<mark])
      if case .bytes(let bytes) = RunFiles.load(LocalVerb.path(page), endings: DocumentSource.pageEndings) {
        let diagrams = DocumentSource.diagrams(ofPage: page, bytes) ?? []
        return Completion(candidates: diagrams.map { .init(text: $0.name, detail: $0.heading) })
      }
    }
    return FileNames.completion(of: context.prefix) { name in
      switch verb {
      case "load": DocumentSource.isDocumentOrPage(name)
      case "run": name.hasSuffix(ScriptLimits.ending)
      case _: true
      }
    }
  }

  private func offer(for want: CompletionContext.Want, prefix: String, grammar: Grammar) -> Completion {
    switch want {
    case .verb:
      return Completion(candidates: grammar.verbs.map { .init(text: $0.name, detail: $0.summary) })
    case .literal(let word):
      return Completion(candidates: [.init(text: word)])
    case .literals(let words, let request):
      let allowed = replies([request])[0]?.last?["allowed"]?.split(separator: ",").map(String.init)
      return Completion(candidates: words.filter { allowed?.contains($0) ?? true }.map { .init(text: $0) })
    case .key(let name, let hint):
      return Completion(candidates: [.init(text: "\(name)=", detail: hint)])
    case .placeholder(let name, let bound):
      return offer(for: name, bound: bound, prefix: prefix, grammar: grammar)
    case .parameter(let kind, let given):
      let rows = describe(kind, "parameter").filter { !given.contains($0.name) }
      return Completion(candidates: rows.map { .init(text: "\($0.name)=", detail: $0.about) })
    case .parameterValue(let kind, let name):
      guard let row = describe(kind, "parameter").first(where: { $0.name == name }) else { return Completion() }
      return Completion(candidates: row.choices.map { .init(text: Word.written($0)) }, hint: row.labelled)
    case .program:
      return ProgramNames.completion(of: prefix)
    }
  }

  private func offer(
    for placeholder: String, bound: [CompletionContext.Binding], prefix: String, grammar: Grammar
  ) -> Completion {
    func given(_ names: String...) -> String? { bound.last { names.contains($0.placeholder) }?.word }
    switch placeholder {
    case "VERB":
      return Completion(candidates: grammar.verbs.map { .init(text: $0.name, detail: $0.summary) })
    case "KIND":
      let rows = ask(["kinds"])[0] ?? []
      return Completion(
        candidates: rows.compactMap { line in line.words.first.map { .init(text: $0, detail: line.note ?? "") } })
    case "NAME" where given("KIND") != nil:
      return Completion(hint: "NAME: a name for the new machine")
    case "W" where given("new", "fork") != nil:
      return Completion(hint: "W: a name for the new world")
    case "NAME", "FROM", "TO":
      return machines(prefix: prefix)
    case "PATTERN":
      var found = machines(prefix: prefix)
      if found.candidates.isEmpty { found.hint = "PATTERN: a name, or one with * and ?" }
      return found
    case "W", "W1", "W2":
      return Completion(candidates: names(in: ask(["worlds"])[0]))
    case "HOST":
      let hosts = Set((ask(["worlds"])[0] ?? []).compactMap { $0["host"] }.filter { $0 != "-" })
      return Completion(candidates: hosts.sorted().map { .init(text: $0) }, hint: "HOST: the name of a daemon")
    case "TIME":
      var found = given("until") != nil ? dueTimes() : pastTimes()
      found.hint = Self.hints[placeholder] ?? placeholder
      return found
    case "EVENT":
      return events(of: given("NAME", "TO", "PATTERN"), areQuoted: prefix.hasPrefix("\""))
    case "argument", "ARGUMENT":
      return argument(bound)
    case "TIMER":
      guard let name = given("NAME") else { return Completion() }
      return timers(of: name)
    case "TIMERS":
      guard let name = given("NAME") else { return Completion() }
      return Self.list(timers(of: name), typed: prefix)
    case "READING":
      return Completion(candidates: readings(of: given("NAME")).map { .init(text: $0.name, detail: $0.value) })
    case "VALUE":
      let reading = given("READING")
      let present = readings(of: given("NAME")).filter { $0.name == reading }
      return Completion(
        candidates: present.map { .init(text: Word.written($0.value), detail: "now") } + [.init(text: "none")],
        hint: "VALUE: a number, a text, or a time with its unit")
    case "OUTPUT":
      return Completion(
        candidates: rows("output", of: given("FROM", "NAME")).map { .init(text: $0.name, detail: $0.about) })
    case "STATE":
      let rows = given("KIND").map { describe($0, "state") } ?? rows("state", of: given("NAME"))
      return rows.isEmpty ? Completion(hint: "STATE") : Self.states(rows, typed: prefix)
    case "FOLDER":
      return FileNames.completion(of: prefix)
    default:
      return Completion(hint: Self.hints[placeholder] ?? placeholder)
    }
  }

  private static let hints = [
    "DURATION": "DURATION: such as 250ms, 1.5s, 10m, 6h, 2d; a bare number is seconds",
    "TIME": "TIME: since the world's beginning, such as 90s or 1.5h",
    "SEQ": "SEQ: the number of an input, as in seq=12",
    "N": "N: a number",
    "X": "X: a factor, such as 60",
    "AS": "KIND: a name for the kind of the document",
  ]

  // MARK: Questions to the daemon

  /// The data lines of each reply; `nil` for a failure or a timeout.
  private func ask(_ requests: [String]) -> [[ServerLine]?] {
    replies(requests).map { lines in lines?.last?.lineClass == .success ? lines?.dropLast() : nil }
  }

  private func machines(prefix: String) -> Completion {
    guard !prefix.contains(where: { "*?\"".contains($0) }) else { return Completion() }
    let rows = ask(["list \(prefix)* limit=\(Self.most)"])[0] ?? []
    let candidates = rows.compactMap { line -> Completion.Candidate? in
      guard let name = line.words.first else { return nil }
      return .init(text: name, detail: line.words.dropFirst().joined(separator: " "))
    }
    return Completion(candidates: candidates, isCut: candidates.count >= Self.most)
  }

  /// The events of all matching machines, those possible now first.
  ///
  /// - Parameter areQuoted: Whether they are wanted in quotes, as a diagram's author has written them.
  private func events(of pattern: String?, areQuoted: Bool) -> Completion {
    guard let pattern else { return Completion() }
    let isOne = !pattern.contains { "*?".contains($0) }
    let answers = ask(["list \(pattern) limit=\(Self.most)"] + (isOne ? ["can \(pattern)"] : []))
    let kinds = Self.unique((answers[0] ?? []).compactMap { $0.words.count > 1 ? $0.words[1] : nil })
    let possible = isOne ? Self.unique((answers[1] ?? []).compactMap(\.words.first)) : []
    let rows = zip(kinds, ask(kinds.map { "describe \($0)" })).flatMap { CatalogueRow.all("event", in: $1) }
    let known = Self.unique(possible + rows.map(\.name))
    let candidates = known.map { name in
      let row = rows.first { $0.name == name }
      return Completion.Candidate(
        text: areQuoted ? Word.quoted(row?.label ?? name) : Word.written(name), detail: row?.about ?? "",
        lack: isOne && !possible.contains(name) ? "not now" : "")
    }
    return Completion(candidates: candidates)
  }

  /// Describes the next argument of an event.
  private func argument(_ bound: [CompletionContext.Binding]) -> Completion {
    guard let event = bound.last(where: { $0.placeholder == "EVENT" })?.word,
      let machine = bound.last(where: { $0.placeholder == "NAME" || $0.placeholder == "PATTERN" })?.word,
      let row = rows("event", of: machine).first(where: { $0.name == event })
    else { return Completion() }
    let index = bound.count { $0.placeholder == "argument" || $0.placeholder == "ARGUMENT" }
    guard index < row.arguments.count else {
      return Completion(hint: row.arguments.isEmpty ? "\(event) takes no argument" : "\(event) takes no more arguments")
    }
    let argument = row.arguments[index]
    // Data of any names may be those of the document's conditions.
    let conditions = argument.value == "any data" ? rows("parameter", of: machine).filter { $0.name != "strict" } : []
    return Completion(
      candidates: conditions.map { .init(text: "\($0.name)=") }
        + CatalogueRow.choices(in: argument.value).map { .init(text: Word.written($0)) },
      hint: "\(argument.key): \(argument.value)\(row.note.isEmpty ? "" : " — \(row.note)")")
  }

  /// The running timers first.
  private func timers(of name: String) -> Completion {
    let shown = ask(["show \(name)"])[0] ?? []
    let running = shown.filter { $0.words.first == "timer" && $0.words.count > 1 }
    let others = rows("timer", of: name).filter { row in
      !running.contains { $0.words[1] == row.name || $0.words[1].hasPrefix("\(row.name)(") }
    }
    return Completion(
      candidates: running.map {
        .init(text: $0.words[1], detail: $0["left"].map { "\(ScreenTime.cut($0, to: 3))s left" } ?? "")
      }
        + others.map { .init(text: $0.name, detail: $0.about, lack: "not running") })
  }

  /// The readings that a machine has now, with their values.
  private func readings(of name: String?) -> [(name: String, value: String)] {
    guard let name else { return [] }
    return (ask(["show \(name)"])[0] ?? []).filter { $0.words.first == "reading" && $0.words.count > 2 }
      .map { ($0.words[1], $0.words[2]) }
  }

  /// Names as words of a list.
  private static func list(_ names: Completion, _ separator: Character = ",", typed: String) -> Completion {
    let begun = typed.lastIndex(of: separator).map { String(typed[...$0]) } ?? ""
    let taken = begun.split(separator: separator).map(String.init)
    var names = names
    names.candidates = names.candidates.filter { !taken.contains($0.text) }.map {
      .init(text: begun + $0.text, detail: $0.detail, lack: $0.lack)
    }
    return names
  }

  /// State names as requests write them: without data, one region at a time, joined by `+`; parent states are offered
  /// too.
  private static func states(_ rows: [CatalogueRow], typed: String) -> Completion {
    var details: [String: String] = [:]
    var words: [String] = []
    for row in rows {
      let state = String(row.name.prefix { $0 != "(" })
      if let dot = state.firstIndex(of: ".") { words.append(String(state[..<dot])) }
      words.append(state)
      details[state] = row.about
    }
    let names = unique(words).map { Completion.Candidate(text: $0, detail: details[$0] ?? "") }
    return list(Completion(candidates: names), "+", typed: typed)
  }

  /// How many times are offered.
  private static let maxMoments = 20

  /// The times of the last moves, latest first; without undone ones.
  private func pastTimes() -> Completion {
    let rows = ask(["journal what=moves limit=\(Self.maxMoments)"])[0] ?? []
    return moments(
      rows.reversed().compactMap { line in
        guard line.words.count > 3, line["undone"] == nil, line.words[3] != "undone" else { return nil }
        return (line.words[1], line.words.dropFirst(2).joined(separator: " "))
      })
  }

  /// The times at which timers are due.
  private func dueTimes() -> Completion {
    let rows = ask(["agenda limit=\(Self.maxMoments)"])[0] ?? []
    return moments(
      rows.compactMap { line in
        line.words.count > 2 ? (line.words[0], line.words.dropFirst().joined(separator: " ")) : nil
      })
  }

  private func moments(_ found: [(time: String, what: String)]) -> Completion {
    var seen: Set<String> = []
    return Completion(
      candidates: found.filter { seen.insert($0.time).inserted }.map { .init(text: $0.time, detail: $0.what) })
  }

  private func names(in rows: [ServerLine]?) -> [Completion.Candidate] {
    (rows ?? []).compactMap { $0.words.first.map { .init(text: $0) } }
  }

  /// A section of the catalogue for the kind of the first matching machine.
  private func rows(_ section: String, of machine: String?) -> [CatalogueRow] {
    guard let machine, let line = ask(["list \(machine) limit=1"])[0]?.first, line.words.count > 1 else { return [] }
    return describe(line.words[1], section)
  }

  private func describe(_ kind: String, _ section: String) -> [CatalogueRow] {
    CatalogueRow.all(section, in: ask(["describe \(kind)"])[0])
  }

  private static func unique(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }
}

/// One line of `describe`: the section, the name, then what belongs to it.
struct CatalogueRow: Equatable {
  let name: String
  let words: [String]
  let arguments: [ServerLine.Field]
  let note: String

  /// The rows of one section.
  static func all(_ section: String, in lines: [ServerLine]?) -> [CatalogueRow] {
    (lines ?? []).compactMap { line in
      guard line.words.count > 1, line.words[0] == section else { return nil }
      return CatalogueRow(
        name: line.words[1], words: Array(line.words.dropFirst(2)), arguments: line.fields, note: line.note ?? "")
    }
  }

  /// All facts and the note, in one line.
  var about: String {
    let facts = (words + arguments.map { "\($0.key) \($0.value)" }).joined(separator: ", ")
    return [facts, note].filter { !$0.isEmpty }.joined(separator: " — ")
  }

  /// The words of a diagram that an event is named after, which the note has first, in quotes; nil if it has their
  /// beginning only.
  var label: String? {
    guard note.hasPrefix("\""), let end = note.lastIndex(of: "\""), end > note.startIndex else { return nil }
    let label = note[note.index(after: note.startIndex)..<end]
    return label.hasSuffix("…") ? nil : String(label)
  }

  var labelled: String { "\(name): \(about)" }

  /// The allowed values of a parameter, if they are listed.
  var choices: [String] {
    arguments.first { $0.key == "allowed" }.map { Self.choices(in: $0.value) } ?? []
  }

  /// The words of a list such as `on,off` or `red,green, or nil`; empty for any other text.
  static func choices(in allowed: String) -> [String] {
    let isOptional = allowed.hasSuffix(", or nil")
    let list = isOptional ? String(allowed.dropLast(8)) : allowed
    guard list.contains(","), !list.contains(" ") else { return [] }
    return list.split(separator: ",").map(String.init) + (isOptional ? ["nil"] : [])
  }
}
