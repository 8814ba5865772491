/// The seeded random generator of a world: SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
/// Generators", 2014). Its state is part of the world's state, so a replay draws the same numbers.
///
/// It is not a `RandomNumberGenerator`: the standard library's draws may change with the compiler, and then a stored
/// world would not replay. All draws use the algorithms here.
public struct Generator: Hashable, Sendable {
  private var state: UInt64

  public init(seed: UInt64) {
    state = seed
  }

  /// A seed that continues the sequence: a generator with this seed draws the numbers that this one would draw next.
  public var continuation: UInt64 { state }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Draws a uniformly distributed integer from a range.
  ///
  /// The algorithm is Lemire's (Daniel Lemire, "Fast Random Integer Generation in an Interval", ACM Transactions on
  /// Modeling and Computer Simulation 29 (1), 2019, algorithm 5). It multiplies a 64-bit number by the size of the
  /// range and returns the upper half of the product. If the lower half would bias the result, it draws again. Seeds
  /// and stored worlds depend on the algorithm: it never changes.
  ///
  /// - Complexity: One 64-bit number. It draws another with a probability below 1/2 for the largest ranges, and
  ///   practically never for ranges below 2^32.
  public mutating func draw(in range: ClosedRange<Int>) -> Int {
    let width = UInt64(bitPattern: Int64(range.upperBound)) &- UInt64(bitPattern: Int64(range.lowerBound))
    guard width < .max else { return Int(truncatingIfNeeded: next()) }
    let count = width + 1
    var product = next().multipliedFullWidth(by: count)
    if product.low < count {
      let uneven = (0 &- count) % count
      while product.low < uneven { product = next().multipliedFullWidth(by: count) }
    }
    return range.lowerBound &+ Int(truncatingIfNeeded: product.high)
  }
}
