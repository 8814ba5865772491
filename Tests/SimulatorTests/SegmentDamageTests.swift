import TestSupport
import Simulations
@testable import Simulator
import StateMachines
import Testing

@Suite("Segments may be any bytes: what is not a journal is told, and nothing traps")
struct SegmentDamageTests {
  private static let words = StoredWords(RecoveryTests.catalogue)

  /// A world of one kind, stored in a few segments.
  private struct Example {
    var kept = KeptJournal()
    let limits: WorldLimits
    let script: Script

    init(_ entry: CatalogueEntry, seed: Int) {
      var limits = Script.limits()
      limits.chain = 50
      self.limits = limits
      script = Script(seed: seed, of: [entry], inputs: 12)
      var world = WorldCore(seed: UInt64(seed), limits: limits)
      world.beginKeeping()
      for (place, input) in script.inputs.enumerated() {
        Script.advance(&world, to: max(world.now, input.moment), .whole)
        world.fireDue()
        script.play(input.action, into: &world)
        if place % 6 == 5 { kept.keep(&world) }
      }
      kept.keep(&world)
    }

    /// Uses the segments in every way in which they are ever used.
    func use(_ parts: [[UInt8]], _ words: StoredWords = SegmentDamageTests.words) {
      let numbers = kept.parts.map(\.numbers)
      var undone = RewindList()
      for (bytes, numbers) in zip(parts, numbers) { bytes.withUnsafeBytes { undone.look(through: $0, numbers) } }
      recover(zip(parts, numbers), undone, words)
      var scanner = JournalScanner(after: 0, words, RecoveryTests.catalogue)
      for (bytes, numbers) in zip(parts, numbers) {
        bytes.withUnsafeBytes { bytes in
          try? scanner.read(bytes, numbers, owner: kept.owner) { world, entry, _ in
            if let machine = entry.machine { _ = world.line(entry, of: machine).text }
            return true
          }
        }
      }
    }

    private func recover(
      _ parts: some Sequence<([UInt8], ClosedRange<UInt64>)>, _ undone: RewindList, _ words: StoredWords
    ) {
      var recovery = Recovery(of: WorldCore(seed: 1, limits: limits), undone: undone, words, RecoveryTests.catalogue)
      for (bytes, numbers) in parts {
        do throws(Recovery.Failure) {
          let failure = bytes.withUnsafeBytes { bytes in
            Result { () throws(Recovery.Failure) in try recovery.append(bytes, numbers) }
          }
          try failure.get()
        } catch {
          expect(!"\(error)".isEmpty)
          return
        }
      }
      var world = recovery.finish(at: kept.moment, limits)
      expectEqual(world.checkInvariants(), [])
      for line in world.journal() { _ = line.text }
      for input in script.inputs.suffix(4) { script.play(input.action, into: &world) }
    }
  }

  @Test("bytes all over what worlds of each kind write", arguments: RecoveryTests.catalogue.entries.map(\.name))
  func bytes(name: String) throws {
    let example = Example(try #require(RecoveryTests.catalogue[name]), seed: 1)
    let parts = example.kept.parts.map(\.bytes)
    example.use(parts)
    var dice = Dice(seed: 3)
    for part in parts.indices {
      let places = parts[part].indices.shuffled(using: &dice)
      for place in places.prefix(Thorough.rounds(places.count / 10)) {
        var damaged = parts
        switch dice.number(0...3) {
        case 0: damaged[part][place] ^= 1 << UInt8(dice.number(0...7))
        case 1: damaged[part][place] = dice.one(of: [0x00, 0x01, 0x7F, 0x80, 0xFF])
        case 2: damaged[part].remove(at: place)
        default: damaged[part][place] &+= 1
        }
        example.use(damaged)
      }
    }
  }

  @Test("every byte of the words that they are written by")
  func words() throws {
    let example = Example(.machine(Relay.kind), seed: 2)
    let parts = example.kept.parts.map(\.bytes)
    let bytes = Relay.kind.schema.bytes
    try expectEqual(KindSchema(bytes).bytes, bytes)
    var read = 0
    var dice = Dice(seed: 4)
    for place in bytes.indices.shuffled(using: &dice).prefix(Thorough.rounds(bytes.count)) {
      for mask: UInt8 in [0x01, 0x80, 0x7E] {
        var damaged = bytes
        damaged[place] ^= mask
        guard let description = try? KindSchema(damaged) else { continue }
        read += 1
        var words = StoredWords()
        words.add(description, since: 1)
        example.use(parts, words)
      }
    }
    expect(read > 0)
  }
}
