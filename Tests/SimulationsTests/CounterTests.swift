import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct CounterTests {
  @Test("all pairs")
  func pairs() {
    Table(Counter.kind, in: "../../Sources/Simulations/Frameworks/Counter.swift").check()
  }

  @Test("three wishes for more")
  func increase() {
    let bench = Bench(Counter.kind)
    expectEqual(bench.state(), "count(0)")
    expectEqual(bench.send("increase"), "moved count(0) count(1) event=increase")
    bench.send("increase")
    bench.send("increase")
    expectEqual(bench.state(), "count(3)")
    expectEqual(bench.reading("count"), .integer(3))
  }

  @Test("a wish that changes nothing is an emission all the same")
  func still() {
    let bench = Bench(Counter.kind, ["step": .integer(0)])
    expectEqual(bench.send("increase"), "moved count(0) count(0) event=increase")
    expectEqual(bench.send("decrease"), "moved count(0) count(0) event=decrease")
  }

  @Test("the counts end at a thousand million, on both sides")
  func limits() {
    let counting = Counting(step: 3)
    expectEqual(counting.reduce(Counting.limit - 3, .increase), Counting.limit)
    expectEqual(counting.reduce(Counting.limit - 2, .increase), Counting.limit)
    expectEqual(counting.reduce(Counting.limit, .increase), Counting.limit)
    expectEqual(counting.reduce(-Counting.limit, .decrease), -Counting.limit)
    expectEqual(counting.reduce(Counting.limit, .decrease), Counting.limit - 3)
  }
}
