import TestSupport
import Testing

/// Notices, as several clients see them.
struct WatchTests {
  private let daemon: DaemonProcess
  private let watcher: TestClient
  private let worker: TestClient

  init() throws {
    daemon = try DaemonProcess()
    watcher = try daemon.connect()
    worker = try daemon.connect()
  }

  /// The next lines up to the reply of a `sync`, without it.
  private func notices() throws -> [String] {
    try watcher.send("@here sync\n")
    return try watcher.lines { $0 == "+ @here" }.dropLast()
  }

  @Test("each watched input is told once, in order, whatever number of patterns match it, later machines included")
  func once() throws {
    for (number, pattern) in ["*", "m*", "m1", "?1", "m*"].enumerated() {
      try expectEqual(watcher.ask("watch \(pattern)"), "+ watching \(min(number + 1, 4))")
    }
    var text = ""
    for number in 0..<20 { text += "new power m\(number)\n" }
    for _ in 0..<100 { text += "cast * buttonClick\n" }
    try worker.send(text)
    for _ in 0..<120 { try expect(worker.final(), hasPrefix: "+ ") }
    let sequences = try notices().map { Int($0.split(separator: " ")[1]) ?? 0 }
    expectEqual(sequences, Array(1...2_020))
    for pattern in ["*", "m*", "?1"] { try expect(watcher.ask("unwatch \(pattern)"), hasPrefix: "+ watching ") }
    try expect(worker.ask("cast * buttonClick"), hasPrefix: "+ 20 ")
    let rest = try notices()
    expect(rest.count == 1 && rest[0].contains(" m1 moved "), "\(rest)")
  }

  @Test("a watch with since tells the past first, and nothing twice or never, while others work on")
  func since() throws {
    try expect(worker.ask("new power p"), hasPrefix: "+ created")
    try worker.send("quiet on\n" + String(repeating: "send p buttonClick\n", count: 30_000) + "sync\n")
    try expectEqual(worker.final(), "+")
    try expectEqual(worker.final(), "+")
    try watcher.send("@w watch * since=1\n")
    let more = 10_000
    try worker.send(String(repeating: "send p buttonClick\n", count: more) + "sync\n")
    var next = 1
    var isWatching = false
    while next <= 30_001 + more {
      let line = try watcher.line()
      if line == "+ @w watching 1" {
        isWatching = true
        continue
      }
      guard line.hasPrefix("* \(next) ") else { throw HarnessFailure(what: "\(line) instead of \(next)") }
      next += 1
    }
    if !isWatching { try expectEqual(watcher.line(), "+ @w watching 1") }
    try expectEqual(worker.final(), "+")
  }

  @Test("what a request causes is told before its reply, also to others by the time they ask")
  func causality() throws {
    try expect(worker.ask("new power p"), hasPrefix: "+ created")
    try expectEqual(worker.ask("watch p"), "+ watching 1")
    try expectEqual(watcher.ask("watch p"), "+ watching 1")
    for number in 0..<200 {
      let reply = try worker.askAll("@r\(number) send p buttonClick")
      expect(reply.count == 2 && reply[0].hasPrefix("* \(number + 2) "), "\(reply)")
      try expectEqual(notices().count, 1)
    }
  }

  @Test("a notice never stands inside a reply")
  func notInside() throws {
    var text = ""
    for number in 0..<3_000 { text += "new power m\(number)\n" }
    try worker.send("quiet on\n" + text + "sync\n")
    try expectEqual(worker.final(), "+")
    try expectEqual(worker.final(), "+")
    try expectEqual(watcher.ask("watch *"), "+ watching 1")
    let count = 40
    try watcher.send(String(repeating: "list\njournal limit=3000\ncount\n", count: count))
    try worker.send(String(repeating: "cast m1* buttonClick\nsend m7 buttonClick\n", count: 5) + "sync\n")
    var finals = 0
    var isInside = false
    while finals < 3 * count {
      let line = try watcher.line()
      switch line.first {
      case ".": isInside = true
      case "+":
        isInside = false
        finals += 1
      default: expect(!isInside, "\(line)")
      }
    }
    try expectEqual(worker.final(), "+")
  }

  @Test("a batch runs at one moment with nobody in between, up to its first failure")
  func batch() throws {
    try expect(worker.ask("new power p"), hasPrefix: "+ created")
    try expectEqual(watcher.ask("watch *"), "+ watching 1")
    let other = try daemon.connect()
    try expectEqual(other.ask("quiet on"), "+")
    for _ in 0..<20 {
      try other.send(String(repeating: "send p buttonClick\n", count: 100))
      try worker.send("begin\n" + String(repeating: "send p set to=on\nsend p set to=off\n", count: 50) + "end\n")
    }
    for _ in 0..<20 {
      try expectEqual(worker.final(), "+")
      let replies = try (0..<100).map { _ in try worker.final().split(separator: " ").suffix(2) }
      expectEqual(Set(replies.compactMap(\.first)).count, 1, "one moment")
      let sequences = replies.compactMap { $0.last.flatMap { Int($0.dropFirst(4)) } }
      expectEqual(sequences, Array(sequences[0]..<(sequences[0] + 100)), "nobody in between")
      try expectEqual(worker.final(), "+ batch=100")
    }
    try expectEqual(other.ask("sync"), "+")
    try worker.send("begin\nsend p set to=on\n\nsend p nonsense\n@x send p set to=off\n@e end\n")
    try expectEqual(worker.final(), "+")
    try expect(worker.final(), hasPrefix: "+ ")
    try expect(worker.final(), hasPrefix: "- UNKNOWN-EVENT")
    try expect(worker.final(), hasPrefix: "- @x BATCH index=3 : not run")
    try expect(worker.final(), hasPrefix: "- @e BATCH index=2")
    try expect(worker.ask("expect p on"), hasPrefix: "+ on")
  }
}
