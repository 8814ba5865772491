import StateMachines

// Executable content, sends and invocations.

extension ChartRun {
  /// Carries out what may fail. A failure becomes `error.execution` in the internal queue.
  ///
  /// - Parameter line: Where it stands in the document; `nil` for where the instruction does that was the last.
  /// - Throws: A limit, which ends the input.
  mutating func attemptContent(
    line: Chart.Index? = nil, _ body: (inout ChartRun) throws(EvaluationError) -> Void
  ) throws(EvaluationError) {
    failedSend = nil
    do {
      try body(&self)
    } catch {
      guard case .failed(let message) = error else { throw error }
      noteFailure(line ?? compiled.chart.instructionLines[Int(place)], message)
      try raiseError(message)
    }
  }

  mutating func raiseError(_ message: String) throws(EvaluationError) {
    try scope.budget.spend(bytes: message.utf8.count)
    try raise(
      ChartEvent(name: "error.execution", kind: .platform, sendID: failedSend, data: .string(message)))
    failedSend = nil
  }

  /// Carries out a block: to its end, or to its first failure.
  mutating func run(_ block: Chart.Index) throws(EvaluationError) {
    let range = compiled.chart.blocks[Int(block)]
    try attemptContent { (run) throws(EvaluationError) in try run.execute(range) }
  }

  private mutating func execute(_ range: Range<Chart.Index>) throws(EvaluationError) {
    var place = range.lowerBound
    while place < range.upperBound {
      try scope.budget.spend(steps: 1)
      let instruction = compiled.chart.instructions[Int(place)]
      self.place = place
      place += 1
      switch instruction {
      case .raise(let name):
        try raise(ChartEvent(name: compiled.chart.events.names[Int(name)], kind: .internal))
      case .send(let number): try send(compiled.chart.sends[Int(number)])
      case .cancel(let source): try cancel(try text(of: source, "the id of a send"))
      case .log(let label, let source):
        let (label, value) = (compiled.chart.text(at: label), try value(of: source))
        // Whoever carries out the effect writes the value down.
        try scope.budget.spend(bytes: label.utf8.count + value.size)
        try add(.log(label: label, value: value))
      case .assign(let number, let source):
        let value = try value(of: source)
        try assign(value, to: number)
      case .script(let number): try runScript(number)
      case .branch(let condition, let otherwise):
        if !(try holds(condition)) { place = otherwise }
      case .jump(let target): place = target
      case .forEach(let array, let item, let index, let end):
        guard case .array(let array) = try evaluate(array) else { throw .failed("foreach goes through arrays only") }
        scope.declare(Int(item), nil)
        if let index { scope.declare(Int(index), nil) }
        scope.depth += 1
        defer { scope.depth -= 1 }
        guard scope.depth <= DataScope.deepest else { throw .limit(.depth) }
        for (number, element) in array.elements.enumerated() {
          try scope.budget.spend(bytes: element.size)
          scope.declare(Int(item), element)
          if let index { scope.declare(Int(index), .number(Double(number))) }
          try scope.budget.spend(steps: 1)
          try execute(place..<end)
        }
        place = end
      case .fail(let message): throw .failed(compiled.chart.text(at: message))
      }
    }
  }

  /// The value of a condition. One that has none is false, and an error; the block goes on.
  private mutating func holds(_ condition: Chart.Index) throws(EvaluationError) -> Bool {
    var result = false
    try attemptContent { (run) throws(EvaluationError) in result = try run.evaluate(condition).isTruthy }
    return result
  }

  // MARK: Values

  private mutating func evaluate(_ number: Chart.Index) throws(EvaluationError) -> DataValue {
    switch compiled.chart.expressions[Int(number)] {
    case .form(let expression): return try expression.value(in: &scope)
    case .broken(let message): throw .failed(message)
    }
  }

  mutating func value(of source: Chart.Source) throws(EvaluationError) -> DataValue {
    switch source {
    case .none: return .undefined
    case .constant(let number): return compiled.chart.constants[Int(number)]
    case .expression(let number): return try evaluate(number)
    }
  }

  /// A source's value, which has to be a text.
  private mutating func text(of source: Chart.Source, _ what: String) throws(EvaluationError) -> String {
    let value = try value(of: source)
    try scope.chargeReading(value)
    switch value {
    case .string(let text): return text
    case .number(let number): return DataValue.text(of: number)
    case .undefined, .null, .boolean, .array, .object, .function: throw .failed("\(what) is no text")
    }
  }

  private mutating func assign(_ value: DataValue, to number: Chart.Index) throws(EvaluationError) {
    switch compiled.chart.locations[Int(number)] {
    case .form(let location): try location.assign(value, in: &scope)
    case .broken(let message): throw .failed(message)
    }
  }

