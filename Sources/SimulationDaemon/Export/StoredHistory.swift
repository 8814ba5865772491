import JournalStore
import Simulator
import StateMachines

/// A stored world for readers: its settings and its kept journal.
struct StoredHistory {
  let store: SQLiteReader
  let world: StoredWorld
  let settings: WorldSettings
  let catalogue: Catalogue
  /// The kind descriptions of its segments.
  let words: StoredWords

  var name: String { world.name }
  var moment: Instant { Instant(nanoseconds: world.moment) }

  /// - Throws: ``HistoryFailure/unreadable(world:reason:)``.
  init(_ store: SQLiteReader, _ world: StoredWorld, _ catalogue: Catalogue) throws(HistoryFailure) {
    guard let settings = WorldSettings(world.settings) else {
      throw .unreadable(
        world: world.name, reason: "its settings are '\(String(decoding: world.settings, as: UTF8.self))'")
    }
    self.store = store
    self.world = world
    self.settings = settings
    self.catalogue = catalogue
    do {
      words = try StoredWords(try store.kinds(of: world.name))
    } catch let failure as StoreFailure {
      throw .store(failure)
    } catch {
      throw .unreadable(world: world.name, reason: "how its kinds were described cannot be read")
    }
  }

  /// Whether all kinds match their last stored descriptions.
  var isOfThisRelease: Bool {
    words.latest.allSatisfy { stored in
      if case .machine(let kind)? = catalogue[stored.name] { KindDescription(kind) == stored } else { false }
    }
  }

  /// Passes every kept input to `body`, oldest first; see ``JournalScanner``.
  ///
  /// - Throws: ``HistoryFailure``; what `body` throws.
  func read(_ body: (borrowing WorldCore, JournalEntry, JournalSegment.Creation?) throws -> Void) throws {
    var scanner = JournalScanner(after: world.first - 1, words, catalogue)
    try readSegments(from: world.first) { segment in
      try scanner.read(segment.bytes, segment.first...segment.last, owner: owner, body)
      return true
    }
  }

  /// Passes on the segments from the one with input `sequence`.
  ///
  /// - Parameter body: Returns whether to go on.
  func readSegments(from sequence: UInt64, _ body: (Segment) throws -> Bool) throws {
    var failure: (any Error)?
    do throws(StoreFailure) {
      try store.readSegments(of: name, from: sequence) { segment in
        do {
          return try body(segment)
        } catch {
          failure = error
          return false
        }
      }
    } catch {
      throw HistoryFailure.store(error)
    }
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

/// Why a stored world cannot be read or exported.
enum HistoryFailure: Error, Equatable {
  case store(StoreFailure)
  /// There is no such world; with the nearest name and all names.
  case unknownWorld(String, near: String?, known: [String])
  /// The stored bytes are intact, but they are not a valid world.
  case unreadable(world: String, reason: String)
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
    case .store(let failure): "\(failure)"
    case .unknownWorld(let name, let near, let known):
      "there is no durable world '\(name)'; "
        + (near.map { "did you mean '\($0)'? " } ?? "")
        + (known.isEmpty
          ? "there is none at all" : "there \(known.count == 1 ? "is" : "are") \(known.joined(separator: ", "))")
    case .unreadable(let world, let reason): "world \(world) cannot be read: \(reason)"
    case .forgotten(let world, let first):
      "the journal of world \(world) begins with input \(first): earlier inputs are no longer stored, so no script can rebuild the world; --format sqlite has what there is"
    case .unsayable(let world, let sequence, let reason):
      "input \(sequence) of world \(world) cannot be written as a line of a script: \(reason); --format sqlite has it"
    case .tooLong(let world):
      "world \(world) has more inputs than a script may have lines; --format sqlite has them all"
    }
  }
}
