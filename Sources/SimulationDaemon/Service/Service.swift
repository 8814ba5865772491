import LineProtocol
import Simulator
import StateMachines
import UnixHost

/// The daemon without its descriptors: worlds, sessions, and who is served when.
///
/// Whoever owns the connections calls it in rounds: `beginRound` with the host's time, what each client sent, and
/// `endRound`; then it writes every outbox out. Everything here belongs to that caller's one queue. What may take long is
/// done by workers, to whom worlds are lent (``Loan``).
final class Service {
  let environment: Environment
  var worlds: [String: HostedWorld] = [:]
  let main: HostedWorld
  /// What keeps durable worlds; nil for a daemon that keeps nothing.
  let persistence: Persistence?
  /// Where long work is done.
  let workers: Workers
  /// Takes what is to be said to whoever runs the daemon.
  var report: (String) -> Void = { _ in }
  /// The same, for what is as it should be.
  var note: (String) -> Void = { _ in }
  /// Whether the store needs another round of maintenance: a checkpoint is being written, or old inputs are being removed.
  var hasMaintenance = false
  /// Whether the store may still have parts of dropped worlds.
  var hasDroppedWorlds = true
  /// Why no world can be read from the store for now, and the host time at which it is asked again; nil if all is well.
  var storeRest: (reason: String, until: UInt64)?
  /// Worlds that are being brought back.
  var returns = Returns()
  /// Whether the store's thread was last used for worlds that come or go, so that a commit is next.
  var isCommitsTurn = false
  /// Why the daemon ends by itself: the store could not be read at the start.
  var failure: PersistenceFailure?
  /// Whether something that happened since the daemon was told to end could not be stored.
  var hasLost = false
  /// What all of it may hold in memory.
  let budget: MemoryBudget
  /// Gives memory that was freed back to the system.
  var giveBackMemory: () -> Void = {}
  /// How many rounds there were.
  var rounds = 0
  /// When what can be made again was last given up, as host time.
  var relievedAt: UInt64 = 0
  private(set) var clients: [UInt32: Client] = [:]
  /// Clients that are gone, and have left something to be done.
  private(set) var departing: [UInt32: Client] = [:]
  /// All of both.
  var everybody: [Client] { Array(clients.values) + departing.values }
  // A round must not cost more for clients that have nothing to do with it, so those that may have are listed.
  /// Clients that may have output to be written.
  private(set) var dirty: [Client] = []
  /// Clients that have been told something that is not stored yet.
  var waitingForStore: [Client] = []
  /// Clients that are in the middle of something, or whose next lines wait.
  private(set) var busy: [Client] = []
  /// Clients that watch something in the world they use.
  private var watching: [Client] = []
  var request = Request()
  /// The host time of the present round, in nanoseconds.
  var host: UInt64
  /// Whether somebody asked for the end of the daemon.
  var isShuttingDown = false
  private var nextNumber: UInt32 = 1
  private var nextActivity: UInt64 = 1
  /// Counts the turns that clients have had with workers.
  var turns: UInt64 = 0

  /// How long clients that send much are served in a round, in nanoseconds: others' requests may have come meanwhile.
  private static let longestRound: UInt64 = 2_000_000
  /// How long a client is served at a time before others have their turn, in nanoseconds.
  private static let longestTurn: UInt64 = 200_000
  /// A request that keeps the event loop for longer than this makes its world one for workers, in nanoseconds.
  static let tooLong: UInt64 = 1_000_000
  /// For how many requests that lasts, if none of them takes long.
  static let slowRequests = 64

