/// A growing run of bytes with one owner, into which lines are written without copies or `String`.
///
/// Every request writes a reply. `[UInt8].append(contentsOf:)` and string interpolation would cost more than the whole
/// step of a machine, so the bytes are stored directly.
///
/// Public because it is hot: the compiler inlines only public functions into other targets.
public struct ByteBuffer: ~Copyable {
  // Safety: `base` is owned by this value and has room for `capacity` bytes, of which the first `count` are written.
  @usableFromInline var base: UnsafeMutableRawPointer
  @usableFromInline var capacity: Int
  @usableFromInline var length = 0

  /// Readable bytes past `capacity`, so that content can be moved sixteen bytes at a time.
  private static let padding = 16

  @inlinable
  public var count: Int { length }

  package init(capacity: Int = 4096) {
    self.capacity = max(64, capacity)
    base = .allocate(byteCount: self.capacity + ByteBuffer.padding, alignment: 16)
  }

  deinit {
    base.deallocate()
  }

  package var isEmpty: Bool { count == 0 }

  /// The bytes of memory allocated.
  package var storageBytes: Int { capacity }

  /// The bytes written so far; valid until the buffer is changed.
  @inlinable
  public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// Drops the bytes from `length` on.
  package mutating func truncate(to length: Int) {
    precondition(length <= count)
    self.length = length
  }

  /// Drops all bytes, and frees large storage.
  package mutating func removeAll(keeping room: Int = 256 << 10) {
    length = 0
    if capacity > room {
      base.deallocate()
      capacity = 4096
      base = .allocate(byteCount: capacity + ByteBuffer.padding, alignment: 16)
    }
  }

  /// Drops the first `length` bytes.
  ///
  /// - Complexity: O(*n*) in the bytes that remain.
  package mutating func removeFirst(_ length: Int) {
    precondition(length <= count)
    base.copyMemory(from: base + length, byteCount: count - length)
    self.length -= length
  }

  @inlinable
  @inline(__always)
  mutating func reserve(_ extra: Int) {
    if length &+ extra > capacity { grow(extra) }
  }

  @usableFromInline
  @inline(never)
  mutating func grow(_ extra: Int) {
    let larger = max(capacity * 2, count + extra)
    let moved = UnsafeMutableRawPointer.allocate(byteCount: larger + ByteBuffer.padding, alignment: 16)
    moved.copyMemory(from: base, byteCount: count)
    base.deallocate()
    base = moved
    capacity = larger
  }

  // MARK: Appending

  @inlinable
  @inline(__always)
  public mutating func append(byte: UInt8) {
    reserve(1)
    base.storeBytes(of: byte, toByteOffset: length, as: UInt8.self)
    length &+= 1
  }

