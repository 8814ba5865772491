import Glibc
import TestSupport
import Testing

/// More clients than there is room for.
@Suite(.serialized)
struct CrowdTests {
  @Test("of 300 clients 256 are served; the rest are told the limit and goodbye, and there is room again afterwards")
  func limit() throws {
    let daemon = try DaemonProcess()
    // With the one of a client that stays.
    let descriptors = try daemon.idleDescriptors() + 1
    let constant = try daemon.connect()
    try expect(constant.ask("new power p"), hasPrefix: "+ created")

    var memory = 0
    for round in 0..<3 {
      var clients = [constant]
      for _ in 1..<256 { clients.append(try daemon.connect()) }
      for _ in 256..<300 {
        let late = try daemon.connectUngreeted()
        try expect(late.line(), hasPrefix: "- LIMIT name=clients value=256 : ")
        try expectEqual(late.line(), "! bye reason=limit")
        try expectNil(late.lineOrEnd())
      }
      expectEqual(daemon.surplusDescriptors(over: descriptors + 255), 0)
      for (number, client) in clients.enumerated() { try client.send("@\(number) send p buttonClick\n") }
      for (number, client) in clients.enumerated() {
        try expect(client.line(), hasPrefix: "+ @\(number) moved ")
      }
      for client in clients.dropFirst() { client.close() }
      expectEqual(daemon.surplusDescriptors(over: descriptors), 0)
      // What the first crowd needed may be kept for the next.
      if round == 0 { memory = daemon.facts.residentKiB }
    }
    expect(daemon.facts.residentKiB - memory < 4_096, "crowds that have left leave nothing behind")
    try expect(daemon.connect().ask("expect p off"), hasPrefix: "+ off", "768 clicks")
  }

  @Test("300 clients that connect at one moment: exactly 256 of them are greeted")
  func rush() throws {
    let daemon = try DaemonProcess()
    try daemon.stop()
    var clients: [TestClient] = []
    for _ in 0..<300 { clients.append(try daemon.connectUngreeted()) }
    daemon.signal(SIGCONT)
    var greeted = 0
    for client in clients {
      let line = try client.line()
      if line.hasPrefix("+ fsmd ") {
        greeted += 1
      } else {
        expect(line, hasPrefix: "- LIMIT name=clients value=256 : ")
        try expectEqual(client.readToEnd(), ["! bye reason=limit"])
      }
    }
    expectEqual(greeted, 256)
  }

  @Test("one client more than a limit of one is turned away, even if it talks first")
  func talkative() throws {
    let daemon = try DaemonProcess("--limit", "clients=1")
    try Patience.wait(until: "the harness's own visit to be over") {
      let client = try daemon.connectUngreeted()
      return try client.line().hasPrefix("+ fsmd ")
    }
    let only: TestClient = try Patience.wait(for: "the only place") {
      let client = try daemon.connectUngreeted()
      return try client.line().hasPrefix("+ fsmd ") ? client : nil
    }
    let second = try daemon.connectUngreeted()
    try? second.send("sync\n")
    try expect(second.line(), hasPrefix: "- LIMIT name=clients value=1 : ")
    try expectEqual(second.readToEnd(), ["! bye reason=limit"])
    try expectEqual(only.ask("sync"), "+")
    try expectEqual(only.ask("quit"), "+")
    try expectEqual(only.readToEnd(), ["! bye reason=quit"])
    try expectEqual(daemon.connect().ask("sync"), "+")
  }
}
