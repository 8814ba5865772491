import LineProtocol

/// The lines that a script may contain.
extension ScriptParser {
  private static let ownWords = [
    "after", "at", "case", "end", "expect", "expect?", "include", "let", "load", "never", "repeat", "seed",
  ]

  /// Parses the current line, whose words are known.
  mutating func takeLine() throws(ScriptFailure) {
    if !words.ranges.isEmpty || !rangeLoops.isEmpty { countRanges() }
    var first = 0
    if words.isWord(0, "at") || words.isWord(0, "after") {
      try takeTime()
      first = 2
      if words.words.count == first { return }
      if words.isWord(first, "at") || words.isWord(first, "after") {
        throw failure(word: first, "a line has one time; the second belongs on a line of its own")
      }
    }
    let word = words.words[first]
    guard word.isPlain else { throw failure(word: first, "a line begins with a verb, not with key=value") }
    if let verb = Verb(words.bytes(word)) {
      switch verb {
      case .expect: if try takeCheck(first) { return }
      case .end:
        try takeEnd(first)
        return
      case .define:
        try takeDefine(from: first, verb: first)
        return
      default: break
      }
      try takeRequest(verb, from: first, verb: first)
    } else if words.isWord(first, "expect?") {
      isSoft = true
      defer { isSoft = false }
      if try !takeCheck(first) { try takeRequest(.expect, from: first, verb: first) }
    } else if words.isWord(first, "case") {
      try takeCase(first)
    } else if words.isWord(first, "let") {
      try takeLet(first)
    } else if words.isWord(first, "repeat") {
      try takeRepeat(first)
    } else if words.isWord(first, "include") {
      try takeInclude(first)
    } else if words.isWord(first, "never") {
      try takeNever(first)
    } else if words.isWord(first, "load") {
      try takeLoad(first)
    } else if words.isWord(first, "seed") {
      try takeSeed(first)
    } else if words.bytes(word).first == WordScanner.at, !word.isQuoted {
      try takeTagged(first)
    } else {
      try takeRequest(nil, from: first, verb: first)
    }
  }

  // MARK: Time

  /// Turns `at TIME` or `after DURATION` into the request that does it.
  private mutating func takeTime() throws(ScriptFailure) {
    let time: ScriptTime = words.isWord(0, "at") ? .at : .after
    let word = words.words.dropFirst().first
    if word != nil {
      if isInBatch { throw failure(word: 0, "no time passes between 'begin' and 'end'") }
      try checkRanges(in: 0..<2)
    }
    let found = word.map { $0.isPlain ? words.text($0) : "\(words.key($0))=\(words.text($0))" }
    // Only after a bare number the next word can be its unit.
    let hasUnit = found?.utf8.last.map { !(0x30...0x39).contains($0) } ?? true
    let next = hasUnit || words.words.count < 3 ? nil : words.text(words.words[2])
    if let mistake = time.mistake(in: found, before: next) { throw failure(word: 1, mistake) }
    try append(.request(.advance, outcome: -1), words: 1..<2, before: time.request, firstWord: 0, isTime: true)
  }

  // MARK: Requests

  private mutating func takeTagged(_ first: Int) throws(ScriptFailure) {
    let tag = words.bytes(words.words[first]).dropFirst()
    guard TextRules.isTag(UnsafeRawBufferPointer(rebasing: tag)) else {
      throw failure(word: first, "a tag is '@' and 1 to 32 letters, digits, '_', '-' or '.'")
    }
    guard tag.first != UInt8(ascii: ".") else {
      throw failure(word: first, "tags that begin with '.' are those of the player; begin with another character")
    }
    guard words.words.count > first + 1, words.words[first + 1].isPlain else {
      throw failure(word: first + 1, "a verb must follow the tag")
    }
    let verb = Verb(words.bytes(words.words[first + 1]))
    if verb == nil, Self.ownWords.contains(words.text(words.words[first + 1])) {
      throw failure(word: first, "a tag stands before requests only")
    }
    if verb == .end { return try takeEnd(first + 1) }
    if verb == .define { return try takeDefine(from: first, verb: first + 1) }
    try takeRequest(verb, from: first, verb: first + 1)
  }

