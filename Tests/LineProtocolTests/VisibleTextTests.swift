import LineProtocol
import TestSupport
import Testing

struct VisibleTextTests {
  @Test(
    "what a terminal would obey or hide is written out",
    arguments: [
      ("plain, tab\t and é 漢 → ✓ 🙂", "plain, tab\t and é 漢 → ✓ 🙂"),
      ("a\n\nb\r\n", #"a\n\nb\r\n"#),
      ("\u{1B}]0;title\u{7}\u{1B}[31m", #"\e]0;title\u{7}\e[31m"#),
      ("\0\u{8}\u{7F}\u{85}\u{9B}31m", #"\u{0}\u{8}\u{7F}\u{85}\u{9B}31m"#),
      ("\u{202E}abc\u{2066}\u{2069}\u{200F}\u{61C}", #"\u{202E}abc\u{2066}\u{2069}\u{200F}\u{61C}"#),
      ("a\u{200B}b\u{AD}c\u{FEFF}\u{2028}\u{2029}\u{E0041}", #"a\u{200B}b\u{AD}c\u{FEFF}\u{2028}\u{2029}\u{E0041}"#),
      ("\u{3164}\u{34F}\u{FE0F}", #"\u{3164}\u{34F}\u{FE0F}"#),
      (#"a \ b"#, #"a \ b"#),
    ])
  func escapes(text: String, expected: String) {
    expectEqual(VisibleText.escaped(text), expected)
    expectEqual(VisibleText.escaped(Array(text.utf8)), expected)
    expectEqual(VisibleText.escaped(expected), expected)
    expectEqual(VisibleText.isVisible(text), (text == expected))
    expectEqual(VisibleText.repaired(Array(text.utf8)), text)
  }

  @Test("no character of these kinds is left anywhere in Unicode, and every other one is")
  func allScalars() {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let isHidden =
        switch scalar.properties.generalCategory {
        case .control: scalar != "\t"
        case .format, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isDefaultIgnorableCodePoint
        }
      guard VisibleText.isVisible(String(Character(scalar))) == isHidden else { continue }
      Issue.record("U+\(String(value, radix: 16))")
    }
  }

  @Test("bytes that are no UTF-8 are written out one by one")
  func invalidBytes() {
    let bytes: [UInt8] = [0x61, 0xFF, 0xC3, 0x28, 0xE2, 0x80, 0x0A, 0xC3, 0xA9, 0x80, 0x05]
    expectEqual(VisibleText.escaped(bytes), #"a\xFF\xC3(\xE2\x80\né\x80\u{5}"#)
    expectEqual(VisibleText.repaired(bytes), "a\\xFF\\xC3(\\xE2\\x80\né\\x80\u{5}")
    // A surrogate, and a letter in more bytes than it takes.
    expectEqual(VisibleText.escaped([0xED, 0xA0, 0x80, 0xC1, 0x81]), #"\xED\xA0\x80\xC1\x81"#)
  }
}
