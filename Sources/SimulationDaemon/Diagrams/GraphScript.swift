import Scripts
import MachineGraphs
import LineProtocol
import Simulator
import StateMachines

/// A script of tests, made piece by piece.
protocol TestScript {
  /// The lines before the tests.
  var head: [Substring] { get }
  /// The next lines; `nil` after the last.
  mutating func next() -> [Substring]?
}

/// A graph as a script that tests every pair of state and input on a separate machine.
///
/// A line is a request with its expected answer after `=>`, outputs included. Of a timer that expires by itself it tests
/// that it does so neither earlier nor later. A machine enters its state with `initial=` if that gives the same outcome,
/// otherwise by the shortest path. Outcomes that the script cannot bring about are left out, with a remark.
struct GraphScript: TestScript {
  private let graph: StateGraph
  private var nextState = 0
  private var number = 0
  /// `param=value` for parameters without their default.
  private let parameters: String

  init(_ graph: StateGraph) {
    self.graph = graph
    parameters = zip(graph.kind.parameters, graph.parameters).filter { $0.standard != $1 }
      .map { " \($0.name)=\(GraphScript.quotedValue($1))" }.joined()
  }

  /// The lines before the pairs.
  var head: [Substring] {
    let totals = graph.totals
    return [
      "# \(graph.kind.name): every pair of state and input, each on a machine of its own.",
      "# \(totals.states) states, \(totals.events) events, \(totals.pairs) pairs, \(totals.transitions) transitions.",
    ] + graph.whyPartial.map { "# Partial: \($0)."[...] } + ["clock virtual"]
  }

  /// The lines for the next state; nil after the last.
  mutating func next() -> [Substring]? {
    guard nextState < graph.states.count else { return nil }
    let state = nextState
    nextState += 1
    var lines: [String] = []
    for input in graph.inputs.indices {
      for outcome in graph.outcomes(in: state, of: input) {
        let node = graph.nodes[outcome.node]
        let title = "# \(graph.states[state].word), \(graph.label(of: input))"
        if !node.isSettled {
          let isSent = if case .send = outcome.step { true } else { false }
          lines += ["", title + (isSent ? ": only over a wire, while a timer is due" : ": by itself, at once")]
        } else if outcome.isByChance {
          lines += ["", title + ": not at will"]
        } else {
          number += 1
          lines += ["", title] + pair(outcome, node, from: state, "c\(number)")
        }
      }
    }
    return lines.map { $0[...] }
  }

  private func pair(_ outcome: GraphOutcome, _ node: GraphNode, from state: Int, _ name: String) -> [String] {
    let kind = graph.kind
    func new(_ initial: String?) -> String {
      "new \(kind.name) \(name)\(initial.map { " initial=\($0)" } ?? "")\(parameters)"
    }
    let before = word(state, outcome.dataBefore)
    let after = word(outcome.to, outcome.dataAfter)
    let outputs = outcome.outputs.map { kind.outputs[$0].name }
    let expected =
      switch outcome.verdict {
      case .moved: "moved \(before) \(after) outputs=\(outputs.joined(separator: ","))"
      case .stayed: "stayed \(after) outputs=\(outputs.joined(separator: ","))"
      case .ignored: "ignored \(after)"
      case .refused: "refused"
      }
    var lines: [String]
    if node.way.isEmpty {
      lines = [new(node.start)]
    } else if let initial = outcome.initial {
      lines = [new(initial)]
    } else {
      lines = [new(node.start)] + node.way.compactMap { request($0, name) }
    }
    switch outcome.step {
    case .step:
      // A nanosecond earlier it has not expired.
      if let left = node.timers.first?.left, left > Nanoseconds(nanoseconds: 1) {
        lines += ["advance \(left.nanoseconds - 1)ns => ok fired=0", "expect \(name) \(before)"]
      }
      // Another timer may be due at the same moment. Then the state cannot be checked, nor which timer emitted what.
      if outcome.rests {
        lines += ["advance 1ns => ok fired=1", "expect \(name) \(after)"]
        lines += Set(outputs).sorted().map { "expect output \(name) \($0)" }
      } else {
        lines.append("advance 1ns")
      }
    case .send, .fire: lines += request(outcome.step, name).map { ["\($0) => \(expected)"] } ?? []
    case .fireDue: break
    }
    // Its timers must not run beside those of the next machine.
    return lines + ["drop \(name)"]
  }

  private func word(_ state: Int, _ data: String?) -> String { ScriptSpelling.word(graph.stateWord(state, data: data)) }

  private func request(_ step: GraphStep, _ name: String) -> String? {
    switch step {
    case .send(let event, let arguments):
      (["send", name, graph.kind.events[event].name] + arguments.map { ScriptSpelling.word(ArgumentText.written($0)) })
        .joined(separator: " ")
    case .step: "step"
    case .fire(let timer, let key): "fire \(name) \(graph.kind.timers[timer].name)" + (key == 0 ? "" : "(\(key))")
    case .fireDue: nil
    }
  }

  private static func quotedValue(_ value: Value) -> String {
    let text = ArgumentText.written(value)
    return ScriptSpelling.value(text)
  }
}
