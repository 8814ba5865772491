import JournalStore
import LineProtocol
import Simulator
import StateMachines

/// A daemon among others on one store: its lease, worlds that it takes, and worlds that others have.
extension Service {
  /// How long it is taken as true that another daemon has a world, in nanoseconds. Requests that come meanwhile are
  /// answered without asking the store.
  private static let memory: UInt64 = 50_000_000
  /// How many worlds of daemons that have ended are taken at once, and after how many nanoseconds the next ones are.
  private static let takenAtOnce = 64
  private static let takingPause: UInt64 = 100_000_000

  // MARK: The lease

  /// Renews each lease when that is due, and looks for worlds of daemons that have ended. Nothing of it waits for a store.
  func keepLeases() {
    reviewLeases()
    for persistence in stores.all {
      guard let hosts = persistence.hosts, !isShuttingDown else { continue }
      if hosts.takeNews() || persistence.hasToLook && host >= persistence.nextTaking { lookForWorlds(persistence) }
      takeNextWorlds(persistence)
      guard hosts.wait == 0 else { continue }
      // A failure shows when the lease ends; the next attempt follows soon.
      workers.submitRenewal(of: persistence.threads) { try? hosts.renew() }
    }
  }

  /// Gives all worlds of a store up if the lease on it is over, or was: another daemon may have them by now, and what is in
  /// memory be old news.
  ///
  /// Whether what is on its way to the store is stored is decided there. Such a world is given up when that is known.
  func reviewLeases() {
    for persistence in stores.all where persistence.end == .open {
      if let hosts = persistence.hosts { review(hosts.term, persistence) }
    }
  }

  private func review(_ term: Int?, _ persistence: Persistence) {
    let reason = "the lease of this daemon is over, since the database did not answer in time"
    for hosted in worlds.of(persistence) where !hosted.isBeingStored {
      guard let progress = hosted.progress, term == nil || progress.term != term, let home = hosted.home else {
        continue
      }
      report("world \(hosted.name) is given up: \(reason)")
      let status = hosted.storedStatus
      rollBack(hosted, home, to: hosted.head(home.live), reason)
      leave(hosted, status)
    }
  }

  func leave(_ hosted: HostedWorld, _ status: HostedWorld.Status) {
    let outage = LiveWorld.Outage(
      reason: "it is being taken", cause: .store(retryAt: .max), head: status.lastSequence, isFromStart: true)
    hosted.replace(with: LiveWorld(name: hosted.name, limits: environment.limits.world, host: host, outage))
    if let home = hosted.home { moveCursors(in: hosted, home, from: 1) }
    hosted.leave(seenAs: status)
  }

  /// When the next round is due for the lease or for worlds that are to be taken; nil without other daemons.
  func nextWakeForHosts(_ persistence: Persistence) -> UInt64? {
    guard let hosts = persistence.hosts else { return nil }
    let renewal = persistence.threads.areRenewing ? UInt64.max : host &+ hosts.wait
    return persistence.worldsToTake.isEmpty && !persistence.hasToLook ? renewal : min(renewal, persistence.nextTaking)
  }

  // MARK: Taking

  /// The worlds that a deferred effect is about, by the names that its client gives them.
  private func names(in effect: DeferredEffect) -> [String] {
    switch effect {
    case .use(let name), .dropWorld(let name), .shareWorld(let name, _), .moveWorld(let name, _): [name]
    case .compare(let left, let right): [left, right]
    case .describeWorld, .activities, .cancel, .newWorld, .forkWorld, .listWorlds, .listSessions, .changeClock, .point,
      .say, .changeForm, .announceLivelock, .quit, .shutdown:
      []
    }
  }

  /// Whether a deferred effect has to wait until it is known where a world is.
  func isLookingForWorlds(of effect: DeferredEffect, _ client: Client) -> Bool {
    names(in: effect).contains { name in
      guard let hosted = key(of: name, for: client).flatMap({ worlds[$0] }) else { return false }
      return hosted.persistence?.hosts != nil && hosted.home == nil && hosted.progress == nil
    }
  }

  /// Begins to take the worlds that a deferred effect is about and that are not here.
  func take(worldsOf effect: DeferredEffect, _ client: Client) {
    for key in names(in: effect).compactMap({ key(of: $0, for: client) }) where store(of: key)?.hosts != nil {
      if let hosted = worlds[key] {
        review(hosted)
      } else if client.unknownWorlds.contains(key) || reservedWorlds.contains(key) {
        continue
      }
      take(worlds[key] ?? addAbsent(key))
    }
  }

