internal import LineProtocol

/// Rows of cells in aligned columns.
///
/// Rows are returned in portions, so that a reply of a million lines is neither held whole nor delayed; columns never
/// get narrower from one portion to the next.
struct Table {
  struct Cell: Equatable {
    let role: Style.Role?
    /// As shown.
    let text: String
    /// Whether it is text for people, which is the last cell of its row and may wrap.
    let isText: Bool

    init(_ text: String, _ role: Style.Role? = nil, isText: Bool = false) {
      self.text = VisibleText.escaped(text)
      self.role = role
      self.isText = isText
    }
  }

  private var rows: [[Cell]] = []
  private var widths: [Int] = []
  /// Columns that contain only numbers are right-aligned.
  private var isNumeric: [Bool] = []

  /// A cell wider than this (in characters) does not widen its column.
  private static let widestColumn = 40
  /// Text with less room than this in its row moves to the next line.
  private static let narrowestText = 30
  /// Text on lines of its own has so much room at least.
  private static let narrowestColumn = 10
  /// How many rows are aligned together.
  static let portion = 500

  /// - Parameter firstColumn: The minimum width of the first column, in characters.
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

  /// Removes and returns the rows so far as text, each with a line feed; the column widths are kept.
  ///
  /// - Parameter width: Width of the screen, in columns; `nil` does not wrap lines.
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
        // The text starts in the next line, so this one needs no trailing blanks.
        if lines.first == "" { line = line.trimmingTrailingBlanks.wrapped(width: width, indent: 4) }
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

  /// Breaks text at blanks into lines of at most `width` columns, all but the first indented. If the row has too little
  /// room, all of the text goes below it.
  private static func wrap(_ text: String, first: Int, indent: Int, width: Int) -> [String] {
    let isBelow = first < narrowestText && ScreenText.columns(of: text) > first
    let margin = isBelow ? 6 : indent
    let room = max(narrowestColumn, width - margin - 1)
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
