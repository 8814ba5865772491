// The states of a chart and their transitions.

extension Compiler {
  mutating func compileChart(_ node: Int, as place: Int) {
    guard let element = document.element(node) else { return }
    (chart, parts, nodeOfState, nodeOfTransition, nodesOfRaises) = (Chart(), [], [], [:], [])
    references = References()
    let errorsBefore = errors
    check(node)
    chart.name = element["name"] ?? ""
    if let version = element["version"], version != "1.0" {
      warn(node, "version=\"\(version)\" is read as 1.0, which is the only one", attribute: "version")
    }
    hasDataModel = document.isDiagram || element["datamodel"] != nil
    hasExpressions = word("datamodel", of: node, in: ["ecmascript", "null"], default: "ecmascript") == "ecmascript"
    chart.hasLateBinding = word("binding", of: node, in: ["early", "late"], default: "early") == "late"
    number(node)
    for state in chart.states.indices where pace.mayGoOn() { compileState(state) }
    for transition in chart.transitions.indices where pace.mayGoOn() { findDomain(of: transition) }
    if place == 0 { compileNameableResources() }
    for state in chart.states.indices where pace.mayGoOn() { compileContent(of: state) }
    guard !pace.isInterrupted else { return }
    let timerEvents = document.isDiagram ? document.timerEvents : writtenTimers
    chart.timerEvents = Set(timerEvents.sorted().map { chart.events.intern($0) })
    chart.conditions = document.conditions
    chart.eventTexts = document.eventTexts
    chart.texts = document.texts
    chart.helpers = Set(chart.ids.indices.filter { document.helpers.contains(chart.ids[$0] ?? "") })
    chart.asksSamplesOnly = document.asksSamplesOnly
    chart.namedData = document.namedData
    chart.eventData = document.eventData
    noteSamples()
    checkChart(hasErrors: errors > errorsBefore)
    charts[place] = chart
  }

  /// The events of timers as a diagram is translated to them: `<send event="on.after.5s" id="on.after.5s" delay="5s"/>`
  /// on entry of `on`.
  private var writtenTimers: Set<String> {
    var events: Set<String> = []
    for (state, own) in chart.states.enumerated() {
      guard let id = chart.ids[state], let entry = own.onEntry.last else { continue }
      for place in chart.blocks[Int(chart.handlers[Int(entry)])] {
        guard case .send(let number) = chart.instructions[Int(place)] else { continue }
        let send = chart.sends[Int(number)]
        if let event = chart.text(of: send.event), let delay = chart.text(of: send.delay), send.id == event,
          event == "\(id).after.\(delay)"
        {
          events.insert(event)
        }
      }
    }
    return events
  }

  // MARK: Numbering

  /// Numbers the states below a node in document order.
  private mutating func number(_ root: Int) {
    enter(root, kind: .compound, id: nil, parent: Chart.none)
    let errorsBefore = errors
    var open: [(state: Int, children: [Int], next: Int)] = [(0, elements(of: root), 0)]
    while pace.mayGoOn(), var top = open.popLast() {
      guard top.next < top.children.count else {
        chart.states[top.state].end = Chart.Index(chart.states.count)
        continue
      }
      let node = top.children[top.next]
      top.next += 1
      open.append(top)
      guard let element = document.element(node) else { continue }
      let kind: Chart.State.Kind
      switch element.name {
      case "state": kind = .atomic
      case "parallel": kind = .parallel
      case "final": kind = .final
      case "history":
        kind =
          word("type", of: node, in: ["shallow", "deep"], default: "shallow") == "deep" ? .deepHistory : .shallowHistory
      case _:
        parts[top.state].append(node)
        continue
      }
      let state = enter(node, kind: kind, id: element["id"], parent: Chart.Index(top.state))
      if chart.states[top.state].kind == .atomic, kind != .shallowHistory, kind != .deepHistory {
        chart.states[top.state].kind = .compound
      }
      open.append((state, elements(of: node), 0))
    }
    // States that are missing because of a mistake have been told of.
    guard errors == errorsBefore else { return }
    if chart.states.count == 1 { error(root, "there is no state") }
    for state in chart.states.indices where chart.states[state].kind == .parallel {
      if !chart.children(of: state).contains(where: { !isHistory($0) }) {
        error(
          nodeOfState[state], "a <parallel> without regions cannot be in any state; at least one <state> belongs in it")
      }
    }
  }

