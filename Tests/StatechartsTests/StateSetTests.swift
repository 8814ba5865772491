import StateMachines
import TestSupport
import Testing

@testable import Statecharts

@Suite("A set of states")
struct StateSetTests {
  @Test("behaves like a set of numbers, whatever is inserted and removed", arguments: Thorough.rounds(0..<50))
  func likeASet(seed: UInt64) {
    var generator = Generator(salt: seed)
    let bound = [10, 64, 65, 128, 300][generator.draw(in: 0...4)]
    var set = StateSet()
    var plain: Set<Int> = []
    for _ in 0..<200 {
      let state = generator.draw(in: 0...bound)
      if generator.draw(in: 0...1) == 0 {
        set.insert(state)
        plain.insert(state)
      } else {
        set.remove(state)
        plain.remove(state)
      }
      let sorted = plain.sorted()
      expect(Array(set) == sorted && set.count == sorted.count && set == StateSet(sorted), "seed \(seed)")
      let from = generator.draw(in: 0...bound)
      expectEqual(set.first(from: from), sorted.first { $0 >= from }, "seed \(seed), from \(from) in \(sorted)")
      expectEqual(set.last(upTo: from), sorted.last { $0 <= from }, "seed \(seed), up to \(from) in \(sorted)")
      expectEqual(set.contains(from), plain.contains(from), "seed \(seed)")
    }
  }
}
