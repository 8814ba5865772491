internal import Dispatch
internal import Glibc
internal import UnixHost

/// A serial queue that serves descriptors, the timer and signals.
///
/// One Dispatch source watches one epoll descriptor for all descriptors. Everything here and every handler belongs to
/// ``queue``: set the handlers before ``run()`` or on the queue. Once started, the loop lives as long as the process.
final class EventLoop {
  let queue: DispatchQueue

  /// The descriptors. Removing or closing one while a batch is served does not take its event out of the batch.
  let poller: Poller

  /// Called with each batch of ready descriptors until none is ready.
  var onReady: (Poller.Events) -> Void = { _ in }
  /// Called when the time given to ``arm(at:)`` has come; never earlier.
  var onTimer: () -> Void = {}
  /// Called after ``requestTurn()``, when everything that waited on the queue has run.
  var onTurn: () -> Void = {}
  /// Called for SIGTERM, SIGINT and SIGHUP, with the signal's number.
  var onTermination: (Int32) -> Void = { _ in }

  /// Empty until started: Dispatch cannot release a source that was never activated.
  private var sources: [any DispatchSourceProtocol] = []
  private var timer: (any DispatchSourceTimer)?
  /// When the timer fires, in nanoseconds of the host clock.
  private var deadline: UInt64?
  /// The time set in Dispatch's timer.
  private var scheduled: UInt64?
  private var turnIsRequested = false
  private var isStarted = false
  private let pollWindow: UInt64

  /// Whether descriptors are being served.
  private var isServing = false
  /// How long the thread waits in the poller after the last event before it returns to Dispatch: 20 ms. With a shorter
  /// wait the processor would set its timer anew each time, which is expensive in a virtual machine.
  private static let rest: UInt64 = 20_000_000
  /// After this time it returns to Dispatch even under load, so that signals are served: 100 ms.
  private static let longestStay: UInt64 = 100_000_000
  /// A time (146 years of the host clock) from which on no timer is set. Dispatch would take the largest numbers for
  /// times of other clocks, some of them in the past.
  private static let never: UInt64 = 1 << 62

  /// - Parameter pollNanoseconds: How long to poll after the last event before the thread sleeps. It saves the wake-up,
  ///   tens of microseconds, but keeps a core busy for that long.
  /// - Throws: The system's error when no descriptor is available.
  init(pollNanoseconds: UInt64 = 0, label: String = "fsmd") throws(SystemError) {
    queue = DispatchQueue(label: label, qos: .userInitiated)
    poller = try Poller()
    pollWindow = pollNanoseconds
  }

  /// Sets the timer to a time of ``HostClock``, or stops it; the last call counts.
  ///
  /// A time in the past fires at once.
  func arm(at time: UInt64?) {
    guard time != deadline else { return }
    deadline = time
    // While descriptors are served, the deadline is checked there. Timers that come and go change it in each round, and
    // setting Dispatch's timer takes as long as some requests.
    if !isServing { scheduleTimer() }
  }

  private func scheduleTimer() {
    guard let timer, scheduled != deadline else { return }
    scheduled = deadline
    // Dispatch treats 0 as "now", and nothing is due that early.
    let due = deadline.flatMap { $0 < Self.never ? DispatchTime(uptimeNanoseconds: max($0, 1)) : nil }
    timer.schedule(deadline: due ?? .distantFuture, leeway: .nanoseconds(0))
  }

  /// Requests a call of ``onTurn`` after everything that waits on the queue now, so that work can be done in slices.
  ///
  /// A repeated request before the turn has no effect.
  func requestTurn() {
    guard !turnIsRequested else { return }
    turnIsRequested = true
    // Before the start nothing may run on the queue; while descriptors are served, the turn runs there.
    if isStarted, !isServing { queue.async(execute: turn) }
  }

  /// Starts serving and never returns: Dispatch takes over the calling thread.
  ///
  /// From here on SIGTERM, SIGINT and SIGHUP call ``onTermination``, and SIGPIPE is ignored.
  func run() -> Never {
    prepareTermination()
    start()
    dispatchMain()
  }

  /// Starts serving and returns, for callers that need their thread; signal handling stays as it is.
  func start() {
    precondition(!isStarted, "an event loop is started once")
    let ready = DispatchSource.makeReadSource(fileDescriptor: poller.descriptor.rawValue, queue: queue)
    ready.setEventHandler { [unowned self] in serveReady() }
    let timer = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
    timer.setEventHandler { [unowned self] in serveTimer() }
    self.timer = timer
    scheduleTimer()
    sources += [ready, timer]
    isStarted = true
    let all = sources
    // After the first of these the queue runs: nothing below may touch state that handlers use.
    if turnIsRequested { queue.async(execute: turn) }
    for source in all { source.activate() }
  }

  private lazy var turn = DispatchWorkItem { [unowned self] in
    // Otherwise it was run while descriptors were served. Ready descriptors come first: Dispatch may report them many
    // long turns late.
    if turnIsRequested { serveReady() }
  }

  /// Serves what is ready, and waits in the poller for a short time after the last event.
  ///
  /// Returning to Dispatch and being called again costs about ten microseconds, in two threads and several calls,
  /// against one call here. The timer and turns are also served here when they come due; signals wait until the thread
  /// returns.
  private func serveReady() {
    dispatchPrecondition(condition: .onQueue(queue))
    isServing = true
    var now = HostClock.now()
    let leave = now + Self.longestStay
    var restEnds = now + pollWindow + Self.rest
    while now < min(leave, restEnds) {
      let events = poller.wait(nanoseconds: timeToWait(now, pollEnds: restEnds - Self.rest, restEnds: restEnds))
      if !events.isEmpty { onReady(events) }
      let hasServed = serveDueWork() || !events.isEmpty
      now = HostClock.now()
      if hasServed { restEnds = now + pollWindow + Self.rest }
    }
    isServing = false
    scheduleTimer()
    if turnIsRequested { queue.async(execute: turn) }
  }

  /// How long the next wait in the poller may take: 0 while there is other work or the poll window is open.
  private func timeToWait(_ now: UInt64, pollEnds: UInt64, restEnds: UInt64) -> UInt64 {
    if turnIsRequested || (pollWindow > 0 && now < pollEnds) { return 0 }
    let end = min(restEnds, deadline ?? .max)
    return end > now ? end - now : 0
  }

  /// Serves the timer and a turn if they are due.
  private func serveDueWork() -> Bool {
    var hasServed = false
    if let due = deadline, HostClock.now() >= due {
      deadline = nil
      onTimer()
      hasServed = true
    }
    if turnIsRequested {
      turnIsRequested = false
      onTurn()
      hasServed = true
    }
    return hasServed
  }

  private func serveTimer() {
    dispatchPrecondition(condition: .onQueue(queue))
    scheduled = nil  // It fires once.
    guard let deadline else { return }  // Stopped after this firing was queued.
    guard HostClock.now() >= deadline else { return scheduleTimer() }  // Postponed after this firing was queued.
    self.deadline = nil
    onTimer()
  }

  /// Turns the signals that end a process into calls on the queue.
  private func prepareTermination() {
    signal(SIGPIPE, SIG_IGN)
    for number in EarlySignals.numbers {
      // Dispatch installs its own handler when the source is activated.
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { [unowned self] in onTermination(number) }
      // From then on Dispatch receives the signal; earlier ones were recorded.
      source.setRegistrationHandler { [unowned self] in EarlySignals.noted.map(onTermination) }
      sources.append(source)
    }
  }
}
