import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct CallTrackerTests {
  @Test("all pairs")
  func pairs() {
    Table(CallTracker.kind, in: "../../Sources/Simulations/Devices/CallTracker.swift").check()
  }

  /// Sends events at moments in milliseconds to a tracker of a call to +7000.
  private func play(_ events: [(Int64, String)], _ parameters: [String: Value] = [:]) -> Bench {
    let bench = Bench(CallTracker.kind, parameters)
    bench.send("phoneTapped", .text("+7000"))
    for (at, event) in events {
      bench.advance(to: .milliseconds(at))
      bench.send(event)
    }
    return bench
  }

  private static let success: [(Int64, String)] = [
    (100, "willResignActive"), (2000, "didBecomeActive"), (2300, "willResignActive"), (2400, "callDialing"),
    (2500, "didEnterBackground"), (9000, "callConnected"), (69_000, "callEnded"), (69_800, "didBecomeActive"),
  ]

  @Test("a call that was made")
  func success() {
    let bench = play(Self.success)
    expectEqual(
      bench.lines,
      [
        "0.000 m created none",
        "0.000 m moved none start event=phoneTapped > open +7000",
        "0.100 m moved start systemAlert event=willResignActive",
        "2.000 m moved systemAlert waiting event=didBecomeActive",
        "2.300 m moved waiting callStarting event=willResignActive",
        "2.400 m ignored callStarting event=callDialing",
        "2.500 m ignored callStarting event=didEnterBackground",
        "9.000 m moved callStarting callInProgress event=callConnected",
        "69.000 m moved callInProgress callEnded event=callEnded",
        "69.800 m moved callEnded none event=didBecomeActive > tracked +7000 60.000 true",
      ])
    expectNil(bench.nextDue)
  }

  @Test("what is known of the call grows with its states, and goes with it")
  func readings() {
    let bench = play(Array(Self.success.dropLast()))
    expectEqual(bench.reading("number"), .text("+7000"))
    expectEqual(bench.reading("tappedAt"), .moment(.beginning))
    expectEqual(bench.reading("connectedAt"), .moment(.seconds(9)))
    expectEqual(bench.reading("endedAt"), .moment(.seconds(69)))
    expectEqual(bench.reading("wasConnected"), .flag(true))
    bench.send("didBecomeActive")
    for reading in CallTracker.kind.readings { expectNil(bench.reading(reading.name), "\(reading.name)") }
    let started = play([])
    expectEqual(started.reading("number"), .text("+7000"))
    expectNil(started.reading("connectedAt"))
    expectNil(started.reading("wasConnected"))
  }

  @Test("nothing happens after the alert: it was cancelled, after exactly `waiting`")
  func cancelled() {
    let bench = play([(100, "willResignActive"), (2000, "didBecomeActive")])
    expectEqual(bench.timers(), ["waiting": .seconds(4)])
    bench.advance(to: .seconds(4))
    expectEqual(bench.lines.last, "4.000 m moved waiting none timer=waiting")
  }

  @Test("the app becomes active twice: nothing is tracked, whatever comes")
  func activeTwice() {
    let bench = play([
      (100, "willResignActive"), (1000, "didBecomeActive"), (1200, "didBecomeActive"), (1500, "willResignActive"),
      (9000, "callConnected"), (20_000, "callEnded"), (21_000, "didBecomeActive"),
    ])
    expect(bench.timers().isEmpty)
    expectEqual(bench.state(), "none")
    expect(!bench.lines.contains { $0.contains("tracked") })
  }

  @Test("returning to the app during the call makes the tracker forget the call")
  func returned() {
    let bench = play(Array(Self.success.prefix(6)) + [(20_000, "didBecomeActive"), (40_000, "callEnded")])
    expectEqual(
      bench.lines.suffix(2),
      [
        "20.000 m moved callInProgress none event=didBecomeActive", "40.000 m ignored none event=callEnded",
      ])
  }

  @Test("a call that nobody answers is tracked with 0 s, unless requireConnected", arguments: [false, true])
  func unanswered(requireConnected: Bool) {
    let bench = play(
      Array(Self.success.prefix(5)) + [(9000, "callEnded"), (9500, "didBecomeActive")],
      ["requireConnected": .flag(requireConnected)])
    let tracked = requireConnected ? "" : " > tracked +7000 0.000 false"
    expectEqual(bench.lines.last, "9.500 m moved callEnded none event=didBecomeActive\(tracked)")
  }

  @Test("another number while the outcome of the first is unknown is a new call")
  func another() {
    let bench = play([(100, "willResignActive"), (2000, "didBecomeActive")])
    bench.send("phoneTapped", .text("112"))
    expect(bench.timers().isEmpty)
    expectEqual(bench.reading("number"), .text("112"))
    expectEqual(bench.reading("tappedAt"), .moment(.seconds(2)))
  }

  @Test("a tracker that begins at the end of a call knows no number, and tracks nothing")
  func withoutNumber() {
    let bench = Bench(CallTracker.kind, initial: "callEnded")
    expectNil(bench.reading("number"))
    expectEqual(bench.send("didBecomeActive"), "moved callEnded none event=didBecomeActive")
  }

  @Test("started in waiting, its timer runs")
  func initial() {
    expectEqual(Bench(CallTracker.kind, initial: "waiting").timers(), ["waiting": .seconds(2)])
    let none = Bench(CallTracker.kind, initial: "waiting", ["waiting": .interval(.zero)])
    none.advance(.zero)
    expectEqual(none.state(), "none")
  }
}
