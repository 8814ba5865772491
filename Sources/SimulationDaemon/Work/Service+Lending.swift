import JournalStore
import LineProtocol
import Simulator
import StateMachines
import UnixHost

/// Lends worlds to workers and takes them back.
extension Service {
  // MARK: Lending

  /// Lends the worlds with long work, as long as workers are free, and reserves those that wait for the store.
  ///
  /// Users take turns with the workers, longest wait first; so do the clients and worlds of each user.
  func lendWorlds() {
    if isShuttingDown { return }
    for hosted in worlds.values { hosted.reviewReservation() }
    var clients = busy.filter { areFree(for: $0) && placement(of: $0).isOnWorker }
    var behind = worlds.values.filter(needsWorkerForItself)
    while !clients.isEmpty || !behind.isEmpty {
      clients.removeAll { !areFree(for: $0) }
      behind.removeAll { !workers.areFree(for: $0.owner.lane) }
      let client = clients.min { turns(of: $0) < turns(of: $1) }
      let world = behind.min { turns(of: $0) < turns(of: $1) }
      if let world, (client.map { turns(of: world) < turns(of: $0) } ?? true) {
        behind.removeAll { $0 === world }
        // A client's request may have taken it, and caught up on the way.
        guard needsWorkerForItself(world) else { continue }
        turns += 1
        world.turn = turns
        user(world.owner).turn = turns
        lend([world], actor: nil, catchesUp: true)
      } else if let client {
        clients.removeAll { $0 === client }
        if placement(of: client).isOnWorker { lend(to: client) }
      } else {
        break
      }
    }
    for client in busy.sorted(by: { $0.turn < $1.turn }) {
      guard case .waiting(for: .commit) = placement(of: client) else { continue }
      // The reservation puts this activity ahead of the requests that keep the store busy.
      for hosted in worldsNeeded(by: client) where hosted.isBeingStored { hosted.reserve(for: client) }
    }
  }

  /// Whether a worker would soon do a client's work.
  func areFree(for client: Client) -> Bool {
    workers.areFree(for: client.user.id.lane, isElsewhere: client.hosted.owner != client.user.id)
  }

  /// The last turns of a client's user and of the client.
  private func turns(of client: Client) -> (UInt64, UInt64) { (client.user.turn, client.turn) }

  /// The last turns of a world's owner, and of the world without a client.
  private func turns(of world: HostedWorld) -> (UInt64, UInt64) { (user(world.owner).turn, world.turn) }

  /// Whether a world wants a worker without a client: to catch up with its clock, for a checkpoint, or to print notices.
  private func needsWorkerForItself(_ hosted: HostedWorld) -> Bool {
    guard let home = hosted.home, isStored(hosted) else { return false }
    return home.live.isBehind || home.live.world.wantsCheckpoint || hosted.hasMuchToTell && !hosted.isReserved
  }

  private func lend(to client: Client) {
    turns += 1
    client.turn = turns
    client.user.turn = turns
    if case .fork(let fork) = client.session.activity, fork.growth == nil, !promiseGrowth(by: fork, client) { return }
    if case .reply(let graph as GraphReply, _) = client.session.activity, graph.needsNoWorld {
      draw(graph, for: client)
    } else if case .compare(let comparison) = client.session.activity {
      lend(comparison.worlds, actor: client, catchesUp: false)
    } else {
      lend([client.hosted], actor: client, catchesUp: client.hosted.home?.live.isBehind ?? false)
    }
  }

  /// Reserves room for a copy right before it is made, since the world or the user's other worlds may have grown.
  /// Answers the client if there is none.
  private func promiseGrowth(by fork: Activity.Fork, _ client: Client) -> Bool {
    guard let home = client.hosted.home else { preconditionFailure("a world is copied at home") }
    if let growth = growth(byForkOf: home, fork.tag, client) {
      var fork = fork
      fork.growth = growth
      client.session.activity = .fork(fork)
      return true
    }
    markDirty(client)
    client.session.endActivity()
    client.session.isHeldUp = true
    list(client)
    return false
  }

  /// Lets a worker explore and draw a diagram, which takes long for a large kind, while others use the world.
  private func draw(_ graph: GraphReply, for client: Client) {
    let (activity, stay, slot) = (client.session.activity, client.stay, workers.slot(of: client.user.id.lane))
    client.slot = slot
    client.session.activity = .away(Activity.Away(activity))
    let (notes, world) = (client.hosted.persistence?.store.workNotes, client.hosted.progress?.lease.identity)
    workers.submit(
      Job(
        .worker(slot),
        { () throws(Never) in
          notes.during(.requests, world, request: "graph") { _ in graph.draw(within: slot) }
        },
        then: { [unowned self] _ in
          markDirty(client)
          client.slot = nil
          client.session.activity = activity
          if client.stay != stay {
            client.session.endActivity()
            client.session.fail(activity.tag, .unknownWorld, [], "the world of this diagram was dropped meanwhile")
          }
          goOn(client)
          putLast(client)
        }))
  }

