package import StateMachines

extension WorldCore {
  /// Loads a world from an archive. It continues as the written world would have: equal inputs give an equal journal.
  ///
  /// Its journal is empty and begins after the last archived input, so nothing earlier can be undone; a checkpoint is
  /// due at once. It has no watchers.
  ///
  /// The limits that shape the journal are those of the archive, so that later inputs have the same outcome.
  ///
  /// - Parameters:
  ///   - kinds: Returns the catalogue entry with a name.
  ///   - compiler: Makes kinds of the documents that the archive has.
  ///   - limits: All other limits. A world that already exceeds one is read anyway.
  /// - Complexity: O(bytes).
  package init(
    archive: UnsafeRawBufferPointer, kinds: (String) -> CatalogueEntry?, compiler: DocumentCompiler? = nil,
    limits: WorldLimits = WorldLimits()
  ) throws(ArchiveFailure) {
    // If an error is thrown, the incomplete world is destroyed like any other.
    self.init(limits: limits)
    do {
      var reading = try WorldReading(archive)
      try reading.read(into: &self, kinds, compiler)
    } catch {
      throw ArchiveFailure(error)
    }
  }

  package init(
    archive: [UInt8], kinds: (String) -> CatalogueEntry?, compiler: DocumentCompiler? = nil,
    limits: WorldLimits = WorldLimits()
  ) throws(ArchiveFailure) {
    self.init(limits: limits)
    do {
      try archive.withUnsafeBytes {
        var reading = try WorldReading($0)
        try reading.read(into: &self, kinds, compiler)
      }
    } catch {
      throw ArchiveFailure(error)
    }
  }

  /// The hash of an archived world when it was written, if the archive is intact; see ``stateHash``.
  package static func stateHash(ofArchive archive: UnsafeRawBufferPointer) throws(ArchiveFailure) -> UInt64 {
    do {
      return try WorldReading(archive).stateHash
    } catch {
      throw ArchiveFailure(error)
    }
  }
}

/// Reads an archive, part by part.
struct WorldReading {
  let stateHash: UInt64
  private let decoder: ValueDecoder
  private let firings: UInt64
  /// By kind.
  private var lists: [KindLists] = []
  /// By kind: whether its machines have stored parameters; nil until the first machine is read.
  private var haveParameters: [Bool?] = []
  /// By kind: whether this release has it.
  private var areKnown: [Bool] = []

  /// Checks the parts around the state.
  ///
  /// - Parameter archive: Must outlive this value.
  init(_ archive: UnsafeRawBufferPointer) throws {
    guard archive.starts(with: WorldArchive.magic) else { throw ArchiveFailure.noArchive }
    let head = ValueDecoder(UnsafeRawBufferPointer(rebasing: archive[WorldArchive.magic.count...]))
    let format = try head.number()
    guard format == WorldArchive.format else { throw ArchiveFailure.format(format) }
    firings = try head.number()
    let start = WorldArchive.magic.count + head.offset
    let end = archive.count - WorldArchive.sealBytes
    guard start <= end else { throw StorageFailure.cutShort }
    let state = UnsafeRawBufferPointer(rebasing: archive[start..<end])
    stateHash = Checksum.of(state)
    let seal = WorldArchive.seal(UnsafeRawBufferPointer(rebasing: archive[..<start]), stateHash: stateHash)
    guard try ValueDecoder(UnsafeRawBufferPointer(rebasing: archive[end...])).word() == seal else {
      throw ArchiveFailure.damaged("its checksum differs")
    }
    decoder = ValueDecoder(state)
  }

  /// Reads the state.
  ///
  /// - Parameter world: An empty world with its limits.
  mutating func read(
    into world: inout WorldCore, _ kinds: (String) -> CatalogueEntry?, _ compiler: DocumentCompiler?
  ) throws {
    world.limits.chain = try decoder.number(as: Int.self)
    world.limits.keyedTimers = try decoder.number(as: Int.self)
    world.limits.wireChain = try decoder.number(as: Int.self)
    world.limits.wireDeliveries = try decoder.number(as: Int.self)
    world.past = UndoHistory(seed: try decoder.word(), world.limits)
    world.record.generator = Generator(seed: try decoder.word())
    world.now = try moment(notBefore: .beginning)
    let last = try decoder.number()
    let lastMoment = try moment(notBefore: .beginning)
    world.journal = Journal(
      inputs: world.limits.journal, bytes: world.limits.journalBytes, after: last, at: lastMoment.nanoseconds)
    world.chain = try decoder.number(as: Int.self)
    world.firings = firings
    try readDocuments(into: &world, compiler, last: last)
    try readKinds(kinds, into: &world)
    try readMachines(into: &world)
    try readTimers(into: &world)
    try readVacancies(into: &world)
    try readWires(into: &world)
    try readCompositions(kinds, into: &world)
    try readAnswers(into: &world, last: last)
    guard decoder.left == 0 else { throw StorageFailure.damaged("there are bytes left over") }
    world.past.waitNoLonger()
  }

