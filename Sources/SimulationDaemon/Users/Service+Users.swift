import LineProtocol
import Simulator
import StateMachines
import UnixHost

/// A user's world `main` on its way into the store.
final class FirstWorld {
  let hosted: HostedWorld
  let box: LiveWorld.Box
  /// Called when it is there, or with what is said to the client.
  var finish: [(String?) -> Void]

  init(_ hosted: HostedWorld, _ box: LiveWorld.Box, _ finish: @escaping (String?) -> Void) {
    self.hosted = hosted
    self.box = box
    self.finish = [finish]
  }
}

/// Users: who may connect, which worlds they see, and with whom they share them.
extension Service {
  // MARK: Connections

  /// Asks the system for the names of the daemon's owner and of all who have worlds. It may take long, so it is for the
  /// start.
  func learnNames() {
    let names = environment.names
    names.learn(Accounts.name(ofUser: Accounts.own), of: .owner)
    for owner in Set(worlds.values.map(\.owner)) {
      if case .other(let uid) = owner { names.learn(Accounts.name(ofUser: uid), of: owner) }
    }
  }

  /// What is said to a client that cannot be served because of a limit; nil if it can.
  func refusal(of id: UserID) -> String? {
    if isShuttingDown { return Service.farewell }
    guard hasRoom(for: id) else { return refusal }
    let (user, limit) = (user(id), environment.limits.userClients)
    guard id != .owner, user.clients + user.arriving >= limit else { return nil }
    return Service.refusal(
      "- LIMIT name=userClients value=\(limit) : you have \(user.clients + user.arriving) connections already", "limit")
  }

  /// What is said to a client that comes when the daemon is ending.
  static let farewell = "! bye reason=shutdown\n"

  /// Counts a connection that is being admitted.
  func beginArrival(of id: UserID) {
    user(id).arriving += 1
    arriving += 1
  }

  func endArrival(of id: UserID) {
    user(id).arriving -= 1
    arriving -= 1
  }

  private static func refusal(_ line: String, _ reason: String) -> String { "\(line)\n! bye reason=\(reason)\n" }

  /// Makes sure that a user has a world `main`. Where worlds are stored, it is durable.
  ///
  /// - Parameter finish: Called when the world is there, at once if it is there already; or with what is said to the
  ///   client.
  func welcome(_ id: UserID, then finish: @escaping (_ refusal: String?) -> Void) {
    if isShuttingDown { return finish(Service.farewell) }
    let key = WorldKey(id, WorldKey.main).text
    if let hosted = worlds[key] {
      guard hosted.afterRemoval != nil else { return finish(nil) }
      // Its successor is made when it is gone.
      hosted.afterRemoval?.append { [unowned self] in welcome(id, then: finish) }
      return
    }
    if let first = firstWorlds.first(where: { $0.hosted.name == key }) { return first.finish.append(finish) }
    let limit = environment.limits.worlds
    guard worlds.count + reservedWorlds.count < limit else {
      return finish(
        Service.refusal(
          "- LIMIT name=worlds value=\(limit) : the daemon has \(limit) worlds, and no room for one of yours", "limit"))
    }
    let box = LiveWorld.Box(
      LiveWorld(name: key, clock: .real, seed: 0, limits: environment.limits.world, host: host))
    let hosted = self.host(box)
    guard persistence != nil else {
      add(hosted)
      return finish(nil)
    }
    firstWorlds.append(FirstWorld(hosted, box, finish))
    if workers.areInline { storeFirstWorlds() }
  }

  /// Lets nobody wait for a first world any more, since the daemon is ending.
  func refuseFirstWorlds() {
    for first in firstWorlds {
      let waiting = first.finish
      first.finish = []
      for finish in waiting { finish(Service.farewell) }
    }
  }

  /// Stores new users' first worlds, if the store's thread is free.
  func storeFirstWorlds() {
    guard let persistence, !firstWorlds.isEmpty, mayChangeStoredWorlds, !isShuttingDown else { return }
    let new = firstWorlds
    let host = host
    let rows = new.map { ($0.hosted.name, $0.box.live.world.now, persistence.settings(of: $0.box.live)) }
    let job = Job { () throws(Never) in
      rows.map { name, now, settings in
        Result { () throws(PersistenceFailure) in try persistence.create(name, now, settings, host: host) }
      }
    } then: { [unowned self] result in
      firstWorlds.removeAll { first in new.contains { $0 === first } }
      for (first, made) in zip(new, result.get()) { finish(first, made, persistence) }
    }
    isCommitNext = !workers.areInline
    workers.submit(job)
    if workers.areInline { for job in workers.takeReturnedJobs() { job.finish() } }
  }

