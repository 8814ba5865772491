import TestSupport
import Simulator
import StateMachines
import Testing

@testable import SimulationDaemon

/// Durable worlds after a restart of the daemon.
@Suite("Restarts")
struct RestartTests {
  @Test("machines, states, timers, wires and the clock are as they were, and dropped and ephemeral worlds are gone")
  func worlds() throws {
    let daemon = try KeptDaemon()
    let guest = daemon.connect()
    expectEqual(
      guest.ask(
        "clock virtual", "new shiftKey key", "new stepper s", "wire key changed s increment", "advance 1s",
        "send key tap", "world new a.b-c_1 durable=yes seed=7", "world new gone durable=yes", "world new brief",
        "use a.b-c_1", "new power p initial=on", "use main", "world drop gone", "world new gone durable=yes",
        "use gone",
        "new power other", "use main", "world drop gone"
      ).allSatisfy { $0.hasPrefix("+") }, false)  // A shiftKey has no output 'changed'.
    for restarted in [try daemon.afterKill(), try daemon.restarted()] {
      let guest = restarted.connect()
      expectEqual(
        guest.say("worlds"),
        [
          ". a.b-c_1 clock=virtual t=0.000 seq=1", ". main clock=virtual t=1.000 seq=3", "+ 2",
        ])
      expectEqual(guest.say("list"), [". key shiftKey on", ". s stepper one", "+ 2"])
      expectEqual(guest.say("agenda"), [". 1.350 key doubleTap left=0.350", "+ 1"])
      expectEqual(guest.ask("use a.b-c_1", "send p buttonClick").last, "+ moved on off t=0.000 seq=2")
      expectEqual(restarted.log, [])
    }
  }

  @Test("a store to which nothing has come is as good as a new one")
  func empty() throws {
    let again = try KeptDaemon().restarted().afterKill().restarted()
    expectEqual(again.connect().ask("new power p"), ["+ created p off t=0.000 seq=1"])
  }

  // MARK: Time

  @Test("after an end in order, time goes on where it stood; after a kill, at most the heartbeat is lost")
  func timeStoodStill() throws {
    let daemon = try KeptDaemon()
    let guest = daemon.connect()
    _ = guest.ask("new fridge f", "send f doorOpened")
    daemon.pass(2)
    let killed = try daemon.afterKill()
    expectEqual(
      killed.connect().ask("clock"), ["+ clock real speed=1 paused=no t=0.000 seq=\(guest.client.hosted.head)"])
    daemon.pass(5)
    let later = try daemon.afterKill()
    expect(later.connect().ask("clock")[0], contains: " t=5.000 ")
    let ended = try daemon.restarted()
    expect(ended.connect().ask("clock")[0], contains: " t=7.000 ")
    // Also without timers.
    _ = ended.connect().ask("drop f")
    ended.pass(100)
    try expect(ended.restarted().connect().ask("clock")[0], contains: " t=107.000 ")
  }

  @Test("a world that is asked has its time stored a little before the heartbeat, when nobody has to wait for that yet")
  func early() throws {
    let daemon = try KeptDaemon()
    let guest = daemon.connect()
    for (seconds, stored) in [(3, "0.000"), (1, "4.000"), (3, "4.000"), (1, "8.000")] {
      daemon.pass(Double(seconds))
      expectEqual(guest.ask("sync"), ["+"])
      try expect(daemon.afterKill().connect().ask("clock")[0], contains: " t=\(stored) ")
    }
  }

  @Test(
    "who asks a world whose time runs what time it is gets no answer that a kill takes back by more than the heartbeat")
  func timeThatWasTold() throws {
    let daemon = try KeptDaemon()
    let guest = daemon.connect()
    daemon.pass(1_000)
    expect(guest.ask("clock")[0], contains: " t=1000.000 ")
    try expect(daemon.afterKill().connect().ask("clock")[0], contains: " t=1000.000 ")
  }

