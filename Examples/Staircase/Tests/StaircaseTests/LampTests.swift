import MachineTesting
import Simulator
import StateMachines
import Testing

@testable import Staircase

/// Minutes in no time: the clock of a bench or a world goes when it is told to.
struct LampTests {
  @Test("The table in the comment of the lamp is what it does")
  func table() {
    Table(Lamp.kind, in: "../../Sources/Staircase/Lamp.swift").check()
  }

  @Test("A lamp that was pressed burns for a minute")
  func burns() {
    Bench(Lamp.kind).play(
      """
      pressed     | → lit + burn 60s
      advance 59s |
      advance 1s  | burn → dark
      """)
  }

  @Test("Pressed again it goes out at once, and its timer with it")
  func pressedAgain() {
    Bench(Lamp.kind, ["burn": .interval(.seconds(10))]).play(
      """
      pressed    | → lit + burn 10s
      advance 3s |
      pressed    | → dark - burn
      """)
  }

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
