import JournalStore
import MachineGraphs
import Simulator
import StateMachines

/// A world on its clock, with all that a request or a worker needs of it: the part of a ``HostedWorld`` that is lent.
struct LiveWorld: ~Copyable {
  /// The ``WorldKey``, as text.
  let name: String
  let seed: UInt64
  var world: WorldCore
  var clock: WorldClock
  /// Whether timers are overdue in the current round.
  var isBehind: Bool { lag != .none }
  private var lag = Lag.none

  private enum Lag {
    case none
    /// The slice was over before the first of them. The event loop retries.
    case passedOver
    /// They take longer than the event loop has; a worker catches up.
    case long
  }

  /// The host time of the current round.
  var host: UInt64
  /// What the host's clock shows in that round, in nanoseconds since 1970; nil if nobody asked it.
  private(set) var wall: Int64?
  /// A livelock that the world's clients have not been told of.
  var unannounced: WorldCore.Livelock?
  /// The notice with the text that `point say=` shows here, for those who begin to watch later.
  var said: String?
  /// The greatest delay of a timer on a real clock, in host nanoseconds.
  var worstLateness: UInt64 = 0
  /// The world's part of the memory budget.
  var share = WorldShare()
  /// The world's `growths` at the last check that found memory for more inputs.
  var growths = 0
  /// Whether that check was made for a guest.
  var admitsGuests = false
  /// Whether clients must be told that the real clock was paused for lack of memory.
  var isFullMemoryUnannounced = false
  /// The rewind in progress. Until it ends, nothing else changes the world.
  weak var rewinding: Rewinding?
  /// The last rewind to an input, which may have left timers that are due at its moment.
  private var rewoundToInput: UInt64?
  /// The journal in the store; nil if the world is not durable.
  var stored: StoredJournal?
  /// Path searches by kind.
  private var finders: [ObjectIdentifier: PathFinder] = [:]
  /// Whether recent requests were slow here, so that workers run them.
  var isSlow = false
  /// Whether an input here may take long, so that it must not run on the event loop.
  var mayStepLong: Bool { isSlow || areChartsLong || world.mayFireLong }
  /// Whether workers run the charts that are here or are made here.
  var hasSlowCharts = false
  /// Whether an input of a chart here may take long.
  private var areChartsLong: Bool { world.hasLongSteps || hasSlowCharts && world.hasDocuments }
  /// How much work may be done at once where the world is now.
  var slice = Slice.onEventLoop
  /// Why the world cannot change now; nil if it can.
  var outage: Outage?
  /// Where the thread that has the world notes what is under way; nil for nowhere.
  var note: WorkNotes.Note? {
    didSet { world.underWay = note?.input }
  }

  /// A world that is out of service or read-only.
  struct Outage {
    enum Cause {
      /// The store has failed; the host time of the next retry.
      case store(retryAt: UInt64)
      /// Another daemon has the world; its name if it has one, and the host time until which that is taken as true.
      case taken(by: String?, until: UInt64)
      /// This program cannot load the stored data.
      case unreadable
    }

    /// What is wrong and what to do, in one line.
    let reason: String
    let cause: Cause
    /// The last input known to be stored. Clients saw no later one.
    let head: UInt64
    /// What the world was loaded from if it can be read; nil if it cannot.
    var source: LoadedWorld.Source?
    /// Whether the outage began at the daemon's start.
    var isFromStart = false

    var isReadable: Bool { source != nil }

    /// The daemon that has the world, if another one has it and has a name.
    var host: String? { if case .taken(let host, _) = cause { host } else { nil } }
  }

  init(name: String, clock: WorldClock.Mode, seed: UInt64, limits: WorldLimits, host: UInt64) {
    self.name = name
    self.seed = seed
    world = WorldCore(seed: seed, limits: limits)
    self.clock = WorldClock(clock, host: host)
    self.host = host
  }

  /// A placeholder for a stored world that is not loaded.
  init(name: String, limits: WorldLimits, host: UInt64, _ outage: Outage) {
    self.init(name: name, clock: .virtual, seed: 0, limits: limits, host: host)
    self.outage = outage
  }

  /// A placeholder for a world out of service: it is empty, and its time stands still.
  init(without other: borrowing LiveWorld, _ outage: Outage) {
    name = other.name
    seed = other.seed
    world = WorldCore(seed: other.seed, limits: other.world.limits)
    clock = WorldClock(.virtual, host: other.host)
    host = other.host
    self.outage = outage
  }

  /// A world from the store.
  init(name: String, _ settings: WorldSettings, _ world: consuming WorldCore, host: UInt64) {
    self.name = name
    seed = settings.seed
    clock = settings.clock(host: host, moment: world.now)
    self.world = world
    self.host = host
  }

  /// An independent copy; its clock continues as this one's does.
  init(forking other: borrowing LiveWorld, as name: String) {
    self.name = name
    seed = other.seed
    world = other.world.fork()
    clock = other.clock
    host = other.host
    wall = other.wall
    lag = other.lag
    rewoundToInput = other.rewoundToInput
  }

  /// With more wires than this, a step may make so many deliveries that workers run the requests.
  static let manyWires = 2_000

