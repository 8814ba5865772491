import LineProtocol

// What a diagram means that does not say everything: what its arrows wait for, and what its guards ask.

extension DiagramReader {
  /// Completes a diagram that was read freely, and says how.
  mutating func complete() {
    completeForks()
    for arrow in diagram.arrows.indices where diagram.arrows[arrow].label.isInternal { readWordInternal(arrow) }
    for region in diagram.regions.indices { completeStart(of: region) }
    completeBeginnings()
    completeHistories()
    for state in diagram.states.indices where pace.mayGoOn() {
      moveElse(of: state)
      separate(state)
    }
    let hasEvents = diagram.arrows.contains { !$0.label.triggers.isEmpty }
    for state in diagram.states.indices where pace.mayGoOn() { completeEvents(of: state, hasEvents) }
    completeCircles()
    resolveGuards()
    completeGuardedCircles()
    for state in diagram.states.indices where diagram.states[state].kind == .choice { completeChoice(state) }
    declareData()
    denyConditions()
    tellConditions()
  }

  /// Takes `internal` at an arrow that leads out of its state for a word of the event.
  private mutating func readWordInternal(_ arrow: Int) {
    let own = diagram.arrows[arrow]
    guard let source = own.source.state, let target = own.target?.state, source != target,
      !diagram.isState(target, within: source), case .event(let name)? = own.label.triggers.first,
      own.label.triggers.count == 1
    else { return }
    diagram.arrows[arrow].label.isInternal = false
    let words = PlacedText("internal \(name.string)", at: own.offset)
    diagram.arrows[arrow].label.triggers = [.event(event(ofWords: words))]
  }

  // MARK: Forks and joins

  private mutating func completeForks() {
    for state in diagram.states.indices {
      let own = diagram.states[state]
      let isPassed = own.arrows.contains { diagram.arrows[$0].target != nil }
      switch own.kind {
      case .fork where own.arrows.count < 2, .join where own.arrows.count > 1:
        diagram.states[state].kind = isPassed ? .choice : .plain
        for arrow in own.arrows where isPassed && !diagram.arrows[arrow].label.triggers.isEmpty {
          let label = diagram.arrows[arrow].label
          if label.condition == nil {
            diagram.arrows[arrow].label.condition = PlacedText(label.firstWords, at: label.offset)
          }
          (diagram.arrows[arrow].label.triggers, diagram.arrows[arrow].label.isWorded) = ([], true)
        }
        let count = own.arrows.count == 1 ? "one arrow" : "\(own.arrows.count) arrows"
        diagram.assume(own.offset, "\(own.id) is passed at once, since it has \(count) out of it")
      case .fork:
        let meets = meetsWithoutJoin(state)
        if !meets, leadsToRegions(state) { continue }
        let what = meets ? "meet without a join" : "lead to states of no regions"
        diagram.states[state].kind = .choice
        diagram.assume(own.offset, "the arrows out of \(own.id) \(what): one of them is taken, as at a choice")
      case .join where !isPassed, .choice where !isPassed:
        diagram.states[state].kind = .plain
        diagram.assume(own.offset, "\(own.id) is a state, since no arrow leads out of it")
      case .plain, .final, .choice, .join: break
      }
    }
  }

  /// Whether the arrows of a fork lead to states of different regions of one state, or all to states of one region.
  private func leadsToRegions(_ fork: Int) -> Bool {
    let paths = diagram.states[fork].arrows.prefix(64).compactMap(diagram.target(of:)).map(diagram.path(to:))
    if Set(paths).count == 1 { return true }
    return paths.indices.allSatisfy { place in
      paths[..<place].allSatisfy { other in
        guard let branch = zip(other, paths[place]).first(where: { $0 != $1 }) else { return false }
        return diagram.regions[branch.0].owner == diagram.regions[branch.1].owner
      }
    }
  }

  /// Whether two arrows of a fork lead to states of one region that lead to the same state without a join.
  private func meetsWithoutJoin(_ fork: Int) -> Bool {
    var room = 10_000
    guard let reached = diagram.branches(of: fork, &room)?.flatMap({ $0 }) else { return false }
    return Set(reached).count < reached.count || reached.contains(fork)
  }

  // MARK: Beginnings

