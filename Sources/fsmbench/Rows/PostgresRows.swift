internal import UnixHost

/// A world on PostgreSQL, compared with bare insertions of the same bytes over one connection, a commit for each batch of
/// all clients.
struct PostgresBenchmark {
  let connections: Int
  let depth: Int
  let targets: [Row.Target]

  var what: String { "durable on PostgreSQL, \(connections) × \(depth)" }

  func run(_ effort: Effort) throws -> Row {
    let database = try PostgresPeer()
    defer { database.stop() }
    try database.run("CREATE TABLE bare(bytes bytea NOT NULL)")
    try database.run("ALTER TABLE bare ALTER COLUMN bytes SET STORAGE EXTERNAL")
    let daemon = try Server.durable(["--store", database.address])
    defer { daemon.stop() }
    let control = try daemon.connect()
    try Fleet.make(kind: "power", 0..<WireBenchmark.names, on: control)
    var client = try WireClient(
      conversations: try (0..<connections).map { _ in try daemon.connect() },
      workload: Workload(depth: depth, names: WireBenchmark.names, Workload.send("buttonClick")))
    let batch = connections * depth
    var bytes: [UInt8] = []
    let pairing = try Pairing(
      rounds: effort.rounds,
      ours: {
        let before = try stored(database)
        let rate = try client.run(nanoseconds: effort.nanoseconds)
        let after = try stored(database)
        bytes = [UInt8](
          repeating: 0x78, count: batch * (after.bytes - before.bytes) / max(1, after.inputs - before.inputs))
        return rate
      },
      peer: {
        try rate(for: effort.nanoseconds) { _ in
          try database.run("INSERT INTO bare(bytes) VALUES ($1)", bytes)
          return batch
        }
      })
    let inputs = try Fleet.inputs(control)
    guard try stored(database).inputs == inputs, inputs >= WireBenchmark.names + client.answered else {
      throw BenchFailure.wrongReply(
        to: "clock", expected: "seq=\(try stored(database).inputs)", got: "seq=\(inputs)")
    }
    return Row(pairing, .perSecond, beside: "bare commits", targets: targets)
  }

  private func stored(_ database: PostgresPeer) throws -> (inputs: Int, bytes: Int) {
    let numbers = try database.run(
      "SELECT coalesce(sum(last - first + 1), 0)::bigint, coalesce(sum(size), 0)::bigint FROM fsmd.segments")
    return (numbers[0], numbers[1])
  }
}
