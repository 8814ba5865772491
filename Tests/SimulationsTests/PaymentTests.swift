import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct PaymentTests {
  @Test("all pairs")
  func pairs() {
    Table(
      Payment.kind,
      listing: """
        idle        | checkout(25)   | → entering
        idle        | submit(visa)   | refuse
        idle        | authorized     | refuse
        idle        | challenge      | refuse
        idle        | challengePassed | refuse
        idle        | challengeFailed | refuse
        idle        | declined(funds) | refuse
        idle        | captured       | refuse
        idle        | cancel         | refuse
        idle        | refund         | refuse
        idle        | refundDone     | refuse
        entering    | checkout(25)   | refuse
        entering    | submit(visa)   | → authorizing > authorize 1 0.0
        entering    | cancel         | → cancelled
        entering    | refund         | refuse
        authorizing | checkout(25)   | refuse
        authorizing | submit(visa)   | refuse
        authorizing | authorized     | → capturing > capture 1
        authorizing | challenge      | → challenge
        authorizing | declined(funds) | → declined(funds)
        authorizing | networkError   | → unknown
        authorizing | cancel         | refuse
        authorizing | timeout        | → unknown
        authorizing | refund         | refuse
        authorizing | authorize expires | → unknown
        challenge   | checkout(25)   | refuse
        challenge   | submit(visa)   | refuse
        challenge   | challengePassed | → capturing > capture 1
        challenge   | challengeFailed | → declined(challengeFailed)
        challenge   | networkError   | ⟲
        challenge   | cancel         | → cancelled
        challenge   | timeout        | → declined(expired)
        challenge   | refund         | refuse
        challenge   | challenge expires | → declined(expired)
        capturing   | checkout(25)   | refuse
        capturing   | submit(visa)   | refuse
        capturing   | declined(funds) | → declined(funds)
        capturing   | captured       | → paid
        capturing   | networkError   | → unknown
        capturing   | cancel         | refuse
        capturing   | timeout        | → unknown
        capturing   | refund         | refuse
        capturing   | capture expires | → unknown
        unknown     | checkout(25)   | refuse
        unknown     | submit(visa)   | refuse
        unknown     | authorized     | → capturing > capture 1
        unknown     | declined(funds) | → declined(funds)
        unknown     | captured       | → paid
        unknown     | networkError   | ⟲ > query 1
        unknown     | cancel         | refuse
        unknown     | timeout        | ⟲ > query 1
        unknown     | refund         | refuse
        unknown     | reconcile expires | ⟲ > query 1
        paid        | checkout(25)   | refuse
        paid        | submit(visa)   | refuse
        paid        | cancel         | refuse
        paid        | refund         | → refunding > refund 1
        declined    | submit(visa)   | → authorizing > authorize 2 0.0
        declined    | captured       | ⟲ > alert captured after it was declined
        declined    | cancel         | → cancelled
        declined    | refund         | refuse
        refunding   | checkout(25)   | refuse
        refunding   | submit(visa)   | refuse
        refunding   | networkError   | ⟲ > refund 1
        refunding   | cancel         | refuse
        refunding   | timeout        | ⟲ > refund 1
        refunding   | refund         | refuse
        refunding   | refundDone     | → refunded
        refunding   | reconcile expires | ⟲ > refund 1
        cancelled   | checkout(25)   | refuse
        cancelled   | submit(visa)   | refuse
        cancelled   | captured       | ⟲ > refund 0 > alert captured after the end
        cancelled   | refund         | refuse
        refunded    | checkout(25)   | refuse
        refunded    | submit(visa)   | refuse
        refunded    | captured       | ⟲ > refund 1 > alert captured after the end
        refunded    | refund         | refuse
        """
    ).check()
  }

  @Test("a lost answer leads to no second charge; the duplicate is ignored; the money comes back")
  func lostAnswer() {
    let bench = Bench(Payment.kind)
    bench.send("checkout", .number(25))
    bench.advance(to: .seconds(5))
    bench.send("submit", .text("visa"))
    bench.advance(to: .seconds(35))
    expectEqual(bench.state(), "unknown")
    expectEqual(bench.timers(), ["reconcile": .seconds(40)])
    bench.advance(to: .seconds(40))
    expectEqual(bench.lines.last, "40.000 m stayed unknown timer=reconcile > query 1")
    expectEqual(bench.send("captured"), "moved unknown paid event=captured")
    bench.advance(to: .seconds(41))
    expectEqual(bench.send("captured"), "ignored paid event=captured")
    bench.advance(to: .seconds(50))
    bench.send("refund")
    bench.advance(to: .seconds(52))
    expectEqual(bench.send("refundDone"), "moved refunding refunded event=refundDone")
    expectNil(bench.nextDue)
    expectEqual(
      bench.lines.filter { $0.contains("> authorize") },
      [
        "5.000 m moved entering authorizing event=submit > authorize 1 25.0"
      ])
  }

  @Test("three attempts, and no fourth")
  func attempts() {
    let bench = Bench(Payment.kind)
    bench.send("checkout", .number(25))
    for attempt in 1...3 {
      expect(bench.send("submit", .text("visa")), hasSuffix: "authorize \(attempt) 25.0")
      bench.send("declined", .text("funds"))
    }
    expectEqual(
      bench.send("submit", .text("visa")),
      "refused declined(funds) event=submit : 3 attempts were made, which is the limit")
  }

  @Test("an answer at the very moment at which the bank's time is over comes to the reconciliation")
  func tie() {
    let bench = Bench(Payment.kind)
    bench.send("checkout", .number(25))
    bench.send("submit", .text("visa"))
    bench.advance(to: .seconds(30))
    expectEqual(bench.send("authorized"), "moved unknown capturing event=authorized > capture 1")
    expectEqual(bench.timers(), ["capture": .seconds(60)])
  }
}
