extension Drawing {
  /// The drawing as a PlantUML state diagram: nested states, regions side by side, and texts in the states.
  public var plantuml: String {
    PlantUMLText(drawing: self, ids: DiagramNames.names(of: self)).lines.joined(separator: "\n")
  }
}

/// Writes a drawing for PlantUML.
private struct PlantUMLText: NamingWriter {
  let drawing: Drawing
  let ids: [String]

  /// PlantUML can lose arrows within a node from which an arrow leads out, so arrows are not moved there more than needed.
  /// Of two arrows that leave a node within another, it can lose the label of one, so those leave its states instead.
  var lines: [String] {
    let remarks = drawing.remarks
    return ["@startuml"] + drawing.remarkLines.map { "' \($0)" } + ["title \(Self.escaped(drawing.title))"]
      + (remarks.isEmpty ? [] : ["footer \(Self.escaped(remarks.joined(separator: "; ")))"])
      + ["hide empty description", "skinparam defaultFontName Helvetica", "skinparam defaultFontSize 16"]
      + (drawing.isTopDown ? [] : ["left to right direction"])
      + states(of: drawing.top, depth: 0)
      + drawing.strokes(joinsOutputs: false, fromNested: false).flatMap(\.parts).map(line) + [
        "@enduml"
      ]
  }

  private func states(of region: Drawing.Region, depth: Int) -> [String] {
    let indent = String(repeating: "  ", count: depth)
    var lines: [String] = []
    for place in region.nodes {
      let node = drawing.nodes[place]
      let look =
        node.isCurrent
        ? " \(Palette.present);line:\(Palette.presentLine.dropFirst());line.bold;text:black"
        : node.isUnreachable ? " ##[dashed]gray" : ""
      if node.isChoice {
        lines.append("\(indent)state \(ids[place]) <<choice>>\(look)")
        continue
      }
      let head = "\(indent)state \"\(Self.title(node.title))\" as \(ids[place])\(look)"
      guard node.isComposite else {
        lines.append(head)
        lines += statements(of: place).map { indent + $0 }
        if node.isFinal { lines.append("\(indent)\(ids[place]) --> [*]") }
        continue
      }
      lines.append(head + " {")
      for (number, inner) in node.regions.enumerated() {
        if inner.name.isEmpty {
          if number > 0 { lines.append("\(indent)  --") }
          lines += states(of: inner, depth: depth + 1)
          continue
        }
        lines.append("\(indent)  state \"\(Self.title(inner.name))\" as \(ids[place])_\(number + 1) {")
        lines += states(of: inner, depth: depth + 2)
        lines.append("\(indent)  }")
      }
      lines.append("\(indent)}")
      if drawing.isOfDocument { lines += statements(of: place).map { indent + $0 } }
    }
    if let initial = region.initial { lines.append("\(indent)[*] --> \(ids[initial])") }
    return lines
  }

  private func statements(of place: Int) -> [String] {
    texts(of: place) { TextLines.indented([$0]) }.map { lines in
      "\(ids[place]) : \(lines.map(Self.escaped).joined(separator: "\\n"))"
    }
  }

  private func line(_ stroke: Stroke) -> String {
    guard drawing.goesOn() else { return "" }
    let style =
      stroke.isPossible ? "-[\(Palette.possible),thickness=3]->" : stroke.isWire ? "-[\(Palette.wire),dashed]->" : "-->"
    let label = stroke.lines().map(Self.escaped).joined(separator: "\\n")
    return "\(ids[stroke.from]) \(style) \(ids[stroke.to])" + (label.isEmpty ? "" : " : \(label)")
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
