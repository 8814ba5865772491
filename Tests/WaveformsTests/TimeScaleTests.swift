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
    TimeScale(of: wave(moments, to: to), TimeScale.Measures(width: width, fold: 8, least: 6, tail: 8))
  }

  @Test("a year's silence is folded, and what is before it can be told apart")
  func silence() {
    let year: Int64 = 365 * 86_400 * 1_000_000_000
    let scale = scale([0, 100_000_000, 349_000_000], to: year)
    expectEqual(scale.pieces.filter { $0.part == .fold }.map(\.to), [year])
    expect(scale.position(349_000_000) - scale.position(100_000_000) > 20)
  }

  @Test("three inputs spread over a year are even: nothing is folded")
  func year() {
    let day: Int64 = 86_400 * 1_000_000_000
    let scale = scale([20 * day, 180 * day, 300 * day], to: 365 * day)
    expect(scale.pieces.allSatisfy { $0.part == .even })
  }

  @Test("time is to scale: 349 ms are shorter than 350 ms, and a moment has one place")
  func scale() {
    let scale = scale([1_000, 1_349, 5_000, 5_000, 5_350, 9_000], to: 9_000)
    let (short, long) = (scale.position(1_349) - scale.position(1_000), scale.position(5_350) - scale.position(5_000))
    expect(short > 0 && abs(short / long - 349.0 / 350) < 1e-9)
    expect(scale.pieces.last?.part == .tail && scale.position(9_000) == 72)
  }

  @Test("ticks are round, and as far apart as they have to be", arguments: [59, 600, 7_200, 86_400, 4_000_000])
  func ticks(seconds: Int64) throws {
    let second: Int64 = 1_000_000_000
    let scale = scale((1..<60).map { $0 * seconds * second / 60 }, to: seconds * second)
    let ticks = TimeTicks(scale, distance: 9, areRound: true)
    let step = try #require(ticks.step)
    expect(ticks.moments.count > 2)
    for (tick, next) in zip(ticks.moments, ticks.moments.dropFirst()) {
      expect(tick % step == 0 && scale.position(next) - scale.position(tick) >= 9)
    }
    expectEqual(ticks.text(0), (seconds < 600 ? "0" : "0:00"))
  }

  @Test("times of inputs are cut to what tells them apart, and from a minute on they are as people say them")
  func texts() {
    func text(_ moment: Int64, to end: Int64, isRound: Bool = false, width: Double = 80) -> String {
      let ticks = TimeTicks(scale([end / 2], to: end, width: width), distance: 9, areRound: isRound)
      return "\(ticks.text(moment)) \(ticks.unit)"
    }
    let second: Int64 = 1_000_000_000
    expectEqual(text(35_190_812, to: 2 * second), "0.035 s")
    expectEqual(text(35_190_812, to: 40_000), "0.03519 s")
    expectEqual(text(35_190_812, to: 2 * second, isRound: true), "0.03 s")
    expectEqual(text(343 * second + 512_345_678, to: 400 * second), "00:05:43.512 ")
    expectEqual(text(50 * second, to: 200 * second, isRound: true), "50 s")
    expectEqual(text(50 * second, to: 400 * second, isRound: true), "0:00:50 h:mm")
    expectEqual(text(400_000 * second + 512_345_678, to: 400_060 * second), "4d 15:06:40.512 ")
    expectEqual(text(630 * second, to: 640 * second, isRound: true, width: 800), "0:10:30 h:mm:ss")
  }

  @Test("places follow time, no fold hides an input, and the pieces fill the width")
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
      let positions = moments.map { scale.position($0) }
      expect(zip(positions, positions.dropFirst()).allSatisfy { $0 <= $1 + 1e-6 }, "seed \(seed)")
      expect(positions.allSatisfy { $0 >= 0 && $0 <= 80.001 }, "seed \(seed)")
      for fold in scale.pieces where fold.part == .fold {
        expect(!moments.contains { $0 > fold.from && $0 < fold.to }, "seed \(seed)")
      }
      if let last = scale.pieces.last { expect(last.position + last.width <= 80.001, "seed \(seed)") }
    }
  }
}
