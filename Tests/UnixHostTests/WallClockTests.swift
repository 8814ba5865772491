import TestSupport
import Testing
import UnixHost

@Suite("Time of day")
struct WallClockTests {
  private static let noon: Int64 = 1_935_662_400_000_000_000  // 2031-05-04T12:00:00Z

  @Test(
    "a date and a time, at a distance from UTC or not",
    arguments: [
      ("2031-05-04T12:00Z", 0), ("2031-05-04T12:00:00.5Z", 500_000_000), ("2031-05-04T14:30+02:30", 0),
      ("2031-05-03T23:00-13:00", 0), ("2031-05-04T12:00:01.000000001Z", 1_000_000_001),
    ] as [(String, Int64)])
  func dates(_ text: String, _ after: Int64) {
    expectEqual(WallClock.time(text, now: 0), Self.noon + after)
  }

  @Test("what is printed is read again", arguments: [0, 1_000_000, 86_400_000_000_000, -1_935_662_400_000_000_000])
  func roundTrip(_ after: Int64) {
    let text = WallClock.text(of: Self.noon + after)
    expectEqual(WallClock.time(text, now: 0), Self.noon + after)
  }

  @Test("a time alone is the last one until now, in the host's time zone")
  func today() throws {
    let now = WallClock.text(of: Self.noon)
    let hours = try #require(Int(now.dropFirst(11).prefix(2)))
    let time = now.dropFirst(11).prefix(5)
    expectEqual(WallClock.time(String(time), now: Self.noon), Self.noon)
    expectEqual(WallClock.time("\(time):00.001", now: Self.noon), Self.noon + 1_000_000 - 86_400_000_000_000)
    expectEqual(WallClock.time("\(hours):00", now: Self.noon + 1), WallClock.time("\(now.prefix(13)):00", now: 0))
  }

  @Test(
    "anything else is no time",
    arguments: [
      "", "14", "24:00", "14:60", "14:0", "14:00:60", "14:00:00.", "14:00:00.1234567890", "-1:00", "+1:00", "14:00Z",
      "2031-05-04", "2031-5-4T14:00", "2031-02-29T14:00", "2031-13-01T14:00", "1969-12-31T23:59Z", "2262-01-01T00:00Z",
      "2031-05-04T14:00+2:00", "2031-05-04T14:00+24:00", "2031-05-04T14:00z", "T14:00", "2031-05-04T", "١٤:٠٠", "now",
    ])
  func wrong(_ text: String) {
    expectNil(WallClock.time(text, now: Self.noon))
  }
}
