import JournalStore
import LineProtocol
import Simulator
import StateMachines

/// A world that is being restored from the store. The live world, empty or read-only, is lent until then.
final class Restoration {
  let hosted: HostedWorld
  let box: LiveWorld.Box
  let slot: WorkerSlot
  /// What is known about the world until then.
  let outage: LiveWorld.Outage
  /// Whether this is the first attempt since the daemon started.
  let isStart: Bool
  /// The host time from which the world's clock runs, and the same time in milliseconds since 1970.
  let since: (host: UInt64, wall: Int64)
  /// What the world was loaded from; nil before that.
  var source: LoadedWorld.Source?

  init(
    _ hosted: HostedWorld, _ box: LiveWorld.Box, _ slot: WorkerSlot, _ outage: LiveWorld.Outage, isStart: Bool,
    since: (host: UInt64, wall: Int64)
  ) {
    self.hosted = hosted
    self.box = box
    self.slot = slot
    self.outage = outage
    self.isStart = isStart
    self.since = since
    source = outage.source
  }

  func take(_ loaded: LoadedWorld) {
    source = loaded.source
    box.replace(with: loaded.box)
  }
}

/// The progress of all worlds that are being restored.
struct Restorations {
  /// Worlds whose load has not begun.
  var waiting: [Restoration] = []
  /// Worlds that are being loaded, without their companions.
  private var loading: [Restoration] = []
  /// Loaded worlds that are not leased yet.
  var loaded: [Restoration] = []

  /// The most worlds that are loaded at the same time, of all users. They take turns with the workers.
  private static let mostAtOnce = 32
  /// The same with worlds that a client uses, which begin at once.
  ///
  /// Each has a place in the notes of what is under way, and others need some.
  private static let mostWithUsed = 48

  /// Chooses the next world to load: first those that a client uses, then `main`, then one of the user for whom the fewest
  /// are being loaded, the one with the fewest inputs. A large world thus delays only its own users.
  ///
  /// - Parameter places: How many worlds of one user that no client uses are loaded at the same time.
  /// - Returns: Nil if none waits, or so many are being loaded that those that wait come later.
  mutating func next(usedBy clients: [Service.Client], main: HostedWorld, places: Int) -> Restoration? {
    guard loading.count < Restorations.mostWithUsed else { return nil }
    let used = Set(clients.map { ObjectIdentifier($0.hosted) })
    let counts = Dictionary(loading.map { ($0.hosted.owner, 1) }, uniquingKeysWith: +)
    func rank(_ world: Restoration) -> (Int, Int, Int, UInt64) {
      (
        used.contains(ObjectIdentifier(world.hosted)) ? 0 : 1, world.hosted === main ? 0 : 1,
        counts[world.hosted.owner] ?? 0, world.outage.head
      )
    }
    let mayBegin = waiting.filter { world in
      used.contains(ObjectIdentifier(world.hosted)) && loading.count < Restorations.mostWithUsed
        || loading.count < Restorations.mostAtOnce && counts[world.hosted.owner] ?? 0 < places
    }
    guard let best = mayBegin.min(by: { rank($0) < rank($1) }),
      let place = waiting.firstIndex(where: { $0 === best })
    else { return nil }
    waiting.remove(at: place)
    loading.append(best)
    return best
  }

  /// Chooses worlds that are loaded along with one, on the same worker: small ones that no client uses, if that is one. Of
  /// several thousand worlds, most of the time is that of asking the store about one after the other.
  mutating func companions(of first: Restoration, usedBy clients: [Service.Client]) -> [Restoration] {
    func mayWait(_ world: Restoration) -> Bool {
      world.outage.head <= Self.fewInputs && world.hosted.owner == first.hosted.owner
        && !clients.contains { $0.hosted === world.hosted }
    }
    guard mayWait(first) else { return [] }
    let chosen = Array(waiting.lazy.filter(mayWait).prefix(Self.mostTogether - 1))
    waiting.removeAll { world in chosen.contains { $0 === world } }
    return chosen
  }

  private static let mostTogether = 32
  private static let fewInputs: UInt64 = 256

  /// Notes that a world is no longer being loaded.
  mutating func didLoad(_ world: Restoration) {
    loading.removeAll { $0 === world }
  }
}

/// Restores worlds from the store: all at the start, later each world whose store has failed.
///
/// A worker loads the world, the store's thread acquires its lease, and the event loop puts it in place.
extension Service {
  /// How long a failed store is left alone, in nanoseconds.
  private static let retryDelay: UInt64 = 1_000_000_000
  /// How many worlds the store's thread leases in one job.
  private static let leasedAtOnce = 64

