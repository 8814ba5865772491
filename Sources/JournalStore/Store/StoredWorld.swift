/// A durable world in the store.
package struct StoredWorld: Hashable, Sendable {
  package let name: String
  /// How often it was taken.
  package let epoch: UInt64
  /// The number of its last input; that of the one before its first while it has none.
  package let head: UInt64
  /// The number of its oldest stored input; `head + 1` if there is none.
  package let first: UInt64
  /// Its time, in nanoseconds since it began.
  package let moment: Int64
  /// As its owner gave them.
  package let settings: [UInt8]
  /// The writer that has taken it and not released it. The process may be gone by now.
  package let holder: WorldHolder?
  /// The store's own number for the world; never reused.
  package let identity: Int64
  /// What ended a daemon in this world and would again.
  package let fatal: [InterruptedWork]
  /// Of its journal.
  package let bytes: Int
  /// For how long its last daemon is known to have served it after the last write, in milliseconds.
  package let idle: Int64

  package init(
    name: String, epoch: UInt64, head: UInt64, first: UInt64, moment: Int64, settings: [UInt8], holder: WorldHolder?,
    identity: Int64, fatal: [InterruptedWork], bytes: Int, idle: Int64 = 0
  ) {
    self.name = name
    self.epoch = epoch
    self.head = head
    self.first = first
    self.moment = moment
    self.settings = settings
    self.holder = holder
    self.identity = identity
    self.fatal = fatal
    self.bytes = bytes
    self.idle = idle
  }
}

/// The current or last writer of a world.
package struct WorldHolder: Hashable, Sendable {
  /// As given when the store was opened.
  package let writer: StoreWriter
  /// In seconds since 1970.
  package let since: Int64
  package let lease: HolderLease

  package init(writer: StoreWriter, since: Int64, lease: HolderLease = .ended) {
    self.writer = writer
    self.since = since
    self.lease = lease
  }
}

/// The process that writes to a store.
package struct StoreWriter: Hashable, Sendable {
  package let process: Int32
  /// The path of the socket where it can be reached; empty if none.
  package let socket: String
  /// Its name among the daemons that share the store; nil if it has none.
  package let name: String?

  package init(process: Int32, socket: String, name: String? = nil) {
    self.process = process
    self.socket = socket
    self.name = name
  }
}

/// The right to write a world, until another writer takes it.
package struct Lease: Hashable, Sendable {
  package let world: String
  /// The store's own number for the world; never reused.
  package let identity: Int64
  package let epoch: UInt64

  package init(world: String, identity: Int64, epoch: UInt64) {
    self.world = world
    self.identity = identity
    self.epoch = epoch
  }
}

/// A world's stored state, returned when its lease is acquired.
package struct TakenWorld: Sendable {
  package let lease: Lease
  package let world: StoredWorld
  /// Whether the store may have lost inputs of the world while no daemon had it.
  package let mayHaveLost: Bool

  package init(lease: Lease, world: StoredWorld, mayHaveLost: Bool = false) {
    self.lease = lease
    self.world = world
    self.mayHaveLost = mayHaveLost
  }
}

// Safety: `Append` and `Segment` only pass on a buffer that is lent for one call of the store.

/// A round's changes to one world.
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
  package var creations: [StoredCreation]
  /// The undone inputs: one range per undo, up to the input that undid it, in order.
  package var undone: [ClosedRange<UInt64>]
  /// The kinds used by `bytes` and later segments, unless given before.
  package var kinds: [StoredKind]

  package init(
    _ lease: Lease, head: UInt64, last: UInt64, _ bytes: UnsafeRawBufferPointer, moment: Int64,
    settings: [UInt8]? = nil, creations: [StoredCreation] = [], undone: [ClosedRange<UInt64>] = [],
    kinds: [StoredKind] = []
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

/// The description of a kind used by segments from an input on.
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

/// Gives a number in the journal a machine's name and kind, from an input on until the number is given again.
package struct StoredCreation: Hashable, Sendable {
  /// The input that made it.
  package var sequence: UInt64
  package var number: UInt32
  package var name: String
  /// The name of its kind. Kind numbers are not stored, so each creation names its kind.
  package var kind: String

  package init(sequence: UInt64, number: UInt32, name: String, kind: String) {
    self.sequence = sequence
    self.number = number
    self.name = name
    self.kind = kind
  }
}

/// A part of a journal, as it was appended.
package struct Segment {
  package let first: UInt64
  package let last: UInt64
  /// When it was stored, in seconds since 1970.
  package let stored: Int64
  /// Lent for one call.
  package let bytes: UnsafeRawBufferPointer

  package init(first: UInt64, last: UInt64, stored: Int64, bytes: UnsafeRawBufferPointer) {
    self.first = first
    self.last = last
    self.stored = stored
    self.bytes = bytes
  }
}

/// A checkpoint without its bytes.
package struct CheckpointMark: Hashable, Sendable {
  /// The last input that it contains.
  package let sequence: UInt64
  /// The hash of the world's state.
  package let hash: UInt64
  /// In bytes.
  package let size: Int
  /// When it was stored, in seconds since 1970.
  package let stored: Int64

  package init(sequence: UInt64, hash: UInt64, size: Int, stored: Int64) {
    self.sequence = sequence
    self.hash = hash
    self.size = size
    self.stored = stored
  }
}

package struct StoredCheckpoint: Hashable, Sendable {
  package let mark: CheckpointMark
  package let bytes: [UInt8]

  package init(mark: CheckpointMark, bytes: [UInt8]) {
    self.mark = mark
    self.bytes = bytes
  }
}

/// The space that a world uses in its store.
package struct StorageStats: Hashable, Sendable {
  /// The number of the oldest stored input; `head + 1` if there is none.
  package let first: UInt64
  package let head: UInt64
  /// Size of the stored segments.
  package let bytes: Int
  /// Size of the segments removed by retention so far.
  package let removedBytes: Int
  /// How many machines were made in it; each has a row.
  package let machines: Int
  /// Oldest first.
  package let checkpoints: [CheckpointMark]

  package init(first: UInt64, head: UInt64, bytes: Int, removedBytes: Int, machines: Int, checkpoints: [CheckpointMark])
  {
    self.first = first
    self.head = head
    self.bytes = bytes
    self.removedBytes = removedBytes
    self.machines = machines
    self.checkpoints = checkpoints
  }
}

/// How much of a world's journal is kept; nil means no limit.
package struct Retention: Hashable, Sendable {
  /// The most bytes of a world's segments.
  package var bytes: Int?
  /// The highest age of a segment, in seconds since it was stored.
  package var age: Int64?

  package init(bytes: Int? = nil, age: Int64? = nil) {
    self.bytes = bytes
    self.age = age
  }
}

/// What an appended round survives.
package enum Durability: Hashable, Sendable, CaseIterable {
  /// Any end of the process. A power cut may take the last rounds, but leaves no gaps.
  case batch
  /// A power cut as well: each round waits for the disk.
  case full
}
