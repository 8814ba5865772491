import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("Checkpoints in the store")
struct StoredCheckpointTests {
  private func value(_ name: String, _ guest: Guest) throws -> Int {
    let line = guest.say("stats").first { $0.hasPrefix(". \(name) ") }
    return try #require(line.flatMap { Int($0.split(separator: " ")[2]) })
  }

  @Test("a world that only its timers move is written out too, and comes back from there")
  func timers() throws {
    let daemon = try KeptDaemon(.init("checkpointInputs=20"))
    let guest = daemon.connect()
    _ = guest.ask("new fridge f start=4", "new shiftKey key", "send key tap")
    daemon.pass(86_400)
    try expect(value("storeCheckpoints", guest) > 0)
    let again = try daemon.afterKill()
    for request in ["list", "journal since=1 limit=100000"] {
      expectEqual(guest.say(request), again.connect().say(request))
    }
    _ = again.connect().ask("send key tap", "undo", "undo")
    try expectEqual(again.afterKill().connect().ask("expect key on"), again.connect().ask("expect key on"))
  }

  @Test("one is made when the daemon ends in order, if there is much to play again")
  func end() throws {
    let daemon = try KeptDaemon()
    let guest = daemon.connect()
    _ = guest.ask("clock virtual", "new power p", "quiet on")
    for _ in 0..<210 { _ = guest.say(String(repeating: "send p buttonClick\n", count: 100) + "sync") }
    try expectEqual(value("storeCheckpoints", guest), 0)
    let clock = guest.ask("clock")
    let again = try daemon.restarted()
    try expectEqual(value("storeCheckpoints", again.connect()), 1)
    expectEqual(again.connect().ask("clock"), clock)
  }

  @Test("many bytes bring one, and what is before it may go")
  func bytes() throws {
    let daemon = try KeptDaemon(.init("storeBytes=65536"))
    let guest = daemon.connect()
    let text = String(repeating: "x", count: 1_000)
    _ = guest.ask("clock virtual", "new spamFilter s words=spam")
    for number in 0..<300 { _ = guest.ask("send s text \(number)\(text)") }
    try expect(value("storeCheckpoints", guest) > 0)
    try expect(value("storeRemoved", guest) > 0)
    try expect(value("storeBytes", guest) < 200_000)
    let again = try daemon.afterKill().connect()
    expectEqual(again.say("list"), guest.say("list"))
    let first = try value("storeFrom", again)
    expect(first > 1)
    expect(again.ask("journal since=1").first, hasPrefix: "- LIMIT name=storeBytes value=65536 from=\(first) ")
  }

  @Test("timers that are due at one moment expire before others begin anew, however many they are")
  func manyAtOnce() throws {
    let daemon = try KeptDaemon()
    let guest = daemon.connect()
    _ = guest.ask("quiet on")
    for number in 0..<500 { _ = guest.say("new shiftKey k\(number)\nsend k\(number) tap") }
    daemon.pass(0.2)
    let again = try daemon.afterKill { $0.onRestart = .restart }
    expectEqual(again.connect().ask("expect k0 on").count, 1)
    let third = try again.afterKill()
    expectEqual(third.connect().say("agenda limit=1000"), again.connect().say("agenda limit=1000"))
  }
}
