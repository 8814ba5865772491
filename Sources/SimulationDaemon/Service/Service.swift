import JournalStore
import LineProtocol
import Simulator
import StateMachines
import UnixHost

/// The daemon without its descriptors: worlds, sessions and scheduling.
///
/// The owner of the connections calls it in rounds: `beginRound` with the host's time, then each client's input, then
/// `endRound`. After that it writes out every outbox. Everything here belongs to the caller's queue. Workers do long
/// work in worlds that they are lent (``Loan``).
final class Service {
  let environment: Environment
  var worlds = HostedWorlds()
  let main: HostedWorld
  /// All users that have connected or have worlds.
  private var users: [UserID: User] = [:]
  /// First worlds of users, which wait for the store.
  var firstWorlds: [FirstWorld] = []
  let stores: Stores
  let workers: Workers
  /// Takes messages about problems for the daemon's operator.
  var report: (String) -> Void = { _ in }
  /// Takes messages about normal operation.
  var note: (String) -> Void = { _ in }
  /// Whether a store needs another round of maintenance: a checkpoint is being written, or old inputs are being removed.
  var hasMaintenance = false
  /// Why the daemon ends by itself: the store could not be read at the start.
  var failure: PersistenceFailure?
  /// Whether a change could not be stored during the shutdown.
  var hasLost = false
  /// The memory budget of all worlds and clients.
  let budget: MemoryBudget
  /// Returns freed memory to the system.
  var giveBackMemory: () -> Void = {}
  /// The number of rounds so far.
  var rounds = 0
  /// The host time at which rebuildable data was last discarded.
  var relievedAt: UInt64 = 0
  private(set) var clients: [UInt32: Client] = [:]
  /// Closed clients with unfinished work.
  private(set) var disconnected: [UInt32: Client] = [:]
  /// All clients, including closed ones.
  var everybody: [Client] { Array(clients.values) + disconnected.values }
  // These lists keep the cost of a round independent of clients that take no part in it.
  /// Clients that may have output to write.
  private(set) var dirty: [Client] = []
  /// Clients with replies or notices about changes that are not stored yet.
  var waitingForStore: [Client] = []
  /// Clients with an activity or with waiting lines.
  private(set) var busy: [Client] = []
  /// Clients that watch the world they use.
  private var watching: [Client] = []
  var request = Request()
  /// The host's time in the current round.
  var time: HostTime
  var host: UInt64 { time.monotonic }
  /// The number of the current round.
  private var currentRound: UInt64 = 0
  /// Whether the daemon is ending.
  var isShuttingDown = false
  /// The users of whose documents a worker reads one: one at a time of each, so that others get workers.
  var readingDocuments: Set<UserID> = []
  /// Clients whose documents are to be read next, in the order in which they came.
  var documentsToRead: [Client] = []
  private var nextNumber: UInt32 = 1
  private var nextActivity: UInt64 = 1
  /// The number of turns that clients and worlds had on the event loop and with workers.
  var turns: UInt64 = 0

  /// How long busy clients are served in one round, in nanoseconds: other clients' requests may have arrived meanwhile.
  private static let longestRound: UInt64 = 2_000_000
  /// How long one client is served before the next, in nanoseconds.
  var longestTurn: UInt64 = 200_000
  /// A request that blocks the event loop for longer than this counts as slow, in nanoseconds. Workers then serve its
  /// world.
  static let tooLong: UInt64 = 1_000_000
  /// ``tooLong``, or more in tests, for which a busy host makes no request slow.
  var slowRequest = Service.tooLong
  /// A request with fewer steps of charts does not take that long, whatever else the host does meanwhile.
  private static let someChartSteps = 500
  /// For how many requests workers serve a slow world, if none of them is slow.
  static let slowRequests = 64

