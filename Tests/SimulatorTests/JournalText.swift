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
  let details: [JournalDetail]
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
    var reader = details(of: entry)
    var details: [JournalDetail] = []
    while let detail = reader.next() { details.append(detail) }
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
    var target: String?
    for case .target(let machine, _) in details { target = self.name(of: machine) }
    let head = "\(entry.sequence) \(entry.moment.text) \(name) \(entry.input) \(subject) \(entry.verdict) \(states)"
    return JournalLine(
      sequence: entry.sequence, moment: entry.moment, machine: name, kind: kind, input: entry.input,
      verdict: entry.verdict, index: index, details: details, targetName: target,
      text: ([head] + details.map { text(of: $0, kind) }).joined(separator: "; "))
  }

  private func text(of detail: JournalDetail, _ kind: Kind) -> String {
    switch detail {
    case .emitted(let output, let data): "emitted \(kind.outputs[Int(output)].name) \(data)"
    case .armed(let timer, let key, let due): "armed \(kind.timers[Int(timer)].word(key)) \(due.text)"
    case .disarmed(let timer, let key, let due): "disarmed \(kind.timers[Int(timer)].word(key)) \(due.text)"
    case .dataBefore(let data): "before \(data)"
    case .dataAfter(let data): "after \(data)"
    case .arguments(let values): "arguments \(values)"
    case .parameters(let values): "parameters \(values.map { "\(kind.parameters[$0.parameter].name)=\($0.value)" })"
    case .initial(let state): "initial \(kind.states[Int(state)].word)"
    case .kind(let place): "kind \(place)"
    case .due(let due): "due \(due.text)"
    case .key(let key): "key \(key)"
    case .source(let machine, let output):
      "source \(name(of: machine)).\(self.kind(of: machine).outputs[Int(output)].name)"
    case .target(let machine, let event):
      "target \(name(of: machine)).\(self.kind(of: machine).events[Int(event)].name)"
    case .undone(let count): "undone \(count)"
    case .redone(let inputs, let undos): "redone \(inputs) \(undos)"
    case .renewed(let timer): "renewed \(timer)"
    case .defined(let document, let version): "defined \(document.name) \(version)"
    case .undefined(let name): "undefined \(name)"
    case .reason(let text): "reason \(text)"
    }
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
