import Simulations
import Simulator
import StateMachines
import Testing

struct SmokeTests {
  @Test func toggles() throws {
    var world = World()
    let id = try "key".utf8.withContiguousStorageIfAvailable {
      try world.create(Power.kind, named: UnsafeRawBufferPointer($0))
    }!
    world.send(id, plain: 0)
    #expect(world.answer.verdict == .moved)
    #expect(world.state(of: id) == "on")
    world.send(id, event: 1, [.flag(true)])
    #expect(world.answer.verdict == .ignored)
    #expect(world.lastSequence == 3)
    #expect(world.checkInvariants() == [])
    var reader = world.journalReader(from: 1)
    var seen: [UInt64] = []
    while let entry = world.read(&reader) { seen.append(entry.sequence) }
    #expect(seen == [1, 2, 3])
  }
}
