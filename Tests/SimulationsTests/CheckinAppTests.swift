import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct CheckinInteractorTests {
  @Test("all pairs")
  func pairs() {
    Table(CheckinInteractor.kind, in: "../../Sources/Simulations/Services/CheckinInteractor.swift").check()
  }

  @Test("an answer to nobody is counted")
  func late() {
    let bench = Bench(CheckinInteractor.kind)
    bench.send("received", .integer(5))
    bench.send("failed", .text("noAuth"))
    expectEqual(bench.reading("late"), .integer(2))
  }
}

/// The app as a whole, with a screen `p.screen`, its interactor and its services.
struct CheckinAppTests {
  private func app(
    _ parameters: [String: [String: Value]] = ["auth": ["loginLatency": .interval(.zero)]]
  ) -> Bench {
    let bench = Bench()
    bench.add(.checkinApp, "p", parameters)
    return bench
  }

  private func login(_ user: String, _ bench: Bench) {
    bench.send("login", .text(user), .text("ok"), to: "p.auth")
  }

  private func refresh(_ bench: Bench) { bench.send("refresh", to: "p.interactor") }

  private func logout(_ bench: Bench) { bench.send("logout", to: "p.interactor") }

  /// The words of the screen in the order of its changes, with their moments.
  private func screen(_ bench: Bench) -> [String] {
    bench.lines.compactMap { line in
      let words = line.split(separator: " ")
      return words[1] == "p.screen" && words[2] == "moved" ? "\(words[0]) \(words[4])" : nil
    }
  }

  @Test("deferred login: the list is refused, a login brings it, a logout takes it away")
  func deferredLogin() {
    let bench = app()
    refresh(bench)
    bench.advance(to: .seconds(5))
    login("A", bench)
    bench.advance(to: .seconds(8))
    expectEqual(bench.reading("logoutButton", of: "p.screen"), .flag(true))
    bench.advance(to: .seconds(9))
    logout(bench)
    expectEqual(
      screen(bench), ["0.000 loading", "0.000 loggedOut", "5.000 loading", "8.000 list(5)", "9.000 loggedOut"])
    expectEqual(bench.reading("logoutButton", of: "p.screen"), .flag(false))
    expectEqual(bench.state("p.auth"), "anonymous")
    expectNil(bench.nextDue)
  }

  @Test("all that goes over the wires, from a login to the list")
  func traffic() {
    let bench = app()
    login("A", bench)
    bench.advance(to: .seconds(3))
    logout(bench)
    expectEqual(
      bench.lines,
      [
        "0.000 p.screen created idle",
        "0.000 p.service created idle",
        "0.000 p.auth created anonymous",
        "0.000 p.interactor created idle",
        "0.000 p.view created blank",
        "0.000 p.secondView created blank",
        "0.000 p.auth moved anonymous loggingIn(A) event=login",
        "0.000 p.auth moved loggingIn(A) authenticated(A) timer=accepted > currentUser A > loggedIn",
        "0.000 p.service stayed idle wire=p.auth.currentUser",
        "0.000 p.interactor moved idle loading wire=p.auth.loggedIn > startLoading > fetch",
        "0.000 p.screen moved idle loading wire=p.interactor.startLoading > shows spinner",
        "0.000 p.service moved idle fetching(1,A) wire=p.interactor.fetch",
        "0.000 p.view moved blank spinner wire=p.screen.shows > spinner true",
        "0.000 p.secondView moved blank spinner wire=p.screen.shows > spinner true",
        "3.000 p.service moved fetching(1,A) idle timer=received > received 5",
        "3.000 p.interactor moved loading idle wire=p.service.received > loadingFinished 5",
        "3.000 p.screen moved loading list(5) wire=p.interactor.loadingFinished > shows table",
        "3.000 p.view moved spinner table wire=p.screen.shows > spinner false",
        "3.000 p.secondView moved spinner table wire=p.screen.shows > spinner false",
        "3.000 p.interactor stayed idle event=logout > signOut > logout",
        "3.000 p.auth moved authenticated(A) anonymous wire=p.interactor.signOut > currentUser nil",
        "3.000 p.screen moved list(5) loggedOut wire=p.interactor.logout > shows loginPrompt",
        "3.000 p.service stayed idle wire=p.auth.currentUser",
        "3.000 p.view moved table loginPrompt wire=p.screen.shows",
        "3.000 p.secondView moved table loginPrompt wire=p.screen.shows",
      ])
  }

