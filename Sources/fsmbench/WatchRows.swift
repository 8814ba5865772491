/// What it costs the sender that a second connection watches everything, and reads it.
struct WatchBenchmark {
  let connections: Int
  let depth: Int

  var what: String { "power, all watched by another, \(connections) × \(depth)" }

  func run(_ effort: Effort) throws -> Row {
    let daemon = try Server.fsmd()
    defer { daemon.stop() }
    try Fleet.make(kind: "power", 0..<WireBenchmark.names, on: try daemon.connect())
    let workload = Workload(depth: depth, names: WireBenchmark.names, Workload.send("buttonClick"))
    let watcher = try daemon.connect()
    var alone = try WireClient(
      conversations: try (0..<connections).map { _ in try daemon.connect() }, workload: workload)
    var watched = try WireClient(
      conversations: try (0..<connections).map { _ in try daemon.connect() }, workload: workload, listener: watcher)
    var late = 0

    let pairing = try Pairing(
      rounds: effort.rounds,
      ours: {
        try watcher.ask("watch *", expecting: "+ watching 1")
        let rate = try watched.run(nanoseconds: effort.nanoseconds)
        late += try watcher.askPastNotices("sync")
        try watcher.ask("unwatch *", expecting: "+ watching 0")
        return rate
      },
      peer: { try alone.run(nanoseconds: effort.nanoseconds) })

    let share = Double(watched.heard.lines - watched.heard.gaps + late) / Double(watched.answered)
    var row = Row(
      ours: Figure(value: pairing.ours, unit: .perSecond),
      peer: Row.Peer(
        name: "unwatched", figure: Figure(value: pairing.peer, unit: .perSecond), ratio: pairing.ratio),
      targets: [.ratioAtLeast(0.75)])
    row.remark = "the watcher got \(threeDigits(share * 100)) % of the notices, with \(watched.heard.gaps) gaps"
    return row
  }
}
