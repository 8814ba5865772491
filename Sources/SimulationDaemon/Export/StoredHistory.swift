import JournalStore
import Simulator
import StateMachines

/// A stored world for readers: its settings and its kept journal.
struct StoredHistory {
  let store: any StoreReading
  let world: StoredWorld
  let settings: WorldSettings
  let catalogue: Catalogue
  /// The kind descriptions of its segments.
  let words: StoredWords

  var name: String { world.name }
  var moment: Instant { Instant(nanoseconds: world.moment) }

  /// - Throws: ``HistoryFailure/unreadable(world:reason:)``; what the store throws.
  init(_ store: any StoreReading, _ world: StoredWorld, _ catalogue: Catalogue) throws {
    guard let settings = WorldSettings(world.settings) else {
      throw HistoryFailure.unreadable(
        world: world.name, reason: "its settings are '\(String(decoding: world.settings, as: UTF8.self))'")
    }
    self.store = store
    self.world = world
    self.settings = settings
    self.catalogue = catalogue.readingDocuments
    let kinds = try store.kinds(of: world.name)
    do {
      words = try StoredWords(kinds)
    } catch {
      throw HistoryFailure.unreadable(world: world.name, reason: "how its kinds were described cannot be read")
    }
  }

  /// Whether all kinds match their last stored descriptions.
  var isOfThisRelease: Bool {
    words.latest.allSatisfy { stored in
      // What a document means is the same in every release, or its world cannot be read.
      if KindDocument.sequence(inKey: stored.key) != nil { return true }
      return if case .machine(let kind)? = catalogue[stored.key] { kind.schema.bytes == stored.bytes } else { false }
    }
  }

  /// Passes every kept input to `body`, oldest first; see ``JournalScanner``.
  ///
  /// - Throws: ``HistoryFailure``; what the store and `body` throw.
  func read(_ body: (borrowing WorldCore, JournalEntry, JournalSegment.Creation?) throws -> Void) throws {
    var scanner = JournalScanner(after: world.first - 1, words, catalogue)
    try readSegments(from: world.first) { segment in
      try scanner.read(segment.bytes, segment.first...segment.last, owner: owner) { world, entry, composed in
        try body(world, entry, composed)
        return true
      }
      return true
    }
  }

  /// Passes on the segments from the one with input `sequence`.
  ///
  /// - Parameter body: Returns whether to go on.
  func readSegments(from sequence: UInt64, _ body: (Segment) throws -> Bool) throws {
    let failure = try store.readSegments(of: name, from: sequence, trying: body)
    if let failure = failure as? Recovery.Failure { throw HistoryFailure.unreadable(world: name, reason: "\(failure)") }
    if let failure { throw failure }
  }

  /// The kind and name of the machine that had a number at an input, if the kept journal does not say.
  func owner(of machine: MachineID, at sequence: UInt64) -> (kind: String, name: String)? {
    let found = try? store.creation(of: machine.number, in: name, at: sequence)
    return found.map { ($0.kind, $0.name) }
  }

  /// The input that created a machine, if the kept journal does not say.
  func birth(of machine: MachineID, at sequence: UInt64) -> UInt64? {
    (try? store.creation(of: machine.number, in: name, at: sequence))?.sequence
  }
}

/// Replays a stored journal.
extension StoredHistory {
  /// The stored world.
  func present() throws -> WorldCore {
    try played(from: world.head, to: world.head, at: moment, WorldLimits())
  }

  /// The ranges of stored inputs that are undone, each up to the input that undid it.
  func undone() throws -> [ClosedRange<UInt64>] {
    guard world.first <= world.head else { return [] }
    return try store.undone(in: name, world.first...world.head)
  }

  /// The world after an input, replayed from the latest checkpoint that is valid (``ReplayStarts``).
  ///
  /// - Parameters:
  ///   - latest: The last input of the latest checkpoint that may be used.
  ///   - end: The last input of a segment.
  func played(from latest: UInt64, to end: UInt64, at moment: Instant, _ limits: WorldLimits) throws -> WorldCore {
    let starts = ReplayStarts(store, of: name, first: world.first, head: world.head, end: end)
    guard let start = try starts.latest(try store.checkpoints(of: name).filter({ $0.sequence <= latest })) else {
      throw HistoryFailure.forgotten(world: name, first: world.first)
    }
    let undone = try starts.undone(after: start)
    try mayReplay(from: start, to: end)
    let origin = if start > 0 { try world(atCheckpoint: start) } else { WorldCore(seed: settings.seed, limits: limits) }
    if start == end { return origin }
    var recovery = Recovery(of: origin, undone: undone, words, catalogue)
    try readSegments(from: start + 1, to: end) { try recovery.append($0.bytes, $0.first...$0.last) }
    return recovery.finish(at: moment, limits)
  }

