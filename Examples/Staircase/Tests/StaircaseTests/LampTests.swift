import Simulator
import Testing

@testable import Staircase

/// Minutes in no time: the world's clock goes when it is told to.
struct LampTests {
  @Test("A lamp that was pressed goes out by itself")
  func goesOut() throws {
    let world = World()
    let hall = try world.make(Lamp.self, named: "hall")
    let answer = try world.send(.pressed, to: hall)
    #expect(answer.verdict == .moved && answer.from == .dark && answer.to == .lit)
    #expect(answer.timers == [.armed("burn", for: .seconds(60))])
    world.advance(by: .seconds(59))
    #expect(world[hall].state == .lit)
    world.advance(by: .seconds(1))
    #expect(world[hall].state == .dark)
    #expect(world.journal(of: hall).map(\.cause) == [.created, .event(.pressed), .timer("burn")])
  }

  @Test("Pressed again it goes out at once, and its timer with it")
  func pressedAgain() throws {
    let world = World()
    let hall = try world.make(Lamp.self, named: "hall") { $0.burn = .seconds(10) }
    try world.send(.pressed, to: hall)
    world.advance(by: .seconds(3))
    #expect(try world.send(.pressed, to: hall).timers == [.disarmed("burn")])
    #expect(world.agenda.isEmpty)
  }

  @Test("What would have been is tried in a fork, and what was done is undone")
  func otherwise() throws {
    let world = World()
    let hall = try world.make(Lamp.self, named: "hall")
    try world.send(.pressed, to: hall)
    let whatIf = world.fork()
    try whatIf.send(.pressed, to: hall)
    #expect(whatIf[hall].state == .dark && world[hall].state == .lit)
    try world.undo()
    #expect(world[hall].state == .dark)
  }
}
