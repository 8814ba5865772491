import JournalStore
import Simulator
import StateMachines

/// A world's place in the daemon: who has it, who waits for it, and what the store has of it.
///
/// Only the event loop changes this. The ``LiveWorld`` is in `home`, or is lent and nobody else may use it.
final class HostedWorld {
  /// The ``WorldKey``, as text.
  let name: String
  let owner: UserID
  /// Who else may use it.
  var sharing = Sharing.nobody
  /// The number of the last turn with a worker that it had for itself.
  var turn: UInt64 = 0
  /// Where it is kept if it is durable; nil for a daemon without a store.
  let persistence: Persistence?
  private(set) var place: Place
  /// What clients see while the world is lent, its stored state at the time of the loan; or while it is not here.
  var status: Status
  /// The kinds from documents that the world had when it was lent.
  private var kindsBeforeLoan: [Kind] = []
  /// What the store has of the world; nil if it is not durable or is out of service.
  var progress: StoredProgress?
  /// A checkpoint that is being written.
  var archiving: ArchiveWriter?
  /// Whether the store's thread writes data of this world. Workers do not get the world then.
  var isBeingStored = false
  /// The daemon that has the world, as was reported to its clients here.
  var hostTold: String?
  /// Whether a database that daemons share may have lost inputs, which was not yet reported to the world's clients.
  var isLossUntold = false
  /// What waits for the store to have removed the world; nil unless it is about to.
  var afterRemoval: [() -> Void]?
  /// The client for whose request the world is reserved.
  private weak var next: Service.Client?
  /// Clients that moved here while the world was lent. They may have watches in it.
  private var arrivals: [Service.Client] = []
  /// Watchers that left while the world was lent. Their watches are removed when it is back.
  var watchersToRemove: [WatcherID] = []
  /// How many more requests run on a worker because the world was slow.
  var slowRequests = 0
  /// Whether the last turn blocked the event loop for too long.
  var wasSlow = false
  /// Whether the last round left notices to a worker.
  var hasMuchToTell = false

  enum Place {
    case home(LiveWorld.Box)
    case lent(WorkerSlot)
    /// No daemon has the world, or which one does is not known: it is taken when a client asks for it. Its place is kept
    /// by an empty one. Clients have seen inputs up to `head`.
    case absent(LiveWorld.Box, head: UInt64)
  }

  /// What clients see of a world that is lent.
  struct Status {
    let clock: WorldClock.Mode
    let now: Instant
    let lastSequence: UInt64
    var outage: LiveWorld.Outage?
    let isDurable: Bool

    init(_ progress: StoredProgress) {
      clock = progress.settings.mode
      now = progress.moment
      lastSequence = progress.head
      outage = nil
      isDurable = true
    }

    /// The state in the store, before the world is loaded.
    init(_ stored: StoredWorld) {
      // If the settings are unreadable, the world cannot be loaded either.
      clock = WorldSettings(stored.settings)?.mode ?? .virtual
      now = Instant(nanoseconds: min(max(stored.moment, 0), Instant.end.nanoseconds))
      lastSequence = stored.head
      outage = nil
      isDurable = true
    }

    init(_ live: borrowing LiveWorld, isDurable: Bool) {
      clock = live.clock.mode
      now = live.world.now
      lastSequence = live.world.lastSequence
      outage = live.outage
      self.isDurable = isDurable
    }
  }

  init(_ box: LiveWorld.Box, _ persistence: Persistence? = nil) {
    self.persistence = persistence
    name = box.live.name
    owner = WorldKey(name).owner
    status = Status(box.live, isDurable: false)
    place = .home(box)
  }

  /// The live world; nil while it is lent.
  var home: LiveWorld.Box? { if case .home(let box) = place { box } else { nil } }

  /// The kinds from documents that the world has, as far as it is known here.
  var ownKinds: [Kind] { home?.live.world.ownKinds ?? kindsBeforeLoan }

  /// Whether it is to be taken when a client asks for it.
  var isAbsent: Bool { if case .absent = place { true } else { false } }

  /// Gives the world up, after it was replaced by an empty one: nobody may use it here until it is taken again.
  ///
  /// - Parameter status: What clients see meanwhile.
  /// - Precondition: The live world is not lent.
  func leave(seenAs status: Status) {
    guard let home else { preconditionFailure("a world is given up at home") }
    self.status = status
    place = .absent(home, head: status.lastSequence)
  }

