package import Dispatch
internal import Glibc

/// A serial queue on which descriptors, the timer and signals are served: all that a daemon does itself.
///
/// All descriptors hang on one epoll descriptor with one Dispatch source. Everything here and every handler
/// belongs to ``queue``: set the handlers up before ``run()`` or on the queue.
/// Once started it lives as long as the process.
package final class EventLoop {
  package let queue: DispatchQueue

  /// The descriptors. Removing or closing one while a batch is served does not take its event out of the batch.
  package let poller: Poller

  /// Called with a batch of ready descriptors, and again with the next until none is ready.
  package var onReady: (Poller.Events) -> Void = { _ in }
  /// Called when the time given to ``arm(at:)`` has come; never before it.
  package var onTimer: () -> Void = {}
  /// Called after ``requestTurn()``, when everything that was waiting has had its turn.
  package var onTurn: () -> Void = {}
  /// Called for SIGTERM, SIGINT and SIGHUP, with the signal's number.
  package var onTermination: (Int32) -> Void = { _ in }

  /// Empty until started: Dispatch does not let go of a source that was never activated.
  private var sources: [any DispatchSourceProtocol] = []
  private var timer: (any DispatchSourceTimer)?
  /// When the timer fires, in nanoseconds of the host's clock.
  private var deadline: UInt64?
  /// What Dispatch's timer is set to.
  private var scheduled: UInt64?
  private var turnIsRequested = false
  private var isStarted = false
  private let pollWindow: UInt64

  /// Whether descriptors are being served.
  private var isServing = false
  /// How long the thread sleeps with the poller after the last event before it goes back to Dispatch: 20 ms. A shorter
  /// sleep would have the processor set its timer anew each time, which a virtual machine pays dearly for.
  private static let rest: UInt64 = 20_000_000
  /// After how long it goes back to Dispatch however much there is to do, so that signals get their turn: 100 ms.
  private static let longestStay: UInt64 = 100_000_000
  /// A time so late, 146 years of the host's, that no timer is set for it. Dispatch would take the largest numbers for
  /// times of other clocks, some of them long past.
  private static let never: UInt64 = 1 << 62

  /// - Parameter pollNanoseconds: How long to go on asking the poller after the last event before the thread goes
  ///   to sleep. Saves the wake-up, tens of microseconds, at the price of a busy core for that long.
  /// - Throws: The system's error when it has no descriptor for us.
  package init(pollNanoseconds: UInt64 = 0, label: String = "fsmd") throws(SystemError) {
    queue = DispatchQueue(label: label, qos: .userInitiated)
    poller = try Poller()
    pollWindow = pollNanoseconds
  }

  /// Sets the one timer to a time of ``HostClock``, or stops it; the last call counts.
  ///
  /// A time that has passed fires at once.
  package func arm(at time: UInt64?) {
    guard time != deadline else { return }
    deadline = time
    // While descriptors are served the deadline is looked at there. With timers that come and go it is another one in
    // each round, and to set Dispatch's timer takes as long as some requests.
    if !isServing { scheduleTimer() }
  }

  private func scheduleTimer() {
    guard let timer, scheduled != deadline else { return }
    scheduled = deadline
    // Zero would mean "now" to Dispatch in another sense than ours, and nothing is due that early anyway.
    let due = deadline.flatMap { $0 < Self.never ? DispatchTime(uptimeNanoseconds: max($0, 1)) : nil }
    timer.schedule(deadline: due ?? .distantFuture, leeway: .nanoseconds(0))
  }

  /// Asks for a call of ``onTurn`` after everything that waits on the queue now: how long work is done in slices.
  ///
  /// Asking again before the turn has come changes nothing.
  package func requestTurn() {
    guard !turnIsRequested else { return }
    turnIsRequested = true
    // Before the start nothing may run on the queue yet; while descriptors are served the turn is taken there.
    if isStarted, !isServing { queue.async(execute: turn) }
  }

  /// Starts serving and never returns: the thread that calls this is given to Dispatch.
  ///
  /// From here on SIGTERM, SIGINT and SIGHUP are ``onTermination``'s, and SIGPIPE is ignored.
  package func run() -> Never {
    prepareTermination()
    start()
    dispatchMain()
  }

  /// Starts serving and returns, for those who have another use for their thread; signals stay as they are.
  package func start() {
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
    // With the first of these the queue has a life of its own: nothing below may touch what the handlers do.
    if turnIsRequested { queue.async(execute: turn) }
    for source in all { source.activate() }
  }

  private lazy var turn = DispatchWorkItem { [unowned self] in
    guard turnIsRequested else { return }  // Taken already, while descriptors were served.
    turnIsRequested = false
    onTurn()
  }

  /// Serves what is ready, and stays with the poller for a little while after the last event.
  ///
  /// Going back to Dispatch and being called again costs some ten microseconds, in two threads and several calls,
  /// against one call here. The timer and turns are served from here too when they come due meanwhile; signals wait until
  /// Dispatch has the thread again.
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

  /// How long the next look at the poller may take: not at all while there is other work or the poll window is open.
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
    guard let deadline else { return }  // Stopped after this firing was already on its way.
    guard HostClock.now() >= deadline else { return scheduleTimer() }  // Moved, likewise.
    self.deadline = nil
    onTimer()
  }

  /// Turns the signals that end a process into calls on the queue.
  private func prepareTermination() {
    signal(SIGPIPE, SIG_IGN)
    for number in EarlySignals.numbers {
      // Dispatch puts its own handler there when the source is activated.
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { [unowned self] in onTermination(number) }
      // From then on Dispatch has the signal; what came before was noted.
      source.setRegistrationHandler { [unowned self] in EarlySignals.noted.map(onTermination) }
      sources.append(source)
    }
  }
}
