import StateMachines
import Synchronization
import TestSupport
import Testing

@testable import Statecharts

@Suite("Long inputs")
struct PauseTests {
  @Test("give way every few thousand steps, and come to the same", arguments: [1_000_000, 30_000, 29_999])
  func pauses(most: Int) throws {
    let definition = try Definition.of(
      """
      \(WithstandTests.head)<datamodel><data id='n' expr='0'/></datamodel><state id='a'><transition event='go'>
      <script>for (var i = 0; i &lt; 2000; i = i + 1) { n = n + i }</script></transition></state></scxml>
      """)
    var limits = StatechartLimits()
    limits.budget.steps = most
    func run() -> (ChartOutcome, RunningChart, Int) {
      let interpreter = Interpreter(definition, limits: limits)
      var generator = Generator(seed: 1)
      var (machine, _) = interpreter.start(now: .beginning, generator: &generator)
      let input = ChartInput.event(definition.event(named: "go"))
      let outcome = interpreter.step(&machine, input, now: .beginning, generator: &generator)
      return (outcome, machine, interpreter.spent.steps)
    }
    let pauses = Atomic(0)
    let (outcome, machine, spent) = run()
    let (paced, same, counted) = Budget.pause.withValue(
      Budget.Pause {
        pauses.add(1, ordering: .relaxed)
        return false
      }, operation: run)
    expect(paced == outcome && same == machine && counted == spent)
    expectEqual(pauses.load(ordering: .relaxed), (min(spent, most) - 1) / 4_096)
  }
}

@Suite("What an input costs")
struct CostTests {
  @Test("an event that a chart looks at counts for its members, each time")
  func eventValue() throws {
    func spent(_ condition: String) throws -> Int {
      let definition = try Definition.of(
        """
        \(WithstandTests.head)<datamodel><data id='n' expr='1'/></datamodel><state id='a'>
        <transition event='go'>\(String(repeating: "<raise event='e'/>", count: 10))</transition>
        <transition event='e' cond='\(condition)'/></state></scxml>
        """)
      let interpreter = Interpreter(definition)
      var generator = Generator(seed: 1)
      var (machine, _) = interpreter.start(now: .beginning, generator: &generator)
      _ = interpreter.step(
        &machine, .event(definition.event(named: "go")), now: .beginning, generator: &generator)
      return interpreter.spent.steps
    }
    try expectEqual(spent("_event"), spent("n") + 11 * 7)
  }
}

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
    expect(interpreter.rest())
    for _ in 0..<3 {
      expect(give("one") == .stayed && interpreter.effects.count == 1)
      expect(interpreter.rest() && interpreter.effects.isEmpty && interpreter.run.guards.isEmpty)
    }
    expectEqual(give("many"), .stayed)
    expect(!interpreter.rest())
    let other = Interpreter(definition)
    var (second, _) = other.start(now: .beginning, generator: &generator)
    let outcome = other.step(
      &second, .event(definition.event(named: "endless")), now: .beginning, generator: &generator)
    guard case .limit = outcome else {
      Issue.record("\(outcome)")
      return
    }
    expect(!other.rest())
  }
}
