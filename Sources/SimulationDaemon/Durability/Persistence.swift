import JournalStore
import LineProtocol
import Simulator
import StateMachines
import UnixHost

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
  /// When the next commit begins, if the store is slow.
  var gathering = CommitGathering()
  /// The host time at which the event loop commits what is waiting now; nil if nothing waits.
  var commitDue: UInt64?
  /// How many more commits run on the store's thread.
  private var slowCommits = 0
  let threads: StoreThreads
  /// Whether a commit is next on the store's thread, since its last job leased, created or removed worlds.
  var isCommitNext = false
  /// Whether the store's thread can create or remove a world now.
  var mayChangeWorlds: Bool { !threads.areBusy && !isCommitNext }
  /// The worlds that are being restored.
  var restorations = Restorations()
  /// How far the end of the store is, when the daemon ends.
  var end = End.open
  /// Why no world can be read, and the host time of the next try; nil while the store works.
  var pause: (reason: String, until: UInt64)?
  /// Whether the store may still hold data of dropped worlds.
  var hasDroppedWorlds = true
  /// Worlds that no daemon has, and which this one takes next, the first ones first.
  var worldsToTake: [StoredWorld] = []
  /// Whether the store could not be asked for such worlds.
  var hasToLook = false
  /// The host time at which the next ones are taken.
  var nextTaking: UInt64 = 0
  /// The daemons that share the store; nil if it has one daemon.
  var hosts: (any StoreHosts)? { store.hosts }

  /// The longest time that a world with a running clock goes without a write, in nanoseconds. If the daemon is killed,
  /// at most this much of a timer's time counts twice. Nil for a store that knows by a lease how long the daemon lived.
  private let heartbeat: UInt64?
  /// How long before the heartbeat a round writes the world, in nanoseconds. Requests then need not wait for the store,
  /// which may be busy with other worlds.
  private static let earliness: UInt64 = 1_000_000_000

  enum End {
    case open
    /// All is stored, and the store's thread releases the worlds.
    case closing
    case closed
  }

  init(
    _ store: any WorldStore, _ catalogue: Catalogue, _ limits: Limits, durability: Durability = .batch,
    onRestart: OnRestart = .remaining, threads: StoreThreads = StoreThreads(writer: WorkerPool(places: 1)),
    wallClock: @escaping () -> Int64
  ) {
    self.store = store
    self.threads = threads
    heartbeat = store.hosts == nil ? 5_000_000_000 : nil
    self.catalogue = catalogue.readingDocuments
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
  func needsWrite(
    _ hosted: HostedWorld, _ live: borrowing LiveWorld, host: UInt64, isLast: Bool
  ) -> Bool {
    guard let progress = hosted.progress else { return false }
    if hasChanged(hosted, live) { return true }
    if isLast { return live.world.now != progress.moment }
    guard let heartbeat else { return false }
    return live.clock.isRunning && host + Persistence.earliness >= progress.storedAt + heartbeat
  }

  /// Whether a kill would lose nothing of a world but time, at most that of the heartbeat.
  func isStored(_ hosted: HostedWorld, _ live: borrowing LiveWorld, host: UInt64) -> Bool {
    guard let progress = hosted.progress else { return true }
    if hasChanged(hosted, live) { return false }
    guard let heartbeat else { return true }
    return !live.clock.isRunning || host < progress.storedAt + heartbeat
  }

  /// Whether a world has changed since it was stored. The passing of time on a running clock does not count.
  func hasChanged(_ hosted: HostedWorld, _ live: borrowing LiveWorld) -> Bool {
    guard let progress = hosted.progress else { return false }
    return live.world.hasUnflushed || !progress.isAsStored(live, in: hosted)
  }

  /// When a world must be written although nothing happens; nil if it can wait.
  func nextWake(_ hosted: HostedWorld, _ live: borrowing LiveWorld) -> UInt64? {
    guard let heartbeat, let progress = hosted.progress, live.clock.isRunning, live.world.runningTimerCount > 0 else {
      return nil
    }
    return progress.storedAt + heartbeat
  }

  /// The most bytes that the event loop writes without the store's thread.
  private static let quickBytes = 64 << 10
  /// A commit that takes longer moves the next ones to the store's thread, in nanoseconds.
  private static let slow: UInt64 = 1_000_000
  /// How many commits that moves, if none of them is slow.
  private static let slowCommits = 16

  /// Whether the event loop may write a round itself.
  func isQuick(_ round: Round) -> Bool {
    store.readers.answersAtOnce && durability == .batch && slowCommits == 0 && round.size <= Persistence.quickBytes
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
    try withStore { () throws(StoreFailure) in try store.tryWriting() }
  }

  /// Gathers the changes of some worlds for one transaction.
  func gather(_ worlds: [(hosted: HostedWorld, home: LiveWorld.Box)]) -> Round {
    Round(
      store,
      worlds.compactMap { hosted, home in
        hosted.progress.map { WorldChanges(hosted, home.live, since: $0, settings(of: home.live, in: hosted)) }
      })
  }

  /// Records that a round is stored, but for some worlds.
  ///
  /// - Precondition: No world of the round is lent.
  func didStore(_ round: Round, but failed: [String: StoreFailure], host: UInt64) {
    for changes in round.changes where failed.isEmpty || failed[changes.hosted.name] == nil {
      guard let home = changes.hosted.home else { preconditionFailure("a world whose changes are stored is home") }
      changes.didStore(in: home, host: host)
    }
  }

  // MARK: Worlds

  /// All worlds in the store.
  func worlds() throws(PersistenceFailure) -> [StoredWorld] {
    try withStore { () throws(StoreFailure) in try store.worlds() }
  }

  /// A world's settings at this time of the wall clock.
  ///
  /// - Parameter hosted: Its place, which says with whom it is shared; nil for one that is new.
  func settings(of live: borrowing LiveWorld, in hosted: HostedWorld? = nil) -> WorldSettings {
    WorldSettings(seed: live.seed, live.clock, hosted?.sharing ?? .nobody, written: wallClock())
  }

  /// Stores a new world without inputs and acquires its lease. Runs on any thread while nobody else uses the store.
  ///
  /// An empty world of that name, which this daemon does not serve, remains from an attempt with an unknown result. It
  /// is replaced.
  func create(
    _ name: String, _ moment: Instant, _ settings: WorldSettings, host: UInt64
  ) throws(PersistenceFailure) -> StoredProgress {
    let term = store.hosts?.term
    let taken = try withStore { () throws(StoreFailure) in
      if let left = try store.world(name), left.head == 0, left.epoch <= 1, isOurs(left) { try store.remove(name) }
      try store.create(name, head: 0, moment: moment.nanoseconds, settings: settings.bytes)
      return try store.take(name)
    }
    return StoredProgress(
      lease: taken.lease, term: term, kinds: StoredKinds(), head: 0, moment: moment, settings: settings, storedAt: host,
      checkpoint: 0, bytes: 0)
  }

  /// Whether no other daemon has made a world that this one does not serve.
  private func isOurs(_ left: StoredWorld) -> Bool {
    store.hosts == nil || left.holder.map { $0.lease == .own } ?? true
  }

  /// The most bytes of journal and checkpoints that are copied at once: other worlds' commits wait meanwhile.
  static let mostCopied = 16 << 20
  /// As how many of these bytes the row of a machine counts, which takes as long.
  private static let bytesForMachine = 1 << 10

  /// Copies all that is stored of a world, which has not changed since, and acquires the lease of the copy. Runs on any
  /// thread while nobody else uses the store.
  ///
  /// A world of that name which this daemon does not serve, and to which nothing was written, remains from an attempt with
  /// an unknown result. It is replaced.
  ///
  /// - Returns: Nil if there are more than ``mostCopied`` bytes.
  func copy(
    _ stored: StoredProgress, to name: String, _ moment: Instant, _ settings: WorldSettings, host: UInt64
  ) throws(PersistenceFailure) -> StoredProgress? {
    let term = store.hosts?.term
    let taken = try withStore { () throws(StoreFailure) -> TakenWorld? in
      let held = try store.holdings(of: stored.lease.world)
      let bytes = held.checkpoints.reduce(held.bytes) { $0 + $1.size }
      guard bytes + held.machines * Self.bytesForMachine <= Self.mostCopied else { return nil }
      if let left = try store.world(name), left.head == stored.head, left.epoch <= 1, isOurs(left) {
        try store.remove(name)
      }
      try store.copy(stored.lease, to: name, moment: moment.nanoseconds, settings: settings.bytes)
      return try store.take(name)
    }
    return taken.map {
      StoredProgress(
        lease: $0.lease, term: term, kinds: stored.kinds, head: stored.head, moment: moment, settings: settings,
        storedAt: host,
        checkpoint: stored.checkpoint, isCheckpointUndone: stored.isCheckpointUndone, bytes: stored.bytes,
        bytesSinceCheckpoint: stored.bytesSinceCheckpoint)
    }
  }

  /// Begins to store a new world, which is in the store already.
  ///
  /// - Parameter first: The oldest input there.
  func begin(_ hosted: HostedWorld, _ home: LiveWorld.Box, _ progress: StoredProgress, first: UInt64 = 1) {
    home.live.world.beginKeeping()
    home.live.stored = StoredJournal(store.readers, hosted.name, catalogue, first: first)
    hosted.progress = progress
  }

  /// Loads worlds, one after the other, and writes nothing. Runs on any thread, also while another thread uses the store.
  ///
  /// - Parameter slot: The worker's time for it; nil if nothing else waits.
  /// - Returns: For each the world, or what ``WorldLoader/load(_:host:)`` throws.
  func load(
    _ names: [String], host: UInt64, _ slot: WorkerSlot? = nil
  ) -> [Result<LoadedWorld, PersistenceFailure>] {
    do throws(StoreFailure) {
      return try store.readers.reading { (reader) throws(StoreFailure) in
        if names.count > 1 {
          do throws(StoreFailure) {
            try reader.prepare(names)
          } catch {
            // Damage is reported by the load of its own world.
            guard case .damaged = error else { throw error }
          }
        }
        // After a failure of the store nothing more is asked in this snapshot.
        var failure: PersistenceFailure?
        return names.map { name in
          if let failure { return .failure(failure) }
          let result = Result { () throws(PersistenceFailure) in try load(name, from: reader, host: host, slot) }
          if case .failure(let error) = result, error.isOfStore { failure = error }
          return result
        }
      }
    } catch {
      return names.map { _ in .failure(.store(error)) }
    }
  }

  private func load(
    _ name: String, from reader: any WorldReading, host: UInt64, _ slot: WorkerSlot?
  ) throws(PersistenceFailure) -> LoadedWorld {
    let known = try withStore { () throws(StoreFailure) in store.hosts == nil ? nil : try reader.world(name) }
    if let known, known.holder?.lease == .others { throw .elsewhere(known) }
    let loaded = try WorldLoader(reader, catalogue, limits, slot, notes: store.workNotes).load(name, host: host)
    loaded.box.live.stored = StoredJournal(store.readers, name, catalogue, first: loaded.source.world.first)
    return loaded
  }

  /// Acquires the leases of loaded worlds. Runs on any thread while nobody else uses the store.
  ///
  /// - Parameter sources: What the worlds were loaded from.
  /// - Returns: In their order, the lease of each, or the failure for which that world is not served.
  func lease(
    _ sources: [LoadedWorld.Source], host: UInt64
  ) throws(PersistenceFailure) -> [Result<Leased, PersistenceFailure>] {
    let term = store.hosts?.term
    let taken = try withStore { () throws(StoreFailure) in try store.take(sources.map(\.world.name)) }
    return zip(sources, taken).map { source, taken in
      Result { () throws(PersistenceFailure) in
        let taken = try withStore { () throws(StoreFailure) in try taken.get() }
        let again = taken.world.isAs(source.world) ? nil : try load([source.world.name], host: host)[0].get()
        let source = again?.source ?? source
        let progress = StoredProgress(
          lease: taken.lease, term: term, kinds: StoredKinds(source.kinds), head: source.world.head,
          moment: Instant(nanoseconds: source.world.moment), settings: source.settings, storedAt: host,
          checkpoint: source.checkpoint, isCheckpointUndone: source.isCheckpointUndone, bytes: taken.world.bytes)
        return Leased(progress: progress, again: again, mayHaveLost: taken.mayHaveLost)
      }
    }
  }

  /// A world whose lease was acquired.
  struct Leased {
    /// What the store has of the world.
    let progress: StoredProgress
    /// The world loaded again, if another daemon has written to it since it was loaded.
    let again: LoadedWorld?
    /// See ``TakenWorld/mayHaveLost``.
    let mayHaveLost: Bool
  }
}