  /// - Parameters:
  ///   - persistence: What keeps durable worlds; ``bringBackAll()`` begins to bring them back.
  ///   - measure: How much memory the process has; nil where nobody knows.
  init(
    catalogue: Catalogue, limits: Limits, version: String, persistence: Persistence? = nil,
    workers: Workers = Workers(),
    graphs: Graphs = Graphs(), host: UInt64, measure: @escaping @Sendable () -> Int? = { nil }
  ) {
    self.persistence = persistence
    self.workers = workers
    budget = MemoryBudget(bytes: limits.memory, measure: measure)
    environment = Environment(
      catalogue: catalogue, limits: limits, version: version, counters: Counters(host: host),
      canStoreWorlds: persistence != nil, graphs: graphs)
    self.host = host
    let realm = RealmBox(Realm(name: "main", clock: .real, seed: 0, limits: limits.world, host: host))
    realm.realm.share.join(budget)
    main = HostedWorld(realm)
    worlds["main"] = main
    environment.counters.worlds = 1
  }

  // MARK: Clients

  /// Whether there is room for one more client.
  var hasRoom: Bool { clients.count < environment.limits.clients }

  /// Whether so many clients have left work behind that new ones have to wait.
  var isWorkingForTheDeparted: Bool { departing.count >= environment.limits.clients }

  /// What a client gets that there is no room for.
  var refusal: String {
    "- LIMIT name=clients value=\(environment.limits.clients) : the daemon serves \(environment.limits.clients) clients already\n"
      + "! bye reason=limit\n"
  }

  /// Takes a client in and greets it.
  func open() -> Client {
    let client = Client(number: nextNumber, environment, hosted: main)
    client.session.share.join(budget)
    nextNumber &+= 1
    clients[client.number] = client
    markDirty(client)
    environment.counters.clients = clients.count
    environment.counters.connections &+= 1
    main.home?.catchUp(host: host)
    let status = main.storedStatus
    client.session.outbox.buffer.append(literal: "+ fsmd protocol=1")
    client.session.outbox.buffer.key("version", environment.version)
    client.session.outbox.buffer.key("world", main.name)
    client.session.outbox.buffer.key("clock", status.clock.rawValue)
    client.session.endLine(status)
    client.session.outbox.commit()
    return client
  }

