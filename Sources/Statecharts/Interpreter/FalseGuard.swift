import StateMachines

/// A guard that keeps a transition from being taken.
public struct FalseGuard: Hashable, Sendable, CustomStringConvertible {
  /// The id of the transition's state.
  public var state: String
  /// The condition as it stands in the document.
  public var condition: String
  /// The line of the transition in its document.
  public var line: Int
  /// Why the condition has no value; `nil` if it is false.
  public var failure: String?

  /// One line, with the beginning of a long condition.
  public var description: String {
    let words = condition.prefix(Self.longest + 1).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let text = words.isEmpty ? "" : " \"\(words.prefix(Self.longest))\(words.count > Self.longest ? "…" : "")\""
    return "the guard\(text) of the transition in line \(line) \(failure.map { "fails: \($0)" } ?? "is false")"
  }

  /// The characters of a condition that are told.
  private static let longest = 120
}

extension ChartRun {
  mutating func falseGuards(
    of machine: RunningChart, at event: EventName, data: DataValue, now: Instant, generator: Generator
  ) -> [FalseGuard] {
    var copy = machine
    var draws = generator
    var found: [FalseGuard] = []
    _ = attempt(&copy, now: now, generator: &draws) { (run) throws(EvaluationError) in
      found = try run.falseGuards(at: ChartEvent(name: event.text, kind: .external, data: data))
    }
    effects.removeAll(keepingCapacity: true)
    return found
  }

  private mutating func falseGuards(at event: ChartEvent) throws(EvaluationError) -> [FalseGuard] {
    load(0)
    guard session.final < 0 else { return [] }
    let chart = compiled.chart
    if chart.symbols.usesEvent { scope.event = event.value }
    let number = chart.events.number(of: event.name)
    var found: [FalseGuard] = []
    var seen = StateSet()
    for active in scope.configuration where chart.isAtomic(active) {
      var above = active
      while above >= 0, !seen.contains(above) {
        seen.insert(above)
        for place in chart.states[above].transitions {
          let transition = chart.transitions[Int(place)]
          guard chart.matches(transition, number) else { continue }
          guard transition.condition != Chart.none else { return [] }
          let state = above == 0 ? "" : definition.id(of: above)
          let line = Int(transition.line)
          switch chart.expressions[Int(transition.condition)] {
          case .form(let expression):
            do {
              if try expression.isTrue(in: &scope) { return [] }
              found.append(FalseGuard(state: state, condition: expression.text, line: line))
            } catch {
              guard case .failed(let message) = error else { throw error }
              found.append(FalseGuard(state: state, condition: expression.text, line: line, failure: message))
            }
          case .broken(let message):
            found.append(FalseGuard(state: state, condition: "", line: line, failure: message))
          }
        }
        above = Int(chart.states[above].parent)
      }
    }
    return found
  }
}
