import Simulations
@testable import Simulator
import StateMachines
import TestSupport
import Testing

@Suite("What a world holds in memory")
struct FootprintTests {
  private func sendMany(_ count: Int, _ name: String, _ event: String, to world: inout WorldCore) {
    for _ in 0..<count { world.send(name, event) }
  }

  @Test("every part grows with what it is for, and shrinks with it where that is given back")
  func parts() throws {
    var world = WorldCore()
    let empty = world.footprint
    try world.make(SpamFilter.kind, "s", [(parameter: 0, value: .text("one,two,three"))])
    let withFilter = world.footprint
    expect(withFilter[.machines] > empty[.machines])
    expect(withFilter[.parameters] > 1_000)

    world.send("s", "text", .text(String(repeating: "x", count: 20_000)))
    expect((20_000...60_000).contains(world.footprint[.data]), "\(world.footprint[.data])")
    expect(world.footprint[.journal] > 20_000)

    world.drop("s")
    expectEqual(world.footprint[.data], 0)
    expectEqual(world.footprint[.parameters], empty[.parameters])
    expectEqual(world.footprint.total, Footprint.Use.allCases.reduce(0) { $0 + world.footprint[$1] })
  }

  @Test("parameters count once, however many machines have them")
  func parametersOnce() throws {
    var world = WorldCore()
    let words = (0..<200).map { "word\($0)" }.joined(separator: ",")
    try world.make(SpamFilter.kind, "a", [(parameter: 0, value: .text(words))])
    let one = world.footprint[.parameters]
    try world.make(SpamFilter.kind, "b", [(parameter: 0, value: .text(words))])
    expectEqual(world.footprint[.parameters], one)
    world.drop("a")
    expectEqual(world.footprint[.parameters], one)
    world.drop("b")
    expectEqual(world.footprint[.parameters], 0)
  }

  @Test("blocks of the journal that forks have too count once in all, as long as any of them lives")
  func sharedJournal() throws {
    var world = WorldCore()
    try world.make(Power.kind, "p")
    sendMany(100_000, "p", "buttonClick", to: &world)
    let alone = world.footprint[.journal]
    expect(alone > 700_000)
    func share() throws {
      let fork = world.fork()
      let another = fork.fork()
      let all = world.footprint[.journal] + fork.footprint[.journal] + another.footprint[.journal]
      // The block being written belongs to each copy alone; division by three may lose a byte.
      expect((alone - 100...alone + (2 * 64 << 10)).contains(all), "\(all) of \(alone)")
    }
    try share()
    expectEqual(world.footprint[.journal], alone)
    var fork = world.fork()
    sendMany(100_000, "p", "buttonClick", to: &fork)
    expect(fork.footprint[.journal] > alone + alone / 3)
    expect(world.footprint[.journal] < alone * 3 / 5)
  }

  @Test("the journal says when it takes more memory, and only then")
  func openings() throws {
    var world = WorldCore()
    try world.make(Power.kind, "p")
    let begun = world.journal.openings
    sendMany(1_000, "p", "buttonClick", to: &world)
    expectEqual(world.journal.openings, begun)
    sendMany(20_000, "p", "buttonClick", to: &world)
    expect(world.journal.openings > begun)
  }

  @Test(
    "a copy that is kept to go back from counts, the order of names too; both can be given up, the newest copy stays")
  func givingUp() throws {
    var limits = WorldLimits()
    limits.checkpointDistance = 1_000
    var world = WorldCore(limits: limits)
    for number in 0..<500 { try world.make(Power.kind, "p\(number)") }
    for _ in 0..<20 {
      sendMany(1_000, "p1", "buttonClick", to: &world)
      world.keepCheckpointIfDue()
    }
    let machines = world.machines(matching: .all)
    expectEqual(machines.count, 500)
    let before = world.footprint
    expect(world.checkpoints.count > 1)
    expect(before[.checkpoints] > 10_000 && before[.tables] >= 2_000)
    world.discardRebuildable()
    expectEqual(world.checkpoints.count, 1)
    expectEqual(world.footprint[.tables], 0)
    expect(world.footprint.total < before.total)
    expectEqual(world.machines(matching: .all), machines)
    try expect(world.undo() != nil)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("a world that was written out and read back holds about as much data")
  func archived() throws {
    var world = WorldCore()
    for number in 0..<20 {
      try world.make(SpamFilter.kind, "s\(number)")
      world.send("s\(number)", "text", .text(String(repeating: "x", count: 5_000)))
    }
    let other = try WorldCore(archive: try world.archive(), kinds: { Catalogue.simulations[$0] })
    let (here, there) = (world.footprint[.data], other.footprint[.data])
    expect(here >= 100_000)
    expect(there > here / 2 && there < here * 2, "\(there) of \(here)")
  }
}
