import LineProtocol

/// Turns a diagram into the document of SCXML that it stands for, as `Docs/StatechartMermaid.md` has it in a table. The
/// places of its nodes are those of the diagram.
struct DiagramTranslation {
  var diagram: Diagram
  private let reading: DiagramReading
  /// Data of events that guards ask for, as JSON.
  private(set) var eventData: [String: [String]] = [:]
  /// The events that stand for `after` without a name.
  private(set) var timerEvents: Set<String> = []
  private var builder: XMLBuilder
  private let pace: ReadingPace
  private var members: [[Int]] = []
  private var stateNames = Prose.Names()
  /// The ids of regions, of their ends, and of what they begin with if that is not one state.
  private var regionIDs: [String] = []
  private var finalIDs: [String] = []
  /// Whether a region is its only state.
  private var isSingle: [Bool] = []
  private var startIDs: [String] = []
  /// The states in which regions wait for a join, by the region that they are in.
  private var waiting: [Int: [(id: String, offset: Int)]] = [:]
  /// The waiting state of an arrow to a join.
  private var waitingOfArrow: [Int: String] = [:]
  /// Whether each region of a state has an end, as far as that was asked for.
  private var ends: [Int: Bool] = [:]
  /// How many arrows may still be followed to find what forks lead to.
  private var followed = 1_000_000
  /// The conditions of the state's arrows that were written, as these are not taken.
  private var otherFlags: [(key: String, text: String)] = []
  /// What joins lead to, by the state with the regions.
  private var joins: [Int: [Join]] = [:]

  private struct Join {
    var condition: String
    var content: [XMLDocument.Node]
    var arrow: Int
    var offset: Int
  }

  /// - Parameter most: How many elements and texts the document may have.
  init(_ diagram: Diagram, _ reading: DiagramReading, most: Int, _ pace: ReadingPace) {
    self.diagram = diagram
    self.reading = reading
    self.pace = pace
    builder = XMLBuilder(most: most)
  }

  /// The nodes of the document; none if the diagram has mistakes that leave nothing to be translated.
  mutating func nodes() -> [XMLDocument.Node] {
    findEnds()
    for state in diagram.states.indices where diagram.states[state].kind == .fork { split(state) }
    members = diagram.members
    stateNames = Prose.Names(taken: Set(diagram.states.map(\.id)))
    if reading == .free { dropEmptyRegions() }
    var incoming: [Int: [Int]] = [:]
    for arrow in diagram.arrows.indices {
      if let target = diagram.target(of: arrow) { incoming[target, default: []].append(arrow) }
    }
    for state in diagram.states.indices where diagram.states[state].kind == .join {
      prepareJoin(state, incoming[state] ?? [])
    }
    nameRegions()
    for state in diagram.states.indices where pace.mayGoOn() { check(state) }
    guard !diagram.states.isEmpty else {
      diagram.error(0, "there is no state")
      return []
    }
    var attributes: [XMLBuilder.Attribute] = [("version", "1.0", 0), ("datamodel", "ecmascript", 0)]
    if let initial = plainInitial(of: 0) { attributes.append(initial) }
    builder.begin("scxml", attributes, at: 0)
    if !diagram.data.isEmpty || !diagram.conditions.isEmpty {
      builder.begin("datamodel", at: diagram.data.first?.name.start ?? 0)
      for data in diagram.data {
        let value = data.value.map { [$0.attribute("expr")] } ?? []
        builder.empty("data", [data.name.attribute("id")] + value, at: data.name.start)
      }
      for condition in diagram.conditions {
        let value = condition.form.otherwise
        let attributes: [XMLBuilder.Attribute] = [
          ("id", condition.name, 0), ("expr", condition.form.isNumber ? value : DiagramReader.quoted(value), 0),
        ]
        builder.empty("data", attributes, at: 0)
      }
      builder.end()
    }
    content(of: 0)
    builder.end()
    if builder.isFull {
      diagram.error(0, "the diagram stands for more than \(builder.most) elements and texts")
      return []
    }
    return builder.nodes
  }

  /// Leaves out regions without states, which people begin or end a block with.
  private mutating func dropEmptyRegions() {
    for state in diagram.states.indices where diagram.states[state].regions.count > 1 {
      let regions = diagram.states[state].regions
      let kept = regions.filter { !members[$0].isEmpty }
      guard kept.count < regions.count, let first = regions.first else { continue }
      diagram.states[state].regions = kept.isEmpty ? [first] : kept
      diagram.assume(
        diagram.regions[regions.first { members[$0].isEmpty } ?? first].offset, "this region has no states")
    }
  }

