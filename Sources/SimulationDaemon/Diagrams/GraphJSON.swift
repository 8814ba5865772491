import MachineGraphs
import StateMachines

extension Drawing {
  /// The drawing for programs: one JSON object over several lines, with a state or transition on a line.
  ///
  /// A transition from or to a state with substates means all of them, or the ones entered first.
  ///
  /// - Parameter picture: The drawing that a picture of the same is made from, whose ids are named.
  func json(picture: Drawing?) -> String {
    let states = nodes.indices.filter { !(nodes[$0].isComposite && hasOwnLeaf(nodes[$0])) }
      .map { state($0, id: picture?.pictureID(of: $0)) }
    let why = whyPartial.joined(separator: "; ")
    let ids = picture?.pictureIDs(of: arrows) ?? arrows.map { _ in [] }
    let all = zip(arrows, ids).map { (isWire: $0.isWire, text: transition($0, ids: $1)) }
    let (wires, moves) = (all.filter(\.isWire).map(\.text), all.filter { !$0.isWire }.map(\.text))
    let members =
      [
        "\"name\":\(JSONText.quoted(title))",
        "\"states\":\(Self.list(states))",
        "\"transitions\":\(Self.list(moves))",
        "\"complete\":\(whyPartial.isEmpty)", "\"why\":\(JSONText.quoted(why))",
      ] + (wires.isEmpty ? [] : ["\"wires\":\(Self.list(wires))"])
    return "{" + members.joined(separator: ",\n") + "}"
  }

  private func state(_ place: Int, id: String?) -> String {
    let node = nodes[place]
    var members = [
      "\"name\":\(JSONText.quoted(node.name))", "\"initial\":\(node.isInitial)", "\"final\":\(node.isFinal)",
    ]
    // A leaf of a state that has substates stands for that state.
    let around = node.isOwnLeaf ? node.parent.flatMap { nodes[$0].parent } : node.parent
    members.append("\"parent\":\(around.map { JSONText.quoted(nodes[$0].name) } ?? "null")")
    members.append("\"region\":\(node.region.isEmpty ? "null" : JSONText.quoted(node.region))")
    if node.isChoice { members.append("\"choice\":true") }
    if node.isUnreachable { members.append("\"unreachable\":true") }
    if node.isCurrent { members.append("\"current\":true") }
    if let id { members.append("\"id\":\"\(id)\"") }
    return "{" + members.joined(separator: ",") + "}"
  }

  private func transition(_ arrow: Arrow, ids: [String]) -> String {
    let drawn = ids.isEmpty ? [] : ["\"arrows\":[\(ids.map(JSONText.quoted).joined(separator: ","))]"]
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
        + (members + ["\"output\":\(JSONText.quoted(output))", "\"event\":\(JSONText.quoted(event))"] + drawn)
        .joined(separator: ",") + "}"
    }
    if !arrow.label.samples.isEmpty { members.append("\"samples\":\(JSONText.quoted(arrow.label.samples))") }
    if !arrow.label.condition.isEmpty { members.append("\"guard\":\(JSONText.quoted(arrow.label.condition))") }
    if detail != .plain {
      members.append("\"outputs\":[\(arrow.label.outputs.map(JSONText.quoted).joined(separator: ","))]")
    }
    members.append("\"effect\":\"\(arrow.effect)\"")
    return "{" + (members + drawn).joined(separator: ",") + "}"
  }

  private static func list(_ items: [String]) -> String {
    items.isEmpty ? "[]" : "[\n" + items.joined(separator: ",\n") + "]"
  }
}

extension PartsPicture {
  /// The picture for programs: one JSON object over several lines, with a part or a flow on a line.
  var json: String {
    let parts = parts.map { "{\"name\":\(JSONText.quoted($0.name)),\"about\":\(JSONText.quoted($0.about))}" }
    let flows = flows.map { flow in
      let (from, to) = (JSONText.quoted(self.parts[flow.from].name), JSONText.quoted(self.parts[flow.to].name))
      let names = flow.names.map(JSONText.quoted).joined(separator: ",")
      return "{\"from\":\(from),\"to\":\(to),\"what\":\(JSONText.quoted(flow.what)),\"names\":[\(names)]}"
    }
    return "{\"name\":\(JSONText.quoted(name)),\n\"parts\":[\n" + parts.joined(separator: ",\n")
      + "],\n\"flows\":[\n" + flows.joined(separator: ",\n") + "]}"
  }
}

extension MembersPicture {
  /// The picture for programs: one JSON object over several lines, with a member or a wire on a line.
  var json: String {
    let members = members.map { "{\"name\":\(JSONText.quoted($0.name)),\"kind\":\(JSONText.quoted($0.kind))}" }
    let wires = wires.map { wire in
      let (from, to) = (JSONText.quoted(self.members[wire.from].name), JSONText.quoted(self.members[wire.to].name))
      let (output, event) = (JSONText.quoted(wire.output), JSONText.quoted(wire.event))
      return "{\"from\":\(from),\"output\":\(output),\"to\":\(to),\"event\":\(event)}"
    }
    return "{\"name\":\(JSONText.quoted(title)),\n\"members\":[\n" + members.joined(separator: ",\n")
      + "],\n\"wires\":[\n" + wires.joined(separator: ",\n") + "]}"
  }
}
