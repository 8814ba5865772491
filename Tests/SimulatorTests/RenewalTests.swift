import Simulations
@testable import Simulator
import StateMachines
import TestSupport
import Testing

@Suite("Timers that begin anew")
struct RenewalTests {
  @Test("they are due later, at the same name, and the journal says so")
  func renewed() throws {
    var world = WorldCore()
    guard case .machine(let kind)? = Catalogue.simulations["shiftKey"] else { return }
    let key = try Array("key".utf8).withUnsafeBytes { try world.create(kind, named: $0) }
    world.send(key, plain: 0)
    var budget = 10
    _ = world.advance(to: Instant(nanoseconds: 200_000_000), budget: &budget)
    let item = try #require(world.agendaItems(matching: .all, limit: 9).first)
    expectEqual(item.due, Instant(nanoseconds: 350_000_000))
    world.renew([
      RenewedTimer(machine: key, timer: item.timer, key: 0, duration: Nanoseconds(nanoseconds: 350_000_000))
    ])
    expectEqual(world.agendaItems(matching: .all, limit: 9).map(\.due), [Instant(nanoseconds: 550_000_000)])
    var reader = world.journalReader(from: world.lastSequence)
    let entry = world.read(&reader)
    expect(entry?.input == .renewed && entry?.machine == nil)
    expectEqual(world.checkInvariants(), [])
    // No request renewed the timers, so an undo takes that back with the request before.
    _ = try world.undo()
    expect(world.agendaItems(matching: .all, limit: 9).isEmpty)
  }

  @Test("a replay lets them begin anew too, those with keys included", arguments: Thorough.rounds(0..<6))
  func replay(seed: Int) throws {
    var walk = RewindWalk(seed: seed, of: DeterminismTests.entries, steps: 400)
    var kept = KeptJournal()
    walk.world.beginKeeping()
    for step in 0..<200 {
      try walk.step()
      if step % 20 == 19 {
        let timers = walk.world.agendaItems(matching: .all, limit: .max).map {
          RenewedTimer(
            machine: $0.machine, timer: $0.timer, key: $0.key,
            duration: Nanoseconds(nanoseconds: ($0.due - walk.world.now).nanoseconds + 1_000_000))
        }
        walk.world.renew(timers)
        kept.keep(&walk.world)
      }
    }
    kept.keep(&walk.world)
    let world = try kept.recover(seed: UInt64(seed), Script.limits(), RecoveryTests.catalogue)
    expectNil(RewindTests.difference(walk.world.portrait(), world.portrait()), "seed \(seed)")
    expectEqual(world.checkInvariants(), [])
  }
}
