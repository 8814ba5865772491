/// The name of a timer as one word: `alert`, or `fetchSucceeded(2)` where several of the name can run.
enum TimerText {
  /// Keyed timers of one name that a failure lists.
  static let mostListed = 16

  /// - Parameter key: 0 for a timer without key.
  static func word(_ name: String, key: UInt32) -> String { key == 0 ? name : "\(name)(\(key))" }

  /// A word's name and key; nil for a word without parentheses, 0 where they hold what is no key.
  static func parts(_ word: String) -> (name: String, key: UInt32?) {
    guard word.hasSuffix(")"), let open = word.firstIndex(of: "(") else { return (word, nil) }
    let digits = word[word.index(after: open)...].dropLast()
    let key = UInt32(digits) ?? 0
    // One way to write a number, so that a timer has one name.
    return (String(word[..<open]), "\(key)" == digits ? key : 0)
  }
}
