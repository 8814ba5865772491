import StateMachines

/// A machine with its timers and readers, without a clock: the state that a ``LiveMachine`` protects with its lock.
struct RunningMachine<M: Machine>: Sendable {
  private struct RunningTimer {
    /// The index in the kind's list.
    let timer: Int
    let key: UInt32
    let due: Instant
  }

  private(set) var machine: M
  private(set) var now = Duration.zero
  private let kind: Kind
  private let parameters: M.Parameters
  private var record: StepRecord
  /// In arming order, which decides between timers with the same due time.
  private var timers: [RunningTimer] = []
  private var number: UInt64 = 0
  private var readers: [Int: AsyncStream<LiveChange<M>>.Continuation] = [:]
  private var nextReader = 0
  /// The task that sleeps until the next timer is due.
  private var alarm: (due: Instant, task: Task<Void, Never>)?

  /// The maximal number of timers fired in one call. Otherwise timers that arm each other without delay would block the
  /// caller. The remaining ones fire in the next call, which the alarm makes.
  private static var firingsAtOnce: Int { 1_000 }

  init(_ machine: M, _ kind: Kind, _ parameters: M.Parameters, seed: UInt64) {
    self.machine = machine
    self.kind = kind
    self.parameters = parameters
    record = StepRecord(generator: Generator(seed: seed))
    record.timers = kind.stepTimers(running: 0)
    record.begin(at: .beginning)
    self.machine = withUnsafeTemporaryAllocation(of: M.self, capacity: 1) { storage in
      // Safety: there is room for one machine, which is initialised here and moved out.
      let place = UnsafeMutableRawPointer(storage.baseAddress.unsafelyUnwrapped)
      _ = withUnsafePointer(to: parameters) { M.begin(machine, place, initial: nil, $0, &record) }
      return storage.moveElement(from: 0)
    }
    carryOutEffects()
  }

  /// Fires the timers that are due, each at its own due time.
  mutating func catchUp(with time: Duration) {
    // Time never goes back, even if the clock is set back.
    now = max(now, time)
    let moment = Instant.beginning + now
    var firings = 0
    while firings < Self.firingsAtOnce, let place = nextTimer, timers[place].due <= moment {
      let timer = timers.remove(at: place)
      firings += 1
      take(.timer(kind.timers[timer.timer].name, key: Int(timer.key)), at: timer.due, key: timer.key) {
        M.expire($0, timer: UInt8(timer.timer), $1, $2)
      }
    }
  }

  mutating func send(_ event: M.Event) -> LiveChange<M> {
    take(.event(event), at: Instant.beginning + now) { machine, parameters, record in
      withUnsafePointer(to: event) { M.step(machine, event: UnsafeRawPointer($0), parameters, record) }
    }
  }

  @discardableResult
  private mutating func take(
    _ cause: LiveChange<M>.Cause, at moment: Instant, key: UInt32 = 0,
    _ step: (UnsafeMutableRawPointer, UnsafeRawPointer, UnsafeMutablePointer<StepRecord>) -> StepResult
  ) -> LiveChange<M> {
    record.begin(at: moment)
    record.timers = kind.stepTimers(
      running: timers.reduce(0) { $1.key == 0 ? $0 | 1 << UInt64($1.timer) : $0 })
    record.keepsOutputs = true
    record.key = key
    let from = machine.state
    let result = Self.lend(&machine, parameters, &record, to: step)
    record.key = 0
    carryOutEffects()
    number += 1
    let outputs = record.outputs.compactMap { $0 as? M.Output }
    let isTold = outputs.map { kind.outputs[$0.name.index].isTold }
    let change = LiveChange<M>(
      number: number, moment: .nanoseconds(moment.nanoseconds), cause: cause, verdict: result.verdict, from: from,
      to: machine.state, outputs: zip(outputs, isTold).compactMap { $1 ? nil : $0 },
      told: zip(outputs, isTold).compactMap { $1 ? $0 : nil }, reason: record.reason)
    switch result.verdict {
    case .moved, .stayed: for reader in readers.values { reader.yield(change) }
    case .ignored, .refused: break
    }
    return change
  }

  private static func lend(
    _ machine: inout M, _ parameters: M.Parameters, _ record: inout StepRecord,
    to step: (UnsafeMutableRawPointer, UnsafeRawPointer, UnsafeMutablePointer<StepRecord>) -> StepResult
  ) -> StepResult {
    // Safety: a step accesses these three values, of their own types, only during the call.
    withUnsafeMutablePointer(to: &machine) { machine in
      withUnsafePointer(to: parameters) { step(machine, $0, &record) }
    }
  }

  private mutating func carryOutEffects() {
    for effect in record.effects {
      switch effect {
      case .emit, .send: break
      case .arm(let timer, let key, let due):
        timers.removeAll { $0.timer == timer && $0.key == key }
        timers.append(RunningTimer(timer: Int(timer), key: key, due: due))
      case .disarm(let timer, let key): timers.removeAll { $0.timer == timer && $0.key == key }
      }
    }
  }

  /// The index of the timer that is due first.
  private var nextTimer: Int? { timers.indices.min { timers[$0].due < timers[$1].due } }

  var remaining: [String: Duration] {
    let left = timers.map { timer in
      let name = kind.timers[timer.timer].name
      return (timer.key == 0 ? name : "\(name)(\(timer.key))", .nanoseconds(timer.due.nanoseconds) - now)
    }
    return Dictionary(left) { first, _ in first }
  }

  // MARK: The alarm

  /// Ensures that a task wakes for the next timer.
  ///
  /// An alarm that is too early is kept and sets the next one when it wakes, so a timer that every event arms again
  /// does not cost a task each time. No alarm is set for a moment after the end of world time.
  mutating func setAlarm(_ wake: (Duration) -> Task<Void, Never>) {
    guard let due = nextTimer.map({ timers[$0].due }), due <= .end else { return }
    if let alarm, alarm.due <= due { return }
    alarm?.task.cancel()
    alarm = (due, wake(.nanoseconds(due.nanoseconds)))
  }

  mutating func forgetAlarm(at due: Duration) {
    if alarm?.due == Instant.beginning + due { alarm = nil }
  }

  // MARK: Readers

  mutating func add(_ reader: AsyncStream<LiveChange<M>>.Continuation) -> Int {
    nextReader += 1
    readers[nextReader] = reader
    return nextReader
  }

  mutating func remove(_ reader: Int) {
    readers[reader] = nil
  }

  mutating func end() {
    alarm?.task.cancel()
    for reader in readers.values { reader.finish() }
  }
}