  private func key(of name: String, for client: Client) -> String? {
    guard let slash = name.lastIndex(of: "/") else {
      return isName(name) ? WorldKey(client.user.id, name).text : nil
    }
    let own = String(name[name.index(after: slash)...])
    guard isName(own), let owner = environment.names.user(named: String(name[..<slash])) else { return nil }
    return WorldKey(owner, own).text
  }

  private func isName(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { TextRules.isName(UnsafeRawBufferPointer($0), longest: environment.limits.name) }
  }

  /// Hosts a world of which only the store may know more.
  func addAbsent(_ key: String, _ stored: StoredWorld? = nil) -> HostedWorld {
    let live = LiveWorld(name: key, clock: .virtual, seed: 0, limits: environment.limits.world, host: host)
    let hosted = self.host(LiveWorld.Box(live))
    add(hosted)
    hosted.sharing = stored.flatMap { WorldSettings($0.settings)?.sharing } ?? .nobody
    leave(hosted, stored.map { HostedWorld.Status($0) } ?? hosted.presentStatus)
    return hosted
  }

  /// Takes an absent world, unless another daemon has it. Its clients wait until that is known.
  func take(_ hosted: HostedWorld) {
    guard let persistence = hosted.persistence, !isShuttingDown else { return }
    let slot = workers.slot(of: nil, reading: persistence)
    guard let (box, head) = hosted.beginTaking(slot) else { return }
    let outage = LiveWorld.Outage(
      reason: "it is being taken", cause: .store(retryAt: .max), head: head, isFromStart: true)
    persistence.restorations.waiting.append(
      Restoration(hosted, box, slot, outage, isStart: false, since: (host, persistence.wallClock())))
    loadNext(persistence)
  }

  /// Takes the world that a client's next line or deferred request needs, for which its turn has ended.
  func takeWorld(neededBy client: Client) {
    guard client.hosted.isAbsent, client.session.deferredEffect == nil else { return }
    let needsItForLine =
      client.session.isHeldUp && !client.session.isUnserved && client.session.activity.isNone
      && client.session.outbox.replyBytes < environment.limits.replyQueue
    if needsItForLine || client.session.activity.isDeferred { take(client.hosted) }
  }

  /// Forgets after a while that another daemon has a world: it is asked for again when a client needs it.
  func review(_ hosted: HostedWorld) {
    guard let home = hosted.home, case .taken(_, let until)? = home.live.outage?.cause, host >= until else { return }
    guard hosted === main || everybody.contains(where: { $0.hosted === hosted }) else {
      worlds[hosted.name] = nil
      environment.counters.worlds = worlds.count
      return
    }
    leave(hosted, hosted.status)
  }

  /// For how long it is taken as true that another daemon has a world.
  func taken(by name: String?, _ hosted: HostedWorld) -> LiveWorld.Outage.Cause {
    .taken(by: name, until: hosted.persistence?.hosts != nil ? host &+ Service.memory : .max)
  }

  /// Takes note of where a world is, which another daemon has.
  func isElsewhere(_ hosted: HostedWorld, _ home: LiveWorld.Box, _ stored: StoredWorld, _ reason: String) {
    setSharing(of: hosted, home, WorldSettings(stored.settings)?.sharing ?? hosted.sharing)
    close(hosted, home, reason, head: stored.head, taken(by: stored.holder?.writer.name, hosted))
    hosted.status = HostedWorld.Status(stored)
  }

  /// A world that was asked for is not in the store, or not any more.
  func isGone(_ hosted: HostedWorld, _ home: LiveWorld.Box) {
    let name = hosted.name
    guard WorldKey(name).name != WorldKey.main else {
      return close(hosted, home, "another daemon has dropped it", head: 0, taken(by: nil, hosted))
    }
    for client in everybody where client.session.deferredEffect != nil { client.unknownWorlds.insert(name) }
    worlds[name] = nil
    environment.counters.worlds = worlds.count
    expel(from: hosted, home, because: "was dropped meanwhile") { _ in true }
  }

  // MARK: Moving

  func mayMove(_ hosted: HostedWorld, _ client: Client) -> Bool {
    hosted.owner == client.user.id || client.user.id == .owner
  }

