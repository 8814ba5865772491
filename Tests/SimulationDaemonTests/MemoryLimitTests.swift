import Simulator
import TestSupport
import Testing

@testable import SimulationDaemon

/// What is refused when the daemon's memory is used up, and what is not.
@Suite("No memory left")
struct MemoryLimitTests {
  private let host: HostedService
  private let guest: Guest
  private static let budget = 16 << 20
  private static let limit = "- LIMIT name=memory value=\(budget)"

  init() {
    var limits = Limits.fitting(memory: MemoryLimitTests.budget)
    limits.world.journalBytes = 1 << 30
    limits.world.journal = 8_000_000
    host = HostedService(limits: limits)
    guest = host.connect(toWorld: "w")
  }

  /// Uses up the memory except for `left` bytes, outside any world.
  private func fill(leaving left: Int = 0) {
    host.service.budget.add(host.service.budget.bytes - host.service.budget.counted - left, for: .requests)
  }

  /// Makes the guest's world larger than what every world is always allowed.
  private func outgrow() {
    expectEqual(guest.say("quiet on\n" + (0..<3_000).map { "new shiftKey f\($0)\n" }.joined() + "quiet off").last, "+")
    expect(guest.client.hosted.live.world.footprint.total > host.service.budget.freeForWorld)
  }

  @Test("requests that bring inputs are refused and take no number; reading, dropping and small worlds go on")
  func refused() {
    outgrow()
    let seq = guest.client.hosted.live.world.lastSequence
    fill()
    for request in ["new power p", "wire f1 text f2 character", "cast f* tap", "undo", "watch *"] {
      expect(guest.say(request).first, hasPrefix: Self.limit, "\(request)")
    }
    expect(guest.say("world fork x").first, hasPrefix: Self.limit)
    expectEqual(guest.client.hosted.live.world.lastSequence, seq)
    expect(guest.say("expect f1 off").first, hasPrefix: "+ off")
    expectEqual(guest.say("count").last, "+ 1")
    expect(guest.say("drop f1").first, hasPrefix: "+ dropped")
    expect(guest.say("world new small\nuse small\nnew power p\nsend p buttonClick").last, hasPrefix: "+ moved")
    expectEqual(guest.violations(), [])
  }

  @Test("it is looked at again when there is room, and goes on")
  func roomAgain() {
    outgrow()
    fill()
    expect(guest.say("new power p").first, hasPrefix: Self.limit)
    let other = host.connect()
    expectEqual(other.say("world drop w").first, "+ dropped w")
    expect(host.service.budget.counted(for: .world(.timers)) < 100_000)
    expect(guest.say("world new v\nuse v\nnew power p").last, hasPrefix: "+ created p")
  }

  @Test("plain events are refused when the journal would need more, and not before")
  func plainEvents() {
    outgrow()
    fill()
    let replies = guest.say((0..<20_000).map { _ in "send f0 tap\n" }.joined())
    let taken = replies.count { !$0.hasPrefix("- LIMIT") }
    expect(taken > 0 && taken < 15_000, "\(taken)")
    expect(replies.last, hasPrefix: Self.limit)
    expect(guest.say("send f0 tap").first, hasPrefix: Self.limit)
  }

  /// Charts that gain more than 100,000 bytes by an event without data, each in another way.
  private static let growing: [String: String] = {
    let head = "<scxml xmlns='http://www.w3.org/2005/07/scxml' datamodel='ecmascript'>"
    func repeated(_ count: Int, _ text: (Int) -> String) -> String { (0..<count).map(text).joined() }
    let child = "\(head)<datamodel>\(repeated(300) { "<data id='x\($0)'/>" })</datamodel><state/></scxml>"
    return [
      "data": """
      \(head)<datamodel><data id='x'/></datamodel><state id='a'><transition event='go'>
      <assign location='x' expr="'y'.repeat(150000)"/></transition></state></scxml>
      """,
      "sends": """
      \(head)<state id='a'><transition event='go'>
      \(repeated(100) { _ in "<send event='e' delay='3600s'><param name='x' expr=\"'y'.repeat(1200)\"/></send>" })
      </transition></state></scxml>
      """,
      "sessions": """
      \(head)<state id='a'><transition event='go' target='b'/></state><state id='b'>
      \(repeated(12) { _ in "<invoke><content>\(child)</content></invoke>" })
      </state></scxml>
      """,
      "histories": """
      \(head)<state id='p' initial='s2999'>
      \(repeated(300) { "<history id='h\($0)' type='deep'><transition target='s0'/></history>" })
      \(repeated(3_000) { "<state id='s\($0)'/>" })<transition event='go' target='q'/></state><state id='q'/></scxml>
      """,
    ]
  }()

  private func define(_ name: String, _ document: String) {
    let lines = guest.say("define \(name) format=scxml bytes=\(document.utf8.count)\n\(document)")
    expect(lines.last, hasPrefix: "+ defined \(name) ", "\(lines)")
  }

