import StateMachines
import Testing

@testable import Statecharts

@Suite("Why an event is ignored")
struct FalseGuardTests {
  @Test("is told by the guards that were false, from the inside to the outside, and the machine stays")
  func guards() throws {
    var run = VirtualRun(
      try Definition.of(
        """
        \(WithstandTests.head)<datamodel><data id='n' expr='0'/></datamodel>
        <state id='out'><transition event='go' cond='n &gt; 5' target='end'/>
        <state id='in'><transition event='go' cond='_event.data &gt; 1' target='end'/>
        <transition event='go' cond='missing.x' target='end'/>
        <transition event='tick'><assign location='n' expr='n + 1'/></transition></state></state>
        <final id='end'/></scxml>
        """))
    func why(_ event: String, _ data: DataValue = .undefined) -> [String] {
      let name = run.definition.event(named: event)
      return run.interpreter.falseGuards(
        of: run.machine, at: name, data: data, now: run.now, generator: run.generator
      ).map { "\($0.state) \($0.line) \($0)" }
    }
    let before = run.machine
    #expect(
      why("go", .number(1)) == [
        "in 3 the guard \"_event.data > 1\" of the transition in line 3 is false",
        "in 4 the guard \"missing.x\" of the transition in line 4 fails: missing is not defined",
        "out 2 the guard \"n > 5\" of the transition in line 2 is false",
      ])
    #expect(why("go", .number(2)).isEmpty && why("other").isEmpty)
    #expect(run.machine == before)
    for _ in 0..<6 { run.send("tick") }
    #expect(why("go").isEmpty)
    run.send("go")
    #expect(run.word == "end" && why("go").isEmpty)
  }
}
