import LineProtocol

extension Definition {
  /// The document as a state diagram of Mermaid or PlantUML, which can be loaded again.
  ///
  /// - Parameters:
  ///   - notation: There is none of XState.
  ///   - machine: Its active states are filled.
  ///   - head: Lines for the looks, after the first one.
  /// - Returns: The text, and what a diagram cannot say and the text leaves out. If that is empty, the diagram behaves as
  ///   the document does.
  public func stateDiagram(
    _ notation: DiagramNotation = .mermaid, marking machine: RunningChart? = nil, head: [String] = []
  ) -> (text: String, omissions: [String]) {
    var writer = ChartDiagram(self, notation)
    let text = writer.text(marking: machine, head: head)
    return (text, writer.omissions)
  }
}

/// Writes a chart as a state diagram with formal labels.
struct ChartDiagram {
  private let notation: DiagramNotation
  let chart: Chart
  /// The names of the states in the diagram.
  private var names: [String] = []
  let ids: [String]
  private(set) var omissions: [String] = []
  private var lines: [String] = []
  /// Lines that stand after all blocks: arrows between states of different blocks.
  private var outside: [String] = []
  private var forks = 0
  /// Whether what is written is not read again.
  private let isPicture: Bool
  /// The names of the states whose ids are none in a diagram, by id.
  private var renamed: [String: String] = [:]
  /// The names of deep histories in PlantUML, of which older releases take no arrow from or to `a[H*]`.
  private var deepHistories: [Int: String] = [:]
  private let awaited: Set<EventNames.Descriptor>
  /// The states that are filled.
  private var active: Set<Int> = []

  init(_ definition: Definition, _ notation: DiagramNotation = .mermaid, isPicture: Bool = false) {
    self.notation = notation
    self.isPicture = isPicture
    chart = definition.charts[0].chart
    awaited = Set(chart.descriptors)
    var unnamed = 0
    var ids: [String] = []
    for id in chart.ids.dropFirst() {
      if id == nil { unnamed += 1 }
      ids.append(id ?? "_\(unnamed)")
    }
    self.ids = [""] + ids
    var taken = Set(ids)
    names = zip(chart.states, self.ids).map { state, id in
      // That of a history is made of its parent's.
      if state.history != Chart.none { return id }
      if id.utf8.allSatisfy(DiagramReader.isPartOfName), !DiagramReader.isKeyword(id) { return id }
      var name = DiagramReader.plainName(id)
      while DiagramReader.isKeyword(name) || !taken.insert(name).inserted { name += "_" }
      return name
    }
    for (id, name) in zip(self.ids, names) where id != name { renamed[id] = name }
    guard notation == .plantuml else { return }
    for (state, own) in chart.states.enumerated() where own.kind == .deepHistory {
      var name = names[Int(own.parent)] + "_history"
      while !taken.insert(name).inserted { name += "_" }
      deepHistories[state] = name
    }
  }

  /// Notes an omission; returns nil for use in `return`.
  @discardableResult
  private mutating func omit(_ what: String, _ line: Chart.Index? = nil) -> String? {
    let text = what + (line.map { " in line \($0)" } ?? "")
    if !omissions.contains(text) { omissions.append(text) }
    return nil
  }

  mutating func text(marking machine: RunningChart?, head: [String]) -> String {
    active = Set(
      machine.map { machine in
        machine.final.map { [$0] } ?? machine.configuration.filter { $0 < chart.states.count && chart.isAtomic($0) }
      } ?? [])
    content(of: 0, depth: 1)
    let isMermaid = notation == .mermaid
    let comment = isMermaid ? "    %%" : "'"
    var head = [isMermaid ? "stateDiagram-v2" : "@startuml"] + head
    // In PlantUML a dot is between a state and one in it.
    if !isMermaid, names.contains(where: { $0.contains(".") }) { head.append("set separator none") }
    if chart.globalScript != nil { omit("the script of the document") }
    if chart.hasLateBinding, !chart.data.isEmpty { omit("late binding") }
    for (state, own) in chart.states.enumerated() where !own.invokes.isEmpty {
      omit("what \(ids[state]) invokes", own.line)
    }
    let conditions = Set(chart.conditions.map(\.name))
    for data in chart.data where !conditions.contains(chart.symbols.names[Int(data.slot)]) {
      let name = chart.symbols.names[Int(data.slot)]
      switch data.value {
      case .none: head.append("\(comment) data \(name)")
      case .constant, .expression:
        guard let value = value(of: data.value) else { continue }
        head.append("\(comment) data \(name) = \(value)")
      }
    }
    head += zip(ids, names).filter { $0 != $1 }.map { "\(comment) renamed: \($0) is \($1)" }
    head += omissions.map { "\(comment) left out: \($0)" }
    var tail = outside
    if !isMermaid {
      tail.append("@enduml")
    } else if machine != nil {
      tail.append("    classDef current fill:#ffc233,color:#000000,stroke:#6b4a00,stroke-width:4px,font-weight:bold")
      tail += active.sorted().map { "    class \(names[$0]) current" }
    }
    return (head + lines + tail).joined(separator: "\n")
  }

