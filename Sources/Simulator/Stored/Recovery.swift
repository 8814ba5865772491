package import StateMachines

/// Rebuilds a world from storage: from a checkpoint, or from nothing, and the segments of its journal from there on.
///
/// Each segment is replayed when it is added, so a long journal takes no more memory than a world's journal may. Undone
/// inputs are not replayed, so all undone ranges must be known beforehand (``RewindList``).
package struct Recovery: ~Copyable {
  package enum Failure: Error, Equatable {
    /// A segment does not follow directly on the previous one, or its facts are invalid.
    case gap(after: UInt64)
    /// An input that cannot be read, or that this program cannot replay.
    case unreadable(SegmentFailure, at: UInt64)
    /// The replay differs from the journal: the rule of a kind has changed. With the kind and the input.
    case diverged(at: UInt64, kind: String?, input: String?)
  }

  // MARK: Rebuilding

  /// The world with its journal and all names; its machines are those of the checkpoint until the end.
  private var source: WorldCore
  private var replay: Replay
  private let catalogue: Catalogue
  private let words: StoredWords
  /// The rewinds of the segments so far. Until the end the source has those that are known beforehand.
  private var rewinds = RewindList()
  /// By kind name, for the inputs before `wordsHoldUntil`.
  private var translations: [String: KindTranslation] = [:]
  private var wordsHoldUntil: UInt64 = 0
  private var compositions: [WorldCore.CompositionRecord]
  /// Whether a replay was left, after which the recovery has no use.
  package private(set) var isInterrupted = false

  /// - Parameters:
  ///   - world: The world of a checkpoint, with a journal that begins after it; or a new world with its seed.
  ///   - undone: What later inputs have undone: at least the ranges that are undone in the end.
  ///   - words: The descriptions with which the segments were written.
  ///   - underWay: Where the number of each input is written before it is replayed; see ``WorldCore/underWay``.
  package init(
    of world: consuming WorldCore, undone: RewindList, _ words: StoredWords, _ catalogue: Catalogue,
    underWay: UnsafeMutablePointer<UInt64>? = nil
  ) {
    source = world
    let base = source.lastSequence > 0 ? Checkpoint(of: source, as: source.lastSequence) : nil
    source.past.rewinds = undone
    replay = Replay(of: source, from: base, to: source.lastSequence)
    replay.world.underWay = underWay
    if let base {
      source.past.keep(base, firstKept: base.sequence + 1)
      source.past.wait(after: base.sequence, machines: source.machineCount)
    }
    compositions = Array(source.compositions.values)
    source.compositions = [:]
    self.catalogue = catalogue
    self.words = words
  }

  /// Adds the next segment and replays it. Skips inputs that the checkpoint contains.
  ///
  /// - Parameters:
  ///   - numbers: Its inputs.
  ///   - goesOn: Asked between two inputs, from time to time. After it was false, the rest is left: ``isInterrupted``.
  /// - Complexity: O(inputs), as when they happened.
  package mutating func append(
    _ bytes: UnsafeRawBufferPointer, _ numbers: ClosedRange<UInt64>, while goesOn: () -> Bool = { true }
  ) throws(Failure) {
    let before = source.lastSequence
    guard let segment = JournalSegment(bytes), numbers.contains(before + 1) else { throw .gap(after: before) }
    // One segment may have more inputs than the journal keeps; they stay until they are replayed.
    source.journal.firstUnflushed = before + 1
    try appendRecords(of: segment, numbers)
    segment.facts.shape(&source.limits)
    segment.facts.shape(&replay.world.limits)
    var floor: UInt64 = 0
    for creation in segment.creations where creation.sequence > before {
      guard let machine = creation.machine else {
        try compose(creation, segment.creations)
        continue
      }
      guard let kind = kind(creation.kind) else {
        throw .unreadable(.unknownKind(creation.kind), at: creation.sequence)
      }
      if source.registry.speaks(of: machine, otherThan: creation.name) {
        // The number is reused: earlier inputs belong to its previous machine.
        guard try play(to: creation.sequence - 1, while: goesOn) else { return }
        floor = creation.sequence
      }
      let place = source.population.place(of: kind)
      _ = replay.world.population.place(of: kind)
      source.registry.note(creation.name, kind: place, as: machine, source.population)
    }
    for answer in segment.answers where answer.sequence > before { source.answers.add(answer) }
    guard try play(to: numbers.upperBound, while: goesOn) else { return }
    if floor > 0 { source.journal.forget(before: floor) }
    rewinds.forget(before: source.firstSequence)
    keepCopyIfDue()
  }

  /// How many numbers one segment may skip that no machine ever had.
  private static let maxNumbersLeftOut = 1 << 16

  /// Appends the records of a segment, as this program would have written them.
  private mutating func appendRecords(
    of segment: JournalSegment, _ numbers: ClosedRange<UInt64>
  ) throws(Failure) {
    if numbers.lowerBound >= wordsHoldUntil {
      translations = [:]
      wordsHoldUntil = words.firstChange(after: numbers.lowerBound)
    }
    var creations = segment.creations.filter { $0.machine != nil && $0.sequence > source.lastSequence }[...]
    let maxNumbers = source.registry.capacity + creations.count + Recovery.maxNumbersLeftOut
    var made: [MachineID: KindTranslation] = [:]
    var translation = SegmentTranslation(segment, numbers)
    do {
      try translation.pass(to: source.lastSequence)
      while let entry = try translation.read({ machine, entry, isNew in
        if isNew {
          guard let creation = creations.popFirst(), creation.sequence == entry.sequence, creation.machine == machine,
            machine.index < maxNumbers
          else { throw SegmentFailure.damaged("it makes a machine that the segment does not describe") }
          let meaning = try self.translation(of: creation.kind, at: numbers.lowerBound)
          made[machine] = meaning
          _ = replay.world.population.place(of: meaning.kind)
          return SegmentTranslation.Meaning(
            translation: meaning, kindPlace: source.population.place(of: meaning.kind))
        }
        if let known = made[machine] { return SegmentTranslation.Meaning(translation: known) }
        guard machine.index < source.registry.capacity, source.registry.isKnown(machine) else {
          throw SegmentFailure.damaged("it is about machine \(machine.number), which was never made")
        }
        return SegmentTranslation.Meaning(
          translation: try self.translation(of: source.kind(of: machine).key, at: numbers.lowerBound))
      }) {
        if entry.input == .defined { try define(entry) }
        rewinds.look(at: entry)
      }
      guard creations.isEmpty else { throw SegmentFailure.damaged("it describes a machine that no input makes") }
    } catch let failure as SegmentFailure {
      throw .unreadable(failure, at: max(translation.next - 1, numbers.lowerBound))
    } catch {
      throw .gap(after: source.lastSequence)
    }
    guard let rewritten = translation.rewritten else { return source.journal.append(segment, numbers) }
    let (from, first) = (translation.moment, source.lastSequence + 1)
    rewritten.withUnsafeBytes {
      source.journal.append(records: $0, first...numbers.upperBound, from: from, to: segment.facts.lastMoment)
    }
    source.journal.wallTimes.adopt(segment.wallMarks)
  }

  private mutating func translation(of kind: String, at sequence: UInt64) throws(SegmentFailure) -> KindTranslation {
    if let known = translations[kind] { return known }
    guard let today = self.kind(kind) else { throw .unknownKind(kind) }
    guard let stored = words.description(of: kind, at: sequence) else { throw .unknownWords(kind: kind) }
    let translation = KindTranslation(stored, to: today)
    translations[kind] = translation
    return translation
  }

  /// Makes the kind of a document again.
  private mutating func define(_ entry: JournalEntry) throws(SegmentFailure) {
    guard let (document, version) = JournalInput(entry).defined else { return }
    replay.world.underWay?.pointee = entry.sequence
    do throws(DocumentFailure) {
      source.past.add(
        try DefinedKind(
          document, version: version, definedBy: entry.sequence, catalogue.compiler))
    } catch {
      throw .changed(kind: document.name, word: "document", how: error.text)
    }
  }

  /// A kind by its name in stored bytes.
  private func kind(_ key: String) -> Kind? {
    if let sequence = KindDocument.sequence(inKey: key) { return source.past.defined[sequence]?.kind }
    if case .machine(let kind)? = catalogue[key] { return kind }
    return nil
  }

  /// Makes checkpoints as a live world does, so that as much can be undone afterwards.
  private mutating func keepCopyIfDue() {
    let last = source.lastSequence
    guard last >= source.past.nextCheckpoint, !source.hasUndone(last),
      replay.world.now.nanoseconds == source.journal.lastMoment
    else { return }
    source.past.wait(after: last, machines: replay.world.machineCount)
    let isNeeded = source.past.needsCheckpoint(firstKept: source.firstSequence, last: last)
    guard source.past.hasRoom(for: replay.world.bytesOfACopy, isNeeded: isNeeded) else { return }
    source.past.keep(Checkpoint(of: replay.world, as: last), firstKept: source.firstSequence)
  }

  /// Adds a composed name, whose members are among the machines of the same segment.
  private mutating func compose(_ creation: JournalSegment.Creation, _ machines: [JournalSegment.Creation])
    throws(Failure)
  {
    guard case .composition(let composition)? = catalogue.entry(stored: creation.kind) else {
      throw .unreadable(.unknownKind(creation.kind), at: creation.sequence)
    }
    let undone = source.past.rewinds.span(of: creation.sequence)
    let all = composition.members.compactMap { member in
      machines.first { $0.sequence >= creation.sequence && $0.name == "\(creation.name).\(member.name)" }?.machine
    }
    let record = WorldCore.CompositionRecord(
      name: creation.name, composition: composition, sequence: creation.sequence, all: all, members: all)
    // A redo may need one that was undone.
    if let undone { source.past.compositions.append((undone.by, record)) } else { compositions.append(record) }
  }

  private mutating func play(to end: UInt64, while goesOn: () -> Bool) throws(Failure) -> Bool {
    replay.end = end
    do throws(Replay.Divergence) {
      repeat {
        if try replay.advance(through: source, by: 1 << 20, while: goesOn) { return true }
      } while goesOn()
      isInterrupted = true
      return false
    } catch {
      throw divergence(at: error.sequence)
    }
  }

  /// The failure for an input with another outcome, with what is known of it.
  private func divergence(at sequence: UInt64) -> Failure {
    guard (source.firstSequence...max(source.firstSequence, source.lastSequence)).contains(sequence) else {
      return .diverged(at: sequence, kind: nil, input: nil)
    }
    var reader = source.journalReader(from: sequence)
    guard let entry = source.read(&reader), let machine = entry.machine else {
      return .diverged(at: sequence, kind: nil, input: nil)
    }
    let kind = source.kind(of: machine)
    let index = Int(entry.index)
    let input: String? =
      switch entry.input {
      case .event, .delivery: "event '\(kind.events[index].name)'"
      case .expiry, .fired: "timer '\(kind.timers[index].name)'"
      case .created: "its creation"
      case .dropped, .wired, .unwired, .rewound, .renewed, .defined, .undefined: nil
      }
    return .diverged(at: sequence, kind: kind.name, input: input)
  }

  /// The hash of the world after the segments so far; see ``WorldCore/presentHash``.
  ///
  /// - Precondition: At least one segment was added.
  package mutating func presentHash() throws(ArchiveFailure) -> UInt64 {
    // A rewind to a moment between two inputs leaves a later time than the last replayed input.
    replay.world.move(to: Instant(nanoseconds: source.journal.lastMoment))
    replay.world.compositions = [:]
    replay.world.keep(compositions)
    return try replay.world.presentHash
  }

  /// The rebuilt world, with the part of its journal that fits in memory.
  ///
  /// - Parameters:
  ///   - moment: The time that it had reached.
  ///   - limits: The limits from now on.
  package consuming func finish(at moment: Instant, _ limits: WorldLimits) -> WorldCore {
    source.past.rewinds = rewinds
    source.takeOver(&replay.world)
    source.limits = limits
    source.firings = replay.world.firings
    source.keep(compositions)
    if let due = source.nextDue(), due < moment {
      // Only an endless chain, or a daemon that was behind, leaves timers that are due.
      source.move(to: due)
    } else {
      source.move(to: moment)
    }
    return source
  }
}

extension WorldCore {
  /// Takes over the state of the replayed world at the end of a recovery.
  fileprivate mutating func takeOver(_ other: inout WorldCore) {
    _ = exchange(with: &other)
    registry.renewVacancies()
    // Lines of the journal may refer to any dropped machine.
    retired = ContiguousArray(registry.dropped().map { (journal.last, $0) })
    nextRetired = 0
  }
}

extension Recovery.Failure {
  /// The input that cannot be replayed.
  package var input: UInt64 {
    switch self {
    case .gap(let sequence): sequence + 1
    case .unreadable(_, let sequence), .diverged(let sequence, _, _): sequence
    }
  }
}

extension Recovery.Failure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .gap(let sequence): "there is no readable segment after input \(sequence)"
    case .unreadable(let failure, let sequence): "input \(sequence) \(failure)"
    case .diverged(let sequence, let kind, let input):
      "input \(sequence) has another outcome than before"
        + (kind.map { kind in
          ", since the rule of kind '\(kind)' differs in this release"
            + (input.map { " (\($0))" } ?? "")
        } ?? ", since the rule of a kind differs in this release")
    }
  }
}
