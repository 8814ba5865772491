import StateMachines

/// An input of a machine that is being carried out, and the memory to work in, of which a little is kept from one input to
/// the next.
///
/// It is a value of which ``Interpreter`` has one: accesses to the parts of an object would be checked one by one while
/// the program runs.
struct ChartRun {
  let definition: Definition
  let limits: StatechartLimits
  /// What the input asks for.
  var effects: [ChartEffect] = []

  // The machine and the session that are under way, and what belongs to them.
  var machine = RunningChart()
  /// The variables of the document's own session, while another one or none is under way.
  private var variables: [DataValue?] = []
  var session = Session(number: 0, chart: 0)
  var compiled: CompiledChart
  private var loadedChart = -1
  var scope = DataScope()
  var now = Instant.beginning
  var queue: [ChartEvent] = []
  private var queueHead = 0
  var isRunning = true
  /// Whether the session that invoked this one has ended it.
  var isCancelled = false
  /// The states that were entered and whose invocations start at the end of the macrostep.
  var statesToInvoke = StateSet()
  /// What is to be done with other sessions after this one.
  var actions: [Action] = []
  /// The transitions of the document's own session whose guards the input has evaluated, with the results.
  var guards: [(transition: Chart.Index, isTrue: Bool)] = []
  /// Why guards had no value, by transition.
  var guardFailures: [Chart.Index: String] = [:]
  /// What has failed, with its line in the document or 0, in order; the first of many.
  private(set) var failures: [(line: Chart.Index, message: String)] = []
  /// The instruction that is carried out.
  var place: Chart.Index = 0
  /// How many of ``guards`` have kept the machine from taking any transition at the event of the input.
  var guardsOfEvent = 0
  /// The transitions of the document's own session that the input has taken.
  var taken = StateSet()
  /// The states of the document's own session that the input has entered, and the first atomic ones that it has left
  /// again, each once, in order.
  var entered = StateSet()
  var passed: [Int] = []
  /// What `error.execution` tells of a send that has failed.
  var failedSend: String?

  /// What the input has used of the budget.
  private(set) var spent = (steps: 0, bytes: 0)
  /// Bytes that the machine has gained beside values and sends: those of histories and sessions.
  var gained = 0

  // What came of the input.
  var hasMoved = false
  var hasTaken = false

  // Memory to work in.
  var enabled: [Chart.Index] = []
  var filtered: [Chart.Index] = []
  var statesToEnter = StateSet()
  var defaultEntries = StateSet()
  var defaultHistories: [(state: Int, block: Chart.Index)] = []

  enum Action {
    case start(UInt32, DataObject)
    case end(UInt32)
  }

  init(_ definition: Definition, _ limits: StatechartLimits) {
    self.definition = definition
    self.limits = limits
    compiled = definition.charts[0]
  }

  // MARK: Inputs

  mutating func start(
    _ machine: inout RunningChart, with data: DataObject, now: Instant, generator: inout Generator,
    isInterruptible: Bool
  ) -> ChartOutcome {
    attempt(&machine, now: now, generator: &generator, isInterruptible: isInterruptible) {
      (run) throws(EvaluationError) in
      run.hasMoved = true
      run.actions.append(.start(0, data))
      try run.settle()
    }
  }

  mutating func step(
    _ machine: inout RunningChart, _ input: ChartInput, from sender: String?, now: Instant, generator: inout Generator,
    used: (steps: Int, bytes: Int)
  ) -> ChartOutcome {
    attempt(&machine, now: now, generator: &generator, used: used) { (run) throws(EvaluationError) in
      try run.take(input, from: sender)
    }
  }

