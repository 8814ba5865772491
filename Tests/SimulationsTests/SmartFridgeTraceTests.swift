import Foundation
import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct SmartFridgeTraceTests {
  private func bench(_ state: String? = nil, _ parameters: [String: Value] = [:]) -> Bench {
    Bench(SmartFridge.kind, initial: state, parameters.merging(["start": .number(4)]) { given, _ in given })
  }

  /// The temperature in thousandths of a degree.
  private func thousandths(_ bench: Bench) -> Int? {
    guard case .number(let temperature) = bench.reading("temperature") else { return nil }
    return Int((temperature * 1000).rounded())
  }

  @Test("a door that is left open too long")
  func doorOpen() {
    let bench = bench("cooling.free")
    bench.advance(to: .seconds(100))
    bench.send("doorOpened")
    expectEqual(thousandths(bench), 3397)
    expectEqual(bench.timers()["minOff"], .seconds(280))
    expectEqual(bench.reading("demand"), .flag(false))
    bench.advance(to: .seconds(200))
    expectEqual(bench.reading("demand"), .flag(true))
    bench.advance(to: .seconds(220))
    expectEqual(thousandths(bench), 6769)
    bench.advance(to: .seconds(240))
    bench.send("doorClosed")
    expectEqual(thousandths(bench), 7269)
    bench.advance(to: .seconds(280))
    expectEqual(thousandths(bench), 7350)
    expectNil(bench.reading("demand"))
    bench.advance(to: .seconds(2741))
    expectEqual(
      bench.lines,
      [
        "0.000 m created cooling.free+closed+normal > compressorOn",
        "100.000 m moved cooling.free+closed+normal resting+open+normal event=doorOpened > compressorOff > lightOn",
        "190.430854032 m stayed resting+open+normal timer=maxTemperatureReached",
        "220.000 m moved resting+open+normal resting+openTooLong+normal timer=doorAlarm > buzzerOn",
        "240.000 m moved resting+openTooLong+normal resting+closed+normal event=doorClosed > lightOff > buzzerOff",
        "280.000 m moved resting+closed+normal cooling.minOn+closed+normal timer=minOff > compressorOn",
        "340.000 m moved cooling.minOn+closed+normal cooling.free+closed+normal timer=minOn",
        "1133.413870207 m moved cooling.free+closed+normal resting+closed+normal timer=minTemperatureReached > compressorOff",
        "1313.413870207 m moved resting+closed+normal ready+closed+normal timer=minOff",
        "2740.047439669 m moved ready+closed+normal cooling.minOn+closed+normal timer=maxTemperatureReached > compressorOn",
      ])
  }

  @Test("a defrost, during which the compressor does not start")
  func defrost() {
    let bench = bench("cooling.free")
    bench.advance(to: .seconds(21_599))
    expectEqual(
      bench.lines.filter { $0.contains("compressor") }.prefix(5).map { $0.split(separator: " ")[0] },
      [
        "0.000", "343.116647296", "1949.750216758", "2606.107821216", "4212.741390678",
      ])
    bench.advance(to: .seconds(21_600))
    expectEqual(thousandths(bench), 4325)
    bench.advance(to: .seconds(22_800))
    expectEqual(thousandths(bench), 7351)
    bench.advance(to: .seconds(22_920))
    expectEqual(thousandths(bench), 7593)
    bench.advance(to: .seconds(23_808))
    expectEqual(
      bench.lines.suffix(6),
      [
        "21600.000 m moved ready+closed+normal defrosting+closed+normal timer=defrostInterval > heaterOn",
        "22214.299626556 m stayed defrosting+closed+normal timer=maxTemperatureReached",
        "22800.000 m moved defrosting+closed+normal dripping+closed+normal timer=defrostDuration > heaterOff",
        "22920.000 m moved dripping+closed+normal cooling.minOn+closed+normal timer=drip > compressorOn",
        "22980.000 m moved cooling.minOn+closed+normal cooling.free+closed+normal timer=minOn",
        "23807.777089204 m moved cooling.free+closed+normal resting+closed+normal timer=minTemperatureReached > compressorOff",
      ])
    expectEqual(bench.timers()["defrostInterval"], .seconds(22_920 + 21_600))
  }

  @Test("a defrost that is shorter than minOff is followed by the rest of the rest")
  func shortDefrost() {
    let bench = bench(
      "cooling.free", ["defrostDuration": .interval(.seconds(50)), "drip": .interval(.seconds(30))])
    bench.fire("defrostInterval")
    bench.advance(to: .seconds(80))
    expectEqual(bench.state(), "resting+closed+normal")
    expectEqual(bench.timers()["minOff"], .seconds(180))
    expectEqual(bench.timers()["defrostInterval"], .seconds(21_680))
    // In `ready` the rest was over before the defrost began.
    let rested = self.bench("ready", ["defrostDuration": .interval(.seconds(50)), "drip": .interval(.seconds(30))])
    rested.fire("defrostInterval")
    rested.advance(to: .seconds(80))
    expectEqual(rested.state(), "ready+closed+normal")
  }

  @Test("a defrost that is exactly as long as minOff needs no rest after it")
  func defrostAsLongAsMinOff() {
    let bench = bench(
      "cooling.free", ["defrostDuration": .interval(.seconds(100)), "drip": .interval(.seconds(80))])
    bench.fire("defrostInterval")
    bench.advance(to: .seconds(180))
    expectEqual(bench.state(), "ready+closed+normal")
  }

  @Test("being at a limit is having reached it")
  func atTheLimits() {
    expectEqual(bench(nil, ["start": .number(6)]).reading("demand"), .flag(true))
    expectEqual(bench(nil, ["start": .number(10)]).state(), "resting+closed+pendingHigh")
    let narrow = bench("cooling.free", ["min": .number(6), "start": .number(7)])
    narrow.advance(to: narrow.nextDue!)
    expectEqual(narrow.state(), "resting+closed+normal")
    expectEqual(narrow.reading("demand"), .flag(true))
  }

  @Test("it starts as after powerRestored: resting in full, demand and alarm by the temperature")
  func start() {
    let warm = Bench(SmartFridge.kind)
    expectEqual(warm.lines, ["0.000 m created resting+closed+pendingHigh"])
    expectEqual(warm.reading("demand"), .flag(true))
    expectEqual(warm.timers()["minOff"], .seconds(180))
    expectEqual(warm.timers()["highTemp"], .seconds(1800))
    let cold = bench()
    expectEqual(cold.state(), "resting+closed+normal")
    expectEqual(cold.reading("demand"), .flag(false))
    expectNil(cold.timers()["highTemp"])
  }

  @Test("without power nothing runs, the temperature drifts, and the door is remembered")
  func powerLoss() throws {
    let bench = bench("cooling.free")
    bench.send("powerLost")
    expect(bench.timers().isEmpty)
    expectNil(bench.reading("demand"))
    bench.advance(to: .seconds(100))
    try expect(bench.reading("temperature"), isNear: 22 - 18 * exp(-100.0 / 7200))
    expectEqual(bench.send("doorOpened"), "stayed off event=doorOpened")
    expectEqual(bench.reading("door"), .text("open"))
    bench.advance(to: .seconds(700))
    let temperature = 22 - 18 * exp(-100.0 / 7200) * exp(-1)
    try expect(bench.reading("temperature"), isNear: temperature)
    expect(bench.timers().isEmpty)
    expectEqual(bench.send("powerRestored"), "moved off resting+open+pendingHigh event=powerRestored > lightOn")
    expectEqual(bench.reading("demand"), .flag(true))
    try expect(bench.reading("peak"), isNear: temperature)
    expectEqual(
      bench.timers(),
      [
        "minOff": .seconds(880), "doorAlarm": .seconds(820), "highTemp": .seconds(2500),
        "defrostInterval": .seconds(22_300),
      ])
  }

  @Test("a door that is open when the power fails is open when it is back")
  func powerLossBehindOpenDoor() {
    let bench = bench("resting")
    bench.send("doorOpened")
    bench.send("powerLost")
    expectEqual(bench.reading("door"), .text("open"))
    expect(bench.send("powerRestored"), hasSuffix: "resting+open+normal event=powerRestored > lightOn")
    bench.send("powerLost")
    bench.send("doorClosed")
    expect(bench.send("powerRestored"), hasSuffix: "resting+closed+normal event=powerRestored")
  }

  @Test("with doorStopDelay cooling goes on behind an open door, unless it is closed in time")
  func doorStopDelay() throws {
    let parameters = ["doorStopDelay": Value.interval(.seconds(60))]
    let left = bench("cooling.free", parameters)
    left.send("doorOpened")
    expectEqual(left.state(), "cooling.free+open+normal")
    left.advance(to: .seconds(30))
    try expect(left.reading("temperature"), isNear: 22 - 18 * exp(-30.0 / 900))
    left.advance(to: .seconds(60))
    expect(left.lines.last, hasSuffix: "resting+open+normal timer=doorStopDelay > compressorOff")
    let closed = bench("cooling.free", parameters)
    closed.send("doorOpened")
    closed.advance(to: .seconds(59))
    expect(closed.send("doorClosed"), hasSuffix: "cooling.free+closed+normal event=doorClosed > lightOff")
    expectNil(closed.timers()["doorStopDelay"])
  }

  @Test("a compressor that has stopped behind an open door is not stopped again")
  func stoppedMeanwhile() {
    let bench = bench("cooling.free", ["doorStopDelay": .interval(.seconds(60))])
    bench.send("doorOpened")
    bench.send("minTemperatureReached")
    expectEqual(bench.state(), "resting+open+normal")
    expectNil(bench.timers()["doorStopDelay"])
  }

  @Test("a defrost that waits for minOn is not lost when the door stops the compressor")
  func postponedDefrost() {
    let bench = bench("cooling.minOn")
    bench.fire("defrostInterval")
    bench.send("doorOpened")
    expectEqual(
      bench.lines.suffix(2),
      [
        "0.000 m moved cooling.minOn+closed+normal resting+open+normal event=doorOpened > compressorOff > lightOn",
        "0.000 m moved resting+open+normal defrosting+open+normal timer=defrostInterval > heaterOn",
      ])
  }

  @Test("the compressor does not start behind an open door; closing it starts a rested one")
  func startWaitsForTheDoor() {
    let bench = bench("ready")
    bench.send("doorOpened")
    expectEqual(bench.send("maxTemperatureReached"), "stayed ready+open+normal event=maxTemperatureReached")
    expectEqual(
      bench.send("doorClosed"),
      "moved ready+open+normal cooling.minOn+closed+normal event=doorClosed > compressorOn > lightOff")
  }

  @Test("a door that is there already is not heard of")
  func doorTwice() {
    let bench = bench("cooling.free", ["doorStopDelay": .interval(.seconds(60))])
    expectEqual(bench.send("doorClosed"), "ignored cooling.free+closed+normal event=doorClosed")
    bench.send("doorOpened")
    bench.advance(to: .seconds(30))
    expectEqual(bench.send("doorOpened"), "ignored cooling.free+open+normal event=doorOpened")
    expectEqual(bench.timers()["doorStopDelay"], .seconds(60))
  }

  @Test("the alarm stays until it is acknowledged in a cold chamber, and remembers the peak")
  func alarm() throws {
    let bench = bench("resting", ["start": .number(9), "minOff": .interval(.seconds(7200))])
    bench.advance(to: bench.timers()["highLimitReached"]!)
    expectEqual(bench.state(), "resting+closed+pendingHigh")
    expectEqual(bench.reading("peak"), .number(10))
    bench.advance(.seconds(1800))
    expect(bench.lines.last, hasSuffix: "resting+closed+highAlarm timer=highTemp > alarmOn")
    expectEqual(bench.send("acknowledge"), "stayed resting+closed+highAlarm event=acknowledge > buzzerOff")
    bench.advance(to: .seconds(7200))
    let peak = 22 - 13 * exp(-1.0)
    expectEqual(bench.state(), "cooling.minOn+closed+highAlarm")
    bench.advance(to: bench.timers()["highLimitLeft"]!)
    expectEqual(bench.reading("temperature"), .number(10))
    try expect(bench.reading("peak"), isNear: peak)
    expect(bench.send("acknowledge"), hasSuffix: "cooling.free+closed+normal event=acknowledge > alarmOff")
    expectNil(bench.reading("peak"))
  }

  @Test("while it thaws, warmth is no alarm; highTemp begins in full when the dripping ends")
  func thawing() {
    let bench = bench(
      "defrosting",
      [
        "defrostTarget": .number(40), "minOff": .interval(.zero), "minOn": .interval(.zero),
        "highTemp": .interval(.seconds(5)),
      ])
    bench.advance(to: .seconds(1319))
    expectEqual(bench.state(), "dripping+closed+pendingHigh")
    expectNil(bench.timers()["highTemp"])
    bench.advance(to: .seconds(1320))
    expectEqual(bench.timers()["highTemp"], .seconds(1325))
    bench.fire("defrostInterval")
    expectNil(bench.timers()["highTemp"])
  }

  @Test("minTemperatureReached sent by hand to a warm fridge is corrected after recheckDelay")
  func byHand() {
    let bench = bench("resting", ["start": .number(8)])
    expectEqual(bench.reading("demand"), .flag(true))
    bench.send("minTemperatureReached")
    expectEqual(bench.reading("demand"), .flag(false))
    bench.advance(to: .seconds(1))
    expectEqual(bench.reading("demand"), .flag(true))
  }

  @Test("by hand the high limit holds until the conditions change")
  func highLimitByHand() {
    let bench = bench("ready")
    bench.send("highLimitReached")
    bench.advance(to: .seconds(800))
    expectEqual(bench.state(), "ready+closed+pendingHigh")
    bench.send("doorOpened")
    bench.advance(.seconds(1))
    expectEqual(bench.state(), "ready+open+normal")
  }

  @Test(
    "a high limit by hand while it cools already is corrected after recheckDelay, and so is a low one while it is warm")
  func highLimitWhileCooling() {
    let cold = bench("cooling.free")
    cold.send("highLimitReached")
    expectEqual(cold.timers()["highLimitLeft"], .seconds(1))
    expectEqual(cold.timers()["highTemp"], .seconds(1800))
    cold.advance(to: .seconds(1))
    expectEqual(cold.state(), "cooling.free+closed+normal")
    expectNil(cold.timers()["highTemp"])
    let warm = bench("cooling.free", ["start": .number(12)])
    warm.send("highLimitLeft")
    expectEqual(warm.timers()["highLimitReached"], .seconds(1))
    warm.advance(to: .seconds(1))
    expectEqual(warm.state(), "cooling.free+closed+pendingHigh")
    // 3600 s · ln(30 / 28), from the initial twelve degrees to the limit of ten.
    expectEqual(warm.timers()["highLimitLeft"], Instant(nanoseconds: 248_374_337_353))
    expectEqual(warm.timers()["highTemp"], .seconds(1801))
  }

  @Test("the words are the product of the regions, and off")
  func words() {
    let words = SmartFridge.kind.states.map(\.word)
    expectEqual(words.count, 55)
    expectEqual(Set(words).count, 55)
    expectEqual(words.prefix(3), ["off", "resting+closed+normal", "resting+closed+pendingHigh"])
    expectEqual(words.last, "dripping+openTooLong+highAlarm")
    expectEqual(
      SmartFridge.kind.initialStates,
      [
        "off", "resting", "ready", "cooling.minOn", "cooling.free", "defrosting", "dripping",
      ])
  }
}
