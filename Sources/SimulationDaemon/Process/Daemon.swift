import Glibc
import JournalStore
import LineProtocol
import PostgresStore
import StateMachines
import Statecharts
import UnixHost

/// The daemon process: socket, connections, clock and signals around a ``Service``.
///
/// Everything here belongs to the event loop's queue; workers do long work. Each wake-up is a round: clients with input
/// are read and served at one moment, then all output is written.
final class Daemon {
  private let loop: EventLoop
  /// The socket, and that for connections that may only look.
  private var acceptors: [Acceptor]
  private let service: Service
  private let limits: Limits
  private let log: Log
  private let manager: ServiceManager
  /// When the service manager is to hear that the event loop goes on; nil if it does not wait for that.
  private var nextBeat: UInt64?
  /// Indexed by the poller's token minus `firstToken`; free indices are in `vacancies`.
  private var connections: [Connection?] = []
  private var vacancies: [Int] = []
  /// Connection indices by client number.
  private var places: [UInt32: Int] = [:]
  /// Whether the listener is out of the poller, because descriptors ran out or closed clients have too much unfinished
  /// work.
  private var isDeaf = false
  /// Readable when a worker has finished something.
  private let wakeup: Wakeup
  /// Asks the system for names of users, which may take long.
  private let directory: UserDirectory
  /// Connections of users whose names are being asked for.
  private var unnamed: [UserID: [NewConnection]] = [:]
  /// Nil without `--page`.
  private var page: PageServer?
  /// When the daemon ends even if a worker is not done; nil while it is not ending.
  private var endsAt: UInt64?

  /// That of the first listener; the second one has ``watchToken``.
  private static let listenerToken: UInt32 = 0
  private static let standardInputToken: UInt32 = 1
  private static let wakeupToken: UInt32 = 2
  private static let pageToken: UInt32 = 3
  private static let watchToken: UInt32 = 4
  private static let firstToken: UInt32 = 5
  /// How much lower the workers' priority is than the event loop's.
  private static let niceness: Int32 = 5
  /// The most connections accepted in one round.
  private static let acceptedInARound = 64
  /// The most bytes read from one client in a round.
  private static let bytesInARound = 256 << 10
  /// How long the ending daemon waits for a client that does not read, in nanoseconds.
  private static let drainPatience: UInt64 = 1_500_000_000
  /// How long it waits for clients that do read, in nanoseconds.
  private static let longestDrain: UInt64 = 5_000_000_000
  /// How long it waits for databases, which give up by themselves in about that time, in nanoseconds.
  private static let lastStoring: UInt64 = 15_000_000_000
  /// How long it waits for interrupted workers, in nanoseconds; a step of a machine cannot be interrupted.
  private static let lastWork: UInt64 = 1_000_000_000

