import JournalStore
import Simulator
import StateMachines

/// A world that was loaded from the store and is not leased yet.
struct StoredRealm: ~Copyable {
  var realm: Realm
  let reading: Reading

  /// What the world was loaded from.
  struct Reading {
    let world: StoredWorld
    let settings: WorldSettings
    /// The last input of the latest checkpoint; 0 if there is none.
    let checkpoint: UInt64
    /// Whether a load cannot start from the latest checkpoint: a later undo took back something in it, or it is
    /// unreadable.
    let isCheckpointUndone: Bool
    /// The input after which the replay started.
    let start: UInt64
    /// Why the load did not start from the planned checkpoint; nil if it did.
    let detour: String?
    fileprivate let words: [StoredKind]
  }
}

extension StoredRealm {
  /// Hands a world from the thread that loaded it to the event loop, once.
  final class Handover {
    private var stored: StoredRealm?

    init(_ stored: consuming StoredRealm) {
      self.stored = consume stored
    }

    func take() -> StoredRealm {
      guard let last = stored.take() else { preconditionFailure("a world is handed over once") }
      return last
    }
  }
}

extension Persistence {
  /// All worlds in the store.
  func worlds() throws(PersistenceFailure) -> [StoredWorld] {
    try ask { () throws(StoreFailure) in try store.worlds() }
  }

  /// A new world without inputs, in its stored form.
  struct NewWorld: Sendable {
    let name: String
    let moment: Instant
    let settings: WorldSettings
  }

  /// The stored form of a new world.
  func newWorld(_ realm: borrowing Realm) -> NewWorld {
    NewWorld(
      name: realm.name, moment: realm.world.now,
      settings: WorldSettings(seed: realm.seed, realm.clock, written: wallClock()))
  }

  /// Stores a new world and acquires its lease. Runs on any thread while nobody else uses the store.
  ///
  /// An empty world of that name, which this daemon does not serve, remains from an attempt with an unknown result. It
  /// is replaced.
  func create(_ world: NewWorld, host: UInt64) throws(PersistenceFailure) -> StoredProgress {
    let taken = try ask { () throws(StoreFailure) in
      if let left = try store.world(world.name), left.head == 0, left.epoch <= 1 {
        try store.remove(world.name)
      }
      try store.create(
        world.name, head: 0, moment: world.moment.nanoseconds, settings: world.settings.bytes)
      return try store.take(world.name)
    }
    return StoredProgress(
      lease: taken.lease, words: StoredKinds(), head: 0, moment: world.moment, settings: world.settings,
      storedAt: host, checkpoint: 0)
  }

  /// Begins to store a new world, which is in the store already.
  func begin(_ hosted: HostedWorld, _ home: RealmBox, _ progress: StoredProgress) {
    home.realm.world.beginKeeping()
    home.realm.stored = StoredJournal(store.readers, hosted.name, catalogue, first: 1)
    hosted.progress = progress
  }

  /// A world whose lease was acquired, so that it can be written.
  struct Taken {
    let progress: StoredProgress
    /// The world loaded again, if another daemon wrote to it after the first load.
    let again: StoredRealm.Handover?
  }

  /// Acquires the lease of a loaded world. Runs on any thread while nobody else uses the store.
  ///
  /// - Parameter reading: What the world was loaded from. If another daemon has written since, the world is loaded
  ///   again.
  /// - Throws: What ``read(_:host:_:)`` throws. The world is not served then.
  func take(_ reading: StoredRealm.Reading, host: UInt64) throws(PersistenceFailure) -> Taken {
    let name = reading.world.name
    let taken = try ask { () throws(StoreFailure) in try store.take(name) }
    var reading = reading
    var again: StoredRealm.Handover?
    if !taken.world.isAs(reading.world) {
      let stored = try read(name, host: host)
      reading = stored.reading
      again = StoredRealm.Handover(stored)
    }
    let progress = StoredProgress(
      lease: taken.lease, words: StoredKinds(reading.words), head: reading.world.head,
      moment: Instant(nanoseconds: reading.world.moment),
      settings: reading.settings, storedAt: host, checkpoint: reading.checkpoint,
      isCheckpointUndone: reading.isCheckpointUndone)
    return Taken(progress: progress, again: again)
  }

  /// Loads a world and writes nothing. Runs on any thread, also while another thread uses the store.
  ///
  /// - Parameter slot: The worker's time for it; nil if nothing else waits.
  /// - Throws: What ``WorldLoader/read(_:host:)`` throws.
  func read(_ name: String, host: UInt64, _ slot: WorkerSlot? = nil) throws(PersistenceFailure) -> StoredRealm {
    let result = try ask { () throws(StoreFailure) in
      try store.readers.reading { (reader) throws(StoreFailure) in
        Result { () throws(PersistenceFailure) in
          StoredRealm.Handover(try WorldLoader(reader, catalogue, limits, slot).read(name, host: host))
        }
      }
    }
    var stored = try result.get().take()
    stored.realm.stored = StoredJournal(store.readers, name, catalogue, first: stored.reading.world.first)
    return stored
  }

