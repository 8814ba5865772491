package import MachineGraphs
package import StateMachines

/// What machines of one kind have done, as a journal tells it; by the places of states, events and timers in the kind's lists.
package struct CoverageTally: Sendable {
  package let kind: Kind
  /// Machines that have lived in the time that was looked at.
  package internal(set) var machines = 0
  /// Whether a machine was ever in a state.
  package private(set) var states: [Bool]
  package private(set) var outcomes: Set<CoverageOutcome> = []
  /// Whether a timer ever expired, or was fired.
  package private(set) var expired: [Bool]
  package private(set) var disarmed: [Bool]
  /// Different sets of parameters that machines were made with, in the kind's order; the first ``mostParameterSets``.
  package private(set) var parameterSets: [[Value]] = []

  /// Sets of parameters that are told apart. What machines with others do counts all the same.
  package static let mostParameterSets = 4

  /// What the inputs of this kind are, timers that bear the name of an event taken for it.
  let triggers: CoverageTriggers
  private var moves: [CoverageOutcome] = []
  private var numbers: [CoverageOutcome: UInt16] = [:]
  private var pairs: Set<UInt32> = []

  init(of kind: Kind) {
    self.kind = kind
    triggers = CoverageTriggers(of: kind)
    states = Array(repeating: false, count: kind.states.count)
    expired = Array(repeating: false, count: kind.timers.count)
    disarmed = expired
  }

  /// Moves that followed one another in one machine; what came between them and was no move is passed over.
  package var switches: [(first: CoverageOutcome, second: CoverageOutcome)] {
    pairs.map { (moves[Int($0 >> 16) - 1], moves[Int($0 & 0xFFFF) - 1]) }
  }

  /// Notes that machines are in a state.
  mutating func note(present machines: Int, in state: Int) {
    self.machines += machines
    states[state] = true
  }

  mutating func note(parameters: [Value]) {
    guard parameterSets.count < CoverageTally.mostParameterSets, !parameterSets.contains(parameters) else { return }
    parameterSets.append(parameters)
  }

  /// Notes an input and what came of it.
  ///
  /// - Parameter lastMove: The number of the machine's last move; 0 if there is none. It is changed to that of this one.
  mutating func note(_ entry: JournalEntry, lastMove: inout UInt16) {
    let trigger: GraphTrigger
    switch entry.input {
    case .wired, .unwired, .rewound, .renewed:
      return
    case .created:
      states[Int(entry.to)] = true
      lastMove = 0
      noteMaking(entry)
      return
    case .dropped:
      states[Int(entry.to)] = true
      machines += 1
      lastMove = 0
      return
    case .event, .delivery:
      trigger = .event(Int(entry.index))
    case .expiry, .fired:
      // A timer that was to be fired and did not run has done nothing.
      if entry.input == .fired, entry.verdict == .refused { return }
      expired[Int(entry.index)] = true
      trigger = triggers.ofTimers[Int(entry.index)]
    }
    states[Int(entry.from)] = true
    states[Int(entry.to)] = true
    let outcome = CoverageOutcome(
      from: Int(entry.from), trigger: trigger, verdict: entry.verdict, to: Int(entry.to))
    outcomes.insert(outcome)
    if entry.hasDetails {
      var details = DetailReader(entry)
      while let timer = details.nextDisarmed() { disarmed[Int(timer)] = true }
    }
    if entry.verdict == .moved { follow(&lastMove, with: outcome) }
  }

  private mutating func noteMaking(_ entry: JournalEntry) {
    guard parameterSets.count < CoverageTally.mostParameterSets else { return }
    var values = kind.parameters.map(\.example)
    var details = DetailReader(entry)
    while let detail = details.next() {
      guard case .parameters(let given) = detail else { continue }
      for (parameter, value) in given { values[parameter] = value }
    }
    note(parameters: values)
  }

  private mutating func follow(_ lastMove: inout UInt16, with move: CoverageOutcome) {
    let number: UInt16
    if let known = numbers[move] {
      number = known
    } else if moves.count < Int(UInt16.max) {
      moves.append(move)
      number = UInt16(moves.count)
      numbers[move] = number
    } else {
      number = 0
    }
    // Where there are more than are told of, how many more does not matter.
    if lastMove != 0, number != 0, pairs.count <= Coverage.mostSwitches {
      pairs.insert(UInt32(lastMove) << 16 | UInt32(number))
    }
    lastMove = number
  }
}

/// What came of an input in a state; by places in the kind's lists.
package struct CoverageOutcome: Hashable, Sendable {
  package let from: Int
  package let trigger: GraphTrigger
  package let verdict: Verdict
  package let to: Int
}

/// What the expiries of a kind's timers count as: a timer that bears the name of an event is how the simulated
/// surroundings bring that event.
struct CoverageTriggers: Sendable {
  /// By the timers' places.
  let ofTimers: [GraphTrigger]

  init(of kind: Kind) {
    ofTimers = kind.timers.enumerated().map { place, timer in
      kind.events.firstIndex { $0.name == timer.name }.map(GraphTrigger.event) ?? .timer(place)
    }
  }
}
