import LineProtocol
import StateMachines

// Executable content, data, invocations: what a chart does beside changing its state.

extension Compiler {
  mutating func compileContent(of state: Int) {
    var entry: [Chart.Index] = []
    var exit: [Chart.Index] = []
    let (invokes, data) = (chart.invokes.count, chart.data.count)
    for part in parts[state] {
      switch document.element(part)?.name {
      case "onentry": entry.append(block(of: part))
      case "onexit": exit.append(block(of: part))
      case "datamodel": for node in elements(of: part) { compileData(node) }
      case "invoke": compileInvoke(part, of: state)
      case "donedata": compileDoneData(part, of: state)
      case "script": compileGlobalScript(part)
      case _: break
      }
    }
    chart.states[state].onEntry = handlers(entry)
    chart.states[state].onExit = handlers(exit)
    chart.states[state].invokes = Chart.Index(invokes)..<Chart.Index(chart.invokes.count)
    chart.states[state].data = Chart.Index(data)..<Chart.Index(chart.data.count)
    let initial = chart.states[state].initial
    for transition in Array(chart.states[state].transitions) + (initial == Chart.none ? [] : [initial]) {
      guard let node = nodeOfTransition[Int(transition)] else { continue }
      if let condition = document.element(node)?["cond"], !condition.allSatisfy(\.isWhitespace) {
        chart.transitions[Int(transition)].condition = self.condition(condition, node)
      }
      let content = elements(of: node)
      if !content.isEmpty { chart.transitions[Int(transition)].block = block(content) }
    }
  }

  private mutating func handlers(_ blocks: [Chart.Index]) -> Range<Chart.Index> {
    chart.handlers += blocks
    return Chart.Index(chart.handlers.count - blocks.count)..<Chart.Index(chart.handlers.count)
  }

  // MARK: Expressions

  mutating func expression(_ text: String, _ node: Int, _ attribute: String?) -> Chart.Index {
    do {
      let functions = chart.symbols.functions.count
      let text = hasDataModel ? text : Self.quotingStates(text)
      let expression =
        hasExpressions
        ? try Expression(parsing: text, in: &chart.symbols, written: document.element(node)?.condition)
        : try Expression(parsingPredicate: text, in: &chart.symbols)
      note(expression.code, functions, node, attribute)
      chart.expressions.append(.form(expression))
    } catch {
      chart.expressions.append(.broken(broken(text, error, node, attribute)))
    }
    return Chart.Index(chart.expressions.count - 1)
  }

  /// `In('id')` for `In(id)`, as a document without a data model has it.
  private static func quotingStates(_ text: String) -> String {
    guard text.includes("In") else { return text }
    var lexer = Lexer(text)
    var before: [Token] = []
    var (written, end) = ("", 0)
    while let (token, start) = try? lexer.next(), token != .end {
      if before == [.name("In"), .symbol("(")], case .name(let id) = token {
        written += "\(lexer.text(end..<start))'\(id)'"
        end = lexer.offset
      }
      before = before.suffix(1) + [token]
    }
    return written + lexer.text(end..<text.utf8.count)
  }

  private mutating func condition(_ text: String, _ node: Int) -> Chart.Index {
    let place = expression(text, node, "cond")
    if case .form(let expression) = chart.expressions[Int(place)], let doubt = Self.doubt(about: expression.code) {
      warn(node, "\(text) \(doubt)", attribute: "cond")
    }
    return place
  }

  /// What a condition says in ECMAScript, if nobody means that.
  private static func doubt(about code: Code) -> String? {
    switch code.nodes[Int(code.root)] {
    case .assign: return "assigns; a comparison is written =="
    case .function: return "is a function, which is always true; a comparison is written >="
    case .sequence: return "counts by its last part alone; conditions are joined by &&"
    case _: break
    }
    let comparesTwice = code.nodes.contains { node in
      guard case .binary(let outer, let left, _) = node, outer.isOrder,
        case .binary(let inner, _, _) = code.nodes[Int(left)]
      else { return false }
      return inner.isOrder
    }
    return comparesTwice ? "compares what a comparison has given; two are joined by &&" : nil
  }

