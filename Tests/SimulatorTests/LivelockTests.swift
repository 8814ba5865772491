@testable import Simulator
import StateMachines
import TestSupport
import Testing

@Suite("Chains without time end at their limits, and the world stays usable")
struct LivelockTests {
  private func world(chain: Int = 10, wireChain: Int = 10, deliveries: Int = 100) -> WorldCore {
    var limits = WorldLimits()
    limits.chain = chain
    limits.wireChain = wireChain
    limits.wireDeliveries = deliveries
    return WorldCore(limits: limits)
  }

  // MARK: Timers

  @Test("as many zero-time firings as the limit allows are no livelock")
  func chainAtTheLimit() throws {
    var world = world(chain: 10)
    try world.make(Spinner.kind, "s")
    world.send("s", "push", .integer(10))
    expectEqual(world.state("s"), "resting")
    expectEqual(world.firings, 10)
    let livelock = world.takeLivelock()
    expectNil(livelock)
    expectNil(world.nextDue())
    expectEqual(world.checkInvariants(), [])
  }

  @Test("one more is: reported once, with the timer that comes next")
  func chainOnePast() throws {
    var world = world(chain: 10)
    let spinner = try world.make(Spinner.kind, "s")
    world.send("s", "push", .integer(11))
    expectEqual(world.state("s"), "spinning")
    expectEqual(world.firings, 10)
    let isStalled = world.isStalled
    expect(isStalled)
    let livelock = world.takeLivelock()
    expectEqual(livelock, WorldCore.Livelock(chain: .timers(timer: 0, key: 0), machine: spinner, moment: .beginning))
    let again = world.takeLivelock()
    expectNil(again)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("a stalled world takes requests; time stands until the chain is broken")
  func usable() throws {
    var world = world(chain: 10)
    try world.make(Spinner.kind, "s")
    try world.make(Alarm.kind, "x")
    world.send("x", "arm", .text("a"), .integer(1_000_000_000))
    world.send("s", "push", .integer(1_000_000))
    _ = world.takeLivelock()
    let before = world.lastSequence
    world.send("x", "disarm", .text("b"))
    try world.make(Metronome.kind, "m")
    expectEqual(world.lastSequence, before + 2)
    for _ in 0..<3 {
      let arrived = world.advance(to: 5)
      expect(!arrived)
      expectEqual(world.now, .beginning)
      let livelock = world.takeLivelock()
      expect(livelock != nil)
    }
    let fired = world.fireNext()
    expect(!fired)
    expectEqual(world.firings, 10)
    world.send("s", "stop")
    let arrived = world.advance(to: 5)
    expect(arrived)
    expectEqual(world.firings, 16)
    world.send("s", "push", .integer(10))
    expectEqual(world.state("s"), "resting")
    expectEqual(world.checkInvariants(), [])
  }

  @Test("dropping the machine breaks the chain too, and what else was due goes on")
  func dropped() throws {
    var world = world(chain: 10)
    try world.make(Spinner.kind, "s")
    try world.make(Alarm.kind, "x")
    world.send("s", "push", .integer(1_000_000))
    world.send("x", "arm", .text("a"), .integer(0))
    expectEqual(world.journal().last?.input, .event)
    world.drop("s")
    expectEqual(world.journalText().last, "16 0.000000000 x expiry a moved set set")
    expectEqual(world.checkInvariants(), [])
  }

  @Test("the limit counts within an instant, and not what was armed before it")
  func countsPerInstant() throws {
    var world = world(chain: 10)
    for number in 0..<50 {
      try world.make(Alarm.kind, "x\(number)")
      world.send("x\(number)", "arm", .text("a"), .integer(1_000_000_000))
    }
    let arrived = world.advance(to: 1)
    expect(arrived)
    expectEqual(world.firings, 50)
    try world.make(Spinner.kind, "s")
    for second in 2...5 {
      world.send("s", "push", .integer(10))
      expectEqual(world.state("s"), "resting")
      world.advance(to: Double(second))
    }
    let livelock = world.takeLivelock()
    expectNil(livelock)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("the chain goes on being counted however time is cut", arguments: 1...4)
  func cuts(budget: Int) throws {
    var world = world(chain: 10)
    try world.make(Spinner.kind, "s")
    try world.make(Alarm.kind, "x")
    world.send("x", "arm", .text("a"), .integer(1_000_000_000))
    world.advance(to: 1)
    world.send("s", "push", .integer(1_000))
    expectEqual(world.firings, 11)
    var progress = WorldCore.Progress.more
    for _ in 0..<20 {
      var rest = budget
      progress = world.advance(to: .end, budget: &rest)
      expectEqual(rest, budget)
    }
    expectEqual(progress, .livelocked)
    expectEqual(world.firings, 11)
  }

  // MARK: Wires

  /// A ring of relays: each pulse of one is a pulse of the next.
  private func ring(_ names: [String], in world: inout WorldCore, copies: Int = 1) throws {
    for name in names { try world.make(Relay.kind, name, [(0, .integer(copies))]) }
    for (place, name) in names.enumerated() {
      let next = names[(place + 1) % names.count]
      try world.wire(world.wire(from: "\(name).pulsed", to: "\(next).pulse"))
    }
  }

  @Test("two machines that feed each other end at the length of the chain")
  func wireChain() throws {
    var world = world(wireChain: 10)
    try ring(["a", "b"], in: &world)
    let before = world.lastSequence
    world.send("a", "pulse")
    // The event itself, and ten deliveries that follow from one another.
    expectEqual(world.lastSequence, before + 11)
    let livelock = world.takeLivelock()
    let report = try #require(livelock)
    expectEqual(report.chain, .wires(output: 0, isLong: true))
    expectEqual(world.name(of: report.machine), "a")
    expectEqual(world.answer.sequence, before + 1)
    let isStalled = world.isStalled
    expect(!isStalled)
    expectEqual(world.checkInvariants(), [])
    world.send("b", "pulse")
    expectEqual(world.lastSequence, before + 22)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("a chain exactly as long as the limit is none", arguments: [9, 10, 11])
  func wireChainAtTheLimit(length: Int) throws {
    var world = world(wireChain: 10)
    for number in 0...length { try world.make(Relay.kind, "r\(number)") }
    for number in 0..<length {
      try world.wire(world.wire(from: "r\(number).pulsed", to: "r\(number + 1).pulse"))
    }
    let first = world.lastSequence
    world.send("r0", "pulse")
    expectEqual(world.lastSequence, first + 1 + UInt64(min(length, 10)))
    let livelock = world.takeLivelock()
    expectEqual((livelock != nil), (length > 10))
    expectEqual(world.checkInvariants(), [])
  }

  @Test("deliveries in one step end at their number", arguments: [99, 100, 101])
  func wireDeliveries(copies: Int) throws {
    var world = world(deliveries: 100)
    try world.make(Relay.kind, "a", [(0, .integer(copies))])
    try world.make(Relay.kind, "b")
    try world.wire(world.wire(from: "a.pulsed", to: "b.pulse"))
    let first = world.lastSequence
    world.send("a", "pulse")
    expectEqual(world.lastSequence, first + 1 + UInt64(min(copies, 100)))
    let livelock = world.takeLivelock()
    expectEqual((livelock?.chain == .wires(output: 0, isLong: false)), (copies > 100))
    expectEqual(world.checkInvariants(), [])
  }

  @Test("a tree of deliveries too, whatever it grows by")
  func wireTree() throws {
    var world = world(wireChain: 1_000, deliveries: 5_000)
    try ring(["a", "b", "c"], in: &world, copies: 3)
    let first = world.lastSequence
    world.send("a", "pulse")
    expectEqual(world.lastSequence, first + 1 + 5_000)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("after a loop of wires the timers that are due fire all the same")
  func timersAfterLoop() throws {
    var world = world()
    try ring(["a", "b"], in: &world)
    try world.make(Alarm.kind, "x")
    try world.wire(world.wire(from: "a.said", to: "b.pulse"))
    try world.make(Relay.kind, "z", [(1, .interval(.zero))])
    try world.wire(world.wire(from: "a.pulsed", to: "z.pulse"))
    // Three timers at one moment, armed before a loop that begins then.
    for timer in ["a", "b", "c"] { world.send("x", "arm", .text(timer), .integer(1_000_000_000)) }
    world.send("a", "say", .text("t"))
    _ = world.takeLivelock()
    var budget = Int.max
    var progress = world.advance(to: .beginning + .seconds(1), budget: &budget)
    // The echo of `a` is the last of the four, and begins a loop.
    expectEqual(progress, .livelocked)
    expectEqual(Int.max - budget, 4)
    expectEqual(world.firings, 4)
    progress = world.advance(to: .beginning + .seconds(1), budget: &budget)
    expectEqual(progress, .reached)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("a limit that nobody has taken note of stops nothing later")
  func notTaken() throws {
    var world = world()
    try ring(["a", "b"], in: &world)
    try world.make(Alarm.kind, "x")
    for timer in ["a", "b", "c"] { world.send("x", "arm", .text(timer), .integer(1_000_000_000)) }
    world.send("a", "pulse")
    let arrived = world.advance(to: 2)
    expect(arrived)
    expectEqual(world.firings, 3)
    for timer in ["a", "b", "c"] { world.send("x", "arm", .text(timer), .integer(0)) }
    expectEqual(world.firings, 6)
    expectEqual(world.checkInvariants(), [])
  }
}
