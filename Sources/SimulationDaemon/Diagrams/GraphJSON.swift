import MachineGraphs
import StateMachines

extension Drawing {
  /// The drawing for programs: one JSON object over several lines, with a state or transition on a line.
  ///
  /// A transition from or to a state with substates means all of them, or the ones entered first.
  var json: String {
    let states = nodes.indices.filter { !(nodes[$0].isComposite && hasOwnLeaf(nodes[$0])) }.map(state)
    let why = whyPartial.joined(separator: "; ")
    let (wires, moves) = (arrows.filter(\.isWire), arrows.filter { !$0.isWire })
    let members =
      [
        "\"name\":\(JSONText.quoted(title))",
        "\"states\":\(Self.list(states))",
        "\"transitions\":\(Self.list(moves.map(transition)))",
        "\"complete\":\(whyPartial.isEmpty)", "\"why\":\(JSONText.quoted(why))",
      ] + (wires.isEmpty ? [] : ["\"wires\":\(Self.list(wires.map(transition)))"])
    return "{" + members.joined(separator: ",\n") + "}"
  }

  private func state(_ place: Int) -> String {
    let node = nodes[place]
    var members = [
      "\"name\":\(JSONText.quoted(node.name))", "\"initial\":\(node.isInitial)", "\"final\":\(node.isFinal)",
    ]
    // A leaf of a state that has substates stands for that state.
    let around = node.isOwnLeaf ? node.parent.flatMap { nodes[$0].parent } : node.parent
    members.append("\"parent\":\(around.map { JSONText.quoted(nodes[$0].name) } ?? "null")")
    members.append("\"region\":\(node.region.isEmpty ? "null" : JSONText.quoted(node.region))")
    if node.isUnreachable { members.append("\"unreachable\":true") }
    if node.isCurrent { members.append("\"current\":true") }
    return "{" + members.joined(separator: ",") + "}"
  }

  private func transition(_ arrow: Arrow) -> String {
    var members = [
      "\"from\":\(JSONText.quoted(nodes[arrow.from].name))", "\"to\":\(JSONText.quoted(nodes[arrow.to].name))",
    ]
    switch arrow.label.trigger {
    case .event(let name): members.append("\"event\":\(JSONText.quoted(name))")
    case .timer(let name, let after):
      members.append("\"timer\":\(JSONText.quoted(name))")
      if let after { members.append("\"after\":\(JSONText.of(.interval(after)))") }
    case .eventOrTimer(let name, _): members.append("\"event\":\(JSONText.quoted(name))")
    case .wire(let output, let event):
      return "{"
        + (members + ["\"output\":\(JSONText.quoted(output))", "\"event\":\(JSONText.quoted(event))"])
        .joined(separator: ",") + "}"
    }
    if !arrow.label.samples.isEmpty { members.append("\"samples\":\(JSONText.quoted(arrow.label.samples))") }
    if !arrow.label.condition.isEmpty { members.append("\"guard\":\(JSONText.quoted(arrow.label.condition))") }
    if detail != .plain {
      members.append("\"outputs\":[\(arrow.label.outputs.map(JSONText.quoted).joined(separator: ","))]")
    }
    members.append("\"effect\":\"\(arrow.effect)\"")
    return "{" + members.joined(separator: ",") + "}"
  }

  private static func list(_ items: [String]) -> String {
    items.isEmpty ? "[]" : "[\n" + items.joined(separator: ",\n") + "]"
  }
}
