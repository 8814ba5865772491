import LineProtocol
import TestSupport
import Testing

@testable import Scripts

/// The judges of answers, which `run`, lessons and the prompt share.
struct CheckTests {
  private static let shown = lines(". state on", ". timer a due=1.000", ". timer b(1) due=2.000", ". reading n 4.000 s")

  private static func lines(_ rows: String...) -> [ServerLine] { rows.compactMap { ServerLine($0) } }

  @Test("a check says what an answer has in place of what is expected, and which of its words is wrong")
  func misses() {
    let timers = Script.Check.timers(machine: "m", names: ["b(1)", "a"])
    expectNil(timers.miss(in: Self.shown))
    expectEqual(
      Script.Check.timers(machine: "m", names: []).miss(in: Self.shown),
      .init(expected: "timers none", got: "timers a,b(1)", word: 3))
    let reading = Script.Check.reading(machine: "m", name: "n", .seconds(4, tolerance: 0))
    expectNil(reading.miss(in: Self.shown))
    expectEqual(
      Script.Check.reading(machine: "m", name: "n", .none).miss(in: Self.shown),
      .init(expected: "no reading 'n'", got: "n 4.000", word: 4))
  }

  @Test("what has failed in a machine is in its journal")
  func noErrors() throws {
    let check = try Script.Check.parse("expect m no-errors")
    expectEqual(check, .noErrors(machine: "m"))
    expectEqual(check?.request, "journal m what=all limit=1000000\n")
    let moved = ". 3 0.000 m moved dark lit event=press"
    expectNil(check?.miss(in: Self.lines(moved, ". 3 0.000 m output error x")))
    expectEqual(
      check?.miss(in: Self.lines(moved, #". 3 0.000 m told error "line 5: n is 1""#)),
      .init(expected: "no-errors", got: #"error "line 5: n is 1" at seq=3"#, word: 2))
  }

  @Test("a text of a document is expected as 'show' has it, with its quotes")
  func quotedReadings() throws {
    let rows = Self.lines(#". reading code "\"1234\"""#, #". reading name "\"a \\\"b\\\"\"""#, ". reading n 4")
    func miss(_ value: String, of name: String = "code") throws -> Script.Check.Miss? {
      try Script.Check.parse("expect m reading \(name) \(value)")?.miss(in: rows)
    }
    try expectNil(miss(#""1234""#))
    try expectNil(miss(#""\"1234\"""#))
    try expectNil(miss(#""a \"b\"""#, of: "name"))
    try expectNil(miss("4", of: "n"))
    try expectNil(miss(#""4""#, of: "n"))
    try expectEqual(miss("1234"), .init(expected: "code 1234", got: #"code "1234""#, word: 4))
    try expectEqual(miss(#""4321""#), .init(expected: "code 4321", got: #"code "1234""#, word: 4))
  }

  @Test("a coverage is that of all machines that match, and of none it is a mistake")
  func coverages() {
    let half = Self.lines(
      ". kind a transitions=1/2", ". untried a transition off on event=tap", ". kind b transitions=1/2")
    func miss(_ percent: Int, _ rows: [ServerLine]) -> Script.Check.Miss? {
      Script.Check.coverage(pattern: "m*", percent: percent).miss(in: rows)
    }
    expectNil(miss(50, half))
    expectEqual(miss(51, half), .init(expected: "coverage 51%", got: "coverage 50% (2 of 4 transitions)", word: 1))
    expectEqual(miss(1, []), .init(expected: "a machine", got: "no machine matches 'm*'", word: 2, isOfNothing: true))
    expectEqual(TransitionCoverage(half).missing, [.init(from: "off", to: "on", trigger: "tap")])
  }
}
