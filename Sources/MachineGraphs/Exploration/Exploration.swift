public import StateMachines

/// Finds out what a kind of machine does by running its rule, in slices.
///
/// ```swift
/// let exploration = try Exploration(of: ShiftKey.kind)
/// while !exploration.advance(by: 1_000) {}
/// let graph = exploration.graph
/// ```
///
/// It searches breadth first over machines. From each it tries every event with every choice of its arguments' samples,
/// lets time pass to the next expiry, and fires the other running timers early. While a timer without delay is due,
/// events come over wires only; they are tried, too. Machines count as one if their values are equal, with moments
/// relative to now and without ``Incidental`` data, and the same timers run. It starts with a machine made without
/// `initial=`, then makes one for each word of `initial=`, and then takes the machine that is drawn.
///
/// ``machinesPerState``, ``mostSteps`` and ``mostBytes`` limit it. What they cut off is reported by the graph
/// (``StateGraph/whyPartial``).
///
/// An exploration belongs to one owner; do not share it.
public final class Exploration {
  public let kind: Kind
  /// The parameters of the machines, in the kind's order.
  public let parameters: [Value]

  /// Machines searched per state name.
  public static let machinesPerState = 256
  /// Limit on the steps tried. A step with much data, or with many steps of a document, counts for several.
  public static let mostSteps = 12_000
  /// Limit on the bytes of the machines' data.
  public static let mostBytes = 2 << 20
  /// No further machine is searched from when this many states were found that are named by their data.
  public static let mostFoundStates = 1_000

  private let pool: any ParameterPool
  private let trial: Trial
  private let comparer = MachineComparer()
  private var found: [Found] = []
  private var numbers: StateNumbers
  private let isByPlace: Bool
  /// The words of `initial=` that are searched from.
  private let initialStates: [String]
  /// The identities of the machines in `found`.
  private var known: Set<[UInt8]> = []
  private var bytes = 0
  /// How many machines were found, by state.
  private var counts: [Int]
  private var reaches: [GraphReach]
  private var cells: [[[GraphOutcome]]]
  private var gaps: GraphGaps
  private var startLimit: String?
  private var durations: [Duration]
  private var areDisarmed: [Bool]
  /// By state, then by timer: the timers seen running there.
  private var runs: [[StateTimerFacts?]]
  /// The index of the next machine to search from; `nextStart` is that of the kind's next word for `initial=`.
  private var next = 0
  private var nextStart = 0
  /// The machine that is drawn, until the search starts from it.
  private var present: MachineCopy?
  /// Steps that come last; the next one is at `nextLater`.
  private var later: [Later] = []
  private var nextLater = 0
  private var stepsCounted = 0
  /// So many steps of a document's machine count as one.
  private static let chartStepsInAStep = 125
  /// The steps so far, as ``mostSteps`` counts them; however they were cut into slices, they are as many.
  public var stepsTaken: Int { stepsCounted + trial.chartSteps / Self.chartStepsInAStep }
  /// Whether steps of a document's machine alone are too many.
  private var isExhausted: Bool { trial.chartSteps / Self.chartStepsInAStep >= stepsAllowed }
  private var stepsAllowed = Exploration.mostSteps
  private var isOver = false

  private struct Found {
    let machine: MachineCopy
    let node: GraphNode
    /// The bytes of its identity.
    let size: Int
  }

  /// A step that a script cannot take at will: at another moment or, if the machine does not rest, over a wire.
  private struct Later {
    let place: Int
    let step: GraphStep
    let input: Int
  }

  private enum Duration {
    case never, always(Nanoseconds), varying
  }

