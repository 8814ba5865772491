import StateMachines

/// One outcome of an input in a state, seen from one region of the machine (the only one, if it has no regions).
struct DrawingRow {
  let state: Int
  /// Index of the input in the graph's list.
  let input: Int
  let guards: [GraphGuard]
  /// What happens in this region; `nil` if it happens in others.
  let reaction: Reaction?

  struct Reaction: Hashable {
    let effect: Verdict
    /// A place in the outline's nodes.
    let to: Int
    let outputs: [Int]
    /// Whether it is refused since it goes over a limit.
    var isOverLimit = false
  }
}

/// Distributes what inputs do over the regions of a machine.
///
/// A region has what changes it, and the outputs that come with its changes. What concerns the machine as a whole (what
/// leaves the composite state, what is handled, ignored or refused within it) goes to the region whose state decides it.
struct RegionShares {
  let graph: StateGraph
  let outline: Outline
  /// Whether the states in which the regions are entered are left away.
  let isPlain: Bool
  /// See ``Drawing/goesOn``.
  let goesOn: @Sendable () -> Bool

  /// The rows of one leaf, and what would happen in it now to the machine that is marked.
  struct Share {
    let leaf: Int
    var rows: [DrawingRow]
    var present: [DrawingRow] = []
  }

  /// The rows of an input's trigger, by the leaf that they leave and in the order of the states.
  ///
  /// - Parameters:
  ///   - state: The state of the machine that is marked.
  ///   - present: The outcomes that inputs have in it now.
  func rows(of inputs: Range<Int>, in state: Int? = nil, present: [(input: Int, effect: Effect)] = []) -> [Share] {
    var facts: [(state: Int, input: Int, outcome: GraphOutcome)] = []
    for state in graph.states.indices where graph.reach(of: state) != .unreached {
      for input in inputs {
        for outcome in graph.outcomes(in: state, of: input) { facts.append((state, input, outcome)) }
      }
    }
    let home = homeRegion(of: facts.map { ($0.state, $0.outcome) })
    let owners = owners(facts.map { ($0.state, $0.outcome) }, home)
    var shares: [Share] = []
    var places: [Int: Int] = [:]
    for fact in facts where goesOn() {
      for (region, leaf) in outline.leaves[fact.state].enumerated() {
        let row = DrawingRow(
          state: fact.state, input: fact.input, guards: fact.outcome.guards,
          reaction: reaction(Effect(fact.outcome), from: fact.state, region, home, owners))
        if let place = places[leaf] {
          shares[place].rows.append(row)
        } else {
          places[leaf] = shares.count
          shares.append(Share(leaf: leaf, rows: [row]))
        }
      }
    }
    guard let state else { return shares }
    for (region, leaf) in outline.leaves[state].enumerated() {
      guard let place = places[leaf] else { continue }
      shares[place].present = present.map { input, effect in
        DrawingRow(
          state: state, input: input, guards: [], reaction: reaction(effect, from: state, region, home, owners))
      }
    }
    return shares
  }

  /// What an input does to a machine as a whole.
  struct Effect {
    let verdict: Verdict
    let to: Int
    let outputs: [Int]
    var isOverLimit = false

    init(verdict: Verdict, to: Int, outputs: [Int]) {
      (self.verdict, self.to, self.outputs) = (verdict, to, outputs)
    }

    init(_ outcome: GraphOutcome) {
      self.init(verdict: outcome.verdict, to: outcome.to, outputs: outcome.outputs)
      isOverLimit = outcome.limit != nil
    }
  }

  private func isSplit(_ state: Int) -> Bool { outline.leaves[state].count > 1 }

  private func reaction(
    _ outcome: Effect, from state: Int, _ region: Int, _ home: Int, _ owners: [Int: Int]
  ) -> DrawingRow.Reaction? {
    let (from, to) = (outline.leaves[state], outline.leaves[outcome.to])
    guard isSplit(state) else {
      return DrawingRow.Reaction(
        effect: outcome.verdict, to: entry(to), outputs: outcome.outputs, isOverLimit: outcome.isOverLimit)
    }
    let outputs = outcome.outputs.filter { (owners[$0] ?? home) == region }
    if isSplit(outcome.to), from[region] != to[region] {
      return DrawingRow.Reaction(effect: .moved, to: to[region], outputs: outputs)
    }
    if !isSplit(outcome.to) {
      return region == home ? DrawingRow.Reaction(effect: .moved, to: to[0], outputs: outcome.outputs) : nil
    }
    let isElsewhere = from != to
    if isElsewhere {
      return outputs.isEmpty ? nil : DrawingRow.Reaction(effect: .stayed, to: from[region], outputs: outputs)
    }
    guard region == home else {
      return outputs.isEmpty ? nil : DrawingRow.Reaction(effect: .stayed, to: from[region], outputs: outputs)
    }
    return DrawingRow.Reaction(
      effect: outcome.verdict, to: from[region], outputs: outputs, isOverLimit: outcome.isOverLimit)
  }

