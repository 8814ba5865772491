public import StateMachines

extension World {
  // MARK: The journal

  /// The current end of the journal.
  public var cursor: Cursor { Cursor(world: number, next: core.journal.last + 1) }

  /// The inputs of a machine that have happened, oldest first, without those that were undone.
  ///
  /// The journal of a dropped machine can be read, too. The journal forgets the world's oldest inputs when it holds a
  /// million.
  ///
  /// - Parameters:
  ///   - machine: A machine of this world; of another machine there are no inputs.
  ///   - cursor: The position to start from; `nil` for the whole journal.
  /// - Precondition: The cursor is of this world.
  /// - Complexity: O(inputs of the world after the cursor).
  public func journal<M: Machine>(of machine: Handle<M>, since cursor: Cursor? = nil) -> [Record<M>] {
    if let cursor { precondition(isKnown(cursor), "the cursor \(cursor) is of another world") }
    guard isKnown(machine) else { return [] }
    var records: [Record<M>] = []
    var reader = core.journal.reader(from: max(core.journal.first, min(cursor?.next ?? 0, core.journal.last + 1)))
    while let entry = core.journal.read(&reader) {
      guard entry.machine == machine.machine, !core.hasUndone(entry.sequence) else { continue }
      records.append(record(of: entry, M.self))
    }
    return records
  }

  /// All inputs of the world after a cursor, oldest first, including undone inputs and the undo itself.
  ///
  /// To follow a world, read its ``cursor`` after each call, and pass it to the next call.
  ///
  /// - Throws: ``Failure/ofOtherWorld(_:)``; ``Failure/forgotten`` if the journal no longer contains the position.
  /// - Complexity: O(changes).
  public func changes(since cursor: Cursor) throws(Failure) -> [Change] {
    guard isKnown(cursor) else { throw .ofOtherWorld(cursor) }
    guard cursor.next >= core.journal.first else { throw .forgotten }
    var changes: [Change] = []
    var reader = core.journal.reader(from: cursor.next)
    while let entry = core.journal.read(&reader) { changes.append(change(of: entry)) }
    return changes
  }

  /// Whether a cursor is of this world, or was taken before a fork that led to it.
  private func isKnown(_ cursor: Cursor) -> Bool {
    cursor.world == number || ancestors[cursor.world].map { cursor.next <= $0 + 1 } ?? false
  }

  /// Converts a journal entry to the types of its machine.
  ///
  /// - Precondition: It is an entry of a machine of this type.
  func record<M: Machine>(of entry: JournalEntry, _ type: M.Type) -> Record<M> {
    let input = JournalInput(entry)
    guard let machine = entry.machine else { preconditionFailure("an entry of the whole world has no machine") }
    let kind = core.kind(of: machine)
    let (outputs, told) = outputs(of: input, kind)
    return Record(
      number: entry.sequence, moment: Duration.nanoseconds(entry.moment.nanoseconds),
      cause: cause(of: entry, input, kind), verdict: entry.verdict, from: M.State.Name(at: Int(entry.from)),
      to: M.State.Name(at: Int(entry.to)), data: input.after,
      outputs: outputs.map { M.Output.Name(at: $0.output) }, outputData: outputs.map(\.data),
      told: told.map { M.Output.Name(at: $0.output) }, toldData: told.map(\.data),
      timers: timers(of: input, kind, at: entry.moment), reason: input.reason)
  }

  /// The outputs of an input: those for all, and those for watchers of everything only.
  private func outputs(
    of input: JournalInput, _ kind: Kind
  ) -> (all: [(output: Int, data: [Value])], told: [(output: Int, data: [Value])]) {
    let outputs = input.effects.compactMap { effect -> (output: Int, data: [Value])? in
      if case .emitted(let output, let data) = effect { (output, data) } else { nil }
    }
    return (outputs.filter { !kind.outputs[$0.output].isTold }, outputs.filter { kind.outputs[$0.output].isTold })
  }