  /// - Parameters:
  ///   - values: Indices in the kind's list of parameters, with values that their types accept. A parameter left out has
  ///     its default, or the kind's example if it has none.
  ///   - seen: Further choices of arguments to try, by event, such as those that machines were sent.
  ///   - machine: The machine that is drawn; the search starts from it, too. It is copied at once.
  ///   - isByPlace: Whether machines in one state are distinguished by ``Machine/place(for:)``. Only a new machine and the one
  ///     that is drawn are searched from then.
  /// - Throws: ``ParameterConflict`` when the values contradict each other.
  public init(
    of kind: Kind, with values: [(parameter: Int, value: Value)] = [], seen: [Int: [[Value]]] = [:],
    from machine: LivingMachine? = nil, isByPlace: Bool = false
  ) throws(ParameterConflict) {
    var all = kind.parameters.map(\.example)
    for (parameter, value) in values { all[parameter] = value }
    self.kind = kind
    parameters = all
    pool = kind.makeParameterPool()
    let changed = all.indices.filter { all[$0] != kind.parameters[$0].standard }.map { (parameter: $0, value: all[$0]) }
    let place = try pool.intern(changed)
    trial = Trial(kind, pool.base + Int(place) * kind.layout.parameterStride, seen: seen, isByPlace: isByPlace)
    present = machine.map { MachineCopy($0, of: kind) }
    self.isByPlace = isByPlace
    initialStates = isByPlace ? [] : kind.initialStates
    numbers = StateNumbers(of: kind, isByPlace: isByPlace)
    counts = Array(repeating: 0, count: numbers.states.count)
    reaches = Array(repeating: .unreached, count: numbers.states.count)
    cells = Array(repeating: Array(repeating: [], count: trial.inputs.count), count: numbers.states.count)
    gaps = GraphGaps(kind, trial, states: numbers.states.count)
    durations = Array(repeating: .never, count: kind.timers.count)
    areDisarmed = Array(repeating: false, count: kind.timers.count)
    runs = Array(repeating: Array(repeating: nil, count: kind.timers.count), count: numbers.states.count)
    start(initial: nil, word: nil)
  }

  /// Runs about `steps` more steps.
  ///
  /// - Returns: Whether the exploration is finished.
  public func advance(by steps: Int) -> Bool {
    let end = stepsTaken + steps
    while !isOver, stepsTaken < end { lookAtNext() }
    return isOver
  }

  /// The results so far; complete when ``advance(by:)`` returns true.
  public var graph: StateGraph {
    var gaps = gaps
    if !isOver {
      gaps.cutOff(found[next...].map(\.node.state) + later[nextLater...].map { found[$0.place].node.state })
    }
    if comparer.isCoarse { gaps.isCoarse = true }
    return StateGraph(
      kind: kind, parameters: parameters, numbers: numbers, inputs: trial.inputs, nodes: found.map(\.node),
      timers: kind.timers.indices.map(facts(of:)), initialState: found.first { $0.node.start == nil }?.node.state,
      startLimit: startLimit,
      whyPartial: gaps.sentences(numbers.states), cells: cells, partial: gaps.partial(cells, reaches),
      runningTimers: runs.map { $0.compactMap(\.self) }, reaches: reaches, eventInputs: trial.eventInputs)
  }

  private func facts(of timer: Int) -> TimerFacts {
    let given = kind.timers[timer].parameter.flatMap { name in
      kind.parameters.firstIndex { $0.name == name }.flatMap { place -> Nanoseconds? in
        if case .interval(let interval) = parameters[place] { interval } else { nil }
      }
    }
    let isDisarmed = areDisarmed[timer]
    return switch durations[timer] {
    case .never: TimerFacts(duration: given, runs: false, isDisarmed: isDisarmed)
    case .always(let interval):
      TimerFacts(
        duration: given ?? (Exploration.isRound(interval) ? interval : nil), runs: true, isDisarmed: isDisarmed)
    case .varying: TimerFacts(duration: given, runs: true, isDisarmed: isDisarmed)
    }
  }

  /// A time from simulated physics is not a round number, and was equal only by chance.
  private static func isRound(_ interval: Nanoseconds) -> Bool { interval.nanoseconds % 1_000_000 == 0 }

  // MARK: The search

