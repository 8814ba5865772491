import Glibc
import TestSupport
import Testing

/// Clients that leave: politely, in the middle of something, or before they were noticed.
@Suite(.serialized)
struct DepartureTests {
  private let daemon: DaemonProcess
  private let witness: TestClient
  private let descriptors: Int

  init() throws {
    daemon = try DaemonProcess()
    witness = try daemon.connect()
    try expect(witness.ask("new power p"), hasPrefix: "+ created")
    descriptors = try daemon.idleDescriptors()
  }

  /// Expects that nothing is left of a client, and that the daemon and the witness are well.
  private func expectGone(_ what: String) throws {
    expectEqual(daemon.surplusDescriptors(over: descriptors), 0, "\(what)")
    try expectEqual(witness.ask("sync"), "+", "\(what)")
  }

  @Test(
    "when a client closes its sending side, its complete lines are answered, then goodbye; a line without end is none")
  func halfClose() throws {
    let client = try daemon.connect()
    try client.send("@1 send p buttonClick\n@2 kinds\n@3 sync\n@4 send p buttonClick")
    client.closeSending()
    let lines = try client.readToEnd()
    expect(lines.first, hasPrefix: "+ @1 moved off on")
    expectEqual(lines.filter { $0.hasPrefix("+") }.map { $0.split(separator: " ")[1] }, ["@1", "@2", "@3"])
    expectEqual(lines.suffix(2), ["+ @3", "! bye"])
    try expect(witness.ask("expect p on"), hasPrefix: "+ on")
    try expectGone("half-close")
  }

  @Test("a client that says nothing and closes its sending side gets a greeting and goodbye")
  func silentHalfClose() throws {
    let client = try daemon.connectUngreeted()
    client.closeSending()
    let lines = try client.readToEnd()
    expectEqual(lines.count, 2)
    expectEqual(lines.last, "! bye")
    try expectGone("silence")
  }

  @Test("a half-closed client is still answered in full: a long reply, an advance, an await, a batch")
  func halfCloseWithWork() throws {
    let client = try daemon.connect()
    try client.send(
      "world new w\nuse w\nnew fridge f\n@adv advance 10d\n@aw await f cooling\nbegin\nnew power a\nnew power b\nend\n"
        + "@j journal limit=1000000\n")
    client.closeSending()
    let lines = try client.readToEnd()
    let finals = lines.filter { $0.hasPrefix("+") || $0.hasPrefix("-") }
    expectEqual(finals.count, 10, "\(finals)")
    expect(finals.allSatisfy { $0.hasPrefix("+") })
    expect(finals.last, hasPrefix: "+ @j ")
    expectEqual(Int(finals.last?.split(separator: " ").last ?? ""), lines.filter { $0.hasPrefix(". @j ") }.count)
    expectEqual(lines.last, "! bye")
    try expectGone("half-close with work")
  }

  @Test("a client that dies in the middle of a line has not said that line")
  func middleOfLine() throws {
    let client = try daemon.connect()
    try client.send("send p buttonClick\nsend p buttonCli")
    client.close()
    try expectGone("middle of a line")
    try expect(witness.ask("expect p on"), hasPrefix: "+ on")
  }

  @Test("a client that dies before the end of its batch has done nothing")
  func middleOfBatch() throws {
    let client = try daemon.connect()
    try expectEqual(client.ask("begin"), "+")
    try client.send("send p buttonClick\nnew power q\n")
    client.close()
    try expectGone("middle of a batch")
    try expect(witness.ask("expect p off"), hasPrefix: "+ off")
    try expect(witness.ask("show q"), hasPrefix: "- UNKNOWN-MACHINE")
    try expectEqual(witness.ask("journal limit=10"), "+ 1", "only the creation of p")

    let polite = try daemon.connect()
    try polite.send("begin\nsend p buttonClick\n")
    polite.closeSending()
    try expectEqual(polite.readToEnd(), ["+", "! bye"])
    try expect(witness.ask("expect p off"), hasPrefix: "+ off")
    try expectGone("half-close in a batch")
  }

  @Test("a client that writes and closes at once, even before it was accepted, has its requests carried out")
  func writesAndLeaves() throws {
    for number in 0..<20 {
      let client = try daemon.connectUngreeted()
      try client.send("new power quick\(number)\nsend quick\(number) buttonClick\n")
      client.close()
    }
    try daemon.stop()
    for number in 0..<20 {
      let client = try daemon.connectUngreeted()
      try client.send("new power early\(number)\nsend early\(number) buttonClick\n")
      client.close()
    }
    daemon.signal(SIGCONT)
    try expectGone("early leavers")
    for names in ["quick*", "early*"] {
      try Patience.wait(until: "\(names) to be on") { try witness.ask("list \(names) state=on") == "+ 20" }
    }
  }

  @Test("a client that sends much and leaves without reading a reply has all its requests carried out")
  func sendsMuchAndLeaves() throws {
    let client = try daemon.connect()
    try expect(client.ask("new power much"), hasPrefix: "+ created")
    // The replies are several times the reply queue.
    let request = Array("send much buttonClick\ndescribe smartFridge\n".utf8)
    var text: [UInt8] = []
    for _ in 0..<1_001 { text += request }
    let sent = try client.sendWhatFits(text, waiting: false)
    client.close()
    try expectGone("much and away")
    let clicks = (sent + request.count - 22) / request.count
    // Its place is free at once; what it sent takes its turns with what others send.
    try Patience.wait(until: "all of \(clicks) requests, as \(sent) bytes were taken, to be carried out") {
      try witness.ask("journal much limit=1000000") == "+ \(clicks + 1)"
    }
  }

  @Test("a client that dies while its long reply is being written leaves nothing behind")
  func middleOfReply() throws {
    var text = "quiet on\n"
    for number in 0..<20_000 { text += "new shiftKey m\(number) doubleTap=1m\nsend m\(number) tap\n" }
    try witness.send(text + "quiet off\n")
    try expectEqual(witness.final(), "+")
    try expectEqual(witness.final(), "+")
    var memory = 0
    for round in 0..<4 {
      for request in ["journal limit=1000000\n", "list\n", "agenda\n", "watch * since=1\n"] {
        let client = try daemon.connect()
        try client.send(request + request)
        for _ in 0..<10 { _ = try client.line() }
        client.close()
        try expectGone(request)
      }
      if round == 1 { memory = daemon.facts.residentKiB }
    }
    expect(daemon.facts.residentKiB - memory < 4_096, "what was written for the dead is given back")
  }

  @Test("a client that dies in an await or an advance leaves nothing behind")
  func middleOfWaiting() throws {
    for request in ["await p on within=1d\n", "await p on\nsync\nawait p on\n"] {
      let client = try daemon.connect()
      try client.send(request)
      try expectEqual(witness.ask("sync"), "+")
      client.close()
      try expectGone(request)
    }
    let client = try daemon.connect()
    try client.send("world new w\nuse w\nnew fridge f\nadvance 2000d\n")
    for _ in 0..<3 { _ = try client.final() }
    client.close()
    try expectGone("an advance")
    // It was asked for, so it is done; while a worker has the world, `use` tells of it as it was.
    try Patience.wait(until: "the end of the advance") {
      try witness.ask("use w").hasPrefix("+ world=w clock=virtual t=172800000.000 ")
    }
  }
}
