extension Drawing {
  /// The drawing in the language of Graphviz: states numbered from 1, an edge from node 0 to the initial one, and the
  /// moves. Without a line feed at the end.
  public var dot: String { DotText(self, hasIDs: false).lines.joined(separator: "\n") }

  /// The same with an id for each state and each line of a move, which Graphviz gives to the parts of its picture.
  package var dotWithIDs: String { DotText(self, hasIDs: true).lines.joined(separator: "\n") }
}

/// Writes a drawing for Graphviz.
private struct DotText {
  let drawing: Drawing
  /// The numbers of the states.
  let numbers: [Int: Int]
  let moves: PictureLines
  /// The numbers of the starts, by the states that are entered first.
  private let starts: [Int: Int]
  /// The nodes between which single lines lead.
  private let ends: Set<Int>
  /// The states with an arrow to themselves. Its label stands at their right.
  private let loops: Set<Int>
  private let isTopDown: Bool
  /// Of a large composition, how many wires lead to each member from the one that starts most others; else empty.
  private let distances: [Int: Int]
  let hasIDs: Bool

  init(_ drawing: Drawing, hasIDs: Bool) {
    self.drawing = drawing
    self.hasIDs = hasIDs
    numbers = Dictionary(uniqueKeysWithValues: drawing.leaves.enumerated().map { ($1, $0 + 1) })
    moves = PictureLines(drawing, isBare: drawing.detail == .plain && !hasIDs)
    ends = Set(moves.single.flatMap { [$0.stroke.from, $0.stroke.to] })
    loops = Set(
      moves.single.map(\.stroke).filter { $0.from == $0.to && !drawing.nodes[$0.from].isComposite }.map(\.from))
    isTopDown = Self.isTopDown(drawing, hasIDs: hasIDs)
    let placesMembers = drawing.isLargeComposition && (drawing.detail != .plain || hasIDs)
    distances = placesMembers ? Self.distances(between: moves.single.map(\.stroke), in: drawing) : [:]
    starts = Dictionary(drawing.initialLeaves.enumerated().map { ($1, $0) }) { first, _ in first }
  }

  private static func distances(between strokes: [Stroke], in drawing: Drawing) -> [Int: Int] {
    let wires = strokes.filter(\.isWire).map { (drawing.path(to: $0.from)[0], drawing.path(to: $0.to)[0]) }
    let next = Dictionary(grouping: wires, by: \.0).mapValues { Set($0.map(\.1)) }
    // The earlier one of those that have as many.
    let order = drawing.top.nodes.sorted { (next[$0]?.count ?? 0, $1) > (next[$1]?.count ?? 0, $0) }
    var distances: [Int: Int] = [:]
    for root in order where distances[root] == nil {
      var (ring, distance): (Set<Int>, Int) = ([root], 0)
      while !ring.isEmpty {
        for member in ring { distances[member] = distance }
        ring = Set(ring.flatMap { next[$0] ?? [] }).subtracting(distances.keys)
        distance += 1
      }
    }
    return distances
  }

  /// Ranks that a wire from or to the first member of a large composition crosses, so that the next members stand beside those
  /// from which they are reached, and not all of them in one pile.
  private static let ranksOfWire = 9

  /// How much farther from the first member of a large composition a wire leads; nil for other arrows.
  private func distance(along stroke: Stroke) -> Int? {
    guard stroke.isWire, let from = distances[drawing.path(to: stroke.from)[0]],
      let to = distances[drawing.path(to: stroke.to)[0]]
    else { return nil }
    return to - from
  }

  /// Whether it has no looks of its own, as plain texts for other programs have none.
  private var isPlain: Bool { drawing.detail == .plain && !hasIDs }

  /// Columns of a line of text. Where moves lead to the right, the longest line between two states keeps them apart.
  private var columns: Int { hasIDs && !isTopDown ? 20 : TextLines.width }

  var lines: [String] {
    let groups = [plainStart, body, edges].filter { !$0.isEmpty }
    let members = drawing.isComposition ? drawing.top.nodes.count : 1
    let isDense = hasIDs && groups.joined().count > Self.mostBentLines * members
    return drawing.remarkLines.map { "// \($0)" } + ["digraph {"]
      + (head + (isDense ? [Self.quickly] : [])).map { "    " + $0 }
      + groups.flatMap { [""] + $0.map { "    " + $0 } } + ["}"]
  }