  private mutating func location(_ text: String, _ node: Int, _ attribute: String) -> Chart.Index {
    do throws(SyntaxError) {
      guard hasExpressions else { throw SyntaxError("the null data model has no variables", at: 0) }
      let location = try Location(parsing: text, in: &chart.symbols)
      note(location.code, chart.symbols.functions.count, node, attribute)
      chart.locations.append(.form(location))
    } catch {
      chart.locations.append(.broken(broken(text, error, node, attribute)))
    }
    return Chart.Index(chart.locations.count - 1)
  }

  /// Notes what a text and the functions in it refer to.
  private mutating func note(_ code: Code, _ functions: Int, _ node: Int, _ attribute: String?) {
    var place: XMLDocument.Position?
    for code in [code] + chart.symbols.functions[functions...].map(\.code) {
      for inner in code.nodes {
        switch inner {
        case .variable(let slot) where references.uses[slot] == nil:
          place = place ?? position(node, attribute)
          references.uses[slot] = place
        case .declare(let slot, _): references.declared.insert(slot)
        case .call(let callee, let list):
          guard case .builtIn(.isActive) = code.nodes[Int(callee)], list.count == 1,
            case .constant(let number) = code.nodes[Int(code.lists[list.range.lowerBound])],
            case .string(let id) = code.constants[number]
          else { continue }
          place = place ?? position(node, attribute)
          if let place { references.states.append((id, place)) }
        case _: break
        }
      }
    }
  }

  /// A bad expression is an error of its evaluation, not of the document.
  private mutating func broken(_ text: String, _ mistake: SyntaxError, _ node: Int, _ attribute: String?) -> String {
    if document.isDiagram {
      // Nobody else runs diagrams with expressions, so there is no reason to wait for the mistake.
      var position = attribute.map { document.position(of: $0, in: node) } ?? document.nodes[node].position
      position.column += String(decoding: text.utf8.prefix(mistake.offset), as: UTF8.self).unicodeScalars.count
      note(.error, at: position, "\(text) is no expression: \(mistake.message)")
      return mistake.message
    }
    let place = attribute.map { "\($0)=\"\(text)\"" } ?? "the script"
    warn(node, "\(place) will be error.execution: \(mistake.message)", attribute: attribute)
    return mistake.message
  }

  private mutating func script(_ text: String, _ node: Int) -> Chart.Index {
    do throws(SyntaxError) {
      guard hasExpressions else { throw SyntaxError("the null data model has no scripts", at: 0) }
      let functions = chart.symbols.functions.count
      let script = try Script(parsing: text, in: &chart.symbols)
      note(script.code, functions, node, nil)
      chart.scripts.append(.form(script))
    } catch {
      chart.scripts.append(.broken(broken(text, error, node, nil)))
    }
    return Chart.Index(chart.scripts.count - 1)
  }

  /// A condition that is missing was told of.
  private mutating func condition(of node: Int) -> Chart.Index {
    if let text = document.element(node)?["cond"] { return condition(text, node) }
    chart.expressions.append(.broken("there is no condition"))
    return Chart.Index(chart.expressions.count - 1)
  }

  /// The value of one of two attributes: a text, or an expression.
  private mutating func source(_ node: Int, _ text: String, _ expression: String) -> Chart.Source {
    guard let element = document.element(node) else { return .none }
    if let found = element[expression] { return .expression(self.expression(found, node, expression)) }
    return element[text].map { .constant(chart.add(constant: .string($0))) } ?? .none
  }

  /// The first that an element contains: an element, or a text that is not blank.
  func content(of node: Int) -> Int? {
    document.children(of: node).first { child in
      switch document.nodes[child].content {
      case .element(let element): !isMark(element)
      case .text(let text): !text.allSatisfy(\.isWhitespace)
      }
    }
  }

  /// The value of `expr=` or of what the element contains.
  private mutating func value(of node: Int) -> Chart.Source {
    guard let element = document.element(node) else { return .none }
    let isFilled = content(of: node) != nil
    if let text = element["expr"] {
      if isFilled { error(node, "<\(element.name)> has either expr= or a content, not both", attribute: "expr") }
      return .expression(expression(text, node, "expr"))
    }
    guard isFilled else { return .none }
    return .constant(chart.add(constant: literal(of: node)))
  }