  /// Gives a world to another daemon.
  func moveWorld(_ name: String, to target: String, _ tag: [UInt8], _ client: Client) {
    guard let hosted = world(name, tag, client), let home = hosted.home else { return }
    guard mayMove(hosted, client) else {
      return failNotOwner(of: hosted, "only its owner may move a world", tag, client)
    }
    let shown = client.session.shown(hosted.name)
    if let outage = home.live.outage { return client.session.fail(tag, world: shown, outage) }
    guard let persistence = hosted.persistence, let hosts = persistence.hosts, let progress = hosted.progress else {
      return client.session.fail(
        tag, .unknownHost, [("host", target)], "this world is not in a database that daemons share")
    }
    if target == hosts.name { return client.session.succeed(tag) }
    guard !everybody.contains(where: { $0 !== client && $0.hosted === hosted && !$0.session.activity.isNone }) else {
      return client.session.fail(
        tag, .busy, [("world", shown)], "something is under way in this world; 'activities' lists it")
    }
    catchUp(hosted)
    let (moment, settings) = (home.live.world.now, persistence.settings(of: home.live, in: hosted))
    // Nothing may happen in the world any more, so requests to it wait.
    let box = hosted.lend(workers.slot(of: hosted.owner.lane, reading: persistence))
    askStore(persistence, for: client, tag) { () throws(StoreFailure) in
      try persistence.store.handOver(
        progress.lease, to: target, moment: moment.nanoseconds, settings: settings.bytes)
    } then: { [unowned self] result in
      giveBack(hosted, box)
      switch result {
      case .success(nil):
        close(
          hosted, box, "the daemon \(target) has world \(hosted.name)", head: progress.head, taken(by: target, hosted))
        client.session.succeed(tag)
        tellMoved(hosted, to: target)
      case .success(let others?):
        client.session.fail(
          tag, .unknownHost, [("host", target)] + suggestion(target, among: others),
          "no daemon named '\(target)' shares this database now; there are \(others.joined(separator: ", "))")
      case .failure(let error):
        client.session.failServing(tag, world: shown, error.host, "\(error)")
        if !error.keepsLease { fail(hosted, box, error) }
      }
    }
  }

  /// Tells a world's clients once that another daemon has it.
  func tellMoved(_ hosted: HostedWorld, to target: String) {
    if hosted.hostTold == target { return }
    hosted.hostTold = target
    for client in everybody where client.hosted === hosted {
      let name = client.session.shown(hosted.name)
      client.session.say { line in
        line.word(literal: "world")
        line.key("moved", name)
        line.key("host", target)
      }
      markDirty(client)
    }
  }

  // MARK: Worlds of daemons that have ended

  /// Looks for worlds that no daemon has: those whose daemon has ended, and those whose clock runs.
  private func lookForWorlds(_ persistence: Persistence) {
    persistence.hasToLook = false
    workers.submit(
      Job(.worker(workers.slot(of: nil, reading: persistence))) { () throws(StoreFailure) in
        try persistence.store.readers.reading { (reader) throws(StoreFailure) in try reader.worlds() }
      } then: { [unowned self] result in
        switch result {
        case .success(let all): take(worldsIn: served(all, in: persistence), persistence)
        case .failure:
          persistence.hasToLook = true
          persistence.nextTaking = host &+ Service.takingPause
        }
      })
  }

  /// Notes the worlds among all of a store that this daemon is to take, those with running clocks first.
  func take(worldsIn all: [StoredWorld], _ persistence: Persistence) {
    func runs(_ world: StoredWorld) -> Bool {
      WorldSettings(world.settings).map { $0.mode == .real && !$0.isPaused } ?? false
    }
    // Other daemons take them too, so the order is not that of all.
    for world in all where world.holder?.lease == .others {
      guard let hosted = worlds[world.name], hosted.isAbsent, let name = world.holder?.writer.name else { continue }
      tellMoved(hosted, to: name)
    }
    persistence.worldsToTake = all.filter { world in
      guard worlds[world.name]?.progress == nil, world.holder?.lease != .others else { return false }
      return world.holder != nil || runs(world)
    }.shuffled().sorted { runs($0) && !runs($1) }
    takeNextWorlds(persistence)
  }

  private func takeNextWorlds(_ persistence: Persistence) {
    guard !persistence.worldsToTake.isEmpty, host >= persistence.nextTaking else { return }
    persistence.nextTaking = host &+ Service.takingPause
    // Choosing the next one to load takes the longer the more are waiting for that.
    let next = persistence.worldsToTake.prefix(max(0, Service.takenAtOnce - persistence.restorations.waiting.count))
    persistence.worldsToTake.removeFirst(next.count)
    for stored in next {
      guard let hosted = worlds[stored.name] else {
        take(addAbsent(stored.name, stored))
        continue
      }
      review(hosted)
      take(hosted)
    }
  }
}
