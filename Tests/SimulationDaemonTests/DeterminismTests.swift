import TestSupport
@testable import Scripts
import LineProtocol
import Simulator
import StateMachines
import Testing

@testable import SimulationDaemon

/// The inputs and their moments determine everything else, whether time is divided, late, or shared with other worlds.
@Suite("Determinism")
struct DeterminismTests {
  /// Requests with their moments.
  private struct Script {
    var steps: [(moment: Int64, request: String)] = []
    var end: Int64

    init(seed: UInt64, requests: Int = 120) {
      var random = RandomRequests(seed: seed, HostedService.catalogue)
      var dice = Dice(seed: ~seed)
      var moment: Int64 = 0
      for number in 0..<requests {
        // First some machines are made, and some requests share a moment.
        if number > 20, !dice.once(in: 3) {
          let scale: Int64 = dice.one(of: [1, 1_000, 50_000_000, 200_000_000, 1_000_000_000])
          moment += Int64(dice.number(below: 500)) * scale
        }
        steps.append((moment, random.input()))
      }
      end = moment + 600_000_000_000
    }
  }

  private static let limits: Limits = {
    var limits = Limits()
    _ = limits.set("wireChain=30")
    _ = limits.set("wireDeliveries=100")
    return limits
  }()

  /// Moves a virtual world to a moment; a chain of wires may stop it on the way.
  private func advance(_ guest: Guest, until moment: Int64) {
    for _ in 0..<10_000 {
      let lines = guest.say("advance until \(moment)ns")
      if lines.last?.hasPrefix("+ advanced") == true { return }
      guard lines.last?.hasPrefix("- LIMIT name=wire") == true else {
        Issue.record("\(lines)")
        return
      }
    }
    Issue.record("time does not pass")
  }

  private func play(_ script: Script, _ guest: Guest, cut: (Guest, Int64) -> Void = { _, _ in }) -> [String] {
    for (moment, request) in script.steps {
      cut(guest, moment)
      advance(guest, until: moment)
      _ = guest.say(request)
    }
    cut(guest, script.end)
    advance(guest, until: script.end)
    expectEqual(guest.violations(), [])
    return guest.say("journal limit=1000000")
  }

  private func newWorld() -> Guest { HostedService(limits: DeterminismTests.limits).connect(toWorld: "w") }

  @Test(
    "a journal is the same however the time between the requests is cut",
    arguments: Thorough.rounds(0..<20 as Range<UInt64>))
  func cuts(seed: UInt64) {
    let script = Script(seed: seed)
    let whole = play(script, newWorld())
    expect(whole.count > 30, "seed \(seed)")
    var dice = Dice(seed: seed)
    let pieces = play(script, newWorld()) { guest, moment in
      for _ in 0..<dice.number(below: 8) {
        let left = moment - guest.client.hosted.live.world.now.nanoseconds
        if left > 0 { _ = guest.say("advance \(Int64(dice.next() >> 1) % left + 1)ns") }
      }
    }
    expectEqual(pieces, whole, "seed \(seed)")
    let steps = play(script, newWorld()) { guest, moment in
      for _ in 0..<dice.number(below: 60) {
        guard let next = guest.say("agenda limit=1").first, next.hasPrefix("."),
          let due = TimeText.time(String(next.split(separator: " ")[1])), due <= moment
        else { return }
        _ = guest.say("step")
      }
    }
    expectEqual(steps, whole, "seed \(seed)")
  }

  @Test("the same requests give the same replies and notices", arguments: Thorough.rounds(0..<6 as Range<UInt64>))
  func repeatable(seed: UInt64) {
    let script = Script(seed: seed)
    func replies() -> [String] {
      let guest = newWorld()
      _ = guest.say("watch * what=all")
      return script.steps.flatMap { guest.say("advance until \($0.moment)ns") + guest.say($0.request) }
    }
    expectEqual(replies(), replies(), "seed \(seed)")
  }

