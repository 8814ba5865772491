/// What a store has, for those who only read it.
///
/// Who has one asks from one thread at a time, whichever that is.
package protocol WorldReading: AnyObject {
  /// All worlds, in order of their names' bytes.
  func worlds() throws(StoreFailure) -> [StoredWorld]

  /// The world of a name; nil if there is none.
  ///
  /// - Throws: `damaged` when its row is not what was written, whatever became of other worlds.
  func world(_ name: String) throws(StoreFailure) -> StoredWorld?

  /// Gives a world's segments in order, up to its head.
  ///
  /// The first one may begin before `sequence`. Where segments that old have been removed, reading begins with the
  /// first that is kept, ``StoredWorld/first``. What is read is of one moment, whatever is written meanwhile. `body`
  /// must not write to this store.
  ///
  /// - Parameter body: Returns whether to go on. The bytes are lent for the call.
  /// - Throws: `noSuchWorld`; `damaged` where bytes are not those that were written, and where inputs are missing. What
  ///   was given before is right.
  func readSegments(
    of world: String, from sequence: UInt64, _ body: (Segment) -> Bool
  ) throws(StoreFailure)

  /// A world's checkpoints without their bytes, oldest first.
  func checkpoints(of world: String) throws(StoreFailure) -> [CheckpointMark]

  /// The latest checkpoint that contains no input after `sequence`, if there is one.
  ///
  /// - Throws: `noSuchWorld`; `damaged` when its bytes are not those that were written: an older one may be good.
  func checkpoint(of world: String, atOrBefore sequence: UInt64) throws(StoreFailure) -> Checkpoint?

  /// Which machine had a number when an input came; nil where the store was not told.
  ///
  /// - Complexity: O(log creations).
  func creation(of number: UInt32, in world: String, at sequence: UInt64) throws(StoreFailure) -> Creation?

  /// What was undone of a stretch of inputs, as ``Append/undone`` said it: all that touches them, in order.
  ///
  /// - Throws: `noSuchWorld`; `damaged` where it is not what was written.
  /// - Complexity: O(log n + what is found).
  func undone(in world: String, _ inputs: ClosedRange<UInt64>) throws(StoreFailure) -> [ClosedRange<UInt64>]

  /// By which descriptions of kinds a world's segments were written, in the order of the inputs.
  ///
  /// - Throws: `noSuchWorld`; `damaged` where one is not what was written.
  func kinds(of world: String) throws(StoreFailure) -> [StoredKind]

  /// What a world takes up.
  func holdings(of world: String) throws(StoreFailure) -> StorageStats
}

/// Reading beside a store that is written meanwhile.
///
/// Any thread may ask, several at once: nobody waits for another, nor for the writer, nor the writer for them.
package protocol StoreReaders: AnyObject, Sendable {
  /// Does `body` on one moment of the store: what was stored before this is called, whatever is written meanwhile.
  ///
  /// As long as it takes, what is written stays in SQLite's log, which grows. So a long journal is read in pieces.
  ///
  /// - Parameter body: Is lent what it asks, for the length of the call.
  /// - Throws: What `body` throws; `gone`, `locked`, `cannotOpen`; `other`, also once the store is closed.
  func reading<R: ~Copyable>(_ body: (any WorldReading) throws(StoreFailure) -> R) throws(StoreFailure) -> R
}
