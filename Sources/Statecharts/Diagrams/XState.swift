// Machines of XState in JSON, by version 4 or 5: the same tree as a diagram. What JSON cannot have, the code of actions,
// guards and services, is left to outputs, conditions and events of the same names.

import LineProtocol
import StateMachines

extension DiagramReader {
  /// What is known of a machine of XState while it is read.
  struct XState {
    struct Node {
      var json: JSONTree
      var key: String
      var offset: Int
      var parent: Int?
      /// Whether it is a history, and whether that is a deep one.
      var isDeep: Bool?
      /// Its state in the diagram; for a history that of its parent, and -1 for a machine that is the whole diagram.
      var state: Int
      /// Its children by their keys.
      var children: [String: Int] = [:]
      /// The region of its children, unless each has one of its own.
      var region: Int?
    }

    var nodes: [Node] = []
    var ids: [String: Int] = [:]
    /// How often each name was wanted for a state.
    var names: [String: Int] = [:]
    /// Whether an arrow to its own state leaves it, as in version 4.
    var isFourth = false
    var delays: JSONTree?
  }

  mutating func readXState() {
    let tree: JSONTree
    do throws(JSONTree.Mistake) {
      tree = try JSONTree(bytes, limits, pace)
    } catch {
      let found = String(decoding: bytes.dropFirst(error.offset).prefix(20).prefix { $0 >= 0x20 }, as: UTF8.self)
      return diagram.error(
        error.offset,
        error.message + (found.isEmpty ? "" : "; found \(found)") + Self.hint(insteadOfJSON: bytes, at: error.offset))
    }
    let wrapped = tree["states"] == nil ? tree["machine", "config", "definition"] : nil
    let machine = wrapped ?? tree
    guard case .object? = machine["states"]?.value else {
      return diagram.error(
        machine.offset, "this is no machine of XState: expected an object with states, as createMachine takes it")
    }
    xstate.isFourth =
      tree.hasKey(of: ["cond", "internal", "onEntry", "onExit", "predictableActionArguments"])
      && !tree.hasKey(of: ["guard", "reenter"])
    xstate.delays = machine["delays"] ?? tree["options"]?["delays"] ?? tree["delays"]
    context(machine["context"])
    add(machine, machine["key", "id"]?.text ?? "machine", machine.offset, parent: nil, region: 0)
    for node in xstate.nodes.indices where pace.mayGoOn() && diagram.errors <= limits.findings { complete(node) }
  }

  /// What a text probably is that is no JSON.
  private static func hint(insteadOfJSON bytes: [UInt8], at offset: Int) -> String {
    if let other = hint(insteadOf: .xstate, bytes) { return other }
    let start = String(decoding: bytes.drop { $0 <= 0x20 }.prefix(400), as: UTF8.self)
    if ["import", "export", "const ", "createMachine", "Machine(", "=>", "//"].contains(where: { start.includes($0) }) {
      return "; this is a program: write what JSON.stringify(machine.config) gives in it"
    }
    if !start.hasPrefix("{"), start.contains(":") { return "; YAML is not read: write the same as JSON" }
    return bytes[..<min(offset, bytes.count)].last { $0 > 0x20 } == UInt8(ascii: ",")
      ? "; a comma must not stand before } or ]" : ""
  }

  private mutating func context(_ json: JSONTree?) {
    guard let json else { return }
    if case .plain(let value) = json.value, value != .null {
      diagram.assume(json.offset, "the context is no object, so it has no data")
    }
    for member in json.members {
      guard Parser.isVariable(member.key) else {
        diagram.warn(
          member.offset, "\(member.key) of the context is left out: the name of a variable has letters and digits")
        continue
      }
      diagram.data.append(
        Diagram.Data(
          name: PlacedText(member.key, at: member.offset),
          value: PlacedText(JSON.text(of: member.value.data), at: member.value.offset)))
    }
  }

  // MARK: States

  private static let keysOfStates: Set<String> = [
    "id", "key", "initial", "states", "on", "after", "always", "entry", "exit", "onEntry", "onExit", "invoke", "onDone",
    "type", "history", "parallel", "target", "activities", "context", "delays", "description", "meta", "tags",
    "version", "order", "data", "output", "input", "params", "delimiter", "schema", "schemas", "types", "tsTypes",
    "strict", "predictableActionArguments", "preserveActionOrder", "transitions", "guards", "actions", "services",
    "actors", "$schema",
  ]

