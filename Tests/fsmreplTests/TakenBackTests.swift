import LineProtocol
import TestSupport
import Testing
import UnixHost

@testable import fsmrepl

/// What an `undo` takes back, in words, and the question before it.
struct TakenBackTests {
  private func taken(_ inputs: ClosedRange<Int>, _ rows: String...) throws -> TakenBack {
    func line(_ row: String) throws -> ServerLine { try #require(ServerLine(". \(row)")) }
    let own = try line("99 0.000 - undone from=\(inputs.lowerBound) to=\(inputs.upperBound)")
    return TakenBack(try #require(TakenBack.Range([own])), try rows.map(line))
  }

  @Test("a request alone is named, and what came of it is counted")
  func texts() throws {
    let fridge = try taken(
      3...5, "3 0.000 f created fridge cooling", "3 0.000 f output compressorOn",
      "4 9.000 f expired cold due=9.000", "4 9.000 f moved cooling waiting timer=cold",
      "5 9.500 lamp moved off on wire=f.compressorOff")
    expectEqual(fridge.text, "new fridge f, and 1 timer and 1 input by a wire since")
    expect(fridge.hasUsedMachine)
    expect(fridge.report(of: .undo)?.text, hasSuffix: "since; 'redo' brings it back, 'goto TIME' goes less far")
    expect(fridge.report(of: .goto)?.text, hasSuffix: "'redo' brings it back, a later TIME goes less far")
    let tap = try taken(7...7, "7 0.000 key moved off on event=tap undone=99", "7 0.000 key armed t due=0.350")
    expect(tap.text == "send key tap" && !tap.hasUsedMachine)
    expectEqual(tap.report(of: .undo), "taken back: send key tap")
  }

  @Test(
    "each input from outside is a request",
    arguments: [
      ("3 1.000 key dropped", "drop key"), ("3 1.000 c.phone dropped", "drop c"),
      ("3 1.000 key expired t due=2.000", "fire key t"), ("3 1.000 key refused off event=x", "send key x"),
      ("3 1.000 a wired o b e", "wire a o b e"), ("3 1.000 a unwired o b e", "unwire a o b e"),
      ("3 1.000 - defined lamp version=1", "define lamp"), ("3 1.000 - undefined lamp", "undefine lamp"),
    ])
  func requests(row: String, text: String) throws {
    try expectEqual(taken(3...3, row).text, text)
  }

  @Test("a composed machine is made by one request, and of many requests the first are named")
  func many() throws {
    let composed = try taken(
      1...4, "1 0.000 c.a created x off", "2 0.000 c.b created y off", "3 0.000 c.a wired o c.b e",
      "4 0.000 c.b dropped")
    expectEqual(composed.text, "new c, drop c")
    // At one time there is nothing between for 'goto'.
    expectEqual(composed.report(of: .undo), "taken back: new c, drop c; 'redo' brings it back")
    let sent = try taken(
      1...5, "1 0.000 a moved x y event=e1", "2 0.000 a moved x y event=e2", "3 0.000 a moved x y event=e3",
      "4 0.000 a moved x y event=e4", "5 0.000 a moved x y event=e5")
    expectEqual(sent.text, "send a e1, send a e2, send a e3, 2 more requests")
    let timers = try taken(4...4, "4 9.000 f expired cold due=9.000", "4 9.000 f moved cooling waiting timer=cold")
    expectEqual(timers.report(of: .goto), "taken back: 1 timer; 'redo' brings it back")
    // More inputs than were read.
    try expectEqual(taken(1...9, "1 0.000 a moved x y event=e").text, "send a e, and 8 inputs since")
  }

  @Test("what an undo within has taken back counts only if a redo follows")
  func undone() throws {
    let rows = [
      "1 0.000 a created x off", "2 0.000 a moved off on event=e", "3 0.000 - undone from=2 to=2",
      "4 0.000 - redone from=2 to=3",
    ]
    try expectEqual(taken(1...3, rows[0], rows[1], rows[2]).text, "new x a")
    try expectEqual(taken(1...4, rows[0], rows[1], rows[2], rows[3]).text, "new x a, send a e")
  }

  @Test("a question comes from an hour on, and for a machine that has had inputs")
  func questions() throws {
    let tap = try taken(7...7, "7 0.000 key moved off on event=tap")
    let hour: Int64 = 3_600_000_000_000
    expectNil(RewindTrial(taken: tap, time: hour - 1).question(about: .undo))
    expectEqual(
      RewindTrial(taken: tap, time: hour).question(about: .undo),
      "this takes back 01:00:00 of time: send key tap; 'goto TIME' goes less far; go on?")
    expectEqual(
      RewindTrial(taken: tap, time: hour).question(about: .goto),
      "this takes back 01:00:00 of time: send key tap; go on?")
    expectEqual(RewindTrial(taken: nil, time: hour).question(about: .goto), "this takes back 01:00:00 of time; go on?")
    expectNil(RewindTrial(taken: nil, time: 0).question(about: .goto))
    let used = try taken(1...2, "1 0.000 a created x off", "2 0.000 a moved off on event=e")
    expectEqual(RewindTrial(taken: used, time: 0).question(about: .undo), "this takes back new x a, send a e; go on?")
    let fresh = try taken(1...2, "1 0.000 a created x off", "2 0.000 b moved off on event=e")
    expectNil(RewindTrial(taken: fresh, time: 0).question(about: .undo))
  }
}
