import TestSupport
import Simulations
@testable import Simulator
import StateMachines
import Testing

@Suite("Archives in the life of a world", .serialized)
struct ArchiveLifeTests {
  @Test("a world goes on while it is written in pieces", arguments: [1, 7, 1_000, Int.max])
  func pieces(size: Int) throws {
    let script = Script(seed: 5, of: DeterminismTests.entries, inputs: 120, isFixed: true)
    var world = WorldCore(seed: 5, limits: Script.limits())
    for (moment, action) in script.inputs {
      Script.advance(&world, to: moment, .whole)
      world.fireDue()
      script.play(action, into: &world)
    }
    let whole = try world.archive()
    let hash = try world.stateHash
    var writer = ArchiveWriter(of: world)
    expectEqual(writer.sequence, world.lastSequence)
    var pieces = 0
    while try !writer.advance(machines: size) {
      Script.advance(&world, to: world.now + .seconds(1), .whole)
      pieces += 1
    }
    expectEqual(writer.bytes, whole)
    expectEqual(writer.stateHash, hash)
    expect(size > 1 || pieces > world.machineCount)
    expect(size > 1_000 || world.now > script.inputs[119].moment)
  }

  @Test("many machines, of which many are gone")
  func many() throws {
    var world = WorldCore(seed: 1)
    for number in 0..<20_000 {
      try world.make(number % 3 == 0 ? Metronome.kind : Relay.kind, "machine-\(number)")
    }
    for number in stride(from: 0, to: 20_000, by: 4) { world.drop("machine-\(number)") }
    world.advance(to: 1.5)
    let other = try ArchiveTests.reread(world)
    expectEqual(other.checkInvariants(), [])
    expectEqual(other.machineCount, 15_000)
    expectNil(RewindTests.difference(world.portrait(), other.portrait()))
    try expectEqual(other.stateHash, world.stateHash)
  }

  @Test("an empty world")
  func empty() throws {
    var world = WorldCore(seed: 9)
    world.advance(to: 3)
    let other = try ArchiveTests.reread(world)
    expectEqual(other.now, world.now)
    expectEqual(other.machineCount, 0)
    expectEqual(other.past.seed, 9)
  }

  @Test("numbers are used again as if there had been no archive", arguments: Thorough.rounds(0..<4))
  func numbers(seed: Int) throws {
    var limits = Script.limits()
    limits.journal = 40
    var dice = Dice(seed: seed)
    var world = WorldCore(limits: limits)
    func step(_ number: Int, _ world: inout WorldCore, _ dice: inout Dice) throws {
      let name = "x\(dice.number(0...9))"
      if let machine = world.machine(name) {
        if dice.once(in: 2) { world.drop(machine) } else { world.send(machine, plain: 0) }
      } else {
        try world.make(Metronome.kind, name)
      }
    }
    for number in 0..<300 { try step(number, &world, &dice) }
    expect(world.registry.capacity < 100)
    var other = try ArchiveTests.reread(world)
    let start = world.lastSequence + 1
    var (first, second) = (dice, dice)
    for number in 0..<30 {
      try step(number, &world, &first)
      try step(number, &other, &second)
    }
    // The numbers themselves: the journal's text has names instead.
    func machines(_ world: borrowing WorldCore) -> [UInt32] {
      var reader = world.journalReader(from: start)
      var machines: [UInt32] = []
      while let entry = world.read(&reader) { if let machine = entry.machine { machines.append(machine.number) } }
      return machines
    }
    expectEqual(machines(world), machines(other), "seed \(seed)")
    try expectEqual(world.stateHash, other.stateHash)
    for number in 0..<300 {
      try step(number, &world, &first)
      try step(number, &other, &second)
    }
    try expectEqual(world.stateHash, other.stateHash)
  }

  @Test("what comes after an archive can be undone, what came before not")
  func undo() throws {
    var world = WorldCore()
    try world.make(Relay.kind, "a")
    world.advance(to: 1)
    world.send("a", "say", .text("before"))
    var other = try ArchiveTests.reread(world)
    other.keepCheckpointIfDue()
    other.advance(to: 2)
    other.send("a", "say", .text("after"))
    other.send("a", "say", .text("more"))
    let undone = try other.undo(2)
    expectEqual(undone?.upperBound, other.lastSequence - 1)
    var straight = try ArchiveTests.reread(world)
    straight.advance(to: 2)
    expectNil(RewindTests.difference(straight.portrait(), other.portrait()))
    #expect(throws: Rewinding.Failure.self) { try other.undo() }
    expectEqual(other.checkInvariants(), [])
  }

