extension Drawing {
  /// The drawing as a Mermaid flow chart: one line per arrow, in the order of the states; without those to the same
  /// state if it is plain.
  public var mermaid: String {
    MermaidText(drawing: self, ids: DiagramNames.names(of: self)).lines.joined(separator: "\n")
  }
}

/// What both sorts of Mermaid diagrams have in common.
enum Mermaid {
  /// Classes of nodes; fills come with a colour of the text, so that they are right on dark pages too.
  static let classes = [
    "classDef current fill:\(Palette.present),color:#000000,stroke:\(Palette.presentLine),stroke-width:4px,font-weight:bold",
    "classDef final stroke-width:4px",
    "classDef unreachable stroke-dasharray:5 5",
  ]

  /// The class of a node, if it has one.
  static func look(_ node: Drawing.Node) -> String? {
    node.isCurrent ? "current" : node.isFinal ? "final" : node.isUnreachable ? "unreachable" : nil
  }

  /// The lines before the diagram: its title, how it is drawn, and why it is partial.
  static func head(_ drawing: Drawing, config: [String] = []) -> [String] {
    let why = drawing.remarkLines.map { "%% \($0)" }
    guard drawing.detail != .plain else { return why }
    let title = drawing.title + (drawing.whyPartial.isEmpty ? "" : " (partial)")
    return ["---", "title: \"\(title)\""] + (config.isEmpty ? [] : ["config:"] + config) + ["---"] + why
  }

  /// Escapes characters that have a meaning in Mermaid, as entities.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    /// Whether only digits came so far.
    var isNumber = true
    for (place, character) in text.enumerated() {
      defer { isNumber = isNumber && character.isNumber }
      switch character {
      case "\"": escaped += "#quot;"
      case "<": escaped += "#lt;"
      case ">": escaped += "#gt;"
      case "&": escaped += "#amp;"
      case "#", ";", ":", "`", "%", "{", "}", "\\", "*", "$", "_", "~", "@", "^":
        escaped += "#\(character.unicodeScalars.first?.value ?? 0);"
      // The first character of a line can begin a list.
      case "-", "+", "=": escaped += place == 0 ? "#\(character.unicodeScalars.first?.value ?? 0);" : String(character)
      case ".": escaped += isNumber ? "#46;" : "."
      case let other: escaped.append(other)
      }
    }
    return escaped
  }

  /// Lines of a label.
  static func joined(_ lines: [String]) -> String { lines.map(escaped).joined(separator: "<br/>") }
}

/// Writes a drawing as a flow chart.
private struct MermaidText: NamingWriter {
  let drawing: Drawing
  let ids: [String]

  var lines: [String] {
    // Straight arrows keep apart: bent ones put half as many labels again on each other.
    let config = ["  flowchart:", "    curve: linear"]
    var lines = Mermaid.head(drawing, config: config) + ["graph \(isPlain || drawing.isTopDown ? "TB" : "LR");"]
    let moves = isPlain ? drawing.liftedArrows.filter { $0.from != $0.to } : []
    lines += nodes(of: drawing.top, drawn: Set(moves.flatMap { [$0.from, $0.to] }))
    var arrows: [String] = []
    var possible: [Int] = []
    if isPlain {
      for arrow in moves where drawing.goesOn() {
        arrows.append(line(arrow.from, Self.plainLabel(arrow.label.text), arrow.to))
      }
    } else {
      for (place, leaf) in drawing.initialLeaves.enumerated() {
        lines.append("start_\(place)((\" \"));")
        arrows.append("start_\(place) --> \(ids[leaf]);")
        lines.append("class start_\(place) start;")
      }
      let (strokes, hubs) = drawing.gatheredStrokes
      var hubNodes: Set<String> = []
      for stroke in strokes.flatMap(\.parts) where drawing.goesOn() {
        if stroke.isPossible { possible.append(arrows.count) }
        arrows.append(line(stroke.from, "\"\(Mermaid.joined(stroke.lines()))\"", stroke.to, isWire: stroke.isWire))
      }
      for (place, hub) in hubs.enumerated() where drawing.goesOn() {
        let name = hub.name(place)
        let node = hub.title.map { "\(name)([\"\($0)\"]);" } ?? "\(name)((\" \"));"
        if hubNodes.insert(node).inserted {
          lines += [node, "class \(name) \(hub.title == nil ? "start" : "unreachable");"]
        }
        for (from, isPossible) in hub.ways {
          if isPossible { possible.append(arrows.count) }
          arrows.append("\(ids[from]) --- \(name);")
        }
        for stroke in hub.stroke.parts {
          if stroke.isPossible { possible.append(arrows.count) }
          let label = Mermaid.joined(stroke.lines())
          arrows.append("\(name) " + (label.isEmpty ? "-->" : "--\"\(label)\"-->") + " \(ids[stroke.to]);")
        }
      }
    }
    lines += arrows
    return lines
      + (isPlain ? plainMark : looks + possible.map { "linkStyle \($0) stroke:\(Palette.possible),stroke-width:4px;" })
  }

