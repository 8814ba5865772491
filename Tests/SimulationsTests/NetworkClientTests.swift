import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct NetworkClientTests {
  @Test("all pairs of an idle client")
  func pairs() {
    Table(
      NetworkClient.kind,
      """
      state      | connect         | connected | connectFailed | connectionLost | request(A,nil)   | response(A) | timeout(A) | disconnect | connect expires | backoff expires | request expires
      offline    | → connecting(1) | ignore    | ignore        | ignore         | ⟲                | ignore      | ignore     | ignore     | –               | –               | –
      connecting | ignore          | → online  | → backoff(1)  | ignore         | ⟲                | ignore      | ignore     | → offline  | → backoff(1)    | –               | –
      backoff    | → connecting(2) | ignore    | ignore        | ignore         | ⟲                | ignore      | ignore     | → offline  | –               | → connecting(2) | –
      online     | ignore          | ignore    | ignore        | → backoff(0)   | ⟲ > sent A 1     | ignore      | ignore     | → offline  | –               | –               | –
      """
    ).check()
  }

  private func online() -> Bench { Bench(NetworkClient.kind, initial: "online") }

  @Test("what waits is sent when the connection is there")
  func queueing() {
    let bench = Bench(NetworkClient.kind)
    bench.send("request", .text("A"), .none)
    bench.advance(to: .seconds(1))
    bench.send("connect")
    bench.advance(to: .milliseconds(1200))
    expectEqual(bench.send("connected"), "moved connecting(1) online event=connected > sent A 1")
    bench.advance(to: .milliseconds(1500))
    expectEqual(bench.send("response", .text("A")), "stayed online event=response > completed A")
    expectNil(bench.nextDue)
  }

  @Test("a thousand requests may be under way, and one more is refused")
  func mostUnderWay() {
    let bench = online()
    for number in 1...NetworkClient.mostUnderWay {
      expect(bench.send("request", .text("r\(number)"), .none), hasPrefix: "stayed online")
    }
    expectEqual(
      bench.send("request", .text("more"), .none),
      "refused online event=request : 1000 requests are under way, which is the limit")
    bench.send("response", .text("r7"))
    expect(bench.send("request", .text("more"), .none), hasPrefix: "stayed online")
  }

  @Test("an idempotent request is sent again after a lost connection, before the others; another one fails")
  func lost() {
    let bench = online()
    bench.send("request", .text("B"), .none)
    bench.send("request", .text("once"), .flag(false))
    bench.send("request", .text("C"), .flag(true))
    bench.advance(to: .milliseconds(300))
    expectEqual(bench.send("connectionLost"), "moved online backoff(0) event=connectionLost > failed once lost")
    bench.send("request", .text("D"), .none)
    expectEqual(bench.timers(), ["backoff": .milliseconds(1300)])
    bench.advance(to: .milliseconds(1400))
    expectEqual(bench.state(), "connecting(1)")
    expectEqual(bench.send("connected"), "moved connecting(1) online event=connected > sent B 4 > sent C 5 > sent D 6")
    expectEqual(bench.timers().keys.sorted(), ["request(4)", "request(5)", "request(6)"])
  }

  @Test("without a queue a request is refused at once")
  func rejecting() {
    let bench = Bench(NetworkClient.kind, ["policy": .text("reject")])
    expectEqual(
      bench.send("request", .text("A"), .none), "refused offline event=request : blocked: there is no connection")
  }

  @Test("an answer exactly when the time is over comes too late")
  func tie() {
    let bench = online()
    bench.send("request", .text("A"), .none)
    bench.advance(to: .seconds(30))
    expectEqual(bench.lines.last, "30.000 m stayed online timer=request(1) > failed A timeout")
    expectEqual(bench.send("response", .text("A")), "ignored online event=response")
    expectEqual(bench.reading("lateDropped"), .integer(1))
  }

  @Test("the pauses double up to half a minute")
  func backoff() {
    let bench = Bench(NetworkClient.kind)
    bench.send("connect")
    var pauses: [Nanoseconds] = []
    for attempt in 1...8 {
      bench.advance(.seconds(10))
      expectEqual(bench.state(), "backoff(\(attempt))")
      pauses.append((bench.nextDue ?? .beginning) - bench.now)
      bench.advance(to: bench.nextDue ?? .beginning)
      expectEqual(bench.state(), "connecting(\(attempt + 1))")
    }
    expectEqual(pauses, [1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
  }

  @Test("after the last attempt all that waits fails")
  func lastAttempt() {
    let bench = Bench(NetworkClient.kind, ["maxAttempts": .integer(2)])
    bench.send("request", .text("A"), .none)
    bench.send("connect")
    bench.send("connectFailed")
    bench.advance(.seconds(1))
    expectEqual(bench.send("connectFailed"), "moved connecting(2) offline event=connectFailed > failed A unreachable")
    expectEqual(bench.reading("waiting"), .integer(0))
  }

  @Test("the limit of the queue, and one more: the newest is refused")
  func queueLimit() {
    let bench = Bench(NetworkClient.kind)
    for number in 1...100 {
      expectEqual(bench.send("request", .text("\(number)"), .none), "stayed offline event=request")
    }
    expectEqual(
      bench.send("request", .text("101"), .none),
      "refused offline event=request : blocked: there is no connection, and the queue is full with 100 requests")
    bench.send("connect")
    bench.send("connected")
    expectEqual(bench.reading("underWay"), .integer(100))
  }

  @Test("a disconnect fails what is under way and keeps nothing running")
  func disconnect() {
    let bench = online()
    bench.send("request", .text("A"), .none)
    expectEqual(bench.send("disconnect"), "moved online offline event=disconnect > failed A disconnected")
    expectNil(bench.nextDue)
  }
}
