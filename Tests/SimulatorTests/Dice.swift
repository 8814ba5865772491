import StateMachines

/// A seeded generator, so that a failure can be seen again.
struct Dice: RandomNumberGenerator {
  private var generator: Generator

  init(seed: some BinaryInteger) {
    generator = Generator(seed: UInt64(seed))
  }

  mutating func next() -> UInt64 { generator.next() }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// True once in `times`.
  mutating func once(in times: Int) -> Bool { number(1...times) == 1 }

  mutating func one<Element>(of choices: [Element]) -> Element { choices[number(0...choices.count - 1)] }
}