  private var head: [String] {
    let hasClusters = drawing.nodes.contains(where: \.isComposite)
    let compound = hasClusters || hasFootnote ? ", compound=true, newrank=true" : ""
    guard !isPlain else { return ["graph [rankdir=LR\(compound)]"] }
    let (side, size) = hasFootnote ? ("b", 12) : ("t", 20)
    // A picture stands on the page that shows it, and its labels keep a distance from lines.
    let (paper, distance) = hasIDs ? ("transparent", 0.25) : ("white", 0.15)
    let text = hasFootnote ? remarks(width: 100) : [drawing.title] + remarks(width: 80)
    return [
      "graph [rankdir=\(isTopDown ? "TB" : "LR")\(compound), labelloc=\(side), fontname=\"Helvetica\", fontsize=\(size), "
        + "nodesep=\(distance), ranksep=0.3, bgcolor=\(paper), label=\(Self.quoted(text.joined(separator: "\n")))]",
      "node [shape=box, style=\"rounded,filled\", fillcolor=\"\(Palette.state)\", fontname=\"Helvetica\", fontsize=16\(hasIDs ? ", height=0.4" : "")]",
      "edge [fontname=\"Helvetica\", fontsize=14]",
    ]
  }

  /// With more lines than this in a machine, arrows are straight, and Graphviz is content with a worse order of the states.
  /// Arrows that bend around 50 states take most of a second, those around 200 minutes.
  private static let mostBentLines = 150
  private static let quickly = "graph [splines=line, nslimit=0, nslimit1=0, mclimit=0.01, searchsize=5]"

  private static func isTopDown(_ drawing: Drawing, hasIDs: Bool) -> Bool {
    guard hasIDs, drawing.direction == nil, !drawing.isComposition else { return drawing.isTopDown }
    // Regions are rows, whose arrows have room beside each other.
    return !drawing.nodes.contains { $0.regions.count > 1 } && (drawing.isTopDown || drawing.hasLoops)
  }

  /// Whether remarks stand below a picture, which its title then has around it.
  private var hasFootnote: Bool { hasIDs && !isPlain && !drawing.remarks.isEmpty }

  /// Whether members keep a distance from each other, so that a wire between two neighbours can be seen.
  private var hasMargins: Bool { hasIDs && !isPlain && drawing.isComposition }

  private func remarks(width: Int) -> [String] { drawing.remarks.flatMap { TextLines.wrapped($0, to: width) } }

  /// The states, within a frame that cannot be seen if the title is not that of the graph.
  private var body: [String] {
    let states = states(of: drawing.top, in: Hub.Home(node: nil, region: 0))
    guard hasFootnote else { return states }
    return [
      "subgraph cluster_picture {",
      "    label=\(Self.quoted(drawing.title)); labelloc=t; fontsize=20; peripheries=0; margin=0;",
    ] + states.map { "    " + $0 } + ["}"]
  }

  /// In a plain drawing, node 0 before the initial state.
  private var plainStart: [String] {
    guard isPlain else { return [] }
    return drawing.initialLeaves.prefix(1).flatMap {
      ["0 [label=\"\", shape=plaintext]", "0 -> \(numbers[$0] ?? 0) [label=\"START\"]"]
    }
  }

  /// The dot before a state that is entered first, beside the state.
  private func start(of place: Int) -> [String] {
    guard !isPlain, let start = starts[place] else { return [] }
    let name = start == 0 ? "0" : "start\(start)"
    return [
      "\(name) [label=\"\", shape=circle, fillcolor=black, style=filled, width=0.15, height=0.15, fixedsize=true]",
      "\(name) -> \(numbers[place] ?? 0)",
    ]
  }

