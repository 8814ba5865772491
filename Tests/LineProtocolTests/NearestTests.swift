@testable import LineProtocol
import TestSupport
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
      expectEqual(Nearest.Pattern(one).distance(to: other), distance, "\(a) \(b)")
      expectEqual(Nearest.Pattern(other).distance(to: one), distance, "\(b) \(a)")
    }
  }

  @Test("the distance is that of the table, cell by cell, also of words with 64 letters and with rare ones")
  func table() {
    var dice = Dice(seed: 1)
    for _ in 0..<Thorough.rounds(2_000) {
      let letters: [UInt32] = dice.once(in: 2) ? [97, 98] : [97, 98, 99, 0xE9, 0x1F600]
      let longest = dice.once(in: 2) ? 8 : 64
      func word() -> [UInt32] {
        (0..<dice.number(0...longest)).map { _ in dice.one(of: letters) }
      }
      let (one, other) = (word(), word())
      expectEqual(Nearest.Pattern(one).distance(to: other), Self.distance(one, other), "\(one) \(other)")
    }
  }

  /// By the definition: each cell from the three or four before it.
  private static func distance(_ a: [UInt32], _ b: [UInt32]) -> Int {
    var cells = (0...a.count).map { row in (0...b.count).map { row == 0 ? $0 : $0 == 0 ? row : 0 } }
    for i in a.indices {
      for j in b.indices {
        var cost = min(cells[i][j + 1] + 1, cells[i + 1][j] + 1, cells[i][j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, cells[i - 1][j - 1] + 1) }
        cells[i + 1][j + 1] = cost
      }
    }
    return cells[a.count][b.count]
  }

  @Test("one edit in short words, two in longer ones, three from ten letters on")
  func reach() {
    expectEqual(Nearest.match("tpa", among: ["tap", "set"]), "tap")
    expectNil(Nearest.match("tpx", among: ["tap"]))
    expectEqual(Nearest.match("snedd", among: ["send"]), "send")
    expectNil(Nearest.match("undo", among: ["end"]))
    expectNil(Nearest.match("axxnce", among: ["advance"]))
    expectEqual(Nearest.match("adxxnce", among: ["advance"]), "advance")
    expectNil(Nearest.match("toggleSwxxxed", among: ["toggleSwitched"]))
    expectEqual(Nearest.match("toggleSwixhed", among: ["toggleSwitched"]), "toggleSwitched")
    expectEqual(Nearest.match("togleSwichd", among: ["toggleSwitched"]), "toggleSwitched")
    expectNil(Nearest.match("anything", among: []))
  }

  @Test("a difference in case alone is nearest of all, and the first of equals wins")
  func order() {
    expectEqual(Nearest.match("DOOROPENED", among: ["doorOpenee", "doorOpened", "dooropened"]), "doorOpened")
    expectEqual(Nearest.match("bat", among: ["cat", "hat", "bat"]), "bat")
    expectEqual(Nearest.match("bxt", among: ["cat", "bit", "bat"]), "bit")
  }

  @Test("two thousand candidates are looked at, and no more")
  func limit() {
    let others = Array(repeating: "something else", count: Nearest.candidates)
    expectEqual(Nearest.match("fridge", among: others.dropLast() + ["fridg"]), "fridg")
    expectNil(Nearest.match("fridge", among: others + ["fridg"]))
  }
}
