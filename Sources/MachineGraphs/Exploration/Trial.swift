import StateMachines

/// Tries inputs on copies of machines of one kind. Holds the record for steps, and every event with every choice of its
/// samples, made once.
///
/// Safety: `events` holds an event of the kind for each event in `inputs`, made in `init` and destroyed in `deinit`;
/// `parameters` must be valid while the trial is used.
final class Trial {
  let kind: Kind
  let inputs: [GraphInput]
  /// The range in `inputs` of each event's sample choices.
  let eventInputs: [Range<Int>]
  /// Whether an event has more sample choices than are tried.
  let isCut: Bool
  var parameters: UnsafeRawPointer
  var record = StepRecord(generator: Generator(seed: 0))
  /// The seed for the random numbers of the next step.
  var seed: UInt64 = 0
  private let events: UnsafeMutableRawPointer
  private let stride: Int

  /// Sample choices tried per event.
  static let mostClasses = 64

  init(_ kind: Kind, _ parameters: UnsafeRawPointer) {
    self.kind = kind
    self.parameters = parameters
    var inputs: [GraphInput] = []
    var ranges: [Range<Int>] = []
    var isCut = false
    for (place, event) in kind.events.enumerated() {
      let first = inputs.count
      let choices = Trial.choices(of: event)
      if choices.count > Trial.mostClasses { isCut = true }
      inputs += choices.prefix(Trial.mostClasses).map { .event(place, $0) }
      ranges.append(first..<inputs.count)
    }
    stride = (max(1, kind.layout.eventStride) + 15) / 16 * 16
    events = .allocate(byteCount: max(1, inputs.count) * stride, alignment: 16)
    for (place, input) in inputs.enumerated() {
      if case .event(let event, let arguments) = input { kind.makeEvent(event, arguments, at: events + place * stride) }
    }
    record.notesGuards = true
    self.inputs = inputs + kind.timers.indices.map(GraphInput.timer)
    self.isCut = isCut
    eventInputs = ranges
  }

  deinit {
    for place in 0..<inputs.count - kind.timers.count { kind.destroyEvent(at: events + place * stride) }
    events.deallocate()
  }

  /// Every choice of a sample for each argument, the last argument varying fastest; at most one more than is tried.
  private static func choices(of event: EventEntry) -> [[Value]] {
    event.arguments.reduce([[]]) { chosen, argument in
      Array(
        chosen.lazy.flatMap { head in argument.samples.map { head + [$0] } }.prefix(mostClasses + 1))
    }
  }

  /// Sends an event to a machine and changes it.
  func send(_ input: Int, to machine: MachineCopy) -> StepResult {
    begin(machine)
    let result = kind.machine.step(machine.value, event: events + input * stride, parameters, &record)
    machine.carryOut(record)
    return result
  }

  /// Lets a running timer of a machine expire at a moment.
  func expire(_ timer: MachineCopy.Timer, at moment: Instant, of machine: MachineCopy) -> StepResult {
    machine.remove(timer)
    machine.now = moment
    begin(machine)
    record.key = timer.key
    let result = kind.machine.expire(machine.value, timer: UInt8(timer.timer), parameters, &record)
    record.key = 0
    machine.carryOut(record)
    return result
  }

  /// Every trial with the same seed draws the same numbers, so its result does not depend on earlier trials.
  private func begin(_ machine: MachineCopy) {
    record.generator = Generator(seed: seed)
    record.begin(at: machine.now)
    record.timers = machine.stepTimers
  }

  /// Whether the last step drew a number.
  var hasDrawn: Bool { record.hasDrawn }

  /// The steps that a machine can take now, events before timers: all events and running timers or, if a timer is due
  /// now, only that timer.
  func steps(of machine: MachineCopy, after last: GraphStep?) -> [(step: GraphStep, input: Int)] {
    let firstTimer = inputs.count - kind.timers.count
    guard let next = machine.next else { return sends }
    if next.due <= machine.now {
      // Several timers were due when time passed to this moment; the next one takes another such step.
      let isStep = if case .step = last { true } else { false }
      return [
        (
          isStep ? .step(timer: next.timer, key: next.key) : .fireDue(timer: next.timer, key: next.key),
          firstTimer + next.timer
        )
      ]
    }
    let others = machine.timers.filter { $0 != next }.sorted { $0.due < $1.due }
    var steps = sends
    // No timer expires by itself after the end of time.
    let comes = next.due <= Instant.end
    steps.append(
      (
        comes ? .step(timer: next.timer, key: next.key) : .fire(timer: next.timer, key: next.key),
        firstTimer + next.timer
      ))
    steps += others.map { (.fire(timer: $0.timer, key: $0.key), firstTimer + $0.timer) }
    return steps
  }

  /// A new machine.
  func make(initial: Int?) -> MachineCopy {
    record.generator = Generator(seed: seed)
    return MachineCopy(kind, initial: initial, parameters, &record)
  }

  private lazy var sends: [(step: GraphStep, input: Int)] = inputs.enumerated().compactMap { place, input in
    if case .event(let event, let arguments) = input { (.send(event: event, arguments), place) } else { nil }
  }

  /// Takes a step with a machine and changes it.
  func take(_ step: GraphStep, _ input: Int, with machine: MachineCopy) -> StepResult {
    switch step {
    case .send:
      return send(input, to: machine)
    case .step(let timer, let key), .fireDue(let timer, let key), .fire(let timer, let key):
      guard let running = machine.timers.first(where: { $0.timer == timer && $0.key == key }) else {
        preconditionFailure("only a running timer expires")
      }
      if case .fire = step { return expire(running, at: machine.now, of: machine) }
      return expire(running, at: running.due, of: machine)
    }
  }
}
