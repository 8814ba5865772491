import JournalStore
import Simulator
import StateMachines

/// A world as sessions share it. Its realm is home, or lent to a worker; then nobody else can touch it.
final class HostedWorld {
  let name: String
  private(set) var place: Place
  /// What is told of the world while it is lent: as of its last return.
  private(set) var glimpse: Glimpse
  /// What the store has of it; nil for a world that is not durable, or cannot be had at present.
  var keeping: StoredProgress?
  /// A checkpoint that is being written.
  var archiving: ArchiveWriter?
  /// Whether what it has brought is being stored; then it stays home.
  var isBeingStored = false
  /// The client whose request is the next that a worker carries out here.
  private weak var next: Service.Client?
  /// Clients that have come back to it while it was lent, and may watch something in it.
  private var arrivals: [Service.Client] = []
  /// Watchers that have left while it was lent.
  var departed: [WatcherID] = []
  /// How many requests are still done by a worker, because the world has held the event loop for too long.
  var slowRequests = 0
  /// Whether the last requests have held it for too long.
  var wasSlow = false

  enum Place {
    case home(RealmBox)
    case lent(WorkerSlot)
  }

  /// What may be said of a world without looking at it.
  struct Glimpse {
    let clock: WorldClock.Mode
    let now: Instant
    let lastSequence: UInt64
    let outage: Realm.Outage?
    let isDurable: Bool

    init(_ keeping: StoredProgress) {
      clock = keeping.settings.mode
      now = keeping.moment
      lastSequence = keeping.head
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
    glimpse = Glimpse(box.realm, isDurable: false)
    place = .home(box)
  }

  /// The realm, if it is home.
  var home: RealmBox? { if case .home(let box) = place { box } else { nil } }

  /// Hands the realm out; nobody looks at it until it is back.
  ///
  /// - Parameter glimpse: What is told of it meanwhile, where that is something else than what there is now.
  /// - Precondition: It is home.
  func lend(_ slot: WorkerSlot, seenAs glimpse: Glimpse? = nil) -> RealmBox {
    guard case .home(let box) = place else { preconditionFailure("a world is lent once at a time") }
    self.glimpse = glimpse ?? storedGlimpse
    place = .lent(slot)
    return box
  }

  func bringHome(_ box: RealmBox) {
    place = .home(box)
    for watcher in departed { box.realm.world.unwatchAll(for: watcher) }
    departed = []
  }

  /// Notes that a client's request waits for a worker, or for the store. Those of others that come later wait behind it.
  func promise(to client: Service.Client) {
    if promised == nil { next = client }
  }

  /// The client whose request is next, as long as that waits.
  private var promised: Service.Client? {
    guard let next, !next.isAway,
      next.session.needsWorker || next.session.activity.isDeferred || next.deferredEffect != nil
    else { return nil }
    return next
  }

  /// Whether a request waits that is next.
  var isPromised: Bool { promised != nil }

  /// Whether another client than this one has a request that waits, and is next.
  func isPromised(to client: Service.Client) -> Bool { promised.map { $0 !== client } ?? false }

  /// Says that the client whose request is next has its turn.
  func promiseIsKept() {
    next = nil
  }

  /// Takes a promise back whose client may have to wait for something else by now; it is given again where that is not so.
  func reviewPromise() {
    guard let next, next.deferredEffect == nil, !next.session.activity.isDeferred else { return }
    self.next = nil
  }

  /// Notes that a client has come to the world while that is lent.
  func note(arrivalOf client: Service.Client) {
    arrivals.append(client)
  }

  func takeArrivals() -> [Service.Client] {
    defer { arrivals = [] }
    return arrivals
  }

  /// What may be said of it now.
  var presentGlimpse: Glimpse {
    guard let home else { return glimpse }
    return Glimpse(home.realm, isDurable: isDurable(home.realm))
  }

  /// What may be said of it to those who use another: what is stored, where something is not.
  var storedGlimpse: Glimpse {
    guard let keeping, let home, home.realm.world.hasUnflushed else { return presentGlimpse }
    return Glimpse(keeping)
  }

  /// Whether it is to survive the daemon.
  func isDurable(_ realm: borrowing Realm) -> Bool { keeping != nil || realm.outage != nil }

  /// The last input that clients may have been told of.
  func head(_ realm: borrowing Realm) -> UInt64 { keeping?.head ?? realm.outage?.head ?? realm.world.lastSequence }

  /// Puts a world in the place of what there is; watches stay. Nothing of it has been taken.
  ///
  /// - Precondition: It is home.
  func replace(with realm: consuming Realm) {
    guard let home else { preconditionFailure("a world is replaced at home") }
    keeping = nil
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
