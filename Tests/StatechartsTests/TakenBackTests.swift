import StateMachines
import TestSupport
import Testing

@testable import Statecharts

/// An input that is too much is taken back as a whole, wherever its budget ends.
@Suite("An input that is too much")
struct TakenBackTests {
  /// An input changes states and data alone.
  static let data = """
    \(WithstandTests.head)<datamodel><data id='n' expr='0'/><data id='list' expr='[1]'/><data id='o' expr='{a: {b: 1}}'/></datamodel>
    <state id='a'><onexit><assign location='n' expr='n + 1'/></onexit>
    <transition event='e' cond='n &lt; 5' target='b'>
    <script>list.push(n); list.push('x'); o.a.b = list; var late = n; late = late + 1; delete o.a;</script>
    <foreach array='list' item='each' index='place'><assign location='o.last' expr='each'/></foreach>
    <send type='output' event='beep' idlocation='n'/><assign location='n' expr='2'/></transition></state>
    <state id='b'><onentry><raise event='f'/></onentry><transition event='f' target='c'/></state>
    <state id='c'><transition event='e' target='a'><assign location='n' expr='late'/></transition></state></scxml>
    """

  /// An input also changes what is sent, invoked and remembered.
  static let sessions = """
    <scxml xmlns='http://www.w3.org/2005/07/scxml' datamodel='ecmascript' binding='late'>
    <datamodel><data id='n' expr='0'/></datamodel>
    <state id='a'><datamodel><data id='own' expr='[n]'/></datamodel>
    <history id='h'><transition target='a1'/></history>
    <state id='a1'><transition event='e' target='a2'><assign location='n' expr='n + 1'/></transition></state>
    <state id='a2'><onentry><send event='late' id='s' delay='5s'/><script>own.push(n)</script></onentry></state>
    <invoke id='child' autoforward='true'><content><scxml xmlns='http://www.w3.org/2005/07/scxml' datamodel='ecmascript'>
    <datamodel><data id='k' expr='[]'/></datamodel><state id='x'><transition event='*'><script>k.push(1)</script>
    <send target='#_parent' event='back'/></transition></state></scxml></content></invoke>
    <transition event='back' target='b'><cancel sendid='s'/></transition></state>
    <state id='b'><transition event='e' target='h'><send event='again'/></transition></state></scxml>
    """

  @Test("leaves the machine as it was, and the next one goes on as ever", arguments: [data, sessions])
  func everyBudget(document: String) throws {
    let definition = try Definition.of(document)
    var steps = 0
    var exceeded = 0
    while true {
      steps += 1
      var limits = StatechartLimits()
      limits.budget.steps = steps
      let small = Interpreter(definition, limits: limits)
      var run = VirtualRun(definition)
      var hasExceeded = false
      for _ in 0..<6 {
        // The same input, by an interpreter that has enough, then by one that may not.
        for input in [.event(definition.event(named: "e"))] + run.machine.timers.map(ChartInput.timer) {
          var machine = run.machine
          var generator = run.generator
          let outcome = small.step(&machine, input, now: run.now, generator: &generator)
          let before = run.machine
          run.give(input)
          if case .limit(.steps) = outcome {
            hasExceeded = true
            exceeded += 1
            expect(machine == before && small.effects.isEmpty, "\(steps) steps")
            expectNil(before.damage(for: definition))
          } else {
            expect(machine == run.machine && outcome == run.outcome, "\(steps) steps")
            expectEqual(small.effects, run.interpreter.effects)
          }
        }
      }
      if !hasExceeded { break }
    }
    expect(exceeded > 100)
  }
}
