import Foundation
import Simulator
import TestSupport
import Testing

@testable import JournalStore
@testable import SimulationDaemon

/// Worlds that are loaded at the start, while clients are served.
@Suite("A start with clients")
struct ReturningWorldsTests {
  /// A daemon with `main`, whose time runs, and three more worlds with different numbers of inputs.
  private func daemon(_ setup: KeptDaemon.Setup = KeptDaemon.Setup()) throws -> KeptDaemon {
    let daemon = try KeptDaemon(setup)
    let guest = daemon.connect()
    _ = guest.ask("new ticker t initial=running", "new power p", "new power q")
    for (name, clicks) in [("large", 30), ("middle", 20), ("small", 1)] {
      _ = guest.ask("world new \(name) durable=yes", "use \(name)", "new power p", "advance 3s")
      _ = guest.ask(Array(repeating: "send p buttonClick", count: clicks))
    }
    return daemon
  }

  /// The next daemon, whose worlds are not loaded before `threads` are released.
  private func start(
    after daemon: KeptDaemon, _ change: (inout KeptDaemon.Setup) -> Void = { _ in }
  ) throws -> (KeptDaemon, HeldWorkers) {
    let threads = HeldWorkers()
    let again = try daemon.afterKill {
      $0.threads = threads
      change(&$0)
    }
    return (again, threads)
  }

  @Test(
    "everybody is greeted and served; who asks for a world that is not back waits, and it is told of as it is stored")
  func others() throws {
    let before = try daemon()
    let view = ["large", "middle", "small"].map { before.connect($0).view() }
    let (again, threads) = try start(after: before)
    let (guest, dropper) = (again.connect(), again.connect())
    let worlds = [
      ". large clock=virtual t=3.000 seq=31", ". main clock=real t=0.000 seq=3",
      ". middle clock=virtual t=3.000 seq=21",
      ". small clock=virtual t=3.000 seq=2",
    ]
    expectEqual(guest.say("worlds"), worlds + ["+ 4"])
    expect(guest.say("world")[0], hasPrefix: "+ world=main clock=real t=0.000 seq=3")
    expect(guest.say("use large")[0], hasPrefix: "+ world=large clock=virtual t=3.000 seq=31")
    expect(guest.say("world new large")[0], hasPrefix: "- NAME-TAKEN ")
    expect(guest.ask("world new brief", "use brief", "new power b", "send b buttonClick").last, hasPrefix: "+ moved")
    expectEqual(guest.ask("use large", "send p buttonClick"), ["+ world=large clock=virtual t=3.000 seq=31"])
    expectEqual(dropper.ask("world drop small"), [])
    expectEqual(again.notes, [])
    threads.finish(again.host)
    expectEqual(guest.lines(), ["+ moved off on t=3.000 seq=32"])
    expectEqual(dropper.lines(), ["+ dropped small"])
    expectEqual(["middle"].map { again.connect($0).view() }, [view[1]])
    expect(again.notes.count == 4 && again.log == [])
    try expect(again.afterKill().connect("large").ask("world")[0], contains: " seq=32")
  }

  @Test("worlds come back in turn by user: many long ones of one user leave room for those of others")
  func turnsOfUsers() {
    let service = HostedService().service
    func restoration(_ name: String, head: UInt64) -> Restoration {
      let outage = LiveWorld.Outage(reason: "", cause: .unreadable, head: head)
      let hosted = HostedWorld(LiveWorld.Box(LiveWorld(name: name, limits: WorldLimits(), host: 0, outage)))
      let slot = WorkerSlot(of: nil, nil)
      return Restoration(hosted, hosted.lend(slot), slot, outage, isStart: true, since: (0, 0))
    }
    var restorations = Restorations()
    restorations.waiting = (1...4).map { restoration("1001/w\($0)", head: UInt64($0)) }
    restorations.waiting += [restoration("1002/w1", head: 9), restoration("1002/w2", head: 8)]
    func next() -> Restoration? { restorations.next(usedBy: [], main: service.main, places: 2) }
    let first = next()
    expectEqual(first?.hosted.name, "1001/w1")
    expectEqual((0..<3).map { _ in next()?.hosted.name }, ["1002/w2", "1001/w2", "1002/w1"])
    // Each user has two on their way.
    expect(next() == nil && restorations.waiting.count == 2)
    if let first { restorations.didLoad(first) }
    expectEqual(next()?.hosted.name, "1001/w3")
  }

