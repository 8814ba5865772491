import StateMachines
import Testing

/// The example of the README, which stands there as it does in `LampExample.swift`.
struct LampExampleTests {
  @Test("a lamp that is pressed is lit, and its timer runs from then on")
  func press() {
    let (state, due) = pressNewLamp()
    #expect(state == "lit")
    #expect(due == 65_000_000_000)
  }

  @Test("the entry says what the example says")
  func entry() {
    #expect(Lamp.kind.states.map(\.word) == ["dark", "lit"])
    #expect(Lamp.kind.events.map(\.name) == ["pressed"])
    #expect(Lamp.kind.timers.map(\.name) == ["burn"])
    #expect(Lamp.kind.parameters.map(\.name) == ["burn"])
  }
}
