import JournalStore
import LineProtocol
import Simulator
import StateMachines

/// Creates and drops worlds.
extension Service {
  /// Creates a world. A durable one exists after it is stored.
  func newWorld(
    _ name: String, _ clock: WorldClock.Mode, _ seed: UInt64, _ isDurable: Bool, _ tag: [UInt8], _ client: Client
  ) {
    let key = WorldKey(client.user.id, name).text
    guard isFree(key, tag, client) else { return }
    let box = LiveWorld.Box(
      LiveWorld(name: key, clock: clock, seed: seed, limits: environment.limits.world, host: host))
    let hosted = self.host(box)
    guard isDurable, let persistence = hosted.persistence else { return add(hosted, tag, client) }
    let (now, settings, host) = (box.live.world.now, persistence.settings(of: box.live), host)
    askStore(persistence, for: client, tag, newWorld: key) { () throws(PersistenceFailure) in
      try persistence.create(key, now, settings, host: host)
    } then: { [unowned self] result in
      do throws(PersistenceFailure) {
        persistence.begin(hosted, box, try result.get())
        add(hosted, tag, client)
      } catch .store(.worldExists) {
        failNameTaken(name, tag, client)
      } catch {
        client.session.failStorage(tag, world: name, "\(error)")
      }
    }
  }

  /// Hosts a world and answers its client.
  private func add(_ hosted: HostedWorld, _ tag: [UInt8], _ client: Client) {
    add(hosted)
    client.session.answer("created", client.session.shown(hosted.name), tag)
  }

  /// Hosts a new world.
  func add(_ hosted: HostedWorld) {
    worlds[hosted.name] = hosted
    environment.counters.worlds = worlds.count
  }

  /// The worlds that are being created.
  var reservedWorlds: [String] {
    everybody.compactMap { $0.session.activity.traits.newWorld } + firstWorlds.map(\.hosted.name)
  }

  /// Whether a world with this key can be created. Writes a failure if not.
  private func isFree(_ key: String, _ tag: [UInt8], _ client: Client) -> Bool {
    let limits = environment.limits
    let reserved = reservedWorlds
    let count = worlds.count + reserved.count
    let name = WorldKey(key).name
    guard worlds[key] == nil, !reserved.contains(key) else {
      failNameTaken(name, tag, client)
      return false
    }
    guard hasRoomForWorld(of: client.user, reserved) else {
      client.session.failLimit(
        tag, "userWorlds", limits.userWorlds,
        "you have \(limits.userWorlds) worlds; 'world drop' removes one")
      return false
    }
    guard count < limits.worlds else {
      client.session.failLimit(
        tag, "worlds", limits.worlds,
        "there are \(count) worlds; 'world drop' removes one")
      return false
    }
    return true
  }

  private func failNameTaken(_ name: String, _ tag: [UInt8], _ client: Client) {
    client.session.fail(tag, .nameTaken, [("world", name)], "there is a world '\(name)' already")
  }

  /// Copies the present world; a worker copies a large one, or one that goes back to an input.
  func forkWorld(_ name: String, _ isDurable: Bool, at input: UInt64?, _ tag: [UInt8], _ client: Client) {
    let key = WorldKey(client.user.id, name).text
    guard let home = client.hosted.home, isFree(key, tag, client) else { return }
    if let outage = home.live.outage, !outage.isReadable {
      client.session.fail(tag, world: client.session.shown(client.hosted.name), outage)
      return
    }
    if isDurable { return forkInStore(home, as: key, tag, client) }
    let isOfDurable = client.hosted.isDurable(home.live)
    if let input {
      let isInEffect = tag.withUnsafeBytes { tag in
        client.session.use(&home.live) { $0.answering(tag) { $0.isInEffect(input) } }
      }
      guard isInEffect else { return }
    }
    guard input == nil, home.live.world.machineCount < LiveWorld.manyMachines else {
      client.session.activity = .fork(Activity.Fork(name: key, tag: tag, isOfDurable: isOfDurable, input: input))
      return
    }
    guard growth(byForkOf: home, tag, client) != nil else { return }
    let fork = self.host(LiveWorld.Box(LiveWorld(forking: home.live, as: key)))
    add(fork)
    client.session.answerFork(client.session.shown(fork.name), lasts: !isOfDurable, tag)
  }

