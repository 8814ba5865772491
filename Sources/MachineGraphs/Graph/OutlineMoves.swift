import StateMachines

/// The moves of a graph between the states of its outline, and the states entered first.
struct OutlineMoves {
  private(set) var moves: [StateOutline.Move] = []
  private(set) var initials: [StateOutline.End] = []

  private let graph: StateGraph
  private let split: [[String]?]
  private let ends: [String: StateOutline.End]
  private let composite: StateOutline.End?

  init(
    _ graph: StateGraph, _ split: [[String]?], _ ends: [String: StateOutline.End], composite: StateOutline.End?
  ) {
    self.graph = graph
    self.split = split
    self.ends = ends
    self.composite = composite
    let edges = graph.edges
    noteInitial(graph.initialState)
    // A composite that does not contain the initial state is entered where the first move from outside enters it.
    for edge in edges { noteInitial(edge.to) }
    for edge in edges { note(edge, edges) }
  }

  private func end(_ part: String, _ region: Int?) -> StateOutline.End? {
    ends[OutlineBuilder.key(part, region: region)]
  }

  private mutating func noteInitial(_ state: Int) {
    guard let parts = split[state] else {
      if let end = end(graph.states[state].word, nil) { initials.append(end) }
      return
    }
    for (region, part) in parts.enumerated() {
      if let end = end(part, region) { initials.append(end) }
    }
  }

  private mutating func note(_ edge: GraphEdge, _ edges: [GraphEdge]) {
    switch (split[edge.from], split[edge.to]) {
    case (nil, nil):
      add(end(graph.states[edge.from].word, nil), end(graph.states[edge.to].word, nil), edge.label)
    case (nil, .some):
      add(end(graph.states[edge.from].word, nil), composite, edge.label)
    case (.some(let from), .some(let to)):
      let changed = from.indices.filter { from[$0] != to[$0] }
      for region in changed { add(end(from[region], region), end(to[region], region), edge.label) }
      if changed.isEmpty { add(composite, composite, edge.label) }
    case (.some, nil):
      let target = end(graph.states[edge.to].word, nil)
      for source in sources(of: edge, edges) { add(source, target, edge.label) }
    }
  }

  private mutating func add(_ from: StateOutline.End?, _ to: StateOutline.End?, _ label: String) {
    guard let from, let to else { return }
    let move = StateOutline.Move(from: from, to: to, label: label)
    if !moves.contains(move) { moves.append(move) }
  }

  /// The source of a move out of the composite: parts of one region if exactly those allow it, else the whole
  /// composite.
  private func sources(of edge: GraphEdge, _ edges: [GraphEdge]) -> [StateOutline.End?] {
    let inside = graph.states.indices.filter { split[$0] != nil && graph.reach(of: $0) != .unreached }
    let leaving = Set(edges.filter { $0.to == edge.to && $0.label == edge.label }.map(\.from))
    if inside.allSatisfy(leaving.contains) { return [composite] }
    for region in (split[edge.from] ?? []).indices {
      let parts = Set(leaving.compactMap { split[$0]?[region] })
      let those = inside.filter { split[$0].map { parts.contains($0[region]) } ?? false }
      guard those.allSatisfy(leaving.contains), let part = split[edge.from]?[region] else { continue }
      return [end(part, region)]
    }
    return [composite]
  }
}
