internal import StateMachines

/// A generator for random tests. `FSMD_SEED` and the seed decide what it draws.
package struct Dice: RandomNumberGenerator, Sendable {
  private var generator: Generator

  package init(seed: some BinaryInteger) {
    generator = Generator(salt: seed)
  }

  /// Draws the same whatever `FSMD_SEED` is, for tests with expected results.
  package init(fixed seed: UInt64) {
    generator = Generator(seed: seed)
  }

  package mutating func next() -> UInt64 { generator.next() }

  package mutating func number(_ range: ClosedRange<Int>) -> Int { generator.draw(in: range) }

  /// A number from 0 to `bound - 1`.
  package mutating func number(below bound: Int) -> Int { number(0...bound - 1) }

  /// True once in so many times.
  package mutating func once(in times: Int) -> Bool { number(below: times) == 0 }

  package mutating func one<Element>(of choices: [Element]) -> Element { choices[number(below: choices.count)] }
}
