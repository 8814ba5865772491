extension Drawing {
  /// The drawing as a PlantUML state diagram: nested states, regions side by side, and texts in the states.
  public var plantuml: String { PlantUMLText(self).lines.joined(separator: "\n") }
}

/// Writes a drawing for PlantUML.
private struct PlantUMLText {
  let drawing: Drawing
  let ids: [String]

  init(_ drawing: Drawing) {
    self.drawing = drawing
    ids = DiagramNames.names(of: drawing)
  }

  private var isPlain: Bool { drawing.detail == .plain }

  var lines: [String] {
    let why = drawing.whyPartial
    return ["@startuml"] + why.map { "' partial: \($0)" } + ["title \(Self.escaped(drawing.title))"]
      + (why.isEmpty ? [] : ["footer Partial: \(Self.escaped(why.joined(separator: "; ")))"])
      + ["hide empty description", "skinparam defaultFontName Helvetica", "skinparam defaultFontSize 16"]
      + (drawing.isTopDown ? [] : ["left to right direction"])
      + states(of: drawing.top, depth: 0) + drawing.strokes.map(line) + ["@enduml"]
  }

  private func states(of region: Drawing.Region, depth: Int) -> [String] {
    let indent = String(repeating: "  ", count: depth)
    var lines: [String] = []
    for place in region.nodes {
      let node = drawing.nodes[place]
      let look =
        node.isCurrent ? " #ffd54f;line:c62828;line.bold;text:black" : node.isUnreachable ? " ##[dashed]gray" : ""
      let head = "\(indent)state \"\(Self.title(node.title))\" as \(ids[place])\(look)"
      guard node.isComposite else {
        lines.append(head)
        lines += texts(of: place).map { "\(indent)\(ids[place]) : \(Self.escaped($0))" }
        if node.isFinal { lines.append("\(indent)\(ids[place]) --> [*]") }
        continue
      }
      lines.append(head + " {")
      for (number, inner) in node.regions.enumerated() {
        if inner.name.isEmpty {
          lines += states(of: inner, depth: depth + 1)
          continue
        }
        lines.append("\(indent)  state \"\(Self.title(inner.name))\" as \(ids[place])_\(number + 1) {")
        lines += states(of: inner, depth: depth + 2)
        lines.append("\(indent)  }")
      }
      lines.append("\(indent)}")
    }
    if let initial = region.initial { lines.append("\(indent)[*] --> \(ids[initial])") }
    return lines
  }

  private func texts(of place: Int) -> [String] {
    guard !isPlain else { return [] }
    let about = drawing.leaves.count > 12 ? [] : TextLines.wrapped(drawing.nodes[place].about)
    return about + drawing.innerLines(place).flatMap { TextLines.wrapped($0) }
  }

  private func line(_ stroke: Stroke) -> String {
    let style = stroke.isPossible ? "-[#c62828,thickness=3]->" : stroke.isWire ? "-[#1565c0,dashed]->" : "-->"
    let label = stroke.lines.map(Self.escaped).joined(separator: "\\n")
    return "\(ids[stroke.from]) \(style) \(ids[stroke.to]) : \(label)"
  }

  /// A quote would end the title of a state.
  private static func title(_ text: String) -> String { escaped(String(text.map { $0 == "\"" ? "'" : $0 })) }

  /// Doubled characters are markup in PlantUML.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    var last: Character?
    for character in text {
      switch character {
      case "*", "/", "_", "-", "~", "^", "'":
        if last == character { escaped += "~" }
      case "<", "\\": escaped += "~"
      case _: break
      }
      escaped.append(character)
      last = character
    }
    return escaped
  }
}
