import JournalStore
import LineProtocol
import Simulator
import StateMachines
import UnixHost

/// Durable worlds: what a round brought is stored before anybody is told of it.
extension Service {
  /// How long no checkpoint is tried, and nothing is removed, where that has failed.
  private static let rest: UInt64 = 60_000_000_000

  /// Where there are more inputs to be stored, the store's thread gathers them too.
  private static let inputsGatheredHere: UInt64 = 20_000

  // MARK: Rounds

  /// Stores what came to durable worlds since this was last called. What a client has been told of a world that cannot be
  /// stored is taken back, and each of its requests is answered with a failure instead.
  ///
  /// A commit that may take a while is the store's thread's; those who are told of it wait until it is done.
  ///
  /// - Parameter isLast: Whether no other round will come.
  func commit(isLast: Bool = false) {
    guard let persistence, !workers.storeIsBusy else { return }
    while true {
      var news: [(hosted: HostedWorld, home: RealmBox)] = worlds.values.compactMap { hosted in
        guard let home = hosted.home, persistence.hasNews(hosted, home.realm, host: host, isLast: isLast) else {
          return nil
        }
        return (hosted, home)
      }
      if news.isEmpty { return }
      var isAll = true
      if !isLast, !workers.areInline {
        // Who always has something to store would never let the log be written back.
        if persistence.store.isLogLong { return writeBackLog(persistence) }
        let inputs = news.reduce(0) { $0 + $1.home.realm.world.lastSequence - $1.hosted.head($1.home.realm) }
        if inputs > Service.inputsGatheredHere {
          // Worlds in which nothing happened but that time passed would be away for as long as the others take.
          let idle = news.filter { hosted, home in !persistence.hasChanged(hosted, home.realm) }
          if idle.isEmpty { return commitLent(news, persistence) }
          (news, isAll) = (idle, false)
        }
      }
      let round = persistence.gather(news)
      if !isLast, !workers.areInline, !persistence.isQuick(round) { return commitLater(round) }
      let begun = HostClock.now()
      let result = isLast ? round.written() : persistence.atOnce { round.written() }
      persistence.note(HostClock.now() &- begun)
      // For another program's lock the store's thread waits.
      if case .failure(.locked) = result, !isLast, !workers.areInline { return commitLater(round) }
      // Where one world is somebody else's by now, the others still can be stored.
      if finish(round, result), isAll { return commitOutboxes() }
    }
  }

  /// Stores all that is left, and lets clients be told of it. What the store's thread has under way comes first, however
  /// long it takes.
  func commitLast() {
    workers.waitForStore()
    for job in workers.takeReturnedJobs() { job.finish() }
    finishRewinds()
    commit(isLast: true)
    commitOutboxes()
  }

  private func commitLater(_ round: Round) {
    let worlds = round.news.map(\.hosted)
    sealOutboxes(for: worlds)
    let begun = HostClock.now()
    workers.submit(
      Job { () throws(StoreFailure) in
        try round.written().get()
      } then: { [unowned self] result in
        for hosted in worlds { hosted.isBeingStored = false }
        persistence?.note(HostClock.now() &- begun)
        finishSealed(round, result)
      })
  }

  /// The same where only to gather what came would keep others waiting: the store's thread has the worlds for that long.
  private func commitLent(_ news: [(hosted: HostedWorld, home: RealmBox)], _ persistence: Persistence) {
    sealOutboxes(for: news.map(\.hosted))
    for (hosted, _) in news { _ = hosted.lend(workers.slot()) }
    workers.submit(
      Job { () throws(Never) in
        let round = persistence.gather(news)
        return (round, round.written())
      } then: { [unowned self] result in
        for (hosted, home) in news {
          hosted.isBeingStored = false
          giveBack(hosted, home)
        }
        let (round, outcome) = result.get()
        finishSealed(round, outcome)
      })
  }

  /// Marks what clients were told as told by the commit that is about to begin.
  private func sealOutboxes(for worlds: [HostedWorld]) {
    for hosted in worlds { hosted.isBeingStored = true }
    for client in clients.values where client.owesStore { client.session.outbox.seal() }
  }

  /// Lets clients be told of what was stored by a commit that has ended.
  private func finishSealed(_ round: Round, _ result: Result<Void, StoreFailure>) {
    // Where one world is somebody else's by now, the others are stored in the next round.
    guard finish(round, result) else { return }
    for client in clients.values where client.owesStore {
      client.session.outbox.commitSealed()
      letWrite(client)
    }
  }

