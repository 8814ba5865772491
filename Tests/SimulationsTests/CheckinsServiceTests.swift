import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct CheckinsServiceTests {
  private func bench(_ parameters: [String: Value] = [:], user: String? = nil) -> Bench {
    let bench = Bench(CheckinsService.kind, parameters)
    if let user { bench.send("currentUser", .text(user)) }
    return bench
  }

  @Test(
    "a user's answer comes after the latency, exactly",
    arguments: [("A", "received 5"), ("B", "received 0"), ("C", "failed failedToLoadData")])
  func users(user: String, answer: String) {
    let bench = bench()
    expectEqual(bench.send("fetch", .text(user)), "moved idle fetching(1,\(user)) event=fetch")
    bench.advance(to: Instant(nanoseconds: 2_999_999_999))
    expectEqual(bench.state(), "fetching(1,\(user))")
    bench.advance(to: .seconds(3))
    let timer = answer.prefix { $0 != " " }
    expectEqual(bench.lines.last, "3.000 m moved fetching(1,\(user)) idle timer=\(timer) > \(answer)")
    expectNil(bench.nextDue)
  }

  @Test("with nobody logged in the answer is there at once, and nothing was started")
  func noAuth() {
    let bench = bench()
    expectEqual(bench.send("fetch", Value.none), "stayed idle event=fetch > failed noAuth")
    expectEqual(bench.reading("generation"), .integer(0))
    expectNil(bench.nextDue)
  }

  @Test("without a name, the fetch is for whoever is logged in at the call")
  func currentUser() {
    let bench = bench(["items": .integer(7)], user: "A")
    expectEqual(bench.reading("user"), .text("A"))
    bench.send("fetch", Value.none)
    bench.send("currentUser", .text("B"))
    expectEqual(bench.reading("user"), .text("A"))
    bench.advance(to: .seconds(3))
    expectEqual(bench.lines.last, "3.000 m moved fetching(1,A) idle timer=received > received 7")
    expectEqual(bench.reading("user"), .text("B"))
  }

  @Test("a second fetch replaces the first, one for nobody too")
  func replaced() {
    let bench = bench(user: "A")
    bench.send("fetch", Value.none)
    bench.advance(to: .seconds(1))
    expectEqual(bench.send("fetch", .text("B")), "moved fetching(1,A) fetching(2,B) event=fetch")
    expectEqual(bench.timers(), ["received": .seconds(4)])
    bench.send("currentUser", Value.none)
    expectEqual(bench.send("fetch", Value.none), "moved fetching(2,B) idle event=fetch > failed noAuth")
    bench.advance(to: .seconds(10))
    expect(!bench.lines.contains { $0.contains("> received") })
    expectEqual(bench.reading("late"), .integer(0))
  }

  @Test("cancel drops the answer")
  func cancelled() {
    let bench = bench()
    expectEqual(bench.send("cancel"), "ignored idle event=cancel")
    bench.send("fetch", .text("A"))
    expectEqual(bench.send("cancel"), "moved fetching(1,A) idle event=cancel")
    expectNil(bench.nextDue)
  }

  @Test("faithful, a logout meanwhile changes nothing; extended, the answer is noAuth, unless the user is back")
  func sessions() {
    for (mode, users, answer) in [
      ("faithful", [Value.none], "received 5"), ("extended", [.none], "failed noAuth"),
      ("extended", [.text("B")], "failed noAuth"), ("extended", [.none, .text("A")], "received 5"),
      ("extended", [], "received 5"),
    ] {
      let bench = bench(["mode": .text(mode)], user: "A")
      bench.send("fetch", Value.none)
      bench.advance(to: .seconds(1))
      for user in users { bench.send("currentUser", user) }
      bench.advance(to: .seconds(3))
      expectEqual(bench.lines.last, "3.000 m moved fetching(1,A) idle timer=received > \(answer)", "\(mode) \(users)")
    }
    let unknown = bench(["mode": .text("extended")], user: "C")
    unknown.send("fetch", Value.none)
    unknown.send("currentUser", Value.none)
    unknown.advance(to: .seconds(3))
    expectEqual(unknown.lines.last, "3.000 m moved fetching(1,C) idle timer=failed > failed noAuth")
  }

  @Test("with service=manual only events answer, and one to another request is late")
  func manual() {
    let bench = bench(["service": .text("manual")])
    bench.send("fetch", .text("A"))
    bench.send("fetch", .text("A"))
    bench.advance(to: .seconds(100))
    expectNil(bench.nextDue)
    expectEqual(bench.send("received", .integer(5), .integer(1)), "ignored fetching(2,A) event=received")
    expectEqual(bench.send("failed", .text("noAuth"), .integer(1)), "ignored fetching(2,A) event=failed")
    expectEqual(bench.reading("late"), .integer(2))
    expectEqual(
      bench.send("received", .integer(3), .integer(2)), "moved fetching(2,A) idle event=received > received 3")
    expectEqual(bench.send("received", .integer(3), .none), "ignored idle event=received")
    expectEqual(bench.send("failed", .text("noAuth"), .none), "ignored idle event=failed")
    expectEqual(bench.reading("late"), .integer(4))
    bench.send("fetch", .text("A"))
    expectEqual(
      bench.send("failed", .text("failedToLoadData"), .none),
      "moved fetching(3,A) idle event=failed > failed failedToLoadData")
    expect(!bench.possibleEvents().contains("failNext"))
  }

  @Test("an answer that is sent comes instead of the timer's")
  func early() {
    let bench = bench()
    bench.send("fetch", .text("A"))
    bench.send("failed", .text("failedToLoadData"), .none)
    expectNil(bench.nextDue)
  }

  @Test("the first requests fail, then those that were told to, then by chance")
  func failures() {
    func answers(_ bench: Bench, _ count: Int) -> [String] {
      (0..<count).map { _ in
        bench.send("fetch", .text("A"))
        bench.advance(.seconds(3))
        return String(bench.lines.last?.split(separator: " > ").last ?? "")
      }
    }
    let failed = "failed failedToLoadData"
    expectEqual(answers(bench(["failures": .integer(2)]), 3), [failed, failed, "received 5"])
    expectEqual(answers(bench(["failureRate": .number(1)]), 2), [failed, failed])
    let told = bench()
    told.send("failNext", .text("noAuth"))
    expectEqual(answers(told, 2), ["failed noAuth", "received 5"])
    let chance = Set(answers(bench(["failureRate": .number(0.5)]), 40))
    expectEqual(chance, [failed, "received 5"])
  }

  @Test("offline, a fetch fails at once, and a request that runs goes on")
  func offline() {
    let bench = bench()
    bench.send("fetch", .text("A"))
    bench.send("offline")
    expectEqual(bench.send("offline"), "ignored fetching(1,A) event=offline")
    bench.advance(to: .seconds(3))
    expectEqual(bench.lines.last, "3.000 m moved fetching(1,A) idle timer=received > received 5")
    expectEqual(bench.send("fetch", .text("A")), "stayed idle event=fetch > failed failedToLoadData")
    expectEqual(bench.send("fetch", Value.none), "stayed idle event=fetch > failed noAuth")
    expectEqual(bench.reading("offline"), .flag(true))
    bench.send("online")
    expectEqual(bench.send("online"), "ignored idle event=online")
    expectEqual(bench.send("fetch", .text("A")), "moved idle fetching(2,A) event=fetch")
    let away = self.bench(["offline": .flag(true)])
    expectEqual(away.send("fetch", .text("A")), "stayed idle event=fetch > failed failedToLoadData")
  }

  @Test("made in fetching, it fetches for user A")
  func initial() {
    let bench = Bench(CheckinsService.kind, initial: "fetching")
    expectEqual(bench.state(), "fetching(1,A)")
    expectEqual(bench.timers(), ["received": .seconds(3)])
  }
}