  @Test("what one world does changes nothing in another", arguments: Thorough.rounds(0..<10 as Range<UInt64>))
  func isolation(seed: UInt64) {
    let scripts = [Script(seed: seed), Script(seed: seed + 1_000)]
    let alone = scripts.map { play($0, newWorld()) }
    var dice = Dice(seed: seed)
    let host = HostedService(limits: DeterminismTests.limits)
    // One client changes between the worlds, the other stays in the second one.
    let (traveller, resident) = (host.connect(toWorld: "one"), host.connect(toWorld: "two"))
    _ = traveller.say("watch *\nuse two\nwatch m* what=all\nuse one")
    var next = [0, 0]
    while next[0] < scripts[0].steps.count || next[1] < scripts[1].steps.count {
      let world = dice.number(below: 2)
      guard next[world] < scripts[world].steps.count else { continue }
      let (moment, request) = scripts[world].steps[next[world]]
      next[world] += 1
      let guest = world == 0 || dice.once(in: 2) ? traveller : resident
      _ = traveller.say(world == 0 ? "use one" : "use two")
      advance(guest, until: moment)
      _ = guest.say(request)
    }
    for (world, name) in ["one", "two"].enumerated() {
      _ = traveller.say("use \(name)")
      advance(traveller, until: scripts[world].end)
      expectEqual(traveller.say("journal limit=1000000"), alone[world], "seed \(seed), world \(name)")
    }
  }

  @Test(
    "a session on a real clock, late as it may be, replays to the same journal",
    arguments: Thorough.rounds(0..<20 as Range<UInt64>))
  func liveEqualsVirtual(seed: UInt64) {
    var dice = Dice(seed: seed)
    var random = RandomRequests(seed: seed, HostedService.catalogue)
    let host = HostedService(limits: DeterminismTests.limits)
    let guests = [host.connect(), host.connect()]
    _ = guests[0].say("speed \(dice.one(of: ["1", "0.333333333", "60", "7.25", "100"]))")
    var recorded: [(t: String, request: String)] = []
    for number in 0..<150 {
      switch number < 20 ? 0 : dice.number(below: 5) {
      case 0: break
      case 1: host.passTime(Double(dice.number(below: 1_000)) / 999)
      case 2: host.passTimeLate(UInt64(dice.number(below: 3_000_000_000)))
      case 3: host.passTimeLate(UInt64(dice.number(below: 1_000)))
      case _:
        if dice.once(in: 10) { _ = guests[0].say(dice.one(of: ["pause", "resume", "speed 3.7", "speed 0.01"])) }
      }
      // A chain of wires pauses a real world.
      if guests[0].client.hosted.live.clock.isPaused { _ = guests[0].say("resume") }
      let requests = (0...dice.number(below: 3)).map { _ in random.input() }
      for guest in guests { _ = guest.lines() }
      let guest = dice.one(of: guests)
      // Requests that arrive together share one moment.
      let replies = guest.say(requests.joined(separator: "\n")).filter { $0.hasPrefix("+") || $0.hasPrefix("-") }
      expectEqual(replies.count, requests.count, "seed \(seed)")
      for (request, reply) in zip(requests, replies) {
        guard let line = ServerLine(reply), let t = line["t"] else { continue }
        recorded.append((t, request))
      }
    }
    _ = guests[0].say("clock virtual")
    let end = guests[0].client.hosted.live.world.now.nanoseconds
    let live = guests[0].say("journal limit=1000000")
    let replay = newWorld()
    for (t, request) in recorded {
      advance(replay, until: TimeText.time(t) ?? 0)
      _ = replay.say(request)
    }
    advance(replay, until: end)
    expect(live.count > 50, "seed \(seed)")
    expectEqual(replay.say("journal limit=1000000"), live, "seed \(seed)")
  }

  @Test("a real clock that is far behind catches up in many rounds, to the same journal")
  func farBehind() {
    let host = HostedService()
    let guest = host.connect()
    _ = guest.play("speed 60", "new ticker t every=100ms initial=running", "new shiftKey k")
    host.passTimeLate(100_000_000_000)
    let reply = guest.say("send k tap")
    expect(reply.count == 1 && reply[0].hasPrefix("+ moved off on t=6000.0000") && reply[0].hasSuffix("seq=60003"))
    let moment = reply.first.flatMap { ServerLine($0)?["t"] } ?? ""
    let virtual = host.connect(toWorld: "w")
    _ = virtual.play(
      "new ticker t every=100ms initial=running", "new shiftKey k", "advance until \(moment)", "send k tap")
    expectEqual(virtual.say("journal limit=100000"), guest.say("journal limit=100000"))
  }
}
