import StateMachines

/// Graphs that were found out, and those that are being found out; each once, whoever asks.
///
/// It belongs to the daemon's one queue.
final class Graphs {
  private var sources: [Key: GraphSource] = [:]
  /// The oldest first.
  private var order: [Key] = []
  private var finders: [ObjectIdentifier: WayFinder] = [:]
  /// How many drawings are being made by programs now.
  var drawings = 0

  /// Graphs that are kept. The largest take about a megabyte.
  private static let most = 32
  /// Drawings made at once; others wait.
  static let mostDrawings = 4

  private struct Key: Hashable {
    let kind: ObjectIdentifier
    let parameters: [Value]
  }

  /// The graph of a kind with the values of its parameters, in the kind's order.
  ///
  /// - Throws: ``ParameterConflict`` if the kind's own examples contradict each other.
  func source(of kind: Kind, _ parameters: [Value]) throws(ParameterConflict) -> GraphSource {
    let key = Key(kind: ObjectIdentifier(kind), parameters: parameters)
    if let source = sources[key] { return source }
    let source = GraphSource(
      try Exploration(of: kind, with: parameters.enumerated().map { (parameter: $0.offset, value: $0.element) }))
    if order.count == Graphs.most { sources[order.removeFirst()] = nil }
    sources[key] = source
    order.append(key)
    return source
  }

  func finder(of kind: Kind) -> WayFinder {
    if let finder = finders[ObjectIdentifier(kind)] { return finder }
    let finder = WayFinder(kind)
    finders[ObjectIdentifier(kind)] = finder
    return finder
  }
}

/// A graph, or the exploration that will give it.
final class GraphSource {
  private var exploration: Exploration?
  private(set) var graph: StateGraph?

  init(_ exploration: Exploration) {
    self.exploration = exploration
  }

  /// Goes on for about so many steps.
  ///
  /// - Returns: The graph, if it is known by then.
  func advance(by steps: Int) -> StateGraph? {
    guard let exploration else { return graph }
    guard exploration.advance(by: steps) else { return nil }
    graph = exploration.graph
    self.exploration = nil
    return graph
  }
}
