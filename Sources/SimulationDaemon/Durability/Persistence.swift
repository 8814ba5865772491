import JournalStore
import LineProtocol
import Simulator
import StateMachines

/// Keeps durable worlds in a store: leases them, appends each round's inputs, and restores them.
///
/// A reply about a durable world leaves the daemon only after its inputs are stored; ``Service`` sees to that. The
/// store is authoritative: after any failure the world in memory is discarded and loaded again.
final class Persistence {
  let store: any WorldStore
  let catalogue: Catalogue
  let limits: Limits
  let durability: Durability
  let onRestart: OnRestart
  /// Milliseconds since 1970.
  let wallClock: () -> Int64
  /// How many more commits run on the store's thread.
  private var slowCommits = 0

  /// The longest time that a world with a running clock goes without a write, in nanoseconds. If the daemon is killed,
  /// at most this much of a timer's time counts twice.
  static let heartbeat: UInt64 = 5_000_000_000
  /// How long before the heartbeat a round writes the world, in nanoseconds. Requests then need not wait for the store,
  /// which may be busy with other worlds.
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

  /// Whether a world must be written.
  ///
  /// - Parameter isLast: Whether this is the last round, which stores any change of the moment. Other rounds store the
  ///   moment of a running clock about once per heartbeat.
  func hasNews(
    _ hosted: HostedWorld, _ realm: borrowing Realm, host: UInt64, isLast: Bool
  ) -> Bool {
    guard let progress = hosted.progress else { return false }
    if hasChanged(hosted, realm) { return true }
    return isLast
      ? realm.world.now != progress.moment
      : realm.clock.isRunning && host + Persistence.earliness >= progress.storedAt + Persistence.heartbeat
  }

  /// Whether a kill would lose nothing of a world but time, at most ``heartbeat``.
  func isStored(_ hosted: HostedWorld, _ realm: borrowing Realm, host: UInt64) -> Bool {
    guard let progress = hosted.progress else { return true }
    if hasChanged(hosted, realm) { return false }
    return !realm.clock.isRunning || host < progress.storedAt + Persistence.heartbeat
  }

  /// Whether a world has changed since it was stored. The passing of time on a running clock does not count.
  func hasChanged(_ hosted: HostedWorld, _ realm: borrowing Realm) -> Bool {
    guard let progress = hosted.progress else { return false }
    return realm.world.hasUnflushed || !progress.isAsStored(realm)
  }

  /// When a world must be written although nothing happens; nil if it can wait.
  func nextWake(_ hosted: HostedWorld, _ realm: borrowing Realm) -> UInt64? {
    guard let progress = hosted.progress, realm.clock.isRunning, realm.world.runningTimerCount > 0 else {
      return nil
    }
    return progress.storedAt + Persistence.heartbeat
  }

  /// The most bytes that the event loop writes without the store's thread.
  private static let quickBytes = 64 << 10
  /// A commit that takes longer moves the next ones to the store's thread, in nanoseconds.
  private static let slow: UInt64 = 1_000_000
  /// How many commits that moves, if none of them is slow.
  private static let slowCommits = 16

  /// Whether the event loop may write a round itself.
  func isQuick(_ round: Round) -> Bool {
    durability == .batch && slowCommits == 0 && round.size <= Persistence.quickBytes
  }

  /// Notes how long a commit took, in nanoseconds.
  func note(_ time: UInt64) {
    slowCommits = time > Persistence.slow ? Persistence.slowCommits : max(0, slowCommits - 1)
  }

