internal import LineProtocol

/// What a learner's words say of a machine: a state, a verdict, or both. A sentence will do if it is clear: `it stays
/// cooling`, `nothing happens`.
struct LessonAnswer: Equatable {
  enum Verdict: String, CaseIterable {
    case ignored, refused, stayed
    /// Nothing happens: no word of the engine, but of people.
    case nothing
  }

  /// As the machine names it; its data as they were typed.
  private(set) var state: String?
  private(set) var verdict: Verdict?

  /// - Parameters:
  ///   - states: Those of the machine.
  ///   - machine: Its name, which the sentence may have.
  /// - Returns: Nil if it has a word without a meaning here, such as `not`, or if it names two states or two verdicts.
  init?(_ text: String, states: [String], machine: String = "") {
    if let whole = Self.state(meantBy: text, of: states) {
      state = whole
      return
    }
    func isOne(of fillers: some Collection<String>, _ word: String) -> Bool {
      fillers.contains(word.lowercased()) && Self.state(meantBy: word, of: states) == nil
    }
    let typed = text.replaced("’", by: "'").split(separator: " ").map(Self.bare)
    let words = Array(typed.drop { isOne(of: Self.fillers, $0) })
    let name = machine.lowercased().split(separator: ".").map(String.init)
    var rest = words.filter { !isOne(of: Self.fillers, $0) && !isOne(of: name, $0) }
    // `caps lock`, `call in progress`
    for parts in [words, rest] where !text.contains("(") {
      guard let joined = Self.state(meantBy: parts.joined(), of: states) else { continue }
      state = joined
      return
    }
    if Self.verdicts[rest.joined().lowercased()] != nil { rest = [rest.joined()] }
    var (named, verdicts): (Set<String>, Set<Verdict>) = ([], [])
    for word in rest {
      if let meant = Self.state(meantBy: word, of: states) {
        named.insert(meant)
      } else if let meant = Self.verdicts[word.lowercased()] {
        verdicts.insert(meant)
      } else {
        return nil
      }
    }
    // `it stays off` names a state.
    if !named.isEmpty { verdicts.remove(.stayed) }
    guard named.count <= 1, verdicts.count <= 1, !named.isEmpty || !verdicts.isEmpty else { return nil }
    (state, verdict) = (named.first, verdicts.first)
  }

  private static let verdicts: [String: Verdict] = [
    "ignored": .ignored, "ignore": .ignored, "ignores": .ignored, "refused": .refused, "refuse": .refused,
    "refuses": .refused, "illegal": .refused, "stayed": .stayed, "stay": .stayed, "stays": .stayed,
    "nothing": .nothing, "nochange": .nothing, "same": .nothing, "stayssame": .nothing,
  ]

  /// Words that add nothing to a state, a verdict or an event. None of them can turn the sentence round.
  private static let fillers: Set = [
    "a", "again", "all", "already", "an", "and", "at", "back", "be", "becomes", "changes", "event", "gets", "goes",
    "happen", "happens", "i", "in", "is", "it", "it'll", "it's", "just", "machine", "moves", "now", "press", "remain",
    "remains", "send", "so", "state", "still", "that", "the", "then", "think", "to", "turns", "will", "would", "→",
    "->", "=>",
  ]

  /// An answer without marks and blanks around it.
  private static func bare(_ answer: some StringProtocol) -> String {
    let text = answer.reversed().drop { " .,;:!?".contains($0) }
    return String(String(text.reversed()).drop { $0 == " " })
  }

  /// An answer without what does not count: its case, and marks and blanks around it.
  private static func plain(_ answer: some StringProtocol) -> String { bare(answer).lowercased() }

  /// An event as the machine names it, with its data as they were typed; or one in a sentence, without data.
  ///
  /// - Returns: Nil if none is meant, or which is not clear.
  static func event(typed answer: String, of events: [String]) -> String? {
    func event(_ word: String) -> String? {
      let found = Set(events.filter { $0.lowercased() == word })
      return found.count == 1 ? found.first : nil
    }
    let first = answer.prefix { $0 != " " }
    if let named = event(plain(first)) { return named + answer.dropFirst(first.count) }
    let words = answer.split(separator: " ").map(plain).filter { event($0) != nil || !fillers.contains($0) }
    return event(words.joined())
  }

  /// A state as the machine names it. The answer may have another case, or leave out the states around it.
  ///
  /// - Returns: Nil if a region of it is none of the states, or which is not clear.
  static func state(meantBy answer: String, of states: [String]) -> String? {
    let name = answer.prefix { $0 != "(" }
    let data = answer.dropFirst(name.count)
    var regions: [String] = []
    for region in name.split(separator: "+").map(plain) {
      let found = Set(
        states.compactMap { state in
          let name = state.lowercased()
          if name == region || name.hasSuffix(".\(region)") { return state }
          return name.hasPrefix("\(region).") ? String(state.prefix(region.count)) : nil
        })
      guard found.count == 1, let state = found.first else { return nil }
      regions.append(state)
    }
    guard !regions.isEmpty else { return nil }
    return regions.joined(separator: "+") + (data.lastIndex(of: ")").map { data[...$0] } ?? data)
  }

  /// A time as ``TimeText`` reads it from people, from one with words: `at 5.35 seconds`.
  static func time(_ answer: String) -> String {
    plain(answer).replaced(runsOf: { "a"..."z" ~= $0 || $0 == "'" }) { units[String($0)] ?? String($0) }
  }

  /// Words of people that ``TimeText`` does not know.
  private static let units = [
    "secs": "s", "mins": "m", "at": "", "about": "", "exactly": "", "and": "", "it": "", "is": "", "it's": "",
  ]
}
