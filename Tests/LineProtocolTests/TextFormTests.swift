import LineProtocol
import TestSupport
import Testing

struct TextFormTests {
  @Test(
    "text within XML",
    arguments: [
      ("plain é 漢", "plain é 漢"), ("<a b=\"c\">&'</a>", "&lt;a b=&quot;c&quot;&gt;&amp;'&lt;/a&gt;"),
      ("a\nb\tc", "a&#10;b&#9;c"), ("\u{0}\u{1B}\r", "\u{FFFD}\u{FFFD}\u{FFFD}"),
      ("\u{FFFE}x\u{FFFF}", "\u{FFFD}x\u{FFFD}"),
    ])
  func markup(text: String, expected: String) { expectEqual(XMLText.escaped(text), expected) }

  @Test(
    "the columns that a terminal gives a text",
    arguments: [
      ("", 0), ("abc", 3), ("é→✓", 3), ("日本語", 6), ("ｆｕｌｌ", 8), ("한글", 4), ("🎉🇩🇪", 4), ("e\u{302}\u{302}", 1),
    ])
  func columns(text: String, expected: Int) { expectEqual(TextColumns.width(of: text), expected) }
}
