import Glibc
import TestSupport
import Testing
import UnixHost

/// World time that follows the host's clock.
struct RealClockTests {
  private let daemon: DaemonProcess
  private let client: TestClient

  init() throws {
    daemon = try DaemonProcess()
    client = try daemon.connect()
  }

  /// The value of a `key=` in a line.
  private func value(_ key: String, in line: String) -> String {
    line.split(separator: " ").first { $0.hasPrefix("\(key)=") }.map { String($0.dropFirst(key.count + 1)) } ?? ""
  }

  /// World time in nanoseconds, as printed.
  private func nanoseconds(_ text: some StringProtocol) -> Int {
    let parts = text.split(separator: ".")
    guard parts.count == 2, let whole = Int(parts[0]) else { return -1 }
    return whole * 1_000_000_000 + (Int(parts[1] + String(repeating: "0", count: max(0, 9 - parts[1].count))) ?? -1)
  }

  private func now() throws -> Int { nanoseconds(value("t", in: try client.ask("clock"))) }

  @Test("a comparison is of both worlds as they are now, also of one that nobody has asked for anything meanwhile")
  func comparison() throws {
    try expectEqual(client.ask("world new a"), "+ created a")
    try expect(client.ask("use a"), hasPrefix: "+ world=a ")
    func timeOfMain() throws -> Int {
      nanoseconds(try client.askAll("diff a main").first { $0.hasPrefix(". time ") }?.split(separator: " ").last ?? "")
    }
    let before = try timeOfMain()
    Patience.pass(milliseconds: 20)
    try expect(timeOfMain() >= before + 20_000_000)
  }

  @Test("a window closes by itself, at its own moment to the nanosecond, however late the daemon was")
  func expiresByItself() throws {
    let watcher = try daemon.connect()
    try expectEqual(watcher.ask("watch * what=all"), "+ watching 1")
    try expect(client.ask("new shiftKey k doubleTap=30ms"), hasPrefix: "+ created")
    let tapped = try client.ask("send k tap")
    // Nobody asks for anything: the daemon wakes up for its timer.
    let lines = try watcher.lines { $0.contains(" expired ") }
    let expired = lines.last?.split(separator: " ") ?? []
    expectEqual(nanoseconds(expired[2]), nanoseconds(value("t", in: tapped)) + 30_000_000, "\(lines)")
    try expect(client.ask("send k tap"), hasPrefix: "+ moved on off", "the second tap came too late")

    // A daemon that could not run for a while fires late timers at the moments they were due.
    let start = try client.ask("send k tap")
    try daemon.stop()
    Patience.pass(milliseconds: 60)
    try client.send("send k tap\n")
    daemon.signal(SIGCONT)
    try expect(client.line(), hasPrefix: "+ moved on off", "a tap that was read after the window is outside it")
    let journal = try client.askAll("journal k limit=2")
    expect(journal.first, contains: " expired doubleTap due=", "\(journal)")
    expectEqual(nanoseconds(journal[0].split(separator: " ")[2]), nanoseconds(value("t", in: start)) + 30_000_000)
  }

  @Test("requests that are read together share one moment, and later ones never come before")
  func oneMoment() throws {
    try expect(client.ask("new power p"), hasPrefix: "+ created")
    var last = 0
    for _ in 0..<20 {
      try client.send(String(repeating: "send p buttonClick\n", count: 100))
      let times = try (0..<100).map { _ in nanoseconds(value("t", in: try client.line())) }
      expectEqual(Set(times).count, 1, "\(Set(times))")
      expect(times[0] >= last)
      last = times[0]
    }
  }

  @Test("speed, pause and resume change how world time goes, and it never jumps or goes back")
  func speeds() throws {
    try expect(client.ask("pause"), hasPrefix: "+ ")
    let stopped = try now()
    try expect(client.ask("advance until 100s"), hasPrefix: "+ advanced fired=0 t=100.000 ")
    expect(stopped < 100_000_000_000)
    Patience.pass(milliseconds: 20)
    try expectEqual(now(), 100_000_000_000)
    try expect(client.ask("speed 1000"), contains: "speed=1000")
    try expectEqual(now(), 100_000_000_000, "a paused clock stands whatever its speed")

    let before = HostClock.now()
    try expect(client.ask("resume"), contains: "paused=no")
    try Patience.wait(until: "20 s of world time") { try now() >= 120_000_000_000 }
    let after = HostClock.now()
    let passed = try now() - 100_000_000_000
    expect(passed >= 20_000_000_000 && passed <= Int(HostClock.now() - before) * 1_000)
    expect(after - before < 10_000_000_000)

    // Timers keep their moments at any speed.
    for request in ["new phone tel", "send tel openTel 1"] { try expect(client.ask(request), hasPrefix: "+ ") }
    let asked = try client.ask("await tel inactive within=1h")
    expect(asked, hasPrefix: "+ reached inactive+alert+idle")
    let journal = try client.askAll("journal tel since=2")
    let armed = nanoseconds(journal[0].split(separator: " ")[2])
    expect(
      journal.contains {
        $0.contains(" expired alert ") && nanoseconds($0.split(separator: " ")[2]) == armed + 100_000_000
      })

    try expect(client.ask("speed 1"), contains: "speed=1 ")
    let slow = try now()
    try expect(now() - slow < 20_000_000_000)
    for wrong in ["0", "-1", "x", "1e3", "1000001", "0.0001", "nan", ""] {
      try expect(client.ask("speed \"\(wrong)\""), hasPrefix: "- BAD-ARGUMENT argument=speed", "\(wrong)")
    }
    try expect(client.ask("advance 1s"), hasPrefix: "- CLOCK clock=real")
    try expect(client.ask("clock virtual"), hasPrefix: "+ clock virtual")
    try expect(client.ask("pause"), hasPrefix: "- CLOCK clock=virtual")
    try expect(client.ask("resume"), hasPrefix: "- CLOCK clock=virtual")
    try expect(client.ask("speed 2"), hasPrefix: "- CLOCK clock=virtual")
    try expect(client.ask("step"), hasPrefix: "+ stepped fired=")
  }

  @Test("a fast clock with many timers: all of them fire, in order, at their own moments, and none is missed")
  func fast() throws {
    try client.send("pause\nspeed 100000\nquiet on\n")
    for _ in 0..<3 { _ = try client.final() }
    for number in 0..<200 { try client.send("new fridge f\(number) start=\(2 + Double(number) / 100)\n") }
    try expect(client.ask("resume"), hasPrefix: "+ ")
    try Patience.wait(until: "a day of world time") { try now() > 86_400_000_000_000 }
    try expect(client.ask("pause"), hasPrefix: "+ ")
    try client.send("journal limit=1000000 what=moves\n")
    var last = 0
    var lines = 0
    while true {
      let line = try client.line()
      guard line.hasPrefix(". ") else { break }
      let time = nanoseconds(line.split(separator: " ")[2])
      guard time >= last else { throw HarnessFailure(what: "back in time: \(line)") }
      last = time
      lines += 1
    }
    // A fridge switches some 36 times a day.
    expect(lines > 200 * 30)
    expect(last > 86_000_000_000_000)
  }
}
