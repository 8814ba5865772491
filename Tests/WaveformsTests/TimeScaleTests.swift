import StateMachines
import TestSupport
import Testing

@testable import Waveforms

struct TimeScaleTests {
  private func wave(_ moments: [Int64], to: Int64) -> Waveform {
    var builder = WaveformBuilder(from: .beginning, to: Instant(nanoseconds: to), mostLanes: 10)
    let lane = builder.lane(named: "a", kind: "k", regions: []) ?? 0
    let (word, state) = (builder.word("e"), builder.word("s"))
    for (place, moment) in moments.enumerated() {
      builder.note(
        lane: lane, at: Instant(nanoseconds: moment), UInt64(place + 1), .client, .moved, word: word, from: state,
        to: state)
    }
    return builder.finish()
  }

  private func scale(_ moments: [Int64], to: Int64, width: Double = 80) -> TimeScale {
    TimeScale(of: wave(moments, to: to), TimeScale.Measures(width: width, fold: 8, least: 6, slot: 1...8))
  }

  @Test("a year's silence is folded, and what is before it can be told apart")
  func silence() {
    let year: Int64 = 365 * 86_400 * 1_000_000_000
    let scale = scale([0, 100_000_000, 349_000_000], to: year)
    #expect(scale.pieces.filter { $0.part == .fold }.map(\.to) == [year])
    #expect(scale.position(349_000_000, 3) - scale.position(100_000_000, 2) > 20)
  }

  @Test("three inputs spread over a year are even: nothing is folded")
  func year() {
    let day: Int64 = 86_400 * 1_000_000_000
    let scale = scale([20 * day, 180 * day, 300 * day], to: 365 * day)
    #expect(scale.pieces.allSatisfy { $0.part == .even })
  }

  @Test("an instant with several inputs has a place for each, in their order")
  func instant() {
    let scale = scale([0, 5, 5, 5, 10], to: 10)
    let positions = (1...5).map { scale.position([0, 5, 5, 5, 10][$0 - 1], UInt64($0)) }
    #expect(zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test("places follow time and number, no fold hides an input, and the pieces fill the width")
  func random() {
    for seed in 0..<Thorough.rounds(300) {
      var draws = Dice(seed: seed)
      func dice(_ bound: Int) -> Int64 { Int64(draws.number(below: bound)) }
      var moment: Int64 = 0
      let moments = (0..<(1 + dice(60))).map { _ in
        moment += [0, 0, 1, 1_000, 1_000_000, 1_000_000_000, 86_400_000_000_000][Int(dice(7))] * dice(10)
        return moment
      }
      let scale = scale(moments, to: moment + dice(1_000_000_000))
      let positions = moments.enumerated().map { scale.position($0.element, UInt64($0.offset + 1)) }
      #expect(zip(positions, positions.dropFirst()).allSatisfy { $0 <= $1 + 1e-6 }, "seed \(seed)")
      #expect(positions.allSatisfy { $0 >= 0 && $0 <= 80.001 }, "seed \(seed)")
      for fold in scale.pieces where fold.part == .fold {
        #expect(!moments.contains { $0 > fold.from && $0 < fold.to }, "seed \(seed)")
      }
      if let last = scale.pieces.last { #expect(last.position + last.width <= 80.001, "seed \(seed)") }
    }
  }
}