  @Test("what a machine of a document gains counts at once", arguments: ["data", "sends", "sessions", "histories"])
  func gains(what: String) throws {
    define("k", try #require(Self.growing[what]))
    expect(guest.say("new k m").last, hasPrefix: "+ created m ")
    func held() -> Int { guest.client.hosted.live.world.footprint[.data] }
    let before = held()
    let reply = guest.say("send m go").last ?? ""
    expect(reply.hasPrefix("+ moved ") || reply.hasPrefix("+ stayed "), "\(reply)")
    expect(held() - before > 100_000, "\(what): \(held() - before)")
    expect(guest.say("drop m").last, hasPrefix: "+ dropped m")
    expect(held() < before + 1_000)
  }

  @Test("plain events are refused when the machines have gained too much, and not before")
  func gainsTooMuch() throws {
    define("k", try #require(Self.growing["data"]))
    expect(guest.say((0..<20).map { "new k m\($0)" }.joined(separator: "\n")).last, hasPrefix: "+ created ")
    fill(leaving: 400_000)
    let replies = guest.say((0..<20).map { "send m\($0) go" }.joined(separator: "\n"))
    let taken = replies.count { $0.hasPrefix("+ stayed ") }
    expect((2...5).contains(taken), "\(taken)")
    expect(replies.last, hasPrefix: Self.limit)
  }

  @Test("a document for which there is no memory is refused before it is read")
  func document() throws {
    outgrow()
    let document = try #require(Self.growing["histories"])
    fill(leaving: 500_000)
    let reply = guest.say("define k format=scxml bytes=\(document.utf8.count)\n\(document)")
    expect(reply.last, hasPrefix: Self.limit, "\(reply)")
    host.service.budget.add(-4_000_000, for: .requests)
    define("k", document)
  }

  @Test("a cast ends behind the machine that it has come to, and says how many it has reached")
  func cast() {
    outgrow()
    fill(leaving: 70_000)
    var reply = ""
    for _ in 0..<100 where !reply.hasPrefix("-") { reply = guest.say("cast f* tap").last ?? "" }
    let done = reply.split(separator: " ").first { $0.hasPrefix("done=") }.flatMap { Int($0.dropFirst(5)) }
    expect(reply, hasPrefix: "\(Self.limit) done=", "\(reply)")
    expect((done ?? -1) >= 0 && (done ?? -1) < 3_000)
  }

  @Test(
    "time stops where the memory ends: advance, step and await say how far they came",
    arguments: [
      "advance 36500d", "step 100000000", "await t idle within=36500d",
    ])
  func time(request: String) {
    outgrow()
    _ = guest.say("new ticker t initial=running every=1ms")
    fill(leaving: 70_000)
    let reply = guest.say(request).last ?? ""
    expect(reply, hasPrefix: "\(Self.limit) fired=", "\(reply)")
    expect(reply.contains(" t=") && reply.contains(" seq="), "\(reply)")
  }

  @Test("a real clock is paused, and who uses the world is told")
  func realClock() {
    let guest = host.connect()
    _ = guest.say("world new r clock=real\nuse r")
    _ = guest.say("quiet on\n" + (0..<3_000).map { "new ticker t\($0) initial=running\n" }.joined() + "quiet off")
    fill(leaving: 70_000)
    var lines: [String] = []
    for _ in 0..<1_000 where lines.isEmpty {
      host.passTimeLate(1_000_000_000)
      lines = guest.lines()
    }
    expectEqual(lines, ["! limit world=r name=memory value=\(Self.budget)"])
    expect(guest.say("clock").last, contains: "paused=yes")
  }

  @Test("a batch that grows over it is not run")
  func batch() {
    fill()
    let line = "send f0 " + String(repeating: "x", count: 60_000) + "\n"
    expect(guest.say("begin\n\(line)\(line)\(line)end").last, hasPrefix: Self.limit)
  }

  @Test("a client whose replies wait gets no more, unless it asks for little")
  func unread() {
    outgrow()
    fill()
    guest.isReading = false
    _ = guest.say((0..<50).map { _ in "list\n" }.joined())
    expect(guest.client.session.outbox.waiting < 400 << 10)
    guest.isReading = true
    expect(guest.say("stats").last, hasPrefix: "+ ")
  }

  @Test("stats say what holds how much; it adds up")
  func stats() {
    outgrow()
    var bytes: [Substring: Int] = [:]
    for line in guest.say("stats") {
      let words = line.split(separator: " ")
      if words.count == 4, words[3] == "bytes" { bytes[words[1]] = Int(words[2]) }
    }
    let shares = MemoryBudget.Use.all.map { bytes["memory.\($0.name)"] ?? -1 }
    expect(shares.allSatisfy { $0 >= 0 })
    expectEqual(shares.reduce(0, +), bytes["memory"])
    expect((bytes["memory.machines"] ?? 0) > 100_000)
    expect(guest.say("limits"), contains: ". memory \(Self.budget) bytes")
  }

  @Test("what can be made again goes first")
  func relief() {
    outgrow()
    _ = guest.say("list limit=1")
    expect(guest.client.hosted.live.world.footprint[.tables] > 0)
    fill(leaving: 1 << 20)
    host.passTime(2)
    expectEqual(guest.client.hosted.live.world.footprint[.tables], 0)
  }
}