  // MARK: Names

  /// The states that no author has named.
  var helpers: Set<String> { Set(startIDs + finalIDs + waitingOfArrow.values) }

  private mutating func nameRegions() {
    // Which of its state's regions each one is.
    var places = [Int](repeating: 0, count: diagram.regions.count)
    for state in diagram.states { for (place, region) in state.regions.enumerated() { places[region] = place } }
    for region in diagram.regions.indices {
      var id = ""
      var single: Int?
      if let owner = diagram.regions[region].owner {
        id = diagram.states[owner].id
        if diagram.states[owner].regions.count > 1 {
          single = only(of: region)
          id = single.map { diagram.states[$0].id } ?? stateNames.new(like: "\(id)_\(places[region] + 1)")
        }
      }
      isSingle.append(single != nil)
      regionIDs.append(id)
      finalIDs.append(
        diagram.regions[region].hasFinal ? stateNames.new(like: id.isEmpty ? "final" : "\(id)_final") : "")
    }
    startIDs = [String](repeating: "", count: diagram.regions.count)
    for region in diagram.regions.indices where !isPlainInitial(region) {
      startIDs[region] = stateNames.new(like: region == 0 ? "start" : "\(regionIDs[region])_start")
    }
  }

  /// The state that a region consists of, if it is no more than that.
  private func only(of region: Int) -> Int? {
    let own = diagram.regions[region]
    guard members[region].count == 1, let state = members[region].first, diagram.states[state].kind == .plain,
      !own.hasFinal, own.histories.isEmpty, isPlainInitial(region), waiting[region] == nil,
      own.initials.allSatisfy({ diagram.arrows[$0].label.isEmpty })
    else { return nil }
    return state
  }

  /// Whether a region begins with one transition that `<initial>` can have.
  private func isPlainInitial(_ region: Int) -> Bool {
    let initials = diagram.regions[region].initials
    guard let first = initials.first else { return true }
    let label = diagram.arrows[first].label
    // No fork on the way has actions.
    return initials.count == 1 && label.triggers.isEmpty && label.isUnguarded
      && (region > 0 || label.content.isEmpty && targets(of: first).actions.isEmpty)
  }

  private mutating func plainInitial(of region: Int) -> XMLBuilder.Attribute? {
    guard startIDs[region].isEmpty, let first = diagram.regions[region].initials.first else { return nil }
    let (ids, actions) = targets(of: first)
    guard diagram.arrows[first].label.content.isEmpty, actions.isEmpty, !ids.isEmpty else { return nil }
    return ("initial", ids.joined(separator: " "), diagram.arrows[first].targetOffset)
  }

  // MARK: Ends

  /// A state that does nothing but end its region is the end.
  private mutating func findEnds() {
    for region in diagram.regions.indices { diagram.regions[region].hasFinal = false }
    for (number, arrow) in diagram.arrows.enumerated() {
      guard case .edge(let region)? = arrow.target else { continue }
      if let source = arrow.source.state, diagram.states[source].home == region, arrow.label.isEmpty,
        diagram.states[source].arrows == [number], diagram.states[source].regions.isEmpty,
        diagram.states[source].kind == .plain
      {
        diagram.states[source].kind = .final
      } else {
        diagram.regions[region].hasFinal = true
      }
    }
  }

  // MARK: Forks

  /// A fork of states that are not in regions stands for a state with a region for each arrow, with all states that
  /// can be reached in it before a join.
  private mutating func split(_ fork: Int) {
    let branches = diagram.states[fork].arrows
    guard branches.count > 1, let branchStates = diagram.branches(of: fork, &followed),
      branchStates.count == branches.count, diagram.states[branchStates[0][0]].home == diagram.states[fork].home,
      branches.map({ diagram.arrows[$0].label }).allSatisfy({ $0.triggers.isEmpty && $0.isUnguarded })
    else { return }
    let all = branchStates.flatMap { $0 }
    guard Set(all).count == all.count, !all.contains(fork) else { return }
    diagram.states[fork].kind = .plain
    diagram.states[fork].arrows = []
    for (arrow, states) in zip(branches, branchStates) {
      let region = diagram.regions.count
      diagram.regions.append(Diagram.Region(owner: fork, offset: diagram.arrows[arrow].offset))
      diagram.states[fork].regions.append(region)
      diagram.arrows[arrow].source = .edge(region: region)
      diagram.regions[region].initials = [arrow]
      for state in states { diagram.states[state].home = region }
    }
  }

