import LineProtocol

// What is legal and surely wrong.

extension Compiler {
  /// - Parameter hasErrors: A mistake makes more look wrong than it: what depends on the whole chart is not told then.
  mutating func checkChart(hasErrors: Bool) {
    if isQuiet { return }
    checkVariables()
    checkActive()
    if hasErrors { return }
    checkReachability()
    for state in chart.states.indices where pace.mayGoOn() { checkShadows(of: state) }
    checkCircles()
    checkWaiting()
    checkRepeatedEvents()
    checkEvents()
    checkEnds()
    checkIDs()
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
    // Whether a transition leads out of a state or of one around it, in document order.
    var isLeft = [Bool](repeating: false, count: chart.states.count)
    for state in chart.states.indices.dropFirst() {
      isLeft[state] =
        isLeft[Int(chart.states[state].parent)] || chart.states[state].transitions.contains { leaves(Int($0)) }
    }
    for state in chart.states.indices.dropFirst() {
      let (own, node) = (chart.states[state], nodeOfState[state])
      let name = chart.ids[state] ?? "the state"
      // The states within one that is not reached are not told of.
      if !entered.contains(state) {
        if entered.contains(Int(own.parent)) { warn(node, "nothing leads to \(name)\(meant(by: state, name))") }
      } else if own.kind == .atomic, chart.states.count > 2, !isWatching(state) {
        if !isLeft[state] {
          let meant = meant(by: state, name)
          let end = document.isDiagram ? "\(name) --> [*]" : "a <final>"
          warn(node, "nothing leads out of \(name)\(meant.isEmpty ? "; an end is \(end)" : meant)")
        }
      }
    }
  }

  /// Whether a state that nothing leads out of is there for what happens in it.
  private func isWatching(_ state: Int) -> Bool {
    let own = chart.states[state]
    if !own.transitions.isEmpty || !own.invokes.isEmpty { return true }
    // A region, or the only state of one.
    let parent = Int(own.parent)
    if chart.states[parent].kind == .parallel { return true }
    return parent > 0 && chart.states[Int(chart.states[parent].parent)].kind == .parallel
      && isOnly(state, in: parent)
  }

  /// Whether a state is the only one directly below its parent.
  private func isOnly(_ state: Int, in parent: Int) -> Bool {
    var child = parent + 1
    while child < Int(chart.states[parent].end) {
      if child != state, !isHistory(child) { return false }
      child = Int(chart.states[child].end)
    }
    return true
  }

  /// Which state was probably meant by a name, which in a diagram is another state if it is misspelled: one that is only the
  /// end or the beginning of arrows. Names that differ in more are `Accepted` and `Rejected`.
  private func meant(by state: Int, _ name: String) -> String {
    guard isTelling, document.isDiagram, name.count > 2, !document.declaredStates.contains(name),
      chart.targets.count(where: { Int($0) == state }) <= 1
    else { return "" }
    return Spelling.suggestion(for: name, in: otherNames(than: name), farthest: 1)
  }

  private func otherNames(than name: String) -> [String] {
    chart.ids.prefix(2_000).compactMap { $0 == name ? nil : $0 }
  }

  private func leaves(_ transition: Int) -> Bool { !chart.transitions[transition].targets.isEmpty }

  private func targetStates(of transition: Int) -> [(state: Int, byDefault: Bool)] {
    chart.transitions[transition].targets.map { (Int(chart.targets[Int($0)]), true) }
  }

  /// What a transition's condition always is; `nil` if that depends on something.
  private func truth(of transition: Chart.Transition) -> Bool? {
    if transition.condition == Chart.none { return true }
    guard case .form(let expression) = chart.expressions[Int(transition.condition)],
      case .constant(let number) = expression.code.nodes[Int(expression.code.root)]
    else { return nil }
    return expression.code.constants[number].isTruthy
  }

  /// Whether two guards have the same words, change nothing and call nothing that may answer otherwise the second time.
  private func hasSameGuard(_ first: Chart.Transition, _ second: Chart.Transition) -> Bool {
    guard first.condition != Chart.none, second.condition != Chart.none,
      case .form(let one) = chart.expressions[Int(first.condition)],
      case .form(let other) = chart.expressions[Int(second.condition)]
    else { return false }
    return one.text == other.text && !one.code.nodes.contains { mayDiffer($0, in: one.code) }
  }

