package import StateMachines

extension WorldCore {
  package enum CreationFailure: Error, Equatable {
    case nameTaken
    /// The world has as many machines or wires as its limits allow, or the journal refers to too many dropped machines.
    case full
    /// Machines of as many kinds have been made as the world's limits allow.
    case tooManyKinds
    /// The parameters contradict each other.
    case conflict(ParameterConflict)
    /// The start of the machine exceeds a limit, or was interrupted.
    case limit(ExceededLimit)
  }

  /// Makes a machine. Nothing is made when an error is thrown.
  ///
  /// - Parameters:
  ///   - name: 1 to 64 bytes, checked by the caller to be a valid name.
  ///   - initial: An index in the kind's list of states, or nil for the kind's own initial state.
  ///   - parameters: Indices in the kind's list, with values that their types accept; the others have their defaults.
  ///   - document: What the kind is made of, if the world has to define it first, as an input of the same request.
  /// - Complexity: O(patterns of all watches), plus making the machine's value.
  @discardableResult
  package mutating func create(
    _ kind: Kind, named name: UnsafeRawBufferPointer, initial: Int? = nil,
    parameters: [(parameter: Int, value: Value)] = [], defining document: KindDocument? = nil
  ) throws(CreationFailure) -> MachineID {
    if registry.find(name) != nil { throw .nameTaken }
    if !compositions.isEmpty, compositions[String(decoding: name, as: UTF8.self)] != nil { throw .nameTaken }
    guard makeRoom(for: 1) else { throw .full }
    guard hasRoom(forKinds: [kind]) else { throw .tooManyKinds }
    let started = kind.otherEvents == nil ? nil : try StartedMachine(of: kind, parameters, in: self)
    if let started { record.chartSteps = started.record.chartSteps }
    if let limit = started?.record.exceeded { throw .limit(limit) }
    let isRequest = document != nil && !isWithinRequest
    if isRequest { beginRequest() }
    defer { if isRequest { endRequest() } }
    // The parameters of such a kind have no conflicts, so that nothing below can fail any more.
    if let document { define(document, as: kind) }
    return try create(kind, named: name, initial: initial, parameters: parameters, as: nil, started)
  }

  /// A machine of a document that has begun outside the world: its start may exceed a limit, or be interrupted, and a kind
  /// gets its number with its first machine.
  final class StartedMachine {
    // Safety: room for one value of the kind, which is made in `init`, and destroyed and freed in `deinit`.
    private let value: UnsafeMutableRawPointer
    private let kind: Kind
    let state: UInt16
    let record: StepRecord

    init(
      of kind: Kind, _ parameters: [(parameter: Int, value: Value)], in world: borrowing WorldCore
    ) throws(CreationFailure) {
      world.noteInput()
      let pool = kind.makeParameterPool()
      let place: UInt32
      do throws(ParameterConflict) { place = try pool.intern(parameters) } catch { throw .conflict(error) }
      var record = world.record
      record.begin(at: world.now)
      record.isInterruptible = true
      let value = UnsafeMutableRawPointer.allocate(
        byteCount: max(1, kind.layout.valueSize), alignment: kind.layout.valueAlignment)
      state = withExtendedLifetime(pool) {
        kind.machine.initialize(
          value, initial: nil, pool.base + Int(place) * kind.layout.parameterStride, &record)
      }
      record.isInterruptible = false
      (self.value, self.kind, self.record) = (value, kind, record)
    }

    deinit {
      kind.machine.destroy(value)
      value.deallocate()
    }

    func copy(to other: UnsafeMutableRawPointer) { kind.machine.copy(value, to: other) }
  }

