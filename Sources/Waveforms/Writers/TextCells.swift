import LineProtocol

/// Text in columns of a terminal: what cannot be seen is escaped, wide characters take two columns, and nothing is
/// wider than its room.
struct TextCells: Sendable {
  /// `nil` after a wide character.
  private var cells: [Character?]

  init(_ columns: Int, filledWith character: Character = " ") {
    cells = Array(repeating: character, count: columns)
  }

  var count: Int { cells.count }

  var isBlank: Bool { cells.allSatisfy { $0 == " " } }

  /// The row, without spaces at its end.
  var text: String {
    guard let last = cells.lastIndex(where: { $0 != " " }) else { return "" }
    return String(cells[...last].compactMap { $0 })
  }

  subscript(column: Int) -> Character {
    get { cells[column] ?? " " }
    set { put(newValue, at: column) }
  }

  private mutating func put(_ character: Character?, at column: Int) {
    // Of a wide character that is written over, no half stays.
    if cells[column] == nil, column > 0 { cells[column - 1] = " " }
    if column + 1 < cells.count, cells[column + 1] == nil { cells[column + 1] = " " }
    cells[column] = character
  }

  /// Writes a text; the rest of it is cut, or nothing is written if there is too little room for a part.
  ///
  /// - Parameter end: The column after the last one that it may take.
  mutating func write(_ text: String, at column: Int, upTo end: Int, _ signs: TextWave.Signs) {
    guard let shown = signs.fitted(text, end - column, atLeast: 3) else { return }
    var place = column
    for character in shown {
      let width = TextColumns.width(of: character)
      if width == 0 { continue }
      put(character, at: place)
      if width == 2 {
        put(" ", at: place + 1)
        cells[place + 1] = nil
      }
      place += width
    }
  }
}

extension TextWave.Signs {
  /// A text as it is shown: visible, and in ASCII if nothing else is to be.
  func visible(_ text: String) -> String {
    let visible = VisibleText.escaped(text).replaced("\t", by: " ")
    guard isASCII, !visible.utf8.allSatisfy({ $0 < 0x80 }) else { return visible }
    return visible.unicodeScalars.reduce(into: "") { $0 += ASCIIText.written($1) }
  }

  /// As much of a text as fits into some columns; nothing if that is less than `least` columns.
  func fitted(_ text: String, _ room: Int, atLeast least: Int = 0) -> String? {
    guard room > 0 else { return nil }
    // What is far too long need not be looked at to its end.
    let visible = visible(text.utf8.count > 16 * room ? String(text.prefix(room + 1)) : text)
    if TextColumns.width(of: visible) <= room { return visible }
    guard room >= max(least, ellipsis.count) else { return nil }
    var fitted = ""
    var left = room - ellipsis.count
    for character in visible {
      left -= TextColumns.width(of: character)
      if left < 0 { break }
      fitted.append(character)
    }
    return fitted + ellipsis
  }

  /// A text over several lines of a width, broken at blanks where there are some; lines after the first are indented.
  func wrapped(_ text: String, _ width: Int, indent: Int = 2) -> [String] {
    let text = visible(text)
    var lines: [String] = []
    var start = text.prefix { $0 == " " }.count
    var line = String(repeating: " ", count: start)
    var used = start
    func end() {
      lines.append(String(line.reversed().drop { $0 == " " }.reversed()))
      start = indent
      (line, used) = (String(repeating: " ", count: start), start)
    }
    for word in text.dropFirst(start).split(separator: " ", omittingEmptySubsequences: false) {
      let length = TextColumns.width(of: word)
      let isFirst = used == start
      if !isFirst, used + 1 + length > width {
        end()
      } else if !isFirst {
        line += " "
        used += 1
      }
      for character in word {
        let size = TextColumns.width(of: character)
        if used + size > width { end() }
        line.append(character)
        used += size
      }
    }
    end()
    return lines
  }
}
