import TestSupport
import Testing
import UnixHost

@testable import SimulationDaemon

/// What the host's clock showed when inputs came: beside the journal of a world on a real clock.
@Suite("Time of day in the journal")
struct WallTimeTests {
  /// 2031-05-04T12:00:00Z, when the host's other clock is at 7 s.
  private static let noon: Int64 = 1_935_662_400_000_000_000
  private let host = HostedService()
  private let guest: Guest

  init() {
    host.wallAhead = Self.noon - 7_000_000_000
    guest = host.connect()
  }

  /// The inputs and their times as seconds after noon.
  private func times(_ options: String = "since=1", of guest: Guest? = nil) -> [String] {
    let rows = (guest ?? self.guest).say("journal \(options) at=yes").filter { $0.hasPrefix(". ") }
    return rows.map { row in
      let words = row.split(separator: " ")
      return "\(words[1]) " + (words.first { $0.hasPrefix("at=") }.map { Self.seconds(String($0.dropFirst(3))) } ?? "-")
    }
  }

  private static func seconds(_ text: String) -> String {
    guard let time = WallClock.time(text, now: 0) else { return "no time: \(text)" }
    let milliseconds = (time - noon) / 1_000_000
    return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000)" : "\(Double(milliseconds) / 1_000)"
  }

  /// The first input that `at=` finds, so many seconds after noon.
  private func first(at seconds: Double, of guest: Guest? = nil) -> String {
    let wall = Self.noon + Int64(seconds * 1e9)
    let rows = (guest ?? self.guest).say("journal at=\(WallClock.text(of: wall))")
    return rows[0].hasPrefix(". ") ? String(rows[0].split(separator: " ")[1]) : rows[0]
  }

  @Test("requests have the time of their round, timers the time when they were due")
  func times() {
    _ = guest.say("new shiftKey key")
    host.passTime(2.5)
    _ = guest.say("send key tap")
    host.passTimeLate(10_000_000_000)
    _ = guest.say("send key tap")
    expectEqual(times("since=1 what=moves"), ["1 0", "2 2.5", "4 12.5"])
    expectEqual(times("key limit=2"), ["3 2.85", "3 2.85", "4 12.5"])
    expectEqual(times("key since=2 limit=1"), ["2 2.5", "2 2.5"])
    // Nobody is told who does not ask.
    expect(!guest.say("journal since=1").contains { $0.contains(" at=") })
  }

  @Test("what the clock's speed, its pauses and time spent on a virtual clock do to the times")
  func clocks() {
    _ = guest.play("new power p", "speed 100")
    host.passTime(1)
    _ = guest.say("send p buttonClick")
    host.passTime(1)
    _ = guest.play("pause", "send p buttonClick")
    host.passTime(5)
    _ = guest.play("send p buttonClick", "advance 1h", "send p buttonClick", "resume", "speed 0.5")
    host.passTime(2)
    _ = guest.say("send p buttonClick")
    _ = guest.play("clock virtual", "send p buttonClick")
    host.passTime(1)
    _ = guest.play("send p buttonClick", "clock real", "send p buttonClick")
    host.passTime(1)
    _ = guest.say("send p buttonClick")
    expectEqual(times(), ["1 0", "2 1", "3 2", "4 7", "5 7", "6 9", "7 -", "8 -", "9 10", "10 11"])
    expect(guest.violations().isEmpty)
  }

  @Test("the host's clock is set: inputs have what it showed")
  func jumps() {
    _ = guest.say("new power p")
    host.passTime(1)
    host.wallAhead? += 3_600_000_000_000
    _ = guest.say("send p buttonClick")
    host.passTime(1)
    host.wallAhead? -= 7_200_000_000_000
    _ = guest.say("send p buttonClick")
    host.passTime(1)
    _ = guest.say("send p buttonClick")
    expectEqual(times(), ["1 0", "2 3601", "3 -3598", "4 -3597"])
    expectEqual(first(at: 1), "2")
    expectEqual(first(at: -9_000), "1")
    expectEqual(first(at: 3_602), "+ 0")
  }

  @Test("an undo has its own time, and what it undid keeps its; a redo as well")
  func undo() {
    _ = guest.say("new power p")
    for _ in 0..<3 {
      host.passTime(10)
      _ = guest.say("send p buttonClick")
    }
    host.passTime(10)
    _ = guest.say("undo 2")
    host.passTime(10)
    _ = guest.say("redo")
    host.passTime(10)
    _ = guest.play("resume", "send p buttonClick")
    host.passTime(10)
    _ = guest.say("send p buttonClick")
    expectEqual(times(), ["1 0", "2 10", "3 20", "4 30", "5 40", "6 50", "7 60", "8 70"])
    expectEqual(first(at: 35), "5")
  }

  @Test("at=TIME begins with the first input of that time or later")
  func search() {
    _ = guest.say("new power p\nnew power q")
    for _ in 0..<50 {
      host.passTime(10)
      _ = guest.play("send p buttonClick", "send q buttonClick")
    }
    expectEqual(first(at: -60), "1")
    expectEqual(first(at: 0), "1")
    expectEqual(first(at: 0.001), "3")
    expectEqual(first(at: 100), "21")
    expectEqual(first(at: 100.001), "23")
    expectEqual(first(at: 501), "+ 0")
    let rows = guest.say("journal q at=\(WallClock.text(of: Self.noon + 100_000_000_000)) limit=2")
    expect(rows.count == 3 && rows[0].hasPrefix(". 22 ") && rows[1].hasPrefix(". 24 "), "\(rows)")
    expect(rows[0], hasSuffix: " at=\(WallClock.text(of: Self.noon + 100_000_000_000))")
  }

  @Test("what is no time, or says twice where to begin, is told with what is allowed")
  func mistakes() {
    _ = guest.say("new power p")
    expectEqual(
      guest.say("journal at=25:00"),
      [
        "- BAD-ARGUMENT argument=at got=25:00 allowed=\"yes, \(WallClock.form)\" : '25:00' is no time of day"
      ])
    expect(guest.ask("journal at=14:00 since=2")[0], hasPrefix: "- USAGE : 'since=' and 'at=TIME' both say")
    let still = host.connect(toWorld: "still")
    _ = still.say("new power p")
    expect(still.ask("journal at=14:00")[0], hasPrefix: "- CLOCK clock=virtual : this world has a virtual clock, ")
    expectEqual(times(of: still), ["1 -"])
  }

  @Test("a fork takes the times along, and goes on with its own")
  func fork() {
    _ = guest.say("new power p")
    host.passTime(3)
    _ = guest.play("send p buttonClick", "world fork other")
    let other = host.connect()
    _ = other.say("use other")
    host.passTime(4)
    _ = other.say("send p buttonClick")
    expectEqual(times(of: other), ["1 0", "2 3", "3 7"])
    expectEqual(times(), ["1 0", "2 3"])
  }

  @Test("where the journal has forgotten that time, it says from where on it has inputs")
  func forgotten() throws {
    var limits = Limits()
    expectNil(limits.set("journal=100"))
    let host = HostedService(limits: limits)
    host.wallAhead = Self.noon - 7_000_000_000
    let guest = host.connect()
    _ = guest.say("new power p")
    for _ in 0..<3_000 {
      host.passTime(1)
      // A paused clock has a mark for each of them.
      _ = guest.say("pause\nsend p buttonClick\nsend p buttonClick\nsend p buttonClick\nsend p buttonClick\nresume")
    }
    let first = guest.client.hosted.live.firstSequence
    expect(first > 10_000)
    expectEqual(
      self.first(at: 10, of: guest),
      "- LIMIT name=journal value=100 from=\(first) : the journal of this world begins at \(first)")
    expectEqual(self.first(at: 2_999, of: guest), "\(first + 92)")
    let last = times("limit=5", of: guest).map { $0.split(separator: " ")[1] }
    expectEqual(last, ["2999", "3000", "3000", "3000", "3000"])
  }

  @Test("a durable world has the times again after a restart, of stored inputs too; exports have them")
  func restart() throws {
    var setup = KeptDaemon.Setup("journal=50")
    setup.limits.checkpointInputs = 40
    let daemon = try KeptDaemon(setup)
    daemon.host.wallAhead = Self.noon - 7_000_000_000
    let guest = daemon.connect()
    _ = guest.say("new power p")
    for _ in 0..<299 {
      daemon.pass(1)
      _ = guest.say("send p buttonClick")
    }
    let expected = (0..<300).map { "\($0 + 1) \($0)" }
    expectEqual(times("since=1 limit=1000", of: guest), expected)
    for again in [try daemon.afterKill(), try daemon.restarted()] {
      // An hour later, by the host's clock.
      again.host.wallAhead = Self.noon + 3_600_000_000_000 - 7_000_000_000
      let guest = again.connect()
      _ = guest.say("send p buttonClick")
      expectEqual(times("since=1 limit=1000", of: guest), expected + ["301 3600"])
      expectEqual(first(at: 17.5, of: guest), "19")
      expectEqual(first(at: 290, of: guest), "291")
      expectEqual(first(at: 300, of: guest), "301")
      expectEqual(first(at: 4_000, of: guest), "+ 0")
    }
    let history = try daemon.afterKill().history(of: "main")
    let lines = String(decoding: try JournalExport.text(of: history), as: UTF8.self).split(separator: "\n")
    expect(lines.last, hasSuffix: " at=\(WallClock.text(of: Self.noon + 3_600_000_000_000))")
    let path = daemon.file("tables.sqlite")
    try TableExport.write(history, to: path, release: "0.0.0")
    let database = try ExportedDatabase(path)
    try expectEqual(
      database.rows("SELECT at FROM inputs WHERE seq = 18"), [WallClock.text(of: Self.noon + 17_000_000_000)])
  }
}