  @Test(
    "--on-restart remaining: a timer has the time left that it had, however long the daemon was away",
    arguments: [1, 2])
  func remaining(speed: Int) throws {
    let daemon = try KeptDaemon()
    _ = daemon.connect().ask("speed \(speed)", "new shiftKey key", "send key tap")
    daemon.pass(0.1)
    let again = try daemon.restarted { _ in daemon.wall.milliseconds += 3_600_000 }
    let guest = again.connect()
    let left = 350 - 100 * speed
    expectEqual(guest.say("agenda")[0], ". 0.350 key doubleTap left=0.\(left)")
    again.pass(Double(left) / 1_000 / Double(speed) - 0.001)
    expectEqual(guest.say("agenda").count, 2)
    again.pass(0.001)
    expectEqual(guest.say("agenda"), ["+ 0"])
  }

  @Test("--on-restart deadline: late timers fire at their own moments, in order, and time is what it would have been")
  func deadline() throws {
    let daemon = try KeptDaemon()
    _ = daemon.connect().ask("speed 2", "new ticker t initial=running", "new shiftKey key", "send key tap")
    daemon.pass(0.1)
    let again = try daemon.restarted { setup in
      setup.onRestart = .deadline
      daemon.wall.milliseconds += 2_000
    }
    again.host.passTimeLate(1)
    let guest = again.connect()
    expect(guest.ask("clock")[0], contains: " t=4.200000002 ")
    expectEqual(
      guest.journal("since=4 what=all").filter { $0.contains(" expired ") },
      [
        "4 0.350 key expired doubleTap due=0.350", "5 1.000 t expired tick due=1.000",
        "6 2.000 t expired tick due=2.000", "7 3.000 t expired tick due=3.000", "8 4.000 t expired tick due=4.000",
      ])
    // What results is stored like everything else.
    try expectEqual(again.afterKill().connect().journal(), guest.journal())
  }

  @Test("--on-restart deadline: a wall clock that was set back makes nothing run backwards; a pause is a pause")
  func deadlineAtRest() throws {
    let daemon = try KeptDaemon()
    _ = daemon.connect().ask("new ticker t initial=running")
    let early = try daemon.restarted { setup in
      setup.onRestart = .deadline
      daemon.wall.milliseconds -= 5_000
    }
    expect(early.connect().ask("clock", "pause")[0], contains: " t=0.000 ")
    let paused = try early.restarted { _ in early.wall.milliseconds += 60_000 }
    expectEqual(paused.connect().ask("clock"), ["+ clock real speed=1 paused=yes t=0.000 seq=1"])
  }

  @Test("--on-restart restart: each timer has its whole duration again, once per start and not for a failed round")
  func renewed() throws {
    let daemon = try KeptDaemon()
    _ = daemon.connect().ask("new shiftKey key", "send key tap")
    daemon.pass(0.1)
    let again = try daemon.restarted { $0.onRestart = .restart }
    let guest = again.connect()
    expectEqual(guest.say("agenda")[0], ". 0.450 key doubleTap left=0.350")
    expectEqual(guest.journal("since=3"), ["3 0.100 - clock restarted=1"])
    again.pass(0.2)
    again.failOnce { _ = guest.say("new power p") }
    expectEqual(guest.say("agenda")[0], ". 0.450 key doubleTap left=0.350")
    try expect(again.afterKill { $0.onRestart = .remaining }.connect().say("agenda")[0], hasPrefix: ". 0.450 key")
  }