  private mutating func warnOfOthers(than known: Set<String>, in json: JSONTree, _ what: String) {
    for member in json.members where !known.contains(member.key) {
      let hint = Spelling.suggestion(for: member.key, in: known.sorted())
      diagram.warn(member.offset, "\(member.key) means nothing in \(what), and is left out\(hint)")
    }
  }

  /// Adds a state and those within it.
  private mutating func add(_ json: JSONTree, _ key: String, _ offset: Int, parent: Int?, region: Int) {
    let number = xstate.nodes.count
    let type = json["type"].flatMap { $0.isNull ? nil : $0 }
    let isParallel = type?.text == "parallel" || json.isTrue("parallel") == true
    let states = json["states"]?.members ?? []
    let isFinal = type?.text == "final"
    var node = XState.Node(json: json, key: key, offset: offset, parent: parent, state: -1)
    if type?.text == "history" || type == nil && parent != nil && json["history"] != nil && states.isEmpty {
      node.isDeep = json["history"]?.text == "deep"
    } else if let type, !["parallel", "compound", "atomic", "final"].contains(type.text ?? "") {
      diagram.error(
        type.offset, "expected type parallel, final, history, compound or atomic; found \(type.text ?? "no text")")
    }
    warnOfOthers(than: Self.keysOfStates, in: json, "a state")
    // A machine is a state of its own only if it has something that a diagram as a whole cannot have.
    let own = ["on", "entry", "exit", "onEntry", "onExit", "after", "always", "invoke", "activities"]
    let isDiagram =
      parent == nil && !isParallel && !own.contains { json[$0] != nil }
      && !states.contains { $0.value["type"]?.text == "history" || $0.value["history"] != nil }
    var inner = region
    if let isDeep = node.isDeep, let parent {
      node.state = xstate.nodes[parent].state
      mention(\.states[node.state].histories, isDeep)
    } else if !isDiagram {
      node.state = diagram.states.count
      diagram.states.append(Diagram.State(id: name(key, parent, offset), offset: offset))
      diagram.states[node.state].declared = region
      if isFinal {
        diagram.states[node.state].kind = .final
        diagram.regions[region].hasFinal = true
      }
      if !isParallel, !states.isEmpty { inner = addRegion(to: node.state, at: json.offset) }
    }
    if !isParallel, !isFinal, node.isDeep == nil, !states.isEmpty { node.region = inner }
    xstate.nodes.append(node)
    if let parent { xstate.nodes[parent].children[key] = number }
    xstate.ids[path(of: number)] = number
    for member in states where pace.mayGoOn() {
      guard case .object = member.value.value else {
        diagram.error(member.value.offset, "the state \(member.key) is no object; an empty state is {}")
        continue
      }
      if xstate.nodes[number].children[member.key] != nil {
        diagram.error(member.offset, "the state \(member.key) is there twice")
        continue
      }
      let isHistory = member.value["type"]?.text == "history"
      let region = isParallel && !isHistory ? addRegion(to: node.state, at: member.offset) : inner
      let child = xstate.nodes.count
      add(member.value, member.key, member.offset, parent: number, region: region)
      // A region ends when its state does.
      if isParallel, !isHistory, canEnd(xstate.nodes[child].state) { diagram.regions[region].hasFinal = true }
    }
  }

  /// The id of a node that has none.
  private func path(of node: Int) -> String {
    let own = xstate.nodes[node]
    return own.json["id"]?.text ?? (own.parent.map { path(of: $0) + "." } ?? "") + own.key
  }

  /// The name of a state: its key, after that of its parent if another one has it.
  private mutating func name(_ key: String, _ parent: Int?, _ offset: Int) -> String {
    func clean(_ key: String) -> String {
      key.isEmpty ? "_" : Self.plainName(String(decoding: key.utf8.prefix(200), as: UTF8.self))
    }
    var name = clean(key)
    if xstate.names[name] != nil, let parent { name = "\(clean(xstate.nodes[parent].key)).\(name)" }
    while let number = xstate.names[name] {
      xstate.names[name] = number + 1
      name = "\(name)_\(number + 1)"
    }
    xstate.names[name] = 1
    if name != key { diagram.assume(offset, "the state \(key) is called \(name)") }
    return name
  }

