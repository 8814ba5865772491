import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct CheckinsTests {
  @Test("all pairs without a login, the list empty and not")
  func pairs() {
    Table(Checkins.kind, in: "../../Sources/Simulations/Screens/Checkins.swift").check()
  }

  @Test("all pairs with a login, faithful")
  func pairsWithLogin() {
    Table(CheckinsWithLogin.kind, in: "../../Sources/Simulations/Screens/CheckinsWithLogin.swift").check()
  }

  @Test("any error but noAuth is a failure to load", arguments: ["checkins", "checkinsWithLogin"])
  func anyError(name: String) throws {
    guard case .machine(let kind)? = Catalogue.simulations[name] else { return }
    let bench = Bench(kind, initial: "loading")
    bench.send("loadingFailed", .text("timeout"))
    expectEqual(bench.state(), "error(failedToLoadData)")
  }

  @Test("all pairs with a login, hardened: one cell differs")
  func pairsHardened() {
    Table(
      CheckinsWithLogin.kind, with: ["mode": .text("hardened")],
      """
      state     | startLoading | loadingFinished(0) | loadingFinished(5) | loadingFailed(noAuth) | loadingFailed(failedToLoadData) | logout
      idle      | → loading    | ignore             | ignore             | ignore                | ignore                          | ignore
      loading   | ignore       | → empty            | → list(5)          | → loggedOut           | → error(failedToLoadData)       | → loggedOut > loadingCancelled
      loggedOut | → loading    | ignore             | ignore             | ignore                | ignore                          | ignore
      error     | → loading    | ignore             | ignore             | ignore                | ignore                          | → loggedOut
      empty     | → loading    | ignore             | ignore             | ignore                | ignore                          | → loggedOut
      list      | → loading    | ignore             | ignore             | ignore                | ignore                          | → loggedOut
      """
    ).check()
  }

  /// The number of each verdict, for every state with every event, once per class of its data as the kind lists them.
  private func verdicts(_ kind: Kind) -> [String: Int] {
    var counts: [String: Int] = [:]
    for state in kind.initialStates {
      for event in kind.events {
        let samples = event.arguments.first.map { $0.samples.map { [$0] } } ?? [[]]
        for arguments in samples {
          let line = Bench(kind, initial: state).send(event.name, arguments)
          counts[String(line.prefix { $0 != " " }), default: 0] += 1
        }
      }
    }
    return counts
  }

  @Test("36 classes of pairs with a login, of which 12 move; 20 without, of which 7 move")
  func classes() {
    expectEqual(verdicts(CheckinsWithLogin.kind), ["moved": 12, "ignored": 24])
    expectEqual(verdicts(Checkins.kind), ["moved": 7, "ignored": 13])
  }

  @Test(
    "what is shown follows from the state",
    arguments: [
      ("loading", "spinner", true), ("loggedOut", "loginPrompt", false), ("error", "message", true),
      ("empty", "placeholder", true), ("list", "table", true),
    ])
  func view(state: String, view: String, logoutButton: Bool) {
    for kind in [Checkins.kind, CheckinsWithLogin.kind, NaiveCheckins.kind]
    where kind.initialStates.contains(state) {
      expectEqual(Bench(kind, initial: state).reading("view"), .text(view), "\(kind.name)")
    }
    let bench = Bench(CheckinsWithLogin.kind, initial: state)
    expectEqual(bench.reading("logoutButton"), .flag(logoutButton))
  }

  @Test("before the first load nothing is shown, and one may log out already")
  func nothing() {
    expectNil(Bench(Checkins.kind).reading("view"))
    let bench = Bench(CheckinsWithLogin.kind)
    expectNil(bench.reading("view"))
    expectEqual(bench.reading("logoutButton"), .flag(true))
  }
}
