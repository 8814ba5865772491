import LineProtocol
import Simulator
import StateMachines

/// What a session is in the middle of is done in slices, so that others are served in between.
extension Engine {
  /// Timers fired before the client's notices are looked at again, where it watches.
  private static let firingsBetweenNotices = 32
  /// How long time waits for a client that does not take its notices, in nanoseconds of the host.
  private static let patience: UInt64 = 5_000_000_000

  /// Goes on with a session's activity until it is done or the realm's slice is over.
  ///
  /// - Returns: False if nothing can be done now: a real clock, a worker, or the client itself, must go on first.
  func work(_ session: inout Session, _ realm: inout Realm) -> Bool {
    switch session.activity {
    case .none, .away, .compare, .fork, .deferred:
      return false
    case .advance(var advance):
      guard isReadyForNotices(&advance.patience, session, realm) else {
        session.activity = .advance(advance)
        return false
      }
      work(&advance, &session, &realm)
    case .step(var step):
      guard isReadyForNotices(&step.patience, session, realm) else {
        session.activity = .step(step)
        return false
      }
      work(&step, &session, &realm)
    case .await:
      return drive(&session, &realm)
    case .rewind(let rewind):
      work(rewind, &session, &realm)
    case .reply(let reply, let tag):
      return write(reply, tag, &session, &realm)
    }
    return true
  }

  /// Whether the client has taken enough of its notices, or has been waited for long enough.
  private func isReadyForNotices(
    _ patience: inout UInt64?, _ session: borrowing Session, _ realm: borrowing Realm
  ) -> Bool {
    guard session.cursor != nil, session.outbox.noticeBytes > limits.noticeQueue / 2 else {
      patience = nil
      return true
    }
    guard let end = patience else {
      patience = realm.host + Engine.patience
      return false
    }
    return realm.host >= end
  }

  private func work(_ advance: inout Activity.Advance, _ session: inout Session, _ realm: inout Realm) {
    while true {
      if endsForMemory(advance.tag, fired: advance.fired, &session, &realm) { return }
      var budget = realm.slice.firingsAtOnce
      if session.cursor != nil { budget = min(budget, Engine.firingsBetweenNotices) }
      let most = budget
      let before = realm.world.lastSequence
      let progress = realm.world.advance(to: advance.target, budget: &budget)
      advance.fired += most - budget
      let isLate = advance.patience.map { realm.host >= $0 } ?? false
      flushNotices(&session, realm.world, mayDrop: isLate)
      switch progress {
      case .reached:
        session.endActivity()
        advance.tag.withUnsafeBytes { answer("advanced", advance.fired, $0, &session, realm.world) }
        return
      case .livelocked:
        session.endActivity()
        advance.tag.withUnsafeBytes { failLivelocked($0, &session, &realm) }
        return
      case .more:
        session.activity = .advance(advance)
        if !realm.slice.goesOn(after: Int(realm.world.lastSequence - before))
          || session.outbox.noticeBytes > limits.noticeQueue / 2
        {
          return
        }
      }
    }
  }

  private func work(_ step: inout Activity.Step, _ session: inout Session, _ realm: inout Realm) {
    var isInTime = true
    let isLate = step.patience.map { realm.host >= $0 } ?? false
    while step.remaining > 0, isInTime {
      guard let due = realm.world.nextDue(), due <= Instant.end else {
        step.remaining = 0
        break
      }
      let before = realm.world.lastSequence
      if endsForMemory(step.tag, fired: step.fired, &session, &realm) { return }
      let hasFired = realm.world.fireNext()
      if realm.world.livelock != nil {
        session.endActivity()
        flushNotices(&session, realm.world, mayDrop: isLate)
        step.tag.withUnsafeBytes { failLivelocked($0, &session, &realm) }
        return
      }
      if hasFired { step.fired += 1 }
      step.remaining -= 1
      isInTime = realm.slice.goesOn(after: Int(realm.world.lastSequence - before))
      if session.cursor != nil, step.remaining % Engine.firingsBetweenNotices == 0 {
        flushNotices(&session, realm.world, mayDrop: isLate)
        if session.outbox.noticeBytes > limits.noticeQueue / 2 { break }
      }
    }
    flushNotices(&session, realm.world, mayDrop: isLate)
    guard step.remaining == 0 else {
      session.activity = .step(step)
      return
    }
    session.endActivity()
    step.tag.withUnsafeBytes { answer("stepped", step.fired, $0, &session, realm.world) }
  }