  // MARK: States

  private func indent(_ depth: Int) -> String { String(repeating: "    ", count: depth) }

  private func isHistory(_ state: Int) -> Bool { chart.states[state].history != Chart.none }

  private mutating func content(of state: Int, depth: Int) {
    let own = chart.states[state]
    let children = chart.children(of: state).filter { !isHistory($0) }
    if own.kind == .parallel {
      if children.count < 2 { omit("that \(ids[state]) is parallel, with one region", own.line) }
      for (place, child) in children.enumerated() {
        if place > 0 { lines.append(indent(depth) + "--") }
        // Older releases of Mermaid fail at an arrow to a block that is alone in its region.
        if chart.states[child].kind == .atomic { lines.append("\(indent(depth))[*] --> \(names[child])") }
        if isNamed(child, asRegion: place, of: state) {
          content(of: child, depth: depth)
        } else {
          write(child, depth: depth)
        }
        if place == 0 { histories(of: state, depth: depth) }
      }
      return
    }
    if own.initial != Chart.none {
      let initial = chart.transitions[Int(own.initial)]
      let label = label(of: initial, isEvent: false) ?? ""
      arrow("[*]", initial, label, depth: depth, isOutside: false)
    }
    for child in children { write(child, depth: depth) }
    histories(of: state, depth: depth)
    for child in children where isAtHome(child) { transitions(of: child, depth: depth, isOutside: false) }
    if state == 0 {
      for inner in chart.states.indices.dropFirst() where !isAtHome(inner) {
        transitions(of: inner, depth: 1, isOutside: true)
      }
    }
  }

  /// Whether a state is no more than a region, with the name that reading gives it. Mermaid fails at some states around
  /// regions that have blocks in them.
  func isNamed(_ child: Int, asRegion place: Int, of state: Int) -> Bool {
    let own = chart.states[child]
    return own.kind == .compound && own.onEntry.isEmpty && own.onExit.isEmpty && own.transitions.isEmpty
      && ids[child] == "\(names[state])_\(place + 1)" && names[child] == ids[child] && chart.texts[ids[child]] == nil
      && chart.children(of: child).count { !isHistory($0) } > 1 && !chart.targets.contains(Chart.Index(child))
  }

  /// Whether all that a state's transitions lead to is in its own region.
  private func isAtHome(_ state: Int) -> Bool {
    let own = chart.states[state]
    if chart.states[Int(max(0, own.parent))].kind == .parallel { return false }
    return own.transitions.allSatisfy { transition in
      chart.transitions[Int(transition)].targets.allSatisfy { place in
        let target = chart.states[Int(chart.targets[Int(place)])]
        return target.parent == own.parent && target.history == Chart.none
      } && chart.transitions[Int(transition)].targets.count <= 1
    }
  }

