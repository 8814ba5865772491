internal import CSystem
internal import Glibc

/// Threads for work that would block an event loop.
///
/// At most ``places`` jobs run at a time, at most ``placesPerLane`` of them in one lane. The lane whose last turn is
/// longest ago is next; the jobs of one lane run in order. A long job calls ``yield(for:besidesAtMost:)`` regularly, which
/// hands its place to the next job and waits for another. So a few long jobs cannot block the others. Where a lane cannot
/// have all places, even jobs that never yield block only the jobs of their lane. The threads have a lower priority than
/// the event loop and are made on demand.
package final class WorkerPool: Sendable {
  package typealias Job = @Sendable () -> Void
  /// The owner of jobs, which limits how many run at a time: a user's number in fsmd.
  package typealias Lane = UInt32

  /// How many jobs run at a time.
  package let places: Int
  /// How many jobs of one lane run at a time.
  package let placesPerLane: Int
  /// How much lower than usual the threads' priority is.
  package let niceness: Int32
  private let state: Locked<State>

  private struct State {
    let places: Int
    let placesPerLane: Int
    /// Jobs that wait for a place, in order.
    var waiting: [Waiting] = []
    /// The lanes of jobs that have a place.
    var running: [Lane?] = []
    /// The number of each lane's last turn.
    var turns: [Lane?: UInt64] = [:]
    var lastTurn: UInt64 = 0
    /// Threads without a job. The last one to become idle is used first, since its stack is warm.
    var idle: [Parking] = []

    /// How many jobs have yielded.
    var suspended: Int { waiting.count { if case .suspended = $0.work { true } else { false } } }

    /// Gives a free place to the next job that may have it.
    mutating func takeNext() -> Waiting? {
      if running.count >= places { return nil }
      let allowed = waiting.indices.filter { place in
        guard let lane = waiting[place].lane else { return true }
        return running.count { $0 == lane } < placesPerLane
      }
      guard let next = allowed.min(by: { turns[waiting[$0].lane, default: 0] < turns[waiting[$1].lane, default: 0] })
      else { return nil }
      let lane = waiting[next].lane
      lastTurn += 1
      turns[lane] = lastTurn
      running.append(lane)
      return waiting.remove(at: next)
    }

    /// Passes the place of a lane's job on.
    mutating func pass(from lane: Lane?) -> Waiting? {
      guard let place = running.firstIndex(of: lane) else { preconditionFailure("a running job has a place") }
      running.remove(at: place)
      return takeNext()
    }
  }

  private struct Waiting {
    /// Nil for a job that counts for nobody.
    let lane: Lane?
    let work: Work
  }

  private enum Work {
    case fresh(Job)
    /// A job that has yielded; its thread waits for the signal.
    case suspended(Semaphore)
  }

  /// A job that was performed.
  private struct Finished {
    let lane: Lane?
  }

  /// An idle thread's wait for its next job.
  private final class Parking: Sendable {
    let signal = Semaphore()
    let job = Locked<(lane: Lane?, job: Job)?>(nil)
  }

  /// - Parameters:
  ///   - places: At least 1.
  ///   - placesPerLane: How many jobs of one lane run at a time, at least 1; nil for as many as there are places.
  ///   - niceness: How much lower than usual the threads' priority is, 0 to 19.
  package init(places: Int, placesPerLane: Int? = nil, niceness: Int32 = 0) {
    self.places = max(1, places)
    self.placesPerLane = max(1, placesPerLane ?? places)
    self.niceness = niceness
    state = Locked(State(places: self.places, placesPerLane: self.placesPerLane))
  }

  /// Processors that this process may use.
  package static var processors: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  /// Runs a job as soon as a place is free for it.
  ///
  /// - Parameter lane: Whose it is; nil if it counts for nobody.
  package func submit(for lane: Lane? = nil, _ job: @escaping Job) {
    let next = state.withLock { state in
      state.waiting.append(Waiting(lane: lane, work: .fresh(job)))
      return state.takeNext()
    }
    start(next)
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

  /// Lets the next job run in place of the calling one, which continues when its turn comes.
  ///
  /// Returns at once when no job waits. Call it only from jobs of this pool.
  ///
  /// - Parameters:
  ///   - lane: The calling job's.
  ///   - most: If as many jobs have yielded already, it goes on. Each of them keeps a thread.
  package func yield(for lane: Lane?, besidesAtMost most: Int = .max) {
    let own = Semaphore()
    let next: Waiting? = state.withLock { state in
      if state.waiting.isEmpty || state.suspended >= most { return nil }
      state.waiting.append(Waiting(lane: lane, work: .suspended(own)))
      return state.pass(from: lane)
    }
    if next == nil { return }
    start(next)
    own.wait()
  }

  /// Starts a job that has a place. The calling thread goes on with its own work.
  private func start(_ next: Waiting?) {
    guard let next else { return }
    switch next.work {
    case .suspended(let other): other.signal()
    case .fresh(let job):
      if let parking = state.withLock({ $0.idle.popLast() }) {
        parking.job.withLock { $0 = (next.lane, job) }
        parking.signal.signal()
      } else {
        spawn(next.lane, job)
      }
    }
  }

  /// The arguments of a new thread.
  private final class Beginning: Sendable {
    let pool: WorkerPool
    let parking = Parking()

    init(_ pool: WorkerPool, _ lane: Lane?, _ job: @escaping Job) {
      self.pool = pool
      parking.job.withLock { $0 = (lane, job) }
    }
  }

  private func spawn(_ lane: Lane?, _ job: @escaping Job) {
    var thread = pthread_t()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, ThreadStack.bytes)
    // Safety: balanced by `takeRetainedValue` in the thread, or below if no thread was made.
    let beginning = Unmanaged.passRetained(Beginning(self, lane, job))
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
    start(state.withLock { $0.pass(from: lane) })
  }

  /// A thread's loop: its first job, then further ones.
  private func serve(_ first: Parking) {
    fsm_be_nice(niceness)
    var parking: Parking? = first
    while let present = parking, let finished = perform(present) { parking = nextParking(after: finished) }
  }

  /// Runs the pending job and releases it with all that it holds before the thread may wait again.
  ///
  /// - Returns: Whose it was; nil if there was none.
  private func perform(_ parking: Parking) -> Finished? {
    guard let (lane, job) = parking.job.withLock({ $0.take() }) else { return nil }
    job()
    return Finished(lane: lane)
  }

  /// The next job for a thread that has finished one, or none if the thread is to end.
  private func nextParking(after finished: Finished) -> Parking {
    let parking = Parking()
    let next: Waiting? = state.withLock { state in
      let next = state.pass(from: finished.lane)
      if case .fresh? = next?.work { return next }
      // The place goes to a suspended job, which already has a thread.
      if state.idle.count < places { state.idle.append(parking) } else { parking.signal.signal() }
      return next
    }
    if let next, case .fresh(let job) = next.work {
      parking.job.withLock { $0 = (next.lane, job) }
      return parking
    }
    start(next)
    parking.signal.wait()
    return parking
  }
}