  private func lookAtNext() {
    if stepsTaken >= stepsAllowed || numbers.areWords && numbers.states.count >= Exploration.mostFoundStates {
      cutShort()
    }
    guard next < found.count else { return startAnew() }
    let place = next
    next += 1
    let machine = found[place].machine
    for (step, input) in trial.steps(of: machine, after: found[place].node.way.last) {
      if isExhausted {
        gaps.cutOff([found[place].node.state])
        break
      }
      takeByAllChances(step, input, of: place)
      if trial.hasReadMoment { later.append(Later(place: place, step: step, input: input)) }
    }
    if !machine.isSettled {
      for (step, input) in trial.sends { later.append(Later(place: place, step: step, input: input)) }
    }
  }

  private func takeByAllChances(_ step: GraphStep, _ input: Int, of place: Int) {
    for chance in Trial.chances {
      trial.chance = chance
      take(step, input, with: found[place].machine.copy(), of: place)
      if trial.hasDrawn { gaps.draws(in: found[place].node.state, input) } else { break }
    }
  }

  /// Takes a step that a script cannot take at will. Those come last, so that machines are found by other ways first.
  private func takeLater(_ one: Later) {
    if found[one.place].machine.isSettled {
      takeAtOtherMoments(one.step, one.input, of: one.place)
    } else if case .send = one.step {
      takeByAllChances(one.step, one.input, of: one.place)
    }
  }

  /// Leaves the rest of the search, but looks at a machine that is drawn.
  private func cutShort() {
    gaps.cutOff(found[next...].map(\.node.state) + later[nextLater...].map { found[$0.place].node.state })
    next = found.count
    nextLater = later.count
    if nextStart < initialStates.count {
      if numbers.areWords {
        gaps.lacksStarts = true
      } else {
        gaps.cutOff(initialStates[nextStart...].compactMap { kind.initialState(named: $0) })
      }
      nextStart = initialStates.count
    }
    if present != nil { stepsAllowed = max(stepsAllowed, stepsTaken) + Exploration.mostSteps / 4 }
  }

  private func take(_ step: GraphStep, _ input: Int, with copy: MachineCopy, of place: Int) {
    let node = found[place].node
    let result = trial.take(step, input, with: copy)
    let isOverWire = if case .send = step { !node.isSettled } else { false }
    let isByChance = node.isByChance || trial.hasDrawn || isOverWire
    if let limit = trial.record.exceeded { gaps.exceeds(limit.name, in: node.state, input) }
    note(outcome(result, copy, step, of: place, isByChance), from: node.state, input)
    noteTimers(of: copy)
    // Many steps change nothing. To find that out by their identities would take most of the time.
    if copy.isIdentical(to: found[place].machine) {
      count(identityOf: found[place].size)
    } else {
      keep(copy, start: node.start, way: node.way, step, isByChance)
    }
  }

  private func count(identityOf bytes: Int) { stepsCounted += 1 + bytes / 64 }

  /// Tries a step whose rule asked for the moment at other moments before the next expiry, too. If something else comes
  /// of it there, the outcomes depend on the time, and not all moments can be tried.
  private func takeAtOtherMoments(_ step: GraphStep, _ input: Int, of place: Int) {
    let machine = found[place].machine
    let timer: MachineCopy.Timer? =
      switch step {
      case .send: nil
      case .step(let timer, let key), .fire(let timer, let key):
        machine.timers.first { $0.timer == timer && $0.key == key }
      case .fireDue: nil
      }
    if timer == nil { guard case .send = step else { return } }
    let from = found[place].node.state
    let known = cells[from][input]
    for moment in Exploration.moments(of: machine) where timer != nil || moment > machine.now {
      let copy = machine.copy()
      copy.now = moment
      let other: GraphStep = timer.map { .fire(timer: $0.timer, key: $0.key) } ?? step
      let result = trial.take(other, input, with: copy)
      stepsCounted += 1
      let outcome = outcome(result, copy, other, of: place, true)
      if known.contains(where: { $0.says(theSameAs: outcome) }) { continue }
      gaps.dependsOnTime(in: from, input)
      note(outcome, from: from, input)
      noteTimers(of: copy)
      keep(copy, start: found[place].node.start, way: found[place].node.way, other, true)
    }
  }

