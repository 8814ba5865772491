/// One request line, parsed in place: the tag, the verb, and the words after it.
///
/// Words are ranges of the line, so a request is valid as long as the line. One value is reused for all requests and
/// then allocates nothing.
///
/// Public because it is hot: the compiler inlines only public functions into other targets.
public struct Request: ~Copyable {
  /// A word: plain, or `key=value`.
  public struct Word: BitwiseCopyable {
    @usableFromInline package var start: UInt32
    @usableFromInline package var length: UInt32
    /// The length of the key before the value, 0 for a plain word.
    @usableFromInline package var keyLength: UInt32
    @usableFromInline package var keyStart: UInt32

    @inlinable
    public var isPlain: Bool { keyLength == 0 }
  }

  public enum Failure: Error, Equatable {
    /// Only blanks, or a comment. Not answered.
    case blank
    /// The line breaks the rules of words; the text says how.
    case syntax(String)
  }

  // Safety: points into the line passed to `parse`, which outlives the request's use; ranges are checked there.
  @usableFromInline var base = UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
  @usableFromInline var tagPlace = Word(start: 0, length: 0, keyLength: 0, keyStart: 0)
  @usableFromInline var verbPlace = Word(start: 0, length: 0, keyLength: 0, keyStart: 0)
  // Safety: owned by this value, with room for `capacity` words, of which `count` are written. Not an array, because
  // its uniqueness checks cost more than finding the words.
  @usableFromInline var storage: UnsafeMutablePointer<Word>
  @usableFromInline var count = 0
  private var capacity = 32
  /// Whether any of the words is `key=value`.
  @usableFromInline var hasKeyedWords = false

  @inlinable
  public var hasKeys: Bool { hasKeyedWords }

  package init() {
    storage = .allocate(capacity: capacity)
  }

  deinit {
    storage.deallocate()
  }

  /// The words after the verb, in order; valid until the next line is parsed.
  @inlinable
  public var words: UnsafeBufferPointer<Word> { UnsafeBufferPointer(start: storage, count: count) }

  /// The tag without its `@`; empty if there is none.
  @inlinable
  public var tag: UnsafeRawBufferPointer { bytes(of: tagPlace) }

  /// The first word.
  @inlinable
  public var verb: UnsafeRawBufferPointer { bytes(of: verbPlace) }

