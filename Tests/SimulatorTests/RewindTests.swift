import Simulations
@testable import Simulator
import StateMachines
import TestSupport
import Testing

@Suite("Going back is as if it had never been")
struct RewindTests {
  static let entries = DeterminismTests.entries

  /// Reports the first line that differs.
  static func difference(_ left: [String], _ right: [String]) -> String? {
    guard left != right else { return nil }
    let place =
      zip(left, right).enumerated().first { $0.element.0 != $0.element.1 }?.offset
      ?? min(left.count, right.count)
    func line(_ lines: [String]) -> String { place < lines.count ? lines[place] : "the end" }
    return "line \(place): \(line(left)) and \(line(right))"
  }

  @Test("a replay gives the same journal and the same world", arguments: Thorough.rounds(0..<12))
  func replay(seed: Int) throws {
    let script = Script(seed: seed, of: Self.entries, inputs: 200)
    var world = WorldCore(seed: UInt64(seed), limits: Script.limits())
    script.play(into: &world, .pieces(seed: seed))
    var replay = Replay(of: world, from: nil, to: world.lastSequence, journalBytes: 1 << 30)
    while try !replay.advance(through: world, by: 7) {}
    replay.world.move(to: world.now)
    expectNil(Self.difference(world.journalText(), replay.world.journalText()), "seed \(seed)")
    replay.world.compositions = world.compositions
    expectNil(Self.difference(world.portrait(), replay.world.portrait()), "seed \(seed)")
    expectEqual(replay.world.checkInvariants(), [], "seed \(seed)")
  }

  @Test(
    "walks of hundreds of steps with ways back, against a world without", arguments: Thorough.rounds(0..<4, atLeast: 2))
  func walks(seed: Int) throws {
    var limits = Script.limits()
    // Rewinds begin at the beginning, or at checkpoints every few hundred inputs.
    if seed % 2 == 0 { limits.checkpointDistance = 300 }
    var walk = RewindWalk(seed: seed, of: Self.entries, steps: 600, limits: limits)
    let steps = Thorough.rounds(400, atLeast: 200)
    for step in 0..<steps {
      try walk.step()
      if step % 200 == 199 || step == steps - 1 {
        let straight = walk.straight()
        expectNil(Self.difference(walk.world.portrait(), straight.portrait()), "seed \(seed), step \(step)")
        expectNil(Self.difference(walk.world.survivingText(), straight.survivingText()), "seed \(seed), step \(step)")
        expectEqual(walk.world.checkInvariants(), [], "seed \(seed), step \(step)")
      }
    }
    expect(walk.rewinds > steps / 80 && walk.redos > steps / 80)
  }

  @Test("back to right after any input, the world is as it was then, also of several at one moment", arguments: 0..<2)
  func inputs(seed: Int) throws {
    let names = ["shiftKey", "smartFridge", "ticker", "phoneCall"]
    let script = Script(seed: seed, of: names.compactMap { Catalogue.simulations[$0] }, inputs: 60)
    var world = WorldCore(seed: UInt64(seed), limits: Script.limits())
    var known: [UInt64: [String]] = [:]
    func note(_ world: borrowing WorldCore) { known[world.lastSequence] = world.portrait() }
    for input in script.inputs {
      // No more than a hundred timers: what a fridge does for days is the same each day.
      for _ in 0..<100 {
        guard let due = world.nextDue(), due <= input.moment, world.fireNext() else { break }
        note(world)
      }
      Script.advance(&world, to: max(world.now, input.moment), .whole)
      let before = world.lastSequence
      script.play(input.action, into: &world)
      // A composed kind is several inputs, and the world is noted after the last.
      if world.lastSequence > before { note(world) }
    }
    Script.advance(&world, to: script.end, .whole)
    expect(known.count > script.inputs.count / 4)
    for (sequence, portrait) in known {
      let step = world.step(of: sequence)
      expectEqual(step?.last, sequence)
      var copy = world.fork()
      try copy.goBack(.input(sequence), by: 500)
      expectNil(Self.difference(copy.portrait(), portrait), "seed \(seed), input \(sequence)")
      expectEqual(copy.checkInvariants(), [], "seed \(seed), input \(sequence)")
    }
  }

  @Test("each kind by itself", arguments: Catalogue.simulations.entries.map(\.name))
  func kinds(name: String) throws {
    let entry = try #require(Catalogue.simulations[name])
    var walk = RewindWalk(seed: 3, of: [entry], steps: 100)
    for _ in 0..<Thorough.rounds(80, atLeast: 25) { try walk.step() }
    let straight = walk.straight()
    expectNil(Self.difference(walk.world.portrait(), straight.portrait()))
    expectNil(Self.difference(walk.world.survivingText(), straight.survivingText()))
    expectEqual(walk.world.checkInvariants(), [])
  }

