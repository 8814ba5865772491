internal import LineProtocol

/// A state in a frame, on lines of its own, to be read from the last row of a room.
enum StateFrame {
  /// Blanks on each side of the state.
  private static let padding = 4

  /// - Parameter width: Width of the screen, in columns. A state that is wider is broken between its regions, and within
  ///   them if it must be.
  static func text(_ state: String, width: Int?, style: Style) -> ScreenText {
    let room = max(4, (width ?? 80) - 2 * padding - 5)
    let lines = lines(of: VisibleText.escaped(state), room: room)
    let widest = lines.map { ScreenText.columns(of: $0) }.max() ?? 0
    let (across, down) = style.usesUnicode ? ("━", "┃") : ("-", "|")
    let corners = style.usesUnicode ? ["┏", "┓", "┗", "┛"] : ["+", "+", "+", "+"]
    let edge = String(repeating: across, count: widest + 2 * padding)
    let rows = lines.map { line -> ScreenText in
      let free = widest - ScreenText.columns(of: line)
      let (left, right) = (String(repeating: " ", count: padding + free / 2), padding + free - free / 2)
      let inside = style(.state, "\(left)\(line)\(String(repeating: " ", count: right))")
      return "  \(style(.name, down))\(inside)\(style(.name, down))\n"
    }.joined()
    return """
        \(style(.name, "\(corners[0])\(edge)\(corners[1])"))
      \(rows)  \(style(.name, "\(corners[2])\(edge)\(corners[3])"))

      """
  }

  private static func lines(of state: String, room: Int) -> [String] {
    guard ScreenText.columns(of: state) > room else { return [state] }
    let regions = state.split(separator: "+", omittingEmptySubsequences: false)
    var lines: [String] = []
    for (place, region) in regions.enumerated() {
      var line = place == 0 ? "" : "+"
      for character in region {
        if ScreenText.columns(of: line) + ScreenText.columns(of: String(character)) > room {
          lines.append(line)
          line = ""
        }
        line.append(character)
      }
      lines.append(line)
    }
    return lines
  }
}
