import JournalStore
import LineProtocol
import Simulator
import StateMachines

/// A world that is being brought back from the store; it is lent until it is there.
final class ReturningWorld {
  let hosted: HostedWorld
  let box: RealmBox
  let slot: WorkerSlot
  /// What is known of it until then.
  let outage: Realm.Outage
  /// Whether this is the first attempt since the daemon began.
  let isStart: Bool
  /// The host time from which on its time passes, and milliseconds since 1970 then.
  let since: (host: UInt64, wall: Int64)
  /// What it was built up from; nil until it was.
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

/// How far worlds are that are being brought back.
struct Returns {
  /// Those that nobody has begun to read.
  var waiting: [ReturningWorld] = []
  /// How many are being read.
  var reading = 0
  /// Those that were built up, and are to be taken.
  var built: [ReturningWorld] = []

  /// Chooses the world that is read next: one that somebody uses before others, then `main`, then the one with the
  /// fewest inputs, so that a large world keeps nobody waiting but those who use it.
  mutating func next(usedBy clients: [Service.Client], main: HostedWorld) -> ReturningWorld? {
    let used = Set(clients.map { ObjectIdentifier($0.hosted) })
    func rank(_ world: ReturningWorld) -> (Int, Int, UInt64) {
      (used.contains(ObjectIdentifier(world.hosted)) ? 0 : 1, world.hosted === main ? 0 : 1, world.outage.head)
    }
    guard let place = waiting.indices.min(by: { rank(waiting[$0]) < rank(waiting[$1]) }) else { return nil }
    return waiting.remove(at: place)
  }
}

/// Worlds that come back from the store: all at the start, later one whose store has failed.
///
/// A worker reads the world and builds it up, the store's thread takes it, and the event loop puts it in its place.
extension Service {
  /// How long a store that failed is left alone, in nanoseconds.
  private static let pause: UInt64 = 1_000_000_000
  /// How many worlds the store's thread takes before others may have it.
  private static let takenAtOnce = 4

  /// Hosts all worlds of the store as they stand there, begins to bring them back, and makes `main` durable where it is
  /// not in the store.
  ///
  /// A world that cannot be brought back is out of service, and stops no other. Where the store can be read and not be
  /// written, its worlds can only be looked at for now. Where it cannot be read, ``failure`` says so, and the daemon ends.
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

  /// Brings a world back whose store has failed, if it is time to try.
  func tryAgain(_ hosted: HostedWorld) {
    guard !isShuttingDown, let home = hosted.home, case .store(let retryAt)? = home.realm.outage?.cause,
      host >= retryAt
    else { return }
    reload(hosted, home)
  }

  /// Throws a world away and lets it come back as the store has it.
  func reload(_ hosted: HostedWorld, _ home: RealmBox) {
    guard let persistence else { return }
    let told = hosted.head(home.realm)
    // One world's failure is most often all worlds', and to find that out anew may take a while.
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
      // It is here already; only whether it can be written is to be found out.
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

  // MARK: One step after the other

  /// Lets workers read as many worlds at a time as there are processors, and two at least: a large one does not keep the
  /// others waiting.
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

  /// Lets the store's thread take some of the worlds that were built up, if it is free.
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
            // Most often it is the same with all.
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
      // A start that is over before that is none.
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

  /// Puts a world in its place, and lets its time go on.
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

  /// Ends an attempt to bring a world back, which is then out of service, or can only be looked at.
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
      // A full disk, say, passes; until then what is there is of use.
      say(reason, of: world, "can only be read for now")
      readOnly(box, reading, reason, retryAt: until, isFromStart: world.outage.isFromStart)
      readOn(in: hosted, box, from: world.outage.head + 1)
    } else {
      say(reason, of: world, "is out of service")
      close(hosted, box, reason, head: world.outage.head, error.cause(retryAt: until))
    }
  }

  /// A store that stays as it is, is spoken of once.
  private func say(_ reason: String, of world: ReturningWorld, _ what: String) {
    if world.outage.reason != reason { report("world \(world.hosted.name) \(what): \(reason)") }
  }

  /// Lets a world be one that cannot be had for now.
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

  /// Lets a world be one that can be looked at, as the store has it, and not changed for now.
  private func readOnly(
    _ home: RealmBox, _ reading: StoredRealm.Reading, _ reason: String, retryAt: UInt64, isFromStart: Bool
  ) {
    home.realm.outage = Realm.Outage(
      reason: reason, cause: .store(retryAt: retryAt), head: reading.world.head, reading: reading,
      isFromStart: isFromStart)
  }

  /// Lets those who watch a world that was replaced go on with an input, or the first that there is behind it.
  private func readOn(in hosted: HostedWorld, _ home: RealmBox, from sequence: UInt64) {
    let first = home.realm.world.firstSequence
    let next = min(max(sequence, first), home.realm.world.lastSequence + 1)
    for client in clients.values where client.hosted === hosted && client.session.cursor != nil {
      client.session.cursor = home.realm.world.journalReader(from: next)
    }
  }

  /// Says that a world was built up at the start, and what that took.
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
  /// Takes a world that was built up, on the store's thread; one that could not be taken before only where the store can
  /// be written by now.
  fileprivate func take(_ world: ReturningWorld, host: UInt64) throws(PersistenceFailure) -> Taken {
    if world.outage.isReadable {
      try atOnce { () throws(PersistenceFailure) in try tryWriting() }
    }
    guard let reading = world.reading else { preconditionFailure("a world is built up before it is taken") }
    return try take(reading, host: host)
  }
}

extension PersistenceFailure {
  /// Why a world cannot be had after this.
  fileprivate func cause(retryAt: UInt64) -> Realm.Outage.Cause {
    if isFinal { .taken } else if isOfStore { .store(retryAt: retryAt) } else { .unreadable }
  }
}
