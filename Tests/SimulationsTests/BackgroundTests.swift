import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct BackgroundTests {
  @Test("all pairs of machines whose document has the URL u1")
  func pairs() {
    let set: @Sendable (_ more: [(String, [Value])]) -> Bench = { more in
      let bench = Bench(Background.kind, ["service": .text("manual")])
      bench.send("backgroundChanged", .text("u1"))
      for (event, arguments) in more { bench.send(event, arguments) }
      return bench
    }
    Table(
      Background.kind, with: ["service": .text("manual")],
      rows: [
        "fetching": { set([]) },
        "found": { set([("fetchSucceeded", [.text("u1"), .text("i1")])]) },
        "failed": { set([("fetchFailed", [.text("u1"), .text("e")])]) },
      ],
      """
      state    | backgroundChanged(nil) | backgroundChanged(u1) | backgroundChanged(u2)         | fetchSucceeded(u1,i)    | fetchSucceeded(u2,i) | fetchSucceeded(u1,nil)                                            | fetchFailed(u1,e)                                | fetchFailed(u2,e) | fetchSucceeded expires | fetchFailed expires
      none     | ignore                 | → fetching(u1) > download u1 | → fetching(u2) > download u2 | ignore           | ignore               | ignore                                                            | → failed(e) > alert couldn't set background: e   | → failed(e) > alert couldn't set background: e | – | –
      fetching | → none                 | ignore                | → fetching(u2) > download u2  | → found(i) > zoomToFit  | ignore               | → failed(badImageData) > alert couldn't set background: badImageData | → failed(e) > alert couldn't set background: e | → failed(e) > alert couldn't set background: e | – | –
      found    | → none                 | ignore                | → fetching(u2) > download u2  | → found(i) > zoomToFit  | ignore               | → failed(badImageData) > alert couldn't set background: badImageData | → failed(e) > alert couldn't set background: e | → failed(e) > alert couldn't set background: e | – | –
      failed   | → none                 | ignore                | → fetching(u2) > download u2  | → found(i) > zoomToFit  | ignore               | → failed(badImageData) > alert couldn't set background: badImageData | → failed(e) > alert couldn't set background: e | → failed(e) > alert couldn't set background: e | – | –
      """
    ).check()
  }

  @Test("a picture is found, and the accessors speak only in their states")
  func found() {
    let bench = Bench(Background.kind, ["latency": .interval(.seconds(2))])
    bench.send("backgroundChanged", .text("http://h/u1"))
    expectEqual(bench.state(), "fetching(http://h/u1)")
    expectEqual(bench.reading("isFetching"), .flag(true))
    expectEqual(bench.reading("urlBeingFetched"), .text("http://h/u1"))
    bench.advance(.seconds(2))
    expectEqual(bench.state(), "found(u1)")
    expectEqual(bench.reading("image"), .text("u1"))
    expectEqual(bench.reading("isFetching"), .flag(false))
    expectNil(bench.reading("failureReason"))
    expectNil(bench.reading("urlBeingFetched"))
  }

  /// Sets the URL to u1, whose answer comes late, and then to u2, whose answer comes soon.
  private func race(_ parameters: [String: Value]) -> Bench {
    let bench = Bench(Background.kind, parameters)
    bench.send("backgroundChanged", .text("u1"))
    bench.advance(to: .seconds(1))
    bench.send("backgroundChanged", .text("u2"))
    bench.advance(to: .seconds(2))
    bench.fire("fetchSucceeded(2)")
    expectEqual(bench.state(), "found(u2)")
    bench.advance(to: .seconds(5))
    return bench
  }

  @Test("a hundred downloads may be under way, and one more is refused")
  func mostDownloads() {
    let bench = Bench(Background.kind)
    for number in 1...Background.mostDownloads { bench.send("backgroundChanged", .text("u\(number)")) }
    expectEqual(
      bench.send("backgroundChanged", .text("more")),
      "refused fetching(u100) event=backgroundChanged : 100 downloads are under way, which is the limit")
    bench.advance(.seconds(1_000))
    expect(bench.send("backgroundChanged", .text("more")), hasPrefix: "moved found(u100) fetching(more)")
  }

  @Test("a late picture is dropped")
  func lateSuccess() {
    let bench = race(["latency": .interval(.seconds(5))])
    expectEqual(bench.lines.last, "5.000 m ignored found(u2) timer=fetchSucceeded(1)")
    expectEqual(bench.reading("lateDropped"), .integer(1))
    expectNil(bench.nextDue)
  }

  @Test("a late failure overwrites the picture that is shown, unless hardened")
  func lateFailure() {
    let parameters: [String: Value] = ["latency": .interval(.seconds(5)), "failures": .integer(1)]
    expectEqual(race(parameters).state(), "failed(timeout)")
    let hardened = race(parameters.merging(["mode": .text("hardened")]) { $1 })
    expectEqual(hardened.state(), "found(u2)")
    expectEqual(hardened.reading("lateDropped"), .integer(1))
  }

  @Test("a failed URL cannot be tried again but by way of another")
  func retry() {
    let bench = Bench(Background.kind, ["failures": .integer(1)])
    bench.send("backgroundChanged", .text("u1"))
    bench.advance(.seconds(3))
    expectEqual(bench.state(), "failed(timeout)")
    expectEqual(bench.reading("failureReason"), .text("couldn't set background: timeout"))
    expectEqual(bench.send("backgroundChanged", .text("u1")), "ignored failed(timeout) event=backgroundChanged")
    bench.send("backgroundChanged", .none)
    bench.send("backgroundChanged", .text("u1"))
    bench.advance(.seconds(3))
    expectEqual(bench.state(), "found(u1)")
  }

  @Test("all requests fail at a rate of 1, none at 0")
  func rates() {
    for (rate, state) in [(1.0, "failed(timeout)"), (0, "found(u)")] {
      let bench = Bench(Background.kind, ["failureRate": .number(rate)])
      bench.send("backgroundChanged", .text("u"))
      bench.advance(.seconds(3))
      expectEqual(bench.state(), state)
    }
  }
}
