import MachineTesting
import Simulations
import StateMachines
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
    #expect(bench.send("fetch", .text(user)) == "moved idle fetching(1,\(user)) event=fetch")
    bench.advance(to: Instant(nanoseconds: 2_999_999_999))
    #expect(bench.state() == "fetching(1,\(user))")
    bench.advance(to: .seconds(3))
    let timer = answer.prefix { $0 != " " }
    #expect(bench.lines.last == "3.000 m moved fetching(1,\(user)) idle timer=\(timer) > \(answer)")
    #expect(bench.nextDue == nil)
  }

  @Test("with nobody logged in the answer is there at once, and nothing was started")
  func noAuth() {
    let bench = bench()
    #expect(bench.send("fetch", Value.none) == "stayed idle event=fetch > failed noAuth")
    #expect(bench.reading("generation") == .integer(0))
    #expect(bench.nextDue == nil)
  }

  @Test("without a name, the fetch is for whoever is logged in at the call")
  func currentUser() {
    let bench = bench(["items": .integer(7)], user: "A")
    #expect(bench.reading("user") == .text("A"))
    bench.send("fetch", Value.none)
    bench.send("currentUser", .text("B"))
    #expect(bench.reading("user") == .text("A"))
    bench.advance(to: .seconds(3))
    #expect(bench.lines.last == "3.000 m moved fetching(1,A) idle timer=received > received 7")
    #expect(bench.reading("user") == .text("B"))
  }

  @Test("a second fetch replaces the first, one for nobody too")
  func replaced() {
    let bench = bench(user: "A")
    bench.send("fetch", Value.none)
    bench.advance(to: .seconds(1))
    #expect(bench.send("fetch", .text("B")) == "moved fetching(1,A) fetching(2,B) event=fetch")
    #expect(bench.timers() == ["received": .seconds(4)])
    bench.send("currentUser", Value.none)
    #expect(bench.send("fetch", Value.none) == "moved fetching(2,B) idle event=fetch > failed noAuth")
    bench.advance(to: .seconds(10))
    #expect(!bench.lines.contains { $0.contains("> received") })
    #expect(bench.reading("late") == .integer(0))
  }

  @Test("cancel drops the answer")
  func cancelled() {
    let bench = bench()
    #expect(bench.send("cancel") == "ignored idle event=cancel")
    bench.send("fetch", .text("A"))
    #expect(bench.send("cancel") == "moved fetching(1,A) idle event=cancel")
    #expect(bench.nextDue == nil)
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
      #expect(bench.lines.last == "3.000 m moved fetching(1,A) idle timer=received > \(answer)", "\(mode) \(users)")
    }
    let unknown = bench(["mode": .text("extended")], user: "C")
    unknown.send("fetch", Value.none)
    unknown.send("currentUser", Value.none)
    unknown.advance(to: .seconds(3))
    #expect(unknown.lines.last == "3.000 m moved fetching(1,C) idle timer=failed > failed noAuth")
  }

  @Test("with service=manual only events answer, and one to another request is late")
  func manual() {
    let bench = bench(["service": .text("manual")])
    bench.send("fetch", .text("A"))
    bench.send("fetch", .text("A"))
    bench.advance(to: .seconds(100))
    #expect(bench.nextDue == nil)
    #expect(bench.send("received", .integer(5), .integer(1)) == "ignored fetching(2,A) event=received")
    #expect(bench.send("failed", .text("noAuth"), .integer(1)) == "ignored fetching(2,A) event=failed")
    #expect(bench.reading("late") == .integer(2))
    #expect(
      bench.send("received", .integer(3), .integer(2)) == "moved fetching(2,A) idle event=received > received 3")
    #expect(bench.send("received", .integer(3), .none) == "ignored idle event=received")
    #expect(bench.send("failed", .text("noAuth"), .none) == "ignored idle event=failed")
    #expect(bench.reading("late") == .integer(4))
    bench.send("fetch", .text("A"))
    #expect(
      bench.send("failed", .text("failedToLoadData"), .none)
        == "moved fetching(3,A) idle event=failed > failed failedToLoadData")
    #expect(!bench.possibleEvents().contains("failNext"))
  }

  @Test("an answer that is sent comes instead of the timer's")
  func early() {
    let bench = bench()
    bench.send("fetch", .text("A"))
    bench.send("failed", .text("failedToLoadData"), .none)
    #expect(bench.nextDue == nil)
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
    #expect(answers(bench(["failures": .integer(2)]), 3) == [failed, failed, "received 5"])
    #expect(answers(bench(["failureRate": .number(1)]), 2) == [failed, failed])
    let told = bench()
    told.send("failNext", .text("noAuth"))
    #expect(answers(told, 2) == ["failed noAuth", "received 5"])
    let chance = Set(answers(bench(["failureRate": .number(0.5)]), 40))
    #expect(chance == [failed, "received 5"])
  }

  @Test("offline, a fetch fails at once, and a request that runs goes on")
  func offline() {
    let bench = bench()
    bench.send("fetch", .text("A"))
    bench.send("offline")
    #expect(bench.send("offline") == "ignored fetching(1,A) event=offline")
    bench.advance(to: .seconds(3))
    #expect(bench.lines.last == "3.000 m moved fetching(1,A) idle timer=received > received 5")
    #expect(bench.send("fetch", .text("A")) == "stayed idle event=fetch > failed failedToLoadData")
    #expect(bench.send("fetch", Value.none) == "stayed idle event=fetch > failed noAuth")
    #expect(bench.reading("offline") == .flag(true))
    bench.send("online")
    #expect(bench.send("online") == "ignored idle event=online")
    #expect(bench.send("fetch", .text("A")) == "moved idle fetching(2,A) event=fetch")
    let away = self.bench(["offline": .flag(true)])
    #expect(away.send("fetch", .text("A")) == "stayed idle event=fetch > failed failedToLoadData")
  }

  @Test("made in fetching, it fetches for user A")
  func initial() {
    let bench = Bench(CheckinsService.kind, initial: "fetching")
    #expect(bench.state() == "fetching(1,A)")
    #expect(bench.timers() == ["received": .seconds(3)])
  }
}
