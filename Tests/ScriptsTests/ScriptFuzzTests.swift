import TestSupport
@testable import Scripts
import LineProtocol
import Testing

/// Lines made of whatever may stand in them.
struct ScriptFuzzTests {
  private static let pieces = [
    "at", "after", "1s", "5ms", "send", "k", "tap", "=>", "on", "moved", "refused", "REFUSED", "expect", "output",
    "timers", "reading", "within", "never", "let", "=", "$x", "$", "$$", "\"", "\\", "repeat", "2", "end", "begin",
    "include", "a.fsm", "@1", "@", "#", "x=1", "t=", "±1", "+-", "none", "a,b", "+", "é", "\t", " ", "\r", "\u{1}",
    "world", "new", "clock", "real", "list", "show", "as", "i", "$i", "${i}", "{1..3}", "s{2..$x}", "{", "}", "\\#",
    "define l format=scxml", "enddefine", "load", "lesson", "level", "say", "ask state", "graph", "wave", "point",
    "pause",
    "try k on", "try coverage k 1%", "goal g", "hint h", "\n# r\n",
  ]

  @Test(
    "whatever stands in a script, it is read or its mistakes are told within it", arguments: Thorough.rounds(0..<40))
  func random(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    for _ in 0..<200 {
      var text = ""
      for _ in 0..<(1 + dice.number(0...11)) {
        text += dice.one(of: Self.pieces) + dice.one(of: ["", " ", " ", " ", "\n"])
      }
      var bytes = Array(text.utf8)
      if dice.number(0...9) == 0 { bytes[dice.number(0...bytes.count - 1)] = UInt8(dice.number(0...255)) }
      do throws(ScriptMistakes) {
        let script = try ScriptParser.parse("s.fsm", bytes) { _ in .bytes(Array("let x = 1\nlist".utf8)) }
        for step in script.steps {
          for turn: Int32 in [0, 1, 5] {
            let request = script.request(of: step, turn: turn)
            expect(request.utf8.count <= ScriptLimits.line * 2, "seed \(seed)")
          }
          for word in 0...3 {
            let column = script.column(of: step, word: word)
            expect((1...(script.line(of: step).count + 80)).contains(column), "seed \(seed)")
          }
          expect(!script.line(of: step).isEmpty, "seed \(seed)")
        }
      } catch {
        expect(!error.reported.isEmpty && Set(error.reported).count == error.reported.count, "seed \(seed)")
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        for mistake in error.reported where mistake.file == "s.fsm" {
          expect((1...lines.count).contains(mistake.line), "seed \(seed): \(mistake)")
          let line = String(decoding: lines[mistake.line - 1], as: UTF8.self)
          expect((1...(line.count + 1)).contains(mistake.column), "seed \(seed): \(mistake)")
          expect(!mistake.message.isEmpty, "seed \(seed)")
        }
      }
    }
  }
}
