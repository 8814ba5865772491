// Macrosteps and microsteps: the procedures of the Recommendation's appendix D, under their names where there is one.

extension ChartRun {
  /// Starts the session: its data, its script, its initial states.
  mutating func begin(with arguments: DataObject) throws(EvaluationError) {
    let chart = compiled.chart
    for (state, own) in chart.states.enumerated() {
      for place in own.data {
        scope.declare(Int(chart.data[Int(place)].slot), nil)
        guard state == 0 || !chart.hasLateBinding else { continue }
        try initialize(chart.data[Int(place)], from: state == 0 ? arguments : nil)
      }
    }
    if let script = chart.globalScript {
      try attemptContent(line: 0) { (run) throws(EvaluationError) in try run.runScript(script) }
    }
    statesToEnter.removeAll()
    defaultEntries.removeAll()
    defaultHistories.clear()
    let initial = chart.transitions[Int(chart.states[0].initial)]
    for target in initial.targets { try addDescendants(Int(chart.targets[Int(target)])) }
    for target in initial.targets { try addAncestors(of: Int(chart.targets[Int(target)]), below: 0) }
    try enterStates()
    try macrostep()
  }

  private mutating func initialize(_ data: Chart.Data, from arguments: DataObject?) throws(EvaluationError) {
    let slot = Int(data.slot)
    if let given = arguments?[compiled.chart.symbols.names[slot]] { return scope.declare(slot, given) }
    try attemptContent(line: data.line) { (run) throws(EvaluationError) in
      let value = try run.value(of: data.value)
      try run.scope.budget.spend(bytes: value.size)
      run.scope.declare(slot, value)
    }
  }

  /// An event from the external queue.
  ///
  /// - Parameters:
  ///   - number: That of its name in the chart, if it is known.
  ///   - event: Makes the event, which few charts look at.
  mutating func process(_ number: Int32?, _ event: () -> ChartEvent) throws(EvaluationError) {
    if let number, !compiled.chart.symbols.usesEvent, session.invocations.isEmpty {
      try selectTransitions(number)
    } else {
      let event = event()
      try setEvent(event)
      if !session.invocations.isEmpty { try forward(event) }
      try selectTransitions(number ?? compiled.chart.events.number(of: event.name))
    }
    if enabled.isEmpty { guardsOfEvent = guards.count } else { try microstep() }
    try macrostep()
  }

  /// Runs `<finalize>`, and hands the event on where that was asked for.
  private mutating func forward(_ event: ChartEvent) throws(EvaluationError) {
    for invocation in session.invocations {
      let invoke = compiled.chart.invokes[Int(invocation.invoke)]
      if event.invokeID == invocation.id, invoke.finalize != Chart.none { try run(invoke.finalize) }
      if invoke.isForwarding, hasSession(invocation.session) {
        try enqueue(event, to: .session(invocation.session), delay: 0, isDelayed: false)
      }
    }
  }

  private mutating func setEvent(_ event: ChartEvent) throws(EvaluationError) {
    guard compiled.chart.symbols.usesEvent else { return }
    try scope.budget.spend(steps: ChartEvent.stepsOfValue)
    scope.event = event.value
  }

  /// Takes eventless transitions and internal events until there are none, then starts what states invoke.
  private mutating func macrostep() throws(EvaluationError) {
    repeat {
      while isRunning {
        try scope.budget.spend(steps: 1)
        if compiled.chart.hasEventless { try selectTransitions(nil) } else { enabled.clear() }
        if enabled.isEmpty {
          guard let event = dequeue() else { break }
          try setEvent(event)
          try selectTransitions(compiled.chart.events.number(of: event.name))
        }
        if !enabled.isEmpty { try microstep() }
      }
      guard isRunning else { return try exitAll() }
      for state in statesToInvoke {
        for invoke in compiled.chart.states[state].invokes {
          try attemptContent(line: compiled.chart.states[state].line) { (run) throws(EvaluationError) in
            try run.invoke(Int(invoke), in: state)
          }
        }
      }
      statesToInvoke.removeAll()
    } while !isQueueEmpty
  }

