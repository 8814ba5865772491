import StateMachines

/// The exponential function and its inverse, with the same bits on every machine.
///
/// A world can be replayed on another machine, where the C library's `exp` and `log` may differ in the last bit,
/// because they choose their code by the processor. The functions here use only the sum, difference, product and
/// quotient of IEEE 754, each rounded separately (Swift fuses none of them unasked), so that every machine gives the
/// same result.
///
/// Both are within one unit in the last place of the true value.
package enum Exponential {
  // ln 2 in two parts. The first ends in 21 zero bits, so that its product with any exponent of a Double is exact.
  private static let ln2Head = 0x1.62e42fee00000p-1
  private static let ln2Tail = 0x1.a39ef35793c76p-33

  /// e to the power of `x`.
  ///
  /// `x` is written as k·ln 2 + r with |r| ≤ ½ ln 2. The Taylor series of eʳ (Abramowitz and Stegun 4.2.1) is summed to
  /// the 13th power, which omits less than 5·10⁻¹⁸.
  package static func exp(_ x: Double) -> Double {
    guard x < 709.79 else { return x.isNaN ? x : .infinity }
    guard x > -745.14 else { return 0 }
    let exponent = Int64(nearest: x / 0x1.62e42fefa39efp-1)
    let k = Double(exponent)
    // The remainder in two parts: `lost` is what rounding took from `r`.
    let head = x - k * ln2Head
    let tail = k * ln2Tail
    let r = head - tail
    let lost = (head - r) - tail

    var sum = 1.0 / 6_227_020_800  // 1/13!, then 1/12! and so on to 1/2!
    sum = sum * r + 1.0 / 479_001_600
    sum = sum * r + 1.0 / 39_916_800
    sum = sum * r + 1.0 / 3_628_800
    sum = sum * r + 1.0 / 362_880
    sum = sum * r + 1.0 / 40_320
    sum = sum * r + 1.0 / 5_040
    sum = sum * r + 1.0 / 720
    sum = sum * r + 1.0 / 120
    sum = sum * r + 1.0 / 24
    sum = sum * r + 1.0 / 6
    sum = sum * r + 1.0 / 2
    let power = 1 + (r + (lost + r * r * sum))
    return scaled(power, by: Int(exponent))
  }

  /// The natural logarithm of `x`.
  ///
  /// `x` is written as 2ᵏ·(1 + f) with √½ ≤ 1 + f < √2. With s = f / (2 + f), ln(1 + f) is 2 (s + s³/3 + s⁵/5 + …)
  /// (Abramowitz and Stegun 4.1.27), summed to the 21st power, which omits less than 10⁻¹⁸ of it. The sum is arranged
  /// around f, which is exact: 2s = f − f²/2 + s·f²/2.
  ///
  /// - Returns: NaN for a negative `x`.
  package static func log(_ x: Double) -> Double {
    guard x > 0 else { return x == 0 ? -.infinity : .nan }
    guard x.isFinite else { return x }
    var k = Double(x.exponent)
    var significand = x.significand
    if significand > 0x1.6a09e667f3bcdp0 {
      significand /= 2
      k += 1
    }
    let f = significand - 1
    let s = f / (2 + f)
    let square = s * s
    var sum = 2.0 / 21
    sum = sum * square + 2.0 / 19
    sum = sum * square + 2.0 / 17
    sum = sum * square + 2.0 / 15
    sum = sum * square + 2.0 / 13
    sum = sum * square + 2.0 / 11
    sum = sum * square + 2.0 / 9
    sum = sum * square + 2.0 / 7
    sum = sum * square + 2.0 / 5
    sum = sum * square + 2.0 / 3
    let half = f * f / 2
    let correction = s * (half + square * sum)
    guard k != 0 else { return f - (half - correction) }
    return k * ln2Head - ((half - (correction + k * ln2Tail)) - f)
  }

  /// `x` · 2ᵏ in two steps, so that neither factor leaves the range of a Double.
  private static func scaled(_ x: Double, by k: Int) -> Double {
    let first = k / 2
    return x * power(first) * power(k - first)
  }

  /// 2ᵏ for |k| ≤ 1022.
  private static func power(_ k: Int) -> Double {
    Double(bitPattern: UInt64(k + 1023) << 52)
  }
}
