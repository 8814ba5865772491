import JournalStore
import Simulator
import StateMachines

/// A world as it was brought back, with what the store has of it.
struct KeptRealm: ~Copyable {
  var realm: Realm
  let keeping: Keeping
}

/// Why a world could not be brought back.
enum KeeperFailure: Error {
  case store(StoreFailure)
  /// What the store has does not make a world, though its bytes are as they were written.
  case unreadable(world: String, reason: String)
}

extension KeeperFailure: CustomStringConvertible {
  var description: String {
    switch self {
    case .store(let failure): "\(failure)"
    case .unreadable(let world, let reason):
      "world \(world) cannot be brought back: \(reason); nothing of it was changed"
    }
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
  func begin(_ hosted: HostedWorld, host: UInt64) throws(KeeperFailure) {
    let realm = WorldSettings(seed: hosted.realm.seed, hosted.realm.clock, written: wallClock())
    let name = hosted.realm.name
    let now = hosted.realm.world.now
    let taken = try ask { () throws(StoreFailure) in
      try store.create(name, head: 0, moment: now.nanoseconds, settings: realm.bytes)
      return try store.take(name)
    }
    hosted.realm.world.beginKeeping()
    hosted.realm.stored = StoredJournal(store, name, catalogue, first: 1)
    hosted.keeping = Keeping(
      tenure: taken.tenure, head: 0, moment: now, settings: realm, storedAt: host, checkpoint: 0)
  }

  /// Takes a world and builds it up as the store has it.
  func take(_ name: String, host: UInt64) throws(KeeperFailure) -> KeptRealm {
    let taken = try ask { () throws(StoreFailure) in try store.take(name) }
    guard let settings = WorldSettings(taken.world.settings) else {
      throw .unreadable(
        world: name, reason: "its settings are '\(String(decoding: taken.world.settings, as: UTF8.self))'")
    }
    let moment = Moment(nanoseconds: taken.world.moment)
    let plan = try plan(taken)
    let world = try recover(taken, settings, plan, at: moment)
    guard world.lastSequence == taken.world.head else {
      throw .unreadable(
        world: name, reason: "its journal ends with \(world.lastSequence), not with \(taken.world.head)")
    }
    var realm = Realm(name: name, settings, consume world, host: host)
    realm.world.beginKeeping()
    realm.stored = StoredJournal(store, name, catalogue, first: taken.world.first)
    try letTimePass(&realm, settings, host: host)
    let keeping = Keeping(
      tenure: taken.tenure, head: taken.world.head, moment: moment, settings: settings, storedAt: host,
      checkpoint: taken.checkpoint?.mark.sequence ?? 0)
    return KeptRealm(realm: realm, keeping: keeping)
  }

  /// Where to begin.
  private struct Plan {
    let checkpoint: JournalStore.Checkpoint?
    let undone: UndoneSpans

    var start: UInt64 { checkpoint?.mark.sequence ?? 0 }
  }

  /// Chooses a checkpoint: one that nothing behind it has undone, and a little before the end if that costs little.
  private func plan(_ taken: TakenWorld) throws(KeeperFailure) -> Plan {
    let name = taken.world.name
    let head = taken.world.head
    var checkpoint = taken.checkpoint
    if let latest = checkpoint, head - latest.mark.sequence < Keeper.inputsToUndo, head > Keeper.inputsToUndo {
      let earlier = try ask { () throws(StoreFailure) in
        try store.checkpoint(of: name, atOrBefore: head - Keeper.inputsToUndo)
      }
      let start = earlier?.mark.sequence ?? 0
      if head - start <= Keeper.mostInputsToPlay, start + 1 >= taken.world.first { checkpoint = earlier }
    }
    while true {
      let start = checkpoint?.mark.sequence ?? 0
      guard start + 1 >= taken.world.first else {
        throw .unreadable(world: name, reason: "what was before input \(taken.world.first) is not kept any more")
      }
      var undone = UndoneSpans()
      try ask { () throws(StoreFailure) in
        try store.readSegments(of: name, from: start + 1) { segment in
          undone.look(through: segment.bytes, segment.first...segment.last)
          return true
        }
      }
      guard let first = undone.first, first <= start else { return Plan(checkpoint: checkpoint, undone: undone) }
      checkpoint = try ask { () throws(StoreFailure) in try store.checkpoint(of: name, atOrBefore: first - 1) }
    }
  }

  private func recover(
    _ taken: TakenWorld, _ settings: WorldSettings, _ plan: Plan, at moment: Moment
  ) throws(KeeperFailure) -> World {
    let name = taken.world.name
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
    return recovery.finish(at: moment, limits.world)
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

  /// Gives running timers what the daemon was started for, where a world's time runs.
  private func letTimePass(
    _ realm: inout Realm, _ settings: WorldSettings, host: UInt64
  ) throws(KeeperFailure) {
    guard realm.clock.isRunning else { return }
    switch onRestart {
    case .remaining: break
    case .deadline: realm.clock.makeUp(for: max(0, wallClock() - settings.written))
    case .restart: try renewTimers(&realm)
    }
  }

  /// Lets each running timer have its whole duration again: that for which it was armed last, as the journal has it.
  /// One whose arming is not kept any more has the time left that it had.
  private func renewTimers(_ realm: inout Realm) throws(KeeperFailure) {
    let now = realm.world.now
    let running = realm.world.agendaItems(matching: .all, limit: .max)
    guard !running.isEmpty else { return }
    var search = ArmingSearch(for: running)
    var reader = realm.world.journalReader(from: realm.world.firstSequence)
    while let entry = realm.world.read(&reader) { search.look(at: entry, of: realm.world) }
    if !search.isDone, let stored = realm.stored, stored.first < realm.world.firstSequence {
      _ = try stored.read(stored.first...(realm.world.firstSequence - 1), in: realm.world) { world, entry in
        search.look(at: entry, of: world)
        return true
      }
    }
    realm.world.renew(
      running.map { item in
        RenewedTimer(
          machine: item.machine, timer: item.timer, key: item.key, duration: search.duration(of: item) ?? item.due - now
        )
      })
  }

  func ask<R>(_ body: () throws(StoreFailure) -> R) throws(KeeperFailure) -> R {
    do throws(StoreFailure) {
      return try body()
    } catch {
      throw .store(error)
    }
  }
}

/// Finds out for how long running timers were armed.
private struct ArmingSearch {
  private struct Name: Hashable {
    let machine: MachineID
    let timer: Int
    let key: UInt32
  }

  private var due: [Name: Moment] = [:]
  private var durations: [Name: Interval] = [:]

  init(for items: [World.AgendaItem]) {
    for item in items { due[Name(machine: item.machine, timer: item.timer, key: item.key)] = item.due }
  }

  var isDone: Bool { durations.count == due.count }

  func duration(of item: World.AgendaItem) -> Interval? {
    durations[Name(machine: item.machine, timer: item.timer, key: item.key)]
  }

  /// Of several armings that came to the same end, the last one counts.
  mutating func look(at entry: JournalEntry, of world: borrowing World) {
    var details = world.details(of: entry)
    while let detail = details.next() {
      switch detail {
      case .armed(let timer, let key, let due):
        note(Name(machine: entry.machine, timer: Int(timer), key: key), due, due - entry.moment)
      case .renewed(let timer):
        note(
          Name(machine: timer.machine, timer: timer.timer, key: timer.key), entry.moment + timer.duration,
          timer.duration)
      case .emitted, .disarmed, .dataBefore, .dataAfter, .arguments, .parameters, .initial, .kind, .due, .key, .source,
        .target, .undone:
        break
      }
    }
  }

  private mutating func note(_ name: Name, _ due: Moment, _ duration: Interval) {
    if self.due[name] == due { durations[name] = duration }
  }
}
