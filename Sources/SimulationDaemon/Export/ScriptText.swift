import Scripts
import JournalStore
import LineProtocol
import Simulator
import StateMachines
import Statecharts

/// The text of a script and the spelling of its lines.
struct ScriptText: ~Copyable {
  private var buffer = ByteBuffer()
  private let world: String
  private var lines = 0

  init(world: String) {
    self.world = world
  }

  var bytes: [UInt8] { Array(buffer.bytes) }
  var storageBytes: Int { buffer.storageBytes }

  /// - Throws: ``HistoryFailure/tooLong(world:)``.
  mutating func append(_ line: String) throws {
    lines += 1
    guard lines <= ScriptLimits.lines, line.utf8.count <= ScriptLimits.line,
      buffer.count + line.utf8.count < ScriptLimits.file
    else { throw HistoryFailure.tooLong(world: world) }
    buffer.append(text: line)
    buffer.append(byte: UInt8(ascii: "\n"))
  }

  // MARK: Beginning and end

  mutating func begin(_ story: ScriptExport.Story, release: String) throws {
    try append(
      "# World \(world) as of \(TimeText.seconds(story.moment.nanoseconds)) s, after \(story.head) inputs; by fsmd \(release)."
    )
    try append("# 'fsmrepl run FILE' plays it, and sees at the end that it has come out the same.")
    if story.seed != 0 { try append("seed \(story.seed)") }
  }

  /// Names the limits that must be set for the script to recreate the world.
  mutating func tell(_ limits: WorldLimits, unlike usual: WorldLimits) throws {
    let differing = [
      ("chain", limits.chain, usual.chain), ("keyedTimers", limits.keyedTimers, usual.keyedTimers),
      ("wireChain", limits.wireChain, usual.wireChain),
      ("wireDeliveries", limits.wireDeliveries, usual.wireDeliveries),
    ].filter { $0.1 != $0.2 }
    guard !differing.isEmpty else { return }
    let options = differing.map { "--limit \($0.0)=\($0.1)" }.joined(separator: " ")
    try append("# Its world had other limits than usual. Where that matters, play it on a daemon with the same:")
    try append("# fsmd \(options)")
  }

  /// Mentions inputs beyond the journal: timers that were due when the world was stored.
  mutating func tellOfMore(_ inputs: UInt64) throws {
    try append(
      inputs == 1
        ? "# One more timer has expired here, which was due."
        : "# \(inputs) more inputs have come here, of timers that were due.")
  }

  /// Expects the final states and timers of all machines.
  mutating func expect(_ world: inout WorldCore) throws {
    for machine in world.machines(matching: .all) {
      let name = world.name(of: machine)
      try append("expect \(name) \(ScriptSpelling.word(world.state(of: machine)))")
      // `expect output` means something else in a script.
      if name == "output" { continue }
      let kind = world.kind(of: machine)
      let timers = world.runningTimers(of: machine).map { TimerText.word(kind.timers[$0.timer].name, key: $0.key) }
      let list = timers.isEmpty ? "none" : ScriptSpelling.word(timers.joined(separator: ","))
      try append("expect \(name) timers \(list)")
    }
  }

  // MARK: Requests

  /// The request of an input from outside, as a line of a script.
  static func request(_ entry: JournalEntry, _ facts: JournalInput, of world: borrowing WorldCore) -> String {
    // Inputs of the whole world are written as `undo` or `goto`, or not at all.
    guard let machine = entry.machine else { return facts.undefined.map { "undefine \($0)" } ?? "" }
    let name = world.name(of: machine)
    let kind = world.kind(of: machine)
    let index = Int(entry.index)
    switch entry.input {
    case .created:
      let initial = facts.initial.flatMap { place in
        kind.initialStates.first { kind.initialState(named: $0) == place }
      }
      return "new \(kind.name) \(name)" + (initial.map { " \(pair("initial", $0))" } ?? "")
        + parameters(facts.parameters, kind)
    case .event:
      return send(name, kind, event: index, facts.arguments)
    case .fired: return "fire \(name) \(ScriptSpelling.word(TimerText.word(kind.timers[index].name, key: facts.key)))"
    case .dropped: return "drop \(name)"
    case .wired, .unwired:
      guard let target = facts.target else { return "" }
      let event = world.kind(of: target.machine).events[target.event].name
      let verb = entry.input == .wired ? "wire" : "unwire"
      return "\(verb) \(name) \(ScriptSpelling.word(kind.outputs[index].name)) \(world.name(of: target.machine)) "
        + ScriptSpelling.word(event)
    case .delivery, .expiry, .rewound, .renewed, .defined, .undefined: return ""
    }
  }

  /// The request that sends an event, as a line of a script.
  static func send(_ name: String, _ kind: Kind, event: Int, _ arguments: [Value]) -> String {
    let last = arguments.lastIndex { $0 != Value.none }
    let words =
      kind.events[event].arguments.last?.type == .json
      ? members(arguments.last)
      : arguments.prefix(last.map { $0 + 1 } ?? 0).map { ScriptSpelling.word(ArgumentText.written($0)) }
    return (["send", name, ScriptSpelling.word(kind.eventName(event, arguments))] + words).joined(separator: " ")
  }

  /// The request that creates a composition, as a line of a script.
  ///
  /// - Parameter parameters: The parameters of each member.
  static func new(
    _ composition: Composition, named name: String, _ parameters: [[(parameter: Int, value: Value)]]
  ) -> String {
    let given = zip(composition.members, parameters).map { member, values in
      let settable = Set(member.settable.map(\.place))
      return Self.parameters(values.filter { settable.contains($0.parameter) }, member.kind, of: "\(member.name).")
    }
    let options = composition.choices.map { option, value in
      " " + pair(composition.options[option].name, ArgumentText.written(value))
    }
    return "new \(composition.name) \(name)" + (options + given).joined()
  }

  private static func parameters(
    _ values: [(parameter: Int, value: Value)], _ kind: Kind, of member: String = ""
  ) -> String {
    // If a parameter was given twice, the last value counted; a request gives each once.
    values.indices.filter { place in !values[(place + 1)...].contains { $0.parameter == values[place].parameter } }
      .map { " " + pair(member + kind.parameters[values[$0].parameter].name, ArgumentText.written(values[$0].value)) }
      .joined()
  }

  /// The data of an event as the words of a request.
  private static func members(_ data: Value?) -> [String] {
    guard case .text(let text)? = data else { return [] }
    return ChartData.members(of: text).map { pair($0.key, $0.text) }
  }

  private static func pair(_ key: String, _ value: String) -> String {
    "\(key)=\(ScriptSpelling.value(value))"
  }
}

extension KindDocument {
  var source: DocumentSource {
    DocumentSource(
      kind: name, format: notation, isStrict: notation != "scxml" && !isReadFreely, bytes: bytes,
      resources: resources.map { ($0.path, $0.bytes) })
  }
}
