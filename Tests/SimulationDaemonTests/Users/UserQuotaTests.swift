import Simulator
import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("Limits of a user")
struct UserQuotaTests {
  private func host(_ settings: String...) -> HostedService {
    var limits = Limits()
    limits.memory = 256 << 20
    limits.makeRoomForUsers()
    for setting in settings { expectNil(limits.set(setting)) }
    return HostedService(limits: limits, users: [1_001: "ana", 1_002: "ben"])
  }

  @Test("worlds, main among them; the daemon's owner has as many as there is room for")
  func worlds() throws {
    let host = host("userWorlds=3")
    let ana = try #require(host.connect(as: 1_001))
    expectEqual(ana.play("world new a", "world new b"), ["+ created a", "+ created b"])
    let full = "- LIMIT name=userWorlds value=3 : you have 3 worlds; 'world drop' removes one"
    expectEqual(ana.play("world new c", "world fork c"), [full, full])
    expectEqual(ana.play("world drop a", "world fork c"), ["+ dropped a", "+ created c"])
    let ben = try #require(host.connect(as: 1_002))
    expectEqual(ben.say("world new c"), ["+ created c"])
    expectEqual(host.connect().play("world new a", "world new b", "world new c", "world new d").last, "+ created d")
  }

  @Test("machines of all worlds together, also those that came by a fork")
  func machines() throws {
    let host = host("userMachines=4")
    let ana = try #require(host.connect(as: 1_001))
    _ = ana.play("new power a", "new power b", "world new w", "use w", "new power c")
    let full = "- LIMIT name=userMachines value=4 : the owner of this world has"
    expectEqual(ana.say("new phoneCall d"), ["\(full) 3 machines; there is no room for another phoneCall"])
    expect(ana.say("new power d").last, hasPrefix: "+ created d")
    expectEqual(ana.say("new power e"), ["\(full) 4 machines; there is no room for another power"])
    expect(ana.say("world fork x").last, hasPrefix: "- LIMIT name=userMachines value=4")
    expect(ana.play("drop c", "new power c").last, hasPrefix: "+ created c")
    // Those that others make here count too.
    let ben = try #require(host.connect(as: 1_002))
    _ = ana.say("world share w write")
    expectEqual(ben.play("use ana/w", "new power e").last, "\(full) 4 machines; there is no room for another power")
    expect(ben.play("use main", "new power e").last, hasPrefix: "+ created e")
    _ = ana.play("use main", "world drop w")
    expect(ana.play("new power c", "new power d").last, hasPrefix: "+ created d")
    expect(ana.say("new power e").last, hasPrefix: full)
    expect(ana.say("stats"), contains: ". userMachines 4 of-the-owner")
  }

  private func made(_ count: Int, _ prefix: String = "k") -> String {
    "quiet on\n" + (0..<count).map { "new shiftKey \(prefix)\($0)\n" }.joined() + "quiet off"
  }

