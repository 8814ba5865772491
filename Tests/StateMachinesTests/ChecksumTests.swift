import StateMachines
import TestSupport
import Testing

@Suite("The checksum is XXH64")
struct ChecksumTests {
  /// Known from the reference implementation and its ports.
  @Test(
    "known values",
    arguments: [
      ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
      ("message digest", 0x066E_D728_FCEE_B3BE), ("abcdefghijklmnopqrstuvwxyz", 0xCFE1_F278_FA89_835C),
      ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 0xAAA4_6907_D304_7814),
      (
        "12345678901234567890123456789012345678901234567890123456789012345678901234567890", 0xE04A_477F_19EE_145D
      ),
    ] as [(String, UInt64)])
  func known(text: String, expected: UInt64) {
    expectEqual(Checksum.of(Array(text.utf8)), expected)
  }

  @Test("of bytes that come in pieces, however they are cut", arguments: 0..<20)
  func pieces(seed: Int) {
    var dice = Generator(salt: seed)
    let bytes = (0..<(seed * 17)).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
    let whole = Checksum.of(bytes)
    for size in 1...70 {
      var checksum = Checksum()
      var place = 0
      while place < bytes.count {
        let end = min(bytes.count, place + size)
        bytes[place..<end].withUnsafeBytes { checksum.add($0) }
        place = end
        // Asking in between changes nothing.
        _ = checksum.value
      }
      expectEqual(checksum.value, whole, "seed \(seed), pieces of \(size)")
    }
  }

  @Test("another seed, another checksum")
  func seeds() {
    expect(Checksum.of([1, 2, 3]) != Checksum.of([1, 2, 3], seed: 1))
  }
}
