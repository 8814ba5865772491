internal import LineProtocol

/// Text in Markdown as a terminal shows it: paragraphs, lists, **bold**, *italics* and `code`.
///
/// It is not all of Markdown: links, headings and tables are text like any other.
struct MarkdownText: Equatable {
  /// A paragraph or an item of a list, on one line.
  struct Block: Equatable {
    let isItem: Bool
    let text: String
  }

  private(set) var blocks: [[Block]] = []

  /// - Parameter lines: An empty one ends a paragraph, `- ` begins an item of a list.
  init(_ lines: [String]) {
    var paragraph: [Block] = []
    for line in lines + [""] {
      if line.isEmpty {
        if !paragraph.isEmpty { blocks.append(paragraph) }
        paragraph = []
      } else if line.hasPrefix("- ") {
        paragraph.append(Block(isItem: true, text: String(line.dropFirst(2))))
      } else if let last = paragraph.last {
        paragraph[paragraph.count - 1] = Block(isItem: last.isItem, text: "\(last.text) \(line)")
      } else {
        paragraph.append(Block(isItem: false, text: line))
      }
    }
  }

  /// The text with a line feed at its end; paragraphs are an empty line apart.
  ///
  /// - Parameter width: The columns that a line may take; nil for any number.
  func shown(width: Int?, style: Style) -> ScreenText {
    blocks.map { paragraph in
      paragraph.map { block -> ScreenText in
        let text = Self.styled(block.text, style)
        let line: ScreenText = block.isItem ? "  \(style.usesUnicode ? "•" : "-") \(text)" : text
        return "\(line.wrapped(width: width, indent: block.isItem ? 2 : 0))\n"
      }.joined()
    }.joined(separator: "\n")
  }

  /// A piece of a line in one style.
  struct Span: Equatable {
    enum Look { case plain, bold, italic, code }

    let look: Look
    let text: String
  }

  /// A line with its marks taken away. A mark without its counterpart stays as it is.
  static func spans(_ line: String) -> [Span] {
    var spans: [Span] = []
    var plain = ""
    var rest = line[...]
    func end(_ span: Span) {
      if !plain.isEmpty { spans.append(Span(look: .plain, text: plain)) }
      plain = ""
      spans.append(span)
    }
    while let first = rest.first {
      if first == "\\", let next = rest.dropFirst().first, "*`\\".contains(next) {
        plain.append(next)
        rest = rest.dropFirst(2)
      } else if first == "`", let (text, behind) = marked(rest, "`") {
        end(Span(look: .code, text: text))
        rest = behind
      } else if rest.hasPrefix("**"), let (text, behind) = marked(rest, "**") {
        end(Span(look: .bold, text: text))
        rest = behind
      } else if first == "*", let (text, behind) = marked(rest, "*") {
        end(Span(look: .italic, text: text))
        rest = behind
      } else {
        plain.append(first)
        rest = rest.dropFirst()
      }
    }
    if !plain.isEmpty { spans.append(Span(look: .plain, text: plain)) }
    return spans
  }

  /// What stands between a mark and its counterpart, without blanks at its ends, and what follows.
  private static func marked(_ text: Substring, _ mark: String) -> (String, Substring)? {
    let inside = text.dropFirst(mark.count)
    guard let first = inside.first, first != " ", let end = inside.dropFirst().firstRange(of: mark) else { return nil }
    let found = inside[..<end.lowerBound]
    guard found.last != " " else { return nil }
    return (String(found), inside[end.upperBound...])
  }

  private static func styled(_ line: String, _ style: Style) -> ScreenText {
    spans(line).map { span in
      let text = style.usesUnicode ? span.text : inASCII(span.text)
      return switch span.look {
      case .plain: ScreenText(text)
      case .bold: style(.name, text)
      case .italic: style(.attention, text)
      // Without colours its marks tell it from the text around it.
      case .code: style.usesColour ? style(.state, text) : "`\(text)`"
      }
    }.joined()
  }

  /// A text in characters that every terminal has.
  static func inASCII(_ text: String) -> String {
    text.map { character in
      if character.isASCII { return String(character) }
      return replacements[character] ?? "?"
    }.joined()
  }

  private static let replacements: [Character: String] = [
    "→": "->", "←": "<-", "⇒": "=>", "–": "-", "—": "-", "…": "...", "“": "\"", "”": "\"", "„": "\"", "‘": "'",
    "’": "'", "·": "-", "×": "x", "±": "+-", "≤": "<=", "≥": ">=", "≠": "!=", "°": " deg ", "•": "-", "✓": "ok",
    "é": "e", "ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "²": "^2", "µ": "u", "∞": "infinity", "\u{A0}": " ",
  ]
}