  private mutating func write(_ state: Int, depth: Int) {
    let own = chart.states[state]
    var texts: [String] = []
    for handler in handlers(of: state) { texts.append("\(handler.word) / \(handler.actions)") }
    let text = chart.texts[ids[state]]
    let title = escaped(text.map(\.title).flatMap { $0.isEmpty ? nil : $0 } ?? ids[state])
    texts += text?.about.map(written(description:)) ?? []
    if isChoice(state) {
      lines.append("\(indent(depth))state \(names[state]) <<choice>>")
      return
    }
    let isMermaid = notation == .mermaid
    if own.kind == .atomic || own.kind == .final {
      let look = active.contains(state) && !isMermaid ? " #ffc233;line:6b4a00;line.bold;text:black" : ""
      lines.append("\(indent(depth))state \"\(title)\" as \(names[state])\(look)")
      lines += texts.map { "\(indent(depth))\(names[state]) : \(escaped($0))" }
      if own.kind == .final { lines.append("\(indent(depth))\(names[state]) --> [*]") }
      if own.doneData != Chart.none { omit("the data of the end \(ids[state])", own.line) }
      return
    }
    // Mermaid draws no texts in a state with a block but its title.
    let all = ([title] + (isMermaid ? texts.map { escaped($0) } : [])).joined(separator: "<br/>")
    lines.append("\(indent(depth))state \"\(all)\" as \(names[state]) {")
    content(of: state, depth: depth + 1)
    lines.append("\(indent(depth))}")
    if !isMermaid { lines += texts.map { "\(indent(depth))\(names[state]) : \(escaped($0))" } }
  }

  /// What a state does on entry and exit, without its timers.
  mutating func handlers(of state: Int) -> [(word: String, actions: String)] {
    let own = chart.states[state]
    let hasTimers = !timers(of: state).isEmpty
    var all: [(word: String, actions: String)] = []
    for (word, handlers) in [("entry", own.onEntry), ("exit", own.onExit)] {
      for handler in hasTimers ? handlers.dropLast() : handlers {
        guard let actions = actions(chart.blocks[Int(chart.handlers[Int(handler)])], own.line) else { continue }
        all.append((word, actions))
      }
    }
    return all
  }

  private mutating func histories(of state: Int, depth: Int) {
    var seen: Set<Bool> = []
    for child in chart.children(of: state) where isHistory(child) {
      let own = chart.states[child]
      let isDeep = own.kind == .deepHistory
      guard seen.insert(isDeep).inserted else {
        omit("the second history of \(ids[state])", own.line)
        continue
      }
      if notation == .mermaid {
        lines.append("\(indent(depth))state \"\(isDeep ? "H*" : "H")\" as \(name(of: child))")
      } else if isDeep {
        lines.append("\(indent(depth))state \"H*\" as \(name(of: child)) <<history*>>")
      }
      let initial = chart.transitions[Int(own.initial)]
      // Its targets can be in other blocks.
      let label = label(of: initial, isEvent: false) ?? ""
      arrow(name(of: child), initial, label, depth: 1, isOutside: true)
    }
  }

  /// The name of a state or history as the end of an arrow.
  func name(of state: Int) -> String {
    switch chart.states[state].kind {
    case .shallowHistory: names[Int(chart.states[state].parent)] + "[H]"
    case .deepHistory: deepHistories[state] ?? names[Int(chart.states[state].parent)] + "[H*]"
    case .compound, .atomic, .parallel, .final: names[state]
    }
  }

  /// Whether a state is no more than a choice: its arrows have guards, but for the last one, and each leads to one state.
  /// If the last one has a guard, too, the author says that it is one.
  func isChoice(_ state: Int) -> Bool {
    let own = chart.states[state]
    let arrows = own.transitions.map { chart.transitions[Int($0)] }
    guard own.kind == .atomic, own.onEntry.isEmpty, own.onExit.isEmpty, arrows.count > 1, names[state] == ids[state],
      chart.texts[ids[state]]?.about.isEmpty != false
    else { return false }
    return arrows.allSatisfy { $0.descriptors.isEmpty && $0.targets.count == 1 }
      && arrows.dropLast().allSatisfy { $0.condition != Chart.none }
      && (arrows.last?.condition == Chart.none || chart.texts[ids[state]]?.isChoice == true)
  }

  // MARK: Transitions

