/// What a peer has sent and nobody has read yet, cut into lines where they stand.
///
/// Bytes arrive in any pieces; ``nextLine()`` gives a line as soon as its LF is there, remembers how far it has looked,
/// and never looks at a byte twice. A line that is longer than the limit is reported once and dropped up to its LF,
/// without being kept.
package struct InputBuffer: ~Copyable {
  /// One line, without its LF or CRLF. A plain one stands in an input buffer: its end follows it, and eight bytes from
  /// any place in it can be read.
  package struct Line {
    /// The bytes, in place. Valid until the buffer is filled again; a parser may rewrite them.
    package let bytes: UnsafeMutableRawBufferPointer
    /// Whether all bytes are printable ASCII. Other lines must be validated before they are used.
    package let isPlain: Bool

    fileprivate init(bytes: UnsafeMutableRawBufferPointer, isPlain: Bool) {
      self.bytes = bytes
      self.isPlain = isPlain
    }

    /// A line from elsewhere, of which nothing is known.
    package init(unknown bytes: UnsafeMutableRawBufferPointer) {
      self.bytes = bytes
      isPlain = false
    }
  }

  package enum Next {
    case line(Line)
    /// A line went over the limit; reported when that is known, at its first byte too many.
    case tooLong
    /// The next line is not complete yet.
    case incomplete
  }

  /// Bytes past `capacity` that may be read, so that a line can be searched eight bytes at a time up to its end.
  private static let padding = 8

  // Safety: `base` is owned by this value and has room for `capacity` bytes and the padding; 0 ≤ start ≤ scanned ≤ end ≤ capacity.
  private var base: UnsafeMutableRawPointer
  private var capacity: Int
  /// The first byte of the next line.
  private var start = 0
  /// No LF before this place.
  private var scanned = 0
  private var end = 0
  /// Whether the bytes between `start` and `scanned` are printable ASCII.
  private var isPlainSoFar = true
  /// Whether the rest of a line that was too long is being dropped.
  private var isDiscarding = false
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

  /// Room to read into; call ``didFill(_:)`` with the number of bytes that came.
  ///
  /// - Parameter minimum: The least room wanted; storage grows to give it.
  package mutating func room(atLeast minimum: Int) -> UnsafeMutableRawBufferPointer {
    if start == end {
      start = 0
      scanned = 0
      end = 0
    }
    if capacity - end < minimum {
      if start > 0 {
        base.copyMemory(from: base + start, byteCount: end - start)
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

  /// Gives back the storage of an idle peer that has sent much.
  package mutating func shrinkIfEmpty() {
    guard start == end, capacity > 64 << 10 else { return }
    start = 0
    scanned = 0
    end = 0
    resize(to: 4096)
  }

  private mutating func resize(to capacity: Int) {
    let moved = UnsafeMutableRawPointer.allocate(byteCount: capacity + InputBuffer.padding, alignment: 16)
    moved.copyMemory(from: base, byteCount: end)
    base.deallocate()
    base = moved
    self.capacity = capacity
  }

  /// The next line, if it is there.
  package mutating func nextLine() -> Next {
    while true {
      guard let lineFeed = scan() else {
        if isDiscarding {
          start = end
          scanned = end
          return .incomplete
        }
        // One byte more than the limit may still be the CR of a CRLF.
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
      var length = lineFeed - start
      let line = base + start
      var isPlain = isPlainSoFar
      start = lineFeed + 1
      scanned = start
      isPlainSoFar = true
      if isDiscarding {
        isDiscarding = false
        continue
      }
      if length > 0, line.load(fromByteOffset: length - 1, as: UInt8.self) == 0x0D {
        length -= 1
        isPlain = TextRules.isPlain(UnsafeRawBufferPointer(start: line, count: length))
      }
      if length > longestLine { return .tooLong }
      return .line(Line(bytes: UnsafeMutableRawBufferPointer(start: line, count: length), isPlain: isPlain))
    }
  }

  /// Moves `scanned` on to the next LF and returns its place, or to the end and returns nil.
  private mutating func scan() -> Int? {
    var place = scanned
    while place < end {
      if place + 8 <= end {
        let word = base.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        let odd = TextRules.oddBytes(word)
        if odd == 0 {
          place += 8
          continue
        }
        place += odd.trailingZeroBitCount >> 3
      }
      let byte = base.load(fromByteOffset: place, as: UInt8.self)
      if byte == 0x0A {
        scanned = place
        return place
      }
      if !TextRules.isPlain(byte) { isPlainSoFar = false }
      place += 1
    }
    scanned = end
    return nil
  }

  /// Looks at the complete lines that wait, without their ends and without taking them, until `body` returns true.
  ///
  /// The rest of a line that is being dropped is none of them. The bytes may be rewritten in place, by printable ones.
  package func waitingLines(_ body: (UnsafeMutableRawBufferPointer) -> Bool) {
    var first = start
    var isLine = !isDiscarding
    for place in start..<end where base.load(fromByteOffset: place, as: UInt8.self) == 0x0A {
      var length = place - first
      if length > 0, base.load(fromByteOffset: place - 1, as: UInt8.self) == 0x0D { length -= 1 }
      if isLine, body(UnsafeMutableRawBufferPointer(start: base + first, count: length)) { return }
      isLine = true
      first = place + 1
    }
  }
}
