import LineProtocol
import Simulator
import StateMachines

/// What concerns other worlds, other sessions or the daemon. Whoever is told of other worlds than their own is told of
/// what is stored.
extension Service {
  /// Carries out what concerns more than a session and its world.
  ///
  /// - Returns: False if it has to wait for a world or the store; then it is to be tried again.
  func run(_ deferredEffect: ServiceEffect, _ tag: [UInt8], _ client: Client) -> Bool {
    guard canRun(deferredEffect, client) else { return false }
    let mark = client.session.outbox.buffer.count
    switch deferredEffect {
    case .describeWorld:
      let (name, glimpse) = (client.hosted.name, client.hosted.presentGlimpse)
      tag.withUnsafeBytes { engine.describe(name, glimpse, $0, &client.session) }
      // It tells of what may not be stored yet.
      return true
    case .activities: listActivities(tag, client)
    case .cancel(let number): cancel(number, tag, client)
    case .use(let name): use(name, tag, client)
    case .newWorld(let name, let clock, let seed, let isDurable):
      newWorld(name, clock, seed, isDurable, tag, client)
    case .forkWorld(let name): forkWorld(name, tag, client)
    case .dropWorld(let name): dropWorld(name, tag, client)
    case .listWorlds: listWorlds(tag, client)
    case .compare(let left, let right): compare(left, right, tag, client)
    case .changeClock(let change, let isShown):
      // What changes with the world is not certain before it is stored.
      changeClock(change, isShown: isShown, tag, client)
      return true
    case .changeForm(let form):
      client.session.outbox.change(to: form)
      tag.withUnsafeBytes { tag in
        client.session.outbox.buffer.begin(.success, tag: tag)
        client.session.outbox.buffer.endLine()
      }
    case .announceLivelock: announceLivelock(in: client.hosted, except: [client])
    case .quit: client.session.sayGoodbye("quit")
    case .shutdown: shutDown()
    }
    if persistence != nil { client.session.outbox.stand(from: mark) }
    return true
  }

  /// Whether the worlds and the store that a deferred effect needs are there.
  func canRun(_ deferredEffect: ServiceEffect, _ client: Client) -> Bool {
    switch deferredEffect {
    case .describeWorld, .activities, .cancel, .changeForm, .quit, .shutdown: true
    case .changeClock, .announceLivelock: client.hosted.home != nil
    // What the client was told of the present world is stored before it leaves it.
    case .use: !client.owesStore || isStored(client.hosted)
    case .newWorld(_, _, _, let isDurable): !isDurable || mayChangeStoredWorlds
    case .forkWorld: client.hosted.home != nil && isStored(client.hosted)
    case .dropWorld(let name): worlds[name].map(canDrop) ?? true
    case .listWorlds, .compare: true
    }
  }

  /// The world of which everything is to be stored before a deferred effect can be run.
  func worldToBeStored(for deferredEffect: ServiceEffect, _ client: Client) -> HostedWorld? {
    switch deferredEffect {
    case .use, .forkWorld: client.hosted
    case .dropWorld(let name): worlds[name]
    case .describeWorld, .activities, .cancel, .changeForm, .quit, .shutdown, .changeClock, .announceLivelock,
      .newWorld, .listWorlds, .compare:
      nil
    }
  }

  private func changeClock(_ change: String, isShown: Bool, _ tag: [UInt8], _ client: Client) {
    guard let home = client.hosted.home else { return }
    // Each change is told to all who watch in full, which is what it costs.
    client.session.effort += Engine.effortOfANotice * clients.count
    tellClock(change, in: client.hosted, home)
    tag.withUnsafeBytes { engine.answerClock(isShown: isShown, $0, &client.session, home.realm) }
  }

  private func use(_ name: String, _ tag: [UInt8], _ client: Client) {
    guard let hosted = world(name, tag, client) else { return }
    move(client, to: hosted)
    tag.withUnsafeBytes { engine.describe(name, hosted.storedGlimpse, $0, &client.session) }
  }

  func move(_ client: Client, to hosted: HostedWorld) {
    engine.tellGap(&client.session)
    client.move(to: hosted)
    client.session.cursor = nil
    guard let home = hosted.home else { return hosted.note(arrivalOf: client) }
    home.catchUp(host: host)
    // A watch rests while another world is in use: what came meanwhile is not told.
    freshen(client)
  }

