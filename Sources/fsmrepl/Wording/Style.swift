/// The style of text for people.
///
/// Colours only repeat what the text already says.
struct Style: Equatable {
  let usesColour: Bool
  /// Whether the terminal's encoding has arrows and dashes.
  let usesUnicode: Bool
  /// Whether a room looks at the screen: nothing is dim, and states and times are for reading from afar.
  var isPresenting = false

  static let bare = Style(usesColour: false, usesUnicode: true)

  enum Role {
    case name, state, quiet, good, bad, output, attention
    /// The state that a machine is in now.
    case newState
    /// What may be typed next, after the cursor.
    case hint
  }

  /// Text from elsewhere in a style.
  @_disfavoredOverload
  func callAsFunction(_ role: Role?, _ text: String) -> ScreenText {
    self(role, ScreenText(text))
  }

  func callAsFunction(_ role: Role?, _ text: ScreenText) -> ScreenText {
    guard usesColour, let role, !text.isEmpty, let code = isPresenting ? Self.strong(role) : Self.usual(role) else {
      return text
    }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }

  private static func usual(_ role: Role) -> String? {
    switch role {
    case .name, .attention: "1"
    case .state: "36"
    // Amber is the present, here as on the page, and red what is refused.
    case .newState: "33"
    case .quiet, .hint: "2"
    case .good: "32"
    case .bad: "31"
    case .output: "35"
    }
  }

  /// What can be read on a dark and on a light ground: no colour, and nothing dim.
  private static func strong(_ role: Role) -> String? {
    switch role {
    case .name, .state, .good, .output: "1"
    case .newState: "1;7"
    case .quiet: nil
    case .bad, .attention: "1;4"
    case .hint: "4"
    }
  }

  var arrow: String { usesUnicode ? "→" : "->" }
  var emits: String { usesUnicode ? "⇒" : "=>" }
  var ellipsis: String { usesUnicode ? "…" : "..." }
}
