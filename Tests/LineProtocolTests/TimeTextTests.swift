import TestSupport
import LineProtocol
import StateMachines
import Testing

@Suite("Durations as requests write them")
struct TimeTextTests {
  @Test("every unit, and a bare number of seconds")
  func units() {
    let durations: [(String, Int64)] = [
      ("7ns", 7), ("40us", 40_000), ("250ms", 250_000_000), ("1.5s", 1_500_000_000), ("10m", 600_000_000_000),
      ("6h", 21_600_000_000_000), ("2d", 172_800_000_000_000), ("3", 3_000_000_000), ("0.25", 250_000_000),
      ("0", 0), ("0s", 0), ("0.0ns", 0), ("00", 0), ("007ms", 7_000_000), ("1.0ns", 1), ("1.000000000", 1_000_000_000),
      ("0.000000001", 1), ("0.000001ms", 1), ("0.001us", 1), ("1.5m", 90_000_000_000), ("0.5d", 43_200_000_000_000),
      ("2.5h", 9_000_000_000_000), ("343.116647", 343_116_647_000),
    ]
    for (text, nanoseconds) in durations { expectEqual(TimeText.duration(text), nanoseconds, "\(text)") }
  }

  @Test("what is no duration")
  func malformed() {
    let texts = [
      "", ".", "1.", ".5", "1e3", "1E3", "-1s", "+1s", "1s2", "5 s", " 5s", "5s ", "s", "ms", "1.2.3", "1..2", "1,5s",
      "1S", "1MS", "1sec", "1w", "1y", "1 ", "0x10", "1_000", "1s ", "１s", "½s", "inf", "nan", "1m30s", "..", ".s",
      "1.s", "1ns.", "-0", "--1", "1µs",
    ]
    for text in texts { expectNil(TimeText.duration(text), "\(text)") }
  }

  @Test("a number and its unit as two words are one")
  func twoWords() {
    let words = [
      ("3", "hours", "3h"), ("1.5", "s", "1.5s"), ("20", "min", "20m"), ("5", "milliseconds", "5ms"),
      ("2", "days", "2d"),
    ]
    for (number, unit, word) in words { expectEqual(TimeText.meant(by: number, unit), word) }
    for (number, unit) in [
      ("x", "s"), ("3", ""), ("3", "weeks"), ("3s", "s"), ("-3", "s"), ("", "s"), ("1", "2"), ("1", ".5"), ("5m", "s"),
    ] {
      expectNil(TimeText.meant(by: number, unit), "\(number) \(unit)")
    }
  }

  @Test("whole nanoseconds only")
  func wholeNanoseconds() {
    for text in ["0.5ns", "1.1ns", "0.0001us", "1.0000000001s", "0.0000000005", "0.00000000001m", "0.00000000000001d"] {
      expectNil(TimeText.duration(text), "\(text)")
      expect(TimeText.isTooFine(text), "\(text)")
    }
    for text in ["1.5s", "1.2.3", "1.x", "1.5", "100000.5d", "100001.00000000000001d", ".5ns", "1.5weeks", "1.٥ns"] {
      expect(!TimeText.isTooFine(text), "\(text)")
    }
    expectEqual(TimeText.duration("1.0000000000000000000000000000s"), 1_000_000_000)
    expectEqual(TimeText.duration("0.00000000005m"), 3)
    expectEqual(TimeText.duration("0.0000000000025h"), 9)
    // 27 ns are 1/(2¹⁶·5¹¹) of a day, which takes sixteen decimals.
    expectEqual(TimeText.duration("0.0000000000003125d"), 27)
    expectEqual(TimeText.duration("0.00000000000031250d"), 27)
    expectEqual(TimeText.duration("0.9999999999996875d"), 86_399_999_999_973)
    expectNil(TimeText.duration("0.00000000000031255d"))
  }

