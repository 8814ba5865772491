import Simulator
import TestSupport
import Testing

@testable import SimulationDaemon

struct ResumeTests {
  @Test("a chain that goes on without end after resume pauses the clock again, and the next reply says so")
  func resumeIntoTheSameChain() {
    var limits = Limits()
    limits.world.chain = 100
    let host = HostedService(limits: limits)
    let guest = host.connect()
    _ = guest.say("new fridge f min=2 max=2 start=2 recheckDelay=0s")
    expect(guest.say("clock").last, contains: "paused=yes")
    let lines = guest.say("resume\nclock\nclock")
    expectEqual(lines.filter { $0.hasPrefix("+") }.map { $0.contains("paused=yes") }, [false, true, true], "\(lines)")
  }
}
