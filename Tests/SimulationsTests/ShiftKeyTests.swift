import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct ShiftKeyTests {
  @Test("all pairs, the window open and closed")
  func pairs() {
    Table(
      ShiftKey.kind, in: "../../Sources/Simulations/Devices/ShiftKey.swift",
      rows: [
        "on, window closed": {
          let bench = Bench(ShiftKey.kind, initial: "on")
          bench.advance(to: .milliseconds(350))
          return bench
        }
      ]
    ).check()
  }

  @Test("all pairs with gestureMode")
  func pairsOfGestures() {
    let parameters = ["gestureMode": Value.flag(true)]
    Table(
      ShiftKey.kind, with: parameters,
      rows: [
        "on, window closed": {
          let bench = Bench(ShiftKey.kind, initial: "on", parameters)
          bench.advance(to: .milliseconds(350))
          return bench
        },
        "off, window open": {
          let bench = Bench(ShiftKey.kind, initial: "on", parameters)
          bench.advance(to: .milliseconds(350))
          bench.send("tap")
          return bench
        },
      ],
      """
      state             | tap        | character(a)   | doubleTap expires
      off               | → on       | ⟲ > text a     | –
      off, window open  | → capsLock | ⟲ > text a     | ⟲
      on                | → capsLock | → off > text A | ⟲
      on, window closed | → off      | → off > text A | –
      capsLock          | → off      | ⟲ > text A     | –
      """
    ).check()
  }

  /// Sends taps and letters at moments in milliseconds. Returns the state after each, and the text.
  private func play(_ inputs: [(Int64, String)], gestureMode: Bool = false) -> (states: [String], text: String) {
    let bench = Bench(ShiftKey.kind, ["gestureMode": .flag(gestureMode)])
    let states = inputs.map { at, input in
      bench.advance(to: .milliseconds(at))
      if input == "tap" { bench.send("tap") } else { bench.send("character", .text(input)) }
      return bench.state()
    }
    let text = bench.lines.compactMap { $0.split(separator: " > text ").dropFirst().first }.joined()
    bench.advance(.seconds(60))
    expectNil(bench.nextDue)
    return (states, text)
  }

  @Test("two quick taps lock, a third tap unlocks")
  func quickDouble() {
    expectEqual(play([(0, "tap"), (200, "tap"), (1000, "tap")]).states, ["on", "capsLock", "off"])
  }

  @Test("a tap exactly when the window closes comes too late, one nanosecond before it does not")
  func atTheEnd() {
    expectEqual(play([(0, "tap"), (350, "tap")]).states, ["on", "off"])
    let bench = Bench(ShiftKey.kind)
    bench.send("tap")
    bench.advance(to: Instant(nanoseconds: 349_999_999))
    bench.send("tap")
    expectEqual(bench.state(), "capsLock")
  }

  @Test("Shift is for one letter")
  func oneShot() {
    let played = play([(0, "tap"), (500, "a"), (600, "b")])
    expectEqual(played.states, ["on", "off", "off"])
    expectEqual(played.text, "Ab")
  }

  @Test("Caps Lock is for all letters")
  func capsTyping() {
    let played = play([(0, "tap"), (100, "tap"), (200, "a"), (300, "b"), (3000, "tap")])
    expectEqual(played.states, ["on", "capsLock", "capsLock", "capsLock", "off"])
    expectEqual(played.text, "AB")
  }

  @Test("the two modes differ where two quick taps begin in on, and only there")
  func gestureMode() {
    let late: [(Int64, String)] = [(0, "tap"), (1000, "tap"), (1200, "tap")]
    expectEqual(play(late).states, ["on", "off", "on"])
    expectEqual(play(late, gestureMode: true).states, ["on", "off", "capsLock"])
    let fromLock: [(Int64, String)] = [(0, "tap"), (100, "tap"), (1000, "tap"), (1100, "tap")]
    expectEqual(play(fromLock).states, ["on", "capsLock", "off", "on"])
    expectEqual(play(fromLock, gestureMode: true).states, ["on", "capsLock", "off", "on"])
    let parted: [(Int64, String)] = [(0, "tap"), (1000, "tap"), (1100, "a"), (1200, "tap")]
    expectEqual(play(parted, gestureMode: true).states, ["on", "off", "off", "on"])
  }

  @Test("a window of no length is closed before the next request")
  func noWindow() {
    let bench = Bench(ShiftKey.kind, ["doubleTap": .interval(.zero)])
    bench.send("tap")
    bench.send("tap")
    expectEqual(bench.state(), "off")
  }

  @Test("letters keep all that becomes of them", arguments: [("ß", "SS", "ß"), ("É", "É", "é"), ("7", "7", "7")])
  func letters(key: String, upper: String, lower: String) {
    let bench = Bench(ShiftKey.kind)
    expectEqual(bench.send("character", .text(key)), "stayed off event=character > text \(lower)")
    bench.send("tap")
    expectEqual(bench.send("character", .text(key)), "moved on off event=character > text \(upper)")
  }
}
