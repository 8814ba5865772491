import StateMachines

extension Drawing {
  /// The drawing for programs: one JSON object over several lines, with a state or transition on a line.
  ///
  /// A transition from or to a state with substates means all of them, or the ones entered first.
  public var json: String {
    let states = nodes.indices.filter { !(nodes[$0].isComposite && hasOwnLeaf(nodes[$0])) }.map(state)
    let why = whyPartial.joined(separator: "; ")
    let (wires, moves) = (arrows.filter(\.isWire), arrows.filter { !$0.isWire })
    let members =
      [
        "\"name\":\(Self.quoted(title))",
        "\"states\":\(Self.list(states))",
        "\"transitions\":\(Self.list(moves.map(transition)))",
        "\"complete\":\(whyPartial.isEmpty)", "\"why\":\(Self.quoted(why))",
      ] + (wires.isEmpty ? [] : ["\"wires\":\(Self.list(wires.map(transition)))"])
    return "{" + members.joined(separator: ",\n") + "}"
  }

  private func state(_ place: Int) -> String {
    let node = nodes[place]
    var members = [
      "\"name\":\(Self.quoted(node.name))", "\"initial\":\(node.isInitial)", "\"final\":\(node.isFinal)",
    ]
    // A leaf of a state that has substates stands for that state.
    let around = node.isOwnLeaf ? node.parent.flatMap { nodes[$0].parent } : node.parent
    members.append("\"parent\":\(around.map { Self.quoted(nodes[$0].name) } ?? "null")")
    members.append("\"region\":\(node.region.isEmpty ? "null" : Self.quoted(node.region))")
    if node.isUnreachable { members.append("\"unreachable\":true") }
    if node.isCurrent { members.append("\"current\":true") }
    return "{" + members.joined(separator: ",") + "}"
  }

  private func transition(_ arrow: Arrow) -> String {
    var members = ["\"from\":\(Self.quoted(nodes[arrow.from].name))", "\"to\":\(Self.quoted(nodes[arrow.to].name))"]
    switch arrow.label.trigger {
    case .event(let name): members.append("\"event\":\(Self.quoted(name))")
    case .timer(let name, let after):
      members.append("\"timer\":\(Self.quoted(name))")
      if let after { members.append("\"after\":\(after.decimalSeconds)") }
    case .eventOrTimer(let name, _): members.append("\"event\":\(Self.quoted(name))")
    case .wire(let output, let event):
      return "{"
        + (members + ["\"output\":\(Self.quoted(output))", "\"event\":\(Self.quoted(event))"])
        .joined(separator: ",") + "}"
    }
    if !arrow.label.samples.isEmpty { members.append("\"samples\":\(Self.quoted(arrow.label.samples))") }
    if !arrow.label.condition.isEmpty { members.append("\"guard\":\(Self.quoted(arrow.label.condition))") }
    if detail != .plain {
      members.append("\"outputs\":[\(arrow.label.outputs.map(Self.quoted).joined(separator: ","))]")
    }
    members.append("\"effect\":\"\(arrow.effect)\"")
    return "{" + members.joined(separator: ",") + "}"
  }

  private static func list(_ items: [String]) -> String {
    items.isEmpty ? "[]" : "[\n" + items.joined(separator: ",\n") + "]"
  }

  private static func quoted(_ text: String) -> String {
    "\""
      + text.unicodeScalars.reduce(into: "") { text, scalar in
        switch scalar {
        case "\"", "\\": text += "\\\(scalar)"
        case _ where scalar.value < 0x20:
          let hex = String(scalar.value, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
        case _: text.unicodeScalars.append(scalar)
        }
      } + "\""
  }
}

extension Nanoseconds {
  /// Seconds as a decimal number: `0.35`.
  var decimalSeconds: String {
    let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    var digits = "\(1_000_000_000 + rest)".dropFirst()
    while digits.last == "0" { digits.removeLast() }
    return "\(nanoseconds < 0 ? "-" : "")\(whole)" + (digits.isEmpty ? "" : ".\(digits)")
  }
}
