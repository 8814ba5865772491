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
/// counted number may be any. A line that expects a failure is no mistake. In a world that is there already, a machine may also
/// be what it is before the script is played. The rest is found when the script is played.
package struct KindCheck {
  let script: Script
  /// The steps that it looks at.
  package let steps: Range<Int>
  /// Those that are played in a world that was there before, whose time only moves on meanwhile.
  let stepsAhead: Range<Int>
  var machines = ScriptMachines()
  /// The kinds whose words the check needs, without those of members.
  package private(set) var kinds: Set<String> = []
  /// The documents of the script in their order, with the kinds that they define.
  package private(set) var definitions: [(step: Int, kind: String)] = []
  var definedKinds: Set<String> = []
  /// The names that lines drop.
  private(set) var dropped: Set<String> = []
  /// Whether the kind of a machine follows from the order of the steps alone.
  var isOrdered = true
  var book = KindBook()
  var seen: Set<Seen> = []
  var meanings: [String: Meaning] = [:]
  /// The names that may be meant, once they were needed.
  var namesMeant: [String]?
  var mistakes: [KindMistake] = []

  /// A request and its outcome. A line that was looked at before is passed over.
  struct Seen: Hashable {
    let request: String
    let outcome: Int32
  }

  /// What is known of a name.
  enum Meaning {
    /// No line makes such a machine.
    case nobody
    case machine([KindWords])
    /// Several machines.
    case composed([String])
    case unknown
  }

  /// What a plain word of a request names, by its place in the verb table.
  enum Role: String {
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
  var unwritten = 10_000
  /// How many lines are remembered as looked at.
  static let mostSeen = 100_000

  /// Finds the machines of a script and the kinds that it speaks of.
  ///
  /// - Parameters:
  ///   - world: The world in which it is played, if that is there already; nil for a new one.
  ///   - only: The steps to look at; nil for all of which something is certain.
  package init(_ script: Script, in world: String? = nil, only: Range<Int>? = nil) {
    self.script = script
    let horizon = world.map { Horizon(of: script, in: $0) }
    steps = only ?? 0..<(horizon?.known ?? script.steps.count)
    stepsAhead = 0..<(horizon?.ahead ?? 0)
    collect()
    for told in script.narration where isLookedAt(told) {
      switch told.content {
      case .picture(.graph(let name)), .picture(.table(let name)): kinds.insert(name)
      case .say, .ask, .picture, .pause, .attempt, .remark: break
      }
    }
    kinds.subtract(definedKinds)
  }

  /// Finds the documents, the machines and the kinds of the steps.
  private mutating func collect() {
    // How often the present step is played, and the steps around each repeat around it.
    var turns = 1
    var outer: [Int] = []
    for place in steps {
      let step = script.steps[place]
      switch step.action {
      case .repeats(let count, _):
        outer.append(turns)
        turns = min(turns * Int(count), ScriptLimits.lines)
      case .again: turns = outer.popLast() ?? 1
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
  }

  /// Narration stands before a step.
  private func isLookedAt(_ told: Script.Narration) -> Bool {
    told.step < steps.upperBound || steps.upperBound == script.steps.count
  }

  /// The indices of the plain words behind the verb.
  static func arguments(of words: borrowing ScriptWords) -> [Int] {
    var verb = 0
    if let first = words.words.first, words.bytes(first).first == WordScanner.at { verb = 1 }
    return words.words.indices.dropFirst(verb + 1).filter { words.words[$0].isPlain }
  }

  mutating func collect(_ verb: Verb, _ outcome: Int32, _ request: String, _ place: Int) {
    guard verb == .new || verb == .drop || verb == .graph || verb == .describe || Self.hasKindKey(verb) else { return }
    // The same line makes a machine of another kind once that is defined anew.
    guard isNews(request, verb == .new ? Int32(definitions.count) : 0) else { return }
    let words = ScriptWords(Array(request.utf8))
    let texts = Self.arguments(of: words).map { words.text(words.words[$0]) }
    if let first = texts.first, verb == .new || verb == .graph || verb == .describe || verb == .undefine {
      kinds.insert(first)
    }
    for word in words.words where !word.isPlain && words.key(word) == "kind" { kinds.insert(words.text(word)) }
    if verb == .drop, let first = texts.first { dropped.insert(first) }
    if verb == .new, texts.count > 1 { machines.make(texts[1], .init(kind: texts[0], step: place)) }
    kinds = kinds.filter { !$0.contains(ScriptMachines.number) }
  }

  static func hasKindKey(_ verb: Verb) -> Bool {
    verb.entry.parsedForms.contains { $0.keys.contains { $0.name == "kind" } } || verb == .undefine
  }

  mutating func isNews(_ request: String, _ outcome: Int32) -> Bool {
    let line = Seen(request: request, outcome: outcome)
    guard seen.count < Self.mostSeen else { return !seen.contains(line) }
    return seen.insert(line).inserted
  }

  // MARK: Lines

  /// The names of machines that it has to know, with `*` in the place of each number that counts.
  package func machineNames() -> [String] {
    var check = self
    // Of such a world nothing is known, so that each name is asked for.
    _ = check.mistakes(KindBook(ofNewWorld: false))
    return Set(check.meanings.keys).union(machines.names).sorted()
  }

  /// All mistakes, in the order of the steps.
  ///
  /// - Parameter now: The time of a world that is there already, in nanoseconds.
  package mutating func mistakes(_ book: KindBook, now: Int64 = .min) -> [KindMistake] {
    self.book = book
    for place in steps where mistakes.count < ScriptLimits.countedMistakes {
      let step = script.steps[place]
      switch step.action {
      case .request(.define, _), .request(nil, _), .repeats, .again: break
      case .request(.advance, outcome: -1) where stepsAhead.contains(place): checkTime(step, place, now)
      case .request(let verb?, let outcome): check(verb, outcome, step, place)
      case .check(let check): self.check(check, step, place)
      }
    }
    for told in script.narration where isLookedAt(told) {
      guard case .picture(let picture) = told.content else { continue }
      check(picture, told)
    }
    var known: Set<String> = []
    return mistakes.filter { known.insert("\($0.place) \($0.got)").inserted }
      .enumerated().sorted { ($0.element.step, $0.offset) < ($1.element.step, $1.offset) }.map(\.element)
  }

  /// Where a word stands, for a mistake.
  struct Place {
    let step: Script.Step
    let index: Int
    /// What the line expects of the answer that a mistake would bring; empty where none comes.
    let expected: String

    var withoutAnswer: Place { Place(step: step, index: index, expected: "") }
  }

  mutating func check(_ verb: Verb, _ outcome: Int32, _ step: Script.Step, _ place: Int) {
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

  // MARK: Pictures

  mutating func check(_ picture: Script.Picture, _ told: Script.Narration) {
    let answer: ServerLine
    switch picture {
    case .graph(let name), .table(let name):
      guard isNeither(name) else { return }
      answer = neither(name)
    case .state(let name), .wave(let name?):
      guard !Self.isWild(name), book.isOfNewWorld, case .nobody = meaning(of: name) else { return }
      answer = nobody(name)
    case .wave(nil): return
    }
    mistakes.append(
      KindMistake(
        step: told.step, place: script.place(of: told, word: 2), line: script.line(of: told), expected: "a machine",
        got: answer.note ?? "", answer: answer))
  }

  // MARK: Mistakes

  static func answer(
    _ code: FailureCode, _ fields: [(String, String)], _ word: String, among names: some Collection<String>,
    _ text: String
  ) -> ServerLine {
    let meant = Nearest.match(word, among: names).map { [("did-you-mean", $0)] } ?? []
    return ServerLine(
      lineClass: .failure, tag: nil, words: [code.word],
      fields: (fields + meant).map { ServerLine.Field(key: $0.0, value: $0.1) }, note: text)
  }

  mutating func tell(
    _ here: Place, _ word: Int, _ code: FailureCode, _ fields: [(String, String)], _ wrong: String,
    among names: some Collection<String>, _ text: String, sort: String = ""
  ) {
    tell(here, word, Self.answer(code, fields, wrong, among: names, text), sort: sort)
  }

  /// - Parameter sort: What would be right, where the line is no request whose answer would say it.
  mutating func tell(_ here: Place, _ word: Int, _ answer: ServerLine, sort: String = "") {
    let note = answer.note ?? ""
    let isRequest = !here.expected.isEmpty
    mistakes.append(
      KindMistake(
        step: here.index, place: "\(script.place(of: here.step)):\(script.column(of: here.step, word: word))",
        line: script.line(of: here.step), expected: isRequest ? here.expected : sort,
        got: isRequest ? "refused \(answer.code) : \(note)" : note, answer: answer))
  }
}
