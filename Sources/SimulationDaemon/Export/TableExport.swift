import JournalStore
import LineProtocol
import Simulator
import StateMachines
import UnixHost

/// Writes a world's journal as a database; Docs/Export.md documents it.
///
/// Inputs are written as they are read. Undone inputs are in `inputs` with the number of the undo, and in no other table.
struct TableExport {
  private let tables: TableWriter
  private let history: StoredHistory
  /// Known states of machines whose states have data.
  private var states: [MachineID: String] = [:]
  /// The creating inputs of the machines met so far.
  private var births: [MachineID: UInt64] = [:]
  /// The start of the known history, for machines created earlier.
  private var start: Instant?
  /// The undone ranges from the next input on, each up to the input that undid it.
  private var undone: ArraySlice<ClosedRange<UInt64>>
  /// What is known of the machines while undone inputs are written; nil otherwise.
  private var lost: LostTime?

  /// The machines during undone inputs.
  private struct LostTime {
    var states: [MachineID: String] = [:]
    var births: Set<MachineID> = []
    /// Whether a machine without a state here is as it was before. After a rewind among them nobody can tell.
    var hasOnlyChanges = true
  }

  /// Creates the database.
  ///
  /// - Throws: ``StoreFailure`` and ``HistoryFailure``. No file is left then.
  /// - Complexity: O(inputs).
  static func write(_ history: StoredHistory, to path: String, release: String) throws {
    try TableWriter.make(path) { tables in
      for table in ExportTables.tables { try tables.run(table) }
      var export = try TableExport(tables: tables, history: history)
      try history.read { world, entry, _ in try export.add(entry, of: world) }
      try export.addUnmentionedMachines()
      for index in ExportTables.indexes { try tables.run(index) }
      try tables.run(ExportTables.states)
      for view in ExportTables.views { try tables.run(view) }
      try export.writeAbout(release)
    }
  }

  private init(tables: TableWriter, history: StoredHistory) throws {
    self.tables = tables
    self.history = history
    undone = try history.undone()[...]
  }

  /// The input that undid this one; nil if it is in effect.
  private mutating func undoer(of sequence: UInt64) -> UInt64? {
    while let next = undone.first, next.upperBound < sequence { undone.removeFirst() }
    guard let next = undone.first, next.contains(sequence), sequence < next.upperBound else {
      lost = nil
      return nil
    }
    if lost == nil { lost = LostTime() }
    return next.upperBound
  }

  private mutating func add(_ entry: JournalEntry, of world: borrowing WorldCore) throws {
    if start == nil { start = entry.moment }
    let facts = JournalInput(entry)
    let undoer = undoer(of: entry.sequence)
    guard let machine = entry.machine else { return try addWorldwide(entry, facts, undoer, of: world) }
    let input = Input(entry, of: machine, facts, world)
    if undoer != nil, entry.input == .created { lost?.births.insert(machine) }
    if entry.input != .created, births[machine] == nil, lost?.births.contains(machine) != true, !isBeyond {
      try addEarlierMachine(input)
    }
    let (from, to) = try spell(input)
    try tables.insert(
      [
        .integer(Int64(entry.sequence)), .seconds(entry.moment), .integer(entry.moment.nanoseconds),
        .text(input.machine), .text(input.kind.name), .text(entry.input.column), .text(input.name),
        .text(input.arguments), .text(input.outcome), .text(from), .text(to),
        .text(facts.source.map { world.name(of: $0.machine) }),
        .text(facts.source.map { world.kind(of: $0.machine).outputs[$0.output].name }),
        undoer.map { .integer(Int64($0)) } ?? .null, .text(world.wallTime(of: entry).map(WallClock.text)),
      ], into: "inputs")
    if undoer != nil { return }
    if entry.verdict == .moved && entry.input.isStep || from != to {
      try addTransition(input, from, to)
    }
    switch entry.input {
    case .created:
      try addMachine(input)
      try addEffects(input)
    case .dropped: try drop(input)
    case .wired, .unwired: try addWire(input, of: world)
    case .event, .delivery, .expiry, .fired: try addEffects(input)
    case .rewound, .renewed, .defined, .undefined: break
    }
  }

  // MARK: States

  /// The states before and after an input.
  private mutating func spell(_ input: Input) throws -> (from: String?, to: String?) {
    let entry = input.entry
    let to = input.kind.stateWord(Int(entry.to), data: input.facts.after)
    switch entry.input {
    case .created:
      if input.kind.carriesData { note(to, of: input.id) }
      return (nil, to)
    case .dropped: return (try stateBefore(input) ?? to, nil)
    case .wired, .unwired, .rewound, .renewed, .defined, .undefined: return (nil, nil)
    case .event, .delivery, .expiry, .fired: break
    }
    switch entry.verdict {
    case .moved:
      if input.kind.carriesData { note(to, of: input.id) }
      return (input.kind.stateWord(Int(entry.from), data: input.facts.before), to)
    case .stayed where input.kind.carriesData:
      let from = try stateBefore(input)
      note(to, of: input.id)
      return (from ?? to, to)
    case .stayed, .ignored, .refused:
      return (to, to)
    }
  }

