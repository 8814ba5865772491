import LineProtocol
import Simulator
import StateMachines

/// Refuses requests that exceed the memory budget. The check runs between requests and never within a step, so that no
/// result depends on it and a replay gives the same world.
extension RequestContext {
  /// Whether a request may take the memory that it is likely to need. Writes a failure if not.
  func admits(_ row: VerbRow) -> Bool {
    if let growth = growth(row.memory), !live.mayGrow(by: growth) {
      failMemory(of: growth)
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
    let shortage = session.share.shortage()
    fail(
      .limit, shortage.keys,
      "\(shortage.holder) is used up, and \(session.outbox.waiting) bytes of it wait for this client; read them first")
    return false
  }

  /// Whether a world may take another input. Writes a failure if not.
  @inline(never)
  func admitsInput() -> Bool {
    if live.mayGrow() { return true }
    failMemory()
    return false
  }

  /// `- LIMIT name=memory value=…`
  func failMemory(_ keys: [(String, String)] = [], of more: Int = 0) { failMemory(live.share.shortage(of: more), keys) }

  func failMemory(_ shortage: MemoryShortage, _ keys: [(String, String)] = []) {
    fail(
      .limit, shortage.keys + keys,
      "\(shortage.holder) is used up; 'stats' says by what, 'drop' and 'world drop' free some")
  }

  /// `- LIMIT name=memory value=… fired= t= seq=` for a request that moves time.
  func failMemory(fired: Int) { failMemory([("fired", "\(fired)")] + place) }

  /// Ends a request that moves time if there is no memory for further inputs.
  func endsForMemory(fired: Int) -> Bool {
    if live.hasRoomForInputs || live.mayGrow() { return false }
    session.endActivity()
    session.flushNotices(live.world, mayDrop: false)
    failMemory(fired: fired)
    return true
  }

  /// About how many bytes a request adds to a world at once; nil if none. Anything below a block of the journal counts
  /// as 0, and the first block counts: many worlds with one input each add up.
  private func growth(_ memory: VerbRow.Memory) -> Int? {
    switch memory {
    case .little, .reply, .longReply, .agendaReply, .wiresReply, .waveReply: nil
    case .world: live.world.journal.openings == 0 ? Journal.blockSize : 0
    case .document:
      // A file for a later document is its client's.
      words["resource"] != nil ? nil : session.document.map { DefinedKind.bytes(ofDocument: $0.storageBytes) }
    case .watch: live.world.machineCount / 4
    case .worldCopy: live.world.bytesOfACopy
    }
  }

  /// About how many bytes are kept for a client until its reply is written.
  private func snapshot(_ memory: VerbRow.Memory) -> Int {
    switch memory {
    case .agendaReply: live.world.bytesOfAnAgendaListing
    case .wiresReply: live.world.wireCount * MemoryLayout<Wire>.stride
    case .waveReply: live.world.kinds.contains { !$0.readings.isEmpty } ? live.world.bytesOfACopy : 0
    case .little, .reply, .longReply, .world, .document, .watch, .worldCopy: 0
    }
  }

  /// The `stats` lines about memory.
  func memoryLines(_ line: (_ name: String, _ bytes: Int) -> Void) {
    live.reportMemory()
    let budget = live.share.budget
    budget.measureNow()
    line("memory", budget.counted)
    for use in MemoryBudget.Use.all { line("memory.\(use.name)", budget.counted(for: use)) }
    line("resident", budget.resident)
  }
}

extension VerbRow.Memory {
  fileprivate var isLong: Bool {
    switch self {
    case .longReply, .agendaReply, .wiresReply, .waveReply: true
    case .little, .reply, .world, .document, .watch, .worldCopy: false
    }
  }
}

extension MemoryBudget.Use {
  /// The name that follows `memory.` in `stats`.
  var name: String {
    switch self {
    case .world(let use): "\(use)"
    case .requests: "requests"
    case .replies: "replies"
    }
  }
}

extension LiveWorld {
  /// Whether the world has taken little more memory since the last check, so that the next input needs no check. A check that
  /// was not made for a guest says nothing of a guest's limit.
  @inline(__always)
  var hasRoomForInputs: Bool { world.growths == growths && (admitsGuests || !share.isBoundForGuest) }

