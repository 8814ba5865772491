import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct GameSessionTests {
  @Test("all pairs", arguments: ["auto", "manual"])
  func pairs(frames: String) {
    let frame = frames == "auto" ? "⟲ > update 0.016666666 > drawWorld" : "–"
    Table(
      GameSession.kind, with: ["frames": .text(frames)],
      """
      state   | start     | pause    | resume    | toMenu | gameOver | frame(0.016)                 | frame expires
      menu    | → playing | refuse   | refuse    | ignore | refuse   | ⟲ > drawMenu                 | –
      playing | refuse    | → paused | ignore    | → menu | → over   | ⟲ > update 0.016 > drawWorld | \(frame)
      paused  | refuse    | ignore   | → playing | → menu | refuse   | ignore                       | –
      over    | → playing | refuse   | refuse    | → menu | ignore   | ⟲ > drawResult               | –
      """
    ).check()
  }

  private func drawn(_ bench: Bench) -> Int { bench.lines.count { $0.contains("drawWorld") } }

  @Test("30 frames, a pause without any, and 30 frames again")
  func trace() {
    let bench = Bench(GameSession.kind)
    bench.send("start")
    bench.advance(to: .milliseconds(500))
    expectEqual(drawn(bench), 30)
    expectEqual(bench.send("pause"), "moved playing paused event=pause")
    expectNil(bench.nextDue)
    bench.advance(to: .seconds(1))
    expectEqual(drawn(bench), 30)
    expectEqual(bench.reading("worldTime"), .interval(.milliseconds(500)))
    bench.send("resume")
    bench.advance(to: .milliseconds(1_500))
    expectEqual(drawn(bench), 60)
    expectEqual(bench.reading("worldTime"), .interval(.seconds(1)))
    expectEqual(bench.reading("frames"), .integer(60))
  }

  @Test("each frame is due when the world is so old to the nanosecond, and none drifts", arguments: [60, 7, 1, 1_000])
  func due(rate: Int) {
    let begin: Int64 = 123_456_789
    let bench = Bench(GameSession.kind, ["frameRate": .integer(rate)])
    bench.advance(to: Instant(nanoseconds: begin))
    bench.send("start")
    for frame in 1...Int64(1_000) {
      let age = frame * 1_000_000_000 / Int64(rate)
      expectEqual(bench.timers(), ["frame": Instant(nanoseconds: begin + age)])
      bench.advance(to: Instant(nanoseconds: begin + age))
    }
    expectEqual(bench.reading("frames"), .integer(1_000))
    let updates = bench.lines.compactMap { line in line.split(separator: " ").drop { $0 != "update" }.dropFirst().first
    }
    expect(updates.count == 1_000 && Set(updates).count <= 2)
  }

  @Test("a pause within a frame leaves the rest of it for later, however often it comes")
  func pauses() {
    let bench = Bench(GameSession.kind)
    bench.send("start")
    for _ in 0..<4 {
      bench.advance(.milliseconds(4))
      bench.send("pause")
      bench.advance(.seconds(100))
      bench.send("resume")
    }
    expectEqual(bench.timers(), ["frame": bench.now + Nanoseconds(nanoseconds: 666_666)])
    expectEqual(bench.reading("worldTime"), .interval(.milliseconds(16)))
    bench.advance(Nanoseconds(nanoseconds: 666_665))
    expectEqual(drawn(bench), 0)
    bench.advance(Nanoseconds(nanoseconds: 1))
    expectEqual(drawn(bench), 1)
  }

  @Test("a frame that is brought early is followed by the next one at its own time")
  func fired() {
    let bench = Bench(GameSession.kind)
    bench.send("start")
    bench.fire("frame")
    expectEqual(bench.timers(), ["frame": Instant(nanoseconds: 33_333_333)])
  }

  @Test("a frame by hand is drawn beside those of the clock, and does not move the world")
  func byHand() {
    let bench = Bench(GameSession.kind)
    bench.send("start")
    bench.advance(to: .milliseconds(10))
    bench.send("frame", .interval(.seconds(5)))
    expectEqual(bench.timers(), ["frame": Instant(nanoseconds: 16_666_666)])
    expectEqual(bench.reading("worldTime"), .interval(.milliseconds(10)))
    expectEqual(bench.reading("frames"), .integer(1))
  }

  @Test("without a clock the frames move the world, and real time does not")
  func manual() {
    let bench = Bench(GameSession.kind, ["frames": .text("manual")])
    bench.send("start")
    expectNil(bench.nextDue)
    bench.advance(.seconds(10))
    bench.send("frame", .interval(.milliseconds(16)))
    bench.send("pause")
    bench.send("frame", .interval(.milliseconds(16)))
    bench.send("resume")
    bench.send("frame", .interval(.milliseconds(17)))
    expectEqual(bench.reading("worldTime"), .interval(.milliseconds(33)))
    expectEqual(bench.reading("frames"), .integer(2))
    for _ in 0..<5 { bench.send("frame", .interval(.longest)) }
    expectEqual(bench.reading("worldTime"), .interval(.longest))
  }

  @Test("a new game has a new world; the old one's result stays until then")
  func over() {
    let bench = Bench(GameSession.kind)
    bench.send("start")
    bench.advance(to: .seconds(1))
    bench.send("gameOver")
    bench.advance(to: .seconds(9))
    expectEqual(bench.reading("worldTime"), .interval(.seconds(1)))
    bench.send("start")
    expectEqual(bench.reading("worldTime"), .interval(.zero))
    expectEqual(bench.reading("frames"), .integer(0))
    bench.send("toMenu")
    expect(bench.reading("worldTime") == nil && bench.reading("frames") == nil)
    expectNil(bench.nextDue)
  }

  @Test("started in playing, the clock runs; started in paused, it does not")
  func initial() {
    expectEqual(Bench(GameSession.kind, initial: "playing").timers(), ["frame": Instant(nanoseconds: 16_666_666)])
    let paused = Bench(GameSession.kind, initial: "paused")
    expectNil(paused.nextDue)
    paused.send("resume")
    expectEqual(paused.timers(), ["frame": Instant(nanoseconds: 16_666_666)])
  }
}