  /// The content of a state that is known with all others.
  private mutating func complete(_ number: Int) {
    let node = xstate.nodes[number]
    let json = node.json
    if node.isDeep != nil {
      if let target = json["target"] { lead(number, target, DiagramLabel(offset: target.offset), at: target.offset) }
      return
    }
    begin(number)
    guard node.state >= 0 else { return }
    for (keys, isEntry) in [(["entry", "onEntry", "activities"], true), (["exit", "onExit"], false)] {
      for json in keys.compactMap({ json[$0] }) { addHandler(of: node.state, isEntry: isEntry, actions(json)) }
    }
    for invoke in json["invoke"]?.items ?? [] { self.invoke(invoke, number) }
    // An event that has an arrow of its own does not take that of the wildcard, wherever they stand.
    let events = Self.members(of: json["on"], by: "event")
    for isWild in [false, true] {
      for member in events where member.key.hasSuffix("*") == isWild {
        on(member.key, member.offset, member.value, number)
      }
    }
    if let always = json["always"] { transitions(always, of: number, nil, isAlways: true) }
    for member in Self.members(of: json["after"], by: "delay") {
      after(member.key, member.offset, member.value, number)
    }
    guard let done = json["onDone"] else { return }
    if !canEnd(node.state) {
      diagram.warn(done.offset, "\(node.key) has no final state that ends it, so onDone is never taken")
    } else {
      transitions(done, of: number, end(of: number))
    }
  }

  /// The members of an object. Old programs have a list of objects instead, with the key of each in it.
  private static func members(of json: JSONTree?, by key: String) -> [JSONTree.Member] {
    guard case .list(let items)? = json?.value else { return json?.members ?? [] }
    return items.compactMap { item in
      item[key].map { JSONTree.Member(key: $0.text ?? JSON.text(of: $0.data), offset: $0.offset, value: item) }
    }
  }

  /// What a state begins in.
  private mutating func begin(_ number: Int) {
    let node = xstate.nodes[number]
    guard let region = node.region, !node.children.isEmpty else { return }
    let json = node.json["initial"]
    var target = json
    var label = DiagramLabel(offset: json?.offset ?? node.offset)
    if case .object? = json?.value {
      target = json?["target"]
      label.content = actions(json?["actions"])
    }
    guard let target = target?.items.first, let text = target.text else {
      let first = node.json["states"]?.members.first?.key ?? ""
      diagram.warn(
        json?.offset ?? node.offset, "\(node.key) begins in \(first), its first state; write \"initial\": \"\(first)\"")
      return
    }
    guard let child = text.hasPrefix("#") ? self.node(text, from: number) : descend(number, text) else {
      return diagram.error(
        target.offset,
        "\(node.key) has no state \(text)\(Spelling.suggestion(for: text, in: node.children.keys.sorted()))")
    }
    append(.edge(region: region), end(child), label, at: target.offset)
  }

  // MARK: Targets

  /// The bytes of a target.
  private static let longestTarget = 1_000

  private func descend(_ start: Int, _ path: String) -> Int? {
    guard path.utf8.count <= Self.longestTarget else { return nil }
    var node = start
    var rest = path[...]
    while !rest.isEmpty {
      // A key may have dots.
      if let child = xstate.nodes[node].children[String(rest)] { return child }
      guard let child = xstate.nodes[node].children[String(rest.prefix { $0 != "." })] else { return nil }
      node = child
      rest = rest.drop { $0 != "." }.dropFirst()
    }
    return node
  }

  /// `sibling`, `sibling.child`, `.child`, `#id`, `#id.child`.
  private func node(_ target: String, from source: Int) -> Int? {
    guard target.utf8.count <= Self.longestTarget else { return nil }
    if target.hasPrefix(".") { return descend(source, String(target.dropFirst())) }
    guard target.hasPrefix("#") else { return descend(xstate.nodes[source].parent ?? source, target) }
    let id = target.dropFirst()
    if let node = xstate.ids[String(id)] { return node }
    for dot in id.indices.reversed() where id[dot] == "." {
      if let node = xstate.ids[String(id[..<dot])] { return descend(node, String(id[id.index(after: dot)...])) }
    }
    return nil
  }

  /// What a name means that no sibling has: a child, or the one of the nearest state around.
  private mutating func farther(_ target: String, from source: Int, _ offset: Int) -> Int? {
    guard !target.hasPrefix("#"), !target.hasPrefix(".") else { return nil }
    var outer: Int? = source
    while let node = outer {
      if let found = descend(node, target) {
        diagram.assume(offset, "no sibling is called \(target): it is #\(path(of: found))")
        return found
      }
      outer = xstate.nodes[node].parent
    }
    return nil
  }

