import TestSupport
import StateMachines
import Testing

@testable import SimulationDaemon

@Suite("Clock of a world")
struct WorldClockTests {
  private func clock(_ speed: String, host: UInt64 = 1_000, moment: Int64 = 500) throws -> WorldClock {
    var clock = WorldClock(.real, host: host, moment: Instant(nanoseconds: moment))
    clock.set(try #require(Speed(speed)), host: host, moment: Instant(nanoseconds: moment))
    return clock
  }

  @Test(
    "speeds from a thousandth to a million, exact to a billionth",
    arguments: [
      ("1", 1_000_000_000, "1"), ("0.001", 1_000_000, "0.001"), ("1000000", 1_000_000_000_000_000, "1000000"),
      ("0.333333333", 333_333_333, "0.333333333"), ("2.50", 2_500_000_000, "2.5"), ("60", 60_000_000_000, "60"),
      ("007", 7_000_000_000, "7"), ("1000000.000000000", 1_000_000_000_000_000, "1000000"),
    ] as [(String, UInt64, String)])
  func speeds(_ text: String, _ billionths: UInt64, _ printed: String) {
    expectEqual(Speed(text)?.billionths, billionths)
    expectEqual(Speed(text)?.text, printed)
  }

  @Test(
    "anything else is no speed",
    arguments: [
      "", "0", "0.000", "0.000999999", "0.0009999999", "1000000.000000001", "1000001", "9999999", "10000000", "-1",
      "+1",
      "1e3", ".5", "5.", "1.2.3", "x", "1x", "1,5", "٣", "0.3333333333", " 1",
    ])
  func wrongSpeeds(_ text: String) {
    expectNil(Speed(text))
  }

  @Test("a host time has the moment that the speed gives, rounded down")
  func moments() throws {
    let third = try clock("0.333333333")
    expectEqual(third.moment(atHost: 1_000), Instant(nanoseconds: 500))
    expectEqual(third.moment(atHost: 1_003), Instant(nanoseconds: 500))
    expectEqual(third.moment(atHost: 1_004), Instant(nanoseconds: 501))
    expectEqual(third.moment(atHost: 1_000 + 3_000_000_000), Instant(nanoseconds: 500 + 999_999_999))
    expectEqual(third.moment(atHost: 0), Instant(nanoseconds: 500))
    let fast = try clock("1000000")
    expectEqual(fast.moment(atHost: 1_001), Instant(nanoseconds: 1_000_500))
  }

  @Test(
    "no drift: the time that has passed is that of the whole, however often it was looked at",
    arguments: Thorough.rounds(0..<50 as Range<UInt64>))
  func drift(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    let billionths = UInt64(dice.number(below: 1_000_000_000)) + 1_000_000
    let text = "\(billionths / 1_000_000_000).\(String("\(billionths % 1_000_000_000 + 1_000_000_000)".dropFirst()))"
    let clock = try clock(text)
    var host: UInt64 = 1_000
    for _ in 0..<200 {
      host += UInt64(dice.number(below: 1_000_000_007))
      let passed = UInt128(host - 1_000) * UInt128(billionths) / 1_000_000_000
      expectEqual(clock.moment(atHost: host).nanoseconds, 500 + Int64(passed), "seed \(seed)")
    }
  }

  @Test(
    "the host time of a moment is the earliest at which the moment has come",
    arguments: Thorough.rounds(0..<100 as Range<UInt64>))
  func earliest(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    for speed in ["1", "0.333333333", "0.001", "3", "59.94", "999999.999999999", "1000000"] {
      let clock = try clock(speed)
      let moment = Instant(nanoseconds: 501 + Int64(dice.number(below: 1 << 30)) * Int64(1 + dice.number(below: 1_000)))
      let host = try #require(clock.host(at: moment))
      expect(clock.moment(atHost: host) >= moment, "seed \(seed), speed \(speed)")
      expect(clock.moment(atHost: host - 1) < moment, "seed \(seed), speed \(speed)")
    }
  }

  @Test("a moment that has come needs no waiting; one too far away is not waited for")
  func ends() throws {
    let slow = try clock("0.001")
    expectEqual(slow.host(at: .beginning), 1_000)
    expectEqual(slow.host(at: Instant(nanoseconds: 500)), 1_000)
    expectNil(slow.host(at: .latest))
    // The last number that fits, and a remainder.
    let sixth = try clock("0.170900007", host: 0, moment: 0)
    expectNil(sixth.host(at: Instant(nanoseconds: 3_152_548_691_324_170_887)))
    try expectEqual(clock("1").host(at: .latest), UInt64(Int64.max) - 500 + 1_000)
    try expectNil(clock("1", host: .max - 5, moment: 0).host(at: Instant(nanoseconds: 6)))
    try expectEqual(clock("1", host: .max - 5, moment: 0).host(at: Instant(nanoseconds: 5)), .max)
  }

  @Test("world time goes no further than its end")
  func endOfTime() throws {
    try expectEqual(clock("1000000").moment(atHost: .max), .end)
    try expectEqual(clock("1").moment(atHost: .max), .end)
    let atTheEnd = try clock("1", moment: Instant.end.nanoseconds)
    expectEqual(atTheEnd.moment(atHost: 2_000), .end)
    let before = try clock("1", moment: Instant.end.nanoseconds - 3)
    expect(before.moment(atHost: 1_002) < .end)
    expectEqual(before.moment(atHost: 1_003), .end)
    expectEqual(before.moment(atHost: 1_004), .end)
  }

  @Test("pausing keeps the moment, and a change of speed begins where time stands")
  func pauses() throws {
    var clock = WorldClock(.real, host: 100)
    expect(clock.isRunning && clock.moment(atHost: 150) == Instant(nanoseconds: 50))
    clock.pause()
    expect(!clock.isRunning && clock.isPaused)
    clock.set(try #require(Speed("2")), host: 200, moment: Instant(nanoseconds: 50))
    expect(!clock.isRunning)
    clock.resume(host: 300, moment: Instant(nanoseconds: 50))
    expect(clock.isRunning && clock.moment(atHost: 310) == Instant(nanoseconds: 70))
    clock.set(.virtual, host: 310, moment: Instant(nanoseconds: 70))
    expect(!clock.isRunning && !clock.isPaused)
    clock.set(.real, host: 400, moment: Instant(nanoseconds: 70))
    expectEqual(clock.moment(atHost: 401), Instant(nanoseconds: 72))
  }
}
