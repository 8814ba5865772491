package import StateMachines

/// Reads a world's journal from stored segments: one input after the other, with the names and kinds of its machines,
/// but without the machines themselves.
///
/// Nothing is replayed, so it is quick and takes little memory, however long the journal is.
package struct JournalScanner: ~Copyable {
  /// Holds only the kinds and names of machines in the inputs being read, to print them.
  private var world: WorldCore
  private var reader: JournalReader
  private let words: StoredWords
  private var kinds: SpokenKinds
  private var known: [MachineID: KindTranslation] = [:]
  /// Whether a segment was not read to its end, so that reading cannot continue.
  private var isBroken = false
  /// The input from which on other kind descriptions apply.
  private var wordsHoldUntil: UInt64 = 0

  /// How much of the journal is in memory at a time, in bytes, besides the current segment.
  private static let journalBytes = 1 << 20

  /// The machine that had a number at an input; nil if none had it.
  package typealias Owner = (_ machine: MachineID, _ sequence: UInt64) throws -> (kind: String, name: String)?

  /// - Parameters:
  ///   - sequence: The input before the first one to read.
  ///   - undone: What is undone, as far as somebody asks.
  package init(
    after sequence: UInt64, undone: RewindList = RewindList(), _ words: StoredWords, _ catalogue: Catalogue
  ) {
    world = WorldCore()
    world.past.rewinds = undone
    world.journal = Journal(inputs: .max >> 1, bytes: JournalScanner.journalBytes, after: sequence)
    reader = world.journalReader(from: sequence + 1)
    self.words = words
    kinds = SpokenKinds(words, catalogue)
  }

  /// The last input that was read.
  package var last: UInt64 { world.lastSequence }

  /// Reads the next segment. Skips inputs that were read already.
  ///
  /// - Parameters:
  ///   - numbers: Its inputs.
  ///   - owner: Called for machines that were made before the first input read.
  ///   - body: Called with each input and a world that has its words; for the first input of a composed `new` also with
  ///     what that made. Returns whether to go on; after it was false, nothing more can be read.
  /// - Throws: ``Recovery/Failure``: `gap` and `unreadable`; what `owner` and `body` throw.
  /// - Complexity: O(inputs).
  package mutating func read(
    _ bytes: UnsafeRawBufferPointer, _ numbers: ClosedRange<UInt64>, owner: Owner,
    _ body: (borrowing WorldCore, JournalEntry, JournalSegment.Creation?) throws -> Bool
  ) throws {
    let before = world.lastSequence
    guard let segment = JournalSegment(bytes), numbers.contains(before + 1), !isBroken else {
      throw Recovery.Failure.gap(after: before)
    }
    isBroken = true
    if numbers.lowerBound >= wordsHoldUntil {
      wordsHoldUntil = words.firstChange(after: numbers.lowerBound)
      kinds.forget()
      known = [:]
    }
    var creations = segment.creations.filter { $0.machine != nil && $0.sequence > before }[...]
    let composed = segment.creations.filter { $0.machine == nil }
    var translation = SegmentTranslation(segment, numbers)
    do {
      try translation.pass(to: before)
      world.journal.append(segment, numbers)
      segment.facts.shape(&world.limits)
      while try next(&translation, &creations, numbers, owner) {
        guard let entry = world.journal.read(&reader) else { break }
        let made = composed.isEmpty ? nil : composed.first { $0.sequence == entry.sequence }
        guard try body(world, entry, made) else { return }
      }
      isBroken = false
    } catch let failure as SegmentFailure {
      throw Recovery.Failure.unreadable(failure, at: max(translation.next - 1, numbers.lowerBound))
    }
  }

  /// Checks the next record, and registers the machines that it names.
  private mutating func next(
    _ translation: inout SegmentTranslation, _ creations: inout ArraySlice<JournalSegment.Creation>,
    _ numbers: ClosedRange<UInt64>, _ owner: Owner
  ) throws -> Bool {
    try translation.read { machine, entry, isNew in
      let (kind, name): (String, String)
      if isNew {
        guard let made = creations.popFirst(), made.sequence == entry.sequence, made.machine == machine else {
          throw SegmentFailure.damaged("it makes a machine that the segment does not describe")
        }
        (kind, name) = (made.kind, made.name)
      } else {
        if let meaning = known[machine] { return SegmentTranslation.Meaning(translation: meaning) }
        guard let found = try owner(machine, entry.sequence), Registry.canBeName(found.name.utf8) else {
          throw SegmentFailure.damaged("it is about machine \(machine.number), which was never made")
        }
        (kind, name) = (found.kind, found.name)
      }
      let meaning = try kinds.translation(of: kind, at: numbers.lowerBound)
      known[machine] = meaning
      world.registry.note(name, kind: world.population.place(of: meaning.kind), as: machine, world.population)
      return SegmentTranslation.Meaning(translation: meaning)
    } != nil
  }
}

/// Kinds as they were when a journal was written: today's kinds if their lists are equal, otherwise kinds that only
/// have names.
private struct SpokenKinds {
  private let words: StoredWords
  private let catalogue: Catalogue
  private var translations: [String: KindTranslation] = [:]

  init(_ words: StoredWords, _ catalogue: Catalogue) {
    self.words = words
    self.catalogue = catalogue
  }

  /// Clears the cache when other descriptions apply.
  mutating func forget() {
    translations = [:]
  }

  mutating func translation(of name: String, at sequence: UInt64) throws(SegmentFailure) -> KindTranslation {
    if let known = translations[name] { return known }
    guard let stored = words.description(of: name, at: sequence) else { throw .unknownWords(kind: name) }
    let kind: Kind =
      if case .machine(let today)? = catalogue[name], stored.hasLists(of: today.schema) {
        today
      } else {
        Kind(remembering: stored)
      }
    let translation = KindTranslation(stored, to: kind)
    translations[name] = translation
    return translation
  }
}
