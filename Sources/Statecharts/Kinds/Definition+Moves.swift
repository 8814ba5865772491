import StateMachines

extension Definition {
  /// The moves that a document says, whether or not its guards are ever true: from each atomic state by each event that
  /// can be sent and each timer to the atomic states in which the machine may come to rest.
  ///
  /// A transition that raises events or goes to a history is left out: what follows from it, only trying shows.
  /// States and events are the indices of a kind's lists.
  ///
  /// - Returns: None for a document with invocations or with too many moves.
  /// - Complexity: O(states × transitions), bounded.
  func documentedMoves(_ program: ChartProgram) -> [DocumentedMove] {
    let chart = charts[0].chart
    guard program.states.count <= Self.mostMoves / 2, chart.invokes.isEmpty else { return [] }
    var moves: [DocumentedMove] = []
    var arrivals: [Int: Arrival] = [:]
    var open = Set(chart.beginning.rest.keys)
    var seen = open
    while let leaf = open.popFirst() {
      func add(_ name: Int32, event: Int? = nil, timer: Int? = nil) {
        for place in chart.taken(from: leaf, { chart.matches($0, name) }).transitions {
          let transition = chart.transitions[place]
          let arrival = arrivals[place] ?? chart.arrival(by: transition)
          arrivals[place] = arrival
          guard arrival.isKnown, !chart.raises(leaving: leaf) else { continue }
          let arrow = chart.transitions.count * (leaf + 1) + place
          for (target, others) in arrival.rest {
            moves.append(
              DocumentedMove(
                from: Int(program.places[leaf]), event: event, timer: timer, to: Int(program.places[target]),
                isSure: transition.condition == Chart.none, arrows: [arrow] + others))
            if seen.insert(target).inserted { open.insert(target) }
          }
        }
      }
      for (place, event) in program.events.enumerated() { add(event.number, event: place) }
      for (place, name) in program.timers.enumerated() { add(chart.events.number(of: name), timer: place) }
      guard moves.count <= Self.mostMoves else { return [] }
    }
    return moves
  }

  private static var mostMoves: Int { 4_000 }

  /// The regions of a document's parallel states, each with the atomic states in it.
  func documentedRegions(_ program: ChartProgram) -> [DocumentedRegion] {
    let chart = charts[0].chart
    return chart.states.indices.dropFirst().filter { state in
      chart.states[Int(chart.states[state].parent)].kind == .parallel && chart.states[state].history == Chart.none
    }.map { region in
      let states = (region..<Int(chart.states[region].end)).filter(chart.isAtomic).map { Int(program.places[$0]) }
      return DocumentedRegion(name: id(of: region), states: states)
    }
  }
}

/// Where an entry of states leads.
private struct Arrival {
  /// The atomic states in which the machine may rest, and the transitions that lead there at once.
  var rest: [Int: [Int]] = [:]
  /// Whether nothing else follows: no event is raised on the way, and no history decides.
  var isKnown = true
  private let chart: Chart
  private var seen: Set<Int> = []
  private var way: [Int] = []

  init(at chart: Chart) { self.chart = chart }

  /// Enters the targets of a transition, what is around them below its domain, and the other regions there.
  ///
  /// - Parameter state: The domain of a transition that is taken by default; of others it is what they leave.
  mutating func take(_ transition: Chart.Transition, below state: Int? = nil) {
    let targets = transition.targets.map { Int(chart.targets[Int($0)]) }
    if transition.block != Chart.none, chart.raises(chart.blocks[Int(transition.block)]) { isKnown = false }
    guard targets.allSatisfy({ chart.states[$0].history == Chart.none }) else {
      isKnown = false
      return
    }
    let domain = state ?? chart.domain(of: transition, targets: targets)
    for target in targets {
      var inner = target
      while case let above = Int(chart.states[inner].parent), above != domain, above > 0 {
        enter(above)
        for region in chart.regions(of: above)
        where region != inner && !targets.contains(where: { $0 == region || chart.isDescendant($0, of: region) }) {
          settle(region)
        }
        inner = above
      }
      settle(target)
    }
  }

  private mutating func enter(_ state: Int) {
    if chart.states[state].onEntry.contains(where: { chart.raises(chart.blocks[Int(chart.handlers[Int($0)])]) }) {
      isKnown = false
    }
  }

  /// Enters a state by default and takes what needs no event from outside.
  mutating func settle(_ state: Int) {
    guard seen.insert(state).inserted else { return }
    enter(state)
    for region in chart.regions(of: state) { settle(region) }
    guard chart.isAtomic(state) else {
      if chart.states[state].initial != Chart.none {
        take(chart.transitions[Int(chart.states[state].initial)], below: state)
      }
      return
    }
    var (next, isSure) = chart.taken(from: state) { $0.descriptors.isEmpty }
    // The end of a region is one of the parallel state if the others have ended.
    var ended = chart.states[state].kind == .final ? Int(chart.states[state].parent) : 0
    if ended > 0, !isSure {
      let done = chart.taken(from: state, byEndOf: ended)
      next += done.transitions
      isSure = done.isSure
      ended = Int(chart.states[ended].parent)
      if chart.states[ended].kind == .parallel { next += chart.taken(from: state, byEndOf: ended).transitions }
    }
    if !isSure { rest[state] = way }
    for place in next {
      way.append(place)
      take(chart.transitions[place])
      way.removeLast()
    }
  }
}

extension Chart {
  /// Where a new machine may rest.
  fileprivate var beginning: Arrival {
    var arrival = Arrival(at: self)
    arrival.settle(0)
    return arrival
  }

  fileprivate func arrival(by transition: Transition) -> Arrival {
    var arrival = Arrival(at: self)
    if !transition.targets.isEmpty { arrival.take(transition) }
    return arrival
  }

  /// The regions of a parallel state.
  fileprivate func regions(of state: Int) -> [Int] {
    states[state].kind == .parallel ? children(of: state).filter { states[$0].history == Chart.none } : []
  }

  /// Whether content raises events, so that more can follow than its transition says.
  fileprivate func raises(_ block: Range<Index>) -> Bool {
    block.contains { place in
      switch instructions[Int(place)] {
      case .raise: true
      case .send(let send): text(of: sends[Int(send)].target).map { $0 == "#_internal" } ?? true
      case .cancel, .log, .assign, .script, .branch, .jump, .forEach, .fail: false
      }
    }
  }

  /// Whether leaving a state and those around it raises events.
  fileprivate func raises(leaving leaf: Int) -> Bool {
    sequence(first: leaf) { $0 > 0 ? Int(states[$0].parent) : nil }.contains { state in
      states[state].onExit.contains { raises(blocks[Int(handlers[Int($0)])]) }
    }
  }

  /// The transitions that may be taken in an atomic state, up to the first without a guard, and whether there is one.
  fileprivate func taken(from leaf: Int, _ isMeant: (Transition) -> Bool) -> (transitions: [Int], isSure: Bool) {
    var found: [Int] = []
    var above = leaf
    while above >= 0 {
      for place in states[above].transitions {
        let transition = transitions[Int(place)]
        guard isMeant(transition) else { continue }
        found.append(Int(place))
        if transition.condition == Chart.none { return (found, true) }
      }
      above = Int(states[above].parent)
    }
    return (found, false)
  }

  /// What the end of a state around an atomic state brings.
  fileprivate func taken(from leaf: Int, byEndOf state: Int) -> (transitions: [Int], isSure: Bool) {
    guard let id = ids[state] else { return ([], false) }
    return taken(from: leaf) { matches($0, events.number(of: "done.state.\(id)")) }
  }
}
