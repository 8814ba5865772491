package import StateMachines

extension WorldCore {
  /// Says that a machine will be sent to soon, so that the memory is asked for it while others are at work: of a million
  /// machines nearly none is in the processor's cache. ``sendsAhead`` is the time for it.
  ///
  /// It changes nothing, and is mutating all the same, because a call that is not copies the world first.
  @inline(__always)
  package mutating func expectSend(to machine: MachineID) { fetchCell(of: machine) }

  /// How many sends before its own a machine is best asked for.
  package static var sendsAhead: Int { 8 }

  /// The same for one of which only the name is known: finds it, too, which among many is to wait for memory again and
  /// again. A machine that is found stays the one of that name as long as nothing but sends comes between.
  package mutating func expectSend(toNamed name: UnsafeRawBufferPointer) -> MachineID? {
    guard let machine = registry.find(name) else { return nil }
    population.fetchCell(at: registry.location(of: machine))
    return machine
  }

  /// Sends an event without arguments to a machine, and answers when all that follows from it at this moment is done.
  ///
  /// - Precondition: `machine` is alive and `event` is a place in its kind's list that takes no arguments.
  @inline(__always)
  package mutating func send(_ machine: MachineID, plain event: Int) {
    let location = registry.location(of: machine)
    let (cell, kind) = population.cell(at: location)
    let slot = population.slots[kind]
    send(machine, cell, slot, event, slot.plainEvents + event &* slot.eventStride)
    complete()
  }

  /// Sends an event without arguments, machine and event named as a request names them.
  ///
  /// One call for the hot path: each call that borrows a world from its owner would copy it to the stack first.
  ///
  /// - Returns: The words of the machine's kind; nil if there is no such machine, its kind has no such event, or the
  ///   event takes arguments, and then nothing is done.
  package mutating func send(
    plain eventName: UnsafeRawBufferPointer, to name: UnsafeRawBufferPointer
  ) -> KindWords? {
    guard let machine = registry.find(name) else { return nil }
    return send(plain: eventName, to: machine)
  }

  /// The same to a machine that was found.
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
  /// - Precondition: There are as many `arguments` as the event has, and each is admitted by its type.
  package mutating func send(_ machine: MachineID, event: Int, _ arguments: [Value]) {
    let location = registry.location(of: machine)
    let (cell, kind) = population.cell(at: location)
    let slot = population.slots[kind]
    if !arguments.isEmpty {
      details.tag(.arguments)
      details.values(arguments)
    }
    // The kind is held here, so that the world is free to change while its event is in use.
    let definition = population.kinds[kind]
    let given = details.count
    if definition.isPlain(event) {
      send(machine, cell, slot, event, slot.plainEvents + event * slot.eventStride)
    } else {
      // A closure may not change the world, so the event's storage is lent to it and used after.
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
    record.begin(at: now)
    noteTimers(slot, cell)
    let result = slot.machine.step(
      cell + slot.valueOffset, event: storage, slot.parameters(of: cell), &record)
    finish(result, .event, machine, index: UInt8(truncatingIfNeeded: event), cell, isAnswer: true)
  }

  /// Notes the timers of a machine for its next step; most kinds have none, and most steps come after one of the like.
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

  /// Writes a step down and carries out what it asked for.
  @inline(__always)
  mutating func finish(
    _ result: StepResult, _ input: InputClass, _ machine: MachineID, index: UInt8, _ cell: UnsafeMutableRawPointer,
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
      if hasDetails || answer.hasDetails { writeAnswerDetails() }
    }
    answer = Answer(
      sequence: sequence, verdict: result.verdict, from: result.from, to: result.to, hasDetails: hasDetails)
  }

  /// Counts a step that may have left the machine with more memory.
  @inline(never)
  private mutating func weigh(_ machine: MachineID, _ cell: UnsafeMutableRawPointer) {
    let kind = population.cell(at: registry.location(of: machine)).kind
    population.weigh(cell, of: kind, given: 16 + details.count, isKept: false)
  }

  private mutating func writeAnswerDetails() {
    answerDetails.dataBefore = record.dataBefore
    answerDetails.dataAfter = record.dataAfter
    answerDetails.reason = record.reason
  }

  /// The step of an input that is refused before the machine sees it.
  mutating func refuse(_ slot: MachineStorage.Slot, _ cell: UnsafeMutableRawPointer) -> StepResult {
    let value = cell + slot.valueOffset
    record.isWritten = true
    record.dataBefore = slot.machine.stateData(value)
    record.dataAfter = record.dataBefore
    let state = slot.machine.stateIndex(value)
    return StepResult(verdict: .refused, from: state, to: state)
  }

  private mutating func writeData(_ result: StepResult) {
    if result.verdict == .moved, let before = record.dataBefore {
      details.tag(.dataBefore)
      details.text(before)
    }
    if let after = record.dataAfter {
      details.tag(.dataAfter)
      details.text(after)
    }
  }

  /// Carries out the effects of the step on the sheet, in their order.
  private mutating func carryOut(_ machine: MachineID, _ cell: UnsafeMutableRawPointer, isAnswer: Bool) {
    let timers = cell.assumingMemoryBound(to: RunningTimer.self)
    // By place, since going over the list would hold on to it.
    for place in 0..<record.effects.count {
      switch record.effects[place] {
      case .emit(let output, let first, let count):
        details.tag(.emitted, output)
        if isAnswer { answerDetails.outputs.append(output) }
        if count == 0 {
          details.number(0)
          if !wires.isEmpty { queueDeliveries(machine, output, []) }
          continue
        }
        let data = record.values[Int(first)..<Int(first + count)]
        details.values(data)
        if !wires.isEmpty { queueDeliveries(machine, output, Array(data)) }
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

  /// Runs what follows from a step at this same moment: deliveries, and timers without delay.
  @inline(__always)
  mutating func complete() {
    if nextDelivery < deliveries.count { deliver() }
    if let first = agenda.first, first.due <= now.nanoseconds { fireDue() }
  }
}

/// An event made of arguments, for the time of one step.
struct EventStorage: ~Copyable {
  // Safety: room for one event of the kind, which is made in `init` and destroyed in `deinit`.
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
