import TestSupport
import Testing

/// Chains without end: bounded, reported, and the rest of the daemon works on.
@Suite(.serialized)
struct LivelockTests {
  private let timerLoop = "new fridge loop min=2 max=2 recheckDelay=0s start=2"

  @Test(
    "timers re-armed at zero pause a real world, which all of its users are told; resume goes on",
    arguments: [1_000, 100_000])
  func timers(_ limit: Int) throws {
    let daemon = limit == 100_000 ? try DaemonProcess() : try DaemonProcess("--limit", "chain=\(limit)")
    let author = try daemon.connect()
    let neighbour = try daemon.connect()
    let stranger = try daemon.connect()
    for request in ["world new elsewhere clock=real", "use elsewhere", "new shiftKey k doubleTap=20ms"] {
      try expect(stranger.ask(request), hasPrefix: "+ ")
    }
    let announced = #/! livelock world=main machine=loop timer=(min|max)TemperatureReached t=\d+\.\d{3,9}/#
    let reply = try author.askAll(timerLoop)
    expect(reply.first?.wholeMatch(of: announced) != nil, "\(reply)")
    expect(reply.last, hasPrefix: "+ created loop cooling t=", "\(reply)")
    expectEqual(reply.count, 2)
    try expect(neighbour.line().wholeMatch(of: announced) != nil)
    try expect(author.ask("clock"), contains: "paused=yes")
    // Requests work, at the moment at which time stands; nothing is told twice.
    let first = try author.ask("new power p")
    let second = try author.ask("send p buttonClick")
    expectEqual(first.split(separator: " ")[4], second.split(separator: " ")[4], "\(first), \(second)")
    try expect(author.hasNothing())
    try expect(neighbour.hasNothing())
    // Elsewhere time goes on.
    try expect(stranger.ask("send k tap"), hasPrefix: "+ moved off on")
    try expect(stranger.ask("await k off within=1ms"), hasPrefix: "- TIMEOUT state=on")
    try expect(stranger.askAll("clock").first, contains: "paused=no")
    // Going on leads to the same again, until the cause is removed.
    let resumed = try author.askAll("resume")
    expect(resumed.last, hasPrefix: "+ ", "\(resumed)")
    try expect(neighbour.line().wholeMatch(of: announced) != nil)
    try expect(author.askAll("drop loop").last, hasPrefix: "+ dropped loop")
    try expect(author.ask("resume"), hasPrefix: "+ ")
    try expect(author.ask("await p off within=1ms"), hasPrefix: "- TIMEOUT state=on")
    try expect(author.ask("clock"), contains: "paused=no")
  }

  @Test("what moves a virtual world's time ends with LIMIT at such a chain, and can be asked again")
  func virtual() throws {
    let daemon = try DaemonProcess("--limit", "chain=1000")
    let client = try daemon.connect()
    let neighbour = try daemon.connect()
    for request in ["world new w", "use w", "new fridge calm"] { try expect(client.ask(request), hasPrefix: "+ ") }
    try expect(neighbour.ask("use w"), hasPrefix: "+ world=w")
    try expect(client.ask("advance 100s"), hasPrefix: "+ advanced")
    try expect(client.askAll(timerLoop).last, hasPrefix: "+ created")
    try expect(neighbour.line(), hasPrefix: "! livelock world=w machine=loop timer=")
    for request in ["advance 1s", "step 5000", "await calm waiting", "advance 1s"] {
      let reply = try client.askAll("@x \(request)")
      expectEqual(reply.count, 2, "\(request): \(reply)")
      expect(reply.first, hasPrefix: "! livelock world=w machine=loop timer=", "\(request): \(reply)")
      expect(reply.last, hasPrefix: "- @x LIMIT name=chain value=1000 machine=loop timer=", "\(request): \(reply)")
      expect(reply.last, contains: " t=100.000 ", "\(request): \(reply)")
      try expect(neighbour.line(), hasPrefix: "! livelock world=w")
    }
    try expect(client.ask("drop loop"), hasPrefix: "+ dropped")
    try expect(client.ask("advance 1d"), hasPrefix: "+ advanced fired=")
    try expectEqual(neighbour.ask("sync"), "+")
  }

  @Test(
    "outputs that set each other off through wires end with LIMIT, and the rest works on",
    arguments: [nil, 10] as [Int?])
  func wires(_ limit: Int?) throws {
    let daemon = try limit.map { try DaemonProcess("--limit", "wireChain=\($0)") } ?? DaemonProcess()
    let client = try daemon.connect()
    let neighbour = try daemon.connect()
    for request in [
      "new fridge a physics=off", "new fridge b physics=off initial=waiting", "new power p",
      // What one switches on, the other switches off, and so on.
      "wire a compressorOff b maxTemperatureReached", "wire b compressorOn a maxTemperatureReached",
      "wire a compressorOn b minTemperatureReached", "wire b compressorOff a minTemperatureReached",
    ] { try expect(client.ask(request), hasPrefix: "+ ", "\(request)") }
    let reply = try client.askAll("@x send a minTemperatureReached")
    expect(reply.first, hasPrefix: "! livelock world=main machine=", "\(reply)")
    expect(reply.last, hasPrefix: "- @x LIMIT name=wireChain value=\(limit ?? 1_000) machine=", "\(reply)")
    try expect(neighbour.line(), hasPrefix: "! livelock world=main")
    try expect(neighbour.ask("send p buttonClick"), hasPrefix: "+ moved off on")
    try expect(client.ask("unwire b compressorOff a minTemperatureReached"), hasPrefix: "+ ")
    try expect(client.ask("resume"), hasPrefix: "+ ")
    try expect(client.ask("clock"), contains: "paused=no")
  }
}
