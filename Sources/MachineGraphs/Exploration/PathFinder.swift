public import StateMachines

/// The shortest path from a machine in its current state to one that accepts an event, or is in a wanted state.
public struct GraphPath: Hashable, Sendable {
  /// The steps, at least one.
  public let steps: [GraphStep]
  /// The state at its end, as an index in the kind's list; `data` is its data.
  public let state: Int
  public let data: String?

  /// Steps tried before a search gives up.
  public static let mostSteps = 4_000

  /// The names of the events and timers on the path, without timers that expire at once by themselves.
  public func words(of kind: Kind) -> [String] {
    steps.compactMap { step in
      switch step {
      case .send(let event, _): kind.events[event].name
      case .step(let timer, let key), .fire(let timer, let key):
        key == 0 ? kind.timers[timer].name : "\(kind.timers[timer].name)(\(key))"
      case .fireDue: nil
      }
    }
  }
}

/// Searches for paths of machines of one kind, and caches the last answers. Machines that count as one for an
/// ``Exploration`` and have equal parameters get the same answer.
///
/// It belongs to one owner; do not share it.
public final class PathFinder {
  public let kind: Kind
  /// How many steps the present search has tried.
  private var stepsTaken = 0
  /// The steps of documents' machines that are counted in it.
  private var chartSteps = 0
  private let pool: any ParameterPool
  private let comparer = MachineComparer()
  /// The trial of the last call, and the parameters for which its events were made.
  private var trial: (parameters: [Value], trial: Trial)?
  /// Oldest first.
  private var answers: [Answer] = []

  /// Size of the cache.
  private static let mostAnswers = 32

  private struct Answer {
    let machine: [UInt8]
    let parameters: [Value]
    let event: Int
    let way: GraphPath?
  }

  /// What a search looks for.
  private enum Goal {
    case event(Int)
    case state((_ state: Int, _ data: String?) -> Bool)
  }

  private struct Found {
    let machine: MachineCopy
    let before: Int
    let step: GraphStep?
  }

  public init(_ kind: Kind) {
    self.kind = kind
    pool = kind.makeParameterPool()
  }

  /// The shortest path from a machine to one that some sample of an event moves or that handles it. Of equally short
  /// paths, the one whose steps come first: events in the kind's order, then timers in the order of their due times.
  ///
  /// - Returns: `nil` if no path was found or none is needed.
  /// - Complexity: About `most` steps at most; O(size of the machine) for a cached answer.
  public func way(from living: LivingMachine, to event: Int, most: Int = GraphPath.mostSteps) -> GraphPath? {
    stepsTaken = 0
    let machine = MachineCopy(living, of: kind)
    let values = kind.values(of: living.parameters)
    let identity = comparer.identity(of: machine, living.parameters)
    if let known = answers.first(where: { $0.event == event && $0.parameters == values && $0.machine == identity }) {
      return known.way
    }
    let way = search(machine, identity, .event(event), most, values, living)
    if answers.count == PathFinder.mostAnswers { answers.removeFirst() }
    answers.append(Answer(machine: identity, parameters: values, event: event, way: way))
    return way
  }

  /// The shortest path from a machine to one in a wanted state, chosen as for an event. It is not cached.
  ///
  /// - Parameter isWanted: Whether a state, given by its index and its data, is wanted.
  /// - Returns: `nil` if no path was found or none is needed.
  /// - Complexity: About `most` steps at most.
  public func way(
    from living: LivingMachine, most: Int = GraphPath.mostSteps,
    toState isWanted: @escaping (_ state: Int, _ data: String?) -> Bool
  ) -> GraphPath? {
    stepsTaken = 0
    let machine = MachineCopy(living, of: kind)
    let identity = comparer.identity(of: machine, living.parameters)
    return search(machine, identity, .state(isWanted), most, kind.values(of: living.parameters), living)
  }

  private func search(
    _ first: MachineCopy, _ identity: [UInt8], _ goal: Goal, _ most: Int, _ values: [Value], _ living: LivingMachine
  ) -> GraphPath? {
    let trial = trial.flatMap { $0.parameters == values ? $0.trial : nil } ?? Trial(kind, living.parameters)
    self.trial = (values, trial)
    trial.parameters = living.parameters
    chartSteps = trial.chartSteps
    // The machine's parameters belong to the caller.
    defer { trial.parameters = pool.base }
    var found = [Found(machine: first, before: -1, step: nil)]
    if isReached(goal, by: first, trial) { return nil }
    var known: Set = [identity]
    var numbers = StateNumbers(of: kind)
    var counts = [numbers.number(of: first.state, data: first.data): 1]
    var next = 0
    while next < found.count {
      let machine = found[next].machine
      for (step, input) in trial.steps(of: machine, after: found[next].step) {
        guard stepsTaken < most else { return nil }
        let copy = machine.copy()
        _ = trial.take(step, input, with: copy)
        let identity = comparer.identity(of: copy, trial.parameters)
        count(1 + identity.count / 64, of: trial)
        let state = numbers.number(of: copy.state, data: copy.data)
        if counts[state, default: 0] >= Exploration.machinesPerState || !known.insert(identity).inserted { continue }
        counts[state, default: 0] += 1
        found.append(Found(machine: copy, before: next, step: step))
        if copy.isSettled, isReached(goal, by: copy, trial) { return way(to: found.count - 1, in: found) }
      }
      next += 1
    }
    return nil
  }

  private func way(to place: Int, in found: [Found]) -> GraphPath {
    var steps: [GraphStep] = []
    var at = place
    while let step = found[at].step {
      steps.append(step)
      at = found[at].before
    }
    return GraphPath(steps: steps.reversed(), state: found[place].machine.state, data: found[place].machine.data)
  }

  private func isReached(_ goal: Goal, by machine: MachineCopy, _ trial: Trial) -> Bool {
    switch goal {
    case .event(let event): isPossible(event, for: machine, trial)
    case .state(let isWanted): isWanted(machine.state, machine.data)
    }
  }

  private func isPossible(_ event: Int, for machine: MachineCopy, _ trial: Trial) -> Bool {
    trial.eventInputs[event].contains { input in
      let verdict = trial.send(input, to: machine.copy()).verdict
      count(1, of: trial)
      return verdict == .moved || verdict == .stayed
    }
  }

  /// Counts steps, and what a document's machine did in them: so many of its steps are one.
  private func count(_ steps: Int, of trial: Trial) {
    stepsTaken += steps + (trial.chartSteps - chartSteps) / 25
    chartSteps = trial.chartSteps
  }
}
