import LineProtocol
import Simulator

/// Whether a client's work can go on, and where.
enum Placement {
  /// There is no work.
  case idle
  case onEventLoop
  /// It can go on when a worker is free.
  case onWorker
  case waiting(for: Reason)

  /// What work waits for. An associated host time is the end of the wait.
  enum Reason {
    /// A worker or the store's thread has the activity.
    case itself
    /// A world is with a worker, or is rewinding for another client.
    case world
    /// The world is reserved for another client, whose request came first.
    case turn
    /// The world's changes must be stored.
    case commit
    /// The store's thread must be free.
    case storeThread
    /// The client must read its output.
    case reader(until: UInt64?)
    /// The clock must advance.
    case clock(until: UInt64?)
    /// Another program works on it.
    case program(until: UInt64)
  }
}

extension Service {
  /// Whether a client's work can go on. The result depends on how much of the outbox has been written.
  func placement(of client: Client) -> Placement {
    if client.session.life == .ended { return .idle }
    switch client.session.activity {
    case .none:
      // Whether its lines need the world is not known yet.
      if client.session.isUnserved { return .onEventLoop }
      guard client.session.isHeldUp || client.session.deferredEffect != nil else { return .idle }
      return obstacleToLines(of: client).map { .waiting(for: $0) } ?? .onEventLoop
    case .advance where !client.session.needsWorker, .step where !client.session.needsWorker:
      return client.hosted.home == nil ? .waiting(for: .world) : .onEventLoop
    // A turn takes the world.
    case .deferred where client.hosted.isAbsent && !isBeingRead(client): return .onEventLoop
    case .await, .advance, .step, .rewind, .compare, .fork, .deferred, .away, .reply:
      return obstacleToActivity(of: client).map { .waiting(for: $0) } ?? .onWorker
    }
  }

  /// What blocks a client's next lines or its deferred effect.
  private func obstacleToLines(of client: Client) -> Placement.Reason? {
    if client.session.outbox.replyBytes >= environment.limits.replyQueue { return .reader(until: nil) }
    if let (effect, _) = client.session.deferredEffect { return obstacle(to: effect, client) }
    // A turn takes the world, if the next line needs it.
    if client.hosted.isAbsent { return nil }
    guard let home = client.hosted.home, home.live.rewinding == nil else { return .world }
    return client.hosted.isReserved(forOtherThan: client) ? .turn : nil
  }

  /// Whether a worker reads a client's document first, or another one of its user.
  private func isBeingRead(_ client: Client) -> Bool {
    !workers.areInline && client.session.activity.isUnreadDocument
  }

  /// What blocks a deferred effect.
  func obstacle(to effect: DeferredEffect, _ client: Client) -> Placement.Reason? {
    if isLookingForWorlds(of: effect, client) { return .world }
    switch effect {
    case .describeWorld, .activities, .cancel, .changeForm, .listWorlds, .listSessions, .compare, .quit, .shutdown:
      return nil
    case .changeClock, .point, .say, .announceLivelock: return client.hosted.home == nil ? .world : nil
    // Before the client leaves the world, all that was reported to it of the world must be stored.
    case .use: return waitsForStore(client) ? .commit : nil
    case .newWorld(let name, _, _, let isDurable):
      return isDurable ? obstacle(to: store(of: WorldKey(client.user.id, name).text)) : nil
    case .forkWorld(_, let isDurable, _):
      guard client.hosted.home != nil else { return .world }
      guard isStored(client.hosted) else { return .commit }
      return isDurable ? obstacle(to: client.hosted.persistence) : nil
    case .dropWorld(let name):
      guard let hosted = world(named: name, for: client), mayDrop(hosted, client) else { return nil }
      guard let home = hosted.home else { return .world }
      guard isStored(hosted) else { return .commit }
      return hosted.isDurable(home.live) ? obstacle(to: hosted.persistence) : nil
    case .moveWorld(let name, _):
      guard let hosted = world(named: name, for: client), mayMove(hosted, client) else { return nil }
      guard hosted.home != nil else { return .world }
      guard isStored(hosted) else { return .commit }
      return obstacle(to: hosted.persistence)
    case .shareWorld(let name, _):
      guard let hosted = world(named: name, for: client), hosted.owner == client.user.id else { return nil }
      guard hosted.home != nil else { return .world }
      return isStored(hosted) ? nil : .commit
    }
  }