  /// A world by its name; a failure is written if there is none.
  func world(_ name: String, _ tag: [UInt8], _ client: Client) -> HostedWorld? {
    if let hosted = worlds[name] { return hosted }
    tag.withUnsafeBytes {
      client.session.fail(
        $0, .unknownWorld, [("world", name)] + engine.suggestion(name, among: worlds.keys.sorted()),
        "there is no world '\(name)'; 'worlds' lists them")
    }
    return nil
  }

  private func listWorlds(_ tag: [UInt8], _ client: Client) {
    tag.withUnsafeBytes { tag in
      for (name, hosted) in worlds.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
        if let home = hosted.home {
          home.catchUp(host: host)
        }
        let glimpse = hosted === client.hosted ? hosted.presentGlimpse : hosted.storedGlimpse
        client.session.outbox.buffer.begin(.data, tag: tag)
        client.session.outbox.buffer.word(name)
        if let outage = glimpse.outage {
          client.session.outbox.buffer.word(literal: "out-of-service")
          client.session.outbox.buffer.note(outage.reason)
          client.session.outbox.buffer.endLine()
          continue
        }
        client.session.outbox.buffer.key("clock", glimpse.clock.rawValue)
        client.session.endLine(glimpse.now, glimpse.lastSequence)
      }
      client.session.outbox.buffer.begin(.success, tag: tag)
      client.session.outbox.buffer.word(UInt64(worlds.count))
      client.session.outbox.buffer.endLine()
    }
  }

  /// `* SEQ T - clock …` to all who watch in full. Those who have too much to read already are not told.
  func tellClock(_ change: String, in hosted: HostedWorld, _ home: RealmBox) {
    for client in clients.values where client.hosted === hosted {
      guard home.realm.world.hearsOfTheClock(client.session.watcher) else { continue }
      markDirty(client)
      engine.flushNotices(&client.session, home.realm.world, mayDrop: true)
      guard client.session.gap == nil, client.session.outbox.noticeBytes < engine.limits.noticeQueue else { continue }
      client.session.noticeScratch.removeAll()
      client.session.noticeScratch.begin(.notice)
      client.session.noticeScratch.word(home.realm.world.lastSequence)
      client.session.noticeScratch.word(seconds: home.realm.world.now.nanoseconds)
      client.session.noticeScratch.append(literal: " - clock ")
      client.session.noticeScratch.append(text: change)
      client.session.noticeScratch.endLine()
      client.session.append(notices: client.session.noticeScratch.bytes)
    }
  }

  func announceLivelock(in hosted: HostedWorld, except authors: [Client]) {
    guard let home = hosted.home, let livelock = home.realm.unannounced else { return }
    home.realm.unannounced = nil
    for client in clients.values where client.hosted === hosted && !authors.contains(where: { $0 === client }) {
      markDirty(client)
      engine.flushNotices(&client.session, home.realm.world, mayDrop: true)
      guard client.session.outbox.noticeBytes < engine.limits.noticeQueue else { continue }
      engine.tellLivelock(livelock, &client.session, home.realm)
    }
  }

  /// Tells all who use a world of what has come to a limit there.
  func announceLimits(in hosted: HostedWorld, _ home: RealmBox, except authors: [Client] = []) {
    if home.realm.unannounced != nil { announceLivelock(in: hosted, except: authors) }
    if home.realm.isFullUnannounced { announceFullMemory(in: hosted, home) }
  }

  /// `! limit world= name=memory` to all who use a world whose real clock was paused.
  private func announceFullMemory(in hosted: HostedWorld, _ home: RealmBox) {
    home.realm.isFullUnannounced = false
    for client in clients.values where client.hosted === hosted {
      markDirty(client)
      engine.flushNotices(&client.session, home.realm.world, mayDrop: true)
      client.session.say { buffer in
        buffer.word(literal: "limit")
        buffer.key("world", hosted.name)
        buffer.key("name", "memory")
        buffer.key("value", UInt64(budget.bytes))
      }
    }
  }
}
