import JournalStore
import LineProtocol
import Simulator
import StateMachines
import UnixHost

/// Users: who may connect, which worlds they see, and with whom they share them.
extension Service {
  // MARK: Connections

  /// Asks the system for the names of the daemon's owner and of all who have worlds. It may take long, so it is for the
  /// start.
  func learnNames(ofOwners worlds: [StoredWorld]) {
    for owner in Set(worlds.map { WorldKey($0.name).owner } + [.owner]) { environment.names.ask(owner) }
  }

  /// The refusal for a client that exceeds a limit; nil if it can connect.
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

  static func refusal(_ line: String, _ reason: String) -> String { "\(line)\n! bye reason=\(reason)\n" }

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
  ///
  /// - Parameter stored: All worlds of the stores that daemons share.
  func visibleWorlds(for client: Client, in stored: [StoredWorld] = []) -> [VisibleWorld] {
    let user = client.user.id
    // Those that are not in service here are listed as they are in the store.
    let others = stored.filter { worlds[$0.name]?.progress == nil }
    let hidden = Set(others.map(\.name))
    let here = worlds.values.filter {
      !hidden.contains($0.name) && ($0.home != nil || $0.progress != nil || $0.persistence?.hosts == nil)
    }
    .filter { $0.access(of: user) != .nothing }
    .map { hosted in
      let store = hosted.persistence?.store
      return VisibleWorld(
        client, hosted.name, hosted, hosted.presentStatus, hosted.sharing,
        place: store?.hosts.map { ($0.name, store?.place ?? "") })
    }
    let there = others.compactMap { world -> VisibleWorld? in
      let sharing = WorldSettings(world.settings)?.sharing ?? .nobody
      guard user == .owner || WorldKey(world.name).owner == user || sharing != .nobody else { return nil }
      let host = world.holder.flatMap { $0.lease == .ended ? nil : $0.writer.name } ?? "-"
      return VisibleWorld(
        client, world.name, nil, HostedWorld.Status(world), sharing,
        place: (host, store(of: world.name)?.store.place ?? ""))
    }
    return (here + there).sorted { left, right in
      left.isOwn == right.isOwn ? left.name.utf8.lexicographicallyPrecedes(right.name.utf8) : left.isOwn
    }
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

  /// Whether no client can begin in this world: it is not the `main` of a connected user.
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
      client.session.fail(tag, world: client.session.shown(hosted.name), outage)
      return true
    }
    setSharing(of: hosted, home, sharing)
    guard isStored(hosted) else { return false }
    let shown = client.session.shown(hosted.name)
    client.session.succeed(tag) { line in
      line.word(sharing == .nobody ? "unshared" : "shared")
      line.word(shown)
      if sharing != .nobody { line.word(sharing.rawValue) }
    }
    return true
  }

  /// Applies a changed sharing: expels users without access, and cancels changes of users who may only read.
  func setSharing(of hosted: HostedWorld, _ home: LiveWorld.Box, _ sharing: Sharing) {
    if hosted.sharing == sharing { return }
    hosted.sharing = sharing
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

/// A world as `worlds` lists it.
struct VisibleWorld {
  /// As its reader calls it.
  let name: String
  let isOwn: Bool
  /// Nil for a world that is only in the store.
  let hosted: HostedWorld?
  let status: HostedWorld.Status
  let sharing: Sharing
  /// The daemon that has it, `-` for none, and the database; nil if the store has one daemon.
  let place: (host: String, store: String)?

  init(
    _ client: Service.Client, _ key: String, _ hosted: HostedWorld?, _ status: HostedWorld.Status, _ sharing: Sharing,
    place: (host: String, store: String)?
  ) {
    name = client.session.shown(key)
    isOwn = WorldKey(key).owner == client.user.id
    (self.hosted, self.status, self.sharing, self.place) = (hosted, status, sharing, place)
  }

  func appendPlace(to line: inout ByteBuffer) {
    guard let place else { return }
    line.key("store", place.store)
    line.key("host", place.host)
  }
}

extension UserQuota {
  /// The keys of a failure for `userMachines`.
  var machineKeys: [(String, String)] { [("name", "userMachines"), ("value", "\(machines)")] }
}

extension RequestContext {
  /// Whether the owner of the world may have so many more machines, and whoever is served may make them. Writes a failure
  /// if not.
  ///
  /// - Parameter purpose: What there would be no room for.
  func admitsMachines(_ count: Int, _ purpose: String) -> Bool {
    live.reportMachines()
    let present = live.world.machineCount
    if let quota = live.share.quota {
      if quota.hasRoom(forMachines: count) { return true }
      fail(
        .limit, quota.machineKeys,
        "the owner of this world has \(quota.countedMachines) machines; there is no room \(purpose)")
    } else if let guest = live.share.guest {
      if present + count <= guest.machines { return true }
      fail(
        .limit, guest.machineKeys, "this world has \(present) machines; a guest has no room \(purpose)")
    } else {
      return true
    }
    return false
  }
}
