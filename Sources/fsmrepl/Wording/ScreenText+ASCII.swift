extension ScreenText {
  /// The text as a terminal of this style can show it.
  func inEncoding(of style: Style) -> ScreenText { style.usesUnicode ? self : inASCII }

  /// The text for a terminal whose encoding is not UTF-8, where some bytes of other characters would be commands.
  ///
  /// Signs of tables and drawings become ASCII of the same width where there is any; all other characters become
  /// escapes.
  var inASCII: ScreenText {
    guard bytes.contains(where: { $0 >= 0x80 }) else { return self }
    var ascii = ""
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar.isASCII {
        ascii.unicodeScalars.append(scalar)
      } else if scalar == "→", rest.first == " " {
        // Two characters for two, so that columns stay.
        ascii += "->"
        rest.removeFirst()
      } else {
        ascii += Self.signs[scalar] ?? "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      }
    }
    return ScreenText(unescaped: ascii.utf8)
  }

  private static let signs: [Unicode.Scalar: String] = [
    "→": ">", "⇒": "=>", "⟲": "o", "↺": "o", "–": "-", "—": "-", "−": "-", "·": ".", "“": "\"", "”": "\"", "„": "\"",
    "‘": "'", "’": "'", "•": "-", "\u{A0}": " ", "…": "~", "✓": "v", "✗": "x", "±": "+-", "×": "x",
    "°": "o", "µ": "u", "▼": "v", "▽": "v", "◆": "*", "○": "o", "▶": ">", "╳": "X", "│": "|", "┃": "|", "┝": "|",
    "━": "=", "─": "-", "┄": "-", "┈": "-", "┬": "+", "┏": "+", "┓": "+", "┗": "+", "┛": "+", "▁": "_", "▂": "_",
    "▃": "-", "▄": "-", "▅": "-", "▆": "=", "▇": "=", "█": "#",
  ]
}