  func ask<R>(_ body: () throws(StoreFailure) -> R) throws(PersistenceFailure) -> R {
    try PersistenceFailure.asking(body)
  }
}

extension PersistenceFailure {
  /// Runs `body` and wraps a failure of the store.
  static func asking<R>(_ body: () throws(StoreFailure) -> R) throws(PersistenceFailure) -> R {
    do throws(StoreFailure) {
      return try body()
    } catch {
      throw .store(error)
    }
  }
}

/// Loads worlds from a store and writes nothing. Runs on any thread that may use the store.
struct WorldLoader {
  private let store: any WorldReading
  private let catalogue: Catalogue
  private let limits: Limits
  private let slot: WorkerSlot?

  /// How many inputs before the end of a journal the replay starts, if a checkpoint is there. Inputs after it can be
  /// undone.
  private static let inputsToUndo: UInt64 = 10_000
  /// The most inputs that are replayed for that.
  private static let mostInputsToPlay: UInt64 = 1_000_000

  /// - Parameter slot: The worker's time for it; nil if nothing else waits.
  init(_ store: any WorldReading, _ catalogue: Catalogue, _ limits: Limits, _ slot: WorkerSlot? = nil) {
    self.store = store
    self.slot = slot
    self.catalogue = catalogue
    self.limits = limits
  }

  /// Loads a world and writes nothing.
  ///
  /// - Throws: `unreadable` if this program cannot restore the world; `interrupted` if its slot was interrupted; what
  ///   the store throws.
  func read(_ name: String, host: UInt64) throws(PersistenceFailure) -> StoredRealm {
    let stored = try ask { () throws(StoreFailure) in
      guard let found = try store.world(name) else { throw .noSuchWorld(name) }
      return found
    }
    guard let settings = WorldSettings(stored.settings) else {
      throw .unreadable(world: name, reason: "its settings are '\(String(decoding: stored.settings, as: UTF8.self))'")
    }
    let kinds = try ask { () throws(StoreFailure) in try store.kinds(of: name) }
    let words: StoredWords
    do {
      words = try StoredWords(kinds)
    } catch {
      throw .unreadable(world: name, reason: "how its kinds were described cannot be read")
    }
    let plan = try plan(stored)
    let recovered = try recover(stored, settings, plan, words)
    let (start, detour) = (recovered.start, recovered.detour)
    var realm = Realm(name: name, settings, recovered.world, host: host)
    realm.world.beginKeeping()
    let reading = StoredRealm.Reading(
      world: stored, settings: settings, checkpoint: plan.latest,
      isCheckpointUndone: plan.isLatestUndone || detour != nil, start: start, detour: detour, words: kinds)
    return StoredRealm(realm: realm, reading: reading)
  }

  /// Where the replay starts.
  private struct Plan {
    /// The input after which it starts.
    let start: UInt64
    /// Other possible starts, the latest first.
    let others: [UInt64]
    /// The last input of the latest checkpoint, whether or not the replay starts there; 0 if there is none.
    let latest: UInt64
    let isLatestUndone: Bool
  }

  /// Chooses a checkpoint that no later undo reaches into. An earlier one is preferred, so that more inputs can be
  /// undone, unless its replay would be long.
  private func plan(_ stored: StoredWorld) throws(PersistenceFailure) -> Plan {
    let (name, head) = (stored.name, stored.head)
    let marks = try ask { () throws(StoreFailure) in try store.checkpoints(of: name) }
    let standing = try standing(marks, of: name, from: stored.first)
    let toUndo = min(WorldLoader.inputsToUndo, UInt64(limits.world.journal))
    let earlier = standing.last { $0 + toUndo <= head }
    let isNear = earlier.map { head - $0 <= WorldLoader.mostInputsToPlay } ?? false
    guard let start = isNear ? earlier : standing.last else {
      throw .unreadable(world: name, reason: "the inputs before \(stored.first) are no longer stored")
    }
    let latest = marks.last?.sequence ?? 0
    return Plan(
      start: start, others: standing.reversed().filter { $0 != start }, latest: latest,
      isLatestUndone: standing.last ?? 0 < latest)
  }

  /// The checkpoints from which a replay can start, by their last inputs, oldest first. All later inputs are kept, and
  /// no later undo reaches into the checkpoint. 0 is the beginning of the world.
  ///
  /// - Parameters:
  ///   - marks: All checkpoints of the world, oldest first. The store is asked once for each: they are few, and the
  ///     undone spans between them may be many.
  ///   - first: The oldest input that is kept.
  func standing(
    _ marks: [CheckpointMark], of name: String, from first: UInt64
  ) throws(PersistenceFailure) -> [UInt64] {
    try ask { () throws(StoreFailure) in
      var standing: [UInt64] = first == 1 ? [0] : []
      for mark in marks where mark.sequence + 1 >= first && mark.sequence > 0 {
        let undone = try store.undone(in: name, mark.sequence...mark.sequence)
        if !undone.contains(where: { $0.upperBound > mark.sequence }) { standing.append(mark.sequence) }
      }
      return standing
    }
  }

