import JournalStore
import LineProtocol
import Simulator
import StateMachines

/// Rewinds worlds.
extension RequestContext {
  /// Inputs searched or replayed between two checks of the slice: about a millisecond.
  private static let inputsInASlice = 5_000

  func undo() {
    guard let count = number(words[0], "count", in: 1...1_000_000_000, otherwise: 1) else { return }
    begin(.requests(Int(count)), count)
  }

  func redo() {
    guard let count = number(words[0], "count", in: 1...1_000_000_000, otherwise: 1) else { return }
    begin(.undos(Int(count)), count)
  }

  func goTo() {
    guard (words.plain.count == 1) != (words["seq"] != nil) else { return failUsage(Verb.goto.entry) }
    if let text = words["seq"] {
      guard let sequence = number(text, "seq", in: 0...UInt64.max, otherwise: 0), isInEffect(sequence) else { return }
      if let step = live.world.step(of: sequence), step.moment == live.world.now {
        let last = live.world.lastSequence
        // Nothing that came after it is in effect.
        if step.last == last || live.world.undoneTogether(with: last)?.lowerBound == step.last + 1 {
          return succeedStamped(step.last)
        }
      }
      return begin(.input(sequence), nil)
    }
    guard let moment = time(words.plain[0]) else { return }
    let now = live.world.now
    guard moment <= now else {
      let way =
        live.clock.isRunning ? "time comes there by itself" : "'advance until' moves time on"
      return failArgument(
        "time", words.plain[0], allowed: "up to \(TimeText.seconds(now.nanoseconds))",
        "it is only \(TimeText.seconds(now.nanoseconds)); \(way)")
    }
    guard moment < now else {
      succeedStamped()
      return
    }
    begin(.moment(moment), nil)
  }

  /// Whether there was an input with this number, and it is in effect. Writes a failure if not.
  func isInEffect(_ sequence: UInt64) -> Bool {
    let last = live.world.lastSequence
    guard sequence > 0, sequence <= last else {
      failArgument(
        "seq", "\(sequence)", allowed: last == 0 ? "" : "1..\(last)",
        last == 0 ? "nothing has happened in this world yet" : "its inputs are 1 to \(last)")
      return false
    }
    guard live.world.hasUndone(sequence) else { return true }
    let undoer = live.world.undoer(of: sequence)
    failArgument(
      "seq", "\(sequence)", allowed: "an input in effect",
      undoer.map { "input \(sequence) was undone by \($0)" }
        ?? "input \(sequence) has undone others; name the last one before those")
    return false
  }

  private func begin(_ goal: Rewinding.Goal, _ count: UInt64?) {
    let rewinding = Rewinding(of: live.world, to: goal)
    live.rewinding = rewinding
    session.activity = .rewind(Activity.Rewind(rewinding: rewinding, count: count, tag: Array(tag)))
  }

  /// Does a piece of a rewind; the service does the last step.
  func work(_ rewind: Activity.Rewind) {
    do throws(Rewinding.Failure) {
      try rewind.rewinding.advance(
        through: live.world, by: RequestContext.inputsInASlice, while: { [slice = live.slice] in !slice.isOver })
    } catch {
      session.endActivity()
      live.rewinding = nil
      fail(error, rewind.rewinding, count: rewind.count)
    }
  }

  /// Rewinds the copy of a fork to its input, slice by slice.
  ///
  /// - Returns: Whether there is more to do.
  func work(_ fork: Activity.Fork, _ copy: LiveWorld.Box, _ rewinding: Rewinding) -> Bool {
    do throws(Rewinding.Failure) {
      try rewinding.advance(
        through: copy.live.world, by: RequestContext.inputsInASlice,
        while: { [slice = live.slice] in !slice.isOver })
      return !rewinding.hasArrived
    } catch {
      session.endActivity()
      fork.tag.withUnsafeBytes { tag in answering(tag) { $0.fail(error, rewinding, count: nil) } }
      return false
    }
  }

  private func fail(_ failure: Rewinding.Failure, _ rewinding: Rewinding, count: UInt64?) {
    switch failure {
    case .onlySoMany(let most):
      let verb = rewinding.isRedo ? "redo" : "undo"
      // Why what an earlier undo has taken back can no longer be redone.
      let undo = rewinding.isRedo ? live.world.lastUndo.flatMap { $0 < live.world.lastSequence ? $0 : nil } : nil
      let why = undo.map { ": input \($0 + 1) came after undo \($0), so what that took back stays undone" } ?? ""
      failArgument(
        "count", "\(count ?? 0)", allowed: most == 0 ? "" : "1..\(most)",
        most == 0 ? "there is nothing to \(verb)\(why)" : "there is no more to \(verb) than \(most)")
    case .forgotten(let from):
      failLimit(
        "journal", limits.world.journal, with: [("from", "\(from)")],
        from > live.world.lastSequence
          ? "the journal has forgotten the beginning of this world, and nothing can be undone"
          : "the journal has forgotten too much to undo what was before \(from)")
    case .diverged(let sequence):
      fail(.internal, [("seq", "\(sequence)")], "input \(sequence) did not come out as it had; nothing was undone")
    }
  }
}

extension Service {
  /// Finishes rewinds whose replay has arrived, and answers.
  func finishRewinds() {
    for client in busy {
      guard case .rewind(let rewind) = client.session.activity, rewind.rewinding.hasArrived,
        let home = client.hosted.home,
        client.hosted.persistence.map({ !$0.threads.areBusy && $0.end == .open }) ?? true
      else { continue }
      finish(rewind, client, home)
    }
  }

