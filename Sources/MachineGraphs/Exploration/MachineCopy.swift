import StateMachines

/// A machine outside any world: its value, its running timers, and its own clock.
///
/// Safety: `value` has room for one machine of `kind`, initialised from the end of `init` on and destroyed in `deinit`;
/// it is used only through `kind.machine`, with parameters of the same kind.
final class MachineCopy {
  let kind: Kind
  let value: UnsafeMutableRawPointer
  var now: Instant
  /// In the order of arming.
  var timers: [Timer]
  /// The running timers that the last step disarmed; indices in the kind's list.
  private(set) var disarmed: [Int] = []

  struct Timer: Hashable {
    let timer: Int
    let key: UInt32
    let due: Instant
    /// The duration with which it was armed; `nil` if it was armed before the copy was made.
    var duration: Nanoseconds?
  }

  /// A copy of a machine at a moment.
  init(_ kind: Kind, of other: UnsafeRawPointer, at now: Instant, timers: [Timer]) {
    self.kind = kind
    self.now = now
    self.timers = timers
    value = MachineCopy.room(kind)
    kind.machine.copy(other, to: value)
  }

  /// A new machine.
  init(_ kind: Kind, initial: Int?, _ parameters: UnsafeRawPointer, _ record: inout StepRecord) {
    self.kind = kind
    now = .beginning
    timers = []
    value = MachineCopy.room(kind)
    record.begin(at: now)
    record.timers = kind.stepTimers(running: 0)
    _ = kind.machine.initialize(value, initial: initial, parameters, &record)
    carryOut(record)
  }

  deinit {
    kind.machine.destroy(value)
    value.deallocate()
  }

  private static func room(_ kind: Kind) -> UnsafeMutableRawPointer {
    .allocate(byteCount: max(1, kind.layout.valueSize), alignment: max(1, kind.layout.valueAlignment))
  }

  func copy() -> MachineCopy { MachineCopy(kind, of: value, at: now, timers: timers) }

  var state: Int { Int(kind.machine.stateIndex(value)) }
  var data: String? { kind.machine.stateData(value) }

  /// The timer that expires next: the earliest, and of equal ones the one armed first.
  var next: Timer? { timers.min { $0.due < $1.due } }

  /// Whether no timer is due now.
  var isSettled: Bool { next.map { $0.due > now } ?? true }

  /// The running timers in the form that a step takes.
  var stepTimers: StepTimers {
    kind.stepTimers(running: timers.reduce(0) { $1.key == 0 ? $0 | 1 << UInt64($1.timer) : $0 })
  }

  /// Removes a timer when its expiry begins.
  func remove(_ timer: Timer) {
    timers.removeAll { $0 == timer }
  }

  /// Arms and disarms the timers that a step requested.
  func carryOut(_ record: StepRecord) {
    disarmed = []
    for effect in record.effects {
      switch effect {
      case .emit:
        break
      case .arm(let timer, let key, let due):
        timers.removeAll { $0.timer == Int(timer) && $0.key == key }
        timers.append(Timer(timer: Int(timer), key: key, due: due, duration: due - record.now))
      case .disarm(let timer, let key):
        if timers.contains(where: { $0.timer == Int(timer) && $0.key == key }) { disarmed.append(Int(timer)) }
        timers.removeAll { $0.timer == Int(timer) && $0.key == key }
      }
    }
  }

  /// Whether two machines count as one: equal states, data included, and the same timers. Times do not count.
  func isLike(_ other: MachineCopy) -> Bool {
    timers.count == other.timers.count && isSettled == other.isSettled
      && timers.allSatisfy { timer in other.timers.contains { $0.timer == timer.timer && $0.key == timer.key } }
      && kind.machine.statesAreEqual(value, other.value)
  }
}