  /// Whether a part of a guard changes something, or calls what may answer otherwise the second time.
  private func mayDiffer(_ node: Code.Node, in code: Code) -> Bool {
    switch node {
    case .call(let function, _):
      // So conditions are asked.
      if case .member(_, let name) = code.nodes[Int(function)], case .string("includes") = code.constants[name] {
        return false
      }
      return true
    case .construct: return true
    case _: return node.isChange
    }
  }

  /// Warns of transitions that an earlier one of the same state is always taken before.
  private mutating func checkShadows(of state: Int) {
    let range = chart.states[state].transitions
    // The earlier ones are compared with all; long lists would take a time of their own.
    guard range.count <= 200, range.allSatisfy({ chart.transitions[Int($0)].descriptors.count <= 200 }) else { return }
    for later in range {
      if truth(of: chart.transitions[Int(later)]) == false, let node = nodeOfTransition[Int(later)] {
        warn(node, "the transition is never taken: its condition is always false", attribute: "cond")
        continue
      }
      let descriptors = chart.transitions[Int(later)].descriptors
      let earlier = range.prefix { $0 < later }.first { earlier in
        let transition = chart.transitions[Int(earlier)]
        let isTaken = truth(of: transition) == true || hasSameGuard(transition, chart.transitions[Int(later)])
        guard isTaken, transition.descriptors.isEmpty == descriptors.isEmpty else { return false }
        return descriptors.allSatisfy { descriptor in
          transition.descriptors.contains { covers(chart.descriptors[Int($0)], chart.descriptors[Int(descriptor)]) }
        }
      }
      if let earlier, let node = nodeOfTransition[Int(later)] {
        let reason =
          chart.transitions[Int(later)].condition != Chart.none && truth(of: chart.transitions[Int(earlier)]) == nil
          ? ": it has the same guard" : descriptors.isEmpty ? ": it has no event, so it is taken at once" : ""
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
        warn(node, "this loops for ever: the states of the loop have neither events nor conditions")
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
    // What happens beside it can end a region's circle.
    var above = Int(chart.states[state].parent)
    while above > 0 {
      let parent = Int(chart.states[above].parent)
      if parent >= 0, chart.states[parent].kind == .parallel, canBeLeftAtOnce(above, in: parent) { return nil }
      above = parent
    }
    return Int(first)
  }

  /// Whether a transition without an event beside a region may leave the state around it.
  private func canBeLeftAtOnce(_ region: Int, in parallel: Int) -> Bool {
    chart.transitions.contains { transition in
      let source = Int(transition.source)
      guard transition.descriptors.isEmpty, !transition.targets.isEmpty, source != 0,
        source == parallel || chart.isDescendant(source, of: parallel) || chart.isDescendant(parallel, of: source),
        !chart.isDescendant(source, of: region), source != region
      else { return false }
      return transition.targets.contains { !chart.isDescendant(Int(chart.targets[Int($0)]), of: parallel) }
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
    guard nodesOfRaises.count < 1_000 else { return }
    let awaited = Set(chart.transitions.flatMap { $0.descriptors.map { chart.descriptors[Int($0)] } })
    if awaited.contains(.any) { return }
    for (event, node) in nodesOfRaises where told.insert(event).inserted {
      if !chart.events.prefixes(of: event).contains(where: { awaited.contains(.name($0)) }) {
        warn(node, "no transition awaits \(chart.events.names[Int(event)])", attribute: "event")
      }
    }
  }

  /// Warns of variables that nothing declares.
  private mutating func checkVariables() {
    let declared = references.declared.map { chart.symbols.names[$0] }.sorted()
    let endless = slotsOfEndlessGuards
    for (slot, position) in references.uses.sorted(by: { $0.key < $1.key }) where !references.declared.contains(slot) {
      guard isTelling else { return }
      let name = chart.symbols.names[slot]
      if unread.contains(name) { continue }
      if let advice = Self.absent[name] {
        note(.warning, at: position, "there is no \(name) here; \(document.isDiagram ? advice.diagram : advice.scxml)")
        continue
      }
      let meant = Spelling.suggestion(for: name, in: declared)
      let how =
        document.isDiagram
        ? "write \(document.declarations[name] ?? "%% data \(name) = …")"
        : "write <data id=\"\(name)\"/> in the <datamodel>"
      let isEndless = endless.contains(slot)
      note(
        .warning, at: position,
        "nothing declares \(name)\(isEndless ? ", and a guard without an event that fails is asked for ever" : "")"
          + (meant.isEmpty ? "; \(how)" : meant))
    }
  }

  /// What other programs have and there is not here, and what there is.
  private static let absent: [String: (scxml: String, diagram: String)] = {
    let log = (scxml: "write <log>", diagram: "write log")
    let time = (scxml: "time is the world's: write <send delay=…>", diagram: "time is the world's: write after 5s")
    let none = (scxml: "the document's data are all there is", diagram: "the diagram's data are all there is")
    let send = (scxml: "write <send>", diagram: "write an output")
    return [
      "console": log, "print": log, "printf": log, "alert": log, "Date": time, "setTimeout": time, "setInterval": time,
      "clearTimeout": (scxml: "write <cancel>", diagram: "write cancel"), "performance": time, "eval": none,
      "require": none, "module": none, "process": none, "window": none, "document": none, "globalThis": none,
      "fetch": send, "XMLHttpRequest": send,
    ]
  }()

  /// The variables in guards of transitions that have no event.
  private var slotsOfEndlessGuards: Set<Int> {
    var slots: Set<Int> = []
    for transition in chart.transitions where transition.descriptors.isEmpty && transition.condition != Chart.none {
      guard case .form(let expression) = chart.expressions[Int(transition.condition)] else { continue }
      for case .variable(let slot) in expression.code.nodes { slots.insert(slot) }
    }
    return slots
  }

  /// Warns of a document in which nothing is waited for. A diagram says so of its arrows.
  private mutating func checkWaiting() {
    guard !document.isDiagram, chart.invokes.isEmpty else { return }
    let defaults = Set(chart.states.map(\.initial))
    let own = chart.transitions.indices.filter { !defaults.contains(Chart.Index($0)) }
    guard let first = own.first, own.allSatisfy({ chart.transitions[$0].descriptors.isEmpty }) else { return }
    if let node = nodeOfTransition[first] { warn(node, "no transition has an event") }
  }

  /// Warns of a state that waits at its end for nothing but the event that has brought it there.
  private mutating func checkRepeatedEvents() {
    for (state, own) in chart.states.enumerated() where state > 0 && own.kind == .compound && !own.transitions.isEmpty {
      func names(_ transitions: some Sequence<Chart.Index>) -> Set<Int32>? {
        var names: Set<Int32> = []
        for place in transitions {
          for descriptor in chart.transitions[Int(place)].descriptors {
            guard case .name(let name) = chart.descriptors[Int(descriptor)] else { return nil }
            names.insert(name)
          }
          if chart.transitions[Int(place)].descriptors.isEmpty { return nil }
        }
        return names
      }
      let finals = chart.children(of: state).filter { chart.states[$0].kind == .final }
      guard !finals.isEmpty, let outer = names(own.transitions), outer.count == 1, let event = outer.first else {
        continue
      }
      var inner: [Chart.Index] = []
      for child in state + 1..<Int(own.end) {
        inner += chart.states[child].transitions.filter { place in
          chart.transitions[Int(place)].targets.contains { finals.contains(Int(chart.targets[Int($0)])) }
        }
      }
      guard !inner.isEmpty, names(inner) == outer, let node = nodeOfTransition[Int(own.transitions.lowerBound)] else {
        continue
      }
      let (id, name) = (chart.ids[state] ?? "the state", chart.events.names[Int(event)])
      warn(
        node,
        "\(id) ends with \(name) and waits for another \(name) then"
          + (document.isDiagram ? "; an arrow without an event waits for the end" : "; its end is done.state.\(id)"))
    }
  }

  /// Warns of states that `In` asks for in vain.
  private mutating func checkActive() {
    for (id, position) in references.states where chart.stateNumbers[id] == nil && !unread.contains(id) {
      guard isTelling else { return }
      let meant = Spelling.suggestion(for: id, in: chart.stateNumbers.keys.sorted())
      note(.warning, at: position, "In('\(id)') is never true: there is no state \(id)\(meant)")
    }
  }

  /// Warns of ends that are awaited and never come.
  private mutating func checkEnds() {
    var awaited: [(id: String, isState: Bool, event: Int32, node: Int)] = []
    for (number, node) in nodeOfTransition.sorted(by: { $0.key < $1.key }) {
      for place in chart.transitions[number].descriptors {
        guard case .name(let event) = chart.descriptors[Int(place)] else { continue }
        let name = chart.events.names[Int(event)]
        if let id = name.removing(prefix: "done.state.") { awaited.append((id, true, event, node)) }
        if let id = name.removing(prefix: "done.invoke.") { awaited.append((id, false, event, node)) }
      }
    }
    if awaited.isEmpty { return }
    let noStates = Self.unmatched(awaited.filter(\.isState).map(\.id), by: chart.stateNumbers.keys)
    // Ids that are made up start with that of the state.
    let invocations = references.invokes.map { $0.id.isEmpty ? wordForInvocations(of: $0.state) : $0.id }
    let raised = Set(nodesOfRaises.flatMap { chart.events.prefixes(of: $0.0) })
    let ended = Set(chart.states.filter { $0.kind == .final }.map { Int($0.parent) })
    let noInvocations = Self.unmatched(awaited.filter { !$0.isState }.map(\.id), by: invocations)
    for (id, isState, event, node) in awaited where isTelling && nodesOfRaises.count < 1_000 && !raised.contains(event)
    {
      if isState {
        checkEnd(of: id, isMissing: noStates.contains(id), ended, node)
      } else if noInvocations.contains(id) {
        let meant = Spelling.suggestion(for: id, in: invocations)
        warn(
          node, "done.invoke.\(id) never comes: nothing is invoked with the id \(id)\(meant)", attribute: "event")
      }
    }
  }

  /// - Parameter ended: The states with an end in them.
  private mutating func checkEnd(of id: String, isMissing: Bool, _ ended: Set<Int>, _ node: Int) {
    if isMissing {
      let meant = Spelling.suggestion(for: id, in: chart.stateNumbers.keys.sorted())
      return warn(node, "done.state.\(id) never comes: there is no state \(id)\(meant)", attribute: "event")
    }
    guard let state = chart.stateNumbers[id], chart.states[state].kind != .parallel, !ended.contains(state) else {
      return
    }
    warn(node, "done.state.\(id) never comes: the state has no end in it", attribute: "event")
  }

  /// The names that are none of the ids, and do not stand in front of a dot in one: descriptors match these as well.
  private static func unmatched(_ names: [String], by ids: some Sequence<String>) -> Set<String> {
    var rest = Set(names)
    for id in ids where !rest.isEmpty {
      rest.remove(id)
      // Comparing all that long ids start with would take a time of its own.
      for dot in id.prefix(200).indices where id[dot] == "." { rest.remove(String(id[..<dot])) }
    }
    return rest
  }

  /// Warns of ids that are cancelled, sent to or given twice, in vain.
  private mutating func checkIDs() {
    for (id, node) in references.cancels where isTelling && !references.sends.contains(id) {
      let meant = Spelling.suggestion(for: id, in: references.sends.sorted())
      warn(node, "nothing is sent with the id \(id)\(meant)", attribute: "sendid")
    }
    let known = references.invokes.map(\.id)
    let invoked = Set(known)
    for (id, node) in references.invoked where isTelling && !invoked.contains(id) {
      let meant = Spelling.suggestion(for: id, in: known)
      warn(
        node, "this will be error.communication: nothing is invoked with the id \(id)\(meant)", attribute: "target")
    }
    var first: [String: Int] = [:]
    for (place, later) in references.invokes.enumerated() where !later.id.isEmpty {
      guard let place = first.updateValue(first[later.id] ?? place, forKey: later.id) else { continue }
      let earlier = references.invokes[place]
      if canBeTogether(earlier.state, later.state) {
        let line = document.nodes[earlier.node].position.line
        warn(later.node, "the id \(later.id) is that of the <invoke> in line \(line) already", attribute: "id")
      }
    }
  }
}

extension String {
  func removing(prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
