import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct PhoneTests {
  private static func bench(_ initial: String? = nil, after inputs: String...) -> Bench {
    let bench = Bench(Phone.kind, initial: initial)
    for input in inputs {
      if input == "openTel" {
        bench.send(input, .text("112"))
      } else if input.hasSuffix("!") {
        bench.fire(String(input.dropLast()))
      } else {
        bench.send(input)
      }
    }
    return bench
  }

  @Test("with returns, the app is in front again by itself after a call in the background, unless somebody goes home")
  func returns() {
    func called(_ parameters: [String: Value]) -> Bench {
      let bench = Bench(Phone.kind, initial: "background+noAlert+connected", parameters)
      bench.send("hangUp")
      return bench
    }
    let bench = called(["returns": .interval(.seconds(1))])
    expect(bench.state() == "background+noAlert+idle" && bench.timers() == ["returns": .seconds(1)])
    bench.advance(.seconds(1))
    expectEqual(
      bench.lines.last,
      "1.000 m moved background+noAlert+idle foreground+noAlert+idle timer=returns > willEnterForeground "
        + "> didBecomeActive")
    let home = called(["returns": .interval(.seconds(1))])
    home.send("goHome")
    expect(home.nextDue == nil && home.state() == "background+noAlert+idle")
    expectNil(called([:]).nextDue)
  }

  @Test("all pairs")
  func pairs() {
    Table(
      Phone.kind,
      rows: [
        "opening": { Self.bench(after: "openTel") },
        "starting": { Self.bench("inactive+alert+idle", after: "pressCall") },
        "starting, at home": { Self.bench("inactive+alert+idle", after: "pressCall", "goHome") },
      ],
      listing: """
        foreground+noAlert+idle      | openTel(112)   | ⟲
        foreground+noAlert+idle      | pressCall      | refuse
        foreground+noAlert+idle      | pressCancel    | refuse
        foreground+noAlert+idle      | hangUp         | refuse
        foreground+noAlert+idle      | goHome         | → background+noAlert+idle > willResignActive > didEnterBackground
        opening                      | openTel(112)   | refuse
        opening                      | pressCall      | refuse
        opening                      | pressCancel    | refuse
        opening                      | hangUp         | refuse
        opening                      | goHome         | → background+noAlert+idle > willResignActive > didEnterBackground
        opening                      | alert expires  | → inactive+alert+idle > willResignActive
        inactive+alert+idle          | openTel(112)   | refuse
        inactive+alert+idle          | pressCall      | → foreground+noAlert+idle > didBecomeActive
        inactive+alert+idle          | pressCancel    | → foreground+noAlert+idle > didBecomeActive
        inactive+alert+idle          | hangUp         | refuse
        inactive+alert+idle          | openApp        | refuse
        inactive+alert+idle          | goHome         | → background+noAlert+idle > didEnterBackground
        starting                     | openTel(112)   | refuse
        starting                     | pressCall      | refuse
        starting                     | pressCancel    | refuse
        starting                     | hangUp         | refuse
        starting                     | goHome         | → background+noAlert+idle > willResignActive > didEnterBackground
        starting                     | callUI expires | → background+noAlert+dialing > willResignActive > callDialing > didEnterBackground
        starting, at home            | openTel(112)   | refuse
        starting, at home            | pressCall      | refuse
        starting, at home            | pressCancel    | refuse
        starting, at home            | hangUp         | refuse
        starting, at home            | openApp        | → foreground+noAlert+idle > willEnterForeground > didBecomeActive
        starting, at home            | callUI expires | → background+noAlert+dialing > callDialing
        foreground+noAlert+dialing   | openTel(112)   | refuse
        foreground+noAlert+dialing   | pressCall      | refuse
        foreground+noAlert+dialing   | pressCancel    | refuse
        foreground+noAlert+dialing   | hangUp         | → foreground+noAlert+idle > callEnded
        foreground+noAlert+dialing   | goHome         | → background+noAlert+dialing > willResignActive > didEnterBackground
        foreground+noAlert+dialing   | ring expires   | → foreground+noAlert+connected > callConnected
        foreground+noAlert+connected | openTel(112)   | refuse
        foreground+noAlert+connected | pressCall      | refuse
        foreground+noAlert+connected | pressCancel    | refuse
        foreground+noAlert+connected | hangUp         | → foreground+noAlert+idle > callEnded
        foreground+noAlert+connected | goHome         | → background+noAlert+connected > willResignActive > didEnterBackground
        background+noAlert+idle      | openTel(112)   | refuse
        background+noAlert+idle      | pressCall      | refuse
        background+noAlert+idle      | pressCancel    | refuse
        background+noAlert+idle      | hangUp         | refuse
        background+noAlert+idle      | openApp        | → foreground+noAlert+idle > willEnterForeground > didBecomeActive
        background+noAlert+dialing   | openTel(112)   | refuse
        background+noAlert+dialing   | pressCall      | refuse
        background+noAlert+dialing   | pressCancel    | refuse
        background+noAlert+dialing   | hangUp         | → background+noAlert+idle > callEnded
        background+noAlert+dialing   | openApp        | → foreground+noAlert+dialing > willEnterForeground > didBecomeActive
        background+noAlert+dialing   | ring expires   | → background+noAlert+connected > callConnected
        background+noAlert+connected | openTel(112)   | refuse
        background+noAlert+connected | pressCall      | refuse
        background+noAlert+connected | pressCancel    | refuse
        background+noAlert+connected | hangUp         | → background+noAlert+idle > callEnded
        background+noAlert+connected | openApp        | → foreground+noAlert+connected > willEnterForeground > didBecomeActive
        """
    ).check()
  }

  @Test("a refusal says why in the words of the phone, and what is possible instead")
  func refusals() {
    let bench = Bench(Phone.kind)
    expectEqual(bench.send("pressCall"), "refused foreground+noAlert+idle event=pressCall : no alert is shown")
    expectEqual(bench.send("hangUp"), "refused foreground+noAlert+idle event=hangUp : there is no call to hang up")
    expectEqual(bench.possibleEvents(), ["openTel", "openApp", "goHome"])
    expectEqual(Self.bench("inactive+alert+idle").possibleEvents(), ["pressCall", "pressCancel", "goHome"])
  }

  @Test("each latency is a parameter")
  func latencies() {
    let bench = Bench(
      Phone.kind,
      ["alert": .interval(.seconds(1)), "callUI": .interval(.seconds(2)), "ring": .interval(.seconds(3))])
    bench.send("openTel", .text("112"))
    expectEqual(bench.timers(), ["alert": .seconds(1)])
    expectEqual(bench.reading("number"), .text("112"))
    bench.advance(to: .seconds(1))
    bench.send("pressCall")
    expectEqual(bench.timers(), ["callUI": .seconds(3)])
    bench.advance(to: .seconds(3))
    expectEqual(bench.timers(), ["ring": .seconds(6)])
    bench.advance(to: .seconds(6))
    expectEqual(bench.reading("number"), .text("112"))
    bench.send("hangUp")
    expectNil(bench.reading("number"))
    expectNil(bench.nextDue)
  }
}

