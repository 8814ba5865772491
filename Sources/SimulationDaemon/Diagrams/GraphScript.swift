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
  private let document: KindDocument?

  /// - Parameter document: The document that defines the kind; nil for a built-in kind.
  init(_ graph: StateGraph, _ document: KindDocument?) {
    self.graph = graph
    self.document = document
    parameters = zip(graph.kind.parameters, graph.parameters).filter { $0.standard != $1 }
      .map { " \($0.name)=\(GraphScript.quotedValue($1))" }.joined()
  }

  /// The most lines of the tests, beside those of the document.
  static let mostLines = 250_000

  /// Whether the tests would have more lines than ``mostLines``: each has the whole way to its state.
  static func isTooLong(_ graph: StateGraph, while goesOn: () -> Bool) -> Bool {
    var lines = 0
    for state in graph.states.indices where goesOn() {
      for input in graph.inputs.indices {
        for outcome in graph.outcomes(in: state, of: input) {
          lines += 4 + (outcome.initial == nil ? graph.nodes[outcome.node].way.count : 0)
        }
      }
    }
    return lines > mostLines
  }

  /// The lines before the pairs.
  var head: [Substring] {
    let totals = graph.totals
    return [
      "# \(graph.kind.name): every pair of state and input, each on a machine of its own.",
      "# \(totals.states) states, \(totals.events) events, \(totals.pairs) pairs, \(totals.transitions) transitions.",
    ] + graph.whyPartial.map { "# Partial: \($0)."[...] } + ["clock virtual"] + definition
      + (graph.startLimit == nil
        ? [] : ["", "# a new machine", "new \(graph.kind.name) c0\(parameters) => refused LIMIT"])
  }

  /// The lines that define the kind, if it is from a document.
  private var definition: [Substring] {
    guard let document else { return [] }
    let requests = document.source.requests
    let lines = requests.compactMap(\.lines).joined().map { $0.hasSuffix("\r") ? $0.dropLast() : $0[...] }
    let areText = lines.allSatisfy { line in
      var line = line
      return line.withUTF8 { TextRules.problem(in: UnsafeRawBufferPointer($0)) == nil }
    }
    guard areText, requests.allSatisfy({ $0.lines != nil }) else {
      return ["# '\(document.name)' must be loaded first: its document cannot stand in a script."]
    }
    return lines
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
        } else if !(node.way + [outcome.step]).allSatisfy(canBeSent) {
          lines += ["", title + ": not by a request"]
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
      case .refused: outcome.limit == nil ? "refused" : "refused LIMIT"
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
    case .send(let event, let arguments): ScriptText.send(name, graph.kind, event: event, arguments)
    case .step: "step"
    case .fire(let timer, let key):
      "fire \(name) \(ScriptSpelling.word(TimerText.word(graph.kind.timers[timer].name, key: key)))"
    case .fireDue: nil
    }
  }

  /// Whether a request can bring a step. Machines of documents have events that only they themselves send.
  private func canBeSent(_ step: GraphStep) -> Bool {
    guard case .send(let event, let arguments) = step else { return true }
    return graph.kind.event(named: graph.kind.eventName(event, arguments)) != nil
  }

  private static func quotedValue(_ value: Value) -> String {
    let text = ArgumentText.written(value)
    return ScriptSpelling.value(text)
  }
}
