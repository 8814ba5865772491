import JournalStore
import Simulator
import TestSupport
import Testing

@testable import SimulationDaemon

/// Durable worlds that are made and dropped while the store is slow.
@Suite("Worlds that the store's thread makes and drops")
struct StoredWorldsTests {
  private let threads = HeldWorkers()

  /// A daemon that has finished starting.
  private func daemon(_ limits: String...) throws -> KeptDaemon {
    var setup = KeptDaemon.Setup()
    for limit in limits { expectNil(setup.limits.set(limit)) }
    setup.threads = threads
    let daemon = try KeptDaemon(setup)
    daemon.host.round()
    threads.finish(daemon.host)
    return daemon
  }

  /// A client in a world that is not durable.
  private func free(_ daemon: KeptDaemon) -> Guest {
    let guest = daemon.host.connect(toWorld: "free")
    threads.finish(daemon.host)
    _ = guest.lines()
    return guest
  }

  /// The answers to requests when all threads have finished.
  private func ask(_ guest: Guest, _ daemon: KeptDaemon, _ text: String) -> [String] {
    let lines = guest.say(text)
    threads.finish(daemon.host)
    return lines + guest.lines()
  }

  /// Releases the store's thread and finishes all work.
  private func finish(_ daemon: KeptDaemon) {
    threads.letStoreGo()
    threads.finish(daemon.host)
  }

  private func worlds(_ daemon: KeptDaemon) -> [String] {
    daemon.connect().say("worlds").dropLast().map { String($0.split(separator: " ")[1]) }
  }

  // MARK: Making

  @Test("who makes a world is told when it is stored; others are served, and its name is taken")
  func made() throws {
    let daemon = try daemon("worlds=3")
    let free = free(daemon)
    let (maker, other) = (daemon.connect(), daemon.connect())
    expectEqual(free.say("new power p"), ["+ created p off t=0.000 seq=1"])
    threads.holdStore()
    expectEqual(maker.say("@1 world new w durable=yes seed=7\n@2 use w\n@3 new power p"), [])
    expectEqual(free.say("send p buttonClick"), ["+ moved off on t=0.000 seq=2"])
    expectEqual(worlds(daemon), ["free", "main"])
    expectEqual(other.say("list"), ["+ 0"])
    expect(other.say("use w")[0], hasPrefix: "- UNKNOWN-WORLD ")
    expect(other.say("world new w")[0], hasPrefix: "- NAME-TAKEN world=w ")
    expect(other.say("world fork w")[0], hasPrefix: "- NAME-TAKEN world=w ")
    expect(other.say("world new x")[0], hasPrefix: "- LIMIT name=worlds value=3 ")
    expectEqual(maker.lines(), [])
    try expect(daemon.afterKill().connect().ask("use w")[0], hasPrefix: "- UNKNOWN-WORLD")
    finish(daemon)
    expectEqual(
      maker.lines(),
      [
        "+ @1 created w", "+ @2 world=w clock=virtual t=0.000 seq=0", "+ @3 created p off t=0.000 seq=1",
      ])
    expectEqual(worlds(daemon), ["free", "main", "w"])
    try expectEqual(daemon.afterKill().connect("w").say("list"), [". p power off", "+ 1"])
  }

  @Test("it is listed among the activities, and no cancel ends it")
  func cancelled() throws {
    let daemon = try daemon()
    let (maker, other) = (daemon.connect(), daemon.connect())
    threads.holdStore()
    expectEqual(maker.say("@1 world new w durable=yes\n@2 cancel\n@3 activities"), [])
    let listed = other.say("activities")
    expect(listed.count == 2 && listed[0].contains(" world=main client=\(maker.client.number) verb=world since=0.000 "))
    expectEqual(other.say("cancel \(listed[0].split(separator: " ")[1])"), ["+"])
    finish(daemon)
    expectEqual(maker.lines(), ["+ @1 created w", "+ @2", "+ @3 0"])
    try expectEqual(daemon.afterKill().connect("w").say("list"), ["+ 0"])
  }

