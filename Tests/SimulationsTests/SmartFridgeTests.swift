import Foundation
import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct SmartFridgeTests {
  /// A fridge at 4 °C with the door closed and no alarm, in a state of the compressor's region.
  private static func bench(_ state: String, _ parameters: [String: Value] = [:]) -> Bench {
    Bench(SmartFridge.kind, initial: state, parameters.merging(["start": .number(4)]) { given, _ in given })
  }

  /// The same fridge after some events; `NAME!` fires a timer.
  private static func bench(_ state: String, _ parameters: [String: Value] = [:], after inputs: String...) -> Bench {
    let bench = bench(state, parameters)
    for input in inputs {
      if input.hasSuffix("!") { bench.fire(String(input.dropLast())) } else { bench.send(input) }
    }
    return bench
  }

  @Test("the compressor's region and the power: all pairs behind a closed door")
  func compressor() {
    Table(
      SmartFridge.kind, with: ["start": .number(4)],
      rows: [
        "resting, demand": { Self.bench("resting", after: "maxTemperatureReached") },
        "cooling.minOn, to stop": { Self.bench("cooling.minOn", after: "minTemperatureReached") },
        "cooling.minOn, to defrost": {
          Self.bench("cooling.minOn", after: "minTemperatureReached", "defrostInterval!")
        },
      ],
      listing: """
        off             | doorOpened                    | ⟲
        off             | doorClosed                    | ⟲
        off             | powerRestored                 | → resting+closed+normal
        resting         | minTemperatureReached         | ⟲
        resting         | maxTemperatureReached         | ⟲
        resting         | maxTemperatureReached expires | ⟲
        resting         | doorOpened                    | → resting+open+normal > lightOn
        resting         | highLimitReached              | → resting+closed+pendingHigh
        resting         | highLimitReached expires      | → resting+closed+pendingHigh
        resting         | minOff expires                | → ready+closed+normal
        resting         | defrostInterval expires       | → defrosting+closed+normal > heaterOn
        resting         | powerLost                     | → off
        resting, demand | minTemperatureReached         | ⟲
        resting, demand | maxTemperatureReached         | ⟲
        resting, demand | maxTemperatureReached expires | ⟲
        resting, demand | doorOpened                    | → resting+open+normal > lightOn
        resting, demand | highLimitReached              | → resting+closed+pendingHigh
        resting, demand | highLimitReached expires      | → resting+closed+pendingHigh
        resting, demand | minOff expires                | → cooling.minOn+closed+normal > compressorOn
        resting, demand | defrostInterval expires       | → defrosting+closed+normal > heaterOn
        resting, demand | powerLost                     | → off
        ready           | minTemperatureReached         | ⟲
        ready           | maxTemperatureReached         | → cooling.minOn+closed+normal > compressorOn
        ready           | maxTemperatureReached expires | → cooling.minOn+closed+normal > compressorOn
        ready           | doorOpened                    | → ready+open+normal > lightOn
        ready           | highLimitReached              | → ready+closed+pendingHigh
        ready           | highLimitReached expires      | → ready+closed+pendingHigh
        ready           | defrostInterval expires       | → defrosting+closed+normal > heaterOn
        ready           | powerLost                     | → off
        cooling.minOn   | minTemperatureReached         | ⟲
        cooling.minOn   | minTemperatureReached expires | ⟲
        cooling.minOn   | doorOpened                    | → resting+open+normal > compressorOff > lightOn
        cooling.minOn   | highLimitReached              | → cooling.minOn+closed+pendingHigh
        cooling.minOn   | minOn expires                 | → cooling.free+closed+normal
        cooling.minOn   | defrostInterval expires       | ⟲
        cooling.minOn   | powerLost                     | → off > compressorOff
        cooling.minOn, to stop | minTemperatureReached         | ⟲
        cooling.minOn, to stop | minTemperatureReached expires | ⟲
        cooling.minOn, to stop | doorOpened       | → resting+open+normal > compressorOff > lightOn
        cooling.minOn, to stop | highLimitReached | → cooling.minOn+closed+pendingHigh
        cooling.minOn, to stop | minOn expires    | → resting+closed+normal > compressorOff
        cooling.minOn, to stop | defrostInterval expires | ⟲
        cooling.minOn, to stop | powerLost        | → off > compressorOff
        cooling.minOn, to defrost | minTemperatureReached         | ⟲
        cooling.minOn, to defrost | minTemperatureReached expires | ⟲
        cooling.minOn, to defrost | doorOpened       | → resting+open+normal > compressorOff > lightOn
        cooling.minOn, to defrost | highLimitReached | → cooling.minOn+closed+pendingHigh
        cooling.minOn, to defrost | minOn expires    | → defrosting+closed+normal > compressorOff > heaterOn
        cooling.minOn, to defrost | powerLost        | → off > compressorOff
        cooling.free    | minTemperatureReached         | → resting+closed+normal > compressorOff
        cooling.free    | minTemperatureReached expires | → resting+closed+normal > compressorOff
        cooling.free    | doorOpened                    | → resting+open+normal > compressorOff > lightOn
        cooling.free    | highLimitReached              | → cooling.free+closed+pendingHigh
        cooling.free    | defrostInterval expires       | → defrosting+closed+normal > compressorOff > heaterOn
        cooling.free    | powerLost                     | → off > compressorOff
        defrosting      | minTemperatureReached         | ⟲
        defrosting      | maxTemperatureReached         | ⟲
        defrosting      | maxTemperatureReached expires | ⟲
        defrosting      | doorOpened                    | → defrosting+open+normal > lightOn
        defrosting      | highLimitReached              | → defrosting+closed+pendingHigh
        defrosting      | highLimitReached expires      | → defrosting+closed+pendingHigh
        defrosting      | defrostDuration expires       | → dripping+closed+normal > heaterOff
        defrosting      | powerLost                     | → off > heaterOff
        dripping        | minTemperatureReached         | ⟲
        dripping        | maxTemperatureReached         | ⟲
        dripping        | maxTemperatureReached expires | ⟲
        dripping        | doorOpened                    | → dripping+open+normal > lightOn
        dripping        | highLimitReached              | → dripping+closed+pendingHigh
        dripping        | highLimitReached expires      | → dripping+closed+pendingHigh
        dripping        | drip expires                  | → resting+closed+normal
        dripping        | powerLost                     | → off
        """
    ).check()
  }

  /// Checks only the listed cells: state, input, cell.
  private func check(_ bench: @autoclosure @escaping @Sendable () -> Bench, _ listing: String) {
    let table = Table(
      SmartFridge.kind, with: ["start": .number(4)], rows: ["here": bench],
      listing: listing.split(separator: "\n").map { "here | \($0)" }.joined(separator: "\n"))
    let mismatches = table.mismatches().filter { $0.hasPrefix("smartFridge: here, ") }
    expect(mismatches.isEmpty, "\(mismatches.joined(separator: "\n"))")
  }

  @Test("the door's region: all pairs with the compressor resting")
  func door() {
    check(
      Self.bench("resting", after: "doorOpened"),
      """
      minTemperatureReached | ⟲
      maxTemperatureReached | ⟲
      maxTemperatureReached expires | ⟲
      highLimitReached | → resting+open+pendingHigh
      highLimitReached expires | → resting+open+pendingHigh
      doorClosed | → resting+closed+normal > lightOff
      powerLost | → off > lightOff
      minOff expires | → ready+open+normal
      doorAlarm expires | → resting+openTooLong+normal > buzzerOn
      defrostInterval expires | → defrosting+open+normal > heaterOn
      """)
    check(
      Self.bench("resting", after: "doorOpened", "doorAlarm!"),
      """
      minTemperatureReached | ⟲
      maxTemperatureReached | ⟲
      maxTemperatureReached expires | ⟲
      highLimitReached | → resting+openTooLong+pendingHigh
      highLimitReached expires | → resting+openTooLong+pendingHigh
      doorClosed | → resting+closed+normal > lightOff > buzzerOff
      silence | ⟲ > buzzerOff
      powerLost | → off > lightOff > buzzerOff
      minOff expires | → ready+openTooLong+normal
      defrostInterval expires | → defrosting+openTooLong+normal > heaterOn
      """)
    let silenced = Self.bench("resting", after: "doorOpened", "doorAlarm!", "silence")
    expectEqual(silenced.timers()["doorAlarm"], .seconds(120))
    silenced.fire("doorAlarm")
    expectEqual(silenced.lines.last, "0.000 m stayed resting+openTooLong+normal timer=doorAlarm > buzzerOn")
  }

  @Test("the alarm's region: all pairs with the compressor cooling")
  func alarm() {
    check(
      Self.bench("cooling.free", ["start": .number(11)]),
      """
      minTemperatureReached | → resting+closed+pendingHigh > compressorOff
      minTemperatureReached expires | → resting+closed+pendingHigh > compressorOff
      highLimitLeft | → cooling.free+closed+normal
      highLimitLeft expires | → cooling.free+closed+normal
      doorOpened | → resting+open+pendingHigh > compressorOff > lightOn
      powerLost | → off > compressorOff
      highTemp expires | → cooling.free+closed+highAlarm > alarmOn
      defrostInterval expires | → defrosting+closed+pendingHigh > compressorOff > heaterOn
      """)
    check(
      Self.bench("cooling.free", ["start": .number(11)], after: "highTemp!"),
      """
      minTemperatureReached | → resting+closed+highAlarm > compressorOff
      minTemperatureReached expires | → resting+closed+highAlarm > compressorOff
      highLimitLeft | ⟲
      highLimitLeft expires | ⟲
      acknowledge | ⟲ > buzzerOff
      doorOpened | → resting+open+highAlarm > compressorOff > lightOn
      powerLost | → off > compressorOff > alarmOff
      defrostInterval expires | → defrosting+closed+highAlarm > compressorOff > heaterOn
      """)
    check(
      Self.bench("cooling.free", ["start": .number(11)], after: "highTemp!", "highLimitLeft!"),
      """
      minTemperatureReached | → resting+closed+highAlarm > compressorOff
      minTemperatureReached expires | → resting+closed+highAlarm > compressorOff
      highLimitReached | ⟲
      highLimitReached expires | ⟲
      acknowledge | → cooling.free+closed+normal > alarmOff
      doorOpened | → resting+open+highAlarm > compressorOff > lightOn
      powerLost | → off > compressorOff > alarmOff
      defrostInterval expires | → defrosting+closed+highAlarm > compressorOff > heaterOn
      """)
  }
}
