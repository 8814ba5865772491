@testable import MachineForms
import Foundation
import Testing

/// The examples in the documentation of the forms are the ones that are compiled and tested.
struct FormExampleTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test(
    "a form's documentation has its example as it is compiled",
    arguments: [("HierarchicalMachine", "ChillerExample"), ("OrthogonalMachine", "CoffeeExample")])
  func example(form: String, file: String) throws {
    let source = try String(
      contentsOf: Self.root.appending(path: "Sources/MachineForms/Statecharts/\(form).swift"), encoding: .utf8)
    let example = try String(
      contentsOf: Self.root.appending(path: "Tests/StateMachinesTests/\(file).swift"), encoding: .utf8)
    let lines = example.split(separator: "\n", omittingEmptySubsequences: false).drop { !$0.hasPrefix("///") }
      .dropLast()
    let documented = lines.map { $0.isEmpty ? "///" : "/// \($0)" }.joined(separator: "\n")
    #expect(source.contains("/// ```swift\n\(documented)\n/// ```"))
  }
}
