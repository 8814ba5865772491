import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct CommentsTests {
  @Test("all pairs")
  func pairs() {
    Table(Comments.kind, in: "../../Sources/Simulations/Screens/Comments.swift").check()
  }

  @Test("all pairs with strict, where a load is final, and of a service that fails")
  func strictPairs() {
    Table(
      Comments.kind, with: ["strict": .flag(true), "failureRate": .number(1)],
      """
      state       | viewAppeared                          | received(2)                        | received(0)                              | failed(timeout)                           | reload | received expires | failed expires
      none        | → waitingData > showLoading > request | refuse                             | refuse                                   | refuse                                    | refuse | –                | –
      waitingData | ignore                                | → data(2) > hideLoading > showTable 2 | → noData > hideLoading > showPlaceholder | → error(timeout) > hideLoading > showError timeout | ignore | –                | → error(failedToLoadData) > hideLoading > showError failedToLoadData
      data        | ignore                                | refuse                             | refuse                                   | refuse                                    | refuse | –                | –
      noData      | ignore                                | refuse                             | refuse                                   | refuse                                    | refuse | –                | –
      error       | ignore                                | refuse                             | refuse                                   | refuse                                    | refuse | –                | –
      """
    ).check()
  }

  private static let appeared = [
    "0.000 m created none", "0.000 m moved none waitingData event=viewAppeared > showLoading > request",
  ]

  @Test("comments come, and are shown")
  func data() {
    let bench = Bench(Comments.kind, ["items": .integer(2)])
    bench.send("viewAppeared")
    expectEqual(bench.timers(), ["received": .seconds(3)])
    bench.advance(to: .seconds(10))
    expectEqual(
      bench.lines, Self.appeared + ["3.000 m moved waitingData data(2) timer=received > hideLoading > showTable 2"])
    expectNil(bench.nextDue)
  }

  @Test("no comments are no error")
  func noData() {
    let bench = Bench(Comments.kind, ["items": .integer(0)])
    bench.send("viewAppeared")
    bench.advance(to: .seconds(10))
    expectEqual(
      bench.lines, Self.appeared + ["3.000 m moved waitingData noData timer=received > hideLoading > showPlaceholder"])
  }

  @Test("a failure, and another attempt")
  func failure() {
    let bench = Bench(Comments.kind, ["failures": .integer(1)])
    bench.send("viewAppeared")
    expectEqual(bench.timers(), ["failed": .seconds(3)])
    bench.advance(to: .seconds(4))
    bench.send("reload")
    bench.advance(to: .seconds(20))
    expectEqual(
      bench.lines,
      Self.appeared + [
        "3.000 m moved waitingData error(failedToLoadData) timer=failed > hideLoading > showError failedToLoadData",
        "4.000 m moved error(failedToLoadData) waitingData event=reload > hideError > showLoading > request",
        "7.000 m moved waitingData data(5) timer=received > hideLoading > showTable 5",
      ])
  }

  @Test("a failure that comes late is refused, and nothing is called")
  func late() {
    let bench = Bench(Comments.kind, ["service": .text("manual")])
    bench.send("viewAppeared")
    expectNil(bench.nextDue)
    bench.advance(to: .seconds(3))
    bench.send("received", .integer(2))
    bench.advance(to: .milliseconds(3500))
    bench.send("failed", .text("timeout"))
    expectEqual(
      bench.lines,
      Self.appeared + [
        "3.000 m moved waitingData data(2) event=received > hideLoading > showTable 2",
        "3.500 m refused data(2) event=failed : data may be followed by waitingData only",
      ])
  }

  @Test("refusals say what the state allows")
  func refusals() {
    let final = Bench(Comments.kind, initial: "noData", ["strict": .flag(true)])
    expectEqual(final.send("reload"), "refused noData event=reload : noData is final")
    expectEqual(
      Bench(Comments.kind).send("received", .integer(1)),
      "refused none event=received : the screen has not appeared yet")
  }

  @Test("an answer from outside is the answer, and the service's own does not come any more")
  func answered() {
    let bench = Bench(Comments.kind)
    bench.send("viewAppeared")
    bench.advance(to: .seconds(1))
    bench.send("failed", .text("offline"))
    expectEqual(bench.state(), "error(offline)")
    expectNil(bench.nextDue)
  }

  @Test("exactly so many requests fail as are told to, and loads after them succeed")
  func failures() {
    let bench = Bench(Comments.kind, initial: "waitingData", ["failures": .integer(3)])
    var states: [String] = []
    for _ in 0..<6 {
      bench.advance(.seconds(3))
      states.append(bench.word())
      bench.send("reload")
    }
    expectEqual(states, ["error", "error", "error", "data", "data", "data"])
  }

  @Test("by chance about half of the requests fail, as the seed has it")
  func chance() {
    func run(seed: UInt64) -> [String] {
      let bench = Bench(Comments.kind, initial: "waitingData", ["failureRate": .number(0.5)], seed: seed)
      return (0..<200).map { _ in
        bench.advance(.seconds(3))
        defer { bench.send("reload") }
        return bench.word()
      }
    }
    let states = run(seed: 7)
    expect((70...130).contains(states.count { $0 == "error" }))
    expectEqual(states, run(seed: 7))
    expect(states != run(seed: 8))
  }

  @Test("each state that it can be made in shows what it shows when it is entered")
  func initial() {
    let created = Comments.kind.initialStates.map { Bench(Comments.kind, initial: $0).lines[0] }
    expectEqual(
      created,
      [
        "0.000 m created none", "0.000 m created waitingData > showLoading > request",
        "0.000 m created data(5) > showTable 5", "0.000 m created noData > showPlaceholder",
        "0.000 m created error(failedToLoadData) > showError failedToLoadData",
      ])
  }
}