  mutating func takeRequest(_ verb: Verb?, from first: Int, verb place: Int) throws(ScriptFailure) {
    let (arrow, outcome) = try outcome(from: first)
    guard arrow > place else { throw failure(word: arrow, "a request must stand before '=>'") }
    guard let verb else {
      guard expects(.unknownVerb, outcome) else { throw unknownVerb(place) }
      return try append(.request(nil, outcome: outcome), words: first..<arrow, firstWord: first)
    }
    let isInBatch = isInBatch
    if verb == .begin { try beginBatch(word: place) }
    if verb == .begin || verb == .end { try checkRanges(in: first..<arrow) }
    try checkUse(of: verb, place, arrow, outcome, isInBatch: isInBatch)
    guard !isSoft else {
      return try append(
        .request(verb, outcome: outcome), words: first + 1..<arrow, before: "expect ", firstWord: first)
    }
    try append(.request(verb, outcome: outcome), words: first..<arrow, firstWord: first)
  }

  /// `define KIND format=F`, whose document follows up to `enddefine`.
  private mutating func takeDefine(from first: Int, verb place: Int) throws(ScriptFailure) {
    let (arrow, outcome) = try outcome(from: first)
    try checkFixed(first..<words.words.count)
    for word in first..<arrow where !words.words[word].isPlain && words.key(words.words[word]) == "bytes" {
      throw failure(
        word: word, "the bytes are counted here; the document stands on the lines up to '\(DocumentSource.end)'")
    }
    try checkUse(of: .define, place, arrow, outcome, isInBatch: isInBatch)
    beginDocument(String(decoding: words.written(first..<arrow), as: UTF8.self), outcome: outcome, word: first)
  }

  /// `load FILE [as KIND] [strict]`.
  private mutating func takeLoad(_ first: Int) throws(ScriptFailure) {
    let (arrow, outcome) = try outcome(from: first)
    try checkFixed(first..<words.words.count)
    let form = "'load' is used as 'load FILE [as KIND] [strict]', with quotes around a name with blanks"
    var count = arrow - first
    let isStrict = (count == 3 || count == 5) && words.isWord(arrow - 1, "strict")
    if isStrict { count -= 1 }
    guard count == 2 || count == 4 && words.isWord(first + 2, "as"),
      (first..<arrow).allSatisfy({ words.words[$0].isPlain })
    else { throw failure(word: min(first + 2, words.words.count), form) }
    if isInBatch { throw failure(word: first, "'load' cannot stand between 'begin' and 'end'") }
    let kind = count == 4 ? words.text(words.words[first + 3]) : nil
    try load(words.text(words.words[first + 1]), as: kind, isStrict: isStrict, outcome: outcome, word: first + 1)
  }

  /// Where a request that begins at a word ends, and its outcome.
  private mutating func outcome(from first: Int) throws(ScriptFailure) -> (arrow: Int, outcome: Int32) {
    let arrow: Int
    do throws(ScriptWords.Problem) {
      arrow = try words.arrow(from: first)
    } catch {
      throw failure(at: error.start, error.message ?? "")
    }
    return (arrow, try outcome(after: arrow))
  }

  private func unknownVerb(_ place: Int) -> ScriptFailure {
    let found = words.text(words.words[place])
    if found.hasPrefix("//") { return failure(word: place, "a remark begins with '#'") }
    if [">", "+", "-", ".", "*", "!"].contains(found) {
      return failure(word: place, "this is a line of a transcript; 'fsmrepl check' repeats those")
    }
    if PromptWords.all.contains(found) { return failure(word: place, "'\(found)' is for the prompt, not for scripts") }
    if Keyword(rawValue: found) != nil {
      return failure(word: place, "'\(found)' is narration, which has no time and no tag; give it a line of its own")
    }
    let rest = words.words.indices.dropFirst(place + 1).map { words.text(words.words[$0]) }
    if let advice = MeantWords.advice(found, rest) { return failure(word: place, "'\(found)' is no verb: \(advice)") }
    guard let near = Self.nearestWord(found) else {
      let words = Set(Self.firstWords).sorted().joined(separator: " ")
      return failure(word: place, "'\(found)' is no verb; there are \(words)")
    }
    return failure(word: place, "'\(found)' is no verb; did you mean '\(near)'?")
  }

  /// The words with which a line can begin. Of two equally near ones the verb of the protocol is meant.
  private static let firstWords =
    Verb.allCases.filter { !barred.contains($0) }.map(\.name) + ownWords + Keyword.allCases.map(\.rawValue)

  static func isFirstWord(_ word: String) -> Bool { firstWords.contains(word) }