  /// `+ advanced fired=N t= seq=`
  private func answer(
    _ word: StaticString, _ fired: Int, _ tag: UnsafeRawBufferPointer, _ session: inout Session,
    _ world: borrowing WorldCore
  ) {
    session.outbox.buffer.begin(.success, tag: tag)
    session.outbox.buffer.word(literal: word)
    session.outbox.buffer.key("fired", UInt64(fired))
    session.endLine(world.now, world.lastSequence)
  }

  // MARK: Awaiting

  /// What the journal says of an awaited machine since it was last looked at.
  private enum Sighting {
    case nothing
    /// In the step that ended at this moment with this input: a real clock may have gone further meanwhile.
    case reached(String, at: Instant, sequence: UInt64)
    case dropped
    /// Time has gone on past the deadline without it.
    case tooLate
  }

  /// How an `await` stands when it has been looked at.
  enum Waiting {
    /// Answered.
    case over
    /// It waits until this moment; time may go on for its sake, or its client has too much to read.
    case until(Instant, mayDrive: Bool)
  }

  /// Looks at what an awaited machine has done, and answers if that is an end to it.
  func attend(_ session: inout Session, _ realm: inout Realm) -> Waiting {
    guard case .await(var wait) = session.activity else { return .over }
    let mayDrive = isReadyForNotices(&wait.patience, session, realm)
    let isLate = wait.patience.map { realm.host >= $0 } ?? false
    let sighting = look(&wait, realm.world)
    if session.cursor != nil { flushNotices(&session, realm.world, mayDrop: isLate) }
    switch sighting {
    case .reached(let state, let moment, let sequence):
      session.endActivity()
      wait.tag.withUnsafeBytes { answerReached(state, at: moment, sequence, $0, &session) }
      return .over
    case .dropped:
      failDropped(wait, &session)
      return .over
    case .tooLate:
      timeOut(wait, &session, &realm)
      return .over
    case .nothing:
      break
    }
    if realm.clock.mode == .real, realm.world.now >= wait.deadline {
      timeOut(wait, &session, &realm)
      return .over
    }
    session.activity = .await(wait)
    return .until(
      wait.deadline,
      mayDrive: mayDrive && realm.clock.mode == .virtual
        && (isLate || session.outbox.noticeBytes <= limits.noticeQueue / 2))
  }

  /// What came of moving time on for those who await something.
  enum Drive {
    case fired
    /// There is no memory for what would come.
    case full
    /// There is nothing to come, or nothing before the deadline, where time stands now.
    case arrived
    case livelocked
  }

  /// Moves a virtual clock on to the next timer, or to a deadline if none is due before it.
  func drive(_ realm: inout Realm, until deadline: Instant) -> Drive {
    guard let due = realm.world.nextDue() else { return .arrived }
    guard due <= deadline else {
      var none = 1
      _ = realm.world.advance(to: max(deadline, realm.world.now), budget: &none)
      return .arrived
    }
    guard realm.hasRoomForInputs || realm.mayGrow() else { return .full }
    _ = realm.world.fireNext()
    return realm.world.livelock == nil ? .fired : .livelocked
  }

  /// Ends the `await` of a session for whose sake time has moved as far as it may.
  func endAwait(_ session: inout Session, _ realm: inout Realm, _ drive: Drive) {
    guard case .await(let wait) = session.activity else { return }
    switch drive {
    case .fired:
      break
    case .full:
      session.endActivity()
      wait.tag.withUnsafeBytes { failMemory($0, fired: wait.fired, &session, realm) }
    case .livelocked:
      session.endActivity()
      wait.tag.withUnsafeBytes { failLivelocked($0, &session, &realm) }
    case .arrived:
      timeOut(wait, &session, &realm)
    }
  }

  /// Moves time on for one session that awaits something.
  ///
  /// - Returns: False if it waits for something else than that.
  private func drive(_ session: inout Session, _ realm: inout Realm) -> Bool {
    while true {
      guard case .until(let deadline, let mayDrive) = attend(&session, &realm) else { return true }
      guard mayDrive else { return false }
      let before = realm.world.lastSequence
      let progress = drive(&realm, until: deadline)
      guard case .fired = progress else {
        endAwait(&session, &realm, progress)
        return true
      }
      session.countFiring()
      if !realm.slice.goesOn(after: 1 + Int(realm.world.lastSequence - before)) { return true }
    }
  }

