import Simulator
package import StateMachines

/// An input of a machine and all that came of it, as the journal has it.
struct Happening {
  let moment: Instant
  let machine: String
  let isCreation: Bool
  /// The event or the timer.
  let cause: String
  private let causeWithKey: String
  private let verdict: Verdict
  private let from: String
  private let to: String
  private let reason: String?
  /// Outputs and changes of timers in their order: ` > text A`, ` + doubleTap 350ms`, ` - doubleTap`.
  private var effects = ""
  private var outputs = ""

  /// Nil for what is no input of a machine: a wire that is made, for example.
  init?(_ entry: JournalEntry, in world: borrowing WorldCore) {
    guard let id = entry.machine else { return nil }
    let kind = world.kind(of: id)
    let input = JournalInput(entry)
    func word(_ timer: Int, _ key: UInt32) -> String { kind.timers[timer].name + (key == 0 ? "" : "(\(key))") }
    for effect in input.effects {
      switch effect {
      case .emitted(let output, let data):
        if kind.outputs[output].isTold { continue }
        let text = ([" > " + kind.outputs[output].name] + data.map(\.printed)).joined(separator: " ")
        outputs += text
        effects += text
      case .armed(let timer, let key, let due):
        effects += " + \(word(timer, key)) \((due - entry.moment).withUnit)"
      case .disarmed(let timer, let key, due: _): effects += " - \(word(timer, key))"
      }
    }
    switch entry.input {
    case .created: (cause, causeWithKey) = ("created", "created")
    case .event:
      cause = kind.events[Int(entry.index)].name
      causeWithKey = "event=\(cause)"
    case .delivery:
      cause = kind.events[Int(entry.index)].name
      let wire = input.source.map { source in
        "\(world.name(of: source.machine)).\(world.kind(of: source.machine).outputs[source.output].name)"
      }
      causeWithKey = "wire=\(wire ?? "")"
    case .expiry, .fired:
      cause = word(Int(entry.index), input.key)
      causeWithKey = "timer=\(cause)"
    case .wired, .unwired, .dropped, .rewound, .renewed, .defined, .undefined: return nil
    }
    isCreation = entry.input == .created
    moment = entry.moment
    machine = world.name(of: id)
    verdict = entry.verdict
    from = kind.states[Int(entry.from)].word + (input.before.map { "(\($0))" } ?? "")
    to = kind.states[Int(entry.to)].word + (input.after.map { "(\($0))" } ?? "")
    reason = input.reason
  }

  /// The journal's line: `0.200 key moved on capsLock event=tap > text a`.
  var line: String {
    if isCreation { return "\(moment.printed) \(machine) created \(to)\(outputs)" }
    let outcome = verdict == .moved ? "moved \(from) \(to)" : "\(verdict) \(to)"
    let why = verdict == .refused ? " : \(reason ?? "")" : ""
    return "\(moment.printed) \(machine) \(outcome) \(causeWithKey)\(outputs)\(why)"
  }

  /// What came of it: `→ capsLock - doubleTap`, `stayed > text a`, `refused: the door is open`.
  var outcome: String {
    switch verdict {
    case .moved: "→ \(to)\(effects)"
    case .stayed: "stayed\(effects)"
    case .ignored: "ignored"
    case .refused: "refused" + (reason.map { ": \($0)" } ?? "")
    }
  }

  /// What is ignored or refused has no effects.
  var isSound: Bool { verdict == .moved || verdict == .stayed || effects.isEmpty }

  /// What came of it, without timers and reasons: a cell of a ``Table``.
  var cell: String {
    switch verdict {
    case .moved: "→ \(to)\(outputs)"
    case .stayed: "stayed\(outputs)"
    case .ignored: "ignored"
    case .refused: "refused"
    }
  }
}

extension Instant {
  package static func milliseconds(_ count: Int64) -> Instant { Instant(nanoseconds: count * 1_000_000) }
  package static func seconds(_ count: Int64) -> Instant { Instant(nanoseconds: count * 1_000_000_000) }

  /// The moment in seconds, with at least three decimals and no zeros after them.
  package var printed: String { Nanoseconds(nanoseconds: nanoseconds).printed }
}

extension Nanoseconds {
  package var printed: String {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    var decimals = String(String(1_000_000_000 + rest).dropFirst())
    while decimals.count > 3, decimals.last == "0" { decimals.removeLast() }
    return "\(seconds).\(decimals)"
  }

  /// A whole number of the largest unit that allows one: `60s`, `350ms`, `1ns`.
  var withUnit: String {
    let unit = Nanoseconds.units.first { nanoseconds % $0.size == 0 } ?? ("ns", 1)
    return "\(nanoseconds / unit.size)\(unit.name)"
  }

  /// A number with a unit: `350ms`, `1.5s`, `2h`. Nil if it is neither, or too long.
  init?(withUnit text: String) {
    let number = text.prefix { $0.isNumber || $0 == "." }
    guard let unit = Nanoseconds.longUnits.first(where: { $0.name == text.dropFirst(number.count) }),
      let value = Double(number), let whole = Int64(exactly: (value * Double(unit.size)).rounded())
    else { return nil }
    self.init(nanoseconds: whole)
  }

  private static let units: [(name: String, size: Int64)] = [
    ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1000), ("ns", 1),
  ]
  private static let longUnits =
    units + [
      ("min", 60_000_000_000), ("h", 3_600_000_000_000), ("d", 86_400_000_000_000),
    ]
}

extension Value {
  package var printed: String {
    switch self {
    case .none: "nil"
    case .text(let text): text
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    case .interval(let interval): interval.printed
    case .moment(let moment): moment.printed
    }
  }

  /// The value of an argument that is written in a row.
  init?(_ text: String, as type: ValueType) {
    let value: Value? =
      switch type {
      case .flag: text == "true" ? .flag(true) : text == "false" ? .flag(false) : nil
      case .integer: Int(text).map(Value.integer)
      case .number: Double(text).map(Value.number)
      case .optional(let wrapped): text == "nil" ? Value.none : Value(text, as: wrapped)
      case .interval:
        (Nanoseconds(withUnit: text) ?? Double(text).flatMap(Nanoseconds.init(seconds:))).map(Value.interval)
      case .text, .character, .choice, .moment, .json: .text(text)
      }
    guard let value, type.admits(value) else { return nil }
    self = value
  }
}
