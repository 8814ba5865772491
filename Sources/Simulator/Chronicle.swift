package import StateMachines

/// A world's journal, read from the segments that it was kept in: one input after the other, with the names and kinds of
/// the machines that it speaks of, but without machines.
///
/// Nothing is played, so that it is quick and takes little memory, however long the journal is.
package struct Chronicle: ~Copyable {
  /// Tells of the kinds and names of the machines in the inputs that are being read, and prints them; nothing more.
  private var world: World
  private var reader: JournalReader
  private let catalogue: Catalogue
  private var known: Set<MachineID> = []

  /// How much of the journal is in memory at one time, in bytes, besides the segment that is read.
  private static let journalBytes = 1 << 20

  /// Who had a number at an input; nil if nobody.
  package typealias Owner = (_ machine: MachineID, _ sequence: UInt64) -> (kind: String, name: String)?

  /// - Parameter sequence: The input before the first that is read.
  package init(after sequence: UInt64, _ catalogue: Catalogue) {
    world = World()
    world.journal = Journal(inputs: .max >> 1, bytes: Chronicle.journalBytes, after: sequence)
    reader = world.journalReader(from: sequence + 1)
    self.catalogue = catalogue
  }

  /// The last input that was read.
  package var last: UInt64 { world.lastSequence }

  /// Reads the segment that comes next. Inputs of it that were read already are passed over.
  ///
  /// - Parameters:
  ///   - numbers: The inputs that it has.
  ///   - owner: Is asked about machines that were made before the first input that was read.
  ///   - body: Gets each input, with a world that knows its words; and, of the first input of a composed `new`, what that
  ///     made.
  /// - Throws: `gap` and `unknownKind`; what `body` throws.
  /// - Complexity: O(inputs).
  package mutating func read(
    _ bytes: UnsafeRawBufferPointer, _ numbers: ClosedRange<UInt64>, owner: Owner,
    _ body: (borrowing World, JournalEntry, JournalSegment.Creation?) throws -> Void
  ) throws {
    let before = world.lastSequence
    guard let segment = JournalSegment(bytes), numbers.contains(before + 1) else {
      throw Recovery.Failure.gap(after: before)
    }
    world.journal.append(segment, numbers)
    segment.facts.shape(&world.limits)
    var creations = segment.creations.filter { $0.machine != .nobody && $0.sequence > before }[...]
    let composed = segment.creations.filter { $0.machine == .nobody }
    while let entry = world.journal.read(&reader) {
      if entry.input == .created {
        guard let made = creations.popFirst(), made.sequence == entry.sequence else {
          throw Recovery.Failure.gap(after: entry.sequence - 1)
        }
        try note(made.machine, made.kind, made.name, at: entry.sequence)
      } else {
        try meet(entry, owner)
      }
      try body(world, entry, composed.isEmpty ? nil : composed.first { $0.sequence == entry.sequence })
    }
  }

  /// Sees to it that the machines are known that an input's lines name.
  private mutating func meet(_ entry: JournalEntry, _ owner: Owner) throws {
    switch entry.input {
    case .created, .event, .expiry, .fired, .dropped: if known.contains(entry.machine) { return }
    case .delivery, .wired, .unwired, .renewed: break
    case .rewound: return
    }
    for machine in entry.machines where !known.contains(machine) {
      guard let (kind, name) = owner(machine, entry.sequence) else {
        throw Recovery.Failure.gap(after: entry.sequence - 1)
      }
      try note(machine, kind, name, at: entry.sequence)
    }
  }

  private mutating func note(_ machine: MachineID, _ kindName: String, _ name: String, at sequence: UInt64) throws {
    guard case .machine(let kind)? = catalogue[kindName] else {
      throw Recovery.Failure.unknownKind(kindName, at: sequence)
    }
    known.insert(machine)
    world.registry.note(name, kind: world.population.place(of: kind), as: machine, world.population)
  }
}
