import JournalStore
import Simulator
import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("Durable worlds of several users")
struct StoredUsersTests {
  private static func setup() -> KeptDaemon.Setup {
    var setup = KeptDaemon.Setup()
    setup.users = [1_001: "ana", 1_002: "ben"]
    return setup
  }

  @Test("worlds come back with their owner and with whom they are shared", arguments: [false, true])
  func restart(isKilled: Bool) throws {
    let daemon = try KeptDaemon(Self.setup())
    let ana = try #require(daemon.host.connect(as: 1_001))
    expectEqual(ana.ask("new power p", "world new lab durable=yes", "world new own durable=yes").count, 3)
    expectEqual(ana.ask("use lab", "new power q", "world share lab read").last, "+ shared lab read")
    let teacher = daemon.connect()
    expectEqual(teacher.ask("new power t", "world share main write").last, "+ shared main write")

    // A user can be renamed, which changes nothing of the user's worlds.
    let next = try (isKilled ? daemon.afterKill : daemon.restarted) { $0.users = [1_001: "anna", 1_002: "ben"] }
    let again = try #require(next.host.connect(as: 1_001))
    expect(again.ask("expect p off").last, hasPrefix: "+ off")
    expectEqual(
      again.say("worlds").map { $0.split(separator: " ").prefix(2).last.map(String.init) ?? "" },
      ["lab", "main", "own", "teacher/main", "4"])
    let ben = try #require(next.host.connect(as: 1_002))
    expect(ben.ask("use anna/lab", "expect q off", "send q buttonClick").last, hasPrefix: "- READ-ONLY")
    expect(ben.ask("use teacher/main", "send t buttonClick").last, hasPrefix: "+ moved")
    expect(ben.ask("use anna/own").last, hasPrefix: "- UNKNOWN-WORLD")
    expectEqual(again.ask("world unshare lab").last, "+ unshared lab")
    let last = try next.restarted()
    expect(last.connect("teacher/main").ask("expect t on").last, hasPrefix: "+ on")
    try expect(#require(last.host.connect(as: 1_002)).ask("use anna/lab").last, hasPrefix: "- UNKNOWN-WORLD")
  }

  @Test("what is stored of a world that is not shared is what releases before stored, which can be read")
  func settings() throws {
    let old = "seed=7 clock=real speed=1 paused=no written=5"
    let settings = try #require(WorldSettings(Array(old.utf8)))
    expectEqual(settings.sharing, .nobody)
    expectEqual(String(decoding: settings.bytes, as: UTF8.self), old)
    for sharing in Sharing.allCases {
      var shared = settings
      shared.sharing = sharing
      expectEqual(WorldSettings(shared.bytes), shared)
    }
    expectNil(WorldSettings(Array("\(old) shared=maybe".utf8)))
  }

  @Test("worlds of a store without users belong to the daemon's owner")
  func oldStore() throws {
    let daemon = try KeptDaemon()
    expectEqual(daemon.connect().ask("new power p", "world new lab durable=yes").last, "+ created lab")
    let next = try daemon.restarted { $0.users = [1_001: "ana"] }
    expect(next.connect("lab").ask("world").last, hasPrefix: "+ world=lab")
    let ana = try #require(next.host.connect(as: 1_001))
    expect(ana.ask("expect p off").last, hasPrefix: "- UNKNOWN-MACHINE")
    expectEqual(ana.say("worlds").last, "+ 1")
    // And without users again, the daemon's owner has them all to look at.
    let last = try next.restarted { $0.users = [:] }
    expectEqual(
      last.connect().say("worlds").dropLast().map { $0.split(separator: " ")[1] }, ["lab", "main", "1001/main"])
  }

  @Test("who shares a world is told when that is stored, and not told if it is not")
  func failure() throws {
    let daemon = try KeptDaemon(Self.setup())
    let ana = try #require(daemon.host.connect(as: 1_001))
    expectEqual(ana.ask("world new lab durable=yes").last, "+ created lab")
    var answers: [String] = []
    daemon.failOnce { answers = ana.say("world share lab") }
    expect(answers.last != "+ shared lab read" || daemon.log.contains { $0.contains("1001/lab") })
    daemon.pass(3)
    _ = ana.say("world share lab")
    let next = try daemon.afterKill()
    let ben = try #require(next.host.connect(as: 1_002))
    expect(ben.say("use ana/lab").last, hasPrefix: "+ world=ana/lab")
  }

  @Test("if the store fails, everybody has the rights again that are stored", arguments: ["write", "read"])
  func rights(stored: String) throws {
    let daemon = try KeptDaemon(Self.setup())
    let (ana, ben) = (try #require(daemon.host.connect(as: 1_001)), try #require(daemon.host.connect(as: 1_002)))
    let other = stored == "write" ? "read" : "write"
    expectEqual(ana.ask("world new lab durable=yes", "world share lab \(stored)", "use lab", "new power p").count, 4)
    expect(ben.ask("use ana/lab").last, hasPrefix: "+ world=ana/lab")
    daemon.faults.strike(call: 1, .fromThenOn)
    expect(ana.ask("world share lab \(other)").last, hasPrefix: "- STORAGE")
    expect(ben.client.hosted.sharing.rawValue == stored && ben.client.session.mayChange == (stored == "write"))
    daemon.faults.strike(call: 0)
    daemon.pass(3)
    let answer = stored == "write" ? "+ moved" : "- READ-ONLY"
    let told = ben.ask("send p buttonClick")
    expect(told.last, hasPrefix: answer, "\(told)")
    expectEqual(ana.ask("world share lab \(other)").last, "+ shared lab \(other)")
  }

  /// A daemon whose store and long work have threads that the test can hold.
  private static func heldDaemon() throws -> (KeptDaemon, HeldWorkers) {
    let threads = HeldWorkers()
    var setup = setup()
    setup.threads = threads
    return (try KeptDaemon(setup), threads)
  }

  /// A new client, whose first world is stored on a thread.
  private static func connectAna(_ host: HostedService, _ threads: HeldWorkers) -> Guest {
    var isThere = false
    host.round { host.service.welcome(.other(1_001), mayChange: true) { isThere = $0 == nil } }
    while !isThere { threads.round(host) }
    return host.connect(SessionTerms(user: .other(1_001)))
  }

  @Test("a guest who leaves a shared world and comes back in a loop does not keep its owner from it")
  func comingAndGoing() throws {
    let (daemon, threads) = try Self.heldDaemon()
    let host = daemon.host
    let teacher = daemon.connect()
    host.round { teacher.arrive("world new lab durable=yes\nworld share lab write\nuse lab\nnew power p\n") }
    threads.finish(host)
    let ana = Self.connectAna(host, threads)
    host.round { ana.arrive(String(repeating: "use teacher/lab\nsend p buttonClick\nuse main\n", count: 50)) }
    for _ in 0..<10 {
      _ = teacher.lines()
      host.round { teacher.arrive("send p buttonClick\n") }
      while teacher.lines().isEmpty { threads.round(host) }
    }
    expect(ana.isBusy)
    threads.finish(host)
    expectEqual(ana.lines().count { $0.hasPrefix("+ moved") }, 50)
  }

  @Test("who connects while the daemon's owner drops their world main gets a new one")
  func dropWhileConnecting() throws {
    let (daemon, threads) = try Self.heldDaemon()
    let host = daemon.host
    func welcome(_ isThere: @escaping () -> Void) {
      host.round { host.service.welcome(.other(1_001), mayChange: true) { if $0 == nil { isThere() } } }
    }
    var worlds = 0
    welcome { worlds += 1 }
    while worlds < 1 { threads.round(host) }
    let first = host.service.worlds["1001/main"]
    let teacher = daemon.connect()
    while host.service.needsTurn || host.service.workers.areWorking { threads.round(host) }
    threads.holdStore()
    host.round { teacher.arrive("world drop ana/main\n") }
    expect(first?.afterRemoval != nil)
    welcome { worlds += 1 }
    expectEqual(worlds, 1)
    threads.letStoreGo()
    while worlds < 2 { threads.round(host) }
    let ana = host.connect(SessionTerms(user: .other(1_001)))
    expect(ana.client.hosted !== first && host.service.worlds["1001/main"] === ana.client.hosted)
    expectEqual(teacher.lines().last, "+ dropped ana/main")
  }

  @Test("who may not drop or share a world is told so at once, and holds up nobody there")
  func readersDoNotWait() throws {
    let (daemon, threads) = try Self.heldDaemon()
    let host = daemon.host
    let teacher = daemon.connect()
    host.round { teacher.arrive("world share main read\n") }
    while teacher.lines().isEmpty { threads.round(host) }
    let ana = Self.connectAna(host, threads)
    host.round { ana.arrive("use teacher/main\n") }
    while !ana.lines().contains(where: { $0.hasPrefix("+ world=teacher/main") }) { threads.round(host) }
    threads.holdStore()
    host.round { teacher.arrive("new power p\n") }
    host.round { ana.arrive("world drop teacher/main\nworld unshare teacher/main\n") }
    expect(ana.client.session.deferredEffect == nil && !ana.client.hosted.isReserved)
    threads.letStoreGo()
    while !teacher.lines().contains(where: { $0.hasPrefix("+ created p") }) { threads.round(host) }
    expectEqual(ana.lines().filter { $0.hasPrefix("- NOT-OWNER ") }.count, 2)
  }

  @Test("a user whose first world cannot be stored is told so, and can come again")
  func firstWorld() throws {
    let daemon = try KeptDaemon(Self.setup())
    daemon.failOnce { expectNil(daemon.host.connect(as: 1_001)) }
    expect(daemon.log.contains { $0.contains("1001/main could not be made") }, "\(daemon.log)")
    expect(daemon.host.connect(as: 1_001) != nil)
  }

  @Test("each durable world of a user may have an equal part of the disk, and what the others leave")
  func sharesOfTheDisk() {
    var limits = Limits()
    (limits.storeBytes, limits.userStore) = (100, 120)
    let ana = UserID.other(1_001)
    expectEqual(limits.mostStored(of: ana, beside: []), 100)
    expect(limits.mostStored(of: ana, beside: [20]) == 100 && limits.mostStored(of: ana, beside: [21]) == 99)
    expect(limits.mostStored(of: ana, beside: [90]) == 60 && limits.mostStored(of: ana, beside: [30, 40]) == 50)
    expectEqual(limits.mostStored(of: .owner, beside: [90]), 100)
  }

  @Test("past the limit the oldest inputs of the user's largest world go, and nobody else's")
  func diskOfUser() throws {
    var setup = Self.setup()
    for limit in ["storeBytes=65536", "userStore=65536", "userWorlds=2", "checkpointInputs=50"] {
      expectNil(setup.limits.set(limit))
    }
    let daemon = try KeptDaemon(setup)
    let (teacher, ben) = (daemon.connect(), try #require(daemon.host.connect(as: 1_002)))
    let ana = [try #require(daemon.host.connect(as: 1_001)), try #require(daemon.host.connect(as: 1_001))]
    expect(ana[1].ask("world new lab durable=yes", "use lab").last, hasPrefix: "+ world=lab")
    func bytes(_ world: String) throws -> Int { try daemon.store.holdings(of: world).bytes }
    /// Inputs of at least so many bytes.
    func fill(_ guest: Guest, _ world: String, _ most: Int) throws {
      while try bytes(world) < most {
        _ = guest.say(String(repeating: "send p buttonClick\n", count: 100))
        daemon.pass(1)
      }
    }
    for guest in ana + [teacher, ben] { _ = guest.say("new power p") }
    try fill(teacher, "main", 50_000)
    try fill(ben, "1002/main", 30_000)
    try fill(ana[0], "1001/main", 50_000)
    try expectEqual(daemon.store.holdings(of: "1001/main").first, 1)
    try fill(ana[1], "1001/lab", 30_000)
    try expect(bytes("1001/main") + bytes("1001/lab") <= 65_536 + 8_192)
    try expect(bytes("1001/main") >= 28_000)
    try expectEqual(daemon.store.holdings(of: "1001/lab").first, 1)
    for world in ["main", "1002/main"] { try expectEqual(daemon.store.holdings(of: world).first, 1) }
    try expect(daemon.store.holdings(of: "1001/main").first > 1)
  }

  @Test("the first world of a client that can change nothing is stored when the user comes by the other door")
  func watchDoor() throws {
    let daemon = try KeptDaemon(Self.setup())
    let watching = try #require(daemon.host.connect(as: 1_001, mayChange: false))
    try expectNil(daemon.store.world("1001/main"))
    expectEqual(watching.ask("world").last?.contains("durable=yes"), false)
    let ana = try #require(daemon.host.connect(as: 1_001))
    expect(ana.ask("new power p").last, hasPrefix: "+ created p")
    expectEqual(watching.ask("list", "send p buttonClick").map { $0.prefix(8) }, ["+ 1", "- READ-O"])
    try expectEqual(daemon.store.world("1001/main")?.head, 1)
    let again = try #require(try daemon.afterKill().host.connect(as: 1_001))
    expect(again.ask("expect p off").last, hasPrefix: "+ off")
  }
}
