import JournalStore
import Simulator
import StateMachines

/// What the store has of the words by which a world's segments are written; a segment by other words has its words beside
/// it, in the same transaction.
struct StoredKinds {
  /// The latest description of each kind, as stored.
  private var known: [String: [UInt8]] = [:]
  /// How many of the world's kinds are known to be described as they are.
  private var kinds = 0

  init() {}

  init(_ stored: [StoredKind]) {
    for kind in stored { known[kind.name] = kind.bytes }
  }

  /// What is to be stored with the next segment of a world.
  ///
  /// - Parameter sequence: Its first input.
  /// - Complexity: O(1) where no kind has come since; otherwise O(kinds).
  func missing(in world: borrowing WorldCore, from sequence: UInt64) -> [StoredKind] {
    if world.kindCount == kinds { return [] }
    return world.kinds.compactMap { kind in
      let bytes = KindDescription(kind).bytes
      return known[kind.name] == bytes ? nil : StoredKind(name: kind.name, since: sequence, bytes: bytes)
    }
  }

  /// Says that what was missing is stored.
  ///
  /// - Parameter count: How many kinds the world had then.
  mutating func didKeep(_ stored: [StoredKind], of count: Int) {
    for kind in stored { known[kind.name] = kind.bytes }
    kinds = count
  }
}

extension StoredWords {
  /// - Throws: ``StorageFailure`` where a description cannot be read.
  init(_ stored: [StoredKind]) throws {
    self.init()
    for kind in stored { add(try KindDescription(kind.bytes), since: kind.since) }
  }
}
