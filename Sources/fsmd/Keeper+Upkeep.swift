import JournalStore
import Simulator
import StateMachines

/// What a store needs besides the rounds: checkpoints, so that a start is quick, and room.
extension Keeper {
  /// Machines written out in one round.
  private static let machinesInARound = 2_000
  /// At the end of the daemon a checkpoint is made of a world with this many inputs behind the last one, if it has at most
  /// so many machines.
  private static let inputsBeforeTheEnd: UInt64 = 20_000
  private static let machinesAtTheEnd = 100_000
  /// How often it is looked whether something has grown too old, besides after each checkpoint; in nanoseconds.
  private static let timeBetweenLooks: UInt64 = 3_600_000_000_000

  /// Goes on with what is to be done for a world beside its rounds: a piece of a checkpoint, a bite of what is to go.
  ///
  /// - Returns: Whether there is more to do, which can wait for others.
  /// - Throws: What ``WorldStore/append(_:)`` throws; the world must be read again then.
  func tend(_ hosted: HostedWorld, host: UInt64) throws(KeeperFailure) -> Bool {
    guard let keeping = hosted.keeping, host >= keeping.restsUntil else { return false }
    if hosted.archiving == nil, isCheckpointDue(hosted, keeping) {
      hosted.archiving = ArchiveWriter(of: hosted.realm.world, atLastInput: true)
    }
    if hosted.archiving != nil { return try goOn(with: hosted, keeping, machines: Keeper.machinesInARound) }
    if host >= keeping.roomLookedForAt + Keeper.timeBetweenLooks {
      hosted.keeping?.roomLookedForAt = host
      hosted.keeping?.isOverfull = true
      return true
    }
    guard keeping.isOverfull, !keeping.isCheckpointUndone else { return false }
    let isOverfull = try ask { () throws(StoreFailure) in try store.retain(keeping.tenure, retention) }
    hosted.keeping?.isOverfull = isOverfull
    let held = try ask { () throws(StoreFailure) in try store.holdings(of: keeping.tenure.world) }
    hosted.realm.stored?.first = held.first
    return isOverfull
  }

  private var retention: Retention {
    Retention(bytes: limits.storeBytes, age: Int64(limits.storeDays) * 86_400)
  }

  private func isCheckpointDue(_ hosted: HostedWorld, _ keeping: Keeping) -> Bool {
    let wait = max(UInt64(limits.checkpointInputs), 2 * UInt64(hosted.realm.world.machineCount))
    let isDue =
      keeping.isCheckpointUndone || keeping.head >= keeping.checkpoint + wait
      || keeping.bytesSinceCheckpoint > limits.storeBytes / 4
    return isDue && canBeWritten(hosted, keeping)
  }

  /// A checkpoint is made of what is stored.
  private func canBeWritten(_ hosted: HostedWorld, _ keeping: Keeping) -> Bool {
    hosted.realm.world.lastSequence == keeping.head && hosted.realm.world.canBeArchived
  }

  /// Writes a piece of a checkpoint, and stores it when it is whole.
  ///
  /// - Returns: True; what a new checkpoint makes superfluous is to go next.
  private func goOn(with hosted: HostedWorld, _ keeping: Keeping, machines: Int) throws(KeeperFailure) -> Bool {
    guard var writer = hosted.archiving.take() else { return false }
    let name = keeping.tenure.world
    do throws(ArchiveFailure) {
      guard try writer.advance(machines: machines) else {
        hosted.archiving = consume writer
        return true
      }
    } catch {
      throw .unreadable(world: name, reason: error.text)
    }
    let (sequence, hash, bytes) = (writer.sequence, writer.presentHash, writer.bytes)
    try ask { () throws(StoreFailure) in
      try bytes.withUnsafeBytes { bytes in
        Result { () throws(StoreFailure) in try store.putCheckpoint(keeping.tenure, at: sequence, hash: hash, bytes) }
      }.get()
    }
    hosted.keeping?.checkpoint = sequence
    hosted.keeping?.isCheckpointUndone = false
    hosted.keeping?.bytesSinceCheckpoint = 0
    hosted.keeping?.isOverfull = true
    return true
  }

  // MARK: Going back

  /// The first input that a way back may undo, so that the store can bring the world back afterwards: there must be a
  /// checkpoint before it with all that followed.
  func firstUndoable(_ hosted: HostedWorld) throws(KeeperFailure) -> UInt64 {
    guard let keeping = hosted.keeping else { return 1 }
    let name = keeping.tenure.world
    let first = try ask { () throws(StoreFailure) in try store.holdings(of: name) }.first
    // What was undone in this round is not stored yet.
    let standing = try standingCheckpoints(of: name, from: first).first { hosted.realm.world.undoer(of: $0) == nil }
    return (standing ?? keeping.head) + 1
  }

  /// Says that a world has undone all inputs from one on: what was written out of them is of no use for a start.
  func didUndo(from sequence: UInt64, in hosted: HostedWorld) {
    if let writing = hosted.archiving?.sequence, writing >= sequence { hosted.archiving = nil }
    if let keeping = hosted.keeping, keeping.checkpoint >= sequence { hosted.keeping?.isCheckpointUndone = true }
  }

  /// Leaves a world so that the next start is quick, when the daemon ends.
  func leave(_ hosted: HostedWorld) throws(KeeperFailure) {
    guard let keeping = hosted.keeping else { return }
    let isDue = keeping.isCheckpointUndone || keeping.head >= keeping.checkpoint + Keeper.inputsBeforeTheEnd
    if isDue, canBeWritten(hosted, keeping),
      hosted.realm.world.machineCount <= Keeper.machinesAtTheEnd
    {
      hosted.archiving = ArchiveWriter(of: hosted.realm.world, atLastInput: true)
      repeat { _ = try goOn(with: hosted, keeping, machines: .max) } while hosted.archiving != nil
    }
    try ask { () throws(StoreFailure) in try store.release(keeping.tenure) }
  }

  /// Gives back a bite of the room that dropped worlds had.
  ///
  /// - Returns: Whether there is more.
  func sweep() throws(KeeperFailure) -> Bool {
    try ask { () throws(StoreFailure) in try store.sweep() }
  }
}
