// What is legal and surely wrong.

extension Compiler {
  mutating func check(_ place: Int) {
    checkReachability()
    for state in chart.states.indices { checkShadows(of: state) }
    checkCircles()
    checkEvents()
    checkReferences()
  }

  /// Warns of states that nothing leads to, and of those that nothing leads out of.
  private mutating func checkReachability() {
    var entered = StateSet()
    // Those whose default is entered, too.
    var byDefault = StateSet()
    var open: [(state: Int, byDefault: Bool)] = [(0, true)]
    while let (state, isDefault) = open.popLast() {
      if isDefault ? byDefault.contains(state) : entered.contains(state) { continue }
      let isNew = !entered.contains(state)
      entered.insert(state)
      if isDefault { byDefault.insert(state) }
      let own = chart.states[state]
      if isNew {
        if own.parent != Chart.none { open.append((Int(own.parent), false)) }
        if own.kind == .parallel { open += chart.children(of: state).filter { !isHistory($0) }.map { ($0, true) } }
        for transition in own.transitions { open += targetStates(of: Int(transition)) }
      }
      if isDefault, own.initial != Chart.none { open += targetStates(of: Int(own.initial)) }
    }
    for state in chart.states.indices.dropFirst() {
      let (own, node) = (chart.states[state], nodeOfState[state])
      let name = chart.ids[state] ?? "the state"
      // The states within one that is not reached are not told of.
      if !entered.contains(state) {
        if entered.contains(Int(own.parent)) { warn(node, "nothing leads to \(name)") }
      } else if own.kind == .atomic, chart.states.count > 2 {
        var above = state
        while above > 0, !chart.states[above].transitions.contains(where: { leaves(Int($0)) }) {
          above = Int(chart.states[above].parent)
        }
        if above == 0 {
          // In a diagram a misspelled name is another state.
          let meant = document.isDiagram && isTelling ? Spelling.suggestion(for: name, in: otherNames(than: name)) : ""
          let end = document.isDiagram ? "\(name) --> [*]" : "a <final>"
          warn(node, "nothing leads out of \(name)\(meant.isEmpty ? "; an end is \(end)" : meant)")
        }
      }
    }
  }

  private func otherNames(than name: String) -> [String] {
    chart.ids.prefix(2_000).compactMap { $0 == name ? nil : $0 }
  }

  private func leaves(_ transition: Int) -> Bool { !chart.transitions[transition].targets.isEmpty }

  private func targetStates(of transition: Int) -> [(state: Int, byDefault: Bool)] {
    chart.transitions[transition].targets.map { (Int(chart.targets[Int($0)]), true) }
  }

  /// Warns of transitions that an earlier one of the same state is always taken before.
  private mutating func checkShadows(of state: Int) {
    let range = chart.states[state].transitions
    // The earlier ones are compared with all; long lists would take a time of their own.
    guard range.count <= 200 else { return }
    for later in range {
      let descriptors = chart.transitions[Int(later)].descriptors
      let earlier = range.prefix { $0 < later }.first { earlier in
        let transition = chart.transitions[Int(earlier)]
        guard transition.condition == Chart.none, transition.descriptors.isEmpty == descriptors.isEmpty else {
          return false
        }
        return descriptors.allSatisfy { descriptor in
          transition.descriptors.contains { covers(chart.descriptors[Int($0)], chart.descriptors[Int(descriptor)]) }
        }
      }
      if let earlier, let node = nodeOfTransition[Int(later)] {
        let reason = descriptors.isEmpty ? ": it has no event, so it is taken at once" : ""
        warn(
          node,
          "the transition in line \(chart.transitions[Int(earlier)].line) is always taken before this one\(reason)")
      }
    }
  }

  /// Warns of atomic states that lead to each other in a circle, with neither events nor conditions.
  private mutating func checkCircles() {
    /// The round in which a state was looked at.
    var seen = [Int](repeating: -1, count: chart.states.count)
    for start in chart.states.indices where seen[start] < 0 {
      var state = start
      while seen[state] < 0, let next = successor(of: state) {
        seen[state] = start
        state = Int(chart.targets[Int(chart.transitions[next].targets.lowerBound)])
      }
      // That a state leads to itself is told with the transition.
      if seen[state] == start, let last = successor(of: state), let node = nodeOfTransition[last],
        chart.targets[Int(chart.transitions[last].targets.lowerBound)] != Chart.Index(state)
      {
        warn(node, "this leads round and round for ever: the states of the circle have neither events nor conditions")
      }
    }
  }

  /// The transition that an atomic state is left by as soon as it is entered; `nil` if that depends on something.
  private func successor(of state: Int) -> Int? {
    guard chart.isAtomic(state) else { return nil }
    let first = chart.states[state].transitions.first { chart.transitions[Int($0)].descriptors.isEmpty }
    guard let first, chart.transitions[Int(first)].condition == Chart.none,
      chart.transitions[Int(first)].targets.count == 1
    else { return nil }
    var above = Int(chart.states[state].parent)
    while above >= 0 {
      if chart.states[above].kind == .parallel { return nil }
      above = Int(chart.states[above].parent)
    }
    return Int(first)
  }

  private func covers(_ wide: EventNames.Descriptor, _ narrow: EventNames.Descriptor) -> Bool {
    switch narrow {
    case .any: wide == .any
    case .name(let number): chart.events.matches(number, wide)
    }
  }

  /// Warns of events that are raised and that no transition awaits.
  private mutating func checkEvents() {
    var told: Set<Chart.Index> = []
    // Each event is compared with all transitions.
    guard nodesOfRaises.count < 1_000 else { return }
    for (event, node) in nodesOfRaises where told.insert(event).inserted {
      if !chart.transitions.contains(where: { chart.matches($0, event) }) {
        warn(node, "no transition awaits \(chart.events.names[Int(event)])", attribute: "event")
      }
    }
  }

  /// Warns of variables that nothing declares, of states that `In` asks for in vain, and of ends that never come.
  private mutating func checkReferences() {
    let declared = references.declared.map { chart.symbols.names[$0] }.sorted()
    for (slot, position) in references.uses.sorted(by: { $0.key < $1.key }) where !references.declared.contains(slot) {
      guard isTelling else { return }
      let name = chart.symbols.names[slot]
      let meant = Spelling.suggestion(for: name, in: declared)
      let how = document.isDiagram ? "write %% data \(name) = …" : "write <data id=\"\(name)\"/> in the <datamodel>"
      note(.warning, at: position, "nothing declares \(name)\(meant.isEmpty ? "; \(how)" : meant)")
    }
    for (id, position) in references.states where chart.stateNumbers[id] == nil {
      guard isTelling else { return }
      let meant = Spelling.suggestion(for: id, in: chart.stateNumbers.keys.sorted())
      note(.warning, at: position, "In('\(id)') is never true: there is no state \(id)\(meant)")
    }
    let prefix = "done.state."
    for (number, node) in nodeOfTransition.sorted(by: { $0.key < $1.key }) {
      for place in chart.transitions[number].descriptors {
        guard case .name(let event) = chart.descriptors[Int(place)] else { continue }
        let name = chart.events.names[Int(event)]
        guard name.hasPrefix(prefix), let state = chart.stateNumbers[String(name.dropFirst(prefix.count))] else {
          continue
        }
        let children = chart.children(of: state)
        if chart.states[state].kind != .parallel, !children.contains(where: { chart.states[$0].kind == .final }) {
          warn(node, "\(name) never comes: the state has no end in it", attribute: "event")
        }
      }
    }
  }
}
