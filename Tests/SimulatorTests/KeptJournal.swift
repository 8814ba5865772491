@testable import Simulator
import StateMachines

/// A world in stored form: segments one after the other, and some checkpoints.
struct KeptJournal {
  struct Part {
    let numbers: ClosedRange<UInt64>
    let bytes: [UInt8]
    let creations: [JournalSegment.Creation]
  }

  private(set) var parts: [Part] = []
  private(set) var checkpoints: [Checkpoint] = []
  /// The composed names at each checkpoint.
  private var compositions: [[String: WorldCore.CompositionRecord]] = []
  private(set) var moment = Instant.beginning

  /// Stores the new part of a world's journal.
  mutating func keep(_ world: inout WorldCore) {
    moment = world.now
    guard world.hasUnflushed else { return }
    var bytes: [UInt8] = []
    let numbers = world.unkeptNumbers
    let creations = world.appendUnflushed(to: &bytes)
    parts.append(Part(numbers: numbers, bytes: bytes, creations: creations))
    world.didKeep(upTo: world.lastSequence)
  }

  mutating func keepCheckpoint(of world: borrowing WorldCore) {
    compositions.append(world.compositions)
    checkpoints.append(Checkpoint(of: world, as: world.lastSequence))
  }

  /// The ranges undone after an input.
  private func undone(after sequence: UInt64) -> RewindList {
    var spans = RewindList()
    for part in parts where part.numbers.upperBound > sequence {
      part.bytes.withUnsafeBytes { spans.look(through: $0, part.numbers) }
    }
    return spans
  }

  /// The world as last stored.
  ///
  /// - Parameter place: The checkpoint to begin with, which must not be undone; nil for the beginning.
  func recover(seed: UInt64, _ limits: WorldLimits, _ catalogue: Catalogue, from place: Int? = nil) throws -> WorldCore
  {
    try recovery(seed: seed, limits, catalogue, from: place).finish(at: moment, limits)
  }

  /// The hash of the world as last stored.
  func hash(seed: UInt64, _ limits: WorldLimits, _ catalogue: Catalogue, from place: Int?) throws -> UInt64 {
    var recovery = try recovery(seed: seed, limits, catalogue, from: place)
    return try recovery.presentHash()
  }

  private func recovery(
    seed: UInt64, _ limits: WorldLimits, _ catalogue: Catalogue, from place: Int?
  ) throws -> Recovery {
    let checkpoint = place.map { checkpoints[$0] }
    let start = checkpoint?.sequence ?? 0
    var base =
      if let checkpoint {
        WorldCore(
          copying: checkpoint.world,
          Journal(
            inputs: limits.journal, bytes: limits.journalBytes, after: start,
            at: checkpoint.world.now.nanoseconds))
      } else {
        WorldCore(seed: seed, limits: limits)
      }
    if let place { base.compositions = compositions[place] }
    var recovery = Recovery(of: base, undone: undone(after: start), StoredWords(catalogue), catalogue)
    for part in parts where part.numbers.upperBound > start {
      try part.bytes.withUnsafeBytes { try recovery.append($0, part.numbers) }
    }
    return recovery
  }

  /// The checkpoints that later inputs have not undone.
  var usable: [Int] {
    checkpoints.indices.filter { place in
      (undone(after: checkpoints[place].sequence).first ?? .max) > checkpoints[place].sequence
    }
  }

  /// The machine that had a number at an input.
  func owner(of machine: MachineID, at sequence: UInt64) -> (kind: String, name: String)? {
    let found = parts.flatMap(\.creations).last { $0.machine == machine && $0.sequence <= sequence }
    return found.map { ($0.kind, $0.name) }
  }
}
