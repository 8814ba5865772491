import TestSupport
@testable import Scripts
import LineProtocol
import Testing

/// Words that scripts write are read as they are.
struct ScriptSpellingTests {
  private static let pieces = [
    "{1..3}", "{", "}", "..", "{01..$n}", "$", "$n", "${n}", "#", "\\#", "\\", "=>", "=", "\"", " ", "\t", "\n", "k",
    "s",
    "=#", "é", "1", "+", "@a", "expect", ":", "",
  ]

  @Test(
    "whatever is in a word or a value, the request has it as it is", arguments: Thorough.rounds(0..<20 as Range<UInt64>)
  )
  func roundTrip(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    for _ in 0..<200 {
      let words = (0...dice.number(0...2)).map { _ in
        (0...dice.number(0...4)).map { _ in dice.one(of: Self.pieces) }.joined()
      }
      let value = (0...dice.number(0...4)).map { _ in dice.one(of: Self.pieces) }.joined()
      let line = (["send k e"] + words.map(ScriptSpelling.word) + ["v=\(ScriptSpelling.value(value))"])
        .joined(separator: " ")
      let script: Script
      do throws(ScriptMistakes) {
        script = try ScriptReader(path: "s").parse("let n = 3\n\(line)\n")
      } catch {
        Issue.record("seed \(seed): \(line): \(error)")
        return
      }
      try #require(script.steps.count == 1, "seed \(seed): \(line)")
      let request = try #require(ServerLine("* \(script.request(of: script.steps[0]))"), "seed \(seed): \(line)")
      expectEqual(ServerLine("* \(ScriptSpelling.request(line))")?.words, request.words, "seed \(seed): \(line)")
      expectEqual(request.words, ["send", "k", "e"] + words, "seed \(seed): \(line)")
      expectEqual(request["v"], value, "seed \(seed): \(line)")
    }
  }
}
