/// A store of durable worlds: their journals as segments of bytes, their checkpoints, and their current rows.
///
/// A store does not interpret the bytes: it returns the same bytes or a failure. A writer takes a world first. Taking
/// raises the world's epoch, and every write is checked against epoch and head in its transaction, so a second writer
/// fences the first one.
///
/// A store is used by one thread at a time, not always the same. Other threads read through its ``readers`` meanwhile.
/// Calls return when the work is done; after a failure nothing of that call is stored, except possibly after
/// ``StoreFailure/unknown(path:reason:)`` and ``StoreFailure/gone(path:)``. In each case the caller forgets the worlds
/// concerned and takes them again: the store then gives their true state.
package protocol WorldStore: AnyObject, WorldReading {
  /// Read access for other threads, while this store is written.
  var readers: any StoreReaders { get }

  /// The daemons that share the store; nil if it has one daemon.
  var hosts: (any StoreHosts)? { get }

  /// Where threads note what they work on; nil if they do not.
  var workNotes: WorkNotes? { get }

  /// Makes a world that no writer has taken.
  ///
  /// - Parameters:
  ///   - head: The number of the input before its first; not zero for a world that continues another.
  ///   - moment: Its time, in nanoseconds since it began.
  ///   - settings: Seed, clock and other data of its owner; returned unchanged.
  /// - Throws: `worldExists`; what ``append(_:)`` throws.
  func create(_ world: String, head: UInt64, moment: Int64, settings: [UInt8]) throws(StoreFailure)

  /// Makes a world that no writer has taken, with all that is stored of another one.
  ///
  /// - Parameters:
  ///   - lease: That of the other one.
  ///   - moment: The new world's time, in nanoseconds since it began.
  ///   - settings: Those of the new world.
  /// - Throws: `worldExists`; `damaged` when something of the other one is; what ``append(_:)`` throws.
  /// - Complexity: O(bytes), in one transaction.
  func copy(_ lease: Lease, to world: String, moment: Int64, settings: [UInt8]) throws(StoreFailure)

  /// Removes a world with all its data, even if a writer has taken it.
  ///
  /// It is gone when this returns; ``sweep()`` frees its space in batches.
  ///
  /// - Throws: `noSuchWorld`; what ``append(_:)`` throws.
  func remove(_ world: String) throws(StoreFailure)

  /// Takes worlds for writing, from any earlier writer, but not from another daemon whose lease is good.
  ///
  /// - Returns: Each current world. Read its content with ``checkpoint(of:atOrBefore:)`` and
  ///   ``readSegments(of:from:_:)``. Or `noSuchWorld`; `fenced` by a daemon with a lease; `damaged` when its row is, or its
  ///   latest checkpoint is missing.
  /// - Throws: What ``append(_:)`` throws. Some may have been taken.
  /// - Complexity: That of a small round, however large the worlds are.
  func take(_ worlds: [String]) throws(StoreFailure) -> [Result<TakenWorld, StoreFailure>]

  /// Releases a world, so that it has no writer. A lease that has already ended is ignored.
  func release(_ lease: Lease) throws(StoreFailure)

  /// Replaces a world by another, in one transaction, so that one of them always exists.
  ///
  /// - Parameter lease: The lease of the replacement; it ends.
  /// - Throws: `noSuchWorld`; `fenced`; what ``append(_:)`` throws.
  func replace(_ world: String, by lease: Lease) throws(StoreFailure)

  /// Gives a world to another daemon, which takes it when a client asks for it there, or soon.
  ///
  /// - Returns: Nil; or the names of the other daemons if none has this name, and the world stays as it is.
  /// - Throws: What ``append(_:)`` throws.
  func handOver(_ lease: Lease, to host: String, moment: Int64, settings: [UInt8]) throws(StoreFailure) -> [String]?

  /// Stores a round in one transaction. When this returns, it is as durable as the store promises.
  ///
  /// - Returns: The worlds that are shut out, of which nothing is stored: `fenced` when another writer has taken or
  ///   removed it; `outOfStep` when its head differs from the caller's; `lost`. Such a world does not keep out the others.
  /// - Throws: `unknown`, `gone`, `full`, `readOnly`, `locked`, `damaged`, `other`; nothing of the round is stored.
  /// - Complexity: O(bytes + creations) in memory and on the disk; a sync of the disk where the store promises it.
  func append(_ round: [Append]) throws(StoreFailure) -> [String: StoreFailure]

  /// Stores a checkpoint of the whole world, so that earlier inputs need no replay. It replaces a checkpoint for the
  /// same input; old ones are thinned out (``CheckpointThinning``).
  ///
  /// - Parameters:
  ///   - sequence: The last input that it contains; not above the world's head.
  ///   - hash: The hash of the world's state, to compare with after a replay.
  /// - Throws: What ``append(_:)`` throws.
  func putCheckpoint(
    _ lease: Lease, at sequence: UInt64, hash: UInt64, _ bytes: UnsafeRawBufferPointer
  ) throws(StoreFailure)

  /// Removes segments that exceed the limits, oldest first, one batch per call so that no round has to wait long.
  ///
  /// It never removes what a restart needs: the latest checkpoint, whose bytes are verified first, and everything after
  /// it. A checkpoint is removed with the segments after it.
  ///
  /// - Returns: Whether there is more to remove; then call again.
  /// - Throws: What ``append(_:)`` throws; `damaged` when the latest checkpoint is, and nothing is removed.
  func retain(_ lease: Lease, _ retention: Retention) throws(StoreFailure) -> Bool

  /// Frees one batch of the space of removed worlds.
  ///
  /// - Returns: Whether there is more; then call again.
  func sweep() throws(StoreFailure) -> Bool

  /// Whether calls wait up to a quarter of a second while another program has locked the store (the default), or fail
  /// at once with `locked`.
  var waitsForLocks: Bool { get set }

  /// Whether the log is long enough for ``writeBackLog()``.
  var isLogLong: Bool { get }

  /// Writes the log back to the database, up to the oldest snapshot in use. Commits only append to the log.
  ///
  /// - Throws: What ``append(_:)`` throws, except failures about worlds; stored data stays stored.
  /// - Complexity: O(log).
  func writeBackLog() throws(StoreFailure)

  /// Tests whether writing works, by a tiny write in the way of a round.
  ///
  /// It does not show how much room there is. It saves reading a whole world only to learn that the disk is still full.
  ///
  /// - Throws: What ``append(_:)`` throws, except failures about worlds.
  func tryWriting() throws(StoreFailure)

  /// Releases the store, with everything written in its final place. Calling it twice is harmless; any other call after
  /// it fails.
  func close()
}

extension WorldStore {
  package var hosts: (any StoreHosts)? { nil }

  /// Where it is, as it may be shown.
  package var place: String { readers.place }

  package func handOver(
    _ lease: Lease, to host: String, moment: Int64, settings: [UInt8]
  ) throws(StoreFailure) -> [String]? { [] }

  /// Takes one world.
  package func take(_ world: String) throws(StoreFailure) -> TakenWorld {
    guard let taken = try take([world]).first else { preconditionFailure("each world has a result") }
    return try taken.get()
  }

  /// Stores changes of one world.
  ///
  /// - Throws: What the round's call returns or throws.
  package func append(_ changes: Append) throws(StoreFailure) {
    for failure in try append([changes]).values { throw failure }
  }
}
