import JournalStore
import Simulator
import StateMachines

/// A world as it was built up from the store, which nobody has taken for it yet.
struct StoredRealm: ~Copyable {
  var realm: Realm
  let reading: Reading

  /// What of the store it was built up from.
  struct Reading {
    let world: StoredWorld
    let settings: WorldSettings
    /// The last input of the latest checkpoint; 0 if there is none.
    let checkpoint: UInt64
    /// Whether something that this checkpoint contains was undone behind it.
    let isCheckpointUndone: Bool
  }
}

extension Keeper {
  /// How far before the end of a journal a world is built up from, where there is a checkpoint: what lies behind can be
  /// undone.
  private static let inputsToUndo: UInt64 = 10_000
  /// How many inputs are played again for that at most.
  private static let mostInputsToPlay: UInt64 = 1_000_000

  /// The names of all worlds in the store.
  func worlds() throws(KeeperFailure) -> [String] {
    try ask { () throws(StoreFailure) in try store.worlds() }.map(\.name)
  }

  /// Makes a new world durable, and stores it as it is.
  ///
  /// An empty world of that name in the store, which this daemon does not serve, was left there by an attempt of which
  /// nobody knew how it ended; it is replaced.
  func begin(_ hosted: HostedWorld, host: UInt64) throws(KeeperFailure) {
    let realm = WorldSettings(seed: hosted.realm.seed, hosted.realm.clock, written: wallClock())
    let name = hosted.realm.name
    let now = hosted.realm.world.now
    let taken = try ask { () throws(StoreFailure) in
      if let left = try store.worlds().first(where: { $0.name == name }), left.head == 0, left.epoch <= 1 {
        try store.remove(name)
      }
      try store.create(name, head: 0, moment: now.nanoseconds, settings: realm.bytes)
      return try store.take(name)
    }
    hosted.realm.world.beginKeeping()
    hosted.realm.stored = StoredJournal(store, name, catalogue, first: 1)
    hosted.keeping = Keeping(
      tenure: taken.tenure, head: 0, moment: now, settings: realm, storedAt: host, checkpoint: 0)
  }

  /// Builds a world up as the store has it, and writes nothing.
  ///
  /// - Throws: `unreadable` where this program cannot make a world of it; what the store throws.
  func read(_ name: String, host: UInt64) throws(KeeperFailure) -> StoredRealm {
    let stored = try ask { () throws(StoreFailure) in
      guard let found = try store.worlds().first(where: { $0.name == name }) else { throw .noSuchWorld(name) }
      return found
    }
    guard let settings = WorldSettings(stored.settings) else {
      throw .unreadable(world: name, reason: "its settings are '\(String(decoding: stored.settings, as: UTF8.self))'")
    }
    let plan = try plan(stored)
    let world = try recover(stored, settings, plan)
    guard world.lastSequence == stored.head else {
      throw .unreadable(world: name, reason: "its journal ends with \(world.lastSequence), not with \(stored.head)")
    }
    var realm = Realm(name: name, settings, consume world, host: host)
    realm.world.beginKeeping()
    realm.stored = StoredJournal(store, name, catalogue, first: stored.first)
    let reading = StoredRealm.Reading(
      world: stored, settings: settings, checkpoint: plan.latest, isCheckpointUndone: plan.isLatestUndone)
    return StoredRealm(realm: realm, reading: reading)
  }

  /// Takes a world that was just built up.
  ///
  /// - Parameter reading: What it was built up from. Where somebody has written since, it is built up again.
  /// - Throws: What ``read(_:host:)`` throws. The world is nobody's then.
  func take(_ hosted: HostedWorld, _ reading: StoredRealm.Reading, host: UInt64) throws(KeeperFailure) {
    let name = hosted.realm.name
    let taken = try ask { () throws(StoreFailure) in try store.take(name) }
    var reading = reading
    if !taken.world.isAs(reading.world) {
      let again = try read(name, host: host)
      reading = again.reading
      hosted.replace(with: again.realm)
    }
    hosted.keeping = Keeping(
      tenure: taken.tenure, head: reading.world.head, moment: Moment(nanoseconds: reading.world.moment),
      settings: reading.settings, storedAt: host, checkpoint: reading.checkpoint,
      isCheckpointUndone: reading.isCheckpointUndone)
  }

