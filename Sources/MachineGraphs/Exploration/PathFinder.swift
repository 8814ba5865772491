public import StateMachines

/// The shortest path from a machine in its current state to one that accepts an event.
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

/// Searches for paths of machines of one kind, and caches the last answers. Machines in equal states with equal
/// parameters and the same running timers get the same answer; this is exact if states contain all that matters.
///
/// It belongs to one owner; do not share it.
public final class PathFinder {
  public let kind: Kind
  /// How many steps the last call tried; 0 for a cached answer.
  public private(set) var stepsTaken = 0
  private let trial: Trial
  /// Oldest first.
  private var answers: [Answer] = []

  /// Size of the cache.
  private static let mostAnswers = 32

  private struct Answer {
    let machine: MachineCopy
    let parameters: [Value]
    let event: Int
    let way: GraphPath?
  }

  private struct Found {
    let machine: MachineCopy
    let before: Int
    let step: GraphStep?
  }

  public init(_ kind: Kind) {
    self.kind = kind
    // Placeholder: `trial` gets the parameters of the machine of each call.
    pool = kind.makeParameterPool()
    trial = Trial(kind, pool.base)
  }

  private let pool: any ParameterPool

  /// The shortest path from a machine to one that some sample of an event moves or that handles it. Of equally short
  /// paths, the one whose steps come first: events in the kind's order, then timers in the order of their due times.
  ///
  /// Leaves the machine unchanged.
  ///
  /// - Parameters:
  ///   - value: A machine of the kind.
  ///   - parameters: Its parameters.
  ///   - timers: Its running timers, in the order of expiry.
  /// - Returns: `nil` if no path was found or none is needed.
  /// - Complexity: About `most` steps at most; O(1) comparisons for a cached answer.
  public func way(
    from value: UnsafeRawPointer, _ parameters: UnsafeRawPointer, at now: Instant,
    timers: [(timer: Int, key: UInt32, due: Instant)], to event: Int, most: Int = GraphPath.mostSteps
  ) -> GraphPath? {
    stepsTaken = 0
    let machine = MachineCopy(
      kind, of: value, at: now,
      timers: timers.map { MachineCopy.Timer(timer: $0.timer, key: $0.key, due: $0.due) })
    let values = kind.values(of: parameters)
    if let known = answers.first(where: { $0.event == event && $0.parameters == values && $0.machine.isLike(machine) })
    {
      return known.way
    }
    trial.parameters = parameters
    let way = search(machine, event, most)
    trial.parameters = pool.base
    if answers.count == PathFinder.mostAnswers { answers.removeFirst() }
    answers.append(Answer(machine: machine, parameters: values, event: event, way: way))
    return way
  }

  private func search(_ first: MachineCopy, _ event: Int, _ most: Int) -> GraphPath? {
    var found = [Found(machine: first, before: -1, step: nil)]
    if isPossible(event, for: first) { return nil }
    var numbers = StateNumbers(of: kind)
    var byState: [Int: [Int]] = [numbers.number(of: first.state, data: first.data): [0]]
    var next = 0
    while next < found.count {
      let machine = found[next].machine
      for (step, input) in trial.steps(of: machine, after: found[next].step) {
        guard stepsTaken < most else { return nil }
        let copy = machine.copy()
        stepsTaken += 1
        let result = trial.take(step, input, with: copy)
        if case .send = step, result.verdict == .ignored || result.verdict == .refused { continue }
        let state = numbers.number(of: copy.state, data: copy.data)
        let alike = byState[state] ?? []
        if alike.count >= Exploration.machinesPerState { continue }
        if alike.contains(where: { found[$0].machine.isLike(copy) }) { continue }
        byState[state] = alike + [found.count]
        found.append(Found(machine: copy, before: next, step: step))
        if copy.isSettled, isPossible(event, for: copy) { return way(to: found.count - 1, in: found) }
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

  private func isPossible(_ event: Int, for machine: MachineCopy) -> Bool {
    trial.eventInputs[event].contains { input in
      stepsTaken += 1
      let verdict = trial.send(input, to: machine.copy()).verdict
      return verdict == .moved || verdict == .stayed
    }
  }
}