  /// - Parameters:
  ///   - stores: ``restoreAll()`` begins to restore their worlds.
  ///   - hasUsers: Whether other users than the daemon's owner may connect.
  ///   - measure: Returns the process's resident bytes; nil if they are unknown.
  init(
    catalogue: Catalogue, library: KindLibrary = KindLibrary(), limits: Limits, version: String,
    stores: Stores = Stores(),
    workers: Workers = Workers(),
    graphs: Graphs = Graphs(), hasUsers: Bool = false, names: UserNames = UserNames(), host: UInt64,
    measure: @escaping @Sendable () -> Int? = { nil }
  ) {
    self.stores = stores
    self.workers = workers
    budget = MemoryBudget(limits, measure: measure)
    environment = Environment(
      catalogue: catalogue.readingDocuments, library: library, limits: limits, version: version,
      counters: Counters(host: host),
      canStoreWorlds: !stores.all.isEmpty, graphs: graphs, hasUsers: hasUsers, names: names)
    time = HostTime(monotonic: host)
    let box = LiveWorld.Box(LiveWorld(name: WorldKey.main, clock: .real, seed: 0, limits: limits.world, host: host))
    box.live.share.join(budget)
    main = HostedWorld(box, stores.store(ofWorld: WorldKey.main))
    worlds[WorldKey.main] = main
    environment.counters.worlds = 1
  }

  // MARK: Clients

  /// Connections that are being admitted, of all users.
  var arriving = 0

  /// Places that other users cannot take, so that the daemon's owner can still look after them.
  private var ownersPlaces: Int { environment.hasUsers ? min(16, environment.limits.clients / 16) : 0 }

  /// Whether another client of a user may connect.
  func hasRoom(for id: UserID) -> Bool {
    clients.count + arriving < environment.limits.clients - (id == .owner ? 0 : ownersPlaces)
  }

  /// Whether so many closed clients have unfinished work that new clients must wait.
  var hasTooManyDisconnected: Bool { disconnected.count >= environment.limits.clients }

  /// The text for a client that is refused because of the limit.
  var refusal: String {
    "- LIMIT name=clients value=\(environment.limits.clients) : the daemon serves \(clients.count + arriving) clients already\n"
      + "! bye reason=limit\n"
  }

  /// A user's entry, which is made when it is first asked for.
  func user(_ id: UserID) -> User {
    if let user = users[id] { return user }
    let user = User(id, environment.limits)
    users[id] = user
    return user
  }

  /// The world in which a user's clients begin, and to which they go when theirs is gone.
  func main(of user: UserID) -> HostedWorld {
    if user == .owner { return main }
    guard let found = worlds[WorldKey(user, WorldKey.main).text] else {
      preconditionFailure("a user with clients has a world main")
    }
    return found
  }

  /// Accepts a client and greets it.
  ///
  /// - Precondition: Its user has a first world; ``welcome(_:mayChange:then:)`` makes it.
  func open(_ terms: SessionTerms = SessionTerms()) -> Client {
    let (user, main) = (user(terms.user), main(of: terms.user))
    let client = Client(number: nextNumber, user, environment, hosted: main, terms, host: host)
    client.reviewAccess()
    client.session.outbox.change(to: terms.form)
    client.session.share.join(budget, user.quota)
    user.clients += 1
    nextNumber &+= 1
    clients[client.number] = client
    markDirty(client)
    environment.counters.clients = clients.count
    environment.counters.connections &+= 1
    catchUp(main)
    let status = main.storedStatus
    client.session.outbox.buffer.append(literal: "+ fsmd protocol=1")
    client.session.outbox.buffer.key("version", environment.version)
    client.session.outbox.buffer.key("world", WorldKey.main)
    client.session.outbox.buffer.key("clock", status.clock.rawValue)
    client.session.endLine(status)
    client.session.outbox.commit()
    return client
  }

  /// Closes a client and removes its watches. Its remaining requests still run if they change something.
  func close(_ client: Client) {
    clients[client.number] = nil
    environment.counters.clients = clients.count
    for hosted in worlds.values {
      if let home = hosted.home {
        home.live.world.unwatchAll(for: client.session.watcher)
      } else {
        hosted.watchersToRemove.append(client.session.watcher)
      }
    }
    client.session.hasReader = false
    client.session.cursor = nil
    client.session.gap = nil
    client.discardOutput()
    if client.session.life == .open { client.session.life = .inputEnded }
    if client.isAway {
      if client.session.activity.traits.onlyReads { client.slot?.interrupt(.cancelled) }
    } else {
      client.session.endUnreadActivity()
    }
    disconnected[client.number] = client
    list(client)
    if placement(of: client).isIdle { serve(client) }
    if client.session.life != .ended { client.backlog = client.activity ?? numberOfActivity() }
    forgetIfDone(client)
  }