  private mutating func completeStart(of region: Int) {
    let own = diagram.regions[region]
    if own.initials.isEmpty, let first = own.histories[false] ?? own.histories[true] {
      let arrow = diagram.arrows[first]
      diagram.assume(arrow.offset, "what begins here is what was active before")
      append(.edge(region: region), arrow.source, DiagramLabel(offset: arrow.offset), at: arrow.offset)
    }
    var known: Set<[Int]> = []
    let initials = diagram.regions[region].initials.filter { arrow in
      if likeness(of: arrow).map({ known.insert($0).inserted }) ?? true { return true }
      diagram.assume(arrow: arrow, "this arrow is there already", isFoundStrictly: true)
      return false
    }
    diagram.regions[region].initials = initials
    let isOpen = initials.count > 1 && initials.map { diagram.arrows[$0].label }.allSatisfy(\.isUnguarded)
    for arrow in initials {
      let own = diagram.arrows[arrow]
      if let remark = own.label.remark {
        if !isOpen {
          diagram.assume(remark.start, "\"\(remark.string)\" is a remark: what begins here is there from the start")
        } else if !isFormalTrigger(remark) {
          wait(arrow, for: name(ofWords: remark.string, otherwise: "event"))
        } else {
          var label = own.label
          try? triggers(remark, of: &label)
          if !label.isTimed { diagram.arrows[arrow].label.triggers = label.triggers }
        }
      }
      guard isOpen else { continue }
      if diagram.arrows[arrow].label.triggers.isEmpty { wait(arrow, for: eventName(to: own)) }
      if arrow == initials[0] {
        diagram.assume(own.offset, "there are \(initials.count) arrows from [*]: the start waits for the event of one")
      }
    }
  }

  /// Where no arrow says where states begin, it is with the first one to which nothing leads.
  private mutating func completeBeginnings() {
    guard diagram.regions.contains(where: { $0.initials.isEmpty }) else { return }
    var isReached = [Bool](repeating: false, count: diagram.states.count)
    for arrow in diagram.arrows {
      guard let target = arrow.target?.state else { continue }
      // What leads into a block leads to it.
      let owners = diagram.regions(around: diagram.states[target].home).compactMap { diagram.regions[$0].owner }
      let entered = [target] + owners.prefix { $0 != arrow.source.state }
      for state in entered where state != arrow.source.state { isReached[state] = true }
    }
    let members = diagram.members
    for region in diagram.regions.indices where diagram.regions[region].initials.isEmpty {
      guard let first = members[region].first, isReached[first],
        let start = members[region].first(where: {
          !isReached[$0] && diagram.states[$0].kind == .plain && !diagram.states[$0].arrows.isEmpty
        })
      else { continue }
      let place = diagram.states[start].offset
      let name = diagram.regions[region].owner.map { diagram.states[$0].id } ?? "the machine"
      diagram.assume(place, "\(name) begins in \(diagram.states[start].id), to which nothing leads")
      append(.edge(region: region), .state(start), DiagramLabel(offset: place), at: place)
    }
  }

  private mutating func completeHistories() {
    for arrow in diagram.arrows {
      guard let remark = arrow.label.remark else { continue }
      if case .edge = arrow.source { continue }
      diagram.assume(remark.start, "\"\(remark.string)\" is a remark: a history leads on at once")
    }
    for state in diagram.states.indices {
      let own = diagram.states[state]
      guard own.regions.isEmpty, !own.histories.isEmpty else { continue }
      diagram.assume(own.offset, "\(own.id) has no states in it: its history is the state itself")
      diagram.states[state].histories = Diagram.Histories()
    }
    for arrow in diagram.arrows.indices {
      if case .history(of: let state, isDeep: _)? = diagram.arrows[arrow].target, diagram.states[state].regions.isEmpty
      {
        diagram.arrows[arrow].target = .state(state)
      }
    }
  }

  // MARK: Events

  /// Puts the arrow with `else` after the others, without a guard of its own. At a choice the translation does.
  private mutating func moveElse(of state: Int) {
    let own = diagram.states[state]
    guard own.kind == .plain, own.arrows.contains(where: { diagram.arrows[$0].label.isElse }) else { return }
    let others = own.arrows.filter { diagram.arrows[$0].label.isElse }
    diagram.states[state].arrows = own.arrows.filter { !diagram.arrows[$0].label.isElse } + others
    for arrow in others {
      diagram.arrows[arrow].label.isElse = false
      diagram.arrows[arrow].label.isLast = true
      if diagram.arrows[arrow].label.triggers.isEmpty {
        let triggers = own.arrows.map { diagram.arrows[$0].label }.filter { !$0.isElse && !$0.isLast }.map(\.triggers)
        diagram.arrows[arrow].label.triggers = triggers.last { !$0.isEmpty } ?? []
      }
      diagram.assume(arrow: arrow, "else is taken if no other arrow of \(own.id) is")
    }
  }

