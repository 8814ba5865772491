import JournalStore
import Simulator
import StateMachines

/// A world as sessions share it. Its realm is home, or lent to a worker; then nobody else can touch it.
final class HostedWorld {
  let name: String
  private(set) var place: Place
  /// What clients are told of the world while it is lent: as it was when it was lent.
  private(set) var status: Status
  /// What the store has of it; nil for a world that is not durable, or cannot be had at present.
  var progress: StoredProgress?
  /// A checkpoint that is being written.
  var archiving: ArchiveWriter?
  /// Whether what it has brought is being stored; then it stays home.
  var isBeingStored = false
  /// The client for whose request the world is reserved.
  private weak var next: Service.Client?
  /// Clients that have come to the world while it was lent. They may have watches in it.
  private var returnedClients: [Service.Client] = []
  /// Watchers that have left while it was lent: their watches end when it is back.
  var watchersToRemove: [WatcherID] = []
  /// How many requests are still done by a worker, because the world has held the event loop for too long.
  var slowRequests = 0
  /// Whether the last requests have held it for too long.
  var wasSlow = false

  enum Place {
    case home(RealmBox)
    case lent(WorkerSlot)
  }

  /// What can be told of a world that is lent.
  struct Status {
    let clock: WorldClock.Mode
    let now: Instant
    let lastSequence: UInt64
    let outage: Realm.Outage?
    let isDurable: Bool

    init(_ progress: StoredProgress) {
      clock = progress.settings.mode
      now = progress.moment
      lastSequence = progress.head
      outage = nil
      isDurable = true
    }

    /// As it stands in the store, when nobody has read it yet.
    init(_ stored: StoredWorld) {
      // Where the settings cannot be read, no world will be made of them either.
      clock = WorldSettings(stored.settings)?.mode ?? .virtual
      now = Instant(nanoseconds: min(max(stored.moment, 0), Instant.end.nanoseconds))
      lastSequence = stored.head
      outage = nil
      isDurable = true
    }

    init(_ realm: borrowing Realm, isDurable: Bool) {
      clock = realm.clock.mode
      now = realm.world.now
      lastSequence = realm.world.lastSequence
      outage = realm.outage
      self.isDurable = isDurable
    }
  }

  convenience init(_ realm: consuming Realm) {
    self.init(RealmBox(realm))
  }

  init(_ box: RealmBox) {
    name = box.realm.name
    status = Status(box.realm, isDurable: false)
    place = .home(box)
  }

  /// The realm, if it is home.
  var home: RealmBox? { if case .home(let box) = place { box } else { nil } }

  /// Hands the realm out; nobody looks at it until it is back.
  ///
  /// - Parameter glimpse: What is told of it meanwhile, where that is something else than what there is now.
  /// - Precondition: It is home.
  func lend(_ slot: WorkerSlot, seenAs status: Status? = nil) -> RealmBox {
    guard case .home(let box) = place else { preconditionFailure("a world is lent once at a time") }
    self.status = status ?? storedStatus
    place = .lent(slot)
    return box
  }

  func bringHome(_ box: RealmBox) {
    place = .home(box)
    for watcher in watchersToRemove { box.realm.world.unwatchAll(for: watcher) }
    watchersToRemove = []
  }

  /// Reserves the world for a client's request that waits for a worker or for the store, unless it is reserved already.
  /// Requests of other clients that come later wait.
  func reserve(for client: Service.Client) {
    if reservation == nil { next = client }
  }

  /// The client that has the reservation, as long as its request waits.
  private var reservation: Service.Client? {
    guard let next, !next.isAway,
      next.session.needsWorker || next.session.activity.isDeferred || next.session.deferredEffect != nil
    else { return nil }
    return next
  }

  /// Whether the world is reserved.
  var isReserved: Bool { reservation != nil }

  /// Whether the world is reserved for another client.
  func isReserved(forOtherThan client: Service.Client) -> Bool { reservation.map { $0 !== client } ?? false }

  /// Ends the reservation, since its client has its turn.
  func endReservation() {
    next = nil
  }

  /// Ends the reservation of a client that may wait for something else by now; it reserves again if not.
  func reviewReservation() {
    guard let next, next.session.deferredEffect == nil, !next.session.activity.isDeferred else { return }
    self.next = nil
  }

  /// Notes that a client has come to the world while that is lent.
  func noteReturn(of client: Service.Client) {
    returnedClients.append(client)
  }

  func takeReturnedClients() -> [Service.Client] {
    defer { returnedClients = [] }
    return returnedClients
  }

  /// What can be told of it now.
  var presentStatus: Status {
    guard let home else { return status }
    return Status(home.realm, isDurable: isDurable(home.realm))
  }

  /// What those who use another world are told of it: only what is stored.
  var storedStatus: Status {
    guard let progress, let home, home.realm.world.hasUnflushed else { return presentStatus }
    return Status(progress)
  }

  /// Whether it survives the daemon.
  func isDurable(_ realm: borrowing Realm) -> Bool { progress != nil || realm.outage != nil }

  /// The last input that clients may have been told of.
  func head(_ realm: borrowing Realm) -> UInt64 { progress?.head ?? realm.outage?.head ?? realm.world.lastSequence }

  /// Puts a world in the place of what there is; watches stay. Nothing of it has been taken.
  ///
  /// - Precondition: It is home.
  func replace(with realm: consuming Realm) {
    guard let home else { preconditionFailure("a world is replaced at home") }
    progress = nil
    archiving = nil
    home.replace(with: realm)
  }
}

/// A realm where it can be handed from one owner to the next without being copied.
final class RealmBox {
  var realm: Realm

  init(_ realm: consuming Realm) {
    self.realm = realm
  }

  /// Puts a world in the place of what there is; watches stay.
  func replace(with other: consuming Realm) {
    var other = other
    other.share.join(realm.share.budget)
    other.world.takeOverWatches(of: realm.world)
    realm = other
  }

  /// Lets a real clock catch up, as far as the event loop has time for it.
  func catchUp(host: UInt64) {
    realm.slice = .onEventLoop
    realm.catchUp(host: host)
  }
}