struct PhoneCallTests {
  private func call() -> Bench {
    let bench = Bench()
    bench.add(.phoneCall, "p")
    bench.send("phoneTapped", .text("+7000"), to: "p.tracker")
    return bench
  }

  @Test("a call that is made, as the phone tells it to the tracker")
  func success() {
    let bench = call()
    bench.advance(to: .seconds(2))
    bench.send("pressCall", to: "p.phone")
    bench.advance(to: .seconds(69))
    bench.send("hangUp", to: "p.phone")
    bench.advance(to: .milliseconds(69_800))
    bench.send("openApp", to: "p.phone")
    expectEqual(
      bench.lines,
      [
        "0.000 p.tracker created none",
        "0.000 p.phone created foreground+noAlert+idle",
        "0.000 p.tracker moved none start event=phoneTapped > open +7000",
        "0.000 p.phone stayed foreground+noAlert+idle wire=p.tracker.open",
        "0.100 p.phone moved foreground+noAlert+idle inactive+alert+idle timer=alert > willResignActive",
        "0.100 p.tracker moved start systemAlert wire=p.phone.willResignActive",
        "2.000 p.phone moved inactive+alert+idle foreground+noAlert+idle event=pressCall > didBecomeActive",
        "2.000 p.tracker moved systemAlert waiting wire=p.phone.didBecomeActive",
        "2.300 p.phone moved foreground+noAlert+idle background+noAlert+dialing timer=callUI"
          + " > willResignActive > callDialing > didEnterBackground",
        "2.300 p.tracker moved waiting callStarting wire=p.phone.willResignActive",
        "2.300 p.tracker ignored callStarting wire=p.phone.callDialing",
        "2.300 p.tracker ignored callStarting wire=p.phone.didEnterBackground",
        "8.300 p.phone moved background+noAlert+dialing background+noAlert+connected timer=ring > callConnected",
        "8.300 p.tracker moved callStarting callInProgress wire=p.phone.callConnected",
        "69.000 p.phone moved background+noAlert+connected background+noAlert+idle event=hangUp > callEnded",
        "69.000 p.tracker moved callInProgress callEnded wire=p.phone.callEnded",
        "69.800 p.phone moved background+noAlert+idle foreground+noAlert+idle event=openApp"
          + " > willEnterForeground > didBecomeActive",
        "69.800 p.tracker ignored callEnded wire=p.phone.willEnterForeground",
        "69.800 p.tracker moved callEnded none wire=p.phone.didBecomeActive > tracked +7000 60.700 true",
      ])
    expectNil(bench.nextDue)
  }

  @Test("cancelled in the alert: the tracker gives up after waiting")
  func cancelled() {
    let bench = call()
    bench.advance(to: .seconds(2))
    bench.send("pressCancel", to: "p.phone")
    expectEqual(bench.state("p.tracker"), "waiting")
    bench.advance(to: .seconds(10))
    expectEqual(bench.lines.last, "4.000 p.tracker moved waiting none timer=waiting")
    expectEqual(bench.state("p.phone"), "foreground+noAlert+idle")
  }

  @Test("going back to the app during the call: it is not tracked")
  func returned() {
    let bench = call()
    bench.advance(to: .seconds(1))
    bench.send("pressCall", to: "p.phone")
    bench.advance(to: .seconds(20))
    bench.send("openApp", to: "p.phone")
    expectEqual(bench.state("p.tracker"), "none")
    expectEqual(bench.state("p.phone"), "foreground+noAlert+connected")
    bench.send("hangUp", to: "p.phone")
    expect(!bench.lines.contains { $0.contains("tracked") })
  }

  @Test("the members in their order, and every output of the phone wired to the event of its name")
  func wires() {
    let composition = Composition.phoneCall
    expectEqual(composition.members.map(\.name), ["tracker", "phone"])
    expectEqual(composition.members.map(\.kind.name), ["callTracker", "phone"])
    let wires = composition.wires.map { wire in
      let (from, to) = (composition.members[wire.from], composition.members[wire.to])
      return "\(from.name).\(from.kind.outputs[wire.output].name) → \(to.name).\(to.kind.events[wire.event].name)"
    }
    expectEqual(
      wires,
      ["tracker.open → phone.openTel"]
        + Phone.kind.outputs.map { "phone.\($0.name) → tracker.\($0.name)" })
  }
}
