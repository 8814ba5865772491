import StateMachines

/// Writes a world in slices, from its own copy, so that the world can go on meanwhile.
///
/// ```swift
/// var writer = ArchiveWriter(of: world)
/// while try !writer.advance(machines: 1_000) { … }
/// writer.bytes
/// ```
package struct ArchiveWriter: ~Copyable {
  private let world: WorldCore
  private var writing: WorldWriting
  private var hashing: WorldWriting

  /// - Parameter isAtLastInput: Whether to write the world as it was right after its last input, though time has passed
  ///   since. Requires ``WorldCore/canBeArchived``.
  /// - Complexity: O(machines + timers), mostly for copying memory.
  package init(of world: borrowing WorldCore, atLastInput isAtLastInput: Bool = false) {
    self.world = world.still(atLastInput: isAtLastInput)
    writing = WorldWriting(of: self.world, .archive)
    hashing = WorldWriting(of: self.world, .present)
  }

  /// The last input of the world as it is written.
  package var sequence: UInt64 { world.lastSequence }

  /// Writes about `machines` machines or timers; one further slice has all wires and compositions.
  ///
  /// - Parameter machines: At least one.
  /// - Returns: Whether all is written.
  /// - Throws: ``ArchiveFailure/unwritable(kind:why:)``. Kinds with synthesized coding never cause it, unless their
  ///   values are nested without end.
  package mutating func advance(machines: Int) throws(ArchiveFailure) -> Bool {
    _ = try hashing.advance(through: world, by: machines)
    return try writing.advance(through: world, by: machines)
  }

  /// The archive.
  ///
  /// - Precondition: All is written.
  package var bytes: [UInt8] { writing.bytes }

  /// The hash of the written state; see ``WorldCore/stateHash``.
  ///
  /// - Precondition: All is written.
  package var stateHash: UInt64 { writing.stateHash }

  /// The hash of the world's present; see ``WorldCore/presentHash``.
  ///
  /// - Precondition: All is written.
  package var presentHash: UInt64 { hashing.stateHash }
}

extension WorldCore {
  /// This world as bytes; see ``ArchiveWriter`` for writing in slices.
  package func archive() throws(ArchiveFailure) -> [UInt8] {
    var writing = WorldWriting(of: self, .archive)
    while try !writing.advance(through: self, by: .max) {}
    return writing.bytes
  }

  /// A hash of everything that decides the future: two worlds with the same hash and inputs have the same journals from
  /// here on, byte for byte.
  ///
  /// A fork has the hash of its parent, and a loaded world that of the archived one. Excluded is what is only observed
  /// or counted: watchers, how far the journal goes back, how much can be undone, how many timers have fired. An undone
  /// input leaves its number used, and so changes the hash.
  ///
  /// - Complexity: That of writing the world, without storing the bytes.
  package var stateHash: UInt64 {
    get throws(ArchiveFailure) { try hash(.state) }
  }

  /// A hash of what a replay of the journal restores: the time, the living machines with their timers, wires, composed
  /// names. A replay from any point gives the same hash at the same input.
  ///
  /// Unlike ``stateHash`` it excludes the limits and the numbers of machines that no longer live.
  ///
  /// - Complexity: As of ``stateHash``.
  package var presentHash: UInt64 {
    get throws(ArchiveFailure) { try hash(.present) }
  }

  private func hash(_ purpose: WorldWriting.Purpose) throws(ArchiveFailure) -> UInt64 {
    var writing = WorldWriting(of: self, purpose)
    while try !writing.advance(through: self, by: WorldWriting.piece) {}
    return writing.stateHash
  }

  /// Whether it can be written as it was right after its last input: not if that was a rewind, which set the clock, nor
  /// if timers are due that do not fire.
  package var canBeArchived: Bool { !isStalled && lastUndoer != journal.last }

