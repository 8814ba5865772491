import JournalStore
import LineProtocol
import Simulator
import StateMachines

/// Keeps durable worlds in a store: takes them at the start, writes down what each round brought, and brings a world back
/// as the store has it.
///
/// What a client is told of a durable world leaves the daemon only after it is stored; ``Service`` sees to that. The store
/// is the truth: after any failure a world is thrown away and read again.
final class Keeper {
  let store: any WorldStore
  let catalogue: Catalogue
  let limits: Limits
  let onRestart: OnRestart
  /// Milliseconds since 1970.
  let wallClock: () -> Int64
  /// The segments of the round that is being written.
  private var segments: [UInt8] = []
  /// Rounds that were written since the start.
  private(set) var rounds: UInt64 = 0

  /// Room for segments that is kept from round to round.
  private static let mostBytesHeld = 16 << 20

  /// How long a world whose time runs may go without being written, in nanoseconds: a timer's time that passes in
  /// between is counted again if the daemon is killed.
  static let heartbeat: UInt64 = 5_000_000_000

  init(
    _ store: any WorldStore, _ catalogue: Catalogue, _ limits: Limits, onRestart: OnRestart = .remaining,
    wallClock: @escaping () -> Int64
  ) {
    self.store = store
    self.catalogue = catalogue
    self.limits = limits
    self.onRestart = onRestart
    self.wallClock = wallClock
  }

  // MARK: Rounds

  /// Whether something of a world is not stored yet.
  ///
  /// - Parameter isLast: Whether this is the last round, so that the moment counts wherever time passes. Otherwise it is
  ///   written now and then, if there are rounds at all.
  func hasNews(_ hosted: HostedWorld, host: UInt64, isLast: Bool) -> Bool {
    guard let keeping = hosted.keeping else { return false }
    if hosted.realm.world.hasUnkept || !keeping.isAsStored(hosted.realm) { return true }
    return isLast
      ? hosted.realm.world.now != keeping.moment
      : hosted.realm.clock.isRunning && host >= keeping.storedAt + Keeper.heartbeat
  }

  /// When a world must be written though nothing comes; nil if it can wait.
  func nextWake(_ hosted: HostedWorld) -> UInt64? {
    guard let keeping = hosted.keeping, hosted.realm.clock.isRunning, hosted.realm.world.runningTimerCount > 0 else {
      return nil
    }
    return keeping.storedAt + Keeper.heartbeat
  }

  /// Writes down what came to some worlds, all or nothing.
  ///
  /// - Throws: What ``WorldStore/append(_:)`` throws; the worlds must be read again then.
  func commit(_ worlds: [HostedWorld], host: UInt64) throws(StoreFailure) {
    let wall = wallClock()
    segments.removeAll(keepingCapacity: true)
    var news: [News] = []
    for hosted in worlds {
      if let found = gather(hosted, wall) { news.append(found) }
    }
    let outcome = segments.withUnsafeBytes { bytes in
      Result { () throws(StoreFailure) in
        try store.append(news.map { $0.append(UnsafeRawBufferPointer(rebasing: bytes[$0.range])) })
      }
    }
    try outcome.get()
    rounds &+= 1
    for found in news { found.didStore(host: host) }
    if segments.count > Keeper.mostBytesHeld { segments = [] }
  }

  /// What a round brought for one world.
  private struct News {
    let hosted: HostedWorld
    let keeping: Keeping
    let settings: WorldSettings
    let last: UInt64
    let moment: Moment
    /// The place of the segment among those of the round.
    let range: Range<Int>
    let creations: [Creation]
    let undone: [ClosedRange<UInt64>]

    func append(_ bytes: UnsafeRawBufferPointer) -> Append {
      Append(
        keeping.tenure, head: keeping.head, last: last, bytes, moment: moment.nanoseconds, settings: settings.bytes,
        creations: creations, undone: undone)
    }

    func didStore(host: UInt64) {
      hosted.realm.world.didKeep()
      hosted.keeping?.head = last
      hosted.keeping?.moment = moment
      hosted.keeping?.settings = settings
      hosted.keeping?.storedAt = host
      hosted.keeping?.bytesSinceCheckpoint += range.count
    }
  }

  private func gather(_ hosted: HostedWorld, _ wall: Int64) -> News? {
    guard let keeping = hosted.keeping else { return nil }
    let start = segments.count
    var creations: [Creation] = []
    let undone = hosted.realm.world.unkeptUndone
    if hosted.realm.world.hasUnkept {
      creations = hosted.realm.world.appendUnkept(to: &segments).map {
        Creation(sequence: $0.sequence, number: $0.machine.number, name: $0.name, kind: $0.kind)
      }
    }
    return News(
      hosted: hosted, keeping: keeping,
      settings: WorldSettings(seed: hosted.realm.seed, hosted.realm.clock, written: wall),
      last: hosted.realm.world.lastSequence, moment: hosted.realm.world.now, range: start..<segments.count,
      creations: creations, undone: undone)
  }
}

/// What the store has of a world that the daemon serves.
struct Keeping {
  let tenure: Tenure
  /// The last input that is stored.
  var head: UInt64
  var moment: Moment
  var settings: WorldSettings
  /// The host time at which the world was written last.
  var storedAt: UInt64
  /// The last input that the latest checkpoint contains; 0 if there is none.
  var checkpoint: UInt64
  /// Whether something that the latest checkpoint contains was undone behind it: then the next start needs an older one,
  /// and all that came since.
  var isCheckpointUndone = false
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