  private func moment(notBefore earliest: Instant) throws -> Instant {
    let moment = Instant(nanoseconds: try decoder.signed())
    guard moment >= earliest, moment <= .end else { throw StorageFailure.damaged("a moment is not within world time") }
    return moment
  }

  // MARK: Kinds

  private func readDocuments(into world: inout WorldCore, _ compiler: DocumentCompiler?, last: UInt64) throws {
    for _ in 0..<(try decoder.count()) {
      let sequence = try decoder.number()
      let name = try decoder.text()
      let version = try decoder.number(as: Int.self)
      let format = try decoder.text()
      let bytes = Array(try decoder.run())
      let resources = try (0..<decoder.count()).map { _ in
        KindDocument.Resource(path: try decoder.text(), bytes: Array(try decoder.run()))
      }
      let isInEffect = try decoder.flag()
      guard sequence <= last, world.past.defined[sequence] == nil, Registry.canBeName(name.utf8) else {
        throw StorageFailure.damaged("a document is there twice, or was never given")
      }
      if isInEffect, world.definition(named: name) != nil {
        throw StorageFailure.damaged("two versions of kind \(name) are in effect")
      }
      let document = KindDocument(name: name, format: format, bytes: bytes, resources: resources)
      do throws(DocumentFailure) {
        let defined = try DefinedKind(document, version: version, definedBy: sequence, compiler)
        world.past.add(defined)
        if isInEffect { world.definitions.append(defined) }
      } catch {
        throw ArchiveFailure.changedKind(name, how: "its document makes no kind any more: \(error.text)")
      }
    }
  }

  /// Reads the kinds. A kind that is missing, or has another version, does not matter while no machine of it lives.
  private mutating func readKinds(_ kinds: (String) -> CatalogueEntry?, into world: inout WorldCore) throws {
    for place in 0..<(try decoder.count()) {
      let name = try decoder.text()
      let known: Kind? =
        if let sequence = KindDocument.sequence(inKey: name) {
          world.past.defined[sequence]?.kind
        } else if case .machine(let kind)? = kinds(name) {
          kind
        } else {
          nil
        }
      let kind = known ?? Kind(remembering: KindSchema(key: name))
      guard world.population.place(of: kind) == place,
        !world.population.kinds[..<place].contains(where: { $0.key == name })
      else { throw StorageFailure.damaged("kind \(name) comes twice") }
      lists.append(KindLists(kind))
      haveParameters.append(nil)
      areKnown.append(known != nil)
    }
  }

  /// An index in a list of a kind.
  private func place(
    in list: NamedWords, _ what: String, of kind: Kind
  ) throws -> Int {
    do throws(StorageFailure) {
      return try decoder.place(in: list)
    } catch .unknownWord(let word) {
      throw ArchiveFailure.changedKind(kind.name, how: "it has no \(what) '\(word)' any more")
    } catch {
      throw error
    }
  }

  private func readAnswers(into world: inout WorldCore, last: UInt64) throws {
    for _ in 0..<(try decoder.count()) {
      let (sequence, client, number) = (try decoder.number(), try decoder.text(), try decoder.number())
      guard sequence <= last, world.answers.find(number, of: client) == .new, world.answers.admits(client) else {
        throw StorageFailure.damaged("an answer is there twice, or was never given")
      }
      let text = Array(try decoder.text().utf8)
      world.answers.add(NumberedAnswers.Answer(sequence: sequence, client: client, number: number, text: text))
    }
  }

  // MARK: Machines

  private mutating func readMachines(into world: inout WorldCore) throws {
    let numbers = try decoder.count()
    let living = try decoder.count()
    guard numbers <= MachineID.max, living <= numbers else {
      throw StorageFailure.damaged("there are too many numbers")
    }
    world.registry.reserve(living)
    /// By kind: the indices of the parameter sets read so far in the kind's pool.
    var sets: [[UInt32]] = world.population.kinds.map { _ in [] }
    for number in 0..<numbers {
      let tag = try decoder.number(as: Int.self)
      if tag == 0 {
        world.registry.append(dropped: nil, kind: 0)
        continue
      }
      let kind = (tag - 1) / 2
      guard kind < sets.count else { throw StorageFailure.damaged("machine \(number) has an unknown kind") }
      let name = try decoder.run()
      guard Registry.canBeName(name) else {
        throw StorageFailure.damaged("machine \(number) has an invalid name")
      }
      if tag % 2 == 1 {
        world.registry.append(dropped: name, kind: kind)
      } else {
        try readMachine(MachineID(UInt32(number)), kind, name, &sets[kind], into: &world)
      }
    }
    guard world.registry.count == living else {
      throw StorageFailure.damaged("the number of living machines is wrong")
    }
  }

