import Simulator
import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

/// Clocks that have fallen behind: the event loop gives them little time, and workers the rest.
@Suite("Catching up with the host's clock")
struct CatchUpTests {
  /// Each millisecond, a firing of many steps.
  private static let chart = """
    <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript">
    <datamodel><data id="n" expr="0"/></datamodel>
    <state id="a">
      <onentry><assign location="n" expr="0"/><send event="go" delay="1ms"/></onentry>
      <transition event="go" target="b"/>
    </state>
    <state id="b">
      <transition cond="n &lt; 2000" target="b"><assign location="n" expr="n + 1"/></transition>
      <transition cond="n &gt;= 2000" target="a"/>
    </state>
    </scxml>
    """

  @Test("firings that may be long are left to the workers")
  func longFirings() {
    let host = HostedService()
    let guest = host.connect()
    _ = guest.say("define slow format=scxml bytes=\(Self.chart.utf8.count)\n\(Self.chart)new slow s")
    let hosted = guest.client.hosted
    let before = hosted.live.world.lastSequence
    // In no round, and not before a client's request, does the event loop do any of it.
    for later in [10_000_000, 20_000_000] {
      hosted.live.slice = .onEventLoop
      hosted.live.catchUp(HostTime(monotonic: host.now + UInt64(later)))
      expect(hosted.live.isBehind && hosted.live.world.lastSequence == before)
    }
    let slot = WorkerSlot(of: UserID.owner.lane, nil)
    while hosted.live.isBehind {
      slot.begin()
      hosted.live.slice = Slice(slot)
      hosted.live.catchUp(HostTime(monotonic: host.now + 20_000_000))
    }
    expectEqual(hosted.live.world.lastSequence, before + 20)
  }

  @Test("a slice of the event loop that is over before it begins leaves a world with due timers behind")
  func overAtOnce() {
    let host = HostedService()
    let guest = host.connect()
    _ = guest.play("new ticker t initial=running every=1s", "new power p")
    let hosted = guest.client.hosted
    var slice = Slice.onEventLoop
    while slice.goesOn(after: 100) {}
    hosted.live.slice = slice
    hosted.live.catchUp(HostTime(monotonic: host.now + 500_000_000))
    expect(!hosted.live.isBehind && hosted.live.world.now.nanoseconds == 500_000_000)
    hosted.live.catchUp(HostTime(monotonic: host.now + 1_500_000_000))
    expect(hosted.live.isBehind && hosted.live.world.lastSequence == 2)
    // A client's request in the same round finds the world at its moment.
    hosted.live.slice = .onEventLoop
    hosted.live.catchUp(HostTime(monotonic: host.now + 1_500_000_000))
    expect(!hosted.live.isBehind && hosted.live.world.lastSequence == 3)
    expectEqual(hosted.live.world.now.nanoseconds, 1_500_000_000)
    host.passTime(2)
    expect(!hosted.live.isBehind && hosted.live.world.lastSequence == 4)
  }

  @Test("behind a firing of many steps no other is begun at once, and making such a machine counts, too")
  func stepsAtOnce() {
    let host = HostedService()
    let guest = host.connect(toWorld: "w")
    _ = guest.say("define slow format=scxml bytes=\(Self.chart.utf8.count)\n\(Self.chart)new slow s1\nnew slow s2")
    let hosted = guest.client.hosted
    let before = hosted.live.world.chartSteps
    var budget = 64
    let progress = hosted.live.world.advance(to: .beginning + .milliseconds(1), budget: &budget)
    expect(progress == .more && budget == 63)
    expect(hosted.live.world.chartSteps - before > 10_000)
  }
}
