package import StateMachines

extension WorldCore {
  package enum WireFailure: Error, Equatable {
    /// This wire already exists.
    case exists
    /// There is no such wire.
    case missing
    /// The world has `limits.wires` wires.
    case full
  }

  /// Connects an output of one machine to an event of another. An input of the source machine.
  ///
  /// - Precondition: Both machines are alive; output and event are indices in their kinds' lists.
  package mutating func wire(_ wire: Wire) throws(WireFailure) {
    if wires.contains(wire) { throw .exists }
    if wires.count >= limits.wires { throw .full }
    wires.add(wire)
    write(wire, .wired)
  }

  /// Removes a wire. An input of its source machine.
  package mutating func unwire(_ wire: Wire) throws(WireFailure) {
    guard wires.contains(wire) else { throw .missing }
    wires.remove(wire)
    write(wire, .unwired)
  }

  /// All wires: by the name of the source machine, then in order of creation.
  package func allWires() -> [Wire] {
    wires.origins
      .map { origin in (name: registry.withName(of: origin) { Array($0) }, wires: wires.from(origin)) }
      .sorted { $0.name.lexicographicallyPrecedes($1.name) }
      .flatMap(\.wires)
  }

  /// Whether a listed wire still exists.
  package func contains(_ wire: Wire) -> Bool { wires.contains(wire) }

  package var wireCount: Int { wires.count }

  private mutating func write(_ wire: Wire, _ input: InputClass) {
    let location = registry.location(of: wire.from)
    let (cell, kind) = population.cell(at: location)
    let state = population.slots[kind].machine.stateIndex(cell + population.slots[kind].valueOffset)
    details.tag(.target, place: UInt16(wire.event), of: wire.to)
    record.begin(at: now)
    beginAnswer()
    finish(
      StepResult(verdict: .stayed, from: state, to: state), input, wire.from, index: UInt16(wire.output), cell,
      isAnswer: true)
  }

  mutating func queueDeliveries(_ machine: MachineID, _ output: UInt16, _ data: [Value]) {
    for wire in wires.from(machine) where wire.output == Int(output) {
      deliveries.append(Delivery(wire: wire, data: data, depth: depth + 1, isDirect: false))
    }
  }

  /// Queues what a machine has sent to another one, or tells the machine that there is none that takes it.
  mutating func queue(_ send: DirectSend, from machine: MachineID, _ output: UInt16) {
    let target = Array(send.machine.utf8).withUnsafeBytes { registry.find($0) }
    if let target, let event = kind(of: target).event(named: send.event) {
      let wire = Wire(from: machine, output: Int(output), to: target, event: event.place)
      let data = send.data == .none ? [] : [send.data]
      deliveries.append(Delivery(wire: wire, data: event.first + data, depth: depth + 1, isDirect: true))
    } else if let others = kind(of: machine).otherEvents {
      let wire = Wire(from: machine, output: Int(output), to: machine, event: others.place)
      deliveries.append(
        Delivery(wire: wire, data: [.text(Kind.unreachable), send.id], depth: depth + 1, isDirect: true))
    }
  }

  /// Delivers pending events, first in, first out, and those that follow from them.
  ///
  /// A chain that is too long, or too many deliveries in one step, ends it: the rest is dropped and `livelock` says
  /// where.
  ///
  /// - Returns: False if a limit ended it, or kept a timer from running.
  @discardableResult
  mutating func deliver() -> Bool {
    var delivered = 0
    record.used = (0, 0)
    var isWithinLimits = true
    while nextDelivery < deliveries.count {
      let delivery = deliveries[nextDelivery]
      let isLong = delivery.depth > limits.wireChain
      if isLong || delivered >= limits.wireDeliveries {
        livelock = Livelock(
          chain: .wires(output: UInt16(delivery.wire.output), isLong: isLong), machine: delivery.wire.from, moment: now)
        isWithinLimits = false
        break
      }
      nextDelivery += 1
      delivered += 1
      depth = delivery.depth
      receive(delivery)
      // Delivered events are removed in large pieces, so that a long chain does not grow the queue.
      if nextDelivery > 1_024, nextDelivery * 2 > deliveries.count {
        deliveries.removeFirst(nextDelivery)
        nextDelivery = 0
      }
    }
    deliveries.removeAll(keepingCapacity: deliveries.count < 4_096)
    nextDelivery = 0
    depth = 0
    defer { hasRefusedTimer = false }
    return isWithinLimits && !hasRefusedTimer
  }

