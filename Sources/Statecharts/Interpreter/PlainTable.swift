/// The steps of a chart without regions, histories and sends, worked out beforehand for each state and event.
///
/// In such a chart one atomic state is active with those around it, so a transition takes away some bits of the
/// configuration and adds others. It may have a guard, and content that assigns to variables, as long as numbers and truth
/// values are all that comes into it. What is beyond that leaves the step to the algorithm.
final class PlainTable: Sendable {
  /// What an event may bring in a state.
  private struct Candidate {
    /// One of ``expressions``; -1 if there is no guard.
    var condition: Int32 = -1
    /// The candidate after this one, if the guard is false.
    var next: Int32 = -1
    /// Those of ``assignments`` that the transition carries out.
    var content: Range<Int32> = 0..<0
    /// Active states that stay.
    var mask = ~UInt64(0)
    var entered: UInt64 = 0
    /// `nil` after guards that are false: the algorithm says which.
    var outcome: ChartOutcome? = .ignored
  }

  private struct Assignment {
    var slot: Int
    /// One of ``expressions``.
    var value: Int
  }

  /// By state and, within it, by event the first candidate: first that of names that nothing is known of. After these,
  /// all others.
  private let candidates: [Candidate]
  private let width: Int
  private let assignments: [Assignment]
  private let expressions: [Expression]

  /// The most candidates, and the most assignments. Each candidate has its own copy of what its transition carries out,
  /// so a larger table would take more memory than it is worth.
  private static var most: Int { 4_096 }

  /// The most comparisons of the chart's transitions with its names, in all.
  private static var mostComparisons: Int { 1 << 20 }

  /// The most nodes of the expressions that an event may evaluate. More of them are steps to count, as the algorithm
  /// does.
  private static var mostNodes: Int { 500 }

  /// - Returns: `nil` if the chart has more than that, or is too large.
  init?(_ chart: Chart) {
    let width = chart.events.names.count + 1
    guard chart.states.count * width <= Self.most,
      (chart.transitions.count + chart.descriptors.count) * width <= Self.mostComparisons,
      let content = Content(chart), Self.isPlain(chart)
    else { return nil }
    var first: [Candidate] = []
    var others: [Candidate] = []
    var assignments: [Assignment] = []
    let count = chart.states.count * width
    for state in chart.states.indices {
      for event in 0..<width {
        guard let all = Self.candidates(of: chart, from: state, at: Int32(event - 1), content, &assignments) else {
          return nil
        }
        guard count + others.count + all.count <= Self.most,
          content.nodes(of: all, assignments) <= Self.mostNodes
        else { return nil }
        for (place, candidate) in all.enumerated() {
          var candidate = candidate
          if place + 1 < all.count { candidate.next = Int32(count + others.count + (place == 0 ? 0 : 1)) }
          if place == 0 { first.append(candidate) } else { others.append(candidate) }
        }
      }
    }
    candidates = first + others
    self.width = width
    self.assignments = assignments
    expressions = content.expressions
  }

  // MARK: Making

  private static func isPlain(_ chart: Chart) -> Bool {
    chart.states.count <= 64 && chart.invokes.isEmpty && !chart.hasEventless && chart.globalScript == nil
      && !chart.hasLateBinding && !chart.symbols.usesEvent
      && chart.transitions.allSatisfy { $0.targets.count <= 1 }
      && chart.states.allSatisfy { state in
        (state.kind == .atomic || state.kind == .compound)
          && (state.initial == Chart.none || chart.transitions[Int(state.initial)].block == Chart.none)
      }
  }

  /// What guards and content come to: expressions of numbers and truth values, and assignments of these.
  private struct Content {
    let expressions: [Expression]
    /// By number of the condition, that of ``expressions``.
    private let places: [Chart.Index: Int]
    /// By block.
    private(set) var blocks: [[Assignment]] = []

    /// - Returns: `nil` if the chart has other guards or other content.
    init?(_ chart: Chart) {
      var expressions: [Expression] = []
      var places: [Chart.Index: Int] = [:]
      for (number, parsed) in chart.expressions.enumerated() {
        guard case .form(let expression) = parsed, expression.isArithmetic else { continue }
        places[Chart.Index(number)] = expressions.count
        expressions.append(expression)
      }
      guard chart.transitions.allSatisfy({ $0.condition == Chart.none || places[$0.condition] != nil }) else {
        return nil
      }
      for block in chart.blocks {
        var own: [Assignment] = []
        for instruction in chart.instructions[Int(block.lowerBound)..<Int(block.upperBound)] {
          guard case .assign(let location, .expression(let number)) = instruction, let value = places[number],
            case .form(let form) = chart.locations[Int(location)], let slot = form.slot
          else { return nil }
          own.append(Assignment(slot: slot, value: value))
        }
        blocks.append(own)
      }
      (self.expressions, self.places) = (expressions, places)
    }

    /// The nodes that are evaluated if all guards are.
    func nodes(of candidates: [Candidate], _ assignments: [Assignment]) -> Int {
      candidates.reduce(0) { sum, candidate in
        let values = assignments[Int(candidate.content.lowerBound)..<Int(candidate.content.upperBound)].map(\.value)
        let all = candidate.condition < 0 ? values : values + [Int(candidate.condition)]
        return all.reduce(sum) { $0 + expressions[$1].code.nodes.count }
      }
    }

