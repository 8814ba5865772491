package import MachineGraphs
package import StateMachines

/// The possible behaviour of machines of one kind, as found by running the rule: the total for a coverage.
package struct CoverageScope: Sendable {
  /// The states by number. All states below are meant by these numbers.
  private(set) var known: StateNumbers
  /// Whether a state can be reached.
  package private(set) var states: [Bool]
  package private(set) var outcomes: Set<CoverageOutcome> = []
  /// Whether a timer ever runs.
  package private(set) var expires: [Bool]
  /// Whether a timer is ever disarmed.
  package private(set) var isDisarmed: [Bool]
  /// Whether everything was tried.
  package private(set) var isComplete = true

  private let triggers: CoverageTriggers

  /// An empty scope.
  package init(of kind: Kind) {
    triggers = CoverageTriggers(of: kind)
    known = StateNumbers(of: kind)
    states = Array(repeating: false, count: known.states.count)
    expires = Array(repeating: false, count: kind.timers.count)
    isDisarmed = expires
  }

  /// Adds what the document of a kind says. An arrow that trying has not found is not tried: it is no more impossible
  /// than the document says. Of the ways on from an arrow that trying has found, those count that it has found.
  mutating func addDocumented() {
    let moves = (known.kind.documentation?.moves() ?? []).compactMap { move in
      triggers.trigger(of: move).map { trigger in
        (move, CoverageOutcome(from: move.from, trigger: trigger, verdict: .moved, to: move.to))
      }
    }
    let found = Set(moves.filter { outcomes.contains($1) }.flatMap { $0.0.arrows })
    for (move, outcome) in moves {
      states[move.from] = true
      states[move.to] = true
      if let timer = move.timer { expires[timer] = true }
      if !found.isSuperset(of: move.arrows) { outcomes.insert(outcome) }
    }
  }

  /// The words of the states that can be reached.
  var words: Set<String> { Set(states.indices.filter { states[$0] }.map { known.states[$0].word }) }

  /// Takes states of machines apart into those of regions.
  mutating func split(by parts: CoverageParts) {
    (states, outcomes) = parts.split(states, outcomes, of: known)
    known = StateNumbers(of: known.kind, areListed: true)
  }

  /// Notes that what is possible was not tried.
  package mutating func leaveUnexplored() { isComplete = false }

  /// Adds the behaviour of machines with the parameters of a graph.
  ///
  /// - Parameter goesOn: Asked for each state. After it was false, the rest is left, and the scope has no use.
  /// - Complexity: O(states × inputs).
  package mutating func add(_ graph: StateGraph, while goesOn: () -> Bool = { true }) {
    if !graph.isComplete { isComplete = false }
    for (timer, facts) in graph.timers.enumerated() {
      if facts.runs { expires[timer] = true }
      if facts.isDisarmed { isDisarmed[timer] = true }
    }
    let numbers = self.numbers(of: graph.numbers)
    for state in graph.states.indices where goesOn() {
      if graph.reach(of: state) != .unreached { states[numbers[state]] = true }
      for input in graph.inputs.indices {
        let trigger: GraphTrigger =
          switch graph.inputs[input] {
          case .event(let event, _): .event(event)
          case .timer(let timer): triggers.ofTimers[timer]
          }
        for outcome in graph.outcomes(in: state, of: input) {
          outcomes.insert(
            CoverageOutcome(
              from: numbers[state], trigger: trigger, verdict: outcome.verdict, to: numbers[outcome.to]))
        }
      }
    }
  }

  /// This scope's numbers for the states of another numbering.
  private mutating func numbers(of other: StateNumbers) -> [Int] {
    let numbers = other.states.indices.map { known.number(of: $0, in: other) }
    states += Array(repeating: false, count: known.states.count - states.count)
    return numbers
  }

  /// Adds what was seen: it is possible, even if no trial found it. The tally gets this scope's numbers.
  mutating func add(_ tally: inout CoverageTally) {
    _ = numbers(of: tally.known)
    tally.renumber(as: known)
    outcomes.formUnion(tally.outcomes)
    for state in states.indices where tally.states[state] { states[state] = true }
    for timer in expires.indices {
      if tally.expired[timer] { expires[timer] = true }
      if tally.disarmed[timer] { isDisarmed[timer] = true }
    }
  }
}
