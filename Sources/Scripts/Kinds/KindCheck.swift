package import LineProtocol

/// A word of a script that the daemon would not know, or that makes an expectation say nothing.
package struct KindMistake: Hashable, Sendable {
  /// The index of its step, or of the step behind it.
  package let step: Int
  /// `FILE:LINE:COLUMN`.
  package let place: String
  /// Its line as written in the file.
  package let line: String
  /// What would be right, and what there is.
  package let expected: String
  package let got: String
  /// What the daemon would answer: the code, what is allowed, and what is meant.
  package let answer: ServerLine
}

/// Finds the words of a script that the kinds of its machines do not know, before the script is played.
///
/// Tells only what is certain. A machine may have any kind that a line makes under its name, even if another line drops it. A
/// counted number may be any. A line that expects a failure is no mistake. The rest is found when the script is played.
package struct KindCheck {
  private let script: Script
  private var machines = ScriptMachines()
  /// The kinds whose words the check needs, without those of members.
  package private(set) var kinds: Set<String> = []
  /// The documents of the script in their order, with the kinds that they define.
  package private(set) var definitions: [(step: Int, kind: String)] = []
  private var definedKinds: Set<String> = []
  /// Whether the kind of a machine follows from the order of the steps alone.
  private var isOrdered = true
  private var book = KindBook()
  private var seen: Set<Seen> = []
  private var meanings: [String: Meaning] = [:]
  /// The names that may be meant, once they were needed.
  private var namesMeant: [String]?
  private var mistakes: [KindMistake] = []

  /// A request and its outcome. A line that was looked at before is passed over.
  private struct Seen: Hashable {
    let request: String
    let outcome: Int32
  }

  /// What is known of a name.
  private enum Meaning {
    /// No line makes such a machine.
    case nobody
    case machine([KindWords])
    /// Several machines.
    case composed([String])
    case unknown
  }

  /// What a plain word of a request names, by its place in the verb table.
  private enum Role: String {
    case kind = "KIND"
    case name = "NAME"
    case from = "FROM"
    case to = "TO"
    case pattern = "PATTERN"
    case event = "EVENT"
    case timer = "TIMER"
    case output = "OUTPUT"
    case state = "STATE"
  }

  /// How many more machines of counted lines are known by their names; of further ones only the pattern is.
  private var unwritten = 10_000
  /// How many lines are remembered as looked at.
  private static let mostSeen = 100_000

  /// Finds the machines of a script and the kinds that it speaks of.
  package init(_ script: Script) {
    self.script = script
    // How often the present step is played, and the steps around each repeat around it.
    var turns = 1
    var outer: [Int] = []
    for (place, step) in script.steps.enumerated() {
      switch step.action {
      case .repeats(let count, _):
        outer.append(turns)
        turns *= Int(count)
      case .again: turns = outer.removeLast()
      case .check: break
      case .request(.define, _):
        let words = ScriptWords(Array(script.request(of: step).utf8))
        guard let kind = Self.arguments(of: words).first.map({ words.text(words.words[$0]) }) else { break }
        definitions.append((place, kind))
        definedKinds.insert(kind)
        if !outer.isEmpty { isOrdered = false }
      case .request(let verb?, let outcome):
        if verb.goesBack { isOrdered = false }
        if verb == .new, step.isCounted, turns <= unwritten {
          unwritten -= turns
          for turn in 0..<turns { collect(verb, outcome, script.request(of: step, turn: Int32(turn)), place) }
        } else {
          collect(verb, outcome, script.pattern(of: step), place)
        }
      case .request: break
      }
    }
    seen = []
    for told in script.narration {
      switch told.content {
      case .picture(.graph(let name)), .picture(.table(let name)): kinds.insert(name)
      case .say, .ask, .picture, .pause, .attempt, .remark: break
      }
    }
    kinds.subtract(definedKinds)
  }

  /// The indices of the plain words behind the verb.
  private static func arguments(of words: borrowing ScriptWords) -> [Int] {
    var verb = 0
    if let first = words.words.first, words.bytes(first).first == WordScanner.at { verb = 1 }
    return words.words.indices.dropFirst(verb + 1).filter { words.words[$0].isPlain }
  }

  private mutating func collect(_ verb: Verb, _ outcome: Int32, _ request: String, _ place: Int) {
    guard verb == .new || verb == .graph || verb == .describe || Self.hasKindKey(verb) else { return }
    // The same line makes a machine of another kind once that is defined anew.
    guard isNews(request, verb == .new ? Int32(definitions.count) : 0) else { return }
    let words = ScriptWords(Array(request.utf8))
    let texts = Self.arguments(of: words).map { words.text(words.words[$0]) }
    if let first = texts.first, verb == .new || verb == .graph || verb == .describe || verb == .undefine {
      kinds.insert(first)
    }
    for word in words.words where !word.isPlain && words.key(word) == "kind" { kinds.insert(words.text(word)) }
    if verb == .new, texts.count > 1 { machines.make(texts[1], .init(kind: texts[0], step: place)) }
    kinds = kinds.filter { !$0.contains(ScriptMachines.number) }
  }

  private static func hasKindKey(_ verb: Verb) -> Bool {
    verb.entry.parsedForms.contains { $0.keys.contains { $0.name == "kind" } } || verb == .undefine
  }

  private mutating func isNews(_ request: String, _ outcome: Int32) -> Bool {
    let line = Seen(request: request, outcome: outcome)
    guard seen.count < Self.mostSeen else { return !seen.contains(line) }
    return seen.insert(line).inserted
  }

  // MARK: Lines

  /// All mistakes, in the order of the steps.
  package mutating func mistakes(_ book: KindBook) -> [KindMistake] {
    self.book = book
    for (place, step) in script.steps.enumerated() where mistakes.count < ScriptLimits.countedMistakes {
      switch step.action {
      case .request(.define, _), .request(nil, _), .repeats, .again: break
      case .request(let verb?, let outcome): check(verb, outcome, step, place)
      case .check(let check): self.check(check, step, place)
      }
    }
    for told in script.narration {
      guard case .picture(let picture) = told.content else { continue }
      check(picture, told)
    }
    var known: Set<String> = []
    return mistakes.filter { known.insert("\($0.place) \($0.got)").inserted }
      .enumerated().sorted { ($0.element.step, $0.offset) < ($1.element.step, $1.offset) }.map(\.element)
  }

  /// Where a word stands, for a mistake.
  private struct Place {
    let step: Script.Step
    let index: Int
    /// What the line expects of the answer that a mistake would bring; empty where none comes.
    let expected: String

    var withoutAnswer: Place { Place(step: step, index: index, expected: "") }
  }

  private mutating func check(_ verb: Verb, _ outcome: Int32, _ step: Script.Step, _ place: Int) {
    guard Self.namesSomething(verb) || outcome >= 0 else { return }
    let expected = outcome < 0 ? nil : script.outcomePattern(outcome)
    if case .refused? = expected?.result { return }
    let request = script.pattern(of: step)
    let line = Seen(request: request, outcome: outcome)
    guard !seen.contains(line) || verb == .new else { return }
    let known = mistakes.count
    // A mistake is told at each of its lines.
    defer { if mistakes.count == known, seen.count < Self.mostSeen { seen.insert(line) } }
    let words = ScriptWords(Array(request.utf8))
    let here = Place(step: step, index: place, expected: expected?.text ?? "ok")
    guard let machine = checkRequest(verb, words, here), let expected else { return }
    checkOutcome(expected, verb, of: machine, here)
  }

  private static func namesSomething(_ verb: Verb) -> Bool {
    verb.entry.parsedForms.contains { form in
      form.places.contains { $0.placeholders.contains { Role(rawValue: $0) != nil } }
        || form.keys.contains { $0.value.placeholders == [Role.kind.rawValue] }
    }
  }

  /// - Returns: What the last of the machines is that a request names; nil behind a mistake, and without a machine.
  private mutating func checkRequest(_ verb: Verb, _ words: borrowing ScriptWords, _ here: Place) -> Meaning? {
    let arguments = Self.arguments(of: words)
    let texts = arguments.map { words.text(words.words[$0]) }
    guard let form = verb.entry.parsedForms.first(where: { $0.misfit(of: texts) == nil }) else { return nil }
    if verb == .new { return checkNew(texts, words, arguments, here) }
    var subject: Meaning?
    var name = ""
    for (number, text) in texts.enumerated() {
      guard let placeholders = form.place(number)?.placeholders, let role = placeholders.last.flatMap(Role.init) else {
        continue
      }
      let word = arguments[number]
      switch role {
      case .kind: if !checkKind(text, word, here) { return nil }
      case .name where placeholders.contains(Role.kind.rawValue):
        if !checkMachineOrKind(text, word, here) { return nil }
      case .name, .from, .to:
        guard let found = checkMachine(text, word, here, canBeComposed: verb == .drop) else { return nil }
        (subject, name) = (found, text)
      case .pattern:
        guard let found = checkPattern(text, word, here, hasKindKey: Self.hasKindKey(verb)) else { return nil }
        (subject, name) = (found, text)
      case .event: if !check(.event, text, of: subject, name, word, here) { return nil }
      case .timer: if !check(.timer, text, of: subject, name, word, here) { return nil }
      case .output: if !check(.output, text, of: subject, name, word, here) { return nil }
      case .state: if !check(.state, text, of: subject, name, word, here) { return nil }
      }
    }
    for (place, word) in words.words.enumerated() where !word.isPlain && words.key(word) == "kind" {
      if form.keys.contains(where: { $0.name == "kind" }), !checkKind(words.text(word), place, here) { return nil }
    }
    return subject
  }

  private mutating func checkNew(
    _ texts: [String], _ words: borrowing ScriptWords, _ arguments: [Int], _ here: Place
  ) -> Meaning? {
    guard checkKind(texts[0], arguments[0], here) else { return nil }
    guard let kinds = book.words(texts[0], at: here.index, isOrdered: isOrdered), !kinds.isEmpty else { return nil }
    var isRight = true
    for (place, word) in words.words.enumerated() where !word.isPlain {
      let key = words.key(word)
      guard !kinds.contains(where: { $0.knows(.parameter, key) }) else { continue }
      let names = kinds[0].names(of: .parameter)
      let members = kinds[0].members.keys.sorted().flatMap { member in names.map { "\(member).\($0)" } }
      tell(
        here, place, .badArgument,
        [("argument", key), ("got", words.text(word)), ("allowed", names.joined(separator: ","))],
        key, among: names + members, "there is no parameter '\(key)'")
      isRight = false
    }
    for (place, word) in words.words.enumerated() where !word.isPlain && words.key(word) == "initial" {
      let state = words.text(word)
      let states = kinds.flatMap(\.initialStates)
      guard isRight, !state.contains(ScriptMachines.number), !states.isEmpty, !states.contains(state) else { continue }
      tell(
        here, place, .badArgument,
        [("argument", "initial"), ("got", state), ("allowed", states.joined(separator: ","))], state, among: states,
        "\(withArticle(texts[0])) cannot start as '\(state)'"
          + (state.contains("(") ? "; name the state without its data" : ""))
      isRight = false
    }
    return isRight ? (kinds.contains(where: \.isComposed) ? nil : .machine(kinds)) : nil
  }

  /// Checks what is expected of the state and the outputs of a machine behind an arrow.
  private mutating func checkOutcome(_ outcome: ScriptOutcome, _ verb: Verb, of machine: Meaning, _ here: Place) {
    guard [.send, .fire, .await, .expect, .new].contains(verb) else { return }
    let arrow = script.arrow(of: here.step) + 1
    for word in 0..<outcome.wordCount {
      guard let state = outcome.state(at: word) else { continue }
      guard check(.state, state, of: machine, "", arrow + word, here.withoutAnswer) else { return }
    }
    guard let field = outcome.fields.firstIndex(where: { $0.key == "outputs" }) else { return }
    for output in outcome.fields[field].value.split(separator: ",") {
      guard check(.output, String(output), of: machine, "", arrow + outcome.wordCount + field, here.withoutAnswer)
      else { return }
    }
  }

  private mutating func check(_ place: Int32, _ step: Script.Step, _ index: Int) {
    let check = script.checkPattern(place)
    var expected = ""
    if case .never = check { expected = "a machine and a state of its kind" }
    let here = Place(step: step, index: index, expected: expected)
    switch check {
    case .timers(let machine, let names): self.check(.timer, names, of: machine, 3, here)
    case .reading(let machine, let name, _): self.check(.reading, [name], of: machine, 3, here)
    case .never(let machine, let state): self.check(.state, [state.word], of: machine, 2, here)
    case .coverage(let pattern, _): _ = checkPattern(pattern, 2, here, hasKindKey: false)
    case .output(let machine, let name, _):
      guard let found = checkMachine(machine, 2, here) else { return }
      _ = self.check(.output, name, of: found, "", 3, here)
    }
  }

  private mutating func check(
    _ sort: KindWords.Sort, _ names: [String], of machine: String, _ word: Int, _ here: Place
  ) {
    guard let found = checkMachine(machine, 1, here) else { return }
    for name in names where !check(sort, name, of: found, "", word, here) { return }
  }

  // MARK: Words

  private mutating func checkKind(_ kind: String, _ word: Int, _ here: Place) -> Bool {
    guard !definedKinds.contains(kind), let answer = book.failure(kind) else { return true }
    tell(here, word, answer)
    return false
  }

  /// For `graph` and `describe`, which take either.
  private mutating func checkMachineOrKind(_ name: String, _ word: Int, _ here: Place) -> Bool {
    guard isNeither(name) else { return true }
    tell(here, word, neither(name))
    return false
  }

  private mutating func isNeither(_ name: String) -> Bool {
    guard !definedKinds.contains(name), book.failure(name) != nil, case .nobody = meaning(of: name) else {
      return false
    }
    return true
  }

  private mutating func neither(_ name: String) -> ServerLine {
    Self.answer(
      .unknownMachine, [("machine", name)], name, among: names() + kinds.filter { book.failure($0) == nil },
      "there is neither a machine nor a kind '\(name)'")
  }

  /// - Returns: What the name means; nil if it is a mistake.
  private mutating func checkMachine(
    _ name: String, _ word: Int, _ here: Place, canBeComposed: Bool = false
  ) -> Meaning? {
    let meaning = meaning(of: name)
    switch meaning {
    case .nobody:
      tell(here, word, nobody(played(name, word, here)), sort: "a machine")
      return nil
    case .composed(let names) where !canBeComposed:
      tell(
        here, word, .unknownMachine, [("machine", name)], name, among: [],
        "'\(name)' is composed; its machines are \(names.joined(separator: ", "))", sort: "a machine")
      return nil
    case .machine, .composed, .unknown: return meaning
    }
  }

  /// The names of machines that may be meant by a mistyped one.
  private mutating func names() -> [String] {
    if let namesMeant { return namesMeant }
    var names: [String] = []
    for name in machines.names {
      guard names.count < Nearest.candidates else { break }
      if case .composed(let members) = meaning(of: name) { names += members } else { names.append(name) }
    }
    namesMeant = names
    return names
  }

  /// Whether a pattern may match several names. A counted number looks the same here.
  private static func isWild(_ pattern: String) -> Bool { pattern.contains("*") || pattern.contains("?") }

  private mutating func nobody(_ name: String) -> ServerLine {
    Self.answer(
      .unknownMachine, [("machine", name)], name, among: names(), "there is no machine '\(name)' in this world")
  }

  /// A pattern without a wildcard has to name a machine.
  private mutating func checkPattern(_ pattern: String, _ word: Int, _ here: Place, hasKindKey: Bool) -> Meaning? {
    guard !Self.isWild(pattern) else { return .unknown }
    let meaning = meaning(of: pattern)
    guard case .nobody = meaning else { return meaning }
    let isKind = hasKindKey && (definedKinds.contains(pattern) || book.has(pattern) && book.failure(pattern) == nil)
    let answer = Self.answer(
      .unknownMachine, [("machine", pattern)], pattern, among: names(),
      isKind ? "'\(pattern)' is a kind; write kind=\(pattern)" : "no machine matches '\(pattern)'")
    // The daemon accepts a pattern that matches nothing.
    tell(here.withoutAnswer, word, answer, sort: "a machine")
    return nil
  }

  /// What a name means, which may hold numbers of any value.
  private mutating func meaning(of name: String) -> Meaning {
    if let known = meanings[name] { return known }
    let found = findMeaning(of: name)
    meanings[name] = found
    return found
  }

  private mutating func findMeaning(of name: String) -> Meaning {
    // It may be a wildcard of a pattern, or a number.
    guard name != ScriptMachines.number, let makings = machines.makings(of: name) else { return .unknown }
    var kinds: [KindWords] = []
    var members: [String] = []
    for making in makings {
      guard let words = book.words(making.kind, at: making.step, isOrdered: isOrdered) else { return .unknown }
      for words in words where words.isComposed { members += words.names(of: .member).map { "\(name).\($0)" } }
      kinds += words.filter { !$0.isComposed }
    }
    if let dot = name.lastIndex(of: ".") {
      let member = String(name[name.index(after: dot)...])
      guard let bases = machines.makings(of: String(name[..<dot])) else { return .unknown }
      for making in bases {
        guard let words = book.words(making.kind, at: making.step, isOrdered: isOrdered) else { return .unknown }
        for kind in words.compactMap({ $0.members[member] }) {
          guard let words = book.words(kind, at: making.step, isOrdered: isOrdered) else { return .unknown }
          kinds += words
        }
      }
    }
    if kinds.isEmpty { return members.isEmpty ? .nobody : .composed(members) }
    return members.isEmpty ? .machine(kinds.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }) : .unknown
  }

  /// A name as it is played first.
  private func played(_ name: String, _ word: Int, _ here: Place) -> String {
    guard name.contains(ScriptMachines.number), let line = script.played(here.step, turn: 0) else { return name }
    let words = ScriptWords(Array(line.utf8))
    return words.words.indices.contains(word) ? words.text(words.words[word]) : name
  }

  /// Whether a word names something that the machine can have.
  private mutating func check(
    _ sort: KindWords.Sort, _ name: String, of meaning: Meaning?, _ machine: String, _ word: Int, _ here: Place
  ) -> Bool {
    guard case .machine(let kinds)? = meaning, !name.contains(ScriptMachines.number),
      !kinds.contains(where: { $0.knows(sort, name) })
    else { return true }
    let names = kinds.flatMap { $0.names(of: sort) }.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    let owners = kinds.map(\.kind).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    var text = "\(owners.map(withArticle).joined(separator: " or ")) has no \(sort.rawValue) '\(name)'"
    if sort == .event, kinds.contains(where: { $0.knows(.timer, name) }) {
      text = "'\(name)' is a timer; 'fire \(machine) \(name)' lets it expire now"
    }
    if sort == .state, name == "timers" || name == "reading" {
      text += name == "timers" ? "; 'timers T,…' and 'timers none' expect timers" : "; 'reading K VALUE' expects one"
    }
    let code: FailureCode =
      switch sort {
      case .event: .unknownEvent
      case .timer: .unknownTimer
      // Under this code the prompt lists what there is.
      case .output, .reading: here.expected.isEmpty ? .unknownTimer : .badArgument
      case .state, .parameter, .member: .badArgument
      }
    // Of several regions one is wrong.
    let regions = sort == .state ? name.split(separator: "+").map(String.init) : [name]
    let wrong = regions.first { region in !kinds.contains { $0.knows(sort, region) } } ?? name
    // The first word behind an arrow may be meant to be an outcome.
    let others =
      switch sort {
      case .state where here.expected.isEmpty: ScriptOutcome.words
      case .timer where here.expected.isEmpty: ["none"]
      case _: [String]()
      }
    tell(
      here, word, code, [(sort.rawValue, name), ("allowed", names.joined(separator: ","))],
      String(wrong.prefix { $0 != "(" }), among: names + others, text, sort: "a known \(sort.rawValue)")
    return false
  }

  // MARK: Pictures

  private mutating func check(_ picture: Script.Picture, _ told: Script.Narration) {
    let answer: ServerLine
    switch picture {
    case .graph(let name), .table(let name):
      guard isNeither(name) else { return }
      answer = neither(name)
    case .state(let name), .wave(let name?):
      guard !Self.isWild(name), case .nobody = meaning(of: name) else { return }
      answer = nobody(name)
    case .wave(nil): return
    }
    mistakes.append(
      KindMistake(
        step: told.step, place: script.place(of: told, word: 2), line: script.line(of: told), expected: "a machine",
        got: answer.note ?? "", answer: answer))
  }

  // MARK: Mistakes

  private static func answer(
    _ code: FailureCode, _ fields: [(String, String)], _ word: String, among names: some Collection<String>,
    _ text: String
  ) -> ServerLine {
    let meant = Nearest.match(word, among: names).map { [("did-you-mean", $0)] } ?? []
    return ServerLine(
      lineClass: .failure, tag: nil, words: [code.word],
      fields: (fields + meant).map { ServerLine.Field(key: $0.0, value: $0.1) }, note: text)
  }

  private mutating func tell(
    _ here: Place, _ word: Int, _ code: FailureCode, _ fields: [(String, String)], _ wrong: String,
    among names: some Collection<String>, _ text: String, sort: String = ""
  ) {
    tell(here, word, Self.answer(code, fields, wrong, among: names, text), sort: sort)
  }

  /// - Parameter sort: What would be right, where the line is no request whose answer would say it.
  private mutating func tell(_ here: Place, _ word: Int, _ answer: ServerLine, sort: String = "") {
    let note = answer.note ?? ""
    let isRequest = !here.expected.isEmpty
    mistakes.append(
      KindMistake(
        step: here.index, place: "\(script.place(of: here.step)):\(script.column(of: here.step, word: word))",
        line: script.line(of: here.step), expected: isRequest ? here.expected : sort,
        got: isRequest ? "refused \(answer.code) : \(note)" : note, answer: answer))
  }
}
