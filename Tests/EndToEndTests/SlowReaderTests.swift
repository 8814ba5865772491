import Glibc
import TestSupport
import Testing
import UnixHost

/// Clients that do not read, and those beside them.
@Suite(.serialized)
struct SlowReaderTests {
  private let daemon: DaemonProcess
  private let worker: TestClient

  init() throws {
    // A quarter of the usual queues, so that they are full soon.
    daemon = try DaemonProcess("--limit", "noticeQueue=262144", "--limit", "replyQueue=1048576")
    worker = try daemon.connect()
    try expect(worker.ask("new power p"), hasPrefix: "+ created")
    try expectEqual(worker.ask("quiet on"), "+")
  }

  /// Clicks so often that the notices of it are several times the notice queue, and returns when it is done.
  private func click(_ times: Int) throws {
    let piece = String(repeating: "send p buttonClick\n", count: 1_000)
    for _ in 0..<(times / 1_000) { try worker.send(piece) }
    try expectEqual(worker.ask("@done sync"), "+ @done")
  }

  /// A virtual world with a fridge that switches about every second; the worker watches it.
  private func makeBusyWorld() throws {
    for request in ["quiet off", "world new w", "use w", "new fridge f coolingTau=1s waitingTau=1s", "watch *"] {
      try expect(worker.ask(request), hasPrefix: "+")
    }
  }

  @Test("who watches and does not read loses notices, is told which, and the journal has them; its replies are whole")
  func gap() throws {
    let sleeper = try daemon.connect()
    let kinds = try sleeper.askAll("kinds").count - 1
    try expectEqual(sleeper.ask("watch p"), "+ watching 1")
    try sleeper.send("@kinds kinds\n@first sync\n")
    try click(15_000)
    try sleeper.send("@list list\n@sync sync\n")
    try click(1_000)

    var next = 2  // The first click's seq.
    var gaps: [ClosedRange<Int>] = []
    var finals: [String] = []
    while next <= 16_001 || finals.count < 4 {
      let line = try sleeper.line()
      let words = line.split(separator: " ")
      switch words[0] {
      case "*":
        expectEqual(words[1], "\(next)", "\(line)")
        next = (Int(words[1]) ?? 0) + 1
      case "!":
        let numbers = words.dropFirst(2).compactMap { $0.split(separator: "=").last.flatMap { Int($0) } }
        guard words[1] == "gap", numbers.count == 2, numbers[0] == next, numbers[1] >= next else {
          throw HarnessFailure(what: "not the gap that was to come at \(next): \(line)")
        }
        gaps.append(numbers[0]...numbers[1])
        next = numbers[1] + 1
      case ".": break
      default: finals.append(line)
      }
    }
    expectEqual(finals, ["+ @kinds \(kinds)", "+ @first", "+ @list 1", "+ @sync"])
    expect(!gaps.isEmpty)
    expectEqual(next, 16_002)
    for gap in gaps.prefix(1) {
      let missing = try sleeper.askAll("journal since=\(gap.lowerBound) limit=\(gap.count)")
      expectEqual(missing.count, gap.count + 1)
      expect(missing.first, hasPrefix: ". \(gap.lowerBound) ")
      expect(missing.dropLast().last, hasPrefix: ". \(gap.upperBound) ")
    }
    // From here on it reads again, and nothing is missed.
    try click(1_000)
    try expectEqual(sleeper.ask("sync"), "+")
    try expect(sleeper.hasNothing())
  }

  @Test("a reader that has fallen behind hears of the gap in its next sync at the latest")
  func gapBeforeSync() throws {
    let sleeper = try daemon.connect()
    try expectEqual(sleeper.ask("watch p"), "+ watching 1")
    try click(15_000)
    try sleeper.send("@now sync\n")
    let lines = try sleeper.lines { $0 == "+ @now" }
    let last = lines.dropLast().last ?? ""
    expect(last.hasSuffix(" to=15001") || last.hasPrefix("* 15001 "), "\(last)")
  }

  @Test("a sync speaks for all that was taken before it, however it came together with other requests")
  func syncInOneRound() throws {
    for round in 1...4 {
      let sleeper = try daemon.connect()
      try expectEqual(sleeper.ask("watch p"), "+ watching 1")
      try click(10_000)
      // All of this is there when the daemon looks again, most likely the worker's first.
      try daemon.stop()
      try worker.send(String(repeating: "send p buttonClick\n", count: 5) + "sync\n")
      try sleeper.send("@at clock\n@now sync\n")
      daemon.signal(SIGCONT)
      try expectEqual(worker.final(), "+")
      let lines = try sleeper.lines { $0 == "+ @now" }
      let taken = lines.last { $0.hasPrefix("+ @at ") }.flatMap { Int($0.split(separator: "=").last ?? "") } ?? 0
      expect((1 + round * 10_005 - 5...1 + round * 10_005).contains(taken))
      let told = lines.last { $0.hasPrefix("*") || $0.hasPrefix("!") } ?? ""
      let end = told.hasPrefix("!") ? told.split(separator: "=").last : told.split(separator: " ").dropFirst().first
      expect((end.flatMap { Int($0) } ?? 0) >= taken, "\(told)")
      var next = 0
      for line in lines where line.hasPrefix("*") || line.hasPrefix("!") {
        let first = line.split(whereSeparator: { $0 == " " || $0 == "=" })[line.hasPrefix("*") ? 1 : 3]
        let number = Int(first) ?? 0
        guard number > next else { throw HarnessFailure(what: "\(line) after \(next)") }
        next = number
      }
    }
  }

