import Synchronization

/// Which blocks of a journal its copies have too.
final class SharedStretch {
  /// The place up to which they may be shared.
  var end = 0
}

/// The bytes of one block.
final class JournalStorage: @unchecked Sendable {
  // Safety: allocated here and freed with the last journal that has the block. Whoever opened it writes behind what the
  // others read.
  let base: UnsafeMutableRawPointer
  /// How many journals have the block, which may belong to worlds of several threads.
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
