import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct NaiveCheckinsTests {
  @Test("all pairs: the callbacks write the model whatever it is")
  func pairs() {
    Table(
      NaiveCheckins.kind,
      """
      state     | downloadCheckins  | loadingFinished(0) | loadingFinished(5) | loadingFailed(noAuth) | loadingFailed(failedToLoadData) | logoutPressed
      idle      | → loading > fetch | → empty            | → list(5)          | → loggedOut           | → error(failedToLoadData)       | → loggedOut > logout
      loading   | ignore            | → empty            | → list(5)          | → loggedOut           | → error(failedToLoadData)       | → loggedOut > logout
      loggedOut | → loading > fetch | → empty            | → list(5)          | → loggedOut           | → error(failedToLoadData)       | ignore
      error     | → loading > fetch | → empty            | → list(5)          | → loggedOut           | → error(failedToLoadData)       | → loggedOut > logout
      empty     | → loading > fetch | → empty            | → list(5)          | → loggedOut           | → error(failedToLoadData)       | → loggedOut > logout
      list      | → loading > fetch | → empty            | → list(5)          | → loggedOut           | → error(failedToLoadData)       | → loggedOut > logout
      """
    ).check()
  }

  @Test("before the login there is no button to log out, and noAuth is an error like others")
  func firstVersion() {
    let bench = Bench(NaiveCheckins.kind, ["login": .flag(false)])
    expect(bench.send("logoutPressed"), hasPrefix: "refused idle event=logoutPressed : there is no login yet")
    expectEqual(bench.send("downloadCheckins"), "moved idle loading event=downloadCheckins > fetch")
    expectEqual(bench.send("downloadCheckins"), "ignored loading event=downloadCheckins")
    expectEqual(
      bench.send("loadingFailed", .text("noAuth")), "moved loading error(failedToLoadData) event=loadingFailed")
  }

  @Test("a list appears after a logout during the download; with the second guard, the logout is lost")
  func hole() {
    let bench = Bench(NaiveCheckins.kind)
    bench.send("downloadCheckins")
    bench.send("logoutPressed")
    expectEqual(bench.state(), "loggedOut")
    bench.send("loadingFinished", .integer(5))
    expectEqual(bench.state(), "list(5)")
    let guarded = Bench(NaiveCheckins.kind, initial: "loading", ["guardLoading": .flag(true)])
    expectEqual(guarded.send("logoutPressed"), "ignored loading event=logoutPressed")
  }

  @Test("wired to the services of the machine: logged out at 1 s, and the list is there at 3 s")
  func wired() {
    let app = Composition(
      "naiveApp", "the view controller with its services",
      members: ["screen": NaiveCheckins.kind, "service": CheckinsService.kind, "auth": Auth.kind],
      wires: [
        "screen.fetch": "service.fetch", "screen.logout": "auth.logout", "service.received": "screen.loadingFinished",
        "service.failed": "screen.loadingFailed", "auth.currentUser": "service.currentUser",
        "auth.loggedIn": "screen.downloadCheckins",
      ])
    let bench = Bench()
    bench.add(app, "n", ["auth": ["loginLatency": .interval(.zero)]])
    bench.send("downloadCheckins", to: "n.screen")
    expectEqual(bench.state("n.screen"), "loggedOut")
    bench.send("login", .text("A"), .text("ok"), to: "n.auth")
    bench.advance(to: .seconds(1))
    bench.send("logoutPressed", to: "n.screen")
    expectEqual(bench.state("n.screen"), "loggedOut")
    expectEqual(bench.state("n.auth"), "anonymous")
    bench.advance(to: .seconds(3))
    expectEqual(bench.state("n.screen"), "list(5)")
  }

  /// An input from a person or the service, with the event that brings it to the machine and to the view controller.
  private enum Deed: CaseIterable {
    case refresh, logout, empty, list, noAuth, failure

    var isAnswer: Bool { self != .refresh && self != .logout }

    var words: (machine: String, naive: String, data: [Value]) {
      switch self {
      case .refresh: ("startLoading", "downloadCheckins", [])
      case .logout: ("logout", "logoutPressed", [])
      case .empty: ("loadingFinished", "loadingFinished", [.integer(0)])
      case .list: ("loadingFinished", "loadingFinished", [.integer(5)])
      case .noAuth: ("loadingFailed", "loadingFailed", [.text("noAuth")])
      case .failure: ("loadingFailed", "loadingFailed", [.text("failedToLoadData")])
      }
    }
  }

  /// The first step after which the two differ: its deed, and the machine's state before it.
  private struct Parting: Hashable {
    let deed: Deed
    let state: String
  }

  /// Finds the partings in all sequences of up to `length` deeds, in which an answer comes only to a running request.
  private func partings(_ mode: String, length: Int) -> Set<Parting> {
    var found: Set<Parting> = []
    func walk(_ deeds: [Deed], running: Bool) {
      let machine = Bench(CheckinsWithLogin.kind, ["mode": .text(mode)])
      let naive = Bench(NaiveCheckins.kind)
      var before = machine.state()
      for deed in deeds {
        before = machine.word()
        machine.send(deed.words.machine, deed.words.data)
        naive.send(deed.words.naive, deed.words.data)
      }
      if let last = deeds.last, machine.state() != naive.state() {
        found.insert(Parting(deed: last, state: before))
        return
      }
      guard deeds.count < length else { return }
      for deed in Deed.allCases where running || !deed.isAnswer {
        walk(deeds + [deed], running: deed == .refresh || running && !deed.isAnswer)
      }
    }
    walk([], running: false)
    return found
  }

  @Test("the two agree until there is a logout while loading, or before anything was shown")
  func agreement() {
    expectEqual(
      partings("faithful", length: 5),
      [
        Parting(deed: .logout, state: "loading"), Parting(deed: .logout, state: "idle"),
      ])
  }

  @Test("hardened, the machine drops the answer that comes after that logout, and the view controller shows it")
  func agreementWithHardened() {
    expectEqual(
      partings("hardened", length: 5),
      [
        Parting(deed: .logout, state: "idle"), Parting(deed: .list, state: "loggedOut"),
        Parting(deed: .empty, state: "loggedOut"), Parting(deed: .failure, state: "loggedOut"),
      ])
  }
}