  private func line(_ from: Int, _ label: String, _ to: Int, isWire: Bool = false) -> String {
    label == "\"\""
      ? "\(ids[from]) --> \(ids[to]);"
      : "\(ids[from]) \(isWire ? "-." : "--")\(label)\(isWire ? ".->" : "-->") \(ids[to]);"
  }

  /// A plain state is declared only if its line needs another name, or if no arrow draws it.
  ///
  /// - Parameter drawn: The nodes that plain arrows draw.
  private func nodes(of region: Drawing.Region, drawn: Set<Int>) -> [String] {
    region.nodes.flatMap { place -> [String] in
      let node = drawing.nodes[place]
      guard node.isComposite else {
        if isPlain {
          if ids[place] == node.title, node.parent != nil || drawn.contains(place) {
            return node.parent == nil ? [] : ["\(ids[place]);"]
          }
          return [ids[place] == node.title ? "\(ids[place]);" : "\(ids[place])[\"\(Mermaid.escaped(node.title))\"];"]
        }
        let inner = TextLines.indented(drawing.innerLines(place))
        let text = Mermaid.joined([node.title] + (inner.isEmpty ? [] : ["―――"] + inner))
        if node.isChoice { return ["\(ids[place]){\"\(text)\"};"] }
        return [node.isFinal ? "\(ids[place])[[\"\(text)\"]];" : "\(ids[place])(\"\(text)\");"]
      }
      let inner = node.regions.enumerated().flatMap { number, region -> [String] in
        let states = nodes(of: region, drawn: drawn)
        guard !region.name.isEmpty else { return states }
        return subgraph("\(ids[place])_\(number + 1)", [region.name], states)
      }
      return subgraph(ids[place], drawing.heading(place), inner)
    }
  }

  private func subgraph(_ id: String, _ title: [String], _ lines: [String]) -> [String] {
    ["subgraph \(id)[\"\(Mermaid.joined(title))\"]"] + lines.map { "    " + $0 } + ["end"]
  }

  private var plainMark: [String] {
    drawing.leaves.filter { drawing.nodes[$0].isCurrent }.map { "style \(ids[$0]) stroke-width:4px;" }
  }

  private var looks: [String] {
    let marked = drawing.leaves.compactMap { leaf in
      Mermaid.look(drawing.nodes[leaf]).map { "class \(ids[leaf]) \($0);" }
    }
    return (Mermaid.classes + ["classDef start fill:#000000,stroke:#808080,color:#000000"]).map { "\($0);" } + marked
  }

  /// One word as it is, anything else in quotes. An `o` or `x` beside the dashes would be an arrow head.
  private static func plainLabel(_ label: String) -> String {
    let heads: Set<Character?> = ["o", "x"]
    return !heads.contains(label.first) && !heads.contains(label.last)
      && label.utf8.allSatisfy(DiagramNames.isAlphanumeric) && !DiagramNames.isReserved(label)
      ? label : "\"\(Mermaid.escaped(label))\""
  }
}
