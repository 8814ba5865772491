internal import LineProtocol
internal import Scripts
internal import UnixHost

/// Free play at the prompt: it takes the words `hint`, `goal`, `again`, `skip` and `back`, and checks after each answer
/// whether the goal is reached.
@MainActor
final class FreePlay {
  /// How it ended; all but the first are words that are no requests here.
  enum Ending: String {
    case reached
    /// It is to begin anew.
    case again
    /// The solution is to be played.
    case skip
    /// The item before is to come again.
    case back
  }

  /// A hint comes by itself after so many requests in vain.
  private static let patience = 3

  private let attempt: Script.Attempt
  private let condition: AttemptCondition
  private let style: Style
  private let columns: () -> Int?
  private var requests = 0
  private var hintsGiven = 0
  private var unsaid: [String] = []
  /// Nil if the learner left.
  private(set) var end: Ending?

  init(_ attempt: Script.Attempt, of script: Script, style: Style, columns: @escaping () -> Int?) {
    self.attempt = attempt
    condition = AttemptCondition(attempt, of: script, style: style)
    self.style = style
    self.columns = columns
  }

  /// Whether the prompt is to end.
  var isOver: Bool { end != nil || hasLeft }
  private var hasLeft = false

  /// Takes a typed line; false if it is a request like any other.
  func take(_ line: String) -> Bool {
    switch line.split(separator: " ").joined(separator: " ") {
    case "hint": giveHint()
    case "goal": unsaid.append(attempt.goal)
    case "q": hasLeft = true
    case let word:
      guard let ending = Ending(rawValue: word), ending != .reached else { return false }
      end = ending
    }
    return true
  }

  /// Whether a notice is shown.
  func shows(_ notice: ServerLine) -> Bool {
    LessonScreen.isWorthReporting(notice)
      || notice.words.count > 3 && ["created", "dropped", "pointed", "defined", "undefined"].contains(notice.words[3])
  }

  /// A request of the user has been answered; it may ask more.
  func follow(_ client: Client) {
    guard end == nil, !client.conversation.isCollecting else { return }
    _ = client.begin(
      Inquiry(asking: condition.questions) { [self] answers in
        guard end == nil else { return .end([]) }
        let (holds, remark) = condition.check(answers)
        answered(isReached: holds, remark: remark)
        return .end([])
      })
  }

  /// - Parameter remark: How near the condition is.
  func answered(isReached: Bool, remark: String?) {
    guard !isReached else {
      end = .reached
      return
    }
    requests += 1
    if let remark { unsaid.append(remark) }
    if requests.isMultiple(of: Self.patience), hintsGiven < attempt.hints.count { giveHint() }
  }

  private func giveHint() {
    guard hintsGiven < attempt.hints.count else {
      return unsaid.append(
        attempt.hints.isEmpty ? "There is no hint; `skip` plays the solution." : "`skip` plays the solution.")
    }
    hintsGiven += 1
    unsaid.append("Hint: \(attempt.hints[hintsGiven - 1])")
  }

  /// What it has to say since the last call: whole lines.
  func takeText() -> ScreenText {
    defer { unsaid = [] }
    return unsaid.map { MarkdownText([$0]).shown(width: columns(), style: style) }.joined()
  }
}
