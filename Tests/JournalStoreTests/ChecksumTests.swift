import Testing

@testable import JournalStore

@Suite("Checksums")
struct ChecksumTests {
  private func hash(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
    bytes.withUnsafeBytes { Checksum.hash($0, seed: seed) }
  }

  /// As `xxhsum -H1` says them.
  @Test("known sums of XXH64, one for each way through it")
  func known() {
    #expect(hash([]) == 0xEF46_DB37_51D8_E999)
    #expect(hash(Array("a".utf8)) == 0xD24E_C4F1_A98C_6E5B)
    #expect(hash(Array("abc".utf8)) == 0x44BC_2CF5_AD77_0999)
    #expect(hash(Array("Nobody inspects the spammish repetition".utf8)) == 0xFBCE_A83C_8A37_8BF1)
  }

  @Test("a number is its eight bytes")
  func numbers() {
    var number = Checksum(seed: 7)
    number.mix(UInt64(0x0102_0304_0506_0708))
    #expect(number.value == hash([8, 7, 6, 5, 4, 3, 2, 1], seed: 7))
  }

  @Test("each bit and each length counts", arguments: 0..<100)
  func bits(count: Int) {
    var bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151) }
    var seen: Set<UInt64> = [hash(bytes), hash(bytes + [0])]
    for place in bytes.indices {
      for bit in 0..<8 {
        bytes[place] ^= 1 << bit
        seen.insert(hash(bytes))
        bytes[place] ^= 1 << bit
      }
    }
    #expect(seen.count == 2 + 8 * count)
  }
}
