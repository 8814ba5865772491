/// A 64-bit hash of bytes, the same in every process and build: XXH64 by Yann Collet, implemented from its
/// specification (`doc/xxhash_spec.md` in the repository Cyan4973/xxHash). Bytes may be added in pieces of any size.
///
/// It detects damage and differences. It does not protect against deliberate forgery.
///
/// ```swift
/// var checksum = Checksum()
/// checksum.add(bytes)
/// checksum.value
/// ```
public struct Checksum: Sendable {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5
  private static let stripe = 32

  private var lane1: UInt64
  private var lane2: UInt64
  private var lane3: UInt64
  private var lane4: UInt64
  private let seed: UInt64
  private var total: UInt64 = 0
  /// The bytes after the last whole stripe; only the first `waiting` are valid.
  private var rest = SIMD32<UInt8>()
  private var waiting = 0

  public init(seed: UInt64 = 0) {
    self.seed = seed
    lane1 = seed &+ Checksum.prime1 &+ Checksum.prime2
    lane2 = seed &+ Checksum.prime2
    lane3 = seed
    lane4 = seed &- Checksum.prime1
  }

  /// The hash of bytes.
  public static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    var checksum = Checksum(seed: seed)
    checksum.add(bytes)
    return checksum.value
  }

  /// The hash of bytes.
  public static func of(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
    bytes.withUnsafeBytes { of($0, seed: seed) }
  }

  /// Adds bytes.
  ///
  /// - Complexity: O(bytes), at some gigabytes per second.
  public mutating func add(_ bytes: UnsafeRawBufferPointer) {
    total &+= UInt64(bytes.count)
    var bytes = bytes
    if waiting > 0 {
      let missing = min(Checksum.stripe - waiting, bytes.count)
      withUnsafeMutableBytes(of: &rest) { rest in
        for place in 0..<missing { rest[waiting + place] = bytes[place] }
      }
      waiting += missing
      bytes = UnsafeRawBufferPointer(rebasing: bytes[missing...])
      guard waiting == Checksum.stripe else { return }
      let whole = rest
      withUnsafeBytes(of: whole) { takeStripes($0) }
      waiting = 0
    }
    let tail = bytes.count % Checksum.stripe
    takeStripes(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - tail)]))
    withUnsafeMutableBytes(of: &rest) { rest in
      for place in 0..<tail { rest[place] = bytes[bytes.count - tail + place] }
    }
    waiting = tail
  }

  // Safety: four words of eight bytes are read per stripe, and the bytes are whole stripes.
  private mutating func takeStripes(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, bytes.count > 0 else { return }
    var (lane1, lane2, lane3, lane4) = (lane1, lane2, lane3, lane4)
    var place = 0
    while place < bytes.count {
      lane1 = Checksum.round(lane1, Checksum.word(base + place))
      lane2 = Checksum.round(lane2, Checksum.word(base + (place &+ 8)))
      lane3 = Checksum.round(lane3, Checksum.word(base + (place &+ 16)))
      lane4 = Checksum.round(lane4, Checksum.word(base + (place &+ 24)))
      place &+= Checksum.stripe
    }
    (self.lane1, self.lane2, self.lane3, self.lane4) = (lane1, lane2, lane3, lane4)
  }

  /// The hash of all bytes so far; more may be added.
  public var value: UInt64 {
    var hash: UInt64
    if total >= UInt64(Checksum.stripe) {
      hash =
        Checksum.rotate(lane1, 1) &+ Checksum.rotate(lane2, 7) &+ Checksum.rotate(lane3, 12)
        &+ Checksum.rotate(lane4, 18)
      for lane in [lane1, lane2, lane3, lane4] {
        hash = (hash ^ Checksum.round(0, lane)) &* Checksum.prime1 &+ Checksum.prime4
      }
    } else {
      hash = seed &+ Checksum.prime5
    }
    hash &+= total
    withUnsafeBytes(of: rest) { rest in
      var place = 0
      while place + 8 <= waiting {
        let word = UInt64(littleEndian: rest.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        hash = Checksum.rotate(hash ^ Checksum.round(0, word), 27) &* Checksum.prime1 &+ Checksum.prime4
        place += 8
      }
      if place + 4 <= waiting {
        let word = UInt32(littleEndian: rest.loadUnaligned(fromByteOffset: place, as: UInt32.self))
        hash = Checksum.rotate(hash ^ UInt64(word) &* Checksum.prime1, 23) &* Checksum.prime2 &+ Checksum.prime3
        place += 4
      }
      while place < waiting {
        hash = Checksum.rotate(hash ^ UInt64(rest[place]) &* Checksum.prime5, 11) &* Checksum.prime1
        place += 1
      }
    }
    hash = (hash ^ (hash >> 33)) &* Checksum.prime2
    hash = (hash ^ (hash >> 29)) &* Checksum.prime3
    return hash ^ (hash >> 32)
  }

  @inline(__always)
  private static func word(_ place: UnsafeRawPointer) -> UInt64 {
    UInt64(littleEndian: place.loadUnaligned(as: UInt64.self))
  }

  @inline(__always)
  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotate(lane &+ word &* prime2, 31) &* prime1
  }

  @inline(__always)
  private static func rotate(_ word: UInt64, _ bits: UInt64) -> UInt64 { word &<< bits | word &>> (64 &- bits) }
}
