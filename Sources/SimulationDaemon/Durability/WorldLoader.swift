import JournalStore
import Simulator
import StateMachines

/// A world that was loaded from the store and is not leased yet.
struct LoadedWorld {
  let box: LiveWorld.Box
  let source: Source

  /// What a world was loaded from.
  struct Source {
    let world: StoredWorld
    let settings: WorldSettings
    /// The last input of the latest checkpoint; 0 if there is none.
    let checkpoint: UInt64
    /// Whether a load cannot start from the latest checkpoint: a later undo took back something in it, or it is
    /// unreadable.
    let isCheckpointUndone: Bool
    /// The input after which the replay started.
    let start: UInt64
    /// Why the load did not start from the preferred checkpoint; nil if it did.
    let detour: String?
    let kinds: [StoredKind]
  }
}

/// Loads worlds from a store: the state at a checkpoint, then the inputs after it, replayed.
///
/// It writes nothing. Runs on any thread that may use the store.
struct WorldLoader {
  private let store: any WorldReading
  private let catalogue: Catalogue
  private let limits: Limits
  private let slot: WorkerSlot?
  private let notes: WorkNotes?

  /// How many inputs before the end of a journal the replay starts, if a checkpoint is there. Inputs after it can be
  /// undone.
  private static let inputsToUndo: UInt64 = 10_000
  /// The most inputs that are replayed for that.
  private static let mostInputsToPlay: UInt64 = 1_000_000

  /// - Parameters:
  ///   - slot: The worker's time for it; nil if nothing else waits.
  ///   - notes: Where the inputs are noted that are replayed; nil for nowhere.
  init(
    _ store: any WorldReading, _ catalogue: Catalogue, _ limits: Limits, _ slot: WorkerSlot? = nil,
    notes: WorkNotes? = nil
  ) {
    self.store = store
    self.notes = notes
    self.slot = slot
    self.catalogue = catalogue.readingDocuments
    self.limits = limits
  }

  /// Loads a world.
  ///
  /// - Throws: `unreadable` if this program cannot restore the world; `interrupted` if its slot was interrupted; what
  ///   the store throws.
  func load(_ name: String, host: UInt64) throws(PersistenceFailure) -> LoadedWorld {
    let stored = try withStore { () throws(StoreFailure) in
      guard let found = try store.world(name) else { throw .noSuchWorld(name) }
      return found
    }
    for fatal in stored.fatal where !fatal.isPassable {
      throw .unreadable(world: name, reason: fatal.reason, input: stored.head + 1)
    }
    guard let settings = WorldSettings(stored.settings) else {
      throw .unreadable(world: name, reason: "its settings are '\(String(decoding: stored.settings, as: UTF8.self))'")
    }
    let kinds = try withStore { () throws(StoreFailure) in try store.kinds(of: name) }
    let words: StoredWords
    do {
      words = try StoredWords(kinds)
    } catch {
      throw .unreadable(world: name, reason: "how its kinds were described cannot be read")
    }
    let marks = try withStore { () throws(StoreFailure) in try store.checkpoints(of: name) }
    let starts = ReplayStarts(store, of: name, first: stored.first, head: stored.head, end: stored.head)
    let valid = try withStore { () throws(StoreFailure) in try starts.valid(marks) }
    let recovered = try recover(stored, settings, preferred(valid, of: stored), starts, words)
    let (start, detour) = (recovered.start, recovered.detour)
    var live = LiveWorld(name: name, settings, recovered.world, host: host)
    live.world.beginKeeping()
    let latest = marks.last?.sequence ?? 0
    return LoadedWorld(
      box: LiveWorld.Box(live),
      source: LoadedWorld.Source(
        world: stored, settings: settings, checkpoint: latest,
        isCheckpointUndone: valid.last ?? 0 < latest || detour != nil, start: start, detour: detour, kinds: kinds))
  }

  /// Orders the valid starts, the best first. An earlier one than the latest is best, so that more inputs can be
  /// undone, unless its replay would be long.
  private func preferred(_ valid: [UInt64], of stored: StoredWorld) throws(PersistenceFailure) -> [UInt64] {
    let toUndo = min(WorldLoader.inputsToUndo, UInt64(limits.world.journal))
    let earlier = valid.last { $0 + toUndo <= stored.head }
    let isNear = earlier.map { stored.head - $0 <= WorldLoader.mostInputsToPlay } ?? false
    guard let best = isNear ? earlier : valid.last else {
      throw .unreadable(world: stored.name, reason: "the inputs before \(stored.first) are no longer stored")
    }
    return [best] + valid.reversed().filter { $0 != best }
  }

  /// Why a replay from one checkpoint fails.
  private struct Hindrance: Error {
    let reason: String
    /// The input that cannot be replayed; nil if the checkpoint is unreadable.
    let input: UInt64?
    var isDamage = false
  }