  /// Runs `body` on the event loop. The store fails at once if another program has locked it.
  func atOnce<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    store.waitsForLocks = false
    defer { store.waitsForLocks = true }
    return try body()
  }

  /// Checks whether the store can be written; the check is cheap.
  func tryWriting() throws(PersistenceFailure) {
    try ask { () throws(StoreFailure) in try store.tryWriting() }
  }

  /// Gathers the changes of some worlds for one transaction.
  func gather(_ worlds: [(hosted: HostedWorld, home: RealmBox)]) -> Round {
    let wall = wallClock()
    return Round(
      store,
      worlds.compactMap { hosted, home in
        hosted.progress.map { News(hosted, $0, Gathered(home.realm, wall, $0.words, from: $0.head + 1)) }
      })
  }

  /// Records that a round is stored.
  ///
  /// - Precondition: No world of the round is lent.
  func didStore(_ round: Round, host: UInt64) {
    for news in round.news {
      guard let home = news.hosted.home else { preconditionFailure("a world whose news are stored is home") }
      news.didStore(in: home, host: host)
    }
  }
}

/// A world's changes in a round, in the form for the store.
struct Gathered {
  let bytes: [UInt8]
  let settings: WorldSettings
  let last: UInt64
  let moment: Instant
  let creations: [StoredCreation]
  let undone: [ClosedRange<UInt64>]
  /// New kind descriptions for the segment, and the world's number of kinds.
  let kinds: [StoredKind]
  let kindCount: Int

  /// - Parameters:
  ///   - wall: Milliseconds since 1970.
  ///   - words: The kind descriptions in the store.
  ///   - first: The first input to gather.
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

/// One world's part of a round, and what the store had before it.
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

/// A transaction of the store: the changes of some worlds, all or nothing.
final class Round: @unchecked Sendable {
  // Safety: the event loop makes it and hands it to the one thread that writes it. Nobody else uses the store and the
  // bytes meanwhile. Only the event loop uses the worlds.
  let news: [News]
  private let store: any WorldStore

  init(_ store: any WorldStore, _ news: [News]) {
    self.store = store
    self.news = news
  }

  var size: Int { news.reduce(0) { $0 + $1.gathered.bytes.count } }

  /// Writes the round.
  ///
  /// - Returns: What ``WorldStore/append(_:)`` throws. The worlds must be loaded again then.
  func written() -> Result<Void, StoreFailure> {
    Result { () throws(StoreFailure) in
      var appends: [Append] = []
      try write(news[...], &appends)
    }
  }

  /// Borrows the bytes of one world after the other, then writes all.
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
  /// The kind descriptions in the store.
  var words: StoredKinds
  /// The last stored input.
  var head: UInt64
  var moment: Instant
  var settings: WorldSettings
  /// The host time of the last write.
  var storedAt: UInt64
  /// The last input in the latest checkpoint; 0 if there is none.
  var checkpoint: UInt64
  /// Whether a later undo took back something in the latest checkpoint. The next start then needs an older one and all
  /// inputs since.
  var isCheckpointUndone = false
  /// The last input of the checkpoint that is being stored or was stored last.
  var put: UInt64?
  /// Whether something in that checkpoint was undone meanwhile.
  var isPutUndone = false
  /// Bytes stored after the latest checkpoint.
  var bytesSinceCheckpoint = 0
  /// The host time of the last retention check.
  var roomLookedForAt: UInt64 = 0
  /// Whether there may be inputs to remove.
  var isOverfull = true
  /// The host time until which upkeep of this world pauses after a failure.
  var restsUntil: UInt64 = 0

  /// Whether the clock's settings match the stored ones, and the moment too if the clock is not running.
  func isAsStored(_ realm: borrowing Realm) -> Bool {
    realm.clock.mode == settings.mode && realm.clock.speed == settings.speed
      && realm.clock.isPaused == settings.isPaused && (realm.clock.isRunning || realm.world.now == moment)
  }
}

/// How running timers continue when a world with a running clock is restored.
enum OnRestart: String, CaseIterable {
  /// World time stood still: timers keep their remaining time.
  case remaining
  /// World time went on: timers keep their due times. Late ones fire at once, each at its moment.
  case deadline
  /// World time stood still, and each timer starts again with its whole duration.
  case restart
}
