import Simulations
@testable import Simulator
import StateMachines
import TestSupport
import Testing

@Suite("Equal hashes, equal futures")
struct StateHashTests {
  /// One of each simulated kind, with examples for required parameters, ten seconds later.
  private func oneOfEach() throws -> WorldCore {
    var world = WorldCore(seed: 42)
    for entry in Catalogue.simulations.entries {
      switch entry {
      case .machine(let kind): try world.make(kind, kind.name, kind.requiredExamples)
      case .composition(let composition):
        try world.create(
          composition, named: composition.name, parameters: composition.members.map(\.kind.requiredExamples))
      }
    }
    world.advance(to: 10)
    return world
  }

  /// Computed once. It changes with the stored form, and with what a kind is or does in ten seconds. After an intended
  /// change check whether to raise the kind's version or `WorldArchive.format`, and put the new number here.
  @Test("the hash of one world of one of each kind is the same in every build and process")
  func known() throws {
    let hash = try oneOfEach().stateHash
    expectEqual(hash, 0xFE1C7A9EC0638806, "0x\(String(hash, radix: 16, uppercase: true))")
  }

  @Test("what only looks, counts or is elsewhere in memory does not change it")
  func sameState() throws {
    var world = try oneOfEach()
    let hash = try world.stateHash
    try expectEqual(world.fork().stateHash, hash)
    try expectEqual(ArchiveTests.reread(world).stateHash, hash)
    _ = world.machines(matching: .all)
    world.watch(NamePattern("*".utf8), .all, for: WatcherID(1))
    world.firings += 1
    try expectEqual(world.stateHash, hash)
    // Stamps count armings; only their order matters.
    world.restamp()
    try expectEqual(world.stateHash, hash)
    let archive = try world.archive()
    try expectEqual(archive.withUnsafeBytes { try WorldCore.stateHash(ofArchive: $0) }, hash)
  }

  @Test("whatever decides what follows changes it")
  func otherState() throws {
    var hashes: Set<UInt64> = [try oneOfEach().stateHash]
    let changes: [(inout WorldCore) throws -> Void] = [
      { $0.advance(to: 10.000000001) }, { $0.send("power", "buttonClick") }, { try $0.make(Power.kind, "another") },
      { $0.drop("power") }, { _ = $0.record.generator.next() }, { $0.limits.chain -= 1 },
      { try $0.wire($0.wire(from: "shiftKey.text", to: "acceptor.char")) },
      {
        $0.send("power", "buttonClick")
        try $0.undo()
      },
    ]
    for (place, change) in changes.enumerated() {
      var world = try oneOfEach()
      try change(&world)
      expect(hashes.insert(try world.stateHash).inserted, "change \(place)")
    }
  }

  @Test("a world that was built up again from its journal has the hash of the first", arguments: Thorough.rounds(0..<6))
  func replayed(seed: Int) throws {
    let script = Script(seed: seed, of: DeterminismTests.entries, inputs: 120)
    var world = WorldCore(seed: UInt64(seed), limits: Script.limits())
    script.play(into: &world, .pieces(seed: seed))
    var replay = Replay(of: world, from: nil, to: world.lastSequence, journalBytes: 1 << 30)
    while try !replay.advance(through: world, by: 7) {}
    replay.world.move(to: world.now)
    replay.world.compositions = world.compositions
    try expectEqual(replay.world.stateHash, world.stateHash, "seed \(seed)")
  }
}
