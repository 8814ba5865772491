import LineProtocol
import TestSupport

/// Random requests about machines of a document, of every verb as often as of any other.
struct DocumentRequests {
  private var dice: Dice
  private var documents: RandomDocuments

  /// Some requests, of which one is what they are counted as. The last of them has the tag `@z`.
  struct Request {
    let verb: Verb
    /// With all lines and what follows them.
    let text: String
    /// How many requests they are.
    var count = 1
  }

  /// Those that a fuzzer asks for: all but `shutdown`, for which a daemon has to be started again.
  static let verbs = Verb.allCases.filter { $0 != .shutdown }

  init(seed: Int) {
    dice = Dice(seed: seed)
    documents = RandomDocuments(salt: seed)
  }

  mutating func number(below bound: Int) -> Int { dice.number(below: bound) }

  /// A definition of the kind that all machines are of.
  mutating func definition() -> Request {
    var (format, text) =
      switch dice.number(below: 9) {
      case 0, 1: ("mermaid", documents.diagram())
      case 2: ("plantuml", documents.plantUML())
      case 3: ("xstate", documents.machine())
      case _: ("scxml", documents.document())
      }
    if dice.once(in: 6) { text = documents.mutated(text) }
    return Request(
      verb: .define,
      text: "@z define k format=\(format) bytes=\(text.utf8.count) \(dice.once(in: 4) ? "strict=yes" : "")\n\(text)")
  }

  /// Makes the world `w` anew, and drops those that were made of it.
  mutating func emptyWorld() -> Request {
    let drops = ["w", "f0", "f1", "f2", "d0"].map { "world drop \($0)" }
    let made = ["world new w \(dice.once(in: 3) ? "durable=yes" : "")", "@z use w"]
    return Request(verb: .world, text: (["use main"] + drops + made).joined(separator: "\n"), count: 8)
  }

  func new(_ name: String) -> Request { Request(verb: .new, text: "@z new k \(name)") }

  /// A request of each verb, in an order that chance shuffles; the last one ends the connection. Some are answered in objects.
  mutating func turn() -> [Request] {
    (Self.verbs.filter { $0 != .quit }.shuffled(using: &dice) + [.quit]).map { verb in
      guard verb != .define, verb != .quit, dice.once(in: 6) else { return request(verb, tag: "@z ") }
      let request = request(verb, tag: "")
      return Request(verb: verb, text: "mode json\n\(request.text)\n@z mode text", count: request.count + 2)
    }
  }

  private mutating func request(_ verb: Verb, tag: String) -> Request {
    switch verb {
    case .define: return definition()
    case .begin, .end, .discard:
      let lines = (0..<dice.number(below: 4)).map { _ in batched() }
      let text = ["begin\(verb == .begin ? " strict" : "")"] + lines + [tag + (verb == .discard ? "discard" : "end")]
      return Request(verb: verb, text: text.joined(separator: "\n"), count: text.count)
    case .quiet: return Request(verb: verb, text: "quiet on\n\(tag)quiet off", count: 2)
    case .mode: return Request(verb: verb, text: "mode json\n\(tag)mode text", count: 2)
    case _: return Request(verb: verb, text: tag + ([verb.name] + words(verb)).joined(separator: " "))
    }
  }

  private mutating func batched() -> String {
    let verb = dice.one(of: [Verb.new, .send, .send, .cast, .drop, .fire, .expect, .show, .wire])
    return ([verb.name] + words(verb)).joined(separator: " ")
  }

