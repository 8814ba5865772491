/// Rows of cells, written in columns that line up.
///
/// Rows are handed out in portions, so that a reply of a million lines is neither held whole nor late; a later portion
/// has columns at least as wide as the one before.
struct Table {
  struct Cell: Equatable {
    let role: Style.Role?
    let text: String

    init(_ text: String, _ role: Style.Role? = nil) {
      self.text = text
      self.role = role
    }
  }

  private var rows: [[Cell]] = []
  private var widths: [Int] = []
  /// Columns of nothing but numbers are lined up at their right end.
  private var isNumeric: [Bool] = []

  /// A column wider than this (in characters) does not push the next one away in all the other rows.
  private static let widestColumn = 40
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
      if cell.text.count <= Self.widestColumn { widths[column] = max(widths[column], cell.text.count) }
      isNumeric[column] = isNumeric[column] && isNumber
    }
    rows.append(row)
  }

  /// The rows so far as text, each ended by a line feed; they are forgotten, their widths are not.
  mutating func take(indent: String = "", style: Style) -> String {
    var text = ""
    for row in rows {
      text += indent
      for (column, cell) in row.enumerated() {
        let padding = String(repeating: " ", count: max(0, widths[column] - cell.text.count))
        let styled = cell.role.map { style($0, cell.text) } ?? cell.text
        let isLast = column == row.count - 1
        text += isNumeric[column] ? padding + styled : isLast ? styled : styled + padding
        if !isLast { text += "  " }
      }
      text += "\n"
    }
    rows = []
    return text
  }

  private static func isNumber(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 == 0x2E || $0 == 0x2D }
  }
}
