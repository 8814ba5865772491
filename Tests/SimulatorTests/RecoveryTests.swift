import TestSupport
import Simulations
@testable import Simulator
import StateMachines
import Testing

@Suite("A world that is kept in segments comes back as it was")
struct RecoveryTests {
  static let catalogue = Catalogue(DeterminismTests.entries)

  /// A walk with rewinds, stored in segments of any length.
  private static func walk(
    seed: Int, steps: Int, _ limits: WorldLimits, _ body: (inout RewindWalk, KeptJournal, Int) throws -> Void
  ) throws {
    var walk = RewindWalk(seed: seed, of: DeterminismTests.entries, steps: steps * 2, limits: limits)
    var dice = Dice(seed: seed)
    var kept = KeptJournal()
    walk.world.beginKeeping()
    for step in 0..<steps {
      try walk.step()
      if dice.once(in: 3) { kept.keep(&walk.world) }
      // A checkpoint can be made if no time has passed since the last input.
      if dice.once(in: 10), walk.world.isAtItsLastInput { kept.keepCheckpoint(of: walk.world) }
      if step % 100 == 99 {
        kept.keep(&walk.world)
        try body(&walk, kept, step)
      }
    }
  }

  @Test("from the beginning, with ways back and compositions", arguments: Thorough.rounds(0..<6))
  func beginning(seed: Int) throws {
    let limits = Script.limits()
    try Self.walk(seed: seed, steps: 200, limits) { walk, kept, step in
      let world = try kept.recover(seed: UInt64(seed), limits, Self.catalogue)
      expectNil(RewindTests.difference(walk.world.portrait(), world.portrait()), "seed \(seed), step \(step)")
      expectNil(RewindTests.difference(walk.world.journalText(), world.journalText()), "seed \(seed), step \(step)")
      expectNil(RewindTests.difference(walk.world.survivingText(), world.survivingText()), "seed \(seed)")
      expectEqual(world.lastSequence, walk.world.lastSequence)
      expectEqual(world.checkInvariants(), [], "seed \(seed), step \(step)")
    }
  }

  @Test("from a checkpoint, also one in the middle of a segment")
  func checkpoint() throws {
    let limits = Script.limits()
    var compared = 0
    // Few walks have a checkpoint in time: it goes on until so many have been compared.
    let least = Thorough.rounds(7)
    var seed = 0
    while seed < Thorough.rounds(16) || compared < least && seed < 160 {
      defer { seed += 1 }
      try Self.walk(seed: seed, steps: 200, limits) { walk, kept, step in
        for place in kept.usable.suffix(2) {
          let world = try kept.recover(seed: UInt64(seed), limits, Self.catalogue, from: place)
          expectNil(RewindTests.difference(walk.world.portrait(), world.portrait()), "seed \(seed), step \(step)")
          let first = kept.checkpoints[place].sequence + 1
          expectNil(RewindTests.difference(walk.world.journalText(from: first), world.journalText()))
          expectEqual(world.checkInvariants(), [], "seed \(seed), step \(step)")
          compared += 1
        }
      }
    }
    expect(compared >= least)
  }

  @Test("what comes back goes on as what was lost would have", arguments: Thorough.rounds(0..<6))
  func goesOn(seed: Int) throws {
    let limits = Script.limits()
    try Self.walk(seed: seed, steps: 300, limits) { walk, kept, step in
      var world = try kept.recover(seed: UInt64(seed), limits, Self.catalogue)
      world.beginKeeping()
      walk.world = world
      if step > 250 {
        let straight = walk.straight()
        expectNil(RewindTests.difference(walk.world.portrait(), straight.portrait()), "seed \(seed)")
        expectNil(RewindTests.difference(walk.world.survivingText(), straight.survivingText()), "seed \(seed)")
      }
    }
  }

  @Test("a replay from anywhere comes to the same hash")
  func hashes() throws {
    let limits = Script.limits()
    var compared = 0
    // Few walks have a checkpoint in time: it goes on until so many have been compared.
    let least = Thorough.rounds(4)
    var seed = 0
    while seed < Thorough.rounds(16) || compared < least && seed < 160 {
      defer { seed += 1 }
      try Self.walk(seed: seed, steps: 300, limits) { walk, kept, step in
        guard walk.world.isAtItsLastInput else { return }
        let hash = try walk.world.presentHash
        for place in [nil] + kept.usable.suffix(2).map(Optional.some) {
          try expectEqual(kept.hash(seed: UInt64(seed), limits, Self.catalogue, from: place), hash, "\(seed), \(step)")
          compared += 1
        }
      }
    }
    expect(compared >= least)
  }

