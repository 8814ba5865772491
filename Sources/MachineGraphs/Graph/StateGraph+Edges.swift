import StateMachines

/// A move between two states, as drawn in diagrams.
public struct GraphEdge: Hashable, Sendable {
  /// Indices in the kind's list of states.
  public let from: Int
  public let to: Int
  public let trigger: GraphTrigger
  /// The event's name, with samples if other data lead elsewhere; or the timer's name with its duration.
  public let label: String
}

/// The cause of a move: an event or a timer, as an index in the kind's list.
public enum GraphTrigger: Hashable, Sendable {
  case event(Int)
  case timer(Int)
}

extension StateGraph {
  /// The moves, those to the same state included: by state, then by event, then by timer, each once.
  ///
  /// A timer with the name of an event that moves as that event does adds no edge: it is how the simulated environment
  /// brings the event.
  public var edges: [GraphEdge] { states.indices.flatMap(edges(from:)) }

  /// The moves from one state.
  public func edges(from state: Int) -> [GraphEdge] {
    var edges: [GraphEdge] = []
    for event in kind.events.indices { edges += self.edges(from: state, by: event) }
    for timer in kind.timers.indices {
      let input = input(ofTimer: timer)
      let event = kind.events.firstIndex { $0.name == kind.timers[timer].name }
      for target in targets(of: state, input) {
        let isEvent = edges.contains { $0.to == target && event.map(GraphTrigger.event) == $0.trigger }
        if isEvent { continue }
        edges.append(GraphEdge(from: state, to: target, trigger: .timer(timer), label: label(of: input)))
      }
    }
    return edges
  }

  private func edges(from state: Int, by event: Int) -> [GraphEdge] {
    let classes = eventInputs[event]
    let targets = classes.map { self.targets(of: state, $0) }
    let isPlain = targets.allSatisfy { $0 == targets.first }
    var edges: [GraphEdge] = []
    for target in Set(targets.joined()).sorted() {
      let samples = zip(classes, targets).compactMap { input, targets in
        targets.contains(target) ? StateGraph.sample(arguments(of: input)) : nil
      }
      let label = isPlain ? "" : "(\(StateGraph.listed(samples, of: classes.count)))"
      edges.append(
        GraphEdge(from: state, to: target, trigger: .event(event), label: kind.events[event].name + label))
    }
    return edges
  }

  /// Samples separated by bars; only the first ones if there are many.
  static func listed(_ samples: [String], of count: Int) -> String {
    let most = 4
    return samples.prefix(most).joined(separator: "|") + (samples.count > most ? "|…" : "")
  }

  func arguments(of input: Int) -> [Value] {
    if case .event(_, let arguments) = inputs[input] { arguments } else { [] }
  }

  /// The states that an input moves a machine to, in the kind's order.
  private func targets(of state: Int, _ input: Int) -> [Int] {
    var targets: [Int] = []
    for outcome in cells[state][input] where outcome.verdict == .moved && !targets.contains(outcome.to) {
      targets.append(outcome.to)
    }
    return targets.sorted()
  }
}

/// The machine that a diagram marks: its current state, and what is possible for it.
public struct GraphMark: Hashable, Sendable {
  /// Its state, as an index in the kind's list, or in the graph's list where states are named by their data.
  public let state: Int
  /// Its state's data, if it prints any.
  public let data: String?
  /// The events possible now with some argument, and the running timers; indices in the kind's lists.
  public let events: [Int]
  public let timers: [Int]

  public init(state: Int, data: String? = nil, events: [Int] = [], timers: [Int] = []) {
    self.state = state
    self.data = data
    self.events = events
    self.timers = timers
  }
}

extension StateGraph {
  /// The mark of a machine whose state is an index in the kind's list, with the index in ``states``; `nil` if the graph
  /// does not have the state.
  public func resolve(_ mark: GraphMark) -> GraphMark? {
    numbers.known(mark.state, data: mark.data).map {
      GraphMark(state: $0, data: mark.data, events: mark.events, timers: mark.timers)
    }
  }
}