  @discardableResult
  private mutating func enter(_ node: Int, kind: Chart.State.Kind, id: String?, parent: Chart.Index) -> Int {
    let number = chart.states.count
    var state = Chart.State()
    state.kind = kind
    state.parent = parent
    state.line = Chart.Index(document.nodes[node].position.line)
    if kind == .shallowHistory || kind == .deepHistory {
      state.history = Chart.Index(chart.historyStates.count)
      chart.historyStates.append(Chart.Index(number))
    }
    chart.states.append(state)
    chart.ids.append(id)
    parts.append([])
    nodeOfState.append(node)
    if let id {
      if let first = chart.stateNumbers[id] {
        error(
          node, "the id \(id) is that of the state in line \(chart.states[first].line) already", attribute: "id")
      } else if id.isEmpty || id.contains(where: { $0.isWhitespace || "+\"()=,".contains($0) }) {
        error(node, "an id has no blanks, and none of + ( ) = , \"", attribute: "id")
      } else {
        chart.stateNumbers[id] = number
      }
    }
    return number
  }

  func isHistory(_ state: Int) -> Bool {
    chart.states[state].kind == .shallowHistory || chart.states[state].kind == .deepHistory
  }

  // MARK: Transitions and initial states

  private mutating func compileState(_ state: Int) {
    let node = nodeOfState[state]
    let first = Chart.Index(chart.transitions.count)
    let name = document.element(node)?.name ?? ""
    var initialElements: [Int] = []
    for part in parts[state] {
      switch document.element(part)?.name {
      case "transition" where !isHistory(state):
        if state == 0 { warn(part, "<scxml> has no transitions by the Recommendation; put a state around all others") }
        compileTransition(part, of: state)
      case "initial": initialElements.append(part)
      case _: break
      }
    }
    chart.states[state].transitions = first..<Chart.Index(chart.transitions.count)
    let descriptors = chart.transitions[Int(first)...].reduce(0) { $0 + $1.descriptors.count }
    chart.states[state].selectionSteps = (Chart.Index(chart.transitions.count) - first + Chart.Index(descriptors)) / 16
    switch chart.states[state].kind {
    case .compound: compileInitial(of: state, node, elements: initialElements)
    case .shallowHistory, .deepHistory: compileHistory(state, node)
    case .atomic, .parallel, .final:
      if document.element(node)?["initial"] != nil, name == "state" {
        error(node, "a state without states in it has no initial state", attribute: "initial")
      }
      for element in initialElements { error(element, "a state without states in it has no <initial>") }
    }
  }

  private mutating func compileTransition(_ node: Int, of state: Int) {
    guard let element = document.element(node) else { return }
    var transition = Chart.Transition(source: Chart.Index(state))
    transition.line = Chart.Index(document.nodes[node].position.line)
    transition.isInternal = word("type", of: node, in: ["internal", "external"], default: "external") == "internal"
    if let text = element["target"] { transition.targets = targets(text, of: node, attribute: "target") }
    let first = Chart.Index(chart.descriptors.count)
    if let text = element["event"] {
      for descriptor in text.utf8.split(whereSeparator: { $0 <= 0x20 }) where pace.mayGoOn() {
        addDescriptor(String(Substring(descriptor)), node)
      }
      if chart.descriptors.count == Int(first) { error(node, "event= names no event", attribute: "event") }
    } else {
      chart.hasEventless = true
      if faulty.contains(node) {
        // The event may be what was misspelled.
      } else if element["cond"] == nil, element["target"] == nil {
        warn(node, "without an event, a condition and a target this is taken for ever, unless an earlier one ends it")
      } else if element["cond"] == nil, transition.targets.contains(where: { chart.targets[Int($0)] == state }) {
        warn(node, "the state is left and entered for ever: there is no event and no condition")
      }
    }
    transition.descriptors = first..<Chart.Index(chart.descriptors.count)
    chart.transitions.append(transition)
    nodeOfTransition[chart.transitions.count - 1] = node
  }

