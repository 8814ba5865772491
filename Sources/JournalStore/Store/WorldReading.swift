/// Read access to a store.
///
/// Calls come from one thread at a time, not always the same.
package protocol WorldReading: AnyObject {
  /// All worlds, ordered by the bytes of their names.
  func worlds() throws(StoreFailure) -> [StoredWorld]

  /// Reads ahead, in few queries, what loading these worlds asks for. A snapshot keeps the answers.
  func prepare(_ worlds: [String]) throws(StoreFailure)

  /// The world with this name; nil if there is none.
  ///
  /// - Throws: `damaged` when its row differs from what was written. Damage to other worlds does not matter.
  func world(_ name: String) throws(StoreFailure) -> StoredWorld?

  /// Passes a world's segments to `body` in order, up to its head.
  ///
  /// The first one may begin before `sequence`. If segments that old have been removed, reading begins with the first
  /// stored one, ``StoredWorld/first``. All is read from one snapshot. `body` must not write to this store.
  ///
  /// - Parameter body: Returns whether to go on. The bytes are lent for the call.
  /// - Throws: `noSuchWorld`; `damaged` where bytes differ from those written or inputs are missing. Segments passed
  ///   before are correct.
  func readSegments(
    of world: String, from sequence: UInt64, _ body: (Segment) -> Bool
  ) throws(StoreFailure)

  /// A world's checkpoints without their bytes, oldest first.
  func checkpoints(of world: String) throws(StoreFailure) -> [CheckpointMark]

  /// The latest checkpoint that contains no input after `sequence`, if there is one.
  ///
  /// - Throws: `noSuchWorld`; `damaged` when its bytes differ from those written: an older one may be good.
  func checkpoint(of world: String, atOrBefore sequence: UInt64) throws(StoreFailure) -> StoredCheckpoint?

  /// The machine that had a number at an input; nil if the store does not know it.
  ///
  /// - Complexity: O(log creations).
  func creation(of number: UInt32, in world: String, at sequence: UInt64) throws(StoreFailure) -> StoredCreation?

  /// All names of a world's machines, in the order of the inputs that made them.
  ///
  /// - Complexity: O(n log n) in the names.
  func creations(of world: String) throws(StoreFailure) -> [StoredCreation]

  /// The undone ranges, given by ``Append/undone``, that overlap `inputs`, in order.
  ///
  /// - Throws: `noSuchWorld`; `damaged` where one differs from what was written.
  /// - Complexity: O(log n + result).
  func undone(in world: String, _ inputs: ClosedRange<UInt64>) throws(StoreFailure) -> [ClosedRange<UInt64>]

  /// The descriptions of kinds with which a world's segments were written, in the order of the inputs.
  ///
  /// - Throws: `noSuchWorld`; `damaged` where one differs from what was written.
  func kinds(of world: String) throws(StoreFailure) -> [StoredKind]

  /// The space that a world uses.
  func holdings(of world: String) throws(StoreFailure) -> StorageStats
}

extension WorldReading {
  package func prepare(_ worlds: [String]) throws(StoreFailure) {}

  /// ``readSegments(of:from:_:)`` with a body that may fail, which ends the reading.
  ///
  /// - Returns: How the body failed; nil if it did not.
  package func readSegments<Failure: Error>(
    of world: String, from sequence: UInt64, trying body: (Segment) throws(Failure) -> Bool
  ) throws(StoreFailure) -> Failure? {
    var failure: Failure?
    try readSegments(of: world, from: sequence) { segment in
      do throws(Failure) {
        return try body(segment)
      } catch {
        failure = error
        return false
      }
    }
    return failure
  }
}

/// A store that is only read, opened for that.
package protocol StoreReading: WorldReading {
  /// Runs `body` on one snapshot of the store, whatever a daemon writes meanwhile.
  func withSnapshot<R: ~Copyable>(_ body: () throws(StoreFailure) -> R) throws(StoreFailure) -> R

  /// Checks what ``WorldReading`` does not: the store as a whole.
  ///
  /// - Parameter progress: Called after each step.
  /// - Returns: What is strange about it.
  /// - Throws: What is wrong with it.
  func inspect(_ progress: (String) -> Void) throws(StoreFailure) -> [StoreWarning]

  /// Calling it twice is harmless; any other call after it fails.
  func close()
}

/// Reading while a store is written.
///
/// Any thread may call, several at once: readers and the writer do not wait for each other.
package protocol StoreReaders: AnyObject, Sendable {
  /// Whether reading takes about as long as the disk does, and a short write too, so that the event loop need not leave
  /// them to other threads.
  var answersAtOnce: Bool { get }

  /// Where the store is, as it may be shown: without a password.
  var place: String { get }

  /// Runs `body` on a snapshot of the store that contains everything stored before this call.
  ///
  /// The log grows while `body` runs, since written data stays in it. So read a long journal in pieces.
  ///
  /// - Parameter body: Data that it reads is lent for the call.
  /// - Throws: What `body` throws; `gone`, `locked`, `cannotOpen`; `other`, also once the store is closed.
  func reading<R: ~Copyable>(_ body: (any WorldReading) throws(StoreFailure) -> R) throws(StoreFailure) -> R
}
