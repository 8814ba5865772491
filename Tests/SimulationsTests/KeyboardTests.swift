import MachineForms
import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct KeyboardTests {
  @Test("all pairs: each region does what it does alone, whatever the others are in")
  func pairs() {
    let regions: [[String]] = [["off", "on", "capsLock"], ["letters", "digits", "symbols"], ["off", "on"]]
    let inputs = [
      ("tap", [String]()), ("character", ["A"]), ("layout", ["letters"]), ("layout", ["digits"]),
      ("layout", ["symbols"]),
      ("dictation", ["off"]), ("dictation", ["on"]),
    ]
    for shift in regions[0] {
      for layout in regions[1] {
        for dictation in regions[2] {
          let word = "\(shift)+\(layout)+\(dictation)"
          for (event, arguments) in inputs {
            let keyboard = Bench(Keyboard.kind, initial: word)
            let key = Bench(ShiftKey.kind, initial: shift)
            let values = arguments.map(Value.text)
            let outcome = keyboard.send(event, values)
            var expected = [shift, layout, dictation]
            switch event {
            case "layout": expected[1] = arguments[0]
            case "dictation": expected[2] = arguments[0]
            default:
              key.send(event, values)
              expected[0] = key.state()
            }
            expectEqual(keyboard.state(), expected.joined(separator: "+"), "\(word), \(event) \(arguments)")
            expectEqual(keyboard.timers(), key.timers(), "\(word), \(event) \(arguments)")
            let isNothing = keyboard.state() == word && event != "character"
            expectEqual(outcome.hasPrefix("ignored"), isNothing, "\(word), \(event) \(arguments): \(outcome)")
          }
        }
      }
    }
  }

  @Test("with letters and without dictation it is a Shift key, whatever is done to it", arguments: [false, true])
  func shiftKey(gestureMode: Bool) {
    for seed in Thorough.rounds(0..<100 as Range<UInt64>) {
      var dice = Generator(salt: seed)
      let keyboard = Bench(Keyboard.kind, ["gestureMode": .flag(gestureMode)])
      let key = Bench(ShiftKey.kind, ["gestureMode": .flag(gestureMode)])
      for _ in 0..<100 {
        switch Int.random(in: 0..<3, using: &dice) {
        case 0:
          keyboard.send("tap")
          key.send("tap")
        case 1:
          keyboard.send("character", .text("a"))
          key.send("character", .text("a"))
        default:
          let interval = Nanoseconds.milliseconds(.random(in: 0...700, using: &dice))
          keyboard.advance(interval)
          key.advance(interval)
        }
      }
      let lines = keyboard.lines.map { $0.replacing("+letters+off", with: "") }
      expectEqual(lines, key.lines, "seed \(seed)")
    }
  }

  @Test("Shift outlasts a look at the digits, and so does the window for a second tap")
  func lookAtTheDigits() {
    let keyboard = Bench(Keyboard.kind)
    keyboard.send("tap")
    keyboard.send("layout", .text("digits"))
    keyboard.advance(to: .milliseconds(349))
    expectEqual(keyboard.send("tap"), "moved on+digits+off capsLock+digits+off event=tap")
    expectEqual(keyboard.send("character", .text("7")), "stayed capsLock+digits+off event=character > text 7")
    expect(keyboard.timers().isEmpty)
  }

  @Test("eighteen states of eight, in the order of the regions")
  func words() {
    let words = Keyboard.kind.states.map(\.word)
    expectEqual(words.count, 3 * 3 * 2)
    expectEqual(words.prefix(3), ["off+letters+off", "off+letters+on", "off+digits+off"])
    expectEqual(words.last, "capsLock+symbols+on")
    expectEqual(Keyboard.kind.initialStates, ["off", "on", "capsLock"] + words)
    expectEqual(Keyboard.kind.regions?.names, ["shift", "layout", "dictation"])
    expectEqual(Keyboard.kind.regionSizes, [3, 3, 2])
    expectEqual(SmartFridge.kind.regionSizes, [6, 3, 3])
    expectNil(ShiftKey.kind.regionSizes)
  }
}