  /// Copies the present world with all that the store has of it, on the store's thread.
  private func forkInStore(_ home: LiveWorld.Box, as key: String, _ tag: [UInt8], _ client: Client) {
    let (hosted, name) = (client.hosted, WorldKey(key).name)
    if let outage = home.live.outage {
      return client.session.fail(tag, world: client.session.shown(hosted.name), outage)
    }
    guard let persistence = hosted.persistence, let stored = hosted.progress else {
      return client.session.failArgument(
        tag, "durable", "yes", allowed: "no",
        "this world is not durable, and so is no copy of it; 'script' writes it as a script, which makes it again in one of 'world new W durable=yes'"
      )
    }
    guard store(of: key) === persistence else {
      return client.session.failArgument(
        tag, "world", name, allowed: stores.patterns(of: persistence),
        "a world '\(name)' is kept in another store than this one, and so cannot be a durable copy of it")
    }
    guard let growth = growth(byForkOf: home, tag, client) else { return }
    let (settings, first, host) = (persistence.settings(of: home.live), home.live.stored?.first ?? 1, host)
    // Nothing may happen in the world until it is copied, so requests to it wait.
    let box = hosted.lend(workers.slot(of: hosted.owner.lane, reading: persistence))
    askStore(persistence, for: client, tag, newWorld: key) {
      () throws(PersistenceFailure) -> (LiveWorld.Box, StoredProgress)? in
      guard let copied = try persistence.copy(stored, to: key, box.live.world.now, settings, host: host) else {
        return nil
      }
      return (LiveWorld.Box(LiveWorld(forking: box.live, as: key)), copied)
    } then: { [unowned self] result in
      giveBack(hosted, box)
      do throws(PersistenceFailure) {
        guard let (copy, progress) = try result.get() else {
          return client.session.failLimit(
            tag, "forkBytes", Persistence.mostCopied,
            "the store has more of this world; a fork without 'durable=yes' is always possible")
        }
        let fork = self.host(copy)
        persistence.begin(fork, copy, progress, first: first)
        add(fork)
        client.session.answerFork(client.session.shown(key), lasts: true, tag)
      } catch .store(.worldExists) {
        failNameTaken(name, tag, client)
      } catch {
        client.session.failStorage(tag, world: name, "\(error)")
      }
      // The copy counts for itself from here on.
      withExtendedLifetime(growth) {}
    }
  }

  func dropWorld(_ name: String, _ tag: [UInt8], _ client: Client) {
    guard let hosted = world(name, tag, client) else { return }
    let key = hosted.name
    guard hosted.owner == client.user.id || client.user.id == .owner else {
      return failNotOwner(of: hosted, "only its owner may drop a world", tag, client)
    }
    guard mayBeDropped(hosted) else {
      let others = worlds.values.filter { $0.owner == client.user.id && $0 !== hosted }
        .map { WorldKey($0.name).name }.sorted().prefix(60).joined(separator: ",")
      client.session.failArgument(
        tag, "world", name, allowed: others,
        hosted.owner == client.user.id
          ? "the world main cannot be dropped" : "the world main cannot be dropped while its owner is connected")
      return
    }
    guard let home = hosted.home else { return }
    guard hosted.isDurable(home.live), let persistence = hosted.persistence else {
      return drop(hosted, home, tag, client)
    }
    if let outage = home.live.outage, case .taken = outage.cause {
      return client.session.fail(tag, world: client.session.shown(key), outage)
    }
    // Nothing may happen in the world until the store has answered, so requests to it wait.
    let box = hosted.lend(workers.slot(of: hosted.owner.lane, reading: persistence))
    hosted.afterRemoval = []
    askStore(persistence, for: client, tag) { () throws(StoreFailure) in
      try persistence.store.remove(key)
    } then: { [unowned self] result in
      let waiting = hosted.afterRemoval ?? []
      hosted.afterRemoval = nil
      defer { for go in waiting { go() } }
      giveBack(hosted, box)
      do throws(StoreFailure) {
        try result.get()
        if let outage = box.live.outage {
          report("world \(key), which was out of service, was dropped with its \(outage.head) inputs")
        }
        hosted.progress = nil
        persistence.hasDroppedWorlds = true
        drop(hosted, box, tag, client)
      } catch .noSuchWorld {
        // An earlier attempt with an unknown result has removed it.
        drop(hosted, box, tag, client)
      } catch {
        client.session.failStorage(tag, world: client.session.shown(key), "\(error)")
      }
    }
  }

