import TestSupport
import Testing

/// How many workers there are, and who else has work for them, is nothing that a world can see.
@Suite("Worlds on any number of workers", .serialized)
struct WorkersTests {
  /// What is asked of one world. Each request is long enough to be a worker's, or comes between two that are.
  private static func requests(_ world: Int) -> [String] {
    var requests = ["world new w\(world) seed=\(world)", "use w\(world)", "quiet on"]
    requests += (0..<30).map { "new fridge f\($0) start=\($0 % 7)" }
    requests += (0..<300).map { "new shiftKey k\($0)" }
    requests += (1..<60).map { "wire k0 capsLockOn k\($0) tap" }
    requests += [
      "quiet off", "advance \(world + 1)d", "cast k* tap", "advance 100ms", "cast k* tap", "step 500",
      "begin", "cast k1* tap", "cast f* doorOpened", "send k0 tap", "end", "advance 6h", "undo 3",
      "goto 1h", "advance 12h", "await k7 off within=1d", "cast k? tap", "count", "list limit=5", "agenda limit=5",
      "world fork copy\(world)", "use copy\(world)", "advance 6h", "diff w\(world) copy\(world)", "use w\(world)",
      "coverage", "journal since=1 limit=1000000",
    ]
    return requests
  }

  /// All that comes of four worlds whose clients ask at the same time.
  private func answers(workers: Int) throws -> [[String]] {
    let daemon = try DaemonProcess("--ephemeral", "--workers", "\(workers)", "--limit", "replyQueue=67108864")
    let clients = try (0..<4).map { _ in try daemon.connect() }
    for (world, client) in clients.enumerated() {
      try client.send(Self.requests(world).joined(separator: "\n") + "\n@last sync\n")
    }
    return try clients.map { client in try client.lines { $0 == "+ @last" } }
  }

  @Test("one, two or eight workers: the same answers and the same journals, to the byte")
  func same() throws {
    let one = try answers(workers: 1)
    expect(one.allSatisfy { $0.count > 5_000 }, "the requests bring something")
    for workers in [2, 8] {
      for (world, (expected, found)) in zip(one, try answers(workers: workers)).enumerated() {
        let difference = zip(expected, found).first { $0 != $1 }
        expect(expected.count == found.count && difference == nil, "\(workers) workers, world \(world): \(difference)")
      }
    }
  }
}