  /// What an element contains, as a value: JSON, else markup, else a text with single blanks.
  private mutating func literal(of node: Int) -> DataValue {
    guard
      let inner = document.children(of: node).first(where: { document.element($0).map { !isMark($0) } ?? false })
    else {
      let text = document.text(of: node)
      let value = Self.literal(text)
      if Self.isFunction(text.trimmed) {
        warn(node, "this is a text and no function, since it is the content of the element; write it in expr=")
      }
      if case .string = value, let first = text.trimmed.first, first == "{" || first == "[" {
        warn(node, "this begins like JSON but is no JSON, so it counts as a text")
      }
      return value
    }
    let markup = document.markup(below: node).trimmed
    if document.element(inner)?.name == "scxml", markups[markup] == nil { markups[markup] = chart(ofElement: inner) }
    return .string(markup)
  }

  private static func isFunction(_ text: String) -> Bool {
    guard text.hasPrefix("function") || text.includes("=>") else { return false }
    var symbols = SymbolTable()
    guard let code = try? Parser.expression(text, &symbols) else { return false }
    if case .function = code.nodes[Int(code.root)] { return true }
    return false
  }

  private static func literal(_ text: String) -> DataValue {
    if let value = JSON.value(of: text) { return value }
    let words = text.utf8.split { [0x20, 0x0A, 0x09, 0x0D].contains($0) }
    return .string(words.map { String(Substring($0)) }.joined(separator: " "))
  }

  private mutating func parameters(of node: Int, _ children: [Int]) -> [Chart.Parameter] {
    var all: [Chart.Parameter] = []
    if let names = document.element(node)?["namelist"] {
      for name in names.split(whereSeparator: \.isWhitespace).map(String.init) {
        all.append(Chart.Parameter(name: name, value: .location(location(name, node, "namelist"))))
      }
    }
    for child in children {
      guard let element = document.element(child), element.name == "param", let name = element["name"] else { continue }
      if let text = element["expr"] {
        all.append(Chart.Parameter(name: name, value: .expression(expression(text, child, "expr"))))
      } else if let text = element["location"] {
        all.append(Chart.Parameter(name: name, value: .location(location(text, child, "location"))))
      } else {
        error(child, "<param> lacks expr= or location=")
      }
    }
    return all
  }

  // MARK: Data, invocations

  private mutating func compileData(_ node: Int) {
    guard let element = document.element(node), let id = element["id"] else { return }
    let slot = chart.symbols.slot(of: id)
    references.declared.insert(slot)
    if !hasExpressions {
      warn(node, "the null data model has no data; write datamodel=\"ecmascript\"")
    } else if !Parser.isVariable(id) {
      warn(node, "\(id) is no name of a variable: no expression can read it", attribute: "id")
    } else if let first = references.data[slot] {
      warn(node, "\(id) is declared in line \(first) already; the value that comes last counts", attribute: "id")
    } else {
      references.data[slot] = document.nodes[node].position.line
    }
    var value = value(of: node)
    if let source = element["src"], let bytes = bytes(of: source) {
      value = .constant(chart.add(constant: Self.literal(String(decoding: bytes, as: UTF8.self))))
    }
    chart.data.append(Chart.Data(slot: Chart.Index(slot), value: value, line: line(of: node)))
  }

  private mutating func compileGlobalScript(_ node: Int) {
    if chart.globalScript != nil { return error(node, "<scxml> has one <script> at most") }
    chart.globalScript = scriptElement(node)
  }

