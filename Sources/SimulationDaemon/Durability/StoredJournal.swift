import JournalStore
import Simulator
import StateMachines

/// A durable world's journal in the store, for inputs that are no longer in memory.
final class StoredJournal {
  /// They allow reads by whichever thread has the world while the daemon writes.
  private let readers: any StoreReaders
  private let world: String
  private let catalogue: Catalogue
  /// The oldest input in the store.
  var first: UInt64
  /// The machines of the numbers looked up so far, valid at the next input to read.
  private var owners: [MachineID: StoredCreation] = [:]
  /// The kind descriptions of the segments; nil until they are needed.
  private var words: StoredWords?
  private var ownersHoldFor: UInt64 = 0
  private static let mostOwners = 100_000

  init(_ readers: any StoreReaders, _ world: String, _ catalogue: Catalogue, first: UInt64) {
    self.readers = readers
    self.world = world
    self.catalogue = catalogue
    self.first = first
  }

  /// The store, as it may be shown.
  var place: String { readers.place }

  /// Whether the event loop may read it.
  var answersAtOnce: Bool { readers.answersAtOnce }

  /// The world's size in the store; nil if the store cannot say.
  var holdings: StorageStats? {
    try? readers.reading { reader throws(StoreFailure) in try reader.holdings(of: world) }
  }

  /// Passes inputs to `body` in order.
  ///
  /// - Parameters:
  ///   - present: The current world, which knows what was undone.
  ///   - body: Takes a read-only world and an input of its journal; returns whether to go on.
  /// - Returns: The input after the last one passed, or `end + 1`.
  /// - Throws: What the store throws; `unreadable` if an input cannot be decoded.
  /// - Complexity: O(inputs), and O(log creations) for each machine in them.
  func read(
    _ numbers: ClosedRange<UInt64>, in present: borrowing WorldCore, _ body: (borrowing WorldCore, JournalEntry) -> Bool
  ) throws(PersistenceFailure) -> UInt64 {
    var next = max(numbers.lowerBound, first)
    // Machine numbers may have been reused between the last read and this one.
    if next != ownersHoldFor { owners = [:] }
    defer { ownersHoldFor = next }
    let failure = try withStore { () throws(StoreFailure) in
      try readers.reading { reader throws(StoreFailure) in
        try reader.readSegments(
          of: world, from: next,
          trying: { (segment) throws(PersistenceFailure) in
            try read(segment, reader, from: &next, to: numbers.upperBound, present, body)
          })
      }
    }
    if let failure { throw failure }
    return next
  }

  /// Reads inputs of a segment.
  ///
  /// - Returns: Whether to go on.
  private func read(
    _ segment: Segment, _ reader: any WorldReading, from next: inout UInt64, to end: UInt64,
    _ present: borrowing WorldCore,
    _ body: (borrowing WorldCore, JournalEntry) -> Bool
  ) throws(PersistenceFailure) -> Bool {
    guard next <= end else { return false }
    let numbers = segment.first...segment.last
    var goesOn = true
    do {
      let undone = present.undone(from: segment.first, after: try reader.undone(in: world, numbers))
      var scanner = JournalScanner(after: next - 1, undone: undone, try storedWords(reader), catalogue)
      try scanner.read(segment.bytes, numbers, owner: { try owner($0, $1, reader) }) { world, entry, _ in
        next = entry.sequence + 1
        // The number may have been that of an earlier machine.
        if entry.input == .created, let machine = entry.machine { owners[machine] = nil }
        goesOn = body(world, entry) && next <= end
        return goesOn
      }
    } catch let error as StoreFailure {
      throw .store(error)
    } catch Recovery.Failure.unreadable(let failure, _) {
      throw .unreadable(world: world, reason: "of the inputs from \(next) on, one \(failure)")
    } catch {
      throw .unreadable(world: world, reason: "of the inputs from \(next) on, one cannot be read: \(error)")
    }
    return goesOn
  }

  /// Finds the first stored segment at one of whose inputs the host's clock may have showed this time or a later one.
  ///
  /// - Parameters:
  ///   - start: Only it and later inputs matter.
  ///   - wall: In nanoseconds since 1970.
  ///   - most: How many segments to look at.
  /// - Returns: The first input to look at next, and the last one of the segment that was found.
  /// - Throws: What the store throws.
  func segment(
    from start: UInt64, thatMayReach wall: Int64, most: Int
  ) throws(PersistenceFailure) -> (next: UInt64, end: UInt64?) {
    var next = UInt64.max
    var end: UInt64?
    var left = most
    try withStore { () throws(StoreFailure) in
      try readers.reading { reader throws(StoreFailure) in
        try reader.readSegments(of: world, from: start) { segment in
          // Reading a damaged segment reports it.
          if JournalSegment(segment.bytes)?.mayReach(wall: wall) ?? true {
            (next, end) = (segment.first, segment.last)
            return false
          }
          left -= 1
          next = segment.last + 1
          return left > 0
        }
      }
    }
    return (next, end)
  }

  /// Discards the kind descriptions, since the store has new ones.
  func forgetWords() {
    words = nil
  }

  private func storedWords(_ reader: any WorldReading) throws -> StoredWords {
    if let words { return words }
    let found = try StoredWords(try reader.kinds(of: world))
    words = found
    return found
  }

  /// The kind and name of the machine that had a number at an input.
  private func owner(
    _ machine: MachineID, _ sequence: UInt64, _ reader: any WorldReading
  ) throws -> (kind: String, name: String)? {
    // The cached machine may have been created after this input.
    if let known = owners[machine], known.sequence <= sequence { return (known.kind, known.name) }
    guard let found = try reader.creation(of: machine.number, in: world, at: sequence) else { return nil }
    if owners.count >= StoredJournal.mostOwners { owners = [:] }
    owners[machine] = found
    return (found.kind, found.name)
  }
}