  private mutating func addDescriptor(_ text: String, _ node: Int) {
    var name = text[...]
    if name.hasSuffix(".*") { name = name.dropLast(2) } else if name.hasSuffix(".") { name = name.dropLast() }
    if name.isEmpty || name == "*" { return chart.descriptors.append(.any) }
    if name.contains("*") {
      warn(node, "\(text) matches no event: * stands alone or at the end, after a dot", attribute: "event")
    }
    if name.contains(",") { warn(node, "\(text) is one event: blanks separate several", attribute: "event") }
    chart.descriptors.append(.name(chart.events.intern(String(name))))
    guard chart.events.names.count > ChartProgram.mostNamesRead, !pace.isInterrupted else { return }
    error(node, "the document has more than \(ChartProgram.mostEvents) events", attribute: "event")
    pace.stop()
  }

  /// The states that a list of ids names.
  private mutating func targets(_ text: String, of node: Int, attribute: String) -> Range<Chart.Index> {
    let first = chart.targets.count
    let ids = text.split(whereSeparator: \.isWhitespace).map(String.init)
    for id in ids {
      if let target = chart.stateNumbers[id] {
        chart.targets.append(Chart.Index(target))
      } else if !unread.contains(id) {
        let closest = isTelling ? Spelling.closest(to: id, in: chart.stateNumbers.keys.sorted()) : nil
        let hint = id.contains(",") ? "; blanks separate several" : closest.map { "; did you mean \($0)?" } ?? ""
        error(
          node, "there is no state \(id)\(hint)", attribute: attribute, correction: closest.map { (id, $0) })
      }
    }
    if ids.isEmpty { error(node, "\(attribute)= names no state", attribute: attribute) }
    checkTogether(chart.targets[first...].map(Int.init), node, attribute)
    return Chart.Index(first)..<Chart.Index(chart.targets.count)
  }

  /// Whether two states are in different regions of a parallel state, or one in the other.
  func canBeTogether(_ first: Int, _ second: Int) -> Bool {
    var common = min(first, second)
    while common > 0,
      !chart.isDescendant(first, of: common) && first != common
        || !chart.isDescendant(second, of: common) && second != common
    {
      common = Int(chart.states[common].parent)
    }
    return common == first || common == second || chart.states[common].kind == .parallel
  }

  private mutating func checkTogether(_ targets: [Int], _ node: Int, _ attribute: String) {
    guard targets.count > 1, targets.count <= 64 else {
      if targets.count > 64 { error(node, "a transition has 64 targets at most", attribute: attribute) }
      return
    }
    for (place, first) in targets.enumerated() {
      for second in targets[(place + 1)...] {
        if canBeTogether(first, second) { continue }
        let names = [first, second].map { chart.ids[$0] ?? "" }
        let regions = document.isDiagram ? "regions (--) of one state" : "regions of one <parallel>"
        error(
          node, "\(names[0]) and \(names[1]) cannot be active together: they are not in \(regions)",
          attribute: attribute)
        return
      }
    }
  }

  private mutating func compileInitial(of state: Int, _ node: Int, elements initialElements: [Int]) {
    var transition = Chart.Transition(source: Chart.Index(state))
    transition.line = chart.states[state].line
    let attribute = document.element(node)?["initial"]
    var content: Int?
    if let attribute {
      transition.targets = targets(attribute, of: node, attribute: "initial")
      checkDescendants(transition.targets, of: state, node, "initial")
      if let extra = initialElements.first { error(extra, "the initial state is given by initial= already") }
    } else if let initial = initialElements.first {
      for extra in initialElements.dropFirst() { error(extra, "there is an <initial> already") }
      let (targets, inner) = defaultTransition(in: initial, what: "<initial>")
      transition.targets = targets
      content = inner
      if let inner { checkDescendants(targets, of: state, inner, "target") }
    } else if let first = chart.children(of: state).first(where: { !isHistory($0) }) {
      transition.targets = Chart.Index(chart.targets.count)..<Chart.Index(chart.targets.count + 1)
      chart.targets.append(Chart.Index(first))
    }
    chart.states[state].initial = Chart.Index(chart.transitions.count)
    chart.transitions.append(transition)
    nodeOfTransition[chart.transitions.count - 1] = content
  }