  /// Notes how a commit has ended.
  ///
  /// - Returns: Whether nothing is left to be stored of what it was about.
  private func finish(_ round: Round, _ result: Result<Void, StoreFailure>) -> Bool {
    switch result {
    case .success:
      persistence?.didStore(round, host: host)
      return true
    case .failure(let error):
      let lost = error.world.flatMap { world in round.news.first { $0.hosted.name == world } }
      for news in lost.map({ [$0] }) ?? round.news {
        guard let home = news.hosted.home else { continue }
        fail(news.hosted, home, "\(error)", isLost: error.isFinal)
      }
      return lost == nil
    }
  }

  /// Whether everything that a world has brought is stored, as far as it is to be. What a lent one brings is not told
  /// before its return.
  func isStored(_ hosted: HostedWorld) -> Bool {
    guard let persistence else { return true }
    if hosted.isBeingStored { return false }
    guard let home = hosted.home else { return true }
    return persistence.isStored(hosted, home.realm, host: host)
  }

  /// Whether a client has been told something that is not stored yet.
  func waitsForStore(_ client: Client) -> Bool { client.owesStore && !isStored(client.hosted) }

  /// Lets all be sent that need not wait for the store.
  func commitOutboxes() {
    let candidates = dirty + waitingForStore
    for client in waitingForStore { client.isWaitingForStore = false }
    waitingForStore = []
    for client in candidates {
      // Once, though it may be among both.
      if client.isWaitingForStore { continue }
      if waitsForStore(client) {
        client.isWaitingForStore = true
        waitingForStore.append(client)
      } else {
        client.session.outbox.commit()
        client.owesStore = false
        letWrite(client)
      }
    }
  }

  /// Does a little of what the store needs besides, for each world.
  func maintainWorlds() {
    hasMaintenance = false
    guard let persistence, !workers.storeIsBusy else { return }
    // What the store's thread does is followed by another look.
    defer { hasMaintenance = hasMaintenance || workers.storeIsBusy }
    if persistence.store.isLogLong { return writeBackLog(persistence) }
    for hosted in worlds.values where hosted.progress != nil {
      guard let home = hosted.home else { continue }
      do throws(PersistenceFailure) {
        switch try persistence.maintain(hosted, home, host: host) {
        case .nothing: continue
        case .more:
          // One world at a time, so that a round is short however many there are.
          hasMaintenance = true
          return
        case .checkpoint(let made):
          return put(made, of: hosted, persistence)
        case .room(let lease): return makeRoom(in: hosted, lease, persistence)
        }
      } catch {
        leave(hosted, home, after: error)
      }
    }
    if hasDroppedWorlds { sweep(persistence) }
  }

  /// Lets the store's thread write the log back.
  private func writeBackLog(_ persistence: Persistence) {
    workers.submit(
      Job { () throws(StoreFailure) in
        try persistence.store.writeBackLog()
      } then: { [unowned self] result in
        // It only gets longer; whatever is wrong, the next commit will meet it.
        if case .failure(let error) = result { report("the store's log stays as long as it is: \(error)") }
      })
  }

  /// Lets the store's thread remove a batch of what a world has too much. The world stays home meanwhile.
  private func makeRoom(in hosted: HostedWorld, _ lease: Lease, _ persistence: Persistence) {
    hosted.isBeingStored = true
    workers.submit(
      Job { () throws(StoreFailure) in
        try persistence.makeRoom(lease)
      } then: { [unowned self] result in
        hosted.isBeingStored = false
        guard let home = hosted.home else { return }
        switch result {
        case .success(let (isOverfull, first)):
          hosted.progress?.isOverfull = isOverfull
          home.realm.stored?.first = first
          if isOverfull { hasMaintenance = true }
        case .failure(let error): leave(hosted, home, after: .store(error))
        }
      })
  }

  /// Lets the store's thread give back a batch of the room that dropped worlds had.
  private func sweep(_ persistence: Persistence) {
    workers.submit(
      Job { () throws(StoreFailure) in
        try persistence.store.sweep()
      } then: { [unowned self] result in
        switch result {
        case .success(let hasMore):
          hasDroppedWorlds = hasMore
          if hasMore { hasMaintenance = true }
        case .failure(let error):
          // What was dropped stays where it is until the next start; nobody needs it.
          hasDroppedWorlds = false
          report("dropped worlds: \(error)")
        }
      })
  }

  /// Lets the store's thread store a checkpoint.
  private func put(_ made: Persistence.MadeCheckpoint, of hosted: HostedWorld, _ persistence: Persistence) {
    workers.submit(
      Job { () throws(StoreFailure) in
        try persistence.put(made)
      } then: { [unowned self] result in
        switch result {
        case .success: persistence.didPut(made, of: hosted)
        case .failure(let error): if let home = hosted.home { leave(hosted, home, after: .store(error)) }
        }
      })
  }