  /// Hosts all worlds of the store, begins to restore them, and makes `main` durable if the store does not have it.
  ///
  /// A world that cannot be restored is out of service and does not affect the others. If the store can be read but not
  /// written, its worlds are read-only for now. Of a store that daemons share, it takes those that no other has. If the store cannot be read, ``failure`` is set and the daemon ends.
  ///
  /// - Throws: If the list of worlds cannot be read from the store.
  func restoreAll() throws(PersistenceFailure) {
    for persistence in stores.all { try restoreAll(of: persistence) }
  }

  private func restoreAll(of persistence: Persistence) throws(PersistenceFailure) {
    var all = try persistence.worlds()
    if environment.hasUsers { learnNames(ofOwners: all) }
    for world in all where store(of: world.name) !== persistence {
      report("world \(world.name) is not served from \(persistence.store.place): its name belongs to another store")
    }
    if main.persistence === persistence, !all.contains(where: { $0.name == main.name }), let home = main.home {
      let settings = persistence.settings(of: home.live)
      do throws(PersistenceFailure) {
        persistence.begin(main, home, try persistence.create(main.name, home.live.world.now, settings, host: host))
      } catch .store(.worldExists), .store(.fenced) {
        // Another daemon was quicker.
        all = try persistence.worlds()
      }
    }
    let stored = served(all, in: persistence)
    if let hosts = persistence.hosts {
      _ = hosts.takeNews()
      if let world = stored.first(where: { $0.name == main.name }) { leave(main, HostedWorld.Status(world)) }
      return take(worldsIn: stored, persistence)
    }
    for world in stored {
      let outage = LiveWorld.Outage(
        reason: "it is being brought back", cause: .store(retryAt: .max), head: world.head, isFromStart: true)
      let absent = LiveWorld(name: world.name, limits: environment.limits.world, host: host, outage)
      if let hosted = worlds[world.name] { hosted.replace(with: absent) } else { add(host(LiveWorld.Box(absent))) }
      guard let hosted = worlds[world.name] else { continue }
      hosted.sharing = WorldSettings(world.settings)?.sharing ?? .nobody
      persistence.restorations.waiting.append(
        lend(hosted, outage, isStart: true, seenAs: HostedWorld.Status(world), persistence))
    }
    loadNext(persistence)
  }

  /// Restores a world whose store has failed, if it is time to retry.
  func tryAgain(_ hosted: HostedWorld) {
    guard !isShuttingDown, let home = hosted.home, case .store(let retryAt)? = home.live.outage?.cause,
      host >= retryAt
    else { return }
    reload(hosted, home)
  }

  /// Discards a world and restores it from the store.
  func reload(_ hosted: HostedWorld, _ home: LiveWorld.Box) {
    guard let persistence = hosted.persistence else { return }
    let told = hosted.head(home.live)
    // Most failures affect all worlds, and asking the store again may take a while.
    if let pause = persistence.pause, host < pause.until {
      return close(hosted, home, pause.reason, head: told, .store(retryAt: pause.until))
    }
    if home.live.outage == nil {
      close(hosted, home, "it is being read again", head: told, .store(retryAt: host))
    }
    guard let outage = home.live.outage else { return }
    let world = lend(hosted, outage, isStart: false, persistence)
    if world.source == nil {
      persistence.restorations.waiting.append(world)
      loadNext(persistence)
    } else {
      // The world is in memory. Only whether it can be written must be checked.
      persistence.restorations.loaded.append(world)
    }
  }

  private func lend(
    _ hosted: HostedWorld, _ outage: LiveWorld.Outage, isStart: Bool, seenAs status: HostedWorld.Status? = nil,
    _ persistence: Persistence
  ) -> Restoration {
    let slot = workers.slot(of: nil, reading: persistence)
    return Restoration(
      hosted, hosted.lend(slot, seenAs: status), slot, outage, isStart: isStart,
      since: (host, persistence.wallClock()))
  }

  // MARK: Steps

  /// Loads the worlds that clients use, and as many others of a user at a time as there are workers, at least two: a large
  /// world does not delay the others.
  func loadNext(_ persistence: Persistence) {
    // Checked first, since this runs for each store in each round.
    while !isShuttingDown, !persistence.restorations.waiting.isEmpty,
      let world = persistence.restorations.next(usedBy: everybody, main: main, places: max(2, workers.places))
    {
      let isAlone = persistence.store.readers.answersAtOnce || world.isStart
      load([world] + (isAlone ? [] : persistence.restorations.companions(of: world, usedBy: everybody)), persistence)
    }
  }

