/// A short list of words that is searched and printed as bytes: no `String`, no reference counting.
///
/// A kind makes one for each of its lists and keeps it for as long as it lives; copies of the table share its storage.
public struct WordTable: Sendable {
  private struct Entry {
    /// The first eight bytes, the first lowest, zeros after the end.
    let head: UInt64
    let bytes: UnsafeRawBufferPointer
  }

  // Safety: written once in `init`, read ever after, freed by the kind that owns the table. Unchecked for that reason.
  private nonisolated(unsafe) let entries: UnsafeMutableBufferPointer<Entry>

  init(_ words: [String]) {
    entries = .allocate(capacity: words.count)
    _ = entries.initialize(
      from: words.map { word in
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: word.utf8.count, alignment: 1)
        bytes.copyBytes(from: word.utf8)
        return Entry(head: WordTable.head(of: UnsafeRawBufferPointer(bytes)), bytes: UnsafeRawBufferPointer(bytes))
      })
  }

  func deallocate() {
    for entry in entries { entry.bytes.deallocate() }
    entries.deallocate()
  }

  public var count: Int { entries.count }

  /// The word at a place.
  @inline(__always)
  public func word(at place: Int) -> UnsafeRawBufferPointer { entries[place].bytes }

  /// The place of a word, compared exactly; nil if it is not in the list.
  ///
  /// - Complexity: O(words), one comparison of a number each.
  public func find(_ word: UnsafeRawBufferPointer) -> Int? {
    let head = WordTable.head(of: word)
    for place in 0..<entries.count where entries[place].head == head && entries[place].bytes.count == word.count {
      if word.count <= 8 || entries[place].bytes.elementsEqual(word) { return place }
    }
    return nil
  }

  @inline(__always)
  private static func head(of word: UnsafeRawBufferPointer) -> UInt64 {
    if word.count >= 8 { return UInt64(littleEndian: word.loadUnaligned(as: UInt64.self)) }
    var head: UInt64 = 0
    for place in 0..<word.count { head |= UInt64(word[place]) &<< UInt64(8 &* place) }
    return head
  }
}

/// The words of a kind, for the hot path.
public struct KindWords: Sendable {
  public let states: WordTable
  public let events: WordTable
  public let timers: WordTable
  public let outputs: WordTable
  /// Which of the first 64 events take no arguments, one bit each.
  private let plain: UInt64

  init(states: [String], events: [EventEntry], timers: [String], outputs: [String]) {
    self.states = WordTable(states)
    self.events = WordTable(events.map(\.name))
    self.timers = WordTable(timers)
    self.outputs = WordTable(outputs)
    plain = events.enumerated().prefix(64).reduce(0) { bits, event in
      event.element.arguments.isEmpty ? bits | 1 << UInt64(event.offset) : bits
    }
  }

  func deallocate() {
    for table in [states, events, timers, outputs] { table.deallocate() }
  }

  /// Whether an event is known to take no arguments.
  @inline(__always)
  public func isPlain(_ event: Int) -> Bool { event < 64 && plain & (1 &<< UInt64(event)) != 0 }
}
