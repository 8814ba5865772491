import TestSupport
import Testing
import UnixHost

/// An advance of a century, which takes a while: others are served meanwhile, and it can be ended.
@Suite(.serialized)
struct AdvanceTests {
  private let daemon: DaemonProcess
  private let client: TestClient

  init() throws {
    daemon = try DaemonProcess()
    client = try daemon.connect()
    for request in ["world new w", "use w"] { try expect(client.ask(request), hasPrefix: "+ ") }
    for number in 0..<100 {
      try expect(client.ask("new fridge f\(number) start=\(number % 5)"), hasPrefix: "+ created")
    }
  }

  @Test("cancel ends an advance between two timers; what was done stays, and later requests follow in order")
  func cancel() throws {
    try client.send("@long advance 36500d\n@behind clock\n")
    try expect(client.hasNothing())
    try client.send("@stop cancel\n")
    try expect(client.line(), hasPrefix: "- @long CANCELLED t=")
    try expectEqual(client.line(), "+ @stop")
    try expect(client.line(), hasPrefix: "+ @behind clock virtual speed=1 paused=no t=")
    try expect(client.ask("advance 1h"), hasPrefix: "+ advanced fired=")

    // In one piece with what it cancels.
    try client.send("@long advance 30000d\n@stop cancel\n@behind sync\n")
    try expect(client.line(), hasPrefix: "- @long CANCELLED t=")
    try expectEqual(client.line(), "+ @stop")
    try expectEqual(client.line(), "+ @behind")

    try client.send("@steps step 1000000000\n@stop cancel\n")
    let cancelled = try client.line()
    expect(cancelled, hasPrefix: "- @steps CANCELLED t=", "\(cancelled)")
    try expectEqual(client.line(), "+ @stop")

    try client.send("@wait await f0 cooling within=1s\n@never expect f0 off\n")
    try expect(client.line(), contains: " @wait ")
    try expect(client.line(), hasPrefix: "- @never BAD-ARGUMENT")
  }

  @Test("others are served while a century goes by, in the same world and in another")
  func othersAreServed() throws {
    let neighbour = try daemon.connect()
    try expect(neighbour.ask("use w"), hasPrefix: "+ world=w")
    let stranger = try daemon.connect()
    try expect(stranger.ask("new power p"), hasPrefix: "+ created")
    try client.send("@long advance 36500d\n")
    var times: Set<String> = []
    for _ in 0..<50 {
      try expect(stranger.ask("send p buttonClick"), hasPrefix: "+ moved")
      let answer = try neighbour.ask("send f0 maxTemperatureReached")
      times.insert(answer.split(separator: " ").first { $0.hasPrefix("t=") }.map(String.init) ?? answer)
    }
    try expect(client.hasNothing(), "the advance was over before the others were served")
    expect(times.count > 10, "world time went on between the neighbour's requests")
    try client.send("cancel\n")
    try expect(client.line(), hasPrefix: "- @long CANCELLED t=")
    try expectEqual(client.line(), "+")
  }

  @Test("the daemon ends at once in the middle of an advance")
  func shutdown() throws {
    try client.send("@long advance 36500d\n")
    let other = try daemon.connect()
    try expectEqual(other.ask("shutdown"), "+")
    try expectEqual(other.readToEnd(), ["! bye reason=shutdown"])
    let lines = try client.readToEnd()
    expect(lines.first, hasPrefix: "- @long SHUTTING-DOWN")
    expectEqual(lines.dropFirst(), ["! bye reason=shutdown"])
    try expectEqual(daemon.run.ending(), .exited(0))
  }
}
