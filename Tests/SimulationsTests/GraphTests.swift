@testable import MachineGraphs
import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

/// The graphs found by exploring the kinds of the catalogue.
struct GraphTests {
  static func kind(_ name: String) throws -> Kind {
    try #require(CatalogueTests.kinds.first { $0.name == name }, "\(name)")
  }

  static func graph(_ name: String) throws -> StateGraph { try SharedGraphs.graph(of: kind(name)) }

  @Test(
    "states, pairs, class pairs by outcome, and transitions",
    arguments: [
      ("fridge", [2, 4, 4, 2, 0, 2, 0, 2]), ("doorFridge", [2, 6, 6, 3, 0, 3, 0, 3]),
      ("shiftKey", [3, 6, 6, 4, 2, 0, 0, 5]), ("boldText", [2, 4, 6, 4, 0, 2, 0, 4]),
      ("callTracker", [7, 63, 63, 17, 0, 46, 0, 17]), ("phone", [7, 42, 42, 13, 1, 6, 22, 13]),
      ("checkins", [5, 15, 20, 7, 0, 13, 0, 7]), ("checkinsWithLogin", [6, 24, 36, 12, 0, 24, 0, 12]),
      ("stepper", [3, 6, 6, 4, 0, 2, 0, 4]), ("job", [6, 42, 54, 13, 0, 18, 23, 10]),
      ("listDetailCoordinator", [3, 9, 9, 3, 0, 4, 2, 3]),
    ])
  func totals(name: String, expected: [Int]) throws {
    let graph = try Self.graph(name)
    let totals = graph.totals
    expectEqual(
      [
        totals.states, totals.pairs, totals.classPairs, totals.moved, totals.stayed, totals.ignored, totals.refused,
        totals.transitions,
      ], expected)
    expectEqual(totals.untried, 0)
    expectEqual(totals.found, totals.states)
    expect(graph.isComplete)
  }

  @Test("the refusal of a fourth card is in the diagram of a payment, which is complete")
  func payment() throws {
    let graph = try Self.graph("payment")
    let declined = try #require(graph.states.firstIndex { $0.word == "declined" })
    let submit = try #require(graph.kind.events.firstIndex { $0.name == "submit" })
    let outcomes = graph.inputs(ofEvent: submit).flatMap { graph.outcomes(in: declined, of: $0) }
    expectEqual(Set(outcomes.map(\.verdict)), [.moved, .refused])
    expectEqual(outcomes.first { $0.verdict == .refused }?.guards, [GraphGuard(name: "no attempt left", isTrue: true)])
    expect(graph.isComplete, "\(graph.whyPartial)")
  }

  @Test(
    "samples follow from the parameters, so a diagram shows the way to accepting",
    arguments: [
      ("acceptor", "pattern", "hello", "accepting"), ("regex", "pattern", "a*b", "accepting"),
      ("spamFilter", "words", "ABABAC", "dirty"), ("acceptor", "pattern", "[0-9]+x", "accepting"),
    ])
  func samples(name: String, parameter: String, text: String, state: String) throws {
    let kind = try Self.kind(name)
    let place = try #require(kind.parameters.firstIndex { $0.name == parameter })
    let graph = try StateGraph(of: kind, with: [(place, .text(text))])
    let wanted = try #require(graph.states.firstIndex { $0.word == state })
    expectEqual(graph.reach(of: wanted), .fromStart)
    let drawing = Drawing(graph)
    expect(drawing.arrows.contains { drawing.nodes[$0.to].name == state && drawing.nodes[$0.from].name != state })
    // A filter keeps its messages, which are endless; a pattern has places that can all be tried.
    expectEqual(graph.isComplete, (name != "spamFilter"))
    let event = try #require(kind.events.firstIndex { $0.name == "text" })
    expect(graph.isPartial(from: wanted, by: .event(event)) != graph.isComplete)
    expect(graph.whyPartial.contains { $0.hasPrefix("text was tried with ") } != graph.isComplete)
  }

