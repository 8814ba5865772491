import TestSupport
import Simulator
import StateMachines

@testable import SimulationDaemon

extension Guest {
  /// Requests of all kinds, rewinds included.
  func play(seed: UInt64, requests: Int) {
    var random = RandomRequests(seed: seed, HostedService.catalogue)
    var dice = Dice(seed: ~seed)
    for number in 0..<requests {
      if number > 15, dice.once(in: 2) { _ = say("advance \(dice.number(below: 20_000))ms") }
      switch dice.number(below: 20) {
      case 0: _ = say("undo \(dice.number(below: 20) + 1)")
      case 1: _ = say("goto \(client.hosted.live.world.now.nanoseconds / 4 * 3)ns")
      case _: _ = say(random.input())
      }
    }
  }
}
