internal import UnixHost

/// How long a client of one world waits for `sync` while another world is attacked, compared with a client of an idle
/// daemon.
struct AttackBenchmark: Sendable {
  let attack: Attack
  let isDurable: Bool

  var what: String { "attack: \(attack.what)\(isDurable ? ", durable" : "")" }

  /// The longest measurement of an attack.
  private static let window: UInt64 = 8_000_000_000
  /// How long to wait afterwards for an answer, or for the daemon to end.
  private static let patience: UInt64 = 30_000_000_000

  func run(_ effort: Effort) throws -> Row {
    let daemon = try isDurable ? Server.durable() : Server.fsmd()
    defer { daemon.stop() }
    let idle = try isDurable ? Server.durable() : Server.fsmd()
    defer { idle.stop() }
    try attack.prepare(Arena(conversation: try daemon.connect(), isDurable: isDurable, effort: effort))
    let siege = try Siege(victim: try daemon.connect(), control: try idle.connect())
    try siege.ping(nanoseconds: 200_000_000)
    try siege.settle(nanoseconds: Self.patience)
    siege.victim.forget()
    siege.control.forget()

    let volleys = attack.volleys(effort)
    try siege.attack(on: try volleys.map { _ in try daemon.connect() }, volleys, isAbandoned: attack.isAbandoned)
    let window = min(Self.window, effort.nanoseconds * 20)
    let begin = HostClock.now()
    var end: UInt64?
    try siege.ping(nanoseconds: window) {
      guard !attack.isAbandoned, siege.isOver else { return false }
      if end == nil { end = HostClock.now() }
      // Measure long enough that one slow tick is not one of a few.
      return HostClock.now() - begin > 1_000_000_000
    }
    try siege.settle(nanoseconds: Self.patience)
    let failures = siege.attackers.reduce(0) { $0 + $1.failed }
    let firstFailure = siege.attackers.lazy.compactMap(\.firstFailure).first
    let answered = siege.attackers.reduce(0) { $0 + $1.answered }

    // It must be terminated during an attack, so start another one if the first has ended.
    if siege.isOver, !siege.victim.isLost {
      try siege.attack(on: try volleys.map { _ in try daemon.connect() }, volleys, isAbandoned: attack.isAbandoned)
    }
    try siege.ping(nanoseconds: 200_000_000)
    let peak = try daemon.use.peakResidentBytes()
    let ending = siege.terminate(daemon, patience: Self.patience)

    var remark = attack.isAbandoned ? "" : "\(answered) requests answered"
    if let end { remark += ", all after \(Figure(value: Double(end - begin) / 1e9, unit: .seconds).text)" }
    if let firstFailure { remark += ", \(failures) with a failure, first \(firstFailure)" }
    return AttackBenchmark.row(siege, ending: ending, peak: peak, remark)
  }

  /// The row of a siege.
  static func row(_ siege: Siege, ending: Double?, peak: Int, _ remark: String) -> Row {
    let (worst, quietWorst) = (siege.victim.worst, siege.control.worst)
    let (p99, quietP99) = (siege.victim.percentile99, siege.control.percentile99)
    func text(_ seconds: Double) -> String { Figure(value: seconds, unit: .seconds).text }
    var row = Row(
      ours: Figure(value: worst, unit: .seconds),
      peer: Row.Peer(
        name: "idle daemon", figure: Figure(value: quietWorst, unit: .seconds),
        ratio: quietWorst > 0 ? worst / quietWorst : 0),
      targets: [
        .holds("worst + 30 ms", worst <= quietWorst + 0.030), .holds("p99 + 3 ms", p99 <= quietP99 + 0.003),
        .holds("end 2 s", ending.map { $0 <= 2 } ?? false),
      ])
    row.remark =
      "p99 \(text(p99)), idle \(text(quietP99)); SIGTERM \(ending.map(text) ?? "in vain"); "
      + "peak \(Figure(value: Double(peak), unit: .bytes).text)"
      + (remark.isEmpty ? "" : "; \(remark)")
    return row
  }
}

/// How long a client waits while a durable world of `effort.million` inputs is loaded at start.
///
/// The wait for the connection and its greeting counts as one.
func attackByReturning(_ effort: Effort) throws -> Row {
  let folder = try TemporaryFolder()
  let noCheckpoints = ["--limit", "checkpointInputs=1000000000"]
  let idle = try Server.durable()
  defer { idle.stop() }
  do {
    let maker = try Server.durable(noCheckpoints, in: folder)
    defer { maker.stop() }
    let arena = Arena(conversation: try maker.connect(), isDurable: true, effort: effort)
    try arena.make(WireBenchmark.names, "power")
    for begin in stride(from: 0, to: effort.million, by: 10_000) {
      try arena.carryOut(
        (begin..<begin + 10_000).lazy.map { "send \(Workload.name($0 % WireBenchmark.names)) buttonClick" })
    }
    // An orderly shutdown would leave a checkpoint.
    maker.kill()
  }

  func start<Result>(_ body: (Server) throws -> Result) throws -> Result {
    let daemon = try Server.durable(noCheckpoints, in: folder)
    defer { daemon.stop() }
    return try body(daemon)
  }
  let (siege, peak) = try start { daemon in
    // Connecting succeeds as soon as the socket exists; the greeting may have to wait.
    let siege = try Siege(victim: try daemon.connect(isGreeted: false), control: try idle.connect(isGreeted: false))
    siege.awaitGreetings()
    try siege.ping(nanoseconds: 3_000_000_000)
    try siege.settle(nanoseconds: 60_000_000_000)
    defer { daemon.kill() }
    return (siege, try daemon.use.peakResidentBytes())
  }
  let ending = try start { daemon in
    try Siege(victim: try daemon.connect(isGreeted: false), control: try idle.connect())
      .terminate(daemon, patience: 60_000_000_000)
  }
  return AttackBenchmark.row(siege, ending: ending, peak: peak, "")
}

/// Two clients that advance a day in one world each, at the same time, compared with two processes that do the same.
func twoWorldsAtOnce(_ effort: Effort) throws -> Row {
  let fridges = effort.million / 10
  func prepare(_ server: Server, _ world: String) throws -> Conversation {
    let conversation = try server.connect()
    try Arena(conversation: conversation, isDurable: false, effort: effort).make(world)
    try Fleet.make(kind: "fridge", 0..<fridges, on: conversation)
    return conversation
  }
  func days(_ conversations: [Conversation]) throws -> Double {
    let taken = try seconds {
      for conversation in conversations { try conversation.send(Array("advance 1d\n".utf8)) }
      for conversation in conversations { try conversation.take(prefix: "+ advanced fired=", after: "advance 1d") }
    }
    return Double(conversations.count) / taken
  }
  let one = try Server.fsmd()
  defer { one.stop() }
  let others = [try Server.fsmd(), try Server.fsmd()]
  defer { for other in others { other.stop() } }
  let together = [try prepare(one, "a"), try prepare(one, "b")]
  let apart = try others.map { try prepare($0, "a") }
  let alone = try days([together[0]])
  _ = try days([together[1]])
  let pairing = try Pairing(
    rounds: min(effort.rounds, 3), ours: { try days(together) }, peer: { try days(apart) })
  return Row(
    pairing, .perSecond, beside: "two processes", targets: [.ratioAtLeast(0.9)],
    remark: "world-days per second; one alone \(Figure(value: alone, unit: .perSecond).text)")
}