  private func finish(
    _ first: FirstWorld, _ made: Result<StoredProgress, PersistenceFailure>, _ persistence: Persistence
  ) {
    switch made {
    case .success(let progress):
      persistence.begin(first.hosted, first.box, progress)
      add(first.hosted)
      for finish in first.finish { finish(nil) }
    case .failure(let error):
      report("world \(first.hosted.name) could not be made: \(error)")
      for finish in first.finish {
        finish(Service.refusal("- STORAGE world=main : your first world could not be stored", "storage"))
      }
    }
  }

  /// `. USER client= world= since= idle=` for a user's own sessions, and for all if the daemon's owner asks; `. USER` for
  /// those of others.
  func listSessions(_ tag: [UInt8], _ client: Client) {
    let viewer = client.user.id
    for other in clients.values.sorted(by: { $0.number < $1.number }) {
      let name = environment.names.name(of: other.user.id)
      let world = client.session.shown(other.hosted.name)
      client.session.line(tag) { line in
        line.word(name)
        guard viewer == .owner || other.user.id == viewer else { return }
        line.key("client", UInt64(other.number))
        line.key("world", world)
        line.key("since", seconds: Int64(clamping: host &- min(host, other.since)))
        line.key("idle", seconds: Int64(clamping: host &- min(host, other.lastInput)))
      }
    }
    client.session.succeed(tag) { $0.word(UInt64(clients.count)) }
  }

  // MARK: Worlds

  /// The world that a client means by a name: `W` or `OWNER/W`.
  ///
  /// - Returns: Nil if there is none, or none that its user may see.
  func world(named name: String, for client: Client) -> HostedWorld? {
    let user = client.user.id
    guard let slash = name.lastIndex(of: "/") else { return worlds[WorldKey(user, name).text] }
    guard let owner = environment.names.user(named: String(name[..<slash])) else { return nil }
    let found = worlds[WorldKey(owner, String(name[name.index(after: slash)...])).text]
    return found.flatMap { $0.access(of: user) == .nothing ? nil : $0 }
  }

  /// Finds a world by its name. Writes a failure if there is none: the same, whether it is not there or not shared.
  func world(_ name: String, _ tag: [UInt8], _ client: Client) -> HostedWorld? {
    if let hosted = world(named: name, for: client) { return hosted }
    client.session.fail(
      tag, .unknownWorld,
      [("world", name)] + suggestion(name, among: visibleWorlds(for: client).map(\.name)),
      "there is no world '\(name)'; 'worlds' lists them")
    return nil
  }

  /// The worlds that a client's user may see, by the names that the user gives them: own ones first.
  func visibleWorlds(for client: Client) -> [(name: String, hosted: HostedWorld)] {
    let user = client.user.id
    return worlds.values.filter { $0.access(of: user) != .nothing }
      .map { (name: client.session.shown($0.name), hosted: $0, isOwn: $0.owner == user) }
      .sorted { left, right in
        left.isOwn == right.isOwn ? left.name.utf8.lexicographicallyPrecedes(right.name.utf8) : left.isOwn
      }
      .map { ($0.name, $0.hosted) }
  }

  /// Whether a user may have another world, beside those that are being created.
  func hasRoomForWorld(of user: User, _ reserved: [String]) -> Bool {
    guard user.quota != nil else { return true }
    let own = worlds.values.count { $0.owner == user.id } + reserved.count { WorldKey($0).owner == user.id }
    return own < environment.limits.userWorlds
  }

  /// Looks whether a copy of a world fits into the memory, and into what its client's user may have. Writes a failure if
  /// not.
  func growth(byForkOf home: LiveWorld.Box, _ tag: [UInt8], _ client: Client) -> PromisedGrowth? {
    let (machines, bytes) = (home.live.world.machineCount, home.live.world.bytesOfACopy)
    // The copy is the user's, whoever has the original.
    if let quota = client.user.quota {
      guard quota.hasRoom(forMachines: machines) else {
        client.session.fail(tag, .limit, quota.machineKeys, "you have \(quota.countedMachines) machines in your worlds")
        return nil
      }
      guard quota.hasRoom(for: bytes) else {
        let shortage = MemoryShortage.ofUser(limit: quota.bytes)
        client.session.fail(tag, .limit, shortage.keys, "\(shortage.holder) has no room for the copy")
        return nil
      }
    }
    let isOwn = client.hosted.owner == client.user.id
    if isOwn ? home.live.mayGrow(by: bytes) : budget.hasRoom(for: bytes) {
      return PromisedGrowth(bytes: bytes, machines: machines, budget, client.user.quota)
    }
    let shortage = MemoryShortage(budget, nil, for: bytes)
    tag.withUnsafeBytes { tag in
      client.session.use(&home.live) { $0.answering(tag) { $0.failMemory(shortage) } }
    }
    return nil
  }

