import TestSupport
import Testing

/// Documents that take long to read.
@Suite("Long documents", .serialized)
struct LongDocumentTests {
  /// A chart of so many states, one after the other.
  private static func chart(_ states: Int) -> String {
    let all = (0..<states).map {
      "<state id=\"s\($0)\"><transition event=\"go\" target=\"s\(($0 + 1) % states)\"/></state>"
    }
    return "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\">\(all.joined())</scxml>"
  }

  @Test("while one is read, the other clients of its world are served, and documents take their turns")
  func others() throws {
    let daemon = try DaemonProcess("--ephemeral", "--workers", "2")
    defer { daemon.letGo() }
    let (first, second, other) = (try daemon.connect(), try daemon.connect(), try daemon.connect())
    let document = Self.chart(3_000)
    for (name, client) in [("a", first), ("b", second)] {
      try client.send("@d define \(name) format=scxml bytes=\(document.utf8.count)\n\(document)new \(name) m\(name)\n")
    }
    // The world goes on: these are answered before the documents are read.
    try Patience.wait(until: "a document to be read") {
      try other.askAll("activities").contains { $0.contains(" verb=define ") }
    }
    try expect(other.ask("new power p"), hasPrefix: "+ created p off ")
    try expect(other.ask("send p buttonClick"), hasPrefix: "+ moved off on ")
    for (name, client) in [("a", first), ("b", second)] {
      try expect(client.final(), hasPrefix: "+ @d defined \(name) version=1 states=3000 events=1 ")
      try expect(client.final(), hasPrefix: "+ created m\(name) s0 ")
    }
  }

  @Test("a document that waits for its turn does not hold up its world")
  func queued() throws {
    let daemon = try DaemonProcess("--ephemeral", "--workers", "2")
    defer { daemon.letGo() }
    let clients = try (0..<5).map { _ in try daemon.connect() }
    let other = try daemon.connect()
    try expectEqual(other.ask("world new lab"), "+ created lab")
    for client in [clients[4], other] { try expect(client.ask("use lab"), hasPrefix: "+ world=lab") }
    let document = Self.chart(3_000)
    for (place, client) in clients.enumerated() {
      try client.send("define k\(place) format=scxml bytes=\(document.utf8.count)\n\(document)")
      try Patience.wait(until: "the documents to be there") {
        try other.askAll("activities").filter { $0.contains(" verb=define ") }.count > place
      }
    }
    try expect(other.ask("new power p"), hasPrefix: "+ created p off ")
    try expect(other.askAll("activities").contains { $0.contains(" world=lab ") && $0.contains(" verb=define ") })
    for (place, client) in clients.enumerated() { try expect(client.final(), hasPrefix: "+ defined k\(place) ") }
  }

  @Test("those who keep their world busy together do not keep a document out of it")
  func crowded() throws {
    let daemon = try DaemonProcess("--ephemeral", "--workers", "2")
    defer { daemon.letGo() }
    let (owner, first, second) = (try daemon.connect(), try daemon.connect(), try daemon.connect())
    let machines = 3_000
    try expectEqual(owner.ask("quiet on"), "+")
    try expectEqual(owner.ask((0..<machines).map { "new shiftKey k\($0)\n" }.joined() + "quiet off"), "+")
    for client in [first, second] { try client.send(String(repeating: "cast * tap\n", count: 2_000)) }
    _ = try (first.final(), second.final())
    let document = Self.chart(3)
    let answer = try owner.ask("define k format=scxml bytes=\(document.utf8.count)\n\(document)")
    let casts = (Int(answer.split(separator: " ").last?.dropFirst(4) ?? "") ?? 0) / machines
    expect(answer.hasPrefix("+ defined k version=1") && casts < 500, "\(answer)")
  }

  @Test("a client that leaves while its document is read leaves a daemon that goes on, and the kind")
  func leaving() throws {
    let daemon = try DaemonProcess("--ephemeral", "--workers", "2")
    defer { daemon.letGo() }
    let (leaver, other) = (try daemon.connect(), try daemon.connect())
    let document = Self.chart(2_000)
    try leaver.send("define a format=scxml bytes=\(document.utf8.count)\n\(document)")
    try Patience.wait(until: "the document to be read") {
      try other.askAll("activities").contains { $0.contains(" verb=define ") }
    }
    leaver.close()
    try Patience.wait(until: "the kind to be there") { try other.ask("new a m").hasPrefix("+ created m s0 ") }
  }
}
