import LineProtocol
import Simulator
import StateMachines

/// A reply with many lines, written piece by piece as the client reads it.
protocol LongReply {
  /// Writes the next piece.
  mutating func write(
    _ live: inout LiveWorld, _ printer: inout JournalPrinter, tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer
  ) -> ReplyPiece

  /// Whether only workers write it.
  var isForWorkers: Bool { get }
  /// Whether its lines are those of a text, and not of the protocol.
  var isText: Bool { get }
  /// About how many bytes it holds.
  var bytes: Int { get }
  /// Whether it collects data before it writes, so that its size is checked against the budget.
  var gathers: Bool { get }
  /// Whether it waits for another program.
  var isWaiting: Bool { get }
}

extension LongReply {
  var isForWorkers: Bool { false }
  var isText: Bool { false }
  var bytes: Int { 0 }
  var gathers: Bool { false }
  var isWaiting: Bool { false }

  /// Whether what it has gathered is more than the budget has room for.
  func isTooLarge(for budget: MemoryBudget) -> Bool {
    gathers && !budget.hasRoom(for: 0) && bytes > ReplyPiece.mostUnwritten
  }
}

/// The result of writing a piece of a long reply.
enum ReplyPiece {
  case more
  /// All is written; the number of lines, and of the parts that a diagram leaves out.
  case done(Int, omitted: Int = 0)
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

  /// Inputs of the journal visited in one piece.
  static let inputsLookedAt = 10_000
  /// Bytes written in one piece.
  static let size = 64 << 10
  /// Unread bytes at which the next piece waits.
  static let mostUnwritten = 256 << 10
}

/// Machines visited in one piece: a filter may match none of them.
private let machinesLookedAt = 4_096

/// The timers that ran at the time of the request, without those that have stopped since.
struct AgendaReply: LongReply {
  let listing: AgendaListing
  private var written = 0

  /// Timers visited in one piece.
  private static let timersLookedAt = 1_024

  init(_ listing: AgendaListing) {
    self.listing = listing
  }

  var bytes: Int { listing.bytes }

  /// `. DUE NAME TIMER left=`
  mutating func write(
    _ live: inout LiveWorld, _ printer: inout JournalPrinter, tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer
  ) -> ReplyPiece {
    var budget = AgendaReply.timersLookedAt
    while let item = listing.next(in: live.world, budget: &budget) {
      buffer.begin(.data, tag: tag)
      buffer.word(seconds: item.due.nanoseconds)
      live.world.appendName(of: item.machine, to: &buffer)
      let words = live.world.words(at: live.world.kindPlace(of: item.machine))
      buffer.timer(words.timers.word(at: item.timer), key: item.key)
      buffer.key("left", seconds: max(0, (item.due - live.world.now).nanoseconds))
      buffer.endLine()
      written += 1
    }
    return listing.isDone ? .done(written) : .more
  }
}

/// The wires at the time of the request, without those removed since.
struct WireList: LongReply {
  private let wires: [Wire]
  private var next = 0
  private var written = 0

  /// Wires visited in one piece.
  private static let wiresLookedAt = 1_024

  init(_ wires: [Wire]) {
    self.wires = wires
  }

  var bytes: Int { wires.count * MemoryLayout<Wire>.stride }

  /// `. FROM OUTPUT TO EVENT`
  mutating func write(
    _ live: inout LiveWorld, _ printer: inout JournalPrinter, tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer
  ) -> ReplyPiece {
    let end = min(wires.count, next + WireList.wiresLookedAt)
    for wire in wires[next..<end] where live.world.contains(wire) {
      buffer.begin(.data, tag: tag)
      live.world.appendName(of: wire.from, to: &buffer)
      buffer.word(live.world.kind(of: wire.from).outputs[wire.output].name)
      live.world.appendName(of: wire.to, to: &buffer)
      buffer.word(live.world.kind(of: wire.to).events[wire.event].name)
      buffer.endLine()
      written += 1
    }
    next = end
    return end == wires.count ? .done(written) : .more
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

/// Machines in the order of names, with names and states at the time of writing.
struct MachineList: LongReply {
  var cursor: NameCursor
  let kind: WantedKind?
  let state: String?
  var remaining: Int
  var written = 0

  /// `. NAME KIND STATE`
  mutating func write(
    _ live: inout LiveWorld, _ printer: inout JournalPrinter, tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer
  ) -> ReplyPiece {
    var queries: [Int: StateQuery?] = [:]
    var budget = machinesLookedAt
    while remaining > 0 {
      let machine: MachineID
      switch live.world.next(&cursor, budget: &budget) {
      case .found(let next): machine = next
      case .more: return .more
      case .done: return .done(written)
      }
      let place = live.world.kindPlace(of: machine)
      let kind = live.world.kind(at: place)
      if let wanted = self.kind, !wanted.includes(machine, kind, live.world) { continue }
      if let state {
        let query = queries[place] ?? StateQuery(state, of: kind)
        queries[place] = query
        guard let query, query.matches(live.world.stateIndex(of: machine), data: live.world.stateData(of: machine))
        else {
          continue
        }
      }
      buffer.begin(.data, tag: tag)
      live.world.appendName(of: machine, to: &buffer)
      buffer.word(kind.name)
      buffer.state(
        live.world.words(at: place), UInt16(live.world.stateIndex(of: machine)), data: live.world.stateData(of: machine)
      )
      buffer.endLine()
      written += 1
      remaining -= 1
    }
    return .done(written)
  }
}

/// The number of machines per state; each is counted as it is when its turn comes.
struct MachineCount: LongReply {
  private let pattern: NamePattern
  private let kind: WantedKind?
  private var tally = StateTally()

  init(_ pattern: NamePattern, _ kind: WantedKind?) {
    (self.pattern, self.kind) = (pattern, kind)
  }

  /// `. KIND STATE N`
  mutating func write(
    _ live: inout LiveWorld, _ printer: inout JournalPrinter, tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer
  ) -> ReplyPiece {
    let isDone = count(live.world)
    let kinds = live.world.kinds
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

  private mutating func count(_ world: borrowing WorldCore) -> Bool {
    let (pattern, wanted, kinds) = (pattern, kind, world.kinds)
    var budget = machinesLookedAt
    return world.count(into: &tally, budget: &budget) { machine, name, kind in
      pattern.matches(name) && (wanted?.includes(machine, kinds[kind], world) ?? true)
    }
  }
}
