import JournalStore
import LineProtocol
import Simulator
import StateMachines
import UnixHost

/// Stores a round's changes of durable worlds before replies and notices about them leave.
extension Service {
  /// How long checkpoints and retention of a world pause after a failure, in nanoseconds.
  private static let upkeepPause: UInt64 = 60_000_000_000

  /// With more unstored inputs than this, the store's thread gathers them too.
  private static let inputsOnEventLoop: UInt64 = 20_000

  // MARK: Rounds

  /// Stores the changes of durable worlds since the last call. If a world cannot be stored, its clients' replies are
  /// rolled back, and each of their requests fails instead.
  ///
  /// A slow commit runs on the store's thread. Replies that depend on it wait until it is done.
  func commit() {
    for persistence in stores.all { commit(to: persistence) }
  }

  /// - Parameter isLast: Whether this is the last round. Without threads it is stored when this returns.
  func commit(to persistence: Persistence, isLast: Bool = false) {
    // While the store is busy there is nothing to wait for but its job.
    persistence.commitDue = nil
    if persistence.threads.areBusy { return }
    while true {
      var changed: [(hosted: HostedWorld, home: LiveWorld.Box)] = worlds.of(persistence).compactMap { hosted in
        guard let home = hosted.home, persistence.needsWrite(hosted, home.live, host: host, isLast: isLast) else {
          return nil
        }
        return (hosted, home)
      }
      if changed.isEmpty { return }
      var isAll = true
      if !isLast, !workers.areInline {
        // Steady commits would keep the log from being written back.
        if persistence.store.isLogLong { return writeBackLog(persistence) }
        if !persistence.store.readers.answersAtOnce {
          persistence.commitDue = persistence.gathering.wait(
            with: clientsThatWait(for: persistence), now: HostClock.now())
          if persistence.commitDue != nil { return }
        }
        let inputs = changed.reduce(0) { $0 + $1.home.live.world.lastSequence - $1.hosted.head($1.home.live) }
        if inputs > Service.inputsOnEventLoop {
          // Worlds in which only time has passed are stored first: they must not be lent for as long as the others
          // take.
          let idle = changed.filter { hosted, home in !persistence.hasChanged(hosted, home.live) }
          if idle.isEmpty { return commitLent(changed, persistence) }
          (changed, isAll) = (idle, false)
        }
      }
      let round = persistence.gather(changed)
      if !workers.areInline, isLast || !persistence.isQuick(round) { return commitLater(round, persistence) }
      let begun = HostClock.now()
      let result = isLast ? round.written() : persistence.atOnce { round.written() }
      persistence.note(HostClock.now() &- begun)
      // Another program has locked the store. The store's thread can wait for it.
      if case .failure(.locked) = result, !workers.areInline { return commitLater(round, persistence) }
      finish(round, result, persistence)
      if isAll { return commitOutboxes() }
    }
  }

  private func commitLater(_ round: Round, _ persistence: Persistence) {
    let worlds = round.changes.map(\.hosted)
    sealOutboxes(for: worlds, persistence)
    let begun = HostClock.now()
    workers.submit(
      Job(.store(persistence.threads)) { () throws(StoreFailure) in
        try round.written().get()
      } then: { [unowned self] result in
        for hosted in worlds { hosted.isBeingStored = false }
        let now = HostClock.now()
        persistence.note(now &- begun)
        persistence.gathering.didCommit(clientsThatWait(for: persistence), took: now &- begun, now: now)
        finishSealed(round, result, persistence)
      })
  }

  /// Lends the worlds to the store's thread, which also gathers their changes: gathering alone would block the event
  /// loop.
  private func commitLent(_ changed: [(hosted: HostedWorld, home: LiveWorld.Box)], _ persistence: Persistence) {
    sealOutboxes(for: changed.map(\.hosted), persistence)
    for (hosted, _) in changed { _ = hosted.lend(workers.slot(of: hosted.owner.lane, reading: persistence)) }
    workers.submit(
      Job(.store(persistence.threads)) { () throws(Never) in
        let round = persistence.gather(changed)
        return (round, round.written())
      } then: { [unowned self] result in
        for (hosted, home) in changed {
          hosted.isBeingStored = false
          giveBack(hosted, home)
        }
        let (round, outcome) = result.get()
        finishSealed(round, outcome, persistence)
      })
  }

  /// Whether a client's replies wait for a commit to a store, or for one that is just ending. Its world alone decides: it
  /// leaves none whose changes are not stored.
  private func waits(_ client: Client, for persistence: Persistence) -> Bool {
    client.hasUnstoredReplies && client.hosted.persistence === persistence
  }

  private func clientsThatWait(for persistence: Persistence) -> Int {
    clients.values.count { waits($0, for: persistence) }
  }

