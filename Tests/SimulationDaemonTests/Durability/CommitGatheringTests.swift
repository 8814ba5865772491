import TestSupport
import Testing

@testable import SimulationDaemon

/// When a commit to a slow store begins.
struct CommitGatheringTests {
  @Test("it waits for the clients of the last one, a quarter of its time at most and never long")
  func waits() {
    var gathering = CommitGathering()
    expectNil(gathering.wait(with: 1, now: 5))
    gathering.didCommit(2, took: 4_000, now: 10_000)
    expectEqual(gathering.wait(with: 1, now: 10_999), 11_000)
    expectNil(gathering.wait(with: 2, now: 10_000))
    expectNil(gathering.wait(with: 1, now: 11_000))
    gathering.didCommit(2, took: 60_000_000_000, now: 0)
    expectEqual(gathering.wait(with: 1, now: 0), 2_000_000)
  }

  @Test("a client alone never waits")
  func alone() {
    var gathering = CommitGathering()
    gathering.didCommit(1, took: 4_000_000, now: 0)
    expectNil(gathering.wait(with: 1, now: 1))
  }
}
