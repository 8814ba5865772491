import LineProtocol
import Simulator
import StateMachines
import UnixHost

/// Worlds that are lent to workers, and what is done when they are back.
extension Service {
  // MARK: Lending

  /// Lends the worlds in which there is long work, those whose clients have waited longest first.
  func lendWorlds() {
    if isShuttingDown { return }
    for hosted in worlds.values { hosted.reviewPromise() }
    let candidates = busy.filter { $0.session.needsWorker && !waitsForAnother($0) }.sorted { $0.turn < $1.turn }
    for client in candidates {
      if canLend(client), workers.areFree {
        lend(to: client)
      } else {
        // Otherwise those whose requests keep the store busy would always come first.
        guard needsOnlyTheStore(client) else { continue }
        for hosted in worldsNeeded(by: client) where hosted.isBeingStored { hosted.promise(to: client) }
      }
    }
    for hosted in worlds.values {
      guard let home = hosted.home, isStored(hosted), workers.areFree else { continue }
      if home.realm.isBehind || home.realm.world.wantsCheckpoint { lend([hosted], actor: nil, catchesUp: true) }
    }
  }

  /// Whether a client's request came after another's that a worker is to carry out in the same world.
  private func waitsForAnother(_ client: Client) -> Bool {
    client.session.activity.isDeferred && client.hosted.isPromised(to: client)
  }

  /// Whether a worker can go on with what a client has under way.
  func canLend(_ client: Client) -> Bool {
    client.session.needsWorker && worldsNeeded(by: client).allSatisfy(isStored) && needsOnlyTheStore(client)
  }

  /// Whether a worker could go on with what a client has under way if all is stored that its worlds have brought.
  private func needsOnlyTheStore(_ client: Client) -> Bool {
    guard worldsNeeded(by: client).allSatisfy({ $0.home != nil }) else { return false }
    if case .compare = client.session.activity { return engine.hasRoomForReply(client.session) }
    return client.hosted.home.map { canWork(client, $0) } ?? false
  }

  private func worldsNeeded(by client: Client) -> [HostedWorld] {
    if case .compare(let comparison) = client.session.activity { comparison.worlds } else { [client.hosted] }
  }

  private func canWork(_ client: Client, _ home: RealmBox) -> Bool {
    switch client.session.activity {
    case .none, .away, .compare: false
    case .reply(let reply, _):
      engine.hasRoomForReply(client.session) && (!reply.isWaiting || host >= client.nextGlance)
    case .await(let wait):
      home.realm.rewinding == nil
        && (home.realm.clock.mode == .virtual && isReady(client, wait.patience) || isFarBehind(wait, home))
    case .advance(let advance): home.realm.rewinding == nil && isReady(client, advance.patience)
    case .step(let step): home.realm.rewinding == nil && isReady(client, step.patience)
    case .rewind(let rewind):
      switch rewind.end {
      case .open: !rewind.rewinding.hasArrived
      case .allowed: true
      case .done: false
      }
    case .fork, .deferred: home.realm.rewinding == nil
    }
  }

  /// Whether so much has happened since it was looked whether an awaited state has come that a worker is to look.
  func isFarBehind(_ wait: Activity.Await, _ home: RealmBox) -> Bool {
    wait.reader.next + 256 <= home.realm.world.journal.last
  }

  /// Whether time may go on: a client has taken its notices, or has been waited for long enough.
  private func isReady(_ client: Client, _ patience: UInt64?) -> Bool {
    guard let patience else { return true }
    return patience <= host || client.session.outbox.noticeBytes <= engine.limits.noticeQueue / 2
  }

  private func lend(to client: Client) {
    turns += 1
    client.turn = turns
    if case .compare(let comparison) = client.session.activity {
      lend(comparison.worlds, actor: client, catchesUp: false)
    } else {
      lend([client.hosted], actor: client, catchesUp: client.hosted.home?.realm.isBehind ?? false)
    }
  }

