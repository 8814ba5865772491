import LineProtocol
import Synchronization
import UnixHost

/// How long a piece of work may go on: a few inputs on the event loop, a few milliseconds on a worker.
///
/// Where a piece ends depends on the host and on who else is there; what comes of the work does not. Everything that
/// takes its time asks ``goesOn(after:)`` or ``wait()`` between two inputs.
struct Slice {
  private let place: Place
  /// What is left of the event loop's patience, in inputs.
  private var inputs: Int

  private enum Place {
    case eventLoop
    case worker(WorkerSlot)
  }

  /// On the event loop: about a tenth of a millisecond.
  static let onEventLoop = Slice(place: .eventLoop, inputs: 400)

  /// On a worker, until the slot's time is over.
  init(_ slot: WorkerSlot) {
    self.init(place: .worker(slot), inputs: 0)
  }

  private init(place: Place, inputs: Int) {
    self.place = place
    self.inputs = inputs
  }

  /// Whether this is a worker's, where work may be long.
  var isOnWorker: Bool { if case .worker = place { true } else { false } }

  /// Timers that are fired before it is asked again whether to go on.
  var firingsAtOnce: Int {
    switch place {
    case .eventLoop: min(64, max(1, inputs))
    case .worker: 128
    }
  }

  /// Whether there is time for more of what can be cut.
  ///
  /// - Parameter inputs: What was done since it was asked last, in inputs of a world or what takes about as long.
  mutating func goesOn(after inputs: Int) -> Bool {
    switch place {
    case .eventLoop:
      self.inputs -= inputs
      return self.inputs > 0
    case .worker(let slot):
      return !slot.isOver
    }
  }

  /// Between two parts of what must not be cut: others have their turn on this worker when the time is over.
  ///
  /// - Returns: Why the work is to end here, if it is.
  func wait() -> Interruption? {
    guard case .worker(let slot) = place else { return nil }
    slot.giveWay()
    return slot.interruption
  }
}

/// Why a piece of work ends before it is done.
enum Interruption: UInt8 {
  /// Its client, or somebody else, has sent `cancel`.
  case cancelled = 1
  /// The daemon is ending.
  case shuttingDown = 2

  var code: FailureCode {
    switch self {
    case .cancelled: .cancelled
    case .shuttingDown: .shuttingDown
    }
  }

  var text: String {
    switch self {
    case .cancelled: "cancelled"
    case .shuttingDown: "the daemon is ending"
    }
  }
}

/// A worker's time for one piece of work, and the way to end it from the event loop.
final class WorkerSlot: Sendable {
  /// How long a worker has a world, in nanoseconds of the host.
  static let longest: UInt64 = 5_000_000

  private let pool: WorkerPool?
  private let end: Atomic<UInt64>
  private let stop = Atomic<UInt8>(0)

  /// - Parameter pool: Where it runs; nil where nobody else waits.
  init(_ pool: WorkerPool?) {
    self.pool = pool
    end = Atomic(0)
  }

  /// Begins the time.
  func begin() {
    end.store(HostClock.now() &+ WorkerSlot.longest, ordering: .relaxed)
  }

  /// Asks the worker to end the work, from any thread.
  func interrupt(_ why: Interruption) {
    stop.store(why.rawValue, ordering: .relaxed)
  }

  var interruption: Interruption? { Interruption(rawValue: stop.load(ordering: .relaxed)) }

  /// Whether the worker is to stop as soon as it can.
  var isOver: Bool {
    stop.load(ordering: .relaxed) != 0 || HostClock.now() >= end.load(ordering: .relaxed)
  }

  /// Lets others work when the time is over, and begins anew.
  func giveWay() {
    guard HostClock.now() >= end.load(ordering: .relaxed) else { return }
    pool?.yield()
    begin()
  }
}
