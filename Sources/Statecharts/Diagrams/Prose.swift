import LineProtocol
import StateMachines

/// What people write in words: names for it, and the times in it.
enum Prose {
  /// The words of a text: letters and digits of any script. Apostrophes within a word are left out of it; so are other
  /// marks, emoji, and a number in front that counts the labels, as in `(1) take head` and `2. put back`.
  static func words(of text: String) -> [String] {
    var words: [String] = []
    var word = ""
    var isNumbered = false
    for character in text {
      if isPartOfWord(character) {
        word.append(character)
        continue
      }
      if character == "'" || character == "’", !word.isEmpty { continue }
      if !word.isEmpty {
        if words.isEmpty, ").:".contains(character), word.allSatisfy(\.isNumber) { isNumbered = true }
        words.append(word)
        word = ""
      }
    }
    if !word.isEmpty { words.append(word) }
    return isNumbered && words.count > 1 ? Array(words.dropFirst()) : words
  }

  private static func isPartOfWord(_ character: Character) -> Bool {
    character.unicodeScalars.allSatisfy { $0.properties.isXIDContinue }
  }

  /// The words as one name, in camel case: `user pushes` is `userPushes`. A word that stands alone stays as it is.
  ///
  /// - Returns: "" if the text has no words.
  static func name(of text: String) -> String {
    let words = words(of: text)
    guard let first = words.first else { return "" }
    if words.count == 1 { return first }
    let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    let isCapitalised = first.count == 1 || first.dropFirst().first?.isLowercase == true
    return String(((isCapitalised ? first.prefix(1).lowercased() + first.dropFirst() : first) + rest).prefix(longest))
  }

  /// The characters of a name that is made from words.
  private static let longest = 60

  /// What tells texts apart that have the same name: `x++` and `x--` differ, `User pushes` and `user pushes.` do not.
  static func identity(of text: String) -> String {
    let kept = text.lowercased().replaced("()", by: "").filter {
      !$0.isWhitespace && !"\"“”'’`".contains($0) && ($0.isASCII || $0.isLetter)
    }
    return String(kept.drop { ".,;:!".contains($0) }.reversed().drop { ".,;:!".contains($0) }.reversed())
  }

  /// Unique names: one identity always gets the same name.
  struct Names {
    private var names: [String: String] = [:]
    private var taken: Set<String> = []
    /// The number of the next name like one.
    private var numbers: [String: Int] = [:]

    init(taken: Set<String> = []) { self.taken = taken }

    /// The name of a thing; a new one has the name that is given, or one like it.
    mutating func name(for identity: String, like base: String) -> String {
      if let known = names[identity] { return known }
      let name = new(like: base)
      names[identity] = name
      return name
    }

    /// The text itself, or with the first of `_2`, `_3` … that makes it a free name.
    mutating func new(like base: String) -> String {
      var name = base
      while !taken.insert(name).inserted {
        let number = numbers[base, default: 2]
        numbers[base] = number + 1
        name = "\(base)_\(number)"
      }
      return name
    }
  }

  // MARK: Times

  /// A time in words: `500ms`, `after 30 s`, `30s timeout`, `timeout (30s)`, `every 5 min`.
  struct Time {
    var nanoseconds: Int64
    /// What the timer brings; `nil` if the words name nothing.
    var name: String?
  }

  enum TimeResult {
    case time(Time)
    /// A comma stands where a number has a dot: what to write; nil if it may be that of a thousand.
    case comma(String?)
    /// A sign or a dot in front of a number, or several times that are no parts of one.
    case unclear
  }

  /// Whether a time is one that comes again and again.
  static func isRepeated(_ text: String) -> Bool {
    ["every", "each"].contains(text.lowercased().split(separator: " ").first ?? "")
  }

  private static let units: [String: Double] = {
    var units: [String: Double] = [:]
    for (words, factor) in [
      ("ms msec msecs millisecond milliseconds", 1e6), ("s sec secs second seconds", 1e9),
      ("m min mins minute minutes", 60e9), ("h hr hrs hour hours", 3_600e9), ("d day days", 86_400e9),
      ("week weeks", 604_800e9), ("us µs", 1e3), ("ns", 1),
    ] { for word in words.split(separator: " ") { units[String(word)] = factor } }
    return units
  }()