  /// Reads the part before the first machine of a kind.
  private mutating func readDescription(of place: Int, in world: borrowing WorldCore) throws {
    let kind = world.population.kinds[place]
    guard areKnown[place] else { throw ArchiveFailure.unknownKind(kind.name) }
    let version = try decoder.number(as: Int.self)
    guard version == kind.version else {
      throw ArchiveFailure.version(kind: kind.name, written: version, known: kind.version)
    }
    haveParameters[place] = try decoder.flag()
  }

  private mutating func readMachine(
    _ machine: MachineID, _ kind: Int, _ name: UnsafeRawBufferPointer, _ sets: inout [UInt32],
    into world: inout WorldCore
  ) throws {
    if haveParameters[kind] == nil { try readDescription(of: kind, in: world) }
    guard world.registry.find(name) == nil else {
      throw StorageFailure.damaged("two machines are named \(String(decoding: name, as: UTF8.self))")
    }
    let parameters = try readParameters(of: kind, &sets, into: &world)
    let location = world.population.cell(of: kind, parameters: parameters)
    let slot = world.population.slots[kind]
    // Register the machine only when its value exists: a world destroys the values of all registered machines.
    let start = decoder.offset
    do {
      try slot.machine.read(
        world.population.value(at: location), world.population.parameters(at: location), from: decoder)
    } catch let failure as StorageFailure {
      throw failure.isChange
        ? ArchiveFailure.changedKind(
          world.population.kinds[kind].name,
          how: "of machine \(String(decoding: name, as: UTF8.self)), \(failure.text)")
        : failure
    }
    // Until it is measured, its memory is estimated by the stored bytes.
    world.population.weigh(
      world.population.cell(at: location).cell, of: kind, given: decoder.offset - start, isKept: true)
    world.registry.insert(name, at: location, as: machine)
  }

  private func readParameters(of kind: Int, _ sets: inout [UInt32], into world: inout WorldCore) throws -> UInt32 {
    let definition = world.population.kinds[kind]
    guard haveParameters[kind] == true else { return try world.population.intern([], of: kind) }
    let number = try decoder.number(as: Int.self)
    if number < sets.count {
      world.population.retainParameters(at: sets[number], of: kind)
      return sets[number]
    }
    guard number == sets.count else { throw StorageFailure.damaged("parameters are used before they are stored") }
    var values: [(parameter: Int, value: Value)] = []
    for _ in 0..<(try decoder.count()) {
      let name = try decoder.text()
      let value = try decoder.value()
      guard let place = definition.parameters.firstIndex(where: { $0.name == name }) else {
        throw ArchiveFailure.changedKind(definition.name, how: "it has no parameter '\(name)' any more")
      }
      guard definition.parameters[place].type.admits(value) else {
        throw ArchiveFailure.changedKind(definition.name, how: "its parameter '\(name)' takes other values")
      }
      values.append((place, value))
    }
    do throws(ParameterConflict) {
      sets.append(try world.population.intern(values, of: kind))
    } catch {
      throw StorageFailure.damaged("parameters of kind \(definition.name) contradict each other")
    }
    return sets[number]
  }

  private func machine(in world: borrowing WorldCore) throws -> MachineID {
    let number = try decoder.number()
    guard number < UInt64(world.registry.capacity) else {
      throw StorageFailure.damaged("there is no machine \(number)")
    }
    return MachineID(UInt32(number))
  }

  private func livingMachine(in world: borrowing WorldCore) throws -> MachineID {
    let machine = try machine(in: world)
    guard world.registry.isAlive(machine) else {
      throw StorageFailure.damaged("machine \(machine.number) does not live")
    }
    return machine
  }

  // MARK: Timers

