import Simulator
import StateMachines

/// One input from the journal with its details, independent of its world.
struct JournalLine {
  let sequence: UInt64
  let moment: Instant
  let machine: String
  let kind: Kind
  let input: InputClass
  let verdict: Verdict
  let index: Int
  /// What belongs to the input, without its effects.
  let facts: JournalInput
  let effects: [JournalInput.Effect]
  /// The machine at the target of a wire.
  let targetName: String?
  /// The whole line as text.
  let text: String
}

extension WorldCore {
  /// The journal's lines about machines, from an input on.
  func journal(from first: UInt64? = nil) -> [JournalLine] {
    var reader = journalReader(from: first ?? firstSequence)
    var lines: [JournalLine] = []
    while let entry = read(&reader) {
      if let machine = entry.machine { lines.append(line(entry, of: machine)) }
    }
    return lines
  }

  /// The inputs that are not undone, without sequence numbers, which differ in a world that never did the undone ones.
  func survivingText(from first: UInt64? = nil) -> [String] {
    journal(from: first).filter { undoer(of: $0.sequence) == nil }
      .map { String($0.text.drop { $0 != " " }.dropFirst()) }
  }

  /// The journal as text: `3 0.200000000 key event tap moved on capsLock; disarmed doubleTap 0.350000000`.
  func journalText(from first: UInt64? = nil) -> [String] { journal(from: first).map(\.text) }

  func line(_ entry: JournalEntry, of machine: MachineID) -> JournalLine {
    let input = JournalInput(entry)
    let kind = kind(of: machine)
    let name = name(of: machine)
    let index = Int(entry.index)
    let subject =
      switch entry.input {
      case .event, .delivery: kind.events[index].name
      case .expiry, .fired: kind.timers[index].name
      case .created, .dropped: kind.name
      case .wired, .unwired: kind.outputs[index].name
      case .rewound, .renewed, .defined, .undefined: ""
      }
    let states = "\(kind.states[Int(entry.from)].word) \(kind.states[Int(entry.to)].word)"
    let head = "\(entry.sequence) \(entry.moment.text) \(name) \(entry.input) \(subject) \(entry.verdict) \(states)"
    return JournalLine(
      sequence: entry.sequence, moment: entry.moment, machine: name, kind: kind, input: entry.input,
      verdict: entry.verdict, index: index, facts: input, effects: Array(input.effects),
      targetName: input.target.map { self.name(of: $0.machine) },
      text: ([head] + texts(of: input, kind) + input.effects.map { text(of: $0, kind) }).joined(separator: "; "))
  }

  private func text(of effect: JournalInput.Effect, _ kind: Kind) -> String {
    switch effect {
    case .emitted(let output, let data): "emitted \(kind.outputs[output].name) \(data)"
    case .armed(let timer, let key, let due): "armed \(kind.timers[timer].word(key)) \(due.text)"
    case .disarmed(let timer, let key, let due): "disarmed \(kind.timers[timer].word(key)) \(due.text)"
    }
  }

  private func texts(of input: JournalInput, _ kind: Kind) -> [String] {
    let given = input.parameters.map { "\(kind.parameters[$0.parameter].name)=\($0.value)" }
    return [
      input.initial.map { "initial \(kind.states[$0].word)" },
      given.isEmpty ? nil : "parameters \(given)",
      input.arguments.isEmpty ? nil : "arguments \(input.arguments)",
      input.source.map { "source \(name(of: $0.machine)).\(self.kind(of: $0.machine).outputs[$0.output].name)" },
      input.target.map { "target \(name(of: $0.machine)).\(self.kind(of: $0.machine).events[$0.event].name)" },
      input.due.map { "due \($0.text)" },
      input.key == 0 ? nil : "key \(input.key)",
      input.before.map { "before \($0)" },
      input.after.map { "after \($0)" },
      input.reason.map { "reason \($0)" },
    ].compactMap(\.self)
  }
}

extension TimerEntry {
  /// The timer with its key, if it has one.
  func word(_ key: UInt32) -> String { key == 0 ? name : "\(name)(\(key))" }
}

extension Instant {
  /// In seconds with all nine decimals.
  var text: String {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return "\(seconds).\(String(1_000_000_000 + rest).dropFirst())"
  }
}