  private func numberOfActivity() -> UInt64 {
    defer { nextActivity += 1 }
    return nextActivity
  }

  private func forgetIfDone(_ client: Client) {
    guard !client.session.hasReader, client.session.life == .ended,
      disconnected.removeValue(forKey: client.number) != nil
    else { return }
    client.user.clients -= 1
  }

  // MARK: Rounds

  /// Begins a round. All input read in a round has the same host time.
  ///
  /// - Parameter wall: What the host's clock shows, in nanoseconds since 1970; worlds on real clocks keep it beside their
  ///   journals.
  func beginRound(host: UInt64, wall: Int64? = nil) {
    time = HostTime(monotonic: host, wall: wall)
    currentRound &+= 1
    takeReturned()
    keepLeases()
  }

  /// Takes a client's input.
  ///
  /// A client with unfinished work waits for ``workOn()``, which runs after clients with short requests.
  ///
  /// All clients of a user share one turn per round here. When it is used up, they wait for ``workOn()``.
  func receive(_ client: Client) {
    markDirty(client)
    client.lastInput = host
    if placement(of: client).isIdle {
      if client.user.spent(inRound: currentRound) >= longestTurn {
        client.session.isUnserved = true
        list(client)
      } else {
        serve(client)
      }
    } else {
      lookForCancel(client)
    }
  }

  /// Runs a client's requests for one turn.
  func serve(_ client: Client) {
    client.session.isUnserved = false
    markDirty(client)
    if isShuttingDown { return }
    tryAgain(client.hosted)
    review(client.hosted)
    let begun = HostClock.now()
    let end = begun &+ longestTurn
    while true {
      if let (deferredEffect, tag) = client.session.deferredEffect {
        client.session.deferredEffect = nil
        let needed = worldToBeStored(for: deferredEffect, client)
        guard run(deferredEffect, tag, client) else {
          client.session.deferredEffect = (deferredEffect, tag)
          client.session.isHeldUp = true
          needed?.reserve(for: client)
          break
        }
        client.unknownWorlds = []
        needed?.endReservation(of: client)
        // Others who waited for that world have it first: this client may need it at once again.
        if let needed, busy.contains(where: { $0 !== client && $0.hosted === needed }) {
          client.session.isHeldUp = true
          break
        }
      }
      // A world that is reserved for another client counts as lent: that client's request came first.
      if let home = client.hosted.home, !client.hosted.isReserved(forOtherThan: client) {
        converse(client, home, until: end)
      } else {
        client.session.useWithoutWorld(client.hosted.ownKinds) { $0.converseWithoutWorld(&request, until: end) }
      }
      // A `cancel` of the new activity may already be in the input.
      if client.session.deferredEffect == nil, client.session.activity.isNone || !lookForCancel(client) { break }
    }
    client.user.spend(HostClock.now() &- begun, inRound: currentRound)
    readDocument(of: client)
    // A document is read without its world, which is reserved when that is done. A world that is lent is reserved, too:
    // clients who use it together would otherwise keep it from this one.
    if case .deferred = client.session.activity, !client.session.activity.isUnreadDocument || workers.areInline {
      client.hosted.reserve(for: client)
    }
    // A client without a reader must not be held up by its unread replies.
    if !client.session.hasReader { client.discardOutput() }
    takeWorld(neededBy: client)
    list(client)
    forgetIfDone(client)
  }

