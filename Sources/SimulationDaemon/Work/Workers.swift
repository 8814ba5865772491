import JournalStore
import UnixHost

/// The threads that long work is done on, and what they have given back.
///
/// Without threads of its own everything is done at once, by the caller: for tests, and for programs that serve one
/// client.
final class Workers {
  private let pool: WorkerPool?
  /// The one thread for what the store takes its time for, so that it is done in order.
  private let storePool: WorkerPool
  private let returned: Returned
  /// Whether the store is in use by its thread.
  private(set) var storeIsBusy = false
  /// What is with a worker, and the host time at which it was handed over.
  private var loans: [(loan: Loan, since: UInt64)] = []

  /// What has come back and nobody has taken, shared with the workers.
  private final class Returned: Sendable {
    let loans = Locked<[Loan]>([])
    let storeJobs = Locked<[StoreJob]>([])
    let wake: @Sendable () -> Void

    init(_ wake: @escaping @Sendable () -> Void) {
      self.wake = wake
    }
  }

  /// Does everything at once.
  init() {
    pool = nil
    storePool = WorkerPool(places: 1)
    returned = Returned {}
  }

  /// - Parameter wake: Called from a worker's thread when something has come back.
  init(_ pool: WorkerPool, wake: @escaping @Sendable () -> Void) {
    self.pool = pool
    storePool = WorkerPool(places: 1, niceness: pool.niceness)
    returned = Returned(wake)
  }

  /// The time for one piece of work.
  func lease() -> Lease { Lease(pool) }

  /// Hands a loan to a worker.
  func submit(_ loan: Loan) {
    guard let pool else {
      loan.perform()
      returned.loans.withLock { $0.append(loan) }
      return
    }
    loans.append((loan, HostClock.now()))
    let returned = returned
    pool.submit {
      loan.perform()
      returned.loans.withLock { $0.append(loan) }
      returned.wake()
    }
  }

  /// What has come back since this was last asked.
  func takeReturned() -> [Loan] {
    let back = returned.loans.withLock { loans in
      let back = loans
      loans = []
      return back
    }
    if !back.isEmpty { loans.removeAll { out in back.contains { $0 === out.loan } } }
    return back
  }

  var haveReturned: Bool { returned.loans.withLock { !$0.isEmpty } || returned.storeJobs.withLock { !$0.isEmpty } }

  /// Whether something is with a worker.
  var areWorking: Bool { !loans.isEmpty || storeIsBusy || haveReturned }

  /// Whether everything is done at once.
  var areInline: Bool { pool == nil }

  // MARK: The store

  /// Lets the store's thread do something with the store; nobody else uses it until ``takeReturnedStoreJobs()`` gives that
  /// back.
  ///
  /// - Precondition: The store is not busy.
  func submit(_ job: StoreJob) {
    precondition(!storeIsBusy, "one thread at a time uses the store")
    storeIsBusy = true
    guard !areInline else {
      job.perform()
      returned.storeJobs.withLock { $0.append(job) }
      return
    }
    let returned = returned
    storePool.submit {
      job.perform()
      returned.storeJobs.withLock { $0.append(job) }
      returned.wake()
    }
  }

  /// Waits until the store's thread has nothing to do.
  func waitForStore() {
    if storeIsBusy, !areInline { storePool.wait() }
  }

  func takeReturnedStoreJobs() -> [StoreJob] {
    let jobs = returned.storeJobs.withLock { jobs in
      let back = jobs
      jobs = []
      return back
    }
    if !jobs.isEmpty { storeIsBusy = false }
    return jobs
  }

  /// Whether another loan would have its turn soon: those that take long give way.
  var areFree: Bool {
    guard let pool else { return true }
    if loans.count < pool.places { return true }
    let now = HostClock.now()
    return loans.count { now &- $0.since < 2 * Lease.longest } < pool.places
  }

  /// When it is to be asked again whether they are free; nil if they are.
  func nextLook(host: UInt64) -> UInt64? { areFree ? nil : host + Lease.longest }

  /// Ends what every worker does, as soon as it can be.
  func interrupt(_ why: Interruption) {
    for (loan, _) in loans { loan.lease.interrupt(why) }
  }

  /// Lets something be freed by a worker: a million machines take a while.
  func dispose(_ object: AnyObject) {
    guard let pool else { return }
    let last = LastReference(object)
    pool.submit { last.release() }
  }

  /// The last reference to what is to be freed.
  private final class LastReference: @unchecked Sendable {
    // Safety: whoever disposes of the object has given it up, so that the worker is the only one that has it.
    private var object: AnyObject?

    init(_ object: AnyObject) {
      self.object = object
    }

    func release() {
      object = nil
    }
  }
}

/// Something that the store's thread does, and what is done with its outcome on the event loop.
final class StoreJob: @unchecked Sendable {
  // Safety: made by the event loop; `body` runs on the store's thread with what it was given for that alone, `finish` on
  // the event loop again when that is done.
  private let body: () -> Void
  let finish: () -> Void

  init<Success>(
    _ body: @escaping () throws(StoreFailure) -> Success,
    then finish: @escaping (Result<Success, StoreFailure>) -> Void
  ) {
    let outcome = Outcome<Success>()
    self.body = { outcome.result = Result { () throws(StoreFailure) in try body() } }
    self.finish = {
      guard let result = outcome.result else { preconditionFailure("a job is done before it is finished") }
      finish(result)
    }
  }

  private final class Outcome<Success> {
    var result: Result<Success, StoreFailure>?
  }

  func perform() {
    body()
  }
}
