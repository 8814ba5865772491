import JournalStore
import LineProtocol
import Simulator
import StateMachines

/// How worlds come to be, and how they go.
extension Service {
  func newWorld(
    _ name: String, _ clock: WorldClock.Mode, _ seed: UInt64, _ isDurable: Bool, _ tag: [UInt8], _ client: Client
  ) {
    guard isFree(name, tag, client) else { return }
    let hosted = self.host(
      Realm(name: name, clock: clock, seed: seed, limits: engine.limits.world, host: host))
    if isDurable, let home = hosted.home {
      do throws(KeeperFailure) {
        if let keeper {
          try keeper.atOnce { () throws(KeeperFailure) in try keeper.begin(hosted, home, host: host) }
        }
      } catch {
        client.session.failStorage(tag, world: name, "\(error)")
        return
      }
    }
    add(hosted)
    tag.withUnsafeBytes { engine.answer("created", name, $0, &client.session) }
  }

  /// Takes in a world that was made.
  func add(_ hosted: HostedWorld) {
    worlds[hosted.name] = hosted
    engine.counters.worlds = worlds.count
  }

  /// Whether there can be another world of a name; a failure is written if not.
  private func isFree(_ name: String, _ tag: [UInt8], _ client: Client) -> Bool {
    let limits = engine.limits
    let reserved = everybody.compactMap { $0.session.activity.fork }
    let count = worlds.count + reserved.count
    return tag.withUnsafeBytes { tag in
      guard worlds[name] == nil, !reserved.contains(name) else {
        client.session.fail(tag, .nameTaken, [("world", name)], "there is a world '\(name)' already")
        return false
      }
      guard count < limits.worlds else {
        client.session.fail(
          tag, .limit, [("name", "worlds"), ("value", "\(limits.worlds)")],
          "there are \(count) worlds; 'world drop' removes one")
        return false
      }
      return true
    }
  }

  /// Makes a copy of the present world; of a large one a worker does.
  func forkWorld(_ name: String, _ tag: [UInt8], _ client: Client) {
    guard let home = client.hosted.home, isFree(name, tag, client) else { return }
    if let outage = home.realm.outage, !outage.isReadable {
      client.session.failStorage(tag, world: client.hosted.name, outage.reason)
      return
    }
    guard home.realm.mayGrow(by: home.realm.world.bytesOfACopy) else {
      tag.withUnsafeBytes { engine.failMemory($0, [], &client.session, home.realm) }
      return
    }
    guard home.realm.world.machineCount < Realm.manyMachines else {
      client.session.activity = .fork(Activity.Fork(name: name, tag: tag))
      return
    }
    add(self.host(Realm(forking: home.realm, as: name)))
    tag.withUnsafeBytes { engine.answer("created", name, $0, &client.session) }
  }

  func dropWorld(_ name: String, _ tag: [UInt8], _ client: Client) {
    guard let hosted = world(name, tag, client), let home = hosted.home else { return }
    guard hosted !== main else {
      let others = worlds.keys.filter { $0 != name }.sorted().prefix(60).joined(separator: ",")
      tag.withUnsafeBytes {
        client.session.fail(
          $0, .badArgument, [("argument", "world"), ("got", name), ("allowed", others)],
          "the world main cannot be dropped")
      }
      return
    }
    guard forget(hosted, home, tag, client) else { return }
    worlds[name] = nil
    engine.counters.worlds = worlds.count
    for user in clients.values where user.hosted === hosted {
      touch(user)
      leave(hosted, home, user)
      move(user, to: main)
    }
    for user in departing.values where user.hosted === hosted {
      if !user.isAway, !user.session.activity.isNone {
        end(user, .unknownWorld, "the world '\(name)' was dropped meanwhile", [("world", name)])
      }
      user.move(to: main)
      list(user)
    }
    workers.dispose(home)
    tag.withUnsafeBytes { engine.answer("dropped", name, $0, &client.session) }
  }

  /// Removes what the store has of a world; a failure is written if it cannot.
  private func forget(_ hosted: HostedWorld, _ home: RealmBox, _ tag: [UInt8], _ client: Client) -> Bool {
    guard hosted.isDurable(home.realm), let keeper else { return true }
    if let outage = home.realm.outage, case .taken = outage.cause {
      client.session.failStorage(tag, world: hosted.name, outage.reason)
      return false
    }
    do throws(StoreFailure) {
      try keeper.atOnce { () throws(StoreFailure) in try keeper.store.remove(hosted.name) }
      if let outage = home.realm.outage {
        report("world \(hosted.name), which was out of service, was dropped with its \(outage.head) inputs")
      }
      hosted.keeping = nil
      hasRubbish = true
      return true
    } catch .noSuchWorld {
      // An earlier attempt, of which nobody knew how it ended, has removed it.
      return true
    } catch {
      client.session.failStorage(tag, world: hosted.name, "\(error)")
      return false
    }
  }

  /// Ends what a client was doing in a world that is no more, and tells it.
  private func leave(_ hosted: HostedWorld, _ home: RealmBox, _ user: Client) {
    engine.pump(&user.session, home.realm.world, mayDrop: true)
    if !user.session.activity.isNone, !user.isAway {
      end(user, .unknownWorld, "the world '\(hosted.name)' was dropped meanwhile", [("world", hosted.name)])
    }
    user.session.say { buffer in
      buffer.word(literal: "world")
      buffer.key("dropped", hosted.name)
    }
  }
}

extension Engine {
  /// `+ WORD NAME`
  func answer(_ word: StaticString, _ name: String, _ tag: UnsafeRawBufferPointer, _ session: inout Session) {
    session.outbox.buffer.begin(.success, tag: tag)
    session.outbox.buffer.word(literal: word)
    session.outbox.buffer.word(name)
    session.outbox.buffer.endLine()
  }
}
