import StateMachines
import TestSupport
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
      run.give(.event(run.definition.event(named: event), data: data))
      return run.interpreter.falseGuards.map { "\($0.state) \($0.line) \($0)" }
    }
    let before = run.machine
    expectEqual(
      why("go", .number(1)),
      [
        "in 3 the guard \"_event.data > 1\" of the transition in line 3 is false",
        "in 4 the guard \"missing.x\" of the transition in line 4 fails: missing is not defined",
        "out 2 the guard \"n > 5\" of the transition in line 2 is false",
      ])
    expect(why("other").isEmpty)
    expectEqual(run.machine, before)
    for _ in 0..<6 { run.send("tick") }
    expect(why("tick").isEmpty && run.outcome == .stayed)
    expect(why("go").isEmpty && run.word == "end")
    expect(why("go").isEmpty && run.outcome == .ignored)
  }

  @Test("is told once by a guard that several regions ask for; not at all where a region takes the event")
  func regions() throws {
    var run = VirtualRun(
      try Definition.of(
        """
        \(WithstandTests.head)<datamodel><data id='n' expr='0'/></datamodel>
        <parallel id='p'><transition event='go' cond='n &gt; 5' target='end'/>
        <state id='a'><transition event='one' cond='n &gt; 6'/></state>
        <state id='b'><transition event='one'/></state></parallel>
        <final id='end'/></scxml>
        """))
    run.send("go")
    expectEqual(run.interpreter.falseGuards.map(\.condition), ["n > 5"])
    run.send("one")
    expect(run.interpreter.falseGuards.isEmpty && run.outcome == .stayed)
  }

  @Test("A guard that draws is evaluated once: what is told of an ignored event draws no second time")
  func draws() throws {
    var run = VirtualRun(
      try Definition.of(
        """
        \(WithstandTests.head)<state id='a'><transition event='go' cond='Math.random() &gt; 2' target='b'/></state>
        <state id='b'/></scxml>
        """))
    var generator = run.generator
    run.send("go")
    _ = generator.next()
    expect(run.interpreter.falseGuards.count == 1 && run.generator == generator)
    // Of all guards that were evaluated, for diagrams.
    expectEqual(run.interpreter.evaluatedGuards.map(\.condition), ["Math.random() > 2"])
  }
}