  private mutating func words(_ verb: Verb) -> [String] {
    switch verb {
    case .help: [maybe(dice.one(of: Self.verbs).name)]
    case .kinds: [maybe("k*")]
    case .describe: [dice.one(of: ["k", machine()])]
    case .undefine: [dice.one(of: ["k", "l"])]
    case .new: ["k", machine(), maybe("initial=\(state())")]
    case .drop: [dice.once(in: 3) ? machine() : "m9"]
    case .list: [pattern(), maybe("kind=k"), maybe("state=\(state())"), "limit=\(number())"]
    case .count: [pattern(), maybe("kind=k")]
    case .show, .can: [machine()]
    case .send: [machine(), documents.event()] + data()
    case .cast: [pattern(), documents.event()] + data()
    case .wire, .unwire: [machine(), "beep", machine(), documents.event()]
    case .wires, .speed, .worlds, .who, .limits, .stats, .activities, .sync, .quit, .script, .pause, .resume:
      verb == .speed ? [dice.one(of: ["1", "60", "0.001", "1e9"])] : []
    case .watch: [pattern(), maybe("what=all"), maybe("since=\(number())")]
    case .unwatch: [pattern()]
    case .point: dice.once(in: 4) ? ["say=\"what now\"", maybe("predict=yes")] : [machine(), state()]
    case .journal: [pattern(), maybe("since=\(number())"), maybe("at=yes"), "limit=\(number())", maybe("what=moves")]
    case .wave:
      [
        pattern(), maybe("from=0"), maybe("last=\(time())"), maybe("width=\(number())"), maybe("mark=here"),
        "format=\(dice.one(of: ["text", "ascii", "svg", "vcd", "json"]))",
      ]
    case .graph:
      [
        dice.one(of: ["k", machine()]),
        "format=\(dice.one(of: ["table", "dot", "mermaid", "stateDiagram", "plantuml", "json", "tests", "scxml"]))",
        maybe("show=\(dice.one(of: ["all", "plain", "usual"]))"), maybe("present=yes"), maybe("direction=right"),
      ]
    case .coverage: [pattern(), maybe("list=all")]
    case .clock: [dice.one(of: ["", "virtual", "virtual", "real"])]
    case .advance: dice.once(in: 3) ? ["until", time()] : [time()]
    case .step: [number()]
    case .agenda: [pattern(), "limit=\(number())"]
    case .fire: [machine(), "\(documents.event())(\(dice.number(below: 3)))"]
    case .await: [machine(), state(), "within=\(time())"]
    case .cancel: [maybe(number())]
    case .expect: [machine(), state()]
    case .undo, .redo: [maybe(dice.one(of: ["1", "2", "5", "50"]))]
    case .goto: dice.once(in: 2) ? [time()] : ["seq=\(number())"]
    case .world:
      dice.one(of: [
        [""], ["new f\(dice.number(below: 3))"], ["fork f\(dice.number(below: 3))"], ["fork d0 durable=yes"],
        ["fork f0 seq=\(number())"],
        ["drop f\(dice.number(below: 3))"], ["drop d0"],
      ])
    case .use: [dice.one(of: ["w", "w", "f0", "f1", "f2", "d0"])]
    case .diff: ["w", dice.one(of: ["f0", "f1", "f2"])]
    case .client: ["fuzz"]
    case .define, .begin, .end, .discard, .quiet, .mode, .shutdown: []
    }
  }

  private mutating func maybe(_ text: String) -> String { dice.once(in: 3) ? text : "" }
  private mutating func machine() -> String { "m\(dice.number(below: 4))" }
  private mutating func pattern() -> String { dice.one(of: ["*", "m*", "m1", "x"]) }
  private mutating func state() -> String { "s\(dice.number(below: 9))" }
  private mutating func number() -> String {
    dice.one(of: ["0", "1", "2", "7", "100", "1000", "65536", "4294967296", "9223372036854775807"])
  }
  private mutating func time() -> String {
    dice.one(of: ["0", "1ns", "1s", "2s", "1m", "1h", "1d", "36500d", "9223372036854775807ns"])
  }
  private mutating func data() -> [String] {
    guard dice.once(in: 3) else { return [] }
    return [
      "x=" + dice.one(of: ["1", "-0", "1e308", "9007199254740993", "\"[1,[2,[3]]]\"", "\"{\\\"a\\\":null}\"", "text"])
    ]
  }
}
