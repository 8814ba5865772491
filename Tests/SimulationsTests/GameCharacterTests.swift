import Simulations
import StateMachines
import Testing

struct GameCharacterTests {
  @Test("all pairs of the enemy")
  func enemy() {
    Table(
      Enemy.kind,
      """
      state     | characterSeen(weak) | characterSeen(strong) | characterLost | characterBecame(weak) | characterBecame(strong) | killed
      idle      | → attacking         | → fleeing             | ignore        | ignore                | ignore                  | → dead
      attacking | ⟲                   | → fleeing             | → idle        | ⟲                     | → fleeing               | → dead
      fleeing   | → attacking         | ⟲                     | → idle        | → attacking           | ⟲                       | → dead
      dead      | ignore              | ignore                | ignore        | ignore                | ignore                  | refuse
      """
    ).check()
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
      GameCharacter.kind,
      rows: ["armored": Self.with("armor"), "with a laser": Self.with("laser")],
      """
      state        | pickUp(armor)                          | pickUp(laser)                          | hit(1) | hit(100)                   | powerExpired         | power expires
      weak         | ⟲                                      | ⟲                                      | ignore | ignore                     | ignore               | –
      armored      | ⟲                                      | → strong(armor,laser) > became strong  | ⟲      | ⟲                          | ignore               | –
      with a laser | → strong(armor,laser) > became strong  | ⟲                                      | ignore | ignore                     | ignore               | –
      strong       | ⟲                                      | ⟲                                      | ⟲      | → weak > became weak       | → weak > became weak | → weak > became weak
      """
    ).check()
  }

  private func have(_ bench: Bench) -> [Value?] { [bench.reading("armor"), bench.reading("laser")] }

  @Test("hits wear the armor; the last one leaves the laser")
  func hits() {
    let bench = Self.with("armor", "laser")()
    bench.send("hit", .integer(40))
    #expect(bench.state() == "strong(armor,laser)" && have(bench) == [.integer(60), .flag(true)])
    bench.send("hit", .integer(59))
    #expect(have(bench) == [.integer(1), .flag(true)])
    #expect(bench.send("hit", .integer(1)) == "moved strong(armor,laser) weak event=hit > became weak")
    #expect(have(bench) == [.integer(0), .flag(true)])
    #expect(bench.nextDue == nil)
    bench.send("pickUp", .text("armor"))
    #expect(bench.word() == "strong" && have(bench) == [.integer(100), .flag(true)])
  }

  @Test("an armor wears and breaks without a laser too, and a new one is whole")
  func armorAlone() {
    let bench = Self.with("armor")()
    bench.send("hit", .integer(40))
    #expect(have(bench) == [.integer(60), .flag(false)])
    bench.send("pickUp", .text("armor"))
    #expect(have(bench) == [.integer(100), .flag(false)])
    bench.send("hit", .integer(1_000_000))
    #expect(have(bench) == [.integer(0), .flag(false)])
  }

  @Test("whatever is picked up in strong begins the power anew; when it expires, both are gone")
  func power() {
    let bench = Self.with("armor", "laser")()
    #expect(bench.timers() == ["power": .seconds(30)])
    bench.advance(to: .seconds(20))
    bench.send("pickUp", .text("laser"))
    #expect(bench.timers() == ["power": .seconds(50)])
    bench.advance(to: .seconds(40))
    bench.send("pickUp", .text("armor"))
    #expect(bench.timers() == ["power": .seconds(70)])
    bench.advance(to: .seconds(70))
    #expect(bench.state() == "weak" && have(bench) == [.integer(0), .flag(false)])
    #expect(bench.nextDue == nil)
  }

  @Test("started strong, it has power")
  func initial() {
    let bench = Bench(GameCharacter.kind, initial: "strong", ["power": .interval(.seconds(5)), "armor": .integer(7)])
    #expect(bench.timers() == ["power": .seconds(5)])
    #expect(have(bench) == [.integer(7), .flag(true)])
  }

  private static let moves: [Move] = [
    .send("m.ogre", event: "characterSeen", [.text("weak")]), .advance(.seconds(1)),
    .send("m.hero", event: "pickUp", [.text("armor")]), .advance(.seconds(1)),
    .send("m.hero", event: "pickUp", [.text("laser")]), .advance(.seconds(30)),
  ]

  private static let lines = [
    "0.000 m.hero created weak",
    "0.000 m.ogre created idle",
    "0.000 m.ogre moved idle attacking event=characterSeen",
    "1.000 m.hero stayed weak event=pickUp",
    "2.000 m.hero moved weak strong event=pickUp > became strong",
    "2.000 m.ogre moved attacking fleeing wire=m.hero.became",
    "32.000 m.hero moved strong weak timer=power > became weak",
    "32.000 m.ogre moved fleeing attacking wire=m.hero.became",
  ]

  @Test("an enemy flees while the character is strong, in a world")
  func inWorld() throws {
    var world = try WorldTranscript(.composition(.encounter), initial: nil, seed: 0)
    for move in Self.moves { world.perform(move) }
    #expect(world.lines().map { $0.replacing("(armor,laser)", with: "") } == Self.lines)
    #expect(world.violations == [])
  }
}
