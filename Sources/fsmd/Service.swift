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
    /// How many bytes waited behind a request that takes its time when a `cancel` was looked for among them.
    var lookedAt = 0

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
  private var worlds: [String: HostedWorld] = [:]
  private let main: HostedWorld
  private(set) var clients: [UInt32: Client] = [:]
  private var request = Request()
  /// The host time of the present round, in nanoseconds.
  private var host: UInt64
  /// Whether somebody asked for the end of the daemon.
  private(set) var isShuttingDown = false

  /// Timers fired for one world in one round before others get their turn.
  private static let firingsInARound = 20_000

  init(catalogue: Catalogue, limits: Limits, version: String, host: UInt64) {
    engine = Engine(catalogue: catalogue, limits: limits, version: version, counters: Counters(host: host))
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
    engine.counters.clients = clients.count
    engine.counters.connections &+= 1
    main.realm.catchUp(host: host, budget: Service.firingsInARound)
    client.session.outbox.buffer.append(literal: "+ fsmd protocol=1")
    client.session.outbox.buffer.key("version", engine.version)
    client.session.outbox.buffer.key("world", main.realm.name)
    client.session.outbox.buffer.key("clock", main.realm.clock.mode.rawValue)
    client.session.endLine(main.realm.world.now, main.realm.world.lastSequence)
    return client
  }

  /// Lets a client go, with its watches.
  func close(_ client: Client) {
    clients[client.number] = nil
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
    while true {
      client.hosted.realm.catchUp(host: host, budget: Service.firingsInARound)
      if client.hosted.realm.unannounced != nil { announceLivelock(in: client.hosted, except: nil) }
      switch engine.converse(&client.session, &client.hosted.realm, &request) {
      // A `cancel` may have come together with what it ends.
      case .none: guard lookForCancel(client) else { return }
      case .service(let errand): run(errand, client)
      }
    }
  }

  /// Looks for a `cancel` behind a request that takes its time: the one verb that is read out of turn.
  ///
  /// - Returns: Whether there was one, so that the client's next request is to be taken.
  @discardableResult
  func lookForCancel(_ client: Client) -> Bool {
    guard client.session.activity.isCancellable else {
      client.lookedAt = 0
      return false
    }
    // What waits is looked at once: none of it is taken while the client is busy, and more makes it longer.
    guard client.session.input.count != client.lookedAt else { return false }
    client.lookedAt = client.session.input.count
    var found: [UInt8]?
    client.session.input.waitingLines { line in
      guard line.count <= 64, let tag = cancelTag(line) else { return false }
      found = tag
      // The line has been answered then; as a comment it is passed over when its turn comes.
      line.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "#"))
      return true
    }
    guard let cancelTag = found else { return false }
    client.lookedAt = 0
    if client.session.cursor != nil { engine.pump(&client.session, client.hosted.realm.world, mayDrop: true) }
    let cancelled = client.session.activity.tag
    client.session.activity = .none
    cancelled.withUnsafeBytes { client.session.fail($0, .cancelled, "cancelled by this connection") }
    cancelTag.withUnsafeBytes { tag in
      client.session.outbox.buffer.begin(.success, tag: tag)
      client.session.outbox.buffer.endLine()
    }
    return true
  }

  /// The tag of a line that is `cancel`; nil if it is anything else.
  private func cancelTag(_ line: UnsafeMutableRawBufferPointer) -> [UInt8]? {
    // In a copy, since parsing may rewrite a line.
    var copy = Array(line)
    if copy.last == 0x0D { copy.removeLast() }
    return copy.withUnsafeMutableBytes { bytes in
      do throws(Request.Failure) {
        try request.parse(bytes, isPlain: false)
      } catch {
        return nil
      }
      return Verb(request.verb) == .cancel && request.words.isEmpty ? Array(request.tag) : nil
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
      hosted.realm.catchUp(host: host, budget: Service.firingsInARound)
      if hosted.realm.unannounced != nil { announceLivelock(in: hosted, except: nil) }
    }
  }

  /// Goes on with what clients are in the middle of, a slice each.
  func workOn() {
    for client in clients.values where !client.session.activity.isNone || client.session.isHeldUp { serve(client) }
  }

  /// Ends a round: those who wait on a real clock are looked after, and everybody's notices are printed.
  func endRound() {
    // What one of them does next may be what another waits for.
    var isSettled = false
    while !isSettled {
      isSettled = true
      for client in clients.values {
        guard case .await = client.session.activity else { continue }
        let sequence = client.hosted.realm.world.lastSequence
        serve(client)
        if client.hosted.realm.world.lastSequence != sequence { isSettled = false }
      }
    }
    for client in clients.values where client.session.cursor != nil {
      engine.pump(&client.session, client.hosted.realm.world, mayDrop: true)
    }
  }

  /// Whether there is work that needs another turn soon; to be asked when the outboxes have been written.
  var needsTurn: Bool {
    clients.values.contains { hasWork($0) } || worlds.values.contains { $0.realm.isBehind }
  }

  private func canWork(_ client: Client) -> Bool {
    switch client.session.activity {
    case .none: client.session.isHeldUp && client.session.outbox.replyBytes < engine.limits.replyQueue
    case .reply: client.session.outbox.unwritten.count < 256 << 10
    case .await(let wait): client.hosted.realm.clock.mode == .virtual && isPatient(wait.patience)
    case .advance(let advance): isPatient(advance.patience)
    case .step(let step): isPatient(step.patience)
    }
  }

  private func isPatient(_ patience: UInt64?) -> Bool { patience.map { $0 <= host } ?? true }

  /// When the next round must begin if nothing comes from outside; nil if never.
  func nextWake() -> UInt64? {
    var wake: UInt64?
    func consider(_ time: UInt64?) {
      if let time { wake = min(wake ?? time, time) }
    }
    for hosted in worlds.values { consider(hosted.realm.nextWake()) }
    for client in clients.values {
      switch client.session.activity {
      case .none, .reply: break
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
    for client in clients.values { client.session.sayGoodbye("shutdown") }
  }

  // MARK: Errands

  private func run(_ errand: ServiceErrand, _ client: Client) {
    switch errand {
    case .use(let name): use(name, client)
    case .newWorld(let name, let clock, let seed): newWorld(name, clock, seed, client)
    case .dropWorld(let name): dropWorld(name, client)
    case .listWorlds: listWorlds(client)
    case .tellClock(let change): tellClock(change, in: client.hosted)
    case .announceLivelock: announceLivelock(in: client.hosted, except: client)
    case .quit: client.session.sayGoodbye("quit")
    case .shutdown: shutDown()
    }
  }

  private func use(_ name: String, _ client: Client) {
    guard let hosted = world(name, client) else { return }
    move(client, to: hosted)
    engine.describeWorld(request.tag, &client.session, hosted.realm)
  }

  private func move(_ client: Client, to hosted: HostedWorld) {
    client.hosted = hosted
    hosted.realm.catchUp(host: host, budget: Service.firingsInARound)
    // A watch rests while another world is in use: what came meanwhile is not told.
    let isWatching = hosted.realm.world.watchCount(of: client.session.watcher) > 0
    client.session.gap = nil
    client.session.cursor =
      isWatching ? hosted.realm.world.journalReader(from: hosted.realm.world.lastSequence + 1) : nil
  }

  /// A world by its name; a failure is written if there is none.
  private func world(_ name: String, _ client: Client) -> HostedWorld? {
    if let hosted = worlds[name] { return hosted }
    client.session.fail(
      request.tag, .unknownWorld, [("world", name)] + engine.suggestion(name, among: worlds.keys.sorted()),
      "there is no world '\(name)'; 'worlds' lists them")
    return nil
  }

  private func newWorld(_ name: String, _ clock: WorldClock.Mode, _ seed: UInt64, _ client: Client) {
    let limits = engine.limits
    guard worlds[name] == nil else {
      client.session.fail(request.tag, .nameTaken, [("world", name)], "there is a world '\(name)' already")
      return
    }
    guard worlds.count < limits.worlds else {
      client.session.fail(
        request.tag, .limit, [("name", "worlds"), ("value", "\(limits.worlds)")],
        "there are \(worlds.count) worlds; 'world drop' removes one")
      return
    }
    worlds[name] = HostedWorld(Realm(name: name, clock: clock, seed: seed, limits: limits.world, host: host))
    engine.counters.worlds = worlds.count
    answer("created", name, client)
  }

  private func dropWorld(_ name: String, _ client: Client) {
    guard let hosted = world(name, client) else { return }
    guard hosted !== main else {
      client.session.fail(
        request.tag, .badArgument, [("argument", "world"), ("got", name)], "the world main cannot be dropped")
      return
    }
    worlds[name] = nil
    engine.counters.worlds = worlds.count
    for user in clients.values where user.hosted === hosted {
      leave(name, user)
      move(user, to: main)
    }
    answer("dropped", name, client)
  }

  /// Ends what a client was doing in a world that is no more, and tells it.
  private func leave(_ name: String, _ user: Client) {
    if !user.session.activity.isNone {
      let tag = user.session.activity.tag
      user.session.activity = .none
      tag.withUnsafeBytes {
        user.session.fail($0, .unknownWorld, [("world", name)], "the world '\(name)' was dropped meanwhile")
      }
    }
    user.session.say { buffer in
      buffer.word(literal: "world")
      buffer.key("dropped", name)
    }
  }

  private func answer(_ word: StaticString, _ name: String, _ client: Client) {
    client.session.outbox.buffer.begin(.success, tag: request.tag)
    client.session.outbox.buffer.word(literal: word)
    client.session.outbox.buffer.word(name)
    client.session.outbox.buffer.endLine()
  }

  private func listWorlds(_ client: Client) {
    for (name, hosted) in worlds.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      hosted.realm.catchUp(host: host, budget: Service.firingsInARound)
      client.session.outbox.buffer.begin(.data, tag: request.tag)
      client.session.outbox.buffer.word(name)
      client.session.outbox.buffer.key("clock", hosted.realm.clock.mode.rawValue)
      client.session.endLine(hosted.realm.world.now, hosted.realm.world.lastSequence)
    }
    client.session.outbox.buffer.begin(.success, tag: request.tag)
    client.session.outbox.buffer.word(UInt64(worlds.count))
    client.session.outbox.buffer.endLine()
  }

  /// `* SEQ T - clock …` to all who watch in full.
  private func tellClock(_ change: String, in hosted: HostedWorld) {
    for client in clients.values where client.hosted === hosted {
      guard hosted.realm.world.hearsOfTheClock(client.session.watcher) else { continue }
      engine.pump(&client.session, hosted.realm.world, mayDrop: true)
      guard client.session.gap == nil else { continue }
      let start = client.session.outbox.buffer.count
      client.session.outbox.buffer.begin(.notice)
      client.session.outbox.buffer.word(hosted.realm.world.lastSequence)
      client.session.outbox.buffer.word(seconds: hosted.realm.world.now.nanoseconds)
      client.session.outbox.buffer.append(literal: " - clock ")
      client.session.outbox.buffer.append(text: change)
      client.session.outbox.buffer.endLine()
      client.session.outbox.markNotices(from: start)
    }
  }

  private func announceLivelock(in hosted: HostedWorld, except author: Client?) {
    guard let livelock = hosted.realm.unannounced else { return }
    hosted.realm.unannounced = nil
    for client in clients.values where client.hosted === hosted && client !== author {
      engine.pump(&client.session, hosted.realm.world, mayDrop: true)
      guard client.session.outbox.noticeBytes < engine.limits.noticeQueue else { continue }
      engine.tellLivelock(livelock, &client.session, hosted.realm)
    }
  }
}
