internal import StateMachines

/// A seeded generator for random tests: a failure names the seed, which reproduces it.
package struct Dice: RandomNumberGenerator, Sendable {
  private var generator: Generator

  package init(seed: some BinaryInteger) {
    generator = Generator(seed: UInt64(truncatingIfNeeded: seed))
  }

  package mutating func next() -> UInt64 { generator.next() }

  package mutating func number(_ range: ClosedRange<Int>) -> Int { generator.draw(in: range) }

  /// A number from 0 to `bound - 1`.
  package mutating func number(below bound: Int) -> Int { number(0...bound - 1) }

  /// True once in so many times.
  package mutating func once(in times: Int) -> Bool { number(below: times) == 0 }

  package mutating func one<Element>(of choices: [Element]) -> Element { choices[number(below: choices.count)] }
}
