import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct PaginationTests {
  /// Carries out steps (`load`, `next`, `refresh`, or seconds to wait) on a machine with a service.
  private static func bench(_ parameters: [String: Value] = [:], after steps: String = "") -> Bench {
    let bench = Bench(Pagination.kind, parameters)
    for step in steps.split(separator: " ") {
      switch step {
      case "load": bench.send("load", .flag(false))
      case "next": bench.send("load", .flag(true))
      case "refresh": bench.send("refresh")
      case "fail": bench.send("itemsLoadingDidFail", .text("e"))
      default: bench.advance(.seconds(Int64(step)!))
      }
    }
    return bench
  }

  private static let rows: [String: @Sendable () -> Bench] = [
    "last page": { bench(["items": .integer(20)], after: "load 1") },
    "refreshing": { bench(after: "load 1 refresh") },
    "nextPageLoading": { bench(after: "load 1 next") },
    "nextPageLoadingError": { bench(after: "load 1 next fail") },
  ]

  @Test("all pairs")
  func pairs() {
    Table(
      Pagination.kind, in: "../../Sources/Simulations/Screens/Pagination.swift",
      rows: Self.rows
    ).check()
  }

  @Test("a server's report is a refresh of the bootstrapper, if it has subscribed and no page is on its way")
  func outside() {
    let bench = Self.bench(["outside": .flag(true)], after: "load 1")
    expectEqual(bench.send("changedOnServer"), "moved content(20) content.refreshing event=changedOnServer")
    expectEqual(bench.send("changedOnServer"), "stayed content.refreshing event=changedOnServer")
    bench.advance(.seconds(1))
    expect(bench.state() == "content(20)" && bench.nextDue == nil)
  }

  @Test("strict: after a next page that failed only a refresh is taken")
  func strict() {
    let bench = Self.bench(["strict": .flag(true)], after: "load 1 next fail")
    expectEqual(bench.state(), "content.nextPageLoadingError")
    expectEqual(bench.reading("loadingError"), .text("e"))
    expect(bench.send("load", .flag(true)), hasPrefix: "refused")
    expect(bench.send("load", .flag(false)), hasPrefix: "refused")
    expect(bench.send("refresh"), hasPrefix: "moved")
    bench.advance(.seconds(1))
    expectEqual(bench.state(), "content(20)")
  }

  @Test("45 items in pages of 20, and a refresh")
  func pages() {
    let bench = Bench(Pagination.kind)
    func at(_ seconds: Double, _ event: String? = nil, _ argument: Bool? = nil) -> String {
      bench.advance(to: .milliseconds(Int64(seconds * 1000)))
      if let event { bench.send(event, argument.map { [.flag($0)] } ?? []) }
      return bench.state()
    }
    func next() -> Value? { bench.reading("nextPageIndex") }
    expectEqual(at(0, "load", false), "loading")
    expectEqual(at(0.999), "loading")
    expect(at(1) == "content(20)" && next() == .integer(1))
    expectEqual(at(2, "load", true), "content.nextPageLoading")
    expectEqual(at(2.2, "load", true), "content.nextPageLoading")
    expect(bench.lines.last, contains: "refused")
    expect(at(3) == "content(40)" && next() == .integer(2))
    expectEqual(at(4, "load", true), "content.nextPageLoading")
    expect(at(5) == "content(45)" && next() == nil)
    expectEqual(at(6, "load", true), "content(45)")
    expect(bench.lines.last, hasSuffix: "event=load : the last page is loaded already")
    expectEqual(at(7, "refresh"), "content.refreshing")
    expectEqual(at(7.5, "load", true), "content.refreshing")
    expect(bench.lines.last, contains: "refused")
    expect(at(8) == "content(20)" && next() == .integer(1))
    expectNil(bench.nextDue)
  }

  @Test("an error of the first page forbids to load it again; a refresh recovers")
  func firstPageFails() {
    let bench = Bench(Pagination.kind, ["failures": .integer(1)])
    bench.send("load", .flag(false))
    expectEqual(bench.timers(), ["itemsLoadingDidFail": .seconds(1)])
    bench.advance(.seconds(2))
    expectEqual(bench.state(), "error(offline)")
    expectEqual(
      bench.send("load", .flag(false)), "refused error(offline) event=load : loading has failed (offline); send refresh"
    )
    bench.advance(.seconds(1))
    bench.send("refresh")
    expectEqual(bench.state(), "loading")
    bench.advance(.seconds(1))
    expectEqual(bench.state(), "content(20)")
  }

  @Test("a refresh that fails loses the items, unless they are kept and a toast says so")
  func refreshFails() {
    let lost = Self.bench(after: "load 1 refresh")
    expectEqual(
      lost.send("itemsLoadingDidFail", .text("e")), "moved content.refreshing error(e) event=itemsLoadingDidFail")
    let kept = Self.bench(["keepOnRefreshError": .flag(true)], after: "load 1 refresh")
    expectEqual(
      kept.send("itemsLoadingDidFail", .text("e")),
      "moved content.refreshing content(20) event=itemsLoadingDidFail > toast e")
    let first = Self.bench(["keepOnRefreshError": .flag(true)], after: "load")
    expectEqual(first.send("itemsLoadingDidFail", .text("e")), "moved loading error(e) event=itemsLoadingDidFail")
  }

  @Test("what is derived from the state")
  func readings() {
    func readings(_ bench: Bench) -> [Value?] {
      ["isProcessing", "canLoadNextPage", "loadingError", "pageError", "elements"].map { bench.reading($0) }
    }
    expectEqual(readings(Self.bench()), [.flag(false), .flag(false), nil, nil, nil])
    expectEqual(readings(Self.bench(after: "load")), [.flag(true), .flag(false), nil, nil, nil])
    expectEqual(readings(Self.bench(after: "load 1")), [.flag(false), .flag(true), nil, nil, .integer(20)])
    expectEqual(readings(Self.bench(after: "load 1 next")), [.flag(true), .flag(true), nil, nil, .integer(20)])
    expectEqual(readings(Self.bench(after: "load 1 refresh")), [.flag(true), .flag(true), nil, nil, .integer(20)])
    expectEqual(
      readings(Self.bench(after: "load 1 next fail")), [.flag(false), .flag(true), nil, .text("e"), .integer(20)])
    expectEqual(readings(Self.bench(after: "load fail")), [.flag(false), .flag(false), .text("e"), nil, nil])
  }

  @Test("answers by hand: a full page has a next one, a shorter one is the last")
  func manual() {
    let bench = Bench(Pagination.kind, ["service": .text("manual")])
    bench.send("load", .flag(false))
    expectNil(bench.nextDue)
    expectEqual(bench.send("itemsDidLoad", .integer(20)), "moved loading content(20) event=itemsDidLoad")
    bench.send("load", .flag(true))
    bench.send("itemsLoadingDidFail", .text("e"))
    bench.send("load", .flag(true))
    bench.send("itemsDidLoad", .integer(3))
    expectEqual(bench.state(), "content(23)")
    expectEqual(bench.reading("canLoadNextPage"), .flag(false))
    expectEqual(bench.send("itemsDidLoad", .integer(3)), "ignored content(23) event=itemsDidLoad")
    expectEqual(bench.send("itemsLoadingDidFail", .text("e")), "ignored content(23) event=itemsLoadingDidFail")
    bench.send("refresh")
    bench.send("itemsDidLoad", .integer(0))
    expectEqual(bench.state(), "content(0)")
  }

  @Test("an answer by hand comes instead of the service's")
  func early() {
    let bench = Self.bench(after: "load")
    bench.send("itemsDidLoad", .integer(7))
    expectEqual(bench.state(), "content(7)")
    expectNil(bench.nextDue)
  }

  @Test("an empty list, and one that ends with a full page")
  func ends() {
    expectEqual(Self.bench(["items": .integer(0)], after: "load 1").state(), "content(0)")
    expectEqual(Self.bench(["items": .integer(0)], after: "load 1").reading("canLoadNextPage"), .flag(false))
    let full = Self.bench(["items": .integer(40)], after: "load 1 next 1")
    expectEqual(full.state(), "content(40)")
    expectEqual(full.reading("canLoadNextPage"), .flag(false))
  }

  @Test("chance decides with failureRate")
  func chance() {
    expectEqual(Self.bench(["failureRate": .number(1)], after: "load 1").state(), "error(offline)")
    expectEqual(Self.bench(["failureRate": .number(0)], after: "load 1").state(), "content(20)")
  }

  @Test("made in a later state")
  func initial() {
    expectEqual(Bench(Pagination.kind, initial: "content").state(), "content(20)")
    expectEqual(Bench(Pagination.kind, initial: "error").state(), "error(offline)")
    let loading = Bench(Pagination.kind, initial: "loading")
    loading.advance(.seconds(1))
    expectEqual(loading.state(), "content(20)")
    for (state, next) in [
      ("content.refreshing", "content(20)"), ("content.nextPageLoading", "content(40)"),
      ("content.nextPageLoadingError", "content.nextPageLoadingError"),
    ] {
      let bench = Bench(Pagination.kind, initial: state)
      expectEqual(bench.state(), state)
      bench.advance(.seconds(1))
      expectEqual(bench.state(), next)
    }
  }

  @Test("an element is selected while a page is on its way, and the page comes as it was decided")
  func selection() {
    let bench = Self.bench(["failures": .integer(2)], after: "refresh 1 refresh")
    expectEqual(bench.send("select", .integer(1)), "refused loading event=select : no element 1 is shown")
    bench.advance(.seconds(1))
    expectEqual(bench.state(), "error(offline)")
    bench.send("refresh")
    bench.advance(.seconds(1))
    expectEqual(bench.send("select", .integer(21)), "refused content(20) event=select : no element 21 is shown")
    let failing = Self.bench(["failures": .integer(1), "keepOnRefreshError": .flag(true)])
    failing.add(Pagination.kind, "n", initial: "content.refreshing", ["failures": .integer(1)])
    failing.send("select", .integer(2), to: "n")
    failing.advance(.seconds(1))
    expectEqual(failing.state("n"), "error(offline)")
  }

  @Test("a résumé that is selected in the list is opened, and its screen shown")
  func resumeApp() {
    let bench = Bench()
    bench.add(.resumeApp, "a")
    bench.send("start", to: "a.coordinator")
    bench.advance(.seconds(1))
    bench.send("select", .integer(7), to: "a.list")
    expectEqual(bench.state("a.resume"), "loading(7)")
    bench.advance(.seconds(1))
    expectEqual(bench.state("a.coordinator"), "Detail(7)")
    expectEqual(bench.state("a.list"), "content(20)")
  }
}
