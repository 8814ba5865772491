/// Hashing and comparing short names, eight bytes at a time.
enum NameHash {
  /// A hash of the bytes, by multiply and fold; not for use against an adversary, and never part of what a world shows.
  ///
  /// Lengths below eight are covered by two overlapping reads, longer ones by reads of eight and a last one that
  /// overlaps, so that no byte outside the name is touched.
  @inline(__always)
  static func hash(_ name: UnsafeRawBufferPointer) -> UInt64 {
    let count = name.count
    guard count > 0, let base = name.baseAddress else { return 0 }
    var hash = UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
    if count >= 8 {
      var place = 0
      while place < count &- 8 {
        hash = fold(hash ^ base.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        place &+= 8
      }
      return fold(hash ^ base.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self))
    }
    return fold(hash ^ short(base, count))
  }

  @inline(__always)
  private static func fold(_ word: UInt64) -> UInt64 {
    let product = word.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    return product.high ^ product.low
  }

  /// Up to seven bytes as one number; distinct for distinct bytes of the same count.
  @inline(__always)
  private static func short(_ base: UnsafeRawPointer, _ count: Int) -> UInt64 {
    if count >= 4 {
      return UInt64(base.loadUnaligned(as: UInt32.self))
        | UInt64(base.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)) &<< 32
    }
    return UInt64(base.load(as: UInt8.self))
      | UInt64(base.load(fromByteOffset: count &>> 1, as: UInt8.self)) &<< 8
      | UInt64(base.load(fromByteOffset: count &- 1, as: UInt8.self)) &<< 16
  }

  /// Whether as many bytes as `name` has, from `other` on, are the same.
  @inline(__always)
  static func areEqual(_ other: UnsafeRawPointer, _ name: UnsafeRawBufferPointer) -> Bool {
    let count = name.count
    guard count > 0, let base = name.baseAddress else { return true }
    if count >= 8 {
      var place = 0
      while place < count &- 8 {
        if base.loadUnaligned(fromByteOffset: place, as: UInt64.self)
          != other.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        {
          return false
        }
        place &+= 8
      }
      return base.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
        == other.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
    }
    return short(base, count) == short(other, count)
  }

  /// Less than, equal to or greater than zero as `left` sorts before, with or after `right`, by bytes.
  static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let common = min(left.count, right.count)
    for place in 0..<common where left[place] != right[place] { return Int(left[place]) - Int(right[place]) }
    return left.count - right.count
  }
}
