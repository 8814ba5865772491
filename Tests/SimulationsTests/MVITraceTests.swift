import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct MVITraceTests {
  private func calls(_ wish: String, _ order: String) -> [String] {
    let bench = Bench(MVITrace.kind, ["order": .text(order)])
    return outputs(of: bench.send("wish", .text(wish)))
  }

  private func outputs(of line: String) -> [String] {
    line.split(separator: ">").dropFirst().map {
      String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
  }

  @Test("recursive: the nested news come first, and the outer ones still say s1")
  func recursive() {
    expectEqual(
      calls("I", "recursive"),
      [
        "actor s0 I", "reducer s0 E1", "state s1 100 idle", "postProcessor s1 E1 P",
        "actor s1 P", "reducer s1 E2", "state s2 100 idle", "postProcessor s2 E2 nil", "news N2 s2", "news N1 s1",
      ])
  }

  @Test("queued: the news come in the order of the actions")
  func queued() {
    expectEqual(
      calls("I", "queued"),
      [
        "actor s0 I", "reducer s0 E1", "state s1 100 idle", "postProcessor s1 E1 P", "news N1 s1",
        "actor s1 P", "reducer s1 E2", "state s2 100 idle", "postProcessor s2 E2 nil", "news N2 s2",
      ])
  }

  @Test("a fast wish overtakes a slow one; the late effect meets the latest state", arguments: ["recursive", "queued"])
  func interleave(order: String) {
    let bench = Bench(MVITrace.kind, ["order": .text(order)])
    expectEqual(outputs(of: bench.send("subscribe")), ["state s0 100 idle"])
    bench.send("wish", .text("slow"))
    expectEqual(bench.timers(), ["finished(1)": .seconds(1)])
    bench.send("wish", .text("fast"))
    bench.advance(.seconds(1))
    let states = bench.lines.flatMap { outputs(of: $0) }.filter { $0.hasPrefix("state") }
    expectEqual(states, ["state s0 100 idle", "state s1 100 loading", "state s2 200 loading", "state s3 205 idle"])
    expect(bench.lines.last, hasPrefix: "1.000 m moved loading(200) idle(205) timer=finished(1)")
    expectNil(bench.nextDue)
  }

  @Test("slow wishes run side by side, and come in any order")
  func sideBySide() {
    let bench = Bench(MVITrace.kind)
    bench.send("wish", .text("slow"))
    bench.advance(.milliseconds(500))
    bench.send("wish", .text("slow"))
    expectEqual(bench.timers(), ["finished(1)": .seconds(1), "finished(2)": .milliseconds(1500)])
    expect(bench.fire("finished(2)"), hasPrefix: "moved loading(100) loading(105) timer=finished(2)")
    bench.advance(.milliseconds(500))
    expectEqual(bench.state(), "idle(110)")
  }

  @Test("wishes sent by a news listener see the state after the one before", arguments: ["recursive", "queued"])
  func loopBack(order: String) {
    let actors = calls("W1", order).filter { $0.hasPrefix("actor") }
    expectEqual(actors, ["actor s0 W1", "actor s1 W2", "actor s2 W3"])
  }

  @Test("no effects: the actor is asked, and nothing more happens")
  func nothing() {
    let bench = Bench(MVITrace.kind)
    expectEqual(bench.send("wish", .text("nothing")), "stayed idle(100) event=wish > actor s0 nothing")
  }

  @Test("an equal state is emitted")
  func same() {
    expectEqual(
      calls("same", "recursive"),
      [
        "actor s0 same", "reducer s0 unchanged", "state s0 100 idle", "postProcessor s0 unchanged nil",
      ])
  }

  @Test("each effect has its own state and news")
  func several() {
    expectEqual(
      calls("several", "queued").filter { !$0.hasPrefix("p") },
      [
        "actor s0 several", "reducer s0 E3", "state s1 101 idle", "news N3 s1", "reducer s1 E4", "state s2 102 idle",
        "news N4 s2",
      ])
  }

  @Test("two bootstrap actions, and then one emission: the state after both", arguments: ["recursive", "queued"])
  func bootstrap(order: String) {
    let bench = Bench(MVITrace.kind, ["bootstrap": .flag(true), "order": .text(order)])
    let calls = outputs(of: bench.lines[0])
    expectEqual(calls.filter { $0.hasPrefix("actor") }, ["actor s0 B1", "actor s1 B2"])
    expectEqual(calls.first, "bootstrapper 2")
    expect(!calls.contains { $0.hasPrefix("state") })
    expectEqual(outputs(of: bench.send("subscribe")), ["state s2 103 idle"])
  }

  @Test("after its end everything is dropped, also what was under way")
  func dispose() {
    let bench = Bench(MVITrace.kind)
    bench.send("wish", .text("slow"))
    expectEqual(bench.send("dispose"), "moved loading(100) disposed(100) event=dispose")
    expectNil(bench.nextDue)
    expectEqual(bench.send("wish", .text("fast")), "ignored disposed(100) event=wish")
    expectEqual(bench.send("subscribe"), "ignored disposed(100) event=subscribe")
    expectEqual(bench.send("dispose"), "ignored disposed(100) event=dispose")
  }

  @Test("a hundred slow wishes, and no more")
  func limit() {
    let bench = Bench(MVITrace.kind)
    for _ in 0..<MVITrace.mostLoads { bench.send("wish", .text("slow")) }
    expectEqual(bench.reading("loads"), .integer(100))
    expect(bench.send("wish", .text("slow")), hasPrefix: "refused")
    expect(bench.send("wish", .text("fast")), hasPrefix: "moved")
  }

  @Test("made in a later state")
  func initial() {
    expectEqual(Bench(MVITrace.kind, initial: "loading").timers(), ["finished(1)": .seconds(1)])
    expectEqual(Bench(MVITrace.kind, initial: "disposed").state(), "disposed(100)")
  }
}
