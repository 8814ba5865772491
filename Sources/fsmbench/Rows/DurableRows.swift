internal import UnixHost

/// A durable world over the wire, 50 connections with 64 outstanding requests each, compared with a peer with the same
/// persistence or none.
struct DurableBenchmark {
  enum Peer {
    /// The same daemon without persistence.
    case ephemeral
    /// Redis with an append-only file; `sync` says when it waits for the disk.
    case redis(sync: String)
  }

  /// The value of `--durability`.
  let durability: String
  let peer: Peer
  /// The target share of the peer's throughput.
  let target: Double

  private static let event = "buttonClick"

  var what: String {
    switch peer {
    case .ephemeral: "durable on the wire, 50 × 64"
    case .redis: "durable on the wire, 50 × 64, \(durability)"
    }
  }

  private var peerName: String {
    switch peer {
    case .ephemeral: "--ephemeral"
    case .redis(let sync): "Redis SET, fsync \(sync)"
    }
  }

  func run(_ effort: Effort) throws -> Row {
    let daemon = try Server.durable(["--durability", durability])
    defer { daemon.stop() }
    let other =
      switch peer {
      case .ephemeral: try Server.fsmd()
      case .redis(let sync): try Server.redis(appendingWithSync: sync)
      }
    defer { other.stop() }
    let control = try daemon.connect()
    try Fleet.make(kind: "power", 0..<WireBenchmark.names, on: control)
    if case .ephemeral = peer { try Fleet.make(kind: "power", 0..<WireBenchmark.names, on: try other.connect()) }
    var ours = try client(of: daemon, Workload.send(Self.event))
    var theirs =
      switch peer {
      case .ephemeral: try client(of: other, Workload.send(Self.event))
      case .redis: try client(of: other, Workload.set)
      }
    let pairing = try Pairing(
      rounds: effort.rounds,
      ours: { try ours.run(nanoseconds: effort.nanoseconds) },
      peer: { try theirs.run(nanoseconds: effort.nanoseconds) })
    let inputs = try Fleet.inputs(control)
    guard inputs >= WireBenchmark.names + ours.answered else {
      throw BenchFailure.wrongReply(
        to: "clock", expected: "seq=\(WireBenchmark.names + ours.answered)", got: "seq=\(inputs)")
    }
    return Row(pairing, .perSecond, beside: peerName, targets: [.ratioAtLeast(target)])
  }

  private func client(of server: Server, _ request: (String) -> String) throws -> WireClient {
    try WireClient(
      conversations: try (0..<50).map { _ in try server.connect() },
      workload: Workload(depth: 64, names: WireBenchmark.names, request))
  }
}

/// From the start of a daemon until the greeting is read, with a million inputs after the latest checkpoint.
func startWithAMillionInputs(_ effort: Effort) throws -> Row {
  let folder = try TemporaryFolder()
  let noCheckpoints = ["--limit", "checkpointInputs=1000000000"]
  let server = try Server.durable(noCheckpoints, in: folder)
  let conversation = try server.connect()
  try Fleet.make(kind: "power", 0..<WireBenchmark.names, on: conversation)
  try conversation.ask("quiet on")
  for begin in stride(from: 0, to: effort.million, by: 1_000) {
    try conversation.send(
      (begin..<(begin + 1_000)).flatMap { "send \(Workload.name($0 % WireBenchmark.names)) buttonClick\n".utf8 })
  }
  try conversation.ask("quiet off")
  let inputs = try Fleet.inputs(conversation)
  conversation.server.kill()
  server.stop()
  let pairing = try Pairing(
    rounds: effort.rounds,
    ours: {
      var started: (server: Server, conversation: Conversation)?
      // Killed, since an orderly shutdown would leave a checkpoint for the next round.
      defer {
        started?.conversation.server.kill()
        started?.server.stop()
      }
      return try seconds {
        let server = try Server.durable(noCheckpoints, in: folder)
        let conversation = try server.connect()
        started = (server, conversation)
        guard try Fleet.inputs(conversation) == inputs else {
          throw BenchFailure.wrongReply(to: "clock", expected: "seq=\(inputs)", got: "another")
        }
      }
    },
    peer: {
      var started: Server?
      defer { started?.stop() }
      return try seconds {
        let server = try Server.fsmd()
        started = server
        _ = try server.connect()
      }
    })
  return Row(pairing, .seconds, beside: "with nothing", targets: [.atMost(Figure(value: 2, unit: .seconds))])
}