  private func look(_ wait: inout Activity.Await, _ world: borrowing WorldCore) -> Sighting {
    var wentBack = false
    while wait.reader.next <= world.lastSequence {
      guard let entry = world.read(&wait.reader) else {
        // The journal has forgotten that part; what is true now is all that can be said.
        wait.reader = world.journalReader(from: world.lastSequence + 1)
        return lookNow(wait, world)
      }
      if entry.input == .rewound { wentBack = true }
      // What was undone before anybody looked has not been.
      if world.undoer(of: entry.sequence) != nil { continue }
      if entry.moment > wait.deadline { return .tooLate }
      guard entry.machine == wait.machine else { continue }
      if entry.input == .dropped { return .dropped }
      var data: String?
      var details = world.details(of: entry)
      while let detail = details.next() { if case .dataAfter(let after) = detail { data = after } }
      if wait.query.matches(Int(entry.to), data: data) {
        let state = world.kind(of: wait.machine).states[Int(entry.to)].word(data: data)
        return .reached(state, at: entry.moment, sequence: endOfStep(from: entry, wait.reader, world))
      }
    }
    // A world that went back may be where the machine was awaited, or not have it any more.
    return wentBack ? lookNow(wait, world) : .nothing
  }

  private func lookNow(_ wait: Activity.Await, _ world: borrowing WorldCore) -> Sighting {
    guard isThere(wait, world) else { return .dropped }
    let state = world.stateIndex(of: wait.machine)
    return wait.query.matches(state, data: world.stateData(of: wait.machine))
      ? .reached(world.state(of: wait.machine), at: world.now, sequence: world.lastSequence) : .nothing
  }

  /// The last input of the step that an input belongs to: what wires deliver is part of it.
  private func endOfStep(from entry: JournalEntry, _ reader: JournalReader, _ world: borrowing WorldCore) -> UInt64 {
    var reader = reader
    var last = entry.sequence
    while let next = world.read(&reader), next.input == .delivery { last = next.sequence }
    return last
  }

  /// Whether the awaited machine still lives; its number may be another's by now.
  private func isThere(_ wait: Activity.Await, _ world: borrowing WorldCore) -> Bool {
    world.isAlive(wait.machine) && world.name(of: wait.machine) == wait.name
  }

  private func failDropped(_ wait: Activity.Await, _ session: inout Session) {
    session.endActivity()
    wait.tag.withUnsafeBytes {
      session.fail($0, .unknownMachine, [("machine", wait.name)], "'\(wait.name)' was dropped meanwhile")
    }
  }

  private func timeOut(_ wait: Activity.Await, _ session: inout Session, _ realm: inout Realm) {
    // It may have been dropped after the deadline, before anybody looked.
    guard isThere(wait, realm.world) else { return failDropped(wait, &session) }
    session.endActivity()
    let state = realm.world.state(of: wait.machine)
    wait.tag.withUnsafeBytes {
      session.fail(
        $0, .timeout, [("state", state), ("t", TimeText.seconds(realm.world.now.nanoseconds))],
        "the time is over; \(wait.name) is in \(state)")
    }
  }

  // MARK: Long replies

  private func write(
    _ reply: LongReply, _ tag: [UInt8], _ session: inout Session, _ realm: inout Realm
  ) -> Bool {
    // What the client has not taken yet comes first; a piece at a time keeps a reply of any length small.
    guard hasRoomForReply(session) || session.isRunningBatch else { return false }
    defer { session.reportMemory() }
    var reply = reply
    var printer = JournalPrinter()
    let start = session.outbox.buffer.count
    let piece = tag.withUnsafeBytes { reply.write(&realm, &printer, tag: $0, to: &session.outbox.buffer) }
    if case .graph = reply { session.outbox.keepWhole(from: start, tagLength: tag.count) }
    switch piece {
    case .more:
      session.activity = .reply(reply, tag: tag)
    case .waiting:
      session.activity = .reply(reply, tag: tag)
      return false
    case .failed(let failure):
      tag.withUnsafeBytes { failToDraw(failure, $0, &session) }
      session.endActivity()
    case .forgotten:
      tag.withUnsafeBytes { failForgotten($0, &session, realm) }
      session.endActivity()
    case .unreadable(let failure):
      session.failStorage(tag, world: realm.name, "\(failure)")
      session.endActivity()
    case .done(let lines):
      if case .past(let history, let pattern) = reply, session.cursor == nil,
        history.end + 1 < realm.world.firstSequence
      {
        // What came meanwhile is not in memory any more.
        session.activity = .reply(
          .past(history.goingOn(through: realm.world.lastSequence), pattern: pattern), tag: tag)
        return true
      }
      tag.withUnsafeBytes { tag in
        if case .past(let history, let pattern) = reply {
          beginAfterThePast(history, pattern, tag, &session, &realm)
        } else {
          session.outbox.buffer.begin(.success, tag: tag)
          session.outbox.buffer.word(UInt64(lines))
          session.outbox.buffer.endLine()
        }
      }
      session.endActivity()
    }
    return true
  }

