import TestSupport
import Testing

@testable import fsmrepl

@Suite("Markdown at a terminal")
struct MarkdownTextTests {
  private func shown(_ lines: [String], width: Int? = nil, _ style: Style = .bare) -> String {
    MarkdownText(lines).shown(width: width, style: style).text
  }

  @Test("lines make paragraphs and lists")
  func blocks() {
    expectEqual(
      shown(["One", "two.", "", "", "- a", "more", "- b", "", "End."]), "One two.\n\n  • a more\n  • b\n\nEnd.\n")
    expectEqual(shown([]), "")
    expectEqual(shown([""]), "")
  }

  @Test("code between three backticks keeps its lines and its blanks")
  func code() {
    expectEqual(
      shown(["One:", "```", "a {", "  *b* }", "```", "two."], width: 10), "One:\n\n    a {\n      *b* }\n\ntwo.\n")
  }

  @Test("marks are taken away in pairs; what is no pair stays")
  func spans() {
    typealias Span = MarkdownText.Span
    expectEqual(
      MarkdownText.spans("a **b c** *d* `e*f`."),
      [
        Span(look: .plain, text: "a "), Span(look: .bold, text: "b c"),
        Span(look: .plain, text: " "),
        Span(look: .italic, text: "d"), Span(look: .plain, text: " "),
        Span(look: .code, text: "e*f"),
        Span(look: .plain, text: "."),
      ])
    for text in ["2 * 3 * 4", "a*", "**", "`", "*", "** a **", "snake_case_name"] {
      expectEqual(MarkdownText.spans(text), [Span(look: .plain, text: text)], "\(text)")
    }
    expectEqual(MarkdownText.spans(#"\*a\* \`b\` \\ \c"#), [Span(look: .plain, text: #"*a* `b` \ \c"#)])
  }

  @Test(
    "colours repeat what is there; without them code keeps its marks", arguments: [true, false])
  func colours(usesColour: Bool) {
    let text = shown(["**a** *b* `c`"], Style(usesColour: usesColour, usesUnicode: true))
    expectEqual(text.contains("\u{1B}"), usesColour)
    expectEqual(text.contains("`c`"), !usesColour)
    expect(!text.contains("*"))
  }

  @Test("lines are as wide as the terminal, counted in columns", arguments: [40, 60, 88])
  func width(columns: Int) {
    let text = shown(
      [
        "Wörter, 漢字漢字漢字 und **noch mehr Wörter** in einer `Zeile`, die lang ist.",
        "- " + "ab ".repeated(40),
      ], width: columns)
    for line in text.split(separator: "\n") {
      expect(ScreenText.columns(of: line) < columns, "\(line)")
    }
  }

  @Test("what others wrote cannot command the terminal")
  func escapes() {
    expect(!shown(["a\u{1B}[2Jb \u{202E}c"]).contains("\u{1B}"))
  }
}

extension String {
  fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