  private func end(_ node: Int) -> Diagram.End {
    let own = xstate.nodes[node]
    return own.isDeep.map { .history(of: own.state, isDeep: $0) } ?? .state(own.state)
  }

  private func isWithin(_ node: Int, _ outer: Int) -> Bool {
    node == outer || xstate.nodes[node].parent.map { isWithin($0, outer) } ?? false
  }

  /// Adds an arrow from a node to what a target names, over a fork if that is several states.
  private mutating func lead(_ number: Int, _ target: JSONTree, _ label: DiagramLabel, at offset: Int) {
    guard diagram.errors <= limits.findings else { return }
    var ends: [Diagram.End] = []
    for item in target.items {
      guard let text = item.text, let found = node(text, from: number) ?? farther(text, from: number, item.offset),
        xstate.nodes[found].state >= 0
      else {
        let siblings = xstate.nodes[number].parent.map { xstate.nodes[$0].children.keys.sorted() } ?? []
        let names = item.text?.hasPrefix("#") == true ? xstate.ids.keys.sorted().map { "#\($0)" } : siblings
        return diagram.error(
          item.offset,
          "there is no state \(item.text ?? "with this target")\(Spelling.suggestion(for: item.text ?? "", in: names)); a target is the name of a sibling, .child or #id"
        )
      }
      ends.append(end(found))
    }
    guard let first = ends.first else { return append(end(number), nil, label, at: offset) }
    guard ends.count > 1 else { return append(end(number), first, label, at: target.items[0].offset) }
    let fork = diagram.states.count
    diagram.states.append(Diagram.State(id: name("fork_\(fork)", nil, offset), kind: .fork, offset: offset))
    diagram.states[fork].declared = diagram.states[xstate.nodes[number].state].declared ?? 0
    append(end(number), .state(fork), label, at: target.offset)
    for (end, item) in zip(ends, target.items) {
      append(.state(fork), end, DiagramLabel(offset: item.offset), at: item.offset)
    }
  }

  // MARK: Transitions

  private static let keysOfTransitions: Set<String> = [
    "target", "guard", "cond", "actions", "internal", "reenter", "in", "description", "meta", "event", "eventType",
    "source", "delay", "id", "params", "toJSON", "tags",
  ]

  /// The transitions of an event, the first one whose guard is true first.
  private mutating func transitions(
    _ json: JSONTree, of number: Int, _ trigger: DiagramLabel.Trigger?, isAlways: Bool = false
  ) {
    for item in json.items where pace.mayGoOn() {
      var label = DiagramLabel(offset: item.offset)
      (label.triggers, label.isAlways) = (trigger.map { [$0] } ?? [], isAlways)
      var target: JSONTree?
      switch item.value {
      case .plain(.string): target = item
      case .plain(.null): break
      case .object: target = item["target"]?.isNull == true ? nil : item["target"]
      case .plain, .list:
        diagram.error(
          item.offset, "a transition is a target, an object with target, guard and actions, or a list of these")
        continue
      }
      warnOfOthers(than: Self.keysOfTransitions, in: item, "a transition")
      let named = item["guard", "cond"].flatMap { $0.isNull ? nil : guardText($0) }
      let guards = [named, item["in"].flatMap { activeText($0, from: number) }].compactMap(\.self)
      if let first = guards.first {
        let text = guards.count > 1 ? guards.map(Self.operand).joined(separator: " && ") : first
        label.condition = PlacedText(text, at: item["guard", "cond", "in"]?.offset ?? item.offset)
      }
      label.content = actions(item["actions"])
      guard let target else {
        if isAlways, label.condition == nil { continue }
        append(end(number), nil, label, at: item.offset)
        continue
      }
      let text = target.items.first?.text ?? ""
      let found = node(text, from: number)
      if let found, isWithin(found, number), target.items.count == 1 {
        let isInner = found != number && text.hasPrefix(".") || xstate.nodes[number].parent == nil
        let isKept = xstate.isFourth ? item.isTrue("internal") ?? isInner : item.isTrue("reenter") != true
        label.isInternal = isKept
        if isKept, found == number, let region = xstate.nodes[number].region,
          let start = diagram.regions[region].initials.first
        {
          // The state stays, and what is in it begins again.
          append(end(number), diagram.arrows[start].target, label, at: target.offset)
          continue
        }
      }
      lead(number, target, label, at: item.offset)
    }
  }

