/// A growing run of bytes that lines are written into: one owner, no copies, no `String`.
///
/// Writing a reply is on the hot path of every request. `[UInt8].append(contentsOf:)` and string interpolation cost
/// more than the whole step of a machine, so the bytes are stored directly.
package struct ByteBuffer: ~Copyable {
  // Safety: `base` is owned by this value and has room for `capacity` bytes, of which the first `count` are written.
  private var base: UnsafeMutableRawPointer
  private var capacity: Int
  package private(set) var count = 0

  package init(capacity: Int = 4096) {
    self.capacity = max(64, capacity)
    base = .allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit {
    base.deallocate()
  }

  package var isEmpty: Bool { count == 0 }

  /// The bytes written so far; valid until the buffer is changed.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// Forgets the bytes from `length` on.
  package mutating func truncate(to length: Int) {
    precondition(length <= count)
    count = length
  }

  /// Forgets everything, and gives large storage back.
  package mutating func removeAll(keeping room: Int = 256 << 10) {
    count = 0
    if capacity > room {
      base.deallocate()
      capacity = 4096
      base = .allocate(byteCount: capacity, alignment: 16)
    }
  }

  /// Forgets the first `length` bytes.
  ///
  /// - Complexity: O(*n*) in the bytes that remain.
  package mutating func removeFirst(_ length: Int) {
    precondition(length <= count)
    base.copyMemory(from: base + length, byteCount: count - length)
    count -= length
  }

  @inline(__always)
  private mutating func reserve(_ extra: Int) {
    if count + extra > capacity { grow(extra) }
  }

  @inline(never)
  private mutating func grow(_ extra: Int) {
    let larger = max(capacity * 2, count + extra)
    let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    moved.copyMemory(from: base, byteCount: count)
    base.deallocate()
    base = moved
    capacity = larger
  }

  // MARK: Appending

  @inline(__always)
  package mutating func append(byte: UInt8) {
    reserve(1)
    base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  @inline(__always)
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress, bytes.count > 0 else { return }
    reserve(bytes.count)
    (base + count).copyMemory(from: start, byteCount: bytes.count)
    count += bytes.count
  }

  /// Appends text known at compile time. (Its own label, because an overload of `String` would win and allocate.)
  @inline(__always)
  package mutating func append(literal: StaticString) {
    append(UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }

  /// Puts bytes in at a place; those from there on move up.
  ///
  /// - Complexity: O(*n*) in the bytes that move.
  package mutating func insert(_ bytes: UnsafeRawBufferPointer, at place: Int) {
    precondition(place <= count)
    guard let start = bytes.baseAddress, bytes.count > 0 else { return }
    reserve(bytes.count)
    (base + place + bytes.count).copyMemory(from: base + place, byteCount: count - place)
    (base + place).copyMemory(from: start, byteCount: bytes.count)
    count += bytes.count
  }

  package mutating func append(text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  /// Appends a number in decimal digits.
  package mutating func append(decimal number: UInt64) {
    reserve(20)
    if number < 10 {
      base.storeBytes(of: UInt8(truncatingIfNeeded: number) &+ 48, toByteOffset: count, as: UInt8.self)
      count &+= 1
      return
    }
    let digits = ByteBuffer.digits(in: number)
    var rest = number
    var place = count &+ digits
    count = place
    // Two digits a division, the slowest instruction here.
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

  /// Writes a number below 100 in two digits; `number * 103 / 1024` is a tenth of it, without a division.
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
