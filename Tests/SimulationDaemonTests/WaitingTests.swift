import TestSupport
import Testing

@testable import SimulationDaemon

/// Real clocks, and requests that take time.
@Suite("Waiting")
struct WaitingTests {
  let host = HostedService()

  @Test("on a real clock an await waits; the client's later requests wait with it, others do not")
  func realClock() {
    let (one, other) = (host.connect(), host.connect())
    _ = one.say("new shiftKey k initial=on\nnew power p")
    expectEqual(one.say("@a await k off\n@b send p buttonClick"), [])
    expectEqual(other.say("expect p off"), ["+ off t=0.000"])
    host.passTime(1)
    expectEqual(one.lines(), [])
    expectEqual(other.say("send k tap"), ["+ moved on off t=1.000 seq=4"])
    expectEqual(one.lines(), ["+ @a reached off t=1.000 seq=4", "+ @b moved off on t=1.000 seq=5"])
  }

  @Test("an await is reached by a timer at its own time")
  func byTimer() {
    let guest = host.connect()
    _ = guest.say("new till t initial=open idle=1500ms\nwatch t")
    expectEqual(guest.say("await t closed"), [])
    host.passTime(1.499)
    expectEqual(guest.lines(), [])
    host.passTime(0.001)
    expectEqual(
      guest.lines(),
      [
        "* 2 1.500 t moved open(0) closed timer=idle", "* 2 1.500 t output total 0 -",
        "+ reached closed t=1.500 seq=2",
      ])
  }

  @Test("what came about among very much else is found all the same, for each who waits for it")
  func amongMuch() {
    let (one, other) = (host.connect(), host.connect())
    _ = one.say("new till t initial=open idle=1500ms\nnew game g frameRate=1000\nsend g start")
    expectEqual(one.say("await t closed"), [])
    expectEqual(other.say("await t closed within=1s"), [])
    host.passTime(30)
    expectEqual(one.lines(), ["+ reached closed t=1.500 seq=1503"])
    expectEqual(other.lines().map { $0.prefix(9) }, ["- TIMEOUT"])
  }

  @Test("at the deadline it times out, and timers due at it have fired")
  func deadline() {
    let guest = host.connect()
    _ = guest.say("new till t initial=open idle=2s\nnew till u initial=open idle=3s")
    expectEqual(guest.say("await u closed within=2s"), [])
    host.passTime(1.999)
    expectEqual(guest.lines(), [])
    host.passTime(0.001)
    expectEqual(guest.lines(), ["- TIMEOUT state=open(0) t=2.000 : the time is over; u is in open(0)"])
    expectEqual(guest.say("expect t closed"), ["+ closed t=2.000"])
    expectEqual(guest.say("await u closed within=1s"), [])
    host.passTime(1)
    expectEqual(guest.lines(), ["+ reached closed t=3.000 seq=4"])
  }

  @Test("what comes after the deadline is too late, also where the daemon was late; what came before has its own time")
  func late() {
    let guest = host.connect()
    _ = guest.say("new till t initial=open idle=3s\nnew till u initial=open idle=4s")
    expectEqual(guest.say("await t closed within=3s\nawait u closed within=999ms"), [])
    host.passTimeLate(60_000_000_000)
    expectEqual(
      guest.lines(),
      [
        "+ reached closed t=3.000 seq=3", "+ reached closed t=60.000 seq=4",
      ])
    _ = guest.say("send t open\nsend u open")
    expectEqual(guest.say("await t closed within=2s"), [])
    host.passTimeLate(60_000_000_000)
    expectEqual(guest.lines(), ["- TIMEOUT state=closed t=120.000 : the time is over; t is in closed"])
  }

  @Test("a machine that is dropped after the deadline, before anybody looked, is gone")
  func droppedTooLate() {
    let (one, other) = (host.connect(toWorld: "w"), host.connect(toWorld: "w"))
    _ = one.say("clock real\npause\nnew power p")
    expectEqual(one.say("await p on within=1s"), [])
    expectEqual(other.say("advance 2s\ndrop p").count, 2)
    expectEqual(one.lines(), ["- UNKNOWN-MACHINE machine=p : 'p' was dropped meanwhile"])
  }