  private mutating func on(_ key: String, _ offset: Int, _ json: JSONTree, _ number: Int) {
    for prefix in ["xstate.after(", "xstate.after."] where key.hasPrefix(prefix) {
      return after(String(key.dropFirst(prefix.count).prefix { $0 != ")" && $0 != "." }), offset, json, number)
    }
    if key.isEmpty { return transitions(json, of: number, nil, isAlways: true) }
    if key.hasPrefix("done.state.") || key.hasPrefix("xstate.done.state.") {
      return transitions(json, of: number, end(of: number))
    }
    var event = key
    for (prefix, suffix) in [
      ("done.invoke.", "done"), ("error.platform.", "error"), ("xstate.done.actor.", "done"),
      ("xstate.error.actor.", "error"),
    ] where key.hasPrefix(prefix) { event = "\(key.dropFirst(prefix.count)).\(suffix)" }
    transitions(json, of: number, self.event(event, offset))
  }

  /// The event of the end of a state's block.
  private func end(of number: Int) -> DiagramLabel.Trigger {
    let node = xstate.nodes[number]
    return .event(PlacedText("done.state.\(diagram.states[node.state].id)", at: node.offset))
  }

  private mutating func event(_ text: String, _ offset: Int) -> DiagramLabel.Trigger {
    let name = PlacedText(text, at: offset)
    return .event(isEventWord(text) ? name : event(ofWords: name))
  }

  /// `1000`, in milliseconds, or the name of a delay.
  private mutating func after(_ key: String, _ offset: Int, _ json: JSONTree, _ number: Int) {
    var milliseconds = Double(key)
    if milliseconds == nil, case .plain(.number(let named))? = xstate.delays?[key]?.value { milliseconds = named }
    if milliseconds == nil, case .time(let time)? = Prose.time(in: key) {
      milliseconds = Double(time.nanoseconds) / 1e6
    }
    guard let milliseconds else {
      diagram.assume(offset, "nothing says how long \(key) is, so it is an event")
      return transitions(json, of: number, event(key, offset))
    }
    let nanoseconds = (milliseconds * 1e6).rounded()
    guard nanoseconds >= 0, nanoseconds <= Double(TimeText.longest) else {
      return diagram.error(offset, "expected a delay from 0 to 36500d in milliseconds; found \(key)")
    }
    transitions(json, of: number, .timer(name: nil, nanoseconds: Int64(clamping: nanoseconds), offset: offset))
  }

  /// What is invoked is not run: it is an output, and its end and its failure are events.
  private mutating func invoke(_ json: JSONTree, _ number: Int) {
    let source = json["src"]?.text ?? json["src"]?["type"]?.text
    let name = json["id"]?.text ?? source ?? json.text ?? "invoked"
    var builder = XMLBuilder()
    emit(source ?? name, [], json.offset, into: &builder)
    addHandler(of: xstate.nodes[number].state, isEntry: true, builder.nodes)
    var events: [String] = []
    for (key, suffix) in [("onDone", "done"), ("onError", "error"), ("onSnapshot", "snapshot")] {
      guard let inner = json[key] else { continue }
      let trigger = event("\(name).\(suffix)", inner.offset)
      if case .event(let event) = trigger { events.append(event.string) }
      transitions(inner, of: number, trigger)
    }
    let ends = events.isEmpty ? "" : ", and \(events.joined(separator: " and ")) its event"
    diagram.assume(
      json.offset, "\(name) is not run here: it is an output\(ends)\(events.count > 1 ? "s" : "")")
  }

  // MARK: Guards

  private static func operand(_ text: String) -> String { Parser.isVariable(text) ? text : "(\(text))" }

  private mutating func guardText(_ json: JSONTree) -> String? {
    if let text = json.text { return Self.guardName(text) }
    let type = json["type"]?.text ?? ""
    func operands() -> [String] {
      (json["guards", "children", "guard", "params"]?.items ?? []).compactMap { guardText($0) }.map(Self.operand)
    }
    switch type.hasPrefix("xstate.") ? String(type.dropFirst(7)) : type {
    case "and": return operands().joined(separator: " && ")
    case "or": return operands().joined(separator: " || ")
    case "not": return "!\(operands().first ?? "()")"
    case "stateIn": if let json = json["stateValue", "params"] { return activeText(json, from: 0) }
    case _: break
    }
    let name = json["name"]?.text ?? type
    guard !name.isEmpty else {
      diagram.assume(json.offset, "a guard without a name is the condition guard")
      return "guard"
    }
    let values = json["params"]?.members.map { $0.value.text ?? JSON.text(of: $0.value.data) } ?? []
    return values.isEmpty ? Self.guardName(name) : ([name] + values).joined(separator: " ")
  }

