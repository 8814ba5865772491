import MachineGraphs
import Simulator
import StateMachines

/// A world as the daemon keeps it: with its name, its seed and its clock.
struct Realm: ~Copyable {
  let name: String
  let seed: UInt64
  var world: WorldCore
  var clock: WorldClock
  /// Whether timers are still due that were to have fired by the present round.
  private(set) var isBehind = false
  /// The host time of the present round.
  var host: UInt64
  /// A chain without end that the world's users have not been told of.
  var unannounced: WorldCore.Livelock?
  /// The most that a timer of this world was late on a real clock, in nanoseconds of the host's.
  var worstLateness: UInt64 = 0
  /// What this world has of the daemon's memory.
  var share = WorldShare()
  /// How often the journal had taken more memory when that was last looked at and found to be within bounds.
  var openings = 0
  /// Whether its users have still to be told that a real clock was paused, since there is no memory for what it brings.
  var isFullUnannounced = false
  /// A way back that is under way: until it has come to its end, the world stands still for all others.
  weak var rewinding: Rewinding?
  /// What the store has of the journal; nil for a world that is not durable.
  var stored: StoredJournal?
  /// Searches for ways to where something is possible, by their kinds.
  private var finders: [ObjectIdentifier: PathFinder] = [:]
  /// Whether requests have lately taken long here, so that workers carry them out.
  var isSlow = false
  /// How much may be done at once where the realm is now.
  var slice = Slice.onEventLoop
  /// Why nothing can be changed here at present: the store cannot be written, or what it has of this world not be had.
  /// Nil where all is well.
  var outage: Outage?

  /// A world that is out of service.
  struct Outage {
    enum Cause {
      /// The store does not answer as it should; the host time at which it is asked again.
      case store(retryAt: UInt64)
      /// The world is another daemon's by now.
      case taken
      /// Of what the store has this program can make no world.
      case unreadable
    }

    /// What is wrong and what to do, in one line.
    let reason: String
    let cause: Cause
    /// The last input that was stored, as far as is known; nobody was told of a later one.
    let head: UInt64
    /// What of the store the world was built up from, which can be looked at; nil where nothing is there.
    var reading: StoredRealm.Reading?
    /// Whether it has been so since the daemon began.
    var isFromStart = false

    var isReadable: Bool { reading != nil }
  }

  init(name: String, clock: WorldClock.Mode, seed: UInt64, limits: WorldLimits, host: UInt64) {
    self.name = name
    self.seed = seed
    world = WorldCore(seed: seed, limits: limits)
    self.clock = WorldClock(clock, host: host)
    self.host = host
  }

  /// What stands for a world of the store that could not be brought back.
  init(name: String, limits: WorldLimits, host: UInt64, _ outage: Outage) {
    self.init(name: name, clock: .virtual, seed: 0, limits: limits, host: host)
    self.outage = outage
  }

  /// What stands for a world that cannot be had at present: nothing is in it, and no time passes.
  init(without other: borrowing Realm, _ outage: Outage) {
    name = other.name
    seed = other.seed
    world = WorldCore(seed: other.seed, limits: other.world.limits)
    clock = WorldClock(.virtual, host: other.host)
    host = other.host
    self.outage = outage
  }

  /// A world that was brought back.
  init(name: String, _ settings: WorldSettings, _ world: consuming WorldCore, host: UInt64) {
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

  /// A step may make this many deliveries without being a worker's.
  static let manyWires = 2_000

  /// A world of more machines is copied and put back by workers.
  static let manyMachines = 5_000

  /// Whether it is to be looked closer at requests, since some may take long here.
  var isLarge: Bool {
    world.machineCount > 20 || world.lastSequence &- firstSequence &+ 1 > 5_000
  }

  /// How many inputs can still be read.
  var inputsKept: Int { Int(world.lastSequence + 1 - firstSequence) }

  /// The oldest input that can still be read, in memory or in the store.
  var firstSequence: UInt64 { min(stored?.first ?? .max, world.firstSequence) }

  /// Fires the timers that were due by `host` on a real clock, each at its own moment.
  ///
  /// Where there is more to do than the slice allows, the world's moment lags behind, and `isBehind` says so.
  mutating func catchUp(host: UInt64) {
    if rewinding != nil || (host == self.host && !(isBehind && slice.isOnWorker)) { return }
    self.host = host
    guard clock.isRunning, outage == nil else {
      isBehind = false
      return
    }
    let target = clock.moment(atHost: host)
    // One that is behind may have come to the very moment, with timers left at it or none.
    guard target > world.now || isBehind else { return }
    if let due = world.nextDue(), due <= target, let dueHost = clock.host(at: due) {
      worstLateness = max(worstLateness, host > dueHost ? host - dueHost : 0)
    }
    isBehind = true
    repeat {
      guard hasRoomForInputs || mayGrow() else {
        isBehind = false
        clock.pause()
        isFullUnannounced = true
        return
      }
      var budget = slice.firingsAtOnce
      let before = world.lastSequence
      switch world.advance(to: max(target, world.now), budget: &budget) {
      case .reached:
        isBehind = false
      case .more:
        if !slice.goesOn(after: Int(world.lastSequence - before)) { return }
      case .livelocked:
        isBehind = false
        takeLivelock()
      }
    } while isBehind
  }

  /// Takes over what the world says of a chain without end: a real clock is paused, and the users are to be told.
  ///
  /// - Returns: What it said, if anything.
  @discardableResult
  mutating func takeLivelock() -> WorldCore.Livelock? {
    guard let livelock = world.takeLivelock() else { return nil }
    if clock.isRunning { clock.pause() }
    unannounced = livelock
    return livelock
  }

  mutating func finder(of kind: Kind) -> PathFinder {
    if let finder = finders[ObjectIdentifier(kind)] { return finder }
    let finder = PathFinder(kind)
    finders[ObjectIdentifier(kind)] = finder
    return finder
  }

  /// When the host must look at this world again for its timers; nil if time stands still or nothing is due.
  mutating func nextWake() -> UInt64? {
    guard clock.isRunning, outage == nil, let due = world.nextDue() else { return nil }
    return clock.host(at: due)
  }
}
