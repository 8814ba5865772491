package import StateMachines

extension WorldCore {
  /// Prefetches a machine that will get an event soon, while others are processed: among a million machines hardly any
  /// is in the processor's cache. Call it ``sendsAhead`` sends before.
  ///
  /// It changes nothing, but is mutating because a call that is not would copy the world first.
  @inline(__always)
  package mutating func expectSend(to machine: MachineID) { fetchCell(of: machine) }

  /// How many sends in advance a machine is best prefetched.
  package static var sendsAhead: Int { 8 }

  /// The same for a machine given by name; also looks it up, which among many machines waits for memory several times.
  /// The result stays valid as long as only sends follow.
  package mutating func expectSend(toNamed name: UnsafeRawBufferPointer) -> MachineID? {
    guard let machine = registry.find(name) else { return nil }
    population.fetchCell(at: registry.location(of: machine))
    return machine
  }

  /// Sends an event without arguments to a machine; returns when all consequences at this moment are done.
  ///
  /// - Precondition: `machine` is alive and `event` is an index in its kind's list of an event without arguments.
  @inline(__always)
  package mutating func send(_ machine: MachineID, plain event: Int) {
    let location = registry.location(of: machine)
    let (cell, kind) = population.cell(at: location)
    let slot = population.slots[kind]
    send(machine, cell, slot, event, slot.plainEvents + event &* slot.eventStride)
    complete()
  }

  /// Sends an event without arguments, with machine and event named as in a request.
  ///
  /// One call for the hot path: each call that borrows a world from its owner would first copy it to the stack.
  ///
  /// - Returns: The words of the machine's kind. Nil, with no effect, if there is no such machine, its kind has no such
  ///   event, or the event takes arguments.
  package mutating func send(
    plain eventName: UnsafeRawBufferPointer, to name: UnsafeRawBufferPointer
  ) -> KindWords? {
    guard let machine = registry.find(name) else { return nil }
    return send(plain: eventName, to: machine)
  }

  /// The same for a machine that was looked up.
  @inline(__always)
  package mutating func send(plain eventName: UnsafeRawBufferPointer, to machine: MachineID) -> KindWords? {
    let (cell, kind) = population.cell(at: registry.location(of: machine))
    let slot = population.slots[kind]
    guard let event = slot.words.events.find(eventName), slot.words.isPlain(event) else { return nil }
    send(machine, cell, slot, event, slot.plainEvents + event &* slot.eventStride)
    complete()
    return slot.words
  }

  /// Sends an event with arguments.
  ///
  /// - Precondition: `arguments` has as many values as the event, each accepted by its type; or none, for an event that
  ///   can be sent without.
  package mutating func send(_ machine: MachineID, event: Int, _ arguments: [Value]) {
    let location = registry.location(of: machine)
    let (cell, kind) = population.cell(at: location)
    let slot = population.slots[kind]
    details.arguments(arguments)
    // Holds the kind, so that the world can change while its event is in use.
    let definition = population.kinds[kind]
    let given = details.count
    if arguments.isEmpty {
      send(machine, cell, slot, event, slot.plainEvents + event * slot.eventStride)
    } else {
      // A closure may not change the world, so it gets the event's storage, which is used afterwards.
      let storage = EventStorage(definition, event, arguments)
      send(machine, cell, slot, event, storage.event)
    }
    population.weigh(cell, of: kind, given: given, isKept: true)
    complete()
  }

  @inline(__always)
  private mutating func send(
    _ machine: MachineID, _ cell: UnsafeMutableRawPointer, _ slot: MachineStorage.Slot, _ event: Int,
    _ storage: UnsafeRawPointer
  ) {
    beginAnswer()
    noteInput()
    record.begin(at: now)
    noteTimers(slot, cell)
    let result = slot.machine.step(
      cell + slot.valueOffset, event: storage, slot.parameters(of: cell), &record)
    finish(result, .event, machine, index: UInt16(truncatingIfNeeded: event), cell, isAnswer: true)
  }

  /// Sets the timers of a machine for its next step. Most kinds have none, and most steps follow one of such a kind.
  @inline(__always)
  mutating func noteTimers(_ slot: MachineStorage.Slot, _ cell: UnsafeMutableRawPointer) {
    if slot.timers > 0 {
      record.timers = slot.stepTimers(of: cell)
    } else if !record.timers.isEmpty {
      record.timers = .none
    }
  }

  @inline(__always)
  mutating func beginAnswer() {
    if answer.hasDetails { answerDetails.outputs.removeAll(keepingCapacity: true) }
  }

  /// Writes a step to the journal and performs its effects.
  @inline(__always)
  mutating func finish(
    _ result: StepResult, _ input: InputClass, _ machine: MachineID, index: UInt16, _ cell: UnsafeMutableRawPointer,
    isAnswer: Bool
  ) {
    if record.isWritten {
      writeData(result)
      if !record.effects.isEmpty { carryOut(machine, cell, isAnswer: isAnswer) }
      if population.weighs { weigh(machine, cell) }
    }
    let sequence = journal.append(
      input, machine, index: index, result, at: now, details, isFromOutside: isAnswer)
    details.clear()
    guard isAnswer else { return }
    var hasDetails = false
    if record.isWritten {
      hasDetails =
        !answerDetails.outputs.isEmpty || record.reason != nil || record.dataBefore != nil || record.dataAfter != nil
      if hasDetails || answer.hasDetails || record.keepsOutputs { writeAnswerDetails() }
    }
    answer = Answer(
      sequence: sequence, verdict: result.verdict, from: result.from, to: result.to, hasDetails: hasDetails)
  }

