import StateMachines
import TestSupport
import Testing

@testable import Statecharts

/// Where the Recommendation's text decides what happens.
@Suite("By the Recommendation")
struct RecommendationTests {
  private static func logs(_ run: VirtualRun) -> [String] {
    run.told.compactMap { if case .log(let label, _) = $0 { label } else { nil } }
  }

  @Test(
    "a condition of <if> that fails is false and an error, and the block goes on",
    arguments: [
      ("<if cond='missing > 1'><log label='then'/><else/><log label='else'/></if>", ["else", "after"]),
      ("<if cond='1 +'><log label='then'/><else/><log label='else'/></if>", ["else", "after"]),
      (
        "<if cond='false'><elseif cond='missing.x'/><log label='1'/><elseif cond='true'/><log label='2'/></if>",
        ["2", "after"]
      ),
      ("<if cond='missing'><log label='then'/></if>", ["after"]),
      (
        "<foreach array='[1, 2]' item='i'><if cond='i.x.y'><log label='then'/></if><log label='next'/></foreach>",
        ["next", "next", "after"]
      ),
    ])
  func conditions(content: String, expected: [String]) throws {
    let run = VirtualRun(
      try Definition.of(
        """
        \(WithstandTests.head)<state id='a'><onentry>\(content.replacing(" > ", with: " &gt; "))<log label='after'/></onentry>
        <transition event='error.execution' target='b'/></state><state id='b'/></scxml>
        """))
    expect(Self.logs(run) == expected && run.word == "b")
  }

  /// A chart that invokes a child in `a`, and leaves it at the event `first`.
  private static func parent(_ child: String, _ rest: String) -> String {
    """
    \(WithstandTests.head)<state id='a'><invoke type='scxml' id='c'><content><scxml xmlns='http://www.w3.org/2005/07/scxml'>
    <state id='k'>\(child)</state></scxml></content></invoke><transition event='first' target='b'/></state>
    \(rest)</scxml>
    """
  }

  @Test("what a child has sent arrives after its end, and what it would send or sends on leaving does not")
  func cancelled() throws {
    let child = """
      <onentry><send event='first' target='#_parent'/><send event='second' target='#_parent'/>
      <send event='third' target='#_parent' delay='1s'/></onentry>
      <onexit><send event='last' target='#_parent'/><send event='last' target='#_parent' delay='1s'/></onexit>
      """
    let rest = """
      <state id='b'><transition event='second' target='ok'/><transition event='third last' target='wrong'/></state>
      <state id='ok'><transition event='*' target='wrong'/></state><state id='wrong'/>
      """
    var run = VirtualRun(try Definition.of(Self.parent(child, rest)))
    expect(run.word == "ok" && !run.hasTimers && run.machine.invoked.isEmpty)
    run.advance(by: .seconds(5))
    expectEqual(run.word, "ok")
  }

  @Test("what was sent to a child that has ended arrives nowhere")
  func toTheCancelled() throws {
    let child = "<transition event='e'><send event='got' target='#_parent'/></transition>"
    let rest = """
      <state id='b'><transition event='got' target='wrong'/></state><state id='wrong'/>
      """
    let text = Self.parent(child, rest).replacing(
      "<transition event='first' target='b'/>",
      with: "<transition event='go' target='b'><send event='e' target='#_c'/></transition>"
        + "<transition event='first'><send event='e' target='#_c'/><raise event='go'/></transition>")
    var run = VirtualRun(try Definition.of(text))
    run.send("first")
    expect(run.word == "b" && !run.hasTimers)
  }
}