  @Test("a world that cannot be stored is not made, its name is free, and everything goes on", arguments: 1...12)
  func notMade(call: Int) throws {
    let daemon = try daemon()
    let maker = daemon.connect()
    daemon.faults.strike(call: call)
    let answer = ask(maker, daemon, "@1 world new w durable=yes\n@2 sync")
    expect(answer.count == 2 && answer[1] == "+ @2")
    if answer[0] != "+ @1 created w" {
      expect(daemon.faults.hasStruck)
      expect(answer[0], hasPrefix: "- @1 STORAGE world=w : ")
      expectEqual(worlds(daemon), ["main"])
      expectEqual(maker.ask("activities"), ["+ 0"])
      daemon.faults.strike(call: 0)
      expectEqual(ask(maker, daemon, "world new w durable=yes"), ["+ created w"])
    }
    daemon.faults.strike(call: 0)
    expect(call > 1 || answer[0].contains(" STORAGE "))
    expectEqual(ask(maker, daemon, "use w\nnew power p").last, "+ created p off t=0.000 seq=1")
    try expectEqual(daemon.afterKill().connect("w").say("list"), [". p power off", "+ 1"])
  }

  @Test("a copy of a durable world says that it is not durable, also one that a worker makes")
  func forked() throws {
    let daemon = try daemon()
    let guest = daemon.connect()
    expectEqual(ask(guest, daemon, "world fork f"), ["+ created f durable=no"])
    expectEqual(ask(guest, daemon, "use f\nworld fork g").last, "+ created g")
    let machines = (1...LiveWorld.manyMachines).map { "new power p\($0)" }.joined(separator: "\n")
    _ = ask(guest, daemon, "use main\nquiet on\nbegin\n\(machines)\nend\nquiet off")
    expectEqual(ask(guest, daemon, "world fork h"), ["+ created h durable=no"])
  }

  @Test("a durable copy has all of the past, is stored at once, and lives on by itself", arguments: [false, true])
  func forkedInStore(hasCheckpoint: Bool) throws {
    let daemon = try hasCheckpoint ? daemon("checkpointInputs=1") : daemon()
    let guest = daemon.connect()
    let document = "<scxml xmlns='http://www.w3.org/2005/07/scxml'><state id='a'/></scxml>"
    _ = ask(
      guest, daemon,
      "define k format=scxml bytes=\(document.utf8.count)\n\(document)new k doc\nnew power p\nsend p buttonClick\nundo")
    let journal = ask(guest, daemon, "journal")
    expectEqual(ask(guest, daemon, "world fork f durable=yes"), ["+ created f"])
    expect(ask(guest, daemon, "world fork f durable=yes")[0], hasPrefix: "- NAME-TAKEN world=f ")
    // Each goes on without the other.
    expect(ask(guest, daemon, "redo").last, hasPrefix: "+ ")
    expect(ask(guest, daemon, "use f\nlist"), contains: ". p power off")
    let again = try daemon.afterKill()
    let guests = (main: again.connect(), fork: again.connect("f"))
    expect(guests.main.say("expect p on").last, hasPrefix: "+")
    expect(guests.fork.say("expect p off").last, hasPrefix: "+")
    expectEqual(guests.fork.say("journal"), journal)
    expectEqual(guests.fork.say("redo\nexpect p on\nundo\nexpect p off\nlist").last, "+ 2")
    expect(guests.fork.say("world drop main").last, hasPrefix: "- ")
    let last = try again.afterKill()
    expect(last.connect("f").say("expect p off").last, hasPrefix: "+")
  }

  @Test("a durable copy needs a durable world, a store, and a world that is not too large")
  func unforkable() throws {
    let daemon = try daemon()
    let guest = daemon.connect()
    expect(
      ask(guest, daemon, "world new v\nuse v\nworld fork i durable=yes").last,
      hasPrefix:
        "- BAD-ARGUMENT argument=durable got=yes allowed=no : this world is not durable, and so is no copy of it; ")
    let none = HostedService().connect()
    expect(none.say("world fork i durable=yes")[0], hasPrefix: "- BAD-ARGUMENT argument=durable got=yes allowed=no : ")
    expect(none.say("world fork i seed=1")[0], hasPrefix: "- BAD-ARGUMENT argument=seed got=1 allowed=\"\" : ")
  }

  @Test("whatever call of the system fails, a durable copy is there as a whole or not at all", arguments: 0..<40)
  func failingFork(call: Int) throws {
    let daemon = try daemon()
    let guest = daemon.connect()
    _ = ask(guest, daemon, "new power p\nsend p buttonClick")
    daemon.faults.strike(call: call)
    let answer = ask(guest, daemon, "world fork f durable=yes").last ?? ""
    daemon.faults.strike(call: 0)
    expect(answer == "+ created f" || answer.contains(" STORAGE "), "\(answer)")
    let again = try daemon.afterKill()
    if answer == "+ created f" || again.service.worlds["f"] != nil {
      expect(again.connect("f").say("expect p on").last, hasPrefix: "+")
    }
    expect(again.connect().say("expect p on").last, hasPrefix: "+")
  }

