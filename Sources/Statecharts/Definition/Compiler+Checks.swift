// What is legal and surely wrong.

extension Compiler {
  mutating func check(_ place: Int) {
    checkReachability()
    for state in chart.states.indices { checkShadows(of: state) }
    checkEvents()
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
      let name = own.id ?? "the state"
      // The states within one that is not reached are not told of.
      if !entered.contains(state) {
        if entered.contains(Int(own.parent)) { warn(node, "nothing leads to \(name)") }
      } else if own.kind == .atomic, chart.states.count > 2 {
        var above = state
        while above > 0, !chart.states[above].transitions.contains(where: { leaves(Int($0)) }) {
          above = Int(chart.states[above].parent)
        }
        if above == 0 { warn(node, "nothing leads out of \(name); an end is a <final>") }
      }
    }
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
        warn(node, "the transition in line \(chart.transitions[Int(earlier)].line) is always taken before this one")
      }
    }
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
}
