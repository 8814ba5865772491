import StateMachines
import TestSupport
import Testing

struct TimeTests {
  @Test("sums of moments saturate at the end of the range")
  func saturation() {
    expectEqual(Instant.beginning + .seconds(2), Instant(nanoseconds: 2_000_000_000))
    expectEqual(Instant.latest + Nanoseconds(nanoseconds: 1), .latest)
    expectEqual(Instant(nanoseconds: .max - 1) + Nanoseconds(nanoseconds: 1), .latest)
    expect(Instant.beginning + .longest + .longest < .end)
    expect(Instant.end < .latest)
    expectEqual(Instant.end + .longest, .latest)
  }

  @Test("the time between two moments has a sign")
  func difference() {
    let later = Instant(nanoseconds: 5)
    expectEqual(later - .beginning, Nanoseconds(nanoseconds: 5))
    expectEqual(.beginning - later, Nanoseconds(nanoseconds: -5))
    expect(.beginning < later)
  }

  @Test("units")
  func units() {
    expectEqual(Nanoseconds.milliseconds(1).nanoseconds, 1_000_000)
    expectEqual(Nanoseconds.minutes(1), .seconds(60))
    expectEqual(Nanoseconds.days(1), .minutes(24 * 60))
    expectEqual(Nanoseconds.longest, .days(36_500))
    expectEqual(Nanoseconds.seconds(1) + .milliseconds(500) - .seconds(2), .milliseconds(-500))
    expectEqual(Nanoseconds.milliseconds(1500).seconds, 1.5)
  }

  @Test(
    "a duration is an interval of as many whole nanoseconds",
    arguments: [
      (.zero, 0), (.nanoseconds(1), 1), (.seconds(60), 60_000_000_000), (.milliseconds(350), 350_000_000),
      (.seconds(18), 18_000_000_000), (.seconds(19), 19_000_000_000),
      (.seconds(86_400) * 36_500, 36_500 * 86_400_000_000_000),
      (.nanoseconds(Int64.max), .max),
      (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999), 0),
      (Duration(secondsComponent: 0, attosecondsComponent: 1_999_999_999), 1),
      (Duration(secondsComponent: 1, attosecondsComponent: 999_999_999_999_999_999), 1_999_999_999),
    ] as [(Duration, Int64)])
  func durations(duration: Duration, nanoseconds: Int64) {
    expectEqual(Nanoseconds(duration).nanoseconds, nanoseconds)
    expectEqual(Nanoseconds(Duration(Nanoseconds(nanoseconds: nanoseconds))).nanoseconds, nanoseconds)
    expectEqual(Instant(nanoseconds: 1) + duration, Instant(nanoseconds: 1) + Nanoseconds(nanoseconds: nanoseconds))
  }

  @Test("any duration, with what is shorter than a nanosecond cut off", arguments: Thorough.rounds(0..<50))
  func anyDuration(seed: UInt64) {
    var generator = Generator(salt: seed)
    for shift in UInt64(0)..<63 {
      let nanoseconds = Int64(generator.next() >> (shift + 1))
      let rest = Int64(generator.draw(in: 0...999_999_999))
      let duration = Duration.nanoseconds(nanoseconds) + Duration(secondsComponent: 0, attosecondsComponent: rest)
      expectEqual(Nanoseconds(duration).nanoseconds, nanoseconds, "seed \(seed)")
    }
  }

  @Test("a duration that world time has no room for is a defect", .enabled(if: Thorough.isFull))
  func outside() async {
    await #expect(processExitsWith: .failure) { _ = Nanoseconds(Duration.nanoseconds(-1)) }
    await #expect(processExitsWith: .failure) {
      _ = Nanoseconds(Duration(secondsComponent: 0, attosecondsComponent: -1))
    }
    await #expect(processExitsWith: .failure) { _ = Nanoseconds(Duration.nanoseconds(Int64.max) + .nanoseconds(1)) }
    await #expect(processExitsWith: .failure) { _ = Nanoseconds(Duration.seconds(Int64.max)) }
  }

  @Test("seconds are taken to the nearest nanosecond, and only if they are an interval")
  func seconds() {
    expectEqual(Nanoseconds(seconds: 0.35), .milliseconds(350))
    expectEqual(Nanoseconds(seconds: 1.5e-9), Nanoseconds(nanoseconds: 2))
    expectEqual(Nanoseconds(seconds: -1.5e-9), Nanoseconds(nanoseconds: -2))
    expectEqual(Nanoseconds(seconds: Nanoseconds.longest.seconds), .longest)
    expectNil(Nanoseconds(seconds: Nanoseconds.longest.seconds.nextUp))
    expectNil(Nanoseconds(seconds: .nan))
    expectNil(Nanoseconds(seconds: .infinity))
  }

  @Test(
    "the nearest whole number, halves away from zero",
    arguments: [
      (0.0, 0), (0.49999999999999994, 0), (0.5, 1), (1.5, 2), (2.5, 3), (-0.5, -1), (-0.49999999999999994, 0),
      (-2.5, -3), (4_503_599_627_370_495.5, 4_503_599_627_370_496), (9e18, 9_000_000_000_000_000_000),
    ] as [(Double, Int64)])
  func nearest(value: Double, expected: Int64) {
    expectEqual(Int64(nearest: value), expected)
  }

  @Test("the generator is SplitMix64: the first numbers of the published one, and again from the same seed")
  func generator() {
    var generator = Generator(seed: 0)
    expectEqual(generator.next(), 0xE220_A839_7B1D_CDAF)
    expectEqual(generator.next(), 0x6E78_9E6A_A1B9_65F4)
    expectEqual(generator.next(), 0x06C4_5D18_8009_454F)
    var other = Generator(seed: 0)
    _ = other.next()
    expect(other != generator)
    _ = other.next()
    _ = other.next()
    expectEqual(other, generator)
  }
}
