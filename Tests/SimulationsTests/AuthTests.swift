import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct AuthTests {
  @Test("all pairs")
  func pairs() {
    Table(
      Auth.kind, with: ["sessionTTL": .interval(.seconds(9))],
      listing: """
        anonymous     | login(B,ok)                  | → loggingIn(B)
        loggingIn     | login(B,ok)                  | refuse
        loggingIn     | accepted                     | → authenticated(A) > currentUser A > loggedIn
        loggingIn     | accepted expires             | → authenticated(A) > currentUser A > loggedIn
        loggingIn     | rejected(invalidCredentials) | → anonymous > error invalidCredentials
        loggingIn     | failed(network)              | → anonymous > error network
        loggingIn     | logout                       | → anonymous
        authenticated | login(B,ok)                  | refuse
        authenticated | logout                       | → anonymous > currentUser nil
        authenticated | sessionExpired               | → anonymous > currentUser nil > expired
        authenticated | sessionExpired expires       | → anonymous > currentUser nil > expired
        """
    ).check()
  }

  @Test("a login that is rejected, and one that is given up before it is accepted")
  func trace() {
    let bench = Bench(Auth.kind)
    bench.send("login", .text("A"), .text("bad"))
    expectEqual(bench.state(), "loggingIn(A)")
    expectEqual(bench.reading("loginScreen"), .text("waiting"))
    bench.advance(to: .seconds(1))
    expectEqual(bench.lines.last, "1.000 m moved loggingIn(A) anonymous timer=rejected > error invalidCredentials")
    expectEqual(bench.reading("loginScreen"), .text("showingError"))
    expectEqual(bench.reading("error"), .text("invalidCredentials"))
    bench.advance(to: .seconds(2))
    bench.send("login", .text("A"), .text("ok"))
    expectNil(bench.reading("error"))
    bench.advance(to: .milliseconds(2500))
    expectEqual(bench.send("logout"), "moved loggingIn(A) anonymous event=logout")
    expectEqual(bench.reading("loginScreen"), .text("idle"))
    bench.advance(to: .seconds(3))
    expectEqual(bench.lines.last, "2.500 m moved loggingIn(A) anonymous event=logout")
    expectEqual(bench.send("accepted"), "ignored anonymous event=accepted")
    expectEqual(bench.reading("late"), .integer(1))
  }

  @Test("an accepted login closes the screen; a refusal says who is in the way")
  func accepted() {
    let bench = Bench(Auth.kind)
    bench.send("login", .text("A"), .text("ok"))
    expectEqual(
      bench.send("login", .text("B"), .text("ok")),
      "refused loggingIn(A) event=login : busy: another login is under way")
    bench.advance(to: .seconds(1))
    expectEqual(
      bench.lines.last, "1.000 m moved loggingIn(A) authenticated(A) timer=accepted > currentUser A > loggedIn")
    expectEqual(bench.reading("currentUser"), .text("A"))
    expectNil(bench.reading("loginScreen"))
    expectEqual(
      bench.send("login", .text("B"), .text("ok")), "refused authenticated(A) event=login : A is logged in already")
    expectEqual(bench.possibleEvents(), ["accepted", "rejected", "failed", "logout", "sessionExpired"])
    bench.advance(to: .seconds(100_000))
    expectEqual(bench.state(), "authenticated(A)")
  }

  @Test("with loginLatency=0 a login is accepted at once")
  func immediate() {
    let bench = Bench(Auth.kind, ["loginLatency": .interval(.zero)])
    bench.send("login", .text("A"), .text("ok"))
    expectEqual(bench.state(), "authenticated(A)")
    expectEqual(bench.now, .beginning)
    let other = Bench(Auth.kind, ["latency": .interval(.zero)])
    other.send("login", .text("A"), .text("ok"))
    expectEqual(other.state(), "authenticated(A)")
  }

  @Test("an empty field does nothing")
  func empty() {
    let bench = Bench(Auth.kind)
    expectEqual(bench.send("login", .text(""), .text("ok")), "ignored anonymous event=login")
    expectEqual(bench.send("login", .text("A"), .text("")), "ignored anonymous event=login")
  }

  @Test("a session ends when its time is over, counted from the login, and a logout ends its time")
  func session() {
    let bench = Bench(Auth.kind, ["sessionTTL": .interval(.seconds(10))])
    bench.send("login", .text("A"), .text("ok"))
    bench.advance(to: .seconds(1))
    expectEqual(bench.timers(), ["sessionExpired": .seconds(11)])
    bench.advance(to: .seconds(11))
    expectEqual(
      bench.lines.last, "11.000 m moved authenticated(A) anonymous timer=sessionExpired > currentUser nil > expired")
    bench.send("login", .text("A"), .text("ok"))
    bench.advance(to: .seconds(12))
    bench.send("logout")
    expectNil(bench.nextDue)
  }

  @Test("with service=manual only events answer; the first logins fail")
  func manual() {
    let bench = Bench(Auth.kind, ["service": .text("manual")])
    bench.send("login", .text("A"), .text("bad"))
    expectNil(bench.nextDue)
    expectEqual(bench.send("accepted"), "moved loggingIn(A) authenticated(A) event=accepted > currentUser A > loggedIn")
    let failing = Bench(Auth.kind, ["failures": .integer(1)])
    failing.send("login", .text("A"), .text("ok"))
    failing.advance(to: .seconds(1))
    expectEqual(failing.lines.last, "1.000 m moved loggingIn(A) anonymous timer=failed > error network")
    failing.send("login", .text("A"), .text("ok"))
    failing.advance(to: .seconds(2))
    expectEqual(failing.state(), "authenticated(A)")
  }

  @Test("a rejection or a failure that is sent without a word is of the only kind there is")
  func withoutWord() {
    expectEqual(
      Bench(Auth.kind, initial: "loggingIn").send("rejected", Value.none),
      "moved loggingIn(A) anonymous event=rejected > error invalidCredentials")
    expectEqual(
      Bench(Auth.kind, initial: "loggingIn").send("failed", Value.none),
      "moved loggingIn(A) anonymous event=failed > error network")
  }
}
