import JournalStore
import Simulator
import StateMachines

/// What a store needs besides the rounds: checkpoints, so that a start is quick, and room.
extension Persistence {
  /// Machines written out in one round.
  private static let machinesInARound = 2_000
  /// At the end of the daemon a checkpoint is made of a world with this many inputs behind the last one, if it has at most
  /// so many machines.
  private static let inputsBeforeTheEnd: UInt64 = 20_000
  private static let machinesAtTheEnd = 100_000
  /// How often it is looked whether something has grown too old, besides after each checkpoint; in nanoseconds.
  private static let timeBetweenLooks: UInt64 = 3_600_000_000_000

  /// What is to be done for a world beside its rounds.
  enum Upkeep {
    case nothing
    /// Something was done, and there is more.
    case more
    /// A checkpoint is ready, which takes the store a while.
    case checkpoint(MadeCheckpoint)
    /// There may be something to remove from the store, which takes that a while.
    case room(Lease)
  }

  /// A world written out, for the store.
  struct MadeCheckpoint {
    let lease: Lease
    let sequence: UInt64
    let hash: UInt64
    let bytes: [UInt8]
  }

  /// Goes on with what is to be done for a world beside its rounds: a piece of a checkpoint, or what the store is to do.
  ///
  /// - Throws: What ``WorldStore/append(_:)`` throws; the world must be read again then.
  func maintain(_ hosted: HostedWorld, _ home: RealmBox, host: UInt64) throws(PersistenceFailure) -> Upkeep {
    guard let progress = hosted.progress, host >= progress.restsUntil else { return .nothing }
    if hosted.archiving == nil, isCheckpointDue(home, progress) {
      hosted.archiving = ArchiveWriter(of: home.realm.world, atLastInput: true)
    }
    if hosted.archiving != nil {
      let made = try goOn(with: hosted, progress, machines: Persistence.machinesInARound)
      return made.map { .checkpoint($0) } ?? .more
    }
    if host >= progress.roomLookedForAt + Persistence.timeBetweenLooks {
      hosted.progress?.roomLookedForAt = host
      hosted.progress?.isOverfull = true
      return .more
    }
    guard progress.isOverfull, !progress.isCheckpointUndone else { return .nothing }
    return .room(progress.lease)
  }

  /// Removes a batch of what lies beyond the limits; on any thread, while nobody else uses the store.
  ///
  /// - Returns: Whether there is more to remove, and the first input that is there still.
  func makeRoom(_ lease: Lease) throws(StoreFailure) -> (isOverfull: Bool, first: UInt64) {
    let isOverfull = try store.retain(lease, retention)
    return (isOverfull, try store.holdings(of: lease.world).first)
  }

  /// Stores a checkpoint; on any thread, while nobody else uses the store.
  func put(_ made: MadeCheckpoint) throws(StoreFailure) {
    try made.bytes.withUnsafeBytes { bytes in
      Result { () throws(StoreFailure) in
        try store.putCheckpoint(made.lease, at: made.sequence, hash: made.hash, bytes)
      }
    }.get()
  }

  /// Says that a checkpoint is stored; what it makes superfluous is to go next.
  func didPut(_ made: MadeCheckpoint, of hosted: HostedWorld) {
    guard var progress = hosted.progress, progress.lease == made.lease else { return }
    progress.checkpoint = made.sequence
    progress.isCheckpointUndone = progress.isPutUndone
    progress.bytesSinceCheckpoint = 0
    progress.isOverfull = true
    hosted.progress = progress
  }

  private var retention: Retention {
    Retention(bytes: limits.storeBytes, age: Int64(limits.storeDays) * 86_400)
  }

  private func isCheckpointDue(_ home: RealmBox, _ progress: StoredProgress) -> Bool {
    let wait = max(UInt64(limits.checkpointInputs), 2 * UInt64(home.realm.world.machineCount))
    let isDue =
      progress.isCheckpointUndone || progress.head >= progress.checkpoint + wait
      || progress.bytesSinceCheckpoint > limits.storeBytes / 4
    return isDue && canBeWritten(home, progress)
  }

  /// A checkpoint is made of what is stored.
  private func canBeWritten(_ home: RealmBox, _ progress: StoredProgress) -> Bool {
    home.realm.world.lastSequence == progress.head && home.realm.world.canBeArchived
  }

  /// Writes a piece of a checkpoint.
  ///
  /// - Returns: The checkpoint, when it is whole.
  private func goOn(
    with hosted: HostedWorld, _ progress: StoredProgress, machines: Int
  ) throws(PersistenceFailure) -> MadeCheckpoint? {
    guard var writer = hosted.archiving.take() else { return nil }
    do throws(ArchiveFailure) {
      guard try writer.advance(machines: machines) else {
        hosted.archiving = consume writer
        return nil
      }
    } catch {
      throw .unreadable(world: progress.lease.world, reason: error.text)
    }
    hosted.progress?.put = writer.sequence
    hosted.progress?.isPutUndone = false
    return MadeCheckpoint(
      lease: progress.lease, sequence: writer.sequence, hash: writer.presentHash, bytes: writer.bytes)
  }

  // MARK: Going back

  /// The first input that a way back may undo, so that the store can bring the world back afterwards: there must be a
  /// checkpoint before it with all that followed.
  func firstUndoable(_ hosted: HostedWorld, _ home: RealmBox) throws(PersistenceFailure) -> UInt64 {
    guard let progress = hosted.progress else { return 1 }
    let name = progress.lease.world
    let held = try ask { () throws(StoreFailure) in try store.holdings(of: name) }
    let standing = try WorldLoader(store, catalogue, limits).standing(held.checkpoints, of: name, from: held.first)
    // What was undone in this round is not stored yet.
    let first = standing.first { home.realm.world.undoer(of: $0) == nil }
    return (first ?? progress.head) + 1
  }

  /// Says that a world has undone all inputs from one on: what was written out of them is of no use for a start.
  func didUndo(from sequence: UInt64, in hosted: HostedWorld) {
    if let writing = hosted.archiving?.sequence, writing >= sequence { hosted.archiving = nil }
    if let progress = hosted.progress, progress.checkpoint >= sequence { hosted.progress?.isCheckpointUndone = true }
    if let put = hosted.progress?.put, put >= sequence { hosted.progress?.isPutUndone = true }
  }

  /// Leaves a world so that the next start is quick, when the daemon ends.
  func leave(_ hosted: HostedWorld, _ home: RealmBox) throws(PersistenceFailure) {
    guard let progress = hosted.progress else { return }
    let isDue = progress.isCheckpointUndone || progress.head >= progress.checkpoint + Persistence.inputsBeforeTheEnd
    if isDue, canBeWritten(home, progress),
      home.realm.world.machineCount <= Persistence.machinesAtTheEnd
    {
      hosted.archiving = ArchiveWriter(of: home.realm.world, atLastInput: true)
      while hosted.archiving != nil {
        guard let made = try goOn(with: hosted, progress, machines: .max) else { continue }
        try ask { () throws(StoreFailure) in try put(made) }
      }
    }
    try ask { () throws(StoreFailure) in try store.release(progress.lease) }
  }

}