  private mutating func scriptElement(_ node: Int) -> Chart.Index {
    var text = document.text(of: node)
    if let source = document.element(node)?["src"] {
      if !text.allSatisfy(\.isWhitespace) { error(node, "<script> has either src= or a text, not both") }
      text = bytes(of: source).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
    return script(text, node)
  }

  private mutating func compileDoneData(_ node: Int, of state: Int) {
    if chart.states[state].doneData != Chart.none { return error(node, "there is a <donedata> already") }
    let children = elements(of: node)
    var data = Chart.DoneData(parameters: parameters(of: node, children))
    for child in children where document.element(child)?.name == "content" {
      if data.content != nil || !data.parameters.isEmpty {
        error(child, "<donedata> has either one <content> or <param> elements")
      }
      data.content = value(of: child)
    }
    chart.states[state].doneData = Chart.Index(chart.doneData.count)
    chart.doneData.append(data)
  }

  /// What the ids of invocations in a state start with.
  func wordForInvocations(of state: Int) -> String { chart.ids[state] ?? "_\(state)" }

  private mutating func compileInvoke(_ node: Int, of state: Int) {
    guard let element = document.element(node) else { return }
    let children = elements(of: node)
    var invoke = Chart.Invoke(stateID: wordForInvocations(of: state))
    invoke.type = source(node, "type", "typeexpr")
    invoke.source = source(node, "src", "srcexpr")
    let type = element["typeexpr"] == nil ? element["type"] ?? "scxml" : nil
    // What something else would be invoked with is its own business.
    let isChart = type.map(ChartEvent.isInvocable) ?? true
    if let type, !isChart {
      warn(node, "type=\"\(type)\" will be error.execution: only charts can be invoked, scxml", attribute: "type")
    }
    if isChart, let path = element["src"] { readChart(ofResource: path, from: node) }
    invoke.id = element["id"]
    references.invokes.append((element["id"] ?? "", state, node))
    invoke.idLocation = element["idlocation"].map { location($0, node, "idlocation") }
    invoke.parameters = parameters(of: node, children)
    invoke.isForwarding = word("autoforward", of: node, in: ["true", "false"], default: "false") == "true"
    for child in children {
      switch document.element(child)?.name {
      case "finalize":
        if invoke.finalize != Chart.none { error(child, "there is a <finalize> already") }
        invoke.finalize = block(of: child)
        checkFinalize(child)
      case "content":
        if invoke.content != nil { error(child, "there is a <content> already") }
        if element["src"] != nil || element["srcexpr"] != nil {
          error(child, "<invoke> has either src= or a <content>, not both")
        }
        if isChart { invoke.content = invoked(child, isSurely: type != nil) }
      case _: break
      }
    }
    if isChart, !children.contains(where: { document.element($0)?.name == "content" }), element["src"] == nil,
      element["srcexpr"] == nil
    {
      warn(node, "<invoke> will be error.execution: it lacks src=, srcexpr= or a <content>")
    }
    chart.invokes.append(invoke)
  }

  /// Warns of what must not stand in `<finalize>`.
  private mutating func checkFinalize(_ node: Int) {
    for inner in node..<document.nodes[node].end {
      guard let element = document.element(inner), ["raise", "send"].contains(element.name) else { continue }
      warn(inner, "<\(element.name)> is not for <finalize>, which the Recommendation has for data; it runs")
    }
  }

  /// - Parameter isSurely: Whether it is known that a chart is to be invoked.
  private mutating func invoked(_ node: Int, isSurely: Bool) -> Chart.Invoke.Content? {
    if let text = document.element(node)?["expr"] { return .expression(expression(text, node, "expr")) }
    let inner = document.children(of: node).first { document.element($0) != nil }
    guard let inner, let element = document.element(inner), element.name == "scxml" else {
      let message = "the <content> of <invoke> is an <scxml> element, or has expr="
      if isSurely { error(node, message) } else { warn(node, message) }
      return nil
    }
    let markup = document.markup(below: node).trimmed
    let number = markups[markup] ?? chart(ofElement: inner)
    markups[markup] = number
    return .chart(Chart.Index(number))
  }

  // MARK: Executable content

  /// The block of an element's content.
  private mutating func block(of node: Int) -> Chart.Index { block(elements(of: node)) }

  private mutating func block(_ nodes: [Int]) -> Chart.Index {
    // What `foreach` and `if` contain is compiled in its place, so a block is one range. An element in it can have a
    // chart with blocks of its own.
    let outer = blockLines
    blockLines = []
    var instructions: [Chart.Instruction] = []
    compile(nodes, into: &instructions)
    let first = Chart.Index(chart.instructions.count)
    for instruction in instructions { chart.instructions.append(instruction.moved(by: first)) }
    chart.instructionLines += blockLines
    blockLines = outer
    chart.blocks.append(first..<Chart.Index(chart.instructions.count))
    return Chart.Index(chart.blocks.count - 1)
  }

  private mutating func compile(_ nodes: [Int], into block: inout [Chart.Instruction]) {
    for node in nodes where pace.mayGoOn() {
      nested(node) { $0.compile(node, into: &block) }
      noteLines(of: block, node)
    }
  }

  /// Gives the instructions that have none the line of an element.
  private mutating func noteLines(of block: [Chart.Instruction], _ node: Int) {
    while blockLines.count < block.count { blockLines.append(line(of: node)) }
  }

  private func line(of node: Int) -> Chart.Index { Chart.Index(document.nodes[node].position.line) }

  private mutating func compile(_ node: Int, into block: inout [Chart.Instruction]) {
    guard let element = document.element(node) else { return }
    switch element.name {
    case "raise":
      _ = elements(of: node)
      guard let name = element["event"] else { return }
      if name.isEmpty { return error(node, "event= names no event", attribute: "event") }
      let number = chart.events.intern(name)
      nodesOfRaises.append((number, node))
      block.append(.raise(number))
    case "log":
      _ = elements(of: node)
      let label = chart.add(constant: .string(element["label"] ?? ""))
      block.append(.log(label: label, logged(node, element)))
    case "assign":
      guard let text = element["location"] else { return }
      let place = location(text, node, "location")
      checkSystem(place, node)
      block.append(.assign(place, value(of: node)))
    case "script": block.append(.script(scriptElement(node)))
    case "cancel":
      _ = elements(of: node)
      if let id = element["sendid"], element["sendidexpr"] == nil { references.cancels.append((id, node)) }
      block.append(.cancel(source(node, "sendid", "sendidexpr")))
    case "send": compileSend(node, element, into: &block)
    case "foreach": compileForEach(node, element, into: &block)
    case "if": compileIf(node, element, into: &block)
    case _: break
    }
  }

  /// Warns of a location that is a system variable or in one.
  private mutating func checkSystem(_ place: Chart.Index, _ node: Int) {
    guard case .form(let location) = chart.locations[Int(place)] else { return }
    var root = location.code.root
    while true {
      switch location.code.nodes[Int(root)] {
      case .member(let object, _), .element(let object, _): root = object
      case .system:
        return warn(
          node, "location=\"\(location.text)\" will be error.execution: system variables cannot be changed",
          attribute: "location")
      case _: return
      }
    }
  }

  private mutating func logged(_ node: Int, _ element: XMLElement) -> Chart.Source {
    guard let text = element["expr"] else { return .none }
    return .expression(expression(text, node, "expr"))
  }

  private mutating func compileSend(_ node: Int, _ element: XMLElement, into block: inout [Chart.Instruction]) {
    let children = elements(of: node)
    var send = Chart.Send()
    send.event = source(node, "event", "eventexpr")
    send.target = source(node, "target", "targetexpr")
    send.type = source(node, "type", "typeexpr")
    send.id = element["id"]
    if let id = send.id { references.sends.insert(id) }
    if let target = element["target"], target.hasPrefix("#_"), element["targetexpr"] == nil,
      !["#_parent", "#_internal"].contains(target), !target.hasPrefix("#_scxml_")
    {
      references.invoked.append((String(target.dropFirst(2)), node))
    }
    send.idLocation = element["idlocation"].map { location($0, node, "idlocation") }
    send.delay = source(node, "delay", "delayexpr")
    if let delay = element["delay"] {
      if Delay.nanoseconds(of: .string(delay)) == nil {
        warn(node, "delay=\"\(delay)\" will be error.execution: expected a number with s or ms", attribute: "delay")
      } else if element["target"] == "#_internal" {
        error(node, "what is sent to #_internal cannot be delayed", attribute: "delay")
      }
    }
    send.parameters = parameters(of: node, children)
    for child in children where document.element(child)?.name == "content" {
      if send.content != nil || !send.parameters.isEmpty {
        error(child, "<send> has either one <content> or namelist= and <param> elements")
      }
      send.content = value(of: child)
    }
    if let name = element["event"] {
      let number = chart.events.intern(name)
      let isOwn = element["target"] ?? "#_internal" == "#_internal" && element["targetexpr"] == nil
      if isOwn, element["type"] ?? "scxml" == "scxml", element["typeexpr"] == nil {
        nodesOfRaises.append((number, node))
      }
    }
    checkSend(node, element, hasContent: send.content != nil)
    chart.sends.append(send)
    block.append(.send(Chart.Index(chart.sends.count - 1)))
  }

  /// What a processor that is not here would make of an element is no mistake of the document: it fails when it is sent.
  private mutating func checkSend(_ node: Int, _ element: XMLElement, hasContent: Bool) {
    let type = element["typeexpr"] == nil ? element["type"] ?? "scxml" : nil
    if let type, type != "output", !ChartEvent.isProcessor(type) {
      return warn(
        node, "type=\"\(type)\" will be error.execution: there are scxml, for machines, and output", attribute: "type")
    }
    if let type, type != "output", let target = element["target"], !target.isEmpty,
      !target.hasPrefix("#") || target == "#"
    {
      warn(
        node, "target=\"\(target)\" will be error.execution: expected #NAME of a machine, #_parent, #_internal or #_ID",
        attribute: "target")
    }
    if type != nil, element["event"] == nil, element["eventexpr"] == nil, !hasContent {
      error(node, "<send> lacks event=, eventexpr= or a <content>")
    }
  }

  private mutating func compileForEach(_ node: Int, _ element: XMLElement, into block: inout [Chart.Instruction]) {
    let children = elements(of: node)
    guard let text = element["array"], let item = element["item"] else { return compile(children, into: &block) }
    let array = expression(text, node, "array")
    let names = [item, element["index"]].compactMap { $0 }
    for (name, attribute) in zip(names, ["item", "index"]) where !Parser.isVariable(name) {
      warn(node, "\(attribute)=\"\(name)\" will be error.execution: it is no variable", attribute: attribute)
      return block.append(.fail(chart.add(constant: .string("\(name) is no variable"))))
    }
    let slots = names.map { Chart.Index(chart.symbols.slot(of: $0)) }
    references.declared.formUnion(slots.map(Int.init))
    let start = block.count
    block.append(.jump(0))
    noteLines(of: block, node)
    compile(children, into: &block)
    block[start] = .forEach(
      array: array, item: slots[0], index: slots.count > 1 ? slots[1] : nil, end: Chart.Index(block.count))
  }

  private mutating func compileIf(_ node: Int, _ element: XMLElement, into block: inout [Chart.Instruction]) {
    var condition = self.condition(of: node)
    var branch: Int? = block.count
    var jumps: [Int] = []
    block.append(.branch(condition, else: 0))
    noteLines(of: block, node)
    var hasElse = false
    for child in elements(of: node) {
      guard let inner = document.element(child) else { continue }
      guard inner.name == "elseif" || inner.name == "else" else {
        nested(child) { $0.compile(child, into: &block) }
        noteLines(of: block, child)
        continue
      }
      if hasElse { error(child, "nothing can follow <else> but its actions") }
      jumps.append(block.count)
      block.append(.jump(0))
      if let branch { block[branch] = .branch(condition, else: Chart.Index(block.count)) }
      if inner.name == "else" {
        hasElse = true
        branch = nil
      } else {
        condition = self.condition(of: child)
        branch = block.count
        block.append(.branch(condition, else: 0))
        noteLines(of: block, child)
      }
      if let content = content(of: child) {
        error(content, "<\(inner.name)/> is empty: its actions follow it, within the <if>")
        compile(elements(of: child), into: &block)
      }
    }
    if let branch { block[branch] = .branch(condition, else: Chart.Index(block.count)) }
    for jump in jumps { block[jump] = .jump(Chart.Index(block.count)) }
  }
}

extension Chart.Instruction {
  /// The same with its targets counted from the start of all instructions.
  fileprivate func moved(by offset: Chart.Index) -> Self {
    switch self {
    case .branch(let condition, let otherwise): .branch(condition, else: otherwise + offset)
    case .jump(let target): .jump(target + offset)
    case .forEach(let array, let item, let index, let end):
      .forEach(array: array, item: item, index: index, end: end + offset)
    case .raise, .send, .cancel, .log, .assign, .script, .fail: self
    }
  }
}

extension String {
  var trimmed: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}

/// Lengths of time as `delay=` has them.
enum Delay {
  /// - Returns: Whole nanoseconds; `nil` for anything else than a number followed by `s` or `ms`, or a time beyond that
  ///   which a request may name.
  static func nanoseconds(of value: DataValue) -> Int64? {
    guard case .string(let text) = value else { return nil }
    var digits = text.utf8.filter { $0 > 0x20 }[...]
    let unit: Double
    if digits.suffix(2).elementsEqual("ms".utf8) {
      unit = 1e6
      digits = digits.dropLast(2)
    } else if digits.last == UInt8(ascii: "s") {
      unit = 1e9
      digits = digits.dropLast()
    } else if digits.elementsEqual("0".utf8) {
      return 0
    } else {
      return nil
    }
    // A length of time of CSS can have a plus.
    if digits.first == UInt8(ascii: "+") { digits = digits.dropFirst() }
    let areAllowed = digits.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: ".") }
    guard areAllowed, let number = Double(literal: digits) else { return nil }
    let nanoseconds = (number * unit).rounded()
    return nanoseconds <= Double(TimeText.longest) ? Int64(clamping: nanoseconds) : nil
  }
}
