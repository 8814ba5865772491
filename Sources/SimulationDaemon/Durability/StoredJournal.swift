import JournalStore
import Simulator
import StateMachines

/// The journal of a durable world as the store has it, for what is not in memory any more.
final class StoredJournal {
  /// Whoever has the world reads, on whichever thread that is, while the daemon writes.
  private let readers: any StoreReaders
  private let world: String
  private let catalogue: Catalogue
  /// The oldest input that the store has.
  var first: UInt64
  /// Who had which number, as far as it was asked for, when the input came that is to be read next.
  private var owners: [MachineID: StoredCreation] = [:]
  /// By which the segments were written; nil until it is asked for.
  private var words: StoredWords?
  private var ownersHoldFor: UInt64 = 0
  private static let mostOwners = 100_000
  /// Inputs of a segment that are made readable at a time: most readers want fewer than a long one has.
  private static let inputsAtOnce: UInt64 = 4_096

  init(_ readers: any StoreReaders, _ world: String, _ catalogue: Catalogue, first: UInt64) {
    self.readers = readers
    self.world = world
    self.catalogue = catalogue
    self.first = first
  }

  /// What the world takes up; nil if the store does not say.
  var holdings: StorageStats? {
    try? readers.reading { reader throws(StoreFailure) in try reader.holdings(of: world) }
  }

  /// Hands out inputs in order.
  ///
  /// - Parameters:
  ///   - present: The world as it is, which knows what was undone.
  ///   - body: Gets a world that can only be read, and an input of its journal; returns whether to go on.
  /// - Returns: The input behind the last that was handed out, or `end + 1`.
  /// - Throws: What the store throws; `damaged` where it speaks of a machine that it does not know.
  /// - Complexity: O(inputs), and O(log creations) for each machine that they are about.
  func read(
    _ numbers: ClosedRange<UInt64>, in present: borrowing WorldCore, _ body: (borrowing WorldCore, JournalEntry) -> Bool
  ) throws(PersistenceFailure) -> UInt64 {
    var next = max(numbers.lowerBound, first)
    // On the way to another place numbers may have been given again.
    if next != ownersHoldFor { owners = [:] }
    defer { ownersHoldFor = next }
    var failure: PersistenceFailure?
    do throws(StoreFailure) {
      try readers.reading { reader throws(StoreFailure) in
        try reader.readSegments(of: world, from: next) { segment in
          do throws(PersistenceFailure) {
            while next <= min(segment.last, numbers.upperBound) {
              guard try read(segment, reader, from: &next, to: numbers.upperBound, present, body) else { return false }
            }
            return next <= numbers.upperBound
          } catch {
            failure = error
            return false
          }
        }
      }
    } catch {
      throw .store(error)
    }
    if let failure { throw failure }
    return next
  }

  /// Reads as much of a segment as can be read with the same names.
  ///
  /// - Returns: Whether to go on.
  private func read(
    _ segment: Segment, _ reader: any WorldReading, from next: inout UInt64, to end: UInt64,
    _ present: borrowing WorldCore,
    _ body: (borrowing WorldCore, JournalEntry) -> Bool
  ) throws(PersistenceFailure) -> Bool {
    let excerpt: JournalSlice
    do {
      let numbers = segment.first...segment.last
      excerpt = try JournalSlice(
        of: segment.bytes, from: next, most: min(end - next + 1, StoredJournal.inputsAtOnce), numbers, in: present,
        undone: try reader.undone(in: world, numbers), try storedWords(reader), catalogue,
        owner: { try owner($0, $1, isNew: $2, reader) })
    } catch let error as StoreFailure {
      throw .store(error)
    } catch {
      throw .unreadable(world: world, reason: "of the inputs from \(next) on, one \(error)")
    }
    var reader = excerpt.world.journalReader(from: next)
    while next <= min(excerpt.last, end), let entry = excerpt.world.read(&reader) {
      next = entry.sequence + 1
      guard body(excerpt.world, entry) else { return false }
    }
    return true
  }

  /// Says that the store has other words by now.
  func forgetWords() {
    words = nil
  }

  private func storedWords(_ reader: any WorldReading) throws -> StoredWords {
    if let words { return words }
    let found = try StoredWords(try reader.kinds(of: world))
    words = found
    return found
  }

  /// Who had a number at an input.
  private func owner(
    _ machine: MachineID, _ sequence: UInt64, isNew: Bool, _ reader: any WorldReading
  ) throws -> (kind: String, name: String)? {
    // What lies ahead may have been looked at before.
    if !isNew, let known = owners[machine], known.sequence <= sequence { return (known.kind, known.name) }
    guard let found = try reader.creation(of: machine.number, in: world, at: sequence) else { return nil }
    if owners.count >= StoredJournal.mostOwners { owners = [:] }
    owners[machine] = found
    return (found.kind, found.name)
  }
}
