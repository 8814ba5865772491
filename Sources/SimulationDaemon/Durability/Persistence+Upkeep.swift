import JournalStore
import Simulator
import StateMachines

/// Upkeep of the store outside rounds: checkpoints, which keep a start quick, and retention.
extension Persistence {
  /// Machines written to a checkpoint per round.
  private static let machinesInARound = 2_000
  /// When the daemon ends, a world gets a checkpoint if it has at least this many inputs since the last one and at most
  /// this many machines.
  private static let finalCheckpointInputs: UInt64 = 20_000
  private static let finalCheckpointMachines = 100_000
  /// Nanoseconds between two retention checks, besides the one after each checkpoint.
  private static let retentionInterval: UInt64 = 3_600_000_000_000

  /// The result of a piece of upkeep.
  enum Upkeep {
    case nothing
    /// There is more to do.
    case more
    /// A checkpoint is ready for the store, which takes a while to write it.
    case checkpoint(MadeCheckpoint)
    /// Inputs may have to be removed from the store, which takes a while.
    case retention(Lease)
  }

  /// A finished checkpoint.
  struct MadeCheckpoint {
    let lease: Lease
    let sequence: UInt64
    let hash: UInt64
    let bytes: [UInt8]
  }

  /// Does the next piece of a world's upkeep: part of a checkpoint, or a task for the store.
  ///
  /// - Throws: What ``WorldStore/append(_:)`` throws. The world must be loaded again then.
  func maintain(_ hosted: HostedWorld, _ home: LiveWorld.Box, host: UInt64) throws(PersistenceFailure) -> Upkeep {
    guard let progress = hosted.progress, host >= progress.upkeepPausedUntil else { return .nothing }
    if hosted.archiving == nil, isCheckpointDue(hosted, home, progress) {
      hosted.archiving = ArchiveWriter(of: home.live.world, atLastInput: true)
    }
    if hosted.archiving != nil {
      let made = try goOn(with: hosted, progress, machines: Persistence.machinesInARound)
      return made.map { .checkpoint($0) } ?? .more
    }
    if host >= progress.retentionCheckedAt + Persistence.retentionInterval {
      hosted.progress?.retentionCheckedAt = host
      hosted.progress?.isOverfull = true
      return .more
    }
    guard progress.isOverfull, !progress.isCheckpointUndone else { return .nothing }
    return .retention(progress.lease)
  }

  /// Removes a batch of inputs beyond the limits. Runs on any thread while nobody else uses the store.
  ///
  /// - Parameter most: How many bytes of the world's journal may stay.
  /// - Returns: Whether there is more to remove, and what is left.
  func applyRetention(_ lease: Lease, most: Int) throws(StoreFailure) -> (isOverfull: Bool, StorageStats) {
    let isOverfull = try store.retain(lease, Retention(bytes: most, age: Int64(limits.storeDays) * 86_400))
    return (isOverfull, try store.holdings(of: lease.world))
  }

  /// Stores a checkpoint. Runs on any thread while nobody else uses the store.
  func put(_ made: MadeCheckpoint) throws(StoreFailure) {
    try made.bytes.withUnsafeBytes { bytes in
      Result { () throws(StoreFailure) in
        try store.putCheckpoint(made.lease, at: made.sequence, hash: made.hash, bytes)
      }
    }.get()
  }

  /// Records that a checkpoint is stored. Data that it supersedes is removed next.
  func didPut(_ made: MadeCheckpoint, of hosted: HostedWorld) {
    guard var progress = hosted.progress, progress.lease == made.lease else { return }
    progress.checkpoint = made.sequence
    progress.isCheckpointUndone = progress.isPutUndone
    progress.bytesSinceCheckpoint = 0
    progress.isOverfull = true
    hosted.progress = progress
  }

