import Testing

/// Requests that take their time, and `cancel`.
struct AwaitTests {
  private let daemon: DaemonProcess
  private let client: TestClient
  private let other: TestClient

  init() throws {
    daemon = try DaemonProcess()
    client = try daemon.connect()
    other = try daemon.connect()
    #expect(try client.ask("new power p").hasPrefix("+ created"))
    #expect(try client.ask("new shiftKey k doubleTap=20ms").hasPrefix("+ created"))
  }

  @Test("what another client sends ends an await on a real clock, at that input's moment and seq")
  func reachedBySomebodyElse() throws {
    try client.send("@w await p on\n@next sync\n")
    #expect(try other.ask("sync") == "+")
    #expect(try client.hasNothing())
    let moved = try other.ask("send p buttonClick").split(separator: " ")
    #expect(try client.line() == "+ @w reached on \(moved[4]) \(moved[5])")
    #expect(try client.line() == "+ @next")
  }

  @Test("a state that was left again before anybody looked was still reached")
  func passedThrough() throws {
    try client.send("await p on\n")
    #expect(try other.ask("sync") == "+")
    try other.send("send p buttonClick\nsend p buttonClick\n")
    #expect(try other.final().hasPrefix("+ moved off on"))
    #expect(try other.final().hasPrefix("+ moved on off"))
    #expect(try client.line().hasPrefix("+ reached on t="))
  }

  @Test("a timer ends an await on a real clock by itself")
  func reachedByATimer() throws {
    #expect(try client.ask("new phone tel callUI=1ms ring=30ms alert=1ms").hasPrefix("+ created"))
    try client.send("send tel openTel 123\nawait tel inactive\nsend tel pressCall\nawait tel connected\n")
    #expect(try client.final().hasPrefix("+ "))
    #expect(try client.final().hasPrefix("+ reached inactive+alert+idle t="))
    #expect(try client.final().hasPrefix("+ "))
    #expect(try client.final().hasPrefix("+ reached background+noAlert+connected t="))
  }

  @Test("an await ends at its deadline, with the state as it is")
  func timeout() throws {
    let line = try client.ask("@t await p on within=15ms")
    #expect(line.hasPrefix("- @t TIMEOUT state=off t="), "\(line)")
    #expect(try client.ask("await p off within=0s").hasPrefix("+ reached off"))
    #expect(try client.ask("await p on within=0s").hasPrefix("- TIMEOUT state=off"))
  }

  @Test("an await on a paused clock has no deadline but the clock's; resume and advance move it")
  func paused() throws {
    try client.send("pause\nawait p on within=10ms\n")
    #expect(try client.final().hasPrefix("+ "))
    #expect(try other.ask("sync") == "+")
    #expect(try other.ask("advance 9ms").hasPrefix("+ advanced fired=0"))
    #expect(try client.hasNothing())
    #expect(try other.ask("resume").hasPrefix("+ "))
    #expect(try client.final().hasPrefix("- TIMEOUT state=off"))
  }

  @Test("dropping the awaited machine, or its world, ends the await")
  func dropped() throws {
    try client.send("@m await p on\n")
    #expect(try other.ask("sync") == "+")
    #expect(try other.ask("drop p").hasPrefix("+ dropped p"))
    #expect(try client.final().hasPrefix("- @m UNKNOWN-MACHINE machine=p "))

    try client.send("world new w clock=real\nuse w\nnew power q\n@w await q on\n")
    for _ in 0..<3 { #expect(try client.final().hasPrefix("+ ")) }
    #expect(try other.ask("world drop w") == "+ dropped w")
    #expect(try client.line().hasPrefix("- @w UNKNOWN-WORLD world=w "))
    #expect(try client.line() == "! world dropped=w")
    #expect(try client.ask("world").hasPrefix("+ world=main "))
  }

  @Test("an await that ends lets its client's next requests run, and who watches or awaits these sees them at once")
  func chainOfAwaits() throws {
    // So many that the order in which clients are looked after cannot be right by luck.
    let length = 12
    for number in 0...length { #expect(try client.ask("new power q\(number)").hasPrefix("+ created")) }
    var watchers: [TestClient] = []
    var chain: [TestClient] = []
    for number in 0..<length {
      let link = try daemon.connect()
      try link.send("await q\(number) on\nsend q\(number + 1) buttonClick\n")
      chain.append(link)
      let watcher = try daemon.connect()
      #expect(try watcher.ask("watch q\(length) what=moves") == "+ watching 1")
      watchers.append(watcher)
    }
    #expect(try other.ask("send q0 buttonClick").hasPrefix("+ moved"))
    for link in chain {
      #expect(try link.final().hasPrefix("+ reached on"))
      #expect(try link.final().hasPrefix("+ moved off on"))
    }
    for watcher in watchers { #expect(try watcher.line().hasSuffix(" q\(length) moved off on event=buttonClick")) }
  }

  @Test("cancel ends a waiting request, however it is sent, and then gets its own reply", arguments: ["", "@c "])
  func cancelAwait(_ tag: String) throws {
    // By itself.
    try client.send("@a await p on\n")
    #expect(try other.ask("sync") == "+")
    try client.send("\(tag)cancel\n")
    #expect(try client.line().hasPrefix("- @a CANCELLED t="))
    #expect(try client.line() == (tag.isEmpty ? "+" : "+ @c"))
    // With requests before and behind, which are answered in their turn.
    try client.send("@a await p on\n@b sync\n")
    #expect(try other.ask("sync") == "+")
    try client.send("@d sync\n\(tag)cancel\n@e sync\n")
    #expect(try client.line().hasPrefix("- @a CANCELLED t="))
    #expect(try client.line() == (tag.isEmpty ? "+" : "+ @c"))
    for next in ["@b", "@d", "@e"] { #expect(try client.line() == "+ \(next)") }
    // All at once.
    try client.send("@a await p on\n@b sync\n\(tag)cancel\r\n@d await p on\n\(tag)cancel\n@e sync\n")
    #expect(try client.line().hasPrefix("- @a CANCELLED t="))
    #expect(try client.line() == (tag.isEmpty ? "+" : "+ @c"))
    #expect(try client.line() == "+ @b")
    #expect(try client.line().hasPrefix("- @d CANCELLED t="))
    #expect(try client.line() == (tag.isEmpty ? "+" : "+ @c"))
    #expect(try client.line() == "+ @e")
  }

  @Test("a cancel is found behind an await that looks like the one before")
  func cancelAgain() throws {
    try client.send("await p on within=1ms\n@1 sync\n")
    #expect(try client.line().hasPrefix("- TIMEOUT"))
    #expect(try client.line() == "+ @1")
    try client.send("await p on within=1d\ncancel\r\n")
    #expect(try client.line().hasPrefix("- CANCELLED"))
    #expect(try client.line() == "+")
  }

  @Test("cancel without anything to cancel succeeds, and with arguments it is no cancel")
  func cancelNothing() throws {
    #expect(try client.ask("@c cancel") == "+ @c")
    try client.send("await p on within=50ms\n")
    #expect(try other.ask("sync") == "+")
    try client.send("cancel now\n")
    #expect(try client.line().hasPrefix("- TIMEOUT"))
    #expect(try client.line().hasPrefix("- BAD-ARGUMENT argument=activity got=now"))
    // Nobody cancels what others do.
    try client.send("await p on\n")
    #expect(try other.ask("cancel") == "+")
    #expect(try client.hasNothing())
    #expect(try client.ask("cancel").hasPrefix("- CANCELLED"))
    #expect(try client.line() == "+")
  }
}