  /// Whether a client may drop a world: its own, or any as the daemon's owner.
  func mayDrop(_ hosted: HostedWorld, _ client: Client) -> Bool {
    (hosted.owner == client.user.id || client.user.id == .owner) && mayBeDropped(hosted)
  }

  /// Whether a world is none that clients need to begin in.
  func mayBeDropped(_ hosted: HostedWorld) -> Bool {
    guard WorldKey(hosted.name).name == WorldKey.main else { return true }
    let owner = user(hosted.owner)
    return hosted !== main && owner.clients == 0 && owner.arriving == 0
  }

  func failNotOwner(of hosted: HostedWorld, _ text: String, _ tag: [UInt8], _ client: Client) {
    client.session.fail(
      tag, .notOwner, [("verb", "world"), ("owner", environment.names.name(of: hosted.owner))], text)
  }

  /// Shares a world with everybody, or with nobody.
  ///
  /// - Returns: False until the change is stored. The caller tries again later.
  func share(_ name: String, _ sharing: Sharing, _ tag: [UInt8], _ client: Client) -> Bool {
    guard let hosted = world(name, tag, client) else { return true }
    guard hosted.owner == client.user.id else {
      failNotOwner(of: hosted, "only its owner may share a world", tag, client)
      return true
    }
    guard let home = hosted.home else { return false }
    if let outage = home.live.outage {
      client.session.failStorage(tag, world: client.session.shown(hosted.name), outage.reason)
      return true
    }
    if home.live.sharing != sharing {
      home.live.sharing = sharing
      hosted.sharing = sharing
      reviewAccess(to: hosted, home)
      guard isStored(hosted) else { return false }
    }
    let shown = client.session.shown(hosted.name)
    client.session.succeed(tag) { line in
      line.word(sharing == .nobody ? "unshared" : "shared")
      line.word(shown)
      if sharing != .nobody { line.word(sharing.rawValue) }
    }
    return true
  }

  /// Ends what a world's sharing no longer allows. For those who may not even look the world is gone.
  private func reviewAccess(to hosted: HostedWorld, _ home: LiveWorld.Box) {
    expel(from: hosted, home, because: "is not shared any more") { hosted.access(of: $0.user.id) == .nothing }
    // Watches stay while a client uses another world, so these are not only of those who were here.
    for other in everybody where hosted.access(of: other.user.id) == .nothing {
      home.live.world.unwatchAll(for: other.session.watcher)
    }
    for other in everybody { endForbiddenComparison(of: other) }
    for other in everybody where other.hosted === hosted {
      other.reviewAccess()
      if other.session.mayChange { continue }
      switch other.session.activity {
      case .none, .reply, .compare, .fork, .away: continue
      case .advance, .step, .await, .rewind, .deferred:
        markDirty(other)
        end(other, .cancelled, "this world is now shared for reading alone")
      }
    }
  }
}

extension Service {
  /// Ends a client's comparison if one of its worlds is gone for the client. One that is with a worker ends when it is
  /// back.
  func endForbiddenComparison(of client: Client) {
    guard case .compare(let comparison) = client.session.activity,
      let gone = comparison.worlds.first(where: {
        worlds[$0.name] !== $0 || $0.access(of: client.user.id) == .nothing
      })
    else { return }
    let name = client.session.shown(gone.name)
    markDirty(client)
    end(client, .unknownWorld, "the world '\(name)' is no longer there for you", [("world", name)])
  }
}

extension UserQuota {
  /// What a failure says of the limit of machines.
  var machineKeys: [(String, String)] { [("name", "userMachines"), ("value", "\(machines)")] }
}

extension RequestContext {
  /// Whether the owner of the world may have so many more machines. Writes a failure if not.
  ///
  /// - Parameter purpose: What there would be no room for.
  func admitsMachines(_ count: Int, _ purpose: String) -> Bool {
    guard let quota = live.share.quota else { return true }
    live.reportMachines()
    if quota.hasRoom(forMachines: count) { return true }
    fail(
      .limit, quota.machineKeys,
      "the owner of this world has \(quota.countedMachines) machines; there is no room \(purpose)")
    return false
  }
}