  @Test("somebody who watches and does not read costs the others little, and the daemon no more than its queue")
  func othersAreNotSlowed() throws {
    try click(20_000)
    let start = daemon.facts.processorTicks
    try click(40_000)
    let alone = daemon.facts.processorTicks - start
    let memory = daemon.facts.residentKiB
    var sleepers: [TestClient] = []
    for _ in 0..<4 {
      let sleeper = try daemon.connect()
      try expectEqual(sleeper.ask("watch *"), "+ watching 1")
      sleepers.append(sleeper)
    }
    try click(40_000)  // Fills their queues.
    let middle = daemon.facts.processorTicks
    try click(40_000)
    let watched = daemon.facts.processorTicks - middle
    expect(watched <= 2 * alone + 20, "\(alone) ticks alone, \(watched) with four that do not read")
    expect(daemon.facts.residentKiB - memory < 8 << 10, "four queues of 256 KiB, with room to grow")
  }

  @Test("replies that nobody reads are not built: the daemon stops taking that client's requests, and nobody else's")
  func repliesNobodyReads() throws {
    try click(5_000)
    let before = daemon.facts.residentKiB
    let sleeper = try daemon.connect()
    let requests = 3_000
    let text = String(repeating: "@s journal limit=1000000\n", count: requests)
    try sleeper.sendWhatFits(Array(text.utf8), waiting: false)
    let many = try daemon.connect()
    let kinds = try many.ask("kinds")
    let padded = "kinds" + String(repeating: " ", count: 15) + "\n"
    let taken = try many.sendWhatFits(Array(String(repeating: padded, count: 100_000).utf8), waiting: false)
    expect(taken < 2_100_000)
    try click(1_000)
    expect(daemon.facts.residentKiB - before < 24 << 10)
    for _ in 0..<2 {
      var count = 0
      while try sleeper.line().hasPrefix(". @s ") { count += 1 }
      expect(count >= 5_001)
    }
    for _ in 0..<200 { try expectEqual(many.final(), kinds) }
    try expectEqual(worker.ask("sync"), "+")
  }

  @Test(
    "replies of many times the queue all come, whole and in order, once their client reads, if nobody sends anything")
  func repliesReadAtLast() throws {
    let sleeper = try daemon.connect()
    let count = 750
    let lines = try sleeper.askAll("kinds").count
    var text: [UInt8] = []
    for number in 0..<count { text += Array("@\(number) kinds\n".utf8) }
    try sleeper.send(text)
    try expectEqual(worker.ask("sync"), "+")
    for number in 0..<count {
      let reply = try sleeper.reply()
      guard reply.count == lines, reply.allSatisfy({ $0.dropFirst(2).hasPrefix("@\(number) ") }) else {
        throw HarnessFailure(what: "reply \(number): \(reply)")
      }
    }
    expect(sleeper.bytesReceived > 3 << 20)
    try expect(sleeper.hasNothing())
  }

  @Test("what is carried out only when its client reads is told to those who watch, without another request of anybody")
  func toldAtLast() throws {
    try expectEqual(worker.ask("watch p"), "+ watching 1")
    let sleeper = try daemon.connect()
    let count = 750
    try sleeper.send(String(repeating: "kinds\n", count: count) + "send p buttonClick\n")
    try expectEqual(worker.ask("@before sync"), "+ @before")
    for _ in 0..<count { try expect(sleeper.final(), hasPrefix: "+ ") }
    try expect(sleeper.final(), hasPrefix: "+ moved off on ")
    try expect(worker.line(), hasPrefix: "* 2 ")
  }

  @Test("25,000 requests may be sent before the first reply is read, and all are answered in order")
  func pipelined() throws {
    let client = try daemon.connect()
    let count = 25_000
    var text: [UInt8] = []
    for number in 0..<count { text += Array("@\(number) send p buttonClick\n".utf8) }
    try client.send(text)
    for number in 0..<count {
      let line = try client.line()
      guard line.hasPrefix("+ @\(number) moved o"), line.hasSuffix(" seq=\(number + 2)") else {
        throw HarnessFailure(what: "reply \(number): \(line)")
      }
    }
    try expect(client.hasNothing())
  }

  @Test("who reads sees every notice of its own advance, however many")
  func ownAdvance() throws {
    try makeBusyWorld()
    try worker.send("@a advance 5000s\n")
    var notices = 0
    var sequence = 0
    while true {
      let line = try worker.line()
      guard line.hasPrefix("* ") else {
        expect(line, hasPrefix: "+ @a advanced fired=", "\(line)")
        break
      }
      notices += 1
      let next = Int(line.split(separator: " ")[1]) ?? 0
      guard next == sequence || next == sequence + 1 || sequence == 0 else {
        throw HarnessFailure(what: "\(line) after \(sequence)")
      }
      sequence = next
    }
    expect(notices > 25_000)
  }

  @Test("who does not read its own advance holds it up for some seconds only, and hears of the gap")
  func ownAdvanceUnread() throws {
    try makeBusyWorld()
    let other = try daemon.connect()
    try expect(other.ask("use w"), hasPrefix: "+ world=w")
    try worker.send("@a advance 2250s\n")
    let start = HostClock.now()
    try expect(other.ask("await f cooling within=1d"), hasPrefix: "+ reached")
    try Patience.wait(until: "the advance to go on") { try other.ask("world").contains(" t=2250.000 ") }
    expect(HostClock.now() - start < 20_000_000_000)
    let lines = try worker.lines { $0.hasPrefix("+ @a ") }
    expect(!lines.contains { $0.hasPrefix("! gap from=") })
    try expect(worker.askAll("sync").first, hasPrefix: "! gap from=")
  }
}