  @Test("parameters as long as they may be do not make a diagram endless", .timeLimit(.minutes(1)))
  func hostile() throws {
    let long = String(repeating: "(a|b)*c?", count: 128)
    let words = (0..<800).map { "w\($0)" }.joined(separator: ",").prefix(4_096)
    for (name, parameter, text) in [
      ("acceptor", "pattern", long), ("regex", "pattern", String(repeating: "a", count: 1_024)),
      ("spamFilter", "words", String(words)), ("spamFilter", "words", String(repeating: "ab", count: 2_048)),
    ] {
      let kind = try Self.kind(name)
      let place = try #require(kind.parameters.firstIndex { $0.name == parameter })
      let graph = try StateGraph(of: kind, with: [(place, .text(text))])
      expect(!graph.isComplete)
      expect(graph.inputs.count <= kind.events.count * Kind.mostSamples)
    }
  }

  @Test("with physics or without, a fridge has the same rule")
  func withoutPhysics() throws {
    for name in ["fridge", "doorFridge"] {
      let kind = try Self.kind(name)
      let physics = try #require(kind.parameters.firstIndex { $0.name == "physics" })
      let graph = try StateGraph(of: kind, with: [(physics, .flag(false))])
      expectEqual(graph.totals, (try Self.graph(name)).totals)
      expect(graph.timers.allSatisfy { !$0.runs })
    }
  }

  @Test("the states of a smartFridge that do not last are not found, and a limit that was met is told")
  func smartFridge() throws {
    let graph = try Self.graph("smartFridge")
    expectEqual(graph.totals.found, 43)
    expect(!graph.isComplete)
    // With doorStopDelay=0 cooling ends in the same step in which the door is opened.
    for state in graph.states.indices where graph.reach(of: state) == .unreached {
      expect(graph.states[state].word.hasPrefix("cooling.") && !graph.states[state].word.contains("closed"))
    }
  }

  @Test("a call that is tracked, and one that is not, have arrows of their own, told apart by the guard")
  func trackedCall() throws {
    let drawing = Drawing(try Self.graph("callTracker"))
    let labels = drawing.mergedArrows.filter { drawing.nodes[$0.from].name == "callEnded" }.map(\.label.text)
    expectEqual(labels, ["◇ didBecomeActive [worth tracking] / tracked", "◇ didBecomeActive [not worth tracking]"])
  }

  @Test("a timer's duration is its parameter's value, or what it always was")
  func durations() throws {
    try expectEqual(Self.graph("shiftKey").timers.map(\.duration), [.milliseconds(350)])
    try expectEqual(Self.graph("callTracker").timers.map(\.duration), [.seconds(2)])
    try expectEqual(Self.graph("doorFridge").timers.map(\.duration), [nil, nil, .seconds(60)])
    let kind = try Self.kind("shiftKey")
    try expectEqual(StateGraph(of: kind, with: [(0, .interval(.seconds(1)))]).timers.map(\.duration), [.seconds(1)])
  }

  @Test("the way to each machine leads there", arguments: CatalogueTests.kinds.map(\.name))
  func ways(name: String) throws {
    let kind = try Self.kind(name)
    let graph = try SharedGraphs.graph(of: kind)
    for node in graph.nodes where !node.isByChance {
      let bench = Bench(kind, initial: node.start)
      for step in node.way {
        switch step {
        case .send(let event, let arguments): bench.send(kind.events[event].name, arguments)
        case .step: bench.expireNext()
        case .fire(let timer, let key): bench.fire(kind.timers[timer].name + (key == 0 ? "" : "(\(key))"))
        case .fireDue: break
        }
      }
      if node.isSettled, bench.nextDue.map({ $0 > bench.now }) ?? true {
        expectEqual(bench.word(), graph.states[node.state].word, "\(node.way)")
        expectEqual(bench.timers().count, node.timers.count, "\(node.way)")
      }
    }
  }

  @Test("twice the same", arguments: Thorough.some(of: CatalogueTests.kinds.map(\.name)))
  func determinism(name: String) throws {
    let (one, other) = (try Self.graph(name), try StateGraph(of: Self.kind(name)))
    expectEqual(one.totals, other.totals)
    expectEqual(one.nodes.map(\.way), other.nodes.map(\.way))
    for state in one.states.indices {
      for input in one.inputs.indices {
        expectEqual(one.outcomes(in: state, of: input), other.outcomes(in: state, of: input))
      }
    }
  }
}