  private func readTimers(into world: inout WorldCore) throws {
    var due = world.now.nanoseconds
    let count = try decoder.count()
    guard UInt64(count) < Agenda.lastStamp else { throw StorageFailure.damaged("there are too many timers") }
    var isOfThisInstant = false
    for stamp in 0..<UInt64(count) {
      let (next, overflow) = due.addingReportingOverflow(try decoder.signed())
      guard !overflow, next >= due else { throw StorageFailure.damaged("timers are not in their order") }
      due = next
      try readTimer(RunningTimer(due: due, stamp: stamp + 1), into: &world)
      guard due == world.now.nanoseconds else { continue }
      let isNew = try decoder.flag()
      guard isNew || !isOfThisInstant else { throw StorageFailure.damaged("timers are not in the order of arming") }
      isOfThisInstant = isNew
      if !isNew { world.instantStamp = stamp + 1 }
    }
    world.armings = UInt64(count)
    switch WorldArchive.Stall(rawValue: try decoder.byte()) {
    case .none?: break
    case .first? where count > 0: world.stallStamp = 1
    case .broken?: world.stallStamp = Agenda.lastStamp
    case .first?, nil: throw StorageFailure.damaged("there is no such stall")
    }
  }

  private func readTimer(_ timer: RunningTimer, into world: inout WorldCore) throws {
    let machine = try livingMachine(in: world)
    let location = world.registry.location(of: machine)
    let kind = world.population.kinds[world.population.kind(at: location)]
    let place = UInt8(try place(in: lists[world.population.kind(at: location)].timers, "timer", of: kind))
    let key = try decoder.number(as: UInt32.self)
    guard key == 0 || kind.timers[Int(place)].key != nil else {
      throw ArchiveFailure.changedKind(
        kind.name, how: "its timer '\(kind.timers[Int(place)].name)' has no key any more")
    }
    if key != 0 {
      guard !world.keyedTimers.set(KeyedTimers.Name(timer: place, key: key), of: machine, timer) else {
        throw StorageFailure.damaged("a timer runs twice")
      }
    } else {
      let timers = world.population.timers(at: location)
      guard timers[Int(place)].stamp == 0 else { throw StorageFailure.damaged("a timer runs twice") }
      timers[Int(place)] = timer
    }
    world.agenda.living += 1
    world.agenda.push(Agenda.Entry(due: timer.due, stamp: timer.stamp, machine: machine))
  }

  // MARK: Wires, compositions and vacancies

  private func readVacancies(into world: inout WorldCore) throws {
    var seen: Set<MachineID> = []
    for _ in 0..<(try decoder.count()) {
      let machine = try machine(in: world)
      guard !world.registry.isKnown(machine), seen.insert(machine).inserted else {
        throw StorageFailure.damaged("number \(machine.number) is not free")
      }
      world.registry.appendVacancy(machine)
    }
    for _ in 0..<(try decoder.count()) {
      let sequence = try decoder.number()
      let machine = try machine(in: world)
      guard world.registry.isKnown(machine), !world.registry.isAlive(machine), seen.insert(machine).inserted else {
        throw StorageFailure.damaged("machine \(machine.number) was not dropped")
      }
      world.retired.append((sequence, machine))
    }
  }

  private func readWires(into world: inout WorldCore) throws {
    for _ in 0..<(try decoder.count()) {
      let source = try livingMachine(in: world)
      let output = try place(
        in: lists[world.kindPlace(of: source)].outputs, "output", of: world.kind(of: source))
      let target = try livingMachine(in: world)
      let event = try place(in: lists[world.kindPlace(of: target)].events, "event", of: world.kind(of: target))
      let wire = Wire(from: source, output: output, to: target, event: event)
      guard !world.wires.contains(wire) else { throw StorageFailure.damaged("a wire is there twice") }
      world.wires.add(wire)
    }
  }

  private func readCompositions(_ kinds: (String) -> CatalogueEntry?, into world: inout WorldCore) throws {
    for _ in 0..<(try decoder.count()) {
      let name = try decoder.text()
      let kind = try decoder.text()
      guard case .composition(let composition)? = kinds(kind) else { throw ArchiveFailure.unknownKind(kind) }
      let sequence = try decoder.number()
      let all = try (0..<decoder.count()).map { _ in try machine(in: world) }
      let members = try (0..<decoder.count()).map { _ in try livingMachine(in: world) }
      guard world.compositions[name] == nil, !members.isEmpty, members.allSatisfy(all.contains) else {
        throw StorageFailure.damaged("\(name) is not composed of its members")
      }
      world.compositions[name] = WorldCore.CompositionRecord(
        name: name, composition: composition, sequence: sequence, all: all, members: members)
    }
  }
}

extension StorageFailure {
  /// Whether it is about a type that has changed, and not about damaged bytes.
  fileprivate var isChange: Bool {
    switch self {
    case .otherMember, .unknownWord: true
    case .cutShort, .damaged, .tooDeep, .unsupported: false
    }
  }
}
