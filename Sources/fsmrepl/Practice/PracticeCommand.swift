internal import LineProtocol

/// Requests for practice at the prompt: `quiz NAME` and `cover NAME`.
enum PracticeCommand: Equatable {
  case quiz(String)
  case cover(String)
  case wrong(String)

  /// - Returns: `nil` for another request.
  init?(_ text: String) {
    let request = RequestText(text)
    guard let verb = [LocalVerb.quiz, .cover].first(where: { $0.name == request.verb }) else { return nil }
    // A pattern is no name: practice is about one machine.
    guard let words = request.plainWords, words.count == 1, !words[0].contains(where: { "*?".contains($0) }) else {
      self = .wrong(verb.misuse)
      return
    }
    self = verb.name == LocalVerb.quiz.name ? .quiz(words[0]) : .cover(words[0])
  }

  /// The answer where nobody types, in a batch, or to a request that is no practice; the prompt performs the others.
  func answer(inBatch: Bool) -> [String] {
    switch self {
    case .wrong(let answer): [answer]
    case .quiz where inBatch, .cover where inBatch:
      ["- \(FailureCode.usage.word) : practice cannot stand between 'begin' and 'end'"]
    case .quiz, .cover: ["- \(FailureCode.usage.word) : practice is for the prompt, where somebody answers"]
    }
  }
}
