import Simulator
import Statecharts
import TestSupport
import Testing

@testable import SimulationDaemon

/// Each limit, at the limit and one past it.
@Suite("Limits")
struct LimitTests {
  private func host(_ settings: String...) -> HostedService {
    var limits = Limits()
    for setting in settings { expectNil(limits.set(setting)) }
    return HostedService(limits: limits)
  }

  @Test("machines of a world, those of compositions too; a drop makes room")
  func machines() {
    let guest = host("machines=3").connect(toWorld: "w")
    _ = guest.play("new power a", "new power b")
    let full = "- LIMIT name=machines value=3 : this world has"
    expectEqual(guest.say("new phoneCall c"), ["\(full) 2 machines; there is no room for another phoneCall"])
    expectEqual(guest.say("new power c"), ["+ created c off t=0.000 seq=3"])
    expectEqual(guest.say("new power d"), ["\(full) 3 machines; there is no room for another power"])
    _ = guest.play("drop a", "drop b")
    expectEqual(guest.say("new phoneCall d"), ["+ created d members=2 t=0.000 seq=15"])
  }

  @Test("wires of a world, those of compositions too")
  func wires() {
    let guest = host("wires=9").connect(toWorld: "w")
    _ = guest.play(
      "new fridge x", "new power p", "wire x compressorOn p buttonClick", "wire x compressorOff p buttonClick")
    expectEqual(
      guest.say("new phoneCall c"),
      [
        "- LIMIT name=wires value=9 : this world has 2 wires; there is no room for those of another phoneCall"
      ])
    _ = guest.say("unwire x compressorOff p buttonClick")
    expect(guest.say("new phoneCall c").first, hasPrefix: "+ created c members=2")
    expectEqual(
      guest.say("wire x compressorOff p buttonClick"),
      [
        "- LIMIT name=wires value=9 : this world has 9 wires, and no room for another"
      ])
    expectEqual(guest.say("wires").last, "+ 9")
  }

  @Test("watches of a client in a world; one that is there may change its scope")
  func watches() {
    let host = host("watches=2")
    let guest = host.connect(toWorld: "w")
    expectEqual(guest.say("watch a\nwatch b"), ["+ watching 1", "+ watching 2"])
    expectEqual(
      guest.say("watch c"),
      [
        "- LIMIT name=watches value=2 : this connection watches 2 patterns already; 'unwatch' ends one"
      ])
    expectEqual(guest.say("watch b what=all"), ["+ watching 2"])
    expectEqual(guest.say("watch b since=0"), ["+ watching 2"])
    expectEqual(guest.say("use main\nwatch c").last, "+ watching 1")
    expectEqual(host.connect(toWorld: "w").say("watch c"), ["+ watching 1"])
  }

  @Test("bytes of a pattern, wherever one is given")
  func patterns() {
    let guest = host().connect(toWorld: "w")
    let (longest, longer) = (String(repeating: "é", count: 128), String(repeating: "é", count: 128) + "x")
    for (request, answer) in [
      ("watch", "+ watching 1"), ("unwatch", "+ watching 0"), ("list", "+ 0"), ("count", "+ 0"), ("agenda", "+ 0"),
      ("journal", "+ 0"),
    ] {
      expectEqual(guest.say("\(request) \(longest)"), [answer])
      expectEqual(
        guest.say("\(request) \(longer)"),
        [
          "- BAD-ARGUMENT argument=pattern got=\"257 bytes\" allowed=\"at most 256 bytes\" : a pattern has at most 256 bytes"
        ])
    }
    expect(guest.say("send x \(longer)").first, hasPrefix: "- UNKNOWN-MACHINE")
  }

  @Test("worlds, main among them")
  func worlds() {
    let guest = host("worlds=2").connect()
    expectEqual(guest.say("world new a"), ["+ created a"])
    expectEqual(
      guest.say("world new b"), ["- LIMIT name=worlds value=2 : there are 2 worlds; 'world drop' removes one"])
    expectEqual(guest.say("world new a"), ["- NAME-TAKEN world=a : there is a world 'a' already"])
    expectEqual(guest.say("world drop a\nworld new b"), ["+ dropped a", "+ created b"])
  }

