import MachineGraphs
import Simulations
import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

struct DiagramJSONTests {
  @Test(
    "a diagram for programs has every outcome that exploration has found",
    arguments: Catalogue.simulations.kinds.map(\.name))
  func outcomes(name: String) throws {
    let kind = try #require(Catalogue.simulations.kinds.first { $0.name == name })
    let graph = try SharedGraphs.graph(of: kind)
    let reader = try DiagramReader(Drawing(graph, show: .all).json(picture: nil))
    expect(reader.isComplete == graph.isComplete && reader.isComplete == reader.why.isEmpty)
    var inputs = kind.events.indices.flatMap { event in
      graph.inputs(ofEvent: event).map { (input: $0, name: kind.events[event].name, isTimer: false) }
    }
    inputs += kind.timers.indices.map { (graph.input(ofTimer: $0), kind.timers[$0].name, true) }
    var count = 0
    for from in kind.states.indices {
      for (input, trigger, isTimer) in inputs {
        for outcome in graph.outcomes(in: from, of: input) {
          let deed = DiagramReader.Deed(
            from: kind.states[from].word, to: kind.states[outcome.to].word, trigger: trigger, isTimer: isTimer,
            verdict: "\(outcome.verdict)", outputs: outcome.outputs.map { kind.outputs[$0].name })
          if !reader.has(deed) { Issue.record("\(deed)") }
          count += 1
        }
      }
    }
    expect(count > 0)
  }
}
