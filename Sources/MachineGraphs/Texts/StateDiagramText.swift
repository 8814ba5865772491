extension Drawing {
  /// The drawing as a Mermaid state diagram (`stateDiagram-v2`): nested states, regions side by side, and one arrow
  /// from a state to another, with all labels.
  public var stateDiagram: String {
    StateDiagramText(drawing: withoutSigns, ids: DiagramNames.names(of: self)).lines.joined(separator: "\n")
  }
}

/// Writes a drawing as a Mermaid state diagram.
private struct StateDiagramText: NamingWriter {
  let drawing: Drawing
  let ids: [String]

  /// Mermaid 10 cannot draw an arrow from a node with regions if another one leads to a state within.
  private var strokes: [Home: [Stroke]] {
    Dictionary(grouping: drawing.strokes(joinsOutputs: drawing.nodes.allSatisfy { $0.regions.count < 2 }), by: home)
  }

  var lines: [String] {
    let strokes = strokes
    let head = Mermaid.head(drawing) + ["stateDiagram-v2", "    direction \(drawing.isTopDown ? "TB" : "LR")"]
    let looks = drawing.leaves.compactMap { leaf in
      Mermaid.look(drawing.nodes[leaf]).map { "    class \(ids[leaf]) \($0)" }
    }
    return head + lines(of: drawing.top, Home(parent: nil, region: 0), strokes, depth: 1)
      + (looks.isEmpty ? [] : Mermaid.classes.map { "    " + $0 } + looks)
  }

  private func lines(of region: Drawing.Region, _ home: Home, _ strokes: [Home: [Stroke]], depth: Int) -> [String] {
    let indent = String(repeating: "    ", count: depth)
    var lines: [String] = []
    if let initial = region.initial { lines.append("\(indent)[*] --> \(ids[initial])") }
    for place in region.nodes {
      let node = drawing.nodes[place]
      let title = Mermaid.escaped(node.title)
      if node.isChoice {
        lines.append("\(indent)state \(ids[place]) <<choice>>")
        continue
      }
      guard node.isComposite else {
        lines.append("\(indent)state \"\(title)\" as \(ids[place])")
        lines += texts(of: place) { TextLines.wrapped($0) }.map { "\(indent)\(ids[place]) : \(Mermaid.joined($0))" }
        if node.isFinal { lines.append("\(indent)\(ids[place]) --> [*]") }
        continue
      }
      lines.append("\(indent)state \"\(Mermaid.joined(drawing.heading(place)))\" as \(ids[place]) {")
      for (number, inner) in node.regions.enumerated() {
        if number > 0 { lines.append("\(indent)    --") }
        if inner.name.isEmpty {
          lines += self.lines(of: inner, Home(parent: place, region: number), strokes, depth: depth + 1)
        } else {
          // A state around the region's states shows its name.
          lines.append("\(indent)    state \"\(Mermaid.escaped(inner.name))\" as \(ids[place])_\(number + 1) {")
          lines += self.lines(of: inner, Home(parent: place, region: number), strokes, depth: depth + 2)
          lines.append("\(indent)    }")
        }
      }
      lines.append("\(indent)}")
    }
    for stroke in strokes[home] ?? [] where drawing.goesOn() {
      let label = Mermaid.joined(stroke.lines(mark: "▶ "))
      lines.append("\(indent)\(ids[stroke.from]) --> \(ids[stroke.to])" + (label.isEmpty ? "" : " : \(label)"))
    }
    return lines
  }

  private struct Home: Hashable {
    let parent: Int?
    let region: Int
  }

  /// The region that both ends stand in. Mermaid draws an arrow between the states of two nodes only at the root.
  private func home(of stroke: Stroke) -> Home {
    let outside = Home(parent: nil, region: 0)
    guard let parent = drawing.nodes[stroke.from].parent, parent == drawing.nodes[stroke.to].parent else {
      return outside
    }
    let regions = drawing.nodes[parent].regions
    guard let region = regions.firstIndex(where: { $0.nodes.contains(stroke.from) }),
      regions[region].nodes.contains(stroke.to)
    else { return outside }
    return Home(parent: parent, region: region)
  }
}
