import MachineGraphs
import LineProtocol
import Simulator
import StateMachines

/// A graph as a script that tests every pair of state and input on a separate machine.
///
/// A line is a request with its expected answer after `=>`. A machine enters its state with `initial=` if that gives
/// the same outcome, otherwise by the shortest path. Random outcomes are left out, with a remark.
struct GraphScript {
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
      "clock virtual",
    ]
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
        if outcome.isByChance {
          lines += ["", title + ": by chance"]
        } else if !node.isSettled {
          lines += ["", title + ": by itself, at once"]
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
    let expected =
      switch outcome.verdict {
      case .moved: "moved \(before) \(after)"
      case .stayed: "stayed \(after)"
      case .ignored: "ignored \(after)"
      case .refused: "refused"
      }
    var lines: [String]
    var step = outcome.step
    if node.way.isEmpty {
      lines = [new(node.start)]
    } else if let initial = outcome.initial {
      lines = [new(initial)]
      if case .step(let timer, let key) = step { step = .fire(timer: timer, key: key) }
    } else {
      lines = [new(node.start)] + node.way.compactMap { request($0, name) }
    }
    switch step {
    case .step where outcome.rests: lines += ["step", "expect \(name) \(after)"]
    // Another timer is due at the same moment and fires before the state can be checked.
    case .step: lines.append("step")
    case .send, .fire: lines += request(step, name).map { ["\($0) => \(expected)"] } ?? []
    case .fireDue: break
    }
    // Its timers must not run beside those of the next machine.
    return lines + ["drop \(name)"]
  }

  private func word(_ state: Int, _ data: String?) -> String { Word.written(graph.stateWord(state, data: data)) }

  private func request(_ step: GraphStep, _ name: String) -> String? {
    switch step {
    case .send(let event, let arguments):
      (["send", name, graph.kind.events[event].name] + arguments.map { Word.written(ArgumentText.written($0)) })
        .joined(separator: " ")
    case .step: "step"
    case .fire(let timer, let key): "fire \(name) \(graph.kind.timers[timer].name)" + (key == 0 ? "" : "(\(key))")
    case .fireDue: nil
    }
  }

  private static func quotedValue(_ value: Value) -> String {
    let text = ArgumentText.written(value)
    return Word.needsQuotes(text, asValue: true) ? Word.quoted(text) : text
  }
}
