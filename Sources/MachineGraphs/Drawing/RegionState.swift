package import StateMachines

/// A state outside orthogonal regions, or a state of one region, without the combinations with those of others.
package struct RegionState {
  package let word: String
  /// `nil` outside regions.
  package let region: String?
  package let about: String
  /// The states of the kind in which a machine is in it, by index, ascending.
  package let states: [Int]
}

extension Kind {
  /// The states in the kind's order, region by region.
  package var regionStates: [RegionState] {
    let outline = Outline(states, of: self)
    let leaves = outline.nodes.indices.filter { !outline.nodes[$0].isComposite }
    var statesOfLeaves: [[Int]] = Array(repeating: [], count: outline.nodes.count)
    for (state, leaves) in outline.leaves.enumerated() {
      for leaf in leaves { statesOfLeaves[leaf].append(state) }
    }
    return leaves.map { leaf in
      let first = statesOfLeaves[leaf].first ?? 0
      let region = outline.leaves[first].firstIndex(of: leaf) ?? 0
      let isOutside = outline.leaves[first].count == 1
      // A combination says something of each of its parts.
      let clauses = states[first].about.split(separator: ";").map { $0.drop { $0 == " " } }
      let about =
        isOutside ? states[first].about : clauses.count == outline.regions.count ? String(clauses[region]) : ""
      return (
        region: isOutside ? -1 : region,
        state: RegionState(
          word: outline.nodes[leaf].name, region: isOutside ? nil : outline.regions[region], about: about,
          states: statesOfLeaves[leaf])
      )
    }.enumerated().sorted { ($0.element.region, $0.offset) < ($1.element.region, $1.offset) }.map(\.element.state)
  }
}
