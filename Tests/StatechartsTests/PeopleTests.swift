import Foundation
import StateMachines
import TestSupport
import Testing

@testable import Statecharts

/// Diagrams of the kinds that pages of projects have, in their words and with their habits.
@Suite("Diagrams as people have them")
struct PeopleTests {
  @Test("load at the first try, and every arrow is taken", arguments: PeopleTests.names)
  func everyArrow(name: String) throws {
    let text = try Self.text(of: name)
    guard case .definition(let definition, let findings) = Definition.compile(mermaid: text, reading: .free) else {
      throw Issue("\(name): \(Definition.compile(mermaid: text, reading: .free))")
    }
    let walk = Walk(definition)
    let lines = walk.untaken.map { "line \(definition.charts[0].chart.transitions[$0].line)" }
    expectEqual(lines, [], "\(name): \(findings.map(\.description))")
    expectEqual(walk.limits, 0, "\(name)")
    expect(findings.allSatisfy { $0.severity != .error })
  }

  private struct Issue: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "People")

  static let names =
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".mmd") }.sorted()) ?? []

  static func text(of name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appending(path: name)))
  }

  @Test("are many")
  func number() { expect(Self.names.count >= 40) }
}

/// All that a machine of a document can do with the data that its guards ask for, breadth first.
struct Walk {
  private(set) var untaken: [Int] = []
  /// The inputs that went over a limit.
  private(set) var limits = 0

  init(_ definition: Definition) {
    let chart = definition.charts[0].chart
    let interpreter = Interpreter(definition)
    var generator = Generator(seed: 1)
    var taken = StateSet()
    var seen: Set<[String]> = []
    var open: [RunningChart] = []
    func note(_ machine: RunningChart, _ outcome: ChartOutcome) {
      for transition in interpreter.run.taken { taken.insert(transition) }
      guard seen.count < 4_000 else { return }
      let timers = machine.pending.map(\.event.name).sorted()
      if seen.insert([definition.word(of: machine), "\(machine.root.variables)"] + timers).inserted {
        open.append(machine)
      }
    }
    // Each condition otherwise, none, and all; and with what the guards at the beginning ask for.
    let samples = (chart.eventData[""] ?? []).map { Optional(DataValue(datum: $0)) }
    let starts = ([nil] + chart.conditions.map(\.name) + [""]).map { (off: $0, sample: DataValue?.none) }
    for (off, sample) in starts + samples.map({ (off: nil, sample: $0) }) {
      var data = DataObject()
      for condition in chart.conditions {
        let value: DataValue =
          switch condition.form {
          case .flag, .denied:
            .string((condition.name == off || off == "" ? condition.form.opposite : nil) ?? condition.form.otherwise)
          case .number, .limit: DataValue(datum: condition.form.otherwise)
          case .text: .string("")
          }
        var given: DataValue?
        if case .object(let members)? = sample { given = members[condition.name] }
        try? data.set(given ?? value, for: condition.name)
      }
      let (machine, outcome) = interpreter.start(with: data, now: .beginning, generator: &generator)
      if case .limit = outcome { limits += 1 }
      note(machine, outcome)
    }
    let events = Set(
      chart.descriptors.compactMap { descriptor in
        if case .name(let number) = descriptor { chart.events.names[Int(number)] } else { nil }
      })
    var next = 0
    while next < open.count {
      let machine = open[next]
      next += 1
      for event in events.sorted() where definition.admits(event) && !event.hasPrefix("done.") {
        let samples = (chart.eventData[event] ?? []) + (chart.eventData[""] ?? [])
        for data in [DataValue.undefined] + samples.map(DataValue.init(datum:)) {
          var copy = machine
          let name = definition.event(named: event)
          let outcome = interpreter.stepInFull(
            &copy, .event(name, data: data), from: nil, now: .beginning, generator: &generator)
          if case .limit = outcome { limits += 1 }
          note(copy, outcome)
        }
      }
      for key in machine.timers {
        var copy = machine
        let outcome = interpreter.stepInFull(&copy, .timer(key), from: nil, now: .beginning, generator: &generator)
        if case .limit = outcome { limits += 1 }
        note(copy, outcome)
      }
    }
    let defaults = Set(chart.states.map(\.initial))
    untaken = chart.transitions.indices.filter { !taken.contains($0) && !defaults.contains(Chart.Index($0)) }
  }
}