  init(
    _ invocation: Invocation, catalogue: Catalogue, version: String, log: Log, manager: ServiceManager
  ) throws {
    limits = invocation.limits
    self.manager = manager
    self.log = log
    MachineMemory.returnLargePieces()
    let pageConnections = invocation.page == nil ? 0 : PageServer.connections(memory: limits.memory)
    FileDescriptorLimit.raise(to: limits.clients + 64 + pageConnections)
    var acceptors = try Acceptor.all(
      invocation, manager.sockets, tokens: (Daemon.listenerToken, Daemon.watchToken))
    do {
      let library = try Daemon.library(invocation, catalogue, log)
      loop = try EventLoop(pollNanoseconds: invocation.pollNanoseconds)
      let names = UserNames()
      // Of several users none has all workers, if there is more than one.
      let places = invocation.workers ?? max(WorkerPool.processors, invocation.hasUsers ? 2 : 1)
      let pool = {
        WorkerPool(
          places: places, placesPerLane: invocation.hasUsers ? places - 1 : places, niceness: Daemon.niceness)
      }
      let stores = try Daemon.stores(invocation, catalogue, names, socket: acceptors[0].listener.path, pool, log)
      let wakeup = try Wakeup()
      self.wakeup = wakeup
      directory = UserDirectory(names) { wakeup.signal() }
      service = Service(
        catalogue: catalogue, library: library, limits: limits, version: version, stores: stores,
        workers: Workers(pool()) { wakeup.signal() }, hasUsers: invocation.hasUsers, names: names,
        host: HostClock.now(),
        measure: { MachineMemory.resident })
      service.giveBackMemory = MachineMemory.giveBack
      service.report = { log.warning($0) }
      service.note = { log.info($0) }
      // The name is there, most likely, when the first client asks.
      directory.ask(.owner)
      try service.restoreAll()
      for acceptor in acceptors {
        try loop.poller.add(acceptor.listener.descriptor, token: acceptor.token, interest: .readable)
      }
      try loop.poller.add(wakeup.descriptor, token: Daemon.wakeupToken, interest: .readable)
      if let address = invocation.page {
        let page = try PageServer(
          address, token: try invocation.pageToken.map { try PageToken.kept(in: $0) },
          mayControl: invocation.pageMayControl,
          connections: pageConnections, service)
        try loop.poller.add(page.descriptor, token: Daemon.pageToken, interest: .readable)
        self.page = page
      }
    } catch {
      let reason = "\(error)".split(separator: "\n").joined(separator: "; ")
      let refusal =
        error is StoreFailure || error is PersistenceFailure
        ? Service.refusal("- STORAGE : \(reason)", "storage") : Service.refusal("- INTERNAL : \(reason)", "failure")
      for place in acceptors.indices { acceptors[place].close(because: refusal) }
      throw error
    }
    self.acceptors = acceptors
    if invocation.endsWithStandardInput { watchStandardInput() }
    loop.onReady = { [unowned self] events in serve(events) }
    loop.onTimer = { [unowned self] in round { passTime() } }
    loop.onTurn = { [unowned self] in round { passTime() } }
    loop.onTermination = { [unowned self] signal in
      log.info("ending on signal \(signal)")
      round { service.shutDown() }
    }
    for acceptor in acceptors {
      let path = acceptor.listener.path
      let group = invocation.group.map { " for the group \($0)" } ?? ""
      log.info(acceptor.mayChange ? "fsmd \(version) listens on \(path)\(group)" : "fsmd: \(path) is for looking")
    }
    if let page { log.info("fsmd: page \(page.access.link)") }
  }

  /// Reads the folder of kinds; a library without kinds if there is none.
  private static func library(
    _ invocation: Invocation, _ catalogue: Catalogue, _ log: Log
  ) throws(KindLibrary.Failure) -> KindLibrary {
    guard let folder = invocation.kinds else { return KindLibrary() }
    let library = try KindLibrary(folder: folder, catalogue, invocation.limits) { severity, text in
      switch severity {
      case .error: log.error(text)
      case .warning: log.warning(text)
      case .note: log.info(text)
      }
    }
    log.info("\(library.entries.count) kinds from \(folder)")
    return library
  }

