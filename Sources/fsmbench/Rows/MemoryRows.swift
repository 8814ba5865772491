/// The memory of an idle named machine, journal record included, compared with a key in Redis.
struct MemoryBenchmark {
  let kind: String
  /// The initial state of the machines.
  let state: String
  /// Bytes per machine.
  let target: Double
  /// The document that the kind is made from; nil for a kind of the program.
  var document: String?

  var what: String { "memory per \(kind)\(document == nil ? "" : " chart"), of a million" }

  func run(_ effort: Effort) throws -> Row {
    let ours = try Self.bytes(each: effort.million, in: Server.fsmd()) { conversation, count in
      if let document { try Fleet.define(kind, document, on: conversation) }
      try Fleet.make(kind: kind, 0..<count, on: conversation)
      try conversation.ask("expect \(Workload.name(count - 1)) \(state)")
    }
    let peer = try Self.bytes(each: effort.million, in: Server.redis()) { conversation, count in
      // The counterpart of `quiet on`; it has no reply itself.
      try conversation.send(Array("CLIENT REPLY OFF\r\n".utf8))
      for begin in stride(from: 0, to: count, by: 1_000) {
        let range = begin..<min(begin + 1_000, count)
        try conversation.send(range.flatMap { Array(Workload.set(Workload.name($0)).utf8) })
      }
      try conversation.ask("CLIENT REPLY ON", expecting: "+OK")
      try conversation.ask("DBSIZE", expecting: ":\(count)")
    }
    return Row(
      ours: Figure(value: ours, unit: .bytes),
      peer: Row.Peer(name: "Redis key", figure: Figure(value: peer, unit: .bytes), ratio: ours / peer),
      targets: [.atMost(Figure(value: target, unit: .bytes))])
  }

  /// How much a server's resident memory grows per thing while `fill` adds `count` things.
  private static func bytes(
    each count: Int, in server: Server, fill: (Conversation, Int) throws -> Void
  ) throws -> Double {
    defer { server.stop() }
    let conversation = try server.connect()
    let before = try conversation.server.residentBytes()
    try fill(conversation, count)
    return Double(try conversation.server.residentBytes() - before) / Double(count)
  }
}
