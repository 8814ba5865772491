import TestSupport
import Testing

/// What the process really has in memory, with a small budget, whatever clients do.
@Suite(.serialized)
struct MemoryTests {
  /// In MiB.
  private static let budget = Thorough.isFull ? 64 : 32
  /// What a process with a budget may have had.
  private static func mostKiB(_ budget: Int = MemoryTests.budget) -> Int { (budget + 16) * 1_024 }

  private func daemon(_ budget: Int = MemoryTests.budget) throws -> DaemonProcess {
    try DaemonProcess("--ephemeral", "--memory", "\(budget)M")
  }

  /// A client in a virtual world of its own.
  private func client(of daemon: DaemonProcess, in world: String) throws -> TestClient {
    let client = try daemon.connect()
    try expect(client.ask("world new \(world)"), hasPrefix: "+")
    try expect(client.ask("use \(world)"), hasPrefix: "+")
    return client
  }

  /// Sends requests until one is refused for memory, `most` at the most, and looks at what the process has had.
  ///
  /// - Returns: How many were sent until the piece that was refused.
  @discardableResult
  private func attack(
    _ daemon: DaemonProcess, _ client: TestClient, most: Int, inPiecesOf size: Int = 500, _ request: (Int) -> String
  ) throws -> Int {
    try expectEqual(client.ask("quiet on"), "+")
    var sent = 0
    var isRefused = false
    while sent < most, !isRefused {
      let piece = (sent..<min(most, sent + size)).map { request($0) + "\n" }.joined()
      // Each refusal is a line, which is read only when all are sent; pieces are small enough for that.
      try client.send(piece + "@piece sync\n")
      for line in try client.lines(until: { $0 == "+ @piece" }) where line.hasPrefix("- LIMIT name=memory ") {
        isRefused = true
      }
      sent += size
    }
    expect(isRefused, "nothing was refused")
    try expectWithin(daemon)
    return sent
  }

  /// Expects that the process never had too much, and that a new client has a world of its own and is served.
  private func expectWithin(_ daemon: DaemonProcess, budget: Int = MemoryTests.budget) throws {
    expect(daemon.facts.peakResidentKiB <= MemoryTests.mostKiB(budget), "\(daemon.facts.peakResidentKiB) KiB")
    let other = try client(of: daemon, in: "small")
    for request in ["new power p", "send p buttonClick", "undo", "world drop small"] {
      try expect(other.ask(request), hasPrefix: "+", "\(request)")
    }
    try expectEqual(other.ask("sync"), "+")
  }

  @Test("many machines")
  func machines() throws {
    let daemon = try daemon()
    defer { daemon.letGo() }
    try attack(daemon, try client(of: daemon, in: "w"), most: 1_000_000, inPiecesOf: 5_000) { "new fridge f\($0)" }
  }

  @Test("large parameters")
  func parameters() throws {
    let daemon = try daemon()
    defer { daemon.letGo() }
    try attack(daemon, try client(of: daemon, in: "w"), most: 2_000, inPiecesOf: 1) { number in
      // As many different characters as there may be, so that the table is as large as it may be.
      let characters = (0..<700).map { String(UnicodeScalar(0x4E00 + UInt32($0))!) }.joined(separator: "x")
      return "new spamFilter s\(number) words=\(number),\(characters.prefix(1_200))"
    }
  }

  @Test("what machines are told and keep")
  func data() throws {
    let daemon = try daemon()
    defer { daemon.letGo() }
    let client = try client(of: daemon, in: "w")
    let text = String(repeating: "x", count: 30_000)
    try attack(daemon, client, most: 10_000, inPiecesOf: 20) { number in
      "new spamFilter s\(number) words=spam policy=flag\nsend s\(number) text \(text)\nsend s\(number) text \(text)"
    }
  }