    func place(of condition: Chart.Index) -> Int32 { condition == Chart.none ? -1 : Int32(places[condition] ?? -1) }
  }

  /// The transitions of the active state and of those around it that match an event, up to the first without a guard.
  ///
  /// - Returns: `nil` if they carry out too much.
  private static func candidates(
    of chart: Chart, from state: Int, at event: Int32, _ content: Content, _ assignments: inout [Assignment]
  ) -> [Candidate]? {
    var found: [Candidate] = []
    var above = Chart.Index(state)
    while above >= 0 {
      let own = chart.states[Int(above)]
      above = own.parent
      for place in own.transitions where chart.matches(chart.transitions[Int(place)], event) {
        let transition = chart.transitions[Int(place)]
        guard let candidate = candidate(for: transition, of: chart, from: state, content, &assignments) else {
          return nil
        }
        found.append(candidate)
        if transition.condition == Chart.none { return found }
      }
    }
    return found + [Candidate(outcome: found.isEmpty ? .ignored : nil)]
  }

  private static func candidate(
    for transition: Chart.Transition, of chart: Chart, from state: Int, _ content: Content,
    _ assignments: inout [Assignment]
  ) -> Candidate? {
    var candidate = Candidate(condition: content.place(of: transition.condition), outcome: .stayed)
    let start = Int32(assignments.count)
    var isTooMuch = false
    func add(_ block: Chart.Index) {
      guard block != Chart.none, !isTooMuch else { return }
      let own = content.blocks[Int(block)]
      isTooMuch = assignments.count + own.count > most
      if !isTooMuch { assignments += own }
    }
    func add(_ handlers: Range<Chart.Index>) {
      for handler in handlers { add(chart.handlers[Int(handler)]) }
    }
    guard case .state(let domain) = transition.domain else {
      add(transition.block)
      candidate.content = start..<Int32(assignments.count)
      return isTooMuch ? nil : candidate
    }
    // What is left, from the inner state outward.
    var left = Chart.Index(state)
    while left > domain {
      add(chart.states[Int(left)].onExit)
      left = chart.states[Int(left)].parent
    }
    add(transition.block)
    candidate.mask = ~bits((Int(domain) + 1)..<Int(chart.states[Int(domain)].end))
    candidate.entered = entered(chart, transition, below: Int(domain))
    for state in chart.states.indices where candidate.entered >> UInt64(state) & 1 != 0 {
      add(chart.states[state].onEntry)
    }
    candidate.content = start..<Int32(assignments.count)
    candidate.outcome = .moved
    return isTooMuch ? nil : candidate
  }

  private static func bits(_ range: Range<Int>) -> UInt64 { range.reduce(0) { $0 | 1 << UInt64($1) } }

  /// The target, the states between it and the domain, and the initial states within it.
  private static func entered(_ chart: Chart, _ transition: Chart.Transition, below domain: Int) -> UInt64 {
    var bits: UInt64 = 0
    var bottom = domain
    var targets = transition.targets
    while let place = targets.first {
      let target = Int(chart.targets[Int(place)])
      var state = target
      while state > bottom {
        bits |= 1 << UInt64(state)
        state = Int(chart.states[state].parent)
      }
      guard chart.states[target].kind == .compound else { break }
      bottom = target
      targets = chart.transitions[Int(chart.states[target].initial)].targets
    }
    return bits
  }

  // MARK: Steps

  /// - Returns: `nil` if the step is one for the algorithm; nothing has changed then.
  @inline(__always)
  func step(_ configuration: inout StateSet, _ variables: inout [DataValue?], _ event: Int32) -> ChartOutcome? {
    var place = configuration.lastOfFew &* width &+ Int(event) &+ 1
    while true {
      let candidate = candidates[place]
      if candidate.condition >= 0 {
        guard let value = expressions[Int(candidate.condition)].scalar(in: variables) else { return nil }
        guard value.isTruthy else {
          place = Int(candidate.next)
          continue
        }
      }
      if !candidate.content.isEmpty, !assign(candidate.content, &variables) { return nil }
      configuration.replaceFew(mask: candidate.mask, candidate.entered)
      return candidate.outcome
    }
  }

  /// - Returns: Whether all could be carried out; if not, none was.
  private func assign(_ content: Range<Int32>, _ variables: inout [DataValue?]) -> Bool {
    withUnsafeTemporaryAllocation(of: Scalar.self, capacity: content.count) { before in
      // Safety: what was written to `before` is read, and it needs no end: a scalar is plain bytes.
      var done = 0
      for place in content {
        let assignment = assignments[Int(place)]
        guard assignment.slot < variables.count, let old = variables[assignment.slot]?.scalar,
          let new = expressions[assignment.value].scalar(in: variables)
        else {
          for back in (0..<done).reversed() {
            variables[assignments[Int(content.lowerBound) + back].slot] = DataValue(before[back])
          }
          return false
        }
        before.initializeElement(at: done, to: old)
        done += 1
        variables[assignment.slot] = DataValue(new)
      }
      return true
    }
  }
}