  // MARK: Joins

  private mutating func prepareJoin(_ join: Int, _ incoming: [Int]) {
    let own = diagram.states[join]
    let before = (waiting, waitingOfArrow)
    guard own.arrows.count == 1 else {
      if own.isFaulty { return }
      return diagram.error(own.offset, "a join has one arrow out of it; \(own.id) has \(own.arrows.count)")
    }
    let outgoing = diagram.arrows[own.arrows[0]]
    // A region waits in the state itself, or in one of its own if an event leads to the join.
    var parts: [(region: [Int], id: String, condition: String)] = []
    var content = XMLBuilder()
    for arrow in incoming {
      guard let source = diagram.arrows[arrow].source.state, diagram.states[source].kind != .fork else {
        if reading == .strict { diagram.error(diagram.arrows[arrow].offset, "only states lead to a join") }
        continue
      }
      let label = diagram.arrows[arrow].label
      var part = (region: diagram.path(to: source), id: diagram.states[source].id, condition: "")
      if label.triggers.isEmpty, diagram.states[source].kind == .plain, diagram.states[source].regions.isEmpty {
        if let condition = label.guardExpression { part.condition = " && (\(condition))" }
        content.append(label.content)
      } else {
        part.id = stateNames.new(like: "\(own.id)_\(waitingOfArrow.count + 1)")
        waitingOfArrow[arrow] = part.id
        waiting[diagram.states[source].home, default: []].append((part.id, diagram.arrows[arrow].offset))
      }
      parts.append(part)
    }
    var shared = parts.first?.region ?? []
    for part in parts { shared = Array(zip(shared, part.region).prefix { $0 == $1 }.map(\.0)) }
    let branches = Dictionary(grouping: parts) { $0.region.count > shared.count ? $0.region[shared.count] : -1 }
    let owners = Set(branches.keys.map { $0 < 0 ? -1 : diagram.regions[$0].owner ?? -1 })
    guard branches.count > 1, owners.count == 1, let owner = owners.first, owner >= 0 else {
      let names = parts.prefix(2).map(\.id).joined(separator: " and ")
      if reading == .free {
        (waiting, waitingOfArrow) = before
        diagram.states[join].kind = .choice
        for arrow in own.arrows where !diagram.arrows[arrow].label.triggers.isEmpty {
          diagram.arrows[arrow].label.triggers = []
          if diagram.hasGivenEvents { continue }
          diagram.assume(arrow: arrow, "the event out of \(own.id) is a remark")
        }
        return diagram.assume(own.offset, "\(own.id) joins no regions (--) of one state, so it is passed at once")
      }
      if own.isFaulty { return }
      return diagram.error(
        own.offset,
        parts.count < 2
          ? "a join has two arrows to it at least"
          : "\(names) are not active together: the states before a join are in regions (--) of one state")
    }
    var conditions = branches.sorted { $0.key < $1.key }.map { _, parts in
      let all = parts.map { "In('\($0.id)')\($0.condition)" }.joined(separator: " || ")
      return parts.count > 1 || !(parts[0].condition.isEmpty) ? "(\(all))" : all
    }
    if let condition = outgoing.label.guardExpression { conditions.append("(\(condition))") }
    joins[owner, default: []].append(
      Join(
        condition: conditions.joined(separator: " && "), content: content.nodes, arrow: own.arrows[0],
        offset: own.offset))
  }

  // MARK: Checks

