import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct DatabaseTests {
  @Test("all pairs")
  func pairs() {
    Table(Database.kind, in: "../../Sources/Simulations/Services/Database.swift").check()
  }

  @Test("requests are served one at a time, in their order, each end visible before the next begins")
  func queue() {
    let bench = Bench(Database.kind)
    for request in ["a", "b", "c"] { bench.send("perform", .text(request)) }
    expectEqual(bench.reading("waiting"), .integer(2))
    bench.send("cancel")
    expectEqual(
      Array(bench.lines.suffix(2)),
      [
        "0.000 m moved translating cancelled event=cancel",
        "0.000 m moved cancelled translating timer=next > translate b",
      ])
    bench.send("translated", .text("s"))
    bench.advance(.seconds(5))
    expectEqual(
      Array(bench.lines.suffix(2)),
      [
        "5.000 m moved executing failed(executing,timeout) timer=query > failure executing timeout",
        "5.000 m moved failed(executing,timeout) translating timer=next > translate c",
      ])
    expect(bench.send("rows", .integer(1)), hasPrefix: "refused translating")
    bench.send("translated", .text("s"))
    bench.send("rows", .integer(0))
    bench.send("mapped", .integer(0))
    expectEqual(bench.state(), "finished(0)")
    expectEqual(bench.send("rows", .integer(1)), "ignored finished(0) event=rows")
    expectEqual(bench.reading("lateDropped"), .integer(1))
    expectNil(bench.nextDue)
  }

  @Test("the limit of those that wait, and one more")
  func limit() {
    let bench = Bench(Database.kind, ["queueLimit": .integer(2)])
    for _ in 0..<3 { bench.send("perform", .text("q")) }
    expectEqual(
      bench.send("perform", .text("q")),
      "refused translating event=perform : 2 requests are waiting, which is the limit")
  }
}
