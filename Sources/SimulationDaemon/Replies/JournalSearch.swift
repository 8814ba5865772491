import LineProtocol
import Simulator

/// Finds the first of the last inputs that match a pattern and a scope, searching backwards in stretches.
final class JournalSearch {
  private let pattern: NamePattern
  private let scope: WatchScope
  /// How many inputs are still to be found.
  private var missing: Int
  /// The end of the inputs not searched yet, exclusive.
  private var end: UInt64
  /// The first input to search.
  private let floor: UInt64
  /// The first match so far.
  private var found: UInt64
  private var printer = JournalPrinter()
  private var sink = ByteBuffer()

  /// Inputs searched in one go.
  private static let stretch: UInt64 = 10_000
  /// The most inputs searched in the store. Earlier ones are found only with `since=`.
  private static let mostOfTheStore: UInt64 = 200_000

  /// - Parameter count: How many inputs to find, or all if there are fewer.
  init(for count: Int, _ pattern: NamePattern, _ scope: WatchScope, in live: borrowing LiveWorld) {
    self.pattern = pattern
    self.scope = scope
    missing = count
    end = live.world.lastSequence + 1
    found = end
    let inMemory = live.world.firstSequence
    let inReach = inMemory > JournalSearch.mostOfTheStore ? inMemory - JournalSearch.mostOfTheStore : 1
    floor = min(inMemory, max(live.firstSequence, inReach))
  }

  /// Searches the next stretch.
  ///
  /// - Returns: The first match once it is known; one more than the last input if nothing matches.
  /// - Throws: What the store throws.
  /// - Complexity: O(inputs of a stretch).
  func goOn(_ live: borrowing LiveWorld) throws(PersistenceFailure) -> UInt64? {
    // Every input of the world matches.
    if pattern.matchesAll, scope == .all {
      return max(live.firstSequence, end > UInt64(missing) ? end - UInt64(missing) : 1)
    }
    // Inputs that left memory meanwhile are in the store, if there is one.
    let first = max(floor, live.firstSequence)
    guard missing > 0, end > first else { return found }
    var start = max(first, end > JournalSearch.stretch ? end - JournalSearch.stretch : 1)
    if end > live.world.firstSequence { start = max(start, live.world.firstSequence) }
    let numbers = try wanted(start...(end - 1), live)
    guard numbers.count < missing else { return numbers[numbers.count - missing] }
    missing -= numbers.count
    found = numbers.first ?? found
    end = start
    return nil
  }

  /// The matches in a stretch, which lies wholly in memory or wholly in the store.
  private func wanted(_ numbers: ClosedRange<UInt64>, _ live: borrowing LiveWorld) throws(PersistenceFailure)
    -> [UInt64]
  {
    var wanted: [UInt64] = []
    if numbers.lowerBound >= live.world.firstSequence {
      var reader = live.world.journalReader(from: numbers.lowerBound)
      while reader.next <= numbers.upperBound, let entry = live.world.read(&reader) {
        if isWanted(entry, of: live.world) { wanted.append(entry.sequence) }
      }
    } else if let stored = live.stored {
      _ = try stored.read(numbers, in: live.world) { world, entry in
        if isWanted(entry, of: world) { wanted.append(entry.sequence) }
        return true
      }
    }
    return wanted
  }

  private func isWanted(_ entry: JournalEntry, of world: borrowing WorldCore) -> Bool {
    guard world.concerns(entry, pattern) else { return false }
    guard scope == .moves else { return true }
    sink.removeAll()
    let noTag = UnsafeRawBufferPointer(start: nil, count: 0)
    return printer.print(entry, of: world, scope, .data, tag: noTag, to: &sink) > 0
  }
}
