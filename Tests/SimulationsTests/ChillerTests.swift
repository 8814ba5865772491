import MachineForms
import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct ChillerTests {
  @Test("all cells that are not ignored: seven states, four events, five timers")
  func pairs() {
    Table(
      Chiller.kind,
      rows: [
        "minOn, defrost pending": {
          let bench = Bench(Chiller.kind, initial: "on.cooling.minOn")
          bench.fire("defrost")
          return bench
        }
      ],
      listing: """
        off                   | powerRestored   | → on.idle.resting
        on.idle.resting       | powerLost       | → off
        on.idle.resting       | rest expires    | → on.idle.ready
        on.idle.resting       | defrost expires | → on.defrost.defrosting > heaterOn
        on.idle.ready         | warm            | → on.cooling.minOn > compressorOn
        on.idle.ready         | powerLost       | → off
        on.idle.ready         | defrost expires | → on.defrost.defrosting > heaterOn
        on.cooling.minOn      | powerLost       | → off > compressorOff
        on.cooling.minOn      | minOn expires   | → on.cooling.free
        on.cooling.minOn      | defrost expires | ⟲
        minOn, defrost pending | powerLost      | → off > compressorOff
        minOn, defrost pending | minOn expires  | → on.defrost.defrosting > compressorOff > heaterOn
        minOn, defrost pending | defrost expires | ⟲
        on.cooling.free       | cold            | → on.idle.resting > compressorOff
        on.cooling.free       | powerLost       | → off > compressorOff
        on.cooling.free       | defrost expires | → on.defrost.defrosting > compressorOff > heaterOn
        on.defrost.defrosting | powerLost       | → off > heaterOff
        on.defrost.defrosting | thaw expires    | → on.defrost.dripping > heaterOff
        on.defrost.defrosting | defrost expires | ⟲
        on.defrost.dripping   | powerLost       | → off
        on.defrost.dripping   | drip expires    | → on.idle.resting
        on.defrost.dripping   | defrost expires | ⟲
        """
    ).check()
  }

  @Test("the loss of power leaves whatever is on from the inside out; with the power it begins at the beginning")
  func power() {
    let bench = Bench(Chiller.kind, initial: "on.cooling.free")
    expectEqual(bench.send("powerLost"), "moved on.cooling.free off event=powerLost > compressorOff")
    expectNil(bench.nextDue)
    expectEqual(bench.send("powerRestored"), "moved off on.idle.resting event=powerRestored")
    expectEqual(bench.timers(), ["rest": .seconds(180), "defrost": .seconds(21_600)])
  }

  @Test("a day: it cools when it may, and every six hours it defrosts, counted from one to the next")
  func day() {
    let bench = Bench(Chiller.kind)
    bench.send("powerRestored")
    bench.advance(to: .seconds(180))
    bench.send("warm")
    bench.advance(to: .seconds(200))
    bench.send("cold")
    bench.advance(to: .seconds(300))
    bench.send("cold")
    bench.advance(to: .seconds(44_000))
    expectEqual(
      bench.lines,
      [
        "0.000 m created off",
        "0.000 m moved off on.idle.resting event=powerRestored",
        "180.000 m moved on.idle.resting on.idle.ready timer=rest",
        "180.000 m moved on.idle.ready on.cooling.minOn event=warm > compressorOn",
        "200.000 m ignored on.cooling.minOn event=cold",
        "240.000 m moved on.cooling.minOn on.cooling.free timer=minOn",
        "300.000 m moved on.cooling.free on.idle.resting event=cold > compressorOff",
        "480.000 m moved on.idle.resting on.idle.ready timer=rest",
        "21600.000 m moved on.idle.ready on.defrost.defrosting timer=defrost > heaterOn",
        "22800.000 m moved on.defrost.defrosting on.defrost.dripping timer=thaw > heaterOff",
        "22920.000 m moved on.defrost.dripping on.idle.resting timer=drip",
        "23100.000 m moved on.idle.resting on.idle.ready timer=rest",
        "43200.000 m moved on.idle.ready on.defrost.defrosting timer=defrost > heaterOn",
      ])
  }

  @Test("a defrost that takes longer than the time between two goes on, and the next is due in its turn")
  func longDefrost() {
    let bench = Bench(
      Chiller.kind, initial: "on.idle.ready",
      ["defrostEvery": .interval(.seconds(100)), "thaw": .interval(.seconds(150)), "drip": .interval(.seconds(10))])
    bench.advance(to: .seconds(260))
    expectEqual(
      bench.lines.dropFirst(),
      [
        "100.000 m moved on.idle.ready on.defrost.defrosting timer=defrost > heaterOn",
        "200.000 m stayed on.defrost.defrosting timer=defrost",
        "250.000 m moved on.defrost.defrosting on.defrost.dripping timer=thaw > heaterOff",
        "260.000 m moved on.defrost.dripping on.idle.resting timer=drip",
      ])
    expectEqual(bench.timers(), ["rest": .seconds(440), "defrost": .seconds(300)])
  }

  @Test("a defrost that is due while the compressor must not stop waits for that, and the next is due in its turn")
  func pendingDefrost() {
    let bench = Bench(Chiller.kind, initial: "on.idle.ready", ["defrostEvery": .interval(.seconds(100))])
    bench.advance(to: .seconds(80))
    bench.send("warm")
    bench.advance(to: .seconds(139))
    expectEqual(bench.reading("defrostPending"), .flag(true))
    bench.advance(to: .seconds(140))
    expectEqual(
      bench.lines.dropFirst(2),
      [
        "100.000 m stayed on.cooling.minOn timer=defrost",
        "140.000 m moved on.cooling.minOn on.defrost.defrosting timer=minOn > compressorOff > heaterOn",
      ])
    expectEqual(bench.reading("defrostPending"), .flag(false))
    expectEqual(bench.timers(), ["thaw": .seconds(1340), "defrost": .seconds(200)])
  }

  @Test("a pending defrost is forgotten with the power")
  func forgottenDefrost() {
    let bench = Bench(Chiller.kind, initial: "on.cooling.minOn")
    bench.fire("defrost")
    bench.send("powerLost")
    bench.send("powerRestored")
    bench.advance(.seconds(180))
    bench.send("warm")
    bench.advance(.seconds(60))
    expectEqual(bench.state(), "on.cooling.free")
  }
}
