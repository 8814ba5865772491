import StateMachines

/// Hashing and comparing short names, eight bytes at a time.
///
/// Clients choose the names, so the hash depends on a secret: otherwise a client could make names that all collide.
/// Hashes never show in a world's output.
struct NameHash: Sendable {
  /// The hash of this process. The standard library seeds its `Hasher` anew in each process.
  static let ofThisProcess = NameHash(seed: UInt64(bitPattern: Int64(Hasher().finalize())))

  private let start: UInt64
  /// Odd, so that the lower half of a product depends on all bits of the other factor.
  private let multiplier: UInt64

  init(seed: UInt64) {
    var generator = Generator(seed: seed)
    start = generator.next()
    multiplier = generator.next() | 1
  }

  /// A hash of the bytes, by multiply and fold.
  ///
  /// Fewer than eight bytes are read by two overlapping reads, more by reads of eight and a last one that overlaps, so
  /// no byte outside the name is read.
  @inline(__always)
  func hash(_ name: UnsafeRawBufferPointer) -> UInt64 {
    let count = name.count
    guard count > 0, let base = name.baseAddress else { return 0 }
    var hash = start ^ UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
    if count >= 8 {
      var place = 0
      while place < count &- 8 {
        hash = fold(hash ^ base.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        place &+= 8
      }
      return fold(hash ^ base.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self))
    }
    return fold(hash ^ Self.short(base, count))
  }

  @inline(__always)
  private func fold(_ word: UInt64) -> UInt64 {
    let product = word.multipliedFullWidth(by: multiplier)
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

  /// Whether the bytes at `other` equal `name`, over the length of `name`.
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

  /// Negative, zero or positive as `left` sorts before, with or after `right`, by bytes.
  static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let common = min(left.count, right.count)
    for place in 0..<common where left[place] != right[place] { return Int(left[place]) - Int(right[place]) }
    return left.count - right.count
  }
}