  /// Words around a time that name nothing.
  private static let plain: Set<String> = [
    "after", "every", "each", "wait", "waits", "for", "in", "of", "the", "later", "elapsed", "elapse", "elapses",
    "passed", "pass", "passes", "have", "has", "about", "at", "once", "then", "per", "over", "or", "and", "half",
    "quarter",
  ]

  /// Words that make a text with a time the name of a timer.
  static let timers: Set<String> = [
    "timeout", "timer", "timeouts", "expires", "expired", "expire", "expiry", "delay", "ttl", "countdown", "tick",
    "idle", "inactivity", "cooldown", "after",
  ]

  /// The time that a text is about; `nil` if it is about something else.
  static func time(in text: String) -> TimeResult? {
    var tokens: [String] = []
    var token = ""
    var isUnclear = false
    // The two characters before. A sign is one after a blank: `idle timeout-5s` has a hyphen.
    var (space, sign): (Character, Character) = (" ", " ")
    for character in text.lowercased() {
      if "<>=+*/%|&!?".contains(character) { return nil }
      if "-−±.".contains(sign), !space.isLetter, !space.isNumber, character.isNumber { isUnclear = true }
      (space, sign) = (sign, character)
      let isDigit = character.isASCII && character.isNumber
      let isInner = (character == "." || character == ",") && token.last?.isNumber == true
      let isLetter = character.isLetter
      let wasLetter = token.last?.isLetter == true
      if !token.isEmpty, wasLetter ? !isLetter : !(isDigit || isInner) {
        tokens.append(token)
        token = ""
      }
      if isDigit || isLetter || isInner { token.append(character) }
    }
    if !token.isEmpty { tokens.append(token) }
    tokens = tokens.map { $0.hasSuffix(".") || $0.hasSuffix(",") ? String($0.dropLast()) : $0 }.filter { !$0.isEmpty }
    let numbers = tokens.indices.filter { tokens[$0].first?.isNumber == true }
    var duration = 0.0
    var (hasComma, mayBeThousands) = (false, false)
    if let first = numbers.first, let last = numbers.last {
      // `1 min 30 s`, `1h and 30m`: each number has its unit, and nothing else is between them.
      for place in numbers {
        guard place + 1 < tokens.count, let unit = units[tokens[place + 1]] else { return nil }
        guard let amount = Double(tokens[place].replaced(",", by: ".")) else { return nil }
        duration += amount * unit
        if let parts = tokens[place].cut(at: ",") {
          hasComma = true
          if parts.after.count == 3, parts.before.count < 4 { mayBeThousands = true }
        }
        if place > first, unit >= units[tokens[place - 1] == "and" ? tokens[place - 2] : tokens[place - 1]] ?? 0 {
          isUnclear = true
        }
        if place > 0, tokens[place - 1] == "minus" { isUnclear = true }
      }
      let between = (first...last + 1).filter { tokens[$0] != "and" }
      guard between.count == 2 * numbers.count, numbers.count == 1 || !hasComma else { return nil }
      tokens.removeSubrange(first...last + 1)
    } else if let found = tokens.indices.dropFirst().first(where: {
      units[tokens[$0]] != nil && tokens[$0].count > 2
        && ["a", "an", "one", "every", "each"].contains(tokens[$0 - 1])
    }) {
      let share = tokens[..<found].contains("half") ? 0.5 : tokens[..<found].contains("quarter") ? 0.25 : 1
      duration = share * (units[tokens[found]] ?? 1)
      tokens.remove(at: found)
      if ["a", "an", "one"].contains(tokens[found - 1]) { tokens.remove(at: found - 1) }
      if tokens.isEmpty { return nil }
    } else {
      return nil
    }
    let words = tokens
    let isTimer = words.contains(where: timers.contains)
    let begins = ["after", "every", "each"].contains(words.first ?? "")
    let named = words.filter { !plain.contains($0) }
    guard named.isEmpty || isTimer || begins else { return nil }
    if isUnclear { return .unclear }
    guard duration <= Double(TimeText.longest) else { return nil }
    let nanoseconds = Int64(clamping: duration.rounded())
    if hasComma { return .comma(mayBeThousands ? nil : TimeText.written(nanoseconds)) }
    let name = begins || named.isEmpty ? nil : Self.name(of: named.joined(separator: " "))
    return .time(Time(nanoseconds: nanoseconds, name: name))
  }
}