  @Test("a time is written like a duration, and at most 100,000 days")
  func latest() {
    expectEqual(TimeText.latest, 8_640_000_000_000_000_000)
    for text in ["100000d", "2400000h", "8640000000", "8640000000.000000000s", "8640000000000000000ns"] {
      expectEqual(TimeText.time(text), TimeText.latest, "\(text)")
      expectNil(TimeText.duration(text), "\(text)")
    }
    expectEqual(TimeText.time("36500d"), TimeText.longest)
    expectEqual(TimeText.time("36500.5d"), TimeText.longest + 43_200_000_000_000)
    expectEqual(TimeText.time("8639999999.999999999"), TimeText.latest - 1)
    for text in [
      "8640000000000000001ns", "8640000000.000000001", "100000.0000000000003125d", "100001d", "9223372036854775807ns",
      "9223372036854775808ns", "-1s", "1min", "",
    ] {
      expectNil(TimeText.time(text), "\(text)")
    }
  }

  @Test("at most 36,500 days")
  func longest() {
    expectEqual(TimeText.longest, 3_153_600_000_000_000_000)
    for text in ["36500d", "36500.000d", "876000h", "52560000m", "3153600000", "3153600000.000000000s"] {
      expectEqual(TimeText.duration(text), TimeText.longest, "\(text)")
    }
    expectEqual(TimeText.duration("3153600000000000000ns"), TimeText.longest)
    expectEqual(TimeText.duration("3153599999.999999999"), TimeText.longest - 1)
    for text in [
      "3153600000000000001ns", "3153600000.000000001", "36500.0000000000003125d", "36501d", "876000.5h",
      "9223372036854775807ns", "9223372036854775808ns", "18446744073709551616ns", "9223372036854775807d",
      "99999999999999999999999999d", "3153600001s", "106751.9d",
    ] {
      expectNil(TimeText.duration(text), "\(text)")
    }
  }

  @Test("as a person would write it")
  func written() {
    let durations: [(Int64, String)] = [
      (0, "0s"), (7, "7ns"), (1_500, "1.5us"), (40_000, "40us"), (350_000_000, "350ms"), (1_500_000_000, "1.5s"),
      (12_000_000_000, "12s"), (90_000_000_000, "90s"), (60_000_000_000, "1m"), (5_400_000_000_000, "90m"),
      (3_600_000_000_000, "1h"), (86_400_000_000_000, "1d"), (TimeText.longest, "36500d"), (1_000_001, "1.000001ms"),
      (2_495_329_850_041, "2495.329850041s"), (-1_500_000_000, "-1.5s"), (-60_000_000_000, "-1m"),
    ]
    for (nanoseconds, text) in durations { expectEqual(TimeText.written(nanoseconds), text) }
    expectEqual(TimeText.written(.min).first, "-")
  }

  @Test("what is written is read back", arguments: Thorough.rounds(0..<50))
  func roundTrip(seed: UInt64) {
    var dice = Dice(seed: seed)
    let units: [Int64] = [1, 1_000, 1_000_000, 1_000_000_000, 60_000_000_000, 3_600_000_000_000, 86_400_000_000_000]
    for _ in 0..<200 {
      // Of every magnitude, and now and then a whole number of some unit.
      let raw = Int64(truncatingIfNeeded: dice.next() >> UInt64(dice.number(1...62)))
      let unit = dice.one(of: units)
      let nanoseconds = min(dice.number(0...1) == 0 ? raw : raw / unit * unit, TimeText.longest)
      let text = TimeText.written(nanoseconds)
      expectEqual(TimeText.duration(text), nanoseconds, "seed \(seed), \(text)")
    }
  }

