import JournalStore
import UnixHost

/// The threads for long work, and their results.
///
/// Without threads the caller does everything itself: for tests, and for programs that serve one client.
final class Workers {
  private let pool: WorkerPool?
  private let returned: Returned
  /// The stores whose threads have a job.
  private var busyStores: [StoreThreads] = []
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
    returned = Returned {}
  }

  /// - Parameter wake: Called from a worker's thread when work is finished.
  init(_ pool: WorkerPool, wake: @escaping @Sendable () -> Void) {
    self.pool = pool
    returned = Returned(wake)
  }

  /// A new slot for one piece of work.
  ///
  /// - Parameters:
  ///   - lane: Whose work it is; nil if it counts for nobody.
  ///   - store: Where what it reads is kept; nil if it reads from no store.
  func slot(of lane: WorkerPool.Lane?, reading store: Persistence? = nil) -> WorkerSlot {
    WorkerSlot(of: lane, pool.map { store?.threads.readers ?? $0 })
  }

  /// Submits a loan to a worker.
  func submit(_ loan: Loan) {
    guard let pool = loan.slot.pool else {
      loan.perform()
      returned.loans.withLock { $0.append(loan) }
      return
    }
    underWay.append((loan, loan.slot, HostClock.now()))
    let returned = returned
    pool.submit(for: loan.slot.lane) {
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
  var areWorking: Bool { !underWay.isEmpty || !busyStores.isEmpty || haveReturned }

  /// How many workers run at a time.
  var places: Int { pool?.places ?? 1 }

  /// Whether everything runs on the calling thread.
  var areInline: Bool { pool == nil }

  // MARK: Jobs

  /// Submits a job to its thread. A job for a store's thread has the store to itself until ``takeReturnedJobs()``
  /// returns it.
  ///
  /// - Precondition: The store is not busy, if the job is for its thread.
  func submit(_ job: Job) {
    let (place, slot): (WorkerPool?, WorkerSlot?)
    switch job.place {
    case .worker(let own):
      (place, slot) = (own.pool, own)
      underWay.append((job, own, HostClock.now()))
    case .store(let threads):
      precondition(!threads.areBusy, "one thread at a time uses the store")
      threads.areBusy = true
      busyStores.append(threads)
      (place, slot) = (threads.writer, nil)
    }
    let returned = returned
    guard !areInline, let place else {
      job.perform()
      returned.jobs.withLock { $0.append(job) }
      return
    }
    place.submit(for: slot?.lane) {
      if let slot { slot.pacing { job.perform() } } else { job.perform() }
      returned.jobs.withLock { $0.append(job) }
      returned.wake()
    }
  }

  /// Renews the lease on a store, unless that is being done.
  func submitRenewal(of store: StoreThreads, _ renew: @escaping @Sendable () -> Void) {
    guard !areInline else { return renew() }
    store.renew(renew, then: returned.wake)
  }

  /// Waits until the threads of all stores are idle.
  func waitForStores() {
    if !areInline { for store in busyStores { store.writer.wait() } }
  }

  /// Jobs that came back since the last call.
  func takeReturnedJobs() -> [Job] {
    let jobs = returned.jobs.withLock { jobs in
      let back = jobs
      jobs = []
      return back
    }
    for job in jobs {
      switch job.place {
      case .worker: underWay.removeAll { $0.work === job }
      case .store(let threads):
        threads.areBusy = false
        busyStores.removeAll { $0 === threads }
      }
    }
    return jobs
  }

  /// Whether another piece of a user's work would run soon: long work gives way.
  ///
  /// - Parameters:
  ///   - isElsewhere: Whether it is in a world of another user. That world must not wait for other work of this user,
  ///     which may be long and never give way.
  ///   - now: The host time.
  func areFree(for lane: WorkerPool.Lane, isElsewhere: Bool = false, at now: UInt64 = HostClock.now()) -> Bool {
    guard let pool else { return true }
    func isRecent(_ since: UInt64) -> Bool { now &- since < 2 * WorkerSlot.longest }
    return underWay.count { isRecent($0.since) } < pool.places
      && underWay.count { $0.slot.lane == lane && (isElsewhere || isRecent($0.since)) } < pool.placesPerLane
  }

  /// Asks every worker to stop.
  func interrupt(_ why: Interruption) {
    for (_, slot, _) in underWay { slot.interrupt(why) }
  }

  /// Frees an object on a worker, since freeing a million machines takes a while.
  func dispose(_ object: AnyObject, of lane: WorkerPool.Lane) {
    guard let pool else { return }
    let last = LastReference(object)
    pool.submit(for: lane) { last.release() }
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

/// The threads of one store. What waits for a store that hangs holds up nothing else.
final class StoreThreads {
  /// The one that writes, which keeps its jobs in order.
  fileprivate let writer: WorkerPool
  /// Whether it has a job.
  fileprivate(set) var areBusy = false
  /// Workers for what reads the store; nil if it answers at once.
  fileprivate let readers: WorkerPool?
  /// The one that renews the daemon's lease on the store, whatever the others wait for.
  private lazy var renewer = WorkerPool(places: 1)
  private let renewing = Locked(false)

  init(writer: WorkerPool, readers: WorkerPool? = nil) {
    (self.writer, self.readers) = (writer, readers)
  }

  /// Whether the lease is being renewed.
  var areRenewing: Bool { renewing.withLock { $0 } }

  fileprivate func renew(_ body: @escaping @Sendable () -> Void, then wake: @escaping @Sendable () -> Void) {
    if areRenewing { return }
    renewing.withLock { $0 = true }
    let renewing = renewing
    renewer.submit(for: nil) {
      body()
      renewing.withLock { $0 = false }
      wake()
    }
  }
}

/// Work for a store's thread or a worker, with a handler for its result on the event loop.
final class Job: @unchecked Sendable {
  // Safety: the event loop makes it. `body` runs on one other thread and uses only what it was given. `finish` runs on
  // the event loop after `body`. A slot may be used from both sides, a store's threads by the event loop.
  private let body: () -> Void
  let finish: () -> Void
  let place: Place

  enum Place {
    /// For what uses the store.
    case store(StoreThreads)
    /// For what uses only the store's readers, or none; with the worker's time for it.
    case worker(WorkerSlot)
  }

  init<Success, Failure>(
    _ place: Place, _ body: @escaping () throws(Failure) -> Success,
    then finish: @escaping (Result<Success, Failure>) -> Void
  ) {
    let outcome = Outcome<Success, Failure>()
    self.place = place
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
    if case .worker(let slot) = place { slot.begin() }
    body()
  }
}