  @Test("faithful, a logout while loading is lost, and the list appears for nobody")
  func logoutWhileLoading() {
    let bench = app()
    login("A", bench)
    bench.advance(to: .seconds(1))
    logout(bench)
    expectEqual(bench.state("p.screen"), "loading")
    expectEqual(bench.state("p.auth"), "anonymous")
    bench.advance(to: .seconds(4))
    refresh(bench)
    expectEqual(screen(bench), ["0.000 loading", "3.000 list(5)", "4.000 loading", "4.000 loggedOut"])
  }

  @Test("the list that appeared for nobody can be logged out of")
  func logoutTwice() {
    let bench = app()
    login("A", bench)
    logout(bench)
    bench.advance(to: .seconds(3))
    logout(bench)
    expectEqual(screen(bench), ["0.000 loading", "3.000 list(5)", "3.000 loggedOut"])
  }

  @Test("hardened, a logout while loading is obeyed, and the request cancelled")
  func hardened() {
    let bench = app(["auth": ["loginLatency": .interval(.zero)], "screen": ["mode": .text("hardened")]])
    login("A", bench)
    bench.advance(to: .seconds(1))
    logout(bench)
    expectEqual(bench.state("p.screen"), "loggedOut")
    expectEqual(bench.state("p.service"), "idle")
    expectEqual(bench.state("p.interactor"), "idle")
    expectNil(bench.nextDue)
    bench.advance(to: .seconds(4))
    refresh(bench)
    expectEqual(screen(bench), ["0.000 loading", "1.000 loggedOut", "4.000 loading", "4.000 loggedOut"])
  }

  @Test(
    "a session that ends during the download: seen by the extended service only", arguments: ["faithful", "extended"])
  func expiry(mode: String) {
    let bench = app([
      "auth": ["loginLatency": .interval(.zero), "sessionTTL": .interval(.seconds(1))],
      "service": ["mode": .text(mode)],
    ])
    login("A", bench)
    bench.advance(to: .seconds(1))
    expectEqual(bench.state("p.auth"), "anonymous")
    expectEqual(bench.state("p.screen"), "loading")
    bench.advance(to: .seconds(3))
    expectEqual(screen(bench), ["0.000 loading", mode == "faithful" ? "3.000 list(5)" : "3.000 loggedOut"])
  }

  @Test(
    "what each user sees", arguments: [("A", "list(5)"), ("B", "empty"), ("C", "error(failedToLoadData)")])
  func users(user: String, state: String) {
    let bench = app([:])
    login(user, bench)
    bench.advance(to: .seconds(4))
    expectEqual(screen(bench), ["1.000 loading", "4.000 \(state)"])
  }

  @Test("a refresh while loading begins anew, although the machine ignores it")
  func refreshTwice() {
    let bench = app()
    login("A", bench)
    bench.advance(to: .seconds(2))
    refresh(bench)
    expect(bench.lines, contains: "2.000 p.screen ignored loading wire=p.interactor.startLoading")
    expectEqual(bench.state("p.service"), "fetching(2,A)")
    bench.advance(to: .seconds(5))
    expectEqual(screen(bench), ["0.000 loading", "5.000 list(5)"])
  }

  @Test("a login that is rejected changes nothing on the screen behind it")
  func rejected() {
    let bench = app([:])
    refresh(bench)
    bench.send("login", .text("A"), .text("bad"), to: "p.auth")
    bench.advance(to: .seconds(1))
    expectEqual(bench.reading("loginScreen", of: "p.auth"), .text("showingError"))
    expectEqual(bench.state("p.screen"), "loggedOut")
  }