  private mutating func check(_ state: Int) {
    let own = diagram.states[state]
    let name = own.id
    if own.kind != .plain, own.kind != .final, !own.entries.isEmpty || !own.exits.isEmpty || !own.regions.isEmpty {
      diagram.error(own.offset, "a choice, fork or join is no state: it has no entry, no exit and no block")
    }
    for place in own.arrows {
      let arrow = diagram.arrows[place]
      let label = arrow.label
      if own.kind != .plain, own.kind != .final, arrow.target == nil {
        diagram.error(arrow.offset, "a choice, fork or join handles no events")
      }
      if label.isElse, own.kind != .choice {
        diagram.error(
          arrow.offset, "[else] belongs to a choice", hint: ": write state \(name) <<choice>>, or a guard", isOpen: true
        )
      }
      if !label.triggers.isEmpty, own.kind == .choice || own.kind == .fork {
        if own.kind == .choice {
          diagram.error(
            arrow.offset, DiagramReader.choiceMistake, hint: DiagramReader.choiceHint(label.firstWords))
        } else {
          diagram.error(
            arrow.offset, "an arrow out of a fork is taken at once and has no event", hint: "; leave the label away")
        }
      }
      if label.condition != nil, own.kind == .fork {
        diagram.error(arrow.offset, "all arrows out of a fork are taken, so they have no guards")
      }
    }
    switch own.kind {
    case .plain, .final: break
    case .choice:
      let labels = own.arrows.map { diagram.arrows[$0].label }
      if labels.isEmpty {
        if own.isFaulty { break }
        diagram.error(own.offset, "the choice \(name) has no arrow out of it")
      } else if !labels.contains(where: { $0.isElse || $0.condition == nil }), !Self.isExhaustive(labels) {
        diagram.warn(own.offset, "the machine stays in the choice \(name) if no guard is true; write one with [else]")
      }
    case .fork:
      if own.arrows.count < 2, !own.isFaulty {
        diagram.error(own.offset, "a fork has two arrows out of it at least; \(name) has \(own.arrows.count)")
      }
    case .join: break
    }
    for region in own.regions where members[region].isEmpty && own.regions.count > 1 {
      diagram.error(diagram.regions[region].offset, "this region of \(name) has no states")
    }
    if !own.histories.isEmpty, own.regions.isEmpty {
      diagram.error(own.offset, "\(name) has no states in it, so its history has nothing to remember")
    }
  }

  /// Whether one of the guards is true whatever holds, since one denies another.
  private static func isExhaustive(_ labels: [DiagramLabel]) -> Bool {
    let guards = Set(labels.compactMap(\.guardExpression))
    return guards.contains { guards.contains("!\($0)") || guards.contains("!(\($0))") }
  }

  // MARK: Content

  /// Writes what is in a region.
  private mutating func content(of region: Int) {
    beginning(of: region)
    let initials = diagram.regions[region].initials
    if !startIDs[region].isEmpty {
      // Entered first, and left at once.
      builder.begin("state", [("id", startIDs[region], nil)], at: diagram.arrows[initials[0]].offset)
      choice(initials)
      builder.end()
    } else if initials.isEmpty, members[region].count > 1, let first = firstState(of: region) {
      let name = diagram.states[first].id
      diagram.warn(
        diagram.states[first].offset,
        "\(region == 0 ? "the machine" : regionIDs[region]) begins in \(name), its first state; write [*] --> \(name)")
    }
    for state in members[region] { self.state(state) }
    for (id, offset) in waiting[region] ?? [] { builder.empty("state", [("id", id, nil)], at: offset) }
    if !finalIDs[region].isEmpty {
      builder.empty("final", [("id", finalIDs[region], nil)], at: diagram.regions[region].offset)
    }
    histories(of: region)
  }

  private mutating func state(_ number: Int) {
    guard pace.mayGoOn() else { return }
    let own = diagram.states[number]
    switch own.kind {
    case .fork, .join: return
    case .final:
      builder.begin("final", [("id", own.id, own.offset)], at: own.offset)
      blocks("onentry", own.entries, own.offset)
      blocks("onexit", own.exits, own.offset)
      return builder.end()
    case .choice:
      builder.begin("state", [("id", own.id, own.offset)], at: own.offset)
      choice(own.arrows)
      return builder.end()
    case .plain: break
    }
    let isParallel = own.regions.count > 1
    var attributes: [XMLBuilder.Attribute] = [("id", own.id, own.offset)]
    if let only = own.regions.first, !isParallel, let initial = plainInitial(of: only) { attributes.append(initial) }
    builder.begin(isParallel ? "parallel" : "state", attributes, at: own.offset)
    blocks("onentry", own.entries, own.offset)
    let timers = timers(of: number)
    if !timers.isEmpty {
      builder.begin("onentry", at: own.offset)
      for timer in timers { timer.start(in: &builder) }
      builder.end()
    }
    blocks("onexit", own.exits, own.offset)
    if !timers.isEmpty {
      builder.begin("onexit", at: own.offset)
      for timer in timers { builder.empty("cancel", [("sendid", timer.id, nil)], at: timer.offset) }
      builder.end()
    }
    otherFlags = []
    for arrow in own.arrows { transition(arrow, of: number) }
    for join in joins[number] ?? [] { self.join(join) }
    if isParallel {
      for region in own.regions {
        if isSingle[region] {
          state(members[region][0])
          continue
        }
        var attributes: [XMLBuilder.Attribute] = [("id", regionIDs[region], nil)]
        if let initial = plainInitial(of: region) { attributes.append(initial) }
        builder.begin("state", attributes, at: diagram.regions[region].offset)
        content(of: region)
        builder.end()
      }
      histories(own.id, [own.histories], otherwise: own.regions.map { regionIDs[$0] }, own.offset)
    } else if let only = own.regions.first {
      content(of: only)
    }
    builder.end()
  }

