import Simulator
import TestSupport
import Testing

@testable import SimulationDaemon

/// A request's effects precede its reply, reach every client in the order in which they happened, and never interrupt a
/// reply.
@Suite("Causality")
struct CausalityTests {
  let host = HostedService()

  @Test("what a request causes on what its sender watches stands before the reply, other watchers get it too")
  func beforeTheReply() {
    let (one, other) = (host.connect(toWorld: "w"), host.connect(toWorld: "w"))
    _ = one.play("new power p", "watch p")
    _ = other.say("watch *")
    expectEqual(
      one.say("@a send p buttonClick"),
      [
        "* 2 0.000 p moved off on event=buttonClick", "+ @a moved off on t=0.000 seq=2",
      ])
    expectEqual(other.lines(), ["* 2 0.000 p moved off on event=buttonClick"])
  }

  @Test("requests that arrive together keep their notices apart")
  func pipelined() {
    let guest = host.connect(toWorld: "w")
    _ = guest.play("new power p", "watch p")
    expectEqual(
      guest.say("send p buttonClick\nsend p buttonClick"),
      [
        "* 2 0.000 p moved off on event=buttonClick", "+ moved off on t=0.000 seq=2",
        "* 3 0.000 p moved on off event=buttonClick", "+ moved on off t=0.000 seq=3",
      ])
  }

  @Test("a change of the clock is told before the reply of the request that made it")
  func clock() {
    let (one, other) = (host.connect(), host.connect())
    _ = one.say("watch * what=all")
    _ = other.say("watch * what=all")
    for (request, notice, reply) in [
      ("clock virtual", "mode=virtual", "clock virtual speed=1 paused=no t=0.000 seq=0"),
      ("clock real", "mode=real", "clock real speed=1 paused=no t=0.000 seq=0"),
      ("speed 2.5", "speed=2.5", "speed=2.5 paused=no t=0.000 seq=0"),
      ("pause", "paused=yes", "speed=2.5 paused=yes t=0.000 seq=0"),
      ("resume", "paused=no", "speed=2.5 paused=no t=0.000 seq=0"),
    ] {
      expectEqual(one.say("@x \(request)"), ["* 0 0.000 - clock \(notice)", "+ @x \(reply)"])
      expectEqual(other.lines(), ["* 0 0.000 - clock \(notice)"])
    }
  }

  @Test("only a change of the clock is told")
  func unchangedClock() {
    let guest = host.connect()
    _ = guest.say("watch * what=all")
    for request in ["clock real", "clock", "speed 1", "resume"] {
      expectEqual(guest.say(request).count, 1, "\(request)")
    }
    _ = guest.say("pause")
    expectEqual(guest.say("pause"), ["+ speed=1 paused=yes t=0.000 seq=0"])
  }

  @Test("those who watch moves only hear nothing of the clock")
  func clockInMoves() {
    let guest = host.connect()
    _ = guest.say("watch * what=moves")
    expectEqual(guest.say("clock virtual").count, 1)
  }

  @Test("what happened before an unwatch in the same round is still told")
  func beforeUnwatch() {
    let (one, other) = (host.connect(toWorld: "w"), host.connect(toWorld: "w"))
    _ = one.play("new power p", "watch p")
    host.together((other, "send p buttonClick"), (one, "unwatch p"))
    expectEqual(one.lines(), ["* 2 0.000 p moved off on event=buttonClick", "+ watching 0"])
  }

  @Test("what happened before a watch in the same round is not told, and with the scope of then")
  func beforeWatch() {
    let (one, other) = (host.connect(toWorld: "w"), host.connect(toWorld: "w"))
    _ = one.play("new shiftKey a", "new shiftKey b", "watch a")
    host.together((other, "send b tap"), (one, "watch b"))
    expectEqual(one.lines(), ["+ watching 2"])
    host.together((other, "send a tap"), (one, "watch a what=all"))
    expectEqual(one.lines(), ["* 4 0.000 a moved off on event=tap", "+ watching 2"])
  }

