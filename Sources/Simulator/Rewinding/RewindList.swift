import StateMachines

/// All rewinds of a journal, in order. They tell which ranges are undone now, and which were at any earlier input.
///
/// The state after a rewind is that right before its first undone input. So the ranges that are undone before an input
/// are that of the latest rewind before it, and those that were undone before this range. Each rewind notes the one below
/// its range. Redos that follow directly on each other's undos have one range.
package struct RewindList: Sendable {
  /// Inputs that were undone together, and the input that undid them, which follows directly.
  struct Undone: Equatable {
    let from: UInt64
    let by: UInt64
  }

  private struct Entry {
    let undone: Undone
    let isRedo: Bool
    /// How many entries back the next range below is; 0 if there is none.
    let below: UInt32
    /// How many entries back a range further below is, and how many ranges that is; 0 if there is none.
    let jump: UInt32
    let ranges: UInt32
  }

  private var entries: ContiguousArray<Entry> = []

  package init() {}

  /// - Parameter ranges: Undone ranges, each up to the input that undid it, in order.
  package init(_ ranges: [ClosedRange<UInt64>]) {
    for range in ranges { append(from: range.lowerBound, by: range.upperBound) }
  }

  /// The last rewind; 0 if there is none.
  package var last: UInt64 { entries.last?.undone.by ?? 0 }

  /// The memory, in bytes.
  var bytes: Int { entries.capacity * MemoryLayout<Entry>.stride }

  /// Adds a rewind.
  ///
  /// - Parameters:
  ///   - from: The first undone input; of a redo, the first undo that it takes back.
  ///   - undoer: The rewind, which comes after all others.
  /// - Complexity: O(log rewinds).
  package mutating func append(from: UInt64, by undoer: UInt64, isRedo: Bool = false) {
    precondition(undoer > last && from <= undoer, "rewinds come in order")
    var start = from
    var below = place(before: from)
    if isRedo, let place = below, entries[place].isRedo, entries[place].undone.by + 1 == from {
      start = entries[place].undone.from
      below = next(below: place)
    }
    let place = entries.count
    var (target, ranges) = (below, below == nil ? 0 : 1)
    // As in a skew-binary list: two jumps of one length become one jump.
    if let below, let middle = jump(from: below), let end = jump(from: middle),
      entries[below].ranges == entries[middle].ranges
    {
      target = end
      ranges += Int(entries[below].ranges) + Int(entries[middle].ranges)
    }
    entries.append(
      Entry(
        undone: Undone(from: start, by: undoer), isRedo: isRedo, below: UInt32(below.map { place - $0 } ?? 0),
        jump: UInt32(target.map { place - $0 } ?? 0), ranges: UInt32(ranges)))
  }

  /// The place of the latest rewind before an input.
  private func place(before end: UInt64) -> Int? {
    guard let last = entries.last, last.undone.by >= end else { return entries.indices.last }
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].undone.by < end { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }

  /// The place of the next range below; nil if there is none, or it is forgotten.
  private func next(below place: Int) -> Int? { back(from: place, by: entries[place].below) }

  private func jump(from place: Int) -> Int? { back(from: place, by: entries[place].jump) }

  private func back(from place: Int, by distance: UInt32) -> Int? {
    distance > 0 && Int(distance) <= place ? place - Int(distance) : nil
  }

  /// The range, undone before the input `end`, that contains an input, as an undone or undoing one; nil if the input was
  /// in effect then.
  ///
  /// - Complexity: O(log rewinds).
  func span(of sequence: UInt64, before end: UInt64 = .max) -> Undone? {
    guard var place = place(before: end), entries[place].undone.by >= sequence else { return nil }
    while true {
      if let far = jump(from: place), entries[far].undone.by >= sequence {
        place = far
      } else if let near = next(below: place), entries[near].undone.by >= sequence {
        place = near
      } else {
        return entries[place].undone.from <= sequence ? entries[place].undone : nil
      }
    }
  }

  /// The ranges that are undone now, each up to the input that undid it, in order, from the first on that ends at
  /// `first` or later.
  ///
  /// - Complexity: O(result).
  package func ranges(from first: UInt64 = 0) -> [ClosedRange<UInt64>] {
    var ranges: [ClosedRange<UInt64>] = []
    var place = entries.indices.last
    while let found = place, entries[found].undone.by >= first {
      ranges.append(entries[found].undone.from...entries[found].undone.by)
      place = next(below: found)
    }
    return ranges.reversed()
  }

  /// The first input that is undone now; nil if none is.
  package var first: UInt64? { ranges().first?.lowerBound }

  /// The range of a rewind, and whether it has taken undos back; nil if the input is no rewind.
  func rewind(_ sequence: UInt64) -> (undone: Undone, isRedo: Bool)? {
    guard let place = place(before: sequence + 1), entries[place].undone.by == sequence else { return nil }
    return (entries[place].undone, entries[place].isRedo)
  }

  /// Forgets the rewinds before `first`, since the journal has dropped them, once they are half of all.
  mutating func forget(before first: UInt64) {
    // Half of them at a time, since the others move.
    if let last = place(before: first), last + 1 >= entries.count / 2 { entries.removeFirst(last + 1) }
  }

  /// Adds the rewinds of the next segment, as far as it can be read.
  package mutating func look(through bytes: UnsafeRawBufferPointer, _ numbers: ClosedRange<UInt64>) {
    guard let segment = JournalSegment(bytes) else { return }
    var scanner = RecordScanner(segment, first: numbers.lowerBound)
    while scanner.next <= numbers.upperBound, let entry = try? scanner.read() { look(at: entry) }
  }

  /// Adds an entry of the journal if it is a later rewind.
  mutating func look(at entry: JournalEntry) {
    guard entry.input == .rewound, entry.sequence > last else { return }
    let rewind = JournalInput(entry)
    append(from: rewind.firstUndone, by: entry.sequence, isRedo: rewind.isRedo)
  }

  /// Violated invariants, in words.
  func invariantViolations() -> [String] {
    var violations: [String] = []
    for (entry, next) in zip(entries, entries.dropFirst()) where entry.undone.by >= next.undone.by {
      violations.append("rewind \(next.undone.by) comes after \(entry.undone.by)")
    }
    for place in entries.indices where next(below: place) != self.place(before: entries[place].undone.from) {
      violations.append("the range of rewind \(entries[place].undone.by) is on another than it should be")
    }
    return violations
  }
}
