/// A durable world as it stands in the store.
package struct StoredWorld: Hashable, Sendable {
  package let name: String
  /// How often it was taken.
  package let epoch: UInt64
  /// The number of its last input; that of the one before its first while it has none.
  package let head: UInt64
  /// The number of the oldest input that is kept; `head + 1` while there is none.
  package let first: UInt64
  /// Its time, in nanoseconds since it began.
  package let moment: Int64
  /// As its owner gave them.
  package let settings: [UInt8]
  /// Who has taken it and not given back. The process may be gone by now.
  package let holder: WorldHolder?
}

/// Who writes, or wrote, a world.
package struct WorldHolder: Hashable, Sendable {
  /// As given when the store was opened.
  package let writer: StoreWriter
  /// In seconds since 1970.
  package let since: Int64
}

/// The process that writes to a store.
package struct StoreWriter: Hashable, Sendable {
  package let process: Int32
  /// The path of the socket where it can be reached; empty if none.
  package let socket: String

  package init(process: Int32, socket: String) {
    self.process = process
    self.socket = socket
  }
}

/// The right to write a world, until somebody else takes it.
package struct Lease: Hashable, Sendable {
  package let world: String
  /// The store's own number for the world; never used again for another.
  let identity: Int64
  package let epoch: UInt64
}

/// A world's stored state, returned when its lease is acquired.
package struct TakenWorld: Sendable {
  package let lease: Lease
  package let world: StoredWorld
}

// Safety: `Append` and `Segment` only pass on a buffer that is lent for the length of one call of the store.

/// What a round brought for one world.
package struct Append {
  package var lease: Lease
  /// The number of the world's last input before the round.
  package var head: UInt64
  /// The number of the last input in `bytes`; `head` if there is none.
  package var last: UInt64
  /// The inputs from `head + 1` to `last`; empty if there is none. Lent until the store's call returns.
  package var bytes: UnsafeRawBufferPointer
  /// The world's time now.
  package var moment: Int64
  /// The world's settings, if they changed.
  package var settings: [UInt8]?
  /// The machines that were made.
  package var creations: [Creation]
  /// The inputs that were undone, each stretch up to the input that undid it, in the order of those.
  package var undone: [ClosedRange<UInt64>]
  /// The kinds that `bytes` and what follows are written by, where that was not said before.
  package var kinds: [StoredKind]

  package init(
    _ lease: Lease, head: UInt64, last: UInt64, _ bytes: UnsafeRawBufferPointer, moment: Int64,
    settings: [UInt8]? = nil, creations: [Creation] = [], undone: [ClosedRange<UInt64>] = [], kinds: [StoredKind] = []
  ) {
    self.lease = lease
    self.head = head
    self.last = last
    self.bytes = bytes
    self.moment = moment
    self.settings = settings
    self.creations = creations
    self.undone = undone
    self.kinds = kinds
  }
}

/// By which description of a kind segments are written from an input on.
package struct StoredKind: Hashable, Sendable {
  package var name: String
  /// The first such input.
  package var since: UInt64
  /// As its owner gave it.
  package var bytes: [UInt8]

  package init(name: String, since: UInt64, bytes: [UInt8]) {
    self.name = name
    self.since = since
    self.bytes = bytes
  }
}

/// That a number in the journal means a machine of this name and kind from an input on, until the number is given again.
package struct Creation: Hashable, Sendable {
  /// The input that made it.
  package var sequence: UInt64
  package var number: UInt32
  package var name: String
  /// What its kind is found by; kinds' places in a world's list are not kept, since each creation says its kind here.
  package var kind: String

  package init(sequence: UInt64, number: UInt32, name: String, kind: String) {
    self.sequence = sequence
    self.number = number
    self.name = name
    self.kind = kind
  }
}

/// A stretch of a journal, as it was appended.
package struct Segment {
  package let first: UInt64
  package let last: UInt64
  /// When it was stored, in seconds since 1970.
  package let stored: Int64
  /// Lent for the length of the call.
  package let bytes: UnsafeRawBufferPointer
}

/// A checkpoint without its bytes.
package struct CheckpointMark: Hashable, Sendable {
  /// The last input that it contains.
  package let sequence: UInt64
  /// Of the world's state.
  package let hash: UInt64
  /// In bytes.
  package let size: Int
  /// When it was stored, in seconds since 1970.
  package let stored: Int64
}

package struct Checkpoint: Hashable, Sendable {
  package let mark: CheckpointMark
  package let bytes: [UInt8]
}

/// What a world takes up in its store.
package struct StorageStats: Hashable, Sendable {
  /// The number of the oldest input that is kept; `head + 1` while there is none.
  package let first: UInt64
  package let head: UInt64
  /// Of the segments that are kept.
  package let bytes: Int
  /// Of the segments that retention has removed so far.
  package let removedBytes: Int
  /// Oldest first.
  package let checkpoints: [CheckpointMark]
}

/// How much of a world's journal is kept; nil stands for all.
package struct Retention: Hashable, Sendable {
  /// Of a world's segments.
  package var bytes: Int?
  /// Of a segment since it was stored, in seconds.
  package var age: Int64?

  package init(bytes: Int? = nil, age: Int64? = nil) {
    self.bytes = bytes
    self.age = age
  }
}

/// What an appended round withstands.
package enum Durability: Hashable, Sendable, CaseIterable {
  /// The end of the process, however it comes. A power cut may take the last rounds, never those in between.
  case batch
  /// A power cut as well: each round waits for the disk.
  case full
}