  @Test("journals of many worlds")
  func journals() throws {
    let daemon = try daemon()
    defer { daemon.letGo() }
    let text = String(repeating: "x", count: 60_000)
    var isRefused = false
    for number in 0..<60 where !isRefused {
      let client = try client(of: daemon, in: "w\(number)")
      try expect(client.ask("new spamFilter s words=spam policy=drop"), hasPrefix: "+")
      for _ in 0..<100 {
        try client.send("send s text \(text)\nsend s reset\n")
        isRefused = try client.final().hasPrefix("- LIMIT name=memory ") || isRefused
        isRefused = try client.final().hasPrefix("- LIMIT name=memory ") || isRefused
      }
    }
    expect(isRefused)
    expect(daemon.facts.peakResidentKiB <= MemoryTests.mostKiB(), "\(daemon.facts.peakResidentKiB) KiB")
  }

  @Test("wires")
  func wires() throws {
    let daemon = try daemon()
    defer { daemon.letGo() }
    for name in ["a", "b", "c"] {
      let client = try client(of: daemon, in: name)
      try expectEqual(client.ask("quiet on"), "+")
      for begin in stride(from: 0, to: 312 * Self.budget, by: 1_000) {
        try client.send(
          (begin..<begin + 1_000).map { "new shiftKey k\($0)\nwire k0 text k\($0) character\n" }.joined())
        try client.send("@piece sync\n")
        _ = try client.lines { $0 == "+ @piece" }
      }
    }
    try expectWithin(daemon)
  }

  @Test("forks of a world that has much")
  func forks() throws {
    let daemon = try daemon()
    defer { daemon.letGo() }
    let client = try client(of: daemon, in: "w")
    try expectEqual(client.ask("quiet on"), "+")
    for begin in stride(from: 0, to: 625 * Self.budget, by: 1_000) {
      try client.send((begin..<begin + 1_000).map { "new fridge f\($0)\n" }.joined())
    }
    try expectEqual(client.ask("quiet off"), "+")
    var replies: [String] = []
    for number in 0..<60 { replies.append(try client.ask("world fork fork\(number)")) }
    expect(replies.first, hasPrefix: "+")
    expect(replies.last, hasPrefix: "- LIMIT name=memory ")
    try expectWithin(daemon)
  }

  @Test("patterns that many clients watch")
  func watches() throws {
    // As little as the others have at least, since each pattern is compared with all that its client has already.
    let daemon = try daemon(32)
    defer { daemon.letGo() }
    let world = try client(of: daemon, in: "w")
    try expect(world.ask("new power p"), hasPrefix: "+")
    var watchers: [TestClient] = []
    var isRefused = false
    for _ in 0..<200 where !isRefused {
      let watcher = try daemon.connect()
      try expect(watcher.ask("use w"), hasPrefix: "+")
      try watcher.send((0..<1_000).map { "watch \($0)\(String(repeating: "x", count: 250))*\n" }.joined())
      for _ in 0..<1_000 { isRefused = try watcher.final().hasPrefix("- LIMIT name=memory ") || isRefused }
      watchers.append(watcher)
    }
    expect(isRefused)
    try expectWithin(daemon)
  }

  @Test("long replies that nobody reads")
  func replies() throws {
    let daemon = try daemon()
    defer { daemon.letGo() }
    let maker = try client(of: daemon, in: "w")
    try expectEqual(maker.ask("quiet on"), "+")
    for begin in stride(from: 0, to: 1_562 * Self.budget, by: 1_000) {
      try maker.send((begin..<begin + 1_000).map { "new fridge f\($0)\n" }.joined())
    }
    try expectEqual(maker.ask("quiet off"), "+")
    var sleepers: [TestClient] = []
    for _ in 0..<3 * Self.budget {
      let sleeper = try daemon.connect()
      let requests = "use w\n" + String(repeating: "agenda\nlist\njournal limit=100000\n", count: 50)
      try sleeper.sendWhatFits(Array(requests.utf8), waiting: false)
      sleepers.append(sleeper)
    }
    for _ in 0..<100 { try expectEqual(maker.ask("sync"), "+") }
    try expectWithin(daemon)
  }

