/// One form of a verb, parsed from the usage in the verb table: `PATTERN [what=moves|all] [since=SEQ]`.
///
/// Words in capitals are placeholders, others are literal, `|` separates choices, brackets mark optional words, and a
/// word that ends in `…` may be repeated.
package struct UsageForm: Equatable, Sendable {
  /// What one plain word may be.
  package struct Place: Equatable, Sendable {
    /// Literal words.
    package let literals: [String]
    /// Names in capitals, or the name of a repeated word.
    package let placeholders: [String]
    package let isOptional: Bool
    package let repeats: Bool
  }

  /// A `key=value` word.
  package struct Key: Equatable, Sendable {
    /// Empty for the parameters of a kind, whose names are in the catalogue: `[param=value…]`.
    package let name: String
    package let value: Place
  }

  /// Why words do not fit.
  package enum Misfit: Equatable, Sendable {
    /// One word is missing.
    case missing
    /// The word at this index is one too many.
    case surplus(Int)
    /// The word at this index is not allowed there; `allowed` says what is.
    case wrong(Int, allowed: String)

    /// How many of `count` words fit before it.
    fileprivate func fitting(of count: Int) -> Int {
      switch self {
      case .missing: count
      case .surplus(let place), .wrong(let place, _): place
      }
    }
  }

  /// The plain words after the verb; `key=value` words may stand anywhere.
  package let places: [Place]
  package let keys: [Key]

  /// - Parameter words: The usage after the verb.
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

  /// Whether a word in it may be repeated: arguments of an event or parameters of a kind, whose names are in the
  /// catalogue.
  package var isOpen: Bool { places.contains(where: \.repeats) || keys.contains(where: \.value.repeats) }

  /// Why plain words do not fit this form; `nil` if they do.
  ///
  /// Checks what can be known without a daemon: the number of words, literal words, numbers and durations.
  package func misfit(of words: [String]) -> Misfit? {
    for (place, word) in words.enumerated() {
      guard let expected = self.place(place) else { return .surplus(place) }
      if let allowed = expected.problem(with: word) { return .wrong(place, allowed: allowed) }
    }
    return words.count < count.lowerBound ? .missing : nil
  }

  /// Why plain words fit none of several forms; `nil` if they fit one.
  ///
  /// - Returns: The misfit of the form that accepts most of the words.
  package static func misfit(of words: [String], in forms: [UsageForm]) -> Misfit? {
    var nearest: Misfit?
    for form in forms {
      guard let misfit = form.misfit(of: words) else { return nil }
      let (fitting, most) = (misfit.fitting(of: words.count), nearest?.fitting(of: words.count) ?? -1)
      switch (nearest, misfit) {
      case (.wrong(let place, let allowed), .wrong(_, let more)) where fitting == most:
        nearest = .wrong(place, allowed: "\(allowed) or \(more)")
      // Another form has a word here, which is a better hint than that this form has none.
      case (.surplus, .wrong) where fitting == most: nearest = misfit
      default: if fitting > most { nearest = misfit }
      }
    }
    return nearest
  }

  /// The place of the plain word with this index; a repeated last place has no limit.
  package func place(_ index: Int) -> Place? {
    if index < places.count { return places[index] }
    return places.last.flatMap { $0.repeats ? $0 : nil }
  }
}

extension UsageForm.Place {
  /// What is allowed here, if this word is not; `nil` if it is.
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

  /// The values of some placeholders; all others accept any word.
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

/// One parsed word of a usage.
private struct Token {
  let key: String?
  let place: UsageForm.Place
  /// Whether it represents the parameters of a kind.
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
