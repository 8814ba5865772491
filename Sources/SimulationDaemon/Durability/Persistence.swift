import JournalStore
import LineProtocol
import Simulator
import StateMachines

/// Keeps durable worlds in a store: takes them at the start, writes down what each round brought, and brings a world back
/// as the store has it.
///
/// What a client is told of a durable world leaves the daemon only after it is stored; ``Service`` sees to that. The store
/// is the truth: after any failure a world is thrown away and read again.
final class Persistence {
  let store: any WorldStore
  let catalogue: Catalogue
  let limits: Limits
  let durability: Durability
  let onRestart: OnRestart
  /// Milliseconds since 1970.
  let wallClock: () -> Int64
  /// How many commits are still the store's thread's.
  private var slowCommits = 0

  /// How long a world whose time runs may go without being written, in nanoseconds: a timer's time that passes in
  /// between is counted again if the daemon is killed.
  static let heartbeat: UInt64 = 5_000_000_000
  /// How long before that it is written where there is a round, in nanoseconds: then nobody who asks it must wait for the
  /// store, which may have others' inputs to write.
  private static let earliness: UInt64 = 1_000_000_000

  init(
    _ store: any WorldStore, _ catalogue: Catalogue, _ limits: Limits, durability: Durability = .batch,
    onRestart: OnRestart = .remaining, wallClock: @escaping () -> Int64
  ) {
    self.store = store
    self.catalogue = catalogue
    self.limits = limits
    self.durability = durability
    self.onRestart = onRestart
    self.wallClock = wallClock
  }

  // MARK: Rounds

  /// Whether something of a world is to be written.
  ///
  /// - Parameter isLast: Whether this is the last round, so that the moment counts wherever time passes. Otherwise it is
  ///   written now and then, if there are rounds at all.
  func hasNews(
    _ hosted: HostedWorld, _ realm: borrowing Realm, host: UInt64, isLast: Bool
  ) -> Bool {
    guard let progress = hosted.progress else { return false }
    if hasChanged(hosted, realm) { return true }
    return isLast
      ? realm.world.now != progress.moment
      : realm.clock.isRunning && host + Persistence.earliness >= progress.storedAt + Persistence.heartbeat
  }

  /// Whether a kill would take back nothing of a world but a little time, no more than ``heartbeat``.
  func isStored(_ hosted: HostedWorld, _ realm: borrowing Realm, host: UInt64) -> Bool {
    guard let progress = hosted.progress else { return true }
    if hasChanged(hosted, realm) { return false }
    return !realm.clock.isRunning || host < progress.storedAt + Persistence.heartbeat
  }

  /// Whether something came to a world since it was stored: more than that time has passed on a running clock.
  func hasChanged(_ hosted: HostedWorld, _ realm: borrowing Realm) -> Bool {
    guard let progress = hosted.progress else { return false }
    return realm.world.hasUnflushed || !progress.isAsStored(realm)
  }

  /// When a world must be written though nothing comes; nil if it can wait.
  func nextWake(_ hosted: HostedWorld, _ realm: borrowing Realm) -> UInt64? {
    guard let progress = hosted.progress, realm.clock.isRunning, realm.world.runningTimerCount > 0 else {
      return nil
    }
    return progress.storedAt + Persistence.heartbeat
  }

  /// Bytes that are written at once, without the store's thread.
  private static let quickBytes = 64 << 10
  /// A commit that takes longer makes the next ones the store's thread's, in nanoseconds.
  private static let slow: UInt64 = 1_000_000
  /// How many they are, if none of them takes long.
  private static let slowCommits = 16

  /// Whether a round may be written by the event loop.
  func isQuick(_ round: Round) -> Bool {
    durability == .batch && slowCommits == 0 && round.size <= Persistence.quickBytes
  }

  /// Notes how long a commit took, in nanoseconds.
  func note(_ time: UInt64) {
    slowCommits = time > Persistence.slow ? Persistence.slowCommits : max(0, slowCommits - 1)
  }

  /// Does what the event loop asks of the store, for which nobody is to wait as long as another program has it locked.
  func atOnce<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    store.waitsForLocks = false
    defer { store.waitsForLocks = true }
    return try body()
  }

  /// Tries whether the store can be written, for next to nothing.
  func tryWriting() throws(PersistenceFailure) {
    try ask { () throws(StoreFailure) in try store.tryWriting() }
  }

  /// Gathers what came to some worlds, to be written all or nothing.
  func gather(_ worlds: [(hosted: HostedWorld, home: RealmBox)]) -> Round {
    let wall = wallClock()
    return Round(
      store,
      worlds.compactMap { hosted, home in
        hosted.progress.map { News(hosted, $0, Gathered(home.realm, wall, $0.words, from: $0.head + 1)) }
      })
  }

  /// Says that a round is stored.
  ///
  /// - Precondition: The worlds are home.
  func didStore(_ round: Round, host: UInt64) {
    for news in round.news {
      guard let home = news.hosted.home else { preconditionFailure("a world whose news are stored is home") }
      news.didStore(in: home, host: host)
    }
  }
}

/// What a round brought for one world, as the store gets it.
struct Gathered {
  let bytes: [UInt8]
  let settings: WorldSettings
  let last: UInt64
  let moment: Instant
  let creations: [StoredCreation]
  let undone: [ClosedRange<UInt64>]
  /// What is to be stored of the words by which the segment is written, and how many kinds there are.
  let kinds: [StoredKind]
  let kindCount: Int

