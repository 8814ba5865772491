internal import Scripts

/// How far a learner is in a piece of free play. It decides what is said next; it shows nothing and asks nobody.
struct AttemptPlay: Equatable {
  /// What follows from a typed line or an answer.
  enum Reaction: Equatable {
    case say([String])
    case nothing
    case reached
    case again
    case skip
    case back
  }

  /// The words that are no requests here.
  static let words = ["hint", "goal", "again", "skip", "back"]
  /// A hint comes by itself after so many requests in vain.
  private static let patience = 3

  let attempt: Script.Attempt
  private var requests = 0
  private var hintsGiven = 0

  init(_ attempt: Script.Attempt) {
    self.attempt = attempt
  }

  /// Takes a typed line.
  ///
  /// - Returns: Nil if it is a request.
  mutating func take(_ line: String) -> Reaction? {
    switch line.split(separator: " ").joined(separator: " ") {
    case "hint": .say([hint()])
    case "goal": .say([attempt.goal])
    case "again": .again
    case "skip": .skip
    case "back": .back
    default: nil
    }
  }

  /// A request of the learner has been answered.
  ///
  /// - Parameter remark: How near the condition is.
  mutating func answered(isReached: Bool, remark: String?) -> Reaction {
    if isReached { return .reached }
    requests += 1
    var said = remark.map { [$0] } ?? []
    if requests.isMultiple(of: Self.patience), hintsGiven < attempt.hints.count { said.append(hint()) }
    return said.isEmpty ? .nothing : .say(said)
  }

  private mutating func hint() -> String {
    guard hintsGiven < attempt.hints.count else {
      return attempt.hints.isEmpty ? "There is no hint; `skip` plays the solution." : "`skip` plays the solution."
    }
    hintsGiven += 1
    return "Hint: \(attempt.hints[hintsGiven - 1])"
  }
}