  private func load(_ worlds: [Restoration], _ persistence: Persistence) {
    let (names, host, slot) = (worlds.map(\.hosted.name), worlds[0].since.host, worlds[0].slot)
    let begun = persistence.wallClock()
    workers.submit(
      Job(.worker(slot)) { () throws(Never) in
        persistence.load(names, host: host, slot)
      } then: { [unowned self] results in
        persistence.restorations.didLoad(worlds[0])
        loadNext(persistence)
        for (world, result) in zip(worlds, results.get()) {
          do throws(PersistenceFailure) {
            let loaded = try result.get()
            if isShuttingDown { throw .interrupted }
            if world.isStart { tell(loaded.source, milliseconds: max(0, persistence.wallClock() - begun)) }
            world.take(loaded)
            persistence.restorations.loaded.append(world)
          } catch {
            fail(world, error)
          }
        }
      })
  }

  /// Leases some of the loaded worlds on the store's thread, if it is free.
  func leaseLoaded(_ persistence: Persistence) {
    let loaded = persistence.restorations.loaded
    guard !loaded.isEmpty, !persistence.threads.areBusy else { return }
    if isShuttingDown {
      // The store keeps them as they are.
      persistence.restorations.loaded = []
      for world in loaded { fail(world, .interrupted) }
      return
    }
    let worlds = Array(loaded.prefix(Service.leasedAtOnce))
    persistence.restorations.loaded.removeFirst(worlds.count)
    persistence.isCommitNext = true
    let host = host
    workers.submit(
      Job(.store(persistence.threads)) { () throws(PersistenceFailure) in
        try persistence.lease(worlds, host: host)
      } then: { [unowned self] result in
        for (place, world) in worlds.enumerated() {
          finish(world, result.flatMap { $0[place] }, persistence)
        }
      })
  }

  private func finish(
    _ world: Restoration, _ result: Result<Persistence.Leased, PersistenceFailure>, _ persistence: Persistence
  ) {
    do throws(PersistenceFailure) {
      let leased = try result.get()
      let progress = leased.progress
      if let again = leased.again { world.take(again) }
      world.hosted.isLossUntold = leased.mayHaveLost
      if leased.mayHaveLost {
        report(
          "world \(world.hosted.name): inputs that were stored may be gone, how many is not known: the database went back in time, is a copy, or a standby has taken over"
        )
      }
      // Timers are not renewed if the daemon is already ending.
      guard !isShuttingDown, persistence.onRestart == .restart, world.outage.isFromStart,
        world.box.live.clock.isRunning
      else { return putInPlace(world, progress, persistence) }
      renewTimers(world, progress, persistence)
    } catch {
      fail(world, error)
    }
  }

  private func renewTimers(_ world: Restoration, _ progress: StoredProgress, _ persistence: Persistence) {
    let (box, slot, notes) = (world.box, world.slot, persistence.store.workNotes)
    workers.submit(
      Job(.worker(slot)) { () throws(PersistenceFailure) in
        // It fires the timers that are due.
        try box.noting(in: notes, progress.lease.identity) { () throws(PersistenceFailure) in
          try box.live.renewTimers(slot)
        }
      } then: { [unowned self] result in
        do throws(PersistenceFailure) {
          try result.get()
          putInPlace(world, progress, persistence)
        } catch {
          fail(world, error)
        }
      })
  }

  /// Puts a world in place and starts its clock.
  private func putInPlace(_ world: Restoration, _ progress: StoredProgress, _ persistence: Persistence) {
    let (hosted, box) = (world.hosted, world.box)
    hosted.progress = progress
    box.live.outage = nil
    box.live.clock = progress.settings.clock(host: world.since.host, moment: box.live.world.now)
    if persistence.onRestart == .deadline {
      box.live.clock.makeUp(for: max(0, world.since.wall - progress.settings.written))
    } else {
      box.live.clock.makeUp(for: world.source?.world.idle ?? 0)
    }
    box.live.reportMemory()
    giveBack(hosted, box)
    setSharing(of: hosted, box, progress.settings.sharing)
    moveCursors(in: hosted, box, from: world.outage.head + 1)
    persistence.pause = nil
    hosted.hostTold = nil
    if persistence.hosts != nil {
      note("world \(hosted.name) is here now, with \(box.live.world.lastSequence) inputs")
    } else if !world.isStart {
      report("world \(hosted.name) is as the store has it, up to input \(box.live.world.lastSequence)")
    }
  }

  // MARK: Failures