  /// Now, and some moments before the next expiry.
  private static func moments(of machine: MachineCopy) -> [Instant] {
    let longest = Nanoseconds.days(365)
    let left = min(machine.next.map { $0.due - machine.now } ?? longest, longest)
    let waits: [Nanoseconds] = [.zero, .milliseconds(1), .seconds(1), .minutes(1), .minutes(60), .days(1)]
    var moments = waits.filter { $0 < left }.map { machine.now + $0 }
    if left > .zero { moments.append(machine.now + (left - Nanoseconds(nanoseconds: 1))) }
    return moments
  }

  /// Starts from the next machine: one for each word of `initial=`, then the one that is drawn; then takes a step that
  /// was left for later.
  private func startAnew() {
    if nextStart < initialStates.count {
      let word = initialStates[nextStart]
      nextStart += 1
      if let state = kind.initialState(named: word) { start(initial: state, word: word) }
    } else if let machine = present {
      present = nil
      noteTimers(running: machine)
      // Its way is not known, so what follows cannot be reproduced.
      keep(machine, start: nil, way: [], nil, true)
    } else if nextLater < later.count {
      nextLater += 1
      takeLater(later[nextLater - 1])
    } else {
      for word in initialStates where !isExhausted { compare(madeWith: word) }
      isOver = true
    }
  }

  private func start(initial: Int?, word: String?) {
    for chance in Trial.chances {
      trial.chance = chance
      let machine = trial.make(initial: initial)
      if let limit = trial.record.exceeded {
        if word == nil { startLimit = limit.name }
        gaps.exceeds(limit.name, madeWith: word)
        break
      }
      noteTimers(of: machine)
      keep(machine, start: word, way: [], nil, trial.hasDrawn)
      if !trial.hasDrawn { break }
    }
  }

  /// Finds out which outcomes can be seen at once on a machine made in a state, with the same timers running.
  private func compare(madeWith word: String) {
    trial.chance = .choices(0)
    let machine = trial.make(initial: kind.initialState(named: word))
    guard trial.record.exceeded == nil, machine.isSettled, !trial.hasDrawn else { return }
    let from = state(of: machine)
    let timers = GraphNode.RunningTimer.all(of: machine)
    for (step, input) in trial.steps(of: machine, after: nil) where !isExhausted {
      let copy = machine.copy()
      let result = trial.take(step, input, with: copy)
      let seen = outcome(result, copy, step, of: 0, trial.hasDrawn)
      guard !seen.isByChance,
        let known = cells[from][input].firstIndex(where: {
          $0.isSeen(as: seen) && $0.step == step && found[$0.node].node.timers == timers
        }),
        cells[from][input][known].initial == nil
      else { continue }
      cells[from][input][known].initial = word
    }
  }

  /// Keeps a machine unless it equals a known one or its state has no room.
  private func keep(_ machine: MachineCopy, start: String?, way: [GraphStep], _ step: GraphStep?, _ isByChance: Bool) {
    let identity = comparer.identity(of: machine, trial.parameters)
    count(identityOf: identity.count)
    if known.contains(identity) { return }
    let state = state(of: machine)
    guard step == nil || counts[state] < Exploration.machinesPerState && bytes < Exploration.mostBytes else {
      gaps.cutOff([state])
      return
    }
    known.insert(identity)
    bytes += identity.count
    counts[state] += 1
    if reaches[state] == .unreached { reaches[state] = start == nil ? .fromStart : .fromInitial }
    found.append(
      Found(
        machine: machine,
        node: GraphNode(
          state: state, data: machine.data, start: start, isByChance: isByChance, way: step.map { way + [$0] } ?? way,
          timers: GraphNode.RunningTimer.all(of: machine)),
        size: identity.count))
  }