  private mutating func transitions(of state: Int, depth: Int, isOutside: Bool) {
    let own = chart.states[state]
    let timers = timers(of: state)
    for place in own.transitions {
      let transition = chart.transitions[Int(place)]
      let targets = transition.targets.map { Int(chart.targets[Int($0)]) }
      let isInternal =
        transition.isInternal && own.kind == .compound && !targets.isEmpty
        && targets.allSatisfy { chart.isDescendant($0, of: state) }
      let isText = targets.isEmpty && own.kind == .atomic
      guard var label = label(of: transition, isEvent: true, canEnd: canEnd(state), timers) else { continue }
      if transition.condition == Chart.none, isChoice(state) { label = label.isEmpty ? "[else]" : "[else] \(label)" }
      if isText {
        // What reads it freely takes one word for a description.
        if transition.condition == Chart.none, transition.block == Chart.none { label += " /" }
        if ["entry", "exit", "do"].contains(label.prefix { $0 != " " }) {
          omit("a transition without a target of the event \(label.prefix { $0 != " " })", transition.line)
          continue
        }
        let line = "\(indent(depth))\(names[state]) : \(escaped(label))"
        if isOutside { outside.append(line) } else { lines.append(line) }
        continue
      }
      if isInternal || targets.isEmpty { label = "internal " + label }
      arrow(name(of: state), transition, label, depth: depth, isOutside: isOutside, loop: targets.isEmpty ? state : nil)
    }
  }

  /// Writes an arrow, with a fork if it has several targets.
  private mutating func arrow(
    _ source: String, _ transition: Chart.Transition, _ label: String, depth: Int, isOutside: Bool, loop: Int? = nil
  ) {
    let targets = loop.map { [$0] } ?? transition.targets.map { Int(chart.targets[Int($0)]) }
    var written: [String] = []
    let text = label.isEmpty ? "" : " : \(escaped(label))"
    if targets.count > 1 {
      forks += 1
      var fork = "fork_\(forks)"
      while names.contains(fork) { fork += "_" }
      written.append("\(indent(depth))state \(fork) <<fork>>")
      written.append("\(indent(depth))\(source) --> \(fork)\(text)")
      written += targets.map { "\(indent(depth))\(fork) --> \(name(of: $0))" }
    } else if let target = targets.first {
      written.append("\(indent(depth))\(source) --> \(name(of: target))\(text)")
    }
    if isOutside { outside += written } else { lines += written }
  }

  private func canEnd(_ state: Int) -> Bool {
    chart.states[state].kind == .parallel || chart.children(of: state).contains { chart.states[$0].kind == .final }
  }

  /// What starts a timer and takes it back in a state, and its text in a label: `after 5s`, `ring after 6s`.
  private struct Timer {
    var event: String
    var text: String
    /// In the author's words.
    var words: String
    var isNameless = false
  }

  /// The timers of a state in its labels, by the descriptors of its transitions: the state's last block on entry starts
  /// them, and its last one on exit takes them back. None if reading the labels would not give the same blocks.
  ///
  /// - Parameter isWorded: Whether they are in the author's words, which are not read again.
  func timers(of state: Int, isWorded: Bool = false) -> [Chart.Index: [String]] {
    let own = chart.states[state]
    guard names[state] == ids[state], let entry = own.onEntry.last, let exit = own.onExit.last else { return [:] }
    let starts = chart.blocks[Int(chart.handlers[Int(entry)])]
    let ends = chart.blocks[Int(chart.handlers[Int(exit)])]
    guard starts.count == ends.count else { return [:] }
    var timers: [Timer] = []
    for (start, end) in zip(starts, ends) {
      guard case .send(let number) = chart.instructions[Int(start)],
        case .cancel(.constant(let id)) = chart.instructions[Int(end)],
        let timer = timer(chart.sends[Int(number)], chart.text(at: id), of: ids[state])
      else { return [:] }
      timers.append(timer)
    }
    // Reading finds them in the order of the labels.
    var labels: [Chart.Index: [String]] = [:]
    var next = 0
    for place in own.transitions {
      for descriptor in chart.transitions[Int(place)].descriptors {
        guard case .name(let number) = chart.descriptors[Int(descriptor)] else { continue }
        let name = chart.events.names[Int(number)]
        // That of an `after` without an event has its text wherever it stands.
        if let timer = timers[..<next].first(where: { $0.event == name && $0.isNameless }) {
          labels[descriptor] = [isWorded ? timer.words : timer.text]
        }
        while next < timers.count, timers[next].event == name {
          labels[descriptor, default: []].append(isWorded ? timers[next].words : timers[next].text)
          next += 1
        }
      }
    }
    return next == timers.count ? labels : [:]
  }