  private func converse(_ client: Client, _ home: LiveWorld.Box, until end: UInt64) {
    let hosted = client.hosted
    catchUp(hosted)
    if hosted.isLossUntold {
      hosted.isLossUntold = false
      tellLost(hosted, from: nil)
    }
    // A world without charts may get some in this turn.
    home.live.hasSlowCharts = host < user(hosted.owner).chartsAreSlowUntil
    announceLimits(in: hosted, home)
    let requests = environment.counters.requests
    let taken = timed(hosted, home) {
      noting(hosted, home) { client.session.use(&home.live) { $0.converse(&request, until: end) } }
    }
    // A slow request among fast ones still counts. Many fast requests do not add up to a slow one.
    if taken > slowRequest, taken > (environment.counters.requests &- requests) &* (slowRequest / 16) {
      // One slow request may be caused by load on the host.
      if hosted.wasSlow { hosted.slowRequests = Service.slowRequests }
      hosted.wasSlow = true
    } else {
      hosted.wasSlow = false
    }
    if home.live.world.machineCount < LiveWorld.manyMachines { home.live.world.keepCheckpointIfDue() }
  }

  /// Advances a world with a running real clock as far as a slice of the event loop allows, or leaves that to a worker.
  func catchUp(_ hosted: HostedWorld, within slice: Slice = .onEventLoop) {
    guard let home = hosted.home else { return }
    let hasCharts = home.live.world.hasDocuments
    home.live.hasSlowCharts = hasCharts && host < user(hosted.owner).chartsAreSlowUntil
    home.live.isSlow = hosted.slowRequests > 0 || home.live.world.wireCount > LiveWorld.manyWires
    home.live.slice = slice
    guard home.live.isTimerDue(at: host) else { return home.live.catchUp(time) }
    noting(hosted, home) {
      if hasCharts { _ = timed(hosted, home) { home.live.catchUp(time) } } else { home.live.catchUp(time) }
    }
  }

  private func noting(_ hosted: HostedWorld, _ home: LiveWorld.Box, _ body: () -> Void) {
    home.noting(in: hosted.persistence?.store.workNotes, hosted.progress?.lease.identity, body)
  }

  /// Does something on the event loop in a world.
  ///
  /// One input of a chart is not cut, and takes up to some tenths of a second. Workers then run all charts of the world's
  /// owner for a hundred times as long, so that they take at most a hundredth of the event loop's time.
  ///
  /// - Returns: The time it took, in nanoseconds.
  private func timed(_ hosted: HostedWorld, _ home: LiveWorld.Box, _ work: () -> Void) -> UInt64 {
    let (begun, steps, requests) = (HostClock.now(), home.live.world.chartSteps, environment.counters.requests)
    work()
    let taken = HostClock.now() &- begun
    let most = Service.someChartSteps * max(1, Int(environment.counters.requests &- requests))
    if taken > slowRequest, home.live.world.chartSteps &- steps > most {
      user(hosted.owner).chartsAreSlowUntil = host &+ 100 &* taken
    }
    return taken
  }

  /// Clients with new output since the last call.
  func takeDirty() -> [Client] {
    defer { dirty.removeAll(keepingCapacity: true) }
    for client in dirty { client.isDirty = false }
    return dirty
  }

  /// Marks a client that may have new output, which waits until its changes are stored.
  func markDirty(_ client: Client) {
    if !stores.all.isEmpty { client.hasUnstoredReplies = true }
    markForWriting(client)
  }

  /// Marks a client's output to be written at the end of the round.
  func markForWriting(_ client: Client) {
    guard !client.isDirty else { return }
    client.isDirty = true
    dirty.append(client)
  }

  /// Adds a client to the lists that match its session. It is removed when a list is next scanned.
  func list(_ client: Client) {
    if !client.session.activity.isNone, client.session.task?.number == nil {
      client.session.task?.number = numberOfActivity()
      client.session.task?.since = host
    }
    if !client.isBusy, !placement(of: client).isIdle {
      client.isBusy = true
      busy.append(client)
    }
    if !client.isWatching, client.session.cursor != nil {
      client.isWatching = true
      watching.append(client)
    }
  }

  /// Reports a gap in the notices as soon as written output makes room. When memory is short, the space of the output is
  /// freed.
  func didWrite(_ client: Client) {
    if budget.isNearlyUsedUp { freeOutput(of: client) }
    guard client.session.gap != nil, let home = client.hosted.home else { return }
    client.session.flushNotices(home.live.world, mayDrop: true, atMost: Session.inputsToldAtOnce)
    markDirty(client)
  }

