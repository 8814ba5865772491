internal import StateMachines

/// A seeded generator, so that a failure can be seen again.
typealias Dice = Generator

extension Dice {
  mutating func number(_ range: ClosedRange<Int>) -> Int { draw(in: range) }

  mutating func one<Element>(of choices: [Element]) -> Element { choices[number(0...choices.count - 1)] }
}