  /// Begins to take an absent world, which is lent until it is known who has it.
  ///
  /// - Returns: What keeps its place, and the last input that clients have seen; nil if the world is not absent.
  func beginTaking(_ slot: WorkerSlot) -> (box: LiveWorld.Box, head: UInt64)? {
    guard case .absent(let box, let head) = place else { return nil }
    place = .lent(slot)
    return (box, head)
  }

  /// Lends the live world.
  ///
  /// - Parameter status: What clients see meanwhile; nil for the stored state.
  /// - Precondition: The world is not lent.
  func lend(_ slot: WorkerSlot, seenAs status: Status? = nil) -> LiveWorld.Box {
    guard case .home(let box) = place else { preconditionFailure("a world is lent once at a time") }
    self.status = status ?? storedStatus
    kindsBeforeLoan = box.live.world.ownKinds
    place = .lent(slot)
    return box
  }

  func bringHome(_ box: LiveWorld.Box) {
    place = .home(box)
    for watcher in watchersToRemove { box.live.world.unwatchAll(for: watcher) }
    watchersToRemove = []
  }

  /// Reserves the world for a client whose request waits for a worker or the store, unless it is reserved. Other
  /// clients' later requests wait.
  func reserve(for client: Service.Client) {
    if reservation == nil { next = client }
  }

  /// The client with the reservation, as long as its request waits.
  private var reservation: Service.Client? {
    guard let next, !next.isAway,
      next.session.needsWorker || next.session.activity.isDeferred || next.session.deferredEffect != nil
    else { return nil }
    return next
  }

  var isReserved: Bool { reservation != nil }

  /// Whether the world is reserved for another client.
  func isReserved(forOtherThan client: Service.Client) -> Bool { reservation.map { $0 !== client } ?? false }

  /// Ends the reservation when its client gets its turn.
  func endReservation() {
    next = nil
  }

  /// Ends the reservation if it is this client's, who does not need the world any more.
  func endReservation(of client: Service.Client) {
    if next === client { next = nil }
  }

  /// Ends a reservation whose client may not need it any more. If it does, it reserves again.
  func reviewReservation() {
    guard let next, next.session.deferredEffect == nil, !next.session.activity.isDeferred else { return }
    self.next = nil
  }

  /// Records a client that moves here while the world is lent.
  func noteArrival(of client: Service.Client) {
    arrivals.append(client)
  }

  func takeArrivals() -> [Service.Client] {
    defer { arrivals = [] }
    return arrivals
  }

  /// What clients of this world see now.
  var presentStatus: Status {
    guard let home else { return status }
    if let outage = home.live.outage, outage.host != nil {
      var status = status
      status.outage = outage
      return status
    }
    return Status(home.live, isDurable: isDurable(home.live))
  }

  /// What clients of other worlds see: only what is stored.
  var storedStatus: Status {
    guard let progress, let home, home.live.world.hasUnflushed else { return presentStatus }
    return Status(progress)
  }

  /// Whether the world survives the daemon.
  func isDurable(_ live: borrowing LiveWorld) -> Bool { progress != nil || live.outage != nil }

  /// The last input that clients may have seen.
  func head(_ live: borrowing LiveWorld) -> UInt64 { progress?.head ?? live.outage?.head ?? live.world.lastSequence }

  /// Replaces the live world; watches are kept. The new one has no lease yet.
  ///
  /// - Precondition: The live world is not lent.
  func replace(with other: consuming LiveWorld) {
    guard let home else { preconditionFailure("a world is replaced at home") }
    progress = nil
    archiving = nil
    home.replace(with: LiveWorld.Box(other))
  }
}

/// Who besides its owner may use a world.
enum Sharing: String, CaseIterable, Sendable {
  /// Nobody, but the daemon's owner may look.
  case nobody
  /// Everybody may look.
  case read
  /// Everybody may change it.
  case write
}

/// What a user may do in a world.
enum Access: Comparable {
  case nothing, read, write
}

extension HostedWorld {
  /// What a user may do here. The daemon's owner may look at every world.
  func access(of user: UserID) -> Access {
    if owner == user { return .write }
    switch sharing {
    case .nobody: return user == .owner ? .read : .nothing
    case .read: return .read
    case .write: return .write
    }
  }
}