  /// A world after its replay.
  private struct Recovered: ~Copyable {
    let world: WorldCore
    let start: UInt64
    /// See ``LoadedWorld/Source/detour``.
    let detour: String?
  }

  /// Restores a world from the first start that works. A replay from a later checkpoint gives the same world with fewer
  /// inputs that can be undone.
  private func recover(
    _ stored: StoredWorld, _ settings: WorldSettings, _ preferred: [UInt64], _ starts: ReplayStarts,
    _ words: StoredWords
  ) throws(PersistenceFailure) -> Recovered {
    var first: Hindrance?
    /// An input that fails in one replay also fails in a replay from an earlier checkpoint.
    var barrier: UInt64 = 0
    for start in preferred where start >= barrier {
      do {
        let world = try recover(stored, settings, from: start, starts, words)
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
      input: barrier == 0 ? nil : barrier, isDamage: first?.isDamage ?? false)
  }

  private func recover(
    _ stored: StoredWorld, _ settings: WorldSettings, from start: UInt64, _ starts: ReplayStarts, _ words: StoredWords
  ) throws -> WorldCore {
    if let fatal = stored.obstacle(toReplayFrom: start, to: stored.head) {
      throw Hindrance(reason: fatal.reason, input: fatal.work == .reading ? nil : fatal.input)
    }
    func recover(_ note: WorkNotes.Note?) throws -> WorldCore {
      note?.input.pointee = start
      let world = try base(start, settings, stored.name)
      note?.goOn(with: .replay)
      return try self.recover(stored, from: world, starts, words, underWay: note?.input)
    }
    return try notes.during(.reading, stored.identity, recover)
  }

  private func recover(
    _ stored: StoredWorld, from base: consuming WorldCore, _ starts: ReplayStarts, _ words: StoredWords,
    underWay: UnsafeMutablePointer<UInt64>?
  ) throws -> WorldCore {
    let (name, head, start) = (stored.name, stored.head, base.lastSequence)
    let undone = try withStore { () throws(StoreFailure) in try starts.undone(after: start) }
    var recovery = Recovery(of: base, undone: undone, words, catalogue, underWay: underWay)
    let failure: Recovery.Failure?
    var last = start
    do throws(StoreFailure) {
      failure = try store.readSegments(
        of: name, from: start + 1,
        trying: { (segment) throws(Recovery.Failure) in
          // Between segments the store may be slow, and other work goes first: no input is under way then.
          defer { underWay?.pointee = 0 }
          try recovery.append(segment.bytes, segment.first...segment.last) {
            underWay?.pointee = 0
            return slot?.goesOn() ?? true
          }
          last = segment.last
          return !recovery.isInterrupted
        })
    } catch .damaged(let damage) {
      throw Hindrance(reason: "\(damage)", input: last + 1, isDamage: true)
    } catch {
      throw PersistenceFailure.store(error)
    }
    if recovery.isInterrupted { throw PersistenceFailure.interrupted }
    if let failure { throw Hindrance(reason: "\(failure)", input: failure.input) }
    guard last == head else {
      throw Hindrance(reason: "its journal ends with \(last), not with \(head)", input: last, isDamage: true)
    }
    guard (0...Instant.end.nanoseconds).contains(stored.moment) else {
      throw Hindrance(reason: "its moment is not within world time", input: head)
    }
    return recovery.finish(at: Instant(nanoseconds: stored.moment), limits.world)
  }

  /// The world at the checkpoint of an input, or a new world for input 0.
  private func base(_ start: UInt64, _ settings: WorldSettings, _ name: String) throws -> WorldCore {
    if start == 0 { return WorldCore(seed: settings.seed, limits: limits.world) }
    do {
      return try store.world(name, atCheckpoint: start, catalogue, limits.world)
    } catch HistoryFailure.unreadable(_, let reason) {
      throw Hindrance(reason: reason, input: nil)
    } catch StoreFailure.damaged(let damage) {
      throw Hindrance(reason: "\(damage)", input: nil, isDamage: true)
    } catch let failure as StoreFailure {
      throw PersistenceFailure.store(failure)
    }
  }
}

extension InterruptedWork {
  /// Whether a world can be loaded without doing it again: from another checkpoint.
  var isPassable: Bool {
    switch work {
    case .replay, .reading: true
    case .requests, .writing: false
    }
  }
}

extension StoredWorld {
  /// What ended a daemon and would end the next one in a replay; nil if nothing would.
  ///
  /// - Parameters:
  ///   - start: The last input of the checkpoint that the replay starts from; 0 if it starts with an empty world.
  ///   - end: The last input that is replayed; `start` if only the checkpoint is read.
  func obstacle(toReplayFrom start: UInt64, to end: UInt64) -> InterruptedWork? {
    fatal.first { ended in
      switch ended.work {
      // Each checkpoint of a world has the same machines, so none of them is read.
      case .reading: start > 0
      case .replay: ended.input > start && ended.input <= end
      case .requests, .writing: false
      }
    }
  }
}
