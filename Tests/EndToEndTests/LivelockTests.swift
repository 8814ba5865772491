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
      #expect(try stranger.ask(request).hasPrefix("+ "))
    }
    let announced = #/! livelock world=main machine=loop timer=(min|max)TemperatureReached t=\d+\.\d{3,9}/#
    let reply = try author.askAll(timerLoop)
    #expect(reply.first?.wholeMatch(of: announced) != nil, "\(reply)")
    #expect(reply.last?.hasPrefix("+ created loop cooling t=") == true, "\(reply)")
    #expect(reply.count == 2)
    #expect(try neighbour.line().wholeMatch(of: announced) != nil)
    #expect(try author.ask("clock").contains("paused=yes"))
    // Requests work, at the moment at which time stands; nothing is told twice.
    let first = try author.ask("new power p")
    let second = try author.ask("send p buttonClick")
    #expect(first.split(separator: " ")[4] == second.split(separator: " ")[4], "\(first), \(second)")
    #expect(try author.hasNothing())
    #expect(try neighbour.hasNothing())
    // Elsewhere time goes on.
    #expect(try stranger.ask("send k tap").hasPrefix("+ moved off on"))
    #expect(try stranger.ask("await k off within=1ms").hasPrefix("- TIMEOUT state=on"))
    #expect(try stranger.askAll("clock").first?.contains("paused=no") == true)
    // Going on leads to the same again, until the cause is removed.
    let resumed = try author.askAll("resume")
    #expect(resumed.last?.hasPrefix("+ ") == true, "\(resumed)")
    #expect(try neighbour.line().wholeMatch(of: announced) != nil)
    #expect(try author.askAll("drop loop").last?.hasPrefix("+ dropped loop") == true)
    #expect(try author.ask("resume").hasPrefix("+ "))
    #expect(try author.ask("await p off within=1ms").hasPrefix("- TIMEOUT state=on"))
    #expect(try author.ask("clock").contains("paused=no"))
  }

  @Test("what moves a virtual world's time ends with LIMIT at such a chain, and can be asked again")
  func virtual() throws {
    let daemon = try DaemonProcess("--limit", "chain=1000")
    let client = try daemon.connect()
    let neighbour = try daemon.connect()
    for request in ["world new w", "use w", "new fridge calm"] { #expect(try client.ask(request).hasPrefix("+ ")) }
    #expect(try neighbour.ask("use w").hasPrefix("+ world=w"))
    #expect(try client.ask("advance 100s").hasPrefix("+ advanced"))
    #expect(try client.askAll(timerLoop).last?.hasPrefix("+ created") == true)
    #expect(try neighbour.line().hasPrefix("! livelock world=w machine=loop timer="))
    for request in ["advance 1s", "step 5000", "await calm waiting", "advance 1s"] {
      let reply = try client.askAll("@x \(request)")
      #expect(reply.count == 2, "\(request): \(reply)")
      #expect(reply.first?.hasPrefix("! livelock world=w machine=loop timer=") == true, "\(request): \(reply)")
      #expect(
        reply.last?.hasPrefix("- @x LIMIT name=chain value=1000 machine=loop timer=") == true, "\(request): \(reply)")
      #expect(reply.last?.contains(" t=100.000 ") == true, "\(request): \(reply)")
      #expect(try neighbour.line().hasPrefix("! livelock world=w"))
    }
    #expect(try client.ask("drop loop").hasPrefix("+ dropped"))
    #expect(try client.ask("advance 1d").hasPrefix("+ advanced fired="))
    #expect(try neighbour.ask("sync") == "+")
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
    ] { #expect(try client.ask(request).hasPrefix("+ "), "\(request)") }
    let reply = try client.askAll("@x send a minTemperatureReached")
    #expect(reply.first?.hasPrefix("! livelock world=main machine=") == true, "\(reply)")
    #expect(
      reply.last?.hasPrefix("- @x LIMIT name=wireChain value=\(limit ?? 1_000) machine=") == true, "\(reply)")
    #expect(try neighbour.line().hasPrefix("! livelock world=main"))
    #expect(try neighbour.ask("send p buttonClick").hasPrefix("+ moved off on"))
    #expect(try client.ask("unwire b compressorOff a minTemperatureReached").hasPrefix("+ "))
    #expect(try client.ask("resume").hasPrefix("+ "))
    #expect(try client.ask("clock").contains("paused=no"))
  }
}