  /// Opens the stores; none for a daemon that keeps nothing.
  ///
  /// - Parameter pool: Makes workers.
  private static func stores(
    _ invocation: Invocation, _ catalogue: Catalogue, _ names: UserNames, socket: String, _ pool: () -> WorkerPool,
    _ log: Log
  ) throws(StoreFailure) -> Stores {
    guard let durability = invocation.durability else { return Stores() }
    guard let map = invocation.stores ?? StateFolder.path().map({ StoreMap($0) }) else {
      throw .cannotOpen(
        path: "the store", reason: "neither $XDG_STATE_HOME nor $HOME names a folder; --ephemeral keeps nothing")
    }
    // Exceeding a file size limit must be an error, not the end of the process.
    signal(SIGXFSZ, SIG_IGN)
    // Other hosts have sockets with the same path.
    var host = [CChar](repeating: 0, count: 256)
    gethostname(&host, host.count - 1)
    let hostName = String(decoding: host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    var all: [Persistence] = []
    // Two places of the map can be one store, written in two ways.
    var storeAt: [Int] = []
    for place in map.places {
      let (store, threads): (any WorldStore, StoreThreads)
      if let known = all.firstIndex(where: { ($0.store as? SQLiteStore)?.files.areIn(folder: place) == true }) {
        storeAt.append(known)
        continue
      } else if PostgresURL.isOne(place) {
        let writer = StoreWriter(
          process: getpid(), socket: "\(socket) at \(hostName)", name: invocation.name ?? Daemon.name(ofHost: hostName))
        let opened = all.compactMap { $0.store as? PostgresStore }
        store = try PostgresStore.open(place, writer: writer, naming: names.naming, beside: opened)
        if let known = all.firstIndex(where: { $0.store === store }) {
          storeAt.append(known)
          continue
        }
        // A thread that waits for a server takes little time, and all answers wait for it.
        threads = StoreThreads(writer: WorkerPool(places: 1), readers: pool())
      } else {
        let files = try SQLiteStore.open(
          folder: place, durability: durability, writer: StoreWriter(process: getpid(), socket: socket)
        ) { log.warning("\($0)") }
        try files.noteWork()
        if let end = files.lastEnd { log.info("the daemon that had \(files.files.database) before \(end)") }
        (store, threads) = (files, StoreThreads(writer: WorkerPool(places: 1, niceness: Daemon.niceness)))
      }
      storeAt.append(all.count)
      all.append(
        Persistence(
          store, catalogue, invocation.limits, durability: durability, onRestart: invocation.onRestart,
          threads: threads,
          wallClock: WallClock.milliseconds))
    }
    let stores = Stores(all, map.patterns.map { ($0.pattern, storeAt[$0.store]) })
    if map.places.count > 1 {
      for store in all { log.info("worlds \(stores.patterns(of: store)) are kept in \(store.store.place)") }
    }
    return stores
  }

  /// The name of a daemon that was given none: that of its host as far as it can be one.
  private static func name(ofHost host: String) -> String {
    let text = String(host.utf8.filter(TextRules.isNameByte).prefix(60).map { Character(UnicodeScalar($0)) })
    return text.first?.isLetter == true ? text : "host\(text)"
  }

  func run() -> Never {
    // Timers due at the start must not wait for a client.
    loop.requestTurn()
    nextBeat = manager.patience.map { _ in 0 }
    manager.notify("READY=1\nSTATUS=listens on \(acceptors[0].listener.path)")
    loop.run()
  }

  // MARK: Rounds

  /// A round: `body` serves clients, then all output is written and the wake-up is set.
  private func round(_ body: () -> Void) {
    service.beginRound(host: HostClock.now(), wall: WallClock.now())
    body()
    service.workOn()
    service.endRound()
    for client in service.takeDirty() {
      if let place = places[client.number], let connection = connections[place] {
        flush(connection)
      } else {
        page?.wake(client)
      }
    }
    if service.isShuttingDown {
      if endsAt == nil { manager.notify("STOPPING=1") }
      let deadline = endsAt ?? service.host + Daemon.lastWork
      endsAt = deadline
      if service.mayEnd || service.host >= deadline { end() }
      loop.arm(at: deadline)
      return
    }
    if isDeaf { listenAgain() }
    if service.needsTurn || page?.needsTurn == true { loop.requestTurn() }
    beat()
    loop.arm(at: [service.nextWake(), page?.nextWake, nextBeat].compactMap { $0 }.min())
  }

  /// Tells the service manager, twice as often as it asks, that the event loop goes on.
  private func beat() {
    guard let due = nextBeat, service.host >= due, let patience = manager.patience else { return }
    manager.notify("WATCHDOG=1")
    nextBeat = service.host + patience / 2
  }

  private func passTime() {
    service.passTime()
    page?.passTime()
  }

  private func serve(_ events: Poller.Events) {
    round {
      for event in events {
        switch event.token {
        case Daemon.listenerToken: accept(at: 0)
        case Daemon.watchToken: accept(at: 1)
        case Daemon.standardInputToken: readStandardInput()
        case Daemon.wakeupToken:
          wakeup.drain()
          takeNames()
        case Daemon.pageToken: page?.serve()
        default:
          // The connection may have been closed earlier in this round.
          guard let connection = connections[Int(event.token - Daemon.firstToken)] else { continue }
          if event.isReadable || event.isHungUp { receive(connection, isHungUp: event.isHungUp) }
          // Output is written at the end of the round, after its changes are stored.
          if event.isWritable { service.markDirty(connection.client) }
        }
      }
    }
  }

  /// Reads a client's input and serves it.
  private func receive(_ connection: Connection, isHungUp: Bool) {
    if service.isShuttingDown { return }
    var bytes = 0
    // After a hang-up no more can come, so all is read regardless of the limits.
    while isHungUp || (bytes < Daemon.bytesInARound && connection.wantsToRead(limits)) {
      let (transfer, isFilled) = connection.read()
      switch transfer {
      case .bytes(let count):
        bytes += count
        service.receive(connection.client)
        // A partial read means that no more is there; another read would be wasted.
        if !isFilled, !isHungUp { return }
      case .wouldBlock:
        return
      case .closed, .failed:
        if isHungUp { close(connection) } else { service.inputEnded(connection.client) }
        return
      }
    }
  }

  /// Writes a client's output, then closes the connection or updates its interest.
  private func flush(_ connection: Connection) {
    let client = connection.client
    if client.session.outbox.hasUnwritten {
      guard connection.write() else {
        // Input from before it left may still be unread. Later rounds run it.
        receive(connection, isHungUp: true)
        if places[client.number] != nil { close(connection) }
        return loop.requestTurn()
      }
      service.didWrite(client)
    }
    if client.session.outbox.isEmpty {
      if client.session.life == .ended {
        close(connection)
        return
      }
      client.session.input.shrinkIfEmpty()
    }
    setInterest(of: connection)
  }

  private func setInterest(of connection: Connection) {
    if connection.interest != nil { setInterest(of: connection, connection.wantedInterest(limits)) }
  }

  /// - Parameter wanted: Nil takes the connection out of the poller, so that not even its end wakes that.
  private func setInterest(of connection: Connection, _ wanted: Poller.Interest?) {
    let (descriptor, token) = (connection.descriptor, connection.token)
    switch (connection.interest, wanted) {
    case (nil, nil): return
    case (nil, let wanted?): try? loop.poller.add(descriptor, token: token, interest: wanted)
    case (_?, nil): loop.poller.remove(descriptor)
    case (let present?, let wanted?):
      if present == wanted { return }
      try? loop.poller.modify(descriptor, token: token, interest: wanted)
    }
    connection.interest = wanted
  }

  // MARK: Connections

  private func accept(at place: Int) {
    for _ in 0..<Daemon.acceptedInARound {
      if service.hasTooManyDisconnected {
        log.warning("no connection is accepted until more work of disconnected clients is done")
        return stopListening()
      }
      switch acceptors[place].listener.accept() {
      case .connection(let descriptor, let peer):
        admit(descriptor, peer, acceptors[place])
      case .none:
        return
      case .turnedAway:
        log.warning("a client was turned away: no descriptor is left")
      case .exhausted:
        log.warning("no descriptor is left; no connection is accepted until a client leaves")
        return stopListening()
      }
    }
  }

  private func stopListening() {
    for acceptor in acceptors { loop.poller.remove(acceptor.listener.descriptor) }
    isDeaf = true
  }

  /// Accepts clients again when possible.
  private func listenAgain() {
    guard !service.hasTooManyDisconnected, !vacancies.isEmpty || connections.count < limits.clients else { return }
    for acceptor in acceptors {
      guard (try? loop.poller.add(acceptor.listener.descriptor, token: acceptor.token, interest: .readable)) != nil
      else {
        return stopListening()
      }
    }
    isDeaf = false
  }

  private func admit(_ descriptor: Descriptor, _ peer: Peer, _ acceptor: Acceptor) {
    let id = UserID(peer.uid)
    guard id == .owner || !acceptor.isForTrusted else {
      log.warning("refused process \(peer.pid) of user \(peer.uid)")
      descriptor.close()
      return
    }
    let newConnection = NewConnection(descriptor: descriptor, peer: peer, mayChange: acceptor.mayChange)
    if let refusal = service.refusal(of: id) { return refuse(newConnection, refusal) }
    if id == .owner { return add(newConnection) }
    service.beginArrival(of: id)
    if service.environment.names.isKnown(id) { return welcome(newConnection) }
    if unnamed[id] == nil { directory.ask(id) }
    unnamed[id, default: []].append(newConnection)
  }

  /// Takes names of users that have been found, and goes on with their connections.
  private func takeNames() {
    for id in directory.takeFound() {
      for newConnection in unnamed.removeValue(forKey: id) ?? [] {
        // The name says which store the user's worlds are in.
        if service.stores.all.count > 1, !service.environment.names.isKnown(id) {
          service.endArrival(of: id)
          refuse(
            newConnection,
            Service.refusal(
              "- STORAGE world=main : the system does not say the name of user \(id.systemNumber()), by which worlds are kept; connect again later",
              "storage"))
        } else {
          welcome(newConnection)
        }
      }
    }
  }

  /// Serves a connection of a user with a name, as soon as the user has a world.
  private func welcome(_ newConnection: NewConnection) {
    if service.isShuttingDown {
      service.endArrival(of: newConnection.user)
      return refuse(newConnection, Service.farewell)
    }
    service.welcome(newConnection.user, mayChange: newConnection.mayChange) { [unowned self] refusal in
      service.endArrival(of: newConnection.user)
      if let refusal { refuse(newConnection, refusal) } else { add(newConnection) }
    }
  }

  private func refuse(_ newConnection: NewConnection, _ text: String) {
    if let count = service.user(newConnection.user).noteRefusal(at: service.host) {
      let reason = text.split(separator: "\n").first ?? ""
      let others = count > 1 ? " (and \(count - 1) more connections since the last such line)" : ""
      log.warning("refused process \(newConnection.peer.pid) of user \(newConnection.peer.uid)\(others): \(reason)")
    }
    var text = text
    text.withUTF8 { _ = newConnection.descriptor.send(UnsafeRawBufferPointer($0)) }
    newConnection.descriptor.close()
  }

  private func add(_ newConnection: NewConnection) {
    let (descriptor, peer) = (newConnection.descriptor, newConnection.peer)
    let place = vacancies.popLast() ?? connections.count
    let number = UInt32(place) + Daemon.firstToken
    do throws(SystemError) {
      try loop.poller.add(descriptor, token: number, interest: .readable)
    } catch {
      log.warning("cannot serve process \(peer.pid): \(error)")
      vacancies.append(place)
      descriptor.close()
      return
    }
    let terms = SessionTerms(user: newConnection.user, mayChange: newConnection.mayChange)
    let connection = Connection(descriptor, token: number, service.open(terms))
    if place == connections.count { connections.append(connection) } else { connections[place] = connection }
    places[connection.client.number] = place
    log.debug("client \(connection.client.number): process \(peer.pid)")
  }

  /// Closes a connection. Its client's remaining requests still run if they change something.
  private func close(_ connection: Connection) {
    let number = connection.client.number
    guard let place = places.removeValue(forKey: number) else { return }
    connections[place] = nil
    vacancies.append(place)
    setInterest(of: connection, nil)
    connection.descriptor.close()
    service.close(connection.client)
    log.debug("client \(number) has left")
  }

  // MARK: Start and end

  /// Watches standard input for its end; its bytes are ignored.
  private func watchStandardInput() {
    do throws(SystemError) {
      try loop.poller.add(.standardInput, token: Daemon.standardInputToken, interest: .readable)
    } catch {
      guard error.code == EPERM else { return log.warning("standard input cannot be watched: \(error)") }
      // epoll rejects files and `/dev/null`; nobody holds their other end.
      log.info("ending, since standard input is a file")
      service.shutDown()
    }
  }

  private func readStandardInput() {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      switch Descriptor.standardInput.read(into: buffer) {
      case .bytes, .wouldBlock: break
      case .closed, .failed:
        log.info("ending with standard input")
        // Its end would wake each of the last waits.
        loop.poller.remove(.standardInput)
        service.shutDown()
      }
    }
  }