  @Test("undone and done again, the states are the same", arguments: Thorough.rounds(0..<10))
  func doneAgain(seed: Int) throws {
    let script = Script(seed: seed, of: Self.entries, inputs: 120)
    var world = WorldCore(seed: UInt64(seed), limits: Script.limits())
    var tail: [(moment: Instant, action: Script.Action)] = []
    for (place, (moment, action)) in script.inputs.enumerated() {
      Script.advance(&world, to: moment, .whole)
      world.fireDue()
      let before = world.lastSequence
      script.play(action, into: &world)
      if place >= 90, world.lastSequence > before { tail.append((world.now, action)) }
    }
    let portrait = world.portrait()
    let end = world.now
    try world.undo(tail.count)
    for (moment, action) in tail {
      Script.advance(&world, to: moment, .whole)
      world.fireDue()
      script.play(action, into: &world)
    }
    Script.advance(&world, to: end, .whole)
    expectNil(Self.difference(portrait, world.portrait()), "seed \(seed)")
    expectEqual(world.checkInvariants(), [])
  }

  // MARK: One by one

  @Test("every sort of input can be undone")
  func everyInput() throws {
    var world = WorldCore()
    try world.make(Relay.kind, "a")
    try world.make(Relay.kind, "b")
    try world.wire(world.wire(from: "a.said", to: "b.say"))
    var portraits: [[String]] = []
    func keep(_ world: borrowing WorldCore) -> [String] { world.portrait() }
    let wire = world.wire(from: "a.pulsed", to: "b.pulse")
    let old = world.wire(from: "a.said", to: "b.say")
    let actions: [(inout WorldCore) throws -> Void] = [
      { try $0.make(Gambler.kind, "g") }, { $0.send("g", "roll") }, { $0.send("a", "say", .text("x")) },
      { $0.send("a", "never") }, { try $0.wire(wire) }, { $0.send("a", "pulse") }, { try $0.unwire(old) },
      { $0.fire($0.known("b"), timer: 0) }, { $0.fire($0.known("b"), timer: 0) }, { $0.drop("b") },
      { try $0.make(Oven.kind, "b") }, { $0.drop("a") },
    ]
    for action in actions {
      portraits.append(keep(world))
      world.fireDue()
      try action(&world)
    }
    var last = world.lastSequence
    for portrait in portraits.reversed() {
      let undone = try world.undo()
      expectEqual(undone?.upperBound, last)
      last = world.lastSequence
      expectNil(RewindTests.difference(portrait, world.portrait()))
      expectEqual(world.checkInvariants(), [])
    }
    try expect(world.undo() != nil)
    try expect(world.undo(2) != nil)
    expectEqual(world.machineCount, 0)
    #expect(throws: Rewinding.Failure.onlySoMany(0)) { try world.undo() }
    expectEqual(world.lastSequence, 31)
    // The journal still knows all names.
    expectEqual(world.journalText().count, 17)
  }

