import Foundation
import LineProtocol
import Simulator
import StateMachines
import Testing

@testable import fsmd

@Suite("A stored world as a script")
struct ScriptExportTests {
  private static let limits: Limits = {
    var limits = Limits()
    _ = limits.set("wireChain=30")
    _ = limits.set("wireDeliveries=100")
    _ = limits.set("chain=200")
    return limits
  }()

  /// Requests of all kinds, some in batches, ways back among them.
  private func play(seed: UInt64, requests: Int, _ guest: Guest, wait: (inout Dice) -> Void) {
    var random = RandomRequests(seed: seed, HostedService.catalogue)
    var dice = Dice(seed: ~seed)
    for number in 0..<requests {
      if number > 15, !dice.once(in: 3) { wait(&dice) }
      switch dice.number(below: 24) {
      case 0: _ = guest.say("undo \(dice.number(below: 4) + 1)")
      case 1 where dice.once(in: 3): _ = guest.say("undo \(dice.number(below: 30) + 1)")
      case 2:
        let now = guest.client.hosted.realm.world.now.nanoseconds
        let back = dice.once(in: 4) ? 1 : Int64(dice.next() >> 1) % (now + 1) / Int64(dice.one(of: [1, 10, 100]))
        _ = guest.say("goto \(now - back)ns")
      case 3:
        _ = guest.say((["begin"] + (0..<3).map { _ in random.input() } + ["end"]).joined(separator: "\n"))
      case _: _ = guest.say(random.input())
      }
    }
  }

  /// What is known of a world: its journal, its machines, its timers, and what is there of each machine.
  private func facts(_ guest: Guest) -> [String] {
    let names = guest.say("list").compactMap { line in
      line.hasPrefix(". ") ? line.split(separator: " ")[1] : nil
    }
    return guest.play("journal since=1 limit=1000000", "list", "wires", "agenda")
      + names.flatMap { guest.say("show \($0)") }
      // What a machine draws next is decided by what was drawn before.
      + guest.say("advance 0s")
  }

  /// Plays a script's requests one after the other, and says which did not come out as they should.
  private func play(_ script: String, _ guest: Guest) throws -> [String] {
    let parsed = try ScriptParser.parse("s.fsm", Array(script.utf8)) { _ in .failed("there is no other file") }
    var surprises: [String] = []
    for step in parsed.steps {
      guard case .request(_, let outcome) = step.action else { continue }
      let request = parsed.request(of: step)
      let answer = guest.say(request).last ?? ""
      let wanted: Bool
      if outcome < 0 {
        wanted = answer.hasPrefix("+ ")
      } else if case .refused(let code?) = parsed.outcomes[Int(outcome)].result {
        wanted = answer.hasPrefix("- \(code.word) ")
      } else {
        wanted = answer.hasPrefix("+ ")
      }
      if !wanted { surprises.append("\(request): \(answer)") }
    }
    return surprises
  }

  private func expectSame(_ session: StoredSession, _ guest: Guest, seed: UInt64) throws {
    let script = try session.script(of: "w")
    let other = HostedService(limits: Self.limits).connect()
    _ = other.say("world new w seed=\(seed)")
    _ = other.say("use w")
    #expect(try play(script, other) == [], "seed \(seed)")
    let (wanted, found) = (facts(guest), facts(other))
    #expect(wanted.count == found.count, "seed \(seed)")
    for (wanted, found) in zip(wanted, found) where wanted != found {
      Issue.record("seed \(seed): \(found) is not \(wanted)")
      return
    }
    #expect(other.violations() == [], "seed \(seed)")
  }

  @Test("comes out the same when it is played, ways back included", arguments: 0..<25 as Range<UInt64>)
  func virtual(seed: UInt64) throws {
    let session = try StoredSession(limits: Self.limits)
    let guest = session.connect(toWorld: "w", "seed=\(seed)")
    play(seed: seed, requests: 150, guest) { dice in
      let scale: Int64 = dice.one(of: [1, 1_000, 50_000_000, 200_000_000, 1_000_000_000])
      _ = guest.say(dice.once(in: 8) ? "step" : "advance \(Int64(dice.number(below: 300)) * scale)ns")
    }
    try expectSame(session, guest, seed: seed)
  }

  @Test("comes out the same on a virtual clock when it happened on a real one", arguments: 100..<110 as Range<UInt64>)
  func real(seed: UInt64) throws {
    let session = try StoredSession(limits: Self.limits)
    let guest = session.connect(toWorld: "w", "seed=\(seed) clock=real")
    play(seed: seed, requests: 80, guest) { dice in
      _ = guest.say("resume")
      session.host.passTime(Double(dice.number(below: 1_000)) / Double(dice.one(of: [1, 10, 1_000])))
    }
    _ = guest.say("clock virtual")
    // A chain without end that was allowed to go on is what no script can do.
    guard !guest.say("journal since=1 limit=1000000").isEmpty else { return }
    do {
      try expectSame(session, guest, seed: seed)
    } catch HistoryFailure.unsayable(_, _, let reason) {
      #expect(reason.contains("virtual clock"), "seed \(seed)")
    }
  }
}