  @Test("batches that never end")
  func batches() throws {
    let daemon = try daemon()
    defer { daemon.letGo() }
    var clients: [TestClient] = []
    let line = "send f set " + String(repeating: "x", count: 60_000) + "\n"
    for _ in 0..<2 * Self.budget {
      let client = try daemon.connect()
      try client.send("begin\n")
      for _ in 0..<30 { try client.send(line) }
      clients.append(client)
    }
    let last = try daemon.connect()
    for _ in 0..<10 { try expectEqual(last.ask("sync"), "+") }
    try expectWithin(daemon)
    try clients.last?.send("end\n")
    _ = try clients.last?.final()
    try expect(clients.last?.final(), hasPrefix: "- LIMIT name=")
  }

  @Test("copies to go back from, of a world that changes all the time")
  func checkpoints() throws {
    let daemon = try daemon()
    defer { daemon.letGo() }
    let client = try client(of: daemon, in: "w")
    try expectEqual(client.ask("quiet on"), "+")
    for begin in stride(from: 0, to: 1_562 * Self.budget, by: 1_000) {
      try client.send((begin..<begin + 1_000).map { "new power p\($0)\n" }.joined())
    }
    for _ in 0..<30 { try client.send("cast * buttonClick\n@piece sync\n"); _ = try client.lines { $0 == "+ @piece" } }
    try expectEqual(client.ask("quiet off"), "+")
    for _ in 0..<5 { _ = try client.ask("undo") }
    try expectWithin(daemon)
  }

  /// Documents of every kind that grows, with the requests after them.
  private static var documents: [String: (Int) -> String] {
    let head = "<scxml xmlns='http://www.w3.org/2005/07/scxml' datamodel='ecmascript'>"
    func repeated(_ count: Int, _ text: (Int) -> String) -> String { (0..<count).map(text).joined() }
    func define(_ name: String, _ document: String, _ options: String = "") -> String {
      "define \(name) format=scxml \(options)bytes=\(document.utf8.count)\n\(document)"
    }
    func chart(_ number: Int, _ content: String) -> String {
      "\(define("k\(number)", "\(head)\(content)</scxml>"))new k\(number) m\(number)\nsend m\(number) go"
    }
    let child = "\(head)<datamodel><data id='x' expr=\"'y'.repeat(20000)\"/></datamodel><state/></scxml>"
    let send = "<send event='e' target='#_internal'><param name='x' expr='x + n'/></send>"
    return [
      // Each input fills the queue with megabytes, which are gone after it.
      "queues": { number in
        chart(
          number,
          """
          <datamodel><data id='x'/><data id='n' expr='0'/></datamodel><state id='a'>
          <transition event='go'><script>x = 'y'.repeat(1000); n = 0</script><raise event='t'/></transition>
          <transition event='t' cond='n &lt; 40'><assign location='n' expr='n + 1'/>\(repeated(100) { _ in send })
          <raise event='t'/></transition><transition event='e'/></state>
          """)
      },
      "data": { number in
        chart(
          number,
          """
          <datamodel><data id='x'/></datamodel><state id='a'><transition event='go'>
          <assign location='x' expr="'y'.repeat(500000)"/></transition></state>
          """)
      },
      "sessions": { number in
        chart(
          number,
          """
          <state id='a'><transition event='go' target='b'/></state>
          <state id='b'>\(repeated(20) { _ in "<invoke><content>\(child)</content></invoke>" })</state>
          """)
      },
      "histories": { number in
        (number == 0
          ? define(
            "k",
            """
            \(head)<state id='p' initial='s2999'>
            \(repeated(300) { "<history id='h\($0)' type='deep'><transition target='s0'/></history>" })
            \(repeated(3_000) { "<state id='s\($0)'/>" })<transition event='go' target='q'/></state><state id='q'/></scxml>
            """) : "") + "new k m\(number)\nsend m\(number) go"
      },
      "states": { define("k\($0)", "\(head)\(repeated(4_000) { _ in "<state/>" })</scxml>") + "sync" },
      "events": { number in
        let names = repeated(1_900) { "e\($0) " }
        return define("k\(number)", "\(head)<state><transition event='\(names)'/></state></scxml>") + "sync"
      },
      "versions": { _ in define("k", "\(head)\(repeated(1_000) { "<state id='s\($0)'/>" })</scxml>") + "sync" },
    ]
  }