  /// The one transition of an `<initial>` or `<history>`.
  private mutating func defaultTransition(in node: Int, what: String) -> (targets: Range<Chart.Index>, node: Int?) {
    let transitions = elements(of: node).filter { document.element($0)?.name == "transition" }
    guard let inner = transitions.first, let element = document.element(inner) else {
      // What stands there instead was told of.
      if content(of: node) == nil { error(node, "\(what) has one <transition> with a target") }
      return (0..<0, nil)
    }
    for extra in transitions.dropFirst() { error(extra, "\(what) has one <transition> only") }
    for attribute in ["event", "cond"] where element[attribute] != nil {
      error(inner, "the transition of \(what) is always taken and has no \(attribute)=", attribute: attribute)
    }
    guard let text = element["target"] else {
      error(inner, "the transition of \(what) lacks target=")
      return (0..<0, inner)
    }
    return (targets(text, of: inner, attribute: "target"), inner)
  }

  private mutating func checkDescendants(
    _ targets: Range<Chart.Index>, of state: Int, _ node: Int, _ attribute: String
  ) {
    for target in targets {
      let target = Int(chart.targets[Int(target)])
      if !chart.isDescendant(target, of: state) {
        error(
          node, "\(chart.ids[target] ?? "") is not within the state whose initial state it shall be",
          attribute: attribute)
      }
    }
  }

  private mutating func compileHistory(_ state: Int, _ node: Int) {
    var transition = Chart.Transition(source: Chart.Index(state))
    transition.line = chart.states[state].line
    let (targets, inner) = defaultTransition(in: node, what: "<history>")
    transition.targets = targets
    let parent = Int(chart.states[state].parent)
    if let inner {
      for target in targets {
        let target = Int(chart.targets[Int(target)])
        let name = chart.ids[target] ?? ""
        if isHistory(target) {
          error(inner, "the default of a history is a state, and \(name) is a history", attribute: "target")
        } else if chart.states[state].kind == .deepHistory || chart.states[parent].kind == .parallel {
          if !chart.isDescendant(target, of: parent) {
            error(inner, "\(name) is not within the state that the history belongs to", attribute: "target")
          }
        } else if Int(chart.states[target].parent) != parent {
          if chart.isDescendant(target, of: parent) {
            warn(inner, "\(name) is no child of the state whose shallow history this is", attribute: "target")
          } else {
            error(inner, "\(name) is not within the state that the history belongs to", attribute: "target")
          }
        }
      }
    }
    chart.states[state].initial = Chart.Index(chart.transitions.count)
    chart.transitions.append(transition)
    nodeOfTransition[chart.transitions.count - 1] = inner
  }

  // MARK: Domains

  private mutating func findDomain(of number: Int) {
    let transition = chart.transitions[number]
    let targets = transition.targets.map { Int(chart.targets[Int($0)]) }
    if targets.isEmpty { return }
    if targets.contains(where: isHistory) { return chart.transitions[number].domain = .byHistory }
    chart.transitions[number].domain = .state(Chart.Index(chart.domain(of: transition, targets: targets)))
  }
}

extension Chart {
  /// The deepest state that contains the source and all targets and is no region: what lies in it is left.
  func domain(of transition: Transition, targets: some Sequence<Int>) -> Int {
    let source = Int(transition.source)
    if transition.isInternal, states[source].kind == .compound, targets.allSatisfy({ isDescendant($0, of: source) }) {
      return source
    }
    var domain = Int(states[source].parent)
    while domain > 0 {
      if states[domain].kind == .compound, targets.allSatisfy({ isDescendant($0, of: domain) }) { return domain }
      domain = Int(states[domain].parent)
    }
    return 0
  }
}
