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
  private let created: UInt32
  private let dropped: UInt32
  private let wired: UInt32
  private let unwired: UInt32
  private var readings: ReadingSurvey?

  /// The most inputs of a waveform.
  package static let mostInputs = 1_000_000

  /// A machine's place in the waveform.
  private enum Place: Sendable {
    case unknown, hidden, omitted
    case lane(Int, Int)
  }

  /// The words of a kind in the waveform.
  private struct Vocabulary: Sendable {
    let kind: Kind
    let states: [UInt32]
    let events: [UInt32]
    let timers: [UInt32]
  }

  package init(from: Instant, to: Instant, _ pattern: NamePattern) {
    self.from = from
    self.to = to
    self.pattern = pattern
    builder = WaveformBuilder(from: from, to: to)
    created = builder.word("new")
    dropped = builder.word("drop")
    wired = builder.word("wire")
    unwired = builder.word("unwire")
  }

  /// About how many bytes it takes.
  package var bytes: Int { builder.wave.bytes + places.capacity * MemoryLayout<Place>.stride }

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
    let lane: Int
    let vocabulary: Int
    if case .lane(let known, let words) = places[number], entry.input != .created {
      (lane, vocabulary) = (known, words)
    } else {
      var place = places[number]
      let isNew = entry.input == .created
      if case .unknown = place {
        place = self.place(of: machine, isNew: isLate && isNew, world)
      } else if isNew {
        place = self.place(of: machine, isNew: isLate, world)
      }
      places[number] = place
      switch place {
      case .lane(let found, let words): (lane, vocabulary) = (found, words)
      case .omitted:
        if !isLate { builder.noteOmittedInput() }
        return
      case .unknown, .hidden: return
      }
    }
    if !isLate { inputs += 1 }
    if entry.hasDetails || (entry.input != .event && entry.input != .created && entry.input != .dropped) {
      noteInFull(entry, lane, vocabulary, undoer, world)
      return
    }
    // Nearly all inputs take this path.
    let words = vocabularies[vocabulary]
    switch entry.input {
    case .created:
      builder.note(
        lane: lane, at: entry.moment, entry.sequence, .client, .created, word: created, from: nil,
        to: words.states[Int(entry.to)], undoer: undoer)
    case .dropped:
      builder.note(
        lane: lane, at: entry.moment, entry.sequence, .client, .dropped, word: dropped,
        from: words.states[Int(entry.to)], to: nil, undoer: undoer)
    case .event, .delivery, .expiry, .fired, .wired, .unwired, .rewound, .renewed, .defined, .undefined:
      builder.note(
        lane: lane, at: entry.moment, entry.sequence, .client, Waveform.Outcome(entry.verdict),
        word: words.events[Int(entry.index)], from: words.states[Int(entry.from)], to: words.states[Int(entry.to)],
        undoer: undoer)
    }
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
    return .lane(lane, vocabulary(of: kind))
  }

  private mutating func vocabulary(of kind: Kind) -> Int {
    if let known = numbers[ObjectIdentifier(kind)] { return known }
    vocabularies.append(
      Vocabulary(
        kind: kind, states: kind.states.map { builder.word($0.word) },
        events: kind.events.map { builder.word($0.name) },
        timers: kind.timers.map { builder.word($0.name) }))
    numbers[ObjectIdentifier(kind)] = vocabularies.count - 1
    return vocabularies.count - 1
  }

  private mutating func noteInFull(
    _ entry: JournalEntry, _ lane: Int, _ vocabulary: Int, _ undoer: UInt64, _ world: borrowing WorldCore
  ) {
    let words = vocabularies[vocabulary]
    var before: String?
    var after: String?
    var key: UInt32 = 0
    var source: (machine: MachineID, output: UInt16)?
    var changes: [WaveformBuilder.TimerChange] = []
    if entry.hasDetails {
      var details = DetailReader(entry)
      while let detail = details.next() {
        switch detail {
        case .dataBefore(let data): before = data
        case .dataAfter(let data): after = data
        case .key(let number): key = number
        case .source(let machine, let output): source = (machine, output)
        case .armed(let timer, let key, _): changes.append(.armed(word(words.timers, timer, key)))
        case .disarmed(let timer, let key, _): changes.append(.disarmed(word(words.timers, timer, key)))
        case .emitted, .arguments, .parameters, .initial, .kind, .due, .target, .undone, .reason, .renewed, .defined,
          .undefined:
          break
        }
      }
    }
    let to = state(words, entry.to, after)
    let from = entry.verdict == .moved ? state(words, entry.from, before) : to
    switch entry.input {
    case .created:
      builder.note(
        lane: lane, at: entry.moment, entry.sequence, .client, .created, word: created, from: nil, to: to,
        changes: changes, undoer: undoer)
    case .dropped:
      builder.note(
        lane: lane, at: entry.moment, entry.sequence, .client, .dropped, word: dropped, from: to, to: nil,
        changes: changes, undoer: undoer)
    case .wired, .unwired:
      builder.note(
        lane: lane, at: entry.moment, entry.sequence, .client, entry.input == .wired ? .wired : .unwired,
        word: entry.input == .wired ? wired : unwired, from: nil, to: nil, undoer: undoer)
    case .expiry, .fired:
      let timer = word(words.timers, UInt8(entry.index), key)
      builder.note(
        lane: lane, at: entry.moment, entry.sequence, entry.input == .expiry ? .expiry : .fired,
        Waveform.Outcome(entry.verdict), word: timer, from: from, to: to,
        // A timer that was to be fired and did not run, or whose input was refused, did not end.
        timer: entry.input == .fired && entry.verdict == .refused ? nil : timer, changes: changes, undoer: undoer)
    case .event, .delivery, .rewound, .renewed, .defined, .undefined:
      let event = words.events[Int(entry.index)]
      builder.note(
        lane: lane, at: entry.moment, entry.sequence, entry.input == .delivery ? .wire : .client,
        Waveform.Outcome(entry.verdict), word: event, from: from, to: to, changes: changes, undoer: undoer)
      guard let source else { return }
      let output = builder.word(world.kind(of: source.machine).outputs[Int(source.output)].name)
      var sourceLane: Int?
      if source.machine.index < places.count, case .lane(let known, _) = places[source.machine.index] {
        sourceLane = known
      }
      builder.noteDelivery(
        at: entry.moment, entry.sequence, from: sourceLane, named: world.name(of: source.machine), output, to: lane,
        event, isUndone: undoer != 0)
    }
  }

  private mutating func word(_ timers: [UInt32], _ timer: UInt8, _ key: UInt32) -> UInt32 {
    let word = timers[Int(timer)]
    return key == 0 ? word : builder.word("\(builder.wave.words[word])(\(key))")
  }

  private mutating func state(_ words: Vocabulary, _ place: UInt16, _ data: String?) -> UInt32 {
    guard let data else { return words.states[Int(place)] }
    return builder.word(words.kind.stateWord(Int(place), data: data))
  }

  private mutating func noteWorld(_ entry: JournalEntry, _ world: borrowing WorldCore) {
    let undoer = world.undoer(of: entry.sequence) ?? 0
    if entry.moment >= from, entry.moment <= to { inputs += 1 }
    var details = DetailReader(entry)
    switch entry.input {
    case .rewound:
      var count: UInt64 = 0
      while let detail = details.next() { if case .undone(let undone) = detail { count = undone } }
      let text = count > 0 ? "undone \(entry.sequence - count)-\(entry.sequence - 1)" : "undone"
      builder.noteWorld(at: entry.moment, entry.sequence, .undone, text, undoer: undoer)
    case .renewed:
      var timers: [RenewedTimer] = []
      while let detail = details.next() { if case .renewed(let timer) = detail { timers.append(timer) } }
      builder.noteWorld(at: entry.moment, entry.sequence, .restarted, "restart", undoer: undoer)
      for timer in timers where undoer == 0 && timer.machine.index < places.count {
        guard case .lane(let lane, let vocabulary) = places[timer.machine.index] else { continue }
        let word = word(vocabularies[vocabulary].timers, UInt8(timer.timer), timer.key)
        builder.restart(word, lane: lane, at: entry.moment, entry.sequence)
      }
    case .defined, .undefined:
      var name = ""
      switch details.next() {
      case .defined(let document, _): name = document.name
      case .undefined(let kind): name = kind
      case _: break
      }
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
    let (pattern, places, mostLanes) = (pattern, places, 1_000)
    var count = 0
    _ = world.count(into: &tally, budget: &budget) { machine, name, _ in
      let place = machine.index < places.count ? places[machine.index] : .unknown
      switch place {
      case .lane: silent.append(machine)
      case .unknown where pattern.matches(name):
        count += 1
        if count <= mostLanes { silent.append(machine) }
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
      let words = vocabularies[vocabulary(of: kind)]
      let state = builder.word(world.state(of: machine))
      let timers = world.runningTimers(of: machine).map { word(words.timers, UInt8($0.timer), $0.key) }
      builder.notePresent(lane: lane, state, timers: timers)
    }
    if count > mostLanes { for _ in mostLanes..<count { builder.noteOmittedMachine() } }
  }

  // MARK: Readings

  /// Continues to work out readings, by playing the stretch again.
  ///
  /// - Parameter inputs: About how many inputs to play at most.
  /// - Returns: Whether all are known, or the rest cannot be known: the journal's beginning was dropped.
  package mutating func readOn(through world: borrowing WorldCore, by inputs: Int) -> Bool {
    if readings == nil {
      let lanes = builder.wave.lanes.enumerated().compactMap { place, lane in
        vocabularies.contains { $0.kind.name == lane.kind && !$0.kind.readings.isEmpty } ? (place, lane.name) : nil
      }
      guard !lanes.isEmpty else { return true }
      readings = ReadingSurvey(of: world, lanes, from: from, to: to, first: first)
    }
    guard let readings else { return true }
    return readings.advance(through: world, by: inputs, into: &builder)
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
