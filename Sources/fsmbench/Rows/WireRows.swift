internal import UnixHost

/// A row over the wire: the daemon compared with Redis, one client, the same pipelining.
struct WireBenchmark {
  let connections: Int
  let depth: Int
  let kind: String
  let event: String
  /// The target share of Redis's throughput; nil for none.
  let target: Double?
  /// Options of the daemon besides its socket.
  var options: [String] = []

  static let names = 10_000

  var what: String {
    let way = depth == 1 ? "one at a time" : connections == 1 ? "1 × \(depth)" : "\(connections) × \(depth)"
    return (["\(kind) on the wire, \(way)"] + options).joined(separator: " ")
  }

  func run(_ effort: Effort) throws -> Row {
    let daemon = try Server.fsmd(options)
    defer { daemon.stop() }
    let redis = try Server.redis()
    defer { redis.stop() }
    let daemonControl = try daemon.connect()
    let redisControl = try redis.connect()
    try Fleet.make(kind: kind, 0..<Self.names, on: daemonControl)
    var daemonClient = try WireClient(
      conversations: try conversations(with: daemon),
      workload: Workload(depth: depth, names: Self.names, Workload.send(event)))
    var redisClient = try WireClient(
      conversations: try conversations(with: redis), workload: Workload(depth: depth, names: Self.names, Workload.set))

    let daemonBefore = try daemonControl.server.processorSeconds()
    let redisBefore = try redisControl.server.processorSeconds()
    let pairing = try Pairing(
      rounds: effort.rounds,
      ours: { try daemonClient.run(nanoseconds: effort.nanoseconds) },
      peer: { try redisClient.run(nanoseconds: effort.nanoseconds) })
    let daemonTime = try daemonControl.server.processorSeconds() - daemonBefore
    let redisTime = try redisControl.server.processorSeconds() - redisBefore

    let inputs = try Fleet.inputs(daemonControl)
    guard inputs >= Self.names + daemonClient.answered else {
      throw BenchFailure.wrongReply(
        to: "clock", expected: "seq=\(Self.names + daemonClient.answered)", got: "seq=\(inputs)")
    }
    try daemonControl.ask("send \(Workload.name(0)) \(event)", expecting: "+ moved ")
    try redisControl.ask("EXISTS \(Workload.name(0))", expecting: ":1")
    let each = Figure(value: daemonTime / Double(daemonClient.answered), unit: .seconds)
    let peerEach = Figure(value: redisTime / Double(redisClient.answered), unit: .seconds)
    return Row(
      pairing, .perSecond, beside: "Redis SET", targets: target.map { [.ratioAtLeast($0)] } ?? [],
      remark: "processor time per request: \(each.text), Redis \(peerEach.text)")
  }

  private func conversations(with server: Server) throws -> [Conversation] {
    try (0..<connections).map { _ in try server.connect() }
  }
}
