import StateMachines
import Testing

@testable import Statecharts

@Suite("What an interpreter keeps from one input to the next")
struct KeptMemoryTests {
  @Test("little memory to work in and no values; after an input that took more, nothing")
  func kept() throws {
    let definition = try Definition.of(
      """
      \(WithstandTests.head)<datamodel><data id='text' expr='"x"'/></datamodel><state id='a'>
      <transition event='one'><raise event='e'/><log expr='text'/><assign location='text' expr='"y"'/></transition>
      <transition event='many'>\(String(repeating: "<raise event='e'/>", count: 1_000))</transition>
      <transition event='endless'><raise event='endless'/><raise event='e'/></transition></state></scxml>
      """)
    let interpreter = Interpreter(definition)
    var generator = Generator(seed: 1)
    var (machine, _) = interpreter.start(now: .beginning, generator: &generator)
    func give(_ event: String) -> ChartOutcome {
      interpreter.step(&machine, .event(definition.event(named: event)), now: .beginning, generator: &generator)
    }
    #expect(interpreter.rest())
    for _ in 0..<3 {
      #expect(give("one") == .stayed && interpreter.effects.count == 1)
      #expect(interpreter.rest() && interpreter.effects.isEmpty && interpreter.run.guards.isEmpty)
    }
    #expect(give("many") == .stayed)
    #expect(!interpreter.rest())
    let other = Interpreter(definition)
    var (second, _) = other.start(now: .beginning, generator: &generator)
    let outcome = other.step(
      &second, .event(definition.event(named: "endless")), now: .beginning, generator: &generator)
    guard case .limit = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(!other.rest())
  }
}