  @Test("time is as it was before the input, and expiries after it are undone")
  func time() throws {
    var world = WorldCore()
    try world.make(Metronome.kind, "m")
    world.advance(to: 2.5)
    world.send("m", "reset")
    world.advance(to: 10)
    expectEqual(world.lastSequence, 11)
    let undone = try world.undo()
    expectEqual(undone, 4...11)
    expectEqual(world.now.text, "2.500000000")
    expectEqual(world.nextDue()?.text, "3.000000000")
    world.advance(to: 10)
    expectEqual(world.lastSequence, 20)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("to a moment before, at and after a timer's")
  func moments() throws {
    for (target, ticks, due) in [(1_999_999_999, 1, 2), (2_000_000_000, 2, 3), (2_000_000_001, 2, 3)]
      as [(Int64, Int, Int)]
    {
      var world = WorldCore()
      try world.make(Metronome.kind, "m")
      world.advance(to: 10)
      try world.goTo(target)
      expectEqual(world.now.nanoseconds, target)
      expectEqual(world.survivingText().count, 1 + ticks)
      expectEqual(world.nextDue()?.text, "\(due).000000000")
      expectEqual(world.checkInvariants(), [])
    }
  }

  @Test("only time goes back where nothing happened since, and back again further")
  func onlyTime() throws {
    var world = WorldCore()
    try world.make(Relay.kind, "a")
    world.advance(to: 10)
    try expectNil(world.goTo(7_000_000_000))
    try expectNil(world.goTo(5))
    expectEqual(world.now.nanoseconds, 5)
    expectEqual(world.lastSequence, 3)
    try expectEqual(world.undo(), 1...3)
    expectEqual(world.machineCount, 0)
  }

  @Test("an undone future and another one: numbers and names go on")
  func otherFuture() throws {
    var world = WorldCore()
    let first = try world.make(Relay.kind, "a")
    let second = try world.make(Spinner.kind, "b")
    try world.undo()
    let third = try world.make(Relay.kind, "b")
    expectEqual(first.number, 0)
    expect(second != third, "the journal still speaks of the other")
    expectEqual(world.name(of: second), "b")
    expect(world.kind(of: second) === Spinner.kind)
    world.send("b", "pulse")
    try world.undo(2)
    expectNil(world.machine("b"))
    expectEqual(world.machineCount, 1)
    expectEqual(world.undoer(of: 2), 3)
    expectEqual(world.undoer(of: 5), 6)
    expectNil(world.undoer(of: 6))
    expectNil(world.undoer(of: 1))
    expectEqual(world.checkInvariants(), [])
  }

  @Test("numbers of what was undone are used again when the journal has forgotten it")
  func numbers() throws {
    var limits = WorldLimits()
    limits.journal = 50
    var world = WorldCore(limits: limits)
    try world.make(Relay.kind, "a")
    for round in 0..<500 {
      try world.make(Relay.kind, "x\(round)")
      world.keepCheckpointIfDue()
      try world.undo()
      expectEqual(world.machineCount, 1)
    }
    expect(world.registry.capacity < 500)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("who watches goes on watching, also what comes back")
  func watchers() throws {
    var world = WorldCore()
    let watcher = WatcherID(1)
    let machine = try world.make(Relay.kind, "a")
    world.drop("a")
    world.watch(NamePattern("a".utf8), .all, for: watcher)
    try world.undo()
    let scope = world.watchView(of: watcher)?.scope(for: machine, in: world)
    expectEqual(scope, .all)
    expectEqual(world.hearsOfTheClock(watcher), true)
  }

  @Test("composed names come back with their members, and go")
  func compositions() throws {
    guard case .composition(let call)? = Catalogue.simulations["phoneCall"] else { return }
    var world = WorldCore()
    let none = call.members.map { _ in [(parameter: Int, value: Value)]() }
    try world.create(call, named: "c", parameters: none)
    let found = world.members(of: "c")
    let members = try #require(found)
    world.beginRequest()
    for member in members { world.drop(member) }
    world.endRequest()
    expectNil(world.members(of: "c"))
    try world.create(call, named: "c", parameters: none)
    try world.undo()
    expectNil(world.members(of: "c"))
    try world.undo()
    expectEqual(world.members(of: "c"), members)
    expectEqual(world.isMember(members[0], of: "phoneCall"), true)
    try world.undo()
    expectNil(world.members(of: "c"))
    expectEqual(world.machineCount, 0)
    #expect(throws: Rewinding.Failure.onlySoMany(0)) { try world.undo() }
  }

  @Test("a chain without end is found again where it was, and may have been allowed to go on")
  func stalls() throws {
    var world = WorldCore(limits: Script.limits())
    try world.make(Spinner.kind, "s")
    try world.make(Relay.kind, "r")
    world.send("s", "push", .integer(1_000_000))
    expectEqual(world.isStalled, true)
    expectEqual(world.lastSequence, 53)
    let stalled = world.portrait()
    world.goOn()
    world.fireDue()
    expectEqual(world.lastSequence, 103)
    let further = world.portrait()
    world.send("r", "pulse")
    world.send("s", "stop")
    try world.undo(2)
    expectNil(RewindTests.difference(further, world.portrait()))
    try world.undo()
    expectEqual(world.isStalled, false)
    world.send("s", "push", .integer(1_000_000))
    expectNil(RewindTests.difference(stalled, world.portrait()))
  }

  @Test("an undo and a redo cost as much after hundreds of them, and the store gets a row for each")
  func pairs() throws {
    var world = WorldCore(seed: 1)
    try world.make(Metronome.kind, "m")
    for _ in 0..<20 { world.send("m", "reset") }
    world.beginKeeping()
    func slices(_ goal: Rewinding.Goal) throws -> Int {
      let rewinding = Rewinding(of: world, to: goal)
      var slices = 0
      while !rewinding.hasArrived {
        try rewinding.advance(through: world, by: 1)
        slices += 1
      }
      world.rewind(rewinding)
      expectEqual(world.unkeptUndone.count, 1)
      world.didKeep(upTo: world.lastSequence)
      return slices
    }
    var undo = 0
    var redo = 0
    for pair in 0..<3_000 {
      (undo, redo) = (try slices(.requests(1)), try slices(.undos(1)))
      if pair < 5 { expect(undo < 100 && redo < 100, "\(undo), \(redo)") }
    }
    expect(undo < 100 && redo < 100, "\(undo), \(redo)")
    #expect(throws: Rewinding.Failure.onlySoMany(0)) { _ = try slices(.undos(1)) }
    expectEqual(world.checkInvariants(), [])
  }

  @Test("a replay can be left between two inputs and goes on there")
  func pauses() throws {
    var world = WorldCore(seed: 1)
    try world.make(Metronome.kind, "m")
    for _ in 0..<300 { world.send("m", "reset") }
    let last = world.lastSequence
    let rewinding = Rewinding(of: world, to: .requests(1))
    var calls = 0
    while !rewinding.hasArrived {
      try rewinding.advance(through: world, by: 5_000, while: { false })
      calls += 1
    }
    expect(calls > 5)
    expectEqual(world.rewind(rewinding), last...last)
  }
}
