/// Text where nothing but ASCII can be shown.
///
/// Signs of tables and drawings have signs of ASCII that look like them, `°` is an `o`. All other characters are escapes.
package enum ASCIIText {
  /// A character in ASCII: itself, a sign like it, or `\u{202E}` with its number.
  package static func written(_ scalar: Unicode.Scalar) -> String {
    if scalar.isASCII { return String(scalar) }
    return signs[scalar] ?? "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
  }

  private static let signs: [Unicode.Scalar: String] = [
    "→": "->", "⇒": "=>", "⟲": "o", "–": "-", "—": "-", "−": "-", "·": ".", "“": "\"", "”": "\"", "„": "\"",
    "‘": "'", "’": "'", "•": "-", "\u{A0}": " ", "…": "~", "✓": "v", "✗": "x", "±": "+-", "×": "x",
    "°": "o", "µ": "u", "▼": "v", "▽": "v", "◆": "*", "○": "o", "▶": ">", "╳": "X", "│": "|", "┃": "|", "┝": "|",
    "━": "=", "─": "-", "┄": "-", "┈": "-", "┬": "+", "┏": "+", "┓": "+", "┗": "+", "┛": "+", "▁": "_", "▂": "_",
    "▃": "-", "▄": "-", "▅": "-", "▆": "=", "▇": "=", "█": "#",
  ]
}
