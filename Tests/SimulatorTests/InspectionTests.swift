import Simulations
import Simulator
import StateMachines
import TestSupport
import Testing

@Suite("Looking at a world changes nothing in it")
struct InspectionTests {
  private func sample() throws -> WorldCore {
    var world = WorldCore()
    for name in ["b", "a", "c"] { try world.make(Alarm.kind, name) }
    try world.make(ShiftKey.kind, "key")
    try world.make(Relay.kind, "r")
    world.send("b", "arm", .text("a"), .integer(3_000_000_000))
    world.send("a", "arm", .text("b"), .integer(1_000_000_000))
    world.send("b", "both")
    world.send("key", "tap")
    return world
  }

  @Test("running timers in the order in which they will fire, some of them, or those of some machines")
  func agenda() throws {
    var world = try sample()
    func listed(_ pattern: String, limit: Int = 100) -> [String] {
      world.agendaItems(matching: NamePattern(pattern.utf8), limit: limit).map {
        "\($0.due.text) \(world.name(of: $0.machine)) \(world.kind(of: $0.machine).timers[$0.timer].name)"
      }
    }
    let all = ["0.350000000 key doubleTap", "1.000000000 a b", "1.000000000 b b", "1.000000000 b a"]
    expectEqual(listed("*"), all)
    expectEqual(listed("*", limit: 2), Array(all[..<2]))
    expectEqual(listed("*", limit: 0), [])
    expectEqual(listed("b"), Array(all[2...]))
    expectEqual(listed("x*"), [])
    let items = world.agendaItems(matching: .all, limit: 100)
    expectEqual(items.allSatisfy { world.isRunning($0) }, true)
    let before = world.lastSequence
    world.advance(to: 1)
    expectEqual(
      world.journal(from: before + 1).map { "\($0.moment.text) \($0.machine) \($0.kind.timers[$0.index].name)" }, all)
    expectEqual(items.contains { world.isRunning($0) }, false)
  }

  @Test("a machine's timers in due order")
  func timers() throws {
    let world = try sample()
    let machine = world.known("b")
    expectEqual(world.runningTimers(of: machine).map(\.timer), [1, 0])
    expectEqual(world.runningTimerCount, 4)
  }

  @Test("how many machines there are in each state")
  func counts() throws {
    var world = try sample()
    try world.make(ShiftKey.kind, "key2")
    let counts = world.counts { _, name, _ in name.first != UInt8(ascii: "a") }
    let words = counts.map { place, states in
      "\(world.kind(at: place).name) \(states)"
    }
    expectEqual(words.sorted(), ["alarm [2]", "relay [1, 0]", "shiftKey [1, 1, 0]"])
    expectEqual(world.counts { _, _, kind in world.kind(at: kind).name == "relay" }.count, 1)
  }

  @Test("events that are possible, and why one is not")
  func possible() throws {
    let world = try sample()
    let relay = world.known("r")
    expectEqual(world.possibleEvents(of: relay), [0, 1, 2])
    expectEqual(world.prospect(of: 3, for: relay).refusal, "a relay never does this")
    expectNil(world.prospect(of: 0, for: relay).refusal)
    expectEqual(world.state(of: relay), "idle")
    expectEqual(world.lastSequence, 9)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("readings are those of now")
  func readings() throws {
    var world = WorldCore()
    let start = try #require(Fridge.kind.parameters.firstIndex { $0.name == "start" })
    let fridge = try world.make(Fridge.kind, "f", [(start, .number(4))])
    expectEqual(world.readings(of: fridge), [.number(4)])
    world.advance(to: 100)
    guard case .number(let temperature)? = world.readings(of: fridge)[0] else {
      Issue.record("a fridge knows its temperature")
      return
    }
    expect(temperature < 4)
    expectEqual(world.readings(of: fridge), [.number(temperature)])
  }

  @Test("kinds are numbered in the order of their first use")
  func kinds() throws {
    var world = try sample()
    expectEqual(world.kinds.map(\.name), ["alarm", "shiftKey", "relay"])
    let key = world.known("key")
    expectEqual(world.kindPlace(of: key), 1)
    world.drop("key")
    expectEqual(world.kindPlace(of: key), 1)
    expect(world.kind(of: key) === ShiftKey.kind)
    expectEqual(world.someNames(2).count, 2)
    expectEqual(Set(world.someNames(100)), ["a", "b", "c", "r"])
  }
}
