@testable import LineProtocol
import Testing

@Suite("What a mistyped word was meant to be")
struct NearestTests {
  @Test("the distance counts insertions, deletions, substitutions and swaps of neighbours")
  func distances() {
    let cases: [(String, String, Int)] = [
      ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "ab", 1),
      ("abc", "xabc", 1), ("abc", "acb", 1), ("abcd", "badc", 2), ("ca", "abc", 3), ("kitten", "sitting", 3),
    ]
    for (a, b, distance) in cases {
      let (one, other) = (a.unicodeScalars.map(\.value), b.unicodeScalars.map(\.value))
      for reach in 0...5 {
        let expected = min(distance, reach + 1)
        #expect(Nearest.distance(one, other, upTo: reach) == expected, "\(a) \(b) \(reach)")
        #expect(Nearest.distance(other, one, upTo: reach) == expected, "\(b) \(a) \(reach)")
      }
    }
  }

  @Test("one edit in short words, two in longer ones, three from ten letters on")
  func reach() {
    #expect(Nearest.match("tpa", among: ["tap", "set"]) == "tap")
    #expect(Nearest.match("tpx", among: ["tap"]) == nil)
    #expect(Nearest.match("snedd", among: ["send"]) == "send")
    #expect(Nearest.match("undo", among: ["end"]) == nil)
    #expect(Nearest.match("axxnce", among: ["advance"]) == nil)
    #expect(Nearest.match("adxxnce", among: ["advance"]) == "advance")
    #expect(Nearest.match("toggleSwxxxed", among: ["toggleSwitched"]) == nil)
    #expect(Nearest.match("toggleSwixhed", among: ["toggleSwitched"]) == "toggleSwitched")
    #expect(Nearest.match("togleSwichd", among: ["toggleSwitched"]) == "toggleSwitched")
    #expect(Nearest.match("anything", among: []) == nil)
  }

  @Test("a difference in case alone is nearest of all, and the first of equals wins")
  func order() {
    #expect(Nearest.match("DOOROPENED", among: ["doorOpenee", "doorOpened", "dooropened"]) == "doorOpened")
    #expect(Nearest.match("bat", among: ["cat", "hat", "bat"]) == "bat")
    #expect(Nearest.match("bxt", among: ["cat", "bit", "bat"]) == "bit")
  }

  @Test("two thousand candidates are looked at, and no more")
  func limit() {
    let others = Array(repeating: "something else", count: Nearest.candidates)
    #expect(Nearest.match("fridge", among: others.dropLast() + ["fridg"]) == "fridg")
    #expect(Nearest.match("fridge", among: others + ["fridg"]) == nil)
  }
}
