import JournalStore
import LineProtocol
import Simulator
import StateMachines

/// What concerns other worlds, other sessions or the daemon. Whoever is told of other worlds than their own is told of
/// what is stored.
extension Service {
  func run(_ errand: ServiceErrand, _ client: Client) {
    switch errand {
    case .use(let name): use(name, client)
    case .newWorld(let name, let clock, let seed, let isDurable): newWorld(name, clock, seed, isDurable, client)
    case .forkWorld(let name):
      commit()
      forkWorld(name, client)
    case .dropWorld(let name): dropWorld(name, client)
    case .listWorlds:
      commit()
      listWorlds(client)
    case .compare(let left, let right):
      commit()
      compare(left, right, client)
    case .goOn(let comparison): goOn(with: comparison, client)
    case .finish(let rewind): finish(rewind, client)
    case .changeClock(let change, let isShown):
      // Each change is told to all who watch in full, which is what it costs.
      client.session.effort += Engine.effortOfANotice * clients.count
      tellClock(change, in: client.hosted)
      engine.answerClock(isShown: isShown, request.tag, &client.session, client.hosted.realm)
    case .changeForm(let form):
      client.session.outbox.change(to: form)
      client.session.outbox.buffer.begin(.success, tag: request.tag)
      client.session.outbox.buffer.endLine()
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
    engine.tellGap(&client.session)
    // What the client has been told of a durable world must be stored as long as it can be taken back; of another, nothing
    // has to be.
    if client.hosted.isDurable { commit() } else { client.session.outbox.settle() }
    client.hosted = hosted
    hosted.realm.catchUp(host: host, budget: Service.firingsInARound)
    // A watch rests while another world is in use: what came meanwhile is not told.
    let isWatching = hosted.realm.world.watchCount(of: client.session.watcher) > 0
    client.session.cursor =
      isWatching ? hosted.realm.world.journalReader(from: hosted.realm.world.lastSequence + 1) : nil
    list(client)
  }

  /// A world by its name; a failure is written if there is none.
  func world(_ name: String, _ client: Client) -> HostedWorld? {
    if let hosted = worlds[name] { return hosted }
    client.session.fail(
      request.tag, .unknownWorld, [("world", name)] + engine.suggestion(name, among: worlds.keys.sorted()),
      "there is no world '\(name)'; 'worlds' lists them")
    return nil
  }

  private func newWorld(
    _ name: String, _ clock: WorldClock.Mode, _ seed: UInt64, _ isDurable: Bool, _ client: Client
  ) {
    guard isFree(name, client) else { return }
    let hosted = HostedWorld(
      Realm(name: name, clock: clock, seed: seed, limits: engine.limits.world, host: host))
    if isDurable {
      do throws(KeeperFailure) {
        try keeper?.begin(hosted, host: host)
      } catch {
        client.session.failStorage(Array(request.tag), world: name, "\(error)")
        return
      }
    }
    worlds[name] = hosted
    engine.counters.worlds = worlds.count
    answer("created", name, client)
  }

  /// Whether there can be another world of a name; a failure is written if not.
  private func isFree(_ name: String, _ client: Client) -> Bool {
    let limits = engine.limits
    guard worlds[name] == nil else {
      client.session.fail(request.tag, .nameTaken, [("world", name)], "there is a world '\(name)' already")
      return false
    }
    guard worlds.count < limits.worlds else {
      client.session.fail(
        request.tag, .limit, [("name", "worlds"), ("value", "\(limits.worlds)")],
        "there are \(worlds.count) worlds; 'world drop' removes one")
      return false
    }
    return true
  }

  private func forkWorld(_ name: String, _ client: Client) {
    guard isFree(name, client) else { return }
    if let outage = client.hosted.realm.outage {
      client.session.failStorage(Array(request.tag), world: client.hosted.realm.name, outage.reason)
      return
    }
    worlds[name] = HostedWorld(Realm(forking: client.hosted.realm, as: name))
    // A fork takes about as long as a look at each machine.
    client.session.effort += client.hosted.realm.world.machineCount
    engine.counters.worlds = worlds.count
    answer("created", name, client)
  }

  private func dropWorld(_ name: String, _ client: Client) {
    guard let hosted = world(name, client) else { return }
    guard hosted !== main else {
      let others = worlds.keys.filter { $0 != name }.sorted().prefix(60).joined(separator: ",")
      client.session.fail(
        request.tag, .badArgument, [("argument", "world"), ("got", name), ("allowed", others)],
        "the world main cannot be dropped")
      return
    }
    guard forget(hosted, client) else { return }
    worlds[name] = nil
    engine.counters.worlds = worlds.count
    for user in clients.values where user.hosted === hosted {
      touch(user)
      leave(name, user)
      move(user, to: main)
    }
    answer("dropped", name, client)
  }

  /// Removes what the store has of a world; a failure is written if it cannot.
  private func forget(_ hosted: HostedWorld, _ client: Client) -> Bool {
    guard hosted.isDurable, let keeper else { return true }
    if let outage = hosted.realm.outage, outage.retryAt == .max {
      client.session.failStorage(Array(request.tag), world: hosted.realm.name, outage.reason)
      return false
    }
    do throws(StoreFailure) {
      try keeper.store.remove(hosted.realm.name)
      hosted.keeping = nil
      hasRubbish = true
      return true
    } catch .noSuchWorld {
      // An earlier attempt, of which nobody knew how it ended, has removed it.
      return true
    } catch {
      client.session.failStorage(Array(request.tag), world: hosted.realm.name, "\(error)")
      return false
    }
  }

  /// Ends what a client was doing in a world that is no more, and tells it.
  private func leave(_ name: String, _ user: Client) {
    engine.pump(&user.session, user.hosted.realm.world, mayDrop: true)
    if !user.session.activity.isNone {
      user.session.activity.tag.withUnsafeBytes {
        user.session.fail($0, .unknownWorld, [("world", name)], "the world '\(name)' was dropped meanwhile")
      }
      user.session.endActivity()
      // What waited behind it is to be taken in its turn.
      user.session.isHeldUp = true
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

  /// `* SEQ T - clock …` to all who watch in full. Those who have too much to read already are not told.
  func tellClock(_ change: String, in hosted: HostedWorld) {
    for client in clients.values where client.hosted === hosted {
      guard hosted.realm.world.hearsOfTheClock(client.session.watcher) else { continue }
      touch(client)
      engine.pump(&client.session, hosted.realm.world, mayDrop: true)
      guard client.session.gap == nil, client.session.outbox.noticeBytes < engine.limits.noticeQueue else { continue }
      client.session.noticeScratch.removeAll()
      client.session.noticeScratch.begin(.notice)
      client.session.noticeScratch.word(hosted.realm.world.lastSequence)
      client.session.noticeScratch.word(seconds: hosted.realm.world.now.nanoseconds)
      client.session.noticeScratch.append(literal: " - clock ")
      client.session.noticeScratch.append(text: change)
      client.session.noticeScratch.endLine()
      client.session.append(notices: client.session.noticeScratch.bytes)
    }
  }

  func announceLivelock(in hosted: HostedWorld, except author: Client?) {
    guard let livelock = hosted.realm.unannounced else { return }
    hosted.realm.unannounced = nil
    for client in clients.values where client.hosted === hosted && client !== author {
      touch(client)
      engine.pump(&client.session, hosted.realm.world, mayDrop: true)
      guard client.session.outbox.noticeBytes < engine.limits.noticeQueue else { continue }
      engine.tellLivelock(livelock, &client.session, hosted.realm)
    }
  }
}