  private mutating func microstep() throws(EvaluationError) {
    hasTaken = true
    try exitStates()
    for transition in enabled {
      if session.number == 0 { taken.insert(Int(transition)) }
      let block = compiled.chart.transitions[Int(transition)].block
      if block != Chart.none { try run(block) }
    }
    try computeEntrySet()
    try enterStates()
  }

  // MARK: Selection

  /// Finds the transitions that an event enables, or the eventless ones, without conflicts.
  ///
  /// - Parameter number: That of the event's name; `nil` for none.
  private mutating func selectTransitions(_ number: Int32?) throws(EvaluationError) {
    enabled.clear()
    var state = scope.configuration.first(from: 0)
    while let active = state {
      state = scope.configuration.first(from: active + 1)
      guard compiled.chart.isAtomic(active) else { continue }
      var above = active
      search: while above >= 0 {
        try scope.budget.spend(steps: 1 + Int(compiled.chart.states[above].selectionSteps) + enabled.count >> 4)
        for place in compiled.chart.states[above].transitions {
          let transition = compiled.chart.transitions[Int(place)]
          if let number {
            guard compiled.chart.matches(transition, number) else { continue }
          } else {
            guard transition.descriptors.isEmpty else { continue }
          }
          if transition.condition != Chart.none, !(try isTrue(transition.condition, of: place)) { continue }
          if !enabled.contains(place) { enabled.append(place) }
          break search
        }
        above = Int(compiled.chart.states[above].parent)
      }
    }
    if enabled.count > 1 { try removeConflicts() }
  }

  /// The value of a guard. One that has none is false, and an error.
  private mutating func isTrue(
    _ condition: Chart.Index, of transition: Chart.Index
  ) throws(EvaluationError) -> Bool {
    do throws(EvaluationError) {
      let isTrue: Bool
      switch compiled.chart.expressions[Int(condition)] {
      case .form(let expression): isTrue = try expression.isTrue(in: &scope)
      case .broken(let message): throw .failed(message)
      }
      if session.number == 0 { guards.append((transition, isTrue)) }
      return isTrue
    } catch {
      guard case .failed(let message) = error else { throw error }
      if session.number == 0 {
        guards.append((transition, false))
        guardFailures[transition] = message
      }
      noteFailure(compiled.chart.transitions[Int(transition)].line, "a guard fails: \(message)")
      failedSend = nil
      try raiseError(message)
      return false
    }
  }

  /// Of transitions that would leave the same state, the one of the inner state is kept, else the earlier one.
  private mutating func removeConflicts() throws(EvaluationError) {
    filtered.clear()
    for first in enabled {
      var isPreempted = false
      let domain = compiled.domain(of: first, session.history)
      let source = Int(compiled.chart.transitions[Int(first)].source)
      for second in filtered {
        try scope.budget.spend(steps: 1)
        guard intersect(domain, compiled.domain(of: second, session.history)) else { continue }
        guard compiled.chart.isDescendant(source, of: Int(compiled.chart.transitions[Int(second)].source)) else {
          isPreempted = true
          break
        }
      }
      if isPreempted { continue }
      for place in filtered.indices.reversed()
      where intersect(domain, compiled.domain(of: filtered[place], session.history)) {
        filtered.remove(at: place)
      }
      filtered.append(first)
    }
    swap(&enabled, &filtered)
  }

  /// Whether two domains have a state that would be left in common: one contains the other.
  private func intersect(_ left: Int?, _ right: Int?) -> Bool {
    guard let left, let right else { return false }
    return left == right || compiled.chart.isDescendant(left, of: right) || compiled.chart.isDescendant(right, of: left)
  }

  // MARK: Leaving

  private mutating func exitStates() throws(EvaluationError) {
    var exits = StateSet()
    for transition in enabled {
      guard let domain = compiled.domain(of: transition, session.history) else { continue }
      let end = Int(compiled.chart.states[domain].end)
      var state = scope.configuration.first(from: domain + 1)
      while let active = state, active < end {
        exits.insert(active)
        state = scope.configuration.first(from: active + 1)
      }
    }
    if exits.isEmpty { return }
    if session.number == 0 { hasMoved = true }
    if compiled.chart.histories > 0 { for state in exits { try remember(in: state) } }
    var next = exits.last(upTo: compiled.chart.states.count)
    while let state = next {
      next = exits.last(upTo: state - 1)
      if session.number == 0, entered.contains(state), compiled.chart.isAtomic(state),
        !compiled.chart.helpers.contains(state), passed.count <= Self.mostPassed, !passed.contains(state)
      {
        passed.append(state)
      }
      try exit(state)
    }
  }