extension StoredWorld {
  /// Whether nothing was written between two reads of a world.
  fileprivate func isAs(_ other: StoredWorld) -> Bool {
    head == other.head && moment == other.moment && settings == other.settings
  }
}

/// What the store has of a world that the daemon serves.
struct StoredProgress {
  let lease: Lease
  /// The term of this daemon's lease on a shared store before it took the world; nil without other daemons.
  let term: Int?
  /// The kind descriptions in the store.
  var kinds: StoredKinds
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
  /// Bytes of the world's journal in the store.
  var bytes: Int
  /// Those after the latest checkpoint.
  var bytesSinceCheckpoint = 0
  /// The host time of the last retention check.
  var retentionCheckedAt: UInt64 = 0
  /// Whether there may be inputs to remove.
  var isOverfull = true
  /// The host time until which upkeep of this world pauses after a failure.
  var upkeepPausedUntil: UInt64 = 0

  /// Whether clock and sharing match the stored settings, and the moment too if the clock is not running.
  func isAsStored(_ live: borrowing LiveWorld, in hosted: HostedWorld) -> Bool {
    live.clock.mode == settings.mode && live.clock.speed == settings.speed
      && live.clock.isPaused == settings.isPaused && hosted.sharing == settings.sharing
      && (live.clock.isRunning || live.world.now == moment)
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