  /// Marks the replies that depend on the commit about to begin.
  private func sealOutboxes(for worlds: [HostedWorld], _ persistence: Persistence) {
    for hosted in worlds { hosted.isBeingStored = true }
    for client in clients.values where waits(client, for: persistence) { client.session.outbox.seal() }
  }

  /// Commits the replies that depend on a finished commit.
  private func finishSealed(
    _ round: Round, _ result: Result<[String: StoreFailure], StoreFailure>, _ persistence: Persistence
  ) {
    finish(round, result, persistence)
    for client in clients.values where waits(client, for: persistence) {
      client.session.outbox.commitSealed()
      markForWriting(client)
    }
  }

  /// Handles the result of a commit.
  private func finish(
    _ round: Round, _ result: Result<[String: StoreFailure], StoreFailure>, _ persistence: Persistence
  ) {
    let failures: [String: StoreFailure]
    switch result {
    case .success(let shutOut): failures = shutOut
    case .failure(let failure):
      failures = Dictionary(uniqueKeysWithValues: round.changes.map { ($0.hosted.name, failure) })
    }
    persistence.didStore(round, but: failures, host: host)
    if failures.isEmpty { return }
    for hosted in round.changes.map(\.hosted) {
      guard let failure = failures[hosted.name], let home = hosted.home else { continue }
      if case .lost(_, let from) = failure { tellLost(hosted, from: from) }
      fail(hosted, home, failure)
    }
  }

  /// Tells a world's clients that answers and notices that they had of it are gone, or may be.
  func tellLost(_ hosted: HostedWorld, from sequence: UInt64?) {
    for client in everybody where client.hosted === hosted {
      let name = client.session.shown(hosted.name)
      client.session.say { line in
        line.word(literal: "lost")
        line.key("world", name)
        line.key("from", sequence.map { "\($0)" } ?? "unknown")
      }
      markDirty(client)
    }
  }

  /// Whether all changes of a durable world are stored. A lent world counts as stored: replies about its changes follow
  /// its return.
  func isStored(_ hosted: HostedWorld) -> Bool {
    guard let persistence = hosted.persistence else { return true }
    if hosted.isBeingStored { return false }
    guard let home = hosted.home else { return true }
    return persistence.isStored(hosted, home.live, host: host)
  }

  /// Whether a client's replies depend on changes that are not stored yet.
  func waitsForStore(_ client: Client) -> Bool { client.hasUnstoredReplies && !isStored(client.hosted) }

  /// Commits all outboxes that need not wait for the store.
  func commitOutboxes() {
    reviewLeases()
    let candidates = dirty + waitingForStore
    for client in waitingForStore { client.isWaitingForStore = false }
    waitingForStore = []
    for client in candidates {
      // A client may be in both lists.
      if client.isWaitingForStore { continue }
      if waitsForStore(client) {
        client.isWaitingForStore = true
        waitingForStore.append(client)
      } else {
        client.session.outbox.commit()
        client.hasUnstoredReplies = false
        markForWriting(client)
      }
    }
  }

  /// Does a piece of upkeep in one world of each store.
  func maintainWorlds() {
    hasMaintenance = false
    for persistence in stores.all where !persistence.threads.areBusy { maintainWorld(of: persistence) }
  }

  private func maintainWorld(of persistence: Persistence) {
    // Upkeep continues after the store's thread is done.
    defer { hasMaintenance = hasMaintenance || persistence.threads.areBusy }
    if persistence.store.isLogLong { return writeBackLog(persistence) }
    for hosted in worlds.of(persistence) where hosted.progress != nil {
      guard let home = hosted.home else { continue }
      do throws(PersistenceFailure) {
        switch try persistence.maintain(hosted, home, host: host) {
        case .nothing: continue
        case .more:
          // One world at a time keeps the round short.
          hasMaintenance = true
          return
        case .checkpoint(let made):
          return put(made, of: hosted, persistence)
        case .retention(let lease): return applyRetention(in: hosted, lease, persistence)
        }
      } catch {
        upkeepFailed(in: hosted, home, error)
      }
    }
    if persistence.hasDroppedWorlds { sweep(persistence) }
  }

  /// Writes the log back on the store's thread.
  private func writeBackLog(_ persistence: Persistence) {
    workers.submit(
      Job(.store(persistence.threads)) { () throws(StoreFailure) in
        try persistence.store.writeBackLog()
      } then: { [unowned self] result in
        // The log only grows. If the store is broken, the next commit fails.
        if case .failure(let error) = result { report("the store's log cannot be shortened: \(error)") }
      })
  }

