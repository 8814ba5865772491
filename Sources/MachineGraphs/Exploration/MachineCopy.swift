public import StateMachines

/// A machine of a world at a moment.
///
/// Safety: the pointers must be valid, and to a machine and the parameters of the same kind, as long as it is used.
public struct LivingMachine {
  package let value: UnsafeRawPointer
  let parameters: UnsafeRawPointer
  let now: Instant
  let timers: [(timer: Int, key: UInt32, due: Instant)]

  /// - Parameter timers: Its running timers, in the order of expiry.
  public init(
    _ value: UnsafeRawPointer, _ parameters: UnsafeRawPointer, at now: Instant,
    timers: [(timer: Int, key: UInt32, due: Instant)]
  ) {
    self.value = value
    self.parameters = parameters
    self.now = now
    self.timers = timers
  }

  /// What tells it from others in its state in a diagram by place; `nil` if its kind has none.
  public func place(of kind: Kind) -> String? { kind.machine.place(value, parameters) }

  /// Bytes that are equal for machines that will do the same.
  public func identity(of kind: Kind) -> [UInt8] {
    MachineComparer().identity(of: MachineCopy(self, of: kind), parameters)
  }
}

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

  /// A machine of a world.
  convenience init(_ machine: LivingMachine, of kind: Kind) {
    self.init(
      kind, of: machine.value, at: machine.now,
      timers: machine.timers.map { Timer(timer: $0.timer, key: $0.key, due: $0.due) })
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

  /// Whether another machine of the kind is the same byte by byte. One that differs in a byte may be equal.
  func isIdentical(to other: MachineCopy) -> Bool {
    func bytes(_ machine: MachineCopy) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: machine.value, count: kind.layout.valueSize)
    }
    return now == other.now && timers == other.timers && bytes(self).elementsEqual(bytes(other))
  }

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
      case .emit, .send:
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
}

/// Tells machines of one kind apart by what they will do.
final class MachineComparer {
  private let encoder = ValueEncoder(comparingAt: .beginning)
  /// Whether a machine could not be encoded, and was compared by its state only.
  private(set) var isCoarse = false

  /// Bytes that are equal for two machines if their values are, with moments relative to their clocks and without
  /// ``Incidental`` data, and if the same timers run. When timers are due does not count, apart from those due now.
  ///
  /// - Complexity: O(size of the machine).
  func identity(of machine: MachineCopy, _ parameters: UnsafeRawPointer) -> [UInt8] {
    let names = encoder.nameCount
    write(machine, parameters)
    // A name is written out once and then by its number. The second time all are numbers.
    if encoder.nameCount != names { write(machine, parameters) }
    return encoder.bytes
  }

  private func write(_ machine: MachineCopy, _ parameters: UnsafeRawPointer) {
    encoder.forgetBytes()
    encoder.now = machine.now
    encoder.count(machine.state)
    // Most machines have one timer or none, and a search compares machines after each step.
    let (timers, due) = (machine.timers, machine.timers.filter { $0.due <= machine.now })
    write(timers.count < 2 ? timers : timers.sorted { ($0.timer, $0.key) < ($1.timer, $1.key) })
    // The sort is not stable, and timers that are due at the same moment expire in the order of arming.
    write(
      due.count < 2
        ? due : due.enumerated().sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }.map(\.element))
    do {
      try machine.kind.machine.compare(machine.value, parameters, with: encoder)
    } catch {
      isCoarse = true
      encoder.text(machine.data ?? "")
    }
  }

  private func write(_ timers: [MachineCopy.Timer]) {
    for timer in timers {
      encoder.count(timer.timer + 1)
      encoder.number(UInt64(timer.key))
    }
    encoder.count(0)
  }
}