  @Test("a journal that is longer than memory may hold is played all the same")
  func small() throws {
    var limits = Script.limits()
    limits.journal = 50
    limits.journalBytes = 128 << 10
    var world = WorldCore(seed: 1, limits: limits)
    var kept = KeptJournal()
    world.beginKeeping()
    let power = try #require(Catalogue.simulations["power"])
    guard case .machine(let kind) = power else { return }
    for number in 0..<500 {
      // Names and numbers are reused again and again.
      let machine = try Array("m\(number % 7)".utf8).withUnsafeBytes { try world.create(kind, named: $0) }
      world.send(machine, plain: 0)
      world.drop(machine)
      if number % 9 == 8 { kept.keep(&world) }
    }
    let last = try Array("last".utf8).withUnsafeBytes { try world.create(kind, named: $0) }
    world.send(last, plain: 0)
    kept.keep(&world)
    let recovered = try kept.recover(seed: 1, limits, Self.catalogue)
    expectEqual(recovered.portrait(), world.portrait())
    expectEqual(recovered.lastSequence, world.lastSequence)
    expectEqual(recovered.checkInvariants(), [])
  }

  @Test("a segment can be read by itself, with the names of its time", arguments: Thorough.rounds(0..<4, atLeast: 2))
  func excerpts(seed: Int) throws {
    var limits = Script.limits()
    if seed % 2 == 1 { limits.journal = 60 }
    var told: [UInt64: String] = [:]
    try Self.walk(seed: seed, steps: 100, Script.limits()) { walk, kept, _ in
      for line in walk.world.journal() { told[line.sequence] = line.text }
      for part in kept.parts {
        let (words, first) = (StoredWords(Self.catalogue), part.numbers.lowerBound)
        var scanner = JournalScanner(
          after: first - 1, undone: walk.world.undone(from: first, after: []), words, Self.catalogue)
        try part.bytes.withUnsafeBytes {
          try scanner.read($0, part.numbers, owner: kept.owner) { world, entry, _ in
            let text = entry.machine.map { world.line(entry, of: $0).text }
            expectEqual(text, text == nil ? nil : told[entry.sequence] ?? text)
            return true
          }
        }
      }
    }
  }

  @Test("short segments count on from one to the next until it is asked whether to go on")
  func shortSegments() throws {
    var world = WorldCore(seed: 0, limits: Script.limits())
    world.beginKeeping()
    let power = try #require(Self.catalogue["power"])
    guard case .machine(let kind) = power else { return }
    let machine = try Array("a".utf8).withUnsafeBytes { try world.create(kind, named: $0) }
    var recovery = Recovery(
      of: WorldCore(seed: 0), undone: RewindList(), StoredWords(Self.catalogue), Self.catalogue)
    var segments = 0
    while !recovery.isInterrupted, segments < 100 {
      var segment: [UInt8] = []
      _ = world.appendUnflushed(to: &segment)
      world.didKeep(upTo: world.lastSequence)
      segments += 1
      let number = UInt64(segments)
      try segment.withUnsafeBytes { try recovery.append($0, number...number) { false } }
      world.send(machine, event: 0, [])
    }
    expect((10..<100).contains(segments))
  }

  @Test("a segment that does not follow, and a kind that is not there")
  func failures() throws {
    var world = WorldCore(seed: 0, limits: Script.limits())
    world.beginKeeping()
    let power = try #require(Catalogue.simulations["power"])
    guard case .machine(let kind) = power else { return }
    _ = try Array("a".utf8).withUnsafeBytes { try world.create(kind, named: $0) }
    var segment: [UInt8] = []
    _ = world.appendUnflushed(to: &segment)
    var recovery = Recovery(of: WorldCore(seed: 0), undone: RewindList(), StoredWords(), Catalogue())
    segment.withUnsafeBytes { bytes in
      #expect(throws: Recovery.Failure.unreadable(.unknownKind("power"), at: 1)) {
        try recovery.append(bytes, 1...1)
      }
      #expect(throws: Recovery.Failure.gap(after: 0)) {
        try recovery.append(bytes, 2...2)
      }
      #expect(throws: Recovery.Failure.gap(after: 0)) {
        try recovery.append(UnsafeRawBufferPointer(rebasing: bytes[..<20]), 2...9)
      }
    }
  }
}
