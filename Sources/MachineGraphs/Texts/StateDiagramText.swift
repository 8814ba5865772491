public import StateMachines

extension StateGraph {
  /// The graph as a Mermaid state diagram (`stateDiagram-v2`): nested states, parallel regions, state descriptions, and
  /// timers with durations.
  ///
  /// Mermaid draws no moves between states within different composite states; such a move is drawn between the
  /// composites, and its label names the states.
  ///
  /// - Parameter mark: The state to draw with a thick border.
  public func stateDiagram(_ mark: GraphMark? = nil) -> String {
    var lines = ["stateDiagram-v2", "    direction LR"]
    let outline = StateOutline(self, mark)
    lines += StateDiagramText.lines(of: outline.top, depth: 0)
    let marked = StateDiagramText.marked(in: outline.top)
    if !marked.isEmpty {
      lines.append("    classDef current stroke-width:4px,font-weight:bold")
      lines += marked.map { "    class \($0) current" }
    }
    return lines.joined(separator: "\n")
  }
}

extension Composition {
  /// The members as states and the wires as transitions of a Mermaid state diagram.
  public var stateDiagram: String {
    var taken: Set<String> = []
    let ids = members.map { DiagramID.unique($0.name, among: &taken) }
    let nodes = zip(ids, members).map { id, member in
      "    state \"\(MermaidText.escaped("\(member.name) (\(member.kind.name))"))\" as \(id)"
    }
    let edges = wires.map { "    \(ids[$0.from]) --> \(ids[$0.to]) : \(MermaidText.escaped(label(of: $0)))" }
    return (["stateDiagram-v2", "    direction LR"] + nodes + edges).joined(separator: "\n")
  }
}

private enum StateDiagramText {
  static func lines(of region: StateOutline.Region, depth: Int) -> [String] {
    let indent = String(repeating: "    ", count: depth + 1)
    var lines: [String] = []
    if let initial = region.initial { lines.append("\(indent)[*] --> \(region.nodes[initial].id)") }
    for node in region.nodes {
      let title = MermaidText.escaped(node.title)
      guard !node.regions.isEmpty else {
        lines.append("\(indent)state \"\(title)\" as \(node.id)")
        if !node.about.isEmpty { lines.append("\(indent)\(node.id) : \(MermaidText.escaped(node.about))") }
        continue
      }
      // A composite state can have a title but no other text.
      if node.title != node.id { lines.append("\(indent)\(node.id) : \(title)") }
      lines.append("\(indent)state \(node.id) {")
      for (number, inner) in node.regions.enumerated() {
        if number > 0 { lines.append("\(indent)    --") }
        if !inner.name.isEmpty { lines.append("\(indent)    %% \(inner.name)") }
        lines += self.lines(of: inner, depth: depth + 1)
      }
      lines.append("\(indent)}")
    }
    for move in region.moves { lines.append(indent + line(of: move, depth: depth)) }
    return lines
  }

  private static func line(of move: StateOutline.Move, depth: Int) -> String {
    let (from, to) = (move.from.ids, move.to.ids)
    var label = MermaidText.escaped(move.label)
    let isLifted = from.count > depth + 1 || to.count > depth + 1
    if isLifted { label += " (\(MermaidText.escaped(move.from.title)) → \(MermaidText.escaped(move.to.title)))" }
    // The path of a state in a region begins outside it.
    return "\(from[min(depth, from.count - 1)]) --> \(to[min(depth, to.count - 1)]) : \(label)"
  }

  static func marked(in region: StateOutline.Region) -> [String] {
    region.nodes.flatMap { node in
      (node.isMarked && node.regions.isEmpty ? [node.id] : []) + node.regions.flatMap(marked)
    }
  }
}
