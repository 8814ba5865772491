import LineProtocol
import Simulator
import StateMachines

/// A reply with many lines, written piece by piece as the client reads it.
enum LongReply {
  /// Machines in the order of names, with names and states at the time of writing.
  case machines(Machines)
  /// The number of machines per state; each is counted as it is when its turn comes.
  case count(Count)
  /// The timers that ran at the time of the request, without those that have stopped since.
  case agenda(AgendaListing, written: Int)
  /// The wires at the time of the request, without those removed since.
  case wires(items: [Wire], next: Int, written: Int)
  /// Part of the journal, up to the last input at the time of the request.
  case journal(JournalReply)
  /// The past that a new watch asked for. Its lines are notices that are never dropped.
  case past(JournalReply, pattern: NamePattern)
  /// A diagram as of the request.
  case graph(GraphReply)
  /// The coverage of machines as of the request.
  case coverage(CoverageReply)
  /// A stretch of the journal as a waveform.
  case wave(WaveReply)
  /// The world's journal as a script.
  case script(ScriptReply)

  struct Machines {
    var cursor: NameCursor
    let kind: WantedKind?
    let state: String?
    var remaining: Int
    var written = 0
  }

  struct Count {
    let pattern: NamePattern
    let kind: WantedKind?
    var tally = StateTally()
  }

  /// The result of writing a piece.
  enum Piece {
    case more
    /// All is written; the number of lines.
    case done(Int)
    /// The journal no longer has the next input.
    case forgotten
    /// The store cannot read the next input.
    case unreadable(PersistenceFailure)
    /// It would have more than a reply may have, with what to do instead.
    case exceeded(ExceededLimit, String)
    /// The world cannot be written as a script.
    case unscriptable(HistoryFailure)
    /// Another program must act first.
    case waiting
    /// The picture could not be drawn.
    case failed(GraphvizJob.Failure)
  }

  /// Machines visited in one piece: a filter may match none of them.
  private static let machinesLookedAt = 4_096
  /// Timers visited in one piece.
  private static let timersLookedAt = 1_024
  /// Wires visited in one piece.
  private static let wiresLookedAt = 1_024
  /// Inputs of the journal visited in one piece.
  static let inputsLookedAt = 10_000
  /// Bytes written in one piece.
  static let pieceSize = 64 << 10
  /// Unread bytes at which the next piece waits.
  static let mostUnwritten = 256 << 10

  /// Writes the next piece.
  mutating func write(
    _ live: inout LiveWorld, _ printer: inout JournalPrinter, tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer
  ) -> Piece {
    switch self {
    case .machines(var machines):
      let piece = machines.write(&live.world, tag: tag, to: &buffer, LongReply.machinesLookedAt)
      self = .machines(machines)
      return piece
    case .count(var count):
      let piece = count.write(live.world, tag: tag, to: &buffer, LongReply.machinesLookedAt)
      self = .count(count)
      return piece
    case .agenda(let listing, var written):
      var budget = LongReply.timersLookedAt
      while let item = listing.next(in: live.world, budget: &budget) {
        LongReply.write(item, live.world, tag: tag, to: &buffer)
        written += 1
      }
      self = .agenda(listing, written: written)
      return listing.isDone ? .done(written) : .more
    case .wires(let items, let next, var written):
      let end = min(items.count, next + LongReply.wiresLookedAt)
      for wire in items[next..<end] where live.world.contains(wire) {
        LongReply.write(wire, live.world, tag: tag, to: &buffer)
        written += 1
      }
      self = .wires(items: items, next: end, written: written)
      return end == items.count ? .done(written) : .more
    case .journal(var journal):
      let piece = journal.write(live, &printer, .data, tag: tag, to: &buffer, LongReply.pieceSize)
      self = .journal(journal)
      return piece
    case .past(var journal, let pattern):
      // Notices have no tag.
      let none = UnsafeRawBufferPointer(start: nil, count: 0)
      let piece = journal.write(live, &printer, .notice, tag: none, to: &buffer, LongReply.pieceSize)
      self = .past(journal, pattern: pattern)
      return piece
    case .graph(let graph):
      return graph.write(live.slice, host: live.host, tag: tag, to: &buffer)
    case .coverage(let coverage):
      return coverage.write(live.world, live.slice, tag: tag, to: &buffer)
    case .wave(let wave):
      return wave.write(live, tag: tag, to: &buffer)
    case .script(let script):
      return script.write(live, tag: tag, to: &buffer)
    }
  }

  /// Whether only workers write it.
  var isForWorkers: Bool {
    switch self {
    case .graph, .coverage, .wave, .script: true
    case .journal(let journal), .past(let journal, _): journal.isStored
    case .machines, .count, .agenda, .wires: false
    }
  }