  private func lend(_ lent: [HostedWorld], actor: Client?, catchesUp: Bool) {
    let slot = workers.slot()
    var part: Loan.Part?
    var awaiting: [Loan.Part] = []
    if let actor {
      if case .await = actor.session.activity {
      } else {
        actor.slot = slot
        part = Loan.Part(actor, actor.session.standIn(engine.limits))
      }
    }
    for hosted in lent { hosted.promiseIsKept() }
    var readers: [Loan.Part] = []
    // A comparison changes neither world.
    if lent.count == 1 {
      let moves = part.map { !$0.session.activity.isDeferred } ?? true
      if moves, lent[0].home?.realm.rewinding == nil {
        for client in busy where client.hosted === lent[0] {
          guard case .await = client.session.activity else { continue }
          // Who ends only his own waiting must not end another's request with it.
          client.slot = part == nil ? slot : nil
          awaiting.append(Loan.Part(client, client.session.standIn(engine.limits)))
        }
      }
      readers = watchers(in: lent[0]).filter { !$0.isAway && $0 !== actor }.map {
        Loan.Part($0, $0.session.reader(engine.limits))
      }
    }
    workers.submit(
      Loan(
        lent, slot, engine, host: host, actor: part, awaiting: awaiting, readers: readers, catchesUp: catchesUp))
  }

  /// Those who watch something in a world; not those who are being told of its past, which comes first.
  private func watchers(in lent: HostedWorld) -> [Client] {
    clients.values.filter { client in
      guard client.session.cursor != nil, client.hosted === lent else { return false }
      if case .reply(.past, _) = client.session.activity { return false }
      return true
    }
  }

  // MARK: Coming back

  /// Takes over what workers have done.
  func takeReturned() {
    for job in workers.takeReturnedJobs() { job.finish() }
    for loan in workers.takeReturned() {
      for (hosted, box) in loan.boxes { giveBack(hosted, box) }
      engine.counters.add(loan.counters)
      for reader in loan.readers { tell(reader) }
      for part in loan.awaiting { resume(part) }
      if let actor = loan.actor { resume(actor, of: loan) }
      for hosted in loan.worlds {
        if let home = hosted.home { announceLimits(in: hosted, home, except: loan.clientsThatKnow) }
      }
    }
    if !workers.storeIsBusy { finishRewinds() }
  }

  /// Takes a world back from whoever had it.
  func giveBack(_ hosted: HostedWorld, _ box: RealmBox) {
    hosted.bringHome(box)
    for client in hosted.takeArrivals() where client.hosted === hosted { freshen(client) }
  }

  /// What a reader has read is told to its client, if that is still there.
  private func tell(_ reader: Loan.Part) {
    let client = reader.client
    guard client.session.hasReader, client.session.life != .ended, client.stay == reader.stay else {
      return freshen(client)
    }
    markDirty(client)
    client.session.resume(reading: reader.session)
    list(client)
  }

  /// Lets a client that has come back to a world meanwhile go on with what is new there.
  func freshen(_ client: Client) {
    guard client.session.hasReader, let home = client.hosted.home else { return }
    let isWatching = home.realm.world.watchCount(of: client.session.watcher) > 0
    client.session.cursor = isWatching ? home.realm.world.journalReader(from: home.realm.world.lastSequence + 1) : nil
    list(client)
  }

  private func resume(_ part: Loan.Part) {
    let client = part.client
    markDirty(client)
    client.slot = nil
    // It may watch another world by now, and a comparison is of others in any case.
    let readsOn = client.stay == part.stay && !client.session.activity.isComparison
    client.session.resume(from: part.session, readsOn: readsOn)
    goOn(client)
  }

  /// Goes on with a client whose activity is back from a worker or the store's thread.
  func goOn(_ client: Client) {
    if !client.session.hasReader {
      client.session.cursor = nil
      client.discardOutput()
      client.session.endWhatNobodyReads()
    }
    answerCancels(client)
    if client.session.activity.isNone { client.session.isHeldUp = true }
    list(client)
    if isShuttingDown { sayGoodbye(client) }
  }

  private func resume(_ actor: Loan.Part, of loan: Loan) {
    let client = actor.client
    resume(actor)
    // Others of the same world have their turn first.
    putLast(client)
    if let fork = loan.fork { add(host(fork)) }
    if loan.isOfRequest { noteTime(loan.time, of: loan.worlds[0]) }
    if case .reply(let reply, _) = client.session.activity, reply.isWaiting {
      client.nextGlance = host + GraphvizJob.glance
    }
  }

  /// After a request that a worker has carried out: when they have become short, the event loop takes them again.
  private func noteTime(_ time: UInt64, of hosted: HostedWorld) {
    if time > Service.tooLong {
      hosted.slowRequests = Service.slowRequests
    } else if hosted.slowRequests > 0 {
      hosted.slowRequests -= 1
    }
  }
}
