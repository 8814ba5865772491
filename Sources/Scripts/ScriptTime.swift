import LineProtocol

/// The words that only the prompt takes, besides `at` and `after`, which scripts have as well.
package enum PromptWords {
  package static let all: Set = ["quiz", "cover", "run", "clear", "version", "exit", "?", "\\q", "!"]
}

/// `at TIME` and `after DURATION` before a line, in a script or at the prompt.
package enum ScriptTime {
  case at, after

  package init?(_ word: some StringProtocol) {
    switch word {
    case "at": self = .at
    case "after": self = .after
    default: return nil
    }
  }

  /// What is sent before the time.
  package var request: StaticString { self == .at ? "advance until " : "advance " }

  /// The time as written in a script, of a request that does it; nil for another request.
  static func written(fromRequest request: String) -> String? {
    for (time, word) in [(Self.at, "at"), (.after, "after")] where request.hasPrefix("\(time.request)") {
      return "\(word) \(request.dropFirst("\(time.request)".count))"
    }
    return nil
  }

  /// What is wrong with the word after it, which may be missing; nil if nothing is.
  ///
  /// - Parameter next: The word after that, which may be the unit.
  package func mistake(in word: String?, before next: String? = nil) -> String? {
    let form = self == .at ? TimeText.timeForm : TimeText.durationForm
    guard let word else {
      return self == .at ? "a time must follow 'at': \(form)" : "a duration must follow 'after': \(form)"
    }
    guard !isRight(word) else {
      return next.flatMap { TimeText.meant(by: word, $0) }.map { "a time is one word: '\($0)'" }
    }
    let pointed = word.replaced(",", by: ".")
    let remark = isRight(pointed) ? "; did you mean '\(pointed)'?" : TimeText.remark(on: word)
    return "'\(word)' is no \(self == .at ? "time" : "duration"); it is \(form)\(remark)"
  }

  private func isRight(_ word: String) -> Bool {
    (self == .at ? TimeText.time(word) : TimeText.duration(word)) != nil
  }
}