  /// Records that a client will send nothing more.
  func inputEnded(_ client: Client) {
    if client.session.life == .open { client.session.life = .inputEnded }
    receive(client)
  }

  /// Advances every world with a running real clock to the current time.
  ///
  /// What takes longer than ``tooLong``, for all worlds together, is left to the workers.
  func passTime() {
    let slice = Slice.onEventLoop
    for hosted in worlds.values {
      tryAgain(hosted)
      review(hosted)
      guard let home = hosted.home, !hosted.isReserved else { continue }
      catchUp(hosted, within: slice)
      announceLimits(in: hosted, home)
    }
  }

  /// Serves busy clients in turn, up to the time limit of a round.
  func workOn() {
    let begun = HostClock.now()
    var hasWorked = true
    while hasWorked {
      hasWorked = false
      for client in nextTurns() where placement(of: client).isOnEventLoop {
        serve(client)
        turns += 1
        client.user.served = turns
        hasWorked = true
        putLast(client)
        if HostClock.now() &- begun > Service.longestRound { return }
      }
    }
  }

  /// The clients served next: one of each user, longest wait first; all of them if they have one user.
  private func nextTurns() -> [Client] {
    let ready = busy.filter { placement(of: $0).isOnEventLoop }
    var found: Set<UserID> = []
    let first = ready.filter { found.insert($0.user.id).inserted }
    return first.count > 1 ? first.sorted { $0.user.served < $1.user.served } : ready
  }

  /// Moves a client to the end of the busy list.
  func putLast(_ client: Client) {
    guard let place = busy.firstIndex(where: { $0 === client }) else { return }
    busy.append(busy.remove(at: place))
  }

  /// Ends a round: prints notices, checks `await` requests, commits, and lends worlds to workers.
  func endRound() {
    checkAwaits()
    useStores()
    maintainWorlds()
    tellWatchers()
    commitOutboxes()
    maintainMemory(of: dirty)
    busy.removeAll { client in
      client.isBusy = !placement(of: client).isIdle
      return !client.isBusy
    }
    watching.removeAll { client in
      client.isWatching = client.session.cursor != nil
      return !client.isWatching
    }
    lendWorlds()
    // Without threads all work is done by now.
    if workers.areInline, workers.haveReturned {
      takeReturned()
      commit()
      tellWatchers()
      commitOutboxes()
    }
  }

  /// Prints new notices for all watchers, or leaves them to a worker with the world, if they take longer than a slice.
  private func tellWatchers() {
    for hosted in worlds.values { hosted.hasMuchToTell = false }
    var slice = Slice.onEventLoop
    for client in watching where client.session.cursor != nil && mayTell(client) {
      guard let home = client.hosted.home, !client.session.isReadingPast else { continue }
      let inputs = client.session.inputsToTell(home.live.world)
      // Who is away has no reader on a worker.
      if inputs > 0, !workers.areInline, !client.isAway {
        if client.session.hasMuchToTell(home.live.world) || !slice.goesOn(after: Int(inputs) / 8) {
          client.hosted.hasMuchToTell = true
          continue
        }
      }
      let before = client.session.outbox.noticeBytes
      client.session.flushNotices(home.live.world, mayDrop: true)
      if client.session.outbox.noticeBytes != before {
        markDirty(client)
        client.nextSample = host &+ SessionTerms.sampleDistance
      }
    }
  }

  /// Whether a client's notices are due: at once, unless it gets samples.
  func mayTell(_ client: Client) -> Bool { !client.session.terms.isSampled || host >= client.nextSample }

  /// Whether a world that is at home waits for a worker, for its clock or for notices.
  private func isLate(_ hosted: HostedWorld) -> Bool {
    guard let home = hosted.home else { return false }
    return home.live.isBehind || hosted.hasMuchToTell && !hosted.isReserved
  }

  /// Commits new inputs and takes restored worlds. They alternate on each store's thread.
  private func useStores() {
    for persistence in stores.all {
      if persistence.isCommitNext, !persistence.threads.areBusy {
        persistence.isCommitNext = false
        commit(to: persistence)
      }
      // A client may have asked for another one.
      loadNext(persistence)
      leaseLoaded(persistence)
      storeFirstWorlds(persistence)
    }
    commit()
  }