  /// The timer that a send is, if it is one.
  private func timer(_ send: Chart.Send, _ id: String, of state: String) -> Timer? {
    guard let event = chart.text(of: send.event), let delay = chart.text(of: send.delay),
      let nanoseconds = Delay.nanoseconds(of: .string(delay)), DiagramReader.delay(nanoseconds) == delay,
      send.id == id, send.idLocation == nil, send.target.isNone, send.type.isNone, send.parameters.isEmpty,
      send.content == nil
    else { return nil }
    let words = chart.eventTexts["\(id) "]
    let time = "after \(TimeText.written(nanoseconds))"
    func text(_ event: String?, otherwise formal: String) -> String {
      words.flatMap { isWritable($0, for: event, after: nanoseconds) ? $0 : nil } ?? formal
    }
    if chart.timerEvents.contains(chart.events.number(of: event)), event == id, id == "\(state).after.\(delay)" {
      return Timer(event: event, text: text(nil, otherwise: time), words: words ?? time, isNameless: true)
    }
    guard id == "\(state).\(event).\(delay)", isEventName(event) else { return nil }
    let formal = "\(event) \(time)"
    return Timer(event: event, text: text(event, otherwise: formal), words: words ?? formal)
  }

  /// The parts of a transition's label.
  struct LabelParts {
    /// The events, by their names and as they are written.
    var names: [String] = []
    var triggers: [String] = []
    /// Data of the event in parentheses, which stand directly after it.
    var samples = ""
    var condition = ""
    var actions = ""
  }

  /// - Returns: `nil` for a transition that is left out, since none of its events can be written.
  mutating func parts(of transition: Chart.Transition, _ timers: [Chart.Index: [String]]) -> LabelParts? {
    var parts = LabelParts()
    if transition.condition != Chart.none {
      switch chart.expressions[Int(transition.condition)] {
      case .form(let expression) where expression.isWorded || isPicture:
        parts.condition = expression.text
        guard expression.hasSamples else { break }
        let end = expression.text.find(")[")?.lowerBound ?? expression.text.index(before: expression.text.endIndex)
        parts.samples = String(expression.text[...end])
        parts.condition = String(expression.text[end...].dropFirst(2).dropLast())
      case .form(let expression):
        if let text = line(of: expression.text) {
          parts.condition = text
        } else {
          omit("a guard with a comment", transition.line)
        }
      case .broken: omit("a guard that is no expression", transition.line)
      }
    }
    for place in transition.descriptors {
      guard case .name(let number) = chart.descriptors[Int(place)] else {
        parts.triggers.append("*")
        continue
      }
      let name = isPicture ? chart.events.names[Int(number)] : eventName(number)
      let isBare = transition.condition == Chart.none && transition.block == Chart.none
      parts.names.append(name)
      if let texts = timers[place] {
        parts.triggers += !isPicture && transition.targets.isEmpty ? texts.map(Self.once) : texts
      } else if let words = chart.eventTexts[name],
        isPicture
          || transition.descriptors.count == 1 && parts.samples.isEmpty && isWritable(words, for: name)
            && (isBare || !words.contains(where: "/[".contains))
      {
        parts.triggers.append(words)
      } else if isPicture || isEventName(name) && (name != "timer" || parts.triggers.isEmpty) {
        parts.triggers.append(name)
      } else {
        omit("the event \(name)", transition.line)
      }
    }
    if parts.triggers.isEmpty, !transition.descriptors.isEmpty { return nil }
    if transition.block != Chart.none {
      parts.actions = actions(chart.blocks[Int(transition.block)], transition.line) ?? ""
    }
    return parts
  }

  private mutating func label(
    of transition: Chart.Transition, isEvent: Bool, canEnd: Bool = false, _ timers: [Chart.Index: [String]] = [:]
  ) -> String? {
    guard let parts = parts(of: transition, timers) else { return nil }
    let trigger = parts.triggers.joined(separator: ", ") + parts.samples
    var words = trigger.isEmpty ? isEvent && canEnd ? ["always"] : [] : [trigger]
    if !parts.condition.isEmpty { words.append("[\(parts.condition)]") }
    if !parts.actions.isEmpty {
      words.append("/ \(parts.actions)")
    } else if words.isEmpty, isEvent, transition.targets.isEmpty {
      omit("a transition without event, guard and target", transition.line)
    }
    return words.joined(separator: " ")
  }

  /// A timer that is no "every": within a state, what begins it anew is written with the actions.
  private static func once(_ text: String) -> String {
    guard Prose.isRepeated(text), case .time(let time)? = Prose.time(in: text) else { return text }
    return "after \(TimeText.written(time.nanoseconds))"
  }

