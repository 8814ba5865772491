import Simulator
import StateMachines
import TestSupport
import Testing

/// The lamp that the README shows.
struct ShortLampTests {
  struct Lamp: Machine {
    enum State: MachineState { case dark, lit }
    enum Event: MachineEvent { case pressed, burnedOut }
    var state = State.dark

    func timers(in state: State, _: NoParameters) -> StateTimers<Self> {
      state == .lit ? .after(.seconds(60), .burnedOut) : .none
    }

    mutating func react(to event: Event, _: Step<Self>) -> Reaction<State> {
      switch event {
      case .pressed: .move(to: state == .dark ? .lit : .dark)
      case .burnedOut: .move(to: .dark)
      }
    }
  }

  @Test("it goes out by itself")
  func goesOut() throws {
    let world = World()
    let hall = try world.make(Lamp.self, named: "hall")
    try world.send(.pressed, to: hall)
    world.advance(by: .seconds(59))
    expectEqual(world[hall].state, .lit)
    world.advance(by: .seconds(1))
    expectEqual(world[hall].state, .dark)
  }
}
