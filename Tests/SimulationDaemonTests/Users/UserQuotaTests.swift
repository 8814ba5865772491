import Simulator
import Testing

@testable import SimulationDaemon

@Suite("Limits of a user")
struct UserQuotaTests {
  private func host(_ settings: String...) -> HostedService {
    var limits = Limits()
    limits.memory = 256 << 20
    limits.makeRoomForUsers()
    for setting in settings { #expect(limits.set(setting) == nil) }
    return HostedService(limits: limits, users: [1_001: "ana", 1_002: "ben"])
  }

  @Test("worlds, main among them; the daemon's owner has as many as there is room for")
  func worlds() throws {
    let host = host("userWorlds=3")
    let ana = try #require(host.connect(as: 1_001))
    #expect(ana.play("world new a", "world new b") == ["+ created a", "+ created b"])
    let full = "- LIMIT name=userWorlds value=3 : you have 3 worlds; 'world drop' removes one"
    #expect(ana.play("world new c", "world fork c") == [full, full])
    #expect(ana.play("world drop a", "world fork c") == ["+ dropped a", "+ created c"])
    let ben = try #require(host.connect(as: 1_002))
    #expect(ben.say("world new c") == ["+ created c"])
    #expect(host.connect().play("world new a", "world new b", "world new c", "world new d").last == "+ created d")
  }

  @Test("machines of all worlds together, also those that came by a fork")
  func machines() throws {
    let host = host("userMachines=4")
    let ana = try #require(host.connect(as: 1_001))
    _ = ana.play("new power a", "new power b", "world new w", "use w", "new power c")
    let full = "- LIMIT name=userMachines value=4 : the owner of this world has"
    #expect(ana.say("new phoneCall d") == ["\(full) 3 machines; there is no room for another phoneCall"])
    #expect(ana.say("new power d").last?.hasPrefix("+ created d") == true)
    #expect(ana.say("new power e") == ["\(full) 4 machines; there is no room for another power"])
    #expect(ana.say("world fork x").last?.hasPrefix("- LIMIT name=userMachines value=4") == true)
    #expect(ana.play("drop c", "new power c").last?.hasPrefix("+ created c") == true)
    // Those that others make here count too.
    let ben = try #require(host.connect(as: 1_002))
    _ = ana.say("world share w write")
    #expect(ben.play("use ana/w", "new power e").last == "\(full) 4 machines; there is no room for another power")
    #expect(ben.play("use main", "new power e").last?.hasPrefix("+ created e") == true)
    _ = ana.play("use main", "world drop w")
    #expect(ana.play("new power c", "new power d").last?.hasPrefix("+ created d") == true)
    #expect(ana.say("new power e").last?.hasPrefix(full) == true)
    #expect(ana.say("stats").contains(". userMachines 4 of-the-owner"))
  }

  @Test("connections, open ones and those with work left")
  func clients() throws {
    let host = host("userClients=2")
    let first = try #require(host.connect(as: 1_001))
    let second = try #require(host.connect(as: 1_001))
    #expect(host.connect(as: 1_001) == nil)
    #expect(
      host.service.refusal(of: .other(1_001))
        == "- LIMIT name=userClients value=2 : you have 2 connections already\n! bye reason=limit\n")
    #expect(host.connect(as: 1_002) != nil)
    for _ in 0..<20 { _ = host.connect() }
    host.service.close(second.client)
    let third = try #require(host.connect(as: 1_001))
    host.service.close(first.client)
    host.service.close(third.client)
    #expect(host.service.user(.other(1_001)).clients == 0)
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
    #expect(isFull)
    #expect(ben.say("new power p").last?.hasPrefix("+ created p") == true)
    #expect(ana.say("sync").last == "+")
    #expect(ana.play("use main", "world drop w", "quiet off", "new power p").last?.hasPrefix("+ created p") == true)
    host.service.close(ana.client)
    let quota = try #require(host.service.user(.other(1_001)).quota)
    #expect(quota.countedBytes < 1_000_000)
  }

  @Test("the limits are listed where there are users, and only there")
  func listed() throws {
    let names = ["userClients", "userWorlds", "userMachines", "userMemory"]
    let lines = try #require(host("userWorlds=5").connect(as: 1_001)).say("limits")
    #expect(lines.contains(". userWorlds 5 worlds-per-user"))
    for name in names { #expect(lines.contains { $0.hasPrefix(". \(name) ") }) }
    #expect(!HostedService().connect().say("limits").contains { $0.contains("user") })
  }
}
