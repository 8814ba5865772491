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
/// lets time pass to the next expiry, and fires the other running timers early. Machines in equal states with the same
/// running timers count as one, whatever the time; ``machinesPerState`` limits the machines per state name. It starts
/// with a machine made without `initial=`, and then makes one for each word of `initial=` whose state has not been
/// reached.
///
/// An exploration belongs to one owner; do not share it.
public final class Exploration {
  public let kind: Kind
  /// The parameters of the machines, in the kind's order.
  public let parameters: [Value]

  /// Machines searched per state name. Further ones differ only in data that no event or table distinguishes.
  public static let machinesPerState = 16
  /// How often a step that draws random numbers is tried, each time with another seed.
  public static let chances: UInt64 = 8
  /// Limit on the steps tried.
  public static let mostSteps = 100_000
  /// No further machine is searched from when this many states were found that are named by their data.
  public static let mostFoundStates = 1_000

  private let pool: any ParameterPool
  private let trial: Trial
  private var found: [Found] = []
  private var numbers: StateNumbers
  /// Places in `found`, by state.
  private var byState: [[Int]]
  private var reaches: [GraphReach]
  private var cells: [[[GraphOutcome]]]
  private var durations: [Duration]
  private var areDisarmed: [Bool]
  /// By state, then by timer: the timers seen running there.
  private var runs: [[StateTimerFacts?]]
  /// The index of the next machine to search from; `nextStart` is that of the kind's next word for `initial=`.
  private var next = 0
  private var nextStart = 0
  private var stepsTaken = 0
  private var isCut: Bool
  private var isOver = false

  private struct Found {
    let machine: MachineCopy
    let node: GraphNode
  }

  private enum Duration {
    case never, always(Nanoseconds), varying
  }

  /// - Parameter values: Indices in the kind's list of parameters, with values that their types accept. A parameter
  ///   left out has its default, or the kind's example if it has none.
  /// - Throws: ``ParameterConflict`` when the values contradict each other.
  public init(
    of kind: Kind, with values: [(parameter: Int, value: Value)] = []
  ) throws(ParameterConflict) {
    var all = kind.parameters.map(\.example)
    for (parameter, value) in values { all[parameter] = value }
    self.kind = kind
    parameters = all
    pool = kind.makeParameterPool()
    let changed = all.indices.filter { all[$0] != kind.parameters[$0].standard }.map { (parameter: $0, value: all[$0]) }
    let place = try pool.intern(changed)
    trial = Trial(kind, pool.base + Int(place) * kind.layout.parameterStride)
    isCut = trial.isCut
    numbers = StateNumbers(of: kind)
    byState = Array(repeating: [], count: numbers.states.count)
    reaches = Array(repeating: .unreached, count: numbers.states.count)
    cells = Array(repeating: Array(repeating: [], count: trial.inputs.count), count: numbers.states.count)
    durations = Array(repeating: .never, count: kind.timers.count)
    areDisarmed = Array(repeating: false, count: kind.timers.count)
    runs = Array(repeating: Array(repeating: nil, count: kind.timers.count), count: numbers.states.count)
    start(initial: nil, word: nil)
  }

  /// Runs about `steps` more steps.
  ///
  /// - Returns: Whether the exploration is finished.
  /// - Complexity: O(steps × ``machinesPerState``) comparisons of states.
  public func advance(by steps: Int) -> Bool {
    let end = stepsTaken + steps
    while !isOver, stepsTaken < end { lookAtNext() }
    return isOver
  }

  /// The results so far; complete when ``advance(by:)`` returns true.
  public var graph: StateGraph {
    StateGraph(
      kind: kind, parameters: parameters, numbers: numbers, inputs: trial.inputs, nodes: found.map(\.node),
      timers: kind.timers.indices.map(facts(of:)), initialState: found[0].node.state,
      whyPartial: isOver && !isCut ? [] : ["not every machine was tried"], cells: cells,
      partial: cells.map { $0.map { _ in !isOver || isCut } }, runningTimers: runs.map { $0.compactMap(\.self) },
      reaches: reaches, eventInputs: trial.eventInputs)
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
    if next == found.count {
      startAnew()
      return
    }
    guard stepsTaken < Exploration.mostSteps,
      !kind.hasStatesNamedByData || numbers.states.count < Exploration.mostFoundStates
    else {
      isCut = true
      isOver = true
      return
    }
    let place = next
    next += 1
    let (machine, node) = (found[place].machine, found[place].node)
    for (step, input) in trial.steps(of: machine, after: node.way.last) {
      var hasDrawn = true
      for seed in 0..<Exploration.chances where hasDrawn {
        trial.seed = seed
        stepsTaken += 1
        let copy = machine.copy()
        let result = trial.take(step, input, with: copy)
        // Steps with random results are tried several times.
        hasDrawn = trial.hasDrawn
        let isByChance = node.isByChance || hasDrawn
        note(outcome(result, copy, step, of: place, isByChance), from: node.state, input)
        if result.verdict == .moved || result.verdict == .stayed || !isSend(step) {
          noteTimers(of: copy)
          keep(copy, start: node.start, way: node.way, step, isByChance)
        }
      }
    }
    trial.seed = 0
  }