  @Test("machines that a rewind brings back")
  func rewinds() throws {
    let host = host("userMachines=10")
    let ana = try #require(host.connect(as: 1_001))
    for world in ["a", "b"] {
      _ = ana.play("world new \(world)", "use \(world)", made(8), "undo 8")
    }
    expect(ana.say("redo").last, hasPrefix: "+ ")
    _ = ana.say("use a")
    let full =
      "- LIMIT name=userMachines value=10 : the owner of this world has 8 machines; there is no room for what comes back"
    expectEqual(ana.play("redo", "list"), [full, "+ 0"])
    _ = ana.play("use b", "advance 1s", (0..<6).map { "drop k\($0)" }.joined(separator: "\n"), "use a", "redo")
    expectEqual(ana.say("list").last, "+ 8")
    expect(ana.play("use b", "undo 2").last, hasPrefix: "- LIMIT name=userMachines")
    expect(ana.say("goto 0.5").last, hasPrefix: "- LIMIT name=userMachines")
    // The world's owner counts, not who asks for it.
    _ = ana.say("world share b write")
    let ben = try #require(host.connect(as: 1_002))
    expect(ben.play("use ana/b", "undo 3").last, hasPrefix: "- LIMIT name=userMachines")
    _ = ana.play("use main", "world drop a")
    expectEqual(ben.play("undo 6", "list").last, "+ 8")
    try expectEqual(#require(host.service.user(.other(1_001)).quota).countedMachines, 8)
  }

  @Test("machines of large copies and rewinds that several connections ask for at once")
  func growthAtOnce() throws {
    let host = host("userMachines=13000")
    let guests = try (0..<2).map { _ in try #require(host.connect(as: 1_001)) }
    let quota = try #require(host.service.user(.other(1_001)).quota)
    _ = guests[0].say(made(5_000))
    host.together((guests[0], "world fork a"), (guests[1], "world fork b"))
    let answers = guests.flatMap { $0.lines() }
    expectEqual(answers.count { $0.hasPrefix("+ created ") }, 1, "\(answers)")
    expectEqual(answers.count { $0.hasPrefix("- LIMIT name=userMachines value=13000") }, 1, "\(answers)")
    expectEqual(quota.countedMachines, 10_000)

    _ = guests[0].play(made(2_000, "x"), "undo 2000")
    let copy = guests[0].say("worlds").contains { $0.hasPrefix(". a ") } ? "a" : "b"
    _ = guests[1].play("use \(copy)", made(2_000, "x"), "undo 2000")
    host.together((guests[0], "redo"), (guests[1], "redo"))
    let rewinds = guests.flatMap { $0.lines() }
    expectEqual(rewinds.count { $0.hasPrefix("+ ") }, 1, "\(rewinds)")
    expectEqual(rewinds.count { $0.hasPrefix("- LIMIT name=userMachines value=13000") }, 1, "\(rewinds)")
    expectEqual(quota.countedMachines, 12_000)
  }

  @Test("connections, open ones and those with work left")
  func clients() throws {
    let host = host("userClients=2")
    let first = try #require(host.connect(as: 1_001))
    let second = try #require(host.connect(as: 1_001))
    expectNil(host.connect(as: 1_001))
    expectEqual(
      host.service.refusal(of: .other(1_001)),
      "- LIMIT name=userClients value=2 : you have 2 connections already\n! bye reason=limit\n")
    expect(host.connect(as: 1_002) != nil)
    for _ in 0..<20 { _ = host.connect() }
    host.service.close(second.client)
    let third = try #require(host.connect(as: 1_001))
    host.service.close(first.client)
    host.service.close(third.client)
    expectEqual(host.service.user(.other(1_001)).clients, 0)
  }

  @Test("guests fill a world of the daemon's owner up to the limits of one user, and its owner beyond")
  func guestsOfTheOwner() throws {
    let host = host("userMachines=4")
    let teacher = host.connect()
    let ana = try #require(host.connect(as: 1_001))
    _ = teacher.play("world new lab", "world share lab write", "use lab", "new power t")
    _ = ana.play("use teacher/lab", made(3))
    let full = "- LIMIT name=userMachines value=4 : this world has"
    expectEqual(ana.say("new power x"), ["\(full) 4 machines; a guest has no room for another power"])
    expect(ana.play("drop t", "new power x").last, hasPrefix: "+ created x")
    expectEqual(ana.say("new phoneCall c"), ["\(full) 4 machines; a guest has no room for another phoneCall"])
    expect(teacher.say("new power y").last, hasPrefix: "+ created y")
    expect(ana.play("drop x", "new power x").last, hasPrefix: full)
    // A refusal in front lifts no limit.
    _ = teacher.say("new job j")
    expect(ana.say("send j cancel\nnew power x").last, hasPrefix: full)
    expect(ana.play("use main", "new power m").last, hasPrefix: "+ created m")
  }

  @Test("memory: guests fill a world of the daemon's owner up to that of one user, and its owner beyond")
  func memoryOfGuests() throws {
    let host = host("userMemory=3000000", "journalBytes=1000000000")
    let teacher = host.connect()
    let ana = try #require(host.connect(as: 1_001))
    _ = teacher.play("world new lab", "world share lab write", "use lab")
    _ = ana.play("use teacher/lab", "quiet on")
    var full: String?
    for round in 0..<200 where full == nil {
      let requests = (0..<500).map { "new shiftKey k\(round).\($0)" }.joined(separator: "\n")
      full = ana.say(requests).first
    }
    expect(full, hasPrefix: "- LIMIT name=userMemory value=3000000 : the memory that guests may use")
    expect(teacher.say("new power t").last, hasPrefix: "+ created t")
    // That the world's time has room for inputs is no room for hers.
    _ = teacher.play("new game g frameRate=1000", "send g start", "clock real")
    host.passTime(10)
    expect(ana.say("send t buttonClick").first, hasPrefix: "- LIMIT name=userMemory")
    _ = teacher.say("clock virtual")
    expect(ana.play("quiet off", "use main", "new power m").last, hasPrefix: "+ created m")
  }

  @Test("memory: one user's is used up, and the others do not notice")
  func memory() throws {
    let host = host("userMemory=3000000", "journalBytes=1000000000")
    let ana = try #require(host.connect(as: 1_001))
    let ben = try #require(host.connect(as: 1_002))
    var isFull = false
    _ = ana.play("world new w", "use w", "quiet on")
    for round in 0..<200 where !isFull {
      let requests = (0..<500).map { "new shiftKey k\(round).\($0)" }.joined(separator: "\n")
      isFull = ana.say(requests).contains { $0.hasPrefix("- LIMIT name=userMemory value=3000000 : ") }
    }
    expect(isFull)
    expect(ben.say("new power p").last, hasPrefix: "+ created p")
    expectEqual(ana.say("sync").last, "+")
    expect(ana.play("use main", "world drop w", "quiet off", "new power p").last, hasPrefix: "+ created p")
    host.service.close(ana.client)
    let quota = try #require(host.service.user(.other(1_001)).quota)
    expect(quota.countedBytes < 1_000_000)
  }

  @Test("what a strict batch keeps to check its lines counts, with the machines of composed names")
  func strictBatch() throws {
    let host = host("userMemory=1048576")
    let ana = try #require(host.connect(as: 1_001))
    let lines = (0..<3_400).map { "new phoneCall c\($0)\n" }.joined()
    let answer = "- LIMIT name=userMemory value=1048576 : this batch went over the limit; nothing of it was run"
    expectEqual(ana.say("begin strict\n\(lines)end").last, answer)
    expectEqual(ana.say("list").last, "+ 0")
  }

  @Test("many users together have little more than the daemon's memory")
  func budget() throws {
    var limits = Limits.fitting(memory: 16 << 20)
    limits.makeRoomForUsers()
    let users = Dictionary(
      uniqueKeysWithValues: (0..<Thorough.rounds(32, atLeast: 16)).map { (UInt32(2_000 + $0), "user\($0)") })
    let host = HostedService(limits: limits, users: users)
    var refused = 0
    let batch = "quiet on\nbegin\n" + (0..<8_000).map { "new shiftKey s\($0)\n" }.joined() + "end"
    for uid in users.keys.sorted() {
      let guest = try #require(host.connect(as: uid))
      for world in ["v", "w"] {
        let answers = guest.play("world new \(world)", "use \(world)", batch)
        if answers.contains(where: { $0.contains(" LIMIT name=") }) { refused += 1 }
      }
      expectEqual(guest.play("quiet off", "list x").last, "+ 0")
    }
    expect(refused > users.count / 2, "\(refused)")
    let budget = host.service.budget
    expect(budget.counted < budget.bytes + budget.bytes / 4, "\(budget.counted), \(refused)")
  }

  @Test("some places are the daemon's owner's, and connections on their way count")
  func places() throws {
    let host = host("clients=32")
    for _ in 0..<2 { for uid in [1_001, 1_002] as [UInt32] { for _ in 0..<7 { _ = host.connect(as: uid) } } }
    let (ana, ben) = (UserID.other(1_001), UserID.other(1_002))
    expectEqual(host.service.user(ana).clients + host.service.user(ben).clients, 28)
    host.service.beginArrival(of: ana)
    expectNil(host.service.refusal(of: ben))
    host.service.beginArrival(of: ben)
    expect(host.service.refusal(of: ben), hasPrefix: "- LIMIT name=clients value=32 : ")
    expectNil(host.service.refusal(of: .owner))
    host.service.endArrival(of: ana)
    expectNil(host.service.refusal(of: ben))
    host.round { host.service.shutDown() }
    expectEqual(host.service.refusal(of: ben), "! bye reason=shutdown\n")
  }

  @Test("the limits are listed where there are users, and only there")
  func listed() throws {
    let names = ["userClients", "userWorlds", "userMachines", "userMemory", "userStore"]
    let lines = try #require(host("userWorlds=5").connect(as: 1_001)).say("limits")
    expect(lines, contains: ". userWorlds 5 worlds-per-user")
    for name in names { expect(lines.contains { $0.hasPrefix(". \(name) ") }) }
    expect(!HostedService().connect().say("limits").contains { $0.contains("user") })
  }

  @Test("what a client that is gone has only asked keeps no worker and no place")
  func gone() throws {
    let threads = HeldWorkers()
    let host = HostedService(workers: threads.workers(), users: [1_001: "ana"])
    let ana = try #require(host.connect(as: 1_001))
    // Long lines are for workers, and the only one is busy.
    let long = String(repeating: "x", count: 1_100)
    let lines = ["count", "list", "journal", "nothing"].map { "\($0) \(long)\n" }.joined()
    host.round {
      ana.arrive(String(repeating: lines, count: 50))
      host.service.close(ana.client)
    }
    host.settle()
    expect(host.service.disconnected.isEmpty)
    expectEqual(ana.client.user.clients, 0)
    threads.finish(host)
  }

  @Test("the log has one line a minute about refused connections of a user, with their number")
  func refusals() {
    let user = User(.other(1_001), Limits())
    let second: UInt64 = 1_000_000_000
    expectEqual(user.noteRefusal(at: 5 * second), 1)
    for _ in 0..<999 { expectNil(user.noteRefusal(at: 64 * second)) }
    expectEqual(user.noteRefusal(at: 65 * second), 1_000)
    expectNil(user.noteRefusal(at: 66 * second))
  }
}
