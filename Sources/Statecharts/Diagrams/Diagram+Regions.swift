// Which region each state of a diagram is in, and what that says of its arrows.

extension Diagram {
  /// A region and those around it, from the inside to the outside.
  func regions(around region: Int) -> [Int] {
    var all = [region]
    while let owner = regions[all[all.count - 1]].owner, all.count < 1_000 { all.append(states[owner].home) }
    return all
  }

  /// The regions around a state, from the outside to the inside.
  func path(to state: Int) -> [Int] { regions(around: states[state].home).reversed() }

  /// Whether a region is that of a state, or of one within it.
  func isWithin(_ region: Int, _ state: Int) -> Bool {
    regions(around: region).contains { regions[$0].owner == state }
  }

  func isState(_ inner: Int, within outer: Int) -> Bool { isWithin(states[inner].home, outer) }

  /// The region that declares a state, or the innermost that mentions it.
  private func home(of state: Int) -> Int {
    let own = states[state]
    if let declared = own.declared { return declared }
    let mentions = own.mentions.filter { !isWithin($0, state) }
    if isHomeFirst { return mentions.first ?? 0 }
    return mentions.max { regions(around: $0).count < regions(around: $1).count } ?? 0
  }

  /// Finds the region that each state is in: the one that declares it, or the innermost that mentions it. What the arrow
  /// from `[*]` of a block leads to belongs into the block, if it is read freely.
  mutating func findHomes(_ reading: DiagramReading) {
    for state in states.indices { states[state].home = states[state].declared ?? 0 }
    // The homes of states with blocks are known now, so that regions have a way to the top.
    for region in regions.indices where reading == .free {
      guard let owner = regions[region].owner else { continue }
      for arrow in regions[region].initials {
        guard let target = target(of: arrow), states[target].kind == .plain, !isWithin(region, target),
          !regions(around: home(of: target)).contains(region)
        else { continue }
        (states[target].home, states[target].declared) = (region, region)
        assume(arrows[arrow].targetOffset, "\(states[owner].id) begins in \(states[target].id), which belongs into it")
      }
    }
    for state in states.indices {
      let own = states[state]
      let home = home(of: state)
      states[state].home = home
      if isHomeFirst { continue }
      for region in own.mentions where region != home && !isWithin(region, state) {
        if regions(around: home).contains(region) { continue }
        let owner = regions[home].owner.map { states[$0].id } ?? ""
        let other = regions[region].owner.map { states[$0].id } ?? ""
        let mentioned = "\(own.id) is mentioned within \(owner) and within \(other)"
        if own.declared != nil {
          warn(
            regions[region].offset,
            "an arrow within \(other) names \(own.id), and Mermaid draws it there; write the arrow outside of the block"
          )
        } else if reading == .free {
          assume(own.offset, "\(mentioned), and belongs to \(owner)")
        } else {
          let regions = owner == other ? " in two regions" : ""
          error(own.offset, "\(mentioned)\(regions): declare it where it belongs, with state \(own.id)")
        }
      }
    }
  }

  /// The states of one region that each arrow out of a fork leads to, up to joins, a thousand at most.
  ///
  /// - Parameter room: How many arrows may still be followed.
  /// - Returns: `nil` if the arrows lead to states of several regions.
  func branches(of fork: Int, _ room: inout Int) -> [[Int]]? {
    let firsts = states[fork].arrows.compactMap(target(of:))
    guard let scope = firsts.first.map({ states[$0].home }), firsts.allSatisfy({ states[$0].home == scope }) else {
      return nil
    }
    return firsts.map { first in
      var found = [first]
      var seen: Set<Int> = [first]
      var next = 0
      while next < found.count, found.count < 1_000, room > 0 {
        let arrows = states[found[next]].arrows
        room -= arrows.count
        for target in arrows.compactMap(target(of:))
        where states[target].home == scope && states[target].kind != .join && seen.insert(target).inserted {
          found.append(target)
        }
        next += 1
      }
      return found
    }
  }
}
