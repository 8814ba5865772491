public import StateMachines

extension StateGraph {
  /// The graph as a PlantUML state diagram: nested states, parallel regions, state descriptions, and timers with
  /// durations.
  ///
  /// - Parameter mark: The state to fill with a colour.
  public func plantuml(_ mark: GraphMark? = nil) -> String {
    let lines = PlantUMLText.lines(of: StateOutline(self, mark).top, depth: 0)
    return PlantUMLText.page(titled: kind.name, ["hide empty description"] + lines)
  }
}

extension Composition {
  /// The members as components and the wires as arrows, in the language of PlantUML.
  public var plantuml: String {
    var taken: Set<String> = []
    let ids = members.map { DiagramID.unique($0.name, among: &taken) }
    let nodes = zip(ids, members).map { "component \"\($1.name)\\n\($1.kind.name)\" as \($0)" }
    let edges = wires.map { "\(ids[$0.from]) --> \(ids[$0.to]) : \(PlantUMLText.escaped(label(of: $0)))" }
    return PlantUMLText.page(titled: name, nodes + edges)
  }
}

private enum PlantUMLText {
  static func page(titled title: String, _ lines: [String]) -> String {
    (["@startuml", "title \(title)"] + lines + ["@enduml"]).joined(separator: "\n")
  }

  static func lines(of region: StateOutline.Region, depth: Int) -> [String] {
    let indent = String(repeating: "  ", count: depth)
    var lines: [String] = []
    for node in region.nodes {
      let mark = node.isMarked ? " #palegreen" : ""
      let head = "\(indent)state \"\(escaped(node.title))\" as \(node.id)\(mark)"
      if node.regions.isEmpty {
        lines.append(node.about.isEmpty ? head : "\(head) : \(escaped(node.about))")
        continue
      }
      lines.append(head + " {")
      for (number, inner) in node.regions.enumerated() {
        if number > 0 { lines.append("\(indent)  --") }
        lines += self.lines(of: inner, depth: depth + 1)
      }
      lines.append("\(indent)}")
    }
    if let initial = region.initial { lines.append("\(indent)[*] --> \(region.nodes[initial].id)") }
    for move in region.moves {
      guard let from = move.from.ids.last, let to = move.to.ids.last else { continue }
      lines.append("\(indent)\(from) --> \(to) : \(escaped(move.label))")
    }
    return lines
  }

  /// Doubled characters are markup in PlantUML, and a quote would end a title.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    var last: Character?
    for character in text {
      switch character {
      case "*", "/", "_", "-", "~", "^":
        if last == character { escaped += "~" }
      case "<", "\\": escaped += "~"
      case let other where other == "\"":
        escaped += "'"
        last = nil
        continue
      case _: break
      }
      escaped.append(character)
      last = character
    }
    return escaped
  }
}
