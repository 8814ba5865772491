@testable import MachineForms
import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct OpenResumeTests {
  private static func open(_ parameters: [String: Value] = [:]) -> Bench {
    let bench = Bench(OpenResume.kind, parameters)
    bench.send("open", .integer(7))
    return bench
  }

  private static func rows(_ order: String) -> [String: @Sendable () -> Bench] {
    let parameters: [String: Value] = ["order": .text(order)]
    return [
      "loading(7)": { open(parameters) },
      "shown(7)": {
        let bench = open(parameters)
        bench.advance(.seconds(1))
        return bench
      },
      "failed(7)": {
        let bench = open(parameters.merging(["failures": .integer(1)]) { $1 })
        bench.advance(.seconds(1))
        return bench
      },
    ]
  }

  @Test("all pairs", arguments: ["recursive", "queued"])
  func pairs(order: String) {
    func outcomes(_ make: () -> Bench) -> [String] {
      [
        ("open", 7), ("open", 8), ("retry", nil), ("close", nil), ("changedOutside", 7), ("changedOutside", 8),
        ("markViewed", 7), ("markViewed", 8),
      ].map { event, id in
        let line = make().send(event, id.map { [.integer($0)] } ?? [])
        let words = line.split(separator: " ")
        let outputs = line.split(separator: " > ").dropFirst().map { " > \($0)" }.joined()
        return words[0] == "moved" ? "→ \(words[2])\(outputs)" : "\(words[0])"
      }
    }
    let rows = Self.rows(order)
    expectEqual(
      outcomes { Bench(OpenResume.kind, ["order": .text(order)]) },
      [
        "→ loading(7)", "→ loading(8)", "ignored", "ignored", "ignored", "ignored", "ignored", "ignored",
      ])
    expectEqual(
      outcomes(rows["loading(7)"]!),
      [
        "ignored", "→ loading(8)", "ignored", "→ closed > closeScreen", "ignored", "ignored", "ignored", "ignored",
      ])
    expectEqual(
      outcomes(rows["shown(7)"]!),
      [
        "ignored", "→ loading(8)", "ignored", "→ closed > closeScreen", "stayed", "ignored", "→ shown(7,viewed)",
        "ignored",
      ])
    expectEqual(
      outcomes(rows["failed(7)"]!),
      [
        "→ loading(7)", "→ loading(8)", "→ loading(7)", "→ closed > closeScreen", "ignored", "ignored", "ignored",
        "ignored",
      ])
  }

  @Test("loaded, marked as viewed, routed to; a new version comes in silence", arguments: ["recursive", "queued"])
  func trace(order: String) {
    let bench = Self.open(["order": .text(order)])
    expectEqual(bench.state(), "loading(7)")
    bench.advance(to: .seconds(2))
    expectEqual(bench.lines.last, "1.000 m moved loading(7) shown(7,viewed) timer=loaded(1) > route 7")
    expectEqual(bench.send("changedOutside", .integer(7)), "stayed shown(7,viewed) event=changedOutside")
    bench.advance(to: .seconds(10))
    expectEqual(bench.lines.last, "3.000 m moved shown(7,viewed) shown(7,viewed) timer=loaded(2)")
    expectNil(bench.nextDue)
  }

  @Test("what is shown is unviewed until the post-processor's action, and the feature emits both")
  func emissions() {
    var listener = Emissions()
    let feature = OpenResumeFeature()
    for order in FeatureOrder.allCases {
      listener.heard = []
      var store = FeatureStore(.closed, of: feature, order: order)
      store.accept(.open(7), by: feature, to: &listener)
      store.deliver(.loaded(.init(id: 7, isViewed: false)), from: 1, by: feature, to: &listener)
      let viewed = order == .recursive ? ["shown(7,viewed)", "route(7)"] : ["route(7)", "shown(7,viewed)"]
      expectEqual(listener.heard, ["loading(7)", "shown(7,unviewed)"] + viewed)
    }
  }

  private struct Emissions: FeatureListener {
    typealias Subject = OpenResumeFeature
    var heard: [String] = []

    mutating func hear(state: OpenResumeFeature.State) { heard.append("\(state.name)(\(state.data ?? ""))") }

    mutating func hear(
      news: OpenResumeFeature.News, from store: inout FeatureStore<OpenResumeFeature>, _ feature: OpenResumeFeature
    ) {
      heard.append("\(news)")
    }
  }

  @Test("another open while one loads: the old result is dropped by its number")
  func superseded() {
    let bench = Self.open()
    bench.advance(.milliseconds(500))
    bench.send("open", .integer(8))
    expectEqual(bench.timers(), ["loaded(1)": .seconds(1), "loaded(2)": .milliseconds(1500)])
    bench.advance(to: .seconds(1))
    expectEqual(bench.lines.last, "1.000 m ignored loading(8) timer=loaded(1)")
    expectEqual(bench.reading("lateDropped"), .integer(1))
    bench.advance(to: .seconds(2))
    expectEqual(bench.lines.last, "1.500 m moved loading(8) shown(8,viewed) timer=loaded(2) > route 8")
  }

  @Test("results come in any order")
  func overtaking() {
    let bench = Self.open()
    bench.send("open", .integer(8))
    expectEqual(bench.fire("loaded(2)"), "moved loading(8) shown(8,viewed) timer=loaded(2) > route 8")
    expectEqual(bench.fire("loaded(1)"), "ignored shown(8,viewed) timer=loaded(1)")
  }

  @Test("closed and opened again: one result is taken, the other dropped, and one route is said")
  func reopened() {
    let bench = Self.open()
    bench.send("close")
    bench.send("open", .integer(7))
    bench.advance(.seconds(2))
    expectEqual(bench.lines.filter { $0.contains("route") }.count, 1)
    expectEqual(bench.reading("lateDropped"), .integer(1))
    expectEqual(bench.reading("loads"), .integer(0))
  }

  @Test("a result after close is dropped")
  func closed() {
    let bench = Self.open()
    bench.send("close")
    bench.advance(.seconds(1))
    expectEqual(bench.lines.last, "1.000 m ignored closed timer=loaded(1)")
  }

  @Test("a failure is a toast; retry goes on with the open")
  func retry() {
    let bench = Self.open(["failures": .integer(1)])
    expectEqual(bench.timers(), ["failed(1)": .seconds(1)])
    bench.advance(.seconds(1))
    expectEqual(bench.lines.last, "1.000 m moved loading(7) failed(7,offline) timer=failed(1) > toast offline")
    expectEqual(bench.send("retry"), "moved failed(7,offline) loading(7) event=retry")
    bench.advance(.seconds(1))
    expectEqual(bench.lines.last, "2.000 m moved loading(7) shown(7,viewed) timer=loaded(2) > route 7")
  }

  @Test("the result of a retry is dropped when another was opened meanwhile")
  func supersededRetry() {
    let bench = Self.open(["failures": .integer(1)])
    bench.advance(.seconds(1))
    bench.send("retry")
    bench.send("open", .integer(8))
    expectEqual(bench.fire("loaded(2)"), "ignored loading(8) timer=loaded(2)")
  }

  @Test("a new version that cannot be had changes nothing; one for a closed screen is dropped")
  func silentFailure() {
    let bench = Self.open(["service": .text("manual")])
    bench.send("loaded", .integer(7))
    bench.send("changedOutside", .integer(7))
    expectEqual(bench.send("failed", .integer(7), .text("e")), "stayed shown(7,viewed) event=failed")
    expectEqual(bench.reading("loads"), .integer(0))
    bench.send("changedOutside", .integer(7))
    bench.send("close")
    expectEqual(bench.send("loaded", .integer(7)), "ignored closed event=loaded")
  }

  @Test("answers by hand")
  func manual() {
    let bench = Self.open(["service": .text("manual")])
    expectNil(bench.nextDue)
    expectEqual(bench.send("loaded", .integer(8)), "ignored loading(7) event=loaded")
    expectEqual(bench.send("failed", .integer(7), .text("e")), "moved loading(7) failed(7,e) event=failed > toast e")
    bench.send("retry")
    expectEqual(bench.send("loaded", .integer(7)), "moved loading(7) shown(7,viewed) event=loaded > route 7")
    expectEqual(bench.send("loaded", .integer(7)), "ignored shown(7,viewed) event=loaded")
  }

  @Test("an answer by hand comes instead of the service's, to the oldest request for that résumé")
  func early() {
    let bench = Self.open()
    bench.send("close")
    bench.send("open", .integer(7))
    expectEqual(bench.send("loaded", .integer(7)), "moved loading(7) shown(7,viewed) event=loaded > route 7")
    expectEqual(Array(bench.timers().keys), ["loaded(2)"])
  }

  @Test("an answer by hand that nobody waits for is dropped, and the service goes on")
  func lateByHand() {
    let bench = Self.open()
    bench.send("open", .integer(8))
    expectEqual(bench.send("loaded", .integer(7)), "ignored loading(8) event=loaded")
    expectEqual(bench.timers().count, 2)
    expectEqual(bench.send("loaded", .integer(9)), "ignored loading(8) event=loaded")
    bench.advance(.seconds(1))
    expectEqual(bench.reading("lateDropped"), .integer(3))
    expectEqual(bench.state(), "shown(8,viewed)")
  }

  @Test("hardened, a résumé that is shown is closed before another one loads")
  func closesFirst() {
    let bench = Self.open(["mode": .text("hardened")])
    expectEqual(bench.send("open", .integer(8)), "moved loading(7) loading(8) event=open")
    bench.advance(.seconds(1))
    expectEqual(bench.send("open", .integer(8)), "ignored shown(8,viewed) event=open")
    expectEqual(bench.send("open", .integer(9)), "moved shown(8,viewed) loading(9) event=open > closeScreen")
  }

  @Test("a server's report is an action of the bootstrapper, if it has subscribed")
  func outside() {
    let bench = Self.open(["outside": .flag(true)])
    expectEqual(bench.send("changedOnServer", .integer(7)), "stayed loading(7) event=changedOnServer")
    bench.advance(.seconds(1))
    expectEqual(bench.send("changedOnServer", .integer(8)), "stayed shown(7,viewed) event=changedOnServer")
    expectEqual(bench.reading("loads"), .integer(0))
    expectEqual(bench.send("changedOnServer", .integer(7)), "stayed shown(7,viewed) event=changedOnServer")
    expectEqual(bench.reading("loads"), .integer(1))
    let deaf = Self.open()
    deaf.advance(.seconds(1))
    expectEqual(deaf.send("changedOnServer", .integer(7)), "ignored shown(7,viewed) event=changedOnServer")
  }

  @Test("the store gives a signal to the bootstrapper, and its action to the actor")
  func signals() {
    let feature = OpenResumeFeature()
    var store = FeatureStore(.shown(.init(id: 7, isViewed: true)), of: feature)
    var listener = Bootstrapped()
    let reports = [7, 8].map { store.report(.resumeChanged($0), by: feature, to: &listener) }
    expectEqual(reports, [true, false])
    expect(listener.actions == [.changedOutside(7), .changedOutside(8)] && store.streams.count == 1)
    store.dispose()
    let isHeard = store.report(.resumeChanged(7), by: feature, to: &listener)
    expect(!isHeard && listener.actions.count == 2)
  }

  private struct Bootstrapped: FeatureListener {
    typealias Subject = OpenResumeFeature
    var actions: [OpenResumeFeature.Action] = []

    mutating func hear(bootstrapped action: OpenResumeFeature.Action) { actions.append(action) }
  }

  @Test("select 7, and then 9 while 7 is shown: by default the coordinator comes along, as published it does not")
  func selectedTwice() {
    for (mode, coordinator) in [("hardened", "Detail(9)"), ("faithful", "Detail(7)")] {
      let bench = Bench()
      let app = Composition.resumeApp
      bench.add(mode == "hardened" ? app : app.with(["mode": OpenResume.Mode.faithful]), "a")
      bench.send("start", to: "a.coordinator")
      bench.advance(.seconds(1))
      for id in [7, 9] {
        bench.send("select", .integer(id), to: "a.list")
        bench.advance(.seconds(1))
      }
      expectEqual(bench.state("a.resume"), "shown(9,viewed)")
      expectEqual(bench.state("a.coordinator"), coordinator, "\(mode)")
    }
  }

  @Test("with outside=on the app has a server, whose reports reach both features")
  func server() {
    let bench = Bench()
    expectEqual(Composition.resumeApp.members.count, 3)
    bench.add(.resumeApp.with(["outside": true]), "a")
    bench.send("start", to: "a.coordinator")
    bench.advance(.seconds(1))
    bench.send("select", .integer(7), to: "a.list")
    bench.advance(.seconds(1))
    bench.send("edit", .integer(7), to: "a.server")
    expectEqual(bench.reading("loads", of: "a.resume"), .integer(1))
    bench.send("sort", to: "a.server")
    expectEqual(bench.state("a.list"), "content.refreshing")
    bench.advance(.seconds(1))
    expectEqual(["a.list", "a.resume"].map { bench.state($0) }, ["content(20)", "shown(7,viewed)"])
  }

  @Test("the server reports while it is connected, and once after a pause")
  func serverAlone() {
    Table(ResumeServer.kind, in: "../../Sources/Simulations/Services/ResumeServer.swift").check()
    let bench = Bench(ResumeServer.kind, initial: "offline")
    bench.send("edit", .integer(1))
    expectEqual(bench.state(), "offline(1)")
    expectEqual(bench.send("connect"), "moved offline(1) online event=connect > listChanged")
  }

  @Test("a hundred loads, and no more")
  func limit() {
    let bench = Bench(OpenResume.kind, ["service": .text("manual")])
    for id in 0..<OpenResume.mostLoads { bench.send("open", .integer(id)) }
    expect(bench.send("open", .integer(1000)), hasPrefix: "refused loading(99) event=open : 100 loads")
    expect(bench.send("close"), hasPrefix: "moved")
  }

  @Test("made in a later state")
  func initial() {
    expectEqual(Bench(OpenResume.kind, initial: "shown").state(), "shown(1,unviewed)")
    expectEqual(
      Bench(OpenResume.kind, initial: "shown").send("markViewed", .integer(1)),
      "moved shown(1,unviewed) shown(1,viewed) event=markViewed")
    expectEqual(Bench(OpenResume.kind, initial: "failed").state(), "failed(1,offline)")
    expectEqual(Bench(OpenResume.kind, initial: "loading").timers(), ["loaded(1)": .seconds(1)])
  }
}
