import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct GameCharacterTests {
  @Test("all pairs of the enemy")
  func enemy() {
    Table(Enemy.kind, in: "../../Sources/Simulations/Devices/Enemy.swift").check()
  }

  private static func with(_ items: String...) -> @Sendable () -> Bench {
    {
      let bench = Bench(GameCharacter.kind)
      for item in items { bench.send("pickUp", .text(item)) }
      return bench
    }
  }

  @Test("all pairs of the character")
  func pairs() {
    Table(
      GameCharacter.kind, in: "../../Sources/Simulations/Devices/GameCharacter.swift",
      rows: ["armored": Self.with("armor"), "with a laser": Self.with("laser")]
    ).check()
  }

  private func have(_ bench: Bench) -> [Value?] { [bench.reading("armor"), bench.reading("laser")] }

  @Test("hits wear the armor; the last one leaves the laser")
  func hits() {
    let bench = Self.with("armor", "laser")()
    bench.send("hit", .integer(40))
    expect(bench.state() == "strong(armor,laser)" && have(bench) == [.integer(60), .flag(true)])
    bench.send("hit", .integer(59))
    expectEqual(have(bench), [.integer(1), .flag(true)])
    expectEqual(bench.send("hit", .integer(1)), "moved strong(armor,laser) weak event=hit > became weak")
    expectEqual(have(bench), [.integer(0), .flag(true)])
    expectNil(bench.nextDue)
    bench.send("pickUp", .text("armor"))
    expect(bench.word() == "strong" && have(bench) == [.integer(100), .flag(true)])
  }

  @Test("an armor wears and breaks without a laser too, and a new one is whole")
  func armorAlone() {
    let bench = Self.with("armor")()
    bench.send("hit", .integer(40))
    expectEqual(have(bench), [.integer(60), .flag(false)])
    bench.send("pickUp", .text("armor"))
    expectEqual(have(bench), [.integer(100), .flag(false)])
    bench.send("hit", .integer(1_000_000))
    expectEqual(have(bench), [.integer(0), .flag(false)])
  }

  @Test("whatever is picked up in strong begins the power anew; when it expires, both are gone")
  func power() {
    let bench = Self.with("armor", "laser")()
    expectEqual(bench.timers(), ["power": .seconds(30)])
    bench.advance(to: .seconds(20))
    bench.send("pickUp", .text("laser"))
    expectEqual(bench.timers(), ["power": .seconds(50)])
    bench.advance(to: .seconds(40))
    bench.send("pickUp", .text("armor"))
    expectEqual(bench.timers(), ["power": .seconds(70)])
    bench.advance(to: .seconds(70))
    expect(bench.state() == "weak" && have(bench) == [.integer(0), .flag(false)])
    expectNil(bench.nextDue)
  }

  @Test("started strong, it has power")
  func initial() {
    let bench = Bench(GameCharacter.kind, initial: "strong", ["power": .interval(.seconds(5)), "armor": .integer(7)])
    expectEqual(bench.timers(), ["power": .seconds(5)])
    expectEqual(have(bench), [.integer(7), .flag(true)])
  }

  @Test("an enemy flees while the character is strong")
  func encounter() {
    let bench = Bench()
    bench.add(.encounter, "m")
    bench.play(
      """
      created                   | m.hero: → weak
                                | m.ogre: → idle
      m.ogre characterSeen weak | → attacking
      advance 1s                |
      m.hero pickUp armor       | stayed
      advance 1s                |
      m.hero pickUp laser       | → strong(armor,laser) > became strong + power 30s
                                | m.ogre: characterBecame → fleeing
      advance 30s               | m.hero: power → weak > became weak
                                | m.ogre: characterBecame → attacking
      """)
  }
}
