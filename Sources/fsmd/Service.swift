import LineProtocol
import Simulator
import StateMachines

/// The daemon without its descriptors: worlds, sessions, and who is served when.
///
/// Whoever owns the connections calls it in rounds: `beginRound` with the host's time, what each client sent, and
/// `endRound`; then it writes every outbox out. Everything here belongs to that caller's one queue.
final class Service {
  /// One client, with the world it uses.
  final class Client {
    let number: UInt32
    var session: Session
    var hosted: HostedWorld
    /// In which of the service's lists this client stands, so that it stands there once.
    fileprivate var isTouched = false
    fileprivate var isBusy = false
    fileprivate var isWatching = false
    /// Whether it has left.
    fileprivate var isGone = false

    init(number: UInt32, limits: Limits, hosted: HostedWorld) {
      self.number = number
      session = Session(number: number, limits: limits)
      self.hosted = hosted
    }

    /// Throws away what can no longer be sent.
    func discardOutput() {
      session.outbox = Outbox()
    }
  }

  let engine: Engine
  var worlds: [String: HostedWorld] = [:]
  let main: HostedWorld
  /// What keeps durable worlds; nil for a daemon that keeps nothing.
  let keeper: Keeper?
  /// Takes what is to be said to whoever runs the daemon.
  var report: (String) -> Void = { _ in }
  /// Whether checkpoints are being written, or room is being made.
  var isTending = false
  /// Whether dropped worlds have left something in the store.
  var hasRubbish = true
  /// Why no world can be read from the store for now, and the host time at which it is asked again; nil if all is well.
  var storeRest: (reason: String, until: UInt64)?
  private(set) var clients: [UInt32: Client] = [:]
  // A round must not cost more for clients that have nothing to do with it, so those that may have are listed.
  /// Clients that may have output to be written.
  private var touched: [Client] = []
  /// Clients that are in the middle of something, or whose next lines wait until they have read.
  private var busy: [Client] = []
  /// Clients that watch something in the world they use.
  private var watching: [Client] = []
  var request = Request()
  /// The host time of the present round, in nanoseconds.
  var host: UInt64
  /// Whether somebody asked for the end of the daemon.
  private(set) var isShuttingDown = false

  /// Timers fired for one world in one round before others get their turn.
  static let firingsInARound = 20_000

  /// - Parameter keeper: What keeps durable worlds; they are there when ``bringBackAll()`` has returned.
  init(catalogue: Catalogue, limits: Limits, version: String, keeper: Keeper? = nil, host: UInt64) {
    self.keeper = keeper
    engine = Engine(
      catalogue: catalogue, limits: limits, version: version, counters: Counters(host: host),
      keepsWorlds: keeper != nil)
    self.host = host
    main = HostedWorld(Realm(name: "main", clock: .real, seed: 0, limits: limits.world, host: host))
    worlds["main"] = main
    engine.counters.worlds = 1
  }

  // MARK: Clients

  /// Whether there is room for one more client.
  var hasRoom: Bool { clients.count < engine.limits.clients }

  /// What a client gets that there is no room for.
  var refusal: String {
    "- LIMIT name=clients value=\(engine.limits.clients) : the daemon serves \(engine.limits.clients) clients already\n"
      + "! bye reason=limit\n"
  }

  /// Takes a client in and greets it.
  ///
  /// - Parameter number: No other client has it.
  func open(_ number: UInt32) -> Client {
    let client = Client(number: number, limits: engine.limits, hosted: main)
    clients[number] = client
    touch(client)
    engine.counters.clients = clients.count
    engine.counters.connections &+= 1
    main.realm.catchUp(host: host, budget: Service.firingsInARound)
    client.session.outbox.buffer.append(literal: "+ fsmd protocol=1")
    client.session.outbox.buffer.key("version", engine.version)
    client.session.outbox.buffer.key("world", main.realm.name)
    client.session.outbox.buffer.key("clock", main.realm.clock.mode.rawValue)
    client.session.endLine(main.realm.world.now, main.realm.world.lastSequence)
    client.session.outbox.settle()
    return client
  }

  /// Lets a client go, with its watches.
  func close(_ client: Client) {
    clients[client.number] = nil
    client.isGone = true
    // A world that it was taking back goes on where it stood.
    if case .rewind = client.session.activity { client.session.endActivity() }
    engine.counters.clients = clients.count
    for hosted in worlds.values { hosted.realm.world.unwatchAll(for: client.session.watcher) }
  }

  // MARK: Rounds

  /// Begins a round: all that is read in it shares one moment.
  func beginRound(host: UInt64) {
    self.host = host
  }

  /// Takes what a client has sent.
  func serve(_ client: Client) {
    touch(client)
    tryAgain(client.hosted)
    while true {
      client.hosted.realm.catchUp(host: host, budget: Service.firingsInARound)
      if client.hosted.realm.unannounced != nil { announceLivelock(in: client.hosted, except: nil) }
      let waiting = client.session.input.count
      switch engine.converse(&client.session, &client.hosted.realm, &request) {
      case .none:
        // What is under way now may have its `cancel` right behind it.
        if client.session.input.count < waiting, lookForCancel(client) { continue }
        client.hosted.realm.world.keepCheckpointIfDue()
        list(client)
        return
      case .service(let errand):
        run(errand, client)
        if case .goOn = errand, !client.session.activity.isNone {
          list(client)
          return
        }
      }
    }
  }

