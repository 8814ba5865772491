/// A number that mostly grows by one, cached as decimal digits: the next number usually changes one digit.
public struct DecimalCounter: ~Copyable {
  // Safety: twenty bytes and sixteen readable bytes past them, owned by this value; the digits end at the twentieth.
  @usableFromInline let digits: UnsafeMutableRawPointer
  @usableFromInline var first = 19
  @usableFromInline var value: UInt64 = 0

  public init() {
    digits = .allocate(byteCount: 36, alignment: 1)
    digits.storeBytes(of: 0x30, toByteOffset: 19, as: UInt8.self)
  }

  deinit {
    digits.deallocate()
  }

  /// Appends the digits of a number.
  ///
  /// - Complexity: O(1) for the last number or the next one, nine times out of ten by changing one byte.
  @inlinable
  @inline(__always)
  public mutating func append(_ number: UInt64, to buffer: inout ByteBuffer) {
    buffer.append(text(of: number))
  }

  /// The digits of a number, with sixteen readable bytes after them; valid until the next call.
  @inlinable
  @inline(__always)
  public mutating func text(of number: UInt64) -> UnsafeRawBufferPointer {
    if number != value {
      let last = digits.load(fromByteOffset: 19, as: UInt8.self)
      if number == value &+ 1, last < 0x39, number > 0 {
        digits.storeBytes(of: last &+ 1, toByteOffset: 19, as: UInt8.self)
        value = number
      } else {
        renew(number)
      }
    }
    return UnsafeRawBufferPointer(start: digits + first, count: 20 &- first)
  }

  @usableFromInline
  @inline(never)
  mutating func renew(_ number: UInt64) {
    if number == value &+ 1, number > 0 { return carry() }
    value = number
    first = 20
    var rest = number
    repeat {
      first -= 1
      digits.storeBytes(of: UInt8(rest % 10) + 0x30, toByteOffset: first, as: UInt8.self)
      rest /= 10
    } while rest > 0
  }

  /// Increments a number whose last digit is 9.
  private mutating func carry() {
    value &+= 1
    var place = 19
    while place >= first, digits.load(fromByteOffset: place, as: UInt8.self) == 0x39 {
      digits.storeBytes(of: 0x30, toByteOffset: place, as: UInt8.self)
      place &-= 1
    }
    if place < first {
      first = place
      digits.storeBytes(of: 0x31, toByteOffset: place, as: UInt8.self)
    } else {
      let digit = digits.load(fromByteOffset: place, as: UInt8.self)
      digits.storeBytes(of: digit &+ 1, toByteOffset: place, as: UInt8.self)
    }
  }
}