  /// Makes a machine. The caller has checked the name and the room.
  ///
  /// - Parameters:
  ///   - known: Its number, if given; otherwise the next free one is used.
  ///   - started: The machine, if it has begun.
  mutating func create(
    _ kind: Kind, named name: UnsafeRawBufferPointer, initial: Int?, parameters: [(parameter: Int, value: Value)],
    as known: MachineID?, _ started: StartedMachine? = nil
  ) throws(CreationFailure) -> MachineID {
    // Kinds are numbered when their first machine is made; persistence relies on that.
    if !population.has(kind), let conflict = conflict(of: parameters, in: kind) { throw .conflict(conflict) }
    let place = population.place(of: kind)
    let location: Location
    do throws(ParameterConflict) {
      location = try population.reserve(place, parameters)
    } catch {
      throw .conflict(error)
    }
    let machine: MachineID
    if let known {
      machine = known
      registry.insert(name, at: location, as: known)
    } else {
      machine = registry.insert(name, at: location)
    }
    if !watchers.isEmpty { watchers.enter(machine) }

    let (cell, _) = population.cell(at: location)
    let slot = population.slots[place]
    beginAnswer()
    noteInput()
    let state: UInt16
    if let started {
      started.copy(to: cell + slot.valueOffset)
      state = started.state
      record = started.record
    } else {
      record.begin(at: now)
      noteTimers(slot, cell)
      state = slot.machine.initialize(
        cell + slot.valueOffset, initial: initial, slot.parameters(of: cell), &record)
    }
    if place > 0xFF { details.tag(.kind, number: UInt64(place)) }
    if let initial { details.tag(.initial, place: UInt16(initial)) }
    details.parameters(parameters)
    finish(
      StepResult(verdict: .moved, from: state, to: state), .created, machine, index: UInt16(place & 0xFF), cell,
      isAnswer: true)
    unflushed?.machines.append((answer.sequence, machine))
    complete()
    return machine
  }

  /// Makes a composed kind: its members in order, then its wires, each as an input of its own. Nothing is made when an
  /// error is thrown.
  ///
  /// - Parameter parameters: For each member, as in `create`.
  package mutating func create(
    _ composition: Composition, named name: String, parameters: [[(parameter: Int, value: Value)]]
  ) throws(CreationFailure) {
    let names = composition.members.map { Array("\(name).\($0.name)".utf8) }
    for name in names + [Array(name.utf8)] {
      let isTaken = name.withUnsafeBytes { registry.find($0) } != nil
      if isTaken || compositions[String(decoding: name, as: UTF8.self)] != nil { throw .nameTaken }
    }
    let parameters = zip(composition.members, parameters).map { $0.parameters(given: $1) }
    guard makeRoom(for: names.count), wires.count + composition.wires.count <= limits.wires else { throw .full }
    guard hasRoom(forKinds: composition.members.map(\.kind)) else { throw .tooManyKinds }
    for (member, values) in zip(composition.members, parameters) {
      if let conflict = conflict(of: values, in: member.kind) { throw .conflict(conflict) }
    }
    let isWithinRequest = isWithinRequest
    if !isWithinRequest { beginRequest() }
    defer { if !isWithinRequest { endRequest() } }
    let sequence = journal.last + 1
    var members: [MachineID] = []
    for (place, member) in composition.members.enumerated() {
      let made = names[place].withUnsafeBytes { name in
        Result { () throws(CreationFailure) in
          try create(member.kind, named: name, parameters: parameters[place])
        }
      }
      members.append(try made.get())
    }
    for end in composition.wires {
      let wire = Wire(from: members[end.from], output: end.output, to: members[end.to], event: end.event)
      do throws(WireFailure) {
        try self.wire(wire)
      } catch {
        preconditionFailure("the wires of new machines are new, and their number was checked: \(error)")
      }
    }
    compositions[name] = CompositionRecord(
      name: name, composition: composition, sequence: sequence, all: members, members: members)
    unflushed?.compositions.append((sequence, composition.key, name))
  }

  /// Removes a machine, its timers and its wires.
  package mutating func drop(_ machine: MachineID) {
    let location = registry.location(of: machine)
    let (cell, kind) = population.cell(at: location)
    let state = population.slots[kind].machine.stateIndex(cell + population.slots[kind].valueOffset)
    for timer in population.timers(at: location) where timer.stamp != 0 { agenda.living -= 1 }
    agenda.living -= keyedTimers.removeAll(of: machine)
    wires.removeAll(of: machine)
    record.begin(at: now)
    beginAnswer()
    finish(StepResult(verdict: .moved, from: state, to: state), .dropped, machine, index: 0, cell, isAnswer: true)
    population.release(location)
    registry.remove(machine, kind: kind)
    retired.append((answer.sequence, machine))
    if !compositions.isEmpty { forget(machine) }
    if agenda.hasTooManyDead { sweepAgenda() }
    complete()
  }