  /// The word that is meant by a mistyped one.
  static func nearestWord(_ word: String) -> String? { Nearest.match(word, among: firstWords) }

  /// Checks that a verb with these words is allowed here.
  private func checkUse(
    of verb: Verb, _ place: Int, _ end: Int, _ outcome: Int32, isInBatch: Bool
  ) throws(ScriptFailure) {
    if let why = barred(verb, place, end) { throw failure(word: place, why) }
    if outcome >= 0, let wrong = script.outcomes[Int(outcome)].wrongKey(of: verb) {
      throw failure(word: end + 1 + wrong.word, wrong.message)
    }
    let entry = verb.entry
    if isInBatch, !entry.inBatch, !expects(.usage, outcome) {
      throw failure(word: place, "'\(verb.name)' cannot stand between 'begin' and 'end'")
    }
    try checkForm(of: entry, place, end, outcome)
    try checkKeys(of: entry, place, end, outcome)
  }

  /// Checks that the plain words after a verb fit one of its forms.
  private func checkForm(
    of entry: VerbEntry, _ place: Int, _ end: Int, _ outcome: Int32
  ) throws(ScriptFailure) {
    let after = place + 1..<max(place + 1, end)
    let plain = after.filter { words.words[$0].isPlain }
    // A form that needs a key is meant where the key is given.
    let forms = entry.parsedForms.filter { form in
      form.keys.allSatisfy { key in
        key.value.isOptional || after.contains { !words.words[$0].isPlain && words.key(words.words[$0]) == key.name }
      }
    }
    guard
      let misfit = UsageForm.misfit(
        of: plain.map { words.text(words.words[$0]) }, in: forms.isEmpty ? entry.parsedForms : forms),
      !expects(.usage, outcome)
    else { return }
    let used = "\(entry.verb.name) is used as \(entry.usages.map { "'\($0)'" }.joined(separator: " or "))"
    if let pipe = plain.first(where: { words.isWord($0, "|") || words.isWord($0, ">") }) {
      throw failure(
        word: pipe,
        "'\(words.text(words.words[pipe]))' is for the prompt; a script sends no answer to a command or a file")
    }
    let texts = [entry.verb.name] + after.map { words.text(words.words[$0]) }
    if let meant = MeantWords.comparison(in: texts) {
      throw failure(word: plain.first { MeantWords.isSign(words.text(words.words[$0])) } ?? place, meant)
    }
    if entry.verb == .show, let first = plain.first,
      let near = Nearest.match(words.text(words.words[first]), among: ["graph", "state", "table", "wave"])
    {
      throw failure(word: first, "'\(words.text(words.words[first]))' cannot be shown; did you mean 'show \(near)'?")
    }
    switch misfit {
    case .missing:
      throw failure(word: end < words.words.count ? place : end, "a word is missing; \(used)")
    case .surplus(let word):
      if word > 0,
        let meant = TimeText.meant(by: words.text(words.words[plain[word - 1]]), words.text(words.words[plain[word]]))
      {
        throw failure(word: plain[word - 1], "a duration is one word: '\(meant)'")
      }
      throw failure(word: plain[word], "'\(words.text(words.words[plain[word]]))' is one word too many; \(used)")
    case .wrong(let word, let allowed):
      guard !expects(.badArgument, outcome) else { return }
      let found = words.text(words.words[plain[word]])
      throw failure(word: plain[word], "'\(found)' is not \(allowed); \(used)\(TimeText.remark(on: found))")
    }
  }

  /// Checks that the `key=value` words after a verb are known, given once, and have valid values.
  private func checkKeys(
    of entry: VerbEntry, _ place: Int, _ end: Int, _ outcome: Int32
  ) throws(ScriptFailure) {
    guard case .only(let keys) = entry.keys,
      (place + 1..<max(place + 1, end)).contains(where: { !words.words[$0].isPlain }),
      !expects(.badArgument, outcome), !expects(.usage, outcome)
    else { return }
    let known = entry.parsedForms.flatMap(\.keys)
    var given: Set<String> = []
    for word in (place + 1)..<max(place + 1, end) where !words.words[word].isPlain {
      let key = words.key(words.words[word])
      guard keys.contains(key) else {
        let others = keys.isEmpty ? "it has none" : "there are \(keys.joined(separator: ", "))"
        throw failure(word: word, "\(entry.verb.name) has no key '\(key)'; \(others)")
      }
      guard given.insert(key).inserted else { throw failure(word: word, "'\(key)' is given twice") }
      let value = words.text(words.words[word])
      if let allowed = known.first(where: { $0.name == key })?.value.problem(with: value) {
        throw failure(word: word, "'\(value)' is not \(allowed)\(TimeText.remark(on: value))")
      }
    }
  }