  /// A word's text; of `key=value` the value. Without quotes and escapes.
  @inlinable
  @inline(__always)
  public func bytes(of word: Word) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + Int(word.start), count: Int(word.length))
  }

  /// The key of `key=value`.
  package func key(of word: Word) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + Int(word.keyStart), count: Int(word.keyLength))
  }

  /// Parses a line. Resolves escapes in quoted words in place.
  ///
  /// - Throws: `blank` for a line that gets no answer; `syntax`, with the tag already read if it is well formed.
  package mutating func parse(_ line: InputBuffer.Line) throws(Failure) {
    base = line.bytes.baseAddress.map { UnsafeRawPointer($0) } ?? base
    tagPlace.length = 0
    hasKeyedWords = false
    count = 0
    if line.isPlain, splitAtBlanks(line.bytes.count) { return }
    try parse(line.bytes, isPlain: line.isPlain)
  }

  /// Parses a line that is not in an input buffer.
  package mutating func parse(_ line: UnsafeMutableRawBufferPointer, isPlain: Bool) throws(Failure) {
    base = line.baseAddress.map { UnsafeRawPointer($0) } ?? base
    tagPlace.length = 0
    hasKeyedWords = false
    verbPlace.length = 0
    count = 0

    var scanner = WordScanner(line)
    guard scanner.skipBlanks() else { throw .blank }
    if scanner.current == WordScanner.hash { throw .blank }
    // The tag first, so that every failure has it.
    let isTagged = scanner.current == WordScanner.at
    if isTagged {
      let word = try scanner.word()
      let tag = Word(start: word.start + 1, length: word.length - 1, keyLength: 0, keyStart: 0)
      guard word.isPlain, TextRules.isTag(bytes(of: tag)) else {
        throw .syntax("a tag is '@' and 1 to 32 letters, digits, '_', '-' or '.'")
      }
      tagPlace = tag
    }
    if !isPlain, let problem = TextRules.problem(in: UnsafeRawBufferPointer(line)) { throw .syntax(problem) }
    if isTagged, !scanner.skipBlanks() { throw .syntax("a verb must follow the tag") }
    let first = try scanner.word()
    guard first.isPlain else { throw .syntax("a request begins with a verb, not with key=value") }
    verbPlace = first
    while scanner.skipBlanks() {
      let word = try scanner.word()
      if word.keyLength > 0 { hasKeyedWords = true }
      if count == capacity { grow() }
      (storage + count).initialize(to: word)
      count &+= 1
    }
  }

  /// Parses a line of plain words only: no tag, no quotes, no `=`, no comment. Nearly all lines are like this.
  ///
  /// - Parameter end: The line's length. Its CR or LF follows, and eight bytes can be read from any position before.
  /// - Returns: False if the line is different; the words found so far are invalid then.
  @inline(__always)
  private mutating func splitAtBlanks(_ end: Int) -> Bool {
    let base = base
    var place = 0
    while place < end, base.load(fromByteOffset: place, as: UInt8.self) == WordScanner.space { place &+= 1 }
    guard place < end else { return false }
    let first = base.load(fromByteOffset: place, as: UInt8.self)
    if first == WordScanner.at || first == WordScanner.hash { return false }
    guard let verb = plainWord(at: &place, end) else { return false }
    verbPlace = verb
    var found = 0
    while place < end {
      place &+= 1
      while place < end, base.load(fromByteOffset: place, as: UInt8.self) == WordScanner.space { place &+= 1 }
      if place >= end { break }
      guard let word = plainWord(at: &place, end) else { return false }
      if found == capacity {
        count = found
        grow()
      }
      (storage + found).initialize(to: word)
      found &+= 1
    }
    count = found
    return true
  }

  /// The plain word at `place`, which moves to its end; nil if it is not a plain word.
  @inline(__always)
  private func plainWord(at place: inout Int, _ end: Int) -> Word? {
    let start = place
    // Eight bytes at a time up to the first that may end or change the word; the end of the line is one of these.
    while true {
      let special = WordScanner.specialBytes(base.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      if special != 0 {
        place &+= special.trailingZeroBitCount &>> 3
        break
      }
      place &+= 8
    }
    if place < end, base.load(fromByteOffset: place, as: UInt8.self) != WordScanner.space { return nil }
    return Word(
      start: UInt32(truncatingIfNeeded: start), length: UInt32(truncatingIfNeeded: place &- start), keyLength: 0,
      keyStart: 0)
  }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<Word>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: storage, count: count)
    storage.deallocate()
    storage = larger
    capacity *= 2
  }
}

