import Simulator
import StateMachines

/// Machines in a real world, and its journal as lines in the format of a ``Bench``.
struct WorldTranscript: ~Copyable {
  private var world: WorldCore
  private var machines: [String: MachineID] = [:]

  init(_ entry: CatalogueEntry, initial: String?, seed: UInt64) throws {
    world = WorldCore(seed: seed)
    switch entry {
    case .machine(let kind):
      let state = initial.flatMap { kind.initialState(named: $0) }
      let required = WorldTranscript.required(of: kind)
      machines["m"] = try Array("m".utf8).withUnsafeBytes {
        try world.create(kind, named: $0, initial: state, parameters: required)
      }
    case .composition(let composition):
      try world.create(
        composition, named: "m", parameters: composition.members.map { WorldTranscript.required(of: $0.kind) })
      for member in composition.members {
        let name = "m.\(member.name)"
        machines[name] = Array(name.utf8).withUnsafeBytes { world.find($0) }
      }
    }
  }

  /// The required parameters, with the values of their examples.
  private static func required(of kind: Kind) -> [(parameter: Int, value: Value)] {
    kind.parameters.enumerated().filter { $1.standard == nil }.map { ($0, $1.example) }
  }

  mutating func perform(_ move: Move) {
    switch move {
    case .send(let name, let event, let arguments):
      guard let machine = machines[name] else { return }
      world.send(machine, event: world.kind(of: machine).events.firstIndex { $0.name == event } ?? 0, arguments)
    case .fire(let name, let timer):
      guard let machine = machines[name] else { return }
      // `name`, or `name(key)`.
      let parts = timer.split { "()".contains($0) }
      world.fire(
        machine, timer: world.kind(of: machine).timers.firstIndex { $0.name == parts[0] } ?? 0,
        key: parts.count > 1 ? UInt32(parts[1]) ?? 0 : 0)
    case .advance(let interval):
      var budget = Int.max
      _ = world.advance(to: world.now + interval, budget: &budget)
    }
  }

  var violations: [String] { world.checkInvariants() }

  /// The journal's lines without the making of wires, and without the reasons of refusals, which it does not keep.
  mutating func lines() -> [String] {
    var lines: [String] = []
    var reader = world.journalReader(from: 1)
    while let entry = world.read(&reader) {
      if let line = line(of: entry) { lines.append(line) }
    }
    return lines
  }

  private func line(of entry: JournalEntry) -> String? {
    guard let machine = entry.machine else { return nil }
    let kind = world.kind(of: machine)
    var details = world.details(of: entry)
    var outputs = ""
    var wire = ""
    var (before, after) = (String?.none, String?.none)
    var key = ""
    while let detail = details.next() {
      switch detail {
      case .emitted(let output, let data) where !kind.outputs[Int(output)].isTold:
        outputs += ([" > " + kind.outputs[Int(output)].name] + data.map(\.printed)).joined(separator: " ")
      case .source(let machine, let output):
        wire = "\(world.name(of: machine)).\(world.kind(of: machine).outputs[Int(output)].name)"
      case .dataBefore(let data): before = data
      case .dataAfter(let data): after = data
      case .key(let number): key = "(\(number))"
      case .emitted, .armed, .disarmed, .arguments, .parameters, .initial, .kind, .due, .target, .undone, .redone,
        .renewed,
        .reason, .defined, .undefined:
        break
      }
    }
    func word(_ state: UInt16, _ data: String?) -> String {
      kind.states[Int(state)].word + (data.map { "(\($0))" } ?? "")
    }
    let (from, to) = (word(entry.from, before), word(entry.to, after))
    let cause: String
    switch entry.input {
    case .event: cause = " event=\(kind.events[Int(entry.index)].name)"
    case .delivery: cause = " wire=\(wire)"
    case .expiry, .fired: cause = " timer=\(kind.timers[Int(entry.index)].name)\(key)"
    case .created: return "\(entry.moment.printed) \(world.name(of: machine)) created \(to)\(outputs)"
    case .wired, .unwired, .dropped, .rewound, .renewed, .defined, .undefined: return nil
    }
    let outcome = entry.verdict == .moved ? "moved \(from) \(to)" : "\(entry.verdict) \(to)"
    return "\(entry.moment.printed) \(world.name(of: machine)) \(outcome)\(cause)\(outputs)"
  }
}
