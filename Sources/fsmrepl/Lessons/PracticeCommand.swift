internal import LineProtocol

/// Requests for practice at the prompt: `quiz NAME` and `cover NAME`.
enum PracticeCommand: Equatable {
  case quiz(String)
  case cover(String)
  case help(Int)
  case wrong(String)

  private static let commands = [
    (
      verb: "quiz", usage: "quiz NAME", summary: "asks what the next inputs of a machine will do, and says why",
      example: "quiz key"
    ),
    (
      verb: "cover", usage: "cover NAME", summary: "shows after each request which transitions are still untried",
      example: "cover key"
    ),
  ]

  /// The rows of `help` for them, in the daemon's form.
  static let usageRows = commands.map { ". \($0.usage) : \($0.summary)" }

  /// - Returns: `nil` for another request.
  init?(_ text: String) {
    let request = RequestText(text)
    if request.verb == Verb.help.name {
      guard let place = Self.commands.firstIndex(where: { [$0.verb] == request.words }) else { return nil }
      self = .help(place)
      return
    }
    guard let command = Self.commands.first(where: { $0.verb == request.verb }) else { return nil }
    // A pattern is no name: practice is about one machine.
    guard request.words.count == 1, let name = request.words.first, !name.contains("*"), !name.contains("=") else {
      self = .wrong("\(command.verb) is used as '\(command.usage)', with the name of one machine")
      return
    }
    self = command.verb == "quiz" ? .quiz(name) : .cover(name)
  }

  /// The answer where nobody types, or to a request that is no practice; the prompt performs the others.
  var answer: [String] {
    switch self {
    case .help(let place): [Self.usageRows[place], ". example : \(Self.commands[place].example)", "+ 2"]
    case .wrong(let text): ["- \(FailureCode.usage.word) : \(text)"]
    case .quiz, .cover: ["- \(FailureCode.usage.word) : practice is for the prompt, where somebody answers"]
    }
  }
}