  /// The composite when all its regions are entered at their first states, else the first other state.
  private func entry(_ leaves: [Int]) -> Int {
    guard leaves.count > 1, let composite = outline.composite else { return leaves[0] }
    return isPlain ? composite : leaves.first { !outline.isInitial($0) } ?? composite
  }

  /// The region whose state decides best what the trigger does to the machine as a whole.
  private func homeRegion(of facts: [(state: Int, outcome: GraphOutcome)]) -> Int {
    let whole = facts.filter { isSplit($0.state) }
    guard !whole.isEmpty, outline.regions.count > 1 else { return 0 }
    struct Reaction: Hashable {
      let verdict: Verdict
      let target: Int
    }
    func undecided(_ region: Int) -> Int {
      guard goesOn() else { return 0 }
      var byLeaf: [Int: [Reaction: Set<Int>]] = [:]
      for (state, outcome) in whole {
        let changes = isSplit(outcome.to) && outline.leaves[state] != outline.leaves[outcome.to]
        let isOwn = changes && outline.leaves[state][region] != outline.leaves[outcome.to][region]
        // Another region's change is decided there.
        if changes && !isOwn { continue }
        let reaction = Reaction(verdict: outcome.verdict, target: isSplit(outcome.to) ? -1 : outcome.to)
        byLeaf[outline.leaves[state][region], default: [:]][reaction, default: []].insert(state)
      }
      return byLeaf.values.reduce(0) { $0 + $1.count - 1 }
    }
    func changes(_ region: Int) -> Int {
      whole.count {
        isSplit($0.outcome.to) && outline.leaves[$0.state][region] != outline.leaves[$0.outcome.to][region]
      }
    }
    return outline.regions.indices.min {
      (undecided($0), -changes($0), $0) < (undecided($1), -changes($1), $1)
    } ?? 0
  }

  /// For each output the region whose changes decide best whether it is emitted.
  ///
  /// - Complexity: O(*facts* × *regions*), and once more for each output of a fact.
  private func owners(_ facts: [(state: Int, outcome: GraphOutcome)], _ home: Int) -> [Int: Int] {
    guard facts.contains(where: { !$0.outcome.outputs.isEmpty }) else { return [:] }
    let inside = facts.filter { isSplit($0.state) && isSplit($0.outcome.to) }
    struct Change: Hashable {
      let from: Int
      let to: Int
    }
    // A change that comes sometimes with the output and sometimes without it decides wrongly in the rarer cases.
    var mistakes: [Int: [Int]] = [:]
    for region in outline.regions.indices where goesOn() {
      var counts: [Change: Int] = [:]
      var with: [Int: [Change: Int]] = [:]
      for (state, outcome) in inside {
        let change = Change(from: outline.leaves[state][region], to: outline.leaves[outcome.to][region])
        counts[change, default: 0] += 1
        for output in Set(outcome.outputs) { with[output, default: [:]][change, default: 0] += 1 }
      }
      for (output, changes) in with {
        let wrong = changes.reduce(0) { $0 + min($1.value, (counts[$1.key] ?? 0) - $1.value) }
        mistakes[output, default: []].append(wrong)
      }
    }
    return Dictionary(
      uniqueKeysWithValues: Set(facts.flatMap(\.outcome.outputs)).map { output in
        // One that comes only from outside the regions, or leads out of them, is nowhere a mistake.
        let wrong = mistakes[output] ?? outline.regions.map { _ in 0 }
        let region = wrong.indices.min { (wrong[$0], $0 == home ? 0 : 1, $0) < (wrong[$1], $1 == home ? 0 : 1, $1) }
        return (output, region ?? home)
      })
  }
}
