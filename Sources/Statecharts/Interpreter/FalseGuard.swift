import LineProtocol

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

  /// One line, with the beginning and the end of a long condition.
  public var description: String {
    let words = condition.shortened(to: Self.longest).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let text = words.isEmpty ? "" : " \"\(words)\""
    return "the guard\(text) of the transition in line \(line) \(failure.map { "fails: \($0)" } ?? "is false")"
  }

  /// The characters of a condition that are told.
  private static let longest = 120
}

extension Interpreter {
  /// The guards of transitions that the last input has evaluated, in order, by their texts in the document. Those of
  /// charts that were invoked are not among them.
  var evaluatedGuards: [(condition: String, isTrue: Bool)] {
    run.guards.compactMap { transition, isTrue in
      run.condition(of: transition).map { ($0.text, isTrue) }
    }
  }

  /// The guards that have kept the machine from taking any transition at the event of the last input, from the inside of
  /// the first active state to the outside, then those of the next.
  ///
  /// None if no transition has the event, if the event was for a chart that was invoked, or if a transition was taken.
  public var falseGuards: [FalseGuard] {
    var told: Set<Chart.Index> = []
    // Regions share the states around them, and each of them asks for their guards.
    return run.guards.prefix(run.guardsOfEvent).filter { told.insert($0.transition).inserted }.map { transition, _ in
      let chart = definition.charts[0].chart
      let own = chart.transitions[Int(transition)]
      return FalseGuard(
        state: own.source == 0 ? "" : definition.id(of: Int(own.source)),
        condition: run.condition(of: transition)?.text ?? "", line: Int(own.line),
        failure: run.guardFailures[transition])
    }
  }
}

extension ChartRun {
  /// The guard of a transition of the document's own session; `nil` if it has none that can be evaluated.
  fileprivate func condition(of transition: Chart.Index) -> Expression? {
    let chart = definition.charts[0].chart
    let condition = chart.transitions[Int(transition)].condition
    guard condition != Chart.none, case .form(let expression) = chart.expressions[Int(condition)] else { return nil }
    return expression
  }
}