  /// A copy of everything that is written.
  ///
  /// - Parameter isAtLastInput: Whether to copy the world as of its last input; only time has passed since.
  fileprivate func still(atLastInput isAtLastInput: Bool) -> WorldCore {
    var copy = WorldCore(copying: self, Journal(inputs: 1, bytes: 1, after: lastSequence, at: journal.lastMoment))
    copy.compositions = compositions
    copy.answers = answers
    copy.retired = retired
    copy.nextRetired = nextRetired
    if isAtLastInput, now.nanoseconds > journal.lastMoment {
      copy.now = Instant(nanoseconds: journal.lastMoment)
      copy.instantStamp = copy.armings
      copy.chain = 0
    }
    return copy
  }
}

/// The progress of writing a world.
struct WorldWriting: ~Copyable {
  /// The number of machines after which bytes that are not kept are dropped.
  static let piece = 4_096

  /// The written parameter sets of a kind, numbered in order of appearance.
  private struct ParameterSets {
    /// By index in the kind's pool.
    var numbers: [UInt32: UInt64] = [:]
    /// Two sets that were given differently may be equal.
    private var numbersByBytes: [[UInt8]: UInt64] = [:]

    mutating func enter(_ place: UInt32, _ bytes: [UInt8]) -> (number: UInt64, isNew: Bool) {
      let known = numbersByBytes[bytes]
      let number = known ?? UInt64(numbersByBytes.count)
      numbers[place] = number
      numbersByBytes[bytes] = number
      return (number, known == nil)
    }
  }

  private enum Phase {
    /// From this number on.
    case machines(UInt32)
    case timers
    /// Everything except the seal.
    case written
    case done
  }

  private let encoder = ValueEncoder()
  private let purpose: Purpose
  /// The part before the state.
  private var head: [UInt8] = []
  /// Bytes of the encoder that are already hashed, or excluded from the hash.
  private var hashed = 0
  private var checksum = Checksum()
  private var phase = Phase.machines(0)
  /// By kind.
  private var parameterSets: [ParameterSets]
  private let lists: [KindLists]
  /// By kind: whether its description was written.
  private var isDescribed: [Bool]
  /// Timers that are not written yet.
  private var agenda: Agenda
  private var lastDue: Int64

  /// The purpose of the writing.
  enum Purpose {
    /// The bytes.
    case archive
    /// The hash of everything that decides the future.
    case state
    /// The hash of what a replay restores.
    case present
  }

  init(of world: borrowing WorldCore, _ purpose: Purpose) {
    self.purpose = purpose
    parameterSets = Array(repeating: ParameterSets(), count: world.population.kinds.count)
    lists = world.population.kinds.map { KindLists($0) }
    isDescribed = world.population.kinds.map { _ in false }
    agenda = world.agenda.copy()
    lastDue = world.now.nanoseconds
    for byte in WorldArchive.magic { encoder.byte(byte) }
    let documents = world.storedDefinitions
    encoder.number(WorldArchive.format)
    encoder.number(world.firings)
    head = encoder.bytes
    hashed = head.count
    if purpose != .archive { forgetBytes() }
    writeFacts(of: world)
    write(documents, of: world)
    writeKinds(of: world)
    if purpose != .present { encoder.count(world.registry.capacity) }
    encoder.count(world.registry.count)
  }

  var stateHash: UInt64 { checksum.value }

  /// All bytes written, if they are kept.
  var bytes: [UInt8] { encoder.bytes }

  /// Writes about `count` machines or timers.
  ///
  /// - Parameter world: The world that this was made for, unchanged since.
  /// - Returns: Whether all is written.
  mutating func advance(through world: borrowing WorldCore, by count: Int) throws(ArchiveFailure) -> Bool {
    precondition(count > 0, "a piece has a size")
    switch phase {
    case .machines(let first):
      let end = UInt32(min(world.registry.capacity, Int(first) + min(count, world.registry.capacity)))
      for number in first..<end { try write(MachineID(number), of: world) }
      phase = .machines(end)
      if Int(end) == world.registry.capacity {
        phase = .timers
        encoder.count(agenda.living)
      }
    case .timers:
      var left = count
      while left > 0, let entry = agenda.first {
        agenda.pop()
        write(entry, of: world)
        left -= 1
      }
      if agenda.first == nil {
        writeRest(of: world)
        phase = .written
      }
    case .written, .done: return true
    }
    takeIntoHash()
    guard case .written = phase else { return false }
    encoder.word(head.withUnsafeBytes { WorldArchive.seal($0, stateHash: stateHash) })
    phase = .done
    return true
  }

