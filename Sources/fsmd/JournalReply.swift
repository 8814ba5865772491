import LineProtocol
import Simulator
import StateMachines

/// A part of a world's journal that is written piece by piece: first what only the store still has, then what is in memory.
struct JournalReply {
  /// The next input.
  private(set) var next: UInt64
  /// Where that is in memory; nil before it was looked for there.
  private var reader: JournalReader?
  /// The last input that is wanted.
  let end: UInt64
  let pattern: Pattern
  let scope: WatchScope
  /// How many inputs are to be written at most.
  private var remaining: Int
  private var written = 0

  init(from next: UInt64, through end: UInt64, _ pattern: Pattern, _ scope: WatchScope, most: Int = .max) {
    self.next = next
    self.end = end
    self.pattern = pattern
    self.scope = scope
    remaining = most
  }

  /// The same from the input on that would be next, up to another one.
  func goingOn(through end: UInt64) -> JournalReply {
    var longer = JournalReply(from: self.end + 1, through: end, pattern, scope)
    longer.written = written
    return longer
  }

  /// Writes the next piece.
  ///
  /// - Parameter size: About how many bytes that is.
  mutating func write(
    _ realm: borrowing Realm, _ printer: inout JournalPrinter, _ lineClass: LineClass, tag: UnsafeRawBufferPointer,
    to buffer: inout ByteBuffer, _ size: Int
  ) -> LongReply.Piece {
    let most = buffer.count + size
    guard remaining > 0, next <= end else { return .done(written) }
    if next < realm.world.firstSequence {
      return writeStored(realm, &printer, lineClass, tag: tag, to: &buffer, upTo: most)
    }
    var reader = reader ?? realm.world.journalReader(from: next)
    defer { self.reader = reader }
    var looked = 0
    while remaining > 0, next <= end {
      if buffer.count >= most || looked >= LongReply.inputsLookedAt { return .more }
      guard let entry = realm.world.read(&reader) else {
        // It may have gone from memory meanwhile.
        return realm.stored != nil && next < realm.world.firstSequence ? .more : .forgotten
      }
      looked += 1
      take(entry, of: realm.world, &printer, lineClass, tag: tag, to: &buffer)
    }
    return .done(written)
  }

  private mutating func writeStored(
    _ realm: borrowing Realm, _ printer: inout JournalPrinter, _ lineClass: LineClass, tag: UnsafeRawBufferPointer,
    to buffer: inout ByteBuffer, upTo most: Int
  ) -> LongReply.Piece {
    reader = nil
    guard let stored = realm.stored, next >= stored.first else { return .forgotten }
    let last = min(end, realm.world.firstSequence - 1)
    var looked = 0
    do throws(KeeperFailure) {
      next = try stored.read(next...last, in: realm.world) { world, entry in
        looked += 1
        take(entry, of: world, &printer, lineClass, tag: tag, to: &buffer)
        return remaining > 0 && buffer.count < most && looked < LongReply.inputsLookedAt
      }
    } catch {
      return .unreadable(error)
    }
    return remaining > 0 && next <= end ? .more : .done(written)
  }

  private mutating func take(
    _ entry: JournalEntry, of world: borrowing World, _ printer: inout JournalPrinter, _ lineClass: LineClass,
    tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer
  ) {
    next = entry.sequence + 1
    guard world.concerns(entry, pattern) else { return }
    let lines = printer.print(entry, of: world, scope, lineClass, tag: tag, to: &buffer)
    if lines > 0 { remaining -= 1 }
    written += lines
  }
}

extension World {
  /// Whether an input is one of those that a pattern asks for; one of the whole world always is.
  func concerns(_ entry: JournalEntry, _ pattern: Pattern) -> Bool {
    guard !pattern.matchesAll, let machine = entry.machine else { return true }
    return withName(of: machine) { pattern.matches($0) }
  }
}

extension Realm {
  /// Inputs that the store is asked for in one go, when the last ones of a machine are looked for.
  private static let inputsInAStep: UInt64 = 20_000
  /// Inputs that the store is asked for at most: those before are not looked at without `since=`.
  private static let mostInputs: UInt64 = 200_000

  /// The first of the last so many inputs that a pattern and a scope ask for; one more than the last if there is none.
  ///
  /// - Complexity: O(1) for all inputs; otherwise the journal in memory is read once, and before that up to 200,000 inputs
  ///   of the store.
  borrowing func firstOfTheLast(
    _ count: Int, _ pattern: Pattern, _ scope: WatchScope
  ) throws(KeeperFailure) -> UInt64 {
    let last = world.lastSequence
    if pattern.matchesAll, scope == .all {
      return max(firstSequence, last + 1 > UInt64(count) ? last + 1 - UInt64(count) : 1)
    }
    var search = LastInputs(count: count, pattern, scope)
    var reader = world.journalReader(from: world.firstSequence)
    while let entry = world.read(&reader) { search.look(at: entry, of: world) }
    var found = search.found
    guard let stored else { return found.first ?? last + 1 }
    var end = world.firstSequence
    let floor = max(stored.first, end > Realm.mostInputs ? end - Realm.mostInputs : 1)
    while found.count < count, end > floor {
      let start = max(floor, end > Realm.inputsInAStep ? end - Realm.inputsInAStep : 1)
      var search = LastInputs(count: count - found.count, pattern, scope)
      _ = try stored.read(start...(end - 1), in: world) { world, entry in
        search.look(at: entry, of: world)
        return true
      }
      found = search.found + found
      end = start
    }
    return found.first ?? last + 1
  }
}

/// The last so many of the inputs that are looked at.
private struct LastInputs: ~Copyable {
  private let count: Int
  private let pattern: Pattern
  private let scope: WatchScope
  /// A ring.
  private var numbers: [UInt64] = []
  private var oldest = 0
  private var printer = JournalPrinter()
  private var sink = ByteBuffer()

  init(count: Int, _ pattern: Pattern, _ scope: WatchScope) {
    self.count = count
    self.pattern = pattern
    self.scope = scope
  }

  /// Their numbers, in order.
  var found: [UInt64] { Array(numbers[oldest...] + numbers[..<oldest]) }

  mutating func look(at entry: JournalEntry, of world: borrowing World) {
    guard world.concerns(entry, pattern) else { return }
    if scope == .moves {
      sink.removeAll()
      let noTag = UnsafeRawBufferPointer(start: nil, count: 0)
      guard printer.print(entry, of: world, scope, .data, tag: noTag, to: &sink) > 0 else { return }
    }
    if numbers.count < count {
      numbers.append(entry.sequence)
    } else if count > 0 {
      numbers[oldest] = entry.sequence
      oldest = (oldest + 1) % count
    }
  }
}
