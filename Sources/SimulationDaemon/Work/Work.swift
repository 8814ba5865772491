import LineProtocol
import Simulator
import StateMachines

/// Runs a session's activity in slices, so that other clients are served in between.
extension RequestContext {
  /// Timers to fire between two checks of a watching client's notices.
  private static let firingsBetweenNotices = 32
  /// How long time waits for a client that does not read its notices, in host nanoseconds.
  private static let longestPatience: UInt64 = 5_000_000_000

  /// Continues the session's activity until it is done or the slice is over.
  ///
  /// - Returns: False if it cannot continue now: it waits for a real clock, a worker or the client.
  func work() -> Bool {
    if !live.slice.isOnWorker { live.slice = .onEventLoop }
    return session.activity.tag.withUnsafeBytes { tag in answering(tag) { $0.goOn() } }
  }

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

  /// Whether the client has read enough of its notices, or its patience is over.
  private func isReadyForNotices(_ patience: inout UInt64?) -> Bool {
    guard session.cursor != nil, session.outbox.noticeBytes > limits.noticeQueue / 2 else {
      patience = nil
      return true
    }
    guard let end = patience else {
      patience = live.host + RequestContext.longestPatience
      return false
    }
    return live.host >= end
  }

  private func work(_ advance: inout Activity.Advance) {
    while true {
      if endsForMemory(fired: advance.fired) { return }
      var budget = live.slice.firingsAtOnce
      if session.cursor != nil { budget = min(budget, RequestContext.firingsBetweenNotices) }
      let most = budget
      let before = live.world.lastSequence
      let progress = live.world.advance(to: advance.target, budget: &budget)
      advance.fired += most - budget
      let isLate = advance.patience.map { live.host >= $0 } ?? false
      session.flushNotices(live.world, mayDrop: isLate)
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
        if !live.slice.goesOn(after: Int(live.world.lastSequence - before))
          || session.outbox.noticeBytes > limits.noticeQueue / 2
        {
          return
        }
      }
    }
  }

  private func work(_ step: inout Activity.Step) {
    var isInTime = true
    let isLate = step.patience.map { live.host >= $0 } ?? false
    while step.remaining > 0, isInTime {
      guard let due = live.world.nextDue(), due <= Instant.end else {
        step.remaining = 0
        break
      }
      let before = live.world.lastSequence
      if endsForMemory(fired: step.fired) { return }
      let hasFired = live.world.fireNext()
      if live.world.livelock != nil {
        session.endActivity()
        session.flushNotices(live.world, mayDrop: isLate)
        failLivelocked()
        return
      }
      if hasFired { step.fired += 1 }
      step.remaining -= 1
      isInTime = live.slice.goesOn(after: Int(live.world.lastSequence - before))
      if session.cursor != nil, step.remaining % RequestContext.firingsBetweenNotices == 0 {
        session.flushNotices(live.world, mayDrop: isLate)
        if session.outbox.noticeBytes > limits.noticeQueue / 2 { break }
      }
    }
    session.flushNotices(live.world, mayDrop: isLate)
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

  /// What an awaited machine has done since the last check.
  private enum Sighting {
    case nothing
    /// It reached the state in the step that ended at this moment with this input. A real clock may be further by now.
    case reached(String, at: Instant, sequence: UInt64)
    case dropped
    /// Time has passed the deadline.
    case tooLate
  }

  /// The state of an `await` after a check.
  enum Waiting {
    /// It was answered.
    case over
    /// It waits until this moment. `mayDrive` is false if the clock runs by itself or the client has too much to read.
    case until(Instant, mayDrive: Bool)
  }

  /// Checks what an awaited machine has done, and answers if the wait is over.
  func attend() -> Waiting { session.activity.tag.withUnsafeBytes { tag in answering(tag) { $0.look() } } }

  private func look() -> Waiting {
    guard case .await(var wait) = session.activity else { return .over }
    let mayDrive = isReadyForNotices(&wait.patience)
    let isLate = wait.patience.map { live.host >= $0 } ?? false
    let sighting = RequestContext.look(&wait, live.world)
    if session.cursor != nil { session.flushNotices(live.world, mayDrop: isLate) }
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
    if live.clock.mode == .real, live.world.now >= wait.deadline {
      timeOut(wait)
      return .over
    }
    session.activity = .await(wait)
    return .until(
      wait.deadline,
      mayDrive: mayDrive && live.clock.mode == .virtual
        && (isLate || session.outbox.noticeBytes <= limits.noticeQueue / 2))
  }

  /// Ends the session's `await` when time cannot move further for it.
  func endAwait(_ drive: LiveWorld.Drive) {
    session.activity.tag.withUnsafeBytes { tag in answering(tag) { $0.end(drive) } }
  }

  private func end(_ drive: LiveWorld.Drive) {
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
      timeOut(wait, hasMoreTimers: live.world.runningTimerCount > 0)
    }
  }

  /// Moves time for one session with an `await`.
  ///
  /// - Returns: False if it waits for something else.
  private func drive() -> Bool {
    while true {
      guard case .until(let deadline, let mayDrive) = look() else { return true }
      guard mayDrive else { return false }
      let before = live.world.lastSequence
      let progress = live.drive(until: deadline)
      guard case .fired = progress else {
        end(progress)
        return true
      }
      session.countFiring()
      if !live.slice.goesOn(after: 1 + Int(live.world.lastSequence - before)) { return true }
    }
  }

  private static func look(_ wait: inout Activity.Await, _ world: borrowing WorldCore) -> Sighting {
    var wentBack = false
    while wait.reader.next <= world.lastSequence {
      guard let entry = world.read(&wait.reader) else {
        // The journal no longer has these inputs, so only the present state can be checked.
        wait.reader = world.journalReader(from: world.lastSequence + 1)
        return lookNow(wait, world)
      }
      if entry.input == .rewound { wentBack = true }
      // Undone inputs do not count.
      if world.undoer(of: entry.sequence) != nil { continue }
      if entry.moment > wait.deadline { return .tooLate }
      guard entry.machine == wait.machine else { continue }
      if entry.input == .dropped { return .dropped }
      let data = JournalInput(entry).after
      if wait.query.matches(Int(entry.to), data: data) {
        let state = world.kind(of: wait.machine).stateWord(Int(entry.to), data: data)
        return .reached(state, at: entry.moment, sequence: endOfStep(from: entry, wait.reader, world))
      }
    }
    // After a rewind the machine may be in the awaited state, or may not exist.
    return wentBack ? lookNow(wait, world) : .nothing
  }

  private static func lookNow(_ wait: Activity.Await, _ world: borrowing WorldCore) -> Sighting {
    guard isThere(wait, world) else { return .dropped }
    let state = world.stateIndex(of: wait.machine)
    return wait.query.matches(state, data: world.stateData(of: wait.machine))
      ? .reached(world.state(of: wait.machine), at: world.now, sequence: world.lastSequence) : .nothing
  }

  /// The last input of the step that contains this one: deliveries through wires belong to the step.
  private static func endOfStep(from entry: JournalEntry, _ reader: JournalReader, _ world: borrowing WorldCore)
    -> UInt64
  {
    var reader = reader
    var last = entry.sequence
    while let next = world.read(&reader), next.input == .delivery { last = next.sequence }
    return last
  }

  /// Whether the awaited machine still exists: its number may have been reused.
  private static func isThere(_ wait: Activity.Await, _ world: borrowing WorldCore) -> Bool {
    world.isAlive(wait.machine) && world.name(of: wait.machine) == wait.name
  }

  private func failDropped(_ wait: Activity.Await) {
    session.endActivity()
    fail(.unknownMachine, [("machine", wait.name)], "'\(wait.name)' was dropped meanwhile")
  }

  /// `- TIMEOUT state= [way=] t=`, with `way=` if time alone brings nothing more.
  private func timeOut(_ wait: Activity.Await, hasMoreTimers: Bool = true) {
    // It may have been dropped between the deadline and this check.
    guard RequestContext.isThere(wait, live.world) else { return failDropped(wait) }
    session.endActivity()
    let state = live.world.state(of: wait.machine)
    var keys = [("state", state)]
    if !hasMoreTimers, let way = way(of: wait.machine, to: wait.query) { keys.append(("way", way)) }
    fail(
      .timeout, keys + [("t", TimeText.seconds(live.world.now.nanoseconds))],
      "\(hasMoreTimers ? "the time is over" : "no timer runs, so nothing comes by itself"); \(wait.name) is in \(state)"
    )
  }

  // MARK: Long replies

  private func write(_ reply: any LongReply) -> Bool {
    // Unread output goes first. Writing one piece at a time limits the memory for a long reply.
    guard session.hasRoomForReply || session.isRunningBatch else { return false }
    defer { session.reportMemory() }
    var reply = reply
    var printer = JournalPrinter()
    let start = session.outbox.buffer.count
    let piece = reply.write(&live, &printer, tag: tag, to: &session.outbox.buffer)
    if reply.isText { session.outbox.keepWhole(from: start, tagLength: tag.count) }
    switch piece {
    case .more where reply.isTooLarge(for: session.share.budget):
      failMemory()
      session.endActivity()
    case .more:
      begin(reply)
    case .waiting:
      begin(reply)
      return false
    case .exceeded(let limit, let text):
      failLimit(limit.name, limit.value, text)
      session.endActivity()
    case .unscriptable(let failure):
      failToScript(failure)
      session.endActivity()
    case .failed(let failure):
      failToDraw(failure)
      session.endActivity()
    case .forgotten:
      failForgotten()
      session.endActivity()
    case .unreadable(let failure):
      session.failStorage(tag, world: session.shown(live.name), "\(failure)")
      session.endActivity()
    case .done(let lines, let omitted):
      if let past = reply as? PastReply, session.cursor == nil, past.journal.end + 1 < live.world.firstSequence {
        // The inputs that came meanwhile are no longer in memory.
        let rest = past.journal.goingOn(through: live.world.lastSequence)
        begin(PastReply(journal: rest, pattern: past.pattern))
        return true
      }
      if let past = reply as? PastReply {
        beginWatch(past.journal, past.pattern)
      } else {
        succeed { line in
          line.word(UInt64(lines))
          if omitted > 0 { line.key("omitted", UInt64(omitted)) }
        }
      }
      session.endActivity()
    }
    return true
  }

  /// Begins a watch after the requested past. Inputs that came during its output follow in order.
  private func beginWatch(_ history: JournalReply, _ pattern: NamePattern) {
    if session.cursor == nil { session.cursor = live.world.journalReader(from: history.end + 1) }
    begin(pattern, history.scope)
  }
}

extension LiveWorld {
  /// The result of moving time for an `await`.
  enum Drive {
    case fired
    /// No memory is left for another input.
    case full
    /// No timer is due before the deadline, and time stands there; or no timer is left.
    case arrived
    case livelocked
  }

  /// Moves a virtual clock to the next timer, or to the deadline if no timer is due before it.
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