  private func lend(_ lent: [HostedWorld], actor: Client?, catchesUp: Bool) {
    let slot = workers.slot(
      of: (actor?.user.id ?? lent[0].owner).lane, reading: lent[0].progress == nil ? nil : lent[0].persistence)
    let environment = environment.onWorker()
    var part: Loan.Part?
    var awaiting: [Loan.Part] = []
    if let actor {
      if case .await = actor.session.activity {
      } else {
        actor.slot = slot
        part = Loan.Part(actor, actor.session.standIn(environment))
      }
    }
    for hosted in lent { hosted.endReservation() }
    var readers: [Loan.Part] = []
    // A comparison does not change its worlds.
    if lent.count == 1 {
      let moves = part.map { !$0.session.activity.isDeferred } ?? true
      if moves, lent[0].home?.live.rewinding == nil {
        for client in busy where client.hosted === lent[0] {
          guard case .await = client.session.activity else { continue }
          // With an actor the slot is not theirs: cancelling an `await` must not end the actor's request.
          client.slot = part == nil ? slot : nil
          awaiting.append(Loan.Part(client, client.session.standIn(environment)))
        }
      }
      // Who has waited longest comes first.
      readers = watchers(in: lent[0]).filter { !$0.isAway && $0 !== actor }
        .sorted { ($0.session.cursor?.next ?? 0) < ($1.session.cursor?.next ?? 0) }.prefix(Loan.mostReaders)
        .map { Loan.Part($0, $0.session.reader(environment)) }
    }
    workers.submit(
      Loan(
        lent, slot, environment, time, actor: part, awaiting: awaiting, readers: readers, catchesUp: catchesUp,
        notes: lent[0].persistence?.store.workNotes))
  }

  /// Watchers of a world, except those that are still reading its past, which comes first.
  private func watchers(in lent: HostedWorld) -> [Client] {
    clients.values.filter { client in
      client.session.cursor != nil && client.hosted === lent && mayTell(client) && !client.session.isReadingPast
    }
  }

  // MARK: Coming back

  /// Takes back worlds and finished jobs.
  func takeReturned() {
    for job in workers.takeReturnedJobs() { job.finish() }
    for loan in workers.takeReturned() {
      for (hosted, box) in loan.boxes { giveBack(hosted, box) }
      environment.counters.add(loan.counters)
      for reader in loan.readers { tell(reader) }
      for part in loan.awaiting { resume(part) }
      if let actor = loan.actor { resume(actor, of: loan) }
      for hosted in loan.worlds {
        if let home = hosted.home { announceLimits(in: hosted, home, except: loan.clientsThatKnow) }
      }
    }
    finishRewinds()
  }

  /// Takes a world back from its worker.
  func giveBack(_ hosted: HostedWorld, _ box: LiveWorld.Box) {
    hosted.bringHome(box)
    for client in hosted.takeArrivals() where client.hosted === hosted { resumeWatching(client) }
  }

  /// Sends a reader's output to its client, if the client is still in that world.
  private func tell(_ reader: Loan.Part) {
    let client = reader.client
    guard client.session.hasReader, client.session.life != .ended, client.stay == reader.stay else {
      return resumeWatching(client)
    }
    client.session.resume(reading: reader.session)
    if !reader.session.outbox.isEmpty {
      markDirty(client)
      client.nextSample = host &+ SessionTerms.sampleDistance
    }
    list(client)
  }

  /// Continues the watch of a client that came back to the world meanwhile, from the next input on.
  func resumeWatching(_ client: Client) {
    guard client.session.hasReader, let home = client.hosted.home else { return }
    let isWatching = home.live.world.watchCount(of: client.session.watcher) > 0
    client.session.cursor = isWatching ? home.live.world.journalReader(from: home.live.world.lastSequence + 1) : nil
    list(client)
  }

  private func resume(_ part: Loan.Part) {
    let client = part.client
    markDirty(client)
    client.slot = nil
    // The client may watch another world by now, and a comparison may be of other worlds.
    let readsOn = client.stay == part.stay && !client.session.activity.traits.isComparison
    client.session.resume(from: part.session, readsOn: readsOn)
    goOn(client)
  }

  /// Continues with a client whose activity is back from a worker or the store's thread.
  func goOn(_ client: Client) {
    if !client.session.hasReader {
      client.session.cursor = nil
      client.discardOutput()
      client.session.endUnreadActivity()
    }
    answerCancels(client)
    endForbiddenComparison(of: client)
    if client.session.activity.isNone { client.session.isHeldUp = true }
    list(client)
    if isShuttingDown { sayGoodbye(client) }
  }

  private func resume(_ actor: Loan.Part, of loan: Loan) {
    let client = actor.client
    resume(actor)
    // Other clients of the same world go first.
    putLast(client)
    if let fork = loan.fork { add(host(fork)) }
    if loan.isOfRequest { noteTime(loan.time, of: loan.worlds[0]) }
    if case .reply(let reply, _) = client.session.activity, reply.isWaiting {
      client.nextGlance = host + GraphvizJob.glance
    }
  }

  /// Notes the time of a request on a worker. When requests have become fast, the event loop runs them again.
  private func noteTime(_ time: UInt64, of hosted: HostedWorld) {
    if time > Service.tooLong {
      hosted.slowRequests = Service.slowRequests
    } else if hosted.slowRequests > 0 {
      hosted.slowRequests -= 1
    }
  }
}
