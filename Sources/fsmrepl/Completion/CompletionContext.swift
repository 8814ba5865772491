internal import LineProtocol
internal import Scripts

/// What may stand at the cursor, derived from the words before it and the grammar.
struct CompletionContext: Equatable {
  /// A kind of word that may stand at the cursor.
  enum Want: Equatable {
    /// The first word.
    case verb
    /// This word itself.
    case literal(String)
    /// Those of these words that the refusal of a request names as allowed.
    case literals([String], allowedBy: String)
    /// A value for a placeholder, with the words bound to earlier placeholders.
    case placeholder(String, bound: [Binding])
    /// A `key=` that is not used yet.
    case key(String, hint: String)
    /// Names of a kind's parameters, without those already given.
    case parameter(kind: String, given: [String])
    /// The value of a kind's parameter.
    case parameterValue(kind: String, name: String)
    /// A command of the shell.
    case program
  }

  /// A placeholder and the word given for it, in order.
  struct Binding: Equatable {
    let placeholder: String
    let word: String
  }

  let wants: [Want]
  /// The typed part of the word at the cursor; of `key=value` the value.
  let prefix: String
  /// The part of the word before `prefix`: `key=`.
  let stem: String
  /// The usages that match the typed text, for a hint.
  let usages: [String]

  /// - Parameter text: The line up to the cursor.
  init(_ text: String, grammar: Grammar) {
    var words = RequestText.split(text).map(String.init)
    let last = text.last
    let current = last == nil || last == " " || last == "\t" ? "" : words.popLast() ?? ""
    if let destination = Self.destination(of: text, current) {
      self = destination
      return
    }
    // What may stand before a request at the prompt.
    if words.first == ">" { words.removeFirst() }
    if words.count > 1, ["at", "after"].contains(words[0]) { words.removeFirst(2) }
    if words.first?.hasPrefix("@") == true { words.removeFirst() }

    guard let verb = words.first, !verb.hasPrefix("#") else {
      self.init(
        wants: words.isEmpty && !current.hasPrefix("#") && !current.hasPrefix("@") ? [.verb] : [], prefix: current)
      return
    }
    if let arrow = words.firstIndex(of: "=>") {
      self = Self.outcome(of: words[..<arrow], words[(arrow + 1)...], current, grammar)
      return
    }
    let plain = words.dropFirst().filter { !Self.isKeyed($0) }
    let keyed = words.dropFirst().filter(Self.isKeyed).map { String($0.prefix { $0 != "=" }) }
    let matches = grammar.entries.filter { $0.verb == verb }.compactMap { entry in
      Self.bindings(of: plain, in: entry).map { (entry: entry, bound: $0) }
    }
    if verb == LocalVerb.load.name, !plain.isEmpty {
      self.init(wants: Self.options(ofLoad: words.joined(separator: " ")), prefix: current)
      return
    }
    let usages = matches.map(\.entry.usage)

    if Self.isKeyed(current) {
      let key = String(current.prefix { $0 != "=" })
      let wants = matches.flatMap { Self.values(of: key, in: $0.entry, bound: $0.bound) }
      self.init(
        wants: wants, prefix: String(current.dropFirst(key.count + 1)), stem: "\(key)=", usages: usages)
      return
    }
    var wants: [Want] = []
    for match in matches {
      if let place = match.entry.form.place(plain.count) {
        wants += place.literals.map(Want.literal)
        wants += place.placeholders.map { .placeholder($0, bound: match.bound) }
      }
      let required = match.entry.form.places.count { !$0.isOptional }
      for key in match.entry.form.keys where plain.count >= required {
        if key.name.isEmpty {
          if let kind = Self.kind(in: match.bound) {
            wants.append(.parameter(kind: kind, given: keyed))
          }
        } else if !keyed.contains(key.name) {
          wants.append(.key(key.name, hint: (key.value.literals + key.value.placeholders).joined(separator: " or ")))
        }
      }
    }
    var seen: [Want] = []
    for want in wants where !seen.contains(want) { seen.append(want) }
    self.init(wants: seen, prefix: current, usages: usages)
  }

  private init(wants: [Want], prefix: String, stem: String = "", usages: [String] = []) {
    self.wants = wants
    self.prefix = prefix
    self.stem = stem
    self.usages = usages
  }