  private mutating func attempt(
    _ machine: inout RunningChart, now: Instant, generator: inout Generator, used: (steps: Int, bytes: Int) = (0, 0),
    isInterruptible: Bool = false,
    _ body: (inout ChartRun) throws(EvaluationError) -> Void
  ) -> ChartOutcome {
    swap(&machine, &self.machine)
    swap(&self.machine.root.variables, &variables)
    let before = Before(self.machine, definition)
    scope.undo.begin(variables.count)
    defer {
      swap(&self.machine.root.variables, &variables)
      swap(&machine, &self.machine)
    }
    self.now = now
    effects.clear()
    actions.clear()
    forgetGuards()
    (hasMoved, hasTaken, gained) = (false, false, 0)
    scope.generator = generator
    let budget = Budget(
      steps: max(0, limits.budget.steps - used.steps), bytes: max(0, limits.budget.bytes - used.bytes))
    scope.budget = budget.withPauses(isInterruptible: isInterruptible)
    defer {
      spent = (budget.steps - scope.budget.stepsLeft, budget.bytes - max(0, scope.budget.bytes))
    }
    if !scope.locals.isEmpty { scope.locals.removeAll() }
    (scope.calls, scope.depth) = (0, 0)
    do {
      try body(&self)
    } catch {
      takeBack(before)
      switch error {
      case .limit(let limit): return .limit(limit)
      // Failures end where they happen.
      case .failed: return .limit(.steps)
      }
    }
    generator = scope.generator
    return hasMoved ? .moved : hasTaken ? .stayed : .ignored
  }

  /// Lets go of what the input has left: its effects, guards and values.
  ///
  /// - Returns: Whether the memory to work in that is kept is little. If not, drop the run.
  mutating func rest() -> Bool {
    let kept =
      queue.capacity * MemoryLayout<ChartEvent>.stride + effects.capacity * MemoryLayout<ChartEffect>.stride
      + actions.capacity * MemoryLayout<Action>.stride + guards.capacity * MemoryLayout<(Chart.Index, Bool)>.stride
      + scope.locals.capacity * MemoryLayout<DataValue>.stride
    guard kept <= Self.mostKept, queue.isEmpty, actions.isEmpty, scope.locals.isEmpty else { return false }
    effects.clear()
    forgetGuards()
    failedSend = nil
    scope.event = .undefined
    scope.undo.end()
    return true
  }

  /// Bytes of memory to work in that are kept. What a kind from a document is counted with includes them.
  private static let mostKept = 16 << 10

  mutating func forgetGuards() {
    // A loop of eventless transitions evaluates as many as it has steps.
    if guards.count < 1_000 { guards.clear() } else { guards = [] }
    if !guardFailures.isEmpty { guardFailures.removeAll() }
    if !failures.isEmpty { failures.removeAll() }
    taken.removeAll()
    entered.removeAll()
    passed.clear()
    guardsOfEvent = 0
  }

  /// The passed states that an answer lists. One more is kept, to know whether there are more.
  static var mostPassed: Int { 8 }

  /// The failures that an input tells of.
  private static var mostFailures: Int { 8 }

  mutating func noteFailure(_ line: Chart.Index, _ message: String) {
    guard failures.count < Self.mostFailures else { return }
    // A chart that another one has invoked is in a file or an element of its own.
    failures.append((session.number == 0 ? line : 0, message))
  }

  /// A machine before an input, but for the variables, which are taken back one by one.
  private enum Before {
    case root(StateSet, final: Int32, ids: UInt32)
    case machine(RunningChart)

    init(_ machine: borrowing RunningChart, _ definition: Definition) {
      self =
        definition.hasStatesAndDataOnly
        ? .root(machine.root.configuration, final: machine.root.final, ids: machine.root.ids) : .machine(copy machine)
    }

    var machine: RunningChart {
      switch self {
      case .root(let configuration, let final, let ids):
        var machine = RunningChart()
        (machine.root.configuration, machine.root.final, machine.root.ids) = (configuration, final, ids)
        return machine
      case .machine(let machine): return machine
      }
    }
  }

  /// After a limit: the machine is as it was before the input, and nothing was asked for.
  private mutating func takeBack(_ before: Before) {
    if scope.undo.isNoting { swap(&scope.variables, &variables) }
    scope.undo.isNoting = false
    scope.undo.takeBack(&variables)
    machine = before.machine
    (session, scope.variables) = (Session(number: 0, chart: 0), [])
    effects.removeAll()
  }

