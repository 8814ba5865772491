internal import LineProtocol

/// Takes part in a prompt beside the daemon, as free play in a lesson does. With one, Ctrl-C ends the prompt.
@MainActor
protocol PromptCompanion: AnyObject {
  /// Takes a typed line; false if it is a request like any other.
  func take(_ line: String) -> Bool
  /// Whether a notice is shown.
  func tells(_ notice: ServerLine) -> Bool
  /// A request of the user has been answered; it may ask more.
  func follow(_ client: Client)
  /// What it has to say since the last call: whole lines.
  func takeText() -> ScreenText
  /// Whether the prompt is to end.
  var isOver: Bool { get }
}
