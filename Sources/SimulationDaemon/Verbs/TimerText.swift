import StateMachines

/// The name of a timer as one word: `alert`, or `fetchSucceeded(2)` where several of the name can run.
enum TimerText {
  /// Keyed timers of one name that a failure lists.
  static let mostListed = 16

  /// The words of running timers, in their order; of keyed ones of one name the first ``mostListed``.
  static func words(_ running: [(timer: Int, key: UInt32, due: Instant)], _ kind: Kind) -> [String] {
    var listed = [Int](repeating: 0, count: kind.timers.count)
    return running.compactMap { timer in
      listed[timer.timer] += 1
      return listed[timer.timer] <= mostListed ? word(kind.timers[timer.timer].name, key: timer.key) : nil
    }
  }

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
