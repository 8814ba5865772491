import Simulations
import StateMachines
import Testing

struct KeyboardTests {
  /// A keyboard after some inputs: an event with its argument, or `doubleTap!` for the timer.
  private static func bench(_ initial: String = "off", after inputs: String...) -> Bench {
    let bench = Bench(Keyboard.kind, initial: initial)
    for input in inputs {
      let words = input.split(separator: " ").map(String.init)
      if input == "doubleTap!" {
        bench.fire("doubleTap")
      } else {
        bench.send(words[0], words.dropFirst().map(Value.text))
      }
    }
    return bench
  }

  @Test("all pairs of each region, the others at rest")
  func pairs() {
    Table(
      Keyboard.kind,
      rows: [
        "on, window closed": { Self.bench("on", after: "doubleTap!") },
        "digits": { Self.bench(after: "layout digits") },
        "symbols": { Self.bench(after: "layout symbols") },
        "dictation": { Self.bench(after: "dictation on") },
        "on, digits": { Self.bench("on", after: "layout digits") },
        "capsLock, dictation": { Self.bench("capsLock", after: "dictation on") },
        "on, digits, dictation": { Self.bench("on", after: "layout digits", "dictation on") },
      ],
      listing: """
        off | tap               | → on+letters+off
        off | character(A)      | ⟲ > text a
        off | layout(letters)   | ignore
        off | layout(digits)    | → off+digits+off
        off | layout(symbols)   | → off+symbols+off
        off | dictation(off)    | ignore
        off | dictation(on)     | → off+letters+on
        on  | tap               | → capsLock+letters+off
        on  | character(A)      | → off+letters+off > text A
        on  | layout(digits)    | → on+digits+off
        on  | layout(symbols)   | → on+symbols+off
        on  | dictation(on)     | → on+letters+on
        on  | doubleTap expires | ⟲
        on, window closed | tap             | → off+letters+off
        on, window closed | character(A)    | → off+letters+off > text A
        on, window closed | layout(digits)  | → on+digits+off
        on, window closed | layout(symbols) | → on+symbols+off
        on, window closed | dictation(on)   | → on+letters+on
        capsLock | tap             | → off+letters+off
        capsLock | character(A)    | ⟲ > text A
        capsLock | layout(digits)  | → capsLock+digits+off
        capsLock | layout(symbols) | → capsLock+symbols+off
        capsLock | dictation(on)   | → capsLock+letters+on
        digits | character(A)    | ⟲ > text A
        digits | layout(letters) | → off+letters+off
        digits | layout(symbols) | → off+symbols+off
        digits | dictation(on)   | → off+digits+on
        symbols | character(A)    | ⟲ > text A
        symbols | layout(letters) | → off+letters+off
        symbols | layout(digits)  | → off+digits+off
        symbols | dictation(on)   | → off+symbols+on
        dictation | tap             | → on+letters+on
        dictation | character(A)    | ⟲ > text A
        dictation | layout(digits)  | → off+digits+on
        dictation | layout(symbols) | → off+symbols+on
        dictation | dictation(off)  | → off+letters+off
        on, digits | character(A)      | ⟲ > text A
        on, digits | layout(letters)   | → on+letters+off
        on, digits | layout(symbols)   | → on+symbols+off
        on, digits | dictation(on)     | → on+digits+on
        on, digits | doubleTap expires | ⟲
        capsLock, dictation | tap             | → off+letters+on
        capsLock, dictation | character(A)    | ⟲ > text A
        capsLock, dictation | layout(digits)  | → capsLock+digits+on
        capsLock, dictation | layout(symbols) | → capsLock+symbols+on
        capsLock, dictation | dictation(off)  | → capsLock+letters+off
        on, digits, dictation | character(A)      | ⟲ > text A
        on, digits, dictation | layout(letters)   | → on+letters+on
        on, digits, dictation | layout(symbols)   | → on+symbols+on
        on, digits, dictation | dictation(off)    | → on+digits+off
        on, digits, dictation | doubleTap expires | ⟲
        """
    ).check()
  }

  @Test("with letters and without dictation it is a Shift key, whatever is done to it", arguments: [false, true])
  func shiftKey(gestureMode: Bool) {
    for seed in 0..<100 as Range<UInt64> {
      var dice = Generator(seed: seed)
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
          let interval = Interval.milliseconds(.random(in: 0...700, using: &dice))
          keyboard.advance(interval)
          key.advance(interval)
        }
      }
      let lines = keyboard.lines.map { $0.replacing("+letters+off", with: "") }
      #expect(lines == key.lines, "seed \(seed)")
    }
  }

  @Test("Shift outlasts a look at the digits, and so does the window for a second tap")
  func lookAtTheDigits() {
    let keyboard = Bench(Keyboard.kind)
    keyboard.send("tap")
    keyboard.send("layout", .text("digits"))
    #expect(keyboard.send("tap") == "ignored on+digits+off event=tap")
    #expect(keyboard.send("character", .text("7")) == "stayed on+digits+off event=character > text 7")
    keyboard.advance(to: .milliseconds(349))
    keyboard.send("layout", .text("letters"))
    #expect(keyboard.send("tap") == "moved on+letters+off capsLock+letters+off event=tap")
    #expect(keyboard.timers().isEmpty)
  }

  @Test("what is heard is written as it was heard, and uses no Shift up")
  func dictation() {
    let keyboard = Bench(Keyboard.kind, initial: "on")
    keyboard.send("dictation", .text("on"))
    #expect(keyboard.send("character", .text("é")) == "stayed on+letters+on event=character > text é")
    keyboard.send("dictation", .text("off"))
    #expect(keyboard.send("character", .text("é")) == "moved on+letters+off off+letters+off event=character > text É")
  }

  @Test("eighteen states of eight, in the order of the regions")
  func words() {
    let words = Keyboard.kind.states.map(\.word)
    #expect(words.count == 3 * 3 * 2)
    #expect(words.prefix(3) == ["off+letters+off", "off+letters+on", "off+digits+off"])
    #expect(words.last == "capsLock+symbols+on")
    #expect(Keyboard.kind.initialStates == ["off", "on", "capsLock"])
    #expect(Keyboard.kind.regions?.names == ["shift", "layout", "dictation"])
    #expect(Keyboard.kind.regionSizes == [3, 3, 2])
    #expect(SmartFridge.kind.regionSizes == [6, 3, 3])
    #expect(ShiftKey.kind.regionSizes == nil)
  }
}