  mutating func runScript(_ number: Chart.Index) throws(EvaluationError) {
    switch compiled.chart.scripts[Int(number)] {
    case .form(let script): try script.run(in: &scope)
    case .broken(let message): throw .failed(message)
    }
  }

  private mutating func value(of parameter: Chart.Parameter) throws(EvaluationError) -> DataValue {
    switch parameter.value {
    case .expression(let number): return try evaluate(number)
    case .location(let number):
      switch compiled.chart.locations[Int(number)] {
      case .form(let location): return try location.value(in: &scope)
      case .broken(let message): throw .failed(message)
      }
    }
  }

  private mutating func object(of parameters: [Chart.Parameter]) throws(EvaluationError) -> DataObject {
    var object = DataObject()
    for parameter in parameters {
      let value = try value(of: parameter)
      try scope.budget.spend(bytes: value.size + parameter.name.utf8.count)
      try object.set(value, for: parameter.name)
    }
    return object
  }

  /// The data of a final state. What fails is left out.
  mutating func doneData(of state: Int) throws(EvaluationError) -> DataValue {
    let number = compiled.chart.states[state].doneData
    if number == Chart.none { return .undefined }
    let data = compiled.chart.doneData[Int(number)]
    var result = DataValue.undefined
    let line = compiled.chart.states[state].line
    if let content = data.content {
      try attemptContent(line: line) { (run) throws(EvaluationError) in result = try run.value(of: content) }
      return result
    }
    var object = DataObject()
    for parameter in data.parameters {
      try attemptContent(line: line) { (run) throws(EvaluationError) in
        let value = try run.value(of: parameter)
        try run.scope.budget.spend(bytes: value.size)
        try object.set(value, for: parameter.name)
      }
    }
    return object.count == 0 ? .undefined : .object(object)
  }

  // MARK: Sends

  private mutating func send(_ send: Chart.Send) throws(EvaluationError) {
    failedSend = send.id
    if let location = send.idLocation {
      let id = makeID("send")
      try assign(.string(id), to: location)
      failedSend = id
    }
    let id = failedSend
    let type = send.type.isNone ? "scxml" : try text(of: send.type, "the type of a send")
    let target = send.target.isNone ? "" : try text(of: send.target, "the target of a send")
    guard type == "output" || ChartEvent.isProcessor(type) else {
      throw .failed("there is no event processor \(type); there are scxml and output")
    }
    if send.event.isNone, send.content == nil { throw .failed("a <send> of the type \(type) lacks event=") }
    let name = send.event.isNone ? "" : try text(of: send.event, "the name of an event")
    var delay: Int64 = 0
    if !send.delay.isNone {
      let given = try value(of: send.delay)
      try scope.chargeReading(given)
      guard let nanoseconds = Delay.nanoseconds(of: given) else { throw .failed("\(given.text) is no delay") }
      delay = nanoseconds
    }
    var data = DataValue.undefined
    if let content = send.content {
      data = try value(of: content)
      try scope.budget.spend(bytes: data.size)
    } else if !send.parameters.isEmpty {
      // What is sent may be kept in full by the journal, however often the same text is sent.
      data = .object(try object(of: send.parameters))
      try scope.budget.spend(bytes: data.size)
    }
    guard data.depth < DataValue.deepest - 1 else { throw .limit(.depth) }
    var event = ChartEvent(name: name, kind: .external, sendID: id, data: data)
    if type == "output" {
      if delay == 0 { try add(.output(name: name, data: data)) } else { try enqueue(event, to: .output, delay: delay) }
      failedSend = nil
      return
    }
    if target == "#_internal" {
      event.kind = .internal
      try raise(event)
      failedSend = nil
      return
    }
    event.origin = scope.address
    if let recipient = try recipient(of: target) {
      if recipient == .session(UInt32(truncatingIfNeeded: session.parent)), session.parent >= 0 {
        event.invokeID = session.invokeID
      }
      try enqueue(event, to: recipient, delay: delay, isDelayed: delay > 0)
    } else {
      try raise(ChartEvent(name: "error.communication", kind: .platform, sendID: id))
    }
    failedSend = nil
  }

  /// Who a target names; `nil` if nobody can be reached by it.
  private func recipient(of target: String) throws(EvaluationError) -> PendingSend.Recipient? {
    if target.isEmpty { return .session(session.number) }
    guard target.hasPrefix("#") else { throw .failed("\(target) is no target") }
    if target == "#_parent" { return session.parent < 0 ? nil : .session(UInt32(session.parent)) }
    if target.hasPrefix("#_scxml_s"), let number = UInt32(target.dropFirst(9)) {
      return number == session.number || hasSession(number) ? .session(number) : nil
    }
    if target.hasPrefix("#_") {
      let id = target.dropFirst(2)
      guard let invocation = session.invocations.first(where: { $0.id == id }) else { return nil }
      return hasSession(invocation.session) ? .session(invocation.session) : nil
    }
    guard target.utf8.count > 1 else { throw .failed("# is no target") }
    return .machine(String(target.dropFirst()))
  }