  @Test("a world marks the expiry of a timer as the notes of what is under way read it")
  func expiries() { expectEqual(WorldCore.expiry, WorkNotes.expiry) }

  // MARK: Dropping

  /// A daemon with a durable world `w` and a machine in it.
  private func daemonWithWorld() throws -> KeptDaemon {
    let daemon = try daemon()
    expectEqual(
      ask(daemon.connect(), daemon, "world new w durable=yes\nuse w\nnew power p").last, "+ created p off t=0.000 seq=1"
    )
    return daemon
  }

  @Test("who uses a world that is being dropped waits, others are served; then those go to main")
  func dropped() throws {
    let daemon = try daemonWithWorld()
    let free = free(daemon)
    let (user, watcher, forker, awaiting) = (
      daemon.connect("w"), daemon.connect("w"), daemon.connect("w"), daemon.connect("w")
    )
    _ = free.say("new power p")
    expectEqual(watcher.say("watch *"), ["+ watching 1"])
    expectEqual(awaiting.say("clock real\nawait p on within=1h").count, 1)
    threads.finish(daemon.host)
    let dropper = daemon.connect()
    threads.holdStore()
    expectEqual(dropper.say("@1 world drop w\n@2 worlds"), [])
    expectEqual(user.say("send p buttonClick"), [])
    expectEqual(forker.say("@f world fork copy\n@g world"), [])
    expectEqual(user.say("cancel"), [])
    expectEqual(free.say("send p buttonClick"), ["+ moved off on t=0.000 seq=2"])
    expectEqual(free.say("world new w durable=yes"), [])
    expectEqual(worlds(daemon), ["free", "main", "w"])
    let activities = daemon.connect().say("activities")
    expectEqual(activities.count { $0.contains(" verb=world ") }, 1)
    finish(daemon)
    expectEqual(dropper.lines().first, "+ @1 dropped w")
    expectEqual(user.lines().first, "! world dropped=w")
    expectEqual(watcher.lines(), ["! world dropped=w"])
    let forked = forker.lines()
    expect(
      forked.count == 3 && forked[0].hasPrefix("- @f UNKNOWN-WORLD world=w : ")
        && forked[2].hasPrefix("+ @g world=main "))
    let awaited = awaiting.lines()
    expect(awaited.count == 2 && awaited[0].hasPrefix("- UNKNOWN-WORLD world=w ") && awaited[1] == "! world dropped=w")
    // The client that wanted a new world with this name has waited too.
    expectEqual(free.lines(), ["+ created w"])
    try expectEqual(daemon.afterKill().connect("w").say("list"), ["+ 0"])
  }

  @Test("a world that cannot be dropped goes on with all who use it")
  func notDropped() throws {
    let daemon = try daemonWithWorld()
    let (user, dropper) = (daemon.connect("w"), daemon.connect("w"))
    threads.holdStore()
    daemon.faults.strike(call: 1)
    expectEqual(dropper.say("@1 world drop w"), [])
    expectEqual(user.say("send p buttonClick\nworld"), [])
    finish(daemon)
    expect(daemon.faults.hasStruck)
    let answer = dropper.lines()
    expect(answer.count == 1 && answer[0].hasPrefix("- @1 STORAGE world=w : "))
    expectEqual(user.lines(), ["+ moved off on t=0.000 seq=2", "+ world=w clock=virtual t=0.000 seq=2"])
    try expectEqual(daemon.afterKill().connect("w").say("list"), [". p power on", "+ 1"])
    expectEqual(ask(dropper, daemon, "world drop w"), ["! world dropped=w", "+ dropped w"])
    try expect(daemon.afterKill().connect().ask("use w")[0], hasPrefix: "- UNKNOWN-WORLD")
  }

  @Test("a world that is not durable is dropped at once, whatever the store does")
  func ephemeral() throws {
    let daemon = try daemon()
    let free = free(daemon)
    threads.holdStore()
    expectEqual(daemon.connect().say("world new w durable=yes"), [])
    expectEqual(free.say("world drop free"), ["! world dropped=free", "+ dropped free"])
    finish(daemon)
    expectEqual(worlds(daemon), ["main", "w"])
  }

  // MARK: Those who leave, and the end