  /// Reports the world's current size to the budget.
  mutating func reportMemory() {
    share.report(world.footprint)
    reportMachines()
  }

  /// Reports the world's machines to its owner's quota.
  @inline(__always)
  mutating func reportMachines() {
    if share.quota != nil { share.report(machines: world.machineCount) }
  }

  /// Whether the world may grow by this many bytes. If not, the world first discards data that can be rebuilt.
  ///
  /// - Complexity: as ``WorldCore/footprint``.
  @inline(never)
  mutating func mayGrow(by more: Int = 0) -> Bool {
    reportMemory()
    if !share.admits(more) {
      world.discardRebuildable()
      reportMemory()
      guard share.admits(more) else { return false }
    }
    growths = world.growths
    admitsGuests = share.isBoundForGuest
    return true
  }
}

extension Session {
  /// Whether the next piece of a long reply may be written: the client has read most of the output, or all of it when
  /// memory is short.
  var hasRoomForReply: Bool {
    let waiting = outbox.waiting
    return waiting == 0 || (waiting < ReplyPiece.mostUnwritten && share.admits(ReplyPiece.size, beside: waiting))
  }

  private var requestBytes: Int {
    input.storageBytes + (batch?.storageBytes ?? 0) + (incoming?.storageBytes ?? 0)
      + resources.reduce(0) { $0 + $1.size }
  }

  private var replyBytes: Int { outbox.storageBytes + noticeScratch.storageBytes + activity.storageBytes }

  /// Reports the client's current memory to the budget.
  ///
  /// - Parameter snapshot: Bytes that its next reply will take.
  mutating func reportMemory(beside snapshot: Int = 0) {
    share.report(requests: requestBytes, replies: replyBytes + snapshot)
  }
}

extension Activity.Deferred {
  /// Bytes of the kept request lines.
  var storageBytes: Int {
    switch requests {
    case .line(let bytes): bytes.capacity
    case .batch(let batch): batch.storageBytes
    case .definition(let line, let document): line.capacity + document.storageBytes
    }
  }
}

extension Activity {
  /// Bytes copied for a long reply or kept for a deferred request.
  fileprivate var storageBytes: Int {
    switch self {
    case .reply(let reply, _): reply.bytes
    case .deferred(let deferred): deferred.storageBytes
    case .away(let away): away.bytes
    case .none, .advance, .step, .await, .rewind, .compare, .fork: 0
    }
  }
}

extension Service {
  /// Hosts a world and begins to count its memory.
  func host(_ box: LiveWorld.Box) -> HostedWorld {
    box.live.share.join(budget, user(WorldKey(box.live.name).owner).quota)
    box.live.reportMemory()
    return HostedWorld(box, store(of: box.live.name))
  }

  /// Checks the budget at the end of a round: counts the clients' memory, and discards data that can be rebuilt when
  /// memory is short.
  func maintainMemory(of dirty: some Sequence<Client>) {
    for client in dirty { client.session.reportMemory() }
    rounds &+= 1
    if rounds % Service.roundsBetweenMeasures == 0 { budget.measureNow() }
    guard budget.isNearlyUsedUp, host >= relievedAt + Service.reliefDistance else { return }
    relievedAt = host
    environment.graphs.forgetAll()
    for hosted in worlds.values {
      guard let home = hosted.home else { continue }
      home.live.world.discardRebuildable()
      home.live.reportMemory()
    }
    for client in clients.values { freeOutput(of: client) }
    giveBackMemory()
    budget.measureNow()
  }

  /// Frees the space of output that was written. Many clients that read nothing more would keep much.
  func freeOutput(of client: Client) {
    client.session.outbox.shrinkIfEmpty()
    client.session.reportMemory()
  }

  /// Rounds between two measurements of the process, whatever was counted.
  private static let roundsBetweenMeasures = 64
  /// The shortest time between two discards of rebuildable data, in nanoseconds, since it may be rebuilt at once.
  private static let reliefDistance: UInt64 = 1_000_000_000
}
