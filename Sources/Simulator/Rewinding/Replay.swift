import StateMachines

/// Rebuilds a world from another's journal, from the beginning or from a checkpoint.
///
/// Outside inputs are replayed one by one, each at its moment, and everything else must follow from them as recorded.
/// Deliveries follow by themselves. Timers are fired one by one, since a stopped chain may have been allowed to continue.
/// Undone inputs are skipped. The resulting journal is compared input by input.
package struct Replay: ~Copyable {
  /// The world as far as it is replayed.
  package internal(set) var world: WorldCore
  /// The next input of the other journal.
  private var source: JournalReader
  /// The next input of this journal.
  private var made: JournalReader
  /// The last input to replay.
  package var end: UInt64
  /// What was undone before this input is skipped.
  private let undoneBefore: UInt64

  /// The replay differs from the journal. This happens only through a defect in a kind, whose rule must depend on
  /// nothing but its inputs.
  package struct Divergence: Error {
    let sequence: UInt64
  }

  /// - Parameters:
  ///   - end: The last input to replay.
  ///   - checkpoint: Where to begin; nil for the beginning of the world.
  ///   - undoneBefore: What was undone before this input is skipped.
  ///   - journalBytes: How much of the resulting journal is kept.
  /// - Precondition: The other journal has all inputs from there on.
  init(
    of other: borrowing WorldCore, from checkpoint: Checkpoint?, to end: UInt64,
    undoneBefore: UInt64 = .max, journalBytes: Int = 128 << 10
  ) {
    self.undoneBefore = undoneBefore
    let journal = Journal(
      inputs: .max >> 1, bytes: journalBytes, after: checkpoint?.sequence ?? 0,
      at: checkpoint?.world.now.nanoseconds ?? 0)
    if let checkpoint {
      world = WorldCore(copying: checkpoint.world, journal)
    } else {
      world = WorldCore(seed: other.past.seed, limits: other.limits)
      world.keepsReasons = other.keepsReasons
      world.journal = journal
    }
    world.population.adoptKinds(of: other.population)
    self.end = end
    made = world.journalReader(from: world.lastSequence + 1)
    source = other.journalReader(from: max(world.lastSequence + 1, other.firstSequence))
    world.past.keepNothing()
  }

  /// A replay of everything before an input.
  ///
  /// - Returns: `nil` if the journal does not reach back far enough.
  package init?(of other: borrowing WorldCore, before input: UInt64) {
    let checkpoint = other.past.checkpoint(before: input, firstKept: other.firstSequence)
    guard checkpoint != nil || other.firstSequence == 1 else { return nil }
    self.init(of: other, from: checkpoint, to: input - 1)
  }

  /// Inputs between two questions whether to go on, and steps of charts, of which one input can take many.
  private static let inputsAtOnce = 32
  private static let chartStepsAtOnce = 500
  /// The inputs since the last question, and the steps of charts until then. A segment of a stored journal may have few
  /// inputs, so they count on from one to the next.
  private var unasked = 0
  private var stepsAsked = 0

  /// Replays at most `inputs` inputs, and those that follow from the last of them.
  ///
  /// - Parameter goesOn: Asked between two inputs, from time to time. After it was false, the rest is left.
  /// - Returns: Whether all are replayed.
  package mutating func advance(
    through other: borrowing WorldCore, by inputs: Int, while goesOn: () -> Bool = { true }
  ) throws(Divergence) -> Bool {
    var left = inputs
    while left > 0 {
      if unasked >= Replay.inputsAtOnce || world.chartSteps - stepsAsked >= Replay.chartStepsAtOnce {
        // Counted anew also if it does not go on: the next call then gets further.
        (unasked, stepsAsked) = (0, world.chartSteps)
        guard goesOn() else { return false }
      }
      guard source.next <= end else { return true }
      guard let entry = other.read(&source) else { throw Divergence(sequence: source.next) }
      if let undone = other.past.rewinds.span(of: entry.sequence, before: undoneBefore) {
        // Reading over a few is quicker than seeking.
        if undone.by - entry.sequence > 4_096 {
          source = other.journalReader(from: min(undone.by, other.lastSequence) + 1)
        }
        unasked += 1
        continue
      }
      if entry.sequence != world.lastSequence + 1 {
        world.journal.skip(to: entry.sequence - 1)
        made = world.journalReader(from: entry.sequence)
      }
      guard world.replay(entry, of: other) else { throw Divergence(sequence: entry.sequence) }
      let made = try compare(entry, with: other)
      left -= made
      unasked += made
    }
    return false
  }

  /// Compares the inputs made for an entry with it and the following ones.
  ///
  /// - Returns: How many inputs were made.
  private mutating func compare(_ entry: JournalEntry, with other: borrowing WorldCore) throws(Divergence) -> Int {
    var expected: JournalEntry? = entry
    var count = 0
    // A step may have more consequences than this journal keeps; those still present are compared.
    if made.next < world.firstSequence {
      let missed = world.firstSequence - made.next
      made = world.journalReader(from: world.firstSequence)
      source = other.journalReader(from: min(made.next, other.lastSequence + 1))
      expected = other.read(&source)
      count += Int(missed)
    }
    while let found = world.read(&made) {
      guard let wanted = expected, wanted.isLike(found) else { throw Divergence(sequence: found.sequence) }
      count += 1
      expected = made.next <= world.lastSequence ? other.read(&source) : nil
    }
    guard count > 0 else { throw Divergence(sequence: entry.sequence) }
    return count
  }
}