  @inlinable
  @inline(__always)
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    let size = bytes.count
    guard let start = bytes.baseAddress, size > 0 else { return }
    reserve(size)
    let end = base + length
    length &+= size
    // Most words are short; two overlapping moves then cost a tenth of a call.
    if size > 32 {
      end.copyMemory(from: start, byteCount: size)
    } else if size > 16 {
      let head = start.loadUnaligned(as: SIMD16<UInt8>.self)
      let tail = start.loadUnaligned(fromByteOffset: size &- 16, as: SIMD16<UInt8>.self)
      end.storeBytes(of: head, as: SIMD16<UInt8>.self)
      end.storeBytes(of: tail, toByteOffset: size &- 16, as: SIMD16<UInt8>.self)
    } else if size >= 8 {
      let head = start.loadUnaligned(as: UInt64.self)
      let tail = start.loadUnaligned(fromByteOffset: size &- 8, as: UInt64.self)
      end.storeBytes(of: head, as: UInt64.self)
      end.storeBytes(of: tail, toByteOffset: size &- 8, as: UInt64.self)
    } else if size >= 4 {
      let head = start.loadUnaligned(as: UInt32.self)
      let tail = start.loadUnaligned(fromByteOffset: size &- 4, as: UInt32.self)
      end.storeBytes(of: head, as: UInt32.self)
      end.storeBytes(of: tail, toByteOffset: size &- 4, as: UInt32.self)
    } else {
      let middle = start.load(fromByteOffset: size &>> 1, as: UInt8.self)
      let last = start.load(fromByteOffset: size &- 1, as: UInt8.self)
      end.storeBytes(of: start.load(as: UInt8.self), as: UInt8.self)
      end.storeBytes(of: middle, toByteOffset: size &>> 1, as: UInt8.self)
      end.storeBytes(of: last, toByteOffset: size &- 1, as: UInt8.self)
    }
  }

  /// Appends text known at compile time. (It has its own label, since a `String` overload would win and allocate.)
  @inlinable
  @inline(__always)
  public mutating func append(literal: StaticString) {
    append(UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }

  /// Writes through a cursor without bounds checks.
  ///
  /// - Parameter size: The most bytes that `body` writes. Sixteen more are reserved for moves that overshoot.
  @inlinable
  @inline(__always)
  public mutating func write(atMost size: Int, _ body: (inout ByteCursor) -> Void) {
    reserve(size &+ 16)
    var cursor = ByteCursor(place: base + length)
    body(&cursor)
    length = cursor.place - base
  }

  /// Inserts bytes at an offset; the bytes after it move up.
  ///
  /// - Complexity: O(*n*) in the bytes that move.
  package mutating func insert(_ bytes: UnsafeRawBufferPointer, at place: Int) {
    precondition(place <= count)
    guard let start = bytes.baseAddress, bytes.count > 0 else { return }
    reserve(bytes.count)
    (base + place + bytes.count).copyMemory(from: base + place, byteCount: count - place)
    (base + place).copyMemory(from: start, byteCount: bytes.count)
    length += bytes.count
  }

  package mutating func append(text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  /// Appends a number in decimal digits.
  public mutating func append(decimal number: UInt64) {
    reserve(20)
    if number < 10 {
      base.storeBytes(of: UInt8(truncatingIfNeeded: number) &+ 48, toByteOffset: count, as: UInt8.self)
      length &+= 1
      return
    }
    let digits = ByteBuffer.digits(in: number)
    var rest = number
    var place = count &+ digits
    length = place
    // Two digits per division, the slowest instruction here.
    while rest >= 100 {
      let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
      place &-= 2
      store(pair: pair, at: place)
      rest = quotient
    }
    if rest >= 10 {
      store(pair: rest, at: place &- 2)
    } else {
      base.storeBytes(of: UInt8(truncatingIfNeeded: rest) &+ 48, toByteOffset: place &- 1, as: UInt8.self)
    }
  }

  /// Writes a number below 100 in two digits; `number * 103 / 1024` is its tens digit, without a division.
  @inline(__always)
  private func store(pair number: UInt64, at place: Int) {
    let tens = (number &* 103) >> 10
    base.storeBytes(of: UInt8(truncatingIfNeeded: tens) &+ 48, toByteOffset: place, as: UInt8.self)
    base.storeBytes(of: UInt8(truncatingIfNeeded: number &- tens &* 10) &+ 48, toByteOffset: place &+ 1, as: UInt8.self)
  }

  private static func digits(in number: UInt64) -> Int {
    var digits = 1
    var bound: UInt64 = 10
    while number >= bound {
      digits &+= 1
      if digits == 20 { break }
      bound &*= 10
    }
    return digits
  }
}

/// A position in a buffer with reserved room.
public struct ByteCursor {
  // Safety: `ByteBuffer.write(atMost:_:)` reserves the room before it passes a cursor, and takes the position back
  // after.
  @usableFromInline var place: UnsafeMutableRawPointer

  @usableFromInline
  init(place: UnsafeMutableRawPointer) {
    self.place = place
  }

  @inlinable
  @inline(__always)
  public mutating func put(byte: UInt8) {
    place.storeBytes(of: byte, as: UInt8.self)
    place += 1
  }

  @inlinable
  @inline(__always)
  public mutating func put(literal: StaticString) {
    place.copyMemory(from: literal.utf8Start, byteCount: literal.utf8CodeUnitCount)
    place += literal.utf8CodeUnitCount
  }

  @inlinable
  @inline(__always)
  public mutating func put(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    place.copyMemory(from: start, byteCount: bytes.count)
    place += bytes.count
  }

  /// Writes bytes sixteen at a time; sixteen bytes past their end must be readable, and the last move may overshoot.
  @inlinable
  @inline(__always)
  public mutating func put(padded bytes: UnsafeRawBufferPointer) {
    let start = bytes.baseAddress.unsafelyUnwrapped
    var moved = 0
    repeat {
      let sixteen = start.loadUnaligned(fromByteOffset: moved, as: SIMD16<UInt8>.self)
      place.storeBytes(of: sixteen, toByteOffset: moved, as: SIMD16<UInt8>.self)
      moved &+= 16
    } while moved < bytes.count
    place += bytes.count
  }
}