  private mutating func blocks(_ name: String, _ blocks: [[XMLDocument.Node]], _ offset: Int) {
    for block in blocks {
      builder.begin(name, at: block.first?.position.offset ?? offset)
      builder.append(block)
      builder.end()
    }
  }

  /// `<initial>` with actions.
  private mutating func beginning(of region: Int) {
    guard startIDs[region].isEmpty, let first = diagram.regions[region].initials.first else { return }
    let (ids, actions) = targets(of: first)
    let own = diagram.arrows[first]
    if own.label.content.isEmpty, actions.isEmpty { return }
    builder.begin("initial", at: own.offset)
    transition([("target", ids.joined(separator: " "), own.targetOffset)], at: own.offset, own.label.content, actions)
    builder.end()
  }

  /// Writes a transition with content, and that of arrows out of forks.
  private mutating func transition(
    _ attributes: [XMLBuilder.Attribute], at offset: Int, condition: String? = nil, _ content: [XMLDocument.Node],
    _ actions: [Int]
  ) {
    builder.begin("transition", attributes, at: offset, condition: condition)
    builder.append(content)
    for arrow in actions { builder.append(diagram.arrows[arrow].label.content) }
    builder.end()
  }

  /// Eventless transitions, those without a guard and the one with `else` last.
  private mutating func choice(_ arrows: [Int]) {
    let guarded = arrows.filter { diagram.arrows[$0].label.condition != nil }
    let ordered = guarded + arrows.filter { diagram.arrows[$0].label.condition == nil }
    otherFlags = []
    // Those of a diagram that begins in one of several ways have events.
    for arrow in ordered { write(arrow, events: diagram.arrows[arrow].label.events, of: nil) }
  }

  private struct Timer {
    var event: String
    var id: String
    var delay: String
    var offset: Int

    func start(in builder: inout XMLBuilder) {
      builder.empty("send", [("event", event, offset), ("id", id, nil), ("delay", delay, offset)], at: offset)
    }
  }

  /// The timers that run in a state, each once.
  private mutating func timers(of state: Int) -> [Timer] {
    var all: [Timer] = []
    var ids: Set<String> = []
    for arrow in diagram.states[state].arrows {
      for case .timer(let name, let nanoseconds, let offset) in diagram.arrows[arrow].label.triggers {
        let timer = timer(of: state, name, nanoseconds, offset)
        if name == nil { timerEvents.insert(timer.event) }
        // Pictures have the author's words.
        if let text = diagram.timerTexts[offset] { diagram.eventTexts["\(timer.id) "] = text }
        if ids.insert(timer.id).inserted { all.append(timer) }
      }
    }
    return all
  }

  private func timer(of state: Int, _ name: PlacedText?, _ nanoseconds: Int64, _ offset: Int) -> Timer {
    let delay = DiagramReader.delay(nanoseconds)
    let id = "\(diagram.states[state].id).\(name?.string ?? "after").\(delay)"
    return Timer(event: name?.string ?? id, id: id, delay: delay, offset: offset)
  }

