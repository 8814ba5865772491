@testable import Simulator
import StateMachines
import TestSupport
import Testing

@Suite("The rewinds of a journal")
struct RewindListTests {
  private typealias Rewind = (from: UInt64, by: UInt64, isRedo: Bool)

  /// What is undone before an input, one rewind after the other.
  private func undone(_ rewinds: [Rewind], before end: UInt64) -> [ClosedRange<UInt64>] {
    var end = end
    var chain: [Rewind] = []
    while let latest = rewinds.last(where: { $0.by < end }) {
      chain.append(latest)
      end = latest.from
    }
    var ranges: [(range: ClosedRange<UInt64>, isRedo: Bool)] = []
    for rewind in chain.reversed() {
      if let last = ranges.last, last.isRedo, rewind.isRedo, last.range.upperBound + 1 == rewind.from {
        ranges[ranges.count - 1].range = last.range.lowerBound...rewind.by
      } else {
        ranges.append((rewind.from...rewind.by, rewind.isRedo))
      }
    }
    return ranges.map(\.range)
  }

  @Test(
    "each range, now and at every earlier input, is that of the rewinds one by one", arguments: Thorough.rounds(0..<20))
  func model(seed: Int) {
    var dice = Dice(seed: seed)
    var list = RewindList()
    var rewinds: [Rewind] = []
    var last: UInt64 = 0
    for _ in 0..<150 {
      last += UInt64(dice.number(1...4))
      let back = dice.once(in: 3) ? dice.number(0...200) : dice.number(0...4)
      let from = last - min(UInt64(back), last - 1)
      let isRedo = dice.once(in: 2)
      rewinds.append((from, last, isRedo))
      list.append(from: from, by: last, isRedo: isRedo)
    }
    expectEqual(list.invariantViolations(), [], "seed \(seed)")
    expectEqual(list.ranges(), undone(rewinds, before: .max), "seed \(seed)")
    expectEqual(list.first, undone(rewinds, before: .max).first?.lowerBound, "seed \(seed)")
    expectEqual(list.ranges(from: last / 2), list.ranges().filter { $0.upperBound >= last / 2 }, "seed \(seed)")
    for end in 1...(last + 1) {
      let ranges = undone(rewinds, before: end)
      for sequence in 1...(last + 1) {
        let wanted = ranges.first { $0.contains(sequence) }
        let found = list.span(of: sequence, before: end).map { $0.from...$0.by }
        expectEqual(found, wanted, "seed \(seed): \(sequence) before \(end)")
        if found != wanted { return }
      }
    }
  }

  @Test("undone and redone again and again, there is one range", arguments: [1, 5, 200])
  func pairs(count: UInt64) {
    var list = RewindList()
    list.append(from: 10, by: 11)
    for pair in 0..<count {
      list.append(from: 20, by: 21 + 2 * pair)
      list.append(from: 21 + 2 * pair, by: 22 + 2 * pair, isRedo: true)
      expectEqual(list.ranges(), [10...11, 21...(22 + 2 * pair)])
    }
    expectNil(list.span(of: 20))
    expectEqual(list.span(of: 20, before: 22)?.by, 21)
  }

  @Test("rewinds that the journal has dropped are forgotten, and the others know their ranges")
  func forgotten() {
    var list = RewindList()
    var most = 0
    for number in 1...100_000 as ClosedRange<UInt64> {
      list.append(from: 2 * number - 1, by: 2 * number)
      if number > 50 { list.forget(before: 2 * number - 100) }
      most = max(most, list.bytes)
    }
    expect(most < 300 * 48)
    expectEqual(list.span(of: 199_951), .init(from: 199_951, by: 199_952))
    expectEqual(list.invariantViolations(), [])
  }
}
