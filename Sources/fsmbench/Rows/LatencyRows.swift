internal import UnixHost

/// From the start of the process until a client has read the greeting.
func startUp(_ effort: Effort) throws -> Row {
  let pairing = try Pairing(
    rounds: effort.rounds,
    ours: {
      try timeToAnswer(of: { try Server.fsmd() }) { _ in }
    },
    peer: {
      try timeToAnswer(of: { try Server.redis() }) { try $0.ask("PING", expecting: "+PONG") }
    })
  return Row(pairing, .seconds, beside: "Redis PONG", targets: [.atMost(Figure(value: 0.020, unit: .seconds))])
}

private func timeToAnswer(
  of start: () throws -> Server, firstRequest: (Conversation) throws -> Void
) throws -> Double {
  var server: Server?
  defer { server?.stop() }
  return try seconds {
    let started = try start()
    server = started
    try firstRequest(try started.connect())
  }
}

/// A day of a fridge in one request, reply included, compared with a request that does nothing.
func advanceOneDay(_ effort: Effort) throws -> Row {
  let daemon = try Server.fsmd()
  defer { daemon.stop() }
  let conversation = try daemon.connect()
  try conversation.ask("clock virtual")
  try conversation.ask("new fridge kitchen start=4", expecting: "+ created kitchen cooling ")
  let pairing = try Pairing(
    rounds: effort.rounds * 10,
    ours: {
      // A fridge switches 76 or 77 times a day.
      try seconds { try conversation.ask("advance 1d", expecting: "+ advanced fired=7") }
    },
    peer: { try seconds { try conversation.ask("sync") } })
  return Row(pairing, .seconds, beside: "sync", targets: [.atMost(Figure(value: 0.001, unit: .seconds))])
}
