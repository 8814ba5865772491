import StateMachines

extension Definition {
  /// The moves that a document without regions says, whether or not its guards are ever true: from each atomic state by
  /// each event that can be sent and each timer to the atomic states in which the machine may come to rest.
  ///
  /// States and events are the indices of a kind's lists.
  ///
  /// - Returns: None for a document with regions, with events that it raises itself, or with too many moves.
  /// - Complexity: O(states × transitions), bounded.
  func documentedMoves(_ program: ChartProgram) -> [DocumentedMove] {
    let chart = charts[0].chart
    guard !program.hasRegions, program.states.count <= Self.mostMoves / 2, chart.invokes.isEmpty, chart.histories == 0,
      !chart.raisesEvents
    else { return [] }
    var moves: [DocumentedMove] = []
    var open = chart.beginnings
    var seen = open
    while let leaf = open.popFirst() {
      func add(_ name: Int32, event: Int? = nil, timer: Int? = nil) {
        for target in chart.destinations(from: leaf, by: name) {
          moves.append(
            DocumentedMove(
              from: Int(program.places[leaf]), event: event, timer: timer, to: Int(program.places[target])))
          if seen.insert(target).inserted { open.insert(target) }
        }
      }
      for (place, event) in program.events.enumerated() { add(event.number, event: place) }
      for (place, name) in program.timers.enumerated() { add(chart.events.number(of: name), timer: place) }
      guard moves.count <= Self.mostMoves else { return [] }
    }
    return moves
  }

  private static var mostMoves: Int { 4_000 }
}

extension Chart {
  /// Whether content raises events, so that more can follow a move than its transition says.
  fileprivate var raisesEvents: Bool {
    instructions.contains { if case .raise = $0 { true } else { false } }
      || sends.contains { text(of: $0.target).map { $0 == "#_internal" } ?? true }
  }

  /// The atomic states that a machine may rest in when it is made.
  fileprivate var beginnings: Set<Int> {
    var rest: Set<Int> = []
    var seen: Set<Int> = []
    settle(0, &rest, &seen)
    return rest
  }

  /// The atomic states that a machine may rest in after an event.
  fileprivate func destinations(from leaf: Int, by event: Int32) -> Set<Int> {
    var rest: Set<Int> = []
    var seen: Set<Int> = []
    for transition in taken(from: leaf, { matches($0, event) }).transitions where !transition.targets.isEmpty {
      for target in transition.targets { settle(Int(targets[Int(target)]), &rest, &seen) }
    }
    return rest
  }

  /// The transitions that may be taken in an atomic state, up to the first without a guard, and whether there is one.
  private func taken(from leaf: Int, _ isMeant: (Transition) -> Bool) -> (transitions: [Transition], isSure: Bool) {
    var found: [Transition] = []
    var above = leaf
    while above >= 0 {
      for place in states[above].transitions {
        let transition = transitions[Int(place)]
        guard isMeant(transition) else { continue }
        found.append(transition)
        if transition.condition == Chart.none { return (found, true) }
      }
      above = Int(states[above].parent)
    }
    return (found, false)
  }

  /// Enters a state by default and takes what needs no event from outside.
  private func settle(_ state: Int, _ rest: inout Set<Int>, _ seen: inout Set<Int>) {
    guard seen.insert(state).inserted else { return }
    guard isAtomic(state) else {
      guard states[state].initial != Chart.none else { return }
      for target in transitions[Int(states[state].initial)].targets { settle(Int(targets[Int(target)]), &rest, &seen) }
      return
    }
    var (next, isSure) = taken(from: state) { $0.descriptors.isEmpty }
    let parent = Int(states[state].parent)
    if !isSure, states[state].kind == .final, parent > 0, let id = ids[parent] {
      let done = taken(from: state) { matches($0, events.number(of: "done.state.\(id)")) }
      next += done.transitions
      isSure = done.isSure
    }
    if !isSure { rest.insert(state) }
    for transition in next {
      for target in transition.targets { settle(Int(targets[Int(target)]), &rest, &seen) }
    }
  }
}
