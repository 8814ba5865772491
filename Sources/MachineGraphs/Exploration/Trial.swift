import StateMachines

extension ArgumentEntry {
  fileprivate var takesText: Bool { if case .text = type { true } else { false } }
}

/// Tries inputs on copies of machines of one kind. Holds the record for steps, and every event with every choice of its
/// arguments, made once.
///
/// Safety: `events` holds an event of the kind for each event in `inputs`, made in `init` and destroyed in `deinit`;
/// `parameters` must be valid while the trial is used.
final class Trial {
  let kind: Kind
  let inputs: [GraphInput]
  /// The range in `inputs` of each event's sample choices.
  let eventInputs: [Range<Int>]
  /// Whether the choices of an event stand for all its arguments; see ``ArgumentEntry/isSampledFully``.
  let isTriedFully: [Bool]
  var parameters: UnsafeRawPointer
  var record = StepRecord(generator: Generator(seed: 0))
  /// How the next step draws random numbers.
  var chance = Chance.choices(0)
  private let events: UnsafeMutableRawPointer
  private let stride: Int

  enum Chance {
    /// The ends of the ranges; see ``StepRecord/choices``.
    case choices(UInt64)
    case random(seed: UInt64)
  }

  /// The ways in which a step that draws is tried: the ends of the ranges of its first two draws, and random numbers.
  static let chances: [Chance] = [
    .choices(0), .choices(.max), .choices(1), .choices(.max - 1), .random(seed: 1), .random(seed: 2), .random(seed: 3),
    .random(seed: 4),
  ]

  /// - Parameters:
  ///   - seen: Further choices of arguments, by event; not needed where the kind's own stand for all.
  ///   - isByPlace: Whether events that take a text are left away.
  init(_ kind: Kind, _ parameters: UnsafeRawPointer, seen: [Int: [[Value]]] = [:], isByPlace: Bool = false) {
    self.kind = kind
    self.parameters = parameters
    var inputs: [GraphInput] = []
    var ranges: [Range<Int>] = []
    var samples = kind.samples(parameters)
    if isByPlace {
      for (place, event) in kind.events.enumerated() where event.arguments.contains(where: \.takesText) {
        samples[place] = ([], false)
      }
    }
    for (place, sample) in samples.enumerated() {
      let first = inputs.count
      let further = sample.areAll || isByPlace ? [] : (seen[place] ?? []).filter { !sample.choices.contains($0) }
      inputs += (sample.choices + further).map { .event(place, $0) }
      ranges.append(first..<inputs.count)
    }
    stride = (max(1, kind.layout.eventStride) + 15) / 16 * 16
    events = .allocate(byteCount: max(1, inputs.count) * stride, alignment: 16)
    for (place, input) in inputs.enumerated() {
      if case .event(let event, let arguments) = input { kind.makeEvent(event, arguments, at: events + place * stride) }
    }
    record.notesGuards = true
    self.inputs = inputs + kind.timers.indices.map(GraphInput.timer)
    isTriedFully = samples.map(\.areAll)
    eventInputs = ranges
  }

  deinit {
    for place in 0..<inputs.count - kind.timers.count { kind.destroyEvent(at: events + place * stride) }
    events.deallocate()
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

  /// What a trial draws does not depend on earlier trials.
  private func begin(_ machine: MachineCopy) {
    setChance()
    record.begin(at: machine.now)
    record.timers = machine.stepTimers
  }

  private func setChance() {
    switch chance {
    case .choices(let choices):
      record.choices = choices
      // A rule that draws from the generator itself does not ask for choices.
      record.generator = Generator(seed: 0)
    case .random(let seed):
      record.choices = nil
      record.generator = Generator(seed: seed)
    }
  }

  /// The outputs of the last step, as indices in the kind's list, without those that only watchers get.
  func outputs(of result: StepResult) -> [Int] {
    if result.verdict == .refused { return [] }
    return record.effects.compactMap { effect in
      switch effect {
      case .emit(let output, _, _), .send(let output, _, _):
        kind.outputs[Int(output)].isTold ? nil : Int(output)
      case .arm, .disarm: nil
      }
    }
  }

  /// The steps of documents' machines so far, which may be many in one step of a machine.
  var chartSteps: Int { record.chartSteps }

  /// Whether the last step drew a number.
  var hasDrawn: Bool { record.hasDrawn }
  /// Whether the rule asked for the moment in the last step.
  var hasReadMoment: Bool { record.hasReadMoment }

  /// The steps that a machine can take now, events before timers: all events and running timers or, if a timer is due
  /// now, only that timer.
  func steps(of machine: MachineCopy, after last: GraphStep?) -> [(step: GraphStep, input: Int)] {
    let firstTimer = inputs.count - kind.timers.count
    guard let next = machine.next else { return sends }
    if next.due <= machine.now {
      // Several timers were due when time passed to this moment; the next one takes another such step.
      let isStep = if case .step = last { true } else { false }
      let due = isStep ? GraphStep.step(timer: next.timer, key: next.key) : .fireDue(timer: next.timer, key: next.key)
      return [(due, firstTimer + next.timer)]
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
    setChance()
    return MachineCopy(kind, initial: initial, parameters, &record)
  }

  /// All events.
  private(set) lazy var sends: [(step: GraphStep, input: Int)] = inputs.enumerated().compactMap { place, input in
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