  private mutating func exit(_ state: Int) throws(EvaluationError) {
    try scope.budget.spend(steps: 1)
    statesToInvoke.remove(state)
    for handler in compiled.chart.states[state].onExit { try run(compiled.chart.handlers[Int(handler)]) }
    if !session.invocations.isEmpty {
      for invocation in session.invocations where Int(invocation.state) == state {
        // One that has ended by itself has said so, and that counts.
        guard hasSession(invocation.session) else { continue }
        actions.append(.end(invocation.session))
        try dropSends(of: invocation.session, isGone: true)
      }
      session.invocations.removeAll { Int($0.state) == state }
    }
    scope.configuration.remove(state)
  }

  /// Keeps what is active below a state for its histories.
  private mutating func remember(in state: Int) throws(EvaluationError) {
    var child = state + 1
    let end = Int(compiled.chart.states[state].end)
    while child < end {
      try scope.budget.spend(steps: 1)
      let own = compiled.chart.states[child]
      if own.history != Chart.none {
        var held = StateSet()
        var active = scope.configuration.first(from: state + 1)
        while let found = active, found < end {
          try scope.budget.spend(steps: 1)
          let isHeld =
            own.kind == .deepHistory
            ? compiled.chart.isAtomic(found) : Int(compiled.chart.states[found].parent) == state
          if isHeld { held.insert(found) }
          active = scope.configuration.first(from: found + 1)
        }
        while session.history.count < compiled.chart.histories { session.history.append(StateSet()) }
        gained += MemoryLayout<StateSet>.stride + held.ownedBytes
        session.history[Int(own.history)] = held
      }
      child = Int(own.end)
    }
  }

  /// Leaves all states and ends the session.
  mutating func exitAll() throws(EvaluationError) {
    var done: (state: Int, data: DataValue)?
    var next = scope.configuration.last(upTo: compiled.chart.states.count)
    while let state = next {
      next = scope.configuration.last(upTo: state - 1)
      try exit(state)
      if compiled.chart.states[state].kind == .final, compiled.chart.states[state].parent == 0 {
        done = (state, try doneData(of: state))
      }
    }
    try dropSends(of: session.number, isGone: false)
    guard let done else { return }
    session.final = Chart.Index(done.state)
    if session.parent >= 0 {
      let event = ChartEvent(
        name: "done.invoke.\(session.invokeID)", kind: .external, invokeID: session.invokeID, data: done.data)
      try enqueue(event, to: .session(UInt32(session.parent)), delay: 0, isDelayed: false)
    }
  }

  // MARK: Entering

  private mutating func computeEntrySet() throws(EvaluationError) {
    statesToEnter.removeAll()
    defaultEntries.removeAll()
    defaultHistories.clear()
    for place in enabled {
      let transition = compiled.chart.transitions[Int(place)]
      guard let domain = compiled.domain(of: place, session.history) else { continue }
      for target in transition.targets { try addDescendants(Int(compiled.chart.targets[Int(target)])) }
      switch transition.domain {
      case .none: continue
      case .state:
        for target in transition.targets {
          try addAncestors(of: Int(compiled.chart.targets[Int(target)]), below: domain)
        }
      case .byHistory:
        for state in compiled.effectiveTargets(of: transition, session.history) {
          try addAncestors(of: state, below: domain)
        }
      }
    }
  }

  /// Recursion ends at the depth of the document, which is limited.
  private mutating func addDescendants(_ state: Int) throws(EvaluationError) {
    try scope.budget.spend(steps: 1)
    let own = compiled.chart.states[state]
    switch own.kind {
    case .shallowHistory, .deepHistory:
      let parent = Int(own.parent)
      if let held = compiled.held(own.history, session.history) {
        for state in held { try addDescendants(state) }
        for state in held { try addAncestors(of: state, below: parent) }
      } else {
        let initial = compiled.chart.transitions[Int(own.initial)]
        if initial.block != Chart.none { defaultHistories.append((parent, initial.block)) }
        try add(initial, below: parent)
      }
    case .compound:
      statesToEnter.insert(state)
      defaultEntries.insert(state)
      try add(compiled.chart.transitions[Int(own.initial)], below: state)
    case .parallel:
      statesToEnter.insert(state)
      try addRegions(of: state)
    case .atomic, .final: statesToEnter.insert(state)
    }
  }