  /// Ends a failed attempt. The world is then out of service or read-only.
  private func fail(_ world: Restoration, _ error: PersistenceFailure) {
    let (hosted, box, reason) = (world.hosted, world.box, "\(error)")
    giveBack(hosted, box)
    if case .interrupted = error { return }
    if case .elsewhere(let stored) = error { return isElsewhere(hosted, box, stored, reason) }
    if case .store(.noSuchWorld) = error, hosted.persistence?.hosts != nil { return isGone(hosted, box) }
    if world.isStart, world.source == nil, error.isOfStore {
      failure = failure ?? error
      return shutDown()
    }
    let until = host &+ Service.retryDelay
    if error.isOfStore { hosted.persistence?.pause = (reason, until) }
    if error.isOfStore, let source = world.source {
      // A failure such as a full disk passes; until then the world can be read.
      say(reason, of: world, "can only be read for now")
      makeReadOnly(box, source, reason, retryAt: until, isFromStart: world.outage.isFromStart)
      moveCursors(in: hosted, box, from: world.outage.head + 1)
    } else {
      if !error.isFinal { say(reason, of: world, "is out of service") }
      let cause: LiveWorld.Outage.Cause =
        error.isFinal ? taken(by: error.host, hosted) : error.isOfStore ? .store(retryAt: until) : .unreadable
      close(hosted, box, reason, head: world.outage.head, cause)
    }
  }

  /// Reports an outage once while its reason stays the same.
  private func say(_ reason: String, of world: Restoration, _ what: String) {
    if world.outage.reason != reason { report("world \(world.hosted.name) \(what): \(reason)") }
  }

  /// Takes a world out of service. A loaded one stays readable while its store fails.
  func close(
    _ hosted: HostedWorld, _ home: LiveWorld.Box, _ reason: String, head: UInt64, _ cause: LiveWorld.Outage.Cause
  ) {
    if let known = home.live.outage, let source = known.source, case .store(let retryAt) = cause {
      return makeReadOnly(home, source, reason, retryAt: retryAt, isFromStart: known.isFromStart)
    }
    let isFromStart = home.live.outage?.isFromStart ?? false
    if hosted.progress != nil { hosted.status = hosted.storedStatus }
    hosted.replace(
      with: LiveWorld(
        without: home.live, LiveWorld.Outage(reason: reason, cause: cause, head: head, isFromStart: isFromStart)))
    moveCursors(in: hosted, home, from: 1)
  }

  /// Makes a loaded world read-only.
  private func makeReadOnly(
    _ home: LiveWorld.Box, _ source: LoadedWorld.Source, _ reason: String, retryAt: UInt64, isFromStart: Bool
  ) {
    home.live.outage = LiveWorld.Outage(
      reason: reason, cause: .store(retryAt: retryAt), head: source.world.head, source: source,
      isFromStart: isFromStart)
  }

  /// Moves the watchers of a replaced world to an input, or to the first one that is kept after it.
  func moveCursors(in hosted: HostedWorld, _ home: LiveWorld.Box, from sequence: UInt64) {
    let first = home.live.world.firstSequence
    let next = min(max(sequence, first), home.live.world.lastSequence + 1)
    for client in clients.values where client.hosted === hosted && client.session.cursor != nil {
      client.session.cursor = home.live.world.journalReader(from: next)
    }
  }

  /// Reports how a world was restored at the start.
  private func tell(_ source: LoadedWorld.Source, milliseconds: Int64) {
    let (name, head) = (source.world.name, source.world.head)
    note(
      "world \(name) is back with \(head) inputs in \(milliseconds) ms, the last \(head - source.start) of them replayed"
    )
    if let detour = source.detour {
      report(
        source.start == 0
          ? "world \(name) was replayed from its beginning: \(detour)"
          : "nothing up to input \(source.start) of world \(name) can be undone: \(detour)")
    }
  }
}

extension Persistence {
  static let withoutLease = StoreFailure.other(
    path: "the database", reason: "this daemon has no lease on it at present")

  /// Acquires the leases of loaded worlds, on the store's thread. If one of them is read-only it first checks that the store
  /// can be written.
  fileprivate func lease(
    _ worlds: [Restoration], host: UInt64
  ) throws(PersistenceFailure) -> [Result<Leased, PersistenceFailure>] {
    if let hosts, hosts.term == nil { throw .store(Self.withoutLease) }
    if worlds.contains(where: \.outage.isReadable) {
      try atOnce { () throws(PersistenceFailure) in try tryWriting() }
    }
    let sources = worlds.map { world in
      guard let source = world.source else { preconditionFailure("a world is loaded before it is leased") }
      return source
    }
    return try lease(sources, host: host)
  }
}
