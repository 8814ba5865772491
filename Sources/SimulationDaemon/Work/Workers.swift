import JournalStore
import UnixHost

/// The threads for long work, and their results.
///
/// Without threads the caller does everything itself: for tests, and for programs that serve one client.
final class Workers {
  private let pool: WorkerPool?
  /// The store's single thread, which keeps its jobs in order.
  private let storePool: WorkerPool
  /// The thread that renews the lease on the store, whatever the others wait for.
  private lazy var leasePool = WorkerPool(places: 1)
  private let renewing = Locked(false)
  private let returned: Returned
  /// Whether the store's thread has a job.
  private(set) var storeIsBusy = false
  /// Each ``Loan`` or ``Job`` with a worker, and the host time at which it was submitted.
  private(set) var underWay: [(work: AnyObject, slot: WorkerSlot, since: UInt64)] = []

  /// Finished work that was not taken yet, shared with the workers.
  private final class Returned: Sendable {
    let loans = Locked<[Loan]>([])
    let jobs = Locked<[Job]>([])
    let wake: @Sendable () -> Void

    init(_ wake: @escaping @Sendable () -> Void) {
      self.wake = wake
    }
  }

  /// Runs everything on the calling thread.
  init() {
    pool = nil
    storePool = WorkerPool(places: 1)
    returned = Returned {}
  }

  /// - Parameters:
  ///   - store: The store's thread, with one place; nil to create one.
  ///   - wake: Called from a worker's thread when work is finished.
  init(_ pool: WorkerPool, store: WorkerPool? = nil, wake: @escaping @Sendable () -> Void) {
    self.pool = pool
    storePool = store ?? WorkerPool(places: 1, niceness: pool.niceness)
    returned = Returned(wake)
  }

  /// A new slot for one piece of work.
  ///
  /// - Parameter user: Whose work it is; nil if it counts for nobody.
  func slot(of user: UserID?) -> WorkerSlot { WorkerSlot(of: user, pool) }

  /// Submits a loan to a worker.
  func submit(_ loan: Loan) {
    guard let pool else {
      loan.perform()
      returned.loans.withLock { $0.append(loan) }
      return
    }
    underWay.append((loan, loan.slot, HostClock.now()))
    let returned = returned
    pool.submit(for: loan.slot.user?.systemNumber()) {
      loan.slot.pacing { loan.perform() }
      returned.loans.withLock { $0.append(loan) }
      returned.wake()
    }
  }

  /// Loans that came back since the last call.
  func takeReturned() -> [Loan] {
    let back = returned.loans.withLock { loans in
      let back = loans
      loans = []
      return back
    }
    if !back.isEmpty { underWay.removeAll { out in back.contains { $0 === out.work } } }
    return back
  }

  var haveReturned: Bool { returned.loans.withLock { !$0.isEmpty } || returned.jobs.withLock { !$0.isEmpty } }

  /// Whether work is submitted or was not taken back.
  var areWorking: Bool { !underWay.isEmpty || storeIsBusy || haveReturned }

  /// How many workers run at a time.
  var places: Int { pool?.places ?? 1 }

  /// Whether everything runs on the calling thread.
  var areInline: Bool { pool == nil }

  // MARK: Jobs

  /// Submits a job to its thread. A job for the store's thread has the store to itself until ``takeReturnedJobs()``
  /// returns it.
  ///
  /// - Precondition: The store is not busy, if the job is for its thread.
  func submit(_ job: Job) {
    let place: WorkerPool
    if let slot = job.slot {
      place = pool ?? storePool
      underWay.append((job, slot, HostClock.now()))
    } else {
      precondition(!storeIsBusy, "one thread at a time uses the store")
      storeIsBusy = true
      place = storePool
    }
    let returned = returned
    guard !areInline else {
      job.perform()
      returned.jobs.withLock { $0.append(job) }
      return
    }
    place.submit(for: job.slot?.user?.systemNumber()) {
      if let slot = job.slot { slot.pacing { job.perform() } } else { job.perform() }
      returned.jobs.withLock { $0.append(job) }
      returned.wake()
    }
  }

  /// Whether the lease on the store is being renewed.
  var isRenewing: Bool { renewing.withLock { $0 } }

  /// Renews the lease on the store, unless that is being done.
  func submitRenewal(_ renew: @escaping @Sendable () -> Void) {
    guard !areInline else { return renew() }
    if isRenewing { return }
    renewing.withLock { $0 = true }
    let (renewing, wake) = (renewing, returned.wake)
    leasePool.submit(for: nil) {
      renew()
      renewing.withLock { $0 = false }
      wake()
    }
  }

  /// Waits until the store's thread is idle.
  func waitForStore() {
    if storeIsBusy, !areInline { storePool.wait() }
  }

  /// Jobs that came back since the last call.
  func takeReturnedJobs() -> [Job] {
    let jobs = returned.jobs.withLock { jobs in
      let back = jobs
      jobs = []
      return back
    }
    for job in jobs {
      if job.slot == nil { storeIsBusy = false } else { underWay.removeAll { $0.work === job } }
    }
    return jobs
  }

  /// Whether another piece of a user's work would run soon: long work gives way.
  ///
  /// - Parameters:
  ///   - isElsewhere: Whether it is in a world of another user. That world must not wait for other work of this user,
  ///     which may be long and never give way.
  ///   - now: The host time.
  func areFree(for user: UserID, isElsewhere: Bool = false, at now: UInt64 = HostClock.now()) -> Bool {
    guard let pool else { return true }
    func isRecent(_ since: UInt64) -> Bool { now &- since < 2 * WorkerSlot.longest }
    return underWay.count { isRecent($0.since) } < pool.places
      && underWay.count { $0.slot.user == user && (isElsewhere || isRecent($0.since)) } < pool.placesPerUser
  }

  /// Asks every worker to stop.
  func interrupt(_ why: Interruption) {
    for (_, slot, _) in underWay { slot.interrupt(why) }
  }

  /// Frees a user's object on a worker, since freeing a million machines takes a while.
  func dispose(_ object: AnyObject, of user: UserID) {
    guard let pool else { return }
    let last = LastReference(object)
    pool.submit(for: user.systemNumber()) { last.release() }
  }

  /// The last reference to an object.
  private final class LastReference: @unchecked Sendable {
    // Safety: the caller has given the object up, so only the worker has it.
    private var object: AnyObject?

    init(_ object: AnyObject) {
      self.object = object
    }

    func release() {
      object = nil
    }
  }
}

/// Work for the store's thread or a worker, with a handler for its result on the event loop.
final class Job: @unchecked Sendable {
  // Safety: the event loop makes it. `body` runs on one other thread and uses only what it was given. `finish` runs on
  // the event loop after `body`. `slot` may be used from both sides.
  private let body: () -> Void
  let finish: () -> Void
  /// The worker's time for it; nil for the store's thread.
  let slot: WorkerSlot?

  /// - Parameter slot: Given if `body` uses only the store's readers, so that a worker can run it.
  init<Success, Failure>(
    _ slot: WorkerSlot? = nil, _ body: @escaping () throws(Failure) -> Success,
    then finish: @escaping (Result<Success, Failure>) -> Void
  ) {
    let outcome = Outcome<Success, Failure>()
    self.slot = slot
    self.body = { outcome.result = Result { () throws(Failure) in try body() } }
    self.finish = {
      guard let result = outcome.result else { preconditionFailure("a job is done before it is finished") }
      finish(result)
    }
  }

  private final class Outcome<Success, Failure: Error> {
    var result: Result<Success, Failure>?
  }

  func perform() {
    slot?.begin()
    body()
  }
}