  /// Lets a client go, with its watches. What it sent is carried out all the same, as far as it changes something.
  func close(_ client: Client) {
    clients[client.number] = nil
    environment.counters.clients = clients.count
    for hosted in worlds.values {
      if let home = hosted.home {
        home.realm.world.unwatchAll(for: client.session.watcher)
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
      if client.session.activity.onlyReads { client.slot?.interrupt(.cancelled) }
    } else {
      client.session.endWhatNobodyReads()
    }
    departing[client.number] = client
    list(client)
    if standing(of: client).isIdle { serve(client) }
    forgetIfDone(client)
  }

  private func forgetIfDone(_ client: Client) {
    if !client.session.hasReader, client.session.life == .ended { departing[client.number] = nil }
  }

  // MARK: Rounds

  /// Begins a round: all that is read in it shares one moment.
  func beginRound(host: UInt64) {
    self.host = host
    takeReturned()
  }

  /// Takes what a client has sent.
  ///
  /// One that has more under way than it could be served at once waits for ``workOn()``, when those are served that ask
  /// for little.
  func receive(_ client: Client) {
    markDirty(client)
    if standing(of: client).isIdle {
      serve(client)
    } else {
      lookForCancel(client)
    }
  }

  /// Carries out what a client has sent, as long as that is short.
  func serve(_ client: Client) {
    markDirty(client)
    if isShuttingDown { return }
    tryAgain(client.hosted)
    while true {
      if let (deferredEffect, tag) = client.session.deferredEffect {
        client.session.deferredEffect = nil
        guard run(deferredEffect, tag, client) else {
          client.session.deferredEffect = (deferredEffect, tag)
          client.session.isHeldUp = true
          if let hosted = worldToBeStored(for: deferredEffect, client) { hosted.reserve(for: client) }
          break
        }
      }
      // Where another's request came before, and waits for a worker, it is as if the world was with that already.
      if let home = client.hosted.home, !client.hosted.isReserved(forOtherThan: client) {
        converse(client, home)
      } else {
        client.session.useNoRealm {
          $0.converseWithoutWorld(&request, until: HostClock.now() &+ Service.longestTurn)
        }
      }
      // What is under way now may have its `cancel` right behind it.
      if client.session.deferredEffect == nil, client.session.activity.isNone || !lookForCancel(client) { break }
    }
    if case .deferred = client.session.activity, client.hosted.home != nil { client.hosted.reserve(for: client) }
    // Replies that nobody reads are not to hold up what is still to be carried out.
    if !client.session.hasReader { client.discardOutput() }
    list(client)
    forgetIfDone(client)
  }

  private func converse(_ client: Client, _ home: RealmBox) {
    let hosted = client.hosted
    home.realm.isSlow = hosted.slowRequests > 0 || home.realm.world.wireCount > Realm.manyWires
    home.catchUp(host: host)
    announceLimits(in: hosted, home)
    let begun = HostClock.now()
    let requests = environment.counters.requests
    client.session.use(&home.realm) { $0.converse(&request, until: begun &+ Service.longestTurn) }
    let time = HostClock.now() &- begun
    // Among short ones a long one still weighs; many short ones are none.
    if time > Service.tooLong, time > (environment.counters.requests &- requests) &* (Service.tooLong / 16) {
      // Once may be chance: the host may have had other things to do.
      if hosted.wasSlow { hosted.slowRequests = Service.slowRequests }
      hosted.wasSlow = true
    } else {
      hosted.wasSlow = false
    }
    if home.realm.world.machineCount < Realm.manyMachines { home.realm.world.keepCheckpointIfDue() }
  }

  /// Clients whose output is to be written since this was last asked.
  func takeDirty() -> [Client] {
    defer { dirty.removeAll(keepingCapacity: true) }
    for client in dirty { client.isDirty = false }
    return dirty
  }

  /// Notes that something was written for a client, or may have been: what it tells of is stored first.
  func markDirty(_ client: Client) {
    if persistence != nil { client.owesStore = true }
    letWrite(client)
  }

  /// Lets a client's output be written out at the end of the round.
  func letWrite(_ client: Client) {
    guard !client.isDirty else { return }
    client.isDirty = true
    dirty.append(client)
  }

  /// Puts a client on the lists that its session now calls for; it is taken off when it is come upon.
  func list(_ client: Client) {
    if !client.session.activity.isNone, client.activity == nil {
      client.session.task?.number = nextActivity
      client.session.task?.since = host
      nextActivity += 1
    }
    if !client.isBusy, !standing(of: client).isIdle {
      client.isBusy = true
      busy.append(client)
    }
    if !client.isWatching, client.session.cursor != nil {
      client.isWatching = true
      watching.append(client)
    }
  }

  /// After some of a client's output was written: a gap is told as soon as there is room.
  func didWrite(_ client: Client) {
    guard client.session.gap != nil, let home = client.hosted.home else { return }
    client.session.flushNotices(home.realm.world, mayDrop: true)
    markDirty(client)
  }

  /// Says that a client will send nothing more.
  func inputEnded(_ client: Client) {
    if client.session.life == .open { client.session.life = .inputEnded }
    receive(client)
  }

  /// Lets time catch up in every world that runs by itself.
  func passTime() {
    for hosted in worlds.values {
      tryAgain(hosted)
      guard let home = hosted.home, !hosted.isReserved else { continue }
      home.catchUp(host: host)
      announceLimits(in: hosted, home)
    }
  }

  /// Goes on with clients that ask for much, in turn, for a little while.
  func workOn() {
    let begun = HostClock.now()
    var hasWorked = true
    while hasWorked {
      hasWorked = false
      for client in busy where standing(of: client).isOnEventLoop {
        serve(client)
        hasWorked = true
        if HostClock.now() &- begun > Service.longestRound { return rotateBusy(behind: client) }
      }
    }
  }

  /// Lets a client's next requests wait for those of others.
  func putLast(_ client: Client) {
    guard let place = busy.firstIndex(where: { $0 === client }) else { return }
    busy.append(busy.remove(at: place))
  }

  /// Lets those come first the next time who have not had their turn.
  private func rotateBusy(behind client: Client) {
    guard let place = busy.firstIndex(where: { $0 === client }) else { return }
    busy = Array(busy[(place + 1)...] + busy[...place])
  }

  /// Ends a round: everybody's notices are printed, those who wait on a real clock are looked after, and worlds are lent
  /// to workers.
  func endRound() {
    serveThoseWhoWait()
    useStore()
    maintainWorlds()
    tellWatchers()
    commitOutboxes()
    maintainMemory(of: dirty)
    busy.removeAll { client in
      client.isBusy = !standing(of: client).isIdle
      return !client.isBusy
    }
    watching.removeAll { client in
      client.isWatching = client.session.cursor != nil
      return !client.isWatching
    }
    lendWorlds()
    // Without threads all is done by now.
    if workers.areInline, workers.haveReturned {
      takeReturned()
      commit()
      tellWatchers()
      commitOutboxes()
    }
  }

  /// Prints what is new for those who watch.
  private func tellWatchers() {
    for client in watching where client.session.cursor != nil {
      guard let home = client.hosted.home else { continue }
      let before = client.session.outbox.noticeBytes
      client.session.flushNotices(home.realm.world, mayDrop: true)
      if client.session.outbox.noticeBytes != before { markDirty(client) }
    }
  }

  /// Commits what came, and takes worlds that come back; whoever has had the store's thread goes behind a commit.
  private func useStore() {
    if isCommitsTurn, !workers.storeIsBusy {
      isCommitsTurn = false
      commit()
    }
    takeBuiltUp()
    commit()
  }

  /// Whether there is work that needs another turn soon; to be asked when the outboxes have been written.
  var needsTurn: Bool {
    hasMaintenance || workers.haveReturned || (!returns.built.isEmpty && !workers.storeIsBusy)
      || dirty.contains { $0.session.outbox.isUncommitted && !waitsForStore($0) }
      || busy.contains {
        let standing = standing(of: $0)
        return standing.isOnEventLoop || (standing.isOnWorker && workers.areFree)
      }
      || worlds.values.contains { ($0.home?.realm.isBehind ?? false) && workers.areFree }
  }

  /// Looks after those who await a state, also one that another's next request has brought about.
  private func serveThoseWhoWait() {
    while true {
      let requests = environment.counters.requests
      for client in busy {
        guard case .await(let wait) = client.session.activity, let home = client.hosted.home else { continue }
        if isFarBehind(wait, home) {
          client.session.needsWorker = true
          continue
        }
        if home.realm.clock.mode == .real || wait.reader.next <= home.realm.world.journal.last { attend(client, home) }
      }
      if environment.counters.requests == requests { return }
    }
  }

  /// Looks whether what a client awaits has come about; then its next lines are taken.
  private func attend(_ client: Client, _ home: RealmBox) {
    markDirty(client)
    if case .over = client.session.use(&home.realm, { $0.attend() }) { serve(client) }
  }

  /// When the next round must begin if nothing comes from outside; nil if never.
  func nextWake() -> UInt64? {
    var wake: UInt64?
    func consider(_ time: UInt64?) {
      if let time { wake = min(wake ?? time, time) }
    }
    for hosted in worlds.values {
      guard let home = hosted.home else { continue }
      consider(home.realm.nextWake())
      consider(persistence?.nextWake(hosted, home.realm))
      if case .store(let retryAt)? = home.realm.outage?.cause { consider(retryAt) }
    }
    for client in busy {
      let standing = standing(of: client)
      consider(standing.isOnWorker ? workers.nextLook(host: host) : standing.end)
    }
    return wake
  }

  // MARK: The end

  /// Says goodbye to everybody; what workers have is ended as soon as it can be.
  func shutDown() {
    guard !isShuttingDown else { return }
    isShuttingDown = true
    workers.interrupt(.shuttingDown)
    for client in clients.values where !client.isAway { sayGoodbye(client) }
    for client in departing.values where !client.isAway { client.session.activity = .none }
  }

  /// Whether nothing is left with a worker, so that the daemon can end.
  var mayEnd: Bool { isShuttingDown && !workers.areWorking }

  /// Ends what a client has under way, because the daemon is ending.
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