  @Test("whatever reads the journal takes an input that has no machine: timers that began anew at a start")
  func renewedIsRead() throws {
    let first = try KeptDaemon()
    _ = first.connect().ask("new shiftKey k", "new fridge f", "send k tap")
    first.pass(0.1)
    var daemon = try first.restarted { $0.onRestart = .restart }
    for start in 1...2 {
      let guest = daemon.connect()
      let sequence = 3 + start
      let line = "\(sequence) 0.\(start)00 - clock restarted=2"
      expect(guest.say("coverage")[0], hasPrefix: ". kind fridge machines=1 states=1/2")
      expect(guest.say("coverage k*")[0], hasPrefix: ". kind shiftKey machines=1 states=2/3")
      expectEqual(guest.journal("since=\(sequence)"), [line])
      expectEqual(guest.journal("f since=\(sequence)"), [line])
      expectEqual(guest.say("watch * what=all since=\(sequence)"), ["* \(line)", "+ watching 1"])
      expectEqual(guest.ask("world fork other\(start)").count, 1)
      expect(guest.say("diff main other\(start)").last, hasPrefix: "+")
      let waiting = daemon.connect()
      expectEqual(waiting.say("await f waiting within=1h"), [])
      daemon.pass(0.1)
      expect(waiting.isBusy)
      daemon = try daemon.restarted()
    }
    let guest = daemon.connect()
    _ = guest.ask("clock virtual")
    expect(guest.ask("await f waiting within=1d")[0], hasPrefix: "+ reached waiting ")
    expect(guest.ask("goto 0.15s")[0], hasPrefix: "+ t=0.150 ")
    // No request renewed the timers, so the tap is undone together with what a start did after it.
    expect(guest.ask("undo")[0], hasPrefix: "+ t=0.000 ")
    expect(guest.say("coverage k")[0], hasPrefix: ". kind shiftKey machines=1 states=1/3")
    try expectEqual(daemon.afterKill().connect().say("coverage"), guest.say("coverage"))
  }

  @Test("speed, pause and a virtual clock stay", arguments: ["speed 0.333", "pause", "clock virtual"])
  func clock(_ request: String) throws {
    let daemon = try KeptDaemon()
    _ = daemon.connect().ask(request)
    let clock = daemon.connect().ask("clock")
    try expectEqual(daemon.afterKill().connect().ask("clock"), clock)
    try expectEqual(daemon.restarted().connect().ask("clock"), clock)
  }

  // MARK: Going back

  @Test("what was undone stays undone and is marked, and more can be undone")
  func undone() throws {
    let daemon = try KeptDaemon()
    let guest = daemon.connect()
    _ = guest.ask(
      "clock virtual", "new power a", "new power b", "send a buttonClick", "undo 2",
      "begin\nnew power c\nnew power d\nend",
      "new phoneCall call")
    let journal = guest.journal()
    expect(journal[1...2].allSatisfy { $0.hasSuffix(" undone=4") })
    let again = try daemon.afterKill().connect()
    expectEqual(again.journal(), journal)
    expectEqual(again.say("list *[abcd]*").last, guest.say("list *[abcd]*").last)
    expectEqual(again.ask("undo", "undo"), guest.ask("undo", "undo"))
    // A batch and a composed machine are still one request each.
    expectEqual(again.say("list"), [". a power off", "+ 1"])
    expect(again.say("drop call").first, hasPrefix: "- UNKNOWN-MACHINE")
  }

  @Test("thousands of inputs that were undone are passed over, wherever a start begins", arguments: [100, 1_000_000])
  func muchUndone(checkpointInputs: Int) throws {
    let daemon = try KeptDaemon(KeptDaemon.Setup("checkpointInputs=\(checkpointInputs)", "journal=20000"))
    let guest = daemon.connect()
    _ = guest.ask("clock virtual", "new power p", "new power q")
    for _ in 0..<60 { _ = guest.say(Array(repeating: "send p buttonClick", count: 100).joined(separator: "\n")) }
    _ = guest.ask("undo 5999", "send q buttonClick")
    let again = try daemon.afterKill().connect()
    expectEqual(again.say("list"), [". p power on", ". q power on", "+ 2"])
    expectEqual(again.journal("since=5990"), guest.journal("since=5990"))
    expectEqual(again.journal("since=1 what=moves").suffix(2), guest.journal("since=1 what=moves").suffix(2))
  }

  // MARK: The journal beyond memory

