import TestSupport
import Testing

@testable import Statecharts

/// Which charts are known to take little time for each input: only these run where others wait.
@Suite("The time of one input")
struct ShortInputTests {
  static func isShort(_ content: String) throws -> Bool {
    try Definition.of("\(WithstandTests.head)<datamodel><data id='n' expr='0'/></datamodel>\(content)</scxml>")
      .hasShortInputs
  }

  @Test(
    "is short without loops and chains that come back",
    arguments: [
      "<state id='a'><transition event='e' target='b'/></state><state id='b'/>",
      "<state id='a'><transition event='e'><script>n = n + 1; if (n == 3) { n = 0; }</script></transition></state>",
      "<state id='a'><transition event='e' cond='Math.max(n, 2) == 2 &amp;&amp; In(\"a\")'><log expr='n'/></transition></state>",
      "<state id='a'><transition event='e' target='c'/></state><state id='c'><transition cond='n' target='a'/><transition target='b'/></state><state id='b'/>",
      "<state id='a'><transition event='e' target='b'><raise event='x'/></transition></state><state id='b'><transition event='x' target='c'/></state><state id='c'/>",
      "<state id='a'><onentry><send event='t' delay='1s'/></onentry><transition event='t' target='a'/></state>",
      "<state id='a'><state id='b'><transition event='e' target='f'/></state><final id='f'/><transition event='done.state.a' target='z'/></state><state id='z'/>",
      "<parallel id='p'><state id='a'><state id='a1'><transition event='e' target='a2'/></state><state id='a2'/></state><state id='b'/><transition cond='In(\"a2\")' target='z'/></parallel><state id='z'/>",
    ])
  func short(content: String) throws { try expect(Self.isShort(content)) }

  @Test(
    "may be long with loops, functions, methods, invocations and chains that come back",
    arguments: [
      "<state id='a'><transition event='e'><script>while (n != 9) n++;</script></transition></state>",
      "<state id='a'><transition event='e'><script>function f() { f(); } f();</script></transition></state>",
      "<state id='a'><transition event='e'><script>n = 'x'.repeat(n);</script></transition></state>",
      "<state id='a'><transition event='e'><script>n = JSON.parse(n);</script></transition></state>",
      "<state id='a'><transition event='e'><foreach array='n' item='i'/></transition></state>",
      "<state id='a'><invoke src='r'/></state>",
      "<state id='a'><transition cond='n' target='b'/></state><state id='b'><transition target='a'/></state>",
      "<state id='a'><transition cond='n' target='a'/></state>",
      "<state id='a'><transition event='x'><raise event='x'/></transition></state>",
      "<state id='a'><transition event='*'><raise event='x'/></transition></state>",
      "<state id='a'><transition event='x'><send event='x.y' target='#_internal'/></transition></state>",
      "<state id='a'><transition event='e'><send eventexpr='n' target='#_internal'/></transition></state>",
      "<state id='a'><transition event='error.*'><log expr='m'/></transition></state>",
      "<parallel id='p'><state id='a'><transition cond='n' target='a1'/><state id='a1'/></state><state id='b'><transition cond='n' target='b1'/><state id='b1'/></state></parallel>",
      "<state id='a'><history id='h'><transition target='b'/></history><state id='b'><transition cond='n' target='c'/></state><state id='c'><transition cond='n' target='h'/></state></state>",
    ])
  func long(content: String) throws {
    let definition: Definition
    let text = "\(WithstandTests.head)<datamodel><data id='n' expr='0'/></datamodel>\(content)</scxml>"
    definition = try Definition.of(text, resources: ["r": Array("\(WithstandTests.head)<state/></scxml>".utf8)])
    expect(!definition.hasShortInputs)
  }
}
