import MachineForms
import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct StepperTests {
  @Test("all pairs")
  func pairs() {
    Table(Stepper.kind, in: "../../Sources/Simulations/Frameworks/Stepper.swift").check()
  }

  @Test("down from the lowest step is nothing, up from the highest neither")
  func trace() {
    let bench = Bench(Stepper.kind)
    bench.send("decrement")
    for _ in 0..<3 { bench.send("increment") }
    expectEqual(
      bench.lines,
      [
        "0.000 m created one",
        "0.000 m ignored one event=decrement",
        "0.000 m moved one two event=increment > up > transition one increment two",
        "0.000 m moved two three event=increment > up > transition two increment three",
        "0.000 m ignored three event=increment",
      ])
  }

  @Test("its diagram has four arrows")
  func graph() {
    expectEqual(
      Stepper.schema.edges.map { "\($0.from) \($0.event) \($0.to)" },
      [
        "one increment two", "two increment three", "two decrement one", "three decrement two",
      ])
  }
}