  /// The number of a machine's state.
  private func state(of machine: MachineCopy) -> Int {
    let number = numbers.number(
      of: machine.state, data: isByPlace ? kind.machine.place(machine.value, trial.parameters) : machine.data)
    if number == counts.count {
      counts.append(0)
      gaps.addState()
      reaches.append(.unreached)
      cells.append(Array(repeating: [], count: trial.inputs.count))
      runs.append(Array(repeating: nil, count: kind.timers.count))
    }
    return number
  }

  /// - Parameter machine: The machine after the step.
  private func outcome(
    _ result: StepResult, _ machine: MachineCopy, _ step: GraphStep, of node: Int, _ isByChance: Bool
  ) -> GraphOutcome {
    let record = trial.record
    let to = state(of: machine)
    // A machine that stays in its state can come to another place, which is a move in this graph.
    let verdict = isByPlace && result.verdict == .stayed && to != found[node].node.state ? .moved : result.verdict
    return GraphOutcome(
      verdict: verdict, to: to, reason: result.verdict == .refused ? record.reason : nil,
      limit: record.exceeded?.name, outputs: trial.outputs(of: result),
      guards: record.guards.map { GraphGuard(name: $0.name, isTrue: $0.isTrue) },
      dataBefore: record.dataBefore, dataAfter: record.dataAfter, node: node, step: step,
      rests: machine.isSettled, isByChance: isByChance)
  }

  private func note(_ outcome: GraphOutcome, from: Int, _ input: Int) {
    // An outcome may first be seen where the machine does not rest; prefer one that can be reproduced at will.
    if let known = cells[from][input].firstIndex(where: { $0.says(theSameAs: outcome) }) {
      if worth(of: cells[from][input][known]) < worth(of: outcome) { cells[from][input][known] = outcome }
      return
    }
    cells[from][input].append(outcome)
  }

  /// How easily an outcome can be reproduced.
  private func worth(of outcome: GraphOutcome) -> Int {
    (outcome.isByChance ? 0 : 4) + (found[outcome.node].node.isSettled ? 2 : 0) + (outcome.rests ? 1 : 0)
  }

  /// Records how long the timers run that the last step armed, and which ones it disarmed.
  private func noteTimers(of machine: MachineCopy) {
    noteTimers(running: machine)
    for timer in machine.disarmed { areDisarmed[timer] = true }
    for case .arm(let timer, _, let due) in trial.record.effects {
      let duration = due - trial.record.now
      switch durations[Int(timer)] {
      case .never: durations[Int(timer)] = .always(duration)
      case .always(let known): if known != duration { durations[Int(timer)] = .varying }
      case .varying: break
      }
    }
  }

  private func noteTimers(running machine: MachineCopy) {
    let state = state(of: machine)
    for timer in machine.timers {
      let duration = timer.duration.flatMap { Exploration.isRound($0) ? $0 : nil }
      if let known = runs[state][timer.timer], known.duration == duration { continue }
      runs[state][timer.timer] = StateTimerFacts(
        timer: timer.timer, duration: runs[state][timer.timer] == nil ? duration : nil)
    }
  }
}

extension GraphNode.RunningTimer {
  /// The running timers of a machine, in the order of expiry.
  fileprivate static func all(of machine: MachineCopy) -> [Self] {
    // The sort is not stable, so the index breaks ties.
    machine.timers.enumerated()
      .sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }
      .map { Self(timer: $0.element.timer, key: $0.element.key, left: $0.element.due - machine.now) }
  }
}

extension StateGraph {
  /// Explores a kind to the end.
  ///
  /// - Parameter values: As for ``Exploration/init(of:with:)``.
  /// - Throws: ``ParameterConflict`` when the values contradict each other.
  /// - Complexity: About ``Exploration/mostSteps`` steps of machines at most.
  public init(of kind: Kind, with values: [(parameter: Int, value: Value)] = []) throws(ParameterConflict) {
    let exploration = try Exploration(of: kind, with: values)
    while !exploration.advance(by: .max >> 1) {}
    self = exploration.graph
  }
}
