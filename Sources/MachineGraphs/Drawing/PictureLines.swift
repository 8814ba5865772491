import StateMachines

/// The lines that Graphviz draws for the moves of a drawing, each with an id by which a program finds it in the picture.
///
/// A line can stand for several arrows, and an arrow be drawn as two lines: from its state to the point of a hub, and on.
struct PictureLines {
  struct Line {
    let id: String
    let stroke: Stroke
  }

  /// What is drawn one by one.
  private(set) var single: [Line] = []
  /// What is drawn together: the ways from states to the hub's point, in the order of ``Hub/ways``, and what leads on.
  private(set) var shared: [(hub: Hub, ways: [String], lines: [Line])] = []
  /// The places of single lines, by the nodes between which they lead.
  private let singleBetween: [Ends: [Int]]
  /// The places of hubs with their ways, by the node that each way comes from and the one that they lead to.
  private var ways: [Ends: [(hub: Int, way: Int)]] = [:]
  /// The places of hubs for all states, by the node that they lead to.
  private let sharedByAll: [Int: [Int]]

  private struct Ends: Hashable {
    let from: Int
    let to: Int
  }

  /// - Parameter isBare: Whether each move is drawn alone.
  init(_ drawing: Drawing, isBare: Bool = false) {
    var count = 0
    func lines(_ strokes: [Stroke]) -> [Line] {
      strokes.map { stroke in
        count += 1
        return Line(id: "a\(count)", stroke: stroke)
      }
    }
    if isBare {
      single = lines(drawing.liftedArrows.map { Stroke($0) })
    } else {
      let gathered = drawing.gatheredStrokes
      single = lines(gathered.strokes.flatMap(\.parts))
      shared = gathered.hubs.enumerated().map { place, hub in
        (hub, hub.ways.map { "w\(place)_\($0.from)" }, lines(hub.stroke.parts))
      }
    }
    singleBetween = Dictionary(grouping: single.indices) { [single] in
      Ends(from: single[$0].stroke.from, to: single[$0].stroke.to)
    }
    sharedByAll = Dictionary(grouping: shared.indices.filter { [shared] in shared[$0].hub.ways.isEmpty }) { [shared] in
      shared[$0].hub.stroke.to
    }
    for (place, each) in shared.enumerated() {
      for (way, state) in each.hub.ways.enumerated() {
        ways[Ends(from: state.from, to: each.hub.stroke.to), default: []].append((place, way))
      }
    }
  }

  /// The lines that are drawn for an arrow, from its state on. Empty for what is no move, and for moves that a large
  /// composition leaves away.
  ///
  /// - Parameters:
  ///   - arrow: One of ``Drawing/arrows``, or one of a more detailed drawing with the same nodes.
  ///   - drawing: The drawing that the lines are of.
  func ids(of arrow: Drawing.Arrow, in drawing: Drawing) -> [String] {
    guard arrow.effect == .moved else { return [] }
    let around = drawing.path(to: arrow.from)
    let home = drawing.home(of: arrow.from)
    var drawn: [(ids: [String], stroke: Stroke)] = []
    for place in around.flatMap({ singleBetween[Ends(from: $0, to: arrow.to)] ?? [] }).sorted() {
      drawn.append(([single[place].id], single[place].stroke))
    }
    let own = (ways[Ends(from: arrow.from, to: arrow.to)] ?? []).map { (hub: $0.hub, way: Int?($0.way)) }
    let all = (sharedByAll[arrow.to] ?? []).map { (hub: $0, way: Int?.none) }
    for (place, way) in (own + all).sorted(by: { $0.hub < $1.hub }) where shared[place].hub.home == home {
      let (hub, points, lines) = shared[place]
      if case .anyOtherState = hub.sources, arrow.from == arrow.to { continue }
      drawn += lines.map { ((way.map { [points[$0]] } ?? []) + [$0.id], $0.stroke) }
    }
    // The same label comes before one that was joined from several. Bare lines stand for all that has their ends.
    let equal = drawn.filter { $0.stroke.has(arrow.label) }
    func fits(_ stroke: Stroke) -> Bool {
      stroke.isBare || stroke.labels.contains { $0.trigger.includes(arrow.label.trigger) }
    }
    let fitting = equal.isEmpty ? drawn.filter { fits($0.stroke) } : equal
    var ids: [String] = []
    for id in fitting.flatMap(\.ids) where !ids.contains(id) { ids.append(id) }
    return ids
  }
}

extension Drawing {
  /// The id of a node in a picture by Graphviz.
  package func pictureID(of node: Int) -> String { "s\(node)" }

  /// The ids of the lines that this picture has for each arrow of a drawing with the same nodes.
  package func pictureIDs(of arrows: [Arrow]) -> [[String]] {
    let lines = PictureLines(self)
    return arrows.map { goesOn() ? lines.ids(of: $0, in: self) : [] }
  }
}

extension Drawing.Trigger {
  /// Whether an arrow of the other trigger can be part of one of this, by their names.
  fileprivate func includes(_ other: Drawing.Trigger) -> Bool {
    switch (self, other) {
    case (.event(let name), .event(let its)), (.timer(let name, _), .timer(let its, _)): name == its
    case (.event(let name), .timer(let its, _)): name == its
    case (.eventOrTimer(let name, _), .event(let its)), (.eventOrTimer(let name, _), .timer(let its, _)),
      (.eventOrTimer(let name, _), .eventOrTimer(let its, _)):
      name == its
    case (.wire, .wire): self == other
    case (.event, _), (.timer, _), (.eventOrTimer, _), (.wire, _): false
    }
  }
}
