internal import LineProtocol

/// How requests are written, as the daemon's `help` tells it. Nothing about a verb is known here beforehand.
///
/// A usage such as `watch PATTERN [what=moves|all] [since=SEQ]` reads: words in capitals stand for something, others
/// for themselves, `|` separates choices, brackets may be left out, and what ends in `…` may be repeated.
struct Grammar: Equatable {
  /// One way to write a verb.
  struct Form: Equatable {
    let verb: String
    /// What stands behind the verb, without the `key=value` words, which stand anywhere.
    let places: [Place]
    let keys: [Key]
    let summary: String

    /// As `help` wrote it.
    let usage: String
  }

  /// What one plain word may be.
  struct Place: Equatable {
    /// Words that stand for themselves.
    let literals: [String]
    /// Names in capitals, or the name of what is repeated.
    let placeholders: [String]
    let isOptional: Bool
    let repeats: Bool
  }

  /// A `key=value` word.
  struct Key: Equatable {
    let name: String
    let value: Place
  }

  let forms: [Form]

  /// - Parameter help: The data lines of `help`: a usage, and what the verb does behind ` : `.
  init(help: [ServerLine]) {
    forms = help.compactMap { line in
      // Words such as `what=moves|all]` do not come as fields, as their brackets stand before the key.
      let words = line.words + line.fields.map { "\($0.key)=\($0.value)" }
      guard let verb = words.first else { return nil }
      var places: [Place] = []
      var keys: [Key] = []
      for word in words.dropFirst() {
        let token = Token(word)
        if token.isParameters {
          keys.append(Key(name: "", value: Place(literals: [], placeholders: [], isOptional: true, repeats: true)))
        } else if let key = token.key {
          keys.append(Key(name: key, value: token.place))
        } else {
          places.append(token.place)
        }
      }
      return Form(
        verb: verb, places: places, keys: keys, summary: line.note ?? "", usage: words.joined(separator: " "))
    }
  }

  /// The verbs in the daemon's order, each with the summary of its first form.
  var verbs: [(name: String, summary: String)] {
    var seen: Set<String> = []
    return forms.compactMap { seen.insert($0.verb).inserted ? ($0.verb, $0.summary) : nil }
  }
}

/// One word of a usage, taken apart.
private struct Token {
  let key: String?
  let place: Grammar.Place
  /// Whether it stands for the parameters of a kind, whose names the catalogue has: `[param=value…]`.
  let isParameters: Bool

  init(_ word: String) {
    var text = word[...]
    let isOptional = text.hasPrefix("[")
    if isOptional { text = text.dropFirst() }
    if text.hasSuffix("]") { text = text.dropLast() }
    let repeats = text.hasSuffix("…") || text.hasSuffix("...")
    if repeats { text = text.hasSuffix("…") ? text.dropLast() : text.dropLast(3) }

    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    key = parts.count == 2 ? String(parts[0]) : nil
    isParameters = parts.count == 2 && repeats
    let choices = (parts.last ?? "").split(separator: "|").map(String.init)
    place = Grammar.Place(
      literals: repeats ? [] : choices.filter { !Self.isPlaceholder($0) },
      placeholders: repeats ? choices : choices.filter(Self.isPlaceholder), isOptional: isOptional, repeats: repeats)
  }

  private static func isPlaceholder(_ word: String) -> Bool {
    word.first?.isUppercase == true
  }
}
