import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

/// The list of check-ins with login as a test's rows: a state, an event, the next state, and the row's source line.
struct CheckinRowTests {
  private struct Row {
    let from: String
    let event: String
    let data: Value?
    let to: String
    let location: SourceLocation

    init(
      _ from: String, _ event: String, _ data: Value? = nil, to: String,
      at location: SourceLocation = #_sourceLocation
    ) {
      self.from = from
      self.event = event
      self.data = data
      self.to = to
      self.location = location
    }

    /// The machine's deviation from the row, and the row's own line; `nil` if they agree.
    var mismatch: (text: String, location: SourceLocation)? {
      let bench = Bench(CheckinsWithLogin.kind, initial: from)
      bench.send(event, data.map { [$0] } ?? [])
      return bench.state() == to ? nil : ("\(from), \(event): \(bench.state()), not \(to)", location)
    }

    func check() {
      if let mismatch { Issue.record("\(mismatch.text)", sourceLocation: mismatch.location) }
    }
  }

  private static let error = "error(failedToLoadData)"

  private static let expectations = [
    Row("idle", "startLoading", to: "loading"),
    Row("idle", "loadingFinished", .integer(0), to: "idle"),
    Row("idle", "loadingFinished", .integer(5), to: "idle"),
    Row("idle", "loadingFailed", .text("noAuth"), to: "idle"),
    Row("idle", "loadingFailed", .text("failedToLoadData"), to: "idle"),
    Row("idle", "logout", to: "idle"),
    Row("loading", "startLoading", to: "loading"),
    Row("loading", "loadingFinished", .integer(0), to: "empty"),
    Row("loading", "loadingFinished", .integer(5), to: "list(5)"),
    Row("loading", "loadingFailed", .text("noAuth"), to: "loggedOut"),
    Row("loading", "loadingFailed", .text("failedToLoadData"), to: error),
    Row("loading", "logout", to: "loading"),
    Row("loggedOut", "startLoading", to: "loading"),
    Row("loggedOut", "loadingFinished", .integer(0), to: "loggedOut"),
    Row("loggedOut", "loadingFinished", .integer(5), to: "loggedOut"),
    Row("loggedOut", "loadingFailed", .text("noAuth"), to: "loggedOut"),
    Row("loggedOut", "loadingFailed", .text("failedToLoadData"), to: "loggedOut"),
    Row("loggedOut", "logout", to: "loggedOut"),
    Row("error", "startLoading", to: "loading"),
    Row("error", "loadingFinished", .integer(0), to: error),
    Row("error", "loadingFinished", .integer(5), to: error),
    Row("error", "loadingFailed", .text("noAuth"), to: error),
    Row("error", "loadingFailed", .text("failedToLoadData"), to: error),
    Row("error", "logout", to: "loggedOut"),
    Row("empty", "startLoading", to: "loading"),
    Row("empty", "loadingFinished", .integer(0), to: "empty"),
    Row("empty", "loadingFinished", .integer(5), to: "empty"),
    Row("empty", "loadingFailed", .text("noAuth"), to: "empty"),
    Row("empty", "loadingFailed", .text("failedToLoadData"), to: "empty"),
    Row("empty", "logout", to: "loggedOut"),
    Row("list", "startLoading", to: "loading"),
    Row("list", "loadingFinished", .integer(0), to: "list(5)"),
    Row("list", "loadingFinished", .integer(5), to: "list(5)"),
    Row("list", "loadingFailed", .text("noAuth"), to: "list(5)"),
    Row("list", "loadingFailed", .text("failedToLoadData"), to: "list(5)"),
    Row("list", "logout", to: "loggedOut"),
  ]

  @Test("each class of pairs has its row, once, and the machine does what the row says")
  func rows() {
    expectEqual(Self.expectations.count, 36)
    expectEqual(Set(Self.expectations.map { "\($0.from) \($0.event) \($0.data?.printed ?? "")" }).count, 36)
    for row in Self.expectations { row.check() }
  }

  @Test("a row that is wrong fails at its own line")
  func wrongRow() {
    let rows = [
      Row("list", "logout", to: "loggedOut"),
      Row("list", "startLoading", to: "empty"),  // Wrong on purpose: it loads.
      Row("idle", "startLoading", to: "loading"),
    ]
    let mismatches = rows.compactMap(\.mismatch)
    expectEqual(mismatches.map(\.text), ["list, startLoading: loading, not empty"])
    expectEqual(mismatches.map(\.location.line), [rows[0].location.line + 1])
  }
}
