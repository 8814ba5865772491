package import Simulator
package import StateMachines
package import Waveforms

/// Gathers a waveform from a world's journal, in slices.
///
/// The inputs of a stretch can come from memory or from the store. The state at the stretch's beginning is taken from
/// the first input after it, or from the world, so nothing before the stretch has to be read.
package struct WaveSurvey {
  private var builder: WaveformBuilder
  private let pattern: NamePattern
  private let from: Instant
  private let to: Instant
  /// How many inputs were taken.
  package private(set) var inputs = 0
  /// The first input in effect that is not before the stretch; `nil` if there is none.
  private var first: UInt64?
  /// By machine number.
  private var places: [Place] = []
  private var vocabularies: [Vocabulary] = []
  private var numbers: [ObjectIdentifier: Int] = [:]
  /// The words for the names of lanes that have sent something through a wire.
  private var names: [Int: UInt32] = [:]
  private let created: UInt32
  private let dropped: UInt32
  private let wired: UInt32
  private let unwired: UInt32
  private var readings: ReadingSurvey?

  /// The most inputs of a waveform.
  package static let mostInputs = 1_000_000
  /// The most machines of a waveform; how many others there are is told.
  package static let mostMachines = 1_000

  /// A machine's place in the waveform.
  private enum Place: Sendable {
    case unknown, hidden, omitted
    /// Its lane, and its kind among ``vocabularies``.
    case lane(Int32, Int32)
  }

  /// The words of a kind in the waveform.
  private struct Vocabulary: Sendable {
    let kind: Kind
    let states: [UInt32]
    let events: [UInt32]
    let timers: [UInt32]
    let outputs: [UInt32]
    /// The place of the output that tells of what has failed.
    let failure: Int?
  }

  package init(from: Instant, to: Instant, _ pattern: NamePattern) {
    self.from = from
    self.to = to
    self.pattern = pattern
    builder = WaveformBuilder(from: from, to: to, mostLanes: WaveSurvey.mostMachines)
    created = builder.word("new")
    dropped = builder.word("drop")
    wired = builder.word("wire")
    unwired = builder.word("unwire")
  }

  /// About how many bytes it takes.
  ///
  /// - Complexity: O(lanes).
  package var bytes: Int {
    builder.wave.bytes + places.capacity * MemoryLayout<Place>.stride + (readings?.bytes ?? 0)
  }

  /// Adds an input; inputs come in the order of their numbers.
  ///
  /// - Parameter world: The world of the journal that has the entry.
  package mutating func note(_ entry: JournalEntry, _ world: borrowing WorldCore) {
    guard let machine = entry.machine else { return noteWorld(entry, world) }
    let number = machine.index
    if number >= places.count {
      places.append(
        contentsOf: repeatElement(.unknown, count: max(64, number + 1 - places.count, places.count)))
    }
    if entry.moment < from {
      // The number may have belonged to another machine before.
      if entry.input == .created { places[number] = .unknown }
      return
    }
    let undoer = world.undoer(of: entry.sequence) ?? 0
    if first == nil, undoer == 0 { first = entry.sequence }
    let isLate = entry.moment > to
    if isLate, undoer != 0 { return }
    var place = places[number]
    let isNew = entry.input == .created
    if case .unknown = place {
      place = self.place(of: machine, isNew: isLate && isNew, world)
      places[number] = place
    } else if isNew {
      place = self.place(of: machine, isNew: isLate, world)
      places[number] = place
    }
    guard case .lane(let lane, let vocabulary) = place else {
      if case .omitted = place, !isLate { builder.noteOmittedInput() }
      return
    }
    if !isLate { inputs += 1 }
    note(entry, Int(lane), Int(vocabulary), undoer, world)
  }

  private mutating func place(of machine: MachineID, isNew: Bool, _ world: borrowing WorldCore) -> Place {
    guard pattern.matchesAll || world.withName(of: machine, { pattern.matches($0) }) else { return .hidden }
    // It did not exist within the stretch.
    if isNew { return .hidden }
    let kind = world.kind(of: machine)
    guard
      let lane = builder.lane(named: world.name(of: machine), kind: kind.name, regions: kind.regions?.names ?? [])
    else {
      builder.noteOmittedMachine()
      return .omitted
    }
    return .lane(Int32(lane), Int32(vocabulary(of: kind)))
  }

  private mutating func vocabulary(of kind: Kind) -> Int {
    if let known = numbers[ObjectIdentifier(kind)] { return known }
    vocabularies.append(
      Vocabulary(
        kind: kind, states: kind.states.map { builder.word($0.word) },
        events: kind.events.map { builder.word($0.name) },
        timers: kind.timers.map { builder.word($0.name) }, outputs: kind.outputs.map { builder.word($0.name) },
        failure: kind.outputs.lastIndex { $0.isTold && $0.name == Kind.failureName }))
    numbers[ObjectIdentifier(kind)] = vocabularies.count - 1
    return vocabularies.count - 1
  }

  /// The first thing that failed in a step, as a word.
  private mutating func failure(in effects: JournalInput.Effects, _ vocabulary: Int) -> UInt32? {
    guard let output = vocabularies[vocabulary].failure else { return nil }
    for case .emitted(output, let data) in effects {
      if case .text(let text)? = data.first { return builder.word(text) }
    }
    return nil
  }

  private mutating func note(
    _ entry: JournalEntry, _ lane: Int, _ vocabulary: Int, _ undoer: UInt64, _ world: borrowing WorldCore
  ) {
    if entry.input == .event, !entry.hasDetails {
      // Nearly all inputs.
      let after = vocabularies[vocabulary].states[Int(entry.to)]
      return builder.note(
        lane: lane, at: entry.moment, entry.sequence, .client, Waveform.Outcome(entry.verdict),
        word: vocabularies[vocabulary].events[Int(entry.index)],
        from: entry.verdict == .moved ? vocabularies[vocabulary].states[Int(entry.from)] : after, to: after,
        undoer: undoer)
    }
    let input = JournalInput(entry)
    let failure = failure(in: input.effects, vocabulary)
    let to = state(vocabulary, entry.to, input.after)
    let from = entry.verdict == .moved ? state(vocabulary, entry.from, input.before) : to
    let none = Waveform.noState
    switch entry.input {
    case .created:
      builder.note(
        lane: lane, at: entry.moment, entry.sequence, .client, .created, word: created, from: none, to: to,
        failure: failure, undoer: undoer)
    case .dropped:
      builder.note(
        lane: lane, at: entry.moment, entry.sequence, .client, .dropped, word: dropped, from: to, to: none,
        undoer: undoer)
    case .wired, .unwired:
      builder.note(
        lane: lane, at: entry.moment, entry.sequence, .client, entry.input == .wired ? .wired : .unwired,
        word: entry.input == .wired ? wired : unwired, from: none, to: none, undoer: undoer)
    case .expiry, .fired:
      let timer = word(vocabulary, Int(entry.index), input.key)
      builder.note(
        lane: lane, at: entry.moment, entry.sequence, entry.input == .expiry ? .expiry : .fired,
        Waveform.Outcome(entry.verdict), word: timer, from: from, to: to, failure: failure, undoer: undoer)
      // A timer that was to be fired and did not run, or whose input was refused, did not end.
      if entry.input != .fired || entry.verdict != .refused { builder.expired(timer) }
    case .event, .delivery, .rewound, .renewed, .defined, .undefined:
      let event = vocabularies[vocabulary].events[Int(entry.index)]
      builder.note(
        lane: lane, at: entry.moment, entry.sequence, entry.input == .delivery ? .wire : .client,
        Waveform.Outcome(entry.verdict), word: event, from: from, to: to, failure: failure, undoer: undoer)
      if let source = input.source {
        noteDelivery(entry, from: source.machine, source.output, to: lane, event, isUndone: undoer != 0, world)
      }
    }
    var effects = input.effects
    while let effect = effects.nextTimer() {
      switch effect {
      case .emitted: break
      case .armed(let timer, let key, _): builder.armed(word(vocabulary, timer, key))
      case .disarmed(let timer, let key, _): builder.disarmed(word(vocabulary, timer, key))
      }
    }
  }

  private mutating func noteDelivery(
    _ entry: JournalEntry, from source: MachineID, _ output: Int, to target: Int, _ event: UInt32, isUndone: Bool,
    _ world: borrowing WorldCore
  ) {
    guard source.index < places.count, case .lane(let lane, let vocabulary) = places[source.index] else {
      let output = builder.word(world.kind(of: source).outputs[output].name)
      let name = builder.word(world.name(of: source))
      return builder.noteDelivery(
        at: entry.moment, entry.sequence, from: nil, named: name, output, to: target, event, isUndone: isUndone)
    }
    let name = names[Int(lane)] ?? builder.word(builder.wave.lanes[Int(lane)].name)
    names[Int(lane)] = name
    builder.noteDelivery(
      at: entry.moment, entry.sequence, from: Int(lane), named: name,
      vocabularies[Int(vocabulary)].outputs[output], to: target, event, isUndone: isUndone)
  }

  private mutating func word(_ vocabulary: Int, _ timer: Int, _ key: UInt32) -> UInt32 {
    let word = vocabularies[vocabulary].timers[timer]
    return key == 0 ? word : builder.word("\(builder.wave.words[word])(\(key))")
  }

  private mutating func state(_ vocabulary: Int, _ place: UInt16, _ data: String?) -> UInt32 {
    guard let data else { return vocabularies[vocabulary].states[Int(place)] }
    return builder.word(vocabularies[vocabulary].kind.stateWord(Int(place), data: data))
  }

  private mutating func noteWorld(_ entry: JournalEntry, _ world: borrowing WorldCore) {
    let undoer = world.undoer(of: entry.sequence) ?? 0
    if entry.moment >= from, entry.moment <= to { inputs += 1 }
    let input = JournalInput(entry)
    switch entry.input {
    case .rewound:
      let word = input.wordOfRewind
      let text =
        input.rewound.map { "\(word) \($0.lowerBound)\($0.count > 1 ? "-\($0.upperBound)" : "")" } ?? word
      builder.noteWorld(at: entry.moment, entry.sequence, input.isRedo ? .redone : .undone, text, undoer: undoer)
    case .renewed:
      builder.noteWorld(at: entry.moment, entry.sequence, .restarted, "restart", undoer: undoer)
      for timer in input.renewed where undoer == 0 && timer.machine.index < places.count {
        guard case .lane(let lane, let vocabulary) = places[timer.machine.index] else { continue }
        let word = word(Int(vocabulary), timer.timer, timer.key)
        builder.restart(word, lane: Int(lane), at: entry.moment, entry.sequence)
      }
    case .defined, .undefined:
      let name = input.defined?.document.name ?? input.undefined ?? ""
      builder.noteWorld(
        at: entry.moment, entry.sequence, entry.input == .defined ? .defined : .undefined, name, undoer: undoer)
    case .event, .delivery, .expiry, .fired, .created, .dropped, .wired, .unwired: break
    }
  }

  // MARK: What no input tells

  /// Adds the machines that had no input since the stretch began.
  ///
  /// - Complexity: O(machines).
  package mutating func notePresent(in world: borrowing WorldCore) {
    var tally = StateTally()
    var budget = Int.max
    var silent: [MachineID] = []
    let (pattern, places, mostMachines) = (pattern, places, WaveSurvey.mostMachines)
    var count = 0
    _ = world.count(into: &tally, budget: &budget) { machine, name, _ in
      let place = machine.index < places.count ? places[machine.index] : .unknown
      switch place {
      case .lane: silent.append(machine)
      case .unknown where pattern.matches(name):
        count += 1
        if count <= mostMachines { silent.append(machine) }
      case .unknown, .hidden, .omitted: break
      }
      return false
    }
    for machine in silent {
      let kind = world.kind(of: machine)
      guard let lane = builder.lane(named: world.name(of: machine), kind: kind.name, regions: kind.regions?.names ?? [])
      else {
        builder.noteOmittedMachine()
        continue
      }
      let vocabulary = vocabulary(of: kind)
      let state = builder.word(world.state(of: machine))
      let timers = world.runningTimers(of: machine).map { word(vocabulary, $0.timer, $0.key) }
      builder.notePresent(lane: lane, state, timers: timers)
    }
    if count > mostMachines { for _ in mostMachines..<count { builder.noteOmittedMachine() } }
  }

  // MARK: Readings

  /// Continues to work out readings, by playing the stretch again.
  ///
  /// - Parameters:
  ///   - inputs: About how many inputs to play at most.
  ///   - goesOn: Asked between two inputs. After it was false, the rest is left for the next call.
  /// - Returns: Whether all are known, or the rest cannot be known: the journal's beginning was dropped.
  package mutating func readOn(
    through world: borrowing WorldCore, by inputs: Int, while goesOn: () -> Bool = { true }
  ) -> Bool {
    if readings == nil {
      let lanes = builder.wave.lanes.enumerated().compactMap { place, lane in
        vocabularies.contains { $0.kind.name == lane.kind && !$0.kind.readings.isEmpty } ? (place, lane.name) : nil
      }
      guard !lanes.isEmpty else { return true }
      readings = ReadingSurvey(of: world, lanes, from: from, to: to, first: first)
    }
    guard let readings else { return true }
    return readings.advance(through: world, by: inputs, while: goesOn, into: &builder)
  }

  package consuming func finish() -> Waveform { builder.finish() }
}

extension Waveform.Outcome {
  init(_ verdict: Verdict) {
    switch verdict {
    case .moved: self = .moved
    case .stayed: self = .stayed
    case .ignored: self = .ignored
    case .refused: self = .refused
    }
  }
}