  @Test("the members in their order; the screen's machine and the services have no wire between them")
  func wires() {
    let composition = Composition.checkinApp
    expectEqual(composition.members.map(\.name), ["screen", "service", "auth", "interactor", "view", "secondView"])
    expectEqual(
      composition.members.map(\.kind.name),
      [
        "checkinsWithLogin", "checkinsService", "auth", "checkinInteractor", "checkinView", "checkinView",
      ])
    let ends = composition.wires.map { [composition.members[$0.from].name, composition.members[$0.to].name] }
    let services = Set(["service", "auth"])
    let views = Set(["view", "secondView"])
    for end in ends {
      expect(!(end.contains("screen") && !services.isDisjoint(with: end)), "\(end)")
      expect(!(end.contains("service") && !views.isDisjoint(with: end)), "\(end)")
      expect(end.contains("interactor") || end == ["auth", "service"] || !views.isDisjoint(with: end), "\(end)")
    }
    expectEqual(Set(ends.filter { $0.contains("screen") && views.isDisjoint(with: $0) }).count, 2)
  }

  @Test("whoever looks at the screen, and however, sees the same states")
  func views() {
    let views: [@Sendable (Bench) -> Void] = [
      { _ in },
      { _ = $0.reading("view", of: "p.screen") },
      { bench in for name in bench.names { _ = bench.possibleEvents(of: name) } },
    ]
    let seen = views.map { look in
      let bench = app()
      for moment in 0..<20 {
        bench.advance(to: .seconds(Int64(moment)))
        switch moment % 7 {
        case 0: login("A", bench)
        case 1, 4: refresh(bench)
        case 5: logout(bench)
        default: break
        }
        look(bench)
      }
      return screen(bench)
    }
    expect(seen[0].count > 8)
    expectEqual(seen[1], seen[0])
    expectEqual(seen[2], seen[0])
  }

  @Test("two views on one machine show the same, and what is tapped in either counts")
  func twoViews() {
    let bench = app()
    bench.send("viewLoaded", to: "p.view")
    expectEqual(bench.state("p.view"), "loginPrompt")
    expectEqual(bench.state("p.secondView"), "loginPrompt")
    expectEqual(
      bench.send("logoutTapped", to: "p.view"), "refused loginPrompt event=logoutTapped : nobody is logged in")
    bench.send("login", .text("A"), .text("ok"), to: "p.view")
    bench.advance(to: .seconds(3))
    expect(bench.state("p.view") == "table" && bench.state("p.secondView") == "table")
    bench.send("logoutTapped", to: "p.secondView")
    expect(bench.state("p.view") == "loginPrompt" && bench.state("p.auth") == "anonymous")
    for view in ["p.view", "p.secondView"] {
      expectEqual(
        bench.lines.filter { $0.contains(" \(view) moved") },
        [
          "0.000 \(view) moved blank spinner wire=p.screen.shows > spinner true",
          "0.000 \(view) moved spinner loginPrompt wire=p.screen.shows > spinner false",
          "0.000 \(view) moved loginPrompt spinner wire=p.screen.shows > spinner true",
          "3.000 \(view) moved spinner table wire=p.screen.shows > spinner false",
          "3.000 \(view) moved table loginPrompt wire=p.screen.shows",
        ])
    }
  }

  @Test("a screen that nobody looks at does not say what it shows")
  func unobserved() {
    let bench = Bench(CheckinsWithLogin.kind)
    expectEqual(bench.send("startLoading"), "moved idle loading event=startLoading")
  }

  @Test("a refresh does the same with the wires of the logout and without them")
  func withoutLogout() {
    let logoutWires = ["signOut", "logout", "cancel", "loadingCancelled"]
    let whole = Bench()
    whole.add(.checkinApp, "p")
    let part = Bench()
    part.add(.checkinApp, "p")
    expectEqual(part.unwire(logoutWires), 6)
    for bench in [whole, part] {
      refresh(bench)
      login("A", bench)
      bench.advance(to: .seconds(5))
      refresh(bench)
      bench.advance(to: .seconds(10))
    }
    expectEqual(whole.lines, part.lines)
    expectEqual(whole.state("p.screen"), "list(5)")
  }
}