  /// Makes it possible to take each of several arrows of a state that have the same event.
  ///
  /// One that is like an earlier one in all is left out, one without a guard comes after those with one, and of several
  /// without a guard each but the last has its target as a condition.
  private mutating func separate(_ state: Int) {
    let own = diagram.states[state]
    guard own.kind == .plain, own.arrows.count > 1 else { return }
    // Only those that lead somewhere by one event or timer.
    var groups: [String: [Int]] = [:]
    for arrow in own.arrows where diagram.arrows[arrow].target != nil && !diagram.arrows[arrow].label.isLast {
      let label = diagram.arrows[arrow].label
      guard label.triggers.count == 1 else { continue }
      switch label.triggers[0] {
      case .event(let name): groups[name.string + (label.samples?.text ?? ""), default: []].append(arrow)
      case .timer(let name, let nanoseconds, _):
        groups["after \(nanoseconds) \(name?.string ?? "")", default: []].append(arrow)
      }
    }
    var removed: Set<Int> = []
    // By the arrow that they come after.
    var moved: [Int: [Int]] = [:]
    for group in groups.values.filter({ $0.count > 1 }).sorted(by: { $0[0] < $1[0] }) {
      let open = group.filter { diagram.arrows[$0].label.condition == nil }
      var known: Set<[Int]> = []
      let kept = open.filter { arrow in
        if likeness(of: arrow).map({ known.insert($0).inserted }) ?? true { return true }
        let target = targetName(of: diagram.arrows[arrow])
        diagram.assume(
          arrow: arrow, "this arrow is there already: to \(target) by the same label", isFoundStrictly: true)
        removed.insert(arrow)
        return false
      }
      guard let last = kept.last, group.count > open.count || kept.count > 1 else { continue }
      if let guarded = group.last(where: { diagram.arrows[$0].label.condition != nil && $0 > last }) {
        diagram.assume(
          arrow: last, "the arrows with a guard come before this one, which has none", isFoundStrictly: true)
        moved[guarded] = kept
        removed.formUnion(kept)
      }
      for arrow in kept.dropLast() {
        diagram.arrows[arrow].label.condition = PlacedText(
          eventName(to: diagram.arrows[arrow]), at: diagram.arrows[arrow].offset)
        diagram.arrows[arrow].label.isAlternative = true
      }
    }
    if removed.isEmpty { return }
    diagram.states[state].arrows = own.arrows.flatMap { arrow in
      (removed.contains(arrow) ? [] : [arrow]) + (moved[arrow] ?? [])
    }
  }

  /// What arrows with one source and one label have in common that are the same; `nil` for one that is like no other.
  private func likeness(of arrow: Int) -> [Int]? {
    let actions = diagram.arrows[arrow].label.content.isEmpty ? 0 : 1
    return switch diagram.arrows[arrow].target {
    case .state(let state)?: [state, 0, actions]
    case .edge(let region)?: [region, 1, actions]
    case _: nil
    }
  }

  private mutating func wait(_ arrow: Int, for event: String) {
    diagram.arrows[arrow].label.triggers = [.event(PlacedText(event, at: diagram.arrows[arrow].offset))]
  }

  /// `toPaid` for an arrow to `paid`.
  private func eventName(to arrow: Diagram.Arrow) -> String {
    let target = targetName(of: arrow)
    return "to\(target.prefix(1).uppercased())\(target.dropFirst())"
  }

  private func targetName(of arrow: Diagram.Arrow) -> String {
    switch arrow.target {
    case .state(let state)?, .history(let state, _)?: diagram.states[state].id
    case .edge?: "end"
    case .regionHistory?, nil: "history"
    }
  }

  /// Whether an arrow is taken at once, whatever happens.
  private func isImmediate(_ arrow: Int) -> Bool {
    let own = diagram.arrows[arrow]
    let label = own.label
    // A region waits at a join without an event.
    return own.target != nil && label.triggers.isEmpty && label.isUnguarded && !label.isAlways && !label.isLast
      && !leadsToJoin(arrow)
  }

  private func leadsToJoin(_ arrow: Int) -> Bool {
    diagram.target(of: arrow).map { diagram.states[$0].kind == .join } ?? false
  }

