import LineProtocol
import Simulator
import StateMachines

/// What a session is in the middle of is done in slices, so that others are served in between.
extension RequestContext {
  /// Timers fired before the client's notices are looked at again, where it watches.
  private static let firingsBetweenNotices = 32
  /// How long time waits for a client that does not take its notices, in nanoseconds of the host.
  private static let longestPatience: UInt64 = 5_000_000_000

  /// Goes on with a session's activity until it is done or the realm's slice is over.
  ///
  /// - Returns: False if nothing can be done now: a real clock, a worker, or the client itself, must go on first.
  func work() -> Bool { session.activity.tag.withUnsafeBytes { tag in answering(tag) { $0.goOn() } } }

  private func goOn() -> Bool {
    switch session.activity {
    case .none, .away, .compare, .fork, .deferred:
      return false
    case .advance(var advance):
      guard isReadyForNotices(&advance.patience) else {
        session.activity = .advance(advance)
        return false
      }
      work(&advance)
    case .step(var step):
      guard isReadyForNotices(&step.patience) else {
        session.activity = .step(step)
        return false
      }
      work(&step)
    case .await:
      return drive()
    case .rewind(let rewind):
      work(rewind)
    case .reply(let reply, _):
      return write(reply)
    }
    return true
  }

  /// Whether the client has taken enough of its notices, or has been waited for long enough.
  private func isReadyForNotices(_ patience: inout UInt64?) -> Bool {
    guard session.cursor != nil, session.outbox.noticeBytes > limits.noticeQueue / 2 else {
      patience = nil
      return true
    }
    guard let end = patience else {
      patience = realm.host + RequestContext.longestPatience
      return false
    }
    return realm.host >= end
  }

