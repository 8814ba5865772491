import JournalStore
import LineProtocol
import Simulator
import StateMachines

/// A world that is being restored from the store. It is lent until then.
final class ReturningWorld {
  let hosted: HostedWorld
  let box: RealmBox
  let slot: WorkerSlot
  /// What is known about the world until then.
  let outage: Realm.Outage
  /// Whether this is the first attempt since the daemon started.
  let isStart: Bool
  /// The host time from which the world's clock runs, and the same time in milliseconds since 1970.
  let since: (host: UInt64, wall: Int64)
  /// What the world was loaded from; nil before that.
  var reading: StoredRealm.Reading?

  init(
    _ hosted: HostedWorld, _ box: RealmBox, _ slot: WorkerSlot, _ outage: Realm.Outage, isStart: Bool,
    since: (host: UInt64, wall: Int64)
  ) {
    self.hosted = hosted
    self.box = box
    self.slot = slot
    self.outage = outage
    self.isStart = isStart
    self.since = since
    reading = outage.reading
  }
}

/// The progress of all worlds that are being restored.
struct Returns {
  /// Worlds whose load has not begun.
  var waiting: [ReturningWorld] = []
  /// How many worlds are being loaded.
  var reading = 0
  /// Loaded worlds that are not leased yet.
  var built: [ReturningWorld] = []

  /// Chooses the next world to load: first those that a client uses, then `main`, then the one with the fewest inputs.
  /// A large world thus delays only its own users.
  mutating func next(usedBy clients: [Service.Client], main: HostedWorld) -> ReturningWorld? {
    let used = Set(clients.map { ObjectIdentifier($0.hosted) })
    func rank(_ world: ReturningWorld) -> (Int, Int, UInt64) {
      (used.contains(ObjectIdentifier(world.hosted)) ? 0 : 1, world.hosted === main ? 0 : 1, world.outage.head)
    }
    guard let place = waiting.indices.min(by: { rank(waiting[$0]) < rank(waiting[$1]) }) else { return nil }
    return waiting.remove(at: place)
  }
}

/// Restores worlds from the store: all at the start, later each world whose store has failed.
///
/// A worker loads the world, the store's thread acquires its lease, and the event loop puts it in place.
extension Service {
  /// How long a failed store is left alone, in nanoseconds.
  private static let pause: UInt64 = 1_000_000_000
  /// How many worlds the store's thread leases in one job.
  private static let takenAtOnce = 4

  /// Hosts all worlds of the store, begins to restore them, and makes `main` durable if the store does not have it.
  ///
  /// A world that cannot be restored is out of service and does not affect the others. If the store can be read but not
  /// written, its worlds are read-only for now. If the store cannot be read, ``failure`` is set and the daemon ends.
  ///
  /// - Throws: If the list of worlds cannot be read from the store.
  func bringBackAll() throws(PersistenceFailure) {
    guard let persistence else { return }
    let stored = try persistence.worlds()
    if !stored.contains(where: { $0.name == main.name }), let home = main.home {
      persistence.begin(main, home, try persistence.create(persistence.newWorld(home.realm), host: host))
    }
    for world in stored {
      let outage = Realm.Outage(
        reason: "it is being brought back", cause: .store(retryAt: .max), head: world.head, isFromStart: true)
      let absent = Realm(name: world.name, limits: environment.limits.world, host: host, outage)
      if let hosted = worlds[world.name] { hosted.replace(with: absent) } else { add(host(absent)) }
      guard let hosted = worlds[world.name] else { continue }
      returns.waiting.append(
        lend(hosted, outage, isStart: true, seenAs: HostedWorld.Status(world), wall: persistence.wallClock()))
    }
    readNext(persistence)
  }

  /// Restores a world whose store has failed, if it is time to retry.
  func tryAgain(_ hosted: HostedWorld) {
    guard !isShuttingDown, let home = hosted.home, case .store(let retryAt)? = home.realm.outage?.cause,
      host >= retryAt
    else { return }
    reload(hosted, home)
  }

