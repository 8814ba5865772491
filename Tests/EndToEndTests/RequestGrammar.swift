import TestSupport
import StateMachines

/// Random request lines: valid ones, nearly valid ones, and no requests at all.
struct RequestGrammar {
  private var dice: Dice

  init(seed: UInt64) {
    dice = Dice(seed: seed)
  }

  /// The bytes of one line, without its end; it holds no LF.
  mutating func line() -> [UInt8] {
    while true {
      let line: [UInt8]
      switch dice.number(below: 10) {
      case 0: line = noise()
      case 1, 2, 3: line = mutated(Array(request().utf8))
      default: line = Array(request().utf8)
      }
      // These change how replies are to be counted, so they come only where a test puts them.
      if !RequestGrammar.mentions(line, ["quit", "shutdown", "quiet", "begin", "end", "cancel"]) { return line }
    }
  }

  mutating func chance(_ one: Int) -> Bool { dice.number(below: one) == 0 }

  mutating func number(below bound: Int) -> Int { dice.number(below: bound) }

  /// Whether a line gets an answer: it is not blank, and no comment.
  static func isAnswered(_ line: [UInt8]) -> Bool {
    var line = line[...]
    if line.last == 0x0D { line = line.dropLast() }
    guard let first = line.first(where: { $0 != 0x20 && $0 != 0x09 }) else { return false }
    return first != UInt8(ascii: "#")
  }

  private static func mentions(_ line: [UInt8], _ words: [String]) -> Bool {
    let found = line.split(whereSeparator: { $0 < 0x30 || $0 > 0x7A }).map { $0.map { $0 | 0x20 } }
    return words.contains { word in found.contains { $0.elementsEqual(word.utf8) } }
  }

  // MARK: Requests

  private mutating func request() -> String {
    let tag = dice.number(below: 3) == 0 ? "@\(one("a", "b.c", "x-1", "_")) " : ""
    return tag + body()
  }

  private mutating func body() -> String {
    switch dice.number(below: 34) {
    case 0, 1, 2: "new \(kind()) \(name()) \(parameters())"
    case 3: "drop \(name())"
    case 4, 5, 6, 7, 8: "send \(name()) \(event())"
    case 9: "cast \(pattern()) \(event())"
    case 10: "wire \(name()) \(output()) \(name()) \(event())"
    case 11: "unwire \(name()) \(output()) \(name()) \(event())"
    case 12: "list \(pattern()) limit=\(dice.number(below: 50)) \(one("", "kind=\(kind())", "state=\(state())"))"
    case 13: "count \(pattern())"
    case 14: "show \(name())"
    case 15: "can \(name()) \(one("", event()))"
    case 16: "watch \(pattern()) \(one("", "what=moves", "since=\(dice.number(below: 100))"))"
    case 17: "unwatch \(pattern())"
    case 18:
      "journal \(pattern()) limit=\(dice.number(below: 30)) \(one("", "since=\(dice.number(below: 2_000))", "what=moves"))"
    case 19, 20, 21: "advance \(one(duration(), "until \(duration())"))"
    case 22: "step \(dice.number(below: 40))"
    case 23: "agenda \(pattern()) limit=\(dice.number(below: 20))"
    case 24: "fire \(name()) \(timer())"
    case 25: "await \(name()) \(state()) within=\(duration())"
    case 26: "expect \(name()) \(state())"
    case 27:
      one(
        "world", "worlds", "who", "world share w1 \(one("read", "write", "x"))", "world unshare w1", "world move w1 b",
        "world new w\(dice.number(below: 6))", "world drop w\(dice.number(below: 6))",
        "use w\(dice.number(below: 6))")
    case 28: one("clock", "clock virtual", "pause", "resume", "speed \(dice.number(below: 9))")
    case 29: one("kinds", "describe \(kind())", "help", "help \(one("send", "watch", "no"))")
    case 30: one("limits", "stats", "wires", "mode text", "mode xml", "sync")
    case 31:
      one(
        "undo", "goto 5s", "graph fridge", "coverage", "coverage list=all", "wave from=0", "script", "world fork x",
        "diff main x", "")
    case 32: one("# nothing", "   ", "\t# x", "#")
    default: "\(one("sync", "send", "new", "list")) \(word()) \(word()) \(word())=\(word())"
    }
  }