  /// Where to begin.
  private struct Plan {
    let checkpoint: JournalStore.Checkpoint?
    let undone: UndoneSpans
    /// The last input of the latest checkpoint, whether or not it is the one to begin with; 0 if there is none.
    let latest: UInt64
    let isLatestUndone: Bool

    var start: UInt64 { checkpoint?.mark.sequence ?? 0 }
  }

  /// Chooses a checkpoint: one of which nothing was undone later, and a little before the end if that costs little.
  private func plan(_ stored: StoredWorld) throws(KeeperFailure) -> Plan {
    let (name, head) = (stored.name, stored.head)
    let standing = try standingCheckpoints(of: name, from: stored.first)
    let toUndo = min(Keeper.inputsToUndo, UInt64(limits.world.journal))
    let earlier = standing.last { $0 + toUndo <= head }
    let isNear = earlier.map { head - $0 <= Keeper.mostInputsToPlay } ?? false
    guard let start = isNear ? earlier : standing.last else {
      throw .unreadable(world: name, reason: "what was before input \(stored.first) is not kept any more")
    }
    return try ask { () throws(StoreFailure) in
      let latest = try store.checkpoints(of: name).last?.sequence ?? 0
      return Plan(
        checkpoint: start == 0 ? nil : try store.checkpoint(of: name, atOrBefore: start),
        undone: UndoneSpans(start < head ? try store.undone(in: name, start + 1...head) : []), latest: latest,
        isLatestUndone: standing.last ?? 0 < latest)
    }
  }

  /// The checkpoints with which a start can begin, by their last inputs, oldest first: all that came behind them is kept,
  /// and nothing of what they contain was undone later. 0 stands for the beginning of the world.
  func standingCheckpoints(of name: String, from first: UInt64) throws(KeeperFailure) -> [UInt64] {
    try ask { () throws(StoreFailure) in
      var standing: [UInt64] = first == 1 ? [0] : []
      for mark in try store.checkpoints(of: name) where mark.sequence + 1 >= first && mark.sequence > 0 {
        let undone = try store.undone(in: name, mark.sequence...mark.sequence)
        if !undone.contains(where: { $0.upperBound > mark.sequence }) { standing.append(mark.sequence) }
      }
      return standing
    }
  }

  private func recover(
    _ stored: StoredWorld, _ settings: WorldSettings, _ plan: Plan
  ) throws(KeeperFailure) -> World {
    let name = stored.name
    var recovery = Recovery(of: try base(plan, settings, name), undone: plan.undone, catalogue)
    var failure: KeeperFailure?
    try ask { () throws(StoreFailure) in
      try store.readSegments(of: name, from: plan.start + 1) { segment in
        do throws(Recovery.Failure) {
          try recovery.append(segment.bytes, segment.first...segment.last)
          return true
        } catch {
          failure = .unreadable(world: name, reason: "\(error)")
          return false
        }
      }
    }
    if let failure { throw failure }
    return recovery.finish(at: Moment(nanoseconds: stored.moment), limits.world)
  }

  /// The world at a checkpoint, or a new one.
  private func base(_ plan: Plan, _ settings: WorldSettings, _ name: String) throws(KeeperFailure) -> World {
    guard let checkpoint = plan.checkpoint else { return World(seed: settings.seed, limits: limits.world) }
    do throws(ArchiveFailure) {
      return try World(archive: checkpoint.bytes, kinds: { catalogue[$0] }, limits: limits.world)
    } catch {
      throw .unreadable(world: name, reason: "its checkpoint at input \(checkpoint.mark.sequence): \(error.text)")
    }
  }

  func ask<R>(_ body: () throws(StoreFailure) -> R) throws(KeeperFailure) -> R {
    do throws(StoreFailure) {
      return try body()
    } catch {
      throw .store(error)
    }
  }
}

extension StoredWorld {
  /// Whether nobody has written between two looks at a world.
  fileprivate func isAs(_ other: StoredWorld) -> Bool {
    head == other.head && moment == other.moment && settings == other.settings
  }
}