  /// Begins a watch where the past that it asked for ends: what came in while that was written is next, in order.
  private func beginAfterThePast(
    _ history: JournalReply, _ pattern: Pattern, _ tag: UnsafeRawBufferPointer, _ session: inout Session,
    _ realm: inout Realm
  ) {
    if session.cursor == nil { session.cursor = realm.world.journalReader(from: history.end + 1) }
    begin(pattern, history.scope, tag, &session, &realm)
  }

  // MARK: Chains without end

  /// `- LIMIT name=chain …` for a request that moves time.
  private func failLivelocked(_ tag: UnsafeRawBufferPointer, _ session: inout Session, _ realm: inout Realm) {
    // Another `await` may have been told of the same chain.
    guard let livelock = realm.takeLivelock() ?? realm.unannounced else { return }
    tellLivelock(livelock, &session, realm)
    session.fail(tag, .limit, facts(of: livelock, realm.world), text(of: livelock, realm.world))
  }

  /// After a request whose input went over a limit: deliveries that were dropped and timers that were not armed are its
  /// failure; a chain of timers is not, since nothing of it is lost.
  func answerLivelock(
    _ tag: UnsafeRawBufferPointer, _ mark: Int, _ session: inout Session, _ realm: inout Realm
  ) {
    guard let livelock = realm.takeLivelock() else { return }
    if livelock.isFailure {
      session.outbox.buffer.truncate(to: mark)
      session.fail(
        tag, .limit, facts(of: livelock, realm.world) + [("seq", "\(realm.world.answer.sequence)")],
        text(of: livelock, realm.world))
    }
    session.noticeScratch.removeAll()
    append(livelock, realm, to: &session.noticeScratch)
    session.outbox.insertNotices(session.noticeScratch.bytes, at: mark)
  }

  /// `! livelock world= machine= timer= t=`, or `! limit world= name= value= machine= timer= t=` where no chain is to blame.
  func tellLivelock(_ livelock: WorldCore.Livelock, _ session: inout Session, _ realm: borrowing Realm) {
    session.noticeScratch.removeAll()
    append(livelock, realm, to: &session.noticeScratch)
    session.append(notices: session.noticeScratch.bytes)
    session.knowsLivelock = true
  }

  private func append(_ livelock: WorldCore.Livelock, _ realm: borrowing Realm, to buffer: inout ByteBuffer) {
    buffer.begin(.flow)
    let isChain = if case .keyedTimers = livelock.chain { false } else { true }
    if isChain { buffer.word(literal: "livelock") } else { buffer.word(literal: "limit") }
    buffer.key("world", realm.name)
    // The name of a chain's limit is said by the word already.
    for (key, value) in facts(of: livelock, realm.world).dropFirst(isChain ? 2 : 0) { buffer.word(key: key, value) }
    buffer.endLine()
  }

  private func facts(of livelock: WorldCore.Livelock, _ world: borrowing WorldCore) -> [(String, String)] {
    let kind = world.kind(of: livelock.machine)
    let limit: (String, Int)
    let what: (String, String)
    switch livelock.chain {
    case .timers(let timer, let key):
      limit = ("chain", limits.world.chain)
      what = ("timer", TimerText.word(kind.timers[Int(timer)].name, key: key))
    case .keyedTimers(let timer, let key):
      limit = ("keyedTimers", limits.world.keyedTimers)
      what = ("timer", TimerText.word(kind.timers[Int(timer)].name, key: key))
    case .wires(let output, let isLong):
      limit = isLong ? ("wireChain", limits.world.wireChain) : ("wireDeliveries", limits.world.wireDeliveries)
      what = ("output", kind.outputs[Int(output)].name)
    }
    return [
      ("name", limit.0), ("value", "\(limit.1)"), ("machine", world.name(of: livelock.machine)), what,
      ("t", TimeText.seconds(livelock.moment.nanoseconds)),
    ]
  }

  private func text(of livelock: WorldCore.Livelock, _ world: borrowing WorldCore) -> String {
    switch livelock.chain {
    case .keyedTimers: "\(world.name(of: livelock.machine)) has that many running; this one was not armed"
    case .timers: "timers set each other off at one instant without end; what is still due waits"
    case .wires: "outputs set each other off through wires without end; the rest was not delivered"
    }
  }
}
