import LineProtocol
import Simulator
import StateMachines

/// A part of a world's journal, written piece by piece: first inputs that only the store has, then those in memory.
struct JournalReply: LongReply {
  /// The next input.
  private(set) var next: UInt64
  /// Reads `next` in memory; nil before that begins.
  private var reader: JournalReader?
  /// The last input to write.
  let end: UInt64
  let pattern: NamePattern
  let scope: WatchScope
  /// Whether it begins with inputs that only the store has. A worker reads those.
  let isStored: Bool
  /// The most inputs still to write.
  private var remaining: Int
  private var written = 0
  /// Finds the first input; nil once it is found.
  private var search: Search?
  /// Whether its lines tell what the host's clock showed.
  private let tellsWallTime: Bool

  private enum Search {
    case last(JournalSearch)
    case wallTime(WallTimeSearch)
  }

  /// The last inputs that match, at most this many.
  init(
    ofTheLast most: Int, _ pattern: NamePattern, _ scope: WatchScope, of live: borrowing LiveWorld,
    tellsWallTime: Bool = false
  ) {
    self.init(
      from: live.world.lastSequence + 1, of: live, pattern, scope, most: most, tellsWallTime: tellsWallTime)
    search = .last(JournalSearch(for: most, pattern, scope, in: live))
  }

  /// Those from the first one on at which the host's clock showed this time or a later one.
  ///
  /// - Parameter wall: In nanoseconds since 1970.
  init(fromWallTime wall: Int64, of live: borrowing LiveWorld, _ pattern: NamePattern, _ scope: WatchScope, most: Int) {
    self.init(from: live.firstSequence, of: live, pattern, scope, most: most, tellsWallTime: true)
    search = .wallTime(WallTimeSearch(for: wall, in: live))
  }

  init(
    from next: UInt64, of live: borrowing LiveWorld, _ pattern: NamePattern, _ scope: WatchScope, most: Int = .max,
    tellsWallTime: Bool = false
  ) {
    self.init(
      from: next, through: live.world.lastSequence, pattern, scope, isStored: next < live.world.firstSequence,
      most: most, tellsWallTime: tellsWallTime)
  }

  private init(
    from next: UInt64, through end: UInt64, _ pattern: NamePattern, _ scope: WatchScope, isStored: Bool, most: Int,
    tellsWallTime: Bool
  ) {
    self.tellsWallTime = tellsWallTime
    self.next = next
    self.end = end
    self.pattern = pattern
    self.scope = scope
    self.isStored = isStored
    remaining = most
  }

  /// Journal lines from the next input up to `end`.
  func goingOn(through end: UInt64) -> JournalReply {
    var longer = JournalReply(
      from: self.end + 1, through: end, pattern, scope, isStored: isStored, most: .max, tellsWallTime: tellsWallTime)
    longer.written = written
    return longer
  }

  var isForWorkers: Bool { isStored }

  mutating func write(
    _ live: inout LiveWorld, _ printer: inout JournalPrinter, tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer
  ) -> ReplyPiece {
    write(live, &printer, .data, tag: tag, to: &buffer)
  }

  fileprivate mutating func write(
    _ live: borrowing LiveWorld, _ printer: inout JournalPrinter, _ lineClass: LineClass, tag: UnsafeRawBufferPointer,
    to buffer: inout ByteBuffer
  ) -> ReplyPiece {
    if let search {
      do throws(PersistenceFailure) {
        let found =
          switch search {
          case .last(let search): try search.goOn(live)
          case .wallTime(let search): try search.goOn(live)
          }
        guard let found else { return .more }
        next = found
        self.search = nil
        // Inputs of that time may have been before it.
        if case .wallTime = search, next == live.firstSequence, next > 1, next <= end { return .forgotten }
      } catch {
        return .unreadable(error)
      }
    }
    printer.tellsWallTime = tellsWallTime
    defer { printer.tellsWallTime = false }
    let most = buffer.count + ReplyPiece.size
    guard remaining > 0, next <= end else { return .done(written) }
    if next < live.world.firstSequence {
      return writeStored(live, &printer, lineClass, tag: tag, to: &buffer, upTo: most)
    }
    var reader = reader ?? live.world.journalReader(from: next)
    defer { self.reader = reader }
    var looked = 0
    while remaining > 0, next <= end {
      if buffer.count >= most || looked >= ReplyPiece.inputsLookedAt { return .more }
      guard let entry = live.world.read(&reader) else {
        // It may have been removed from memory meanwhile.
        return live.stored != nil && next < live.world.firstSequence ? .more : .forgotten
      }
      looked += 1
      take(entry, of: live.world, &printer, lineClass, tag: tag, to: &buffer)
    }
    return .done(written)
  }

  private mutating func writeStored(
    _ live: borrowing LiveWorld, _ printer: inout JournalPrinter, _ lineClass: LineClass, tag: UnsafeRawBufferPointer,
    to buffer: inout ByteBuffer, upTo most: Int
  ) -> ReplyPiece {
    reader = nil
    guard let stored = live.stored, next >= stored.first else { return .forgotten }
    let last = min(end, live.world.firstSequence - 1)
    var looked = 0
    do throws(PersistenceFailure) {
      next = try stored.read(next...last, in: live.world) { world, entry in
        looked += 1
        take(entry, of: world, &printer, lineClass, tag: tag, to: &buffer)
        return remaining > 0 && buffer.count < most && looked < ReplyPiece.inputsLookedAt
      }
    } catch {
      return .unreadable(error)
    }
    return remaining > 0 && next <= end ? .more : .done(written)
  }

  private mutating func take(
    _ entry: JournalEntry, of world: borrowing WorldCore, _ printer: inout JournalPrinter, _ lineClass: LineClass,
    tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer
  ) {
    next = entry.sequence + 1
    guard world.concerns(entry, pattern) else { return }
    let lines = printer.print(entry, of: world, scope, lineClass, tag: tag, to: &buffer)
    if lines > 0 { remaining -= 1 }
    written += lines
  }
}

/// The past that a new watch asked for. Its lines are notices that are never dropped.
struct PastReply: LongReply {
  private(set) var journal: JournalReply
  let pattern: NamePattern

  init(journal: JournalReply, pattern: NamePattern) {
    (self.journal, self.pattern) = (journal, pattern)
  }

  var isForWorkers: Bool { journal.isForWorkers }

  mutating func write(
    _ live: inout LiveWorld, _ printer: inout JournalPrinter, tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer
  ) -> ReplyPiece {
    // Notices have no tag.
    journal.write(live, &printer, .notice, tag: UnsafeRawBufferPointer(start: nil, count: 0), to: &buffer)
  }
}

extension WorldCore {
  /// Whether an input matches a pattern; inputs of the whole world always do.
  func concerns(_ entry: JournalEntry, _ pattern: NamePattern) -> Bool {
    guard !pattern.matchesAll, let machine = entry.machine else { return true }
    return withName(of: machine) { pattern.matches($0) }
  }
}