  /// A machine's state with its data; nil if it is unknown.
  private func stateBefore(_ input: Input) throws -> String? {
    if let lost {
      if let known = lost.states[input.id] { return known }
      guard lost.hasOnlyChanges, !lost.births.contains(input.id) else { return nil }
    }
    if let known = states[input.id] { return known }
    return try tables.text(
      "SELECT to_state FROM transitions WHERE machine = ?1 ORDER BY seq DESC LIMIT 1", .text(input.machine))
  }

  private mutating func note(_ state: String, of machine: MachineID) {
    if lost == nil { states[machine] = state } else { lost?.states[machine] = state }
  }

  private func addTransition(_ input: Input, _ from: String?, _ to: String?) throws {
    try tables.insert(
      [
        .integer(Int64(input.entry.sequence)), .seconds(input.entry.moment), .integer(input.entry.moment.nanoseconds),
        .text(input.machine), .text(input.kind.name), .text(from), .text(to), .text(input.entry.input.column),
        .text(input.name),
      ], into: "transitions")
  }

  // MARK: Machines and wires

  private mutating func addMachine(_ input: Input) throws {
    births[input.id] = input.entry.sequence
    var values = input.kind.parameters.map { (name: $0.name, value: $0.standard ?? Value.none) }
    for (place, value) in input.facts.parameters { values[place].value = value }
    let moment = input.entry.moment
    try tables.insert(
      [
        .text(input.machine), .text(input.kind.name), .text(JSONText.object(values)),
        .integer(Int64(input.entry.sequence)), .seconds(moment), .integer(moment.nanoseconds), .null, .null, .null,
        .null,
      ], into: "machines")
  }

  private mutating func drop(_ input: Input) throws {
    let machine = input.id
    states[machine] = nil
    let end = TableWriter.Value.integer(Int64(input.entry.sequence))
    let moment = input.entry.moment
    try tables.run(
      "UPDATE machines SET dropped_seq = ?1, dropped_t = ?2, dropped_ns = ?3 WHERE created_seq = ?4",
      end, .seconds(moment), .integer(moment.nanoseconds), .integer(Int64(births[machine] ?? 0)))
    for side in ["source", "target"] {
      try tables.run(
        "UPDATE wires SET removed_seq = ?1, removed_t = ?2, removed_ns = ?3 WHERE \(side) = ?4 AND removed_seq IS NULL",
        end, .seconds(moment), .integer(moment.nanoseconds), .text(input.machine))
    }
  }

  private func addWire(_ input: Input, of world: borrowing WorldCore) throws {
    guard let target = input.facts.target, let output = input.name else { return }
    let name = world.name(of: target.machine)
    let event = world.kind(of: target.machine).events[target.event].name
    let number = TableWriter.Value.integer(Int64(input.entry.sequence))
    let moment = input.entry.moment
    guard input.entry.input == .unwired else {
      return try tables.insert(
        [
          .text(input.machine), .text(output), .text(name), .text(event), number, .seconds(moment),
          .integer(moment.nanoseconds), .null, .null, .null,
        ], into: "wires")
    }
    try tables.run(
      """
      UPDATE wires SET removed_seq = ?1, removed_t = ?2, removed_ns = ?3
      WHERE source = ?4 AND output = ?5 AND target = ?6 AND event = ?7 AND removed_seq IS NULL
      """, number, .seconds(moment), .integer(moment.nanoseconds), .text(input.machine), .text(output), .text(name),
      .text(event))
  }

  // MARK: Effects of a step

  private func addEffects(_ input: Input) throws {
    let entry = input.entry
    let isExpiry = entry.input == .expiry || (entry.input == .fired && entry.verdict != .refused)
    if isExpiry, let timer = input.name { try addTimer(input, place: 0, timer, entry.input.column, due: nil) }
    for (place, effect) in input.facts.effects.enumerated() {
      switch effect {
      case .emitted(let output, let data):
        let form = input.kind.outputs[output]
        let members = zip(form.data, data).map { (name: $0.name, value: $1) }
        try tables.insert(
          [
            .integer(Int64(entry.sequence)), .integer(Int64(place + 1)), .seconds(entry.moment),
            .integer(entry.moment.nanoseconds), .text(input.machine), .text(input.kind.name), .text(form.name),
            .text(members.isEmpty ? nil : JSONText.object(members)),
          ], into: form.isTold ? "told" : "outputs")
      case .armed(let timer, let key, let due):
        try addTimer(input, place: place + 1, input.timer(timer, key), "armed", due: due)
      case .disarmed(let timer, let key, let due):
        try addTimer(input, place: place + 1, input.timer(timer, key), "disarmed", due: due)
      }
    }
  }

