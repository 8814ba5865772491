import StateMachines

/// The states of a kind as a tree of nodes: nested where their words have dots, in regions where they have plus signs.
///
/// A composite node that is a state itself contains a leaf for it.
struct Outline {
  private(set) var nodes: [Drawing.Node] = []
  private(set) var top = Drawing.Region(name: "")
  /// For each state of the kind, its leaves: one in each region, or one outside them.
  private(set) var leaves: [[Int]] = []
  /// The node that contains the regions.
  private(set) var composite: Int?
  /// The names of the regions; one without a name if there are none.
  let regions: [String]

  /// - Parameter states: The states of the kind, or those of a graph of it.
  init(_ states: [StateEntry], of kind: Kind) {
    let words = states.map { $0.word.split(separator: "+", omittingEmptySubsequences: false).map(String.init) }
    // Without declared regions, the words' largest number of parts counts, unless each word has a number of its own.
    let most = kind.hasStatesNamedByData ? 1 : words.map(\.count).max() ?? 1
    let count = kind.regions?.names.count ?? most
    regions = kind.regions?.names ?? (count > 1 ? (1...count).map { "region \($0)" } : [""])
    let isSplit = words.map { count > 1 && $0.count == count }
    leaves = words.map { _ in [] }
    let title = kind.regions?.composite ?? kind.name
    var parts: [[String: Int]] = Array(repeating: [:], count: count)
    // The words that have others within them, in each region and outside of them.
    var outer: [Set<Substring>] = Array(repeating: [], count: count)
    var outerOutside: Set<Substring> = []
    for state in words.indices {
      if isSplit[state] {
        for (region, part) in words[state].enumerated() { outer[region].formUnion(Self.words(around: part)) }
      } else {
        outerOutside.formUnion(Self.words(around: states[state].word))
      }
    }
    // In the order of the states; the composite takes the place of the first of its states.
    for state in words.indices {
      if isSplit[state] {
        if composite == nil {
          let node = Drawing.Node(
            name: title, title: title, parent: nil, region: "", regions: regions.map { Drawing.Region(name: $0) })
          composite = nodes.count
          top.nodes.append(nodes.count)
          nodes.append(node)
        }
        guard let composite else { continue }
        for (region, part) in words[state].enumerated() {
          let isComposite = outer[region].contains(part[...])
          leaves[state].append(leaf(part, isComposite: isComposite, in: composite, region, &parts[region]))
        }
      } else {
        var known: [String: Int] = [:]
        let word = states[state].word
        leaves[state] = [leaf(word, isComposite: outerOutside.contains(word[...]), in: nil, 0, &known)]
        nodes[leaves[state][0]].about = states[state].about
      }
    }
  }

  /// What stands before each dot of a word.
  private static func words(around word: String) -> [Substring] {
    word.indices.filter { word[$0] == "." }.map { word[..<$0] }
  }

  /// The leaf of a word, with the composite nodes around it; made if it is new.
  private mutating func leaf(
    _ word: String, isComposite: Bool, in parent: Int?, _ region: Int, _ known: inout [String: Int]
  ) -> Int {
    if let known = known[word] { return known }
    let parts = word.split(separator: ".").map(String.init)
    var around = parent
    var place = region
    for depth in parts.indices.dropLast() {
      let name = parts[...depth].joined(separator: ".")
      around = composite(name, parts[depth], in: around, place)
      place = 0
    }
    let title = parts.last ?? word
    if isComposite {
      around = composite(word, title, in: around, place)
      place = 0
    }
    var leaf = node(word, title, in: around, place)
    leaf.isOwnLeaf = isComposite
    let made = add(leaf, in: around, place)
    known[word] = made
    return made
  }

  /// The composite node with a name; made if it is new.
  private mutating func composite(_ name: String, _ title: String, in parent: Int?, _ region: Int) -> Int {
    let siblings = parent.map { nodes[$0].regions[region].nodes } ?? top.nodes
    if let known = siblings.first(where: { nodes[$0].name == name && nodes[$0].isComposite }) { return known }
    var made = node(name, title, in: parent, region)
    made.regions = [Drawing.Region(name: "")]
    return add(made, in: parent, region)
  }

  private func node(_ name: String, _ title: String, in parent: Int?, _ region: Int) -> Drawing.Node {
    Drawing.Node(
      name: name, title: title, parent: parent, region: parent.map { regionName(of: $0, region) } ?? "")
  }

  /// The name of the region of the composite that contains everything within `parent`.
  private func regionName(of parent: Int, _ region: Int) -> String {
    parent == composite ? nodes[parent].regions[region].name : nodes[parent].region
  }

  private mutating func add(_ node: Drawing.Node, in parent: Int?, _ region: Int) -> Int {
    if let parent { nodes[parent].regions[region].nodes.append(nodes.count) } else { top.nodes.append(nodes.count) }
    nodes.append(node)
    return nodes.count - 1
  }

  /// Marks a leaf as entered first, in all nodes around it; an earlier mark is kept.
  mutating func setInitial(_ leaf: Int) {
    var inner = leaf
    while true {
      guard let parent = nodes[inner].parent else {
        if top.initial == nil { top.initial = inner }
        return
      }
      guard let region = nodes[parent].regions.firstIndex(where: { $0.nodes.contains(inner) }) else { return }
      if nodes[parent].regions[region].initial == nil { nodes[parent].regions[region].initial = inner }
      inner = parent
    }
  }

  /// The state that is entered first within a node's region.
  func isInitial(_ leaf: Int) -> Bool {
    guard let parent = nodes[leaf].parent else { return top.initial == leaf }
    return nodes[parent].regions.contains { $0.initial == leaf }
  }
}
