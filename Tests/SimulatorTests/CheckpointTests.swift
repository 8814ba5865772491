import Simulations
@testable import Simulator
import StateMachines
import TestSupport
import Testing

@Suite("Copies that are kept, so that going back is quick")
struct CheckpointTests {
  /// A world with this many inputs, with a checkpoint wherever one was due.
  private func world(inputs: Int, _ limits: WorldLimits = WorldLimits()) throws -> WorldCore {
    var world = WorldCore(limits: limits)
    try world.make(Gambler.kind, "g")
    try world.make(Metronome.kind, "m")
    let gambler = world.known("g")
    while world.lastSequence < inputs {
      world.advance(toNanoseconds: world.now.nanoseconds + 100_000_000)
      world.fireDue()
      world.send(gambler, plain: 0)
      world.keepCheckpointIfDue()
    }
    return world
  }

  @Test("the fewer the longer ago, and each begins a way back that ends right")
  func thinning() throws {
    let world = try world(inputs: 300_000)
    let sequences = world.past.checkpoints.map(\.sequence)
    expect(sequences.count >= 4 && sequences.count <= 16, "\(sequences)")
    expect(world.lastSequence - (sequences.last ?? 0) <= 16_384)
    for (older, younger) in zip(sequences, sequences.dropFirst()) {
      expect(younger - older <= max(2 * 16_400, 2 * (world.lastSequence - older)))
    }
    let end = world.portrait()
    for count in [1, 60_000] {
      var fork = world.fork()
      let found = try fork.undo(count)
      let undone = try #require(found)
      var straight = WorldCore()
      try straight.make(Gambler.kind, "g")
      try straight.make(Metronome.kind, "m")
      while straight.lastSequence + 1 < undone.lowerBound {
        straight.advance(toNanoseconds: straight.now.nanoseconds + 100_000_000)
        straight.fireDue()
        straight.send(straight.known("g"), plain: 0)
      }
      straight.advance(toNanoseconds: fork.now.nanoseconds)
      expectEqual(fork.portrait(), straight.portrait())
      fork.send("g", "roll")
      straight.send("g", "roll")
      let rolled = fork.survivingText(from: fork.lastSequence)
      expect(
        rolled.count == 1 && rolled == straight.survivingText(from: straight.lastSequence),
        "the generator has gone back too")
      // Checkpoints of undone inputs are gone; there may be one at the end of the rewind.
      expect(fork.past.checkpoints.allSatisfy { $0.sequence < undone.lowerBound || $0.sequence > undone.upperBound })
    }
    expectEqual(world.portrait(), end)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("time alone brings copies too")
  func timersAlone() throws {
    var world = WorldCore()
    try world.make(Metronome.kind, "m")
    world.advance(to: 60_000)
    expectEqual(world.past.checkpoints.isEmpty, false)
    world.send("m", "reset")
    try expectEqual(world.undo(), 60_002...60_002)
    expectEqual(world.nextDue()?.text, "60001.000000000")
  }

  @Test("a journal that has forgotten the beginning: as far back as a copy, and no further")
  func forgotten() throws {
    var limits = WorldLimits()
    limits.journal = 20_000
    limits.journalBytes = 131_072
    var world = try world(inputs: 60_000, limits)
    let first = world.firstSequence
    expect(first > 1)
    let found = world.past.oldestCheckpoint(firstKept: first)
    let oldest = try #require(found).sequence
    expect(oldest + 1 >= first)
    #expect(throws: Rewinding.Failure.forgotten(from: oldest + 1)) { try world.undo(50_000) }
    let reachable = Int(world.lastSequence - oldest) / 2
    let undone = try world.undo(reachable)
    expect(undone != nil)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("no copy of a world that is too large, and then no way back past what is forgotten")
  func tooLarge() throws {
    var limits = WorldLimits()
    limits.checkpointBytes = 0
    limits.journal = 30_000
    var world = try world(inputs: 29_999, limits)
    expectEqual(world.checkpoints.count, 0)
    try expect(world.undo(10) != nil)
    world = try self.world(inputs: 60_000, limits)
    #expect(throws: Rewinding.Failure.forgotten(from: world.lastSequence + 1)) { try world.undo() }
  }

  @Test("of a world that takes much of the bytes there is a copy as soon as one is needed, and never none from then on")
  func large() throws {
    var limits = WorldLimits()
    limits.journal = 10_000
    var world = try world(inputs: 9_900, limits)
    // A checkpoint takes more than an eighth of the bytes, but not more than all of them.
    let bytes = world.bytesOfACopy
    limits.checkpointBytes = bytes * 3
    world = try self.world(inputs: 9_900, limits)
    expectEqual(world.checkpoints.count, 0)
    try expect(world.undo() != nil, "the journal has all of it")
    expectEqual(world.checkpoints.count, 1, "who went back may do so again")
    world = try self.world(inputs: 10_010, limits)
    expectEqual(world.checkpoints.count, 1)
    for inputs in stride(from: 10_020, to: 60_000, by: 1_700) {
      var world = try self.world(inputs: inputs, limits)
      expect(world.checkpoints.count >= 1 && world.checkpoints.bytes <= limits.checkpointBytes, "\(inputs)")
      try expect(world.undo(2) != nil, "\(inputs)")
    }
  }

  @Test("a world that has grown too large gives up the copies of when it was small")
  func grown() throws {
    var limits = WorldLimits()
    limits.checkpointBytes = 600_000
    limits.checkpointDistance = 200
    var world = WorldCore(limits: limits)
    var most = 0
    for number in 0..<20_000 {
      try world.make(Relay.kind, "r\(number)")
      world.keepCheckpointIfDue()
      most = max(most, world.checkpoints.count)
    }
    expect(most >= 2)
    expectEqual(world.checkpoints.count, 0)
    try expectEqual(world.undo(19_999), 2...20_000)
    expectEqual(world.machineCount, 1)
  }

  @Test("of two copies that are too large together the older one goes")
  func two() throws {
    var limits = WorldLimits()
    limits.journal = 10_000
    limits.checkpointDistance = 1_000
    let bytes = try world(inputs: 9_900, limits).bytesOfACopy
    limits.checkpointBytes = bytes * 3 / 2
    let world = try world(inputs: 60_000, limits)
    expectEqual(world.checkpoints.count, 1)
    expect(world.checkpoints.bytes <= limits.checkpointBytes)
  }

  @Test("copies stay within their bytes")
  func bytes() throws {
    var limits = WorldLimits()
    limits.checkpointBytes = 8_000
    let world = try world(inputs: 100_000, limits)
    expect(world.checkpoints.bytes <= 8_000)
    expect(world.checkpoints.count >= 1)
  }
}
