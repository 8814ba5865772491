@testable import UnixHost
@testable import SimulationDaemon

/// Threads for long work, one of which waits for the test, and one for the store, which can be held.
final class HeldWorkers {
  private let pool: WorkerPool
  private let storePool = WorkerPool(places: 1)
  private let gate = Semaphore()
  private let storeGate = Semaphore()
  private let returned = Semaphore()

  /// - Parameters:
  ///   - places: How many threads there are.
  ///   - placesPerLane: How many of them one lane may have.
  ///   - lane: Whose work the thread that waits has; nil for nobody's.
  init(places: Int = 1, placesPerLane: Int? = nil, lane: WorkerPool.Lane? = nil) {
    pool = WorkerPool(places: places, placesPerLane: placesPerLane)
    pool.submit(for: lane) { [gate] in gate.wait() }
  }

  var stores: StoreThreads { StoreThreads(writer: storePool) }

  func workers() -> Workers {
    Workers(pool) { [returned] in returned.signal() }
  }

  /// Lets the thread work.
  func letGo() {
    gate.signal()
  }

  /// Holds the store's thread before its next task.
  func holdStore() {
    storePool.submit { [storeGate] in storeGate.wait() }
  }

  /// Releases the store's thread.
  func letStoreGo() {
    storeGate.signal()
  }

  /// One round, when there is something to do in it.
  func round(_ host: HostedService) {
    if !host.service.workers.haveReturned, host.service.workers.areWorking { returned.wait() }
    host.round()
  }

  /// Lets the thread work until nothing is left to do, with the rounds that the service needs for that.
  func finish(_ host: HostedService) {
    letGo()
    while host.service.workers.areWorking || host.service.needsTurn { round(host) }
  }
}
