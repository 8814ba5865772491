internal import StateMachines
internal import UnixHost

/// Going back, forking and comparing, reply included: the wait of a person.
enum RewindRows {
  /// An `undo` of one request in a world that has had a million.
  static func undo(_ effort: Effort) throws -> Row {
    let daemon = try Server.fsmd()
    defer { daemon.stop() }
    let conversation = try daemon.connect()
    try Fleet.make(kind: "power", 0..<WireBenchmark.names, on: conversation)
    try send(effort.million, on: conversation)
    var slowest = 0.0
    let pairing = try Pairing(
      rounds: effort.rounds,
      ours: {
        // The distance from the world's last copy differs in each round.
        try send(inputsInBetween, on: conversation)
        let taken = try seconds { try conversation.ask("undo", expecting: "+ paused=yes t=") }
        try conversation.ask("resume", expecting: "+ speed=1 paused=no t=")
        slowest = max(slowest, taken)
        return taken
      },
      peer: { try seconds { try conversation.ask("sync") } })
    var row = row(pairing, atMost: 0.050)
    row.remark = "the slowest took \(Figure(value: slowest, unit: .seconds).text)"
    return row
  }

  /// A `world fork`, which is dropped before the next.
  static func fork(of count: Int, atMost target: Double, _ effort: Effort) throws -> Row {
    let daemon = try Server.fsmd()
    defer { daemon.stop() }
    let conversation = try daemon.connect()
    try Fleet.make(kind: "power", 0..<count, on: conversation)
    let pairing = try Pairing(
      rounds: effort.rounds,
      ours: {
        let taken = try seconds { try conversation.ask("world fork f", expecting: "+ created f") }
        try conversation.ask("world drop f", expecting: "+ dropped f")
        return taken
      },
      peer: { try seconds { try conversation.ask("sync") } })
    return row(pairing, atMost: target)
  }

  /// A `diff` of a world and its fork, in which one machine has another state.
  static func diff(_ effort: Effort) throws -> Row {
    let daemon = try Server.fsmd()
    defer { daemon.stop() }
    let conversation = try daemon.connect()
    try Fleet.make(kind: "power", 0..<effort.million, on: conversation)
    try conversation.ask("pause")
    try conversation.ask("world fork f", expecting: "+ created f")
    try conversation.ask("send \(Workload.name(effort.million / 2)) buttonClick", expecting: "+ moved off on ")
    let pairing = try Pairing(
      rounds: effort.rounds,
      ours: {
        try seconds {
          try conversation.ask("diff main f", expecting: ". state \(Workload.name(effort.million / 2)) on off")
          try conversation.take(prefix: "+ 1", after: "diff main f")
        }
      },
      peer: { try seconds { try conversation.ask("sync") } })
    return row(pairing, atMost: nil)
  }

  private static let inputsInBetween = 9_001

  private static func send(_ count: Int, on conversation: Conversation) throws {
    let before = try Fleet.inputs(conversation)
    try conversation.ask("quiet on")
    var dice = Dice(seed: UInt64(before))
    for begin in stride(from: 0, to: count, by: 1_000) {
      var requests: [UInt8] = []
      for _ in begin..<min(begin + 1_000, count) {
        requests += "send \(Workload.name(Int(dice.next() % UInt64(WireBenchmark.names)))) buttonClick\n".utf8
      }
      try conversation.send(requests)
    }
    try conversation.ask("quiet off")
    let inputs = try Fleet.inputs(conversation)
    guard inputs == before + count else {
      throw BenchFailure.wrongReply(to: "\(count) sends", expected: "seq=\(before + count)", got: "seq=\(inputs)")
    }
  }

  private static func row(_ pairing: Pairing, atMost target: Double?) -> Row {
    Row(pairing, .seconds, beside: "sync", targets: target.map { [.atMost(Figure(value: $0, unit: .seconds))] } ?? [])
  }
}