  @Test("what somebody uses comes first, then main, then what has the fewest inputs")
  func order() throws {
    let before = try daemon()
    let inTurn = try before.afterKill().notes.map { $0.split(separator: " ")[1] }
    expectEqual(inTurn, ["main", "small", "middle", "large"])
    let (again, threads) = try start(after: before)
    let guest = again.connect()
    _ = guest.say("use large")
    var restorations = again.service.stores.all[0].restorations
    let service = again.service
    // Two are loaded at the same time, and what somebody uses begins at once.
    expectEqual(restorations.waiting.map(\.hosted.name), ["middle"])
    expectEqual(restorations.next(usedBy: service.everybody, main: service.main, places: 9)?.hosted.name, "middle")
    expectNil(restorations.next(usedBy: service.everybody, main: service.main, places: 9))
    threads.finish(again.host)
    expectEqual(again.notes.count, 4)
  }

  @Test("a real clock catches up from the start of the daemon, and its timers fire at their own moments")
  func clock() throws {
    let (again, threads) = try start(after: try daemon())
    let guest = again.connect()
    _ = guest.say("@l agenda")
    again.pass(3.5)
    expectEqual(guest.lines(), [])
    threads.finish(again.host)
    expectEqual(guest.lines().last, "+ @l 1")
    expect(guest.say("world")[0], contains: "clock=real t=3.500 seq=6")
  }

  @Test("timers have their whole duration again with --on-restart restart, and what waits sees that")
  func restart() throws {
    let before = try daemon()
    before.pass(0.5)
    let (again, threads) = try start(after: try before.restarted()) { $0.onRestart = .restart }
    let guest = again.connect()
    expectEqual(guest.say("agenda"), [])
    threads.finish(again.host)
    expectEqual(guest.lines(), [". 1.500 t tick left=1.000", "+ 1"])
    expect(guest.journal().last, hasSuffix: "- clock restarted=1")
  }

  @Test("a world that cannot be brought back is out of service, who waits for it is told, and the others come back")
  func outOfService() throws {
    var setup = KeptDaemon.Setup()
    setup.kinds = StartFailureTests.Release.first.kinds
    let before = try daemon(setup)
    _ = before.connect().ask("world new z durable=yes", "use z", "new relic r")
    let (again, threads) = try start(after: before) { $0.kinds = [] }
    let guest = again.connect("z")
    let other = again.connect()
    expectEqual(guest.say("@1 list"), [])
    expectEqual(other.say("@2 diff z large"), [])
    threads.finish(again.host)
    expectEqual(other.lines().map { String($0.prefix(20)) }, ["- @2 STORAGE world=z"])
    expect(guest.lines()[0], hasPrefix: "- @1 STORAGE world=z : world z cannot be brought back")
    expect(guest.say("world")[0], hasSuffix: "t=0.000 seq=0 service=out")
    expect(again.log.count == 1 && again.log[0].hasPrefix("world z is out of service: "))
    expectEqual(again.notes.count, 4)
    expect(again.connect("large").ask("send p buttonClick")[0], hasPrefix: "+ moved")
  }

