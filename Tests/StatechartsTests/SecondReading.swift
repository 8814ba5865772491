/// The algorithm of the Recommendation's appendix D once more, slow and plain: sets of numbers, no index, no shortcut.
/// It shares nothing with the interpreter.
struct SecondReading {
  let chart: RandomChart
  private(set) var configuration: Set<Int> = []
  private(set) var logs: [String] = []
  private(set) var isRunning = true
  private(set) var count = 0
  /// Microsteps that are left; a chart that needs more is given up.
  private(set) var patience = 300
  private var histories: [Int: Set<Int>] = [:]
  private var queue: [String] = []

  init(_ chart: RandomChart) {
    self.chart = chart
    enter([RandomChart.Transition(source: 0, targets: chart.states[0].initial)])
    macrostep()
  }

  var isGivenUp: Bool { patience <= 0 }

  var atomic: Set<Int> {
    configuration.filter { chart.states[$0].kind == .atomic || chart.states[$0].kind == .final }
  }

  mutating func send(_ event: String) {
    guard isRunning else { return }
    let enabled = select(event)
    if !enabled.isEmpty { microstep(enabled) }
    macrostep()
  }

  private mutating func macrostep() {
    while isRunning, !isGivenUp {
      var enabled = select(nil)
      if enabled.isEmpty {
        if queue.isEmpty { return }
        enabled = select(queue.removeFirst())
      }
      if !enabled.isEmpty { microstep(enabled) }
    }
    if !isRunning {
      for state in configuration.sorted().reversed() {
        chart.states[state].exit.forEach { run($0) }
        configuration.remove(state)
      }
    }
  }

  private mutating func microstep(_ enabled: [RandomChart.Transition]) {
    patience -= 1
    let exits = exitSet(enabled)
    for state in exits {
      for history in chart.states[state].children where chart.isHistory(history) {
        histories[history] = configuration.filter { active in
          chart.states[history].kind == .deepHistory
            ? atomic.contains(active) && isDescendant(active, state) : chart.states[active].parent == state
        }
      }
    }
    for state in exits.sorted().reversed() {
      chart.states[state].exit.forEach { run($0) }
      configuration.remove(state)
    }
    for transition in enabled { run(transition.actions) }
    enter(enabled)
  }

  // MARK: Selection

  private func matches(_ transition: RandomChart.Transition, _ event: String?) -> Bool {
    guard let event else { return transition.event == nil }
    guard let descriptors = transition.event else { return false }
    return descriptors.split(separator: " ").contains { $0 == "*" || event == $0 || event.hasPrefix($0 + ".") }
  }

  private func holds(_ condition: RandomChart.Condition) -> Bool {
    switch condition {
    case .none: true
    case .active(let state): configuration.contains(state)
    case .even: count % 2 == 0
    case .below(let bound): count < bound
    }
  }

  private func select(_ event: String?) -> [RandomChart.Transition] {
    var enabled: [(transition: RandomChart.Transition, key: [Int])] = []
    for state in atomic.sorted() {
      search: for above in [state] + chart.ancestors(of: state) {
        for (place, transition) in chart.states[above].transitions.enumerated()
        where matches(transition, event) && holds(transition.condition) {
          if !enabled.contains(where: { $0.key == [above, place] }) { enabled.append((transition, [above, place])) }
          break search
        }
      }
    }
    var filtered: [RandomChart.Transition] = []
    for (first, _) in enabled {
      var isPreempted = false
      var removed: [Int] = []
      for (place, second) in filtered.enumerated()
      where !exitSet([first]).isDisjoint(with: exitSet([second])) {
        if isDescendant(first.source, second.source) {
          removed.append(place)
        } else {
          isPreempted = true
          break
        }
      }
      if isPreempted { continue }
      filtered = filtered.enumerated().filter { !removed.contains($0.offset) }.map(\.element) + [first]
    }
    return filtered
  }

  private func isDescendant(_ state: Int, _ ancestor: Int) -> Bool { chart.ancestors(of: state).contains(ancestor) }

  private func effectiveTargets(_ transition: RandomChart.Transition) -> Set<Int> {
    var targets: Set<Int> = []
    for target in transition.targets {
      if chart.isHistory(target) {
        targets.formUnion(histories[target] ?? Set(chart.states[target].initial))
      } else {
        targets.insert(target)
      }
    }
    return targets
  }

