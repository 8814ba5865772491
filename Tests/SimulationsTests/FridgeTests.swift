import Simulations
import StateMachines
import Testing

struct FridgeTests {
  @Test("cycles between the set-points at the exact moments of the crossings")
  func cycles() {
    let bench = Bench(Fridge.kind, ["start": .number(4)])
    bench.advance(to: .seconds(5000))
    for l in bench.lines { print(l) }
  }
}
