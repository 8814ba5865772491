import LineProtocol
import Statecharts
import Synchronization
import UnixHost

/// How long a piece of work may run: a few inputs on the event loop, a few milliseconds on a worker.
///
/// Where a piece ends depends on the host and on other clients; the result does not. Long work calls ``goesOn(after:)``
/// or ``wait()`` between two inputs.
struct Slice {
  private let place: Place
  /// Inputs left on the event loop.
  private var inputs: Int
  /// Timers to fire there before the next check. A firing can be long, so it begins with one.
  private var firings = 1

  private enum Place {
    /// Until a host time.
    case eventLoop(UInt64)
    case worker(WorkerSlot)
  }

  /// For the event loop: about a tenth of a millisecond, and one if the inputs are long. One input is never cut.
  static var onEventLoop: Slice {
    Slice(place: .eventLoop(HostClock.now() &+ Service.tooLong), inputs: 400)
  }

  /// For a worker, until the slot's time is over.
  init(_ slot: WorkerSlot) {
    self.init(place: .worker(slot), inputs: 0)
  }

  private init(place: Place, inputs: Int) {
    self.place = place
    self.inputs = inputs
  }

  /// Whether this is for a worker, where work may be long.
  var isOnWorker: Bool { if case .worker = place { true } else { false } }

  /// Timers to fire before the next check.
  var firingsAtOnce: Int {
    switch place {
    case .eventLoop: min(firings, max(1, inputs))
    case .worker: 128
    }
  }

  /// Whether work that can be cut may continue.
  ///
  /// - Parameter inputs: The inputs since the last call, or other work of that cost.
  mutating func goesOn(after inputs: Int) -> Bool {
    switch place {
    case .eventLoop:
      self.inputs -= inputs
      firings = min(64, firings * 2)
    case .worker: break
    }
    return !isOver
  }

  /// Whether its time is over before any work.
  var isOver: Bool {
    switch place {
    case .eventLoop(let end): inputs <= 0 || HostClock.now() >= end
    case .worker(let slot): slot.isOver
    }
  }

  /// Call this between two parts of work that cannot be cut. If the time is over, the worker serves others first.
  ///
  /// - Returns: Why the work must end here, if it must.
  func wait() -> Interruption? {
    guard case .worker(let slot) = place else { return nil }
    return slot.goesOn() ? nil : slot.interruption
  }
}

/// Why work ends before it is done.
enum Interruption: UInt8 {
  /// Some client has sent `cancel`.
  case cancelled = 1
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

/// A worker's time for one piece of work. The event loop can interrupt it.
final class WorkerSlot: Sendable {
  /// How long a worker has a world, in host nanoseconds.
  static let longest: UInt64 = 5_000_000

  /// Nil for work that counts for nobody.
  let lane: WorkerPool.Lane?
  /// Where the work runs; nil if nothing else waits.
  let pool: WorkerPool?
  private let end: Atomic<UInt64>
  private let stop = Atomic<UInt8>(0)

  /// - Parameters:
  ///   - lane: Whose work it is; nil if it counts for nobody.
  ///   - pool: Where the work runs; nil if nothing else waits.
  init(of lane: WorkerPool.Lane?, _ pool: WorkerPool?) {
    self.lane = lane
    self.pool = pool
    end = Atomic(0)
  }

  /// Starts the time.
  func begin() {
    end.store(HostClock.now() &+ WorkerSlot.longest, ordering: .relaxed)
  }

  /// Asks the worker to stop, from any thread.
  func interrupt(_ why: Interruption) {
    stop.store(why.rawValue, ordering: .relaxed)
  }

  var interruption: Interruption? { Interruption(rawValue: stop.load(ordering: .relaxed)) }

  /// Whether the worker must stop as soon as it can.
  var isOver: Bool {
    stop.load(ordering: .relaxed) != 0 || isTimeOver
  }

  /// Call this between two parts of long work that no client waits for. If the time is over, others work first.
  ///
  /// - Returns: Whether the work goes on.
  func goesOn() -> Bool {
    giveWay()
    return interruption == nil
  }

  /// Whether the time is over, if nobody stops the worker.
  var isTimeOver: Bool { HostClock.now() >= end.load(ordering: .relaxed) }

  /// If the time is over, lets others work and starts the time again.
  ///
  /// - Parameter most: If as many jobs wait in this way already, it goes on.
  func giveWay(besidesAtMost most: Int = .max) {
    guard isTimeOver else { return }
    pool?.yield(for: lane, besidesAtMost: most)
    begin()
  }

  /// The most threads that wait within a step. Each has a world, and a place in the notes of what is under way.
  private static let mostWithinSteps = 32

  /// Runs `body`, in which long steps of charts give way, too.
  func pacing(_ body: () -> Void) {
    Budget.pause.withValue(
      Budget.Pause {
        self.giveWay(besidesAtMost: WorkerSlot.mostWithinSteps)
        return self.interruption == nil
      }, operation: body)
  }
}
