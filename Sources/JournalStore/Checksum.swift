/// A checksum of 64 bits over numbers and bytes, in the order in which they are mixed in.
///
/// It is XXH64 (Yann Collet; https://github.com/Cyan4973/xxHash, doc/xxhash_spec.md), each item hashed with the sum of
/// those before as its seed. It finds what went wrong by accident; it is no protection against malice.
struct Checksum: Hashable, Sendable {
  private(set) var value: UInt64

  init(seed: UInt64 = 0) {
    value = seed
  }

  /// As SQLite keeps it.
  var stored: Int64 { Int64(bitPattern: value) }

  mutating func mix(_ number: UInt64) {
    value = Self.avalanche(Self.take(number, into: value &+ Self.prime5 &+ 8))
  }

  mutating func mix(_ number: Int64) {
    mix(UInt64(bitPattern: number))
  }

  /// The count is part of the sum, so that two texts in a row cannot trade their bytes.
  mutating func mix(_ text: String) {
    var text = text
    text.withUTF8 { mix(UnsafeRawBufferPointer($0)) }
  }

  mutating func mix(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { mix($0) }
  }

  mutating func mix(_ bytes: UnsafeRawBufferPointer) {
    value = Self.hash(bytes, seed: value)
  }

  /// XXH64 of the bytes.
  ///
  /// - Complexity: O(n), some gigabytes per second in an optimised build.
  static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    guard let base = bytes.baseAddress else { return avalanche(seed &+ prime5) }
    let count = bytes.count
    var at = 0
    var hash: UInt64
    if count >= 32 {
      var lanes = (seed &+ prime1 &+ prime2, seed &+ prime2, seed, seed &- prime1)
      while at &+ 32 <= count {
        lanes.0 = round(lanes.0, word(base, at))
        lanes.1 = round(lanes.1, word(base, at &+ 8))
        lanes.2 = round(lanes.2, word(base, at &+ 16))
        lanes.3 = round(lanes.3, word(base, at &+ 24))
        at &+= 32
      }
      hash = rotate(lanes.0, 1) &+ rotate(lanes.1, 7) &+ rotate(lanes.2, 12) &+ rotate(lanes.3, 18)
      hash = merge(merge(merge(merge(hash, lanes.0), lanes.1), lanes.2), lanes.3)
    } else {
      hash = seed &+ prime5
    }
    hash &+= UInt64(count)
    while at &+ 8 <= count {
      hash = take(word(base, at), into: hash)
      at &+= 8
    }
    if at &+ 4 <= count {
      let half = UInt64(UInt32(littleEndian: base.loadUnaligned(fromByteOffset: at, as: UInt32.self)))
      hash = rotate(hash ^ (half &* prime1), 23) &* prime2 &+ prime3
      at &+= 4
    }
    while at < count {
      hash = rotate(hash ^ (UInt64(bytes[at]) &* prime5), 11) &* prime1
      at &+= 1
    }
    return avalanche(hash)
  }

  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  @inline(__always)
  private static func word(_ base: UnsafeRawPointer, _ at: Int) -> UInt64 {
    UInt64(littleEndian: base.loadUnaligned(fromByteOffset: at, as: UInt64.self))
  }

  @inline(__always)
  private static func rotate(_ word: UInt64, _ bits: UInt64) -> UInt64 {
    word &<< bits | word &>> (64 &- bits)
  }

  @inline(__always)
  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotate(lane &+ word &* prime2, 31) &* prime1
  }

  @inline(__always)
  private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
    (hash ^ round(0, lane)) &* prime1 &+ prime4
  }

  @inline(__always)
  private static func take(_ word: UInt64, into hash: UInt64) -> UInt64 {
    rotate(hash ^ round(0, word), 27) &* prime1 &+ prime4
  }

  @inline(__always)
  private static func avalanche(_ hash: UInt64) -> UInt64 {
    var hash = hash
    hash = (hash ^ hash &>> 33) &* prime2
    hash = (hash ^ hash &>> 29) &* prime3
    return hash ^ hash &>> 32
  }
}
