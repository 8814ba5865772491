/// Where durable worlds are kept: their journals as segments of bytes, their checkpoints, and what they are at the end.
///
/// A store knows nothing of machines: bytes come in and the same bytes come out, or a failure. Who writes a world takes
/// it first. Taking raises the world's epoch, and every write is checked against epoch and head in the transaction that
/// makes it, so that a second writer shuts the first one out, whatever else both believe.
///
/// A store is used by one thread at a time, whichever that is: no call depends on the thread that made another. Other
/// threads read through its ``readers`` meanwhile. Calls return when the work is done; after a failure nothing of that
/// call is stored, except after ``StoreFailure/unknown(path:reason:)`` and ``StoreFailure/gone(path:)``. In each case the caller forgets the worlds that the call was
/// about and takes them again: what a store says then is the truth.
package protocol WorldStore: AnyObject, WorldReading {
  /// Reading from other threads, while this one writes.
  var readers: any StoreReaders { get }

  /// Makes a world, which is taken by nobody.
  ///
  /// - Parameters:
  ///   - head: The number of the input before its first; not zero for a world that goes on from another.
  ///   - moment: Its time, in nanoseconds since it began.
  ///   - settings: Seed, clock and whatever else its owner needs; given back as they are.
  /// - Throws: `worldExists`; what ``append(_:)`` throws.
  func create(_ world: String, head: UInt64, moment: Int64, settings: [UInt8]) throws(StoreFailure)

  /// Removes a world with all that belongs to it, whoever has taken it.
  ///
  /// It is gone when this returns; the room it had is given back in batches by ``sweep()``.
  ///
  /// - Throws: `noSuchWorld`; what ``append(_:)`` throws.
  func remove(_ world: String) throws(StoreFailure)

  /// Takes a world for writing, from whoever had it.
  ///
  /// - Returns: The world as it is now. What it holds is read with ``checkpoint(of:atOrBefore:)`` and
  ///   ``readSegments(of:from:_:)``.
  /// - Throws: `noSuchWorld`; `damaged` when its row is, or its latest checkpoint is missing; what ``append(_:)`` throws.
  /// - Complexity: That of a small round, however large the world is.
  func take(_ world: String) throws(StoreFailure) -> TakenWorld

  /// Gives a world back, so that nobody is named as its writer. A lease that has ended already is none to release.
  func release(_ lease: Lease) throws(StoreFailure)

  /// Writes a round down: all of it, or nothing. When this returns it is as durable as the store promises.
  ///
  /// - Throws: `fenced` when somebody has taken or removed one of the worlds; `outOfStep` when a head is another than
  ///   the caller thinks; `unknown`, `gone`, `full`, `readOnly`, `locked`, `damaged`, `other`.
  /// - Complexity: O(bytes + creations) in memory and on the disk; a sync of the disk where the store promises it.
  func append(_ round: [Append]) throws(StoreFailure)

  /// Keeps a copy of the whole world, so that nothing before needs to be replayed. One that is there for the same input
  /// is replaced; old ones are thinned out (``CheckpointThinning``).
  ///
  /// - Parameters:
  ///   - sequence: The last input that it contains; not above the world's head.
  ///   - hash: Of the world's state, for whoever replays to compare.
  /// - Throws: What ``append(_:)`` throws.
  func putCheckpoint(
    _ lease: Lease, at sequence: UInt64, hash: UInt64, _ bytes: UnsafeRawBufferPointer
  ) throws(StoreFailure)

  /// Removes what lies beyond the limits, oldest first, one batch per call so that no round has to wait long.
  ///
  /// Never removed is what a restart needs: the latest checkpoint, whose bytes are checked before anything is removed
  /// for its sake, and all that is behind it. Checkpoints go with the segments behind them.
  ///
  /// - Returns: Whether there is more to remove; then call again.
  /// - Throws: What ``append(_:)`` throws; `damaged` when the latest checkpoint is, and nothing is removed.
  func retain(_ lease: Lease, _ retention: Retention) throws(StoreFailure) -> Bool

  /// Gives back one batch of the room that removed worlds had.
  ///
  /// - Returns: Whether there is more; then call again.
  func sweep() throws(StoreFailure) -> Bool

  /// Whether a call waits for a quarter of a second where another program has the store locked, which is so at first;
  /// otherwise it fails at once with `locked`.
  var waitsForLocks: Bool { get set }

  /// Whether the log is so long that it is time for ``writeBackLog()``.
  var isLogLong: Bool { get }

  /// Writes the log back to the database, as far as nobody reads what was before. Commits only ever append to it.
  ///
  /// - Throws: What ``append(_:)`` throws, but for what is about worlds; what is stored stays stored.
  /// - Complexity: O(log).
  func writeBackLog() throws(StoreFailure)

  /// Tries whether anything can be written, by writing next to nothing in the way that a round is written.
  ///
  /// It says little of how much room there is. For who would otherwise read a whole world only to learn that the disk is
  /// still full.
  ///
  /// - Throws: What ``append(_:)`` throws, but for what is about worlds.
  func tryWriting() throws(StoreFailure)

  /// Gives the store free, with all that was written in the place where it is to stay. To be called twice is harmless;
  /// anything else after it fails.
  func close()
}