  private func addTimer(_ input: Input, place: Int, _ timer: String, _ what: String, due: Instant?) throws {
    try addTimer(input.entry, place: place, input.machine, input.kind, timer, what, due: due)
  }

  private func addTimer(
    _ entry: JournalEntry, place: Int, _ machine: String, _ kind: Kind, _ timer: String, _ what: String, due: Instant?
  ) throws {
    try tables.insert(
      [
        .integer(Int64(entry.sequence)), .integer(Int64(place)), .seconds(entry.moment),
        .integer(entry.moment.nanoseconds), .text(machine), .text(kind.name), .text(timer), .text(what),
        due.map { .seconds($0) } ?? .null,
        due.map { .integer($0.nanoseconds) } ?? .null,
      ], into: "timers")
  }

  // MARK: Inputs of the whole world

  private mutating func addWorldwide(
    _ entry: JournalEntry, _ facts: JournalInput, _ undoer: UInt64?, of world: borrowing WorldCore
  ) throws {
    try tables.insert(
      [
        .integer(Int64(entry.sequence)), .seconds(entry.moment), .integer(entry.moment.nanoseconds), .null, .null,
        .text(entry.input.column),
      ] + Array(repeating: .null, count: 7)
        + [undoer.map { .integer(Int64($0)) } ?? .null, .text(world.wallTime(of: entry).map(WallClock.text))],
      into: "inputs")
    if undoer != nil {
      if entry.input == .rewound { lost?.hasOnlyChanges = false }
      return
    }
    for (place, timer) in facts.renewed.enumerated() {
      let kind = world.kind(of: timer.machine)
      let due = entry.moment + timer.duration
      try addTimer(
        entry, place: place + 1, world.name(of: timer.machine), kind,
        TimerText.word(kind.timers[timer.timer].name, key: timer.key), "armed", due: due)
    }
    // An undo beyond the kept journal leaves an unknown state, so the tables start with the machines met from here on.
    if entry.input == .rewound, isBeyond {
      births = [:]
      states = [:]
      start = entry.moment
    }
  }

  /// Whether the undone range at this input begins before the kept journal.
  private var isBeyond: Bool { undone.first.map { $0.lowerBound < history.world.first } ?? false }

  // MARK: Machines from before

  /// Adds a machine that was created before the kept journal begins, in its first known state.
  private mutating func addEarlierMachine(_ input: Input) throws {
    let entry = input.entry
    // Without a move, data may have changed, but not a word.
    let unmoved = input.kind.hasStatesNamedByData ? input.facts.after : nil
    let state = input.kind.stateWord(
      Int(entry.from), data: entry.verdict == .moved ? input.facts.before : unmoved)
    try addEarlierMachine(input.id, input.machine, input.kind, state, at: entry.sequence)
  }

  private mutating func addEarlierMachine(
    _ machine: MachineID, _ name: String, _ kind: Kind, _ state: String, at sequence: UInt64
  ) throws {
    let start = start ?? history.moment
    let birth = history.birth(of: machine, at: sequence) ?? 0
    births[machine] = birth
    let number = TableWriter.Value.integer(Int64(birth))
    try tables.insert(
      [.text(name), .text(kind.name), .null, number, .null, .null, .null, .null, .null, .null], into: "machines")
    try tables.insert(
      [
        number, .seconds(start), .integer(start.nanoseconds), .text(name), .text(kind.name), .null, .text(state),
        .text("kept"), .null,
      ], into: "transitions")
  }

  /// Adds the machines that the kept journal does not mention: their states have not changed.
  private mutating func addUnmentionedMachines() throws {
    guard history.world.first > 1 else { return }
    // For a world that cannot be restored, only the journal is exported.
    guard var world = try? history.present() else { return }
    for machine in world.machines(matching: .all) where births[machine] == nil {
      try addEarlierMachine(
        machine, world.name(of: machine), world.kind(of: machine), world.state(of: machine), at: history.world.head)
    }
  }

  private func writeAbout(_ release: String) throws {
    let facts = [
      ("format", "\(ExportTables.version)"), ("fsmd", release), ("world", history.name),
      ("seed", "\(history.settings.seed)"), ("clock", history.settings.mode.rawValue),
      ("t", TimeText.seconds(history.moment.nanoseconds)), ("t_ns", "\(history.moment.nanoseconds)"),
      ("first_seq", "\(history.world.first)"), ("last_seq", "\(history.world.head)"),
    ]
    for (key, value) in facts { try tables.insert([.text(key), .text(value)], into: "about") }
  }
}

extension TableWriter.Value {
  /// A text, or `NULL` for nil.
  static func text(_ text: String?) -> Self { text.map { .text($0) } ?? .null }

  /// A moment in seconds, rounded to a floating-point number.
  static func seconds(_ moment: Instant) -> Self { .real(Double(moment.nanoseconds) / 1e9) }
}
