import LineProtocol

/// What the names of a script mean.
extension KindCheck {
  mutating func checkKind(_ kind: String, _ word: Int, _ here: Place) -> Bool {
    guard !definedKinds.contains(kind), !script.mayMakeOthers.kinds, let answer = book.failure(kind) else {
      return true
    }
    tell(here, word, answer)
    return false
  }

  /// For `graph` and `describe`, which take either.
  mutating func checkMachineOrKind(_ name: String, _ word: Int, _ here: Place) -> Bool {
    guard isNeither(name) else { return true }
    tell(here, word, neither(name))
    return false
  }

  mutating func isNeither(_ name: String) -> Bool {
    guard !definedKinds.contains(name), !script.mayMakeOthers.kinds, case .nobody = meaning(of: name) else {
      return false
    }
    return book.failure(name) != nil
  }

  mutating func neither(_ name: String) -> ServerLine {
    Self.answer(
      .unknownMachine, [("machine", name)], name, among: names() + kinds.filter { book.failure($0) == nil },
      "there is neither a machine nor a kind '\(name)'")
  }

  /// - Returns: What the name means; nil if it is a mistake.
  mutating func checkMachine(
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
  mutating func names() -> [String] {
    if let namesMeant { return namesMeant }
    var names = book.names
    for name in machines.names {
      guard names.count < Nearest.candidates else { break }
      if case .composed(let members) = meaning(of: name) { names += members } else { names.append(name) }
    }
    namesMeant = names
    return names
  }

  /// Whether a pattern may match several names. A counted number looks the same here.
  static func isWild(_ pattern: String) -> Bool { pattern.contains("*") || pattern.contains("?") }

  mutating func nobody(_ name: String) -> ServerLine {
    Self.answer(
      .unknownMachine, [("machine", name)], name, among: names(), "there is no machine '\(name)' in this world")
  }

  /// Whether a machine of the world that was there before has a name, and keeps it up to a step.
  func isTaken(_ name: String, at place: Int) -> Bool {
    guard stepsAhead.contains(place), book.machine(name)?.isEmpty == false else { return false }
    return !dropped.contains { $0 == name || $0.contains(ScriptMachines.number) || name.hasPrefix("\($0).") }
  }

  /// A pattern without a wildcard has to name a machine.
  mutating func checkPattern(_ pattern: String, _ word: Int, _ here: Place, hasKindKey: Bool) -> Meaning? {
    guard !Self.isWild(pattern) else { return .unknown }
    let meaning = meaning(of: pattern)
    // In a world that was there before, the past may have it.
    guard case .nobody = meaning, book.isOfNewWorld else { return meaning }
    let isKind = hasKindKey && (definedKinds.contains(pattern) || book.has(pattern) && book.failure(pattern) == nil)
    let answer = Self.answer(
      .unknownMachine, [("machine", pattern)], pattern, among: names(),
      isKind ? "'\(pattern)' is a kind; write kind=\(pattern)" : "no machine matches '\(pattern)'")
    // The daemon accepts a pattern that matches nothing.
    tell(here.withoutAnswer, word, answer, sort: "a machine")
    return nil
  }

  /// What a name means, which may hold numbers of any value.
  mutating func meaning(of name: String) -> Meaning {
    if let known = meanings[name] { return known }
    let found = findMeaning(of: name)
    meanings[name] = found
    return found
  }

  mutating func findMeaning(of name: String) -> Meaning {
    // It may be a wildcard of a pattern, or a number.
    guard name != ScriptMachines.number, let makings = machines.makings(of: name), var kinds = book.machine(name) else {
      return .unknown
    }
    for making in makings {
      guard let words = book.words(making.kind, at: making.step, isOrdered: isOrdered) else { return .unknown }
      kinds += words
    }
    let members = kinds.flatMap { kind in kind.names(of: .member).map { "\(name).\($0)" } }
    kinds.removeAll(where: \.isComposed)
    if let dot = name.lastIndex(of: ".") {
      let member = String(name[name.index(after: dot)...])
      guard let bases = machines.makings(of: String(name[..<dot])) else { return .unknown }
      for making in bases {
        guard let words = book.words(making.kind, at: making.step, isOrdered: isOrdered) else { return .unknown }
        if words.contains(where: { $0.hasOptions && $0.members[member] == nil }) { return .unknown }
        for kind in words.compactMap({ $0.members[member] }) {
          guard let words = book.words(kind, at: making.step, isOrdered: isOrdered) else { return .unknown }
          kinds += words
        }
      }
    }
    if kinds.isEmpty, members.isEmpty { return script.mayMakeOthers.machines ? .unknown : .nobody }
    if kinds.isEmpty { return .composed(members) }
    return members.isEmpty ? .machine(kinds.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }) : .unknown
  }

  /// A name as it is played first.
  func played(_ name: String, _ word: Int, _ here: Place) -> String {
    guard name.contains(ScriptMachines.number), let line = script.played(here.step, turn: 0) else { return name }
    let words = ScriptWords(Array(line.utf8))
    return words.words.indices.contains(word) ? words.text(words.words[word]) : name
  }
}
