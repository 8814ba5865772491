/// One way to write a verb, read from what the verb table says of it: `PATTERN [what=moves|all] [since=SEQ]`.
///
/// Words in capitals stand for something, others for themselves, `|` separates choices, brackets may be left out, and
/// what ends in `…` may be repeated.
package struct UsageForm: Equatable, Sendable {
  /// What one plain word may be.
  package struct Place: Equatable, Sendable {
    /// Words that stand for themselves.
    package let literals: [String]
    /// Names in capitals, or the name of what is repeated.
    package let placeholders: [String]
    package let isOptional: Bool
    package let repeats: Bool
  }

  /// A `key=value` word.
  package struct Key: Equatable, Sendable {
    /// Empty for the parameters of a kind, whose names the catalogue has: `[param=value…]`.
    package let name: String
    package let value: Place
  }

  /// Why words do not fit.
  package enum Misfit: Equatable, Sendable {
    /// There is one word too few.
    case missing
    /// The word at this place is one too many.
    case surplus(Int)
    /// The word at this place cannot stand there; what can.
    case wrong(Int, allowed: String)

    /// How many words fit before it, of so many.
    fileprivate func fitting(of count: Int) -> Int {
      switch self {
      case .missing: count
      case .surplus(let place), .wrong(let place, _): place
      }
    }
  }

  /// What stands behind the verb, without the `key=value` words, which stand anywhere.
  package let places: [Place]
  package let keys: [Key]

  /// - Parameter words: Of the usage, behind the verb.
  package init(_ words: some Sequence<String>) {
    var places: [Place] = []
    var keys: [Key] = []
    for word in words {
      let token = Token(word)
      if token.isParameters {
        keys.append(Key(name: "", value: Place(literals: [], placeholders: [], isOptional: true, repeats: true)))
      } else if let key = token.key {
        keys.append(Key(name: key, value: token.place))
      } else {
        places.append(token.place)
      }
    }
    self.places = places
    self.keys = keys
  }

  /// How many plain words fit.
  package var count: ClosedRange<Int> {
    let least = places.count { !$0.isOptional && !$0.repeats }
    return least...(places.last?.repeats == true ? Int.max : places.count)
  }

  /// Whether something in it may be repeated: arguments of an event or parameters of a kind, whose names the catalogue
  /// has.
  package var isOpen: Bool { places.contains(where: \.repeats) || keys.contains(where: \.value.repeats) }

  /// Why plain words do not fit this form; `nil` if they do.
  ///
  /// What is looked at is what can be known without a daemon: how many words there are, words that stand for themselves,
  /// numbers and durations.
  package func misfit(of words: [String]) -> Misfit? {
    for (place, word) in words.enumerated() {
      guard let expected = self.place(place) else { return .surplus(place) }
      if let allowed = expected.problem(with: word) { return .wrong(place, allowed: allowed) }
    }
    return words.count < count.lowerBound ? .missing : nil
  }

  /// Why plain words fit none of several forms; `nil` if they fit one.
  ///
  /// - Returns: Of the form that most of the words fit, what is wrong with the next one.
  package static func misfit(of words: [String], in forms: [UsageForm]) -> Misfit? {
    var nearest: Misfit?
    for form in forms {
      guard let misfit = form.misfit(of: words) else { return nil }
      let (fitting, most) = (misfit.fitting(of: words.count), nearest?.fitting(of: words.count) ?? -1)
      switch (nearest, misfit) {
      case (.wrong(let place, let allowed), .wrong(_, let more)) where fitting == most:
        nearest = .wrong(place, allowed: "\(allowed) or \(more)")
      // That other forms have a word here says more than that this one has none.
      case (.surplus, .wrong) where fitting == most: nearest = misfit
      default: if fitting > most { nearest = misfit }
      }
    }
    return nearest
  }

  /// The place of the plain word with this index; the last one goes on for ever if it repeats.
  package func place(_ index: Int) -> Place? {
    if index < places.count { return places[index] }
    return places.last.flatMap { $0.repeats ? $0 : nil }
  }
}

extension UsageForm.Place {
  /// What can stand here, if this word cannot.
  package func problem(with word: String) -> String? {
    if literals.contains(word) { return nil }
    guard !placeholders.isEmpty else { return literals.joined(separator: " or ") }
    var allowed: [String] = []
    for placeholder in placeholders {
      guard let rule = Self.rules[placeholder] else { return nil }
      if rule.accepts(word) { return nil }
      allowed.append(rule.allowed)
    }
    return (literals + allowed).joined(separator: " or ")
  }

  /// What some placeholders stand for; any word may stand for one of the others.
  private static let rules: [String: (allowed: String, accepts: @Sendable (String) -> Bool)] = [
    "N": ("a whole number", { UInt64($0) != nil && !$0.hasPrefix("+") }),
    "SEQ": ("a whole number", { UInt64($0) != nil && !$0.hasPrefix("+") }),
    "X": ("a number", { $0.first?.isASCIIDigit == true && Double($0) != nil }),
    "DURATION": (TimeText.durationForm, { TimeText.duration($0) != nil }),
    "TIME": (TimeText.timeForm, { TimeText.time($0) != nil }),
  ]
}

extension Character {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}

/// One word of a usage, taken apart.
private struct Token {
  let key: String?
  let place: UsageForm.Place
  /// Whether it stands for the parameters of a kind.
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
    place = UsageForm.Place(
      literals: repeats ? [] : choices.filter { !Self.isPlaceholder($0) },
      placeholders: repeats ? choices : choices.filter(Self.isPlaceholder), isOptional: isOptional, repeats: repeats)
  }

  private static func isPlaceholder(_ word: String) -> Bool {
    word.first?.isUppercase == true
  }
}
