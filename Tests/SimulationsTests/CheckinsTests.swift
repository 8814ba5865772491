import Simulations
import StateMachines
import Testing

struct CheckinsTests {
  @Test("all pairs without a login, the list empty and not")
  func pairs() {
    Table(
      Checkins.kind,
      """
      state   | startLoading | loadingFinished(0) | loadingFinished(5) | loadingFailed(failedToLoadData)
      idle    | → loading    | ignore             | ignore             | ignore
      loading | ignore       | → empty            | → list(5)          | → error(failedToLoadData)
      error   | → loading    | ignore             | ignore             | ignore
      empty   | → loading    | ignore             | ignore             | ignore
      list    | → loading    | ignore             | ignore             | ignore
      """
    ).check()
  }

  @Test("all pairs with a login, faithful")
  func pairsWithLogin() {
    Table(
      CheckinsWithLogin.kind,
      """
      state     | startLoading | loadingFinished(0) | loadingFinished(5) | loadingFailed(noAuth) | loadingFailed(failedToLoadData) | logout
      idle      | → loading    | ignore             | ignore             | ignore                | ignore                          | ignore
      loading   | ignore       | → empty            | → list(5)          | → loggedOut           | → error(failedToLoadData)       | ignore
      loggedOut | → loading    | ignore             | ignore             | ignore                | ignore                          | ignore
      error     | → loading    | ignore             | ignore             | ignore                | ignore                          | → loggedOut
      empty     | → loading    | ignore             | ignore             | ignore                | ignore                          | → loggedOut
      list      | → loading    | ignore             | ignore             | ignore                | ignore                          | → loggedOut
      """
    ).check()
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

  /// Every state with every event, once per class of its data, as the kind itself tells of them.
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
    #expect(verdicts(CheckinsWithLogin.kind) == ["moved": 12, "ignored": 24])
    #expect(verdicts(Checkins.kind) == ["moved": 7, "ignored": 13])
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
      #expect(Bench(kind, initial: state).reading("view") == .text(view), "\(kind.name)")
    }
    let bench = Bench(CheckinsWithLogin.kind, initial: state)
    #expect(bench.reading("logoutButton") == .flag(logoutButton))
  }

  @Test("before the first load nothing is shown, and one may log out already")
  func nothing() {
    #expect(Bench(Checkins.kind).reading("view") == nil)
    let bench = Bench(CheckinsWithLogin.kind)
    #expect(bench.reading("view") == nil)
    #expect(bench.reading("logoutButton") == .flag(true))
  }
}

/// The list of check-ins with login as rows of a test: where from, what, where to, and the line that says so.
struct CheckinRowTests {
  private struct Row {
    let from: String
    let event: String
    let data: Value?
    let to: String
    let location: SourceLocation

    init(
      _ from: String, _ event: String, _ data: Value? = nil, _ to: String,
      at location: SourceLocation = #_sourceLocation
    ) {
      self.from = from
      self.event = event
      self.data = data
      self.to = to
      self.location = location
    }

    func check() {
      let bench = Bench(CheckinsWithLogin.kind, initial: from)
      bench.send(event, data.map { [$0] } ?? [])
      #expect(bench.state() == to, "\(from), \(event)", sourceLocation: location)
    }
  }

  private static let error = "error(failedToLoadData)"

  private static let rows = [
    Row("idle", "startLoading", "loading"),
    Row("idle", "loadingFinished", .integer(0), "idle"),
    Row("idle", "loadingFinished", .integer(5), "idle"),
    Row("idle", "loadingFailed", .text("noAuth"), "idle"),
    Row("idle", "loadingFailed", .text("failedToLoadData"), "idle"),
    Row("idle", "logout", "idle"),
    Row("loading", "startLoading", "loading"),
    Row("loading", "loadingFinished", .integer(0), "empty"),
    Row("loading", "loadingFinished", .integer(5), "list(5)"),
    Row("loading", "loadingFailed", .text("noAuth"), "loggedOut"),
    Row("loading", "loadingFailed", .text("failedToLoadData"), error),
    Row("loading", "logout", "loading"),
    Row("loggedOut", "startLoading", "loading"),
    Row("loggedOut", "loadingFinished", .integer(0), "loggedOut"),
    Row("loggedOut", "loadingFinished", .integer(5), "loggedOut"),
    Row("loggedOut", "loadingFailed", .text("noAuth"), "loggedOut"),
    Row("loggedOut", "loadingFailed", .text("failedToLoadData"), "loggedOut"),
    Row("loggedOut", "logout", "loggedOut"),
    Row("error", "startLoading", "loading"),
    Row("error", "loadingFinished", .integer(0), error),
    Row("error", "loadingFinished", .integer(5), error),
    Row("error", "loadingFailed", .text("noAuth"), error),
    Row("error", "loadingFailed", .text("failedToLoadData"), error),
    Row("error", "logout", "loggedOut"),
    Row("empty", "startLoading", "loading"),
    Row("empty", "loadingFinished", .integer(0), "empty"),
    Row("empty", "loadingFinished", .integer(5), "empty"),
    Row("empty", "loadingFailed", .text("noAuth"), "empty"),
    Row("empty", "loadingFailed", .text("failedToLoadData"), "empty"),
    Row("empty", "logout", "loggedOut"),
    Row("list", "startLoading", "loading"),
    Row("list", "loadingFinished", .integer(0), "list(5)"),
    Row("list", "loadingFinished", .integer(5), "list(5)"),
    Row("list", "loadingFailed", .text("noAuth"), "list(5)"),
    Row("list", "loadingFailed", .text("failedToLoadData"), "list(5)"),
    Row("list", "logout", "loggedOut"),
  ]

  @Test("each class of pairs has its row, once, and the machine does what the row says")
  func rows() {
    #expect(Self.rows.count == 36)
    #expect(Set(Self.rows.map { "\($0.from) \($0.event) \($0.data?.printed ?? "")" }).count == 36)
    for row in Self.rows { row.check() }
  }

  @Test("a row that is wrong fails at its own line")
  func wrongRow() {
    let rows = [
      Row("list", "logout", "loggedOut"),
      Row("list", "startLoading", "empty"),  // On purpose: it loads.
      Row("idle", "startLoading", "loading"),
    ]
    withKnownIssue {
      for row in rows { row.check() }
    } matching: { issue in
      issue.sourceLocation == rows[1].location && rows[1].location.line == rows[0].location.line + 1
    }
  }
}