  /// Verbs that are never allowed in a script.
  private static let barred: Set<Verb> = [.cancel, .diff, .mode, .quiet, .quit, .shutdown, .use]

  /// Verbs about worlds, clocks and notices, which a script has to itself in a world of its own.
  private static let forSessions: Set<Verb> = [.use, .world, .diff, .clock, .watch, .unwatch]

  /// Why a verb is not allowed in a script; `nil` if it is.
  private func barred(_ verb: Verb, _ place: Int, _ end: Int) -> String? {
    switch verb {
    case _ where isInSession && Self.forSessions.contains(verb): nil
    case .quit, .shutdown: "a script ends with its last line, without '\(verb.name)'"
    case .use: "a script has a world of its own and stays there, so '\(verb.name)' is not for scripts"
    case .world where end > place + 1:
      "a script has a world of its own and stays there; only 'world' alone is for scripts"
    case .diff:
      "a script has a world of its own and no second one to compare it with; 'undo' and 'goto' go back to try another way"
    case .client, .quiet, .mode: "the answer to each line is read here, so '\(verb.name)' is not for scripts"
    case .cancel: "lines run one after the other, so there is nothing to cancel in a script"
    case .watch where end > place + 1 && words.text(words.words[place + 1]).hasSuffix("**"),
      .unwatch where end > place + 1 && words.text(words.words[place + 1]).hasSuffix("**"):
      "patterns with '**' at their end are watched by the player itself, for what the script expects"
    case .clock where words.isWord(place + 1, "real"):
      "a script has a virtual clock; 'fsmrepl run --real' plays it at real pace"
    default: nil
    }
  }

  private func expects(_ code: FailureCode, _ outcome: Int32) -> Bool {
    outcome >= 0 && script.outcomes[Int(outcome)].result == .refused(code)
  }

  /// The index of the outcome after an arrow; negative without an arrow.
  private mutating func outcome(after arrow: Int) throws(ScriptFailure) -> Int32 {
    guard arrow < words.words.count else { return -1 }
    let range = arrow..<words.words.count
    try checkRanges(in: range)
    let holes = words.holes(in: range)
    let text = String(decoding: words.written(range), as: UTF8.self)
    if holes.isEmpty, let known = outcomes[text] { return known }
    let found = try placed { words throws(WrongWord) in try words.outcome(after: arrow) }
    script.outcomes.append(found)
    let place = Int32(script.outcomes.count - 1)
    if holes.isEmpty {
      outcomes[text] = place
    } else {
      script.countLastOutcome(ScriptTemplate(bytes: Array(words.written(range)), holes: filled(holes)))
    }
    return place
  }

  // MARK: Expectations

  /// Parses an `expect` that is not a request of the protocol.
  ///
  /// - Returns: False if it is a request.
  private mutating func takeCheck(_ first: Int) throws(ScriptFailure) -> Bool {
    let found = try placed { words throws(WrongWord) in try words.check(first) }
    guard let check = found else { return false }
    if case .output(_, _, _?) = check, isInBatch {
      throw failure(word: first, "no time passes between 'begin' and 'end'")
    }
    try append(check, from: first)
    return true
  }

  private mutating func takeNever(_ first: Int) throws(ScriptFailure) {
    let check = try placed { words throws(WrongWord) in try words.never(first) }
    if isInBatch { throw failure(word: first, "'never' cannot stand between 'begin' and 'end'") }
    try append(check, from: first)
  }

  /// The result of reading words, with the place of a mistake.
  private func placed<R>(
    _ read: (borrowing ScriptWords) throws(WrongWord) -> R
  ) throws(ScriptFailure) -> R {
    do throws(WrongWord) {
      return try read(words)
    } catch {
      throw failure(word: error.word, error.message)
    }
  }

  /// Checks the number of words from an index to the end of the line.
  func exactly(_ count: Int, _ first: Int, _ form: String) throws(ScriptFailure) {
    try placed { words throws(WrongWord) in try words.exactly(count, first, form) }
  }
}