  private func domain(_ transition: RandomChart.Transition) -> Int? {
    let targets = effectiveTargets(transition)
    if targets.isEmpty { return nil }
    let source = transition.source
    if transition.isInternal, chart.states[source].kind == .compound,
      targets.allSatisfy({ isDescendant($0, source) })
    {
      return source
    }
    return chart.ancestors(of: source).first { ancestor in
      chart.states[ancestor].kind == .compound && targets.allSatisfy { isDescendant($0, ancestor) }
    }
  }

  private func exitSet(_ transitions: [RandomChart.Transition]) -> Set<Int> {
    var exits: Set<Int> = []
    for transition in transitions {
      guard let domain = domain(transition) else { continue }
      exits.formUnion(configuration.filter { isDescendant($0, domain) })
    }
    return exits
  }

  // MARK: Entering

  private struct Entry {
    var states: Set<Int> = []
    var byDefault: Set<Int> = []
    var histories: [Int: Int] = [:]
  }

  private mutating func enter(_ transitions: [RandomChart.Transition]) {
    var entry = Entry()
    for transition in transitions {
      for target in transition.targets { addDescendants(target, &entry) }
      let ancestor = transition.source == 0 ? 0 : domain(transition)
      for state in effectiveTargets(transition) { addAncestors(state, ancestor, &entry) }
    }
    for state in entry.states.sorted() {
      configuration.insert(state)
      chart.states[state].entry.forEach { run($0) }
      if entry.byDefault.contains(state) { run(chart.states[state].initialActions) }
      if let history = entry.histories[state] { run(chart.states[history].initialActions) }
      guard chart.states[state].kind == .final else { continue }
      let parent = chart.states[state].parent
      if parent == 0 {
        isRunning = false
        continue
      }
      queue.append("done.state.\(chart.states[parent].id)")
      let above = chart.states[parent].parent
      if above > 0, chart.states[above].kind == .parallel, isInFinalState(above) {
        queue.append("done.state.\(chart.states[above].id)")
      }
    }
  }

  private func isInFinalState(_ state: Int) -> Bool {
    let children = chart.states[state].children.filter { !chart.isHistory($0) }
    switch chart.states[state].kind {
    case .compound: return children.contains { chart.states[$0].kind == .final && configuration.contains($0) }
    case .parallel: return children.allSatisfy(isInFinalState)
    case .atomic, .final, .shallowHistory, .deepHistory: return false
    }
  }

  private func addDescendants(_ state: Int, _ entry: inout Entry) {
    if chart.isHistory(state) {
      let parent = chart.states[state].parent
      if histories[state] == nil { entry.histories[parent] = state }
      let targets = histories[state] ?? Set(chart.states[state].initial)
      for target in targets { addDescendants(target, &entry) }
      for target in targets { addAncestors(target, parent, &entry) }
      return
    }
    entry.states.insert(state)
    switch chart.states[state].kind {
    case .compound:
      entry.byDefault.insert(state)
      for target in chart.states[state].initial { addDescendants(target, &entry) }
      for target in chart.states[state].initial { addAncestors(target, state, &entry) }
    case .parallel: addRegions(state, &entry)
    case .atomic, .final, .shallowHistory, .deepHistory: break
    }
  }

  private func addRegions(_ state: Int, _ entry: inout Entry) {
    for child in chart.states[state].children where !chart.isHistory(child) {
      if !entry.states.contains(where: { isDescendant($0, child) }) { addDescendants(child, &entry) }
    }
  }

  private func addAncestors(_ state: Int, _ ancestor: Int?, _ entry: inout Entry) {
    for above in chart.ancestors(of: state).prefix(while: { $0 != ancestor }) where above > 0 {
      entry.states.insert(above)
      if chart.states[above].kind == .parallel { addRegions(above, &entry) }
    }
  }

  // MARK: Content

  private mutating func run(_ actions: [RandomChart.Action]) {
    for action in actions {
      switch action {
      case .log(let text): logs.append(text)
      case .raise(let event): queue.append(event)
      case .count: count += 1
      case .fail: return queue.append("error.execution")
      }
    }
  }
}
