import Foundation
import StateMachines
import TestSupport
import Testing

@testable import Statecharts

/// The charts of `Examples/Statecharts`. What they do is tested by the scripts beside them.
@Suite("An example chart")
struct ExampleChartTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Examples/Statecharts")

  static func compile(_ name: String) throws -> (definition: Definition, warnings: [String]) {
    let bytes = [UInt8](try Data(contentsOf: folder.appending(path: name)))
    let notation = [".mmd": DiagramNotation.mermaid, ".puml": .plantuml, ".json": .xstate].first {
      name.hasSuffix($0.key)
    }
    switch notation.map({
      Definition.compile(diagram: bytes, $0.value, reading: $0.value == .mermaid ? .strict : .free)
    })
      ?? Definition.compile(bytes)
    {
    case .definition(let definition, let findings):
      return (definition, findings.filter { $0.severity != .note }.map(\.description))
    case .mistakes(let findings, let missing): throw Definition.Mistakes(findings: findings, missing: missing)
    }
  }

  @Test("has no warnings, and is written and read again")
  func all() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
      .filter { name in [".mmd", ".scxml", ".puml", ".json"].contains { name.hasSuffix($0) } }
    expect(names.count >= 15)
    for name in names {
      let (definition, warnings) = try Self.compile(name)
      expect(warnings.isEmpty, "\(name): \(warnings)")
      for notation in [DiagramNotation.mermaid, .plantuml] {
        let (text, omissions) = definition.stateDiagram(notation)
        guard omissions.isEmpty else { continue }
        guard case .definition(let read, _) = Definition.compile(diagram: Array(text.utf8), notation, reading: .free)
        else {
          Issue.record("\(name) is written so that it is refused:\n\(text)")
          continue
        }
        let events = definition.charts[0].chart.events.names
        for seed in Thorough.rounds(0..<5 as Range<UInt64>) {
          let difference = DiagramTests.difference(definition, read, seed: seed, events: events)
          expectNil(difference, "\(name) \(seed): \(difference ?? "")\n\(text)")
        }
      }
    }
  }

  @Test(
    "in both notations is the same machine", arguments: [("traffic-light", 18.0), ("garage-door", 400), ("login", 70)])
  func notations(name: String, seconds: Double) throws {
    let definitions = try [".mmd", ".scxml"].map { try Self.compile(name + $0).definition }
    let names = definitions.map { Set($0.charts[0].chart.events.names) }
    // The others are those of timers, which have other names.
    let events = names[0].intersection(names[1]).filter { !$0.hasPrefix("done.") }.sorted()
    expect(!events.isEmpty)
    let steps = [0, 1, seconds / 9, seconds / 3, seconds]
    for seed in Thorough.rounds(0..<20 as Range<UInt64>) {
      var runs = definitions.map { VirtualRun($0) }
      var generator = Generator(salt: seed)
      for _ in 0..<40 {
        let event = events[generator.draw(in: 0...(events.count - 1))]
        let step = steps[generator.draw(in: 0...(steps.count - 1))]
        let password = DataValue.string(generator.draw(in: 0...1) == 0 ? "secret" : "guess")
        for place in runs.indices {
          var data = DataObject()
          try data.set(password, for: "password")
          runs[place].send(event, .object(data))
          runs[place].advance(by: Nanoseconds(nanoseconds: Int64(step * 1e9)))
        }
        let sights = runs.map { "\($0.word) \($0.outcome) \($0.told)" }
        guard sights[0] == sights[1] else {
          Issue.record("\(name) seed \(seed), \(event): \(sights)")
          return
        }
      }
    }
  }
}
