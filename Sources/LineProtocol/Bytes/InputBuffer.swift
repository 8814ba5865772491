/// Received bytes that are not read yet, split into lines in place.
///
/// Bytes arrive in pieces of any size; ``nextLine()`` returns a line as soon as its LF is there, and scans no byte
/// twice. A line longer than the limit is reported once and dropped up to its LF, without being stored.
package struct InputBuffer: ~Copyable {
  /// One line, without its LF or CRLF. A plain line is in an input buffer: its line end follows it, and eight bytes can
  /// be read from any position in it.
  package struct Line {
    /// The bytes, in place. Valid until the buffer is filled again; a parser may rewrite them.
    package let bytes: UnsafeMutableRawBufferPointer
    /// Whether all bytes are printable ASCII. Other lines must be validated before they are used.
    package let isPlain: Bool

    fileprivate init(bytes: UnsafeMutableRawBufferPointer, isPlain: Bool) {
      self.bytes = bytes
      self.isPlain = isPlain
    }

    /// A line from elsewhere, with unknown content.
    package init(unknown bytes: UnsafeMutableRawBufferPointer) {
      self.bytes = bytes
      isPlain = false
    }
  }

  package enum Next {
    case line(Line)
    /// A line exceeded the limit; reported at its first excess byte.
    case tooLong
    /// The next line is not complete yet.
    case incomplete
  }

  /// Readable bytes past `capacity`, so that a line can be searched eight bytes at a time up to its end.
  private static let padding = 8

  // Safety: `base` is owned by this value and has room for `capacity` bytes and the padding; 0 ≤ start ≤ scanned ≤ end
  // ≤ capacity.
  private var base: UnsafeMutableRawPointer
  private var capacity: Int
  /// The first byte of the next line.
  private var start = 0
  /// No LF before this offset.
  private var scanned = 0
  private var end = 0
  /// Whether the bytes between `start` and `scanned` are printable ASCII.
  private var isPlainSoFar = true
  /// Whether the rest of a line that was too long is being dropped.
  private var isDiscarding = false
  /// The start of the last line returned.
  private var lastStart = 0
  /// The first byte that ``waitingLines(_:)`` has not looked at; ignored once it is below `start`.
  private var lookedUpTo = 0
  /// No LF between `lookedUpTo` and this offset.
  private var lookScanned = 0
  private let longestLine: Int

  package init(longestLine: Int, capacity: Int = 4096) {
    self.longestLine = longestLine
    self.capacity = max(64, capacity)
    base = .allocate(byteCount: self.capacity + InputBuffer.padding, alignment: 16)
  }

  deinit {
    base.deallocate()
  }

  /// How many bytes wait.
  package var count: Int { end - start }

  /// The bytes of memory allocated.
  package var storageBytes: Int { capacity }

  /// Room to read into; then call ``didFill(_:)`` with the number of bytes read.
  ///
  /// - Parameter minimum: The least room; storage grows if necessary.
  package mutating func room(atLeast minimum: Int) -> UnsafeMutableRawBufferPointer {
    if start == end { empty() }
    if capacity - end < minimum {
      if start > 0 {
        base.copyMemory(from: base + start, byteCount: end - start)
        lookedUpTo = max(0, lookedUpTo - start)
        lookScanned = max(0, lookScanned - start)
        scanned -= start
        end -= start
        start = 0
      }
      if capacity - end < minimum { resize(to: max(capacity * 2, end + minimum)) }
    }
    return UnsafeMutableRawBufferPointer(start: base + end, count: capacity - end)
  }

  package mutating func didFill(_ count: Int) {
    precondition(count <= capacity - end)
    end += count
  }

  /// Frees the storage of an idle peer that has sent much.
  package mutating func shrinkIfEmpty() {
    guard start == end, capacity > 64 << 10 else { return }
    empty()
    resize(to: 4096)
  }

  private mutating func empty() {
    start = 0
    scanned = 0
    end = 0
    lookedUpTo = 0
    lookScanned = 0
  }

  private mutating func resize(to capacity: Int) {
    let moved = UnsafeMutableRawPointer.allocate(byteCount: capacity + InputBuffer.padding, alignment: 16)
    moved.copyMemory(from: base, byteCount: end)
    base.deallocate()
    base = moved
    self.capacity = capacity
  }

  /// The next line, if it is complete.
  package mutating func nextLine() -> Next {
    while true {
      guard let lineFeed = scan() else {
        if isDiscarding {
          start = end
          scanned = end
          return .incomplete
        }
        // The byte after the limit may be the CR of a CRLF.
        if end - start > longestLine + 1
          || (end - start > longestLine && base.load(fromByteOffset: end - 1, as: UInt8.self) != 0x0D)
        {
          isDiscarding = true
          start = end
          scanned = end
          return .tooLong
        }
        return .incomplete
      }
      var length = lineFeed &- start
      let line = base + start
      var isPlain = isPlainSoFar
      lastStart = start
      start = lineFeed &+ 1
      scanned = start
      isPlainSoFar = true
      if isDiscarding {
        isDiscarding = false
        continue
      }
      if length > 0, line.load(fromByteOffset: length &- 1, as: UInt8.self) == 0x0D {
        length &-= 1
        isPlain = TextRules.isPlain(UnsafeRawBufferPointer(start: line, count: length))
      }
      if length > longestLine { return .tooLong }
      return .line(Line(bytes: UnsafeMutableRawBufferPointer(start: line, count: length), isPlain: isPlain))
    }
  }

  /// The most frequent line: `send NAME EVENT`, printable ASCII, single blanks between the words, no quotes and no
  /// `key=value`, LF at its end.
  package struct PlainSend {
    // Both are in the buffer, and valid until it is filled again.
    package let name: UnsafeRawBufferPointer
    package let event: UnsafeRawBufferPointer
    /// The length of the line.
    package let length: Int
    /// The whole line, without its end.
    package var words: UnsafeRawBufferPointer {
      // Safety: the name follows "send " in the same buffer.
      UnsafeRawBufferPointer(start: name.baseAddress.map { $0 - InputBuffer.sendLength }, count: length)
    }
    /// Its offset in the buffer.
    fileprivate let start: Int
  }

  private static let packedSend: UInt32 = 0x646E_6573  // "send", first byte lowest
  /// The length of "send ".
  private static let sendLength = 5
  /// The longest word that is searched for here.
  private static let longestPlainWord = 128

  /// Takes the next line if it is a plain send; otherwise returns nil, and ``nextLine()`` returns the line.
  ///
  /// Scans and parses it in one pass over the bytes.
  package mutating func nextPlainSend() -> PlainSend? {
    // Bytes scanned before are an incomplete line, or part of a line that is being dropped.
    guard scanned == start, !isDiscarding, start &+ InputBuffer.sendLength < end,
      base.loadUnaligned(fromByteOffset: start, as: UInt32.self).littleEndian == InputBuffer.packedSend,
      base.load(fromByteOffset: start &+ 4, as: UInt8.self) == 0x20
    else { return nil }
    let nameStart = start &+ InputBuffer.sendLength
    guard let nameEnd = endOfPlainWord(from: nameStart), nameEnd > nameStart,
      base.load(fromByteOffset: nameEnd, as: UInt8.self) == 0x20
    else { return nil }
    let eventStart = nameEnd &+ 1
    guard let eventEnd = endOfPlainWord(from: eventStart), eventEnd > eventStart,
      base.load(fromByteOffset: eventEnd, as: UInt8.self) == 0x0A, eventEnd &- start <= longestLine
    else { return nil }
    lastStart = start
    start = eventEnd &+ 1
    scanned = start
    return PlainSend(
      name: UnsafeRawBufferPointer(start: base + nameStart, count: nameEnd &- nameStart),
      event: UnsafeRawBufferPointer(start: base + eventStart, count: eventEnd &- eventStart),
      length: eventEnd &- lastStart, start: lastStart)
  }

  /// The offset of the first byte that ends a plain word; nil if it has not arrived yet or is too far away.
  @inline(__always)
  private func endOfPlainWord(from start: Int) -> Int? {
    var place = start
    // The padding may be read; matches in it do not count.
    while place < end, place &- start < InputBuffer.longestPlainWord {
      let word = base.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      let others = WordScanner.specialBytes(word) | TextRules.oddBytes(word)
      if others != 0 {
        place &+= others.trailingZeroBitCount &>> 3
        return place < end ? place : nil
      }
      place &+= 8
    }
    return nil
  }

  /// Moves `scanned` to the next LF and returns its offset, or to the end and returns nil.
  @inline(__always)
  private mutating func scan() -> Int? {
    var place = scanned
    while place < end {
      // The padding may be read; matches in it are ignored.
      let odd = TextRules.oddBytes(base.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      if odd == 0 {
        place &+= 8
        continue
      }
      place &+= odd.trailingZeroBitCount &>> 3
      if place >= end { break }
      let byte = base.load(fromByteOffset: place, as: UInt8.self)
      if byte == 0x0A {
        scanned = place
        return place
      }
      if !TextRules.isPlain(byte) { isPlainSoFar = false }
      place &+= 1
    }
    scanned = end
    return nil
  }

  /// Takes bytes that are no lines.
  ///
  /// - Precondition: `count` is at most ``count``.
  package mutating func take(_ count: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
    precondition(count <= self.count)
    body(UnsafeRawBufferPointer(start: base + start, count: count))
    start += count
    scanned = start
    isPlainSoFar = true
    lastStart = start
  }

  /// Makes the last line from ``nextLine()`` the next one again. It must not have been rewritten, and the buffer not
  /// filled since.
  package mutating func putBack() {
    start = lastStart
    scanned = start
    isPlainSoFar = true
    lookedUpTo = max(lookedUpTo, start)
  }

  /// The same for a plain send and all lines taken after it.
  package mutating func putBack(_ line: PlainSend) {
    lastStart = line.start
    putBack()
  }

  /// Whether ``waitingLines(_:)`` has looked at no waiting line.
  package var isUnseen: Bool { lookedUpTo <= start }

  /// What follows a waiting line.
  package enum Look {
    case goOn
    /// So many bytes follow that are no lines.
    case skip(Int)
    case stop
  }

  /// Passes each complete waiting line that was not looked at before to `body`, without its end and without taking it,
  /// until `body` stops. Scans no byte twice.
  ///
  /// Skips the rest of a line that is being dropped. `body` may rewrite the bytes with printable ones.
  package mutating func waitingLines(_ body: (UnsafeMutableRawBufferPointer) -> Look) {
    var first = max(start, lookedUpTo)
    var place = max(first, lookScanned)
    while place < end {
      guard let found = lineFeed(from: place) else { break }
      var length = found - first
      if length > 0, base.load(fromByteOffset: found - 1, as: UInt8.self) == 0x0D { length -= 1 }
      let isLine = !(isDiscarding && first == start)
      let line = UnsafeMutableRawBufferPointer(start: base + first, count: length)
      first = found + 1
      let look = isLine ? body(line) : .goOn
      // The end may be beyond what has come.
      if case .skip(let count) = look { first += min(count, Int.max - first) }
      place = first
      lookedUpTo = first
      lookScanned = first
      if case .stop = look { return }
    }
    lookedUpTo = first
    lookScanned = max(first, end)
  }

  /// The offset of the first LF at or after an offset; nil if there is none.
  private func lineFeed(from: Int) -> Int? {
    UnsafeRawBufferPointer(start: base + from, count: end - from).firstIndex(of: 0x0A).map { $0 + from }
  }
}
