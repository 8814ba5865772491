/// Equal moves of several states to one state, drawn together: a room sees one label instead of many.
struct Hub {
  enum Sources {
    /// The arrows of these states meet at a point.
    case states([(from: Int, isPossible: Bool)])
    /// All states of the hub's home have the move, the target included.
    case anyState
    /// All of them but the target.
    case anyOtherState
  }

  let sources: Sources
  let home: Home
  let stroke: Stroke

  /// What stands in its node; `nil` for a point.
  var title: String? {
    switch sources {
    case .states: nil
    case .anyState: "any state"
    case .anyOtherState: "any other state"
    }
  }

  /// What leads to its point.
  var ways: [(from: Int, isPossible: Bool)] { if case .states(let states) = sources { states } else { [] } }

  /// A name for its node; moves of all states of a home share one.
  func name(_ place: Int) -> String {
    let suffix = home.node.map { "_\($0)_\(home.region)" } ?? ""
    return switch sources {
    case .states: "hub_\(place)"
    case .anyState: "any_state\(suffix)"
    case .anyOtherState: "any_other\(suffix)"
    }
  }

  /// The region whose states a machine, or one region of it, can be in.
  struct Home: Hashable {
    /// The node around it; `nil` for all states of a kind.
    let node: Int?
    let region: Int
  }
}

extension Drawing {
  /// States with an equal move from which they share a hub.
  private static let fewestSharers = 3
  /// How many states a node for all of them stands for, at least: in a small picture each arrow begins at its state.
  private static let fewestForAll = 9

  /// The strokes, with those that are equal in at least three states gathered in hubs.
  var gatheredStrokes: (strokes: [Stroke], hubs: [Hub]) {
    let all = strokes
    let homes = nodes.indices.map(home)
    let living = Dictionary(
      grouping: leaves.filter { !nodes[$0].isUnreachable && !nodes[$0].isFinal }, by: { homes[$0] }
    ).mapValues(Set.init)
    struct Move: Hashable {
      let to: Int
      let labels: [Label]
      let home: Hub.Home
    }
    var sharers: [Move: [Int]] = [:]
    var order: [Move] = []
    for (place, stroke) in all.enumerated() {
      guard !stroke.isWire, !nodes[stroke.from].isComposite,
        homes[stroke.from] == homes[stroke.to]
      else { continue }
      let move = Move(to: stroke.to, labels: stroke.isBare ? [] : stroke.labels, home: homes[stroke.to])
      if sharers[move] == nil { order.append(move) }
      sharers[move, default: []].append(place)
    }
    var hubs: [Hub] = []
    var gathered: Set<Int> = []
    for move in order where goesOn() {
      let places = sharers[move] ?? []
      let sources = Set(places.map { all[$0].from })
      guard sources.count >= Self.fewestSharers else { continue }
      let living = living[move.home] ?? []
      var stroke = all[places[0]]
      for place in places { stroke.join(all[place]) }
      let others = living.count - (living.contains(move.to) ? 1 : 0)
      let from: Hub.Sources
      if living.count >= Self.fewestForAll, sources.count >= living.count, sources.isSuperset(of: living) {
        from = .anyState
      } else if living.count >= Self.fewestForAll, sources.count == others, sources == living.subtracting([move.to]) {
        from = .anyOtherState
      } else {
        // A loop goes through the point, too: its label would lie on the arrows that end beside it.
        from = .states(places.map { (all[$0].from, all[$0].isPossible) })
      }
      hubs.append(Hub(sources: from, home: move.home, stroke: stroke))
      gathered.formUnion(places)
    }
    return (all.indices.filter { !gathered.contains($0) }.map { all[$0] }, hubs)
  }

  /// The member of a composition or the orthogonal region that a node stands in.
  func home(of node: Int) -> Hub.Home {
    let path = path(to: node)
    for (place, around) in path.enumerated().dropLast().reversed() {
      let inner = nodes[around]
      if inner.regions.count > 1 || (isComposition && place == 0) {
        return Hub.Home(node: around, region: inner.regions.firstIndex { $0.nodes.contains(path[place + 1]) } ?? 0)
      }
    }
    return Hub.Home(node: nil, region: 0)
  }
}
