import JournalStore
import Simulator
import StateMachines

/// One world's changes in a round, in the form for the store.
struct WorldChanges {
  let hosted: HostedWorld
  private let lease: Lease
  /// The last stored input before the round, and the last one in it.
  private let head: UInt64
  private let last: UInt64
  let bytes: [UInt8]
  private let moment: Instant
  private let settings: WorldSettings
  private let creations: [StoredCreation]
  private let undone: [ClosedRange<UInt64>]
  /// How many rows there are beside that of the segment.
  var rows: Int { creations.count + undone.count + kinds.count }
  /// New kind descriptions for the segment, and the world's number of kinds.
  private let kinds: [StoredKind]
  private let kindCount: Int

  /// - Parameters:
  ///   - progress: What the store has of the world.
  ///   - settings: The world's present settings.
  init(_ hosted: HostedWorld, _ live: borrowing LiveWorld, since progress: StoredProgress, _ settings: WorldSettings) {
    var bytes: [UInt8] = []
    var creations: [StoredCreation] = []
    if live.world.hasUnflushed {
      creations = live.world.appendUnflushed(to: &bytes).map {
        StoredCreation(sequence: $0.sequence, number: $0.recordedNumber, name: $0.name, kind: $0.kind)
      }
    }
    self.hosted = hosted
    lease = progress.lease
    head = progress.head
    last = live.world.lastSequence
    self.bytes = bytes
    moment = live.world.now
    self.settings = settings
    self.creations = creations
    undone = live.world.unkeptUndone
    kinds = progress.kinds.missing(in: live.world, from: head + 1)
    kindCount = live.world.kindCount
  }

  fileprivate func append(_ bytes: UnsafeRawBufferPointer) -> Append {
    Append(
      lease, head: head, last: last, bytes, moment: moment.nanoseconds, settings: settings.bytes,
      creations: creations, undone: undone, kinds: kinds)
  }

  /// Records that the changes are stored.
  func didStore(in home: LiveWorld.Box, host: UInt64) {
    home.live.world.didKeep(upTo: last)
    hosted.progress?.head = last
    hosted.progress?.moment = moment
    hosted.progress?.settings = settings
    hosted.progress?.storedAt = host
    hosted.progress?.bytes += bytes.count
    hosted.progress?.bytesSinceCheckpoint += bytes.count
    hosted.progress?.kinds.didKeep(kinds, of: kindCount)
    if !kinds.isEmpty { home.live.stored?.forgetWords() }
  }
}

/// A transaction of the store: the changes of some worlds, all or nothing.
final class Round: @unchecked Sendable {
  // Safety: the event loop makes it and hands it to the one thread that writes it. Nobody else uses the store and the
  // bytes meanwhile. Only the event loop uses the worlds.
  let changes: [WorldChanges]
  private let store: any WorldStore

  init(_ store: any WorldStore, _ changes: [WorldChanges]) {
    self.store = store
    self.changes = changes
  }

  /// How much there is to write: the bytes of segments, and 32 for each row beside them.
  var size: Int { changes.reduce(0) { $0 + $1.bytes.count + 32 * $1.rows } }

  /// Writes the round.
  ///
  /// - Returns: What ``WorldStore/append(_:)`` returns or throws. Those worlds must be loaded again.
  func written() -> Result<[String: StoreFailure], StoreFailure> {
    Result { () throws(StoreFailure) in
      var appends: [Append] = []
      return try write(changes[...], &appends)
    }
  }

  /// Borrows the bytes of one world after the other, then writes all.
  private func write(
    _ rest: ArraySlice<WorldChanges>, _ appends: inout [Append]
  ) throws(StoreFailure) -> [String: StoreFailure] {
    guard let next = rest.first else { return try store.append(appends) }
    let outcome = next.bytes.withUnsafeBytes { bytes in
      Result { () throws(StoreFailure) in
        appends.append(next.append(bytes))
        return try write(rest.dropFirst(), &appends)
      }
    }
    return try outcome.get()
  }
}