  private mutating func takeIntoHash() {
    encoder.bytes.withUnsafeBytes { checksum.add(UnsafeRawBufferPointer(rebasing: $0[hashed...])) }
    hashed = encoder.bytes.count
    if purpose != .archive { forgetBytes() }
  }

  private mutating func forgetBytes() {
    encoder.forgetBytes()
    hashed = 0
  }

  // MARK: The parts

  private func writeFacts(of world: borrowing WorldCore) {
    if purpose != .present {
      encoder.count(world.limits.chain)
      encoder.count(world.limits.keyedTimers)
      encoder.count(world.limits.wireChain)
      encoder.count(world.limits.wireDeliveries)
    }
    encoder.word(world.past.seed)
    encoder.word(world.record.generator.continuation)
    encoder.signed(world.now.nanoseconds)
    if purpose != .present {
      encoder.number(world.lastSequence)
      encoder.signed(world.journal.lastMoment)
    }
    // The chain matters only while time stands still, and a replay continues later.
    if purpose != .present { encoder.count(world.chain) }
  }

  private func write(_ documents: [DefinedKind], of world: borrowing WorldCore) {
    let inEffect = Set(world.definitions.map(\.sequence))
    encoder.count(documents.count)
    for defined in documents {
      encoder.number(defined.sequence)
      encoder.text(defined.document.name)
      encoder.count(defined.kind.version)
      encoder.text(defined.document.format)
      defined.document.bytes.withUnsafeBytes { encoder.text($0) }
      encoder.count(defined.document.resources.count)
      for resource in defined.document.resources {
        encoder.text(resource.path)
        resource.bytes.withUnsafeBytes { encoder.text($0) }
      }
      encoder.flag(inEffect.contains(defined.sequence))
    }
  }

  private func writeKinds(of world: borrowing WorldCore) {
    encoder.count(world.population.kinds.count)
    for kind in world.population.kinds {
      encoder.text(kind.key)
      // An archive has no document of a kind without machines, so its reader may know another version of that.
      if purpose == .present, KindDocument.sequence(inKey: kind.key) == nil { encoder.count(kind.version) }
    }
  }

  private mutating func write(_ machine: MachineID, of world: borrowing WorldCore) throws(ArchiveFailure) {
    let location = world.registry.location(of: machine)
    guard location.isSomewhere else {
      if purpose == .present { return }
      if world.registry.isKnown(machine) {
        encoder.count(1 + 2 * location.kindOfDropped)
        world.registry.withName(of: machine) { encoder.text($0) }
      } else {
        encoder.count(0)
      }
      return
    }
    let place = world.population.kind(at: location)
    if purpose == .present { encoder.number(UInt64(machine.number)) }
    encoder.count(2 + 2 * place)
    world.registry.withName(of: machine) { encoder.text($0) }
    if purpose != .present, !isDescribed[place] { describe(place, of: world) }
    writeParameters(at: location, place, of: world)
    do {
      try world.population.slots[place].machine.write(world.population.value(at: location), to: encoder)
    } catch {
      let why = (error as? StorageFailure)?.text ?? "\(error)"
      throw .unwritable(kind: world.population.kinds[place].name, why: why)
    }
  }

  /// Writes the description of a kind before its first living machine; kinds without machines need none.
  private mutating func describe(_ place: Int, of world: borrowing WorldCore) {
    isDescribed[place] = true
    encoder.count(world.population.kinds[place].version)
    encoder.flag(!world.population.kinds[place].parameters.isEmpty)
  }