  private func states(of region: Drawing.Region, in home: Hub.Home) -> [String] {
    region.nodes.flatMap { place -> [String] in
      let node = drawing.nodes[place]
      guard node.isComposite else { return start(of: place) + [state(place)] }
      // Graphviz places parts without arrows between them from top to bottom, but from right to left.
      let regions = Array(node.regions.enumerated())
      let inner = (hasIDs && isTopDown ? regions.reversed() : regions).flatMap { number, region -> [String] in
        let states = states(of: region, in: Hub.Home(node: place, region: number))
        return region.name.isEmpty
          ? states : cluster("\(place)_\(number)", region.name, "dashed,rounded", states)
      }
      let title = drawing.heading(place).joined(separator: "\n")
      let frame = cluster("\(place)", title, "rounded", port(of: place) + inner, id: drawing.pictureID(of: place))
      guard hasMargins, node.parent == nil else { return frame }
      return ["subgraph cluster_around\(place) {", "    label=\"\"; peripheries=0; margin=10;"]
        + frame.map { "    " + $0 } + ["}"]
    } + hubNodes(in: home)
  }

  // MARK: Hubs and ports

  /// The points at which arrows meet, and the nodes that stand for all states.
  private func hubNodes(in home: Hub.Home) -> [String] {
    var lines: [String] = []
    var known: Set<String> = []
    for (place, hub) in moves.shared.map(\.hub).enumerated() where hub.home == home {
      let look = hub.title.map { "label=\"\($0)\", style=\"rounded,dashed\"" } ?? "shape=point, width=0.06"
      let line = "\(hub.name(place)) [\(look)]"
      if known.insert(line).inserted { lines.append(line) }
    }
    return lines
  }