  /// Discards a world and restores it from the store.
  func reload(_ hosted: HostedWorld, _ home: RealmBox) {
    guard let persistence else { return }
    let told = hosted.head(home.realm)
    // Most failures affect all worlds, and asking the store again may take a while.
    if let rest = storeRest, host < rest.until {
      return close(hosted, home, rest.reason, head: told, .store(retryAt: rest.until))
    }
    if home.realm.outage == nil {
      close(hosted, home, "it is being read again", head: told, .store(retryAt: host))
    }
    guard let outage = home.realm.outage else { return }
    let world = lend(hosted, outage, isStart: false, wall: persistence.wallClock())
    if world.reading == nil {
      returns.waiting.append(world)
      readNext(persistence)
    } else {
      // The world is in memory. Only whether it can be written must be checked.
      returns.built.append(world)
    }
  }

  private func lend(
    _ hosted: HostedWorld, _ outage: Realm.Outage, isStart: Bool, seenAs status: HostedWorld.Status? = nil,
    wall: Int64
  ) -> ReturningWorld {
    let slot = workers.slot()
    return ReturningWorld(
      hosted, hosted.lend(slot, seenAs: status), slot, outage, isStart: isStart, since: (host, wall))
  }

  // MARK: Steps

  /// Loads as many worlds at a time as there are workers, and at least two, so that a large world does not delay the
  /// others.
  private func readNext(_ persistence: Persistence) {
    while !isShuttingDown, returns.reading < max(2, workers.places),
      let world = returns.next(usedBy: everybody, main: main)
    {
      returns.reading += 1
      read(world, persistence)
    }
  }

  private func read(_ world: ReturningWorld, _ persistence: Persistence) {
    let (name, host, slot) = (world.hosted.name, world.since.host, world.slot)
    let begun = persistence.wallClock()
    workers.submit(
      Job(slot) { () throws(PersistenceFailure) in
        StoredRealm.Handover(try persistence.read(name, host: host, slot))
      } then: { [unowned self] result in
        returns.reading -= 1
        readNext(persistence)
        do throws(PersistenceFailure) {
          let stored = try result.get().take()
          if world.isStart { tell(stored.reading, milliseconds: max(0, persistence.wallClock() - begun)) }
          world.reading = stored.reading
          world.box.replace(with: stored.realm)
          returns.built.append(world)
        } catch {
          fail(world, error)
        }
      })
  }

  /// Leases some of the loaded worlds on the store's thread, if it is free.
  func takeBuiltUp() {
    guard let persistence, !returns.built.isEmpty, !workers.storeIsBusy, !isShuttingDown else { return }
    let worlds = Array(returns.built.prefix(Service.takenAtOnce))
    returns.built.removeFirst(worlds.count)
    isCommitsTurn = true
    let host = host
    workers.submit(
      Job { () throws(Never) in
        var trouble: PersistenceFailure?
        return worlds.map { world in
          Result { () throws(PersistenceFailure) in
            // A failure of the store usually affects all of them.
            if let trouble { throw trouble }
            do throws(PersistenceFailure) {
              return try persistence.take(world, host: host)
            } catch {
              if error.isOfStore { trouble = error }
              throw error
            }
          }
        }
      } then: { [unowned self] result in
        for (world, taken) in zip(worlds, result.get()) { finish(world, taken, persistence) }
      })
  }

  private func finish(
    _ world: ReturningWorld, _ result: Result<Persistence.Taken, PersistenceFailure>, _ persistence: Persistence
  ) {
    do throws(PersistenceFailure) {
      let taken = try result.get()
      if let again = taken.again?.take() {
        world.reading = again.reading
        world.box.replace(with: again.realm)
      }
      // Timers are not renewed if the daemon is already ending.
      guard !isShuttingDown, persistence.onRestart == .restart, world.outage.isFromStart,
        world.box.realm.clock.isRunning
      else { return putBack(world, taken.progress, persistence) }
      renewTimers(world, taken.progress, persistence)
    } catch {
      fail(world, error)
    }
  }

  private func renewTimers(_ world: ReturningWorld, _ progress: StoredProgress, _ persistence: Persistence) {
    let (box, slot) = (world.box, world.slot)
    workers.submit(
      Job(slot) { () throws(PersistenceFailure) in
        try persistence.renewTimers(&box.realm, slot)
      } then: { [unowned self] result in
        do throws(PersistenceFailure) {
          try result.get()
          putBack(world, progress, persistence)
        } catch {
          fail(world, error)
        }
      })
  }

