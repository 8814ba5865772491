import Simulations
import Simulator
import StateMachines
import TestSupport
import Testing

@Suite("Timers fire at their own due times, in order")
struct TimerTests {
  @Test("a timer that is armed anew each second fires ten times in ten seconds, on the second")
  func exactness() throws {
    var world = WorldCore()
    try world.make(Metronome.kind, "m")
    world.advance(to: 10)
    expectEqual(world.now, .beginning + .seconds(10))
    let ticks = world.journal().filter { $0.input == .expiry }
    expectEqual(ticks.map(\.moment.nanoseconds), (1...10).map { Int64($0) * 1_000_000_000 })
    expectEqual(world.firings, 10)
    expectEqual(world.nextDue(), .beginning + .seconds(11))
    expectEqual(world.checkInvariants(), [])
  }

  @Test("a fridge crosses its set-points at the nanosecond, whatever the cut")
  func crossings() throws {
    for step in [10_000.0, 100.0, 0.7] {
      var world = WorldCore()
      try world.make(Fridge.kind, "f", fridge(start: 4))
      var time = 0.0
      while time < 2_400 {
        time = min(time + step, 2_400)
        world.advance(to: time)
      }
      let moments = world.journal().filter { $0.input == .expiry }.map(\.moment.text)
      expectEqual(
        moments.map { String($0.prefix(10)) }, ["343.116647", "1949.75021"], "steps of \(step) s: \(moments)")
      expectEqual(world.checkInvariants(), [])
    }
  }

  private func fridge(start: Double) -> [(parameter: Int, value: Value)] {
    guard let place = Fridge.kind.parameters.firstIndex(where: { $0.name == "start" }) else { return [] }
    return [(place, .number(start))]
  }

  @Test("of timers due at one moment the one armed first fires first, of one machine and of many")
  func ties() throws {
    var world = WorldCore()
    for name in ["z", "a", "m"] { try world.make(Alarm.kind, name) }
    world.send("m", "both")
    world.send("z", "arm", .text("c"), .integer(1_000_000_000))
    world.advance(to: 0.5)
    world.send("a", "arm", .text("a"), .integer(500_000_000))
    world.advance(to: 1)
    let fired = world.journal().filter { $0.input == .expiry }.map { "\($0.machine).\($0.kind.timers[$0.index].name)" }
    expectEqual(fired, ["m.b", "m.a", "z.c", "a.a"])
    expectEqual(world.checkInvariants(), [])
  }

  @Test("arming a running timer replaces it, and takes a new place among those due together")
  func replacing() throws {
    var world = WorldCore()
    try world.make(Alarm.kind, "x")
    world.send("x", "both")
    world.send("x", "arm", .text("b"), .integer(1_000_000_000))
    expectEqual(world.runningTimerCount, 2)
    world.advance(to: 1)
    let timers = world.journal().filter { $0.input == .expiry }.map { $0.kind.timers[$0.index].name }
    expectEqual(timers, ["a", "b"])
    world.send("x", "arm", .text("c"), .integer(5_000_000_000))
    world.send("x", "arm", .text("c"), .integer(1_000_000_000))
    world.advance(to: 10)
    expectEqual(world.journalText().last, "8 2.000000000 x expiry c moved set set")
    expectEqual(world.checkInvariants(), [])
  }

  @Test("disarming a timer that does not run leaves no line; one that runs leaves when it was due")
  func disarming() throws {
    var world = WorldCore()
    try world.make(Alarm.kind, "x")
    world.send("x", "disarm", .text("a"))
    world.send("x", "arm", .text("a"), .integer(2_000_000_000))
    world.advance(to: 0.5)
    world.send("x", "disarm", .text("a"))
    world.send("x", "disarm", .text("a"))
    let lines = world.journal()
    func disarms(_ line: JournalLine) -> Int {
      line.effects.count { if case .disarmed = $0 { true } else { false } }
    }
    expectEqual(lines.map(disarms), [0, 0, 0, 1, 0])
    expect(lines[3].text, hasSuffix: "disarmed a 2.000000000")
    expectNil(world.nextDue())
    expectEqual(world.checkInvariants(), [])
  }

  @Test("an event at the very moment at which a timer is due comes after it")
  func atTheVeryMoment() throws {
    var world = WorldCore()
    try world.make(ShiftKey.kind, "key")
    world.send("key", "tap")
    world.advance(to: 0.35)
    world.send("key", "tap")
    expectEqual(world.state("key"), "off")
    world.advance(to: 1)
    world.send("key", "tap")
    expect(world.journalText().last, hasSuffix: "; armed doubleTap 1.350000000")
    world.advance(to: 1.349_999_999)
    world.send("key", "tap")
    expectEqual(world.state("key"), "capsLock")
    expectEqual(world.checkInvariants(), [])
  }

  @Test("fired by single steps, what else is due fires before the next request")
  func singleSteps() throws {
    var world = WorldCore()
    try world.make(Alarm.kind, "x")
    world.send("x", "both")
    let fired = world.fireNext()
    expect(fired)
    expectEqual(world.journal().count, 3)
    expectEqual(world.now, .beginning + .seconds(1))
    world.send("x", "disarm", .text("a"))
    expectEqual(world.journal().map(\.input), [.created, .event, .expiry, .expiry, .event])
    let firedAgain = world.fireNext()
    expect(!firedAgain)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("a running timer can be fired by hand; one that does not run refuses")
  func byHand() throws {
    var world = WorldCore()
    let key = try world.make(ShiftKey.kind, "key")
    world.fire(key, timer: 0)
    expectEqual(world.answer.verdict, .refused)
    world.send("key", "tap")
    world.advance(to: 0.1)
    world.fire(key, timer: 0)
    expectEqual(world.answer.verdict, .stayed)
    expectEqual(world.answer.sequence, 4)
    expectEqual(world.journalText().last, "4 0.100000000 key fired doubleTap stayed on on; due 0.350000000")
    expectNil(world.nextDue())
    expectEqual(world.firings, 1)
    world.advance(to: 1)
    expectEqual(world.lastSequence, 4)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("a refusal by hand tells the state with its data")
  func refusedByHand() throws {
    var world = WorldCore()
    let relay = try world.make(Relay.kind, "r")
    world.send("r", "tell", .text("x"), .none)
    world.fire(relay, timer: 0)
    expectEqual(world.answer.verdict, .refused)
    expectEqual(world.answerDetails.dataAfter, "x")
    expectEqual(world.answerDetails.reason, "this timer is not running")
    expectEqual(world.journalText().last, "3 0.000000000 r fired echo refused last last; after x")
  }

  @Test("a timer for after the end of time never expires, and time ends there")
  func endOfTime() throws {
    var world = WorldCore()
    try world.make(Alarm.kind, "x")
    world.send("x", "arm", .text("a"), .integer(.max))
    world.send("x", "arm", .text("b"), .integer(Int(Instant.end.nanoseconds) + 1))
    expectNil(world.nextDue())
    let fired = world.fireNext()
    expect(!fired)
    var budget = Int.max
    let progress = world.advance(to: .latest, budget: &budget)
    expectEqual(progress, .reached)
    expectEqual(world.now, .end)
    expectEqual(world.lastSequence, 3)
    world.send("x", "arm", .text("c"), .integer(.max))
    expectEqual(world.runningTimerCount, 3)
    expectEqual(world.checkInvariants(), [])
  }
}