  /// Dashes in a name do not matter.
  private static func guardName(_ text: String) -> String {
    let isName = text.utf8.allSatisfy { isPartOfName($0) || $0 == UInt8(ascii: "-") }
    return isName && !Parser.isVariable(text) ? Prose.name(of: text) : text
  }

  /// A guard that asks whether a state is active: `#id`, or a path from the machine.
  private mutating func activeText(_ json: JSONTree, from number: Int) -> String? {
    var path = json.text ?? ""
    var inner = json
    while let member = inner.members.first {
      path += (path.isEmpty ? "" : ".") + member.key
      inner = member.value
    }
    if path != json.text, let text = inner.text { path += (path.isEmpty ? "" : ".") + text }
    guard let found = node(path, from: number) ?? descend(0, path), xstate.nodes[found].state >= 0 else {
      diagram.error(json.offset, "there is no state \(path)")
      return nil
    }
    return "In(\(Self.quoted(diagram.states[xstate.nodes[found].state].id)))"
  }

  // MARK: Actions

  private mutating func actions(_ json: JSONTree?) -> [XMLDocument.Node] {
    var builder = XMLBuilder()
    for item in json?.items ?? [] where pace.mayGoOn() && !item.isNull {
      guard let type = item.text ?? item["type"]?.text else {
        diagram.error(item.offset, "an action is a name, or an object with type and params")
        continue
      }
      let word = type.hasPrefix("xstate.") ? String(type.dropFirst(7)) : type
      let event = item["event"]?.text ?? item["event"]?["type"]?.text
      switch word {
      case "assign" where !(item["assignment", "params"]?.members.isEmpty ?? true):
        for member in item["assignment", "params"]?.members ?? [] where Parser.isVariable(member.key) {
          let value = JSON.text(of: member.value.data)
          builder.empty("assign", [("location", member.key, member.offset), ("expr", value, nil)], at: member.offset)
        }
      case "raise" where event != nil, "send" where event != nil && item["to"] == nil:
        let delay = item["delay"].flatMap { Double(JSON.text(of: $0.data)) }.map { ($0 * 1e6).rounded() } ?? 0
        guard case .event(let name) = self.event(event ?? "", item.offset) else { continue }
        var attributes: [XMLBuilder.Attribute] = [("event", name.string, item.offset)]
        if delay > 0, delay <= Double(TimeText.longest) {
          attributes.append(("delay", Self.delay(Int64(clamping: delay)), item.offset))
          if let id = item["id"]?.text { attributes.append(("id", id, nil)) }
        }
        builder.empty(attributes.count > 1 || word == "send" ? "send" : "raise", attributes, at: item.offset)
      case "cancel" where item["sendId"]?.text != nil:
        builder.empty("cancel", [("sendid", item["sendId"]?.text ?? "", nil)], at: item.offset)
      case "log" where item["label"] != nil || item["expr"] != nil:
        builder.empty("log", [("label", item["label"]?.text ?? item["expr"]?.text ?? "", nil)], at: item.offset)
      case "send", "sendTo", "sendParent", "emit", "respond", "forwardTo", "escalate":
        emit(event ?? word, [], item.offset, into: &builder)
      case _:
        let parameters = item["params"]?.members ?? item.members.filter { !["type", "exec"].contains($0.key) }
        emit(word, parameters, item.offset, into: &builder)
      }
    }
    return builder.nodes
  }

  /// An output with the parameters of an action.
  private mutating func emit(
    _ text: String, _ parameters: [JSONTree.Member], _ offset: Int, into builder: inout XMLBuilder
  ) {
    let isName = text.utf8.allSatisfy(Self.isPartOfName) && !text.isEmpty
    let words = Prose.name(of: text)
    let name = isName ? text : words.isEmpty ? "output" : words
    guard (try? countOutputs(1 + parameters.count, PlacedText(at: offset))) != nil else { return }
    if !isName, wordedOutputs.insert(name).inserted { diagram.assume(offset, "\"\(text)\" is the output \(name)") }
    builder.begin("send", [("type", "output", nil), ("event", name, offset)], at: offset)
    for member in parameters where member.key.utf8.allSatisfy(Self.isPartOfName) && !member.key.isEmpty {
      let value = JSON.text(of: member.value.data)
      builder.empty("param", [("name", member.key, nil), ("expr", value, nil)], at: member.offset)
    }
    builder.end()
  }
}
