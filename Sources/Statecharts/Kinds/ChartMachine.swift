package import StateMachines

/// A machine of a kind that was made from a document.
///
/// All such kinds share this type. What tells them apart is their ``ChartProgram``, which is in the parameters of the
/// kind and, since its state's word depends on it, in each machine.
///
/// Safety: as in ``ErasedMachine``, raw pointers are to the machine's own types, and to storage that the caller keeps
/// alive during the call.
package struct ChartMachine: _Machine {
  var running: RunningChart
  let program: ChartProgram

  package struct Parameters: ParameterSet {
    let program: ChartProgram?
    /// Whether an event that no transition takes is refused.
    var isStrict = false
    /// What the conditions of the document begin as, in their order.
    var conditions: [String] = []

    /// The parameters of no kind: a kind brings its own.
    package init() {
      program = nil
    }

    init(_ program: ChartProgram) {
      self.program = program
      conditions = program.definition.charts[0].chart.conditions.map(\.form.otherwise)
    }

    package static func == (left: Self, right: Self) -> Bool {
      left.program === right.program && left.isStrict == right.isStrict && left.conditions == right.conditions
    }

    /// The data that a machine begins with.
    fileprivate var values: DataObject {
      var values = DataObject()
      for (condition, text) in zip(program?.definition.charts[0].chart.conditions ?? [], conditions) {
        let value: DataValue = condition.form.isNumber ? DataValue(datum: text) : .string(text)
        // A text or a number is never nested too deeply.
        try? values.set(value, for: condition.name)
      }
      return values
    }

    package func hash(into hasher: inout Hasher) {
      hasher.combine(program.map(ObjectIdentifier.init))
      hasher.combine(isStrict)
      hasher.combine(conditions)
    }
  }

  /// An event from outside.
  package struct Event: Sendable {
    let input: ChartInput

    init(_ name: EventName, data: DataValue = .undefined) {
      guard name.text == Kind.unreachable else {
        input = .event(name, data: data)
        return
      }
      // It says that a send of the machine was in vain, and is no event that somebody sends.
      if case .string(let sendID) = data {
        input = .unreachable(sendID: sendID)
      } else {
        input = .unreachable(sendID: nil)
      }
    }
  }

  /// A state by what determines its word. The kind has the words.
  package struct State: StateWithData {
    var configuration: StateSet
    var final: Int32

    package struct Name: NamedCases {
      package let index: Int
      package init(at index: Int) {
        self.index = index
      }
      package var word: String { "" }
      package static var words: [String] { [] }
      package static var allCases: [Name] { [] }
    }

    package var name: Name { Name(at: 0) }
  }

  package var state: State {
    get { State(configuration: running.root.configuration, final: running.root.final) }
    set {
      running.root.configuration = newValue.configuration
      running.root.final = newValue.final
    }
  }

  private init(_ running: RunningChart, _ program: ChartProgram) {
    self.running = running
    self.program = program
  }

  // MARK: Storage

  /// A machine is read with its kind's parameters; see ``read(_:_:from:)``.
  package init(from decoder: any Decoder) throws {
    throw StorageFailure.damaged("a machine of a document is read with its document")
  }

  package func encode(to encoder: any Encoder) throws { try running.encode(to: encoder) }

  package static func write(_ value: UnsafeRawPointer, to encoder: ValueEncoder) throws {
    try encoder.encode(value.assumingMemoryBound(to: Self.self).pointee.running)
  }

  package static func read(
    _ value: UnsafeMutableRawPointer, _ parameters: UnsafeRawPointer, from decoder: ValueDecoder
  ) throws {
    let program = program(parameters)
    let running = try decoder.decode(RunningChart.self)
    if let damage = running.damage(for: program.definition) { throw StorageFailure.damaged(damage) }
    value.initializeMemory(as: Self.self, to: ChartMachine(running, program))
  }

  /// A machine's document and where it is now, for ``Definition/stateDiagram(_:marking:head:)``.
  package static func drawn(_ value: UnsafeRawPointer) -> (definition: Definition, running: RunningChart) {
    let machine = value.assumingMemoryBound(to: Self.self).pointee
    return (machine.program.definition, machine.running)
  }

  /// A kind's document.
  ///
  /// - Precondition: The kind was made from a document.
  package static func definition(of kind: Kind) -> Definition {
    precondition(kind.machine == Self.self, "a kind of the program has no document")
    let parameters = kind.makeParameterPool()
    return withExtendedLifetime(parameters) { program(parameters.base).definition }
  }

  package static func ownedBytes(_ value: UnsafeRawPointer) -> Int {
    value.assumingMemoryBound(to: Self.self).pointee.running.ownedBytes
  }

  // MARK: States

  package static func stateIndex(_ value: UnsafeRawPointer) -> UInt16 {
    value.assumingMemoryBound(to: Self.self).pointee.place
  }

  package static func stateData(_ value: UnsafeRawPointer) -> String? {
    value.assumingMemoryBound(to: Self.self).pointee.word
  }

  package static func statesAreEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
    left.assumingMemoryBound(to: Self.self).pointee.running == right.assumingMemoryBound(to: Self.self).pointee.running
  }

  /// The index of the last active atomic state in the kind's list.
  private var place: UInt16 {
    let state = running.final ?? running.configuration.last(upTo: program.places.count - 1) ?? 0
    return program.places[state]
  }

  /// The word, if it is no word of the list.
  private var word: String? { program.hasRegions ? program.definition.word(of: running) : nil }

  // MARK: Steps

  private static func program(_ parameters: UnsafeRawPointer) -> ChartProgram {
    guard let program = parameters.assumingMemoryBound(to: Parameters.self).pointee.program else {
      preconditionFailure("the parameters of a machine of a document have the document")
    }
    return program
  }

  package static func initialize(
    _ value: UnsafeMutableRawPointer, initial: Int?, _ parameters: UnsafeRawPointer,
    _ record: UnsafeMutablePointer<StepRecord>
  ) -> UInt16 {
    let program = program(parameters)
    var machine = ChartMachine(RunningChart(), program)
    let undrawn = record.pointee.generator
    let conditions = parameters.assumingMemoryBound(to: Parameters.self).pointee.values
    program.withInterpreter { interpreter in
      let (running, outcome) = interpreter.start(
        with: conditions, now: record.pointee.now, generator: &record.pointee.generator,
        isInterruptible: record.pointee.isInterruptible)
      record.pointee.chartSteps &+= interpreter.spent.steps
      if case .limit(let limit) = outcome { return exceed(limit, interpreter, program, &record.pointee) }
      machine.running = running
      carryOut(interpreter.effects, program, &record.pointee)
      notePassed(by: interpreter, running, &record.pointee)
      tellFailures(of: interpreter, program, &record.pointee, isReason: true)
    }
    record.pointee.noteDraws(since: undrawn)
    record.pointee.note(gained: machine.running.ownedBytes)
    record.pointee.write(after: machine.word)
    let place = machine.place
    value.initializeMemory(as: Self.self, to: machine)
    record.pointee.endCall()
    return place
  }

  package static func step(
    _ value: UnsafeMutableRawPointer, event: UnsafeRawPointer, _ parameters: UnsafeRawPointer,
    _ record: UnsafeMutablePointer<StepRecord>
  ) -> StepResult {
    let machine = value.assumingMemoryBound(to: Self.self)
    let event = event.assumingMemoryBound(to: Event.self)
    let from = machine.pointee.place
    guard let plain = machine.pointee.program.definition.plain, case .event(let name, _) = event.pointee.input,
      !record.pointee.notesGuards,
      let outcome = plain.step(
        &machine.pointee.running.root.configuration, &machine.pointee.running.root.variables, name.number)
    else { return machine.pointee.take(event.pointee.input, isStrict: isStrict(parameters), &record.pointee) }
    if outcome == .ignored, isStrict(parameters) {
      machine.pointee.refuse(name, nil, &record.pointee)
      record.pointee.endCall()
      return StepResult(verdict: .refused, from: from, to: from)
    }
    record.pointee.endCall()
    switch outcome {
    case .moved: return StepResult(verdict: .moved, from: from, to: machine.pointee.place)
    case .stayed: return StepResult(verdict: .stayed, from: from, to: from)
    case .ignored, .limit: return StepResult(verdict: .ignored, from: from, to: from)
    }
  }

  package static func expire(
    _ value: UnsafeMutableRawPointer, timer: UInt8, _ parameters: UnsafeRawPointer,
    _ record: UnsafeMutablePointer<StepRecord>
  ) -> StepResult {
    let machine = value.assumingMemoryBound(to: Self.self)
    return machine.pointee.take(.timer(record.pointee.key), isStrict: false, &record.pointee)
  }

  private static func isStrict(_ parameters: UnsafeRawPointer) -> Bool {
    parameters.assumingMemoryBound(to: Parameters.self).pointee.isStrict
  }

  /// Notes that an event is refused, and takes back what guards have drawn.
  private func refuse(_ event: EventName, _ reason: String?, _ record: inout StepRecord) {
    record.rollBack()
    let states = program.definition.word(of: running)
    record.note(reason: reason ?? "no transition takes \(event.text) in \(states)")
  }

  /// Gives an input to the machine. After a limit, it is as before.
  ///
  /// - Parameter isStrict: Whether an event that no transition takes is refused. A machine that has ended ignores it.
  private mutating func take(_ input: ChartInput, isStrict: Bool, _ record: inout StepRecord) -> StepResult {
    let from = place
    record.write(before: word)
    let undrawn = record.generator
    let program = program
    let stepsLeft = min(program.limits.budget.steps, record.chartStepsEnd &- record.chartSteps)
    let verdict = program.withInterpreter { interpreter in
      let outcome = interpreter.stepInFull(
        &running, input, from: record.sender, now: record.now, generator: &record.generator,
        used: record.continuesInput ? record.used : (program.limits.budget.steps - stepsLeft, 0))
      record.chartSteps &+= interpreter.spent.steps
      record.used.steps += interpreter.spent.steps
      record.used.bytes += interpreter.spent.bytes
      if record.notesGuards {
        for (condition, isTrue) in interpreter.evaluatedGuards { record.note(guard: condition, isTrue) }
      }
      switch outcome {
      case .moved:
        record.note(gained: interpreter.gained)
        Self.carryOut(interpreter.effects, program, &record)
        Self.notePassed(by: interpreter, running, &record)
        Self.tellFailures(of: interpreter, program, &record, isReason: true)
        return Verdict.moved
      case .stayed:
        record.note(gained: interpreter.gained)
        Self.carryOut(interpreter.effects, program, &record)
        Self.tellFailures(of: interpreter, program, &record, isReason: true)
        return .stayed
      case .ignored:
        // A guard may fail with an error that something was to be told of.
        Self.carryOut(interpreter.effects, program, &record)
        let reason = Self.reason(from: interpreter, running)
        if isStrict, running.final == nil, interpreter.effects.isEmpty, case .event(let name, _) = input {
          record.generator = undrawn
          refuse(name, reason, &record)
          return .refused
        }
        if let reason { record.note(reason: reason) }
        Self.tellFailures(of: interpreter, program, &record, isReason: reason == nil)
        return .ignored
      case .limit(let limit):
        record.rollBack()
        Self.exceed(limit, interpreter, program, &record)
        return .refused
      }
    }
    record.noteDraws(since: undrawn)
    record.write(after: word)
    record.endCall()
    return StepResult(verdict: verdict, from: from, to: place)
  }

  /// Why an input is ignored: the guards that are false. `nil` if there is no more to say than that nothing awaits it.
  private static func reason(from interpreter: Interpreter, _ machine: RunningChart) -> String? {
    if machine.final != nil { return "the machine has ended" }
    let guards = interpreter.falseGuards
    let told = guards.prefix(mostGuards).map(\.description) + (guards.count > mostGuards ? ["…"] : [])
    return told.isEmpty ? nil : told.joined(separator: "; ")
  }

  /// The guards that a reason tells.
  private static let mostGuards = 3

  /// Notes the states that were passed at once, which nothing else shows.
  private static func notePassed(by interpreter: Interpreter, _ machine: RunningChart, _ record: inout StepRecord) {
    if let states = interpreter.passedStates(of: machine) { record.note(reason: "by way of \(states)") }
  }

  /// Tells of actions and guards that have failed.
  ///
  /// - Parameter isReason: Whether the answer has nothing else to say.
  private static func tellFailures(
    of interpreter: Interpreter, _ program: ChartProgram, _ record: inout StepRecord, isReason: Bool
  ) {
    guard let place = program.failureOutput else { return }
    let failures = interpreter.failures
    for failure in failures { record.emit(place, [.text(failure)]) }
    if isReason, !failures.isEmpty { record.note(reason: failures.joined(separator: "; ")) }
  }

  private static func exceed(
    _ limit: StatechartLimit, _ interpreter: Interpreter, _ program: ChartProgram, _ record: inout StepRecord
  ) {
    let failure = interpreter.failures.first.map { ": \($0)" } ?? ""
    record.note(
      reason: "the input would take more than \(program.limits.value(of: limit)) \(limit.text)\(failure)",
      exceeding: ExceededLimit(name: limit.name, value: program.limits.value(of: limit)))
  }

  private static func carryOut(_ effects: [ChartEffect], _ program: ChartProgram, _ record: inout StepRecord) {
    for effect in effects {
      switch effect {
      case .arm(let key, let event, let due): record.arm(timer: program.timer(bringing: event), key: key, due: due)
      case .disarm(let key, let event): record.disarm(timer: program.timer(bringing: event), key: key)
      case .log(let label, let value):
        record.emit(program.output(named: "log").place, [.text(label), value.datum])
      case .output(let name, let data): emit(name, data, program, &record)
      case .send(let machine, let event, let data, let sendID):
        emit(event, data, program, &record, to: machine, sendID)
      }
    }
  }

  private static func emit(
    _ name: String, _ data: DataValue, _ program: ChartProgram, _ record: inout StepRecord, to target: String? = nil,
    _ sendID: String? = nil
  ) {
    let (place, isListed) = program.output(named: name)
    let values: [Value] = isListed && name != "log" ? [data.datum] : [.text(isListed ? "" : name), data.datum]
    let id: Value = sendID.map { .text(JSON.text(of: .string($0))) } ?? .none
    record.emit(place, values, as: target.map { DirectSend(to: $0, name, data.datum, id: id) })
  }
}

extension RunningChart {
  /// The memory outside of the value, roughly.
  fileprivate var ownedBytes: Int {
    invoked.reduce(root.ownedBytes + pending.reduce(0) { $0 + $1.bytes }) {
      $0 + MemoryLayout<Session>.stride + $1.ownedBytes
    }
  }
}

extension PendingSend {
  /// Its memory, roughly.
  fileprivate var bytes: Int {
    MemoryLayout<PendingSend>.stride + event.data.size + event.name.utf8.count + (event.sendID?.utf8.count ?? 0)
      + (event.origin?.utf8.count ?? 0) + (event.invokeID?.utf8.count ?? 0)
  }
}

extension Session {
  /// The memory outside of the value, roughly.
  fileprivate var ownedBytes: Int {
    let sets = history.reduce(configuration.ownedBytes + bound.ownedBytes) {
      $0 + MemoryLayout<StateSet>.stride + $1.ownedBytes
    }
    let names = invocations.reduce(invokeID.utf8.count) { $0 + MemoryLayout<Invocation>.stride + $1.id.utf8.count }
    return variables.reduce(sets + names) { $0 + 48 + ($1?.size ?? 0) }
  }
}
