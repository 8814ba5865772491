internal import LineProtocol

/// The differences between two worlds, as `diff` reports them, in words.
extension Wording {
  /// A line of `diff`.
  ///
  /// - Parameters:
  ///   - left: The world that was named first.
  ///   - right: The other one.
  /// - Returns: `nil` if the words do not have a known shape.
  func difference(_ line: ServerLine, _ left: String, _ right: String) -> ScreenText? {
    let words = line.words
    /// The values in the two worlds; they are the last two words of the line.
    func pair(_ say: (String) -> ScreenText) -> ScreenText {
      "\(say(words[words.count - 2])) in \(left), \(say(words[words.count - 1])) in \(right)"
    }
    func named(_ index: Int) -> ScreenText { style(.name, words[index]) }
    switch (words.first, words.count) {
    case ("time", 3): return "the time: \(pair { "\(moment($0))" })"
    case ("only", 5): return "\(named(2)): only in \(words[1]), a \(words[3]), \(style(.state, words[4]))"
    case ("kind", 4): return "\(named(1)): \(pair { "a \($0)" })"
    case ("state", 4): return "\(named(1)): \(pair { style(.state, $0) })"
    case ("hidden", 3): return "\(named(1)): \(style(.state, words[2])) in both, but its hidden data differ"
    case ("parameter", 5): return "\(named(1)), made with \(words[2]): \(pair { ScreenText(Word.written($0)) })"
    case ("reading", 5):
      return "\(named(1)), \(words[2]): \(pair { $0 == "-" ? "none" : ScreenText(Word.written($0)) })"
    case ("timer", 5): return "\(named(1)), \(words[2]): \(pair { $0 == "-" ? "not running" : "due \(moment($0))" })"
    case ("wire", 6):
      return "the wire \(named(2)) \(words[3]) \(style.arrow) \(named(4)) \(words[5]): only in \(words[1])"
    default: return nil
    }
  }
}
