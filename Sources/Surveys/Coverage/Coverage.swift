package import MachineGraphs
package import StateMachines

/// How much of a kind's possible behaviour its machines have shown, and what is missing.
///
/// Impossible behaviour does not count as missing: states that cannot be reached, and events that cannot come in a
/// state because it does not last. ``unreachable`` and ``impossible`` count these.
package struct Coverage: Sendable {
  package struct Figure: Hashable, Sendable {
    package var covered = 0
    package var all = 0

    fileprivate mutating func add(_ isCovered: Bool) {
      all += 1
      if isCovered { covered += 1 }
    }
  }

  /// The states of one of several orthogonal regions.
  package struct Region: Hashable, Sendable {
    package let name: String
    package let states: Figure
  }

  package enum Untried: Hashable, Sendable {
    /// A state of a region, in any combination with states of other regions.
    case part(region: String, state: String)
    case state(Int)
    /// A move between two states.
    case transition(CoverageOutcome)
    /// An event in a state, with any outcome.
    case pair(state: Int, event: Int)
    case expiry(timer: Int)
    case disarming(timer: Int)
    /// An input in a state with several possible outcomes, and those still missing.
    case choice(state: Int, GraphTrigger, lacking: [CoverageOutcome])
    /// Two moves, one after the other.
    case pairOfTransitions(CoverageOutcome, CoverageOutcome)
  }

  package let kind: Kind
  /// The states by number: the kind's list, or those found or seen where states are named by their data. Of a document
  /// with regions it is the list, and what a machine does counts for each of the states that are active.
  package let allStates: [StateEntry]
  package let machines: Int
  package private(set) var states = Figure()
  /// Moves: from a state by an input to a state, by their names.
  package private(set) var transitions = Figure()
  /// States times events.
  package private(set) var pairs = Figure()
  /// Timers that have expired.
  package private(set) var timers = Figure()
  /// Timers that were disarmed.
  package private(set) var disarmed = Figure()
  /// Pairs of state and input with several possible outcomes: those for which all have occurred.
  package private(set) var guards = Figure()
  /// Pairs of transitions where the second begins in the state that the first ends in; nil if there are more than
  /// ``mostSwitches``.
  package private(set) var switches: Figure?
  /// States that combine states of regions; nil if the kind has no regions.
  package private(set) var combinations: Figure?
  package private(set) var regions: [Region] = []
  package private(set) var unreachable = 0
  package private(set) var impossible = 0
  /// Whether all possible behaviour was found.
  package let isComplete: Bool
  /// In the order of the cases of ``Untried``, then of the kind's lists.
  package private(set) var untried: [Untried] = []
  /// What was tried, in the same order, if it is wanted. A choice in it lacks nothing.
  package private(set) var tried: [Untried] = []
  private let listsTried: Bool

  /// With more pairs of transitions than this, covering all of them is not a realistic goal.
  package static let mostSwitches = 1_000

  /// - Parameters:
  ///   - listsTried: Whether ``tried`` is wanted.
  ///   - goesOn: Asked from time to time. After it was false, the coverage means nothing.
  /// - Complexity: O(*n* log *n*) in the outcomes.
  package init(
    _ tally: CoverageTally, of scope: CoverageScope, listsTried: Bool = false, while goesOn: () -> Bool = { true }
  ) {
    self.listsTried = listsTried
    var scope = scope
    var tally = tally
    kind = tally.kind
    machines = tally.machines
    isComplete = scope.isComplete
    let parts = CoverageParts(of: kind, tally.triggers)
    if let parts {
      let words = tally.words
      combinations = Figure(covered: words.count, all: words.union(scope.words).count)
      scope.split(by: parts)
      tally.split(by: parts)
    }
    scope.addDocumented()
    scope.add(&tally)
    allStates = scope.known.states
    if let parts {
      regions = parts.regions.map { region in
        var figure = Figure()
        for state in region.states where scope.states[state] { figure.add(tally.states[state]) }
        return Region(name: region.name, states: figure)
      }
    } else {
      countRegions(tally, scope, while: goesOn)
    }
    guard goesOn() else { return }
    countStates(tally, scope)
    let outcomes = scope.outcomes.sorted(by: Coverage.isBefore)
    let moves = outcomes.filter { $0.verdict == .moved }
    for move in moves where goesOn() {
      transitions.add(tally.outcomes.contains(move))
      list(.transition(move), tally.outcomes.contains(move))
    }
    countPairs(tally, scope, while: goesOn)
    for timer in kind.timers.indices {
      if scope.expires[timer] {
        timers.add(tally.expired[timer])
        list(.expiry(timer: timer), tally.expired[timer])
      }
      if scope.isDisarmed[timer] {
        disarmed.add(tally.disarmed[timer])
        list(.disarming(timer: timer), tally.disarmed[timer])
      }
    }
    countGuards(tally, outcomes, parts)
    countSwitches(tally, moves)
  }

  private mutating func list(_ what: @autoclosure () -> Untried, _ isCovered: Bool) {
    if !isCovered {
      untried.append(what())
    } else if listsTried {
      tried.append(what())
    }
  }

  private mutating func countStates(_ tally: CoverageTally, _ scope: CoverageScope) {
    for state in allStates.indices {
      guard scope.states[state] else {
        unreachable += 1
        continue
      }
      states.add(tally.states[state])
      list(.state(state), tally.states[state])
    }
  }

  private mutating func countRegions(
    _ tally: CoverageTally, _ scope: CoverageScope, while goesOn: () -> Bool
  ) {
    if kind.hasStatesNamedByData, kind.regions == nil { return }
    let parts = allStates.map { $0.word.split(separator: "+").map(String.init) }
    let count = kind.regions?.names.count ?? parts.map(\.count).max() ?? 1
    guard count > 1 else { return }
    var combinations = Figure()
    for state in allStates.indices where parts[state].count == count && scope.states[state] {
      combinations.add(tally.states[state])
    }
    self.combinations = combinations
    for region in 0..<count where goesOn() {
      let name = kind.regions?.names[region] ?? "\(region + 1)"
      // In order of first appearance in the list.
      var seen: [(part: String, isCovered: Bool)] = []
      var places: [String: Int] = [:]
      for state in allStates.indices where parts[state].count == count && scope.states[state] {
        let part = parts[state][region]
        if let place = places[part] {
          if tally.states[state] { seen[place].isCovered = true }
        } else {
          places[part] = seen.count
          seen.append((part, tally.states[state]))
        }
      }
      var figure = Figure()
      for (part, isCovered) in seen {
        figure.add(isCovered)
        list(.part(region: name, state: part), isCovered)
      }
      regions.append(Region(name: name, states: figure))
    }
  }

  private mutating func countPairs(_ tally: CoverageTally, _ scope: CoverageScope, while goesOn: () -> Bool) {
    func pairs(_ outcomes: Set<CoverageOutcome>) -> Set<Int> {
      var pairs: Set<Int> = []
      for outcome in outcomes {
        if case .event(let event) = outcome.trigger { pairs.insert(outcome.from * kind.events.count + event) }
      }
      return pairs
    }
    let tried = pairs(tally.outcomes)
    var possible = pairs(scope.outcomes)
    if kind.documentation != nil {
      // Every event can come in a state in which a machine rests, whether or not trying has led to it.
      for state in allStates.indices where scope.states[state] && goesOn() {
        for event in kind.events.indices where event != kind.otherEvents?.place {
          possible.insert(state * kind.events.count + event)
        }
      }
    }
    impossible = allStates.count * kind.events.count - possible.count
    for pair in possible.sorted() where goesOn() {
      self.pairs.add(tried.contains(pair))
      let (state, event) = pair.quotientAndRemainder(dividingBy: kind.events.count)
      list(.pair(state: state, event: event), tried.contains(pair))
    }
  }

  private mutating func countGuards(_ tally: CoverageTally, _ outcomes: [CoverageOutcome], _ parts: CoverageParts?) {
    var first = 0
    while first < outcomes.count {
      let (state, trigger) = (outcomes[first].from, outcomes[first].trigger)
      let end = outcomes[first...].firstIndex { $0.from != state || $0.trigger != trigger } ?? outcomes.count
      if end - first > 1, parts?.areTogether(outcomes[first..<end]) != true {
        let lacking = outcomes[first..<end].filter { !tally.outcomes.contains($0) }
        guards.add(lacking.isEmpty)
        list(.choice(state: state, trigger, lacking: lacking), lacking.isEmpty)
      }
      first = end
    }
  }

  private mutating func countSwitches(_ tally: CoverageTally, _ moves: [CoverageOutcome]) {
    var following: [Int: [CoverageOutcome]] = [:]
    for move in moves { following[move.from, default: []].append(move) }
    var all = 0
    for move in moves { all += following[move.to]?.count ?? 0 }
    guard all <= Coverage.mostSwitches else { return }
    var tried: [CoverageOutcome: Set<CoverageOutcome>] = [:]
    for (first, second) in tally.switches { tried[first, default: []].insert(second) }
    var figure = Figure()
    for first in moves {
      for second in following[first.to] ?? [] {
        let isCovered = tried[first]?.contains(second) ?? false
        figure.add(isCovered)
        list(.pairOfTransitions(first, second), isCovered)
      }
    }
    switches = figure
  }

  /// By state, then by event, then by timer, then by outcome.
  private static func isBefore(_ left: CoverageOutcome, _ right: CoverageOutcome) -> Bool {
    func key(_ outcome: CoverageOutcome) -> (Int, Int, Int, UInt8, Int) {
      switch outcome.trigger {
      case .event(let event): (outcome.from, 0, event, outcome.verdict.rawValue, outcome.to)
      case .timer(let timer): (outcome.from, 1, timer, outcome.verdict.rawValue, outcome.to)
      }
    }
    return key(left) < key(right)
  }
}