  @Test("what happened in a world before it is left or dropped is told")
  func beforeLeaving() {
    let (one, other) = (host.connect(toWorld: "w"), host.connect(toWorld: "w"))
    _ = one.play("new power p", "watch p")
    host.together((other, "send p buttonClick"), (one, "use main"))
    expectEqual(one.lines().first, "* 2 0.000 p moved off on event=buttonClick")
    _ = one.say("use w")
    host.together((other, "send p buttonClick\nworld drop w"))
    expectEqual(one.lines(), ["* 3 0.000 p moved on off event=buttonClick", "! world dropped=w"])
  }

  @Test("what a request set free at the end of a round causes is told to all in it")
  func afterAwait() {
    let guests = (0..<8).map { _ in host.connect() }
    _ = guests[0].say("new power p\nnew power q")
    for guest in guests.dropFirst() { _ = guest.say("watch *") }
    _ = guests[7].say("await p on\nsend q buttonClick")
    expectEqual(guests[0].say("send p buttonClick").last, "+ moved off on t=0.000 seq=3")
    for guest in guests[1...6] {
      expectEqual(
        guest.lines(),
        [
          "* 3 0.000 p moved off on event=buttonClick", "* 4 0.000 q moved off on event=buttonClick",
        ])
    }
    expectEqual(
      guests[7].lines(),
      [
        "* 3 0.000 p moved off on event=buttonClick", "+ reached on t=0.000 seq=3",
        "* 4 0.000 q moved off on event=buttonClick", "+ moved off on t=0.000 seq=4",
      ])
  }

  /// Ten thousand machines, so that a list of them takes many slices and rounds.
  private func crowd(_ guest: Guest) {
    _ = guest.say((0..<10_000).map { "new power p\($0)" }.joined(separator: "\n"))
  }

  @Test(
    "no notice stands inside a reply that takes many rounds", arguments: ["list", "journal limit=1000000", "agenda"])
  func insideAReply(_ request: String) {
    let (one, other) = (host.connect(toWorld: "w"), host.connect(toWorld: "w"))
    crowd(other)
    _ = other.say((0..<10_000).map { "new shiftKey k\($0) initial=on doubleTap=60s" }.joined(separator: "\n"))
    _ = one.say("watch p0 what=all")
    host.round { one.arrive(request + "\n") }
    var rounds = 0
    while !one.client.session.activity.isNone, rounds < 1_000 {
      host.round { other.arrive("send p0 buttonClick\n") }
      rounds += 1
    }
    expect(rounds > 0)
    host.settle()
    let classes = one.lines().map { $0.first ?? " " }
    let body = classes.drop { $0 == "*" }
    let end = body.firstIndex { $0 != "." } ?? body.endIndex
    expect(body[..<end].count >= 10_000)
    expectEqual(body[end...].first, "+")
    expectEqual(classes.count { $0 == "*" }, rounds)
    expectEqual(classes.count { $0 == "+" }, 1)
  }

  @Test("nor does what the daemon says of itself: a clock, a livelock, a gap")
  func flowInsideAReply() {
    var limits = Limits()
    limits.noticeQueue = 2_048
    limits.world.chain = 50
    let host = HostedService(limits: limits)
    let (one, other) = (host.connect(toWorld: "w"), host.connect(toWorld: "w"))
    crowd(other)
    _ = other.say("new ticker t every=0")
    _ = one.say("watch * what=all")
    host.round { one.arrive("list\n") }
    host.round { other.arrive("clock real\nclock virtual\nsend t start\ncast p* buttonClick\n") }
    host.settle()
    let lines = one.lines()
    expect(lines.count >= 10_002)
    let rest = lines.drop { $0.hasPrefix(".") }
    expectEqual(rest.startIndex, 10_001)
    expectEqual(rest.first, "+ 10001")
  }

  @Test("a watch that asks for the past gets it in order with the present")
  func pastAndPresent() {
    let (one, other) = (host.connect(toWorld: "w"), host.connect(toWorld: "w"))
    crowd(other)
    _ = one.say("watch p0")
    host.round { one.arrive("watch p* since=1\n") }
    expect(!one.client.session.activity.isNone)
    host.round { other.arrive("send p0 buttonClick\n") }
    host.settle()
    _ = other.say("send p1 buttonClick")
    let lines = one.lines()
    let numbers = lines.filter { $0.hasPrefix("*") }.compactMap { Int($0.split(separator: " ")[1]) }
    expectEqual(numbers, Array(1...10_002))
    expectEqual(lines.filter { $0.hasPrefix("+") }, ["+ watching 2"])
  }
}