  /// Removes a world that is not in the store. Its clients move to their `main`.
  private func drop(_ hosted: HostedWorld, _ home: LiveWorld.Box, _ tag: [UInt8], _ client: Client) {
    worlds[hosted.name] = nil
    environment.counters.worlds = worlds.count
    expel(from: hosted, home, because: "was dropped meanwhile") { _ in true }
    for other in everybody { endForbiddenComparison(of: other) }
    workers.dispose(home, of: hosted.owner.lane)
    client.session.answer("dropped", client.session.shown(hosted.name), tag)
  }

  /// Moves clients out of a world that is gone for them, each to its user's `main`.
  ///
  /// - Parameter reason: What has become of the world, said of requests under way.
  func expel(
    from hosted: HostedWorld, _ home: LiveWorld.Box, because reason: String, _ isConcerned: (Client) -> Bool
  ) {
    for user in clients.values where user.hosted === hosted && isConcerned(user) {
      markDirty(user)
      hosted.endReservation(of: user)
      tellDropped(hosted, home, user, reason)
      move(user, to: main(of: user.user.id))
    }
    for user in disconnected.values where user.hosted === hosted && isConcerned(user) {
      hosted.endReservation(of: user)
      endWork(of: user, in: hosted, reason)
      user.move(to: main(of: user.user.id))
      list(user)
    }
  }

  /// Ends a client's work in a dropped world and tells the client.
  private func tellDropped(_ hosted: HostedWorld, _ home: LiveWorld.Box, _ user: Client, _ reason: String) {
    user.session.flushNotices(home.live.world, mayDrop: true)
    endWork(of: user, in: hosted, reason)
    let name = user.session.shown(hosted.name)
    user.session.say { buffer in
      buffer.word(literal: "world")
      buffer.key("dropped", name)
    }
  }

  /// Ends a client's activity in a dropped world.
  private func endWork(of user: Client, in hosted: HostedWorld, _ reason: String) {
    let name = user.session.shown(hosted.name)
    let (keys, text) = ([("world", name)], "the world '\(name)' \(reason)")
    if !user.session.activity.isNone, !user.isAway { end(user, .unknownWorld, text, keys) }
    user.session.loseCollected(with: name)
    // A copy of the dropped world must not become a copy of `main`.
    if case (.forkWorld, let tag)? = user.session.deferredEffect {
      user.session.deferredEffect = nil
      user.session.fail(tag, .unknownWorld, keys, text)
    }
  }

  // MARK: Stored worlds

  /// Runs a client's request on a store's thread, as the client's activity. It runs to its end even if the client
  /// leaves. Without threads it runs at once.
  ///
  /// - Parameters:
  ///   - newWorld: The name of a world to create, which is reserved meanwhile.
  ///   - body: Uses the store and no other mutable state.
  ///   - finish: Answers the client.
  /// - Precondition: ``Persistence/mayChangeWorlds``.
  func askStore<Success, Failure>(
    _ persistence: Persistence, for client: Client, _ tag: [UInt8], newWorld: String? = nil,
    _ body: @escaping () throws(Failure) -> Success, then finish: @escaping (Result<Success, Failure>) -> Void
  ) {
    guard !workers.areInline else {
      return finish(Result { () throws(Failure) in try persistence.atOnce(body) })
    }
    persistence.isCommitNext = true
    submit(
      .store(persistence.threads), RequestUnderWay(.world), for: client, tag, newWorld: newWorld, body, then: finish)
  }

  /// Runs a client's request on another thread, as the client's activity.
  func submit<Success, Failure>(
    _ place: Job.Place, _ task: RequestUnderWay, for client: Client, _ tag: [UInt8], newWorld: String? = nil,
    _ body: @escaping () throws(Failure) -> Success, then finish: @escaping (Result<Success, Failure>) -> Void
  ) {
    client.session.task = task
    client.session.activity = .away(Activity.Away(changingWorlds: tag, newWorld: newWorld))
    workers.submit(
      Job(
        place, body,
        then: { [unowned self] result in
          markDirty(client)
          client.session.endActivity()
          let mark = client.session.outbox.buffer.count
          finish(result)
          client.session.outbox.keepOnRollback(from: mark)
          goOn(client)
        }))
  }
}
