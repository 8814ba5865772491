internal import LineProtocol

/// Text in Markdown as a terminal shows it: paragraphs, lists, **bold**, *italics*, `code`, and code between lines of
/// three backticks.
///
/// It is not all of Markdown: links, headings and tables are text like any other.
struct MarkdownText: Equatable {
  /// A paragraph, an item of a list or a line of code, on one line.
  struct Block: Equatable {
    enum Form { case plain, item, code }

    let form: Form
    fileprivate(set) var text: String
  }

  private(set) var blocks: [[Block]] = []

  private static let fence = "```"

  /// - Parameter lines: An empty one ends a paragraph, `- ` begins an item of a list.
  init(_ lines: [String]) {
    var paragraph: [Block] = []
    var isCode = false
    func end() {
      if !paragraph.isEmpty { blocks.append(paragraph) }
      paragraph = []
    }
    for line in lines {
      let text = String(line.drop { $0 == " " || $0 == "\t" })
      if text == Self.fence {
        end()
        isCode.toggle()
      } else if isCode {
        paragraph.append(Block(form: .code, text: line))
      } else if text.isEmpty {
        end()
      } else if text.hasPrefix("- ") {
        paragraph.append(Block(form: .item, text: String(text.dropFirst(2))))
      } else if !paragraph.isEmpty {
        paragraph[paragraph.count - 1].text += " \(text)"
      } else {
        paragraph.append(Block(form: .plain, text: text))
      }
    }
    end()
  }

  /// The text with a line feed at its end; paragraphs are an empty line apart.
  ///
  /// - Parameter width: The columns that a line may take; nil for any number.
  func shown(width: Int?, style: Style) -> ScreenText {
    blocks.map { paragraph in
      paragraph.map { block -> ScreenText in
        switch block.form {
        case .plain: return "\(Self.styled(block.text, style).wrapped(width: width, indent: 0))\n"
        case .item:
          let item: ScreenText = "  \(style.usesUnicode ? "•" : "-") \(Self.styled(block.text, style))"
          return "\(item.wrapped(width: width))\n"
        // Lines of code are not wrapped: their ends and beginnings mean something.
        case .code: return "    \(style(.state, block.text))\n"
        }
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
      } else if first == "`", let (text, tail) = marked(rest, "`") {
        end(Span(look: .code, text: text))
        rest = tail
      } else if rest.hasPrefix("**"), let (text, tail) = marked(rest, "**") {
        end(Span(look: .bold, text: text))
        rest = tail
      } else if first == "*", let (text, tail) = marked(rest, "*") {
        end(Span(look: .italic, text: text))
        rest = tail
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
    guard let first = inside.first, first != " ", let end = inside.dropFirst().find(mark) else { return nil }
    let found = inside[..<end.lowerBound]
    guard found.last != " " else { return nil }
    return (String(found), inside[end.upperBound...])
  }

  private static func styled(_ line: String, _ style: Style) -> ScreenText {
    spans(line).map { span in
      switch span.look {
      case .plain: ScreenText(span.text)
      case .bold: style(.name, span.text)
      case .italic: style(.attention, span.text)
      // Without colours its marks tell it from the text around it.
      case .code: style.usesColour ? style(.state, span.text) : "`\(span.text)`"
      }
    }.joined()
  }
}
