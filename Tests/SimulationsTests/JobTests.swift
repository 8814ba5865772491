import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct JobTests {
  @Test("all pairs")
  func pairs() {
    Table(Job.kind, in: "../../Sources/Simulations/Services/Job.swift").check()
  }

  @Test("cancel is refused while loading, and stops the work while processing")
  func cancelled() {
    let bench = Bench(Job.kind)
    bench.send("start")
    bench.advance(to: .seconds(1))
    expectEqual(bench.send("cancel"), "refused loading event=cancel : cannot cancel while loading")
    expectEqual(bench.timers(), ["load": .seconds(2)])
    bench.advance(to: .seconds(2))
    expectEqual(bench.lines.last, "2.000 m moved loading processing timer=load")
    expectEqual(bench.timers(), ["process": .seconds(7)])
    bench.advance(to: .seconds(3))
    expectEqual(bench.send("cancel"), "moved processing cancelled event=cancel")
    let lines = bench.lines
    bench.advance(to: .seconds(7))
    expectEqual(bench.lines, lines)
    expectNil(bench.nextDue)
  }

  @Test("a cancel at the very instant at which loading ends comes after it")
  func tie() {
    let bench = Bench(Job.kind)
    bench.send("start")
    bench.advance(to: .seconds(2))
    bench.send("cancel")
    expectEqual(
      bench.lines.suffix(2),
      [
        "2.000 m moved loading processing timer=load", "2.000 m moved processing cancelled event=cancel",
      ])
  }

  @Test("a retry loads anew, for the whole time")
  func retry() {
    let bench = Bench(Job.kind)
    bench.send("start")
    bench.advance(to: .seconds(1))
    expectEqual(bench.send("fail", .text("io")), "moved loading failed(loading,io) event=fail")
    expectNil(bench.nextDue)
    bench.advance(to: .milliseconds(1500))
    expectEqual(bench.send("retry"), "moved failed(loading,io) loading event=retry")
    expectEqual(bench.timers(), ["load": .milliseconds(3500)])
  }

  @Test("a failure while processing is retried from loading on; without a word it is `error`")
  func failedLater() {
    let bench = Bench(Job.kind, initial: "processing")
    expectEqual(bench.send("fail", Value.none), "moved processing failed(processing,error) event=fail")
    expectEqual(bench.send("retry"), "moved failed(processing,error) loading event=retry")
  }

  @Test("cancel is possible in processing, where it is harmless, and nowhere else")
  func available() {
    for state in Job.kind.initialStates {
      let isPossible = Bench(Job.kind, initial: state).possibleEvents().contains("cancel")
      expectEqual(isPossible, (state == "processing" || state == "cancelled"), "\(state)")
    }
  }

  @Test("what comes after the end is counted, a duplicate is not")
  func late() {
    let bench = Bench(Job.kind, initial: "processing")
    bench.send("loaded")
    expectEqual(bench.reading("late"), .integer(0))
    bench.send("cancel")
    bench.send("cancel")
    bench.send("processed", .text("ok"))
    bench.send("loaded")
    bench.send("fail", .text("io"))
    expectEqual(bench.state(), "cancelled")
    expectEqual(bench.reading("late"), .integer(3))
    bench.send("reset")
    expectEqual(bench.reading("late"), .integer(3))
  }

  @Test("progress is a reading, and not part of the state's word")
  func progress() {
    let bench = Bench(Job.kind)
    expectNil(bench.reading("progress"))
    bench.send("start")
    bench.advance(to: .milliseconds(500))
    expectEqual(bench.state(), "loading")
    expectEqual(bench.reading("progress"), .number(0.25))
    bench.advance(to: .milliseconds(3000))
    expectEqual(bench.reading("progress"), .number(0.2))
    bench.advance(to: .seconds(7))
    expectEqual(bench.state(), "finished(done)")
    expectNil(bench.reading("progress"))
    let instant = Bench(Job.kind, initial: "loading", ["load": .interval(.zero)])
    expectEqual(instant.state(), "processing")
  }

  @Test("each stage lasts as long as its parameter says")
  func durations() {
    let bench = Bench(Job.kind, ["load": .interval(.seconds(3)), "process": .interval(.seconds(4))])
    bench.send("start")
    bench.advance(to: .seconds(20))
    expectEqual(
      bench.lines.suffix(2),
      [
        "3.000 m moved loading processing timer=load", "7.000 m moved processing finished(done) timer=process",
      ])
  }
}