  @Test("a chain without end among timers left over by a step is told of; the next request is answered as always")
  func leftOver() {
    let guest = host.connect(toWorld: "w")
    _ = guest.say("new fridge a start=4\nnew fridge b start=4")
    _ = guest.say("wire b compressorOff b maxTemperatureReached\nwire b compressorOn b minTemperatureReached")
    expectEqual(guest.say("step"), ["+ stepped fired=1 t=343.116647296 seq=5"])
    expectEqual(
      guest.say("list"),
      [
        "! livelock world=w machine=b output=compressorOff t=343.116647296", ". a fridge waiting", ". b fridge waiting",
        "+ 2",
      ])
  }

  @Test("an await lasts a day unless told otherwise")
  func oneDay() {
    let guest = host.connect(toWorld: "w")
    _ = guest.say("new ticker t initial=running every=1h")
    expectEqual(guest.say("await t idle"), ["- TIMEOUT state=running t=86400.000 : the time is over; t is in running"])
  }

  @Test("an await on a real clock wakes nobody because its client does not read its notices")
  func unreadNotices() {
    var limits = Limits()
    limits.noticeQueue = 4_096
    let host = HostedService(limits: limits)
    let (reader, sender) = (host.connect(toWorld: "w"), host.connect(toWorld: "w"))
    _ = reader.say("clock real\nnew power p\nnew power q\nwatch p what=all")
    reader.isReading = false
    host.round { reader.arrive("await q on within=1h\n") }
    _ = sender.say(Array(repeating: "send p buttonClick", count: 500).joined(separator: "\n"))
    for _ in 0..<3 {
      host.passTimeLate(6_000_000_000)
      expect(host.service.nextWake().map { $0 > host.now } ?? true)
    }
    reader.isReading = true
    expectEqual(sender.say("send q buttonClick").count, 1)
    expect(reader.say("sync").contains { $0.hasPrefix("+ reached on ") })
  }

  @Test("a machine that is dropped and a clock on which nothing happens any more end an await")
  func ends() {
    let (one, other) = (host.connect(toWorld: "w"), host.connect(toWorld: "w"))
    _ = one.say("clock real\nnew power p\nnew power q")
    _ = one.say("@1 await p on\n@2 await q on\n@3 sync")
    expectEqual(other.say("drop p").count, 1)
    expectEqual(one.lines(), ["- @1 UNKNOWN-MACHINE machine=p : 'p' was dropped meanwhile"])
    // A virtual clock without running timers does not move.
    _ = other.say("clock virtual")
    expectEqual(
      one.lines(),
      [
        "- @2 TIMEOUT state=off way=buttonClick t=0.000 : no timer runs, so nothing comes by itself; q is in off",
        "+ @3",
      ])
  }

  @Test("a world that is dropped ends what waits in it, and what waits behind that goes on in main")
  func droppedWorld() {
    let (one, other) = (host.connect(toWorld: "w"), host.connect(toWorld: "w"))
    _ = one.say("clock real\nnew power q\nuse main\nnew power inMain\nwatch inMain\nuse w")
    _ = one.say("@2 await q on\n@3 world")
    _ = other.say("world drop w")
    expectEqual(
      one.lines(),
      [
        "- @2 UNKNOWN-WORLD world=w : the world 'w' was dropped meanwhile", "! world dropped=w",
        "+ @3 world=main clock=real t=0.000 seq=1",
      ])
    _ = other.say("send inMain buttonClick")
    expectEqual(one.lines(), ["* 2 0.000 inMain moved off on event=buttonClick"])
  }

  @Test("a cancel between begin and end is a line of that batch and ends nothing")
  func cancelInABatch() {
    let guest = host.connect()
    _ = guest.say("new power p")
    expectEqual(guest.say("@a await p on\nbegin\n@b cancel\nend"), [])
    expectEqual(
      guest.say("@c cancel").map { String($0.prefix(12)) },
      [
        "- @a CANCELL", "+ @c", "+", "- @b USAGE :", "- BATCH inde",
      ])
  }

  @Test("what opens and closes a batch is the same for a cancel behind it")
  func cancelBehindABatch() {
    let guest = host.connect()
    _ = guest.say("new power p")
    expectEqual(guest.say("@a await p on\nbegin strict\n@b cancel\nend"), [])
    expectEqual(
      guest.say("@c cancel").map { String($0.prefix(12)) },
      [
        "- @a CANCELL", "+ @c", "+", "- @b USAGE :", "- BATCH inde",
      ])
    for lines in ["begin\nlist\ndiscard", "begin quickly", "end of it", "begin\nlist\nend of it", "begin\ndiscard k=v"]
    {
      let answers = guest.say("@a await p on\n\(lines)\n@c cancel")
      expect(answers.first?.hasPrefix("- @a CANCELLED ") == true && answers[1] == "+ @c", "\(lines): \(answers)")
    }
  }