  @Test("a stall is one afterwards, broken or not")
  func stalls() throws {
    var world = WorldCore(limits: Script.limits())
    try world.make(Spinner.kind, "s")
    world.send("s", "push", .integer(1_000))
    expectEqual(world.isStalled, true)
    var other = try ArchiveTests.reread(world)
    expectEqual(other.isStalled, true)
    expectNil(other.livelock)
    world.goOn()
    other.goOn()
    world.fireDue()
    other.fireDue()
    expectEqual(world.isStalled, true)
    try expectEqual(world.stateHash, other.stateHash)
    // Its timer is gone, which is not noticed yet.
    var broken = world.fork()
    let timers = broken.population.timers(at: broken.registry.location(of: broken.known("s")))
    timers[0].stamp = 0
    broken.agenda.living = 0
    var again = try ArchiveTests.reread(broken)
    expectEqual(again.isStalled, true)
    expectEqual(broken.advance(to: 1), true)
    expectEqual(again.advance(to: 1), true)
    expectEqual(again.isStalled, false)
    try expectEqual(broken.stateHash, again.stateHash)
    world.send("s", "stop")
    other.send("s", "stop")
    world.send("s", "push", .integer(60))
    other.send("s", "push", .integer(60))
    try expectEqual(world.stateHash, other.stateHash)
  }

  @Test("limits that shape the journal are the world's own until it takes over others")
  func limits() throws {
    var world = WorldCore(limits: Script.limits())
    try world.make(Spinner.kind, "s")
    var limits = WorldLimits()
    limits.machines = 1
    var other = try WorldCore(archive: world.archive(), kinds: ArchiveTests.kind, limits: limits)
    #expect(throws: WorldCore.CreationFailure.full) { try other.make(Spinner.kind, "t") }
    other.send("s", "push", .integer(1_000))
    expectEqual(other.isStalled, true, "as it would have been in the world that was written")
    let before = try other.stateHash
    other.limits = limits
    try expect(other.stateHash != before)
    other.goOn()
    other.fireDue()
    expectEqual(other.isStalled, false)
  }

  @Test("values are made once and destroyed once, also when reading fails half-way")
  func lifetimes() throws {
    Token.living = 0
    do {
      var world = WorldCore()
      for number in 0..<10 { try world.make(Holder.kind, "h\(number)") }
      let archive = try world.archive()
      let entry: (String) -> CatalogueEntry? = { _ in .machine(Holder.kind) }
      let other = try WorldCore(archive: archive, kinds: entry)
      expectEqual(other.machineCount, 10)
      expectEqual(Token.living, 20)
      // The seventh cannot be read.
      Token.readable = 6
      #expect(throws: ArchiveFailure.damaged("unreadable")) { _ = try WorldCore(archive: archive, kinds: entry) }
      expectEqual(Token.living, 20)
      Token.readable = .max
    }
    expectEqual(Token.living, 0)
  }

  @Test("a value that cannot be written is told by its kind")
  func unwritable() throws {
    var world = WorldCore()
    try world.make(Holder.kind, "h")
    Token.isWritable = false
    defer { Token.isWritable = true }
    #expect(throws: ArchiveFailure.unwritable(kind: "holder", why: "not provided for: this")) { try world.archive() }
  }
}

/// Counts when its value is made and destroyed, and fails to be written or read on request.
private struct Holder: Machine {
  enum State: MachineState { case holding }
  enum Event: MachineEvent { case nothing }

  var state = State.holding
  var token = Token()

  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> { .ignore }

  static let kind = Kind(
    Holder.self, "holder", "holds a token", states: { _ in "always" },
    events: [.event(.nothing, "means nothing")])
}

private final class Token: Sendable, Codable {
  // The tests of this suite run one after the other, and no other code makes tokens.
  nonisolated(unsafe) static var living = 0  // Safety: as said above.
  nonisolated(unsafe) static var readable = Int.max  // Safety: as said above.
  nonisolated(unsafe) static var isWritable = true  // Safety: as said above.

  init() { Token.living += 1 }

  init(from decoder: any Decoder) throws {
    // Counted first: an object whose init throws is destroyed too.
    Token.living += 1
    if Token.readable == 0 { throw StorageFailure.damaged("unreadable") }
    Token.readable -= 1
  }

  func encode(to encoder: any Encoder) throws {
    if !Token.isWritable { throw StorageFailure.unsupported("this") }
  }

  deinit { Token.living -= 1 }
}
