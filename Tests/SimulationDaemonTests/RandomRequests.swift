import TestSupport
import StateMachines

@testable import SimulationDaemon

/// Random request lines, most of them valid: of every verb, with names, events, parameters and times that exist and
/// some that do not.
struct RandomRequests {
  private var dice: Dice
  private var sensible: SensibleRequests
  private let kinds: [String]
  private let events: [String]
  private let eventWords: [[String]]
  private let timers: [String]
  private let outputs: [String]
  private let states: [String]
  private let parameters: [String]

  init(seed: UInt64, _ catalogue: Catalogue) {
    var dice = Dice(seed: seed)
    // A dozen kinds per seed, so that requests often meet a matching machine; each kind has its turn. A game would soon
    // fill time with sixty frames a second.
    let entries = catalogue.entries.filter { $0.name != "game" && $0.name != "phoneCall" }.shuffled(using: &dice)
    let some = Catalogue(Array(entries.prefix(12)) + (catalogue["phoneCall"].map { [$0] } ?? []))
    self.dice = dice
    sensible = SensibleRequests(some)
    kinds = some.entries.map(\.name)
    let all = some.kinds
    events = all.flatMap { $0.events.map(\.name) }
    eventWords = all.flatMap {
      $0.events.map { $0.arguments.map { RandomRequests.samples(of: $0.type) }.flatMap { $0 } }
    }
    timers = all.flatMap { $0.timers.map(\.name) }
    outputs = all.flatMap { $0.outputs.map(\.name) }
    states = all.flatMap { $0.states.prefix(8).map(\.word) + $0.initialStates } + ["open(5)", "cooling", "door.open"]
    parameters = all.flatMap { kind in
      kind.parameters.flatMap { parameter in
        RandomRequests.samples(of: parameter.type).map { "\(parameter.name)=\($0)" }
      }
    }
  }

  /// Words for an argument: within its range, at its ends and outside it.
  private static func samples(of type: ValueType) -> [String] {
    type.samples.map { ArgumentText.written($0) }.map { $0.isEmpty ? "\"\"" : $0 }
      + ["0", "1s", "-1", "on", "1e9", "\"a b\"", "nil", "99999999999999999999"]
  }

  private static let names = (0..<6).map { "m\($0)" } + ["call.phone", "call.tracker", "call", "x.phone", "x.tracker"]
  private static let worlds = ["main", "main", "w1", "w2", "w3"]
  private static let patterns = ["*", "m*", "m1?", "call.*", "x", "?", "m1", "*.*", "\"\""]
  private static let durations = [
    "0", "1", "350ms", "350ms", "1s", "1.5s", "20ms", "3s", "7ns", "100us", "-1s", "1e3", "1.5ns", "x", "5ms",
  ]
  /// Long enough for tens of thousands of ticks, so these are rare.
  private static let longDurations = ["10m", "1h", "1d", "400d", "36500d", "36501d"]
  private static let numbers = ["0", "1", "2", "3", "5", "17", "100", "1000000001", "-1", "x", "18446744073709551616"]
  private static let garbage = [
    "", "\"", "\"a", "a\"b", "=", "k=v", "k=\"v w\"", "é", "\u{85}", ":", "@", "@t", "#", "\\", "\"\\q\"", "\t", "send",
    "\u{1F600}", "99", "nil", "*",
  ]

  /// A tag for one request in three, and the request.
  mutating func tagged(_ number: Int) -> String {
    let request = request()
    return dice.once(in: 3) ? "@t\(number) \(request)" : request
  }

  /// A line with one request, well-formed or not, and whether it is blank and so gets no reply.
  mutating func line(_ number: Int) -> (text: String, isBlank: Bool) {
    switch dice.number(below: 40) {
    case 0: return (dice.one(of: ["", "  ", "\t", "# nothing", "  # send m1 buttonClick"]), true)
    case 1: return (String(repeating: "y", count: 500 + dice.number(below: 40)), false)
    case 2:
      let words = (0...dice.number(below: 4)).map { _ in dice.one(of: RandomRequests.garbage) }
      let text = "?" + words.joined(separator: " ")
      return (text, false)
    case 3: return ("\(tagged(number)) \(dice.one(of: RandomRequests.garbage))", false)
    case _: return (tagged(number), false)
    }
  }

  mutating func chance(_ times: Int) -> Bool { dice.once(in: times) }
  mutating func number(below count: Int) -> Int { dice.number(below: count) }

  private mutating func name() -> String { dice.one(of: RandomRequests.names) }
  private mutating func pattern() -> String { dice.one(of: RandomRequests.patterns) }
  private mutating func duration() -> String {
    dice.once(in: 150) ? dice.one(of: RandomRequests.longDurations) : dice.one(of: RandomRequests.durations)
  }
  private mutating func count() -> String { dice.one(of: RandomRequests.numbers) }
  private mutating func maybe(_ text: String) -> String { dice.once(in: 3) ? " " + text : "" }

  private mutating func event() -> String {
    let place = dice.number(below: events.count)
    guard !eventWords[place].isEmpty else { return events[place] + maybe("x") }
    return "\(events[place]) \(dice.one(of: eventWords[place]))\(maybe(dice.one(of: eventWords[place])))"
  }