  /// Removes a batch of old inputs on the store's thread. The world is not lent meanwhile.
  private func applyRetention(in hosted: HostedWorld, _ lease: Lease, _ persistence: Persistence) {
    hosted.isBeingStored = true
    let others = worlds.values.filter { $0 !== hosted && $0.owner == hosted.owner }.compactMap { $0.progress?.bytes }
    let most = environment.limits.mostStored(of: hosted.owner, beside: others)
    workers.submit(
      Job(.store(persistence.threads)) { () throws(StoreFailure) in
        try persistence.applyRetention(lease, most: most)
      } then: { [unowned self] result in
        hosted.isBeingStored = false
        guard let home = hosted.home else { return }
        switch result {
        case .success(let (isOverfull, left)):
          hosted.progress?.isOverfull = isOverfull
          hosted.progress?.bytes = left.bytes
          home.live.stored?.first = left.first
          if isOverfull { hasMaintenance = true }
        case .failure(let error): upkeepFailed(in: hosted, home, .store(error))
        }
      })
  }

  /// Frees a batch of dropped worlds' space on the store's thread.
  private func sweep(_ persistence: Persistence) {
    workers.submit(
      Job(.store(persistence.threads)) { () throws(StoreFailure) in
        try persistence.store.sweep()
      } then: { [unowned self] result in
        switch result {
        case .success(let hasMore):
          persistence.hasDroppedWorlds = hasMore
          if hasMore { hasMaintenance = true }
        case .failure(let error):
          // Dropped data stays until the next start; nothing uses it.
          persistence.hasDroppedWorlds = false
          report("dropped worlds: \(error)")
        }
      })
  }

  /// Stores a checkpoint on the store's thread.
  private func put(_ made: Persistence.MadeCheckpoint, of hosted: HostedWorld, _ persistence: Persistence) {
    workers.submit(
      Job(.store(persistence.threads)) { () throws(StoreFailure) in
        try persistence.put(made)
      } then: { [unowned self] result in
        switch result {
        case .success:
          persistence.didPut(made, of: hosted)
          // What it has stored since the last one may be too much for its owner's other worlds.
          if hosted.owner == .owner { return }
          for other in worlds.values where other.owner == hosted.owner { other.progress?.isOverfull = true }
        case .failure(let error): if let home = hosted.home { upkeepFailed(in: hosted, home, .store(error)) }
        }
      })
  }

  /// Handles a failure outside a round: upkeep of the world pauses for a while, or the world goes out of service.
  private func upkeepFailed(in hosted: HostedWorld, _ home: LiveWorld.Box, _ failure: PersistenceFailure) {
    if case .store(let failure) = failure, !failure.keepsLease { return fail(hosted, home, failure) }
    report("world \(hosted.name) gets no upkeep for a while: \(failure)")
    hosted.archiving = nil
    hosted.progress?.upkeepPausedUntil = host &+ Service.upkeepPause
  }

  /// Rolls back a world's unstored changes and its clients' replies, then restores the world or takes it out of
  /// service.
  func fail(_ hosted: HostedWorld, _ home: LiveWorld.Box, _ failure: StoreFailure) {
    let reason = "\(failure)"
    let head = hosted.head(home.live)
    let last = home.live.world.lastSequence
    let lost = last > head ? "inputs \(head + 1) to \(last)" : "what changed since input \(last)"
    let isUnknown = if case .unknown = failure { true } else { false }
    report(
      "world \(hosted.name): \(lost) \(isUnknown ? "may be stored or not" : "could not be stored and did not happen"): \(reason)"
    )
    if isShuttingDown { hasLost = true }
    rollBack(hosted, home, to: head, movedTo: failure.host, reason)
    if failure.isFinal {
      close(hosted, home, reason, head: head, taken(by: failure.host, hosted))
      if let target = failure.host { tellMoved(hosted, to: target) }
    } else if isShuttingDown {
      close(hosted, home, reason, head: head, .store(retryAt: .max))
    } else {
      reload(hosted, home)
    }
  }

  /// Rolls back the replies of a world's clients that are not stored.
  func rollBack(
    _ hosted: HostedWorld, _ home: LiveWorld.Box, to head: UInt64, movedTo host: String? = nil, _ reason: String
  ) {
    for client in everybody where client.hosted === hosted {
      client.session.rollBack(world: client.session.shown(hosted.name), head: head, host, reason)
      markDirty(client)
      list(client)
    }
    if let stored = hosted.progress?.settings.sharing { setSharing(of: hosted, home, stored) }
  }

  // MARK: The end

  /// Goes on with the end of each store, side by side with the others: what has changed is stored, worlds are released, and
  /// the store is closed. Replies are committed as far as that goes. Call it when a store's thread may be done.
  ///
  /// - Returns: Whether all stores are closed.
  func endStores() -> Bool {
    for job in workers.takeReturnedJobs() { job.finish() }
    finishRewinds()
    let idle = stores.all.filter { $0.end == .open && !$0.threads.areBusy }
    for persistence in idle { commit(to: persistence, isLast: true) }
    commitOutboxes()
    for persistence in idle where !persistence.threads.areBusy { close(persistence) }
    return stores.all.allSatisfy { $0.end == .closed }
  }

