import LineProtocol
import TestSupport
import Testing

@Suite("Names and tags")
struct TextRuleTests {
  private func isName(_ text: String) -> Bool {
    Array(text.utf8).withUnsafeBytes { TextRules.isName($0, longest: 64) }
  }

  @Test("a name is 1 to 64 letters, digits, '.', '_', '-', a letter first")
  func names() {
    let longest = String(repeating: "n", count: 64)
    for name in ["a", "Z", "fridge-1", "p.phone", "a_b", "x9", "a.", longest] { expect(isName(name), "\(name)") }
    for name in [
      "", "1a", "-a", ".a", "_a", "a b", "a/b", "é", "aé", "a\n", "a=b", "*", "[", "`", "{", "@", longest + "n",
    ] {
      expect(!isName(name), "\(name.debugDescription)")
    }
    for byte in UInt8.min...UInt8.max {
      let isLetter = (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      let isOther = (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2E || byte == 0x5F
      [byte].withUnsafeBytes { expectEqual(TextRules.isName($0, longest: 64), isLetter, "\(byte)") }
      [byte].withUnsafeBytes { expectEqual(TextRules.isTag($0), (isLetter || isOther), "\(byte)") }
    }
  }
}