extension JournalEntry {
  /// Whether another journal has the same input with the same outcome at this position.
  fileprivate func isLike(_ other: JournalEntry) -> Bool {
    sequence == other.sequence && moment == other.moment && machine == other.machine && input == other.input
      && verdict == other.verdict && index == other.index && from == other.from && to == other.to
      && hasDetails == other.hasDetails && (!hasDetails || DetailReader.areEqual(self, other))
  }
}

extension WorldCore {
  /// Replays one entry of another journal, unless it follows from earlier ones.
  ///
  /// - Returns: False if the entry is impossible: no world may ever have written this journal.
  fileprivate mutating func replay(_ entry: JournalEntry, of other: borrowing WorldCore) -> Bool {
    let moment = entry.moment
    guard entry.input.isFromOutside else {
      // A delivery needs nothing: it would have been made already.
      if entry.input == .expiry { expire(at: moment) }
      return true
    }
    move(to: moment)
    // As before every request. Everything due has expired, so this only detects an endless chain.
    fireDue()
    livelock = nil
    let canBe = play(entry, of: other)
    livelock = nil
    return canBe
  }

  /// Lets the next timer expire, also after a stopped chain was allowed to continue.
  private mutating func expire(at moment: Instant) {
    var one = 1
    if advance(to: moment, budget: &one) == .livelocked, one == 1 {
      goOn()
      _ = advance(to: moment, budget: &one)
    }
    livelock = nil
  }

  private func lives(_ machine: MachineID) -> Bool {
    machine.index < registry.capacity && registry.isAlive(machine)
  }

  private mutating func play(_ entry: JournalEntry, of other: borrowing WorldCore) -> Bool {
    let input = JournalInput(entry)
    guard let machine = entry.machine else {
      if entry.input == .renewed {
        guard input.renewed.allSatisfy({ lives($0.machine) && isRunning($0) }) else { return false }
        renew(input.renewed)
      }
      if entry.input == .defined {
        guard let defined = other.past.defined[entry.sequence] else { return false }
        define(defined.document, as: defined.kind)
      }
      if let name = input.undefined {
        guard definition(named: name) != nil, machines(ofDefined: name).count == 0 else { return false }
        undefine(name)
      }
      return true
    }
    let index = Int(entry.index)
    switch entry.input {
    case .event:
      guard lives(machine) else { return false }
      if input.arguments.isEmpty { send(machine, plain: index) } else { send(machine, event: index, input.arguments) }
    case .fired:
      guard lives(machine) else { return false }
      fire(machine, timer: index, key: input.key)
    case .created:
      let name = other.withName(of: machine) { Array($0) }
      guard !lives(machine), name.withUnsafeBytes({ registry.find($0) }) == nil else { return false }
      name.withUnsafeBytes { name in
        do throws(CreationFailure) {
          _ = try create(
            other.kind(of: machine), named: name, initial: input.initial, parameters: input.parameters, as: machine)
        } catch {
          // The creation succeeded once, so it can succeed again. If it fails, the comparison detects it.
        }
      }
    case .dropped:
      guard lives(machine) else { return false }
      drop(machine)
    case .wired, .unwired:
      guard let target = input.target, lives(machine), lives(target.machine) else { return false }
      let wire = Wire(from: machine, output: index, to: target.machine, event: target.event)
      if entry.input == .wired { try? self.wire(wire) } else { try? unwire(wire) }
    case .delivery, .expiry, .rewound, .renewed, .defined, .undefined: break
    }
    return true
  }

  private func isRunning(_ timer: RenewedTimer) -> Bool {
    if timer.key != 0 {
      return keyedTimers.running(KeyedTimers.Name(timer: UInt8(timer.timer), key: timer.key), of: timer.machine) != nil
    }
    return population.timers(at: registry.location(of: timer.machine))[timer.timer].stamp != 0
  }
}
