/// The cost of a second connection that watches everything and reads it.
struct WatchBenchmark {
  /// The measured quantity.
  enum Cost {
    /// The senders' throughput, whether or not the watcher has its own core.
    case throughput
    /// The daemon's processor time per request, which does not depend on the load of the machine.
    case processorTime
  }

  let connections: Int
  let depth: Int
  var cost = Cost.throughput

  var what: String {
    switch cost {
    case .throughput: "power, all watched by another, \(connections) × \(depth)"
    case .processorTime: "power, all watched, processor time, \(connections) × \(depth)"
    }
  }

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
        let rate = try measure(&watched, effort, watcher.server)
        late += try watcher.askPastNotices("sync")
        try watcher.ask("unwatch *", expecting: "+ watching 0")
        return rate
      },
      peer: { try measure(&alone, effort, watcher.server) })

    let share = Double(watched.heard.lines - watched.heard.gaps + late) / Double(watched.answered)
    let unit: Figure.Unit =
      switch cost {
      case .throughput: .perSecond
      case .processorTime: .seconds
      }
    return Row(
      pairing, unit, beside: "unwatched",
      targets: cost == .throughput ? [.ratioAtLeast(0.75)] : [.ratioAtMost(1.4)],
      remark: "the watcher got \(threeDigits(share * 100)) % of the notices, with \(watched.heard.gaps) gaps")
  }

  private func measure(_ client: inout WireClient, _ effort: Effort, _ server: ProcessUse) throws -> Double {
    let answered = client.answered
    let before = try server.processorSeconds()
    let rate = try client.run(nanoseconds: effort.nanoseconds)
    let used = try server.processorSeconds() - before
    return cost == .throughput ? rate : used / Double(client.answered - answered)
  }
}