  /// The world at the checkpoint whose last input is `sequence`.
  func world(atCheckpoint sequence: UInt64) throws -> WorldCore {
    try mayReplay(from: sequence, to: sequence)
    return try store.world(name, atCheckpoint: sequence, catalogue)
  }

  private func mayReplay(from start: UInt64, to end: UInt64) throws(HistoryFailure) {
    if let fatal = world.obstacle(toReplayFrom: start, to: end) {
      throw .unreadable(world: name, reason: fatal.reason)
    }
  }

  /// Passes on the segments from the one with input `sequence` to the one that ends with `end`.
  private func readSegments(from sequence: UInt64, to end: UInt64, _ body: (Segment) throws -> Void) throws {
    var isAtEnd = false
    try readSegments(from: sequence) { segment in
      guard segment.last <= end else {
        throw HistoryFailure.unreadable(world: name, reason: "no segment of its journal ends with input \(end)")
      }
      try body(segment)
      isAtEnd = segment.last == end
      return !isAtEnd
    }
    guard isAtEnd else {
      throw HistoryFailure.unreadable(world: name, reason: "its journal ends before input \(end)")
    }
  }
}

extension WorldReading {
  /// The world at the checkpoint whose last input is `sequence`.
  ///
  /// - Throws: ``HistoryFailure/unreadable(world:reason:)``; what the store throws.
  func world(
    _ name: String, atCheckpoint sequence: UInt64, _ catalogue: Catalogue, _ limits: WorldLimits = WorldLimits()
  ) throws -> WorldCore {
    guard let found = try checkpoint(of: name, atOrBefore: sequence), found.mark.sequence == sequence else {
      throw HistoryFailure.unreadable(world: name, reason: "its checkpoint at input \(sequence) is missing")
    }
    do throws(ArchiveFailure) {
      let world = try WorldCore(
        archive: found.bytes, kinds: catalogue.entry, compiler: catalogue.compiler, limits: limits)
      guard world.lastSequence == sequence else {
        throw ArchiveFailure.damaged("it ends with input \(world.lastSequence)")
      }
      return world
    } catch {
      throw HistoryFailure.unreadable(world: name, reason: "its checkpoint at input \(sequence): \(error.text)")
    }
  }
}

/// Why a stored world cannot be read or exported.
enum HistoryFailure: Error, Equatable {
  /// There is no such world; with the nearest name and all names.
  case unknownWorld(String, near: String?, known: [String])
  /// The stored bytes are intact, but they are not a valid world.
  case unreadable(world: String, reason: String)
  /// It cannot be brought back up to this input: it has none of this number, or one before it cannot be played.
  case notSoFar(world: String, to: UInt64, most: UInt64, head: UInt64)
  /// There is no checkpoint, or none that can be read.
  case noCheckpoint(world: String)
  /// The oldest inputs are no longer kept.
  case forgotten(world: String, first: UInt64)
  /// No script can recreate this input.
  case unsayable(world: String, sequence: UInt64, reason: String)
  /// The script would exceed the limits of scripts.
  case tooLong(world: String)
}

extension HistoryFailure: CustomStringConvertible {
  var description: String {
    switch self {
    case .unknownWorld(let name, let near, let known):
      "there is no durable world '\(name)'; "
        + (near.map { "did you mean '\($0)'? " } ?? "")
        + (known.isEmpty
          ? "there is none at all" : "there \(known.count == 1 ? "is" : "are") \(known.joined(separator: ", "))")
    case .unreadable(let world, let reason): "world \(world) cannot be read: \(reason)"
    case .notSoFar(let world, let wanted, let most, let head):
      wanted > head
        ? "world \(world) has inputs up to \(head), and none is numbered \(wanted)"
        : most == 0
          ? "no input of world \(world) can be played" : "world \(world) can be played up to input \(most) only"
    case .noCheckpoint(let world): "world \(world) has no checkpoint that can be read; --to SEQ plays its inputs"
    case .forgotten(let world, let first):
      "the journal of world \(world) begins with input \(first): earlier inputs are no longer stored, so no script can rebuild the world; --format sqlite has what there is"
    case .unsayable(let world, let sequence, let reason):
      "input \(sequence) of world \(world) cannot be written as a line of a script: \(reason); --format sqlite has it"
    case .tooLong(let world):
      "world \(world) has more inputs than a script may have lines; --format sqlite has them all"
    }
  }
}