  /// Whether each region of a state has an end, which arrows without an event wait for.
  func canEnd(_ state: Int) -> Bool {
    let regions = diagram.states[state].regions
    return !regions.isEmpty && regions.allSatisfy { diagram.regions[$0].hasFinal }
  }

  /// An event for arrows that would keep others from being taken, and for every arrow of a diagram that has no event.
  private mutating func completeEvents(of state: Int, _ hasEvents: Bool) {
    let own = diagram.states[state]
    // Where the regions wait in the states before a join, the join waits for the event, too.
    guard own.kind == .plain || own.kind == .join && !hasEvents else { return }
    let arrows = own.arrows.filter { arrow in
      hasEvents
        ? isImmediate(arrow)
        : diagram.arrows[arrow].target != nil && !diagram.arrows[arrow].label.isAlways && !leadsToJoin(arrow)
    }
    // The end of a block can be waited for by one arrow alone.
    guard let first = arrows.first, arrows.count > 1 || !canEnd(state) else { return }
    let events = arrows.map { eventName(to: diagram.arrows[$0]) }
    // `next` does for one, where neither the state nor states in its block may wait for it already.
    let isFree = own.regions.isEmpty && !own.arrows.contains { diagram.arrows[$0].label.firstWords == "next" }
    let event = arrows.count == 1 && isFree ? "next" : events[0]
    if !hasEvents {
      if !diagram.hasGivenEvents {
        diagram.assume(
          arrow: first,
          "no arrow has an event: each waits for next, or where a state has several, for to and its target")
      }
      diagram.hasGivenEvents = true
    } else if arrows.count > 1 {
      let names = events.distinct.joined(separator: ", ")
      diagram.assume(
        arrow: first, "\(own.id) has \(arrows.count) arrows without an event: they wait for \(names)",
        isFoundStrictly: true)
    } else if !own.regions.isEmpty || own.arrows.contains(where: { !diagram.arrows[$0].label.triggers.isEmpty }) {
      let reason =
        own.regions.isEmpty ? "\(own.id) waits for other events as well" : "the block of \(own.id) has no end"
      diagram.assume(arrow: first, "this arrow waits for \(event), since \(reason)")
    } else {
      return
    }
    for (arrow, name) in zip(arrows, events) { wait(arrow, for: arrows.count == 1 ? event : name) }
  }

  /// The arrows that close circles, each with its source.
  ///
  /// - Parameter arrows: Those out of a state that are followed, each of which leads to a state.
  private func closing(_ arrows: (_ state: Int) -> [Int]) -> [(source: Int, arrow: Int)] {
    var closing: [(source: Int, arrow: Int)] = []
    /// `nil` for a state that was not looked at, whether it is on the way for others.
    var isOnTheWay = [Bool?](repeating: nil, count: diagram.states.count)
    for start in diagram.states.indices where isOnTheWay[start] == nil {
      var way: [(state: Int, arrows: ArraySlice<Int>)] = []
      var next: Int? = start
      while next != nil || !way.isEmpty {
        if let state = next {
          isOnTheWay[state] = true
          way.append((state, arrows(state)[...]))
        }
        next = nil
        let (state, _) = way[way.count - 1]
        guard let arrow = way[way.count - 1].arrows.popFirst(), let target = diagram.target(of: arrow) else {
          isOnTheWay[state] = false
          way.removeLast()
          continue
        }
        if isOnTheWay[target] == nil { next = target }
        if isOnTheWay[target] == true { closing.append((state, arrow)) }
      }
    }
    return closing
  }

  /// An event for the arrows of circles that would be run through for ever.
  private mutating func completeCircles() {
    for (_, arrow) in closing({ state in immediate(of: state).map { [$0] } ?? [] }) {
      var state = diagram.target(of: arrow)
      var isTold = false
      while let own = state, let next = immediate(of: own) {
        if !isTold {
          diagram.assume(
            arrow: next, "the arrows of this circle have no event: each waits for next", isFoundStrictly: true)
        }
        isTold = true
        wait(next, for: "next")
        state = diagram.target(of: next)
      }
    }
  }

  /// The arrow that leads from a state to another one at once.
  private func immediate(of state: Int) -> Int? {
    let own = diagram.states[state]
    guard own.kind == .plain, own.regions.isEmpty, let arrow = own.arrows.first(where: isImmediate) else { return nil }
    return diagram.target(of: arrow) == nil ? nil : arrow
  }

