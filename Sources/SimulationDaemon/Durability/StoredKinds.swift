import JournalStore
import Simulator
import StateMachines

/// The kind descriptions that the store has for a world's segments. A segment that needs a new description is stored
/// with it in one transaction.
struct StoredKinds {
  /// The latest stored description of each kind.
  private var known: [String: [UInt8]] = [:]
  /// How many of the world's kinds have a current description in the store.
  private var kinds = 0

  init() {}

  init(_ stored: [StoredKind]) {
    for kind in stored { known[kind.name] = kind.bytes }
  }

  /// The descriptions to store with a world's next segment.
  ///
  /// - Parameter sequence: The segment's first input.
  /// - Complexity: O(1) without new kinds, else O(kinds).
  func missing(in world: borrowing WorldCore, from sequence: UInt64) -> [StoredKind] {
    if world.kindCount == kinds { return [] }
    return world.kinds.compactMap { kind in
      let bytes = kind.schema.bytes
      return known[kind.key] == bytes ? nil : StoredKind(name: kind.key, since: sequence, bytes: bytes)
    }
  }

  /// Records that the missing descriptions are stored.
  ///
  /// - Parameter count: How many kinds the world had then.
  mutating func didKeep(_ stored: [StoredKind], of count: Int) {
    for kind in stored { known[kind.name] = kind.bytes }
    kinds = count
  }
}

extension StoredWords {
  /// - Throws: ``StorageFailure`` if a description cannot be read.
  init(_ stored: [StoredKind]) throws {
    self.init()
    for kind in stored { add(try KindSchema(kind.bytes), since: kind.since) }
  }
}