  @Test("who asks for the moment keeps it for the next request, and not for ever")
  func moments() {
    let guest = host.connect()
    func mustPause(afterWorld: Bool) -> Bool {
      guest.client.session.keepsMoment = afterWorld
      return guest.client.session.mustPause(until: 0)
    }
    for _ in 0..<2 {
      expect(!mustPause(afterWorld: true))
      expect(mustPause(afterWorld: false))
    }
    expect(!mustPause(afterWorld: true))
    expect(mustPause(afterWorld: true))
  }

  @Test(
    "the turn may end after each request that is no plain send",
    arguments: [
      "kinds zzzz", "can m0", "expect m0 zzz", "help zzz", "zzzz", "show m0", "who", "# a remark", "use main",
    ])
  func looks(request: String) {
    let guest = host.connect()
    _ = guest.say("new smartFridge m0")
    _ = guest.say(request)
    let mayEnd = guest.client.session.mustPause(until: 0)
    expect(mayEnd)
  }

  @Test("what a closed connection has left is one activity, and ends with its requests that have not begun")
  func backlog() throws {
    let (guest, other) = (host.connect(toWorld: "w"), host.connect())
    host.service.longestTurn = 200_000
    _ = guest.say("new power p")
    let lines = 100_000
    host.round {
      guest.arrive(String(repeating: "send p buttonClick\n", count: lines))
      host.service.close(guest.client)
    }
    func activities() -> [Substring] {
      host.round { other.arrive("activities\n") }
      return other.lines().dropLast().map { $0.split(separator: " ")[1] }
    }
    let number = try #require(activities().first)
    expectEqual(activities(), [number])
    host.round { other.arrive("cancel \(number)\n") }
    expectEqual(other.lines(), ["+"])
    host.settle()
    expectEqual(activities(), [])
    expect(guest.client.hosted.presentStatus.lastSequence < lines)
    expect(host.service.disconnected.isEmpty)
  }

  @Test("cancel ends an await and an advance, wherever in what was sent it stands")
  func cancel() {
    let guest = host.connect()
    _ = guest.say("new power p")
    expectEqual(guest.say("@a await p on"), [])
    expectEqual(guest.say("@b sync"), [])
    expectEqual(
      guest.say("@c cancel"),
      [
        "- @a CANCELLED t=0.000 seq=1 fired=0 : cancelled by this connection", "+ @c", "+ @b",
      ])
    expectEqual(
      guest.say("@a await p on\n@b sync\n@c cancel\n@d sync"),
      [
        "- @a CANCELLED t=0.000 seq=1 fired=0 : cancelled by this connection", "+ @c", "+ @b", "+ @d",
      ])
    let virtual = host.connect(toWorld: "w")
    _ = virtual.say("new ticker t initial=running")
    let lines = virtual.say("@a advance 36500d\n@c cancel")
    // A little of it was done by then, and that stays.
    expect(lines.count == 2 && lines[0].hasPrefix("- @a CANCELLED t=") && lines[1] == "+ @c")
    expect(lines[0].hasSuffix(" : cancelled by this connection") && lines[0].contains(" fired="))
    expectEqual(virtual.say("@c cancel"), ["+ @c"])
  }

  @Test("cancel on a real clock has the present time, and an await that is over by then is answered as usual")
  func cancelOnRealClock() {
    let (guest, other) = (host.connect(), host.connect())
    _ = guest.say("new power p\nnew till t initial=open")
    _ = guest.say("@a await p on")
    host.passTimeWithoutRound(1_500_000_000)
    expectEqual(
      guest.say("@c cancel"),
      [
        "- @a CANCELLED t=1.500 seq=2 fired=0 : cancelled by this connection", "+ @c",
      ])
    func numberOfAwait() -> Substring { other.say("activities")[0].split(separator: " ")[1] }
    _ = guest.say("@a await p on")
    var number = numberOfAwait()
    host.passTimeWithoutRound(1_000_000_000)
    expectEqual(other.say("cancel \(number)"), ["+"])
    expectEqual(guest.lines(), ["- @a CANCELLED t=2.500 seq=2 fired=0 : cancelled by another connection"])
    _ = guest.say("@a await t closed\n@b sync")
    number = numberOfAwait()
    host.passTimeWithoutRound(60_000_000_000)
    expectEqual(other.say("cancel \(number)"), ["+"])
    expectEqual(guest.lines(), ["+ @a reached closed t=60.000 seq=3", "+ @b"])
    _ = guest.say("new till u initial=open\n@a await u closed")
    host.passTimeWithoutRound(60_000_000_000)
    expectEqual(guest.say("@c cancel"), ["+ @a reached closed t=122.500 seq=5", "+ @c"])
  }

