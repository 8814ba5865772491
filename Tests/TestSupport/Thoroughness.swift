import Glibc
package import StateMachines

/// How thorough the random tests are, and what they draw.
///
/// `FSMD_THOROUGH`, from 1 to 10, scales their rounds. `FSMD_SEED` decides every draw: the same seed repeats a failure.
package enum Thorough {
  package static let level = number("FSMD_THOROUGH", in: 1...10) ?? 1

  /// True with `FSMD_THOROUGH=10`.
  package static var isFull: Bool { level == 10 }

  /// The rounds of a test that makes `atTen` of them with `FSMD_THOROUGH=10`, and `least` with 1: a tenth, if not given.
  package static func rounds(_ atTen: Int, atLeast least: Int? = nil) -> Int {
    let least = least ?? max(1, atTen / 10)
    return least + (atTen - least) * (level - 1) / 9
  }

  /// The first of the arguments of a test that takes all of them with `FSMD_THOROUGH=10`.
  package static func rounds<Bound: Strideable>(_ atTen: Range<Bound>, atLeast least: Int? = nil) -> Range<Bound>
  where Bound.Stride == Int {
    atTen.lowerBound..<atTen.lowerBound.advanced(by: rounds(atTen.count, atLeast: least))
  }

  /// A random part of the cases, at least one; `FSMD_THOROUGH=10` tries all.
  package static func some<Case>(of cases: [Case]) -> [Case] {
    var dice = Dice(seed: cases.count)
    return Array(cases.shuffled(using: &dice).prefix(rounds(cases.count)))
  }

  /// The distance of the cases that are tried of a series of which `FSMD_THOROUGH=10` tries each.
  package static var distance: Int { max(1, 10 / level) }

  private static let seed: UInt64 = {
    if let seed = number("FSMD_SEED", in: UInt64.min...UInt64.max) { return seed }
    let seed = UInt64.random(in: 0...UInt64.max)
    print("FSMD_SEED=\(seed) decides what random tests draw")
    // It is there even if a test traps.
    fflush(nil)
    return seed
  }()

  /// A seed for what is drawn with `salt`: its own for every salt and every `FSMD_SEED`.
  package static func seed(_ salt: some BinaryInteger) -> UInt64 {
    var generator = Generator(seed: seed)
    generator = Generator(seed: generator.next() ^ UInt64(truncatingIfNeeded: salt))
    return generator.next()
  }

  private static func number<Number: FixedWidthInteger>(_ name: String, in range: ClosedRange<Number>) -> Number? {
    guard let text = getenv(name).map({ String(cString: $0) }) else { return nil }
    guard let number = Number(text), range.contains(number) else {
      preconditionFailure("\(name) is '\(text)'; it takes a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}

extension Generator {
  /// A generator for a random test, with a seed of `FSMD_SEED` and the salt.
  package init(salt: some BinaryInteger) { self.init(seed: Thorough.seed(salt)) }
}