/// Splits a line into words, both for requests and for lines from the daemon.
package struct WordScanner {
  package static let hash: UInt8 = 0x23
  package static let at: UInt8 = 0x40
  package static let space: UInt8 = 0x20
  fileprivate static let quote: UInt8 = 0x22
  private static let backslash: UInt8 = 0x5C
  fileprivate static let equals: UInt8 = 0x3D

  // Safety: every access is at an offset below `count`.
  private let base: UnsafeMutableRawPointer
  private let count: Int
  package private(set) var place = 0

  package init(_ line: UnsafeMutableRawBufferPointer) {
    base = line.baseAddress ?? UnsafeMutableRawPointer(bitPattern: 1).unsafelyUnwrapped
    count = line.count
  }

  package var current: UInt8 { byte(place) }

  @inline(__always)
  private func byte(_ place: Int) -> UInt8 { base.load(fromByteOffset: place, as: UInt8.self) }

  @inline(__always)
  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Moves to the next word; false at the end of the line.
  @inline(__always)
  package mutating func skipBlanks() -> Bool {
    while place < count, WordScanner.isBlank(byte(place)) { place &+= 1 }
    return place < count
  }

  /// The word that begins here.
  @inline(__always)
  package mutating func word() throws(Request.Failure) -> Request.Word {
    let start = place
    // Eight bytes at a time up to the first that may end or change the word.
    while place &+ 8 <= count {
      let special = WordScanner.specialBytes(base.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      if special != 0 {
        place &+= special.trailingZeroBitCount &>> 3
        break
      }
      place &+= 8
    }
    while place < count {
      let byte = byte(place)
      // Nearly every byte is above the quote and not '='.
      if byte > WordScanner.quote, byte != WordScanner.equals {
        place &+= 1
      } else if WordScanner.isBlank(byte) {
        break
      } else if byte == WordScanner.quote {
        guard place == start else { throw .syntax("a quote may only begin a word or a value") }
        return try quoted(keyStart: start, keyLength: 0)
      } else if byte == WordScanner.equals, isKey(from: start, to: place) {
        return try value(keyStart: start, keyLength: place - start)
      } else {
        place &+= 1
      }
    }
    return Request.Word(
      start: UInt32(truncatingIfNeeded: start), length: UInt32(truncatingIfNeeded: place - start), keyLength: 0,
      keyStart: 0)
  }

  /// The top bit set in each of eight bytes that is a blank, a control character, `!`, a quote or `=`.
  ///
  /// Only the lowest set bit is exact; above it a borrow may set bits for other bytes.
  @inline(__always)
  static func specialBytes(_ word: UInt64) -> UInt64 {
    let upToQuote = (word &- 0x2323_2323_2323_2323) & ~word
    let difference = word ^ 0x3D3D_3D3D_3D3D_3D3D
    let equals = (difference &- 0x0101_0101_0101_0101) & ~difference
    return (upToQuote | equals) & 0x8080_8080_8080_8080
  }

  private func isKey(from start: Int, to end: Int) -> Bool {
    guard end > start, TextRules.isLetter(byte(start)) else { return false }
    for place in start..<end where !TextRules.isNameByte(byte(place)) { return false }
    return true
  }

  /// The value after a key's '='.
  private mutating func value(keyStart: Int, keyLength: Int) throws(Request.Failure) -> Request.Word {
    place += 1
    let start = place
    if place < count, current == WordScanner.quote {
      return try quoted(keyStart: keyStart, keyLength: keyLength)
    }
    while place < count, !WordScanner.isBlank(current) {
      guard current != WordScanner.quote else { throw .syntax("a quote may only begin a word or a value") }
      place += 1
    }
    return Request.Word(
      start: UInt32(start), length: UInt32(place - start), keyLength: UInt32(keyLength), keyStart: UInt32(keyStart))
  }

  /// A quoted word or value whose opening quote is here. Resolves escapes in place.
  private mutating func quoted(keyStart: Int, keyLength: Int) throws(Request.Failure) -> Request.Word {
    let start = place + 1
    var read = start
    var write = start
    while true {
      guard read < count else { throw .syntax("a quote is not closed") }
      var byte = byte(read)
      if byte == WordScanner.quote { break }
      if byte == WordScanner.backslash {
        read += 1
        guard read < count else { throw .syntax("a quote is not closed") }
        switch self.byte(read) {
        case WordScanner.quote: byte = WordScanner.quote
        case WordScanner.backslash: byte = WordScanner.backslash
        case UInt8(ascii: "n"): byte = 0x0A
        case UInt8(ascii: "t"): byte = 0x09
        default: throw .syntax(#"in quotes a backslash may only stand before ", \, n and t"#)
        }
      }
      base.storeBytes(of: byte, toByteOffset: write, as: UInt8.self)
      read += 1
      write += 1
    }
    place = read + 1
    guard place == count || WordScanner.isBlank(current) else {
      throw .syntax("a blank must follow the closing quote")
    }
    return Request.Word(
      start: UInt32(start), length: UInt32(write - start), keyLength: UInt32(keyLength), keyStart: UInt32(keyStart))
  }
}
