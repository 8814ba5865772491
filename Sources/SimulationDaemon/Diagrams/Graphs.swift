import MachineGraphs
import StateMachines
import Synchronization
import UnixHost

/// Graphs that were found out, and those that are being found out; each once, whoever asks, on whichever thread.
final class Graphs: Sendable {
  private let kept = Locked(Kept())
  /// How many drawings are being made by programs now.
  private let drawings = Atomic(0)
  /// The program that draws: a path, or a name that is looked for in `PATH`.
  let program: String

  /// Graphs that are kept. The largest take about a megabyte.
  private static let most = 32
  /// Drawings made at once; another one is refused.
  static let mostGraphvizJobs = 4

  private struct Kept {
    var sources: [Key: GraphSource] = [:]
    /// The oldest first.
    var order: [Key] = []
  }

  init(program: String = "dot") {
    self.program = program
  }

  private struct Key: Hashable {
    let kind: ObjectIdentifier
    let parameters: [Value]
  }

  /// The graph of a kind with the values of its parameters, in the kind's order.
  ///
  /// - Throws: ``ParameterConflict`` if the kind's own examples contradict each other.
  func source(of kind: Kind, _ parameters: [Value]) throws(ParameterConflict) -> GraphSource {
    let key = Key(kind: ObjectIdentifier(kind), parameters: parameters)
    if let source = kept.withLock({ $0.sources[key] }) { return source }
    let source = GraphSource(
      try Exploration(of: kind, with: parameters.enumerated().map { (parameter: $0.offset, value: $0.element) }))
    return kept.withLock { kept in
      // Another thread may have asked meanwhile.
      if let other = kept.sources[key] { return other }
      if kept.order.count == Graphs.most { kept.sources[kept.order.removeFirst()] = nil }
      kept.sources[key] = source
      kept.order.append(key)
      return source
    }
  }

  /// Gives up all that was found out; it is made again when somebody asks.
  func forgetAll() {
    kept.withLock { $0 = Kept() }
  }

  /// Asks for a place for one more drawing; ``endGraphvizJob()`` gives it back.
  ///
  /// - Returns: False if there is none.
  func beginGraphvizJob() -> Bool {
    if drawings.add(1, ordering: .relaxed).oldValue < Graphs.mostGraphvizJobs { return true }
    endGraphvizJob()
    return false
  }

  /// How many drawings are being made, for tests.
  var drawingsUnderWay: Int { drawings.load(ordering: .relaxed) }

  func endGraphvizJob() {
    drawings.subtract(1, ordering: .relaxed)
  }
}

/// A graph, or the exploration that will give it. Whoever needs the graph works on it, one thread at a time.
final class GraphSource: @unchecked Sendable {
  // Safety: `exploration` and `graph` are touched with `lock` held only.
  private let lock = Locked(())
  private var exploration: Exploration?
  private var graph: StateGraph?

  init(_ exploration: Exploration) {
    self.exploration = exploration
  }

  /// Goes on for about so many steps.
  ///
  /// - Returns: The graph, if it is known by then.
  func advance(by steps: Int) -> StateGraph? {
    lock.withLock { _ in
      guard let exploration else { return graph }
      guard exploration.advance(by: steps) else { return nil }
      graph = exploration.graph
      self.exploration = nil
      return graph
    }
  }
}
