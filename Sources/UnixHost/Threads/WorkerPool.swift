internal import CSystem
internal import Glibc

/// Threads for work that would block an event loop.
///
/// At most ``places`` jobs run at a time; the others wait in order. A long job calls ``yield()`` regularly, which hands
/// its place to the next job and waits for another: so a few long jobs cannot block the others. The threads have a
/// lower priority than the event loop and are made on demand.
package final class WorkerPool: Sendable {
  package typealias Job = @Sendable () -> Void

  /// How many jobs run at a time.
  package let places: Int
  /// How much lower than usual the threads' priority is.
  package let niceness: Int32
  private let state = Locked(State())

  private struct State {
    /// Jobs that wait for a place, in order.
    var waiting: [Waiting] = []
    /// Jobs that have a place.
    var running = 0
    /// Threads without a job. The last one to become idle is used first, since its stack is warm.
    var idle: [Parking] = []
  }

  private enum Waiting {
    case fresh(Job)
    /// A job that has yielded; its thread waits for the signal.
    case suspended(Semaphore)
  }

  /// An idle thread's wait for its next job.
  private final class Parking: Sendable {
    let signal = Semaphore()
    let job = Locked<Job?>(nil)
  }

  /// - Parameters:
  ///   - places: At least 1.
  ///   - niceness: How much lower than usual the threads' priority is, 0 to 19.
  package init(places: Int, niceness: Int32 = 0) {
    self.places = max(1, places)
    self.niceness = niceness
  }

  /// Processors that this process may use.
  package static var processors: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  /// Runs a job as soon as a place is free.
  package func submit(_ job: @escaping Job) {
    let canRun = state.withLock { state in
      guard state.running < places else {
        state.waiting.append(.fresh(job))
        return false
      }
      state.running += 1
      return true
    }
    if canRun { start(job) }
  }

  /// Waits until all jobs submitted earlier are done.
  ///
  /// - Precondition: There is one place, so that jobs run in order. Do not call it from a job.
  package func wait() {
    precondition(places == 1, "only a pool with one place runs jobs in order")
    let done = Semaphore()
    submit { done.signal() }
    done.wait()
  }

  /// Lets the longest-waiting job run in place of the calling one, which continues when its turn comes.
  ///
  /// Returns at once when no job waits. Call it only from jobs of this pool.
  package func yield() {
    let own = Semaphore()
    let next: Waiting? = state.withLock { state in
      guard !state.waiting.isEmpty else { return nil }
      state.waiting.append(.suspended(own))
      return state.waiting.removeFirst()
    }
    switch next {
    case nil: return
    case .fresh(let job): start(job)
    case .suspended(let other): other.signal()
    }
    own.wait()
  }

  /// Hands a job that has a place to a thread.
  private func start(_ job: @escaping Job) {
    if let parking = state.withLock({ $0.idle.popLast() }) {
      parking.job.withLock { $0 = job }
      parking.signal.signal()
    } else {
      spawn(job)
    }
  }

  /// The arguments of a new thread.
  private final class Beginning: Sendable {
    let pool: WorkerPool
    let parking = Parking()

    init(_ pool: WorkerPool, _ job: @escaping Job) {
      self.pool = pool
      parking.job.withLock { $0 = job }
    }
  }

  private func spawn(_ job: @escaping Job) {
    var thread = pthread_t()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // Address space only, until it is used: machines may recurse over long texts.
    pthread_attr_setstacksize(&attributes, 8 << 20)
    // Safety: balanced by `takeRetainedValue` in the thread, or below if no thread was made.
    let beginning = Unmanaged.passRetained(Beginning(self, job))
    let failure = pthread_create(
      &thread, &attributes,
      { beginning in
        guard let beginning else { return nil }
        let first = Unmanaged<Beginning>.fromOpaque(beginning).takeRetainedValue()
        first.pool.serve(first.parking)
        return nil
      }, beginning.toOpaque())
    pthread_attr_destroy(&attributes)
    guard failure != 0 else { return }
    // No thread could be made: the calling thread runs the job itself.
    beginning.release()
    job()
    finish()
  }

  /// A thread's loop: its first job, then further ones.
  private func serve(_ first: Parking) {
    fsm_be_nice(niceness)
    var parking: Parking? = first
    while let present = parking, perform(present) { parking = nextParking() }
  }

  /// Runs the pending job and releases it with all that it holds before the thread may wait again.
  ///
  /// - Returns: Whether there was one.
  private func perform(_ parking: Parking) -> Bool {
    guard let job = parking.job.withLock({ $0.take() }) else { return false }
    job()
    return true
  }

  /// The next job for a thread that has finished one, or none if the thread is to end.
  private func nextParking() -> Parking {
    let parking = Parking()
    let next: Waiting? = state.withLock { state in
      if !state.waiting.isEmpty, case .fresh(let job) = state.waiting[0] {
        state.waiting.removeFirst()
        return .fresh(job)
      }
      let next = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
      if next == nil { state.running -= 1 }
      // The place goes to the suspended job, which already has a thread.
      if state.idle.count < places { state.idle.append(parking) } else { parking.signal.signal() }
      return next
    }
    if case .fresh(let job) = next {
      parking.job.withLock { $0 = job }
      return parking
    }
    if case .suspended(let other) = next { other.signal() }
    parking.signal.wait()
    return parking
  }

  /// Passes the place of a finished job to the next one, on a thread that is not the pool's.
  private func finish() {
    let next: Waiting? = state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.running -= 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    switch next {
    case nil: break
    case .fresh(let job): start(job)
    case .suspended(let other): other.signal()
    }
  }
}
