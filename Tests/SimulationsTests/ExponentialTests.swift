import Foundation
import Simulations
import StateMachines
import TestSupport
import Testing

/// The C library's functions are within one unit in the last place of the true value, and ours must be too.
struct ExponentialTests {
  private func distance(_ left: Double, _ right: Double) -> Int64 {
    if left == right || left.isNaN && right.isNaN { return 0 }
    let (distance, overflow) = Int64(bitPattern: left.bitPattern).subtractingReportingOverflow(
      Int64(bitPattern: right.bitPattern))
    return overflow || distance == .min ? .max : abs(distance)
  }

  /// A uniformly distributed number in a range.
  private func draw(_ range: ClosedRange<Double>, _ generator: inout Generator) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * Double(generator.next() >> 11) * 0x1p-53
  }

  @Test(
    "a million arguments: at most 1 ulp from the C library's exp",
    arguments: [-745.2...709.8, -1...1, -1e-6...1e-6])
  func exponential(range: ClosedRange<Double>) {
    var generator = Generator(salt: 1)
    var worst: (Int64, Double) = (0, 0)
    for _ in 0..<Thorough.rounds(350_000) {
      let x = draw(range, &generator)
      let off = distance(Exponential.exp(x), exp(x))
      if off > worst.0 { worst = (off, x) }
    }
    expect(worst.0 <= 1, "exp(\(worst.1)) is \(worst.0) ulp off")
  }

  @Test("a million arguments: at most 1 ulp from the C library's log", arguments: [0...1e9, 0.5...2, 0.999...1.001])
  func logarithm(range: ClosedRange<Double>) {
    var generator = Generator(salt: 2)
    var worst: (Int64, Double) = (0, 0)
    for _ in 0..<Thorough.rounds(350_000) {
      let x = draw(range, &generator)
      let off = distance(Exponential.log(x), log(x))
      if off > worst.0 { worst = (off, x) }
    }
    expect(worst.0 <= 1, "log(\(worst.1)) is \(worst.0) ulp off")
  }

  @Test("every exponent: at most 1 ulp from the C library's log, subnormal numbers included")
  func logarithmOfAll() {
    var generator = Generator(salt: 3)
    for _ in 0..<Thorough.rounds(100_000) {
      let x = Double(bitPattern: generator.next() & 0x7FFF_FFFF_FFFF_FFFF)
      guard x.isFinite else { continue }
      let off = distance(Exponential.log(x), log(x))
      if off > 1 {
        Issue.record("log(\(x)) is \(off) ulp off")
        return
      }
    }
  }

  @Test("the edges")
  func edges() {
    expectEqual(Exponential.exp(0), 1)
    expectEqual(Exponential.exp(-0.0), 1)
    expectEqual(Exponential.exp(-.infinity), 0)
    expectEqual(Exponential.exp(.infinity), .infinity)
    expectEqual(Exponential.exp(710), .infinity)
    expectEqual(Exponential.exp(-746), 0)
    expectEqual(Exponential.exp(-745.1), .leastNonzeroMagnitude)
    expect(Exponential.exp(.nan).isNaN)
    expectEqual(Exponential.log(1), 0)
    expectEqual(Exponential.log(0), -.infinity)
    expectEqual(Exponential.log(.infinity), .infinity)
    expect(Exponential.log(-1).isNaN)
    expect(Exponential.log(.nan).isNaN)
    expectEqual(Exponential.log(2), 0x1.62e42fefa39efp-1)
  }

  @Test("the same bits on every machine")
  func bits() {
    // The sum below is of these draws.
    var generator = Generator(seed: 4)
    var sum: UInt64 = 0
    for _ in 0..<100_000 {
      sum = (sum ^ Exponential.exp(draw(-50...50, &generator)).bitPattern) &* 0x100_0000_01B3
      sum = (sum ^ Exponential.log(draw(0...50, &generator)).bitPattern) &* 0x100_0000_01B3
    }
    expectEqual(sum, 8_562_074_440_551_860_742)
  }
}
