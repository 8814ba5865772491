/// The steps of a chart that has states and transitions only, worked out beforehand for each state and event.
///
/// In such a chart one atomic state is active with those around it, so a step takes away some bits of the configuration
/// and adds others.
final class PlainTable: Sendable {
  private struct Step {
    /// Active states that stay.
    var mask: UInt64
    var entered: UInt64
    var outcome: ChartOutcome
  }

  /// By state and, within it, by event: first that of names that nothing is known of.
  private let steps: [Step]
  private let width: Int

  /// A table for a larger chart would take more memory than it is worth.
  private static var most: Int { 4_096 }

  /// - Returns: `nil` if the chart has more than states and transitions, or is too large.
  init?(_ chart: Chart) {
    width = chart.events.names.count + 1
    guard Self.isPlain(chart), chart.states.count * width <= Self.most else { return nil }
    var steps: [Step] = []
    for state in chart.states.indices {
      for event in 0..<width { steps.append(Self.step(of: chart, from: state, at: Int32(event - 1))) }
    }
    self.steps = steps
  }

  private static func isPlain(_ chart: Chart) -> Bool {
    chart.states.count <= 64 && chart.handlers.isEmpty && chart.invokes.isEmpty && chart.data.isEmpty
      && !chart.hasEventless && chart.blocks.isEmpty && chart.globalScript == nil
      && chart.transitions.allSatisfy { $0.condition == Chart.none && $0.targets.count <= 1 }
      && chart.states.allSatisfy { $0.kind == .atomic || $0.kind == .compound }
  }

  private static func step(of chart: Chart, from state: Int, at event: Int32) -> Step {
    var above = Chart.Index(state)
    while above >= 0 {
      let own = chart.states[Int(above)]
      above = own.parent
      let matching = own.transitions.first { chart.matches(chart.transitions[Int($0)], event) }
      guard let matching else { continue }
      let transition = chart.transitions[Int(matching)]
      guard case .state(let domain) = transition.domain else { return Step(mask: ~0, entered: 0, outcome: .stayed) }
      return Step(
        mask: ~bits((Int(domain) + 1)..<Int(chart.states[Int(domain)].end)),
        entered: entered(chart, transition, below: Int(domain)), outcome: .moved)
    }
    return Step(mask: ~0, entered: 0, outcome: .ignored)
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

  @inline(__always)
  func step(_ configuration: inout StateSet, _ event: Int32) -> ChartOutcome {
    let step = steps[configuration.lastOfFew &* width &+ Int(event) &+ 1]
    configuration.replaceFew(mask: step.mask, step.entered)
    return step.outcome
  }
}