  private func finish(_ rewind: Activity.Rewind, _ client: Client, _ home: LiveWorld.Box) {
    markDirty(client)
    switch rewind.end {
    case .open:
      guard let persistence = client.hosted.persistence, let stored = client.hosted.progress else {
        return allow(rewind, client, home)
      }
      if persistence.store.readers.answersAtOnce {
        let starts = Result { () throws(PersistenceFailure) in try persistence.replayStarts(stored) }
        return allow(rewind, from: (starts, stored), client, home)
      }
      // Of several rewinds, the others ask when this one is done.
      ask(persistence, about: rewind, client, stored)
    case .asked, .allowed:
      break
    case .done(let undone):
      // It holds the replaced world, which may be large.
      workers.dispose(rewind.rewinding, of: client.user.id.lane)
      answer(rewind, undone: undone, client, home)
    }
  }

  /// Asks the store on its thread from where it could restore the world. It is not written meanwhile.
  private func ask(
    _ persistence: Persistence, about rewind: Activity.Rewind, _ client: Client, _ stored: StoredProgress
  ) {
    var asked = rewind
    asked.end = .asked
    client.session.activity = .rewind(asked)
    workers.submit(
      Job(.store(persistence.threads)) { () throws(PersistenceFailure) in
        try persistence.replayStarts(stored)
      } then: { [unowned self] starts in
        // It may have been cancelled.
        guard case .rewind(var rewind) = client.session.activity, rewind.rewinding === asked.rewinding,
          let home = client.hosted.home
        else { return }
        markDirty(client)
        rewind.end = .open
        client.session.activity = .rewind(rewind)
        allow(rewind, from: (starts, stored), client, home)
      })
  }

  /// Rewinds a world if the store and the limits allow it.
  private func allow(
    _ rewind: Activity.Rewind, from store: (starts: Result<[UInt64], PersistenceFailure>, StoredProgress)? = nil,
    _ client: Client, _ home: LiveWorld.Box
  ) {
    guard store.map({ mayUndo(rewind, from: $0, client, home) }) ?? true, let growth = growth(of: rewind, client, home)
    else {
      home.live.rewinding = nil
      client.session.endActivity()
      client.session.isHeldUp = true
      return
    }
    if home.live.world.machineCount < LiveWorld.manyMachines {
      answer(rewind, undone: home.live.rewind(rewind.rewinding), client, home)
    } else {
      var allowed = rewind
      allowed.end = .allowed(growth)
      client.session.activity = .rewind(allowed)
    }
  }

  /// Answers after the rewind. A running clock is paused so that the client can inspect the world.
  private func answer(
    _ rewind: Activity.Rewind, undone: ClosedRange<UInt64>?, _ client: Client, _ home: LiveWorld.Box
  ) {
    home.live.rewinding = nil
    client.session.endActivity()
    if undone != nil || rewind.rewinding.isRedo {
      client.hosted.persistence?.didUndo(from: rewind.rewinding.firstUndone, in: client.hosted)
    }
    let wasRunning = home.live.clock.isRunning
    client.session.flushNotices(home.live.world, mayDrop: true)
    if wasRunning {
      home.live.clock.pause()
      tellClock("paused=yes", in: client.hosted, home)
    }
    rewind.tag.withUnsafeBytes { tag in
      client.session.outbox.buffer.begin(.success, tag: tag)
      if wasRunning { client.session.outbox.buffer.key("paused", "yes") }
      client.session.endLine(home.live.world.now, rewind.rewinding.lastInEffect ?? home.live.world.lastSequence)
    }
    client.session.isHeldUp = true
    list(client)
  }

  /// What the world's owner gets by the rewind, which brings back dropped machines. Writes a failure if it is too much.
  private func growth(
    of rewind: Activity.Rewind, _ client: Client, _ home: LiveWorld.Box
  ) -> PromisedGrowth? {
    let (machines, copy) = rewind.rewinding.withWorld { ($0.machineCount, $0.bytesOfACopy) }
    let more = max(0, machines - home.live.world.machineCount)
    let bytes = max(0, copy - home.live.world.bytesOfACopy)
    return rewind.tag.withUnsafeBytes { tag in
      client.session.use(&home.live) {
        $0.answering(tag) {
          guard more == 0 || $0.admitsMachines(more, "for what comes back") else { return nil }
          guard $0.live.mayGrow(by: bytes) else {
            $0.failMemory(of: bytes)
            return nil
          }
          return PromisedGrowth(bytes: bytes, machines: more, $0.live.share.budget, $0.live.share.quota)
        }
      }
    }
  }

  /// Whether the store could restore the world after the rewind. Writes a failure if not.
  private func mayUndo(
    _ rewind: Activity.Rewind, from store: (starts: Result<[UInt64], PersistenceFailure>, stored: StoredProgress),
    _ client: Client, _ home: LiveWorld.Box
  ) -> Bool {
    guard let persistence = client.hosted.persistence else { return true }
    do throws(PersistenceFailure) {
      let first = persistence.firstUndoable(try store.starts.get(), store.stored, home)
      if rewind.rewinding.firstNeeded >= first { return true }
      client.session.failLimit(
        rewind.tag, "storeBytes", environment.limits.storeBytes, with: [("from", "\(first)")],
        "the store has given up too much to undo what was before \(first)")
    } catch {
      client.session.failStorage(rewind.tag, world: client.session.shown(client.hosted.name), "\(error)")
    }
    return false
  }
}