  @Test("a client that leaves has its world made, or dropped, all the same")
  func left() throws {
    let daemon = try daemonWithWorld()
    let (maker, dropper) = (daemon.connect(), daemon.connect("w"))
    threads.holdStore()
    expectEqual(maker.say("world new x durable=yes\nuse x\nnew power q"), [])
    expectEqual(dropper.say("world drop w"), [])
    daemon.host.round {
      daemon.service.close(maker.client)
      daemon.service.close(dropper.client)
    }
    finish(daemon)
    expectEqual(worlds(daemon), ["main", "x"])
    expect(daemon.service.everybody.allSatisfy { $0.session.hasReader })
    let later = try daemon.afterKill()
    expectEqual(worlds(later), ["main", "x"])
    expectEqual(later.connect("x").say("list"), [". q power off", "+ 1"])
  }

  @Test("the end of the daemon waits for it, and the client is told", arguments: [false, true])
  func ended(isLate: Bool) throws {
    let daemon = try daemonWithWorld()
    let (maker, other) = (daemon.connect(), daemon.connect())
    threads.holdStore()
    expectEqual(maker.say("@1 world new x durable=yes\n@2 new power q"), [])
    expectEqual(other.say("@1 world drop w"), [])
    daemon.host.round { daemon.service.shutDown() }
    expect(!daemon.service.mayEnd)
    expectEqual(maker.lines(), [])
    let refused = other.lines()
    expect(refused.count == 2 && refused[0].hasPrefix("- @1 SHUTTING-DOWN ") && refused[1] == "! bye reason=shutdown")
    if isLate {
      // The daemon's time for its last work is over.
      threads.letStoreGo()
      daemon.service.release()
      maker.collect()
    } else {
      finish(daemon)
      expect(daemon.service.mayEnd)
    }
    expectEqual(maker.lines(), ["+ @1 created x", "! bye reason=shutdown"])
    expect(daemon.service.release())
    try expectEqual(worlds(daemon.afterKill()), ["main", "w", "x"])
  }

  @Test(
    "at the end a database that does not answer is given up, which is said; a folder is not", arguments: Engine.here)
  func givenUp(engine: Engine) throws {
    var setup = KeptDaemon.Setup()
    (setup.engine, setup.threads) = (engine, threads)
    let daemon = try KeptDaemon(setup)
    threads.finish(daemon.host)
    let guest = daemon.connect()
    threads.holdStore()
    _ = guest.say("new power p\nworld new x durable=yes")
    daemon.host.round { daemon.service.shutDown() }
    expect(!daemon.service.endStores())
    daemon.service.giveUpDatabases()
    expectEqual(daemon.service.endStores(), engine == .postgres)
    expectEqual(daemon.service.hasLost, engine == .postgres)
    expectEqual(
      daemon.log.count { $0.contains("is given up; what changed last in its worlds may be stored") },
      engine == .postgres ? 1 : 0)
    threads.letStoreGo()
    daemon.service.workers.waitForStores()
  }

  @Test("the end of the daemon waits for a world that is being dropped")
  func endedWhileDropping() throws {
    let daemon = try daemonWithWorld()
    let (dropper, user) = (daemon.connect("w"), daemon.connect("w"))
    threads.holdStore()
    expectEqual(dropper.say("@1 world drop w"), [])
    daemon.host.round { daemon.service.shutDown() }
    expectEqual(user.lines(), ["! bye reason=shutdown"])
    finish(daemon)
    expectEqual(dropper.lines(), ["! world dropped=w", "+ @1 dropped w", "! bye reason=shutdown"])
    expect(daemon.service.mayEnd && daemon.service.release())
    try expectEqual(worlds(daemon.afterKill()), ["main"])
  }

  @Test("who makes and drops worlds without end lets the commits of others have their turn")
  func turns() throws {
    let daemon = try daemon()
    let (maker, other) = (daemon.connect(), daemon.connect())
    threads.holdStore()
    expectEqual(maker.say((1...20).map { "world new w\($0) durable=yes" }.joined(separator: "\n")), [])
    expectEqual(other.say("new power p"), [])
    threads.letStoreGo()
    var made = 0
    while made < 20 {
      threads.round(daemon.host)
      made += maker.lines().count
      if other.lines() == ["+ created p off t=0.000 seq=1"] { break }
    }
    expect(made <= 2)
    threads.finish(daemon.host)
    expectEqual(maker.lines().count, 20 - made)
  }
}
