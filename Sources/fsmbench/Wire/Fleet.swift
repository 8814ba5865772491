/// Many machines of a kind in a daemon, named by ``Workload``.
enum Fleet {
  /// Makes machines with the numbers in `range`, without waiting for each reply.
  static func make(kind: String, _ range: Range<Int>, on conversation: Conversation) throws {
    try conversation.ask("quiet on")
    for begin in stride(from: range.lowerBound, to: range.upperBound, by: 1_000) {
      var requests: [UInt8] = []
      for index in begin..<min(begin + 1_000, range.upperBound) {
        requests += "new \(kind) \(Workload.name(index))\n".utf8
      }
      try conversation.send(requests)
    }
    // A failed `new` would have answered despite `quiet`, and be taken for this reply.
    try conversation.ask("quiet off")
  }

  /// Makes a kind from a document of SCXML.
  static func define(_ kind: String, _ document: String, on conversation: Conversation) throws {
    let line = "define \(kind) format=scxml bytes=\(document.utf8.count)"
    try conversation.send(Array("\(line)\n\(document)".utf8))
    try conversation.take(prefix: "+ defined \(kind) ", after: line)
  }

  /// The number of inputs of the daemon's world.
  static func inputs(_ conversation: Conversation) throws -> Int {
    let reply = try conversation.ask("clock", expecting: "+ clock ")
    guard let seq = reply.split(separator: " ").first(where: { $0.hasPrefix("seq=") }).flatMap({ Int($0.dropFirst(4)) })
    else { throw BenchFailure.wrongReply(to: "clock", expected: "seq=", got: reply) }
    return seq
  }
}
