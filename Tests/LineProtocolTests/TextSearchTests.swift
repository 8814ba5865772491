import LineProtocol
import TestSupport
import Testing

struct TextSearchTests {
  @Test("all short texts, in all short texts: as the library of regular expressions has it")
  func asTheLibrary() {
    func texts(upTo length: Int) -> [String] {
      length == 0 ? [""] : texts(upTo: length - 1).flatMap { text in [text] + ["a", "b", "→"].map { text + $0 } }
    }
    for sought in Set(texts(upTo: 2)) {
      for text in Set(texts(upTo: 5)) {
        let place = text.firstRange(of: sought)
        func what() -> Comment { "'\(sought)' in '\(text)'" }
        expectEqual(text.find(sought), place, what())
        expectEqual(Array(text.utf8).includes(sought), place != nil, what())
        expectEqual(text.cut(at: sought)?.before, place.map { text[..<$0.lowerBound] }, what())
        expectEqual(
          text.dropFirst().cut(at: sought)?.after,
          text.dropFirst().firstRange(of: sought).map { text[$0.upperBound...] }, what())
        expectEqual(text.replaced(sought, by: "b→"), sought.isEmpty ? text : text.replacing(sought, with: "b→"), what())
      }
    }
  }

  @Test("a sign that joins the one before it hides nothing")
  func joinedSigns() {
    expectEqual("a<\u{301}b\r\n".replaced("<", by: "(").replaced("\n", by: "|"), "a(\u{301}b\r|")
  }

  @Test("runs are replaced whole, at both ends too")
  func runs() {
    expectEqual("12 a 3b45".replaced(runsOf: { $0.isNumber }) { "<\($0)>" }, "<12> a <3>b<45>")
    expectEqual("".replaced(runsOf: { $0.isNumber }) { "<\($0)>" }, "")
  }
}
