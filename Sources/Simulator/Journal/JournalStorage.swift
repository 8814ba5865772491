import Synchronization

/// Which blocks of a journal are shared with copies.
final class SharedStretch {
  /// The index up to which blocks may be shared.
  var end = 0
}

/// The bytes of one block.
final class JournalStorage: @unchecked Sendable {
  // Safety: allocated here and freed with the last journal that has the block. Only the journal that opened it writes,
  // after the part that others read.
  let base: UnsafeMutableRawPointer
  /// How many journals share the block; their worlds may be on different threads.
  private let journals = Atomic<Int>(1)

  init(_ capacity: Int) {
    base = .allocate(byteCount: capacity, alignment: 16)
  }

  var owners: Int { max(1, journals.load(ordering: .relaxed)) }

  func join() { journals.add(1, ordering: .relaxed) }

  func leave() { journals.subtract(1, ordering: .relaxed) }

  deinit {
    base.deallocate()
  }
}
