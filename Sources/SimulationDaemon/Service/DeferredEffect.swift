import JournalStore
import LineProtocol
import Simulator
import StateMachines

/// An effect of a request on other worlds, other sessions or the daemon. The service runs it after the handler returns.
enum DeferredEffect {
  case describeWorld
  case activities
  /// Ends another session's activity.
  case cancel(UInt64)
  case use(String)
  case newWorld(String, clock: WorldClock.Mode, seed: UInt64, isDurable: Bool)
  /// With an input, the copy is as the world was after it.
  case forkWorld(String, isDurable: Bool, input: UInt64?)
  case dropWorld(String)
  case shareWorld(String, Sharing)
  /// Gives a world to another daemon.
  case moveWorld(String, to: String)
  case listWorlds
  case listSessions
  case compare(String, String)
  /// Tells the clients that watch with `what=all` that the clock changed, then answers the request.
  case changeClock(String, isShown: Bool)
  /// Tells the clients that watch a machine that somebody points at one of its states, then answers the request.
  case point(String, state: String)
  case say(String, predicts: Bool)
  /// Writes everything for this client in this form, beginning with the answer.
  case changeForm(LineForm)
  /// Tells everybody in the world about a livelock.
  case announceLivelock
  case quit
  case shutdown
}

/// Runs effects on other worlds, other sessions or the daemon. Answers about other worlds show only what is stored.
extension Service {
  /// Runs a deferred effect.
  ///
  /// - Returns: False if it has to wait for a world or the store. The caller tries again later.
  func run(_ deferredEffect: DeferredEffect, _ tag: [UInt8], _ client: Client) -> Bool {
    take(worldsOf: deferredEffect, client)
    guard obstacle(to: deferredEffect, client) == nil else { return false }
    let mark = client.session.outbox.buffer.count
    switch deferredEffect {
    case .describeWorld:
      client.session.keepsMoment = true
      client.session.describe(client.session.shown(client.hosted.name), client.hosted.presentStatus, tag)
      // The answer may show unstored state, so a rollback takes it back.
      return true
    case .activities: listActivities(tag, client)
    case .cancel(let number): cancel(number, tag, client)
    case .use(let name): use(name, tag, client)
    case .newWorld(let name, let clock, let seed, let isDurable):
      newWorld(name, clock, seed, isDurable, tag, client)
    case .forkWorld(let name, let isDurable, let input): forkWorld(name, isDurable, at: input, tag, client)
    case .dropWorld(let name): dropWorld(name, tag, client)
    case .shareWorld(let name, let sharing):
      guard share(name, sharing, tag, client) else { return false }
    case .moveWorld(let name, let target): moveWorld(name, to: target, tag, client)
    case .listWorlds: listWorlds(tag, client)
    case .listSessions: listSessions(tag, client)
    case .compare(let left, let right): compare(left, right, tag, client)
    case .changeClock(let change, let isShown):
      // The change is part of the world, so a rollback takes it back.
      changeClock(change, isShown: isShown, tag, client)
      return true
    case .point(let name, let state):
      point(at: state, of: name, tag, client)
      return true
    case .say(let text, let predicts):
      guard let home = client.hosted.home else { return true }
      let notice = "- pointed say=\(Word.written(text))\(predicts ? " predict=yes" : "")"
      home.live.said = text.isEmpty ? nil : notice
      tell(notice, in: client.hosted, home) {
        $0 != client.session.watcher && home.live.world.watchCount(of: $0) > 0
      }
      tag.withUnsafeBytes { client.session.succeed($0) }
      return true
    case .changeForm(let form):
      client.session.outbox.change(to: form)
      client.session.succeed(tag)
    case .announceLivelock: announceLivelock(in: client.hosted, except: [client])
    case .quit: client.session.sayGoodbye("quit")
    case .shutdown: shutDown()
    }
    if !stores.all.isEmpty { client.session.outbox.keepOnRollback(from: mark) }
    return true
  }

  /// The world that must be fully stored before a deferred effect can run.
  func worldToBeStored(for deferredEffect: DeferredEffect, _ client: Client) -> HostedWorld? {
    switch deferredEffect {
    case .use, .forkWorld: client.hosted
    // A client that may not drop the world must not delay its users.
    case .dropWorld(let name): world(named: name, for: client).flatMap { mayDrop($0, client) ? $0 : nil }
    case .shareWorld(let name, _), .moveWorld(let name, _):
      world(named: name, for: client).flatMap { $0.owner == client.user.id ? $0 : nil }
    case .describeWorld, .activities, .cancel, .changeForm, .quit, .shutdown, .changeClock, .point, .say,
      .announceLivelock, .newWorld, .listWorlds, .listSessions, .compare:
      nil
    }
  }

  private func changeClock(_ change: String, isShown: Bool, _ tag: [UInt8], _ client: Client) {
    guard let home = client.hosted.home else { return }
    tellClock(change, in: client.hosted, home)
    tag.withUnsafeBytes { client.session.answerClock(isShown: isShown, $0, home.live) }
  }

  private func point(at state: String, of name: String, _ tag: [UInt8], _ client: Client) {
    guard let home = client.hosted.home else { return }
    var text = name
    // The machine may be gone since the request was read.
    let machine = text.withUTF8 { home.live.world.find(UnsafeRawBufferPointer($0)) }
    tell("\(name) pointed \(Word.written(state))", in: client.hosted, home) { watcher in
      guard let machine, let view = home.live.world.watchView(of: watcher) else { return false }
      return view.scope(for: machine, in: home.live.world) != nil
    }
    tag.withUnsafeBytes { client.session.succeed($0) }
  }

