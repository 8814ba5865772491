internal import LineProtocol

/// Rows of cells, written in columns that line up.
///
/// Rows are handed out in portions, so that a reply of a million lines is neither held whole nor late; a later portion
/// has columns at least as wide as the one before.
struct Table {
  struct Cell: Equatable {
    let role: Style.Role?
    /// As it is shown.
    let text: String
    /// Whether it is text for people, the last in its row, which may go on in the next line.
    let isText: Bool

    init(_ text: String, _ role: Style.Role? = nil, isText: Bool = false) {
      self.text = VisibleText.escaped(text)
      self.role = role
      self.isText = isText
    }
  }

  private var rows: [[Cell]] = []
  private var widths: [Int] = []
  /// Columns of nothing but numbers are lined up at their right end.
  private var isNumeric: [Bool] = []

  /// A column wider than this (in characters) does not push the next one away in all the other rows.
  private static let widestColumn = 40
  /// Text that finds less room than this in its row goes to a line of its own.
  private static let narrowestText = 30
  /// How many rows are lined up together.
  static let portion = 500

  /// - Parameter firstColumn: How wide the first column is at least, in characters.
  init(firstColumn: Int = 0) {
    guard firstColumn > 0 else { return }
    widths = [firstColumn]
    isNumeric = [false]
  }

  var isEmpty: Bool { rows.isEmpty }
  var isFull: Bool { rows.count >= Self.portion }

  mutating func add(_ row: [Cell]) {
    for (column, cell) in row.enumerated() {
      let isNumber = Self.isNumber(cell.text)
      if column == widths.count {
        widths.append(0)
        isNumeric.append(isNumber)
      }
      isNumeric[column] = isNumeric[column] && isNumber
      guard !cell.isText, ScreenText.columns(of: cell.text) <= Self.widestColumn else { continue }
      widths[column] = max(widths[column], ScreenText.columns(of: cell.text))
    }
    rows.append(row)
  }

  /// The rows so far as text, each ended by a line feed; they are forgotten, their widths are not.
  ///
  /// - Parameter width: Of the screen, in columns; `nil` leaves long lines to whoever shows them.
  mutating func take(indent: String = "", width: Int? = nil, style: Style) -> ScreenText {
    var text = ScreenText()
    for row in rows { text += write(row, indent: indent, width: width, style: style) }
    rows = []
    return text
  }

  private func write(_ row: [Cell], indent: String, width: Int?, style: Style) -> ScreenText {
    var line: ScreenText = "\(indent)"
    var used = indent.count
    for (column, cell) in row.enumerated() {
      if cell.isText, let width {
        let lines = Self.wrap(cell.text, first: width - used, indent: used, width: width)
        // Where the text begins in the next line, what is left of this one needs no blanks at its end.
        if lines.first == "" { line = line.withoutBlanksAtItsEnd }
        return "\(line)\(lines.map { style(cell.role, $0) }.joined(separator: "\n"))\n"
      }
      let padding = String(repeating: " ", count: max(0, widths[column] - ScreenText.columns(of: cell.text)))
      let styled = style(cell.role, cell.text)
      let isLast = column == row.count - 1
      line += isNumeric[column] ? "\(padding)\(styled)" : isLast ? styled : "\(styled)\(padding)"
      if !isLast { line += "  " }
      used += ScreenText.columns(of: cell.text) + padding.count + 2
    }
    return "\(line.wrapped(width: width, indent: 4))\n"
  }

  /// Breaks text at blanks: lines of at most `width` columns, those after the first indented; all of it below the row
  /// if there is no room in it.
  private static func wrap(_ text: String, first: Int, indent: Int, width: Int) -> [String] {
    let isBelow = first < narrowestText && ScreenText.columns(of: text) > first
    let margin = isBelow ? 6 : indent
    let room = max(narrowestText, width - margin - 1)
    var lines: [String] = isBelow ? [""] : []
    var current = ""
    for word in text.split(separator: " ") {
      if !current.isEmpty, ScreenText.columns(of: current) + 1 + ScreenText.columns(of: word) > room {
        lines.append(current)
        current = ""
      }
      current += current.isEmpty ? word : " \(word)"
    }
    lines.append(current)
    let spaces = String(repeating: " ", count: margin)
    return lines.enumerated().map { index, line in index == 0 ? line : spaces + line }
  }

  private static func isNumber(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 == 0x2E || $0 == 0x2D }
  }
}