  /// Whether what it has gathered is more than the budget has room for.
  func isTooLarge(for budget: MemoryBudget) -> Bool {
    switch self {
    case .wave(let wave): !budget.hasRoom(for: 0) && wave.bytes > LongReply.mostUnwritten
    case .script(let script): !budget.hasRoom(for: 0) && script.bytes > LongReply.mostUnwritten
    case .machines, .count, .agenda, .wires, .journal, .past, .graph, .coverage: false
    }
  }

  /// Whether it waits for another program.
  var isWaiting: Bool {
    switch self {
    case .graph(let graph): graph.isWaiting
    case .machines, .count, .agenda, .wires, .journal, .past, .coverage, .wave, .script: false
    }
  }

  /// `. FROM OUTPUT TO EVENT`
  private static func write(
    _ wire: Wire, _ world: borrowing WorldCore, tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer
  ) {
    buffer.begin(.data, tag: tag)
    world.appendName(of: wire.from, to: &buffer)
    buffer.word(world.kind(of: wire.from).outputs[wire.output].name)
    world.appendName(of: wire.to, to: &buffer)
    buffer.word(world.kind(of: wire.to).events[wire.event].name)
    buffer.endLine()
  }

  /// `. DUE NAME TIMER left=`
  private static func write(
    _ item: WorldCore.AgendaItem, _ world: borrowing WorldCore, tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer
  ) {
    buffer.begin(.data, tag: tag)
    buffer.word(seconds: item.due.nanoseconds)
    world.appendName(of: item.machine, to: &buffer)
    buffer.timer(world.words(at: world.kindPlace(of: item.machine)).timers.word(at: item.timer), key: item.key)
    buffer.key("left", seconds: max(0, (item.due - world.now).nanoseconds))
    buffer.endLine()
  }
}

/// The kind filter of `list` and `count`.
enum WantedKind {
  case machine(String)
  /// Members of machines of this composed kind.
  case composition(String)

  init(_ entry: CatalogueEntry) {
    switch entry {
    case .machine(let kind): self = .machine(kind.name)
    case .composition(let composition): self = .composition(composition.name)
    }
  }

  func includes(_ machine: MachineID, _ kind: Kind, _ world: borrowing WorldCore) -> Bool {
    switch self {
    case .machine(let name): kind.name == name
    case .composition(let name): world.isMember(machine, of: name)
    }
  }
}

extension LongReply.Machines {
  /// `. NAME KIND STATE`
  fileprivate mutating func write(
    _ world: inout WorldCore, tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer, _ most: Int
  ) -> LongReply.Piece {
    var queries: [Int: StateQuery?] = [:]
    var budget = most
    while remaining > 0 {
      let machine: MachineID
      switch world.next(&cursor, budget: &budget) {
      case .found(let next): machine = next
      case .more: return .more
      case .done: return .done(written)
      }
      let place = world.kindPlace(of: machine)
      let kind = world.kind(at: place)
      if let wanted = self.kind, !wanted.includes(machine, kind, world) { continue }
      if let state {
        let query = queries[place] ?? StateQuery(state, of: kind)
        queries[place] = query
        guard let query, query.matches(world.stateIndex(of: machine), data: world.stateData(of: machine)) else {
          continue
        }
      }
      buffer.begin(.data, tag: tag)
      world.appendName(of: machine, to: &buffer)
      buffer.word(kind.name)
      buffer.state(
        world.words(at: place), UInt16(world.stateIndex(of: machine)), data: world.stateData(of: machine))
      buffer.endLine()
      written += 1
      remaining -= 1
    }
    return .done(written)
  }
}

extension LongReply.Count {
  /// `. KIND STATE N`
  fileprivate mutating func write(
    _ world: borrowing WorldCore, tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer, _ most: Int
  ) -> LongReply.Piece {
    let kinds = world.kinds
    var budget = most
    let isDone = world.count(into: &tally, budget: &budget) { machine, name, kind in
      pattern.matches(name) && (self.kind?.includes(machine, kinds[kind], world) ?? true)
    }
    guard isDone else { return .more }
    var lines = 0
    for (place, states) in tally.counts.sorted(by: { kinds[$0.key].name < kinds[$1.key].name }) {
      for (state, count) in states.enumerated() where count > 0 {
        buffer.begin(.data, tag: tag)
        buffer.word(kinds[place].name)
        buffer.word(tally.states(ofKind: place)[state].word)
        buffer.word(UInt64(count))
        buffer.endLine()
        lines += 1
      }
    }
    return .done(lines)
  }
}
