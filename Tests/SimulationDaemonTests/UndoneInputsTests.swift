import TestSupport
import Testing

@testable import SimulationDaemon

/// One request of each kind that has inputs, undone: everything visible is as before.
@Suite("Every request can be undone")
struct UndoneInputsTests {
  private static let start = [
    "new shiftKey key", "new power p", "new power q", "new fridge f start=4", "new phoneCall call", "new database db",
    "wire f compressorOff p buttonClick", "send key tap", "advance 100ms",
  ]

  /// All queries of a world, except those that count inputs.
  private static let questions = [
    "list", "count", "wires", "agenda", "clock", "show key", "show f", "show call.phone", "show db", "coverage",
    "can key", "graph key", "stats",
  ]

  private static func portrait(_ guest: Guest) -> [String] {
    questions.flatMap { guest.say($0) }
      .map { line in
        // Sequence numbers and the daemon's counters continue, and memory may stay allocated.
        line.split(separator: " ").filter { !$0.hasPrefix("seq=") }.joined(separator: " ")
      }
      .filter { line in
        !["requests ", "inputs ", "firings ", "uptime ", "journalBytes ", "memory"].contains {
          line.hasPrefix(". \($0)")
        }
      }
  }

  @Test(
    "one request",
    arguments: [
      "send key tap", "send key character c=A", "send call.phone hangUp", "send f maxTemperatureReached",
      "fire key doubleTap", "fire f minTemperatureReached", "fire f maxTemperatureReached", "cast * buttonClick",
      "send p buttonClick", "new shiftKey other", "new phoneCall another", "drop key", "drop p", "drop call",
      "wire f compressorOn q buttonClick", "unwire f compressorOff p buttonClick",
      "begin\nsend key tap\ndrop q\nnew power q\nwire f compressorOff q buttonClick\nend",
      "begin\nsend p buttonClick\nexpect p off\nend", "send db perform findAll", "drop call.phone",
      "send call.tracker phoneTapped number=+49",
    ])
  func one(request: String) {
    let guest = HostedService().connect(toWorld: "w")
    let made = guest.say(Self.start.joined(separator: "\n"))
    expect(!made.contains { $0.hasPrefix("- ") }, "\(made)")
    let before = Self.portrait(guest)
    let replies = guest.say(request)
    let inputs = guest.say("undo")
    expect(inputs.last, hasPrefix: "+ t=0.100 seq=", "\(replies) \(inputs)")
    expectEqual(Self.portrait(guest), before, "\(replies)")
    // Also when time has passed after it.
    _ = guest.play(request, "advance 3h", "undo")
    expectEqual(Self.portrait(guest), before, "\(replies)")
    expectEqual(guest.violations(), [])
  }

  @Test("a fork has done what its parent has, and then only what it does itself")
  func coverageOfAFork() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.say(Self.start.joined(separator: "\n"))
    let before = guest.say("coverage")
    _ = guest.play("world fork v", "use v")
    expectEqual(guest.say("coverage"), before)
    _ = guest.play("send key tap", "undo 3")
    expect(guest.say("coverage") != before)
    expectEqual(guest.say("use w\ncoverage").dropFirst(), before[...])
  }

  @Test("copies that are kept are counted")
  func checkpoints() {
    let guest = HostedService().connect(toWorld: "w")
    expect(guest.say("stats"), contains: ". checkpoints 0 kept")
    _ = guest.play("new ticker t every=1ms initial=running", "advance 60s")
    let stats = guest.say("stats")
    let counted = stats.filter { $0.hasPrefix(". checkpoint") && !$0.contains(" 0 ") }
    expectEqual(counted.count, 2, "\(stats)")
  }
}