  private func work(_ advance: inout Activity.Advance) {
    while true {
      if endsForMemory(fired: advance.fired) { return }
      var budget = realm.slice.firingsAtOnce
      if session.cursor != nil { budget = min(budget, RequestContext.firingsBetweenNotices) }
      let most = budget
      let before = realm.world.lastSequence
      let progress = realm.world.advance(to: advance.target, budget: &budget)
      advance.fired += most - budget
      let isLate = advance.patience.map { realm.host >= $0 } ?? false
      session.flushNotices(realm.world, mayDrop: isLate)
      switch progress {
      case .reached:
        session.endActivity()
        answer("advanced", advance.fired)
        return
      case .livelocked:
        session.endActivity()
        failLivelocked()
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

  private func work(_ step: inout Activity.Step) {
    var isInTime = true
    let isLate = step.patience.map { realm.host >= $0 } ?? false
    while step.remaining > 0, isInTime {
      guard let due = realm.world.nextDue(), due <= Instant.end else {
        step.remaining = 0
        break
      }
      let before = realm.world.lastSequence
      if endsForMemory(fired: step.fired) { return }
      let hasFired = realm.world.fireNext()
      if realm.world.livelock != nil {
        session.endActivity()
        session.flushNotices(realm.world, mayDrop: isLate)
        failLivelocked()
        return
      }
      if hasFired { step.fired += 1 }
      step.remaining -= 1
      isInTime = realm.slice.goesOn(after: Int(realm.world.lastSequence - before))
      if session.cursor != nil, step.remaining % RequestContext.firingsBetweenNotices == 0 {
        session.flushNotices(realm.world, mayDrop: isLate)
        if session.outbox.noticeBytes > limits.noticeQueue / 2 { break }
      }
    }
    session.flushNotices(realm.world, mayDrop: isLate)
    guard step.remaining == 0 else {
      session.activity = .step(step)
      return
    }
    session.endActivity()
    answer("stepped", step.fired)
  }

  /// `+ advanced fired=N t= seq=`
  private func answer(_ word: StaticString, _ fired: Int) {
    succeedStamped { line in
      line.word(literal: word)
      line.key("fired", UInt64(fired))
    }
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
  func attend() -> Waiting { session.activity.tag.withUnsafeBytes { tag in answering(tag) { $0.look() } } }

  private func look() -> Waiting {
    guard case .await(var wait) = session.activity else { return .over }
    let mayDrive = isReadyForNotices(&wait.patience)
    let isLate = wait.patience.map { realm.host >= $0 } ?? false
    let sighting = RequestContext.look(&wait, realm.world)
    if session.cursor != nil { session.flushNotices(realm.world, mayDrop: isLate) }
    switch sighting {
    case .reached(let state, let moment, let sequence):
      session.endActivity()
      answerReached(state, at: moment, sequence)
      return .over
    case .dropped:
      failDropped(wait)
      return .over
    case .tooLate:
      timeOut(wait)
      return .over
    case .nothing:
      break
    }
    if realm.clock.mode == .real, realm.world.now >= wait.deadline {
      timeOut(wait)
      return .over
    }
    session.activity = .await(wait)
    return .until(
      wait.deadline,
      mayDrive: mayDrive && realm.clock.mode == .virtual
        && (isLate || session.outbox.noticeBytes <= limits.noticeQueue / 2))
  }

  /// Ends the `await` of a session for whose sake time has moved as far as it may.
  func endAwait(_ drive: Realm.Drive) {
    session.activity.tag.withUnsafeBytes { tag in answering(tag) { $0.end(drive) } }
  }

  private func end(_ drive: Realm.Drive) {
    guard case .await(let wait) = session.activity else { return }
    switch drive {
    case .fired:
      break
    case .full:
      session.endActivity()
      failMemory(fired: wait.fired)
    case .livelocked:
      session.endActivity()
      failLivelocked()
    case .arrived:
      timeOut(wait)
    }
  }

  /// Moves time on for one session that awaits something.
  ///
  /// - Returns: False if it waits for something else than that.
  private func drive() -> Bool {
    while true {
      guard case .until(let deadline, let mayDrive) = look() else { return true }
      guard mayDrive else { return false }
      let before = realm.world.lastSequence
      let progress = realm.drive(until: deadline)
      guard case .fired = progress else {
        end(progress)
        return true
      }
      session.countFiring()
      if !realm.slice.goesOn(after: 1 + Int(realm.world.lastSequence - before)) { return true }
    }
  }

  private static func look(_ wait: inout Activity.Await, _ world: borrowing WorldCore) -> Sighting {
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

  private static func lookNow(_ wait: Activity.Await, _ world: borrowing WorldCore) -> Sighting {
    guard isThere(wait, world) else { return .dropped }
    let state = world.stateIndex(of: wait.machine)
    return wait.query.matches(state, data: world.stateData(of: wait.machine))
      ? .reached(world.state(of: wait.machine), at: world.now, sequence: world.lastSequence) : .nothing
  }

  /// The last input of the step that an input belongs to: what wires deliver is part of it.
  private static func endOfStep(from entry: JournalEntry, _ reader: JournalReader, _ world: borrowing WorldCore)
    -> UInt64
  {
    var reader = reader
    var last = entry.sequence
    while let next = world.read(&reader), next.input == .delivery { last = next.sequence }
    return last
  }

  /// Whether the awaited machine still lives; its number may be another's by now.
  private static func isThere(_ wait: Activity.Await, _ world: borrowing WorldCore) -> Bool {
    world.isAlive(wait.machine) && world.name(of: wait.machine) == wait.name
  }

  private func failDropped(_ wait: Activity.Await) {
    session.endActivity()
    fail(.unknownMachine, [("machine", wait.name)], "'\(wait.name)' was dropped meanwhile")
  }

  private func timeOut(_ wait: Activity.Await) {
    // It may have been dropped after the deadline, before anybody looked.
    guard RequestContext.isThere(wait, realm.world) else { return failDropped(wait) }
    session.endActivity()
    let state = realm.world.state(of: wait.machine)
    fail(
      .timeout, [("state", state), ("t", TimeText.seconds(realm.world.now.nanoseconds))],
      "the time is over; \(wait.name) is in \(state)")
  }

  // MARK: Long replies

  private func write(_ reply: LongReply) -> Bool {
    // What the client has not taken yet comes first; a piece at a time keeps a reply of any length small.
    guard session.hasRoomForReply || session.isRunningBatch else { return false }
    defer { session.reportMemory() }
    var reply = reply
    var printer = JournalPrinter()
    let start = session.outbox.buffer.count
    let piece = reply.write(&realm, &printer, tag: tag, to: &session.outbox.buffer)
    if case .graph = reply { session.outbox.keepWhole(from: start, tagLength: tag.count) }
    switch piece {
    case .more:
      begin(reply)
    case .waiting:
      begin(reply)
      return false
    case .failed(let failure):
      failToDraw(failure)
      session.endActivity()
    case .forgotten:
      failForgotten()
      session.endActivity()
    case .unreadable(let failure):
      session.failStorage(Array(tag), world: realm.name, "\(failure)")
      session.endActivity()
    case .done(let lines):
      if case .past(let history, let pattern) = reply, session.cursor == nil,
        history.end + 1 < realm.world.firstSequence
      {
        // What came meanwhile is not in memory any more.
        begin(.past(history.goingOn(through: realm.world.lastSequence), pattern: pattern))
        return true
      }
      if case .past(let history, let pattern) = reply {
        beginAfterThePast(history, pattern)
      } else {
        succeed { $0.word(UInt64(lines)) }
      }
      session.endActivity()
    }
    return true
  }

  /// Begins a watch where the past that it asked for ends: what came in while that was written is next, in order.
  private func beginAfterThePast(_ history: JournalReply, _ pattern: Pattern) {
    if session.cursor == nil { session.cursor = realm.world.journalReader(from: history.end + 1) }
    begin(pattern, history.scope)
  }
}

extension Realm {
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
  mutating func drive(until deadline: Instant) -> Drive {
    guard let due = world.nextDue() else { return .arrived }
    guard due <= deadline else {
      var none = 1
      _ = world.advance(to: max(deadline, world.now), budget: &none)
      return .arrived
    }
    guard hasRoomForInputs || mayGrow() else { return .full }
    _ = world.fireNext()
    return world.livelock == nil ? .fired : .livelocked
  }
}
