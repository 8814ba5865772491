import LiveMachines
import Testing

/// What a view shows of the lamp.
@MainActor
final class LampModel {
  let lamp = LiveMachine(Lamp(), clock: ContinuousClock())
  private(set) var isLit = false

  func press() {
    lamp.send(.pressed)
  }

  func follow() async {
    for await change in lamp.changes { isLit = change.to == .lit }
  }
}

/// The examples of the documentation.
struct LampModelTests {
  @Test("A lamp that was pressed goes out by itself")
  func goesOut() {
    let clock = ManualClock()
    let lamp = LiveMachine(Lamp(), clock: clock)
    lamp.send(.pressed)
    clock.advance(by: .seconds(60))
    #expect(lamp.state == .dark)
  }

  @Test("A model follows its machine")
  @MainActor
  func model() async {
    let model = LampModel()
    let changes = model.lamp.changes
    let following = Task { await model.follow() }
    model.press()
    for await change in changes {
      #expect(change.to == .lit)
      break
    }
    // By now the light may be out again: this clock is the real one.
    following.cancel()
    await following.value
  }
}