  private mutating func one(_ choices: String...) -> String { dice.one(of: choices) }

  private mutating func kind() -> String {
    one(
      "fridge", "doorFridge", "smartFridge", "power", "boldText", "shiftKey", "callTracker", "phone", "phoneCall", "no")
  }

  private mutating func name() -> String { dice.number(below: 12) == 0 ? word() : "m\(dice.number(below: 16))" }

  private mutating func pattern() -> String { one("*", "m*", "m?", "?1*", "x*", "**?*", "m1", "m*.tracker") }

  private mutating func event() -> String {
    one(
      "buttonClick", "set to=on", "set false", "tap", "character \(word())", "doorOpened", "doorClosed", "silence",
      "minTemperatureReached", "maxTemperatureReached", "powerLost", "powerRestored", "openTel 123", "pressCall",
      "phoneTapped number=\(word())", "willResignActive", "callConnected", "hangUp", "openApp", "goHome", "nothing")
  }

  private mutating func output() -> String {
    one("compressorOn", "compressorOff", "text", "callDialing", "callEnded", "tracked", "open", "lightOn", "nothing")
  }

  private mutating func timer() -> String {
    one("doubleTap", "minTemperatureReached", "maxTemperatureReached", "doorShut", "ring", "minOff", "nothing")
  }

  private mutating func state() -> String {
    one(
      "on", "off", "capsLock", "cooling", "waiting", "cooling+open", "resting", "foreground", "none", "start",
      "inactive+alert+idle", "cooling.minOn", "nothing", "cooling+waiting+off", "+", ".")
  }

  private mutating func parameters() -> String {
    one(
      "", "", "initial=\(state())", "start=\(dice.number(below: 30))", "min=2 max=2 recheckDelay=0s start=2",
      "physics=off",
      "doubleTap=\(duration())", "min=\(word()) max=\(word())", "coolingTau=1h waitingTau=10m", "min=7 max=3",
      "start=-100 ambient=100", "openFor=0s minOff=0s minOn=0s")
  }

  private mutating func duration() -> String {
    one(
      "0", "1ns", "350ms", "1s", "10m", "0s", "1m", "\(dice.number(below: 100_000))us", "36501d", "-1s", "1e3", "0.1h",
      "0.0000000001s", "9223372036854775807ns", word())
  }

  private mutating func word() -> String {
    one(
      "a", "x.y", "a-b_c", "\"a b\"", "\"\"", "\"\\\"\\\\\\n\\t\"", "é", "🧊", "a=b", "\"a=b\"", ":", "http://u?x=1",
      "+7000", "*", "0", "-1", "1e999", "nan", "18446744073709551616", String(repeating: "n", count: 64),
      String(repeating: "n", count: 65), "1.5", "\\", "'", "%s%n", "../../x", "$(x)")
  }

  // MARK: What is no request

  private mutating func noise() -> [UInt8] {
    let length = dice.number(below: 20) == 0 ? dice.number(below: 3_000) : dice.number(below: 60)
    return (0..<length).map { _ in byte() }
  }

  private mutating func byte() -> UInt8 {
    let byte = UInt8(truncatingIfNeeded: dice.next())
    return byte == 0x0A ? 0x0B : byte
  }

  private mutating func mutated(_ line: [UInt8]) -> [UInt8] {
    var line = line
    for _ in 0...dice.number(below: 3) {
      let place = dice.number(below: line.count + 1)
      switch dice.number(below: 6) {
      case 0: line.insert(byte(), at: place)
      case 1: if place < line.count { line.remove(at: place) }
      case 2: if place < line.count { line[place] = byte() }
      case 3: line.insert(contentsOf: dice.one(of: [" ", "\t", "\"", "=", "@", "\\", "+", "\r", "#"]).utf8, at: place)
      case 4: line += line.prefix(dice.number(below: 200))
      default: line = Array(line.prefix(place))
      }
    }
    return line
  }
}
