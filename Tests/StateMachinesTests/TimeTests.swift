import StateMachines
import Testing

struct TimeTests {
  @Test("sums of moments saturate at the end of the range")
  func saturation() {
    #expect(Moment.beginning + .seconds(2) == Moment(nanoseconds: 2_000_000_000))
    #expect(Moment.latest + Interval(nanoseconds: 1) == .latest)
    #expect(Moment(nanoseconds: .max - 1) + Interval(nanoseconds: 1) == .latest)
    #expect(Moment.beginning + .longest + .longest < .end)
    #expect(Moment.end < .latest)
    #expect(Moment.end + .longest == .latest)
  }

  @Test("the time between two moments has a sign")
  func difference() {
    let later = Moment(nanoseconds: 5)
    #expect(later - .beginning == Interval(nanoseconds: 5))
    #expect(.beginning - later == Interval(nanoseconds: -5))
    #expect(.beginning < later)
  }

  @Test("units")
  func units() {
    #expect(Interval.milliseconds(1).nanoseconds == 1_000_000)
    #expect(Interval.minutes(1) == .seconds(60))
    #expect(Interval.days(1) == .minutes(24 * 60))
    #expect(Interval.longest == .days(36_500))
    #expect(Interval.seconds(1) + .milliseconds(500) - .seconds(2) == .milliseconds(-500))
    #expect(Interval.milliseconds(1500).seconds == 1.5)
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
    #expect(Interval(duration).nanoseconds == nanoseconds)
    #expect(Interval(Duration(Interval(nanoseconds: nanoseconds))).nanoseconds == nanoseconds)
    #expect(Moment(nanoseconds: 1) + duration == Moment(nanoseconds: 1) + Interval(nanoseconds: nanoseconds))
  }

  @Test("any duration, with what is shorter than a nanosecond cut off", arguments: 0..<50)
  func anyDuration(seed: UInt64) {
    var generator = Generator(seed: seed)
    for shift in UInt64(0)..<63 {
      let nanoseconds = Int64(generator.next() >> (shift + 1))
      let rest = Int64(generator.draw(in: 0...999_999_999))
      let duration = Duration.nanoseconds(nanoseconds) + Duration(secondsComponent: 0, attosecondsComponent: rest)
      #expect(Interval(duration).nanoseconds == nanoseconds, "seed \(seed)")
    }
  }

  @Test("a duration that world time has no room for is a defect")
  func outside() async {
    await #expect(processExitsWith: .failure) { _ = Interval(Duration.nanoseconds(-1)) }
    await #expect(processExitsWith: .failure) {
      _ = Interval(Duration(secondsComponent: 0, attosecondsComponent: -1))
    }
    await #expect(processExitsWith: .failure) { _ = Interval(Duration.nanoseconds(Int64.max) + .nanoseconds(1)) }
    await #expect(processExitsWith: .failure) { _ = Interval(Duration.seconds(Int64.max)) }
  }

  @Test("seconds are taken to the nearest nanosecond, and only if they are an interval")
  func seconds() {
    #expect(Interval(seconds: 0.35) == .milliseconds(350))
    #expect(Interval(seconds: 1.5e-9) == Interval(nanoseconds: 2))
    #expect(Interval(seconds: -1.5e-9) == Interval(nanoseconds: -2))
    #expect(Interval(seconds: Interval.longest.seconds) == .longest)
    #expect(Interval(seconds: Interval.longest.seconds.nextUp) == nil)
    #expect(Interval(seconds: .nan) == nil)
    #expect(Interval(seconds: .infinity) == nil)
  }

  @Test(
    "the nearest whole number, halves away from zero",
    arguments: [
      (0.0, 0), (0.49999999999999994, 0), (0.5, 1), (1.5, 2), (2.5, 3), (-0.5, -1), (-0.49999999999999994, 0),
      (-2.5, -3), (4_503_599_627_370_495.5, 4_503_599_627_370_496), (9e18, 9_000_000_000_000_000_000),
    ] as [(Double, Int64)])
  func nearest(value: Double, expected: Int64) {
    #expect(Int64(nearest: value) == expected)
  }

  @Test("the generator is SplitMix64: the first numbers of the published one, and again from the same seed")
  func generator() {
    var generator = Generator(seed: 0)
    #expect(generator.next() == 0xE220_A839_7B1D_CDAF)
    #expect(generator.next() == 0x6E78_9E6A_A1B9_65F4)
    #expect(generator.next() == 0x06C4_5D18_8009_454F)
    var other = Generator(seed: 0)
    _ = other.next()
    #expect(other != generator)
    _ = other.next()
    _ = other.next()
    #expect(other == generator)
  }
}