  /// Handles a failure outside a round: upkeep of the world pauses for a while, or the world goes out of service.
  private func leave(_ hosted: HostedWorld, _ home: RealmBox, after failure: PersistenceFailure) {
    if failure.leavesLease {
      report("world \(hosted.name) cannot be looked after for a while: \(failure)")
      hosted.archiving = nil
      hosted.progress?.restsUntil = host &+ Service.rest
    } else {
      fail(hosted, home, "\(failure)", isLost: failure.isFinal)
    }
  }

  /// - Parameter isLost: Whether the world is another daemon's from now on.
  private func fail(_ hosted: HostedWorld, _ home: RealmBox, _ reason: String, isLost: Bool = false) {
    let head = hosted.head(home.realm)
    let last = home.realm.world.lastSequence
    let lost = last > head ? "inputs \(head + 1) to \(last)" : "what changed since input \(last)"
    report("world \(hosted.name): \(lost) could not be stored and did not happen: \(reason)")
    if isShuttingDown { hasLost = true }
    for client in everybody where client.hosted === hosted {
      client.session.rollBack(world: hosted.name, head: head, reason)
      markDirty(client)
      list(client)
    }
    if isLost {
      close(hosted, home, reason, head: head, .taken)
    } else if isShuttingDown {
      close(hosted, home, reason, head: head, .store(retryAt: .max))
    } else {
      reload(hosted, home)
    }
  }

  // MARK: The end

  /// Gives all worlds back, when everything is stored, and closes the store.
  ///
  /// - Returns: Whether all that happened is stored. What is not has been reported.
  @discardableResult
  func release() -> Bool {
    guard let persistence else { return true }
    isShuttingDown = true
    passTime()
    commitLast()
    for hosted in worlds.values {
      guard let home = hosted.home else {
        // A worker has not come back in time; what it has done there nobody was told of.
        guard hosted.progress != nil else { continue }
        report("world \(hosted.name) ends as it was stored last: work was under way in it")
        hasLost = true
        continue
      }
      do throws(PersistenceFailure) {
        try persistence.leave(hosted, home)
      } catch {
        report("world \(hosted.name): \(error)")
      }
    }
    persistence.store.close()
    for hosted in worlds.values {
      guard let outage = hosted.home?.realm.outage, case .store = outage.cause, !outage.isFromStart else { continue }
      report("world \(hosted.name) ends as it was stored last, with input \(outage.head): \(outage.reason)")
      hasLost = true
    }
    return !hasLost
  }
}

extension Session {
  /// Takes back what this client was to be told in this round: each request has failed, since what it did is not stored.
  ///
  /// - Parameter head: The last input that is stored. Of what was dropped up to it the client is still to be told.
  mutating func rollBack(world: String, head: UInt64, _ reason: String) {
    let uncommitted = outbox.rollBack()
    if let cursor, cursor.next <= head { gap = (gap?.lowerBound ?? cursor.next)...head }
    if let dropped = gap { gap = dropped.lowerBound <= head ? dropped.clamped(to: 0...head) : nil }
    var unanswered = uncommitted.withheld[...]
    var forms = uncommitted.forms[...]
    for line in uncommitted.lines.split(separator: UInt8(ascii: "\n")) {
      while let request = unanswered.first, request.place <= line.startIndex {
        failStorage(request.tag, world: world, reason)
        unanswered.removeFirst()
      }
      while let next = forms.first, next.place <= line.startIndex {
        outbox.change(to: next.form)
        forms.removeFirst()
      }
      let stands = uncommitted.standing.contains { $0.contains(line.startIndex) }
      let lineClass = LineClass(rawValue: line[line.startIndex])
      if (stands && lineClass != .notice) || lineClass == .flow {
        line.withUnsafeBytes { outbox.buffer.append($0) }
        outbox.buffer.endLine()
      } else if lineClass == .success || lineClass == .failure {
        failStorage(Session.tag(of: line), world: world, reason)
      }
    }
    for request in unanswered { failStorage(request.tag, world: world, reason) }
    if let last = forms.last { outbox.change(to: last.form) }
    // What nobody has begun is still to be done, in the world as it is then.
    if case .away = activity { return }
    if !activity.isNone, !activity.isDeferred {
      failStorage(activity.tag, world: world, reason)
      endActivity()
      // What waits behind it is taken in its turn.
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
