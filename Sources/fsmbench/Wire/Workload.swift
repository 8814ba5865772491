import StateMachines

/// Requests of one kind, made before the measurement, so that sending costs the same for every server.
struct Workload {
  /// Each holds `depth` requests, to be sent in one piece.
  let batches: [[UInt8]]
  /// How many requests are outstanding on a connection.
  let depth: Int

  /// Requests for machines (or keys) drawn at random.
  ///
  /// - Parameters:
  ///   - names: How many different ones there are: ``name(_:)`` of 0 and up.
  ///   - request: One request, with its line end.
  init(depth: Int, names: Int, seed: UInt64 = 1, _ request: (_ name: String) -> String) {
    self.depth = depth
    var dice = Dice(seed: seed)
    let requests = (0..<names).map { Array(request(Self.name($0)).utf8) }
    // Enough batches that the next one is not always in the processor's cache.
    let count = max(64, 100_000 / depth)
    batches = (0..<count).map { _ in
      var batch: [UInt8] = []
      for _ in 0..<depth { batch += requests[Int(dice.next() % UInt64(names))] }
      return batch
    }
  }

  /// `m000000`, `m000001` and so on.
  static func name(_ index: Int) -> String {
    let digits = String(index)
    return "m" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }

  static func send(_ event: String) -> (String) -> String {
    { name in "send \(name) \(event)\n" }
  }

  /// `SET` in RESP, Redis's own format and its fast one.
  static func set(_ name: String) -> String {
    "*3\r\n$3\r\nSET\r\n$\(name.utf8.count)\r\n\(name)\r\n$2\r\non\r\n"
  }
}

/// The same numbers in every run.
typealias Dice = Generator
