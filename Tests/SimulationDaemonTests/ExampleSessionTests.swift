import LineProtocol
import Simulations
import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

struct ExampleSessionTests {
  @Test(
    "every kind says where it comes from and shows itself at work", arguments: Catalogue.simulations.entries.map(\.name)
  )
  func examples(name: String) throws {
    let entry = try #require(Catalogue.simulations[name])
    let (origin, example) =
      switch entry {
      case .machine(let kind): (kind.origin, kind.example)
      case .composition(let composition): (composition.origin, composition.example)
      }
    expect(!origin.isEmpty && !origin.contains("\n") && origin.last != ".")
    expect(example.first?.hasPrefix("new \(name) ") ?? false)
    expect((3...16).contains(example.count))
    let played = ExampleSession.play(example, catalogue: .simulations)
    expectEqual(played.filter { $0.hasPrefix("> ") }, example.map { "> \($0)" })
    // An example may show a refusal, but no other failure.
    let slips = played.filter { $0.hasPrefix("- ") && !$0.hasPrefix("- REFUSED ") }
    expect(slips.isEmpty)
    expectEqual(ExampleSession.play(example, catalogue: .simulations), played)
  }

  @Test("requests and answers in their order")
  func transcript() {
    expectEqual(
      ExampleSession.play(["new power p", "send p buttonClick", "can p"], catalogue: .simulations),
      [
        "> new power p", "+ created p off t=0.000 seq=1",
        "> send p buttonClick", "+ moved off on t=0.000 seq=2",
        "> can p", ". buttonClick", ". set to", "+ 2",
      ])
  }
}
