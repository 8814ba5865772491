import LineProtocol
import StateMachines

/// Converts between words of a line and values of a machine. Nothing else treats a value as text.
enum ArgumentText {
  /// The value of a word; nil if the type does not admit it.
  static func value(_ word: String, as type: ValueType) -> Value? {
    let value: Value?
    switch type {
    case .text, .character, .choice, .json: value = .text(word)
    case .integer: value = isDecimal(word, fraction: false) ? Int(word).map(Value.integer) : nil
    case .number: value = isDecimal(word, fraction: true) ? Double(word).map(Value.number) : nil
    case .flag:
      switch word {
      case "on", "true": value = .flag(true)
      case "off", "false": value = .flag(false)
      default: value = nil
      }
    case .interval: value = TimeText.duration(word).map { .interval(Nanoseconds(nanoseconds: $0)) }
    case .moment: value = TimeText.time(word).map { .moment(Instant(nanoseconds: $0)) }
    case .optional(let wrapped): return word == "nil" ? Value.none : ArgumentText.value(word, as: wrapped)
    }
    return value.flatMap { type.admits($0) ? $0 : nil }
  }

  /// Digits with an optional minus and an optional fraction: no exponent, no infinity.
  private static func isDecimal(_ word: String, fraction: Bool) -> Bool {
    let digits = word.hasPrefix("-") ? word.utf8.dropFirst() : word.utf8[...]
    let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count <= (fraction ? 2 : 1)
      && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }
  }

  /// A type's name in `describe`.
  static func name(of type: ValueType) -> String {
    switch type {
    case .text: "text"
    case .character: "character"
    case .choice: "choice"
    case .integer: "integer"
    case .number: "number"
    case .flag: "flag"
    case .interval: "duration"
    case .moment: "time"
    case .optional(let wrapped): "\(name(of: wrapped))?"
    case .json: "key=value"
    }
  }

  /// The words that a type allows.
  static func allowed(_ type: ValueType) -> String {
    switch type {
    case .text(let bytes): "text of \(bytes.lowerBound) to \(bytes.upperBound) bytes"
    case .character: "one character"
    case .choice(let words): words.joined(separator: ",")
    case .integer(let range): "\(range.lowerBound)..\(range.upperBound)"
    case .number(let range, let unit):
      "\(text(range.lowerBound))..\(text(range.upperBound))\(unit.isEmpty ? "" : " \(unit)")"
    case .flag: "on,off,true,false"
    case .interval(let range):
      "\(TimeText.written(range.lowerBound.nanoseconds))..\(TimeText.written(range.upperBound.nanoseconds))"
    case .moment: "a time"
    case .optional(let wrapped): "\(allowed(wrapped)), or nil"
    case .json: "any data"
    }
  }

  /// What a value must be, for a sentence: `allowed`, with what it is before a list of words or a range of durations.
  static func demanded(_ type: ValueType) -> String {
    switch type {
    case .choice, .flag: "one of \(allowed(type))"
    case .interval: "a duration of \(allowed(type))"
    case .optional(let wrapped): "\(demanded(wrapped)), or nil"
    case .text, .character, .integer, .number, .moment, .json: allowed(type)
    }
  }

  /// Merges types for a message: all choices become one type with the words of all.
  static func union(_ types: [ValueType]) -> [ValueType] {
    var words: [String] = []
    var kept: [ValueType] = []
    for type in types {
      if case .choice(let choices) = type {
        for word in choices where !words.contains(word) { words.append(word) }
      } else if !kept.contains(type) {
        kept.append(type)
      }
    }
    return words.isEmpty ? kept : [.choice(words)] + kept
  }

  /// A value as a request would write it, and as `describe` shows a default.
  static func written(_ value: Value) -> String {
    switch value {
    case .none: "nil"
    case .text(let text): text
    case .integer(let number): "\(number)"
    case .number(let number): text(number)
    case .flag(let flag): flag ? "on" : "off"
    case .interval(let interval): TimeText.written(interval.nanoseconds)
    case .moment(let moment): TimeText.written(moment.nanoseconds)
    }
  }

  /// A number without needless decimals and without an exponent, which requests do not allow.
  private static func text(_ number: Double) -> String {
    let text = "\(number)"
    if text.hasSuffix(".0") { return String(text.dropLast(2)) }
    let parts = text.split(separator: "e")
    guard parts.count == 2, let exponent = Int(parts[1]) else { return text }
    let sign = parts[0].hasPrefix("-") ? "-" : ""
    let halves = parts[0].drop { $0 == "-" }.split(separator: ".")
    let digits = halves.joined()
    let point = (halves.first?.count ?? 0) + exponent
    if point <= 0 { return "\(sign)0.\(String(repeating: "0", count: -point))\(digits)" }
    let whole = digits.prefix(point)
    let fraction = digits.dropFirst(point).filter { $0 != "0" }.isEmpty ? "" : ".\(digits.dropFirst(point))"
    return sign + whole + String(repeating: "0", count: max(0, point - digits.count)) + fraction
  }

  /// Writes a value as output data or a reading: times and durations in seconds, numbers with three to six decimals.
  static func append(_ value: Value, to line: inout ByteBuffer) {
    switch value {
    case .none: line.word(literal: "nil")
    case .text(let text): line.word(text)
    case .integer(let number): line.word("\(number)")
    case .flag(let flag): line.word(flag ? "true" : "false")
    case .interval(let interval): line.word(seconds: interval.nanoseconds)
    case .moment(let moment): line.word(seconds: moment.nanoseconds)
    case .number(let number):
      // Larger numbers would overflow the fixed-point text, and their decimals mean nothing.
      if number.magnitude < 9e9 {
        line.word(seconds: Int64((number * 1e6).rounded()) * 1_000)
      } else {
        line.word("\(number)")
      }
    }
  }
}