  private mutating func add(_ initial: Chart.Transition, below state: Int) throws(EvaluationError) {
    for target in initial.targets { try addDescendants(Int(compiled.chart.targets[Int(target)])) }
    for target in initial.targets { try addAncestors(of: Int(compiled.chart.targets[Int(target)]), below: state) }
  }

  private mutating func addAncestors(of state: Int, below ancestor: Int) throws(EvaluationError) {
    var above = Int(compiled.chart.states[state].parent)
    while above > ancestor {
      try scope.budget.spend(steps: 1)
      statesToEnter.insert(above)
      if compiled.chart.states[above].kind == .parallel { try addRegions(of: above) }
      above = Int(compiled.chart.states[above].parent)
    }
  }

  /// Enters the regions of a parallel state that no target is in.
  private mutating func addRegions(of state: Int) throws(EvaluationError) {
    var child = state + 1
    let end = Int(compiled.chart.states[state].end)
    while child < end {
      try scope.budget.spend(steps: 1)
      let own = compiled.chart.states[child]
      if own.history == Chart.none {
        let inner = statesToEnter.first(from: child)
        if inner == nil || inner ?? 0 >= Int(own.end) { try addDescendants(child) }
      }
      child = Int(own.end)
    }
  }

  private mutating func enterStates() throws(EvaluationError) {
    // The set changes no more, and content does not enter states.
    let entries = statesToEnter
    if !entries.isEmpty, session.number == 0 { hasMoved = true }
    for state in entries {
      try scope.budget.spend(steps: 1)
      let own = compiled.chart.states[state]
      scope.configuration.insert(state)
      if session.number == 0 { entered.insert(state) }
      if !own.invokes.isEmpty { statesToInvoke.insert(state) }
      if compiled.chart.hasLateBinding, !own.data.isEmpty, !session.bound.contains(state) {
        session.bound.insert(state)
        for data in own.data { try initialize(compiled.chart.data[Int(data)], from: nil) }
      }
      for handler in own.onEntry { try run(compiled.chart.handlers[Int(handler)]) }
      if defaultEntries.contains(state), own.initial != Chart.none {
        let block = compiled.chart.transitions[Int(own.initial)].block
        if block != Chart.none { try run(block) }
      }
      for history in defaultHistories where history.state == state { try run(history.block) }
      if own.kind == .final { try finish(state) }
    }
  }

  /// A final state is entered: its parent is done, and the parallel state around that if all its regions are.
  private mutating func finish(_ state: Int) throws(EvaluationError) {
    let parent = Int(compiled.chart.states[state].parent)
    if parent == 0 {
      isRunning = false
      return
    }
    try raiseDone(parent, try doneData(of: state))
    let above = Int(compiled.chart.states[parent].parent)
    if above > 0, compiled.chart.states[above].kind == .parallel, try isDone(above) { try raiseDone(above, .undefined) }
  }

  private mutating func raiseDone(_ state: Int, _ data: DataValue) throws(EvaluationError) {
    guard let id = compiled.chart.ids[state] else { return }
    try raise(ChartEvent(name: "done.state.\(id)", kind: .platform, data: data))
  }

  private mutating func isDone(_ state: Int) throws(EvaluationError) -> Bool {
    try scope.budget.spend(steps: 1)
    let end = Int(compiled.chart.states[state].end)
    var child = state + 1
    switch compiled.chart.states[state].kind {
    case .compound:
      while child < end {
        try scope.budget.spend(steps: 1)
        if compiled.chart.states[child].kind == .final, scope.configuration.contains(child) { return true }
        child = Int(compiled.chart.states[child].end)
      }
      return false
    case .parallel:
      while child < end {
        if compiled.chart.states[child].history == Chart.none, !(try isDone(child)) { return false }
        child = Int(compiled.chart.states[child].end)
      }
      return true
    case .atomic, .final, .shallowHistory, .deepHistory: return false
    }
  }
}
