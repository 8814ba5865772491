import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

/// Kinds with a service that answers by itself only with `service=auto`.
struct SimulatedServiceTests {
  private func bench(_ kind: Kind, _ parameters: [String: Value] = [:]) -> Bench {
    Bench(kind, parameters.merging(["service": .text("auto")]) { given, _ in given })
  }

  @Test("a payment that goes well")
  func payment() {
    let bench = bench(Payment.kind)
    bench.send("checkout", .number(25))
    bench.send("submit", .text("visa"))
    bench.advance(to: .seconds(1))
    expectEqual(bench.state(), "capturing")
    bench.advance(to: .seconds(2))
    expectEqual(bench.state(), "paid")
    bench.send("refund")
    bench.advance(to: .seconds(3))
    expectEqual(bench.state(), "refunded")
    expectNil(bench.nextDue)
  }

  @Test("a bad card is declined, and another one is tried")
  func declined() {
    let bench = bench(Payment.kind)
    bench.send("checkout", .number(25))
    bench.send("submit", .text("bad"))
    bench.advance(to: .seconds(1))
    expectEqual(bench.state(), "declined(funds)")
    expectNil(bench.nextDue)
    bench.send("submit", .text("visa"))
    bench.advance(to: .seconds(3))
    expectEqual(bench.state(), "paid")
    expectEqual(bench.reading("attempts"), .integer(2))
  }

  @Test("an answer that is lost is asked for, and nothing is charged twice")
  func lost() {
    let bench = bench(Payment.kind, ["failures": .integer(2)])
    bench.send("checkout", .number(25))
    bench.send("submit", .text("visa"))
    bench.advance(to: .seconds(30))
    expectEqual(bench.state(), "unknown")
    // The first query is lost too.
    bench.advance(to: .seconds(39))
    expectEqual(bench.state(), "unknown")
    bench.advance(to: .seconds(41))
    expectEqual(bench.state(), "capturing")
    bench.advance(to: .seconds(42))
    expectEqual(bench.state(), "paid")
    expectEqual(bench.lines.filter { $0.contains("> authorize") }.count, 1)
    expectEqual(bench.lines.filter { $0.contains("> query 1") }.count, 2)
  }

  @Test("a bank that is slower than it is waited for")
  func slow() {
    let bench = bench(Payment.kind, ["latency": .interval(.seconds(30))])
    bench.send("checkout", .number(25))
    bench.send("submit", .text("visa"))
    bench.advance(to: .seconds(30))
    expectEqual(bench.state(), "unknown")
    bench.advance(to: .seconds(64))
    expectEqual(bench.state(), "unknown")
    // The first query, sent at 35 s, is answered.
    bench.advance(to: .seconds(65))
    expectEqual(bench.state(), "capturing")
  }

  @Test(
    "a question that is lost does not take back the answer to an earlier one",
    arguments: Thorough.rounds(0..<50 as Range<UInt64>))
  func lostQuestion(seed: UInt64) {
    let bench = Bench(
      Payment.kind,
      [
        "service": .text("auto"), "latency": .interval(.seconds(7)), "reconcile": .interval(.seconds(5)),
        "authorize": .interval(.seconds(1)), "failureRate": .number(0.5),
      ], seed: Thorough.seed(seed))
    bench.send("checkout", .number(25))
    bench.send("submit", .text("visa"))
    var due: Instant?
    while bench.state() == "unknown" || bench.state() == "authorizing" {
      bench.advance(to: bench.nextDue ?? bench.now)
      guard bench.state() == "unknown" else { break }
      let next = bench.timers()["authorized"]
      expect(due == nil || next == due, "seed \(seed)")
      due = next
    }
    expectEqual(bench.state(), "capturing", "seed \(seed)")
    expectEqual(bench.now, due, "seed \(seed)")
  }

  @Test("a payment that is made in doubt hears that the money has moved")
  func doubt() {
    let bench = Bench(Payment.kind, initial: "unknown", ["service": .text("auto")])
    bench.advance(to: .seconds(6))
    expectEqual(
      bench.lines.dropFirst(),
      [
        "5.000 m stayed unknown timer=reconcile > query 1", "6.000 m moved unknown paid timer=captured",
      ])
    expectNil(bench.nextDue)
  }

  @Test("a query is answered after the latency, and the next one begins then")
  func database() {
    let bench = bench(Database.kind, ["items": .integer(2)])
    bench.send("perform", .text("findAll"))
    bench.send("perform", .text("findOne"))
    expectEqual(bench.state(), "executing")
    bench.advance(to: .seconds(1))
    expectEqual(bench.state(), "executing")
    expect(bench.lines, contains: "1.000 m moved mapping finished(2) timer=mapped > objects 2")
    bench.advance(to: .seconds(2))
    expectEqual(bench.state(), "finished(2)")
    expectNil(bench.nextDue)
  }

  @Test("a query that fails, and one that takes too long")
  func databaseFails() {
    let failing = bench(Database.kind, ["failures": .integer(1)])
    failing.send("perform", .text("findAll"))
    failing.advance(to: .seconds(1))
    expectEqual(failing.state(), "failed(executing,offline)")
    failing.send("perform", .text("findAll"))
    failing.advance(to: .seconds(2))
    expectEqual(failing.state(), "finished(5)")
    let slow = bench(Database.kind, ["latency": .interval(.seconds(5))])
    slow.send("perform", .text("findAll"))
    slow.advance(to: .seconds(5))
    expectEqual(slow.state(), "failed(executing,timeout)")
    expectNil(slow.nextDue)
  }

  @Test("a connection is made, and requests are answered in their turn")
  func client() {
    let bench = bench(NetworkClient.kind)
    bench.send("request", .text("A"), .none)
    bench.send("connect")
    bench.advance(to: .seconds(1))
    expectEqual(bench.state(), "online")
    expectEqual(bench.timers(), ["request(1)": .seconds(31), "response(1)": .seconds(2)])
    bench.advance(to: .milliseconds(1500))
    bench.send("request", .text("A"), .none)
    bench.advance(to: .seconds(2))
    expectEqual(bench.lines.last, "2.000 m stayed online timer=response(1) > completed A")
    bench.send("connectionLost")
    expectEqual(bench.timers(), ["backoff": .seconds(3)])
    bench.advance(to: .seconds(5))
    expectEqual(bench.reading("underWay"), .integer(0))
    expectNil(bench.nextDue)
  }

  @Test("what fails gets no answer: the time-outs end it")
  func clientFails() {
    let bench = bench(NetworkClient.kind, ["failures": .integer(1)])
    bench.send("connect")
    bench.advance(to: .seconds(10))
    expectEqual(bench.state(), "backoff(1)")
    bench.advance(to: .seconds(12))
    expectEqual(bench.state(), "online")
    let deaf = self.bench(NetworkClient.kind, ["failureRate": .number(1)])
    deaf.send("connect")
    deaf.send("connected")
    deaf.send("request", .text("A"), .none)
    deaf.advance(to: .seconds(30))
    expectEqual(deaf.lines.last, "30.000 m stayed online timer=request(1) > failed A timeout")
  }
}