  @Test("a store that can be read and not be written: what is there is served when it is back")
  func readOnly() throws {
    let (again, threads) = try start(after: try daemon())
    try again.store.database.run("PRAGMA query_only = 1")
    let guest = again.connect("large")
    expectEqual(guest.say("list\nsend p buttonClick"), [])
    threads.finish(again.host)
    let lines = guest.lines()
    expectEqual(lines.dropLast(), [". p power off", "+ 1"])
    expect(lines.last, hasPrefix: "- STORAGE world=large : ")
    expect(again.log.count == 4 && again.log.allSatisfy { $0.contains("can only be read for now") }, "\(again.log)")
    try again.store.database.run("PRAGMA query_only = 0")
    again.pass(2)
    threads.finish(again.host)
    expectEqual(guest.ask("send p buttonClick"), ["+ moved off on t=3.000 seq=32"])
  }

  @Test("a store that is gone before it was read ends the daemon, whose clients are told, and what is there stays")
  func gone() throws {
    let before = try daemon()
    let (again, threads) = try start(after: before)
    let guest = again.connect()
    try FileManager.default.removeItem(atPath: again.folder.files.database)
    threads.finish(again.host)
    expectEqual(again.service.failure?.description.contains(again.folder.files.database), true)
    expect(again.service.mayEnd)
    expectEqual(guest.lines(), ["! bye reason=shutdown"])
  }

  @Test("an end of the daemon in the middle of it leaves the store as it was")
  func end() throws {
    let before = try daemon()
    let view = before.connect("large").view()
    let (again, threads) = try start(after: before)
    let guest = again.connect("large")
    expectEqual(guest.say("@1 send p buttonClick"), [])
    again.host.round { again.service.shutDown() }
    guest.collect()
    expectEqual(guest.lines(), ["! bye reason=shutdown"])
    threads.finish(again.host)
    expect(again.service.mayEnd)
    expect(again.notes == [] && again.log == [])
    expect(again.service.release())
    let last = try KeptDaemon(before.setup, in: again.folder, wall: before.wall)
    expectEqual(last.notes.count, 4)
    expectEqual(last.connect("large").view(), view)
    expectEqual(last.connect("main").say("count").last, "+ 2")
  }

  @Test("small worlds are loaded together, but for those that a client asks for and those that are not small")
  func companions() {
    let host = HostedService()
    let guest = host.connect(toWorld: "asked")
    let workers = Workers()
    func waiting(_ hosted: HostedWorld, inputs: UInt64 = 5) -> Restoration {
      let outage = LiveWorld.Outage(reason: "", cause: .store(retryAt: .max), head: inputs)
      let box = LiveWorld.Box(LiveWorld(name: hosted.name, limits: WorldLimits(), host: 0, outage))
      return Restoration(hosted, box, workers.slot(of: nil), outage, isStart: false, since: (0, 0))
    }
    func world(_ name: String, inputs: UInt64 = 5) -> Restoration {
      waiting(
        HostedWorld(LiveWorld.Box(LiveWorld(name: name, clock: .virtual, seed: 0, limits: WorldLimits(), host: 0))),
        inputs: inputs)
    }
    func names(_ all: [Restoration]) -> [String] { all.map(\.hosted.name) }
    var restorations = Restorations()
    restorations.waiting = [world("a"), waiting(guest.client.hosted), world("b"), world("c", inputs: 257), world("d")]
    let used = [guest.client]
    func next() -> [String] {
      guard let first = restorations.next(usedBy: used, main: host.service.main, places: 2) else { return [] }
      defer { restorations.didLoad(first) }
      return names([first] + restorations.companions(of: first, usedBy: used))
    }
    expectEqual(next(), ["asked"])
    restorations.waiting.append(waiting(guest.client.hosted, inputs: 9))
    guard let first = restorations.waiting.first else { return }
    expectEqual(names(restorations.companions(of: first, usedBy: used)), ["a", "b", "d"])
    expectEqual([next(), next(), next()], [["asked"], ["c"], []])
  }
}

extension Guest {
  fileprivate func ask(_ requests: [String]) -> [String] { requests.flatMap { ask($0) } }
}
