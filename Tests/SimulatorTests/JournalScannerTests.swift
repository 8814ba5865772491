import TestSupport
import Simulations
@testable import Simulator
import StateMachines
import Testing

@Suite("A journal that is read from segments, without a world")
struct JournalScannerTests {
  @Test("tells of each input what the world told", arguments: Thorough.rounds(0..<4))
  func told(seed: Int) throws {
    var walk = RewindWalk(seed: seed, of: DeterminismTests.entries, steps: 800)
    var dice = Dice(seed: seed)
    var kept = KeptJournal()
    var told: [UInt64: String] = [:]
    walk.world.beginKeeping()
    for _ in 0..<Thorough.rounds(400, atLeast: 150) {
      try walk.step()
      for line in walk.world.journal() { told[line.sequence] = line.text }
      if dice.once(in: 3) { kept.keep(&walk.world) }
    }
    kept.keep(&walk.world)
    // From the beginning, and from the middle of a segment.
    for start in [1, walk.world.lastSequence / 2] {
      var scanner = JournalScanner(
        after: start - 1, StoredWords(RecoveryTests.catalogue), RecoveryTests.catalogue)
      var next = start
      for part in kept.parts where part.numbers.upperBound >= start {
        try part.bytes.withUnsafeBytes { bytes in
          try scanner.read(bytes, part.numbers, owner: kept.owner) {
            world, entry, composed in
            expectEqual(entry.sequence, next, "seed \(seed)")
            next += 1
            if let machine = entry.machine, let text = told[entry.sequence] {
              expectEqual(world.line(entry, of: machine).text, text, "seed \(seed)")
            }
            if let composed { expect(composed.sequence == entry.sequence && entry.input == .created) }
            return true
          }
        }
      }
      expect(next == walk.world.lastSequence + 1 && scanner.last == walk.world.lastSequence, "seed \(seed)")
    }
  }

  @Test("inputs that are not stored yet stay, however few a journal keeps and however late they are stored")
  func late() throws {
    var limits = Script.limits()
    limits.journal = 3
    var world = WorldCore(seed: 1, limits: limits)
    world.beginKeeping()
    guard case .machine(let kind)? = Catalogue.simulations["power"] else { return }
    let machine = try world.make(kind, "p")
    var stored: [UInt8] = []
    _ = world.appendUnflushed(to: &stored)
    let last = world.lastSequence
    // The store is still writing, and the world goes on.
    for _ in 0..<20_000 { world.send(machine, plain: 0) }
    world.didKeep(upTo: last)
    expectEqual(world.unkeptNumbers, (last + 1)...world.lastSequence)
    var kept = KeptJournal()
    kept.keep(&world)
    expectEqual(kept.parts.map(\.numbers), [(last + 1)...world.lastSequence])
    expect(!world.hasUnflushed && world.journal().count <= 3)
  }

  @Test("knows machines by the names of their time, where numbers are used again")
  func reuse() throws {
    var limits = Script.limits()
    limits.journal = 20
    var world = WorldCore(seed: 1, limits: limits)
    var kept = KeptJournal()
    world.beginKeeping()
    guard case .machine(let kind)? = Catalogue.simulations["power"] else { return }
    var names: [String] = []
    for number in 0..<500 {
      names.append("m\(number)")
      let machine = try world.make(kind, "m\(number)")
      world.send(machine, plain: 0)
      world.drop(machine)
      if number % 9 == 8 || number == 499 { kept.keep(&world) }
    }
    expect(Set(kept.parts.flatMap(\.creations).compactMap(\.machine)).count < 100)
    var scanner = JournalScanner(after: 0, StoredWords(.simulations), .simulations)
    var told: [String] = []
    for part in kept.parts {
      try part.bytes.withUnsafeBytes { bytes in
        try scanner.read(bytes, part.numbers, owner: { _, _ in nil }) { world, entry, _ in
          if let machine = entry.machine { told.append(world.name(of: machine)) }
          return true
        }
      }
    }
    expectEqual(told, names.flatMap { [$0, $0, $0] })
  }

  @Test(
    "stops at a segment that does not follow, and at a kind whose words are not known; a kind that is gone is told of")
  func failures() throws {
    var world = WorldCore(seed: 0)
    world.beginKeeping()
    guard case .machine(let kind)? = Catalogue.simulations["power"] else { return }
    _ = try world.make(kind, "a")
    var segment: [UInt8] = []
    _ = world.appendUnflushed(to: &segment)
    func read(
      _ numbers: ClosedRange<UInt64>, after sequence: UInt64, _ catalogue: Catalogue,
      _ words: StoredWords = StoredWords(.simulations)
    ) throws {
      var scanner = JournalScanner(after: sequence, words, catalogue)
      try segment.withUnsafeBytes { bytes in
        try scanner.read(bytes, numbers, owner: { _, _ in nil }) { world, entry, _ in
          let machine = try #require(entry.machine)
          expectEqual(world.kind(of: machine).states[Int(entry.to)].word, "off")
          return true
        }
      }
    }
    try read(1...1, after: 0, .simulations)
    try read(1...1, after: 0, Catalogue())
    #expect(throws: Recovery.Failure.unreadable(.unknownWords(kind: "power"), at: 1)) {
      try read(1...1, after: 0, .simulations, StoredWords())
    }
    #expect(throws: Recovery.Failure.gap(after: 0)) { try read(2...2, after: 0, .simulations) }
    #expect(throws: Recovery.Failure.gap(after: 1)) { try read(1...1, after: 1, .simulations) }
  }
}
