import MachineGraphs
import StateMachines
import Statecharts
import UnixHost

/// A cache of graphs and running explorations, shared by all threads, so that a graph is explored only once.
final class Graphs: Sendable {
  private let kept = Locked(Kept())
  /// The users whose drawings run now. Each user but the daemon's owner has at most one.
  private let drawings = Locked<[UserID]>([])
  /// The drawing program: a path, or a name to look up in `PATH`.
  let program: String

  /// The most cached graphs. The largest take about a megabyte.
  private let most: Int
  /// The most drawings at once; another one is refused.
  static let mostGraphvizJobs = 4

  private struct Kept {
    var sources: [Key: GraphSource] = [:]
    /// Oldest first.
    var order: [Key] = []
    /// Pictures by the text that they were drawn from, and their texts, oldest first.
    var pictures: [String: String] = [:]
    var drawn: [String] = []
    var pictureBytes = 0
  }

  /// The most bytes of pictures that are kept.
  private static let mostPictureBytes = 4 << 20

  /// The picture that was drawn from this text, if it is still known: a machine of a kind is drawn as the one before it.
  func picture(of text: String) -> String? { kept.withLock { $0.pictures[text] } }

  func keep(_ picture: String, of text: String) {
    let bytes = picture.utf8.count + text.utf8.count
    guard bytes <= Graphs.mostPictureBytes else { return }
    kept.withLock { kept in
      guard kept.pictures[text] == nil else { return }
      while kept.pictureBytes + bytes > Graphs.mostPictureBytes {
        let oldest = kept.drawn.removeFirst()
        kept.pictureBytes -= oldest.utf8.count + (kept.pictures.removeValue(forKey: oldest)?.utf8.count ?? 0)
      }
      kept.pictures[text] = picture
      kept.drawn.append(text)
      kept.pictureBytes += bytes
    }
  }

  init(program: String = "dot", most: Int = 32) {
    self.program = program
    self.most = most
  }

  private struct Key: Hashable {
    let kind: ObjectIdentifier
    let parameters: [Value]
    let seen: [Int: [[Value]]]
    /// The identity of the machine that is drawn.
    let machine: [UInt8]?
    let isByPlace: Bool
  }

  /// The graph of a kind with these parameters, in the kind's order.
  ///
  /// - Parameters:
  ///   - seen: Further choices of arguments to try, by event.
  ///   - machine: The machine that is drawn.
  ///   - isByPlace: Whether places within a state are drawn as states of their own; see ``Machine/place(for:)``.
  /// - Throws: ``ParameterConflict`` if the kind's own examples conflict.
  func source(
    of kind: Kind, _ parameters: [Value], seen: [Int: [[Value]]] = [:], from machine: LivingMachine? = nil,
    isByPlace: Bool = false
  ) throws(ParameterConflict) -> GraphSource {
    let key = Key(
      kind: ObjectIdentifier(kind), parameters: parameters, seen: seen, machine: machine?.identity(of: kind),
      isByPlace: isByPlace)
    if let source = kept.withLock({ $0.sources[key] }) { return source }
    let source = GraphSource(
      try Exploration(
        of: kind, with: parameters.enumerated().map { (parameter: $0.offset, value: $0.element) }, seen: seen,
        from: machine, isByPlace: isByPlace))
    return kept.withLock { kept in
      // Another thread may have added it meanwhile.
      if let other = kept.sources[key] { return other }
      if kept.order.count == most { kept.sources[kept.order.removeFirst()] = nil }
      kept.sources[key] = source
      kept.order.append(key)
      return source
    }
  }

  /// Empties the cache; graphs are explored, and pictures drawn, again on demand.
  func forgetAll() {
    kept.withLock { $0 = Kept() }
  }

  /// Reserves a place for a user's drawing, until the place is freed.
  func drawingPlace(for user: UserID) -> Result<DrawingPlace, GraphvizJob.Failure> {
    drawings.withLock { drawings in
      if user != .owner, drawings.contains(user) { return .failure(.tooMany(most: 1)) }
      if drawings.count == Graphs.mostGraphvizJobs { return .failure(.tooMany(most: Graphs.mostGraphvizJobs)) }
      drawings.append(user)
      return .success(DrawingPlace(self, user))
    }
  }

  /// How many drawings run now, for tests.
  var drawingsUnderWay: Int { drawings.withLock(\.count) }

  /// A place among the drawings that run at a time.
  final class DrawingPlace {
    private let graphs: Graphs
    private let user: UserID

    fileprivate init(_ graphs: Graphs, _ user: UserID) {
      (self.graphs, self.user) = (graphs, user)
    }

    deinit {
      graphs.drawings.withLock { drawings in
        if let place = drawings.firstIndex(of: user) { drawings.remove(at: place) }
      }
    }
  }
}

/// A graph or its exploration. Whoever needs the graph continues the exploration, one thread at a time.
final class GraphSource: @unchecked Sendable {
  // Safety: all is used with `lock` held, but `exploration` by the thread that has set `isTaken`, which alone may end it.
  private let lock = Locked(())
  private var exploration: Exploration?
  private var isTaken = false
  private var graph: StateGraph?
  private var stepsTaken = 0

  init(_ exploration: Exploration) {
    self.exploration = exploration
  }

  /// Explores for about this many steps, unless another thread does just that.
  ///
  /// The lock is not held meanwhile: a thread gives way within a step, perhaps to one that wants the same graph.
  ///
  /// - Returns: The graph, if it is complete.
  func advance(by steps: Int) -> StateGraph? {
    guard take() else {
      Budget.pause.get()?()
      return lock.withLock { _ in graph }
    }
    let isDone = exploration?.advance(by: steps) ?? true
    return lock.withLock { _ in
      isTaken = false
      stepsTaken = exploration?.stepsTaken ?? stepsTaken
      if isDone, let done = exploration {
        graph = done.graph
        exploration = nil
      }
      return graph
    }
  }

  /// The steps so far; see ``Exploration/stepsTaken``.
  var steps: Int { lock.withLock { _ in stepsTaken } }

  private func take() -> Bool {
    lock.withLock { _ in
      if isTaken || exploration == nil { return false }
      isTaken = true
      return true
    }
  }
}
