import StateMachines
import TestSupport
import Testing

/// Tests draw with the standard library's functions too; machines do not.
extension Generator: RandomNumberGenerator {}

@Suite("Draws are the same for ever")
struct GeneratorTests {
  struct Sample: Sendable {
    let seed: UInt64
    let range: ClosedRange<Int>
    let drawn: [Int]
    /// Where the generator stands after them: how many numbers of 64 bits they took.
    let continuation: UInt64
  }

  /// Drawn with `Int.random(in:using:)` of Swift 6.3.1. Seeds and stores rely on them.
  static let samples = [
    Sample(seed: 0, range: 1...6, drawn: [6, 3, 1, 6, 1, 2], continuation: 13_064_056_694_810_536_062),
    Sample(seed: 1, range: 1...6, drawn: [4, 5, 6, 3, 3, 5], continuation: 13_064_056_694_810_536_063),
    Sample(seed: 42, range: 1...6, drawn: [5, 1, 2, 3, 1, 6], continuation: 13_064_056_694_810_536_104),
    Sample(
      seed: 0, range: 0...999_999, drawn: [883_310, 431_527, 26_433, 970_881, 106_346, 327_325],
      continuation: 13_064_056_694_810_536_062),
    Sample(
      seed: 7, range: 0...999_999, drawn: [389_829, 16_788, 900_760, 582_930, 452_441, 249_431],
      continuation: 13_064_056_694_810_536_069),
    Sample(seed: 1, range: -3...3, drawn: [0, 2, 3, 0, 0, 2], continuation: 13_064_056_694_810_536_063),
    Sample(seed: 1, range: 0...0, drawn: [0, 0, 0, 0, 0, 0], continuation: 13_064_056_694_810_536_063),
    Sample(
      seed: 3, range: 0...Int.max,
      drawn: [
        1_046_394_712_501_569_526, 6_459_067_610_863_555_780, 5_653_693_546_300_468_864, 672_077_022_357_742_823,
        1_996_298_423_616_916_683, 5_868_115_116_105_377_667,
      ], continuation: 13_064_056_694_810_536_065),
    Sample(
      seed: 3, range: Int.min...Int.max,
      drawn: [
        2_092_789_425_003_139_053, -5_528_608_851_982_440_055, -7_139_356_981_108_613_887, 1_344_154_044_715_485_647,
        3_992_596_847_233_833_366, -6_710_513_841_498_796_281,
      ], continuation: 13_064_056_694_810_536_065),
    // These two draw again now and then.
    Sample(
      seed: 5, range: Int.min...0,
      drawn: [
        -2_284_564_543_842_837_636, -7_077_008_825_425_469_277, -8_307_127_688_267_375_454,
        -7_489_745_906_300_834_078, -5_068_472_675_706_444_973, -5_047_884_844_000_189_050,
      ], continuation: 12_036_054_880_848_365_867),
    Sample(
      seed: 9, range: 0...(3 << 61),
      drawn: [
        5_192_953_712_940_808_165, 1_835_375_684_529_427_364, 5_428_971_498_917_495_844,
        1_816_220_916_770_747_100, 792_804_775_035_234_431, 6_803_725_490_142_509_687,
      ], continuation: 17_418_742_259_747_381_425),
    Sample(seed: .max, range: 0...1, drawn: [1, 1, 0, 0, 1, 1], continuation: 13_064_056_694_810_536_061),
  ]

  @Test("the numbers of a table, and so many of the generator's used up", arguments: samples)
  func table(sample: Sample) {
    var generator = Generator(seed: sample.seed)
    expectEqual(sample.drawn.map { _ in generator.draw(in: sample.range) }, sample.drawn)
    expectEqual(generator.continuation, sample.continuation)
  }

  @Test("every number of a range comes up about equally often")
  func evenness() {
    var generator = Generator(seed: 1)
    var counts = [Int](repeating: 0, count: 7)
    for _ in 0..<70_000 { counts[generator.draw(in: -3...3) + 3] += 1 }
    expect(counts.allSatisfy { (9_500...10_500).contains($0) }, "\(counts)")
  }
}