  private func use(_ name: String, _ tag: [UInt8], _ client: Client) {
    guard let hosted = world(name, tag, client) else { return }
    let shown = client.session.shown(hosted.name)
    if let outage = hosted.presentStatus.outage, outage.host != nil {
      return client.session.fail(tag, world: shown, outage)
    }
    move(client, to: hosted)
    client.session.describe(shown, hosted.storedStatus, tag)
  }

  func move(_ client: Client, to hosted: HostedWorld) {
    client.session.tellGap()
    client.move(to: hosted)
    client.session.cursor = nil
    guard hosted.home != nil else { return hosted.noteArrival(of: client) }
    catchUp(hosted)
    // A watch pauses while the client uses another world. Changes in that time are not shown.
    resumeWatching(client)
  }

  private func listWorlds(_ tag: [UInt8], _ client: Client) {
    // Worlds that are with other daemons, or with none, are in a store alone.
    listWorlds(in: stores.all.filter { $0.hosts != nil }[...], [], nil, hasAnswer: false, tag, client)
  }

  /// Asks one store after the other, each with its own threads. Of one that does not answer, the worlds that are here are
  /// listed; if none answers, the request fails.
  private func listWorlds(
    in rest: ArraySlice<Persistence>, _ found: [StoredWorld], _ failure: StoreFailure?, hasAnswer: Bool,
    _ tag: [UInt8], _ client: Client
  ) {
    guard let persistence = rest.first else {
      if let failure, !hasAnswer {
        return client.session.failStorage(tag, world: client.session.shown(client.hosted.name), "\(failure)")
      }
      return list(visibleWorlds(for: client, in: found), tag, client)
    }
    guard persistence.hosts?.term != nil else {
      return listWorlds(
        in: rest.dropFirst(), found, Persistence.withoutLease, hasAnswer: hasAnswer, tag, client)
    }
    submit(
      .worker(workers.slot(of: client.user.id.lane, reading: persistence)), RequestUnderWay(.worlds), for: client, tag
    ) {
      () throws(StoreFailure) in
      try persistence.store.readers.reading { (reader) throws(StoreFailure) in try reader.worlds() }
    } then: { [unowned self] result in
      switch result {
      case .success(let all):
        listWorlds(
          in: rest.dropFirst(), found + served(all, in: persistence), failure, hasAnswer: true, tag, client)
      case .failure(let error):
        listWorlds(in: rest.dropFirst(), found, error, hasAnswer: hasAnswer, tag, client)
      }
    }
  }

  private func list(_ visible: [VisibleWorld], _ tag: [UInt8], _ client: Client) {
    let slice = Slice.onEventLoop
    for world in visible {
      var status = world.status
      if let hosted = world.hosted {
        catchUp(hosted, within: slice)
        status = hosted === client.hosted ? hosted.presentStatus : hosted.storedStatus
      }
      client.session.line(tag) { line in
        line.word(world.name)
        if let outage = status.outage {
          line.word(literal: "out-of-service")
          world.appendPlace(to: &line)
          line.note(outage.reason)
        } else {
          line.key("clock", status.clock.rawValue)
          line.key("t", seconds: status.now.nanoseconds)
          line.key("seq", status.lastSequence)
          if world.sharing != .nobody { line.key("shared", world.sharing.rawValue) }
          world.appendPlace(to: &line)
        }
      }
    }
    client.session.succeed(tag) { $0.word(UInt64(visible.count)) }
  }

  /// Sends `* SEQ T - clock …` to the clients that watch with `what=all`, except those with a full notice queue.
  func tellClock(_ change: String, in hosted: HostedWorld, _ home: LiveWorld.Box) {
    tell("- clock \(change)", in: hosted, home) { home.live.world.hearsOfTheClock($0) }
  }

  /// Sends `* SEQ T …` about what is no input to some of a world's clients, except those with a full notice queue.
  private func tell(
    _ text: String, in hosted: HostedWorld, _ home: LiveWorld.Box, toThose hear: (WatcherID) -> Bool
  ) {
    for client in clients.values where client.hosted === hosted {
      guard hear(client.session.watcher) else { continue }
      markDirty(client)
      client.session.flushNotices(home.live.world, mayDrop: true)
      guard client.session.gap == nil, client.session.outbox.noticeBytes < environment.limits.noticeQueue else {
        continue
      }
      client.session.tell(text, home.live.world)
    }
  }

  func announceLivelock(in hosted: HostedWorld, except authors: [Client]) {
    guard let home = hosted.home, let livelock = home.live.unannounced else { return }
    home.live.unannounced = nil
    for client in clients.values where client.hosted === hosted && !authors.contains(where: { $0 === client }) {
      markDirty(client)
      client.session.flushNotices(home.live.world, mayDrop: true)
      guard client.session.outbox.noticeBytes < environment.limits.noticeQueue else { continue }
      client.session.tell(livelock, home.live)
    }
  }

  /// Tells everybody in a world about limits that it has reached.
  func announceLimits(in hosted: HostedWorld, _ home: LiveWorld.Box, except authors: [Client] = []) {
    if home.live.unannounced != nil { announceLivelock(in: hosted, except: authors) }
    if home.live.isFullMemoryUnannounced { announceFullMemory(in: hosted, home) }
  }

  /// Sends `! limit world= name=memory` to everybody in a world whose real clock was paused.
  private func announceFullMemory(in hosted: HostedWorld, _ home: LiveWorld.Box) {
    home.live.isFullMemoryUnannounced = false
    let (name, value) = home.live.share.shortage().limit
    for client in clients.values where client.hosted === hosted {
      markDirty(client)
      client.session.flushNotices(home.live.world, mayDrop: true)
      let world = client.session.shown(hosted.name)
      client.session.say { buffer in
        buffer.word(literal: "limit")
        buffer.key("world", world)
        buffer.key("name", name)
        buffer.key("value", UInt64(value))
      }
    }
  }
}
