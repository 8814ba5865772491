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
  /// What is with a worker, a ``Loan`` or a ``Job``, and the host time at which it was handed over.
  private var underWay: [(work: AnyObject, slot: WorkerSlot, since: UInt64)] = []

  /// What has come back and nobody has taken, shared with the workers.
  private final class Returned: Sendable {
    let loans = Locked<[Loan]>([])
    let jobs = Locked<[Job]>([])
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

  /// - Parameters:
  ///   - store: The store's thread, which has one place; nil for one of its own.
  ///   - wake: Called from a worker's thread when something has come back.
  init(_ pool: WorkerPool, store: WorkerPool? = nil, wake: @escaping @Sendable () -> Void) {
    self.pool = pool
    storePool = store ?? WorkerPool(places: 1, niceness: pool.niceness)
    returned = Returned(wake)
  }

  /// The time for one piece of work.
  func slot() -> WorkerSlot { WorkerSlot(pool) }

  /// Hands a loan to a worker.
  func submit(_ loan: Loan) {
    guard let pool else {
      loan.perform()
      returned.loans.withLock { $0.append(loan) }
      return
    }
    underWay.append((loan, loan.slot, HostClock.now()))
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
    if !back.isEmpty { underWay.removeAll { out in back.contains { $0 === out.work } } }
    return back
  }

  var haveReturned: Bool { returned.loans.withLock { !$0.isEmpty } || returned.jobs.withLock { !$0.isEmpty } }

  /// Whether something is with a worker.
  var areWorking: Bool { !underWay.isEmpty || storeIsBusy || haveReturned }

  /// How many of them work at a time.
  var places: Int { pool?.places ?? 1 }

  /// Whether everything is done at once.
  var areInline: Bool { pool == nil }

  // MARK: Jobs

  /// Hands a job to whom it is for. Nobody else uses the store from a job for its thread until ``takeReturnedJobs()`` gives
  /// that back.
  ///
  /// - Precondition: The store is not busy, where the job is for its thread.
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
    place.submit {
      job.perform()
      returned.jobs.withLock { $0.append(job) }
      returned.wake()
    }
  }

  /// Waits until the store's thread has nothing to do.
  func waitForStore() {
    if storeIsBusy, !areInline { storePool.wait() }
  }

  /// The jobs that are done since this was last asked.
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

  /// Whether another loan would have its turn soon: those that take long give way.
  var areFree: Bool {
    guard let pool else { return true }
    if underWay.count < pool.places { return true }
    let now = HostClock.now()
    return underWay.count { now &- $0.since < 2 * WorkerSlot.longest } < pool.places
  }

  /// When it is to be asked again whether they are free; nil if they are.
  func nextLook(host: UInt64) -> UInt64? { areFree ? nil : host + WorkerSlot.longest }

  /// Ends what every worker does, as soon as it can be.
  func interrupt(_ why: Interruption) {
    for (_, slot, _) in underWay { slot.interrupt(why) }
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

/// Something that the store's thread or a worker does, and what is done with its outcome on the event loop.
final class Job: @unchecked Sendable {
  // Safety: made by the event loop; `body` runs on one other thread with what it was given for that alone, `finish` on
  // the event loop again when that is done. `slot` is made to be used from both sides.
  private let body: () -> Void
  let finish: () -> Void
  /// The time that a worker has for it; nil for what the store's thread does.
  let slot: WorkerSlot?

  /// - Parameter slot: Where `body` uses nothing of the store but its readers, so that a worker can do it.
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
