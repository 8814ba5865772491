import MachineGraphs
import StateMachines

/// The states of a document's regions, by which its coverage counts: a state of a machine, several of which are active at
/// the same time, is taken apart into them.
struct CoverageParts {
  let regions: [DocumentedRegion]
  private let kind: Kind
  private let places: [String: Int]
  private var moves: [CoverageTriggered: [DocumentedMove]] = [:]

  /// `nil` for a kind that is no document with regions.
  init?(of kind: Kind, _ triggers: CoverageTriggers) {
    guard kind.hasStatesNamedByData, let documentation = kind.documentation else { return nil }
    self.kind = kind
    regions = documentation.regions()
    places = Dictionary(kind.states.enumerated().map { ($1.word, $0) }, uniquingKeysWith: { first, _ in first })
    for move in documentation.moves() {
      guard let trigger = triggers.trigger(of: move) else { continue }
      moves[CoverageTriggered(from: move.from, trigger: trigger), default: []].append(move)
    }
  }

  /// The places in the kind's list of the states in a word, by the numbers of words.
  func places(of numbers: StateNumbers) -> [[Int]] {
    numbers.states.map { state in state.word.split(separator: "+").compactMap { places[String($0)] } }
  }

  /// Whether these outcomes of one input in one state are what an arrow does that leads into several regions: they come
  /// together.
  func areTogether(_ outcomes: ArraySlice<CoverageOutcome>) -> Bool {
    guard let first = outcomes.first, outcomes.allSatisfy({ $0.verdict == .moved }) else { return false }
    let known = moves[CoverageTriggered(from: first.from, trigger: first.trigger)] ?? []
    let ways = Dictionary(grouping: known, by: \.arrows).values
    return ways.contains { way in Set(way.map(\.to)).isSuperset(of: outcomes.map(\.to)) }
  }

  /// Takes apart what machines were in and did, by the numbers of words.
  func split(
    _ states: [Bool], _ outcomes: Set<CoverageOutcome>, of numbers: StateNumbers
  ) -> (states: [Bool], outcomes: Set<CoverageOutcome>) {
    let places = places(of: numbers)
    var found = kind.states.map { _ in false }
    for (number, isReached) in states.enumerated() where isReached {
      for place in places[number] { found[place] = true }
    }
    return (found, Set(outcomes.flatMap { self.outcomes(of: $0, places) }))
  }

  /// What an outcome is to each of the states in which the machine was.
  ///
  /// The journal does not have which transitions were taken. These are all that the document has between the states before
  /// and after; a transition from a state to itself counts if it has no guard, or if nothing else moved.
  ///
  /// - Parameter places: The places of states in the kind's list, by the numbers that the outcome has.
  func outcomes(of outcome: CoverageOutcome, _ places: [[Int]]) -> [CoverageOutcome] {
    let (trigger, verdict) = (outcome.trigger, outcome.verdict)
    let (before, after) = (places[outcome.from], places[outcome.to])
    var outcomes: [CoverageOutcome] = []
    var come = Set(after).subtracting(before)
    var gone: [Int] = []
    for from in before {
      let known = moves[CoverageTriggered(from: from, trigger: trigger)] ?? []
      var targets: Set<Int> = []
      if verdict == .moved {
        for move in known where after.contains(move.to) && (move.to != from || move.isSure || before == after) {
          targets.insert(move.to)
        }
      }
      outcomes += targets.map { CoverageOutcome(from: from, trigger: trigger, verdict: .moved, to: $0) }
      guard targets.isEmpty else { continue }
      if after.contains(from) {
        // What has no way out by this input has one outcome, whatever the other regions do.
        outcomes.append(
          CoverageOutcome(
            from: from, trigger: trigger, verdict: known.isEmpty || verdict == .moved ? .ignored : verdict, to: from))
      } else {
        gone.append(from)
      }
    }
    for outcome in outcomes where outcome.verdict == .moved { come.remove(outcome.to) }
    // What the document says of no move of these: a history or an event that was raised has led on, in the same region.
    for from in gone {
      let region = regions.last { $0.states.contains(from) && !come.isDisjoint(with: $0.states) }
      let ends = region.map { come.intersection($0.states) } ?? come
      outcomes += ends.map { CoverageOutcome(from: from, trigger: trigger, verdict: .moved, to: $0) }
      // It was left by a transition of another region.
      if ends.isEmpty { outcomes.append(CoverageOutcome(from: from, trigger: trigger, verdict: .ignored, to: from)) }
    }
    return outcomes
  }
}

/// An input in a state, by index in the kind's lists.
private struct CoverageTriggered: Hashable {
  let from: Int
  let trigger: GraphTrigger
}