  /// Accounts for a step that may have increased the machine's memory.
  @inline(never)
  private mutating func weigh(_ machine: MachineID, _ cell: UnsafeMutableRawPointer) {
    let kind = population.cell(at: registry.location(of: machine)).kind
    population.weigh(cell, of: kind, given: 16 + details.count + record.gained, isKept: record.gained > 0)
  }

  private mutating func writeAnswerDetails() {
    answerDetails.dataBefore = record.dataBefore
    answerDetails.dataAfter = record.dataAfter
    answerDetails.reason = record.reason
    answerDetails.exceeded = record.exceeded
    if record.keepsOutputs { answerDetails.typedOutputs = record.outputs }
  }

  /// The step of an input that is refused before it reaches the machine.
  mutating func refuse(_ slot: MachineStorage.Slot, _ cell: UnsafeMutableRawPointer) -> StepResult {
    let value = cell + slot.valueOffset
    record.isWritten = true
    record.dataBefore = slot.machine.stateData(value)
    record.dataAfter = record.dataBefore
    let state = slot.machine.stateIndex(value)
    return StepResult(verdict: .refused, from: state, to: state)
  }

  private mutating func writeData(_ result: StepResult) {
    if result.verdict == .moved, let before = record.dataBefore { details.tag(.dataBefore, text: before) }
    if let after = record.dataAfter { details.tag(.dataAfter, text: after) }
    if keepsReasons, result.verdict == .refused, let reason = record.reason { details.tag(.reason, text: reason) }
  }

  /// Whether an output of a machine is for watchers of everything only.
  private func isTold(_ output: UInt16, by machine: MachineID) -> Bool {
    population.slots[population.cell(at: registry.location(of: machine)).kind].words.isTold(Int(output))
  }

  /// Performs the effects of the recorded step, in order.
  private mutating func carryOut(_ machine: MachineID, _ cell: UnsafeMutableRawPointer, isAnswer: Bool) {
    let timers = cell.assumingMemoryBound(to: RunningTimer.self)
    // By index, since iterating would retain the list.
    for place in 0..<record.effects.count {
      switch record.effects[place] {
      case .emit(let output, let first, let count):
        details.tag(.emitted, place: output)
        let isTold = isTold(output, by: machine)
        if isAnswer, !isTold { answerDetails.outputs.append(output) }
        if count == 0 {
          details.number(0)
          if !wires.isEmpty, !isTold { queueDeliveries(machine, output, []) }
          continue
        }
        let data = record.values[Int(first)..<Int(first + count)]
        details.values(data)
        if !wires.isEmpty, !isTold { queueDeliveries(machine, output, Array(data)) }
      case .send(let output, let first, let count):
        let (send, data) = DirectSend.read(record.values[Int(first)..<Int(first + count)][...])
        details.tag(.emitted, place: output)
        details.values(data)
        if isAnswer { answerDetails.outputs.append(output) }
        queue(send, from: machine, output)
      case .arm(let timer, let key, let due):
        if key != 0 {
          arm(machine, KeyedTimers.Name(timer: timer, key: key), due, isAnswer: isAnswer)
          continue
        }
        arm(machine, timers + Int(timer), due)
        details.tag(.armed, timer, UInt64((due - now).nanoseconds))
      case .disarm(let timer, let key):
        if key != 0 {
          disarm(machine, KeyedTimers.Name(timer: timer, key: key))
          continue
        }
        let running = timers + Int(timer)
        guard running.pointee.stamp != 0 else { continue }
        details.tag(.disarmed, timer, UInt64(running.pointee.due &- now.nanoseconds))
        running.pointee.stamp = 0
        agenda.living &-= 1
      }
    }
    if agenda.hasTooManyDead { sweepAgenda() }
  }

  /// Runs the consequences of a step at the same moment: deliveries, and timers without delay. What documents' machines
  /// do at such timers is limited; the others are due before whatever happens next.
  @inline(__always)
  mutating func complete() {
    if nextDelivery < deliveries.count { deliver() }
    if let first = agenda.first, first.due <= now.nanoseconds { fireWithoutDelay() }
  }

  @inline(never)
  private mutating func fireWithoutDelay() {
    let place = underWay.take()
    fireDue(chartSteps: Self.chartStepsAfterAnInput)
    underWay = place
  }

  /// As many as one input may have.
  private static var chartStepsAfterAnInput: Int { 1_000_000 }
}

/// An event made from arguments, for one step.
struct EventStorage: ~Copyable {
  // Safety: room for one event of the kind, made in `init` and destroyed in `deinit`.
  private let storage: UnsafeMutableRawPointer
  private let kind: Kind

  init(_ kind: Kind, _ event: Int, _ arguments: [Value]) {
    self.kind = kind
    storage = .allocate(byteCount: max(1, kind.layout.eventStride), alignment: 16)
    kind.makeEvent(event, arguments, at: storage)
  }

  deinit {
    kind.destroyEvent(at: storage)
    storage.deallocate()
  }

  var event: UnsafeRawPointer { UnsafeRawPointer(storage) }
}
