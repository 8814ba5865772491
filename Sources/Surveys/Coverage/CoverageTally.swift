package import MachineGraphs
import Simulator
package import StateMachines

/// What machines of one kind have done according to a journal; by index of states, events and timers in the kind's
/// lists.
package struct CoverageTally: Sendable {
  package let kind: Kind
  /// Machines that have lived in the surveyed time.
  package internal(set) var machines = 0
  /// The states by number. All states below are meant by these numbers.
  private(set) var known: StateNumbers
  /// Whether a machine was ever in a state.
  package private(set) var states: [Bool]
  package private(set) var outcomes: Set<CoverageOutcome> = []
  /// Whether a timer ever expired, or was fired.
  package private(set) var expired: [Bool]
  package private(set) var disarmed: [Bool]
  /// The distinct parameter sets of the machines, in the kind's order; the first ``mostParameterSets``.
  package private(set) var parameterSets: [[Value]] = []

  /// Limit on the parameter sets collected. Machines with other sets still count.
  package static let mostParameterSets = 4

  /// The inputs of this kind; a timer with the name of an event counts as that event.
  let triggers: CoverageTriggers
  private var moves: [CoverageOutcome] = []
  private var numbers: [CoverageOutcome: UInt16] = [:]
  private var pairs: Set<UInt32> = []

  init(of kind: Kind) {
    self.kind = kind
    triggers = CoverageTriggers(of: kind)
    known = StateNumbers(of: kind)
    states = Array(repeating: false, count: known.states.count)
    expired = Array(repeating: false, count: kind.timers.count)
    disarmed = expired
  }

  /// Consecutive moves of one machine; inputs between them that moved nothing are ignored.
  package var switches: [(first: CoverageOutcome, second: CoverageOutcome)] {
    pairs.map { (moves[Int($0 >> 16) - 1], moves[Int($0 & 0xFFFF) - 1]) }
  }

  /// Records how many machines are in each state of a numbering.
  mutating func note(present machines: [Int], in numbers: StateNumbers?) {
    guard let numbers else { return }
    for (number, count) in machines.enumerated() where count > 0 {
      self.machines += count
      note(known.number(of: number, in: numbers))
    }
  }

  /// Records that a machine was in a state.
  private mutating func note(_ state: Int) {
    if state == states.count { states.append(false) }
    states[state] = true
  }

  /// Records the states before and after an input.
  ///
  /// - Returns: Their numbers.
  private mutating func noteStates(of entry: JournalEntry) -> (from: Int, to: Int) {
    let input = kind.hasStatesNamedByData ? JournalInput(entry) : nil
    let to = known.number(of: Int(entry.to), data: input?.after)
    note(to)
    if entry.input == .created { return (to, to) }
    // Without a move the word is the same.
    let from = known.number(of: Int(entry.from), data: entry.verdict == .moved ? input?.before : input?.after)
    note(from)
    return (from, to)
  }

  /// Changes the numbers of states.
  ///
  /// - Parameter other: Has a number for each state of this tally.
  mutating func renumber(as other: StateNumbers) {
    guard known.areWords else { return }
    var other = other
    let numbers = known.states.indices.map { other.number(of: $0, in: known) }
    func changed(_ outcome: CoverageOutcome) -> CoverageOutcome {
      CoverageOutcome(
        from: numbers[outcome.from], trigger: outcome.trigger, verdict: outcome.verdict, to: numbers[outcome.to])
    }
    var states = Array(repeating: false, count: other.states.count)
    for (state, number) in numbers.enumerated() { states[number] = self.states[state] }
    self.states = states
    outcomes = Set(outcomes.map(changed))
    moves = moves.map(changed)
    self.numbers = Dictionary(uniqueKeysWithValues: self.numbers.map { (changed($0), $1) })
    known = other
  }

  /// The words of the states that machines were in.
  var words: Set<String> { Set(states.indices.filter { states[$0] }.map { known.states[$0].word }) }

  /// Takes states of machines apart into those of regions.
  mutating func split(by parts: CoverageParts) {
    let places = parts.places(of: known)
    let whole = switches.map { ($0.first, $0.second) }
    (states, outcomes) = parts.split(states, outcomes, of: known)
    known = StateNumbers(of: kind, areListed: true)
    (moves, numbers, pairs) = ([], [:], [])
    for (first, second) in whole {
      let second = parts.outcomes(of: second, places).filter { $0.verdict == .moved }
      for first in parts.outcomes(of: first, places) where first.verdict == .moved {
        for second in second where second.from == first.to { notePair(number(of: first), number(of: second)) }
      }
    }
  }

  mutating func note(parameters: [Value]) {
    guard parameterSets.count < CoverageTally.mostParameterSets, !parameterSets.contains(parameters) else { return }
    parameterSets.append(parameters)
  }

  /// Records an input and its outcome.
  ///
  /// - Parameter lastMove: The number of the machine's last move, 0 if none; updated to this move.
  mutating func note(_ entry: JournalEntry, lastMove: inout UInt16) {
    let trigger: GraphTrigger
    switch entry.input {
    case .wired, .unwired, .rewound, .renewed, .defined, .undefined:
      return
    case .created:
      _ = noteStates(of: entry)
      lastMove = 0
      noteMaking(entry)
      return
    case .dropped:
      // The record of a drop has no data, and the state was counted when the machine entered it.
      if !kind.hasStatesNamedByData { note(Int(entry.to)) }
      machines += 1
      lastMove = 0
      return
    case .event, .delivery:
      trigger = .event(Int(entry.index))
    case .expiry, .fired:
      // A timer that did not run when it was to be fired has no effect.
      if entry.input == .fired, entry.verdict == .refused { return }
      expired[Int(entry.index)] = true
      trigger = triggers.ofTimers[Int(entry.index)]
    }
    let (from, to) = noteStates(of: entry)
    let outcome = CoverageOutcome(from: from, trigger: trigger, verdict: entry.verdict, to: to)
    outcomes.insert(outcome)
    if entry.hasDetails {
      var effects = JournalInput.Effects(of: entry)
      while let effect = effects.nextTimer() {
        if case .disarmed(let timer, _, _) = effect { disarmed[timer] = true }
      }
    }
    if entry.verdict == .moved { follow(&lastMove, with: outcome) }
  }

  private mutating func noteMaking(_ entry: JournalEntry) {
    guard parameterSets.count < CoverageTally.mostParameterSets else { return }
    var values = kind.parameters.map(\.example)
    for (parameter, value) in JournalInput(entry).parameters { values[parameter] = value }
    note(parameters: values)
  }

  private mutating func follow(_ lastMove: inout UInt16, with move: CoverageOutcome) {
    let number = number(of: move)
    notePair(lastMove, number)
    lastMove = number
  }

  /// The number of a move, given to it now if it has none; 0 if there are too many.
  private mutating func number(of move: CoverageOutcome) -> UInt16 {
    if let known = numbers[move] { return known }
    guard moves.count < Int(UInt16.max) else { return 0 }
    moves.append(move)
    numbers[move] = UInt16(moves.count)
    return UInt16(moves.count)
  }

  private mutating func notePair(_ first: UInt16, _ second: UInt16) {
    // Beyond the number that is reported, the exact count does not matter.
    guard first != 0, second != 0, pairs.count <= Coverage.mostSwitches else { return }
    pairs.insert(UInt32(first) << 16 | UInt32(second))
  }
}

/// The outcome of an input in a state; by index in the kind's lists.
package struct CoverageOutcome: Hashable, Sendable {
  package let from: Int
  package let trigger: GraphTrigger
  package let verdict: Verdict
  package let to: Int
}

/// How the expiries of a kind's timers count: a timer with the name of an event is how the simulated environment brings
/// that event.
struct CoverageTriggers: Sendable {
  /// By timer index.
  let ofTimers: [GraphTrigger]

  init(of kind: Kind) {
    ofTimers = kind.timers.enumerated().map { place, timer in
      kind.events.firstIndex { $0.name == timer.name }.map(GraphTrigger.event) ?? .timer(place)
    }
  }

  func trigger(of move: DocumentedMove) -> GraphTrigger? {
    move.event.map(GraphTrigger.event) ?? move.timer.map { ofTimers[$0] }
  }
}