  /// What may stand after `!`, `|` and `>`; `nil` where the words are those of a request.
  ///
  /// - Parameter current: The word at the cursor, which is empty after a blank.
  private static func destination(of text: String, _ current: String) -> CompletionContext? {
    // A command that may still be empty.
    switch PromptLine.unfinished(text, lacksWord: current.isEmpty || current == "!") {
    case .shell(let command), .sent(_, to: .command(let command)):
      let isAttached = current.hasPrefix("!")
      let before = command.split(separator: " ").dropLast().last
      let isFirst = before == nil || before == "|"
      return CompletionContext(
        wants: [isFirst ? .program : .placeholder("FILE", bound: [])],
        prefix: isAttached ? String(current.dropFirst()) : current, stem: isAttached ? "!" : "")
    case .sent(_, to: .file): return CompletionContext(wants: [.placeholder("FILE", bound: [])], prefix: current)
    case _: return nil
    }
  }

  /// What may stand after the name of the file: the words with which this is still a request.
  private static func options(ofLoad line: String) -> [Want] {
    func isLoad(_ line: String) -> Bool { if case .load = DocumentCommand(line) { true } else { false } }
    guard isLoad(line) else { return isLoad("\(line) k") ? [.placeholder("AS", bound: [])] : [] }
    return ["as k", "strict", "follow", "anew"].filter { isLoad("\(line) \($0)") }.map { option in
      .literal(String(option.prefix { $0 != " " }))
    }
  }

  /// What may stand after `=>`.
  ///
  /// - Parameters:
  ///   - request: The words before it.
  ///   - words: Those after it, before the cursor.
  private static func outcome(
    of request: ArraySlice<String>, _ words: ArraySlice<String>, _ current: String, _ grammar: Grammar
  ) -> CompletionContext {
    let verb = request.first ?? ""
    let given = request.dropFirst().filter { !isKeyed($0) }
    let bound = grammar.entries.lazy.filter { $0.verb == verb }.compactMap { bindings(of: given, in: $0) }.first ?? []
    let keyed = words.filter(isKeyed).map { String($0.prefix { $0 != "=" }) }
    if isKeyed(current) {
      let key = String(current.prefix { $0 != "=" })
      return CompletionContext(
        wants: key == "outputs" ? [.placeholder("OUTPUT", bound: bound)] : [],
        prefix: String(current.dropFirst(key.count + 1)), stem: "\(key)=")
    }
    let plain = words.filter { !isKeyed($0) }
    var wants: [Want] = []
    if keyed.isEmpty {
      switch (plain.first, plain.count) {
      case (nil, _): wants = ScriptOutcome.words.map(Want.literal) + [.placeholder("STATE", bound: bound)]
      case ("moved", 1...2), ("stayed", 1), ("ignored", 1): wants = [.placeholder("STATE", bound: bound)]
      case ("refused", 1): wants = FailureCode.allCases.map { .literal($0.word) }
      case _: break
      }
    }
    if !plain.isEmpty, plain.first != "refused" {
      wants += (Verb.named(verb)?.successKeys ?? []).filter { !keyed.contains($0) }.map { .key($0, hint: "") }
    }
    return CompletionContext(wants: wants, prefix: current)
  }

  /// The placeholders that the words stand for in this form; `nil` if the words do not fit.
  static func bindings(of words: some Sequence<String>, in entry: Grammar.Entry) -> [Binding]? {
    var bound: [Binding] = []
    for (index, word) in words.enumerated() {
      guard let place = entry.form.place(index) else { return nil }
      if place.literals.contains(word) {
        bound.append(Binding(placeholder: word, word: word))
      } else if let placeholder = place.placeholders.first {
        bound.append(Binding(placeholder: placeholder, word: word))
      } else {
        return nil
      }
    }
    return bound
  }

  private static func values(of key: String, in entry: Grammar.Entry, bound: [Binding]) -> [Want] {
    if entry.verb == Verb.send.name, bound.count > 1 { return [.parameterValue(kind: bound[0].word, name: key)] }
    return entry.form.keys.flatMap { known -> [Want] in
      if known.name == key {
        // Only some kinds have parts or members.
        if entry.verb == "graph", key == "show", let name = bound.first?.word {
          return [.literals(known.value.literals, allowedBy: "graph \(name) show=")]
        }
        return known.value.literals.map(Want.literal) + known.value.placeholders.map { .placeholder($0, bound: bound) }
      }
      guard known.name.isEmpty, let kind = kind(in: bound) else { return [] }
      return [.parameterValue(kind: kind, name: key)]
    }
  }

  private static func kind(in bound: [Binding]) -> String? {
    bound.first { $0.placeholder == "KIND" }?.word
  }

  /// Whether a word is read as `key=value`.
  static func isKeyed(_ word: String) -> Bool {
    guard let equals = word.firstIndex(of: "="), let first = word.utf8.first else { return false }
    return (first | 0x20) >= 0x61 && (first | 0x20) <= 0x7A
      && word[..<equals].utf8.allSatisfy { byte in
        (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A || byte >= 0x30 && byte <= 0x39 || byte == 0x5F || byte == 0x2D
          || byte == 0x2E
      }
  }
}
