import Foundation
import TestSupport
import Testing

/// The examples in the documentation are the ones that are compiled and tested.
struct FormExampleTests {
  /// Where an example stands, and the declaration that it is.
  struct Example: CustomTestStringConvertible {
    let source: String
    let test: String
    /// The first line, up to the first brace in the first column.
    let first: String

    var testDescription: String { first }
  }

  static let examples = [
    Example(source: "StateMachines/Machine/Machine", test: "Lamp", first: "struct Lamp: Machine {"),
    Example(
      source: "MachineForms/Statecharts/HierarchicalMachine", test: "LampForms",
      first: "struct ChartLamp: HierarchicalMachine {"),
    Example(
      source: "MachineForms/Statecharts/OrthogonalMachine", test: "CoffeeExample",
      first: "struct CoffeeMachine: OrthogonalMachine {"),
    Example(
      source: "MachineForms/StateObjects/StatePattern", test: "StatePatternTests",
      first: "struct Door: StatePatternMachine {"),
    Example(
      source: "MachineForms/StateObjects/StateObjectMachine", test: "StateObjectExample",
      first: "struct Staircase: Machine {"),
    Example(source: "MachineForms/Tables/SwitchMachine", test: "SwitchExample", first: "enum Photo: SwitchState {"),
  ]

  private func text(_ path: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  @Test("a doc comment has its example as it is compiled", arguments: examples)
  func example(_ example: Example) throws {
    let lines = try text("Tests/MachineFormsTests/\(example.test).swift")
      .split(separator: "\n", omittingEmptySubsequences: false).drop { $0 != example.first }
    let end = try #require(lines.firstIndex(of: "}"))
    let documented = lines[...end].map { $0.isEmpty ? "///" : "/// \($0)" }.joined(separator: "\n")
    try expect(text("Sources/\(example.source).swift"), contains: "\(documented)\n/// ```")
  }
}