  /// Puts a world in place and starts its clock.
  private func putBack(_ world: ReturningWorld, _ progress: StoredProgress, _ persistence: Persistence) {
    let (hosted, box) = (world.hosted, world.box)
    hosted.progress = progress
    box.realm.outage = nil
    box.realm.clock = progress.settings.clock(host: world.since.host, moment: box.realm.world.now)
    if persistence.onRestart == .deadline {
      box.realm.clock.makeUp(for: max(0, world.since.wall - progress.settings.written))
    }
    box.realm.reportMemory()
    giveBack(hosted, box)
    readOn(in: hosted, box, from: world.outage.head + 1)
    storeRest = nil
    if !world.isStart {
      report("world \(hosted.name) is as the store has it, up to input \(box.realm.world.lastSequence)")
    }
  }

  // MARK: Failures

  /// Ends a failed attempt. The world is then out of service or read-only.
  private func fail(_ world: ReturningWorld, _ error: PersistenceFailure) {
    let (hosted, box, reason) = (world.hosted, world.box, "\(error)")
    giveBack(hosted, box)
    if case .interrupted = error { return }
    if world.isStart, world.reading == nil, error.isOfStore {
      failure = failure ?? error
      return shutDown()
    }
    let until = host &+ Service.pause
    if error.isOfStore { storeRest = (reason, until) }
    if error.isOfStore, let reading = world.reading {
      // A failure such as a full disk passes; until then the world can be read.
      say(reason, of: world, "can only be read for now")
      readOnly(box, reading, reason, retryAt: until, isFromStart: world.outage.isFromStart)
      readOn(in: hosted, box, from: world.outage.head + 1)
    } else {
      say(reason, of: world, "is out of service")
      close(hosted, box, reason, head: world.outage.head, error.cause(retryAt: until))
    }
  }

  /// Reports an outage once while its reason stays the same.
  private func say(_ reason: String, of world: ReturningWorld, _ what: String) {
    if world.outage.reason != reason { report("world \(world.hosted.name) \(what): \(reason)") }
  }

  /// Takes a world out of service. A loaded one stays readable while its store fails.
  func close(
    _ hosted: HostedWorld, _ home: RealmBox, _ reason: String, head: UInt64, _ cause: Realm.Outage.Cause
  ) {
    if let known = home.realm.outage, let reading = known.reading, case .store(let retryAt) = cause {
      return readOnly(home, reading, reason, retryAt: retryAt, isFromStart: known.isFromStart)
    }
    let isFromStart = home.realm.outage?.isFromStart ?? false
    hosted.replace(
      with: Realm(
        without: home.realm, Realm.Outage(reason: reason, cause: cause, head: head, isFromStart: isFromStart)))
    readOn(in: hosted, home, from: 1)
  }

  /// Makes a loaded world read-only.
  private func readOnly(
    _ home: RealmBox, _ reading: StoredRealm.Reading, _ reason: String, retryAt: UInt64, isFromStart: Bool
  ) {
    home.realm.outage = Realm.Outage(
      reason: reason, cause: .store(retryAt: retryAt), head: reading.world.head, reading: reading,
      isFromStart: isFromStart)
  }

  /// Moves the watchers of a replaced world to an input, or to the first one that is kept after it.
  private func readOn(in hosted: HostedWorld, _ home: RealmBox, from sequence: UInt64) {
    let first = home.realm.world.firstSequence
    let next = min(max(sequence, first), home.realm.world.lastSequence + 1)
    for client in clients.values where client.hosted === hosted && client.session.cursor != nil {
      client.session.cursor = home.realm.world.journalReader(from: next)
    }
  }

  /// Reports how a world was restored at the start.
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
}

extension Persistence {
  /// Acquires the lease of a loaded world, on the store's thread. For a read-only world it first checks that the store
  /// can be written.
  fileprivate func take(_ world: ReturningWorld, host: UInt64) throws(PersistenceFailure) -> Taken {
    if world.outage.isReadable {
      try atOnce { () throws(PersistenceFailure) in try tryWriting() }
    }
    guard let reading = world.reading else { preconditionFailure("a world is built up before it is taken") }
    return try take(reading, host: host)
  }
}

extension PersistenceFailure {
  /// The outage that follows from this failure.
  fileprivate func cause(retryAt: UInt64) -> Realm.Outage.Cause {
    if isFinal { .taken } else if isOfStore { .store(retryAt: retryAt) } else { .unreadable }
  }
}
