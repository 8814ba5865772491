import TestSupport
import Testing

@testable import fsmrepl

struct ScreenTextTests {
  @Test("literals stand as they are, and what is put into them does not")
  func interpolation() {
    let name = "a\n\u{1B}[31m"
    let style = Style(usesColour: true, usesUnicode: true)
    let text: ScreenText = "1: \(name)\n\(style(.name, name)) \(style(.state, "b \(name)")) \(3)\n"
    expectEqual(text.text, "1: a\\n\\e[31m\n\u{1B}[1ma\\n\\e[31m\u{1B}[0m \u{1B}[36mb a\\n\\e[31m\u{1B}[0m 3\n")
    expectEqual([text, "x\n"].joined(separator: "-").text, text.text + "-x\n")
    expectEqual(ScreenText(unescaped: [0x1B, 0xFF]).bytes, [0x1B, 0xFF])
    expectEqual(ScreenText([0x1B, 0xFF]).text, #"\e\xFF"#)
  }

  @Test("a line that is wider than the screen takes several rows, and is not cut in two")
  func rows() {
    var text: ScreenText = "one\n\nfour words in it\nlast"
    expect(text.rows(width: nil) == 4 && text.rows(width: 8) == 5 && text.rows(width: 5) == 7)
    expect(("a\n\n" as ScreenText).rows(width: 1) == 2 && ScreenText().rows(width: 1) == 0)
    expect(text.removeFirst(rows: 0, width: 8, takesOne: false).isEmpty)
    expectEqual(text.removeFirst(rows: 3, width: 8, takesOne: false).text, "one\n\n")
    expect(text.removeFirst(rows: 1, width: 8, takesOne: false).isEmpty)
    expectEqual(text.removeFirst(rows: 1, width: 8, takesOne: true).text, "four words in it\n")
    expectEqual(text.removeFirst(rows: 9, width: 8, takesOne: false).text, "last")
    expect(text.isEmpty && text.removeFirst(rows: 9, width: 8, takesOne: true).isEmpty)
  }

  @Test("a style takes no columns")
  func columns() {
    expectEqual(ScreenText.columns(of: "\u{1B}[31mab\u{1B}[0m c"), 4)
  }

  @Test(
    "long lines break at blanks, lists at commas, and no word is cut in two",
    arguments: [
      ("short", "short"),
      ("one two three four", "one two\n  three\n  four"),
      ("  it has: one, two, three", "  it has:\n    one,\n    two,\n    three"),
      ("a: one,two,three,four", "a: one,\n  two,\n  three,\n  four"),
      ("one  two   three", "one  two\n  three"),
      ("first\nsecond line is long", "first\nsecond\n  line is\n  long"),
      ("incomprehensible", "incomprehensible"),
      ("one two\n", "one two\n"),
    ])
  func wraps(text: String, expected: String) {
    expectEqual(ScreenText(unescaped: text.utf8).wrapped(width: 10).text, expected)
    expectEqual(ScreenText(unescaped: text.utf8).wrapped(width: nil).text, text)
  }

  @Test("styles are not counted where a line breaks")
  func wrapsStyled() {
    let style = Style(usesColour: true, usesUnicode: true)
    let text: ScreenText = "\(style(.bad, "error")): \(style(.name, "a b")) \(style(.good, "c"))"
    let bare = text.wrapped(width: 10).text.replacing(#/\u{1B}\[[0-9]+m/#, with: "")
    expectEqual(bare, "error: a\n  b c")
  }

  @Test("without UTF-8 no byte above ASCII gets to the terminal, and columns stay")
  func ascii() {
    let text: ScreenText = "> off  → on   ⟲ \("ñ\u{202E}")\n\("°") → 日\n"
    expectEqual(text.inASCII.text, "> off  -> on  o \\u{F1}\\u{202E}\no -> \\u{65E5}\n")
    // What is wider takes the blanks of its own row, but never the last of them.
    expectEqual(ScreenText("⇒ ⇒ a   b\n⇒   b").inASCII.text, "=> => a b\n=>  b")
    expectEqual(ScreenText("“−18 °C” – résumé").inASCII.text, "\"-18 oC\" - r\\u{E9}sum\\u{E9}")
    expectEqual(ScreenText("plain").inASCII.text, "plain")
  }
}
