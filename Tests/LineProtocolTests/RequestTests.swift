import TestSupport
import LineProtocol
import StateMachines
import Testing

@Suite("A request line: [@tag] verb [argument…] [key=value…]")
struct RequestTests {
  @Test("the verb and plain words, parted by spaces and tabs")
  func words() {
    let same = [
      "send key tap", "  send key tap", "send key tap  ", "send\tkey\ttap", "send \t key\t tap\t", "\tsend  key  tap",
    ]
    for line in same {
      expectEqual(ParsedLine(line), .request(tag: "", verb: "send", words: ["key", "tap"]), "\(line.debugDescription)")
    }
    expectEqual(ParsedLine("kinds"), .request(tag: "", verb: "kinds", words: []))
    expectEqual(ParsedLine("\"send\" a"), .request(tag: "", verb: "send", words: ["a"]))
    expectEqual(ParsedLine("a#b c #d"), .request(tag: "", verb: "a#b", words: ["c", "#d"]))
  }

  @Test("blank lines and comments get no reply")
  func blanks() {
    for line in ["", " ", "\t", " \t ", "#", "# a comment", "#\"", "#a=\"b", "  # after blanks"] {
      expectEqual(ParsedLine(line), .blank, "\(line.debugDescription)")
    }
  }

  @Test("a tag is 1 to 32 letters, digits, '.', '_' and '-', and stands before the verb")
  func tags() {
    let longest = String(repeating: "x", count: 32)
    for tag in ["7", "a", "Z.9_-", "-", ".", longest] {
      expectEqual(ParsedLine("@\(tag) v w"), .request(tag: tag, verb: "v", words: ["w"]), "\(tag)")
      expectEqual(ParsedLine(" \t@\(tag)\tv w"), .request(tag: tag, verb: "v", words: ["w"]), "\(tag)")
    }
    expectEqual(ParsedLine("v @7"), .request(tag: "", verb: "v", words: ["@7"]))
    expectEqual(ParsedLine("\"@7\" v"), .request(tag: "", verb: "@7", words: ["v"]))
  }

  @Test("a malformed tag is a syntax failure without a tag")
  func malformedTags() {
    let tooLong = String(repeating: "x", count: 33)
    for line in ["@ v", "@", "@\(tooLong) v", "@a+b v", "@a=b v", "@a\"b\" v", "@\"a\" v", "@é v", "@@7 v", "@a/b v"] {
      guard case .syntax(tag: "", _) = ParsedLine(line) else {
        Issue.record("\(line): \(ParsedLine(line))")
        continue
      }
    }
  }

  @Test("a failure behind a good tag bears it")
  func tagOfFailure() {
    let lines = [
      "@7", "@7 ", "@7 v \"a", "@7 v a\"", "@7 k=v", "@7 \"a\"b", "@7 v \u{1}", "@7 v \u{7F}", "@7 v \u{85}", "@7 \0",
    ]
    for line in lines {
      guard case .syntax(tag: "7", _) = ParsedLine(line) else {
        Issue.record("\(line.debugDescription): \(ParsedLine(line))")
        continue
      }
    }
    guard case .syntax(tag: "7", _) = ParsedLine(Array("@7 v ".utf8) + [0xFF]) else {
      Issue.record("invalid UTF-8 loses the tag")
      return
    }
  }

