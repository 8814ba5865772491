/// The style of text for people.
///
/// Colours only repeat what the text already says.
struct Style: Equatable {
  let usesColour: Bool
  /// Whether the terminal's encoding has arrows and dashes.
  let usesUnicode: Bool

  static let bare = Style(usesColour: false, usesUnicode: true)

  enum Role {
    case name, state, quiet, good, bad, output, attention
  }

  /// Text from elsewhere in a style.
  @_disfavoredOverload
  func callAsFunction(_ role: Role?, _ text: String) -> ScreenText {
    self(role, ScreenText(text))
  }

  func callAsFunction(_ role: Role?, _ text: ScreenText) -> ScreenText {
    guard usesColour, let role, !text.isEmpty else { return text }
    let code =
      switch role {
      case .name: "1"
      case .state: "36"
      case .quiet: "2"
      case .good: "32"
      case .bad: "31"
      case .output: "35"
      case .attention: "33"
      }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }

  var arrow: String { usesUnicode ? "→" : "->" }
  var emits: String { usesUnicode ? "⇒" : "=>" }
  var ellipsis: String { usesUnicode ? "…" : "..." }
}
