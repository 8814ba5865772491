/// A list of words, searched and printed as bytes, without `String` or reference counting.
///
/// A kind owns one table for each of its lists. Copies of a table share its storage.
public struct WordTable: Sendable {
  @usableFromInline
  struct Entry {
    /// The first and the last eight bytes, zero-padded if the word is shorter.
    @usableFromInline let head: UInt64
    @usableFromInline let tail: UInt64
    @usableFromInline let bytes: UnsafeRawBufferPointer
  }

  // Safety: written once in `init`, then only read; freed by the kind that owns the table. Hence unchecked.
  @usableFromInline nonisolated(unsafe) let entries: UnsafeMutableBufferPointer<Entry>
  // Safety: as for `entries`. A hash table of indices increased by one, 0 for none; empty for a short list.
  @usableFromInline nonisolated(unsafe) let slots: UnsafeMutableBufferPointer<UInt16>

  /// A list of up to this many words is searched from its beginning.
  private static let mostScanned = 64

  init(_ words: [String]) {
    entries = .allocate(capacity: words.count)
    _ = entries.initialize(
      from: words.map { word in
        // Sixteen spare bytes, so that a word can be copied sixteen bytes at a time.
        let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: word.utf8.count + 16, alignment: 1)
        storage.copyBytes(from: word.utf8)
        let bytes = UnsafeRawBufferPointer(rebasing: storage[..<word.utf8.count])
        let (head, tail) = WordTable.ends(of: bytes)
        return Entry(head: head, tail: tail, bytes: bytes)
      })
    let isShort = words.count <= WordTable.mostScanned
    slots = .allocate(capacity: isShort ? 0 : 1 << (Int.bitWidth - words.count.leadingZeroBitCount + 1))
    slots.initialize(repeating: 0)
    if isShort { return }
    for (place, entry) in entries.enumerated() {
      var slot = firstSlot(entry.head, entry.tail)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = UInt16(place + 1)
    }
  }

  func deallocate() {
    slots.deallocate()
    for entry in entries { entry.bytes.deallocate() }
    entries.deallocate()
  }

  public var count: Int { entries.count }

  /// The word at an index. Sixteen more bytes are readable after it.
  @inlinable
  @inline(__always)
  public func word(at place: Int) -> UnsafeRawBufferPointer { entries[place].bytes }

  /// The index of a word, compared exactly; `nil` if the list does not contain it.
  ///
  /// - Complexity: O(words) for up to 64 words, with three integer comparisons per word if no word is longer than sixteen
  ///   bytes; O(1) for more.
  @inlinable
  public func find(_ word: UnsafeRawBufferPointer) -> Int? {
    guard word.count > 0 else { return nil }
    let (head, tail) = WordTable.ends(of: word)
    if slots.count > 0 { return find(word, head, tail) }
    var place = 0
    while place < entries.count {
      if isWord(at: place, word, head, tail) { return place }
      place &+= 1
    }
    return nil
  }

  @inlinable
  @inline(__always)
  func isWord(at place: Int, _ word: UnsafeRawBufferPointer, _ head: UInt64, _ tail: UInt64) -> Bool {
    let entry = entries[place]
    return entry.head == head && entry.tail == tail && entry.bytes.count == word.count
      && (word.count <= 16 || entry.bytes.elementsEqual(word))
  }

  /// Searches a long list.
  @usableFromInline
  @inline(never)
  func find(_ word: UnsafeRawBufferPointer, _ head: UInt64, _ tail: UInt64) -> Int? {
    var slot = firstSlot(head, tail)
    while slots[slot] != 0 {
      let place = Int(slots[slot]) - 1
      if isWord(at: place, word, head, tail) { return place }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  private func firstSlot(_ head: UInt64, _ tail: UInt64) -> Int {
    let hash = (head &* 0x9E37_79B9_7F4A_7C15 ^ tail) &* 0xD6E8_FEB8_6659_FD93
    return Int(truncatingIfNeeded: hash &>> 32) & (slots.count - 1)
  }

  /// The first and the last eight bytes of a word that is not empty. A word of fewer than eight bytes is read in two
  /// overlapping parts, so that no byte outside it is read.
  @inlinable
  @inline(__always)
  static func ends(of word: UnsafeRawBufferPointer) -> (head: UInt64, tail: UInt64) {
    let base = word.baseAddress.unsafelyUnwrapped
    let count = word.count
    if count >= 8 {
      return (
        base.loadUnaligned(as: UInt64.self), base.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
      )
    }
    if count >= 4 {
      return (
        UInt64(base.loadUnaligned(as: UInt32.self)),
        UInt64(base.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
      )
    }
    return (
      UInt64(base.load(as: UInt8.self)) | UInt64(base.load(fromByteOffset: count &>> 1, as: UInt8.self)) &<< 8,
      UInt64(base.load(fromByteOffset: count &- 1, as: UInt8.self))
    )
  }
}

/// The words of a kind for the hot path. It is a single pointer, so passing it is cheap.
public struct KindWords: Sendable {
  @usableFromInline
  struct Tables {
    @usableFromInline let states: WordTable
    @usableFromInline let events: WordTable
    @usableFromInline let timers: WordTable
    @usableFromInline let outputs: WordTable
    /// Whether a state's data are its word.
    let areNamedByData: Bool
    /// Bit set of the first 64 events that can be sent without arguments.
    @usableFromInline let plain: UInt64
    /// For each event after them, whether it can be sent without arguments.
    let laterPlain: [Bool]
    /// For each output, whether only watchers of everything get it.
    let told: [Bool]
  }

  // Safety: written once in `init`, then only read; freed by the kind that owns it. Hence unchecked.
  @usableFromInline nonisolated(unsafe) let tables: UnsafeMutablePointer<Tables>

  init(_ schema: KindSchema) {
    let events = schema.events
    tables = .allocate(capacity: 1)
    tables.initialize(
      to: Tables(
        states: WordTable(schema.states.map(\.word)), events: WordTable(events.map(\.name)),
        timers: WordTable(schema.timers.map(\.name)), outputs: WordTable(schema.outputs.map(\.name)),
        areNamedByData: schema.hasStatesNamedByData,
        plain: events.enumerated().prefix(64).reduce(0) { bits, event in
          event.element.isPlain ? bits | 1 << UInt64(event.offset) : bits
        },
        laterPlain: events.dropFirst(64).map(\.isPlain),
        told: schema.outputs.map(\.isTold)))
  }

  func deallocate() {
    for table in [states, events, timers, outputs] { table.deallocate() }
    tables.deinitialize(count: 1)
    tables.deallocate()
  }

  @inlinable
  public var states: WordTable { tables.pointee.states }
  @inlinable
  public var events: WordTable { tables.pointee.events }
  @inlinable
  public var timers: WordTable { tables.pointee.timers }
  @inlinable
  public var outputs: WordTable { tables.pointee.outputs }

  /// Whether a state's data are its word: see ``StateWithData/isNamedByData``.
  public var hasStatesNamedByData: Bool { tables.pointee.areNamedByData }

  /// Whether only watchers of everything get an output.
  public func isTold(_ output: Int) -> Bool { tables.pointee.told[output] }

  /// Whether an event can be sent without arguments.
  @inlinable
  @inline(__always)
  public func isPlain(_ event: Int) -> Bool {
    event < 64 ? tables.pointee.plain & (1 &<< UInt64(event)) != 0 : isLaterPlain(event)
  }

  @usableFromInline
  @inline(never)
  func isLaterPlain(_ event: Int) -> Bool { tables.pointee.laterPlain[event - 64] }
}