  @Test("quotes keep blanks, with four escapes inside")
  func quotes() {
    expectEqual(ParsedLine(#"v "a b""#).wordsOfV, ["a b"])
    expectEqual(ParsedLine(#"v """#).wordsOfV, [""])
    expectEqual(ParsedLine(#"v "" """#).wordsOfV, ["", ""])
    expectEqual(ParsedLine(#"v "a\"b" "a\\b" "a\nb" "a\tb""#).wordsOfV, ["a\"b", "a\\b", "a\nb", "a\tb"])
    expectEqual(ParsedLine(#"v "\\n" "\\\"" "\\""#).wordsOfV, ["\\n", "\\\"", "\\"])
    expectEqual(ParsedLine("v \"a\tb\"").wordsOfV, ["a\tb"])
    expectEqual(ParsedLine(#"v "é ü" x"#).wordsOfV, ["é ü", "x"])
    expectEqual(ParsedLine(#"v "a\"\"b c" d"#).wordsOfV, ["a\"\"b c", "d"])
  }

  @Test("a backslash outside quotes is itself")
  func backslashes() {
    expectEqual(ParsedLine(#"v a\b \n \ a\\ k=\t"#).wordsOfV, ["a\\b", "\\n", "\\", "a\\\\", .key("k", "\\t")])
  }

  @Test("key=value: a letter, then letters, digits, '_', '-', '.', then an unquoted '='")
  func keys() {
    expectEqual(ParsedLine("v a=b").wordsOfV, [.key("a", "b")])
    expectEqual(ParsedLine("v x a=b y c=d").wordsOfV, ["x", .key("a", "b"), "y", .key("c", "d")])
    expectEqual(ParsedLine("v Az09_-.=1").wordsOfV, [.key("Az09_-.", "1")])
    expectEqual(ParsedLine("v a= b").wordsOfV, [.key("a", ""), "b"])
    expectEqual(ParsedLine("v a==b a=b=c").wordsOfV, [.key("a", "=b"), .key("a", "b=c")])
    expectEqual(
      ParsedLine(#"v text="a b" empty="" k="a=b""#).wordsOfV,
      [
        .key("text", "a b"), .key("empty", ""), .key("k", "a=b"),
      ])
    expectEqual(ParsedLine(#"v k="\"\\\n\t" x"#).wordsOfV, [.key("k", "\"\\\n\t"), "x"])
    expectEqual(ParsedLine("v a=é é=a").wordsOfV, [.key("a", "é"), "é=a"])
  }

  @Test("every other word is plain")
  func plainWords() {
    let words = [
      "http://u?x=1", "+7000", "=", "=a", "1a=b", "_a=b", "-a=b", ".a=b", "a/b=c", "a,b=c", "(a)=b", ":", "#",
    ]
    for word in words {
      expectEqual(ParsedLine("v \(word) x").wordsOfV, [ParsedWord(text: word), "x"], "\(word)")
    }
    expectEqual(ParsedLine(#"v "a=b""#).wordsOfV, ["a=b"])
  }

  @Test("a quote elsewhere, text behind a closing quote, another escape, a quote not closed: syntax")
  func malformedQuotes() {
    let lines = [
      #"v a"b""#, #"v a""#, #"v k=a"b""#, #"v k=a""#, #"v =" a""#, #"v 1=" a""#, #"v "a"b"#, #"v "a""b""#, #"v k="a"b"#,
      #"v "a"=b"#, #"v "a\b""#, #"v "\r""#, #"v "\u00e9""#, #"v "\ ""#, #"v ""#, #"v "a"#, #"v "a\"#, #"v "a\""#,
      #"v k=""#, #"v k="a\"#, #""v"#, #"k=v"#, #"k="v" w"#,
    ]
    for line in lines {
      expect(ParsedLine(line).isSyntax, "\(line)")
      expect(ParsedLine(line + " x").isSyntax, "\(line) x")
    }
  }

  @Test("control characters other than tab, and bytes that are no UTF-8: syntax")
  func forbiddenBytes() {
    for byte in UInt8.min...UInt8.max {
      let line = Array("v a".utf8) + [byte] + Array("b".utf8)
      let isFine = byte == 0x09 || (0x20...0x7E).contains(byte) && byte != 0x22
      expectEqual(ParsedLine(line).isSyntax, !isFine, "byte \(byte)")
    }
    for scalar in 0x80...0x9F {
      expect(ParsedLine("v a\(Character(Unicode.Scalar(UInt8(scalar))))b").isSyntax, "U+\(scalar)")
    }
    for text in ["\u{A0}", "ÿ", "€", "\u{10FFFF}", "👨‍👩‍👧"] {
      expectEqual(ParsedLine("v \(text)").wordsOfV, [ParsedWord(text: text)])
    }
    let malformed: [[UInt8]] = [
      [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80], [0xFE],
    ]
    for bytes in malformed {
      expect(ParsedLine(Array("v ".utf8) + bytes).isSyntax, "\(bytes)")
      expect(ParsedLine(Array("v \"".utf8) + bytes + [0x22]).isSyntax, "\(bytes)")
    }
  }

  @Test("a request that is used again keeps nothing of the one before")
  func usedAgain() {
    var request = Request()
    let lines = ["@7 v a k=b \"c d\"", "w", "@8", "# no", "v \"", "x y=1", "", "@9 z"]
    for line in lines + lines.reversed() {
      expectEqual(ParsedLine(Array(line.utf8), &request), ParsedLine(line), "\(line)")
    }
    _ = ParsedLine(Array("v a=b".utf8), &request)
    // The macro would copy the request.
    let hadKeys = request.hasKeys
    _ = ParsedLine(Array("v a".utf8), &request)
    let hasKeys = request.hasKeys
    expect(hadKeys && !hasKeys)
  }

  @Test(
    "no bytes whatever end it otherwise than in a request, a blank or a syntax failure",
    arguments: Thorough.rounds(0..<300))
  func anyBytes(seed: UInt64) {
    var dice = Dice(seed: seed)
    let alphabet: [UInt8] = Array("\"\\ =@#nt:aZ9.-\t".utf8) + [0x00, 0x7F, 0xC3, 0xA9, 0x0D]
    let isText = seed % 3 > 0
    for _ in 0..<20 {
      let line = (0..<dice.number(0...24)).map { _ in
        dice.one(of: isText ? Array(alphabet.dropLast(5)) : alphabet)
      }
      guard case .request(_, let verb, let words) = ParsedLine(line) else { continue }
      // Quoting may only shorten what was sent.
      let length = words.reduce(verb.utf8.count) { $0 + ($1.key?.utf8.count ?? 0) + $1.text.utf8.count }
      expect(length <= line.count, "seed \(seed), \(line)")
    }
  }
}
