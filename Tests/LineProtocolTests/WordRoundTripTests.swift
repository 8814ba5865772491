import TestSupport
import LineProtocol
import StateMachines
import Testing

@Suite("What is printed is read back")
struct WordRoundTripTests {
  @Test("which words are quoted")
  func quoting() {
    for word in ["", ":", " ", "a b", "\t", "a\tb", "\n", "\"", "a\"", "a=b", "a=", "Z_-.9=x"] {
      expect(Word.needsQuotes(word, asValue: false), "\(word.debugDescription)")
    }
    for word in ["a", "::", "a:", "=", "=a", "1=a", "_a=b", "http://u?x=1", "+7000", "a\\b", "é", "é=1", "#", "@7"] {
      expect(!Word.needsQuotes(word, asValue: false), "\(word)")
      expectEqual(Word.written(word), word)
    }
    for value in ["a=b", "a=", "a=b=c"] { expect(!Word.needsQuotes(value, asValue: true), "\(value)") }
    for value in ["", "a b", "a\"b", "a\nb", "a\tb"] { expect(Word.needsQuotes(value, asValue: true)) }
    expectEqual(Word.quoted("a\"b\\c\nd\te"), #""a\"b\\c\nd\te""#)
    expectEqual(Word.written("a b"), #""a b""#)
  }

  /// Texts that a request can hold: anything but control characters, of which LF and tab have escapes.
  private static func text(_ dice: inout Dice) -> String {
    let letters = Array("\"\\ =:@#a\n\tZ9_-.+/()é ü😀\u{A0}\u{301}nt").map(String.init)
    return (0..<dice.number(0...dice.one(of: [2, 5, 12]))).map { _ in dice.one(of: letters) }.joined()
  }

  @Test("a word of any text", arguments: Thorough.rounds(0..<100))
  func words(seed: UInt64) {
    var dice = Dice(seed: seed)
    for _ in 0..<100 {
      let texts = (0..<dice.number(1...4)).map { _ in Self.text(&dice) }
      let line = texts.reduce("v") { "\($0) \(Word.written($1))" }
      expectEqual(
        ParsedLine(line).wordsOfV, texts.map { ParsedWord(text: $0) }, "seed \(seed), \(line.debugDescription)")
      let always = texts.reduce("v") { "\($0) \(Word.quoted($1))" }
      expectEqual(ParsedLine(always).wordsOfV, texts.map { ParsedWord(text: $0) }, "seed \(seed)")
      let written = ByteBuffer.text { buffer in
        buffer.append(literal: "v")
        for text in texts { buffer.word(text) }
      }
      expectEqual(written, line, "seed \(seed)")
    }
  }

  @Test("a value of any text", arguments: Thorough.rounds(0..<100))
  func values(seed: UInt64) {
    var dice = Dice(seed: seed)
    for _ in 0..<100 {
      let text = Self.text(&dice)
      let line = ByteBuffer.text {
        $0.append(literal: "v")
        $0.key("got", text)
        $0.word("last")
      }
      expectEqual(ParsedLine(line).wordsOfV, [.key("got", text), "last"], "seed \(seed), \(line.debugDescription)")
    }
  }

  @Test("a word stands in one line, whatever it holds", arguments: Thorough.rounds(0..<20))
  func oneLine(seed: UInt64) {
    var dice = Dice(seed: seed)
    for _ in 0..<100 {
      let text = Self.text(&dice)
      expect(!Word.written(text).utf8.contains(0x0A), "seed \(seed)")
    }
  }
}
