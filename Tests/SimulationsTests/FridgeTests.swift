import Foundation
import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct FridgeTests {
  @Test("all pairs")
  func pairs() {
    Table(
      Fridge.kind, with: ["physics": .flag(false)],
      """
      state | minTemperatureReached | maxTemperatureReached | minTemperatureReached expires | maxTemperatureReached expires
      cooling | → waiting > compressorOff | ignore | – | –
      waiting | ignore | → cooling > compressorOn | – | –
      """
    ).check()
  }

  @Test("with physics the crossing that ends a state is its timer, and does what the event does")
  func pairsWithPhysics() {
    Table(Fridge.kind, in: "../../Sources/Simulations/Devices/Fridge.swift").check()
  }

  @Test("cycles between the set-points at the exact moments of the crossings")
  func cycle() {
    let bench = Bench(Fridge.kind, ["start": .number(4)])
    expectEqual(bench.reading("temperature"), .number(4))
    bench.advance(to: .seconds(4300))
    expectEqual(
      bench.lines,
      [
        "0.000 m created cooling > compressorOn",
        "343.116647296 m moved cooling waiting timer=minTemperatureReached > compressorOff",
        "1949.750216758 m moved waiting cooling timer=maxTemperatureReached > compressorOn",
        "2606.107821216 m moved cooling waiting timer=minTemperatureReached > compressorOff",
        "4212.741390678 m moved waiting cooling timer=maxTemperatureReached > compressorOn",
      ])
  }

  @Test("from room temperature the first crossing takes 3600 s × ln 2")
  func pullDown() {
    let bench = Bench(Fridge.kind)
    expectEqual(bench.reading("temperature"), .number(22))
    expectEqual(bench.nextDue?.printed, "2495.329850016")
  }

  @Test("after a year every crossing is within 50 µs of the formula")
  func year() throws {
    let bench = Bench(Fridge.kind, ["start": .number(4)])
    bench.advance(to: .seconds(365 * 86_400))
    let down = 3600 * log(24.0 / 20)
    let up = 7200 * log(20.0 / 16)
    let crossings = bench.lines.dropFirst()
    expect(crossings.count > 27_000)
    for (place, line) in crossings.enumerated() {
      let expected = 3600 * log(22.0 / 20) + Double((place + 1) / 2) * up + Double(place / 2) * down
      let moment = try #require(Double(line.prefix { $0 != " " }))
      guard abs(moment - expected) < 50e-6 else {
        Issue.record("crossing \(place) at \(moment), expected at \(expected)")
        return
      }
    }
  }

  @Test("at a crossing the temperature is the set-point, to the last bit")
  func exactAtCrossing() {
    let bench = Bench(Fridge.kind, ["start": .number(4)])
    for expected in [2.0, 6, 2, 6, 2, 6] {
      bench.advance(to: bench.nextDue!)
      expectEqual(bench.reading("temperature"), .number(expected))
    }
  }

  @Test("an event sent by hand moves the fridge at the temperature that it has, and the next crossing follows from it")
  func byHand() throws {
    let bench = Bench(Fridge.kind, ["start": .number(4)])
    bench.advance(to: .seconds(100))
    expectEqual(
      bench.send("minTemperatureReached"), "moved cooling waiting event=minTemperatureReached > compressorOff")
    let temperature = -18 + 22 * exp(-100.0 / 3600)
    try expect(bench.reading("temperature"), isNear: temperature)
    expectEqual(Array(bench.timers().keys), ["maxTemperatureReached"])
    bench.advance(to: bench.nextDue!)
    expect(abs((bench.now - .seconds(100)).seconds - 7200 * log((22 - temperature) / 16)) < 1e-8)
    expectEqual(bench.reading("temperature"), .number(6))
  }

  @Test("a timer that is fired early finds the temperature of now, not the set-point")
  func firedEarly() throws {
    let bench = Bench(Fridge.kind, ["start": .number(4)])
    bench.advance(to: .seconds(100))
    bench.fire("minTemperatureReached")
    expectEqual(bench.state(), "waiting")
    try expect(bench.reading("temperature"), isNear: -18 + 22 * exp(-100.0 / 3600))
  }

  @Test("a set-point that was passed before a state begins is reported after recheckDelay", arguments: [0.0, 1, 90])
  func recheck(delay: Double) throws {
    let interval = try #require(Nanoseconds(seconds: delay))
    for (state, start) in [("waiting", 22.0), ("waiting", 6), ("cooling", 1), ("cooling", 2), ("cooling", -30)] {
      let bench = Bench(Fridge.kind, initial: state, ["start": .number(start), "recheckDelay": .interval(interval)])
      // Without a delay it is reported as the machine is made.
      if delay > 0 { expectEqual(bench.nextDue, .beginning + interval, "\(state) at \(start) °C") }
      bench.advance(to: .beginning + interval)
      expect(bench.state() != state)
      let (target, tau) = state == "cooling" ? (-18.0, 3600.0) : (22, 7200)
      try expect(bench.reading("temperature"), isNear: target + (start - target) * exp(-delay / tau))
    }
  }

  @Test("a set-point that the chamber never gets to leaves no timer")
  func never() {
    let cold = Bench(Fridge.kind, initial: "waiting", ["ambient": .number(6), "start": .number(3)])
    expectNil(cold.nextDue)
    let weak = Bench(Fridge.kind, ["coolingTarget": .number(2), "start": .number(5)])
    expectNil(weak.nextDue)
    weak.advance(to: .seconds(86_400))
    expectEqual(weak.state(), "cooling")
  }

  @Test("without physics there are no timers and no temperature")
  func withoutPhysics() {
    let bench = Bench(Fridge.kind, ["physics": .flag(false)])
    bench.send("minTemperatureReached")
    bench.send("maxTemperatureReached")
    expectNil(bench.nextDue)
    expectNil(bench.reading("temperature"))
  }

  @Test("min above max is a conflict that names the one to change; equal ones are none")
  func conflict() throws {
    let kind = Fridge.kind
    let pool = kind.makeParameterPool()
    let min = try #require(kind.parameters.firstIndex { $0.name == "min" })
    let max = try #require(kind.parameters.firstIndex { $0.name == "max" })
    #expect(throws: ParameterConflict("min", allowed: "at most 6 °C, which is max")) {
      try pool.intern([(min, .number(6.5))])
    }
    #expect(throws: ParameterConflict("max", allowed: "at least 2 °C, which is min")) {
      try pool.intern([(max, .number(1))])
    }
    _ = try pool.intern([(max, .number(2))])
  }

  @Test("a million fridges are cheap: one takes at most 24 bytes")
  func size() {
    expect(Fridge.kind.layout.valueSize <= 24)
  }
}

/// Checks a temperature to a millionth of a degree.
func expect(_ reading: Value?, isNear expected: Double, sourceLocation: SourceLocation = #_sourceLocation) throws {
  guard case .number(let temperature) = reading else {
    Issue.record("no temperature but \(String(describing: reading))", sourceLocation: sourceLocation)
    return
  }
  #expect(abs(temperature - expected) < 1e-6, "\(temperature), not \(expected)", sourceLocation: sourceLocation)
}