  /// Worlds with this many machines or more are copied and rewound on workers.
  static let manyMachines = 5_000

  /// Whether some requests may be slow here, so that their cost is checked first.
  var isLarge: Bool {
    world.machineCount > 20 || world.lastSequence &- firstSequence &+ 1 > 5_000
  }

  /// How many inputs can still be read.
  var inputsKept: Int { Int(world.lastSequence + 1 - firstSequence) }

  /// The oldest input that can still be read, in memory or in the store.
  var firstSequence: UInt64 { min(stored?.first ?? .max, world.firstSequence) }

  /// Whether a timer is due on a real clock, so that ``catchUp(_:)`` takes a step.
  mutating func isTimerDue(at host: UInt64) -> Bool {
    clock.isRunning && world.nextDue().map { $0 <= clock.moment(atHost: host) } ?? false
  }

  /// On a real clock, fires the timers that are due by `host`, each at its own moment.
  ///
  /// If the slice ends first, the world's moment lags behind.
  mutating func catchUp(_ time: HostTime) {
    wall = time.wall
    if rewinding != nil { return }
    let host = time.monotonic
    let isLater = host != self.host
    self.host = host
    noteWallTime()
    switch lag {
    case .none: guard isLater else { return }
    case .passedOver: break
    case .long: guard slice.isOnWorker || !clock.isRunning else { return }
    }
    guard clock.isRunning, outage == nil else {
      lag = .none
      return
    }
    let target = clock.moment(atHost: host)
    // A world that is behind may have reached the target with timers still due.
    guard target > world.now || isBehind else { return }
    if let due = world.nextDue(), due <= target {
      if let dueHost = clock.host(at: due) { worstLateness = max(worstLateness, host > dueHost ? host - dueHost : 0) }
      if slice.isOver {
        lag = .passedOver
        return
      }
      if areChartsLong, !slice.isOnWorker {
        lag = .long
        return
      }
    }
    lag = .long
    repeat {
      guard hasRoomForInputs || mayGrow() else {
        lag = .none
        clock.pause()
        isFullMemoryUnannounced = true
        return
      }
      var budget = slice.firingsAtOnce
      let before = world.lastSequence
      switch world.advance(to: max(target, world.now), budget: &budget) {
      case .reached:
        lag = .none
      case .more:
        if !slice.goesOn(after: Int(world.lastSequence - before)) { return }
      case .livelocked:
        lag = .none
        takeLivelock()
      }
    } while isBehind
  }

  /// Keeps beside the journal what the host's clock shows, for the inputs that follow; again once the clock has another
  /// mode.
  mutating func noteWallTime() {
    if rewinding == nil, outage == nil { noteWallTime(isRunning: clock.isRunning) }
  }

  private mutating func noteWallTime(isRunning: Bool) {
    let moment = isRunning ? clock.moment(atHost: host) : world.now
    world.noteWallTime(
      clock.mode == .real ? wall : nil, at: moment, speed: isRunning ? clock.speed.billionths : 0)
  }

  /// Whether the world stands between two inputs of one instant, after a rewind to the first of them.
  var standsWithinAnInstant: Bool { world.lastSequence == rewoundToInput && !clock.isRunning }

  /// Replaces the world's state by that of a rewind that has arrived.
  mutating func rewind(_ rewinding: Rewinding) -> ClosedRange<UInt64>? {
    noteWallTime(isRunning: false)
    defer {
      if rewinding.leavesDueTimers { rewoundToInput = world.lastSequence }
      reportMemory()
    }
    return world.rewind(rewinding)
  }

  /// Takes a livelock from the world. Pauses a real clock and schedules the announcement.
  ///
  /// - Returns: The livelock; nil if there is none.
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

  /// The host time of the next timer; nil if time stands still or no timer runs.
  mutating func nextWake() -> UInt64? {
    // A worker catches up with a long lag.
    guard clock.isRunning, outage == nil, lag != .long, let due = world.nextDue() else { return nil }
    return clock.host(at: due)
  }
}

extension LiveWorld {
  /// A reference to a live world, which changes hands without a copy.
  final class Box {
    var live: LiveWorld

    init(_ live: consuming LiveWorld) {
      self.live = live
    }

    /// Exchanges the world for that of another box, but keeps the watches and the text that was shown.
    func replace(with other: Box) {
      other.live.share.join(live.share.budget, live.share.quota)
      other.live.world.takeOverWatches(of: live.world)
      other.live.said = live.said
      swap(&live, &other.live)
    }

    /// Does something in the world, which is noted meanwhile.
    ///
    /// - Parameters:
    ///   - notes: Nil without a store.
    ///   - identity: The store's number for the world; nil for one that is not stored.
    ///   - request: A word for the request under way, if its line is not known.
    func noting<E>(
      in notes: WorkNotes?, _ identity: Int64?, request: String = "", _ body: () throws(E) -> Void
    ) throws(E) {
      let outer = live.note
      try notes.during(.requests, identity, isRunning: live.clock.isRunning, request: request) { (note) throws(E) in
        live.note = note
        defer { live.note = outer }
        try body()
      }
    }
  }
}
