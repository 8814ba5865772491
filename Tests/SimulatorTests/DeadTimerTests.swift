import TestSupport
@testable import Simulator
import StateMachines
import Testing

@Suite("Dead timers do not pile up")
struct DeadTimerTests {
  /// A world in which 1,500 timers run for a second, and the entries of 2,500 longer ones are dead.
  private func crowdedWorld() throws -> WorldCore {
    var world = WorldCore()
    for number in 0..<1_500 {
      let name = "x\(number)"
      try world.make(Alarm.kind, name)
      world.send(name, "arm", .text("a"), .integer(100_000_000_000))
      world.send(name, "arm", .text("a"), .integer(1_000_000_000))
      guard number < 1_000 else { continue }
      world.send(name, "arm", .text("b"), .integer(100_000_000_000))
      world.send(name, "disarm", .text("b"))
    }
    expectEqual(world.agenda.living, 1_500)
    expectEqual(world.agenda.count, 4_000)
    return world
  }

  @Test("when the living expire")
  func expiring() throws {
    var world = try crowdedWorld()
    while world.fireNext() {
      let dead = world.agenda.count - world.agenda.living
      try #require(dead <= world.agenda.living + 1_000)
    }
    expectEqual(world.firings, 1_500)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("when the living are fired by hand")
  func firedByHand() throws {
    var world = try crowdedWorld()
    for machine in world.machines(matching: .all) {
      world.fire(machine, timer: 0)
      let dead = world.agenda.count - world.agenda.living
      try #require(dead <= world.agenda.living + 1_000)
    }
    expectEqual(world.firings, 1_500)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("when their machines are dropped")
  func dropping() throws {
    var world = try crowdedWorld()
    for machine in world.machines(matching: .all) {
      world.drop(machine)
      let dead = world.agenda.count - world.agenda.living
      try #require(dead <= world.agenda.living + 1_000)
    }
    expectEqual(world.machineCount, 0)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("when one timer is armed again and again")
  func rearming() throws {
    var world = WorldCore()
    try world.make(Alarm.kind, "x")
    for number in 0..<5_000 {
      world.send("x", "arm", .text("a"), .integer(1_000_000_000 + number))
      let dead = world.agenda.count - world.agenda.living
      try #require(dead <= world.agenda.living + 1_000)
    }
    let due = world.nextDue()
    expectEqual(due?.nanoseconds, 1_000_004_999)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("the last stamp gives way to new ones in the same order", arguments: Thorough.rounds(0..<20))
  func restamping(seed: Int) throws {
    func journal(from armings: UInt64) throws -> [String] {
      var dice = Dice(seed: seed)
      var world = WorldCore()
      for number in 0..<20 { try world.make(Alarm.kind, "x\(number)") }
      try world.make(Spinner.kind, "s")
      world.armings = armings
      world.instantStamp = armings
      for _ in 0..<200 {
        let name = "x\(dice.number(0...19))"
        let timer = Value.text(dice.one(of: ["a", "b", "c"]))
        switch dice.number(0...5) {
        case 0...2: world.send(name, "arm", timer, .integer(dice.number(0...5)))
        case 3: world.send(name, "disarm", timer)
        case 4: world.send("s", "push", .integer(dice.number(0...5)))
        default: world.advance(toNanoseconds: world.now.nanoseconds + Int64(dice.number(0...3)))
        }
      }
      expectEqual(world.checkInvariants(), [], "seed \(seed)")
      expect(armings == 0 || world.armings < Agenda.lastStamp, "seed \(seed): no new stamps were given")
      return world.journalText()
    }
    let usual = try journal(from: 0)
    var dice = Dice(seed: seed)
    try expectEqual(journal(from: Agenda.lastStamp - UInt64(dice.number(0...100))), usual, "seed \(seed)")
  }

  @Test("new stamps in the middle of a chain do not end the count of it", arguments: [0, 1, 5, 9, 10])
  func restampingInAChain(armingsLeft: UInt64) throws {
    var limits = WorldLimits()
    limits.chain = 10
    var world = WorldCore(limits: limits)
    try world.make(Spinner.kind, "s")
    try world.make(Alarm.kind, "x")
    world.send("x", "arm", .text("a"), .integer(5))
    world.armings = Agenda.lastStamp - armingsLeft
    world.instantStamp = world.armings
    world.send("s", "push", .integer(1_000))
    expectEqual(world.firings, 10)
    expect(world.armings < 100)
    expectEqual(world.checkInvariants(), [])
    let arrived = world.advance(to: 1)
    expect(!arrived)
    world.send("s", "stop")
    world.advance(to: 1)
    expectEqual(world.firings, 11)
  }

  @Test("new stamps in the middle of a step keep what is armed at this instant apart", arguments: [0, 1, 2, 3])
  func restampingInAStep(armingsLeft: UInt64) throws {
    var limits = WorldLimits()
    limits.chain = 2
    var world = WorldCore(limits: limits)
    try world.make(Alarm.kind, "x")
    world.armings = Agenda.lastStamp - armingsLeft
    world.instantStamp = world.armings
    world.send("x", "burst")
    expectEqual(world.firings, 2, "the third is one too many")
    let isStalled = world.isStalled
    expect(isStalled)
  }

  @Test("new stamps do not end a stall")
  func restampingWhileStalled() throws {
    var limits = WorldLimits()
    limits.chain = 10
    var world = WorldCore(limits: limits)
    try world.make(Spinner.kind, "s")
    try world.make(Alarm.kind, "x")
    world.send("s", "push", .integer(1_000))
    expectEqual(world.firings, 10)
    world.armings = Agenda.lastStamp - 1
    for _ in 0..<3 { world.send("x", "arm", .text("a"), .integer(5)) }
    expect(world.armings < 100)
    world.send("x", "disarm", .text("a"))
    expectEqual(world.firings, 10)
    world.send("s", "stop")
    world.advance(to: 1)
    expectEqual(world.firings, 10)
    expectEqual(world.checkInvariants(), [])
  }
}
