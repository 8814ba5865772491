import TestSupport
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
    try expect(client.ask("new power p"), hasPrefix: "+ created")
    try expect(client.ask("new shiftKey k doubleTap=20ms"), hasPrefix: "+ created")
  }

  @Test("what another client sends ends an await on a real clock, at that input's moment and seq")
  func reachedBySomebodyElse() throws {
    try client.send("@w await p on\n@next sync\n")
    try expectEqual(other.ask("sync"), "+")
    try expect(client.hasNothing())
    let moved = try other.ask("send p buttonClick").split(separator: " ")
    try expectEqual(client.line(), "+ @w reached on \(moved[4]) \(moved[5])")
    try expectEqual(client.line(), "+ @next")
  }

  @Test("a state that was left again before anybody looked was still reached")
  func passedThrough() throws {
    try client.send("await p on\n")
    try expectEqual(other.ask("sync"), "+")
    try other.send("send p buttonClick\nsend p buttonClick\n")
    try expect(other.final(), hasPrefix: "+ moved off on")
    try expect(other.final(), hasPrefix: "+ moved on off")
    try expect(client.line(), hasPrefix: "+ reached on t=")
  }

  @Test("a timer ends an await on a real clock by itself")
  func reachedByATimer() throws {
    try expect(client.ask("new phone tel callUI=1ms ring=30ms alert=1ms"), hasPrefix: "+ created")
    try client.send("send tel openTel 123\nawait tel inactive\nsend tel pressCall\nawait tel connected\n")
    try expect(client.final(), hasPrefix: "+ ")
    try expect(client.final(), hasPrefix: "+ reached inactive+alert+idle t=")
    try expect(client.final(), hasPrefix: "+ ")
    try expect(client.final(), hasPrefix: "+ reached background+noAlert+connected t=")
  }

  @Test("an await ends at its deadline, with the state as it is")
  func timeout() throws {
    let line = try client.ask("@t await p on within=15ms")
    expect(line, hasPrefix: "- @t TIMEOUT state=off t=", "\(line)")
    try expect(client.ask("await p off within=0s"), hasPrefix: "+ reached off")
    try expect(client.ask("await p on within=0s"), hasPrefix: "- TIMEOUT state=off")
  }

  @Test("an await on a paused clock has no deadline but the clock's; resume and advance move it")
  func paused() throws {
    try client.send("pause\nawait p on within=10ms\n")
    try expect(client.final(), hasPrefix: "+ ")
    try expectEqual(other.ask("sync"), "+")
    try expect(other.ask("advance 9ms"), hasPrefix: "+ advanced fired=0")
    try expect(client.hasNothing())
    try expect(other.ask("resume"), hasPrefix: "+ ")
    try expect(client.final(), hasPrefix: "- TIMEOUT state=off")
  }

  @Test("dropping the awaited machine, or its world, ends the await")
  func dropped() throws {
    try client.send("@m await p on\n")
    try expectEqual(other.ask("sync"), "+")
    try expect(other.ask("drop p"), hasPrefix: "+ dropped p")
    try expect(client.final(), hasPrefix: "- @m UNKNOWN-MACHINE machine=p ")

    try client.send("world new w clock=real\nuse w\nnew power q\n@w await q on\n")
    for _ in 0..<3 { try expect(client.final(), hasPrefix: "+ ") }
    try expectEqual(other.ask("world drop w"), "+ dropped w")
    try expect(client.line(), hasPrefix: "- @w UNKNOWN-WORLD world=w ")
    try expectEqual(client.line(), "! world dropped=w")
    try expect(client.ask("world"), hasPrefix: "+ world=main ")
  }

  @Test("an await that ends lets its client's next requests run, and who watches or awaits these sees them at once")
  func chainOfAwaits() throws {
    // So many that the order in which clients are looked after cannot be right by luck.
    let length = 12
    for number in 0...length { try expect(client.ask("new power q\(number)"), hasPrefix: "+ created") }
    var watchers: [TestClient] = []
    var chain: [TestClient] = []
    for number in 0..<length {
      let link = try daemon.connect()
      try link.send("await q\(number) on\nsend q\(number + 1) buttonClick\n")
      chain.append(link)
      let watcher = try daemon.connect()
      try expectEqual(watcher.ask("watch q\(length) what=moves"), "+ watching 1")
      watchers.append(watcher)
    }
    try expect(other.ask("send q0 buttonClick"), hasPrefix: "+ moved")
    for link in chain {
      try expect(link.final(), hasPrefix: "+ reached on")
      try expect(link.final(), hasPrefix: "+ moved off on")
    }
    for watcher in watchers { try expect(watcher.line(), hasSuffix: " q\(length) moved off on event=buttonClick") }
  }

  @Test("cancel ends a waiting request, however it is sent, and then gets its own reply", arguments: ["", "@c "])
  func cancelAwait(_ tag: String) throws {
    // By itself.
    try client.send("@a await p on\n")
    try expectEqual(other.ask("sync"), "+")
    try client.send("\(tag)cancel\n")
    try expect(client.line(), hasPrefix: "- @a CANCELLED t=")
    try expectEqual(client.line(), (tag.isEmpty ? "+" : "+ @c"))
    // With requests before and behind, which are answered in their turn.
    try client.send("@a await p on\n@b sync\n")
    try expectEqual(other.ask("sync"), "+")
    try client.send("@d sync\n\(tag)cancel\n@e sync\n")
    try expect(client.line(), hasPrefix: "- @a CANCELLED t=")
    try expectEqual(client.line(), (tag.isEmpty ? "+" : "+ @c"))
    for next in ["@b", "@d", "@e"] { try expectEqual(client.line(), "+ \(next)") }
    // All at once.
    try client.send("@a await p on\n@b sync\n\(tag)cancel\r\n@d await p on\n\(tag)cancel\n@e sync\n")
    try expect(client.line(), hasPrefix: "- @a CANCELLED t=")
    try expectEqual(client.line(), (tag.isEmpty ? "+" : "+ @c"))
    try expectEqual(client.line(), "+ @b")
    try expect(client.line(), hasPrefix: "- @d CANCELLED t=")
    try expectEqual(client.line(), (tag.isEmpty ? "+" : "+ @c"))
    try expectEqual(client.line(), "+ @e")
  }

  @Test("a cancel is found behind an await that looks like the one before")
  func cancelAgain() throws {
    try client.send("await p on within=1ms\n@1 sync\n")
    try expect(client.line(), hasPrefix: "- TIMEOUT")
    try expectEqual(client.line(), "+ @1")
    try client.send("await p on within=1d\ncancel\r\n")
    try expect(client.line(), hasPrefix: "- CANCELLED")
    try expectEqual(client.line(), "+")
  }

  @Test("cancel without anything to cancel succeeds, and with arguments it is no cancel")
  func cancelNothing() throws {
    try expectEqual(client.ask("@c cancel"), "+ @c")
    try client.send("await p on within=50ms\n")
    try expectEqual(other.ask("sync"), "+")
    try client.send("cancel now\n")
    try expect(client.line(), hasPrefix: "- TIMEOUT")
    try expect(client.line(), hasPrefix: "- BAD-ARGUMENT argument=activity got=now")
    // Nobody cancels what others do.
    try client.send("await p on\n")
    try expectEqual(other.ask("cancel"), "+")
    try expect(client.hasNothing())
    try expect(client.ask("cancel"), hasPrefix: "- CANCELLED")
    try expectEqual(client.line(), "+")
  }
}
