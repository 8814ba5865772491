import Glibc
import TestSupport
import Testing
import UnixHost

/// One client's heavy requests, and how long others wait behind them.
@Suite(.serialized)
struct FairnessTests {
  private let daemon: DaemonProcess
  private let heavy: TestClient
  private let light: TestClient
  /// Requests taken while the test is set up.
  private let requestsBefore = 5_000

  init() throws {
    daemon = try DaemonProcess()
    heavy = try daemon.connect()
    light = try daemon.connect()
    try expectEqual(heavy.ask("quiet on"), "+")
    var text = ""
    for number in 0..<requestsBefore - 4 { text += "new power m\(number)\n" }
    try heavy.send(text + "quiet off\nsync\n")
    try expectEqual(heavy.final(), "+")
    try expectEqual(heavy.final(), "+")
    try expectEqual(light.ask("sync"), "+")
  }

  @Test(
    "many requests that look at every machine, sent at once, do not keep others waiting until all are done",
    arguments: ["count", "list *x", "cast *x set to=off", "journal *x limit=1", "agenda", "show m1x", "send m1x tap"])
  func heavyRequests(_ request: String) throws {
    let count = 200
    // All of this is there when the daemon looks again: the heavy requests first, as they came first.
    try daemon.stop()
    try heavy.send(String(repeating: "@h \(request)\n", count: count))
    try light.send("stats\n")
    daemon.signal(SIGCONT)
    let line = try light.reply().first { $0.hasPrefix(". requests ") } ?? ""
    let taken = (Int(line.split(separator: " ")[2]) ?? 0) - requestsBefore
    expect(taken < count / 2, "\(taken) requests were taken before the light one")
    for _ in 0..<count { try expect(heavy.final(), contains: " @h ") }
    try expectEqual(heavy.ask("sync"), "+")
  }
}