  private mutating func transition(_ arrow: Int, of state: Int) {
    let own = diagram.arrows[arrow]
    var events = own.label.triggers.map { trigger in
      switch trigger {
      case .event(let name): name.string
      case .timer(let name, let nanoseconds, let offset): timer(of: state, name, nanoseconds, offset).event
      }
    }
    // An `every` within a state starts its own timer again, first of all, in a transition of its own. An arrow that
    // enters the state starts it anyway.
    for case .timer(let name, let nanoseconds, let offset) in own.label.triggers
    where own.target == nil && Prose.isRepeated(diagram.timerTexts[offset] ?? "") {
      let timer = timer(of: state, name, nanoseconds, offset)
      write(arrow, events: [timer.event], of: state, starting: timer)
      events.removeAll { $0 == timer.event }
      if events.isEmpty { return }
    }
    if events.isEmpty, own.target != nil, !own.label.isAlways, canEnd(state) {
      events = ["done.state.\(diagram.states[state].id)"]
    }
    if events.isEmpty, own.target == nil, own.label.condition == nil {
      return diagram.error(own.offset, "an internal transition has an event, as in press / beep")
    }
    if let target = own.target?.state, diagram.states[target].kind == .join, waitingOfArrow[arrow] == nil { return }
    write(arrow, events: events, of: state)
  }

  /// Whether each region of a state has an end.
  private mutating func canEnd(_ state: Int) -> Bool {
    if let known = ends[state] { return known }
    let regions = diagram.states[state].regions
    var canEnd = !regions.isEmpty
    for region in regions where canEnd {
      canEnd =
        diagram.regions[region].hasFinal || members[region].contains { diagram.states[$0].kind == .final }
        || isSingle[region] && self.canEnd(members[region][0])
    }
    ends[state] = canEnd
    return canEnd
  }

  private mutating func write(_ arrow: Int, events: [String], of state: Int?, starting timer: Timer? = nil) {
    let own = diagram.arrows[arrow]
    var content = XMLBuilder()
    timer?.start(in: &content)
    content.append(own.label.content)
    var attributes: [XMLBuilder.Attribute] = []
    let names = events.distinct
    if !names.isEmpty { attributes.append(("event", names.joined(separator: " "), own.offset)) }
    let samples = own.label.samples
    if let condition = own.label.condition, let expression = own.label.guardExpression {
      attributes.append(
        ("cond", samples.map { "(\($0.expression)) && (\(expression))" } ?? expression, condition.start))
    } else if let samples {
      attributes.append(("cond", samples.expression, own.offset))
    }
    note(own.label, of: names)
    let (ids, actions) = own.target == nil ? ([], []) : targets(of: arrow)
    let isLoop = own.target != nil && own.target?.state == state
    if own.label.isInternal {
      if !isLoop, own.target != nil, !leadsInside(own, state) {
        diagram.error(own.offset, "only an arrow from a state to itself or to a state within it is internal")
      }
      if !isLoop { attributes.append(("type", "internal", own.offset)) }
    }
    if !ids.isEmpty, !(own.label.isInternal && isLoop) {
      attributes.append(("target", ids.joined(separator: " "), own.targetOffset))
    }
    var written: String?
    if own.label.samples != nil || own.label.expression != nil {
      written = (samples?.text ?? "") + (own.label.condition.map { "[\($0.string)]" } ?? "")
    }
    transition(attributes, at: own.offset, condition: written, content.nodes, actions)
  }

  /// Notes the data that the events of an arrow are tried with.
  private mutating func note(_ label: DiagramLabel, of events: [String]) {
    var data = label.samples?.data ?? []
    // The other case of several conditions needs all of them to be otherwise.
    otherFlags += label.conditions.compactMap { condition in
      condition.form.opposite.map { (key: condition.name, text: $0) }
    }
    otherFlags.removeFirst(max(0, otherFlags.count - Self.mostSamples))
    if otherFlags.count > 1, let text = ChartData.text(of: otherFlags) { data.append(text) }
    var values = label.valuesOfConditions
    for condition in label.conditions where !values.contains(where: { $0.count == 1 && $0[0].key == condition.name }) {
      switch condition.form {
      case .flag: values.append([(condition.name, "off")])
      case .denied: values.append([(condition.name, "on")])
      case .number, .limit: values += [[(condition.name, "1000")], [(condition.name, "-1000")]]
      case .text: values.append([(condition.name, "x")])
      }
    }
    data += values.compactMap { ChartData.text(of: $0) }
    // What an arrow without an event asks, every event can answer.
    for event in events.isEmpty ? [""] : events where eventData[event]?.count ?? 0 < Self.mostSamples {
      eventData[event, default: []] += data.prefix(Self.mostSamples)
    }
  }

  /// The data that an event is tried with.
  private static let mostSamples = 12