  @Test("timers of a real world fire at their own times, however late, and watchers are told")
  func realTimers() {
    let guest = host.connect()
    _ = guest.say("speed 60\nnew ticker t initial=running every=1m\nwatch t what=all")
    host.passTime(2.5)
    expectEqual(
      guest.lines().filter { $0.contains("expired") },
      [
        "* 2 60.000 t expired tick due=60.000", "* 3 120.000 t expired tick due=120.000",
      ])
    host.passTimeLate(2_500_000_000)
    expectEqual(guest.lines().filter { $0.contains("expired") }.count, 3)
    expectEqual(guest.say("pause").last, "+ speed=60 paused=yes t=300.000 seq=6")
    _ = guest.lines()
    host.passTime(100)
    expectEqual(guest.lines(), [])
    expectEqual(guest.say("advance 1m").last, "+ advanced fired=1 t=360.000 seq=7")
    _ = guest.say("speed 1\nresume")
    host.passTime(59.999)
    expectEqual(guest.lines(), [])
    host.passTime(0.001)
    expectEqual(guest.lines().first, "* 8 420.000 t expired tick due=420.000")
  }

  @Test("a chain without end pauses a real world and is told to all who use it; resume goes on")
  func livelock() {
    var limits = Limits()
    expectNil(limits.set("chain=100"))
    let host = HostedService(limits: limits)
    let (one, other, elsewhere) = (host.connect(), host.connect(), host.connect(toWorld: "w"))
    let told = "! livelock world=main machine=t timer=tick t=1.000"
    _ = one.say("new ticker t every=0\nnew shiftKey k initial=on doubleTap=5s")
    host.passTime(1)
    expectEqual(one.say("send t start"), [told, "+ moved idle running t=1.000 seq=3"])
    expectEqual(other.lines(), [told])
    expectEqual(elsewhere.lines(), [])
    expectEqual(other.say("clock"), ["+ clock real speed=1 paused=yes t=1.000 seq=103"])
    host.passTime(10)
    expectEqual(other.say("expect k on"), ["+ on t=1.000"])
    expectEqual(one.say("resume"), ["+ speed=1 paused=no t=1.000 seq=103"])
    host.passTime(1)
    expect(one.lines() == [told] && other.lines() == [told])
    expect(other.say("clock").first, contains: "paused=yes t=1.000")
    expectEqual(one.say("send t stop\nresume").count, 2)
    host.passTime(5)
    expect(other.say("fire k doubleTap").first, hasPrefix: "- REFUSED machine=k state=on timer=doubleTap")
    expect(other.say("clock").first, contains: "paused=no t=6.000")
  }

  @Test("who waits when the daemon ends is told so")
  func shutdown() {
    let (one, other) = (host.connect(), host.connect())
    _ = one.say("new power p\n@a await p on\n@b sync")
    expectEqual(other.say("@z shutdown"), ["+ @z", "! bye reason=shutdown"])
    expectEqual(
      one.lines().suffix(2),
      [
        "- @a SHUTTING-DOWN t=0.000 seq=1 fired=0 : the daemon is ending", "! bye reason=shutdown",
      ])
    expect(host.service.isShuttingDown)
  }

  @Test("a client that has closed its sending side gets all its answers, also those that take their time")
  func halfClosed() {
    let guest = host.connect()
    _ = guest.say("new till t initial=open idle=1s\n@a await t closed\n@b sync\nno line without an end")
    host.round { guest.arrive("@c syn") }
    expectEqual(guest.finish(), [])
    host.passTime(1)
    let lines = guest.lines()
    expectEqual(lines.first, "+ @a reached closed t=1.000 seq=2")
    expectEqual(lines.suffix(1), ["! bye"])
    expect(lines.contains("+ @b") && !lines.contains { $0.contains("@c") })
  }
}
