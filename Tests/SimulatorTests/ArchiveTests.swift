import Simulations
@testable import Simulator
import StateMachines
import TestSupport
import Testing

@Suite("A world that was written out and read back goes on as if nothing had been")
struct ArchiveTests {
  static let entries = DeterminismTests.entries

  /// The simulations and the kinds of the tests.
  static func kind(_ name: String) -> CatalogueEntry? { known[name] }
  private static let known = Catalogue(entries + [.machine(Metronome.kind), .machine(Gambler.kind)])

  /// A world loaded from another one's archive.
  static func reread(_ world: borrowing WorldCore) throws -> WorldCore {
    try WorldCore(archive: world.archive(), kinds: kind, limits: world.limits)
  }

  /// Plays a part of a script, each input at its moment.
  private func play(
    _ inputs: ArraySlice<(moment: Instant, action: Script.Action)>, _ script: Script, into world: inout WorldCore
  ) {
    for (moment, action) in inputs {
      Script.advance(&world, to: moment, .whole)
      world.fireDue()
      script.play(action, into: &world)
    }
  }

  private func expectContinues(_ entries: [CatalogueEntry], seed: Int, inputs: Int) throws {
    let script = Script(seed: seed, of: entries, inputs: inputs)
    var world = WorldCore(seed: UInt64(seed), limits: Script.limits())
    let pieces = 4
    for piece in 0..<pieces {
      play(script.inputs[inputs * piece / pieces..<inputs * (piece + 1) / pieces], script, into: &world)
      let archive = try world.archive()
      var other = try WorldCore(archive: archive, kinds: Self.kind, limits: world.limits)
      try expectEqual(other.archive(), archive, "seed \(seed), piece \(piece)")
      try expectEqual(other.stateHash, world.stateHash)
      expectEqual(other.checkInvariants(), [])
      expectNil(RewindTests.difference(world.portrait(), other.portrait()), "seed \(seed), piece \(piece)")
      var first = world.fork()
      try expectEqual(first.stateHash, world.stateHash)
      let start = world.lastSequence + 1
      let rest = script.inputs[(inputs * (piece + 1) / pieces)...]
      play(rest, script, into: &first)
      play(rest, script, into: &other)
      Script.advance(&first, to: script.end, .whole)
      Script.advance(&other, to: script.end, .whole)
      expectNil(
        RewindTests.difference(first.journalText(from: start), other.journalText(from: start)),
        "seed \(seed), piece \(piece)")
      try expectEqual(first.archive(), other.archive(), "seed \(seed), piece \(piece)")
      expectEqual(other.checkInvariants(), [])
    }
  }

  @Test("all kinds together", arguments: Thorough.rounds(0..<12))
  func together(seed: Int) throws {
    try expectContinues(Self.entries, seed: seed, inputs: 160)
  }

  @Test("each kind by itself", arguments: Self.entries.map(\.name), Thorough.rounds(0..<2))
  func alone(name: String, seed: Int) throws {
    let entry = try #require(Self.kind(name))
    try expectContinues([entry], seed: seed, inputs: Thorough.rounds(60, atLeast: 20))
  }
}