  private mutating func take(_ input: ChartInput, from sender: String?) throws(EvaluationError) {
    switch input {
    case .event(let name, let data):
      try scope.budget.spend(bytes: data.size)
      guard data.depth < DataValue.deepest - 1 else { throw .limit(.depth) }
      try deliver(to: 0, name.number) {
        ChartEvent(name: name.text, kind: .external, origin: sender.map { "#\($0)" }, data: data)
      }
    case .timer(let key):
      guard let place = machine.pending.firstIndex(where: { $0.key == key }) else { return }
      let send = machine.pending.remove(at: place)
      switch send.recipient {
      case .session(let number): try deliver(to: number) { send.event }
      case .machine(let name):
        hasTaken = true
        try add(.send(machine: name, event: send.event.name, data: send.event.data, sendID: send.event.sendID))
      case .output:
        hasTaken = true
        try add(.output(name: send.event.name, data: send.event.data))
      }
    case .unreachable(let sendID):
      try deliver(to: 0) { ChartEvent(name: "error.communication", kind: .platform, sendID: sendID) }
    }
  }

  mutating func add(_ effect: ChartEffect) throws(EvaluationError) {
    guard effects.count < limits.effects else { throw .limit(.effects) }
    effects.append(effect)
  }

  // MARK: Sessions

  private mutating func deliver(
    to number: UInt32, _ name: Int32? = nil, _ event: () -> ChartEvent
  ) throws(EvaluationError) {
    guard hasSession(number) else { return }
    load(number)
    if session.final < 0 { try process(name, event) }
    try unload()
    try settle()
  }

  func hasSession(_ number: UInt32) -> Bool {
    number == 0 || machine.invoked.contains { $0.number == number }
  }

  /// Starts and ends other sessions until there is nothing left to do.
  private mutating func settle() throws(EvaluationError) {
    var next = 0
    while next < actions.count {
      let action = actions[next]
      next += 1
      try scope.budget.spend(steps: 1)
      switch action {
      case .start(let number, let arguments):
        guard hasSession(number) else { continue }
        load(number)
        try begin(with: arguments)
        try unload()
      case .end(let number):
        guard hasSession(number) else { continue }
        load(number)
        isRunning = false
        isCancelled = true
        try exitAll()
        try dropSends(of: number, isGone: true)
        try unload()
        machine.invoked.removeAll { $0.number == number }
      }
    }
    actions.clear()
  }

  /// Makes a session the one under way: takes it out of the machine.
  private mutating func load(_ number: UInt32) {
    exchange(number)
    if loadedChart != Int(session.chart) {
      loadedChart = Int(session.chart)
      compiled = definition.charts[loadedChart]
      scope.symbols = compiled.chart.symbols
      scope.states = compiled.chart.stateNumbers
      scope.name = compiled.chart.name
    }
    exchangeVariables(number)
    swap(&scope.configuration, &session.configuration)
    scope.session = number
    scope.event = .undefined
    isRunning = session.final < 0
    isCancelled = false
    queue.clear()
    queueHead = 0
    statesToInvoke.removeAll()
  }

  /// Puts the session under way back into the machine.
  private mutating func unload() throws(EvaluationError) {
    let number = session.number
    let isEnded = session.final >= 0 && number != 0
    let count = scope.variables.count
    let size = scope.variables.reduce(0) { $0 + ($1?.size ?? 0) }
    exchangeVariables(number)
    swap(&scope.configuration, &session.configuration)
    exchange(number)
    if size > limits.data { throw .limit(.data) }
    try scope.budget.spend(steps: count >> 4)
    if isEnded { machine.invoked.removeAll { $0.number == number } }
  }

  /// Gives the variables of a session to the scope, or takes them back.
  private mutating func exchangeVariables(_ number: UInt32) {
    guard number == 0 else { return swap(&scope.variables, &session.variables) }
    swap(&scope.variables, &variables)
    scope.undo.isNoting.toggle()
  }

  private mutating func exchange(_ number: UInt32) {
    if number == 0 { return swap(&machine.root, &session) }
    // A session under way has left its number behind.
    guard let place = machine.invoked.firstIndex(where: { $0.number == number }) else { return }
    swap(&machine.invoked[place], &session)
    if session.number == number { machine.invoked[place].number = number }
  }

  // MARK: The internal queue

  mutating func raise(_ event: ChartEvent) throws(EvaluationError) {
    guard queue.count - queueHead < limits.events else { throw .limit(.events) }
    queue.append(event)
  }

  mutating func dequeue() -> ChartEvent? {
    guard queueHead < queue.count else {
      queue.clear()
      queueHead = 0
      return nil
    }
    defer { queueHead += 1 }
    return queue[queueHead]
  }

  var isQueueEmpty: Bool { queueHead == queue.count }
}
