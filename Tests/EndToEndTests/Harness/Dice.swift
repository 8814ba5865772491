internal import StateMachines

/// A seeded generator, so that a failure can be seen again.
typealias Dice = Generator

extension Dice {
  /// A number from 0 on, below `bound`.
  mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() >> 1) % bound }

  mutating func one<Element>(of choices: [Element]) -> Element { choices[below(choices.count)] }
}