  /// - Parameters:
  ///   - wall: Milliseconds since 1970.
  ///   - words: Those that the store has.
  ///   - first: The first input that is gathered.
  init(_ realm: borrowing Realm, _ wall: Int64, _ words: StoredKinds, from first: UInt64) {
    var bytes: [UInt8] = []
    var creations: [StoredCreation] = []
    if realm.world.hasUnflushed {
      creations = realm.world.appendUnflushed(to: &bytes).map {
        StoredCreation(sequence: $0.sequence, number: $0.recordedNumber, name: $0.name, kind: $0.kind)
      }
    }
    self.bytes = bytes
    self.creations = creations
    settings = WorldSettings(seed: realm.seed, realm.clock, written: wall)
    last = realm.world.lastSequence
    moment = realm.world.now
    undone = realm.world.unkeptUndone
    kinds = words.missing(in: realm.world, from: first)
    kindCount = realm.world.kindCount
  }
}

/// What is to be written for one world, and from where on.
struct News {
  let hosted: HostedWorld
  fileprivate let progress: StoredProgress
  let gathered: Gathered

  init(_ hosted: HostedWorld, _ progress: StoredProgress, _ gathered: Gathered) {
    self.hosted = hosted
    self.progress = progress
    self.gathered = gathered
  }

  fileprivate func append(_ bytes: UnsafeRawBufferPointer) -> Append {
    Append(
      progress.lease, head: progress.head, last: gathered.last, bytes, moment: gathered.moment.nanoseconds,
      settings: gathered.settings.bytes, creations: gathered.creations, undone: gathered.undone,
      kinds: gathered.kinds)
  }

  fileprivate func didStore(in home: RealmBox, host: UInt64) {
    home.realm.world.didKeep(upTo: gathered.last)
    hosted.progress?.head = gathered.last
    hosted.progress?.moment = gathered.moment
    hosted.progress?.settings = gathered.settings
    hosted.progress?.storedAt = host
    hosted.progress?.bytesSinceCheckpoint += gathered.bytes.count
    hosted.progress?.words.didKeep(gathered.kinds, of: gathered.kindCount)
    if !gathered.kinds.isEmpty { home.realm.stored?.forgetWords() }
  }
}

/// A transaction of the store: what came to some worlds, all of it or nothing.
final class Round: @unchecked Sendable {
  // Safety: made by the event loop and handed to whichever thread writes it, which uses the store and the bytes; nobody
  // else does meanwhile. The worlds are the event loop's alone.
  let news: [News]
  private let store: any WorldStore

  init(_ store: any WorldStore, _ news: [News]) {
    self.store = store
    self.news = news
  }

  var size: Int { news.reduce(0) { $0 + $1.gathered.bytes.count } }

  /// Writes it down.
  ///
  /// - Returns: What ``WorldStore/append(_:)`` throws; the worlds must be read again then.
  func written() -> Result<Void, StoreFailure> {
    Result { () throws(StoreFailure) in
      var appends: [Append] = []
      try write(news[...], &appends)
    }
  }

  /// Borrows the bytes of one world after the other, and then writes all.
  private func write(_ rest: ArraySlice<News>, _ appends: inout [Append]) throws(StoreFailure) {
    guard let next = rest.first else { return try store.append(appends) }
    let outcome = next.gathered.bytes.withUnsafeBytes { bytes in
      Result { () throws(StoreFailure) in
        appends.append(next.append(bytes))
        try write(rest.dropFirst(), &appends)
      }
    }
    try outcome.get()

  }
}

/// What the store has of a world that the daemon serves.
struct StoredProgress {
  let lease: Lease
  /// What the store has of the words by which its segments are written.
  var words: StoredKinds
  /// The last input that is stored.
  var head: UInt64
  var moment: Instant
  var settings: WorldSettings
  /// The host time at which the world was written last.
  var storedAt: UInt64
  /// The last input that the latest checkpoint contains; 0 if there is none.
  var checkpoint: UInt64
  /// Whether something that the latest checkpoint contains was undone behind it: then the next start needs an older one,
  /// and all that came since.
  var isCheckpointUndone = false
  /// The last input of the checkpoint that is being stored, or was stored last.
  var put: UInt64?
  /// Whether something that it contains was undone meanwhile.
  var isPutUndone = false
  /// What was stored behind it.
  var bytesSinceCheckpoint = 0
  /// The host time at which it was looked last whether something is to be removed.
  var roomLookedForAt: UInt64 = 0
  /// Whether there may be something to remove.
  var isOverfull = true
  /// The host time before which nothing but the rounds is asked of the store for this world, since that has failed.
  var restsUntil: UInt64 = 0

  /// Whether the clock is as it was stored, and the moment too where time does not pass by itself.
  func isAsStored(_ realm: borrowing Realm) -> Bool {
    realm.clock.mode == settings.mode && realm.clock.speed == settings.speed
      && realm.clock.isPaused == settings.isPaused && (realm.clock.isRunning || realm.world.now == moment)
  }
}

/// What becomes of running timers when a world whose time runs comes back.
enum OnRestart: String, CaseIterable {
  /// World time stood still: they have the time left that they had.
  case remaining
  /// World time went on: they are due when they would have been, and those that are late fire at once, each at its moment.
  case deadline
  /// World time stood still, and each has its whole duration again.
  case restart
}
