import StateMachines

/// The states of a graph as a tree: nested where their words have dots, in parallel regions where they have plus signs;
/// with the moves between them.
///
/// A machine with regions has the moves of each region: from the part of the state that a move changes to the new part.
/// A move drawn from the whole composite state applies to all its drawn parts.
struct StateOutline {
  struct Node {
    let id: String
    /// The last part of its word, for people.
    let title: String
    var about = ""
    var isMarked = false
    /// The regions of a composite state, each with its states; empty for a simple one.
    var regions: [Region] = []
  }

  struct Region {
    /// Empty if the composite has no named regions.
    var name = ""
    var nodes: [Node] = []
    /// The index in `nodes` of the state entered first.
    var initial: Int?
    /// The moves within this region, those between nested states included.
    var moves: [Move] = []
  }

  /// Ends are paths of identifiers from the outermost state.
  struct Move: Hashable {
    let from: End
    let to: End
    let label: String
  }

  struct End: Hashable {
    /// The identifiers from the outermost state to this one.
    let ids: [String]
    /// The title of the innermost state.
    let title: String
  }

  private(set) var top = Region()

  init(_ graph: StateGraph, _ mark: GraphMark?) {
    let parts = graph.states.map { $0.word.split(separator: "+", omittingEmptySubsequences: false).map(String.init) }
    // Without declared regions, the words' largest number of parts counts, unless each word has a number of its own.
    let most = graph.kind.hasStatesNamedByData ? 1 : parts.map(\.count).max() ?? 1
    let count = graph.kind.regions?.names.count ?? most
    let regions = graph.kind.regions ?? Kind.Regions(Array(repeating: "", count: count))
    let split = parts.map { count > 1 && $0.count == count ? $0 : nil }
    var builder = OutlineBuilder(mark: mark)
    let outside = graph.states.indices.filter { split[$0] == nil }
    top = builder.region(
      named: "", words: outside.map { graph.states[$0].word }, abouts: outside.map { graph.states[$0].about },
      marked: mark.flatMap { split[$0.state] == nil ? graph.states[$0.state].word : nil }, within: [])
    if split.contains(where: { $0 != nil }) {
      let composite = builder.composite(regions, of: graph.kind.name, split, mark)
      // It takes the place of the first of its states in the kind's list.
      let place = split.firstIndex { $0 != nil } ?? 0
      top.nodes.insert(composite, at: min(place, top.nodes.count))
    }
    let moves = OutlineMoves(graph, split, builder.ends, composite: builder.compositeEnd)
    for end in moves.initials { setInitial(end) }
    for move in moves.moves { place(move) }
  }

  /// Marks a state as entered first, in all states around it; an earlier mark is kept.
  private mutating func setInitial(_ end: End) {
    StateOutline.setInitial(end.ids[...], in: &top)
  }

  private static func setInitial(_ ids: ArraySlice<String>, in region: inout Region) {
    guard let id = ids.first, let place = region.nodes.firstIndex(where: { $0.id == id }) else { return }
    if region.initial == nil { region.initial = place }
    guard ids.count > 1 else { return }
    for inner in region.nodes[place].regions.indices
    where region.nodes[place].regions[inner].nodes.contains(where: { $0.id == ids.dropFirst().first }) {
      setInitial(ids.dropFirst(), in: &region.nodes[place].regions[inner])
    }
  }

  /// Puts a move into the innermost region that contains both its ends.
  private mutating func place(_ move: Move) {
    StateOutline.place(move, depth: 0, in: &top)
  }

  private static func place(_ move: Move, depth: Int, in region: inout Region) {
    let (from, to) = (move.from.ids, move.to.ids)
    if from.count > depth + 1, to.count > depth + 1, from[depth] == to[depth],
      let node = region.nodes.firstIndex(where: { $0.id == from[depth] })
    {
      for inner in region.nodes[node].regions.indices {
        let ids = region.nodes[node].regions[inner].nodes.map(\.id)
        guard ids.contains(from[depth + 1]), ids.contains(to[depth + 1]) else { continue }
        place(move, depth: depth + 1, in: &region.nodes[node].regions[inner])
        return
      }
    }
    if !region.moves.contains(move) { region.moves.append(move) }
  }
}

/// Builds the states of an outline and records where the state of each word is.
struct OutlineBuilder {
  let mark: GraphMark?
  /// By state word outside the composite, and by region and part within it.
  private(set) var ends: [String: StateOutline.End] = [:]
  private(set) var compositeEnd: StateOutline.End?
  private var taken: Set<String> = []

  init(mark: GraphMark?) {
    self.mark = mark
  }

  /// The key of a region's part in `ends`; no word of a state contains a blank.
  static func key(_ part: String, region: Int?) -> String { region.map { "\($0) \(part)" } ?? part }

  /// The states of one region as a tree.
  ///
  /// - Parameters:
  ///   - region: Its number among the regions of the composite; `nil` outside it.
  ///   - path: The identifiers of the enclosing states.
  mutating func region(
    named name: String, words: [String], abouts: [String], marked: String?, number: Int? = nil, within path: [String]
  ) -> StateOutline.Region {
    var region = StateOutline.Region(name: name)
    region.nodes = tree(
      zip(words, abouts).map { (parts: $0.split(separator: ".").map(String.init)[...], word: $0, about: $1) },
      marked: marked, number: number, within: path)
    return region
  }

  private mutating func tree(
    _ states: [(parts: ArraySlice<String>, word: String, about: String)], marked: String?, number: Int?,
    within path: [String]
  ) -> [StateOutline.Node] {
    var nodes: [StateOutline.Node] = []
    var titles: [String] = []
    for state in states {
      guard let title = state.parts.first, !titles.contains(title) else { continue }
      titles.append(title)
      let like = states.filter { $0.parts.first == title }
      let inner = like.filter { $0.parts.count > 1 }
      let prefix = (state.word.split(separator: ".").map(String.init).dropLast(state.parts.count) + [title])
        .joined(separator: "_")
      var node = StateOutline.Node(id: DiagramID.unique(prefix, among: &taken), title: title)
      let end = StateOutline.End(ids: path + [node.id], title: title)
      if let own = like.first(where: { $0.parts.count == 1 }) {
        node.about = own.about
        node.isMarked = own.word == marked
        ends[OutlineBuilder.key(own.word, region: number)] = end
      }
      if !inner.isEmpty {
        node.regions = [
          StateOutline.Region(
            nodes: tree(
              inner.map { (parts: $0.parts.dropFirst(), word: $0.word, about: $0.about) }, marked: marked,
              number: number, within: end.ids))
        ]
      }
      nodes.append(node)
    }
    return nodes
  }

  /// The composite state with its regions.
  mutating func composite(
    _ regions: Kind.Regions, of kind: String, _ split: [[String]?], _ mark: GraphMark?
  ) -> StateOutline.Node {
    let title = regions.composite ?? kind
    var node = StateOutline.Node(id: DiagramID.unique(title, among: &taken), title: title)
    compositeEnd = StateOutline.End(ids: [node.id], title: title)
    for (number, name) in regions.names.enumerated() {
      var parts: [String] = []
      for part in split.compactMap({ $0?[number] }) where !parts.contains(part) { parts.append(part) }
      node.regions.append(
        region(
          named: name, words: parts, abouts: parts.map { _ in "" }, marked: mark.flatMap { split[$0.state]?[number] },
          number: number, within: [node.id]))
    }
    return node
  }
}