  private func isSend(_ step: GraphStep) -> Bool {
    if case .send = step { true } else { false }
  }

  /// Makes a machine in the next state that has not been reached.
  private func startAnew() {
    while nextStart < kind.initialStates.count {
      let word = kind.initialStates[nextStart]
      nextStart += 1
      guard let state = kind.initialState(named: word), kind.hasStatesNamedByData || reaches[state] == .unreached
      else { continue }
      start(initial: state, word: word)
      return
    }
    for word in kind.initialStates { compare(madeWith: word) }
    isOver = true
  }

  private func start(initial: Int?, word: String?) {
    let machine = trial.make(initial: initial)
    stepsTaken += 1
    noteTimers(of: machine)
    keep(machine, start: word, way: [], nil, trial.hasDrawn)
  }

  /// Finds out which outcomes can be seen at once on a machine made in a state.
  private func compare(madeWith word: String) {
    let machine = trial.make(initial: kind.initialState(named: word))
    guard machine.isSettled, !trial.hasDrawn else { return }
    let from = state(of: machine)
    for (step, input) in trial.steps(of: machine, after: nil) {
      let copy = machine.copy()
      // On a new machine timers are fired, since other machines' timers may be due earlier.
      var fired = step
      if case .step(let timer, let key) = step { fired = .fire(timer: timer, key: key) }
      let result = trial.take(fired, input, with: copy)
      let seen = outcome(result, copy, fired, of: 0, trial.hasDrawn)
      guard !seen.isByChance, let known = cells[from][input].firstIndex(where: { $0.isSeen(as: seen) }),
        cells[from][input][known].initial == nil
      else { continue }
      cells[from][input][known].initial = word
    }
  }

  /// Keeps a machine unless it equals a known one or its state has no room.
  private func keep(_ machine: MachineCopy, start: String?, way: [GraphStep], _ step: GraphStep?, _ isByChance: Bool) {
    let state = state(of: machine)
    if byState[state].contains(where: { found[$0].machine.isLike(machine) }) { return }
    guard byState[state].count < Exploration.machinesPerState else {
      isCut = true
      return
    }
    byState[state].append(found.count)
    if reaches[state] == .unreached { reaches[state] = start == nil ? .fromStart : .fromInitial }
    // The sort is not stable, so the index breaks ties.
    let timers = machine.timers.enumerated()
      .sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }
      .map { GraphNode.RunningTimer(timer: $0.element.timer, key: $0.element.key, left: $0.element.due - machine.now) }
    found.append(
      Found(
        machine: machine,
        node: GraphNode(
          state: state, data: machine.data, start: start, isByChance: isByChance, way: step.map { way + [$0] } ?? way,
          timers: timers)))
  }

  /// The number of a machine's state.
  private func state(of machine: MachineCopy) -> Int {
    let number = numbers.number(of: machine.state, data: machine.data)
    if number == byState.count {
      byState.append([])
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
    var outputs: [Int] = []
    if result.verdict != .refused {
      for case .emit(let output, _, _) in record.effects { outputs.append(Int(output)) }
    }
    return GraphOutcome(
      verdict: result.verdict, to: state(of: machine), reason: result.verdict == .refused ? record.reason : nil,
      outputs: outputs, guards: record.guards.map { GraphGuard(name: $0.name, isTrue: $0.isTrue) },
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
    let state = state(of: machine)
    for timer in machine.timers {
      let duration = timer.duration.flatMap { Exploration.isRound($0) ? $0 : nil }
      if let known = runs[state][timer.timer], known.duration == duration { continue }
      runs[state][timer.timer] = StateTimerFacts(
        timer: timer.timer, duration: runs[state][timer.timer] == nil ? duration : nil)
    }
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
}

extension StateGraph {
  /// Explores a kind to the end.
  ///
  /// - Parameter values: As for ``Exploration/init(of:with:)``.
  /// - Throws: ``ParameterConflict`` when the values contradict each other.
  /// - Complexity: At most ``Exploration/mostSteps`` steps of machines.
  public init(of kind: Kind, with values: [(parameter: Int, value: Value)] = []) throws(ParameterConflict) {
    let exploration = try Exploration(of: kind, with: values)
    while !exploration.advance(by: .max >> 1) {}
    self = exploration.graph
  }
}