  @Test("decimals of every unit agree with long division", arguments: Thorough.rounds(0..<50))
  func decimals(seed: UInt64) {
    var dice = Dice(seed: seed)
    let units: [(String, UInt64)] = [
      ("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000),
      ("h", 3_600_000_000_000), ("d", 86_400_000_000_000), ("", 1_000_000_000),
    ]
    for _ in 0..<100 {
      let (name, unit) = dice.one(of: units)
      let whole = UInt64(dice.number(0...1_000))
      let count = dice.number(1...18)
      // Few digits that are not 0, so that some are whole.
      let digits = (0..<count).map { _ in dice.number(0...2) == 0 ? dice.one(of: [5, 5, 1, 2]) : 0 }
      let fraction = digits.reduce(0) { $0 * 10 + UInt64($1) }
      let scale = (0..<count).reduce(UInt64(1)) { power, _ in power * 10 }
      let product = fraction.multipliedFullWidth(by: unit)
      let (quotient, remainder) = scale.dividingFullWidth((product.high, product.low))
      let nanoseconds = remainder == 0 ? Int64(whole * unit + quotient) : nil
      let text = "\(whole)." + digits.map { "\($0)" }.joined() + name
      expectEqual(TimeText.duration(text), nanoseconds, "seed \(seed), \(text)")
    }
  }

  @Test(
    "times as people say them",
    arguments: [
      ("0.000", "0s"), ("43.500", "43.5s"), ("59.999999999", "59.999s"), ("60.000", "00:01:00"),
      ("343.116647296", "00:05:43.116"), ("86743.500", "1d 00:05:43.5"), ("8640000000", "100000d 00:00:00"),
      ("0.000000007", "7ns"), ("0.0004", "400us"), ("0.001", "0.001s"),
    ])
  func people(seconds: String, expected: String) {
    expectEqual(TimeText.people(seconds), expected)
  }

  @Test("what is no time is not said as one", arguments: ["", "-", "1.2.3", "-1.000", "8640000001"])
  func noTime(text: String) {
    expectNil(TimeText.people(text))
  }

  @Test(
    "times are written in one unit, in several, or in seconds",
    arguments: [
      ("350ms", 350_000_000), ("0.35", 350_000_000), ("5m43s", 343_000_000_000),
      ("5m 43.5s", 343_500_000_000), ("05:43.116", 343_116_000_000), ("00:05:43", 343_000_000_000),
      ("1d 00:05:43.5", 86_743_500_000_000), ("1:2:3:4", nil), ("5:", nil), (":5", nil),
      ("1h2m3s4ms", 3_723_004_000_000), ("2d", 172_800_000_000_000), ("5m43", nil), ("", nil),
      ("m5", nil),
      ("5m43x", nil), ("-1s", nil), ("1.2.3s", nil), ("100001d", nil), ("100000d1s", nil),
      ("60000d60000d", nil),
    ] as [(String, Int64?)])
  func timeTexts(text: String, nanoseconds: Int64?) {
    expectEqual(TimeText.time(ofPeople: text), nanoseconds)
  }

  @Test(
    "several units are told in one",
    arguments: [
      ("1m30s", "90s"), ("1h30m", "90m"), ("1d12h", "36h"), ("1s500ms", "1.5s"), ("90s", nil), ("5", nil), ("5x", nil),
      ("", nil), ("1:30", nil), ("1m 30s", nil),
    ] as [(String, String?)])
  func meant(text: String, meant: String?) {
    expectEqual(TimeText.meant(by: text), meant)
  }

  @Test("a time as people say it is read back, cut to milliseconds", arguments: Thorough.rounds(0..<50))
  func peopleRoundTrip(seed: UInt64) {
    var dice = Dice(seed: seed)
    for _ in 0..<200 {
      let raw = min(Int64(truncatingIfNeeded: dice.next() >> UInt64(dice.number(1...62))), TimeText.latest)
      let nanoseconds = raw < 1_000_000 ? raw : raw / 1_000_000 * 1_000_000
      let text = TimeText.people(TimeText.seconds(raw)) ?? ""
      expectEqual(TimeText.time(ofPeople: text), nanoseconds, "seed \(seed), \(text)")
    }
  }
}
