import Simulator
import StateMachines

/// A world as the daemon keeps it: with its name, its seed and its clock.
struct Realm: ~Copyable {
  let name: String
  let seed: UInt64
  var world: World
  var clock: WorldClock
  /// Whether timers are still due that were to have fired by the present round.
  private(set) var isBehind = false
  /// The host time of the present round.
  private(set) var host: UInt64
  /// A chain without end that the world's users have not been told of.
  var unannounced: World.Livelock?
  /// The most that a timer of this world was late on a real clock, in nanoseconds of the host's.
  var worstLateness: UInt64 = 0
  /// A way back that is under way: until it has come to its end, the world stands still for all others.
  weak var rewinding: Rewinding?
  /// What the store has of the journal; nil for a world that is not durable.
  var stored: StoredJournal?
  /// Why nothing can be done here at present: what the store has of it cannot be had. Nil where all is well.
  var outage: Outage?

  /// A world whose store does not answer as it should.
  struct Outage {
    /// What is wrong and what to do, in one line.
    let reason: String
    /// The host time at which the store is asked again.
    let retryAt: UInt64
    /// The last input that was stored, as far as is known; nobody was told of a later one.
    let head: UInt64
  }

  init(name: String, clock: WorldClock.Mode, seed: UInt64, limits: WorldLimits, host: UInt64) {
    self.name = name
    self.seed = seed
    world = World(seed: seed, limits: limits)
    self.clock = WorldClock(clock, host: host)
    self.host = host
  }

  /// What stands for a world that cannot be had at present: nothing is in it, and no time passes.
  init(without other: borrowing Realm, _ outage: Outage) {
    name = other.name
    seed = other.seed
    world = World(seed: other.seed, limits: other.world.limits)
    clock = WorldClock(.virtual, host: other.host)
    host = other.host
    self.outage = outage
  }

  /// A world that was brought back.
  init(name: String, _ settings: WorldSettings, _ world: consuming World, host: UInt64) {
    self.name = name
    seed = settings.seed
    clock = settings.clock(host: host, moment: world.now)
    self.world = world
    self.host = host
  }

  /// A copy that goes its own way from now on; its clock goes on as this one's does.
  init(forking other: borrowing Realm, as name: String) {
    self.name = name
    seed = other.seed
    world = other.world.fork()
    clock = other.clock
    host = other.host
    isBehind = other.isBehind
  }

  /// The oldest input that can still be read, in memory or in the store.
  var firstSequence: UInt64 { min(stored?.first ?? .max, world.firstSequence) }

  /// Fires the timers that were due by `host` on a real clock, each at its own moment.
  ///
  /// Where there is more to do than `budget` timers, the world's moment lags behind, and `isBehind` says so.
  mutating func catchUp(host: UInt64, budget: Int) {
    if host == self.host || rewinding != nil { return }
    self.host = host
    guard clock.isRunning else {
      isBehind = false
      return
    }
    let target = clock.moment(atHost: host)
    // One that is behind may have come to the very moment, with timers left at it or none.
    guard target > world.now || isBehind else { return }
    if let due = world.nextDue(), due <= target, let dueHost = clock.host(at: due) {
      worstLateness = max(worstLateness, host > dueHost ? host - dueHost : 0)
    }
    var budget = budget
    isBehind = false
    switch world.advance(to: max(target, world.now), budget: &budget) {
    case .reached: break
    case .more: isBehind = true
    case .livelocked: takeLivelock()
    }
  }

  /// Takes over what the world says of a chain without end: a real clock is paused, and the users are to be told.
  ///
  /// - Returns: What it said, if anything.
  @discardableResult
  mutating func takeLivelock() -> World.Livelock? {
    guard let livelock = world.takeLivelock() else { return nil }
    if clock.isRunning { clock.pause() }
    unannounced = livelock
    return livelock
  }

  /// When the host must look at this world again for its timers; nil if time stands still or nothing is due.
  mutating func nextWake() -> UInt64? {
    guard clock.isRunning, let due = world.nextDue() else { return nil }
    return clock.host(at: due)
  }
}

/// A realm where it can be shared by the sessions that use it.
final class HostedWorld {
  var realm: Realm
  /// What the store has of it; nil for a world that is not durable, or cannot be had at present.
  var keeping: Keeping?
  /// A checkpoint that is being written.
  var archiving: ArchiveWriter?
  /// Whether it is to survive the daemon.
  var isDurable: Bool { keeping != nil || realm.outage != nil }
  /// The last input that clients may have been told of.
  var head: UInt64 { keeping?.head ?? realm.outage?.head ?? realm.world.lastSequence }

  init(_ realm: consuming Realm) {
    self.realm = realm
  }

  /// Puts a world in the place of what there is; watches stay. Nothing of it has been taken.
  func replace(with realm: consuming Realm) {
    var realm = realm
    keeping = nil
    archiving = nil
    realm.world.takeOverWatches(of: self.realm.world)
    self.realm = realm
  }
}