  /// Clients whose output is to be written since this was last asked.
  func takeTouched() -> [Client] {
    defer { touched.removeAll(keepingCapacity: true) }
    for client in touched { client.isTouched = false }
    return touched
  }

  func touch(_ client: Client) {
    guard !client.isTouched else { return }
    client.isTouched = true
    // What waits from earlier rounds is stored.
    client.session.outbox.settle()
    touched.append(client)
  }

  /// Lets all that was written be sent.
  func settleOutboxes() {
    for client in touched { client.session.outbox.settle() }
  }

  /// Puts a client on the lists that its session now calls for; it is taken off when it is come upon.
  func list(_ client: Client) {
    if !client.isBusy, !client.session.activity.isNone || client.session.isHeldUp {
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
    guard client.session.gap != nil else { return }
    engine.pump(&client.session, client.hosted.realm.world, mayDrop: true)
  }

  /// Whether a client has requests that can be carried out now, without anything coming from outside.
  ///
  /// It depends on what of the outbox has been written.
  func hasWork(_ client: Client) -> Bool {
    client.session.life != .ended && canWork(client)
  }

  /// Says that a client will send nothing more.
  func inputEnded(_ client: Client) {
    if client.session.life == .open { client.session.life = .inputEnded }
    serve(client)
  }

  /// Lets time catch up in every world that runs by itself.
  func passTime() {
    for hosted in worlds.values {
      tryAgain(hosted)
      hosted.realm.catchUp(host: host, budget: Service.firingsInARound)
      if hosted.realm.unannounced != nil { announceLivelock(in: hosted, except: nil) }
    }
  }

  /// Goes on with what clients are in the middle of, a slice each.
  func workOn() {
    for client in busy where isBusy(client) { serve(client) }
  }

  /// Ends a round: everybody's notices are printed, and those who wait on a real clock are looked after.
  func endRound() {
    serveThoseWhoWait()
    commit()
    tendWorlds()
    for client in watching where !client.isGone && client.session.cursor != nil {
      let before = client.session.outbox.noticeBytes
      engine.pump(&client.session, client.hosted.realm.world, mayDrop: true)
      if client.session.outbox.noticeBytes != before { touch(client) }
    }
    settleOutboxes()
    busy.removeAll { client in
      client.isBusy = isBusy(client)
      return !client.isBusy
    }
    watching.removeAll { client in
      client.isWatching = !client.isGone && client.session.cursor != nil
      return !client.isWatching
    }
  }

  /// Whether there is work that needs another turn soon; to be asked when the outboxes have been written.
  var needsTurn: Bool { isTending || busy.contains { hasWork($0) } || worlds.values.contains { $0.realm.isBehind } }

  private func isBusy(_ client: Client) -> Bool {
    !client.isGone && client.session.life != .ended
      && (!client.session.activity.isNone || client.session.isHeldUp)
  }

  /// Looks after those who await a state, also one that another's next request has brought about.
  private func serveThoseWhoWait() {
    while true {
      let requests = engine.counters.requests
      for client in busy where !client.isGone {
        if case .await = client.session.activity { serve(client) }
      }
      if engine.counters.requests == requests { return }
    }
  }

  private func canWork(_ client: Client) -> Bool {
    guard !client.isGone else { return false }
    return switch client.session.activity {
    case .none: client.session.isHeldUp && client.session.outbox.replyBytes < engine.limits.replyQueue
    case .reply(let reply, _): client.session.outbox.waiting < LongReply.mostUnwritten && !reply.isWaiting
    case .await(let wait): client.hosted.realm.clock.mode == .virtual && isReady(client, wait.patience)
    case .advance(let advance): isReady(client, advance.patience)
    case .step(let step): isReady(client, step.patience)
    case .rewind: true
    case .compare: client.session.outbox.waiting < LongReply.mostUnwritten
    }
  }

  /// Whether time may go on: a client has taken its notices, or has been waited for long enough.
  private func isReady(_ client: Client, _ patience: UInt64?) -> Bool {
    guard let patience else { return true }
    return patience <= host || client.session.outbox.noticeBytes <= engine.limits.noticeQueue / 2
  }

  /// When the next round must begin if nothing comes from outside; nil if never.
  func nextWake() -> UInt64? {
    var wake: UInt64?
    func consider(_ time: UInt64?) {
      if let time { wake = min(wake ?? time, time) }
    }
    for hosted in worlds.values {
      consider(hosted.realm.nextWake())
      consider(keeper?.nextWake(hosted))
      if let outage = hosted.realm.outage, outage.retryAt < .max { consider(outage.retryAt) }
    }
    for client in busy {
      switch client.session.activity {
      case .none, .rewind, .compare: break
      case .reply(let reply, _): if reply.isWaiting { consider(host + Drawing.glance) }
      case .advance(let advance): consider(advance.patience)
      case .step(let step): consider(step.patience)
      case .await(let wait):
        consider(wait.patience)
        if client.hosted.realm.clock.isRunning { consider(client.hosted.realm.clock.host(at: wait.deadline)) }
      }
    }
    return wake
  }

  /// Says goodbye to everybody.
  func shutDown() {
    isShuttingDown = true
    for client in clients.values {
      if !client.session.activity.isNone {
        client.session.activity.tag.withUnsafeBytes {
          client.session.fail($0, .shuttingDown, "the daemon is ending")
        }
        client.session.endActivity()
      }
      client.session.sayGoodbye("shutdown")
      touch(client)
    }
  }
}
