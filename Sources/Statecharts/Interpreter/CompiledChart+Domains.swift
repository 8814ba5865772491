// What a transition leaves, which can depend on what histories hold.

extension CompiledChart {
  /// The state whose descendants a transition leaves; `nil` if it leaves none.
  @inline(__always)
  func domain(of transition: Chart.Index, _ histories: [StateSet]) -> Int? {
    switch chart.transitions[Int(transition)].domain {
    case .none: return nil
    case .state(let state): return Int(state)
    case .byHistory:
      let transition = chart.transitions[Int(transition)]
      return chart.domain(of: transition, targets: effectiveTargets(of: transition, histories))
    }
  }

  /// The targets, with what a history holds in its place.
  func effectiveTargets(of transition: Chart.Transition, _ histories: [StateSet]) -> StateSet {
    var states = StateSet()
    for place in transition.targets {
      let target = Int(chart.targets[Int(place)])
      let history = chart.states[target].history
      if history == Chart.none {
        states.insert(target)
      } else if let held = held(history, histories) {
        for state in held { states.insert(state) }
      } else {
        let initial = chart.transitions[Int(chart.states[target].initial)]
        for place in initial.targets { states.insert(Int(chart.targets[Int(place)])) }
      }
    }
    return states
  }

  /// What a history remembers, if anything.
  func held(_ history: Chart.Index, _ histories: [StateSet]) -> StateSet? {
    guard Int(history) < histories.count, !histories[Int(history)].isEmpty else { return nil }
    return histories[Int(history)]
  }
}
