internal import LineProtocol
internal import Scripts

/// What may follow the text before the cursor, in the words of `help`.
enum InputHint {
  /// As many forms of a verb are shown.
  private static let maxForms = 3

  /// The rest of the verb's forms, such as `EVENT [argument…]` after `send key `.
  ///
  /// - Returns: Empty when nothing is known, or nothing can follow. Within a word, the hint begins with
  ///   a blank.
  static func text(after typed: String, grammar: Grammar) -> String {
    var words = RequestText.split(typed).map(String.init)[...]
    let isWithin = typed.last.map { $0 != " " && $0 != "\t" } ?? false
    if words.first == ">" { words.removeFirst() }
    guard let first = words.first, !first.hasPrefix("!"), !first.hasPrefix("#") else { return "" }
    if words.contains("=>") { return words.last == "=>" ? (isWithin ? " " : "") + ScriptOutcome.form : "" }
    if let hint = destination(of: typed, isWithin: isWithin) { return hint }
    if first == "at" || first == "after", words.count > (isWithin ? 3 : 2) { words.removeFirst(2) }
    if words.first?.hasPrefix("@") == true { words.removeFirst() }
    guard let verb = words.popFirst() else { return "" }
    let plain = words.filter { !CompletionContext.isKeyed($0) }
    let keys = Set(words.filter(CompletionContext.isKeyed).map { String($0.prefix { $0 != "=" }) })
    var forms: [String] = []
    for entry in grammar.entries where entry.verb == verb {
      guard fits(plain, entry, isWithin: isWithin) else { continue }
      let rest = rest(of: entry, after: plain.count, without: keys)
      if !rest.isEmpty, !forms.contains(rest) { forms.append(rest) }
    }
    guard !forms.isEmpty else { return "" }
    return (isWithin ? " " : "") + forms.prefix(maxForms).joined(separator: "  or  ")
  }

  /// What follows `|` and `>`; `nil` where these are words of a request.
  private static func destination(of typed: String, isWithin: Bool) -> String? {
    guard case .sent(_, let destination) = PromptLine.unfinished(typed, lacksWord: !isWithin) else { return nil }
    return switch destination {
    case .command("x") where !isWithin: "CMD"
    case .file("x") where !isWithin: "FILE"
    case .command, .file: ""
    }
  }

  /// Whether the words fit the beginning of a form; the last may be the beginning of a literal word.
  private static func fits(_ plain: [String], _ entry: Grammar.Entry, isWithin: Bool) -> Bool {
    guard isWithin, let last = plain.last else { return CompletionContext.bindings(of: plain, in: entry) != nil }
    guard CompletionContext.bindings(of: plain.dropLast(), in: entry) != nil,
      let place = entry.form.place(plain.count - 1)
    else { return false }
    return !place.placeholders.isEmpty || place.literals.contains { $0.hasPrefix(last) }
  }

  private static func rest(of entry: Grammar.Entry, after count: Int, without keys: Set<String>) -> String {
    var place = 0
    let words = entry.usage.split(separator: " ").dropFirst().filter { word in
      let isRepeated = word.contains("…")
      if let equals = word.firstIndex(of: "=") {
        let key = word[..<equals].drop { $0 == "[" }
        return isRepeated || !keys.contains(String(key))
      }
      defer { place += 1 }
      return place >= count || isRepeated
    }
    // Of `[as KIND]` only the end may be left.
    var depth = 0
    return words.joined(separator: " ").filter { sign in
      if sign == "[" { depth += 1 }
      if sign == "]" { depth -= 1 }
      defer { depth = max(0, depth) }
      return depth >= 0
    }
  }
}
