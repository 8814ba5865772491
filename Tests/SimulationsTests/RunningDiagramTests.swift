@testable import MachineGraphs
import MachineTesting
import StateMachines
import Statecharts
import TestSupport
import Testing

/// The state diagrams of the kinds, loaded again: what the picture says is what runs.
@Suite("The state diagram of a kind")
struct RunningDiagramTests {
  /// A chart on a virtual clock.
  private struct ChartBench {
    let definition: Definition
    let interpreter: Interpreter
    private(set) var machine: RunningChart
    private(set) var outputs: [String] = []
    private var generator = Generator(seed: 1)
    private var now = Instant.beginning
    private var timers: [(key: UInt32, due: Instant)] = []

    init(_ definition: Definition) {
      self.definition = definition
      interpreter = Interpreter(definition)
      (machine, _) = interpreter.start(now: now, generator: &generator)
      carryOut()
      advance(to: now)
    }

    private mutating func carryOut() {
      for effect in interpreter.effects {
        switch effect {
        case .arm(let key, _, let due): timers.append((key, due))
        case .disarm(let key, _): timers.removeAll { $0.key == key }
        case .output(let name, _): outputs.append(name)
        case .log, .send: break
        }
      }
    }

    mutating func send(_ event: String, _ data: DataValue) -> ChartOutcome {
      outputs = []
      let outcome = interpreter.step(
        &machine, .event(definition.event(named: event), data: data), now: now, generator: &generator)
      carryOut()
      return outcome
    }

    mutating func advance(to moment: Instant) {
      while let next = timers.indices.min(by: { (timers[$0].due, $0) < (timers[$1].due, $1) }),
        timers[next].due <= moment
      {
        let timer = timers.remove(at: next)
        now = max(now, timer.due)
        _ = interpreter.step(&machine, .timer(timer.key), now: now, generator: &generator)
        carryOut()
      }
      now = moment
    }

    var word: String { definition.word(of: machine) }
  }

  /// What a client would send for these arguments.
  private static func data(_ event: EventEntry, _ arguments: [Value]) throws -> DataValue {
    var data = DataObject()
    for (entry, value) in zip(event.arguments, arguments) { try data.set(.string(value.label), for: entry.name) }
    return data.count == 0 ? .undefined : .object(data)
  }

  /// The first difference of a kind and its diagram in a walk.
  static func difference(_ kind: Kind, _ definition: Definition, _ names: [String: String], seed: UInt64) throws
    -> String?
  {
    var generator = Generator(salt: seed)
    let bench = Bench(kind)
    bench.advance(to: bench.now)
    var chart = ChartBench(definition)
    for step in 0..<40 {
      guard let name = names[bench.word()] else { return "no node for \(bench.word())" }
      if chart.word != name { return "step \(step): \(chart.word) instead of \(name)" }
      if step % 4 == 3, let due = bench.nextDue {
        bench.advance(to: due)
        chart.advance(to: due)
        continue
      }
      guard let event = kind.events.randomElement(using: &generator) else { return nil }
      let arguments = event.arguments.map { $0.samples.randomElement(using: &generator)! }
      let line = bench.lines.count
      let said = bench.send(event.name, arguments)
      let outcome = chart.send(event.name, try data(event, arguments))
      let verdict =
        switch outcome {
        case .moved: "moved"
        case .stayed: "stayed"
        case .ignored: said.hasPrefix("refused") ? "refused" : "ignored"
        case .limit: "limit"
        }
      if !said.hasPrefix(verdict) { return "step \(step): \(event.name) \(arguments): \(outcome), not \(said)" }
      let outputs = bench.lines[line].split(separator: " > ").dropFirst().map { String($0.prefix { $0 != " " }) }
      let told = Set(kind.outputs.filter(\.isTold).map(\.name))
      let found = chart.outputs.filter { !told.contains($0) }
      if found != outputs { return "step \(step): \(event.name): \(found), not \(outputs)" }
      chart.advance(to: bench.now)
    }
    return nil
  }

  /// What others do hangs on data that are no state, on times that vary, or on outputs that need not come.
  @Test(
    "without guards on data is loaded again and behaves as the kind",
    arguments: [
      "boldText", "checkinView", "counter", "employees", "enemy", "freeform", "inbox", "job", "listDetailCoordinator",
      "power", "smtp", "stepper",
    ])
  func kinds(name: String) throws {
    let kind = try GraphTests.kind(name)
    let drawing = Drawing(try SharedGraphs.graph(of: kind))
    let ids = DiagramNames.names(of: drawing)
    let names = Dictionary(
      drawing.leaves.map { (drawing.nodes[$0].name, ids[$0]) }, uniquingKeysWith: { first, _ in first })
    guard case .definition(let definition, _) = Definition.compile(mermaid: Array(drawing.stateDiagram.utf8)) else {
      Issue.record("\(name) has mistakes\n\(drawing.stateDiagram)")
      return
    }
    for seed in Thorough.rounds(0..<5 as Range<UInt64>) {
      if let difference = try Self.difference(kind, definition, names, seed: seed) {
        Issue.record("seed \(seed), \(difference)\n\(drawing.stateDiagram)")
        return
      }
    }
  }
}