  /// Gives up the databases that are not closed. A folder's calls end, however slow its disk is.
  func giveUpDatabases() {
    for persistence in stores.all where persistence.end != .closed && !persistence.store.readers.answersAtOnce {
      let what =
        persistence.end == .open ? "what changed last in its worlds may be stored or not" : "its lease ends by itself"
      report("\(persistence.store.place) is not closed in time and is given up; \(what)")
      if persistence.end == .open { hasLost = true }
      persistence.end = .closed
    }
  }

  /// Releases a store's worlds and closes it, on its thread.
  private func close(_ persistence: Persistence) {
    persistence.end = .closing
    var homes: [(hosted: HostedWorld, home: LiveWorld.Box)] = []
    for hosted in worlds.of(persistence) {
      guard let home = hosted.home else {
        // A worker did not finish in time. Clients were not told of its changes.
        guard hosted.progress != nil else { continue }
        report("world \(hosted.name) ends as it was stored last: work was under way in it")
        hasLost = true
        continue
      }
      hosted.isBeingStored = true
      homes.append((hosted, home))
    }
    workers.submit(
      Job(.store(persistence.threads)) { () throws(Never) in
        var failures: [(world: String, PersistenceFailure)] = []
        for (hosted, home) in homes {
          do throws(PersistenceFailure) {
            try persistence.release(hosted, home)
          } catch {
            failures.append((hosted.name, error))
          }
        }
        persistence.store.close()
        return failures
      } then: { [unowned self] result in
        persistence.end = .closed
        for (world, failure) in result.get() { report("world \(world): \(failure)") }
        for (hosted, home) in homes {
          hosted.isBeingStored = false
          guard let outage = home.live.outage, case .store = outage.cause, !outage.isFromStart else { continue }
          report("world \(hosted.name) ends as it was stored last, with input \(outage.head): \(outage.reason)")
          hasLost = true
        }
      })
  }
}

extension Session {
  /// Rolls back the client's replies of this round. Each request fails, since its changes are not stored.
  ///
  /// - Parameters:
  ///   - head: The last stored input. Gaps in the notices up to it are still reported.
  ///   - host: The daemon that has the world by now, if another one has it and has a name.
  mutating func rollBack(world: String, head: UInt64, _ host: String?, _ reason: String) {
    let uncommitted = outbox.rollBack()
    if let cursor, cursor.next <= head { gap = (gap?.lowerBound ?? cursor.next)...head }
    if let dropped = gap { gap = dropped.lowerBound <= head ? dropped.clamped(to: 0...head) : nil }
    var unanswered = uncommitted.withheld[...]
    func failUnanswered(upTo place: Int) {
      while let request = unanswered.first, request.place <= place {
        failServing(request.tag, world: world, host, reason)
        unanswered.removeFirst()
      }
    }
    let ends = uncommitted.entries.dropFirst().map(\.start) + [uncommitted.lines.count]
    for (entry, end) in zip(uncommitted.entries, ends) {
      failUnanswered(upTo: entry.start)
      outbox.change(to: entry.form)
      if let verb = entry.verb { outbox.beginReply(verb) }
      let mark = outbox.buffer.count
      for line in uncommitted.lines[entry.start..<end].split(separator: UInt8(ascii: "\n")) {
        failUnanswered(upTo: line.startIndex)
        let lineClass = LineClass(rawValue: line[line.startIndex])
        if lineClass == .flow || entry.survives && entry.content != .notices {
          line.withUnsafeBytes { outbox.buffer.append($0) }
          outbox.buffer.endLine()
        } else if lineClass == .success || lineClass == .failure {
          failServing(Session.tag(of: line), world: world, host, reason)
        }
      }
      if case .texts(let tagLength) = entry.content { outbox.keepWhole(from: mark, tagLength: tagLength) }
    }
    failUnanswered(upTo: .max)
    // Work with a worker or the store's thread goes on. A deferred request has not begun; it runs in the restored
    // world.
    if case .away = activity { return }
    if !activity.isNone, !activity.isDeferred {
      failServing(activity.tag, world: world, host, reason)
      endActivity()
      // The client's next lines wait for their turn.
      isHeldUp = true
    }
  }

  /// The tag of a line that answers a request.
  private static func tag(of line: ArraySlice<UInt8>) -> [UInt8] {
    let rest = line.dropFirst(2)
    guard rest.first == UInt8(ascii: "@") else { return [] }
    return Array(rest.dropFirst().prefix { $0 != UInt8(ascii: " ") })
  }
}