  /// Ends the stores, gives clients some time to read their last lines, then ends the process.
  private func end() -> Never {
    if let failure = service.failure { log.error("\(failure)") }
    service.passTime()
    let start = HostClock.now()
    for newConnection in unnamed.values.joined() { refuse(newConnection, Service.farewell) }
    var waiting = connections.compactMap { $0 }
    // Input is no longer read, so it must not wake the poller.
    for acceptor in acceptors { loop.poller.remove(acceptor.listener.descriptor) }
    for connection in waiting { setInterest(of: connection, nil) }
    var (deadline, unwritten, closedAt) = (start, -1, UInt64?.none)
    while true {
      wakeup.drain()
      if HostClock.now() >= start + Daemon.lastStoring { service.giveUpDatabases() }
      let areStoresClosed = service.endStores()
      waiting = waiting.filter { connection in
        let hasMore = connection.write() && connection.client.session.outbox.hasUnwritten
        setInterest(of: connection, hasMore ? .writable : nil)
        return hasMore || !areStoresClosed
      }
      let now = HostClock.now()
      let leftOfPages = page?.drain(now: now) ?? 0
      let left = waiting.reduce(leftOfPages) { $0 + $1.client.session.outbox.waiting }
      if left != unwritten { deadline = now + Daemon.drainPatience }
      unwritten = left
      if areStoresClosed {
        let since = closedAt ?? now
        closedAt = since
        if waiting.isEmpty && leftOfPages == 0 || now >= min(deadline, since + Daemon.longestDrain) { break }
      }
      _ = loop.poller.wait(nanoseconds: 10_000_000)
    }
    page?.stop()
    let isAllStored = !service.hasLost
    for acceptor in acceptors { acceptor.listener.closeAndRemove() }
    if !isAllStored { log.error("some changes of durable worlds are not stored; see the warnings above") }
    exit(isAllStored && service.failure == nil ? 0 : 3)
  }
}