  /// What composed names are made of, as far as the journal speaks of them and they were not undone, by the input of the
  /// first member.
  ///
  /// - Complexity: O(composed names).
  package var composedCreations: [UInt64: JournalSegment.Creation] {
    var creations: [UInt64: JournalSegment.Creation] = [:]
    for record in Array(compositions.values) + past.compositions.map(\.record) {
      creations[record.sequence] = JournalSegment.Creation(
        sequence: record.sequence, machine: nil, kind: record.composition.key, name: record.name)
    }
    return creations
  }

  /// The members left of a composed name; nil if there is no such name.
  package func members(of name: String) -> [MachineID]? { compositions[name]?.members }

  /// The composed kind of a composed name, while any of its members is left; nil if there is no such name.
  package func composition(of name: String) -> Composition? { compositions[name]?.composition }

  /// Whether a machine was made as a member of a composed kind.
  ///
  /// - Complexity: O(dots in its name); O(1) without compositions.
  package func isMember(_ machine: MachineID, of kind: String) -> Bool {
    guard let name = composedName(of: machine) else { return false }
    return compositions[name]?.composition.name == kind
  }

  /// The composed name of a machine's composition, a prefix of its own name before a dot; nil if there is none.
  private func composedName(of machine: MachineID) -> String? {
    if compositions.isEmpty { return nil }
    return registry.withName(of: machine) { name in
      for dot in name.indices where name[dot] == UInt8(ascii: ".") {
        let composed = String(decoding: name[..<dot], as: UTF8.self)
        if compositions[composed]?.members.contains(machine) == true { return composed }
      }
      return nil
    }
  }

  private func hasRoom(for machines: Int) -> Bool {
    registry.count + machines <= limits.machines
      && registry.capacity - registry.vacantNumbers + machines <= limits.numbers
  }

  /// Removes a dropped machine from its composition.
  private mutating func forget(_ machine: MachineID) {
    guard let composed = composedName(of: machine) else { return }
    compositions[composed]?.members.removeAll { $0 == machine }
    if let record = compositions[composed], record.members.isEmpty {
      compositions[composed] = nil
      past.compositions.append((answer.sequence, record))
    }
  }

  private mutating func conflict(of values: [(parameter: Int, value: Value)], in kind: Kind) -> ParameterConflict? {
    let pool = kind.makeParameterPool()
    do throws(ParameterConflict) {
      _ = try pool.intern(values)
      return nil
    } catch {
      return error
    }
  }

  private func hasRoom(forKinds kinds: [Kind]) -> Bool {
    var new: Set<ObjectIdentifier> = []
    for kind in kinds where !population.has(kind) { new.insert(ObjectIdentifier(kind)) }
    return population.kinds.count + new.count <= limits.kinds
  }

  /// Frees the numbers of dropped machines that the journal no longer refers to; returns whether there is room.
  ///
  /// First it considers only inputs dropped by the limit of inputs. What the limit of bytes drops depends on the
  /// division into blocks, and a world loaded from an archive must assign the same numbers.
  private mutating func makeRoom(for machines: Int) -> Bool {
    past.forget(before: journal.first)
    recycle(before: journal.firstByNumber)
    if !hasRoom(for: machines) { recycle(before: journal.first) }
    return hasRoom(for: machines)
  }

  private mutating func recycle(before first: UInt64) {
    guard nextRetired < retired.count else { return }
    // Persistence still needs the names of machines whose inputs are not flushed.
    let first = min(first, journal.firstUnflushed)
    while nextRetired < retired.count, retired[nextRetired].sequence < first {
      registry.recycle(retired[nextRetired].machine)
      nextRetired += 1
    }
    if nextRetired > 1_024, nextRetired * 2 > retired.count {
      retired.removeFirst(nextRetired)
      nextRetired = 0
    }
  }
}
