import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct EmployeesTests {
  private static let loading = "→ loading > showLoading > request"

  @Test("all pairs", arguments: ["auto", "manual"])
  func pairs(service: String) {
    let isAuto = service == "auto"
    let received = isAuto ? "→ data > hideLoading > show 5" : "–"
    Table(
      Employees.kind, with: ["service": .text(service)],
      rows: [
        "loading, will fail": {
          let bench = Bench(Employees.kind, ["service": .text(service), "failures": .integer(1)])
          bench.send("didLoadView")
          return bench
        }
      ],
      """
      state              | didLoadView     | reload          | received(2)                    | error(late)                            | received expires | error expires
      initial            | \(Self.loading) | refuse          | refuse                         | refuse                                 | –                | –
      loading            | refuse          | refuse          | → data > hideLoading > show 2  | → error > hideLoading > showError late | \(received)      | –
      loading, will fail | refuse          | refuse          | → data > hideLoading > show 2  | → error > hideLoading > showError late | –                | \(isAuto ? "→ error > hideLoading > showError unreachable" : "–")
      data               | refuse          | refuse          | refuse                         | refuse                                 | –                | –
      error              | refuse          | \(Self.loading) | refuse                         | refuse                                 | –                | –
      """
    ).check()
  }

  @Test("a list comes after three seconds, and is never loaded again")
  func success() {
    let bench = Bench(Employees.kind)
    bench.send("didLoadView")
    bench.advance(to: .seconds(1))
    bench.send("reload")
    bench.advance(to: .seconds(4))
    bench.send("reload")
    expectEqual(
      bench.lines,
      [
        "0.000 m created initial",
        "0.000 m moved initial loading event=didLoadView > showLoading > request",
        "1.000 m refused loading event=reload : impossible transition: reload in loading",
        "3.000 m moved loading data timer=received > hideLoading > show 5",
        "4.000 m refused data event=reload : impossible transition: reload in data",
      ])
    expectEqual(bench.reading("items"), .integer(5))
    expectNil(bench.nextDue)
  }

  @Test("a failure is shown until somebody reloads")
  func failure() {
    let bench = Bench(Employees.kind, ["failures": .integer(1)])
    bench.send("didLoadView")
    bench.advance(to: .seconds(5))
    expectEqual(bench.reading("error"), .text("unreachable"))
    bench.send("reload")
    bench.advance(to: .seconds(8))
    expectEqual(
      bench.lines.dropFirst(2),
      [
        "3.000 m moved loading error timer=error > hideLoading > showError unreachable",
        "5.000 m moved error loading event=reload > showLoading > request",
        "8.000 m moved loading data timer=received > hideLoading > show 5",
      ])
    expectEqual(bench.reading("requests"), .integer(2))
    expectNil(bench.reading("error"))
  }

  @Test("a service without latency answers at the same moment, but to the state that asked for the answer")
  func noLatency() {
    let bench = Bench(Employees.kind, ["latency": .interval(.zero), "items": .integer(2)])
    bench.send("didLoadView")
    expectEqual(
      bench.lines.dropFirst(),
      [
        "0.000 m moved initial loading event=didLoadView > showLoading > request",
        "0.000 m moved loading data timer=received > hideLoading > show 2",
      ])
  }

  @Test("an answer by hand replaces the one that is on its way")
  func byHand() {
    let bench = Bench(Employees.kind)
    bench.send("didLoadView")
    bench.send("error", .text("no"))
    expectNil(bench.nextDue)
    expectEqual(bench.reading("error"), .text("no"))
  }

  @Test("chance decides as often as it is told to, and a replay decides alike")
  func chance() {
    func outcome(_ rate: Double, seed: UInt64) -> String {
      let bench = Bench(Employees.kind, ["failureRate": .number(rate)], seed: seed)
      bench.send("didLoadView")
      bench.advance(.seconds(3))
      return bench.state()
    }
    expect((0..<20).allSatisfy { outcome(1, seed: $0) == "error" && outcome(0, seed: $0) == "data" })
    let half = (0..<200).map { outcome(0.5, seed: $0) }
    expect((60...140).contains(half.count { $0 == "error" }))
    expectEqual(half, (0..<200).map { outcome(0.5, seed: $0) })
  }

  @Test("started in loading, it has asked")
  func initial() {
    let bench = Bench(Employees.kind, initial: "loading")
    expectEqual(bench.lines, ["0.000 m created loading > showLoading > request"])
    expectEqual(bench.timers(), ["received": .seconds(3)])
  }
}
