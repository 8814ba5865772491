package import StateMachines

/// A part of a world's journal that is no longer in memory, in readable form: a world with names and kinds, but without
/// machines.
package struct JournalSlice: ~Copyable {
  /// Its journal has the inputs of the segment up to ``last``.
  package let world: WorldCore
  /// The last input that can be read with these names; another slice continues after it.
  package let last: UInt64

  /// - Parameters:
  ///   - bytes: A segment.
  ///   - from: The first wanted input.
  ///   - most: How many inputs are wanted at most.
  ///   - numbers: Its inputs.
  ///   - present: The world of the journal, with its recent undone ranges.
  ///   - undone: Older undone ranges: each up to the input that undid it, in order.
  ///   - owner: The machine that had a number at an input, possibly the one that made it; nil if none had it.
  /// - Throws: ``SegmentFailure`` if the segment cannot be read; what `owner` throws.
  package init(
    of bytes: UnsafeRawBufferPointer, from start: UInt64, most: UInt64, _ numbers: ClosedRange<UInt64>,
    in present: borrowing WorldCore, undone: [ClosedRange<UInt64>], _ words: StoredWords, _ catalogue: Catalogue,
    owner: (_ machine: MachineID, _ sequence: UInt64, _ isNew: Bool) throws -> (kind: String, name: String)?
  ) throws {
    guard let segment = JournalSegment(bytes) else { throw SegmentFailure.damaged("its beginning is cut off") }
    var world = WorldCore(limits: present.limits)
    // Recent undone ranges may not be stored yet.
    let recent = present.past.rewinds.ranges(from: numbers.lowerBound)
    let older = undone.prefix { $0.upperBound < recent.first?.lowerBound ?? .max }
    world.past.rewinds = RewindList(older + recent)
    var kinds = SpokenKinds(words, catalogue)
    var known: [MachineID: KindTranslation] = [:]
    var last = numbers.upperBound - start < most ? numbers.upperBound : start + most - 1
    var translation = SegmentTranslation(segment, numbers)
    try translation.pass(to: start - 1)
    do {
      while translation.next <= last,
        let _ = try translation.read({ machine, entry, isNew in
          if !isNew, let meaning = known[machine] { return SegmentTranslation.Meaning(translation: meaning) }
          guard let (kindName, name) = try owner(machine, entry.sequence, isNew), Registry.canBeName(name.utf8) else {
            throw SegmentFailure.damaged("it is about machine \(machine.number), which was never made")
          }
          if known[machine] != nil, world.registry.speaks(of: machine, otherThan: name) {
            throw OtherNames(last: entry.sequence - 1)
          }
          let meaning = try kinds.translation(of: kindName, at: numbers.lowerBound)
          known[machine] = meaning
          world.registry.note(name, kind: world.population.place(of: meaning.kind), as: machine, world.population)
          return SegmentTranslation.Meaning(translation: meaning)
        })
      {}
    } catch let names as OtherNames {
      last = names.last
    }
    world.journal = Journal(
      inputs: .max >> 1, bytes: .max, after: numbers.lowerBound - 1, at: segment.facts.moment)
    world.journal.append(segment, numbers)
    self.world = world
    self.last = last
  }

  /// A number belongs to another machine after this input.
  private struct OtherNames: Error {
    let last: UInt64
  }
}

/// Kinds as they were when a journal was written: today's kinds if their lists are equal, otherwise kinds that only
/// have names.
struct SpokenKinds {
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