  /// Whether an arrow leads to a state or history within its source; forks are not looked into.
  private func leadsInside(_ arrow: Diagram.Arrow, _ state: Int?) -> Bool {
    switch arrow.target {
    case .state(let target)?: diagram.states[target].kind == .fork || isState(target, within: state)
    case .history(let target, _)?: target == state || isState(target, within: state)
    case .edge, .regionHistory, nil: false
    }
  }

  private func isState(_ inner: Int, within outer: Int?) -> Bool {
    outer.map { diagram.isState(inner, within: $0) } ?? false
  }

  private mutating func join(_ join: Join) {
    let own = diagram.arrows[join.arrow]
    let (ids, actions) = targets(of: join.arrow)
    var attributes: [XMLBuilder.Attribute] = [
      ("cond", join.condition, join.offset), ("target", ids.joined(separator: " "), own.targetOffset),
    ]
    let events = own.label.events
    if !events.isEmpty { attributes.insert(("event", events.joined(separator: " "), own.offset), at: 0) }
    transition(attributes, at: join.offset, join.content, [join.arrow] + actions)
  }

  /// The ids that an arrow leads to, and the arrows out of forks on the way that have actions.
  private func targets(of arrow: Int) -> (ids: [String], actions: [Int]) {
    var ids: [String] = []
    var actions: [Int] = []
    var seen: Set<Int> = []
    func follow(_ arrow: Int) {
      // More than this no transition has, and a fork has two targets at least.
      guard ids.count <= 64, seen.count <= 64 else { return }
      switch diagram.arrows[arrow].target {
      case nil: break
      case .edge(let region)?: ids.append(finalIDs[region])
      case .history(let state, let isDeep)?: ids.append(diagram.states[state].id + (isDeep ? "[H*]" : "[H]"))
      case .regionHistory(let region, let isDeep)?: ids.append(regionIDs[region] + (isDeep ? "[H*]" : "[H]"))
      case .state(let target)?:
        switch diagram.states[target].kind {
        case .plain, .final, .choice: ids.append(diagram.states[target].id)
        case .join: if let id = waitingOfArrow[arrow] { ids.append(id) }
        case .fork:
          guard seen.insert(target).inserted else { return }
          for branch in diagram.states[target].arrows.prefix(1_000) {
            if !diagram.arrows[branch].label.content.isEmpty { actions.append(branch) }
            follow(branch)
          }
        }
      }
    }
    follow(arrow)
    return (ids, actions)
  }

  // MARK: Histories

  private mutating func histories(of region: Int) {
    guard let owner = diagram.regions[region].owner else { return }
    let own = diagram.regions[region]
    // A block without regions is the whole state.
    let whole = diagram.states[owner].regions.count == 1 ? [diagram.states[owner].histories] : []
    histories(regionIDs[region], [own.histories] + whole, otherwise: initialIDs(of: region), own.offset)
  }

  /// Writes the histories of a state that have one of several names in the diagram.
  private mutating func histories(_ id: String, _ all: [Diagram.Histories], otherwise: [String], _ offset: Int) {
    for isDeep in [false, true] where all.contains(where: { $0.contains(isDeep: isDeep) }) {
      let given = all.lazy.compactMap { $0[isDeep] }.first
      let arrow = given.map { diagram.arrows[$0] }
      let place = arrow?.offset ?? offset
      let (ids, actions) = given.map(targets(of:)) ?? (otherwise, [])
      let label = arrow?.label ?? DiagramLabel()
      if !label.triggers.isEmpty || label.condition != nil {
        diagram.error(place, "the arrow of a history is taken at once and has no event and no guard")
      }
      var attributes: [XMLBuilder.Attribute] = [("id", id + (isDeep ? "[H*]" : "[H]"), nil)]
      if isDeep { attributes.append(("type", "deep", nil)) }
      builder.begin("history", attributes, at: place)
      transition([("target", ids.joined(separator: " "), arrow?.targetOffset)], at: place, label.content, actions)
      builder.end()
    }
  }

  /// What a region begins in.
  private func initialIDs(of region: Int) -> [String] {
    if !startIDs[region].isEmpty { return [startIDs[region]] }
    if let first = diagram.regions[region].initials.first { return targets(of: first).ids }
    return firstState(of: region).map { [diagram.states[$0].id] } ?? [finalIDs[region]].filter { !$0.isEmpty }
  }

  private func firstState(of region: Int) -> Int? {
    members[region].first { diagram.states[$0].kind != .fork && diagram.states[$0].kind != .join }
  }
}