  /// The point within a node with regions, or within a member, to which the arrows of the whole lead. Graphviz hides the point
  /// and the part of an arrow within the node, except for arrows between the node and a state in it. Without the point arrows
  /// would lead to one of the states. Many wires would meet in it.
  private func port(of place: Int) -> [String] {
    guard hasPort(place), ends.contains(place) else { return [] }
    let isSeen = moves.single.contains {
      ($0.stroke.from == place || $0.stroke.to == place) && isWithin($0.stroke.from, $0.stroke.to)
    }
    return ["port\(place) [shape=point, width=0.1, \(isSeen ? "color=\"\(Palette.border)\"" : "style=invis")]"]
  }

  /// Whether one of two nodes is in the other.
  private func isWithin(_ one: Int, _ other: Int) -> Bool {
    drawing.path(to: one).contains(other) || drawing.path(to: other).contains(one)
  }

  private func hasPort(_ place: Int) -> Bool {
    let node = drawing.nodes[place]
    let isMember = drawing.isComposition && node.parent == nil
    return !isPlain && (node.regions.count > 1 || isMember && !drawing.isLargeComposition)
  }

  // MARK: States

  private func cluster(
    _ name: String, _ title: String, _ style: String, _ lines: [String], id: String? = nil
  ) -> [String] {
    let look =
      (hasFootnote || hasMargins ? " peripheries=1; margin=8;" : "")
      + (isPlain ? "" : " style=\"\(style)\"; color=\"\(Palette.border)\"; fontsize=16;")
      + (id.map { hasIDs ? " id=\"\($0)\";" : "" } ?? "")
    return ["subgraph cluster_\(name) {", "    label=\(Self.quoted(title));\(look)"] + lines.map { "    " + $0 } + ["}"]
  }

  private func state(_ place: Int) -> String {
    let node = drawing.nodes[place]
    var attributes = id(drawing.pictureID(of: place))
    if isPlain {
      attributes.append("label=\(Self.quoted(node.title))")
      if node.isCurrent { attributes.append("style=bold") }
    } else {
      attributes.append("label=\(label(of: place))")
      if !node.about.isEmpty { attributes.append("tooltip=\(Self.quoted(node.about))") }
      if node.isCurrent {
        attributes.append(
          "class=current, fillcolor=\"\(Palette.present)\", color=\"\(Palette.presentLine)\", penwidth=3")
      }
      if node.isFinal { attributes.append("peripheries=2") }
      if node.isChoice { attributes.append("shape=diamond, style=filled") }
      if node.isUnreachable {
        attributes.append("style=\"rounded,dashed\", color=\"#808080\", fontcolor=\"#606060\"")
      }
    }
    return "\(numbers[place] ?? 0) [\(attributes.joined(separator: ", "))]"
  }

  /// The title, and below a rule what is handled within the state.
  private func label(of place: Int) -> String {
    let node = drawing.nodes[place]
    let inner = TextLines.indented(drawing.innerLines(place), to: columns)
    guard !inner.isEmpty else { return Self.quoted(node.title) }
    let rows = inner.map { "<TR><TD ALIGN=\"LEFT\"><FONT POINT-SIZE=\"14\">\(Self.markup($0))</FONT></TD></TR>" }
    return "<<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"1\">"
      + "<TR><TD>\(Self.markup(node.title))</TD></TR><HR/>\(rows.joined())</TABLE>>"
  }

  private var edges: [String] {
    moves.single.map { edge($0, isPossible: !isPlain && $0.stroke.isPossible) }
      + moves.shared.enumerated().flatMap { place, shared -> [String] in
        let name = shared.hub.name(place)
        let ways = zip(shared.hub.ways, shared.ways).map { way, id in
          let attributes =
            self.id(id) + ["arrowhead=none"] + exit(from: way.from) + (way.isPossible ? [Self.possible] : [])
          return "\(numbers[way.from] ?? 0) -> \(name) [\(attributes.joined(separator: ", "))]"
        }
        return ways + shared.lines.map { edge($0, isPossible: $0.stroke.isPossible, by: name) }
      }
  }

  /// The attribute for an id, if there are ids.
  private func id(_ id: String) -> [String] { hasIDs ? ["id=\"\(id)\""] : [] }

  /// The side on which an arrow leaves a state with an arrow to itself, whose label it would cross.
  private func exit(from place: Int) -> [String] {
    hasIDs && isTopDown && loops.contains(place) ? ["tailport=sw"] : []
  }

  /// The label of a loop with at least so many lines is written in wider lines.
  private static let manyLines = 9

  private static let possible = "penwidth=3, color=\"\(Palette.possible)\""

  /// - Parameter hub: The node from which it is drawn instead of its own.
  private func edge(_ line: PictureLines.Line, isPossible: Bool, by hub: String? = nil) -> String {
    guard drawing.goesOn() else { return "" }
    let (from, to) = (line.stroke.from, line.stroke.to)
    var texts = isPlain ? line.stroke.labels.map(\.text) : line.stroke.lines(to: columns)
    // There is room beside the state of a loop.
    if hasIDs, isTopDown, from == to, texts.count >= Self.manyLines {
      texts = line.stroke.lines(to: 2 * TextLines.width)
    }
    if hasIDs { texts = texts.map { $0.isEmpty ? $0 : "\u{A0}\($0)\u{A0}" } }
    var attributes = id(line.id) + ["label=\(Self.quoted(texts.joined(separator: "\n")))"]
    if from != to, hub == nil { attributes += exit(from: from) }
    let isInside = isWithin(from, to)
    let distance = distance(along: line.stroke)
    // Graphviz bends wires that lead back around all else, but not those that are drawn from their end.
    let isBack = (distance ?? 0) < 0
    let (tail, head) = isBack ? ("lhead", "ltail") : ("ltail", "lhead")
    if drawing.nodes[from].isComposite, !isInside || !hasPort(from) { attributes.append("\(tail)=cluster_\(from)") }
    if drawing.nodes[to].isComposite, !isInside || !hasPort(to) { attributes.append("\(head)=cluster_\(to)") }
    if !isPlain, line.stroke.isWire {
      attributes.append("style=dashed, color=\"\(Palette.wire)\", fontcolor=\"\(Palette.wire)\", penwidth=2")
      if let distance { attributes.append(distance == 0 ? "constraint=false" : "minlen=\(Self.ranksOfWire)") }
      if isBack { attributes.append("dir=back") }
    }
    if isPossible { attributes.append(Self.possible) }
    let ends = [from, to].map { hasPort($0) ? "port\($0)" : "\(numbers[drawing.representative(of: $0)] ?? 0)" }
    let (first, last) = isBack ? (ends[1], ends[0]) : (hub ?? ends[0], ends[1])
    return "\(first) -> \(last) [\(attributes.joined(separator: ", "))]"
  }

  /// A backslash before a letter would be a Graphviz escape.
  private static func quoted(_ text: String) -> String {
    "\""
      + text.reduce(into: "") { text, character in
        switch character {
        case "\"", "\\": text += "\\\(character)"
        case "\n": text += "\\n"
        case let other: text.append(other)
        }
      } + "\""
  }

  private static func markup(_ text: String) -> String {
    text.reduce(into: "") { text, character in
      switch character {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case let other: text.append(other)
      }
    }
  }
}
