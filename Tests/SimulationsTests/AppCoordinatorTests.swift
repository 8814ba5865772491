import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct AppCoordinatorTests {
  private static func app(_ state: String, _ events: (String, [Value])...) -> @Sendable () -> Bench {
    {
      let bench = Bench(AppCoordinator.kind, initial: state)
      for (event, arguments) in events { bench.send(event, arguments) }
      return bench
    }
  }

  @Test("all pairs")
  func pairs() {
    Table(
      AppCoordinator.kind,
      rows: [
        "loggedOut, pushed": Self.app("loggedOut", ("push", [.text("p")])),
        "main, pushed": Self.app("main", ("push", [.text("p")])),
        "modal, pushed": Self.app("modal", ("push", [.text("p")])),
        "locked modal": Self.app("modal", ("lock", [])),
        "locked, link": Self.app("locked", ("deepLink", [.text("/a")])),
        "locked modal, link": Self.app("modal", ("lock", []), ("deepLink", [.text("/a")])),
      ],
      """
      state              | launched(true,true)                | launched(false,true)   | launched(false,false)        | onboardingDone               | loggedIn               | loggedOut                                                   | push(x)      | pop            | present(x)              | dismiss                    | deepLink(/x)                                          | lock               | unlock
      launching          | → onboarding > showRoot onboarding | → main > showRoot home | → loggedOut > showRoot login | refuse                       | refuse                 | refuse                                                      | refuse       | refuse         | refuse                  | refuse                     | ⟲                                                     | ignore             | ignore
      onboarding         | ignore                             | ignore                 | ignore                       | → loggedOut > showRoot login | refuse                 | refuse                                                      | refuse       | refuse         | refuse                  | refuse                     | ⟲                                                     | ignore             | ignore
      loggedOut          | ignore                             | ignore                 | ignore                       | ignore                       | → main > showRoot home | ignore                                                      | ⟲ > pushed x | ignore         | refuse                  | refuse                     | ⟲                                                     | ignore             | ignore
      loggedOut, pushed  | ignore                             | ignore                 | ignore                       | ignore                       | → main > showRoot home | ignore                                                      | ⟲ > pushed x | ⟲ > popped p   | refuse                  | refuse                     | ⟲                                                     | ignore             | ignore
      main               | ignore                             | ignore                 | ignore                       | ignore                       | ignore                 | → loggedOut > showRoot login                                | ⟲ > pushed x | ignore         | → modal > presented x   | ignore                     | ⟲ > showRoot home > pushed x                          | → locked > covered | ignore
      main, pushed       | ignore                             | ignore                 | ignore                       | ignore                       | ignore                 | → loggedOut > showRoot login                                | ⟲ > pushed x | ⟲ > popped p   | → modal > presented x   | ignore                     | ⟲ > showRoot home > pushed x                          | → locked > covered | ignore
      modal              | ignore                             | ignore                 | ignore                       | ignore                       | ignore                 | → loggedOut > dismissed modal > showRoot login              | ⟲ > pushed x | ignore         | refuse                  | → main > dismissed modal   | → main > dismissed modal > showRoot home > pushed x   | → locked > covered | ignore
      modal, pushed      | ignore                             | ignore                 | ignore                       | ignore                       | ignore                 | → loggedOut > dismissed modal > showRoot login              | ⟲ > pushed x | ⟲ > popped p   | refuse                  | → main > dismissed modal   | → main > dismissed modal > showRoot home > pushed x   | → locked > covered | ignore
      locked             | ignore                             | ignore                 | ignore                       | ignore                       | ignore                 | → loggedOut > uncovered > showRoot login                    | refuse       | refuse         | refuse                  | refuse                     | ⟲                                                     | ignore             | → main > uncovered
      locked modal       | ignore                             | ignore                 | ignore                       | ignore                       | ignore                 | → loggedOut > uncovered > dismissed modal > showRoot login  | refuse       | refuse         | refuse                  | refuse                     | ⟲                                                     | ignore             | → modal > uncovered
      locked, link       | ignore                             | ignore                 | ignore                       | ignore                       | ignore                 | → loggedOut > uncovered > showRoot login                    | refuse       | refuse         | refuse                  | refuse                     | ⟲                                                     | ignore             | → main > uncovered > showRoot home > pushed a
      locked modal, link | ignore                             | ignore                 | ignore                       | ignore                       | ignore                 | → loggedOut > uncovered > dismissed modal > showRoot login  | refuse       | refuse         | refuse                  | refuse                     | ⟲                                                     | ignore             | → main > uncovered > dismissed modal > showRoot home > pushed a
      """
    ).check()
  }

  private func launch(_ bench: Bench, firstRun: Bool = false, session: Bool = false) {
    bench.send("launched", .flag(firstRun), .flag(session))
  }

  @Test("a link that comes before the login is shown after it")
  func trace() {
    let bench = Bench(AppCoordinator.kind)
    launch(bench)
    bench.advance(.seconds(1))
    bench.send("deepLink", .text("/resume/7"))
    expectEqual(bench.reading("link"), .text("/resume/7"))
    bench.advance(.seconds(1))
    bench.send("loggedIn")
    expectEqual(bench.reading("stack"), .text("home, resume 7"))
    expectEqual(bench.reading("tab"), .text("home"))
    expectNil(bench.reading("link"))
    bench.advance(.seconds(1))
    bench.send("present", .text("filter"))
    expectEqual(bench.reading("stack"), .text("filter"))
    expectEqual(bench.reading("parent"), .text("home, resume 7"))
    bench.advance(.seconds(1))
    bench.send("loggedOut")
    bench.advance(.seconds(1))
    bench.send("pop")
    expectEqual(bench.reading("stack"), .text("login"))
    expect(bench.reading("parent") == nil && bench.reading("tab") == nil)
    expectEqual(
      bench.lines,
      [
        "0.000 m created launching",
        "0.000 m moved launching loggedOut event=launched > showRoot login",
        "1.000 m stayed loggedOut event=deepLink",
        "2.000 m moved loggedOut main event=loggedIn > showRoot home > pushed resume 7",
        "3.000 m moved main modal event=present > presented filter",
        "4.000 m moved modal loggedOut event=loggedOut > dismissed filter > showRoot login",
        "5.000 m ignored loggedOut event=pop",
      ])
  }

  @Test("a link is remembered through launch and onboarding, and the last one counts")
  func remembered() {
    let bench = Bench(AppCoordinator.kind)
    bench.send("deepLink", .text("/a"))
    launch(bench, firstRun: true)
    expectEqual(bench.reading("link"), .text("/a"))
    bench.send("deepLink", .text("/b"))
    bench.send("onboardingDone")
    expectEqual(bench.reading("link"), .text("/b"))
    bench.send("loggedIn")
    expectEqual(bench.reading("stack"), .text("home, b"))

    let session = Bench(AppCoordinator.kind)
    session.send("deepLink", .text("/a"))
    launch(session, session: true)
    expectEqual(session.reading("stack"), .text("home, a"))
  }

  @Test("a link clears the stack; one without parts is the home screen", arguments: ["/", "//"])
  func root(path: String) {
    let bench = Self.app("main", ("push", [.text("a")]), ("push", [.text("b")]))()
    expectEqual(bench.reading("stack"), .text("home, a, b"))
    bench.send("deepLink", .text("/x/y/z"))
    expectEqual(bench.reading("stack"), .text("home, x y z"))
    bench.send("deepLink", .text(path))
    expectEqual(bench.reading("stack"), .text("home"))
  }

  @Test("a logout forgets stacks, and the login flow begins at its root")
  func cleared() {
    let bench = Self.app("loggedOut", ("push", [.text("password")]), ("loggedIn", []), ("push", [.text("a")]))()
    expectEqual(bench.reading("stack"), .text("home, a"))
    bench.send("loggedOut")
    expectEqual(bench.reading("stack"), .text("login"))
    bench.send("loggedIn")
    expectEqual(bench.reading("stack"), .text("home"))
  }

  @Test("what a modal screen covers is there again when it is gone, and a lock hides both alike")
  func covered() {
    let bench = Self.app(
      "main", ("push", [.text("a")]), ("present", [.text("m")]), ("push", [.text("n")]), ("lock", []))()
    expect(bench.reading("stack") == .text("m, n") && bench.reading("parent") == .text("home, a"))
    bench.send("unlock")
    expect(bench.state() == "modal" && bench.reading("stack") == .text("m, n"))
    bench.send("dismiss")
    expectEqual(bench.reading("stack"), .text("home, a"))
  }

  @Test("a link that came before a session ended while the app was locked waits for the next one")
  func linkThroughLock() {
    let bench = Self.app("main", ("lock", []), ("deepLink", [.text("/a")]), ("loggedOut", []))()
    expectEqual(bench.reading("link"), .text("/a"))
    bench.send("loggedIn")
    expectEqual(bench.reading("stack"), .text("home, a"))
  }

  @Test("64 screens lie on one another, and not one more", arguments: ["loggedOut", "main", "modal"])
  func limit(state: String) {
    let bench = Bench(AppCoordinator.kind, initial: state)
    for count in 2...64 {
      expectEqual(bench.send("push", .text("s\(count)")), "stayed \(state) event=push > pushed s\(count)")
    }
    expectEqual(bench.send("push", .text("more")), "refused \(state) event=push : 64 screens are on the stack already")
    bench.send("pop")
    expect(bench.send("push", .text("again")), hasPrefix: "stayed")
  }
}