  private mutating func receive(_ delivery: Delivery) {
    let machine = delivery.wire.to
    let event = delivery.wire.event
    let location = registry.location(of: machine)
    let (cell, kind) = population.cell(at: location)
    let slot = population.slots[kind]
    let definition = population.kinds[kind]
    details.tag(.source, place: UInt16(delivery.wire.output), of: delivery.wire.from)
    record.begin(at: now)
    if delivery.isDirect { record.sender = name(of: delivery.wire.from) }
    record.continuesInput = true
    defer {
      record.sender = nil
      record.continuesInput = false
    }
    noteTimers(slot, cell)
    let result: StepResult
    let output = population.kinds[population.kind(at: registry.location(of: delivery.wire.from))]
      .outputs[delivery.wire.output]
    let entry = definition.events[event]
    if let arguments = delivery.isDirect ? entry.filled(delivery.data[...]) : entry.fitted(delivery.data, of: output) {
      if arguments.isEmpty {
        result = slot.machine.step(
          cell + slot.valueOffset, event: slot.plainEvents + event * slot.eventStride, slot.parameters(of: cell),
          &record)
      } else {
        let storage = EventStorage(definition, event, arguments)
        result = slot.machine.step(cell + slot.valueOffset, event: storage.event, slot.parameters(of: cell), &record)
      }
    } else {
      result = refuse(slot, cell)
      record.reason = "the output's data do not fit the event's arguments"
    }
    finish(result, .delivery, machine, index: UInt16(event), cell, isAnswer: false)
  }
}

extension EventEntry {
  /// Whether some data of an output can be this event's arguments.
  package func canTake(_ output: OutputEntry) -> Bool {
    if takesAnything { return true }
    let data = output.isOpen ? output.data.prefix(arguments.count) : output.data[...]
    return data.count <= arguments.count
      && zip(data, arguments).allSatisfy { $0.type.overlaps($1.type) }
      && arguments.dropFirst(data.count).allSatisfy { $0.type.admits(.none) }
  }

  /// An output's data as this event's arguments, with missing ones at the end filled up; nil if they do not fit.
  fileprivate func fitted(_ data: [Value], of output: OutputEntry) -> [Value]? {
    if takesAnything { return output.asJSON(data).map { [.text($0)] } ?? [] }
    // The data of open outputs may be left out.
    return filled(data.last == Value.none && output.isOpen ? data.dropLast() : data[...])
  }

  /// The same for values that need no conversion.
  fileprivate func filled(_ data: ArraySlice<Value>) -> [Value]? {
    guard data.count <= arguments.count else { return nil }
    let filled = Array(data) + repeatElement(.none, count: arguments.count - data.count)
    return zip(arguments, filled).allSatisfy { $0.type.admits($1) } ? filled : nil
  }
}

extension OutputEntry {
  /// Whether its data are any data, or none.
  fileprivate var isOpen: Bool { data.last?.type == .json }

  /// Data of this output for an event that takes anything: those that are JSON already, otherwise an object of their
  /// names; `nil` if there are none.
  fileprivate func asJSON(_ values: [Value]) -> String? {
    if data.count == 1, isOpen {
      if case .text(let text)? = values.first { return text }
      return nil
    }
    let members = zip(data, values).compactMap { entry, value in
      value.json(isJSON: entry.type == .json).map { "\(Value.quoted(entry.name)):\($0)" }
    }
    return members.isEmpty ? nil : "{\(members.joined(separator: ","))}"
  }
}

extension Value {
  /// As JSON: times and durations are numbers of seconds.
  fileprivate func json(isJSON: Bool) -> String? {
    switch self {
    case .none: nil
    case .text(let text): isJSON ? text : Value.quoted(text)
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .flag(let flag): flag ? "true" : "false"
    case .interval(let interval): "\(Double(interval.nanoseconds) / 1e9)"
    case .moment(let moment): "\(Double(moment.nanoseconds) / 1e9)"
    }
  }

  fileprivate static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case "\r": quoted += "\\r"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      case _: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