  /// A diagram of two states with a text, as it is read again.
  private func read(_ text: String, _ reading: DiagramReading = .free) -> Diagram {
    let head = notation == .mermaid ? "stateDiagram-v2" : "@startuml"
    let bytes = Array("\(head)\n[*] --> a\na\(text.prefix(4_096))".utf8)
    return DiagramReader(complete: bytes, notation, reading, limits: DocumentLimits(), ReadingPace { true }).diagram
  }

  /// Whether an arrow with these words alone is read again as one that waits for an event or a timer.
  private func isWritable(_ words: String, for event: String?, after nanoseconds: Int64? = nil) -> Bool {
    let diagram = read(" --> b : \(escaped(words))")
    guard !diagram.hasErrors, diagram.arrows.count == 2, diagram.arrows[1].label.triggers.count == 1 else {
      return false
    }
    let label = diagram.arrows[1].label
    guard label.condition == nil, label.content.isEmpty, label.samples == nil, !label.isInternal else { return false }
    switch label.triggers[0] {
    case .event(let name): return nanoseconds == nil && name.string == event
    case .timer(let name, let time, _): return time == nanoseconds && name?.string == event
    }
  }

  /// A description as it is read again: in quotes if its words could be a label.
  private func written(description text: String) -> String {
    let isPlain = [.strict, .free].allSatisfy { reading in
      read(" : \(escaped(text))", reading).states.first?.descriptions == [text]
    }
    let name = Prose.name(of: text)
    let number = Int(chart.events.number(of: name))
    return isPlain && (number < 0 || chart.events.names[number] != name) ? text : "\"\(text)\""
  }

  /// Whether some transition takes an event.
  private func isAwaited(_ number: Int32) -> Bool {
    awaited.contains(.any) || chart.events.prefixes(of: number).contains { awaited.contains(.name($0)) }
  }

  /// Whether an event can have this name in a label.
  private func isEventName(_ name: String) -> Bool {
    isName(name) && !["internal", "always", "after", "or", "else", "otherwise"].contains(name)
      && name.unicodeScalars.allSatisfy { $0.properties.isXIDContinue || "-.:".unicodeScalars.contains($0) }
      && !(name.first?.isNumber == true && Prose.time(in: name) != nil)
  }