  private func isCheckpointDue(_ hosted: HostedWorld, _ home: LiveWorld.Box, _ progress: StoredProgress) -> Bool {
    let wait = max(UInt64(limits.checkpointInputs), 2 * UInt64(home.live.world.machineCount))
    let isDue =
      progress.isCheckpointUndone || progress.head >= progress.checkpoint + wait
      || progress.bytesSinceCheckpoint > limits.mostAfterCheckpoint(of: hosted.owner)
    return isDue && canBeWritten(home, progress)
  }

  /// A checkpoint contains only stored inputs.
  private func canBeWritten(_ home: LiveWorld.Box, _ progress: StoredProgress) -> Bool {
    home.live.world.lastSequence == progress.head && home.live.world.canBeArchived
  }

  /// Writes a piece of a checkpoint.
  ///
  /// - Returns: The checkpoint when it is complete.
  private func goOn(
    with hosted: HostedWorld, _ progress: StoredProgress, machines: Int
  ) throws(PersistenceFailure) -> MadeCheckpoint? {
    guard var writer = hosted.archiving.take() else { return nil }
    do throws(ArchiveFailure) {
      guard try write(with: &writer, machines, progress.lease) else {
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

  private func write(
    with writer: inout ArchiveWriter, _ machines: Int, _ lease: Lease
  ) throws(ArchiveFailure) -> Bool {
    try store.workNotes.during(.writing, lease.identity) { (note) throws(ArchiveFailure) in
      note?.input.pointee = writer.sequence
      return try writer.advance(machines: machines)
    }
  }

  // MARK: Undo

  /// From where the store could restore a world, oldest first. Runs on any thread while nobody else uses the store.
  func replayStarts(_ stored: StoredProgress) throws(PersistenceFailure) -> [UInt64] {
    let name = stored.lease.world
    return try withStore { () throws(StoreFailure) in
      let held = try store.holdings(of: name)
      let starts = ReplayStarts(store, of: name, first: held.first, head: stored.head, end: stored.head)
      return try starts.valid(held.checkpoints)
    }
  }

  /// The first input that a rewind may undo. A checkpoint before it, with all later inputs, must be in the store, so
  /// that the world can be restored afterwards.
  ///
  /// - Parameter starts: Those of ``replayStarts(_:)``.
  func firstUndoable(_ starts: [UInt64], _ stored: StoredProgress, _ home: LiveWorld.Box) -> UInt64 {
    // The store does not know yet what was undone in this round.
    let first = starts.first { home.live.world.undoer(of: $0) == nil }
    return (first ?? stored.head) + 1
  }

  /// Records that a world has undone all inputs from one on. A checkpoint with any of them cannot start a load any
  /// more.
  func didUndo(from sequence: UInt64, in hosted: HostedWorld) {
    if let writing = hosted.archiving?.sequence, writing >= sequence { hosted.archiving = nil }
    if let progress = hosted.progress, progress.checkpoint >= sequence { hosted.progress?.isCheckpointUndone = true }
    if let put = hosted.progress?.put, put >= sequence { hosted.progress?.isPutUndone = true }
  }

  /// Releases a world when the daemon ends, with a checkpoint if the next start would be slow.
  func release(_ hosted: HostedWorld, _ home: LiveWorld.Box) throws(PersistenceFailure) {
    guard let progress = hosted.progress else { return }
    let isDue = progress.isCheckpointUndone || progress.head >= progress.checkpoint + Persistence.finalCheckpointInputs
    if isDue, canBeWritten(home, progress),
      home.live.world.machineCount <= Persistence.finalCheckpointMachines
    {
      hosted.archiving = ArchiveWriter(of: home.live.world, atLastInput: true)
      while hosted.archiving != nil {
        guard let made = try goOn(with: hosted, progress, machines: .max) else { continue }
        try withStore { () throws(StoreFailure) in try put(made) }
      }
    }
    // A daemon that leaves a shared store gives all its worlds up at once.
    if store.hosts == nil { try withStore { () throws(StoreFailure) in try store.release(progress.lease) } }
  }
}
