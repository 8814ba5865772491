import JournalStore
import Simulator

/// The inputs after which a replay of a stored world up to an input `end` can start: those of its checkpoints, and 0,
/// the beginning.
///
/// A start is valid if all inputs after it are stored, and none of them up to `end` undoes an input before it.
struct ReplayStarts {
  private let store: any WorldReading
  private let world: String
  private let first: UInt64
  private let head: UInt64
  private let end: UInt64

  /// - Parameters:
  ///   - first: The oldest stored input.
  ///   - head: The last stored input.
  ///   - end: The head, or the last input of a segment.
  init(_ store: any WorldReading, of world: String, first: UInt64, head: UInt64, end: UInt64) {
    self.store = store
    self.world = world
    self.first = first
    self.head = head
    self.end = end
  }

  /// The starts that are valid, oldest first.
  ///
  /// - Parameter marks: The checkpoints to choose from, oldest first.
  func valid(_ marks: [CheckpointMark]) throws(StoreFailure) -> [UInt64] {
    var valid: [UInt64] = []
    for start in kept(marks) where try isValid(start) { valid.append(start) }
    return valid
  }

  /// The latest start that is valid; nil if there is none.
  func latest(_ marks: [CheckpointMark]) throws(StoreFailure) -> UInt64? {
    for start in kept(marks).reversed() where try isValid(start) { return start }
    return nil
  }

  /// The starts after which all inputs are stored.
  private func kept(_ marks: [CheckpointMark]) -> [UInt64] {
    (first == 1 ? [0] : []) + marks.map(\.sequence).filter { $0 > 0 && $0 + 1 >= first }
  }

  private func isValid(_ start: UInt64) throws(StoreFailure) -> Bool {
    if start == 0 || start >= end { return true }
    guard end == head else { return try undone(after: start).first.map { $0 > start } ?? true }
    // There are few checkpoints, but after one there may be many undone ranges.
    return try !store.undone(in: world, start...start).contains { $0.upperBound > start }
  }

  /// What inputs from `start + 1` to `end` undid.
  ///
  /// - Complexity: O(result) if the end is the head. The store does not have what was undone at an earlier end, so the
  ///   segments up to there are read.
  func undone(after start: UInt64) throws(StoreFailure) -> RewindList {
    // A damaged store may have a checkpoint beyond the head.
    if start >= end { return RewindList() }
    if end == head { return RewindList(try store.undone(in: world, start + 1...end)) }
    var undone = RewindList()
    try store.readSegments(of: world, from: start + 1) { segment in
      undone.look(through: segment.bytes, segment.first...segment.last)
      return segment.last < end
    }
    return undone
  }
}