  @Test("clients")
  func clients() {
    let host = host("clients=2")
    let first = host.connect()
    expect(host.service.hasRoom(for: .owner))
    let second = host.connect()
    expect(!host.service.hasRoom(for: .owner))
    expectEqual(
      host.service.refusal, "- LIMIT name=clients value=2 : the daemon serves 2 clients already\n! bye reason=limit\n")
    host.service.close(second.client)
    expect(host.service.hasRoom(for: .owner))
    expectEqual(first.say("sync"), ["+"])
  }

  @Test("bytes of a name, of a machine's and of a composition's members'")
  func names() {
    let guest = host("name=12").connect(toWorld: "w")
    expectEqual(guest.say("new power abcdefghijkl"), ["+ created abcdefghijkl off t=0.000 seq=1"])
    expect(guest.say("new power abcdefghijklm").first, hasPrefix: "- BAD-ARGUMENT argument=name")
    expect(guest.say("new phoneCall abcd").first, hasPrefix: "+ created abcd members=2")
    expectEqual(
      guest.say("new phoneCall abcde"),
      [
        "- BAD-ARGUMENT argument=name got=abcde allowed=\"at most 4 bytes\" : the members of 'abcde' would have names that are too long"
      ])
  }

  @Test("bytes of a line")
  func line() {
    let guest = host("line=64").connect(toWorld: "w")
    let longest = "sync" + String(repeating: " ", count: 60)
    expectEqual(guest.say(longest), ["+"])
    expectEqual(guest.say(longest + "\r"), ["+"])
    expectEqual(
      guest.say("@x \(longest)\nsync"),
      [
        "- TOO-LONG limit=64 : a line has at most 64 bytes; this one was dropped", "+",
      ])
  }

  @Test(
    "what the journal has forgotten is named, and the rest is there",
    arguments: ["journal=2000", "journalBytes=131072"])
  func journal(_ limit: String) {
    let host = host(limit)
    let guest = host.connect(toWorld: "w")
    _ = guest.play("new ticker t", "send t start", "quiet on", "advance 30000s")
    let first = guest.client.hosted.live.world.firstSequence
    let last = guest.client.hosted.live.world.lastSequence
    expect(first > 2 && last == 30_002)
    let failure = "- LIMIT name=journal value=\(host.service.environment.limits.world.journal) from=\(first)"
    for request in ["journal since=\(first - 1)", "journal since=0", "watch * since=1", "journal since=1 limit=0"] {
      expectEqual(guest.say(request), ["\(failure) : the journal of this world begins at \(first)"])
    }
    expect(guest.say("journal since=\(first) limit=1").first, hasPrefix: ". \(first) ")
    let lines = guest.say("journal limit=1000000")
    expect(lines.first, hasPrefix: ". \(first) ")
    expectEqual(lines.last, "+ \((last - first + 1) * 4)")
    expect(
      guest.say("limits"),
      contains: ". journal \(host.service.environment.limits.world.journal) inputs-per-world from=\(first)")
    expect(guest.say("stats"), contains: ". journalFrom \(first) seq")
  }

  @Test("a watcher who keeps up loses nothing where the journal is short")
  func shortJournal() {
    let host = host("journalBytes=131072", "journal=100000")
    let (one, other) = (host.connect(toWorld: "w"), host.connect(toWorld: "w"))
    _ = one.play("new power p", "watch p")
    var seen: [Int] = []
    for _ in 0..<3_000 {
      _ = other.say(Array(repeating: "send p buttonClick", count: 10).joined(separator: "\n"))
      seen += one.lines().compactMap { Int($0.split(separator: " ")[1]) }
    }
    expect(one.client.hosted.live.world.firstSequence > 2)
    expectEqual(seen, Array(2...30_001))
  }

  @Test("a watch whose past is forgotten before it could be written says so")
  func forgottenPast() {
    let host = host("journal=2000", "journalBytes=131072")
    let (one, other) = (host.connect(toWorld: "w"), host.connect(toWorld: "w"))
    _ = other.say((0..<9_000).map { "new power power.\($0)" }.joined(separator: "\n"))
    one.isReading = false
    // The outbox is full already, so the watch has to wait.
    host.round { one.arrive("list\nlist limit=4000\n@w watch * since=99999999\n") }
    host.settle()
    expect(!one.client.session.activity.isNone)
    _ = other.say("new ticker t initial=running\nquiet on\nadvance 30000s")
    one.isReading = true
    one.collect()
    host.settle()
    let last = one.lines().last ?? ""
    expect(last, hasPrefix: "- @w LIMIT name=journal value=2000 from=", "\(last)")
    expectEqual(one.say("watch *"), ["+ watching 1"])
  }

