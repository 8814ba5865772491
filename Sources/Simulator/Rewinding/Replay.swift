import StateMachines

/// A world that is built up again from another's journal, from the beginning or from a copy on.
///
/// Inputs from outside are played one after the other, each at its moment, and all else must follow from them as the
/// journal has it: deliveries by themselves, and timers one by one, since a chain of them that was stopped may have been
/// allowed to go on. What was undone is passed over. The journal that comes of it is compared input by input.
struct Replay: ~Copyable {
  /// As far as it has come.
  var world: WorldCore
  /// What comes next in the other journal.
  private var source: JournalReader
  /// What comes next of what was made here.
  private var made: JournalReader
  /// The last input to be played.
  var end: UInt64

  /// What was played is not what the journal has. It does not happen but by a mistake in a kind, whose rule must depend on
  /// nothing but what it is given.
  struct Divergence: Error {
    let sequence: UInt64
  }

  /// - Parameters:
  ///   - end: The last input to be played.
  ///   - checkpoint: Where to begin; nil for the beginning of the world.
  ///   - journalBytes: How much of the journal that comes of it is kept.
  /// - Precondition: The other journal has all inputs from there on.
  init(of other: borrowing WorldCore, from checkpoint: Checkpoint?, to end: UInt64, journalBytes: Int = 128 << 10) {
    let journal = Journal(
      inputs: .max >> 1, bytes: journalBytes, after: checkpoint?.sequence ?? 0,
      at: checkpoint?.world.now.nanoseconds ?? 0)
    if let checkpoint {
      world = WorldCore(copying: checkpoint.world, journal)
    } else {
      world = WorldCore(seed: other.past.seed, limits: other.limits)
      world.journal = journal
    }
    world.population.adoptKinds(of: other.population)
    self.end = end
    made = world.journalReader(from: world.lastSequence + 1)
    source = other.journalReader(from: max(world.lastSequence + 1, other.firstSequence))
    world.past.keepNothing()
  }

  /// Goes on with so many inputs at most, and those that follow from the last of them.
  ///
  /// - Returns: Whether all are played.
  mutating func advance(through other: borrowing WorldCore, by inputs: Int) throws(Divergence) -> Bool {
    var left = inputs
    while left > 0 {
      guard source.next <= end else { return true }
      guard let entry = other.read(&source) else { throw Divergence(sequence: source.next) }
      if let undone = other.past.span(of: entry.sequence) {
        // To read over a few is quicker than to look for the place.
        if undone.by - entry.sequence > 4_096 {
          source = other.journalReader(from: min(undone.by, other.lastSequence) + 1)
        }
        continue
      }
      if entry.sequence != world.lastSequence + 1 {
        world.journal.skip(to: entry.sequence - 1)
        made = world.journalReader(from: entry.sequence)
      }
      guard world.replay(entry, of: other) else { throw Divergence(sequence: entry.sequence) }
      left -= try compare(entry, with: other)
    }
    return false
  }

  /// Compares what was made of an entry with it and what comes behind it.
  ///
  /// - Returns: How many inputs were made.
  private mutating func compare(_ entry: JournalEntry, with other: borrowing WorldCore) throws(Divergence) -> Int {
    var expected: JournalEntry? = entry
    var count = 0
    // A step may be followed by more inputs than this journal keeps; they are looked at as far as they are there.
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
  /// Whether another journal has the same input with the same outcome here.
  fileprivate func isLike(_ other: JournalEntry) -> Bool {
    sequence == other.sequence && moment == other.moment && machine == other.machine && input == other.input
      && verdict == other.verdict && index == other.index && from == other.from && to == other.to
      && hasDetails == other.hasDetails && (!hasDetails || DetailReader.areEqual(self, other))
  }
}

extension WorldCore {
  /// Plays one entry of another journal, unless it follows from what was played before.
  ///
  /// - Returns: Whether that can be: the journal may be one that no world has ever written.
  fileprivate mutating func replay(_ entry: JournalEntry, of other: borrowing WorldCore) -> Bool {
    let moment = entry.moment
    guard entry.input.isFromOutside else {
      // Of a delivery nothing comes: it would have been made by now.
      if entry.input == .expiry { expire(at: moment) }
      return true
    }
    move(to: moment)
    // As before every request. All that was due has expired, so this only finds that a chain has no end.
    fireDue()
    livelock = nil
    let canBe = play(entry, of: other)
    livelock = nil
    return canBe
  }

  /// Lets the timer expire that is next; also after a chain that was stopped and allowed to go on.
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
    let facts = ReplayFacts(entry)
    guard let machine = entry.machine else {
      if entry.input == .renewed {
        guard facts.renewed.allSatisfy({ lives($0.machine) && isRunning($0) }) else { return false }
        renew(facts.renewed)
      }
      return true
    }
    let index = Int(entry.index)
    switch entry.input {
    case .event:
      guard lives(machine) else { return false }
      if facts.arguments.isEmpty { send(machine, plain: index) } else { send(machine, event: index, facts.arguments) }
    case .fired:
      guard lives(machine) else { return false }
      fire(machine, timer: index, key: facts.key)
    case .created:
      let name = other.withName(of: machine) { Array($0) }
      guard !lives(machine), name.withUnsafeBytes({ registry.find($0) }) == nil else { return false }
      name.withUnsafeBytes { name in
        do throws(CreationFailure) {
          _ = try create(
            other.kind(of: machine), named: name, initial: facts.initial, parameters: facts.parameters, as: machine)
        } catch {
          // It was made once, so that it can be made again. If not, nothing comes of it, and that is found out.
        }
      }
    case .dropped:
      guard lives(machine) else { return false }
      drop(machine)
    case .wired, .unwired:
      guard let target = facts.target, lives(machine), lives(target.machine) else { return false }
      let wire = Wire(from: machine, output: index, to: target.machine, event: target.event)
      if entry.input == .wired { try? self.wire(wire) } else { try? unwire(wire) }
    case .delivery, .expiry, .rewound, .renewed: break
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

/// What a replay needs to know of an entry's details.
private struct ReplayFacts {
  var arguments: [Value] = []
  var parameters: [(parameter: Int, value: Value)] = []
  var initial: Int?
  var key: UInt32 = 0
  var target: (machine: MachineID, event: Int)?
  var renewed: [RenewedTimer] = []

  init(_ entry: JournalEntry) {
    var details = DetailReader(entry)
    while let detail = details.next() {
      switch detail {
      case .arguments(let values): arguments = values
      case .parameters(let values): parameters = values
      case .initial(let state): initial = Int(state)
      case .key(let number): key = number
      case .target(let machine, let event): target = (machine, Int(event))
      case .renewed(let timer): renewed.append(timer)
      case .emitted, .armed, .disarmed, .dataBefore, .dataAfter, .kind, .due, .source, .undone: break
      }
    }
  }
}