  func timers(of input: JournalInput, _ kind: Kind, at moment: Instant) -> [TimerChange] {
    input.effects.compactMap { effect in
      switch effect {
      case .emitted: nil
      case .armed(let timer, let key, let due):
        .armed(kind.timers[timer].name, key: Int(key), for: Duration(due - moment))
      case .disarmed(let timer, let key, due: _): .disarmed(kind.timers[timer].name, key: Int(key))
      }
    }
  }

  private func cause<M: Machine>(of entry: JournalEntry, _ input: JournalInput, _ kind: Kind) -> Cause<M> {
    let place = Int(entry.index)
    switch entry.input {
    case .created: return .created
    case .dropped: return .dropped
    case .event: return .event(kind.event(place, input.arguments, of: M.self))
    case .expiry: return .timer(kind.timers[place].name, key: Int(input.key))
    case .fired: return .fired(kind.timers[place].name, key: Int(input.key))
    case .delivery: return .wire(kind.events[place].name, from: input.source.map { core.name(of: $0.machine) } ?? "")
    case .wired, .unwired:
      let target = input.target.map {
        "\(core.name(of: $0.machine)).\(core.kind(of: $0.machine).events[$0.event].name)"
      }
      let output = M.Output.Name(at: place)
      return entry.input == .wired ? .wired(output, to: target ?? "") : .unwired(output, to: target ?? "")
    case .rewound, .renewed, .defined, .undefined: preconditionFailure("an entry of the whole world has no machine")
    }
  }

  private func change(of entry: JournalEntry) -> Change {
    let input = JournalInput(entry)
    let moment = Duration.nanoseconds(entry.moment.nanoseconds)
    guard let machine = entry.machine else {
      return Change(
        number: entry.sequence, moment: moment, machine: nil, cause: "undone \(input.undone)", verdict: entry.verdict,
        from: "", to: "", outputs: [], told: [])
    }
    let kind = core.kind(of: machine)
    func opened<M: Machine>(_: M.Type) -> String { "\(cause(of: entry, input, kind) as Cause<M>)" }
    guard let type = kind.machine as? any Machine.Type else { preconditionFailure("kinds are of machines") }
    let (outputs, told) = outputs(of: input, kind)
    func state(_ place: UInt16, _ data: String?) -> String {
      kind.stateWord(Int(place), data: kind.hasStatesNamedByData ? data : nil)
    }
    return Change(
      number: entry.sequence, moment: moment, machine: core.name(of: machine), cause: opened(type),
      verdict: entry.verdict, from: state(entry.from, entry.verdict == .moved ? input.before : input.after),
      to: state(entry.to, input.after), outputs: outputs.map { kind.outputs[$0.output].name },
      told: told.map { kind.outputs[$0.output].name })
  }

  /// The name of the machine that received an input.
  func name(atInput sequence: UInt64) -> String {
    var reader = core.journal.reader(from: max(core.journal.first, sequence))
    guard let machine = core.journal.read(&reader)?.machine else { return "a machine" }
    return core.name(of: machine)
  }

  func describe(_ found: WorldCore.Livelock) -> Livelock {
    let name = core.name(of: found.machine)
    let kind = core.kind(of: found.machine)
    let what =
      switch found.chain {
      case .timers(let timer, let key):
        "\(World.timerName(kind.timers[Int(timer)].name, Int(key))) of \(name) would fire again without time in between: "
          + "stopped after \(core.limits.chain) firings"
      case .keyedTimers(let timer, let key):
        "\(World.timerName(kind.timers[Int(timer)].name, Int(key))) of \(name) was not armed: a machine has "
          + "\(core.limits.keyedTimers) timers with keys at most"
      case .wires(let output, let isLong):
        "\(kind.outputs[Int(output)].name) of \(name) was not delivered: "
          + (isLong
            ? "stopped after \(core.limits.wireChain) deliveries that followed from one another"
            : "stopped after \(core.limits.wireDeliveries) deliveries of one step")
      }
    return Livelock(machine: name, moment: Duration.nanoseconds(found.moment.nanoseconds), description: what)
  }
}
