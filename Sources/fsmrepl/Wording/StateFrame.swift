internal import LineProtocol

/// The state of a machine on lines of its own, to be read from the last row of a room.
enum StateFrame {
  /// Blanks on each side of the state in a frame, and on a narrow screen.
  private static let (padding, narrowPadding) = (4, 1)
  private static let narrow = 40
  /// More regions than this would take the whole screen.
  private static let maxBlocks = 2

  /// - Parameter width: Width of the screen, in columns. A state that is too wide for letters of blocks stands in a
  ///   frame, where it is broken between its regions, and within them if it must be.
  static func text(_ state: String, of machine: String?, width: Int?, style: Style) -> ScreenText {
    let name: ScreenText = machine.map { "  \(style(.name, $0))\n" } ?? ""
    let width = width ?? 80
    if let rows = blocks(state, room: width - 3) {
      let full = style.usesUnicode ? "█" : "#"
      let lines = rows.map { row -> ScreenText in
        let drawn = String(row.reversed().drop { $0 == " " }.reversed()).replaced("#", by: full)
        return "\(drawn.isEmpty ? "" : "  ")\(style(.name, drawn))\n"
      }
      return "\(name)\n\(lines.joined())\n"
    }
    return "\(name)\(framed(state, width: width, style: style))"
  }

  /// The rows of a state in block letters, each column doubled if there is room; `nil` if they are too wide.
  private static func blocks(_ state: String, room: Int) -> [String]? {
    func widened(_ row: String) -> String { row.map { "\($0)\($0)" }.joined() }
    let regions = state.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
    let below = regions.indices.map { $0 == 0 ? regions[$0] : "+\(regions[$0])" }
    for parts in [[state], below] where parts.count <= maxBlocks {
      let drawn = parts.compactMap(BlockLetters.rows)
      guard drawn.count == parts.count else { return nil }
      let widest = drawn.map { $0[0].count }.max() ?? 0
      guard widest <= room else { continue }
      return Array(drawn.map { 2 * widest <= room ? $0.map(widened) : $0 }.joined(separator: [""]))
    }
    return nil
  }

  private static func framed(_ state: String, width: Int, style: Style) -> ScreenText {
    let padding = width < narrow ? narrowPadding : padding
    let room = max(4, width - 2 * padding - 5)
    let lines = lines(of: VisibleText.escaped(state), room: room)
    let widest = lines.map { ScreenText.columns(of: $0) }.max() ?? 0
    let (across, down) = style.usesUnicode ? ("━", "┃") : ("-", "|")
    let corners = style.usesUnicode ? ["┏", "┓", "┗", "┛"] : ["+", "+", "+", "+"]
    let edge = String(repeating: across, count: widest + 2 * padding)
    let rows = lines.map { line -> ScreenText in
      let free = widest - ScreenText.columns(of: line)
      let (left, right) = (String(repeating: " ", count: padding + free / 2), padding + free - free / 2)
      let inside = style(.newState, "\(left)\(line)\(String(repeating: " ", count: right))")
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
    for (index, region) in regions.enumerated() {
      var line = index == 0 ? "" : "+"
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