  /// Whether another turn is needed soon. Ask after the outboxes were written.
  var needsTurn: Bool {
    hasMaintenance || workers.haveReturned
      || stores.all.contains { !$0.threads.areBusy && hasLoadedOrFirstWorlds(for: $0) }
      || dirty.contains { $0.session.outbox.isUncommitted && !waitsForStore($0) }
      || busy.contains {
        let placement = placement(of: $0)
        return placement.isOnEventLoop || (placement.isOnWorker && areFree(for: $0))
      }
      || worlds.values.contains { isLate($0) && workers.areFree(for: $0.owner.lane) && isStored($0) }
  }

  private func hasLoadedOrFirstWorlds(for persistence: Persistence) -> Bool {
    !persistence.restorations.loaded.isEmpty
      || firstWorlds.contains { $0.hosted.persistence === persistence && $0.hosted.home != nil }
  }

  /// Checks all `await` requests, again if one that ends lets a client's next request change a state.
  private func checkAwaits() {
    while true {
      let requests = environment.counters.requests
      for client in busy {
        guard case .await(let wait) = client.session.activity, let home = client.hosted.home else { continue }
        if isFarBehind(wait, home) {
          client.session.needsWorker = true
          continue
        }
        if home.live.clock.mode == .real || wait.reader.next <= home.live.world.journal.last { attend(client, home) }
      }
      if environment.counters.requests == requests { return }
    }
  }

  /// Checks a client's `await`. When it is over, runs the client's next lines.
  private func attend(_ client: Client, _ home: LiveWorld.Box) {
    markDirty(client)
    if case .over = client.session.use(&home.live, { $0.attend() }) { serve(client) }
  }

  /// When a worker may be free for what has to wait for one, in host time.
  private var nextLookForWorkers: UInt64 { host &+ WorkerSlot.longest }

  /// The host time at which the next round must begin without input; nil if never.
  func nextWake() -> UInt64? {
    var wake: UInt64?
    func consider(_ time: UInt64?) {
      if let time { wake = min(wake ?? time, time) }
    }
    for hosted in worlds.values {
      guard let home = hosted.home else { continue }
      consider(home.live.nextWake())
      consider(hosted.persistence?.nextWake(hosted, home.live))
      if case .store(let retryAt)? = home.live.outage?.cause { consider(retryAt) }
      if isLate(hosted), isStored(hosted) { consider(nextLookForWorkers) }
    }
    for persistence in stores.all {
      consider(nextWakeForHosts(persistence))
      consider(persistence.commitDue)
    }
    for client in watching where !mayTell(client) {
      guard let cursor = client.session.cursor, let home = client.hosted.home else { continue }
      if cursor.next <= home.live.world.lastSequence { consider(client.nextSample) }
    }
    for client in busy {
      let placement = placement(of: client)
      consider(placement.isOnWorker ? nextLookForWorkers : placement.end)
    }
    return wake
  }

  // MARK: The end

  /// Ends all sessions and asks the workers to stop.
  func shutDown() {
    guard !isShuttingDown else { return }
    isShuttingDown = true
    workers.interrupt(.shuttingDown)
    for client in clients.values where !client.isAway { sayGoodbye(client) }
    for client in disconnected.values where !client.isAway { client.session.activity = .none }
    refuseFirstWorlds()
  }

  /// Whether the daemon can end because no worker has anything.
  var mayEnd: Bool { isShuttingDown && !workers.areWorking }

  /// Ends a client's activity and session because the daemon is ending.
  func sayGoodbye(_ client: Client) {
    if case .rewind(let rewind) = client.session.activity, rewind.isDone {
      finishRewinds()
    } else if !client.session.activity.isNone {
      end(client, .shuttingDown, "the daemon is ending")
    }
    if let (_, tag) = client.session.deferredEffect.take() {
      client.session.fail(tag, .shuttingDown, "the daemon is ending")
    }
    client.session.sayGoodbye("shutdown")
    markDirty(client)
  }
}