  /// Why a replay from one checkpoint fails.
  private struct Hindrance: Error {
    let reason: String
    /// The input that cannot be replayed; nil if the checkpoint is unreadable.
    let input: UInt64?
  }

  /// A world after its replay.
  private struct Recovered: ~Copyable {
    let world: WorldCore
    let start: UInt64
    /// See ``StoredRealm/Reading/detour``.
    let detour: String?
  }

  /// Restores a world from the planned start, or else from the next one that works. A replay from a later checkpoint
  /// gives the same world with fewer inputs that can be undone.
  private func recover(
    _ stored: StoredWorld, _ settings: WorldSettings, _ plan: Plan, _ words: StoredWords
  ) throws(PersistenceFailure) -> Recovered {
    var first: Hindrance?
    /// An input that fails in one replay also fails in a replay from an earlier checkpoint.
    var barrier: UInt64 = 0
    for start in [plan.start] + plan.others where start >= barrier {
      do {
        let world = try recover(stored, settings, from: start, words)
        return Recovered(world: world, start: start, detour: first?.reason)
      } catch let hindrance as Hindrance {
        first = first ?? hindrance
        if let input = hindrance.input { barrier = max(barrier, input) }
      } catch let failure as PersistenceFailure {
        throw failure
      } catch {
        first = first ?? Hindrance(reason: "\(error)", input: nil)
      }
    }
    throw .unreadable(
      world: stored.name, reason: first?.reason ?? "there is nothing to begin with",
      input: barrier == 0 ? nil : barrier)
  }

  private func recover(
    _ stored: StoredWorld, _ settings: WorldSettings, from start: UInt64, _ words: StoredWords
  ) throws -> WorldCore {
    let (name, head) = (stored.name, stored.head)
    let undone = UndoneSpans(
      start < head ? try ask { () throws(StoreFailure) in try store.undone(in: name, start + 1...head) } : [])
    var recovery = Recovery(of: try base(start, settings, name), undone: undone, words, catalogue)
    var failure: Recovery.Failure?
    var last = start
    var isInterrupted = false
    do throws(StoreFailure) {
      try store.readSegments(of: name, from: start + 1) { segment in
        // When the slot's time is over, the worker serves others first.
        slot?.giveWay()
        isInterrupted = slot?.interruption != nil
        if isInterrupted { return false }
        do throws(Recovery.Failure) {
          try recovery.append(segment.bytes, segment.first...segment.last)
          last = segment.last
          return true
        } catch {
          failure = error
          return false
        }
      }
    } catch .damaged(let damage) {
      throw Hindrance(reason: "\(damage)", input: last + 1)
    } catch {
      throw PersistenceFailure.store(error)
    }
    if isInterrupted { throw PersistenceFailure.interrupted }
    if let failure { throw Hindrance(reason: "\(failure)", input: failure.input) }
    guard last == head else {
      throw Hindrance(reason: "its journal ends with \(last), not with \(head)", input: last)
    }
    guard (0...Instant.end.nanoseconds).contains(stored.moment) else {
      throw Hindrance(reason: "its moment is not within world time", input: head)
    }
    return recovery.finish(at: Instant(nanoseconds: stored.moment), limits.world)
  }

  /// The world at the checkpoint of an input, or a new world for input 0.
  private func base(_ start: UInt64, _ settings: WorldSettings, _ name: String) throws -> WorldCore {
    if start == 0 { return WorldCore(seed: settings.seed, limits: limits.world) }
    let found: StoredCheckpoint?
    do throws(StoreFailure) {
      found = try store.checkpoint(of: name, atOrBefore: start)
    } catch .damaged(let damage) {
      throw Hindrance(reason: "\(damage)", input: nil)
    } catch {
      throw PersistenceFailure.store(error)
    }
    guard let found, found.mark.sequence == start else {
      throw Hindrance(reason: "its checkpoint at input \(start) is missing", input: nil)
    }
    do throws(ArchiveFailure) {
      let world = try WorldCore(archive: found.bytes, kinds: { catalogue[$0] }, limits: limits.world)
      guard world.lastSequence == start else {
        throw ArchiveFailure.damaged("it ends with input \(world.lastSequence)")
      }
      return world
    } catch {
      throw Hindrance(reason: "its checkpoint at input \(start): \(error.text)", input: nil)
    }
  }

  private func ask<R>(_ body: () throws(StoreFailure) -> R) throws(PersistenceFailure) -> R {
    try PersistenceFailure.asking(body)
  }
}

extension StoredWorld {
  /// Whether nothing was written between two reads of a world.
  fileprivate func isAs(_ other: StoredWorld) -> Bool {
    head == other.head && moment == other.moment && settings == other.settings
  }
}