  @Test(
    "documents that make much of little",
    arguments: ["data", "sessions", "histories", "states", "events", "versions"])
  func documents(what: String) throws {
    let daemon = try daemon()
    defer { daemon.letGo() }
    let document = try #require(Self.documents[what])
    try attack(daemon, try client(of: daemon, in: "w"), most: 3_000, inPiecesOf: 1, document)
  }

  @Test("what inputs of charts take is given back after them; so are documents with mistakes, and files for them")
  func passing() throws {
    // One such input needs more than the least budget.
    let budget = 64
    let daemon = try daemon(budget)
    defer { daemon.letGo() }
    let client = try client(of: daemon, in: "w")
    let queues = try #require(Self.documents["queues"])
    for number in 0..<Thorough.rounds(60, atLeast: 6) {
      try client.send(queues(number) + "\n")
      for _ in 0..<2 { try expect(client.final(), hasPrefix: "+") }
      try expect(client.final(), hasPrefix: "+ stayed ")
    }
    let states = String(repeating: "<state id='a'/>", count: 20_000)
    let mistakes = "<scxml xmlns='http://www.w3.org/2005/07/scxml'>\(states)</scxml>"
    let files = try (0..<Thorough.rounds(20, atLeast: 6)).map { _ in try daemon.connect() }
    for (number, file) in files.enumerated() {
      try client.send("define bad format=scxml bytes=\(mistakes.utf8.count)\n\(mistakes)")
      try expect(client.final(), hasPrefix: "- BAD-DEFINITION ")
      try file.send("define f resource=f\(number) format=scxml bytes=\(mistakes.utf8.count)\n\(mistakes)")
      try expect(file.final(), hasPrefix: "+ resource ")
    }
    try expectWithin(daemon, budget: budget)
  }

  @Test(
    "what is counted is what the process has, but for some percent",
    arguments: [
      "new power m%", "new fridge m%", "new shiftKey m%",
      "new spamFilter m% words=spam policy=flag\\nsend m% text TEXT",
      "new shiftKey m%\\nwire m0 text m% character",
    ])
  func exactness(what: String) throws {
    let daemon = try DaemonProcess("--ephemeral", "--memory", "8G")
    defer { daemon.letGo() }
    let client = try client(of: daemon, in: "w")
    let text = String(repeating: "x", count: 3_000)
    // Not just above a power of two: the allocator still has the halves from which tables have grown then.
    let most = what.contains("TEXT") ? 5_000 : what.contains("wire") ? 20_000 : 60_000
    // Thirty thousand of the smallest are two megabytes, of which the allocator's own halves are too large a part.
    let count = Thorough.isFull || what == "new power m%" ? most : most / 2
    func held() throws -> (counted: Int, taken: Int) {
      let counted = try client.askAll("stats").lazy.map { $0.split(separator: " ") }.first { $0[1] == "memory" }?[2]
      return (try #require(counted.flatMap { Int($0) }), daemon.facts.anonymousKiB * 1_024)
    }
    func make(_ count: Int) throws {
      try expectEqual(client.ask("quiet on"), "+")
      for begin in stride(from: 0, to: count, by: 500) {
        let requests = (begin..<begin + 500).map { number in
          what.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "\(number)")
            .split(separator: "\\n").joined(separator: "\n").split(separator: "TEXT").joined(separator: text)
            + (what.hasSuffix("TEXT") ? text : "") + "\n"
        }
        try client.send(requests.joined())
      }
      try expectEqual(client.ask("quiet off"), "+")
    }
    // The first ones, in a world of their own, also bring what the program keeps for all of them.
    try expect(client.ask("world new first"), hasPrefix: "+")
    try expect(client.ask("use first"), hasPrefix: "+")
    try make(2_000)
    try expect(client.ask("use w"), hasPrefix: "+")
    let before = try held()
    try make(count)
    let after = try held()
    let ratio = Double(after.counted - before.counted) / Double(after.taken - before.taken)
    expect((0.8...1.25).contains(ratio), "\(what): \(after.counted - before.counted) counted, \(ratio)")
  }
}