  /// An event for the arrows that close circles through guards which nothing in the diagram makes false: they would be
  /// run through for ever. Circles through guards on data stay.
  private mutating func completeGuardedCircles() {
    let closing = closing { state in
      diagram.states[state].arrows.filter { arrow in
        let label = diagram.arrows[arrow].label
        return label.triggers.isEmpty && diagram.states[state].regions.isEmpty && diagram.target(of: arrow) != nil
          && (label.guardExpression == nil || !label.conditions.isEmpty)
      }
    }
    for (state, arrow) in closing where diagram.states[state].kind == .plain {
      let label = diagram.arrows[arrow].label
      if label.conditions.isEmpty { continue }
      let event = label.isAlternative ? eventName(to: diagram.arrows[arrow]) : "next"
      diagram.assume(
        arrow: arrow, "this arrow waits for \(event): its circle has guards only, and would never end",
        isFoundStrictly: true)
      wait(arrow, for: event)
    }
  }

  // MARK: Choices

  /// The last arrow with words, or one without a guard, is the other case.
  private mutating func completeChoice(_ state: Int) {
    let own = diagram.states[state]
    let hasElse = own.arrows.contains { diagram.arrows[$0].label.isElse }
    var open = own.arrows.filter { diagram.arrows[$0].label.isUnguarded }
    if !hasElse, let last = open.popLast() {
      diagram.arrows[last].label.isElse = own.arrows.count > 1
    } else if !hasElse, let last = own.arrows.last, diagram.arrows[last].label.isWorded {
      var label = diagram.arrows[last].label
      let words = label.condition?.string ?? ""
      (label.condition, label.expression, label.conditions) = (nil, nil, [])
      label.isElse = own.arrows.count > 1
      diagram.arrows[last].label = label
      diagram.assume(arrow: last, "\"\(words)\" is the other case of the choice \(own.id)")
    }
    for arrow in open {
      let own = diagram.arrows[arrow]
      resolve(PlacedText(eventName(to: own), at: own.offset), of: arrow, at: diagram.states[state].id)
    }
  }

  // MARK: Data

  /// Declares the variables that actions have and nothing declares.
  private mutating func declareData() {
    var declared = Set(diagram.data.map(\.name.string))
    for arrow in diagram.arrows { declared.formUnion(arrow.label.conditions.map(\.name)) }
    for arrow in diagram.arrows { declare(arrow.label.content, &declared) }
    for state in diagram.states { for content in state.entries + state.exits { declare(content, &declared) } }
    for arrow in diagram.arrows {
      var symbols = SymbolTable()
      if let expression = arrow.label.guardExpression { _ = try? Parser.expression(expression, &symbols) }
      for name in symbols.names { declare(name, "0", arrow.label.condition?.start ?? arrow.offset, &declared) }
    }
  }

  private mutating func declare(_ content: [XMLDocument.Node], _ declared: inout Set<String>) {
    for node in content {
      var codes: [Code] = []
      var symbols = SymbolTable()
      switch node.content {
      case .text(let script): if let code = try? Parser.script(script, &symbols) { codes.append(code) }
      case .element(let element):
        if element.name == "foreach" { declared.formUnion([element["item"], element["index"]].compactMap(\.self)) }
        for (name, value) in element.attributes where ["expr", "location", "cond", "array"].contains(name) {
          if let code = try? Parser.expression(value, &symbols) { codes.append(code) }
        }
      }
      for case .declare(let slot, _) in codes.flatMap(\.nodes) { declared.insert(symbols.names[slot]) }
      for code in codes {
        for case .member(let object, let key) in code.nodes {
          guard case .variable(let slot) = code.nodes[Int(object)], case .string(let member) = code.constants[key]
          else {
            continue
          }
          let isList = ["push", "pop", "shift", "unshift", "length", "splice", "concat"].contains(member)
          declare(symbols.names[slot], isList ? "[]" : "{}", node.position.offset, &declared)
        }
      }
      for name in symbols.names { declare(name, "0", node.position.offset, &declared) }
    }
  }

  private mutating func declare(_ name: String, _ value: String, _ offset: Int, _ declared: inout Set<String>) {
    guard declared.insert(name).inserted else { return }
    diagram.data.append(Diagram.Data(name: PlacedText(name, at: offset), value: PlacedText(value, at: offset)))
    diagram.assume(offset, "nothing declares \(name): it begins as \(value)", isFoundStrictly: true)
  }
}
