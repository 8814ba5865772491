import StateMachines

/// A timer as one word: `alert`, or `fetchSucceeded(2)` for a keyed timer.
enum TimerText {
  /// The most keyed timers of one name that a failure lists.
  static let mostListed = 16

  /// The words of running timers, in order, with at most ``mostListed`` of each name.
  static func words(_ running: [(timer: Int, key: UInt32, due: Instant)], _ kind: Kind) -> [String] {
    var listed = [Int](repeating: 0, count: kind.timers.count)
    return running.compactMap { timer in
      listed[timer.timer] += 1
      return listed[timer.timer] <= mostListed ? word(kind.timers[timer.timer].name, key: timer.key) : nil
    }
  }

  /// - Parameter key: 0 for a timer without a key.
  static func word(_ name: String, key: UInt32) -> String { key == 0 ? name : "\(name)(\(key))" }

  /// The word that `fire` takes, with `KEY` in the place of a key.
  static func form(_ timer: TimerEntry) -> String { timer.key == nil ? timer.name : "\(timer.name)(KEY)" }

  /// A word's name and key. The key is nil without parentheses, and 0 if it is invalid.
  static func parts(_ word: String) -> (name: String, key: UInt32?) {
    guard word.hasSuffix(")"), let open = word.firstIndex(of: "(") else { return (word, nil) }
    let digits = word[word.index(after: open)...].dropLast()
    let key = UInt32(digits) ?? 0
    // Only one spelling of a key is valid, so that a timer has one name.
    return (String(word[..<open]), "\(key)" == digits ? key : 0)
  }
}
