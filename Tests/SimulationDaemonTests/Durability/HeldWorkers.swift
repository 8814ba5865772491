@testable import UnixHost
@testable import SimulationDaemon

/// One thread for long work, which does nothing before a test says so.
final class HeldWorkers {
  private let pool = WorkerPool(places: 1)
  private let gate = Semaphore()
  private let returned = Semaphore()

  init() {
    pool.submit { [gate] in gate.wait() }
  }

  func workers() -> Workers {
    Workers(pool) { [returned] in returned.signal() }
  }

  /// Lets the thread work.
  func letGo() {
    gate.signal()
  }

  /// Lets the thread work until nothing is left to do, with the rounds that the service needs for it.
  func finish(_ host: HostedService) {
    letGo()
    while host.service.workers.areWorking || host.service.needsTurn {
      if !host.service.workers.haveReturned, host.service.workers.areWorking { returned.wait() }
      host.round()
    }
  }
}
