internal import LineProtocol
internal import Scripts
internal import UnixHost

/// Free play at the prompt: it takes the words `hint`, `goal`, `again`, `skip` and `back`, and checks after each answer
/// whether the goal is reached.
@MainActor
final class FreePlay {
  enum Ending: Equatable {
    case reached
    /// It is to begin anew.
    case again
    case skipped
    /// The item before is to come again.
    case back
  }

  private var play: AttemptPlay
  private let condition: AttemptCondition
  private let style: Style
  private let columns: () -> Int?
  private var unsaid = ScreenText()
  /// How it ended; nil if the learner left.
  private(set) var end: Ending?

  init(_ attempt: Script.Attempt, of script: Script, style: Style, columns: @escaping () -> Int?) {
    play = AttemptPlay(attempt)
    condition = AttemptCondition(attempt, of: script, style: style)
    self.style = style
    self.columns = columns
  }

  /// Whether the prompt is to end.
  var isOver: Bool { end != nil }

  /// Takes a typed line; false if it is a request like any other.
  func take(_ line: String) -> Bool {
    guard let reaction = play.take(line) else { return false }
    react(to: reaction)
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
        react(to: play.answered(isReached: holds, remark: remark))
        return .end([])
      })
  }

  /// What it has to say since the last call: whole lines.
  func takeText() -> ScreenText {
    defer { unsaid = ScreenText() }
    return unsaid
  }

  private func react(to reaction: AttemptPlay.Reaction) {
    switch reaction {
    case .say(let lines):
      unsaid += lines.map { MarkdownText([$0]).shown(width: columns(), style: style) }.joined()
    case .nothing: break
    case .reached: end = .reached
    case .again: end = .again
    case .skip: end = .skipped
    case .back: end = .back
    }
  }
}