  @Test("a client that does not read gets its replies, and a gap in place of what was too much")
  func gap() {
    let host = host("noticeQueue=1024")
    let (one, other) = (host.connect(toWorld: "w"), host.connect(toWorld: "w"))
    _ = one.play("new power p", "watch p")
    one.isReading = false
    for _ in 0..<100 { _ = other.say("send p buttonClick") }
    host.round { one.arrive("@q expect p off\n") }
    expect(one.client.session.outbox.noticeBytes < 1_200)
    one.isReading = true
    one.collect()
    host.settle()
    let lines = one.lines()
    let told = lines.prefix { $0.hasPrefix("*") }.count
    expect(told > 10 && told < 40)
    expectEqual(lines.dropFirst(told), ["+ @q off t=0.000", "! gap from=\(told + 2) to=101"])
    expect(one.say("journal p since=\(told + 2) limit=1").first, hasPrefix: ". \(told + 2) ")
    _ = other.say("send p buttonClick")
    expectEqual(one.lines(), ["* 102 0.000 p moved off on event=buttonClick"])
  }

  @Test("a sync tells of the gap, however much there is to read, after all that came before it")
  func gapBeforeSync() {
    let host = host("noticeQueue=1024")
    let (one, other) = (host.connect(toWorld: "w"), host.connect(toWorld: "w"))
    _ = one.play("new power p", "watch p")
    one.isReading = false
    for _ in 0..<100 { _ = other.say("send p buttonClick") }
    host.round {
      other.arrive("send p buttonClick\n")
      one.arrive("@s sync\n")
    }
    one.isReading = true
    one.collect()
    host.settle()
    let lines = one.lines()
    let told = lines.prefix { $0.hasPrefix("*") }.count
    expectEqual(lines.dropFirst(told), ["! gap from=\(told + 2) to=102", "+ @s"])
  }

  @Test("a client that reads has no gap through an advance of its own")
  func noGapOfOnesOwn() {
    let host = host("noticeQueue=4096")
    let guest = host.connect(toWorld: "w")
    _ = guest.play("new ticker t initial=running", "watch t what=all")
    let lines = guest.say("advance 5000s\nstep 3000\nawait t idle within=2000s")
    expect(!lines.contains { $0.hasPrefix("!") })
    expectEqual(lines.count { $0.hasPrefix("*") }, 10_000 * 4)
  }

  @Test("every limit stands in the table once, and is set from text within its range")
  func table() {
    var limits = Limits()
    expectEqual(Set(Limits.table.map(\.name)).count, Limits.table.count)
    for entry in Limits.table {
      for value in [entry.range.lowerBound, entry.range.upperBound] {
        expectNil(limits.set("\(entry.name)=\(value)"))
        expectEqual(limits[keyPath: entry.path], value)
      }
      let before = limits[keyPath: entry.path]
      for text in ["\(entry.range.lowerBound - 1)", "x", "", "1e3"] {
        expect(limits.set("\(entry.name)=\(text)") != nil, "\(entry.name)=\(text)")
      }
      if entry.range.upperBound < .max { expect(limits.set("\(entry.name)=\(entry.range.upperBound + 1)") != nil) }
      expectEqual(limits[keyPath: entry.path], before)
    }
    for limit in Limits.fixed { expect(limits.set("\(limit.name)=\(limit.value)"), contains: "cannot be set") }
    expect(Set(Limits.fixed.map(\.name)).isDisjoint(with: Limits.table.map(\.name)))
    for text in ["nosuch=1", "clients", "", "=5"] { expect(limits.set(text) != nil) }
    expect(limits.set("userWorld=3"), hasSuffix: " userClients userWorlds userMachines userMemory userStore")
    expectEqual(limits.set("userWorld=3", hasUsers: false)?.contains("userWorlds"), false)
    expect(limits.set("userWorlds=3", hasUsers: false), contains: "whom --group lets in")
    expectEqual(limits.userWorlds, Limits().userWorlds)
  }
}
