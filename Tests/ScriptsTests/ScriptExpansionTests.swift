@testable import Scripts
import LineProtocol
import TestSupport
import Testing

/// What values may add to a script.
struct ScriptExpansionTests {
  private func failure(_ text: String) -> String? {
    do throws(ScriptMistakes) {
      _ = try ScriptParser.parse("s.fsm", Array(text.utf8)) { _ in .failed("") }
      return nil
    } catch {
      return error.lines[0]
    }
  }

  @Test("a value that is doubled line by line comes to the limit of a value, and no further")
  func doubling() {
    let lines = (1...40).map { "let a\($0) = $a\($0 - 1)$a\($0 - 1)" }
    expectEqual(
      failure((["let a0 = x"] + lines).joined(separator: "\n")),
      "s.fsm:14:11: this value has 8192 bytes; at most 4096 are allowed")
    expectNil(failure((["let a0 = x"] + lines.prefix(12)).joined(separator: "\n")))
  }

  @Test("a value has at most so many bytes")
  func value() {
    expectNil(failure("let a = " + String(repeating: "x", count: ScriptLimits.value)))
    expectEqual(
      failure("let a = " + String(repeating: "x", count: ScriptLimits.value + 1)),
      "s.fsm:1:9: this value has 4097 bytes; at most 4096 are allowed")
    // Bytes, not characters.
    expectNil(failure("let a = " + String(repeating: "é", count: ScriptLimits.value / 2)))
    expect(failure("let a = " + String(repeating: "é", count: ScriptLimits.value / 2 + 1)) != nil)
  }

  @Test("a line with its values has at most so many bytes, whether in one word or in many")
  func line() {
    // 16 values of 4,096 bytes are a line's length; the verb and blanks come out of the last one.
    let value = "let a = " + String(repeating: "x", count: ScriptLimits.value)
    for blank in ["", " "] {
      let most = String(repeating: blank + "$a", count: 15)
      let room = ScriptLimits.line - "send k e".utf8.count - (blank.isEmpty ? 1 : 16) - 15 * ScriptLimits.value
      func line(_ last: Int) -> String {
        "\(value)\nlet b = \(String(repeating: "y", count: last))\nsend k e\(blank.isEmpty ? " " : "")\(most)\(blank)$b"
      }
      expectNil(failure(line(room)), "'\(blank)'")
      expect(
        failure(line(room + 1)), hasSuffix: "with its names replaced this line has more than 65536 bytes, the maximum",
        "'\(blank)'")
    }
  }

  @Test("all values together add at most so many bytes to a script")
  func expansion() {
    let value = "let a = " + String(repeating: "x", count: ScriptLimits.value)
    let line = "send k e \(String(repeating: "$a", count: 15))"
    let growth = 15 * (ScriptLimits.value - 2)
    let whole = ScriptLimits.expansion / growth
    let rest = ScriptLimits.expansion - whole * growth
    // A name of one letter takes two bytes, which its value replaces.
    func script(_ last: Int) -> String {
      let small = "let c = \(String(repeating: "z", count: last % (ScriptLimits.value - 2) + 2))"
      let fill = Array(repeating: "send k e $a", count: last / (ScriptLimits.value - 2))
      return ([value, small] + Array(repeating: line, count: whole) + fill + ["send k e $c"]).joined(separator: "\n")
    }
    expectNil(failure(script(rest)))
    expect(
      failure(script(rest + 1)), hasSuffix: "the values of names make this script longer by more than 16777216 bytes")
  }

  @Test("included files count with the script")
  func files() {
    let big = [UInt8](repeating: 0x0A, count: ScriptLimits.file)
    #expect {
      _ = try ScriptParser.parse("s.fsm", Array("include big.fsm".utf8)) { _ in .bytes(big) }
    } throws: {
      "\($0)" == "big.fsm:1:1: with this file the script has 268435471 bytes; at most 268435456 are read"
    }
  }
}