  /// One request that changes the machines of a world, without chains that take no time.
  mutating func input() -> String {
    while true {
      let request = dice.once(in: 5) ? request() : sensible.request(&dice)
      guard let verb = request.split(separator: " ").first,
        ["new", "drop", "send", "cast", "wire", "unwire", "fire"].contains(verb), !request.contains("every=0"),
        !request.contains("recheckDelay=0")
      else { continue }
      return request
    }
  }

  /// One request of any verb that neither ends a connection or the daemon nor begins a batch.
  mutating func request() -> String {
    if dice.once(in: 3) { return sensible.request(&dice) }
    switch dice.number(below: 100) {
    case 0..<14:
      let initial = dice.once(in: 6) ? " initial=\(dice.one(of: states))" : ""
      var text = "new \(dice.one(of: kinds)) \(name())\(initial)"
      for _ in 0..<dice.number(below: 3) { text += " " + dice.one(of: parameters) }
      return text
    case 14..<18: return "drop \(name())"
    case 18..<48: return "send \(name()) \(event())"
    case 48..<50: return "cast \(pattern()) \(event())"
    case 50..<54: return "wire \(name()) \(dice.one(of: outputs)) \(name()) \(dice.one(of: events))"
    case 54: return "unwire \(name()) \(dice.one(of: outputs)) \(name()) \(dice.one(of: events))"
    case 55: return "wires"
    case 56..<59: return "fire \(name()) \(dice.one(of: timers))"
    case 59..<66: return dice.once(in: 3) ? "advance until \(duration())" : "advance \(duration())"
    case 66..<69: return "step\(maybe(count()))"
    case 69..<71: return "await \(name()) \(dice.one(of: states))\(maybe("within=\(duration())"))"
    case 71..<74: return "expect \(name()) \(dice.one(of: states))"
    case 74: return "show \(name())"
    case 75 where dice.once(in: 6):
      if dice.once(in: 3) {
        return "coverage\(maybe(pattern()))\(maybe("kind=\(dice.one(of: kinds))"))\(maybe("list=all"))"
      }
      if dice.once(in: 3) {
        if dice.once(in: 8) { return "script" }
        return
          "wave\(maybe(pattern()))\(maybe("from=0"))\(maybe("format=\(dice.one(of: ["ascii", "svg", "vcd", "json"]))"))"
      }
      return "graph \(dice.once(in: 2) ? name() : dice.one(of: kinds))\(maybe("format=mermaid"))"
    case 75: return "can \(name())\(maybe(dice.one(of: events)))"
    case 76: return "list\(maybe(pattern()))\(maybe("state=\(dice.one(of: states))"))\(maybe("limit=\(count())"))"
    case 77: return "count\(maybe(pattern()))\(maybe("kind=\(dice.one(of: kinds))"))"
    case 78: return "agenda\(maybe(pattern()))\(maybe("limit=\(count())"))"
    case 79: return "journal\(maybe(pattern())) limit=5\(maybe("since=\(count())"))\(maybe("what=moves"))"
    case 80..<82: return "watch \(pattern())\(maybe("what=all"))\(dice.once(in: 20) ? " since=\(count())" : "")"
    case 82 where dice.once(in: 3): return "point \(name()) \(dice.one(of: states))"
    case 82 where dice.once(in: 3): return "point say=\"what is next?\" predict=\(dice.one(of: ["yes", "no"]))"
    case 82: return "unwatch \(pattern())"
    case 83..<86: return "use \(dice.one(of: RandomRequests.worlds))"
    case 86 where dice.once(in: 3): return "world fork \(dice.one(of: RandomRequests.worlds))"
    case 86: return "world new \(dice.one(of: RandomRequests.worlds))\(maybe("clock=real"))\(maybe("seed=\(count())"))"
    case 87 where dice.once(in: 2):
      return dice.one(of: [
        "undo", "undo 3", "undo 0", "goto 1s", "goto 350ms", "redo", "redo 2", "diff main w1",
      ])
    case 87 where dice.once(in: 4): return "world drop \(dice.one(of: RandomRequests.worlds))"
    case 87:
      let world = dice.one(of: RandomRequests.worlds)
      return dice.one(of: [
        "worlds", "who", "world share \(world)", "world share \(world) write", "world unshare \(world)",
        "world move \(world) b",
      ])
    case 88: return "clock\(maybe("real"))"
    case 89..<91: return "clock virtual"
    case 91: return dice.one(of: ["pause", "resume", "speed 0.333", "speed 60", "speed x"])
    case 92: return "sync"
    case 93: return "cancel"
    case 94:
      return dice.one(of: [
        "end", "discard", "mode text", "mode xml", "world", "quiet off", "stats", "limits", "nosuchverb",
      ])
    case 95:
      return dice.one(of: [
        "help", "help send", "kinds", "kinds a group=text", "kinds form=acceptor", "describe \(dice.one(of: kinds))",
        "describe \(name())",
      ])
    case _: return "send \(name()) buttonClick"
    }
  }
}