  @Test("journal and watch go back to the first input, whatever memory has, and after a restart")
  func beyondMemory() throws {
    let daemon = try KeptDaemon(KeptDaemon.Setup("journal=20", "checkpointInputs=30"))
    let guest = daemon.connect()
    _ = guest.ask("clock virtual", "new power p")
    for _ in 0..<20 { _ = guest.say(Array(repeating: "send p buttonClick", count: 7).joined(separator: "\n")) }
    let journal = guest.journal()
    expectEqual(journal.map { UInt64($0.split(separator: " ")[0]) }, (1...141).map { $0 })
    expect(guest.client.hosted.live.world.firstSequence > 100)
    for daemon in [daemon, try daemon.afterKill(), try daemon.afterKill { $0.limits.world.journal = 1 }] {
      let (one, other) = (daemon.connect(), daemon.connect())
      expectEqual(one.journal(), journal)
      expectEqual(one.journal("p since=60").first, journal[59])
      expectEqual(one.say("journal limit=130").count, 131)
      let past = one.say("watch * what=all since=1")
      expectEqual(past.filter { $0.hasPrefix("*") }.map { String($0.dropFirst(2)) }, journal)
      expectEqual(past.last, "+ watching 1")
      let head = daemon.connect().client.hosted.head
      _ = other.ask("new power q")
      expectEqual(one.lines(), ["* \(head + 1) 0.000 q created power off"])
      _ = other.ask("undo")
    }
  }

  @Test("old lines bear the names of those whose numbers others have by now, in whatever order they are read")
  func namesOfOld() throws {
    let daemon = try KeptDaemon(KeptDaemon.Setup("journal=5", "checkpointInputs=11"))
    let guest = daemon.connect()
    _ = guest.ask("clock virtual")
    for name in ["a", "b", "c", "d"] {
      _ = guest.ask("new power \(name)")
      for _ in 0..<4 { _ = guest.ask("send \(name) buttonClick") }
      _ = guest.say("drop \(name)\nnew phoneCall x\ndrop x\nnew power y\ndrop y")
    }
    let journal = guest.journal()
    for reader in [guest, try daemon.afterKill().connect()] {
      expectEqual(reader.journal(), journal)
      var dice = Dice(seed: 1)
      for _ in 0..<Thorough.rounds(200) {
        let since = 1 + dice.number(below: Int(guest.client.hosted.head))
        let found = reader.say("journal since=\(since) limit=\(1 + dice.number(below: 12))").dropLast()
        let wanted = journal.drop { UInt64($0.prefix { $0 != " " }) ?? 0 < since }.prefix(found.count)
        expectEqual(found.map { String($0.dropFirst(2)) }, Array(wanted), "since \(since)")
      }
    }
  }

  @Test("more inputs in one round than memory keeps are all brought back")
  func longRound() throws {
    let daemon = try KeptDaemon(KeptDaemon.Setup("journal=10", "batch=1000"))
    let guest = daemon.connect()
    let lines = (0..<300).map { "new stepper s\($0)\nsend s\($0) increment" }.joined(separator: "\n")
    _ = guest.say("clock virtual\nbegin\n\(lines)\nend")
    let again = try daemon.afterKill().connect()
    expectEqual(again.say("count"), [". stepper two 300", "+ 1"])
    expectEqual(again.journal(), guest.journal())
  }

  // MARK: Composed names

  @Test("a composed machine is one after a restart: dropped as one, undone as one, named as one")
  func composed() throws {
    let daemon = try KeptDaemon(KeptDaemon.Setup("checkpointInputs=3"))
    _ = daemon.connect().ask("clock virtual", "new phoneCall call", "new phoneCall other", "drop other.phone")
    let guest = try daemon.afterKill().connect()
    let refused = daemon.connect().ask("send call x")
    expect(refused[0], contains: "'call' is composed; its machines are ")
    expectEqual(guest.ask("send call x"), refused)
    expect(guest.ask("new power call")[0], hasPrefix: "- NAME-TAKEN")
    expect(guest.ask("send call.tracker phoneTapped 123", "drop other", "drop call").allSatisfy { $0.hasPrefix("+") })
    expectEqual(guest.say("list"), ["+ 0"])
    expect(guest.ask("undo", "new phoneCall call")[1], hasPrefix: "- NAME-TAKEN")
  }
}