  /// Writes the number of a parameter set, and on first use all its values, since a default may change later.
  private mutating func writeParameters(at location: Location, _ kind: Int, of world: borrowing WorldCore) {
    guard let set = world.population.parameterPlace(at: location) else { return }
    if let known = parameterSets[kind].numbers[set] { return encoder.number(known) }
    let entries = world.population.kinds[kind].parameters
    let values = world.population.kinds[kind].values(of: world.population.parameters(at: location))
    let given = lists[kind].parametersByName.filter { purpose != .present || values[$0] != entries[$0].standard }
    let written = ValueEncoder()
    for place in given {
      written.text(entries[place].name)
      written.value(values[place])
    }
    let (number, isNew) = parameterSets[kind].enter(set, written.bytes)
    encoder.number(number)
    guard isNew else { return }
    encoder.count(given.count)
    encoder.bytes(written.bytes)
  }

  /// Writes a timer, if it runs.
  private mutating func write(_ entry: Agenda.Entry, of world: borrowing WorldCore) {
    let location = world.registry.location(of: entry.machine)
    guard location.isSomewhere else { return }
    let kind = world.population.kind(at: location)
    let name: KeyedTimers.Name
    if let place = world.population.timers(at: location).firstIndex(where: { $0.stamp == entry.stamp }) {
      name = KeyedTimers.Name(timer: UInt8(place), key: 0)
    } else if let keyed = world.keyedTimers.name(armedAs: entry.stamp) {
      name = keyed
    } else {
      return
    }
    encoder.signed(entry.due - lastDue)
    lastDue = entry.due
    encoder.number(UInt64(entry.machine.number))
    encoder.word(at: Int(name.timer), of: lists[kind].timers)
    encoder.number(UInt64(name.key))
    // Stamps are not written: the order of the timers implies them, and only at this instant does more depend on them.
    if entry.due == world.now.nanoseconds { encoder.flag(entry.stamp > world.instantStamp) }
  }

  /// Writes the next numbers to be assigned, and the dropped machines to which the journal may refer.
  private func writeNumbers(of world: borrowing WorldCore) {
    encoder.count(world.registry.vacantNumbers)
    world.registry.forEachVacancy { encoder.number(UInt64($0)) }
    encoder.count(world.retired.count - world.nextRetired)
    for (sequence, machine) in world.retired[world.nextRetired...] {
      encoder.number(sequence)
      encoder.number(UInt64(machine.number))
    }
  }

  private func writeRest(of world: borrowing WorldCore) {
    encoder.byte(world.stallForArchive.rawValue)
    if purpose != .present { writeNumbers(of: world) }
    encoder.count(world.wires.count)
    for origin in world.wires.origins.sorted(by: { $0.number < $1.number }) {
      for wire in world.wires.from(origin) {
        encoder.number(UInt64(wire.from.number))
        encoder.word(at: wire.output, of: lists[world.kindPlace(of: wire.from)].outputs)
        encoder.number(UInt64(wire.to.number))
        encoder.word(at: wire.event, of: lists[world.kindPlace(of: wire.to)].events)
      }
    }
    encoder.count(world.compositions.count)
    for (name, record) in world.compositions.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      encoder.text(name)
      encoder.text(record.composition.key)
      encoder.number(record.sequence)
      for members in purpose == .present ? [record.members] : [record.all, record.members] {
        encoder.count(members.count)
        for member in members { encoder.number(UInt64(member.number)) }
      }
    }
    if purpose != .present { writeAnswers(of: world) }
  }

  private func writeAnswers(of world: borrowing WorldCore) {
    let answers = world.answers.inOrder
    encoder.count(answers.count)
    for answer in answers {
      encoder.number(answer.sequence)
      encoder.text(answer.client)
      encoder.number(answer.number)
      answer.text.withUnsafeBytes { encoder.text($0) }
    }
  }
}

extension WorldCore {
  /// The stall as it is written.
  fileprivate var stallForArchive: WorldArchive.Stall {
    guard isStalled else { return .none }
    // No timer precedes that one while it runs; see `endBrokenStall`.
    var waiting = agenda.copy()
    while let first = waiting.first, !isRunning(first) { waiting.pop() }
    return waiting.first?.stamp == stallStamp ? .first : .broken
  }
}
