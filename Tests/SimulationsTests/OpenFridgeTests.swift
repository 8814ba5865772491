import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct OpenFridgeTests {
  @Test("all pairs")
  func pairs() {
    Table(
      OpenFridge.kind, with: ["physics": .flag(false)],
      """
      state | minTemperatureReached | maxTemperatureReached | doorOpened | doorClosed | minTemperatureReached expires | maxTemperatureReached expires
      cooling | → waiting > compressorOff | ignore | → doorOpen > compressorOff | ignore | – | –
      waiting | ignore | → cooling > compressorOn | → doorOpen | ignore | – | –
      doorOpen | ignore | ignore | ignore | → waiting | – | –
      """
    ).check()
  }

  @Test("with physics the crossing that ends a state is its timer; an open door waits for none")
  func pairsWithPhysics() {
    Table(OpenFridge.kind, in: "../../Sources/Simulations/Devices/OpenFridge.swift").check()
  }

  @Test(
    "while the door is open the chamber warms up and nothing cools it; closed, the sensor reports that it is too warm")
  func door() {
    let bench = Bench(OpenFridge.kind, ["start": .number(4)])
    bench.advance(to: .seconds(100))
    bench.send("doorOpened")
    expectNil(bench.nextDue)
    bench.advance(to: .seconds(400))
    guard case .number(let temperature) = bench.reading("temperature") else { return }
    // 22 + (3.397 − 22)·e^(−300/600), by the law for an open door.
    expectEqual((temperature * 100).rounded(), 1072)
    bench.send("doorClosed")
    bench.advance(to: .seconds(402))
    expectEqual(
      bench.lines,
      [
        "0.000 m created cooling > compressorOn",
        "100.000 m moved cooling doorOpen event=doorOpened > compressorOff",
        "400.000 m moved doorOpen waiting event=doorClosed",
        "401.000 m moved waiting cooling timer=maxTemperatureReached > compressorOn",
      ])
  }

  @Test(
    "made with its door shut it tells the compressor what the first fridge does", arguments: ["cooling", "waiting"])
  func made(initial: String) {
    expectEqual(Bench(OpenFridge.kind, initial: initial).lines, Bench(Fridge.kind, initial: initial).lines)
  }

  @Test("until a door is opened it is the first fridge, to the nanosecond")
  func closed() {
    let first = Bench(Fridge.kind, ["start": .number(4)])
    let second = Bench(OpenFridge.kind, ["start": .number(4)])
    first.advance(to: .seconds(10_000))
    second.advance(to: .seconds(10_000))
    expect(first.lines == second.lines && first.lines.count > 4)
    expectEqual(first.reading("temperature"), second.reading("temperature"))
  }
}