  mutating func enqueue(
    _ event: ChartEvent, to recipient: PendingSend.Recipient, delay: Int64, isDelayed: Bool = true
  ) throws(EvaluationError) {
    if case .machine(let name) = recipient, !isDelayed {
      return try add(.send(machine: name, event: event.name, data: event.data, sendID: event.sendID))
    }
    // Nobody hears what a session that was ended sends while it is left.
    if isCancelled { return }
    guard machine.pending.count < limits.sends else { throw .limit(.sends) }
    // All sends under way are looked through.
    try scope.budget.spend(steps: machine.pending.count >> 2)
    let size = machine.pending.reduce(event.data.size) { $0 + $1.event.data.size }
    guard size <= limits.data else { throw .limit(.data) }
    let key = freeKey
    machine.pending.append(
      PendingSend(key: key, sender: session.number, recipient: recipient, event: event, isDelayed: isDelayed))
    try add(.arm(key: key, event: event.name, due: now + Nanoseconds(nanoseconds: delay)))
  }

  /// The least key that no send under way has, from 1 on: machines that have come to the same state by other ways have
  /// the same keys.
  private var freeKey: UInt32 {
    let taken = Set(machine.timers)
    var key: UInt32 = 1
    while taken.contains(key) { key += 1 }
    return key
  }

  private mutating func cancel(_ id: String) throws(EvaluationError) {
    let number = session.number
    try drop { $0.isDelayed && $0.sender == number && $0.event.sendID == id }
  }

  /// Takes back the sends of a session that have time to run. What it has sent without a delay has arrived already.
  ///
  /// - Parameter isGone: Takes back what others have sent to it, too.
  mutating func dropSends(of number: UInt32, isGone: Bool) throws(EvaluationError) {
    try drop { $0.sender == number && $0.isDelayed || isGone && $0.recipient == .session(number) }
  }

  private mutating func drop(where isDropped: (PendingSend) -> Bool) throws(EvaluationError) {
    guard !machine.pending.isEmpty else { return }
    try scope.budget.spend(steps: machine.pending.count >> 2)
    for send in machine.pending where isDropped(send) { try add(.disarm(key: send.key, event: send.event.name)) }
    machine.pending.removeAll(where: isDropped)
  }

  private mutating func makeID(_ prefix: String) -> String {
    session.ids &+= 1
    return "\(prefix).\(scope.sessionID).\(session.ids)"
  }

  // MARK: Invocations

  mutating func invoke(_ number: Int, in state: Int) throws(EvaluationError) {
    let invoke = compiled.chart.invokes[number]
    let id = invoke.id ?? makeID(invoke.stateID)
    if let location = invoke.idLocation { try assign(.string(id), to: location) }
    let type = invoke.type.isNone ? "scxml" : try text(of: invoke.type, "the type of an invocation")
    guard ChartEvent.isInvocable(type) else { throw .failed("nothing of the type \(type) can be invoked") }
    let arguments = try object(of: invoke.parameters)
    guard let chart = try chart(of: invoke) else {
      return try raise(ChartEvent(name: "error.communication", kind: .platform, invokeID: id))
    }
    guard machine.invoked.count + 1 < limits.sessions else { throw .limit(.sessions) }
    var child = Session(number: machine.nextSession, chart: Int32(chart))
    machine.nextSession &+= 1
    child.parent = Int32(session.number)
    child.invokeID = id
    session.invocations.append(
      Session.Invocation(id: id, session: child.number, state: Int32(state), invoke: Int32(number)))
    actions.append(.start(child.number, arguments))
    machine.invoked.append(child)
    gained += MemoryLayout<Session>.stride + 48 * definition.charts[chart].chart.symbols.names.count
  }

  /// The chart that an invocation names; `nil` if there is none.
  private mutating func chart(of invoke: Chart.Invoke) throws(EvaluationError) -> Int? {
    switch invoke.content {
    case .chart(let number): return Int(number)
    case .expression(let number):
      let value = try evaluate(number)
      try scope.chargeReading(value)
      guard case .string(let text) = value else { throw .failed("the content of the invocation is no chart") }
      return definition.markups[text]
    case nil:
      if invoke.source.isNone { throw .failed("there is nothing to invoke") }
      return definition.paths[Compiler.path(of: try text(of: invoke.source, "the source of an invocation"))]
    }
  }
}

extension Chart.Source {
  var isNone: Bool {
    switch self {
    case .none: true
    case .constant, .expression: false
    }
  }
}
