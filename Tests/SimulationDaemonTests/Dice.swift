internal import StateMachines

/// A seeded generator, so that a failure can be seen again.
typealias Dice = Generator

extension Generator: RandomNumberGenerator {}

extension Dice {
  /// A number from 0 to `count - 1`.
  mutating func number(below count: Int) -> Int { Int(next() >> 33) % count }

  /// True once in so many times.
  mutating func once(in times: Int) -> Bool { number(below: times) == 0 }

  mutating func one<Element>(of choices: [Element]) -> Element { choices[number(below: choices.count)] }
}
