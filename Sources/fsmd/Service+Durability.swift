import JournalStore
import LineProtocol
import Simulator
import StateMachines
import UnixHost

/// Durable worlds: what a round brought is stored before anybody is told of it.
extension Service {
  /// How long a store that failed is left alone, in nanoseconds.
  private static let pause: UInt64 = 1_000_000_000
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
    guard let keeper, !workers.storeIsBusy else { return }
    while true {
      var news: [(hosted: HostedWorld, home: RealmBox)] = worlds.values.compactMap { hosted in
        guard let home = hosted.home, keeper.hasNews(hosted, home.realm, host: host, isLast: isLast) else { return nil }
        return (hosted, home)
      }
      if news.isEmpty { return }
      var isAll = true
      if !isLast, !workers.areInline {
        // Who always has something to store would never let the log be written back.
        if keeper.store.isLogLong { return writeBackLog(keeper) }
        let inputs = news.reduce(0) { $0 + $1.home.realm.world.lastSequence - $1.hosted.head($1.home.realm) }
        if inputs > Service.inputsGatheredHere {
          // Worlds in which nothing happened but that time passed would be away for as long as the others take.
          let idle = news.filter { hosted, home in !keeper.hasChanged(hosted, home.realm) }
          if idle.isEmpty { return commitLent(news, keeper) }
          (news, isAll) = (idle, false)
        }
      }
      let round = keeper.gather(news)
      if !isLast, !workers.areInline, !keeper.isQuick(round) { return commitLater(round) }
      let begun = HostClock.now()
      let result = isLast ? round.written() : keeper.atOnce { round.written() }
      keeper.note(HostClock.now() &- begun)
      // For another program's lock the store's thread waits.
      if case .failure(.locked) = result, !isLast, !workers.areInline { return commitLater(round) }
      // Where one world is somebody else's by now, the others still can be stored.
      if finish(round, result), isAll { return settleOutboxes() }
    }
  }

  /// Stores all that is left, and lets clients be told of it. What the store's thread has under way comes first, however
  /// long it takes.
  func commitLast() {
    workers.waitForStore()
    for job in workers.takeReturnedStoreJobs() { job.finish() }
    finishRewinds()
    commit(isLast: true)
    settleOutboxes()
  }

  private func commitLater(_ round: Round) {
    let worlds = round.news.map(\.hosted)
    sealOutboxes(for: worlds)
    let begun = HostClock.now()
    workers.submit(
      StoreJob { () throws(StoreFailure) in
        try round.written().get()
      } then: { [unowned self] result in
        for hosted in worlds { hosted.isBeingStored = false }
        keeper?.note(HostClock.now() &- begun)
        settle(round, result)
      })
  }

  /// The same where only to gather what came would keep others waiting: the store's thread has the worlds for that long.
  private func commitLent(_ news: [(hosted: HostedWorld, home: RealmBox)], _ keeper: Keeper) {
    sealOutboxes(for: news.map(\.hosted))
    for (hosted, _) in news { _ = hosted.lend(workers.lease()) }
    workers.submit(
      StoreJob { () throws(StoreFailure) in
        let round = keeper.gather(news)
        return (round, round.written())
      } then: { [unowned self] result in
        for (hosted, home) in news {
          hosted.isBeingStored = false
          giveBack(hosted, home)
        }
        guard case .success(let (round, outcome)) = result else { preconditionFailure("the job itself cannot fail") }
        settle(round, outcome)
      })
  }

  /// Marks what clients were told as told by the commit that is about to begin.
  private func sealOutboxes(for worlds: [HostedWorld]) {
    for hosted in worlds { hosted.isBeingStored = true }
    for client in clients.values where client.owesStore { client.session.outbox.seal() }
  }

  /// Lets clients be told of what was stored by a commit that has ended.
  private func settle(_ round: Round, _ result: Result<Void, StoreFailure>) {
    // Where one world is somebody else's by now, the others are stored in the next round.
    guard finish(round, result) else { return }
    for client in clients.values where client.owesStore {
      client.session.outbox.settleSealed()
      letWrite(client)
    }
  }

  /// Notes how a commit has ended.
  ///
  /// - Returns: Whether nothing is left to be stored of what it was about.
  private func finish(_ round: Round, _ result: Result<Void, StoreFailure>) -> Bool {
    switch result {
    case .success:
      keeper?.didStore(round, host: host)
      return true
    case .failure(let error):
      let lost = error.world.flatMap { world in round.news.first { $0.hosted.name == world } }
      for news in lost.map({ [$0] }) ?? round.news {
        guard let home = news.hosted.home else { continue }
        giveUp(news.hosted, home, "\(error)", isLost: error.isFinal)
      }
      return lost == nil
    }
  }

  /// Whether everything that a world has brought is stored, as far as it is to be. What a lent one brings is not told
  /// before its return.
  func isStored(_ hosted: HostedWorld) -> Bool {
    guard let keeper else { return true }
    if hosted.isBeingStored { return false }
    guard let home = hosted.home else { return true }
    return keeper.isStored(hosted, home.realm, host: host)
  }

  /// Whether a client has been told something that is not stored yet.
  func waitsForStore(_ client: Client) -> Bool { client.owesStore && !isStored(client.hosted) }

  /// Lets all be sent that need not wait for the store.
  func settleOutboxes() {
    let candidates = touched + waitingForStore
    for client in waitingForStore { client.isWaitingForStore = false }
    waitingForStore = []
    for client in candidates {
      // Once, though it may be among both.
      if client.isWaitingForStore { continue }
      if waitsForStore(client) {
        client.isWaitingForStore = true
        waitingForStore.append(client)
      } else {
        client.session.outbox.settle()
        client.owesStore = false
        letWrite(client)
      }
    }
  }

  /// Does a little of what the store needs besides, for each world.
  func tendWorlds() {
    isTending = false
    guard let keeper, !workers.storeIsBusy else { return }
    // What the store's thread does is followed by another look.
    defer { isTending = isTending || workers.storeIsBusy }
    if keeper.store.isLogLong { return writeBackLog(keeper) }
    for hosted in worlds.values where hosted.keeping != nil {
      guard let home = hosted.home else { continue }
      do throws(KeeperFailure) {
        switch try keeper.tend(hosted, home, host: host) {
        case .nothing: continue
        case .more:
          // One world at a time, so that a round is short however many there are.
          isTending = true
          return
        case .checkpoint(let made):
          return put(made, of: hosted, keeper)
        case .room(let tenure): return makeRoom(in: hosted, tenure, keeper)
        }
      } catch {
        leave(hosted, home, after: error)
      }
    }
    if hasRubbish { sweep(keeper) }
  }

  /// Lets the store's thread write the log back.
  private func writeBackLog(_ keeper: Keeper) {
    workers.submit(
      StoreJob { () throws(StoreFailure) in
        try keeper.store.writeBackLog()
      } then: { [unowned self] result in
        // It only gets longer; whatever is wrong, the next commit will meet it.
        if case .failure(let error) = result { report("the store's log stays as long as it is: \(error)") }
      })
  }

  /// Lets the store's thread remove a bite of what a world has too much. The world stays home meanwhile.
  private func makeRoom(in hosted: HostedWorld, _ tenure: Tenure, _ keeper: Keeper) {
    hosted.isBeingStored = true
    workers.submit(
      StoreJob { () throws(StoreFailure) in
        try keeper.makeRoom(tenure)
      } then: { [unowned self] result in
        hosted.isBeingStored = false
        guard let home = hosted.home else { return }
        switch result {
        case .success(let (isOverfull, first)):
          hosted.keeping?.isOverfull = isOverfull
          home.realm.stored?.first = first
          if isOverfull { isTending = true }
        case .failure(let error): leave(hosted, home, after: .store(error))
        }
      })
  }

  /// Lets the store's thread give back a bite of the room that dropped worlds had.
  private func sweep(_ keeper: Keeper) {
    workers.submit(
      StoreJob { () throws(StoreFailure) in
        try keeper.store.sweep()
      } then: { [unowned self] result in
        switch result {
        case .success(let hasMore):
          hasRubbish = hasMore
          if hasMore { isTending = true }
        case .failure(let error):
          // What was dropped stays where it is until the next start; nobody needs it.
          hasRubbish = false
          report("dropped worlds: \(error)")
        }
      })
  }

  /// Lets the store's thread store a checkpoint.
  private func put(_ made: Keeper.MadeCheckpoint, of hosted: HostedWorld, _ keeper: Keeper) {
    workers.submit(
      StoreJob { () throws(StoreFailure) in
        try keeper.put(made)
      } then: { [unowned self] result in
        switch result {
        case .success: keeper.didPut(made, of: hosted)
        case .failure(let error): if let home = hosted.home { leave(hosted, home, after: .store(error)) }
        }
      })
  }

  /// After something beside the rounds has failed: the world is left alone for a while, or cannot be had any more.
  private func leave(_ hosted: HostedWorld, _ home: RealmBox, after failure: KeeperFailure) {
    if failure.leavesTenure {
      report("world \(hosted.name) cannot be looked after for a while: \(failure)")
      hosted.archiving = nil
      hosted.keeping?.restsUntil = host &+ Service.rest
    } else {
      giveUp(hosted, home, "\(failure)", isLost: failure.isFinal)
    }
  }

  /// Reads a world again whose store has failed, if it is time to try.
  func tryAgain(_ hosted: HostedWorld) {
    guard !workers.storeIsBusy, let home = hosted.home, case .store(let retryAt)? = home.realm.outage?.cause,
      host >= retryAt
    else { return }
    bringBack(hosted, home)
  }

  /// - Parameter isLost: Whether the world is another daemon's from now on.
  private func giveUp(_ hosted: HostedWorld, _ home: RealmBox, _ reason: String, isLost: Bool = false) {
    let head = hosted.head(home.realm)
    let last = home.realm.world.lastSequence
    let lost = last > head ? "inputs \(head + 1) to \(last)" : "what changed since input \(last)"
    report("world \(hosted.name): \(lost) could not be stored and did not happen: \(reason)")
    if isShuttingDown { hasLost = true }
    for client in everybody where client.hosted === hosted {
      client.session.takeBack(world: hosted.name, head: head, reason)
      touch(client)
      list(client)
    }
    if isLost { close(hosted, home, reason, head: head, .taken) } else { bringBack(hosted, home) }
  }

  /// Lets a world be one that cannot be had for now.
  private func close(
    _ hosted: HostedWorld, _ home: RealmBox, _ reason: String, head: UInt64, _ cause: Realm.Outage.Cause
  ) {
    if let known = home.realm.outage, let reading = known.reading, case .store(let retryAt) = cause {
      return readOnly(home, reading, reason, retryAt: retryAt, isFromStart: known.isFromStart)
    }
    let outage = Realm.Outage(reason: reason, cause: cause, head: head)
    hosted.replace(with: Realm(without: home.realm, outage))
    readOn(in: hosted, home, from: 1)
  }

  /// Lets those who watch a world that was replaced go on with an input, or the first that there is behind it.
  private func readOn(in hosted: HostedWorld, _ home: RealmBox, from sequence: UInt64) {
    let first = home.realm.world.firstSequence
    let next = min(max(sequence, first), home.realm.world.lastSequence + 1)
    for client in clients.values where client.hosted === hosted && client.session.cursor != nil {
      client.session.cursor = home.realm.world.journalReader(from: next)
    }
  }

  /// Throws a world away and reads it from the store.
  private func bringBack(_ hosted: HostedWorld, _ home: RealmBox) {
    guard let keeper else { return }
    // One world's failure is most often all worlds', and to find that out anew may take a while.
    let told = hosted.head(home.realm)
    if let rest = storeRest, host < rest.until {
      return close(hosted, home, rest.reason, head: told, .store(retryAt: rest.until))
    }
    if let reading = home.realm.outage?.reading {
      // It is here already; only whether it can be written is to be found out, and that first.
      return goOn(hosted, home, told: told, keeper) { () throws(KeeperFailure) in
        try keeper.atOnce { () throws(KeeperFailure) in try keeper.tryWriting() }
        return reading
      }
    }
    if workers.areInline {
      let (name, host) = (hosted.name, host)
      return goOn(hosted, home, told: told, keeper) { () throws(KeeperFailure) in
        Service.replace(hosted, with: try keeper.read(name, host: host))
      }
    }
    close(hosted, home, "it is being read again", head: told, .store(retryAt: host))
    // Otherwise it is tried again when the store is free.
    if !workers.storeIsBusy { readAgain(hosted, told: told, keeper) }
  }

  /// Lets the store's thread read a world, for which everybody waits meanwhile as if a worker had it.
  private func readAgain(_ hosted: HostedWorld, told: UInt64, _ keeper: Keeper) {
    let (name, host) = (hosted.name, host)
    let box = hosted.lend(workers.lease())
    workers.submit(
      StoreJob { () throws(StoreFailure) in
        Result { () throws(KeeperFailure) in StoredRealm.Handover(try keeper.read(name, host: host)) }
      } then: { [unowned self] result in
        giveBack(hosted, box)
        goOn(hosted, box, told: told, keeper) { () throws(KeeperFailure) in
          guard case .success(let read) = result else { preconditionFailure("the job itself cannot fail") }
          return Service.replace(hosted, with: try read.get().take())
        }
      })
  }

  /// Puts what was read from the store in the place of a world.
  private static func replace(_ hosted: HostedWorld, with stored: consuming StoredRealm) -> StoredRealm.Reading {
    let reading = stored.reading
    hosted.replace(with: stored.realm)
    return reading
  }

  /// Lets a world that could not be had go on.
  ///
  /// - Parameters:
  ///   - told: The last input that clients may have been told of.
  ///   - body: Makes it ready.
  private func goOn(
    _ hosted: HostedWorld, _ home: RealmBox, told: UInt64, _ keeper: Keeper,
    _ body: () throws(KeeperFailure) -> StoredRealm.Reading
  ) {
    let name = hosted.name
    let isStart = home.realm.outage?.isFromStart ?? false
    var reading = home.realm.outage?.reading
    do throws(KeeperFailure) {
      reading = try body()
      if let reading { try takeBack(hosted, home, reading, keeper, isStart: isStart) }
      readOn(in: hosted, home, from: told + 1)
      storeRest = nil
      report("world \(name) is as the store has it, up to input \(home.realm.world.lastSequence)")
    } catch {
      // A store that stays as it is, is spoken of once.
      if home.realm.outage?.reason != "\(error)" { report("world \(name): \(error)") }
      let until = host &+ Service.pause
      if error.isOfStore { storeRest = ("\(error)", until) }
      if error.isOfStore, let reading, hosted.keeping == nil {
        readOnly(home, reading, "\(error)", retryAt: until, isFromStart: isStart)
        readOn(in: hosted, home, from: told + 1)
      } else {
        close(hosted, home, "\(error)", head: told, error.isOfWorld ? .unreadable : .store(retryAt: until))
      }
    }
  }

  /// Takes a world that is as the store has it, and lets its time go on.
  private func takeBack(
    _ hosted: HostedWorld, _ home: RealmBox, _ reading: StoredRealm.Reading, _ keeper: Keeper, isStart: Bool
  ) throws(KeeperFailure) {
    try keeper.take(hosted, reading, host: host)
    home.realm.outage = nil
    home.realm.clock = reading.settings.clock(host: host, moment: home.realm.world.now)
    try keeper.letTimePass(in: hosted, home, isStart: isStart)
  }

  /// Lets a world be one that can be looked at, as the store has it, and not changed for now.
  private func readOnly(
    _ home: RealmBox, _ reading: StoredRealm.Reading, _ reason: String, retryAt: UInt64, isFromStart: Bool
  ) {
    home.realm.outage = Realm.Outage(
      reason: reason, cause: .store(retryAt: retryAt), head: reading.world.head, reading: reading,
      isFromStart: isFromStart)
  }

  // MARK: Coming and going

  /// Brings back all worlds of the store, and makes `main` durable. One that cannot be brought back is out of service, and
  /// stops no other. Where the store can be read and not be written, its worlds can only be looked at for now.
  ///
  /// - Throws: Where the store as a whole cannot be had.
  func bringBackAll() throws(KeeperFailure) {
    guard let keeper else { return }
    var readings: [(HostedWorld, StoredRealm.Reading)] = []
    let stored = try keeper.worlds()
    for (name, head) in stored {
      let begun = keeper.wallClock()
      do throws(KeeperFailure) {
        let stored = try keeper.read(name, host: host)
        let reading = stored.reading
        readings.append((serve(stored.realm), reading))
        tell(reading, milliseconds: max(0, keeper.wallClock() - begun))
      } catch {
        try host(outOfService: name, head: head, error)
      }
    }
    for (hosted, reading) in readings {
      guard let home = hosted.home else { continue }
      do throws(KeeperFailure) {
        try takeBack(hosted, home, reading, keeper, isStart: true)
      } catch {
        guard error.isOfStore else {
          try host(outOfService: hosted.name, head: reading.world.head, error)
          continue
        }
        // A full disk, say, passes; until then what is there is of use.
        report("world \(hosted.name) can only be read for now: \(error)")
        readOnly(home, reading, "\(error)", retryAt: host &+ Service.pause, isFromStart: true)
      }
    }
    if !stored.contains(where: { $0.name == main.name }), let home = main.home {
      try keeper.begin(main, home, host: host)
    }
    engine.counters.worlds = worlds.count
  }

  /// Serves a world under its name.
  private func serve(_ realm: consuming Realm) -> HostedWorld {
    if let hosted = worlds[realm.name] {
      hosted.replace(with: realm)
      return hosted
    }
    let name = realm.name
    let hosted = host(realm)
    worlds[name] = hosted
    return hosted
  }

  /// Lets a world be one that could not be brought back.
  ///
  /// - Throws: What has happened, if other worlds will fare no better.
  private func host(outOfService name: String, head: UInt64, _ failure: KeeperFailure) throws(KeeperFailure) {
    if failure.isOfStore { throw failure }
    report("world \(name) is out of service: \(failure)")
    let outage = Realm.Outage(
      reason: "\(failure)", cause: failure.isFinal ? .taken : .unreadable, head: head)
    _ = serve(Realm(name: name, limits: engine.limits.world, host: host, outage))
  }

  /// Says that a world is back, and what that took.
  private func tell(_ reading: StoredRealm.Reading, milliseconds: Int64) {
    let (name, head) = (reading.world.name, reading.world.head)
    note(
      "world \(name) is back with \(head) inputs in \(milliseconds) ms, the last \(head - reading.start) of them played again"
    )
    if let detour = reading.detour {
      report(
        reading.start == 0
          ? "world \(name) was played from its beginning: \(detour)"
          : "of world \(name) nothing up to input \(reading.start) can be undone: \(detour)")
    }
  }

  /// Gives all worlds back, when everything is stored, and closes the store.
  ///
  /// - Returns: Whether all that happened is stored. What is not has been reported.
  @discardableResult
  func release() -> Bool {
    guard let keeper else { return true }
    isShuttingDown = true
    passTime()
    commitLast()
    for hosted in worlds.values {
      guard let home = hosted.home else {
        // A worker has not come back in time; what it has done there nobody was told of.
        guard hosted.keeping != nil else { continue }
        report("world \(hosted.name) ends as it was stored last: work was under way in it")
        hasLost = true
        continue
      }
      do throws(KeeperFailure) {
        try keeper.leave(hosted, home)
      } catch {
        report("world \(hosted.name): \(error)")
      }
    }
    keeper.store.close()
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
  mutating func takeBack(world: String, head: UInt64, _ reason: String) {
    let unsettled = outbox.takeBack()
    if let cursor, cursor.next <= head { gap = (gap?.lowerBound ?? cursor.next)...head }
    if let dropped = gap { gap = dropped.lowerBound <= head ? dropped.clamped(to: 0...head) : nil }
    var unanswered = unsettled.withheld[...]
    var forms = unsettled.forms[...]
    for line in unsettled.lines.split(separator: UInt8(ascii: "\n")) {
      while let request = unanswered.first, request.place <= line.startIndex {
        failStorage(request.tag, world: world, reason)
        unanswered.removeFirst()
      }
      while let next = forms.first, next.place <= line.startIndex {
        outbox.change(to: next.form)
        forms.removeFirst()
      }
      let stands = unsettled.standing.contains { $0.contains(line.startIndex) }
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

  mutating func failStorage(_ tag: [UInt8], world: String, _ reason: String) {
    tag.withUnsafeBytes { fail($0, .storage, [("world", world)], reason) }
  }

  /// The tag of a line that answers a request.
  private static func tag(of line: ArraySlice<UInt8>) -> [UInt8] {
    let rest = line.dropFirst(2)
    guard rest.first == UInt8(ascii: "@") else { return [] }
    return Array(rest.dropFirst().prefix { $0 != UInt8(ascii: " ") })
  }
}
