public import StateMachines

extension StateGraph {
  /// The graph in the language of Graphviz: nodes numbered from 1 in the order of the states, an edge from node 0 to
  /// the initial one, and the moves. Without a line feed at the end.
  ///
  /// - Parameter mark: The state to draw bold.
  public func dot(_ mark: GraphMark? = nil) -> String {
    let nodes = states.enumerated().map { place, state in
      let style = place == mark?.state ? ", style=bold" : ""
      return "\(place + 1) [label=\"\(DotText.escaped(state.word))\"\(style)]"
    }
    let edges = edges.map { "\($0.from + 1) -> \($0.to + 1) [label=\"\(DotText.escaped($0.label))\"]" }
    let start = ["0 [label=\"\", shape=plaintext]", "0 -> \(initialState + 1) [label=\"START\"]"]
    return DotText.graph([start, nodes, edges])
  }
}

extension Composition {
  /// The members as nodes and the wires as edges, in the language of Graphviz.
  public var dot: String {
    let nodes = members.enumerated().map { place, member in
      "\(place + 1) [label=\"\(DotText.escaped("\(member.name): \(member.kind.name)"))\", shape=box]"
    }
    let edges = wires.map { "\($0.from + 1) -> \($0.to + 1) [label=\"\(DotText.escaped(label(of: $0)))\"]" }
    return DotText.graph([nodes, edges])
  }

  /// `output → event`
  public func label(of wire: Wire) -> String {
    "\(members[wire.from].kind.outputs[wire.output].name) → \(members[wire.to].kind.events[wire.event].name)"
  }
}

private enum DotText {
  static func graph(_ groups: [[String]]) -> String {
    var lines = ["digraph {", "    graph [rankdir=LR]"]
    for group in groups where !group.isEmpty { lines += [""] + group.map { "    " + $0 } }
    return (lines + ["}"]).joined(separator: "\n")
  }

  /// A backslash before a letter would be a Graphviz escape.
  static func escaped(_ text: String) -> String {
    text.reduce(into: "") { text, character in
      if character == "\"" || character == "\\" { text.append("\\") }
      text.append(character)
    }
  }
}
