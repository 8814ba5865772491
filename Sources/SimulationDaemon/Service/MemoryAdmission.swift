import LineProtocol
import Simulator
import StateMachines

/// Refusing what there is no memory for. It is looked at between requests, never within one step, so that no step hangs on
/// it and a replay comes out the same.
extension RequestContext {
  /// Whether a request may have the memory that it is likely to take; a failure is written if not.
  func admits(_ row: VerbRow) -> Bool {
    if let growth = growth(row.memory), !realm.mayGrow(by: growth) {
      failMemory()
      return false
    }
    if case .little = row.memory { return true }
    let snapshot = snapshot(row.memory)
    session.reportMemory(beside: snapshot)
    let budget = session.share.budget
    if session.share.admits(0, beside: session.outbox.waiting + snapshot),
      !row.memory.isLong || budget.hasRoomForReplies || budget.hasRoom(for: 0)
    {
      return true
    }
    session.reportMemory()
    fail(
      .limit, memory(session.share.budget),
      "the daemon's memory is used up, and \(session.outbox.waiting) bytes of it wait for this client; read them first")
    return false
  }

  /// Whether an input may come into a world at all; a failure is written if not.
  @inline(never)
  func admitsInput() -> Bool {
    if realm.mayGrow() { return true }
    failMemory()
    return false
  }

  /// `- LIMIT name=memory value=…`
  func failMemory(_ keys: [(String, String)] = []) {
    fail(
      .limit, memory(realm.share.budget) + keys,
      "the daemon's memory is used up; 'stats' says by what, 'drop' and 'world drop' free some")
  }

  /// `- LIMIT name=memory value=… fired= t= seq=` for a request that moves time.
  func failMemory(fired: Int) { failMemory([("fired", "\(fired)")] + place) }

  /// Ends a request that moves time, if there is no memory for further inputs.
  func endsForMemory(fired: Int) -> Bool {
    if realm.hasRoomForInputs || realm.mayGrow() { return false }
    session.endActivity()
    session.flushNotices(realm.world, mayDrop: false)
    failMemory(fired: fired)
    return true
  }

  private func memory(_ budget: MemoryBudget) -> [(String, String)] {
    [("name", "memory"), ("value", "\(budget.bytes)")]
  }

  /// About how many bytes a request adds to a world at once, nil if none; less than a block of the journal is not counted.
  private func growth(_ memory: VerbRow.Memory) -> Int? {
    switch memory {
    case .little, .reply, .longReply, .agendaReply, .wiresReply: nil
    case .world: 0
    case .watch: realm.world.machineCount / 4
    case .worldCopy: realm.world.bytesOfACopy
    }
  }

  /// About how many bytes are kept for a client until its reply is written.
  private func snapshot(_ memory: VerbRow.Memory) -> Int {
    switch memory {
    case .agendaReply: realm.world.bytesOfAnAgendaListing
    case .wiresReply: realm.world.wireCount * MemoryLayout<Wire>.stride
    case .little, .reply, .longReply, .world, .watch, .worldCopy: 0
    }
  }

  /// The lines of `stats` about memory.
  func memoryLines(_ line: (_ name: String, _ bytes: Int) -> Void) {
    realm.reportMemory()
    let budget = realm.share.budget
    budget.measureNow()
    line("memory", budget.counted)
    for use in MemoryBudget.Use.all { line("memory.\(use.name)", budget.counted(for: use)) }
    line("resident", budget.resident)
  }
}

extension VerbRow.Memory {
  fileprivate var isLong: Bool {
    switch self {
    case .longReply, .agendaReply, .wiresReply: true
    case .little, .reply, .world, .watch, .worldCopy: false
    }
  }
}

extension MemoryBudget.Use {
  /// As `stats` has it, behind `memory.`.
  var name: String {
    switch self {
    case .world(let use): "\(use)"
    case .requests: "requests"
    case .replies: "replies"
    }
  }
}

extension Realm {
  /// Whether nothing has to be looked at before the next input: the journal has room for it where it is.
  @inline(__always)
  var hasRoomForInputs: Bool { world.journal.openings == openings }

  /// Says what the world holds now.
  mutating func reportMemory() {
    share.report(world.footprint)
  }

  /// Whether the world may have so many bytes more. What can be made again is given up first.
  ///
  /// - Complexity: as ``WorldCore/footprint``.
  @inline(never)
  mutating func mayGrow(by more: Int = 0) -> Bool {
    reportMemory()
    if !share.admits(more) {
      world.giveUpWhatCanBeMadeAgain()
      reportMemory()
      guard share.admits(more) else { return false }
    }
    openings = world.journal.openings
    return true
  }
}

extension Session {
  /// Whether another piece of a long reply may be written: the client has taken most of what there was, or all of it where
  /// there is no memory left.
  var hasRoomForReply: Bool {
    let waiting = outbox.waiting
    return waiting == 0 || (waiting < LongReply.mostUnwritten && share.admits(LongReply.pieceSize, beside: waiting))
  }

  private var requestBytes: Int { input.storageBytes + (batch?.storageBytes ?? 0) }

  private var replyBytes: Int { outbox.storageBytes + noticeScratch.storageBytes + activity.storageBytes }

  /// Says what the client has now.
  ///
  /// - Parameter snapshot: What it is about to get.
  mutating func reportMemory(beside snapshot: Int = 0) {
    share.report(requests: requestBytes, replies: replyBytes + snapshot)
  }
}

extension Activity.Deferred {
  /// What is kept of the lines.
  var storageBytes: Int {
    switch requests {
    case .line(let bytes): bytes.capacity
    case .batch(let batch): batch.storageBytes
    }
  }
}

extension Activity {
  /// What a long reply is made of, where that was copied.
  fileprivate var storageBytes: Int {
    switch self {
    case .reply(.agenda(let listing, _), _): listing.bytes
    case .reply(.wires(let items, _, _), _): items.count * MemoryLayout<Wire>.stride
    case .deferred(let deferred): deferred.storageBytes
    case .none, .advance, .step, .await, .rewind, .compare, .fork, .reply, .away: 0
    }
  }
}

extension Service {
  /// Takes a world in, whose memory is counted from now on.
  func host(_ realm: consuming Realm) -> HostedWorld {
    host(RealmBox(realm))
  }

  func host(_ box: RealmBox) -> HostedWorld {
    box.realm.share.join(budget)
    box.realm.reportMemory()
    return HostedWorld(box)
  }

  /// Looks after the budget at the end of a round: what clients have is counted, and what can be made again is given up
  /// where little is left.
  func maintainMemory(of dirty: some Sequence<Client>) {
    for client in dirty { client.session.reportMemory() }
    rounds &+= 1
    if rounds % Service.roundsBetweenMeasures == 0 { budget.measureNow() }
    guard budget.isNearlyUsedUp, host >= relievedAt + Service.reliefDistance else { return }
    relievedAt = host
    environment.graphs.forgetAll()
    for hosted in worlds.values {
      guard let home = hosted.home else { continue }
      home.realm.world.giveUpWhatCanBeMadeAgain()
      home.realm.reportMemory()
    }
    giveBackMemory()
    budget.measureNow()
  }

  /// How many rounds go by until the process is measured, whatever was counted.
  private static let roundsBetweenMeasures = 64
  /// How often what can be made again is given up at the most, in nanoseconds: it may be made again at once.
  private static let reliefDistance: UInt64 = 1_000_000_000
}