  /// What blocks a change of the worlds in a store.
  private func obstacle(to store: Persistence?) -> Placement.Reason? {
    store?.mayChangeWorlds == false ? .storeThread : nil
  }

  /// What blocks a client's activity on a worker.
  private func obstacleToActivity(of client: Client) -> Placement.Reason? {
    if client.isAway { return .itself }
    if isBeingRead(client) { return .turn }
    let worlds = worldsNeeded(by: client)
    guard let home = worlds[0].home, worlds.allSatisfy({ $0.home != nil }) else { return .world }
    if let obstacle = obstacle(to: client.session.activity, client, home) { return obstacle }
    if client.session.activity.isDeferred, client.hosted.isReserved(forOtherThan: client) { return .turn }
    return worlds.allSatisfy(isStored) ? nil : .commit
  }

  private func obstacle(to activity: Activity, _ client: Client, _ home: LiveWorld.Box) -> Placement.Reason? {
    switch activity {
    case .none, .away: return .itself
    case .compare: return client.session.hasRoomForReply ? nil : .reader(until: nil)
    case .reply(let reply, _):
      if reply.isWaiting, host < client.nextGlance { return .program(until: client.nextGlance) }
      return client.session.hasRoomForReply ? nil : .reader(until: nil)
    case .await(let wait):
      if home.live.rewinding != nil { return .world }
      if client.session.needsWorker, isFarBehind(wait, home) { return nil }
      // Nobody drives a real clock, so it does not matter whether the client reads.
      if home.live.clock.mode == .real {
        return .clock(until: home.live.clock.isRunning ? home.live.clock.host(at: wait.deadline) : nil)
      }
      return readerObstacle(client, wait.patience)
    case .advance(let advance): return home.live.rewinding == nil ? readerObstacle(client, advance.patience) : .world
    case .step(let step): return home.live.rewinding == nil ? readerObstacle(client, step.patience) : .world
    case .rewind(let rewind):
      switch rewind.end {
      case .open: return rewind.rewinding.hasArrived ? .storeThread : nil
      case .asked: return .storeThread
      case .allowed: return nil
      case .done: return .storeThread
      }
    case .fork, .deferred: return home.live.rewinding == nil ? nil : .world
    }
  }

  /// Time may move on when the client has read its notices, or when its patience is over.
  private func readerObstacle(_ client: Client, _ patience: UInt64?) -> Placement.Reason? {
    guard let patience, patience > host else { return nil }
    return client.session.outbox.noticeBytes <= environment.limits.noticeQueue / 2 ? nil : .reader(until: patience)
  }

  func worldsNeeded(by client: Client) -> [HostedWorld] {
    if case .compare(let comparison) = client.session.activity { comparison.worlds } else { [client.hosted] }
  }

  /// Whether so many inputs came since the last check of an `await` that a worker must check them.
  func isFarBehind(_ wait: Activity.Await, _ home: LiveWorld.Box) -> Bool {
    wait.reader.next + 256 <= home.live.world.journal.last
  }
}

extension Placement {
  var isIdle: Bool { if case .idle = self { true } else { false } }
  var isOnEventLoop: Bool { if case .onEventLoop = self { true } else { false } }
  var isOnWorker: Bool { if case .onWorker = self { true } else { false } }

  /// The host time at which the placement changes by itself.
  var end: UInt64? {
    switch self {
    case .waiting(for: .reader(let end)), .waiting(for: .clock(let end)): end
    case .waiting(for: .program(let end)): end
    case .idle, .onEventLoop, .onWorker, .waiting: nil
    }
  }
}
