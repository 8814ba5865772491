import Foundation
import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct DoorFridgeTests {
  @Test("all pairs")
  func pairs() {
    Table(
      DoorFridge.kind, in: "../../Sources/Simulations/Devices/DoorFridge.swift",
      with: ["physics": .flag(false)]
    ).check()
  }

  @Test("one deliberately wrong cell is found")
  func wrongCell() {
    let table = Table(
      DoorFridge.kind, with: ["physics": .flag(false)],
      """
      state   | minTemperatureReached     | maxTemperatureReached    | doorOpened | minTemperatureReached expires | maxTemperatureReached expires | doorShut expires
      cooling | → waiting > compressorOff | ignore                   | ignore     | – | – | –
      waiting | ignore                    | → cooling > compressorOn | ignore     | – | – | –
      """)
    expectEqual(table.mismatches(), ["doorFridge: cooling, doorOpened: → waiting > compressorOff, not ignored"])
  }

  @Test("the door lets warmth in for openFor, and closing it is no event")
  func door() throws {
    let bench = Bench(DoorFridge.kind, ["start": .number(4)])
    bench.advance(to: .seconds(100))
    bench.send("doorOpened")
    try expect(bench.reading("temperature"), isNear: -18 + 22 * exp(-100.0 / 3600))
    expectEqual(bench.reading("door"), .text("open"))
    bench.advance(to: .seconds(160))
    guard case .number(let temperature) = bench.reading("temperature") else { return }
    expectEqual((temperature * 1000).rounded(), 5168)
    expectEqual(bench.reading("door"), .text("closed"))
    bench.advance(to: .seconds(600))
    expectEqual(
      bench.lines,
      [
        "0.000 m created cooling > compressorOn",
        "100.000 m moved cooling waiting event=doorOpened > compressorOff",
        "160.000 m stayed waiting timer=doorShut",
        "525.170248383 m moved waiting cooling timer=maxTemperatureReached > compressorOn",
      ])
  }

  @Test("with the door left open a warm chamber starts the compressor again, in vain until the door is shut")
  func doorLeftOpen() {
    let bench = Bench(DoorFridge.kind, ["start": .number(4), "openFor": .interval(.seconds(3600))])
    bench.send("doorOpened")
    bench.advance(to: .seconds(3599))
    expectEqual(bench.lines.count, 3)
    expectEqual(bench.state(), "cooling")
    expectEqual(bench.timers(), ["doorShut": .seconds(3600)])
    guard case .number(let temperature) = bench.reading("temperature") else { return }
    expect(temperature > 21.9)
    bench.advance(to: .seconds(3600))
    expectEqual(Set(bench.timers().keys), ["minTemperatureReached"])
  }

  @Test("opening it again while it cools with the door open is a new opening")
  func openedAgain() {
    let bench = Bench(DoorFridge.kind, ["start": .number(4), "openFor": .interval(.seconds(600))])
    bench.send("doorOpened")
    bench.advance(to: .seconds(400))
    expectEqual(bench.state(), "cooling")
    bench.send("doorOpened")
    expectEqual(bench.timers()["doorShut"], .seconds(1000))
  }

  @Test("a doorOpened that is ignored changes nothing, the physics included")
  func ignoredOpening() {
    let quiet = Bench(DoorFridge.kind, initial: "waiting", ["start": .number(3)])
    let opened = Bench(DoorFridge.kind, initial: "waiting", ["start": .number(3)])
    opened.advance(to: .seconds(10))
    expectEqual(opened.send("doorOpened"), "ignored waiting event=doorOpened")
    quiet.advance(to: .seconds(10))
    expectEqual(opened.timers(), quiet.timers())
    expectEqual(opened.reading("door"), .text("closed"))
    opened.advance(to: .seconds(500))
    quiet.advance(to: .seconds(500))
    expectEqual(opened.reading("temperature"), quiet.reading("temperature"))
  }

  @Test("the initial state that was asked for is the one that it starts in")
  func initial() {
    expectEqual(Bench(DoorFridge.kind, initial: "waiting").state(), "waiting")
    expectEqual(Bench(DoorFridge.kind).state(), "cooling")
  }

  @Test("without physics the door has no place and nothing runs")
  func withoutPhysics() {
    let bench = Bench(DoorFridge.kind, ["physics": .flag(false)])
    bench.send("doorOpened")
    expectNil(bench.nextDue)
    expectNil(bench.reading("door"))
  }
}
