import Simulator
import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("Random requests of several users")
struct RandomUsersTests {
  @Test(
    "nobody is ever where they may not be, or learns a word of a world that was never shared",
    arguments: Thorough.rounds(0..<12))
  func random(seed: UInt64) throws {
    var limits = FuzzTests.limits
    limits.worlds = 64
    let host = HostedService(limits: limits, users: [1_001: "ana", 1_002: "ben", 1_003: "cid"])
    var dice = Dice(seed: seed)
    var requests = RandomRequests(seed: seed, HostedService.catalogue)
    var guests = [host.connect()]
    for uid in [1_001, 1_001, 1_002, 1_003] as [UInt32] { guests.append(try #require(host.connect(as: uid))) }
    guests.append(try #require(host.connect(as: 1_002, mayChange: false)))
    // Nobody shares it: what is in it has names that stand nowhere else.
    let hidden = try #require(host.connect(as: 1_003))
    _ = hidden.play("world new Secret", "use Secret", "new power Secret", "world fork Secret2")
    for number in 0..<400 {
      let guest = dice.one(of: guests)
      let owner = dice.one(of: ["teacher", "ana", "ben", "cid", "1001"])
      let request =
        switch dice.number(below: 8) {
        case 0: "use \(owner)/\(dice.one(of: ["main", "w1", "w2", "Secret", "Secret2"]))"
        case 1:
          "world \(dice.one(of: ["share", "unshare", "drop"])) \(dice.one(of: ["w1", "w2", "\(owner)/w1", "main"]))"
        case 2:
          dice.one(of: ["who", "worlds", "activities", "world", "diff main \(owner)/main", "world new w1", "use w1"])
        case _: requests.tagged(number)
        }
      let answers = guest.say(request)
      let user = guest.client.user.id
      if user != .owner, user != .other(1_003) {
        let told = answers.joined(separator: "\n").replacing(request, with: "")
        expect(!told.contains("Secret") || request.contains("Secret"), "seed \(seed): \(request)\n\(told)")
      }
      for guest in guests where guest.client.session.life == .open {
        let access = guest.client.hosted.access(of: guest.client.user.id)
        expect(access != .nothing, "seed \(seed): \(request)")
        expectEqual(
          guest.client.session.mayChange, (access == .write && guest.client.session.terms.mayChange), "seed \(seed)")
        expect(host.service.worlds[guest.client.hosted.name] === guest.client.hosted, "seed \(seed)")
      }
      if host.service.isShuttingDown { return }
    }
    expect(hidden.say("world").first, hasPrefix: "+ world=Secret ")
    for hosted in host.service.worlds.values {
      expect(hosted.live.world.checkInvariants().isEmpty)
    }
  }
}
