import TestSupport
import Testing

@testable import LineProtocol

struct ServerLineTests {
  @Test("words, fields and the text behind the colon")
  func parts() throws {
    let line = try #require(
      ServerLine("- @7 REFUSED machine=key state=off allowed=tap,cancel t=0.200 seq=3 : the key is off : really"))
    expectEqual(line.lineClass, .failure)
    expectEqual(line.tag, "7")
    expectEqual(line.code, "REFUSED")
    expectEqual(line.words, ["REFUSED"])
    expectEqual(line.fields.map(\.key), ["machine", "state", "allowed", "t", "seq"])
    expectEqual(line["allowed"], "tap,cancel")
    expectNil(line["nothing"])
    expectEqual(line.note, "the key is off : really")
  }

  @Test(
    "every class, and lines with nothing in them",
    arguments: [("+", LineClass.success), ("-", .failure), (".", .data), ("*", .notice), ("!", .flow)])
  func classes(first: String, lineClass: LineClass) throws {
    for text in [first, "\(first) ", "\(first) a"] {
      let line = try #require(ServerLine(text), "\(text)")
      expectEqual(line.lineClass, lineClass)
      expectEqual(line.words, (text.hasSuffix("a") ? ["a"] : []))
    }
    expectEqual(lineClass.answersRequest, (lineClass == .success || lineClass == .failure || lineClass == .data))
  }

  @Test("quotes and escapes are resolved in words and values")
  func quotes() throws {
    let line = try #require(ServerLine(#"+ "" "a b" ":" "x=1" got="a \"b\" \\ \n \t" allowed="" http://u?x=1"#))
    expectEqual(line.words, ["", "a b", ":", "x=1", "http://u?x=1"])
    expectEqual(line["got"], "a \"b\" \\ \n \t")
    expectEqual(line["allowed"], "")
  }

  @Test("a tag is only the first word, only in a reply, and never quoted")
  func tags() throws {
    expectEqual(ServerLine("+ @a.b-c_1 moved")?.tag, "a.b-c_1")
    expectNil(ServerLine("+ moved @a")?.tag)
    expectEqual(ServerLine("+ moved @a")?.words, ["moved", "@a"])
    expectEqual(ServerLine(#". "@a" b"#)?.words, ["@a", "b"])
    expectEqual(ServerLine("* @a 1")?.words, ["@a", "1"])
  }

  @Test("a colon inside a word, or the last in the line")
  func colons() throws {
    expectEqual(ServerLine("+ a:b c: d")?.words, ["a:b", "c:", "d"])
    expectEqual(ServerLine("+ a :")?.note, "")
    expectEqual(ServerLine("+ a : ")?.note, "")
    expectEqual(ServerLine("+ a :  b")?.note, " b")
    expectEqual(ServerLine("+ a :b")?.words, ["a", ":b"])
    expectEqual(ServerLine(". : only text = \"free")?.note, "only text = \"free")
  }

  @Test(
    "what is no line of this protocol is nil",
    arguments: ["", " + a", "hello", "+a", "?", "+ \"open", "+ a\"b", "+ \"\\x\""])
  func strange(text: String) {
    expectNil(ServerLine(text))
  }

  @Test("what the writer writes, the reader reads", arguments: Thorough.rounds(0..<300))
  func roundTrip(seed: Int) throws {
    var dice = Dice(seed: seed)
    let alphabet: [Character] = Array("aZ9 =:\"\\@.,\u{E9}→\n\t")
    func word() -> String { String((0..<dice.number(below: 6)).map { _ in dice.one(of: alphabet) }) }
    let words = (0..<dice.number(below: 4)).map { _ in word() }
    let values = (0..<dice.number(below: 3)).map { _ in word() }

    var buffer = ByteBuffer()
    "t\(seed)".utf8.withContiguousStorageIfAvailable { buffer.begin(.success, tag: UnsafeRawBufferPointer($0)) }
    for word in words { buffer.word(word) }
    for value in values { buffer.key("key", value) }
    buffer.note("text")
    let text = String(decoding: buffer.bytes, as: UTF8.self)
    let line = try #require(ServerLine(text), "seed \(seed): \(text)")
    expectEqual(line.tag, "t\(seed)", "seed \(seed)")
    expectEqual(line.words, words, "seed \(seed): \(text)")
    expectEqual(line.fields.map(\.value), values, "seed \(seed): \(text)")
    expectEqual(line.note, "text", "seed \(seed)")
  }
}