  /// Whether an event, output or send can have this name in an action or label.
  private func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first, !"=+-*/%&|^<>.,)".utf8.contains(first) else { return false }
    return name.unicodeScalars.allSatisfy {
      !$0.properties.isWhitespace && !"()[]{},;/\"'<>=×".unicodeScalars.contains($0)
    }
  }

  // MARK: Content

  mutating func actions(_ range: Range<Chart.Index>, _ line: Chart.Index) -> String? {
    var texts: [String] = []
    var place = Int(range.lowerBound)
    while place < Int(range.upperBound) {
      if let text = action(at: &place, line) { texts.append(text) }
    }
    return texts.isEmpty ? nil : texts.joined(separator: ", ")
  }

  /// Writes an instruction, and those that belong to it.
  private mutating func action(at place: inout Int, _ line: Chart.Index) -> String? {
    let instruction = chart.instructions[place]
    place += 1
    switch instruction {
    case .raise(let number):
      let name = eventName(number)
      // A reader in the free notation takes `raise` of an event that no transition awaits for an output. It does
      // nothing, so it is left out.
      if !isPicture, !isAwaited(number) { return nil }
      return isName(name) ? "raise \(name)" : omit("the event \(name)", line)
    case .log(let label, let source):
      let label = chart.text(at: label)
      let end = label.isEmpty ? "" : " as \(JSON.text(of: .string(label)))"
      if case .none = source { return label.isEmpty ? omit("a log of nothing", line) : "log\(end)" }
      return value(of: source).map { "log (\($0))\(end)" }
    case .assign(let location, let source):
      guard case .form(let place) = chart.locations[Int(location)], let name = self.line(of: place.text),
        let value = value(of: source)
      else { return omit("an assignment", line) }
      return "\(name) = \(value)"
    case .script(let number):
      guard case .form(let script) = chart.scripts[Int(number)], let text = statements(of: script.text) else {
        return omit("a script", line)
      }
      return Self.enclosed(text, "{ ", " }")
    case .cancel(let source):
      guard let id = chart.text(of: source), isName(id) else { return omit("a <cancel> with an expression", line) }
      return "cancel \(id)"
    case .send(let number):
      // A timer that begins anew is part of what it does "every 5 min".
      let event = chart.text(of: chart.sends[Int(number)].event)
      let isTimer = event.map { chart.timerEvents.contains(chart.events.number(of: $0)) } ?? false
      return isPicture && isTimer ? nil : send(chart.sends[Int(number)], line)
    case .branch(let condition, let otherwise):
      guard case .form(let expression) = chart.expressions[Int(condition)], let text = self.line(of: expression.text)
      else { return omit("an <if>", line) }
      var last = Int(otherwise)
      var after = last
      if case .jump(let target) = chart.instructions[last - 1], last - 1 >= place {
        after = Int(target)
        last -= 1
      }
      let yes = actions(Chart.Index(place)..<Chart.Index(last), line) ?? ""
      let no = actions(otherwise..<Chart.Index(after), line) ?? ""
      place = after
      return "if (\(text)) { \(yes) }" + (no.isEmpty ? "" : " else { \(no) }")
    case .jump(let target):
      place = Int(target)
      return nil
    case .forEach(let array, let item, let index, let last):
      guard case .form(let expression) = chart.expressions[Int(array)], let text = self.line(of: expression.text)
      else { return omit("a <foreach>", line) }
      let names = [item] + (index.map { [$0] } ?? [])
      let variables = names.map { chart.symbols.names[Int($0)] }.joined(separator: ", ")
      let body = actions(Chart.Index(place)..<last, line) ?? ""
      place = Int(last)
      return "for (\(variables) of \(text)) { \(body) }"
    case .fail: return omit("a <foreach> with a mistake", line)
    }
  }

  /// A text in brackets, unless it is in such already.
  private static func enclosed(_ text: String, _ open: String, _ close: String) -> String {
    PlacedText(text, at: 0).inside(String(open.prefix(1))) == nil ? open + text + close : text
  }

  private mutating func send(_ send: Chart.Send, _ line: Chart.Index) -> String? {
    func constant(_ source: Chart.Source) -> String?? {
      switch source {
      case .none: .some(nil)
      case .constant(let place): .some(chart.text(at: place))
      case .expression: nil
      }
    }
    guard send.content == nil, send.idLocation == nil, let event = constant(send.event) ?? nil, isName(event),
      let type = constant(send.type), let target = constant(send.target), let delay = constant(send.delay),
      target.map(isName) ?? true, send.id.map(isName) ?? true
    else { return omit("a <send> with more than a name, a target, data and a delay", line) }
    var parameters: [String] = []
    for parameter in send.parameters {
      let form: String? =
        switch parameter.value {
        case .expression(let number):
          if case .form(let expression) = chart.expressions[Int(number)] { expression.text } else { nil }
        case .location(let number):
          if case .form(let location) = chart.locations[Int(number)] { location.text } else { nil }
        }
      guard let form, let text = self.line(of: form), parameter.name.utf8.allSatisfy(DiagramReader.isPartOfName) else {
        omit("data of a <send>", line)
        continue
      }
      parameters.append("\(parameter.name) = \(Self.enclosed(text, "(", ")"))")
    }
    let data = parameters.isEmpty ? "" : "(\(parameters.joined(separator: ", ")))"
    if type == "output" {
      guard delay == nil, target == nil, send.id == nil, event.utf8.allSatisfy(DiagramReader.isPartOfName),
        data.isEmpty || !["raise", "send", "log", "cancel", "if", "for"].contains(event)
      else { return omit("the output \(event)", line) }
      return event + data
    }
    guard type == nil || type == "scxml" || type == ChartEvent.processor else {
      return omit("a <send> of the type \(type ?? "")", line)
    }
    var text = "send \(event)\(data)"
    if let target, !target.isEmpty { text += " to \(target)" }
    if let id = send.id { text += " as \(id)" }
    if let delay {
      guard let nanoseconds = Delay.nanoseconds(of: .string(delay)) else {
        return omit("a <send> with a mistake", line)
      }
      if nanoseconds > 0 { text += " after \(DiagramReader.delay(nanoseconds))" }
    }
    return text
  }

  /// A value as an expression on one line that has no comma outside of brackets.
  private mutating func value(of source: Chart.Source) -> String? {
    switch source {
    case .none: return "undefined"
    case .constant(let place): return JSON.text(of: chart.constants[Int(place)])
    case .expression(let number):
      guard case .form(let expression) = chart.expressions[Int(number)], let text = line(of: expression.text) else {
        return omit("an expression with a comment or a mistake")
      }
      let placed = PlacedText(Array(text.utf8), 0..<text.utf8.count)
      return placed.firstTopLevel(",;") == nil && placed.firstTopLevel("=") == nil ? text : "(\(text))"
    }
  }

  /// An expression without line breaks and with the states' names in the diagram; `nil` if a comment would end
  /// differently then.
  private mutating func line(of text: String) -> String? {
    if text.includes("//") { return nil }
    let line = text.split(whereSeparator: \.isNewline).joined(separator: " ").split(
      separator: " ", omittingEmptySubsequences: false
    )
    .joined(separator: " ")
    return line.utf8.first == nil ? nil : isPicture ? withNamedData(line) : withNames(line)
  }

  /// A script on one line, whose statements need a semicolon where the lines ended.
  private mutating func statements(of text: String) -> String? {
    let lines = text.split(whereSeparator: \.isNewline).joined(separator: "; ")
    return [text, lines].lazy.compactMap { candidate in
      var symbols = SymbolTable()
      let line = candidate.split(whereSeparator: \.isNewline).joined(separator: " ")
      return (try? Parser.script(line, &symbols)) == nil ? nil : candidate
    }.first.flatMap { self.line(of: $0) }
  }

  /// An expression whose `In` asks for states by their names in the diagram.
  private mutating func withNames(_ text: String) -> String {
    if renamed.isEmpty || !text.includes("In") { return text }
    guard var asked = TokenText(text) else { return text }
    for place in asked.tokens.indices where asked[place] == .name("In") && asked[place + 1] == .symbol("(") {
      guard case .string(let id) = asked[place + 2], asked[place + 3] == .symbol(")") else {
        omit("an In() of an id that is worked out")
        continue
      }
      if let name = renamed[id] { asked.replace(place + 2...place + 2, with: "'\(name)'") }
    }
    return asked.text
  }

  /// An expression in the author's words, who has named the data of its event in parentheses.
  private func withNamedData(_ text: String) -> String {
    guard !chart.namedData.isEmpty, text.includes("_event"), var asked = TokenText(text) else { return text }
    for place in asked.tokens.indices where asked[place] == .name("_event") && asked[place + 2] == .name("data") {
      if case .name(let name) = asked[place + 4], chart.namedData.contains(name) {
        asked.replace(place...place + 4, with: name)
      }
    }
    return asked.text
  }

  /// The name of an event: that of a state's end has the state's name in the diagram.
  private func eventName(_ number: Int32) -> String {
    let name = chart.events.names[Int(number)]
    let prefix = "done.state."
    guard name.hasPrefix(prefix), let state = renamed[String(name.dropFirst(prefix.count))] else { return name }
    return prefix + state
  }

  /// Characters that have a meaning in the notation, as entities.
  private func escaped(_ text: String) -> String {
    if notation == .plantuml { return escapedForPlantUML(text) }
    return text.unicodeScalars.reduce(into: "") { escaped, character in
      switch character {
      case "\"": escaped += "#quot;"
      case "<": escaped += "#lt;"
      case ">": escaped += "#gt;"
      case "&": escaped += "#amp;"
      case "#", ";", ":", "`", "%", "{", "}", "\\", "*", "$", "_", "~", "@", "^", "+", "-":
        escaped += "#\(character.value);"
      case _: escaped.unicodeScalars.append(character)
      }
    }
  }

  /// A doubled mark is one of looks; a slash before an apostrophe begins a comment.
  private func escapedForPlantUML(_ text: String) -> String {
    var last: Unicode.Scalar = " "
    return text.unicodeScalars.reduce(into: "") { escaped, character in
      let isMark =
        switch character {
        case "\"", "<", ">", "&", "#", ";", "\\", "~", "%", "`": true
        case "*", "/", "_", "-", "^", "[", "]", "=", "'": character == last || character == "'" && last == "/"
        case _: false
        }
      if isMark { escaped += "&#\(character.value);" } else { escaped.unicodeScalars.append(character) }
      last = character
    }
  }
}
